//! [`Csr`]: rows of different lengths, one after the other.

mod build;

use core::fmt;

use spelt_core::{
    CopyFrom, Element, Error, ErrorKind, ExecutionSpace, HostAccessible, HostSpace, MemorySpace, Offsets,
    Result, Segments, SegmentsMut, View, ViewMut, ViewRef,
};

/// Rows of different lengths, stored one after the other: a sparse graph or matrix, lists of neighbours, buckets. Kokkos's
/// `StaticCrsGraph` and `Crs`.
///
/// It has [`Offsets`], which are checked once, and the entries: those of row `i` lie between offsets `i` and `i + 1`. The number of rows
/// and their lengths do not change; entries may. The argument [`by_rows`](Self::by_rows) gives a kernel the rows as slices, without a check,
/// and [`by_rows_mut`](Self::by_rows_mut) the row of each iteration to write. The values of a sparse matrix are a View of the same length
/// as the entries, cut by `values.by_segments(csr.offsets())`.
///
/// # Examples
/// The product of a sparse matrix and a vector:
/// ```
/// use spelt_containers::Csr;
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let columns = Csr::from_rows(&space, "columns", [vec![0_u32, 2], vec![], vec![1]])?;
/// let values = View::from_vec("values", [3], vec![2.0, 3.0, 4.0])?;
/// let (x, mut y) = (View::from_vec("x", [3], vec![1.0, 10.0, 100.0])?, View::<f64, 1>::zeros("y", [3])?);
/// let args = (columns.by_rows(), values.by_segments(columns.offsets()), &x, &mut y);
/// parallel_for("product", space.range(0..3), args, |i, (columns, values, x, mut y)| {
///     y[i] = columns[i].iter().zip(&values[i]).map(|(&j, v)| v * x[j]).sum();
/// })?;
/// assert_eq!(y.to_vec(), [302.0, 0.0, 40.0]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Csr<T: Element, M: MemorySpace = HostSpace> {
    offsets: Offsets<M>,
    /// As many as the last offset says.
    entries: View<T, 1, M>,
}

impl<T: Element, M: MemorySpace> Csr<T, M> {
    /// The rows of `entries` between `offsets`, which begin with 0 and end with the number of entries.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] if they do not; on a device, any error that it reports.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::{Offsets, View};
    /// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 2, 3])?)?;
    /// let csr = Csr::from_parts(offsets, View::from_vec("csr", [3], vec!['a', 'b', 'c'])?)?;
    /// assert_eq!(csr.row(0), ['a', 'b']);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_parts(offsets: Offsets<M>, entries: View<T, 1, M>) -> Result<Self> {
        let first = match offsets.view().len() {
            0 => 0,
            _ => offsets.view().subview(0..1).to_host()?[0],
        };
        if first != 0 || offsets.end() != entries.len() {
            return Err(Error::new(
                ErrorKind::Format,
                format!(
                    "offsets in view `{}` go from {first} to {}, but view `{}` has {} entries: let them begin with 0 and end with \
                     the number of entries",
                    offsets.view().label(),
                    offsets.end(),
                    entries.label(),
                    entries.len()
                ),
            ));
        }
        Ok(Self { offsets, entries })
    }

    /// The offsets and the entries.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let (offsets, entries) = Csr::from_rows(&Serial::new(), "csr", [vec![7], vec![8, 9]])?.into_parts();
    /// assert_eq!((offsets.view().to_vec(), entries.to_vec()), (vec![0, 1, 3], vec![7, 8, 9]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_parts(self) -> (Offsets<M>, View<T, 1, M>) {
        (self.offsets, self.entries)
    }

    /// The label: that of the entries.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// assert_eq!(Csr::from_rows(&Serial::new(), "graph", [vec![7]])?.label(), "graph");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.entries.label()
    }

    /// The number of rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// assert_eq!(Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![]])?.rows(), 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.offsets.segments()
    }

    /// The number of entries of all rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// assert_eq!(Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?.len(), 3);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no row has an entry.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// assert!(Csr::<u8>::from_rows(&Serial::new(), "csr", [[], []])?.is_empty());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The offsets: row `i` begins at offset `i` and ends before offset `i + 1`.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert_eq!(csr.offsets().view().to_vec(), [0, 2, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn offsets(&self) -> &Offsets<M> {
        &self.offsets
    }

    /// The entries of all rows, one after the other.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert_eq!(csr.entries().to_vec(), [7, 8, 9]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn entries(&self) -> ViewRef<'_, T, 1, M> {
        self.entries.view()
    }

    /// The entries of all rows, one after the other, to change.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let mut csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// csr.entries_mut()[2] = 5;
    /// assert_eq!(csr.row(1), [5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn entries_mut(&mut self) -> ViewMut<'_, T, 1, M> {
        self.entries.view_mut()
    }

    /// The offsets, and the entries to change: so that one launch writes the entries and other Views cut by the same offsets.
    ///
    /// # Examples
    /// The columns and the values of a sparse matrix:
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let counts = View::from_vec("counts", [3], vec![1, 2, 2])?;
    /// let mut columns = Csr::from_counts(&space, "columns", &counts)?;
    /// let mut values = View::<f64, 1>::zeros("values", [columns.len()])?;
    /// let (offsets, mut entries) = columns.parts_mut();
    /// let args = (entries.by_segments_mut(offsets), values.by_segments_mut(offsets));
    /// parallel_for("fill", space.range(0..3), args, |i, (mut columns, mut values)| {
    ///     for (k, (column, value)) in columns[i].iter_mut().zip(&mut values[i]).enumerate() {
    ///         (*column, *value) = (i.get() - k, 1.0 - 2.0 * k as f64);
    ///     }
    /// })?;
    /// assert_eq!((columns.entries().to_vec(), values.to_vec()), (vec![0, 1, 0, 2, 1], vec![1.0, 1.0, -1.0, 1.0, -1.0]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn parts_mut(&mut self) -> (&Offsets<M>, ViewMut<'_, T, 1, M>) {
        (&self.offsets, self.entries.view_mut())
    }

    /// An argument that reads the rows, one for each index of a range: in the kernel `a[i]` is a slice, without a check, and
    /// `a.get(j)` that of any row. With `.nested()` each team reads its own row.
    ///
    /// # Errors
    /// The launch returns [`ErrorKind::Extents`] if the range goes beyond the rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce, reducers::Max};
    /// let space = Serial::new();
    /// let graph = Csr::from_rows(&space, "graph", [vec![1_u32, 2], vec![], vec![0]])?;
    /// // The largest number of neighbours of neighbours.
    /// let most = parallel_map_reduce("two steps", space.range(0..graph.rows()), graph.by_rows(), |i, graph| {
    ///     graph[i].iter().map(|&j| graph.get(j as usize).map_or(0, <[u32]>::len)).sum()
    /// }, Max::<usize>::new())?;
    /// assert_eq!(most, 2);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows(&self) -> Segments<'_, T, 1, M> {
        self.entries.by_segments(&self.offsets)
    }

    /// An argument that writes the rows, one for each index of a range: in the kernel `a[i]` is a mutable slice, without a check. With
    /// `.nested()` each team writes its own row.
    ///
    /// # Errors
    /// The launch returns [`ErrorKind::Extents`] if the range goes beyond the rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::{ExecutionSpace, Serial, parallel_for};
    /// let space = Serial::new();
    /// let mut csr = Csr::from_rows(&space, "csr", [vec![9, 7, 8], vec![], vec![3, 2]])?;
    /// parallel_for("sort rows", space.range(0..csr.rows()), csr.by_rows_mut(), |i, mut rows| rows[i].sort_unstable())?;
    /// assert_eq!(csr.entries().to_vec(), [7, 8, 9, 2, 3]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline]
    pub fn by_rows_mut(&mut self) -> SegmentsMut<'_, T, 1, M> {
        self.entries.by_segments_mut(&self.offsets)
    }

    /// A copy in the memory of `space`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory; any error that a device reports.
    ///
    /// # Complexity
    /// O(rows + entries).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert_eq!(csr.to_space(&Serial::new())?.row(0), [7, 8]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_space<S: ExecutionSpace>(&self, space: &S) -> Result<Csr<T, S::Memory>>
    where
        S::Memory: CopyFrom<M>,
    {
        Csr::from_parts(Offsets::new(self.offsets.view().to_space(space)?)?, self.entries.to_space(space)?)
    }

    /// A copy in the memory of the host.
    ///
    /// # Errors
    /// As [`to_space`](Self::to_space).
    ///
    /// # Complexity
    /// O(rows + entries).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert!(csr.to_host()?.iter().eq([&[7, 8][..], &[9]]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<Csr<T>> {
        Csr::from_parts(Offsets::new(self.offsets.view().to_host()?)?, self.entries.to_host()?)
    }
}

impl<T: Element, M: HostAccessible> Csr<T, M> {
    /// Row `row`.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert_eq!(csr.row(1), [9]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn row(&self, row: usize) -> &[T] {
        let range = self.range(row);
        &self.entries.as_slice().expect("an owned View of rank 1 is contiguous")[range]
    }

    /// Row `row`, to change.
    ///
    /// # Panics
    /// If there is no such row.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let mut csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// csr.row_mut(0).reverse();
    /// assert_eq!(csr.entries().to_vec(), [8, 7, 9]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let range = self.range(row);
        &mut self.entries.as_mut_slice().expect("an owned View of rank 1 is contiguous")[range]
    }

    /// The rows, first to last.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let csr = Csr::from_rows(&Serial::new(), "csr", [vec![7, 8], vec![9]])?;
    /// assert_eq!(csr.iter().map(<[i32]>::len).collect::<Vec<_>>(), [2, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.rows()).map(|row| self.row(row))
    }

    #[track_caller]
    fn range(&self, row: usize) -> core::ops::Range<usize> {
        let (label, rows) = (self.label(), self.rows());
        assert!(row < rows, "row {row} is out of bounds of csr `{label}` with {rows} rows");
        self.offsets.view()[row]..self.offsets.view()[row + 1]
    }
}

impl<T: Element, M: MemorySpace> fmt::Debug for Csr<T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Csr")
            .field("label", &self.label())
            .field("rows", &self.rows())
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
