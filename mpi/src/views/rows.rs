//! Rows of Views, the indices of their first dimension: from all ranks to one or to all, from one to all, and from all to all.

use spelt_core::{
    Element, Error, ErrorKind, HostSpace, Layout, MemorySpace, Portable, ReadView, Result, View, ViewRef,
    WriteView,
};

use super::elements::{Between, Shape, message, write_elements};
use crate::communicator::Communicator;
use crate::schedules::{self, Tree};
use crate::wire::{Hash, Kind};

impl Communicator {
    /// The rows of all ranks' Views, in the order of the ranks, as one View on rank `root`; `None` on the others. The Views have one type and
    /// the same extents but for the first.
    ///
    /// # Errors
    /// If `root` is not a rank, the type or an extent differs (the error names both ranks), there is no memory, a rank makes another call, or a
    /// transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let wholes = InProcess::new(3).run(|ranks| {
    ///     let part = View::from_fn("part", [ranks.rank(), 2], |[i, j]| 100 * ranks.rank() + 10 * i + j)?;
    ///     ranks.gather_view("rows", 0, &part)
    /// });
    /// let whole = wholes[0].as_ref().expect("no error").as_ref().expect("rank 0 is the root");
    /// assert_eq!((whole.extents(), whole.to_vec()), ([3, 2], vec![100, 101, 200, 201, 210, 211]));
    /// ```
    pub fn gather_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        root: usize,
        part: &impl ReadView<T, R, M, L>,
    ) -> Result<Option<View<T, R>>>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        self.check_rank(root, "root", label)?;
        let tree = Tree::new(self, root);
        self.collective(Kind::ViewGather, root, label, |ongoing| {
            let part = part.read();
            let parts = schedules::gather(ongoing, tree, message(part)?)?;
            parts.map(|parts| self.joined(label, part, &parts).map(|(whole, _)| whole)).transpose()
        })
    }

    /// The rows of all ranks' Views, in the order of the ranks, as one View on all ranks. The Views have one type and the same extents but for
    /// the first.
    ///
    /// # Errors
    /// As [`Communicator::gather_view`], without a root.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let wholes = InProcess::new(3).run(|ranks| {
    ///     ranks.all_gather_view("ranks", &View::from_fn("own", [1], |_| ranks.rank())?)
    /// });
    /// for whole in wholes {
    ///     assert_eq!(whole?.to_vec(), [0, 1, 2]);
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all_gather_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        part: &impl ReadView<T, R, M, L>,
    ) -> Result<View<T, R>>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        let place = [self.rank(), self.size()];
        self.collective(Kind::ViewAllGather, 0, label, |ongoing| {
            let part = part.read();
            let parts = schedules::all_gather(ongoing, place, message(part)?)?;
            self.joined(label, part, &parts).map(|(whole, _)| whole)
        })
    }

    /// Copies the rows from `cuts[r]` to `cuts[r + 1]` of rank `root`'s View into the View of each rank r, in any memory and layout.
    ///
    /// All ranks give the same cuts, one more than there are ranks, from 0 to the number of rows. The Views have one type and the same extents
    /// but for the first. On ranks other than `root`, `whole` does not matter: a View without rows will do.
    ///
    /// # Errors
    /// If `root` is not a rank, the cuts do not ascend from 0 to the rows of `whole`, a View does not have its rows, the type or an extent differs
    /// (the error names both ranks), a rank makes another call (with other cuts, too), or a transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages in log2 P steps (binomial tree).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let parts = InProcess::new(2).run(|ranks| {
    ///     let cuts = [0, 2, 5];
    ///     let whole = View::from_fn("whole", [if ranks.rank() == 0 { 5 } else { 0 }], |[i]| i * i)?;
    ///     let mut part = View::zeros("part", [cuts[ranks.rank() + 1] - cuts[ranks.rank()]])?;
    ///     ranks.scatter_view("rows", 0, &cuts, &whole, &mut part)?;
    ///     Ok::<Vec<usize>, spelt_core::Error>(part.to_vec())
    /// });
    /// assert_eq!(parts[1].as_ref().expect("no error"), &[4, 9, 16]);
    /// ```
    pub fn scatter_view<T, const R: usize, M, N, L, K>(
        &self,
        label: &str,
        root: usize,
        cuts: &[usize],
        whole: &impl ReadView<T, R, M, L>,
        part: &mut impl WriteView<T, R, N, K>,
    ) -> Result<()>
    where
        T: Element + Portable,
        M: MemorySpace,
        N: MemorySpace,
        L: Layout,
        K: Layout,
    {
        const { assert!(R > 0, "a View of rank 0 has no rows") };
        self.check_rank(root, "root", label)?;
        let rows = self.check_cuts(label, cuts)?;
        let (rank, tree) = (self.rank(), Tree::new(self, root));
        let (whole, part) = (whole.read(), part.write());
        check_rows(label, rank, cuts[rank + 1] - cuts[rank], part.view())?;
        if rank == root {
            check_rows(label, rank, rows, whole)?;
        }
        let detail = Hash::default().numbers([root]).numbers(cuts.iter().copied()).0 as usize;
        let between = Between { label, from: root, to: rank };
        self.collective(Kind::ViewScatter, detail, label, |ongoing| {
            let parts = if rank == root { cut(whole, cuts)? } else { Vec::new() };
            let bytes = schedules::scatter(ongoing, tree, parts)?;
            let mut bytes = &bytes[..];
            between.same_shape(&mut bytes, &Shape::of::<T>(&part.extents()))?;
            write_elements(part, |to| between.elements(to, &mut bytes))?;
            between.end(bytes)
        })
    }

    /// Sends the rows from `cuts[r]` to `cuts[r + 1]` of this rank's View to each rank r, and returns the rows for this rank, in the order of
    /// the ranks, with their cuts: rank r sent the rows from `cuts[r]` to `cuts[r + 1]`.
    ///
    /// The cuts, one more than there are ranks, ascend from 0 to the number of rows; each rank has its own. The Views have one type and the same
    /// extents but for the first.
    ///
    /// # Errors
    /// If the cuts do not, the type or an extent differs (the error names both ranks), there is no memory, a rank makes another call, or a
    /// transfer fails.
    ///
    /// # Complexity
    /// P - 1 messages for each of P ranks, which carry nothing but their receiver's rows.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// use spelt_mpi::InProcess;
    /// let received = InProcess::new(2).run(|ranks| {
    ///     let rows = View::from_fn("rows", [3], |[i]| 10 * ranks.rank() + i)?;
    ///     ranks.all_to_all_view("sort", &rows, &[0, 1 + ranks.rank(), 3])
    /// });
    /// let (rows, cuts) = received[1].as_ref().expect("no error");
    /// assert_eq!((rows.to_vec(), &cuts[..]), (vec![1, 2, 12], &[0, 2, 3][..]));
    /// ```
    pub fn all_to_all_view<T, const R: usize, M, L>(
        &self,
        label: &str,
        rows: &impl ReadView<T, R, M, L>,
        cuts: &[usize],
    ) -> Result<(View<T, R>, Vec<usize>)>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        const { assert!(R > 0, "a View of rank 0 has no rows") };
        let (all, rows, place) = (self.check_cuts(label, cuts)?, rows.read(), [self.rank(), self.size()]);
        check_rows(label, self.rank(), all, rows)?;
        self.collective(Kind::ViewAllToAll, 0, label, |ongoing| {
            let parts = schedules::all_to_all(ongoing, place, cut(rows, cuts)?)?;
            self.joined(label, rows, &parts)
        })
    }

    /// The rows of the messages of all ranks as one View, and their cuts. Type and further extents are those of `own`.
    fn joined<T, const R: usize, M, L>(
        &self,
        label: &str,
        own: ViewRef<'_, T, R, M, L>,
        messages: &[Vec<u8>],
    ) -> Result<(View<T, R>, Vec<usize>)>
    where
        T: Element + Portable,
        M: MemorySpace,
        L: Layout,
    {
        const { assert!(R > 0, "a View of rank 0 has no rows") };
        let expected = Shape::of::<T>(&own.extents());
        let (mut cuts, mut rests) = (vec![0_usize], Vec::new());
        for (from, message) in messages.iter().enumerate() {
            let (mut rest, between) = (&message[..], Between { label, from, to: self.rank() });
            let rows = between.same_rows(&mut rest, &expected)?;
            cuts.push(cuts[from].saturating_add(rows));
            rests.push((between, rest));
        }
        let mut extents = own.extents();
        extents[0] = cuts[messages.len()];
        let mut whole = View::<T, R, HostSpace>::zeros(own.label(), extents)?;
        let row = extents[1..].iter().product::<usize>();
        let mut places = whole.as_mut_slice().expect("a View that owns its memory is dense");
        for (rank, (between, mut rest)) in rests.into_iter().enumerate() {
            let (to, others) = places.split_at_mut((cuts[rank + 1] - cuts[rank]) * row);
            between.elements(to, &mut rest)?;
            between.end(rest)?;
            places = others;
        }
        Ok((whole, cuts))
    }
}

/// A message with the rows between two cuts, for each rank.
fn cut<T, const R: usize, M, L>(view: ViewRef<'_, T, R, M, L>, cuts: &[usize]) -> Result<Vec<Vec<u8>>>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    cuts.windows(2).map(|cuts| message(view.split_at(0, cuts[1]).0.split_at(0, cuts[0]).1)).collect()
}

/// An error if the View does not have this number of rows.
pub(crate) fn check_rows<T, const R: usize, M, L>(
    label: &str,
    rank: usize,
    rows: usize,
    view: ViewRef<'_, T, R, M, L>,
) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if view.extents().first() == Some(&rows) {
        return Ok(());
    }
    let message = format!(
        "`{label}`: View `{}` on rank {rank} has the extents {:?}: its first one must be {rows}",
        view.label(),
        view.extents()
    );
    Err(Error::new(ErrorKind::Extents, message))
}
