//! The accessors of a [`Bitset`](super::Bitset): a kernel reads bits, sets them, or resets them.

use core::fmt;

use spelt_core::{AsIndex, AtomicAccess, LookupAccess, failure};

use super::BITS;
use super::words::{next_set, next_unset};

/// The bits that a kernel tests: of `&bits`.
///
/// An index is an integer or a witness, and is checked.
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, BitsetAccess};
/// use spelt_core::{ExecutionSpace, Idx, Serial, parallel_for};
/// fn check<'k>(i: Idx<'k, 1>, marked: BitsetAccess<'k>) {
///     assert_eq!(marked.test(i), i.get() == 1);
/// }
/// let space = Serial::new();
/// let mut marked = Bitset::new(&space, "marked", 3)?;
/// marked.set(1);
/// parallel_for("check", space.range(0..3), &marked, check)?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct BitsetAccess<'k> {
    words: LookupAccess<'k, u64, 1>,
    len: usize,
    /// Leads the message of a failing access to the name.
    address: usize,
}

/// The bits that a kernel sets: of [`bits.sets()`](super::Bitset::sets).
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, SetsAccess};
/// use spelt_core::{ExecutionSpace, Idx, Serial, parallel_for};
/// fn mark<'k>(i: Idx<'k, 1>, marked: SetsAccess<'k>) {
///     marked.set(i + 1);
/// }
/// let space = Serial::new();
/// let mut marked = Bitset::new(&space, "marked", 3)?;
/// parallel_for("mark", space.range(0..2), marked.sets(), mark)?;
/// assert!(marked.iter().eq([1, 2]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct SetsAccess<'k> {
    words: AtomicAccess<'k, u64, 1>,
    len: usize,
    address: usize,
}

/// The bits that a kernel resets: of [`bits.resets()`](super::Bitset::resets).
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, ResetsAccess};
/// use spelt_core::{ExecutionSpace, Idx, Serial, parallel_for};
/// fn unmark<'k>(i: Idx<'k, 1>, marked: ResetsAccess<'k>) {
///     marked.reset(i + 1);
/// }
/// let space = Serial::new();
/// let mut marked = Bitset::new(&space, "marked", 3)?;
/// marked.fill(&space, true)?;
/// parallel_for("unmark", space.range(0..2), marked.resets(), unmark)?;
/// assert!(marked.iter().eq([0]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct ResetsAccess<'k> {
    words: AtomicAccess<'k, u64, 1>,
    len: usize,
    address: usize,
}

macro_rules! common {
    ($($name:ident $words:ident;)*) => {$(
        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl<'k> $name<'k> {
            #[inline(always)]
            pub(super) fn new(words: $words<'k, u64, 1>, len: usize, address: usize) -> Self {
                Self { words, len, address }
            }

            /// The word of a bit, and its place in the word.
            #[inline(always)]
            #[track_caller]
            fn place(&self, index: impl AsIndex<1>) -> (usize, u32) {
                let index = index.as_index();
                if index[0] >= self.len {
                    failure::beyond(self.address, index);
                }
                (index[0] / BITS, (index[0] % BITS) as u32)
            }
        }
    )*};
}
common! { BitsetAccess LookupAccess; SetsAccess AtomicAccess; ResetsAccess AtomicAccess; }

impl BitsetAccess<'_> {
    /// The number of bits.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let marked = Bitset::new(&space, "marked", 70)?;
    /// parallel_for("check", space.range(0..1), &marked, |_, marked| assert_eq!(marked.len(), 70))?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a kernel rarely asks")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether bit `index` is set.
    ///
    /// # Panics
    /// If the index is out of bounds; the message names the set, its length and the kernel.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce, reducers::Sum};
    /// let space = Serial::new();
    /// let mut marked = Bitset::new(&space, "marked", 3)?;
    /// marked.set(2);
    /// let right = parallel_map_reduce("right", space.range(0..2), &marked, |i, marked| marked.test(i + 1) as u32, Sum::new())?;
    /// assert_eq!(right, 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    #[track_caller]
    pub fn test(&self, index: impl AsIndex<1>) -> bool {
        let (word, bit) = self.place(index);
        self.words[word] >> bit & 1 != 0
    }

    /// The first set bit at `from` or after it.
    ///
    /// # Complexity
    /// One word for each 64 bits that are passed.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut marked = Bitset::new(&space, "marked", 300)?;
    /// marked.set(200);
    /// parallel_for("check", space.range(0..1), &marked, |_, marked| {
    ///     assert_eq!((marked.next_set(3), marked.next_set(201)), (Some(200), None));
    /// })?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn next_set(&self, from: usize) -> Option<usize> {
        next_set(self.words.as_slice(), self.len, from)
    }

    /// The first bit at `from` or after it that is not set.
    ///
    /// # Complexity
    /// As [`next_set`](Self::next_set).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut marked = Bitset::new(&space, "marked", 2)?;
    /// marked.set(0);
    /// parallel_for("check", space.range(0..1), &marked, |_, marked| {
    ///     assert_eq!((marked.next_unset(0), marked.next_unset(2)), (Some(1), None));
    /// })?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline(always)]
    pub fn next_unset(&self, from: usize) -> Option<usize> {
        next_unset(self.words.as_slice(), self.len, from)
    }
}

impl SetsAccess<'_> {
    /// Sets bit `index`. It returns nothing: whether the bit had been set already would depend on the order of the iterations.
    ///
    /// # Panics
    /// If the index is out of bounds; the message names the set, its length and the kernel.
    ///
    /// # Complexity
    /// One load, and one atomic instruction if the bit is not set.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let list = View::from_vec("list", [3], vec![7_u32, 2, 7])?;
    /// let mut listed = Bitset::new(&space, "listed", 10)?;
    /// parallel_for("mark", space.range(0..3), (&list, listed.sets()), |i, (list, listed)| listed.set(list[i]))?;
    /// assert!(listed.iter().eq([2, 7]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn set(&self, index: impl AsIndex<1>) {
        let (word, bit) = self.place(index);
        let mask = 1 << bit;
        if self.words.load(word) & mask == 0 {
            self.words.or(word, mask);
        }
    }
}

impl ResetsAccess<'_> {
    /// Resets bit `index`.
    ///
    /// # Panics
    /// If the index is out of bounds; the message names the set, its length and the kernel.
    ///
    /// # Complexity
    /// One load, and one atomic instruction if the bit is set.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut bits = Bitset::new(&space, "bits", 4)?;
    /// bits.fill(&space, true)?;
    /// parallel_for("even", space.range(0..2), bits.resets(), |i, bits| bits.reset(2 * i.get() + 1))?;
    /// assert!(bits.iter().eq([0, 2]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn reset(&self, index: impl AsIndex<1>) {
        let (word, bit) = self.place(index);
        let mask = 1 << bit;
        if self.words.load(word) & mask != 0 {
            self.words.and(word, !mask);
        }
    }
}
