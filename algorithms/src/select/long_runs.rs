//! The runs of more than one element on a host, by the flags of the heads of all runs.
//!
//! Such a run begins at a head before an element that is none, and ends at an element that is none before a head or the end. So
//! beginnings and ends take turns for any flags: the number of either before a block follows from the other, and a block writes
//! both without a list of all runs.

use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::{ExecutionSpace, Result, View, ViewRef, parallel_for};

use crate::flag_blocks::{FlagBlocks, WORD, bits};

/// The starts and lengths of the runs with more than one element. The first of the flags, if there are any, is set.
#[allow(clippy::type_complexity)]
pub(super) fn long_runs<S: ExecutionSpace>(
    space: &S,
    heads: ViewRef<'_, bool, 1, S::Memory>,
) -> Result<(View<usize, 1, S::Memory>, View<usize, 1, S::Memory>)> {
    let blocks = FlagBlocks::counting(space, heads, |heads, elements| {
        let (flags, next) = with_next(heads, elements);
        dispatch(Count { flags, next })
    })?;
    let (shape, runs) = (blocks.shape(), blocks.set);
    let mut begins = space.zeros::<usize, 1>("begins", [runs])?;
    let mut lengths = space.zeros::<usize, 1>("lengths", [runs])?;
    if runs == 0 {
        return Ok((begins, lengths));
    }
    let n = heads.len();
    // A run that began before a block has no end before it.
    let is_open = |heads: &[bool], element: usize| element < n && !heads[element];
    let ends_of = move |heads: &[bool], elements: &Range<usize>, places: &Range<usize>| {
        let open = |element, place| place - usize::from(is_open(heads, element));
        open(elements.start, places.start)..open(elements.end, places.end)
    };
    {
        // SAFETY: a block writes as many starts as it has counted, after those of the blocks before it, and as many lengths as runs end in
        // it, after those that end before.
        let (begins, lengths) = unsafe { (begins.distinct(), lengths.distinct()) };
        parallel_for(
            "long runs",
            blocks.policy(space),
            (heads.lookup(), blocks.before.lookup(), begins, lengths),
            move |i, (heads, before, mut begins, mut lengths)| {
                let (elements, places) = shape.of(i.get(), before.as_slice());
                let heads = heads.as_slice();
                let ends = ends_of(heads, &elements, &places);
                // The first end may be that of a run before the block.
                let earlier = places.start - ends.start;
                let first = elements.start;
                let (flags, next) = with_next(heads, elements);
                let (Some(begins), Some(lengths)) = (begins.slice_mut(places), lengths.slice_mut(ends))
                else {
                    return;
                };
                dispatch(Edges { flags, next, first, begins, ends: lengths, earlier });
            },
        )?;
    }
    // SAFETY: a block touches the length of the run that is open where it begins, if that run ends in it.
    let distinct = unsafe { lengths.distinct() };
    parallel_for(
        "runs of several blocks",
        blocks.policy(space),
        (heads.lookup(), blocks.before.lookup(), begins.view().lookup(), distinct),
        move |i, (heads, before, begins, mut lengths)| {
            let (elements, places) = shape.of(i.get(), before.as_slice());
            let ends = ends_of(heads.as_slice(), &elements, &places);
            if ends.start < places.start && !ends.is_empty() {
                lengths[ends.start] -= begins.as_slice()[ends.start];
            }
        },
    )?;
    Ok((begins, lengths))
}

/// The flags of some elements, and that of the next one: the end is as a head.
#[inline(always)]
fn with_next(heads: &[bool], elements: Range<usize>) -> (&[bool], bool) {
    let next = heads.get(elements.end).copied().unwrap_or(true);
    (&heads[elements], next)
}

/// The number of heads before an element that is none.
struct Count<'a> {
    flags: &'a [bool],
    next: bool,
}

impl Work for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Some((&last, _)) = self.flags.split_last() else { return 0 };
        let mut count = usize::from(last & !self.next);
        // A byte has room for the count of a few words, which vectorises for that reason.
        let some = 2 * WORD;
        for (flags, next) in self.flags[..self.flags.len() - 1].chunks(some).zip(self.flags[1..].chunks(some))
        {
            let of_some = |sum: u8, (&flag, &next): (&bool, &bool)| sum + u8::from(flag & !next);
            count += usize::from(flags.iter().zip(next).fold(0, of_some));
        }
        count
    }
}

/// Writes the starts and lengths of a block's runs.
struct Edges<'a> {
    flags: &'a [bool],
    next: bool,
    /// The first element.
    first: usize,
    begins: &'a mut [usize],
    /// The room for the lengths of those that end here.
    ends: &'a mut [usize],
    /// How many of these began before the block: 0 or 1. That one is given its end instead.
    earlier: usize,
}

impl Work for Edges<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { flags, next, first, begins, ends, earlier } = self;
        let (mut begun, mut ended) = (0, 0);
        for (word, some) in flags.chunks(WORD).enumerate() {
            let start = word * WORD;
            let heads = bits(some);
            let next = flags.get(start + some.len()).copied().unwrap_or(next);
            let after = heads >> 1 | u64::from(next) << (some.len() - 1);
            put(begins, &mut begun, first + start, heads & !after);
            put(ends, &mut ended, first + start + 1, !heads & after);
        }
        for (end, begin) in ends.iter_mut().skip(earlier).zip(begins) {
            *end -= *begin;
        }
    }
}

/// Writes `first` plus the place of each bit that is set, behind the `done` numbers before.
#[inline(always)]
fn put(out: &mut [usize], done: &mut usize, first: usize, mut bits: u64) {
    while bits != 0 {
        if let Some(place) = out.get_mut(*done) {
            *place = first + bits.trailing_zeros() as usize;
        }
        *done += 1;
        bits &= bits - 1;
    }
}
