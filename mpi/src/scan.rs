//! One scan over the iterations of all ranks, with the bits of one process.

use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{Portable, Result, ScanPart};

use crate::communicator::Communicator;
use crate::reduction::hash_of_cuts;
use crate::schedules::{Tree, broadcast, exclusive_prefix};
use crate::share::{OwnPart, own_part};
use crate::wire::Kind;

/// The pass for which a rank extends a part of a scan; see [`Communicator::scan_part`].
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, reducers::Sum};
/// use spelt_mpi::{Communicator, Pass};
/// let (space, mut passes) = (Serial::new(), Vec::new());
/// let total = Communicator::alone().scan_part("scan", &[0, 10], Sum::<usize>::new(), |part, pass, iterations| {
///     passes.push(pass);
///     match pass {
///         Pass::Totals => part.add_totals("totals", space.range(iterations), (), |i, sum, _, ()| *sum += i.get()),
///         Pass::Values => part.scan("values", space.range(iterations), (), |i, sum, _, ()| *sum += i.get()),
///     }
/// })?;
/// assert_eq!((total, passes), (45, vec![Pass::Totals, Pass::Values]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The part gets the totals of iterations, by [`ScanPart::add_totals`] and the like.
    Totals,
    /// The part runs the iterations on the values before them, by [`ScanPart::scan`] and the like.
    Values,
}

impl Communicator {
    /// Scans the iterations 0 to n, of which rank r makes those from `cuts[r]` to `cuts[r + 1]`, and returns the total on all ranks.
    ///
    /// The cuts are those of [`all_reduce_part`](Self::all_reduce_part). All prefixes and the total have the bits of one launch of n iterations,
    /// for any number of ranks, any cuts and any spaces.
    ///
    /// `extend` appends iterations to a part: of its own share in at most two pieces for [`Pass::Totals`], and then all of them for
    /// [`Pass::Values`].
    ///
    /// # Errors
    /// If `extend` returns one or appends other iterations, the cuts are not ascending from 0, a rank makes another call (with other cuts, too),
    /// or a transfer fails.
    ///
    /// # Complexity
    /// At most P log2 P messages of O(log n) values in log2 P steps, a message for each share that ends inside a tile, and P - 1 messages
    /// with the total.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, View, reducers::Sum};
    /// use spelt_mpi::{InProcess, Pass};
    /// let lasts = InProcess::new(2).run(|ranks| {
    ///     let mut own = View::<u64, 1>::zeros("own", [50])?;
    ///     let space = Serial::new();
    ///     // Sums of integers are exact, so the share comes in one piece.
    ///     let total = ranks.scan_part("scan", &[0, 50, 100], Sum::<u64>::new(), |part, pass, iterations| match pass {
    ///         Pass::Totals => part.add_totals("totals", space.range(0..iterations.len()), (), |_, sum, _, ()| *sum += 1),
    ///         Pass::Values => part.scan("values", space.range(0..50), &mut own, |i, sum, last, mut own| {
    ///             *sum += 1;
    ///             if last {
    ///                 own[i] = *sum;
    ///             }
    ///         }),
    ///     })?;
    ///     Ok::<_, spelt_core::Error>((own[49], total))
    /// });
    /// assert_eq!(lasts.into_iter().map(Result::unwrap).collect::<Vec<_>>(), [(50, 100), (100, 100)]);
    /// ```
    pub fn scan_part<R>(
        &self,
        label: &str,
        cuts: &[usize],
        reducer: R,
        extend: impl FnMut(&mut ScanPart<R>, Pass, Range<usize>) -> Result<()>,
    ) -> Result<R::Output>
    where
        R: Reducer + Clone,
        R::Value: Portable,
    {
        self.scan_shares(label, cuts, hash_of_cuts(cuts), reducer, None, extend)
    }

    /// [`scan_part`](Self::scan_part) of which messages carry `detail`, on which all ranks must agree. `begun` has the totals of some of this
    /// rank's iterations, from the border of a tile on.
    pub(crate) fn scan_shares<R>(
        &self,
        label: &str,
        cuts: &[usize],
        detail: usize,
        reducer: R,
        begun: Option<ScanPart<R>>,
        mut extend: impl FnMut(&mut ScanPart<R>, Pass, Range<usize>) -> Result<()>,
    ) -> Result<R::Output>
    where
        R: Reducer + Clone,
        R::Value: Portable,
    {
        let n = self.check_cuts(label, cuts)?;
        let (rank, size) = (self.rank(), self.size());
        self.collective(Kind::Scan, detail, label, |ongoing| {
            let own = cuts[rank]..cuts[rank + 1];
            let read = |bytes: &[u8]| ScanPart::from_bytes(bytes, reducer.clone());
            let OwnPart { whole, head } = own_part(
                ongoing,
                rank,
                n,
                own.clone(),
                &reducer,
                begun,
                |part: &mut ScanPart<R>, iterations| extend(part, Pass::Totals, iterations),
            )?;
            let before = exclusive_prefix(ongoing, rank, size, whole.to_bytes(), |left, right| {
                let mut part = read(left)?;
                part.merge(read(right)?)?;
                Ok(part.to_bytes())
            })?;
            let mut part = match before {
                Some(bytes) => read(&bytes)?,
                None => ScanPart::new(n, reducer.clone()),
            };
            if let Some(head) = head {
                part.merge(read(&head)?)?;
            }
            if !own.is_empty() {
                extend(&mut part, Pass::Values, own)?;
            }
            let total = broadcast(ongoing, Tree::new(self, size - 1), part.to_bytes())?;
            read(&total)?.finish()
        })
    }
}
