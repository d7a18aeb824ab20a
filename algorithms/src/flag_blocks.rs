//! Flags in blocks: the number of flags that are set before each block, and those that are set in it.

use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Sum;
use spelt_core::{Dynamic, ExecutionSpace, RangePolicy, Result, View, ViewRef, parallel_for};

use crate::scan::exclusive_scan_in_place;

/// Flags of a block, on a host and on a device. Unit: elements. Source: estimated: some microseconds' work for a core of a
/// host; a few cache lines for a thread of a device.
const BLOCK: [usize; 2] = [8192, 256];

/// Flags that are tested together: the bits of a word.
pub(crate) const WORD: usize = 64;

/// The space's choice of the two granularities: no result depends on it.
pub(crate) const fn granularity<S: ExecutionSpace>(of_host_and_device: [usize; 2]) -> usize {
    of_host_and_device[if S::IS_DEVICE { 1 } else { 0 }]
}

/// The number of set flags before each block.
pub(crate) struct FlagBlocks<S: ExecutionSpace> {
    n: usize,
    block: usize,
    /// One number for each block.
    pub(crate) before: View<usize, 1, S::Memory>,
    pub(crate) set: usize,
}

impl<S: ExecutionSpace> FlagBlocks<S> {
    /// Counts the flags that are set, and the first one if `head` says so.
    pub(crate) fn new(space: &S, flags: ViewRef<'_, bool, 1, S::Memory>, head: bool) -> Result<Self> {
        Self::counting(space, flags, move |flags, elements| {
            let unset_head = head && elements.start == 0 && !flags[0];
            dispatch(Count(&flags[elements])) + usize::from(unset_head)
        })
    }

    /// Counts what `count` finds in the elements of each block, given all flags.
    pub(crate) fn counting(
        space: &S,
        flags: ViewRef<'_, bool, 1, S::Memory>,
        count: impl Fn(&[bool], Range<usize>) -> usize + Sync,
    ) -> Result<Self> {
        let (n, block) = (flags.len(), granularity::<S>(BLOCK));
        let mut before = space.zeros::<usize, 1>("flags set before a block", [n.div_ceil(block)])?;
        let mut this = Self { n, block, before: space.zeros("", [0])?, set: 0 };
        parallel_for("count flags", this.policy(space), (flags.lookup(), &mut before), {
            move |i, (flags, mut before)| {
                let first = i.get() * block;
                before[i] = count(flags.as_slice(), first..n.min(first + block));
            }
        })?;
        this.set = exclusive_scan_in_place(space, &mut before, 0, Sum::new())?;
        this.before = before;
        Ok(this)
    }

    /// An iteration for each block.
    pub(crate) fn policy<'s>(&self, space: &'s S) -> RangePolicy<&'s S> {
        space.range(0..self.n.div_ceil(self.block)).chunk(1).schedule(Dynamic)
    }

    /// The parameters of the kernel.
    pub(crate) fn shape(&self) -> Shape {
        Shape { n: self.n, block: self.block, set: self.set }
    }
}

/// The division of flags into blocks.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    n: usize,
    block: usize,
    set: usize,
}

impl Shape {
    /// The elements of a block, and the numbers of its set flags, given the number before each block.
    #[inline(always)]
    pub(crate) fn of(&self, block: usize, before: &[usize]) -> (Range<usize>, Range<usize>) {
        let first = block * self.block;
        let elements = first..self.n.min(first + self.block);
        (elements, before[block]..before.get(block + 1).copied().unwrap_or(self.set))
    }
}

struct Count<'a>(&'a [bool]);

impl Work for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        // A byte has room for the count of a few words, which vectorises for that reason.
        let count = |flags: &[bool]| usize::from(flags.iter().fold(0_u8, |sum, &flag| sum + u8::from(flag)));
        let (whole, rest) = self.0.as_chunks::<{ 2 * WORD }>();
        whole.iter().map(|flags| count(flags)).sum::<usize>() + count(rest)
    }
}

/// Writes `pick(k)` for each flag `k` of a block that is set, in order, and of the first one if `head` says so.
///
/// `out` has a place for each set flag; with fewer places, the rest would be dropped.
pub(crate) struct Pick<'a, U, F> {
    pub(crate) flags: &'a [bool],
    pub(crate) head: bool,
    pub(crate) out: &'a mut [U],
    pub(crate) pick: F,
}

impl<U, F: Fn(usize) -> U> Work for Pick<'_, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut done = 0;
        for (word, flags) in self.flags.chunks(WORD).enumerate() {
            let start = word * WORD;
            // A word without flags is one comparison of vectors.
            if flags.iter().fold(0, |any, &flag| any | u8::from(flag)) == 0 && !(self.head && start == 0) {
                continue;
            }
            let mut bits = bits(flags) | u64::from(self.head && start == 0);
            if bits == u64::MAX
                && let Some(places) = self.out.get_mut(done..done + WORD)
            {
                for (k, place) in places.iter_mut().enumerate() {
                    *place = (self.pick)(start + k);
                }
                done += WORD;
                continue;
            }
            while bits != 0 {
                if let Some(place) = self.out.get_mut(done) {
                    *place = (self.pick)(start + bits.trailing_zeros() as usize);
                }
                done += 1;
                bits &= bits - 1;
            }
        }
    }
}

/// At most [`WORD`] flags as bits, the first one the lowest.
#[inline(always)]
pub(crate) fn bits(flags: &[bool]) -> u64 {
    let (eights, rest) = flags.as_chunks::<8>();
    let mut bits = 0;
    for (place, eight) in eights.iter().enumerate() {
        // The product brings the lowest bit of byte `k` to bit `56 + k`; no two terms meet.
        let bytes = u64::from_le_bytes(eight.map(u8::from));
        bits |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
    }
    for (place, &flag) in rest.iter().enumerate() {
        bits |= u64::from(flag) << (8 * eights.len() + place);
    }
    bits
}
