//! Construction of rows: from their lengths, on the host, and by sorting.

use spelt_algorithms::{
    IndexElement, RadixKey, SortIndex, expand, gather, offsets_from_counts, order_by_bins,
};
use spelt_core::{
    Element, Error, ErrorKind, ExecutionSpace, Layout, MemorySpace, Offsets, ReadView, Result, View,
    parallel_fill,
};

use super::Csr;

impl<T: Element, M: MemorySpace> Csr<T, M> {
    /// Rows with these numbers of entries, which are zero: count, then fill by [`by_rows_mut`](Self::by_rows_mut). Kokkos's
    /// `create_staticcrsgraph` and `get_crs_row_map_from_counts`.
    ///
    /// # Errors
    /// [`ErrorKind::Overflow`] if a count is negative, or their sum does not fit; [`ErrorKind::OutOfMemory`].
    ///
    /// # Complexity
    /// Work O(rows + entries), span O((rows + entries) / threads + log rows).
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let counts = View::from_vec("counts", [3], vec![2, 0, 3])?;
    /// let mut divisors = Csr::from_counts(&space, "divisors", &counts)?;
    /// parallel_for("fill", space.range(0..3), divisors.by_rows_mut(), |i, mut rows| rows[i].fill(i.get()))?;
    /// assert_eq!(divisors.entries().to_vec(), [0, 0, 2, 2, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_counts<S, I, L>(
        space: &S,
        label: impl Into<String>,
        counts: &impl ReadView<I, 1, M, L>,
    ) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
        I: IndexElement,
        L: Layout,
    {
        let offsets = offsets_from_counts(space, counts)?;
        let entries = space.zeros(label, [offsets.end()])?;
        Ok(Self { offsets, entries })
    }

    /// Rows from the host, copied to the memory of `space`.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there is not enough memory; any error that a device reports.
    ///
    /// # Complexity
    /// O(rows + entries) on the calling thread.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let divisors = |n| (1..=n).filter(move |d| n % d == 0);
    /// let csr = Csr::from_rows(&Serial::new(), "divisors", (1..=6).map(divisors))?;
    /// assert_eq!(csr.row(5), [1, 2, 3, 6]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_rows<S>(
        space: &S,
        label: impl Into<String>,
        rows: impl IntoIterator<Item = impl IntoIterator<Item = T>>,
    ) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M>,
    {
        let (mut offsets, mut entries) = (vec![0], Vec::new());
        for row in rows {
            entries.extend(row);
            offsets.push(entries.len());
        }
        let offsets = View::from_vec("offsets", [offsets.len()], offsets)?;
        let entries = View::from_vec(label, [entries.len()], entries)?;
        Ok(Self { offsets: Offsets::new(offsets.to_space(space)?)?, entries: entries.to_space(space)? })
    }

    /// The rows of a list of pairs, a row's number and an entry, in any order: coordinates (COO) of a sparse matrix, edges of a graph.
    ///
    /// The sort is stable: entries of one row keep the order of the list, so the result is unique. Pairs that occur twice remain so. The
    /// second result is the order: entry `k` was number `order[k]` of the list. [`gather`](spelt_algorithms::gather()) puts the values of
    /// a matrix into it. To sort the columns within each row, use [`transposed`](Self::transposed)
    /// twice.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the lengths differ or a number is not below `rows`; [`ErrorKind::Overflow`] if `rows` is `usize::MAX`;
    /// [`ErrorKind::OutOfMemory`]; any error that a device reports.
    ///
    /// # Complexity
    /// That of [`order_by_bins`](spelt_algorithms::order_by_bins()), a counting sort.
    ///
    /// # Examples
    /// ```
    /// use spelt_algorithms::gather;
    /// use spelt_containers::Csr;
    /// use spelt_core::{Serial, View};
    /// let space = Serial::new();
    /// let rows = View::from_vec("rows", [4], vec![2_u32, 0, 2, 0])?;
    /// let columns = View::from_vec("columns", [4], vec![1_u32, 0, 0, 3])?;
    /// let values = View::from_vec("values", [4], vec![0.5, 1.5, 2.5, 3.5])?;
    /// let (matrix, order) = Csr::from_coo(&space, "matrix", 3, &rows, &columns)?;
    /// assert!(matrix.iter().eq([&[0, 3][..], &[], &[1, 0]]));
    /// let mut sorted = View::<f64, 1>::zeros("values", [4])?;
    /// gather(&space, &values, &order, &mut sorted)?;
    /// assert_eq!(sorted.to_vec(), [1.5, 3.5, 0.5, 2.5]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn from_coo<S, I, L1, L2>(
        space: &S,
        label: impl Into<String>,
        rows: usize,
        row_numbers: &impl ReadView<I, 1, M, L1>,
        entries: &impl ReadView<T, 1, M, L2>,
    ) -> Result<(Self, View<usize, 1, M>)>
    where
        S: ExecutionSpace<Memory = M>,
        I: IndexElement + RadixKey,
        L1: Layout,
        L2: Layout,
    {
        let (numbers, list) = (row_numbers.read(), entries.read());
        if numbers.len() != list.len() {
            return Err(Error::new(
                ErrorKind::Extents,
                format!(
                    "view `{}` has {} numbers of rows, but view `{}` has {} entries: the lengths must be equal",
                    numbers.label(),
                    numbers.len(),
                    list.label(),
                    list.len()
                ),
            ));
        }
        let mut order = space.zeros("order", [list.len()])?;
        let offsets = order_by_bins(space, row_numbers, rows, &mut order)?;
        let mut sorted = space.zeros(label, [list.len()])?;
        gather(space, entries, &order, &mut sorted)?;
        Ok((Self { offsets, entries: sorted }, order))
    }
}

impl<T, M> Csr<T, M>
where
    T: SortIndex + IndexElement + RadixKey,
    M: MemorySpace,
{
    /// The transposed graph: its row `j`, below `columns`, has the numbers of the rows in which `j` occurs, ascending.
    ///
    /// A number occurs as often as `j` does in its row. The second result is the order: entry `k` was entry `order[k]`, so
    /// [`gather`](spelt_algorithms::gather()) transposes the values of a matrix.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if an entry is not below `columns`; [`ErrorKind::Overflow`] if the numbers of the rows do not fit `T`;
    /// [`ErrorKind::OutOfMemory`].
    ///
    /// # Complexity
    /// As [`from_coo`](Self::from_coo), for any distribution of the lengths of rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_containers::Csr;
    /// use spelt_core::Serial;
    /// let graph = Csr::from_rows(&Serial::new(), "graph", [vec![2_u32, 0], vec![2]])?;
    /// let (incoming, order) = graph.transposed(&Serial::new(), 3)?;
    /// assert!(incoming.iter().eq([&[0][..], &[], &[0, 1]]));
    /// assert_eq!(order.to_vec(), [1, 0, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn transposed<S>(&self, space: &S, columns: usize) -> Result<(Self, View<usize, 1, M>)>
    where
        S: ExecutionSpace<Memory = M>,
    {
        if self.rows() > T::MOST {
            return Err(Error::new(
                ErrorKind::Overflow,
                format!(
                    "csr `{}`: {} rows have no numbers of {} bytes: use entries of `usize`",
                    self.label(),
                    self.rows(),
                    size_of::<T>()
                ),
            ));
        }
        let (offsets, n) = (self.offsets.view(), self.rows());
        let args = (offsets.subview(0..n), offsets.subview(1..n + 1));
        let rows = space.uninit("rows", [n])?;
        let rows = parallel_fill("rows", space.range(0..n), rows, args, |i, (first, end)| {
            [i.get(), end[i] - first[i]]
        })?;
        let owners = expand(space, &rows, |[_, len]| len, |[row, _], _| T::from_index(row))?;
        Self::from_coo(space, self.label(), columns, &self.entries, &owners)
    }
}
