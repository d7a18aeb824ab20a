//! [`Bitset`]: one bit for each index.

mod access;
mod arguments;
mod host;
mod words;

use core::fmt;

use spelt_algorithms::offsets_from_counts;
use spelt_core::reducers::Sum;
use spelt_core::{
    CopyFrom, ExecutionSpace, HostSpace, MemorySpace, Result, View, parallel_fill, parallel_for,
    parallel_map_reduce,
};

pub use access::{BitsetAccess, ResetsAccess, SetsAccess};
pub use arguments::{Resets, Sets};

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// One bit for each index below a length: sets of indices, marks, visited vertices. Kokkos's `Bitset` and `ConstBitset`.
///
/// Phases are borrows: `&bits` is the argument of a kernel that tests bits, [`bits.sets()`](Self::sets) of one that sets them,
/// [`bits.resets()`](Self::resets) of one that resets them. No kernel does two of these to one set, so the bits after a launch do not
/// depend on the order of its iterations. Any number of iterations may set one bit.
///
/// # Examples
/// ```
/// use spelt_containers::{Bitset, Csr};
/// use spelt_core::{ExecutionSpace, Serial, parallel_for};
/// let space = Serial::new();
/// let graph = Csr::from_rows(&space, "graph", [vec![1_u32, 3], vec![3], vec![0], vec![]])?;
/// let mut reached = Bitset::new(&space, "reached", graph.rows())?;
/// parallel_for("reach", space.range(0..2), (graph.by_rows(), reached.sets()), |i, (graph, reached)| {
///     for &j in &graph[i] {
///         reached.set(j);
///     }
/// })?;
/// assert_eq!(reached.count(&space)?, 2);
/// assert_eq!(reached.positions(&space)?.to_vec(), [1, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Bitset<M: MemorySpace = HostSpace> {
    /// Bits beyond the length are not set.
    words: View<u64, 1, M>,
    len: usize,
}

impl<M: MemorySpace> Bitset<M> {
    /// `len` bits in the memory of `space`, none of them set.
    ///
    /// # Errors
    /// As [`ExecutionSpace::zeros`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// assert_eq!(Bitset::new(&Serial::new(), "marked", 100)?.count(&Serial::new())?, 0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        label: impl Into<String>,
        len: usize,
    ) -> Result<Self> {
        Ok(Self { words: space.zeros(label, [len.div_ceil(BITS)])?, len })
    }

    /// The label: its name in messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// assert_eq!(Bitset::new(&Serial::new(), "marked", 100)?.label(), "marked");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.words.label()
    }

    /// The number of bits, set or not.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// assert_eq!(Bitset::new(&Serial::new(), "marked", 100)?.len(), 100);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bits, set or not.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// assert!(!Bitset::new(&Serial::new(), "marked", 100)?.is_empty());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// An argument that sets bits, at any index: see [`SetsAccess::set`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut squares = Bitset::new(&space, "squares", 50)?;
    /// parallel_for("square", space.range(0..8), squares.sets(), |i, squares| squares.set(i.get() * i.get()))?;
    /// assert!(squares.iter().eq([0, 1, 4, 9, 16, 25, 36, 49]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn sets(&mut self) -> Sets<'_, M> {
        Sets { bits: self }
    }

    /// An argument that resets bits, at any index: see [`ResetsAccess::reset`].
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut bits = Bitset::new(&space, "bits", 5)?;
    /// bits.fill(&space, true)?;
    /// parallel_for("reset", space.range(1..3), bits.resets(), |i, bits| bits.reset(i.get() * i.get()))?;
    /// assert!(bits.iter().eq([0, 2, 3]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn resets(&mut self) -> Resets<'_, M> {
        Resets { bits: self }
    }

    /// Sets all bits, or none.
    ///
    /// # Errors
    /// Any error that a device reports.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let space = Serial::new();
    /// let mut bits = Bitset::new(&space, "bits", 70)?;
    /// bits.fill(&space, true)?;
    /// assert_eq!(bits.count(&space)?, 70);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn fill<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, set: bool) -> Result<()> {
        // One launch: if it fails, no bit beyond the length is set.
        let (len, words) = (self.len, self.words.len());
        parallel_for("fill bits", space.range(0..words), &mut self.words, move |i, mut words| {
            let left = len - i.get() * BITS;
            let all = if left < BITS { (1 << left) - 1 } else { u64::MAX };
            words[i] = if set { all } else { 0 };
        })
    }

    /// The number of bits that are set.
    ///
    /// # Errors
    /// Any error that a device reports.
    ///
    /// # Complexity
    /// Work O(len / 64).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// assert_eq!(bits.count(&Serial::new())?, 1);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn count<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<usize> {
        let range = space.range(0..self.words.len());
        parallel_map_reduce("count bits", range, &self.words, |i, words| ones(words[i]), Sum::<usize>::new())
    }

    /// The indices of the bits that are set, ascending.
    ///
    /// # Errors
    /// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory); any error that a device reports.
    ///
    /// # Complexity
    /// Work O(len / 64 + bits that are set).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// bits.set(3);
    /// assert_eq!(bits.positions(&Serial::new())?.to_vec(), [3, 69]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn positions<S: ExecutionSpace<Memory = M>>(&self, space: &S) -> Result<View<usize, 1, M>> {
        let range = || space.range(0..self.words.len());
        let counts = space.uninit("bits of words", [self.words.len()])?;
        let counts = parallel_fill("bits of words", range(), counts, &self.words, |i, words| ones(words[i]))?;
        let offsets = offsets_from_counts(space, &counts)?;
        let mut positions = space.zeros(self.label(), [offsets.end()])?;
        let args = (&self.words, positions.by_segments_mut(&offsets));
        parallel_for("positions of bits", range(), args, |i, (words, mut positions)| {
            let mut left = words[i];
            for position in &mut positions[i] {
                *position = i.get() * BITS + left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
            }
        })?;
        Ok(positions)
    }

    /// A copy in the memory of `space`.
    ///
    /// # Errors
    /// [`OutOfMemory`](spelt_core::ErrorKind::OutOfMemory) if there is not enough memory; any error that a device reports.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// assert!(bits.to_space(&Serial::new())?.test(69));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_space<S: ExecutionSpace>(&self, space: &S) -> Result<Bitset<S::Memory>>
    where
        S::Memory: CopyFrom<M>,
    {
        Ok(Bitset { words: self.words.to_space(space)?, len: self.len })
    }

    /// A copy in the memory of the host.
    ///
    /// # Errors
    /// As [`to_space`](Self::to_space).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let mut bits = Bitset::new(&Serial::new(), "bits", 70)?;
    /// bits.set(69);
    /// assert!(bits.to_host()?.iter().eq([69]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<Bitset> {
        Ok(Bitset { words: self.words.to_host()?, len: self.len })
    }
}

macro_rules! with_another {
    ($($(#[$doc:meta])* $name:ident $label:literal |$word:ident, $other:ident| $result:expr;)*) => {
        impl<M: MemorySpace> Bitset<M> {$(
            $(#[$doc])*
            ///
            /// # Errors
            /// [`ErrorKind::Extents`](spelt_core::ErrorKind::Extents) if the lengths differ; any error that a device reports.
            pub fn $name<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, other: &Self) -> Result<()> {
                self.check_len(other)?;
                let range = space.range(0..self.words.len());
                parallel_for($label, range, (&mut self.words, &other.words), |i, (mut words, others)| {
                    let ($word, $other) = (words[i], others[i]);
                    words[i] = $result;
                })
            }
        )*}
    };
}
with_another! {
    /// Also sets the bits that are set in `other`.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let space = Serial::new();
    /// let (mut a, mut b) = (Bitset::new(&space, "a", 9)?, Bitset::new(&space, "b", 9)?);
    /// a.set(1);
    /// b.set(7);
    /// a.union_with(&space, &b)?;
    /// assert!(a.iter().eq([1, 7]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    union_with "union of bits" |word, other| word | other;
    /// Resets the bits that are not set in `other`.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let space = Serial::new();
    /// let (mut a, mut b) = (Bitset::new(&space, "a", 9)?, Bitset::new(&space, "b", 9)?);
    /// a.fill(&space, true)?;
    /// b.set(7);
    /// a.intersect_with(&space, &b)?;
    /// assert!(a.iter().eq([7]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    intersect_with "intersection of bits" |word, other| word & other;
    /// Resets the bits that are set in `other`.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Bitset;
    /// use spelt_core::Serial;
    /// let space = Serial::new();
    /// let (mut a, mut b) = (Bitset::new(&space, "a", 3)?, Bitset::new(&space, "b", 3)?);
    /// a.fill(&space, true)?;
    /// b.set(1);
    /// a.subtract(&space, &b)?;
    /// assert!(a.iter().eq([0, 2]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    subtract "difference of bits" |word, other| word & !other;
}

impl<M: MemorySpace> Bitset<M> {
    fn check_len(&self, other: &Self) -> Result<()> {
        if self.len == other.len {
            return Ok(());
        }
        Err(spelt_core::Error::new(
            spelt_core::ErrorKind::Extents,
            format!(
                "bitset `{}` has {} bits, but bitset `{}` has {}: the lengths must be equal",
                self.label(),
                self.len,
                other.label(),
                other.len
            ),
        ))
    }
}

/// The number of bits of a word that are set.
#[inline(always)]
fn ones(word: u64) -> usize {
    word.count_ones() as usize
}

impl<M: MemorySpace> fmt::Debug for Bitset<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bitset").field("label", &self.label()).field("len", &self.len).finish_non_exhaustive()
    }
}
