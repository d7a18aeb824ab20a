//! The choice of kernels for a copy or fill of a box.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use crate::kernels::{
    CopyParameters, Divisor, FillParameters, ITEMS, Loop, MAX_LOOPS, SIDE, THREADS, TransposeParameters,
};

/// Words of one launch are fewer. Unit: words. Source: [`Divisor`] is exact below it.
const MAX_WORDS: u64 = 1 << 31;

/// The minimum size of a row's part for a warp in a transposing copy. Unit: bytes. Source: one sector of a GPU's memory;
/// shorter rows fill no sector either way.
const MIN_ROW: u64 = 32;

/// One launch of a stock kernel: one-dimensional blocks, one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Its name in the device code.
    pub kernel: &'static CStr,
    /// The number of blocks.
    pub blocks: u32,
    /// The threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The kernel's only parameter.
    pub parameters: Parameters,
}

/// The parameter of a stock kernel.
#[derive(Clone, Copy, Debug)]
pub enum Parameters {
    /// Of a copy.
    Copy(CopyParameters),
    /// Of a fill.
    Fill(FillParameters),
    /// Of a transposing copy.
    Transpose(TransposeParameters),
}

impl Parameters {
    /// The address of the parameter, as a launch requires it.
    #[must_use]
    pub fn pointer(&self) -> *const u8 {
        match self {
            Self::Copy(parameters) => core::ptr::from_ref(parameters).cast(),
            Self::Fill(parameters) => core::ptr::from_ref(parameters).cast(),
            Self::Transpose(parameters) => core::ptr::from_ref(parameters).cast(),
        }
    }

    /// The size of the parameter in bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        match self {
            Self::Copy(_) => size_of::<CopyParameters>(),
            Self::Fill(_) => size_of::<FillParameters>(),
            Self::Transpose(_) => size_of::<TransposeParameters>(),
        }
    }
}

/// A copy between two boxes of equal extents in memory of one device.
#[derive(Clone, Copy, Debug)]
pub struct CopyBox<'a> {
    /// The address of the destination's first element.
    pub to: u64,
    /// The address of the source's first element.
    pub from: u64,
    /// The size of an element in bytes.
    pub element: usize,
    /// The number of elements in each dimension; at most six dimensions.
    pub extents: &'a [usize],
    /// The destination's strides, in elements.
    pub to_strides: &'a [usize],
    /// The source's strides, in elements.
    pub from_strides: &'a [usize],
}

/// The best method for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is nothing to copy.
    Nothing,
    /// This many bytes in a row on either side, which the driver copies.
    Contiguous(usize),
    /// By the launches of [`CopyBox::launch`].
    Kernels,
}

impl CopyBox<'_> {
    /// The best method for this copy.
    ///
    /// # Panics
    /// If there are more than six dimensions, or not as many strides.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.nest() {
            None => Kind::Nothing,
            Some(nest) if nest.is_contiguous() => Kind::Contiguous(nest.lines()[0].count as usize),
            Some(_) => Kind::Kernels,
        }
    }

    /// Calls a function for each launch of this copy, in any order, until one of them fails.
    ///
    /// # Errors
    /// The first of `launch`.
    ///
    /// # Panics
    /// As [`kind`](Self::kind).
    pub fn launch<E>(&self, mut launch: impl FnMut(&Launch) -> Result<(), E>) -> Result<(), E> {
        let Some(nest) = self.nest() else { return Ok(()) };
        let (nest, word) = nest.in_words(16);
        nest.in_parts(self.to, self.from, word, &mut |part, to, from| launch(&part.copy(to, from, word)))
    }

    fn nest(&self) -> Option<Nest> {
        Nest::new(self.element, self.extents, self.to_strides, self.from_strides, self.to | self.from)
    }
}

/// A fill of a box in memory of one device.
#[derive(Clone, Copy, Debug)]
pub struct FillBox<'a> {
    /// The address of the first element.
    pub to: u64,
    /// The element's bytes.
    pub element: &'a [MaybeUninit<u8>],
    /// The number of elements in each dimension; at most six dimensions.
    pub extents: &'a [usize],
    /// The strides, in elements.
    pub strides: &'a [usize],
}

impl FillBox<'_> {
    /// Whether a launch can carry the element: it has 1, 2, 4, 8 or 16 bytes. Any other is copied, from a source with all
    /// strides 0.
    #[must_use]
    pub const fn has_kernels(&self) -> bool {
        matches!(self.element.len(), 1 | 2 | 4 | 8 | 16)
    }

    /// Calls a function for each launch of this fill, in any order, until one of them fails.
    ///
    /// # Errors
    /// The first of `launch`.
    ///
    /// # Panics
    /// If [`has_kernels`](Self::has_kernels) is false, or as [`CopyBox::kind`].
    pub fn launch<E>(&self, mut launch: impl FnMut(&Launch) -> Result<(), E>) -> Result<(), E> {
        assert!(self.has_kernels(), "no kernel fills elements of {} bytes", self.element.len());
        let element = self.element.len();
        let Some(nest) = Nest::new(element, self.extents, self.strides, self.strides, self.to) else {
            return Ok(());
        };
        let mut pattern = [MaybeUninit::<u8>::uninit(); 16];
        for (at, byte) in pattern.iter_mut().enumerate() {
            *byte = self.element[at % element];
        }
        // SAFETY: both are sixteen bytes that need not be initialised.
        let pattern = unsafe { core::mem::transmute::<[MaybeUninit<u8>; 16], MaybeUninit<u128>>(pattern) };
        // A contiguous fill of odd length uses wide words too, except for its end.
        let (body, tail) = nest.split_tail();
        for (nest, begin) in [Some((body, 0)), tail].into_iter().flatten() {
            let (nest, word) = nest.in_words(16);
            nest.in_parts(self.to + begin, 0, word, &mut |part, to, _| {
                launch(&part.fill(pattern, to, word))
            })?;
        }
        Ok(())
    }
}

/// One loop, in bytes and later in words.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: u64,
    to: u64,
    from: u64,
}

/// Loops around each other, the last one the fastest at the destination.
#[derive(Clone, Copy, Debug)]
struct Nest {
    lines: [Line; MAX_LOOPS],
    rank: usize,
    /// A number with the low zero bits that all addresses share.
    alignment: u64,
}

impl Nest {
    /// The loops over the bytes of a box, merged where one continues another; none where there is no byte.
    fn new(element: usize, extents: &[usize], to: &[usize], from: &[usize], alignment: u64) -> Option<Self> {
        assert!(extents.len() < MAX_LOOPS, "{} dimensions are more than six", extents.len());
        assert!(to.len() == extents.len() && from.len() == extents.len(), "each dimension has its strides");
        if element == 0 || extents.contains(&0) {
            return None;
        }
        let element = element as u64;
        let mut nest = Self { lines: [Line::default(); MAX_LOOPS], rank: 0, alignment };
        for dimension in (0..extents.len()).filter(|&dimension| extents[dimension] > 1) {
            nest.push(Line {
                count: extents[dimension] as u64,
                to: to[dimension] as u64 * element,
                from: from[dimension] as u64 * element,
            });
        }
        nest.lines[..nest.rank].sort_unstable_by_key(|line| core::cmp::Reverse((line.to, line.from)));
        nest.push(Line { count: element, to: 1, from: 1 });
        let all = nest;
        nest.rank = 0;
        for &line in all.lines() {
            match nest.lines[..nest.rank].last_mut() {
                Some(outer) if outer.to == line.to * line.count && outer.from == line.from * line.count => {
                    *outer = Line { count: outer.count * line.count, ..line };
                }
                _ => nest.push(line),
            }
        }
        Some(nest)
    }

    fn push(&mut self, line: Line) {
        self.lines[self.rank] = line;
        self.rank += 1;
    }

    fn lines(&self) -> &[Line] {
        &self.lines[..self.rank]
    }

    /// Whether this is one row of bytes on either side.
    fn is_contiguous(&self) -> bool {
        self.rank == 1
    }

    /// The row of bytes without its last few, and those with their place, if it is one row.
    fn split_tail(self) -> (Self, Option<(Self, u64)>) {
        let (mut body, mut tail) = (self, self);
        let odd = self.lines[0].count % 16;
        if !self.is_contiguous()
            || odd == 0
            || odd == self.lines[0].count
            || !self.alignment.is_multiple_of(16)
        {
            return (self, None);
        }
        body.lines[0].count -= odd;
        tail.lines[0].count = odd;
        (body, Some((tail, body.lines[0].count)))
    }

    /// The same loops over words, as large as sizes, strides and addresses allow, and their size in bytes.
    fn in_words(mut self, most: u64) -> (Self, u64) {
        let run = self.lines[self.rank - 1].count;
        let outer = self.lines[..self.rank - 1].iter();
        let all = outer.fold(self.alignment | run | most, |bits, line| bits | line.to | line.from);
        let word = 1 << all.trailing_zeros();
        for line in &mut self.lines[..self.rank - 1] {
            *line = Line { count: line.count, to: line.to / word, from: line.from / word };
        }
        self.lines[self.rank - 1].count = run / word;
        if run == word && self.rank > 1 {
            self.rank -= 1;
        }
        (self, word)
    }

    /// Cuts the longest loop until each part has fewer words than a launch can count.
    fn in_parts<E>(
        &self,
        to: u64,
        from: u64,
        word: u64,
        launch: &mut impl FnMut(&Self, u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.words() < MAX_WORDS {
            return launch(self, to, from);
        }
        let longest = (0..self.rank).max_by_key(|&at| self.lines[at].count).unwrap_or(0);
        let line = self.lines[longest];
        let (mut low, mut high) = (*self, *self);
        low.lines[longest].count = line.count / 2;
        high.lines[longest].count = line.count - line.count / 2;
        let skipped = line.count / 2 * word;
        low.in_parts(to, from, word, launch)?;
        high.in_parts(to + skipped * line.to, from + skipped * line.from, word, launch)
    }

    fn words(&self) -> u64 {
        self.lines().iter().fold(1, |words: u64, line| words.saturating_mul(line.count))
    }

    fn copy(&self, to: u64, from: u64, word: u64) -> Launch {
        let last = self.rank - 1;
        let fastest = (0..self.rank).min_by_key(|&at| (self.lines[at].from, self.rank - at)).unwrap_or(last);
        let rows = [self.lines[fastest].count, self.lines[last].count];
        if fastest != last && rows.iter().all(|row| row * word >= MIN_ROW) {
            return self.transpose(to, from, word, fastest);
        }
        let words = self.words() as u32;
        let parameters =
            CopyParameters { to, from, words, rank: self.rank as u32, loops: loops(self.lines()) };
        linear(
            named(
                word,
                [
                    c"spelt_stock_copy_1",
                    c"spelt_stock_copy_2",
                    c"spelt_stock_copy_4",
                    c"spelt_stock_copy_8",
                    c"spelt_stock_copy_16",
                ],
            ),
            words,
            Parameters::Copy(parameters),
        )
    }

    fn fill(&self, pattern: MaybeUninit<u128>, to: u64, word: u64) -> Launch {
        let words = self.words() as u32;
        let parameters =
            FillParameters { pattern, to, words, rank: self.rank as u32, loops: loops(self.lines()) };
        linear(
            named(
                word,
                [
                    c"spelt_stock_fill_1",
                    c"spelt_stock_fill_2",
                    c"spelt_stock_fill_4",
                    c"spelt_stock_fill_8",
                    c"spelt_stock_fill_16",
                ],
            ),
            words,
            Parameters::Fill(parameters),
        )
    }

    /// The transposing copy of the planes of the last loop and the loop `fastest`.
    fn transpose(&self, to: u64, from: u64, word: u64, fastest: usize) -> Launch {
        let mut around = [Line::default(); MAX_LOOPS];
        let mut rank = 0;
        for at in (0..self.rank - 1).filter(|&at| at != fastest) {
            around[rank] = self.lines[at];
            rank += 1;
        }
        let (source, target) = (counted(self.lines[fastest]), counted(self.lines[self.rank - 1]));
        let tiles = |line: Loop| Divisor::new(line.count.value().div_ceil(SIDE));
        let (source_tiles, target_tiles) = (tiles(source), tiles(target));
        let planes = around[..rank].iter().map(|line| line.count as u32).product::<u32>();
        let parameters = TransposeParameters {
            to,
            from,
            source,
            target,
            source_tiles,
            target_tiles,
            rank: rank as u32,
            loops: loops(&around[..rank]),
        };
        Launch {
            kernel: named(
                word,
                [
                    c"spelt_stock_transpose_1",
                    c"spelt_stock_transpose_2",
                    c"spelt_stock_transpose_4",
                    c"spelt_stock_transpose_8",
                    c"spelt_stock_transpose_16",
                ],
            ),
            blocks: source_tiles.value() * target_tiles.value() * planes,
            threads: THREADS,
            shared_bytes: TransposeParameters::shared_bytes(word as usize),
            parameters: Parameters::Transpose(parameters),
        }
    }
}

/// The launch of a kernel whose threads count words.
fn linear(kernel: &'static CStr, words: u32, parameters: Parameters) -> Launch {
    let blocks = words.div_ceil(THREADS * ITEMS);
    Launch { kernel, blocks, threads: THREADS, shared_bytes: 0, parameters }
}

/// The kernel for words of this size among those for 1, 2, 4, 8 and 16 bytes.
fn named(word: u64, kernels: [&'static CStr; 5]) -> &'static CStr {
    kernels[word.trailing_zeros() as usize]
}

fn counted(line: Line) -> Loop {
    Loop { count: Divisor::new(line.count as u32), to: line.to, from: line.from }
}

fn loops<const N: usize>(lines: &[Line]) -> [Loop; N] {
    core::array::from_fn(|at| {
        lines.get(at).map_or(Loop { count: Divisor::ONE, to: 0, from: 0 }, |&line| counted(line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of a loop that has too many words for a launch follow one another on both sides, and are all of it.
    #[test]
    fn parts_are_the_whole() {
        let row = |count| Line { count, to: 1, from: 1 };
        let rows = |count| Line { count, to: 5, from: 7 };
        // The loops, and which of them is the longest.
        let nests: [(&[Line], usize); 4] = [
            (&[row(MAX_WORDS)], 0),
            (&[row(5 * MAX_WORDS + 3)], 0),
            (&[rows(3), row(2 * MAX_WORDS - 1)], 1),
            (&[rows(MAX_WORDS + 2), row(4)], 0),
        ];
        for (lines, longest) in nests {
            let mut nest = Nest { lines: [Line::default(); MAX_LOOPS], rank: 0, alignment: 0 };
            lines.iter().for_each(|&line| nest.push(line));
            for word in [1, 16] {
                let (mut to, mut from, mut count) = (1 << 40, 1 << 50, 0);
                let all = nest.in_parts(to, from, word, &mut |part, part_to, part_from| {
                    assert!(part.words() < MAX_WORDS);
                    assert_eq!((part_to, part_from), (to, from), "part from {count} on of {lines:?}");
                    let line = part.lines[longest];
                    to += line.count * line.to * word;
                    from += line.count * line.from * word;
                    count += line.count;
                    Ok::<(), ()>(())
                });
                assert_eq!((all, count), (Ok(()), lines[longest].count), "{lines:?}");
            }
        }
    }
}
