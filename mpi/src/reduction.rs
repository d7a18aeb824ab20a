//! One reduction over the iterations of all ranks, with the bits of one process.

use core::ops::Range;

use spelt_core::reducers::Reducer;
use spelt_core::{Error, ErrorKind, Part, Portable, Result};

use crate::communicator::Communicator;
use crate::schedules::{Tree, broadcast, reduce};
use crate::share::own_part;
use crate::wire::{Hash, Kind};

impl Communicator {
    /// Reduces the iterations 0 to n, of which rank r makes those from `cuts[r]` to `cuts[r + 1]`, and returns the result on all ranks.
    ///
    /// All ranks give the same cuts, one more than there are ranks, from 0 to n. Shares may be empty and end anywhere. The result has the
    /// bits of one launch of n iterations, for any number of ranks, any cuts and any spaces.
    ///
    /// `extend` appends iterations to a part by [`Part::reduce`], [`Part::map_reduce`] or their forms for iterations. It gets the part and the
    /// iterations, at most twice: first those from this rank's first whole tile on, then the ones before them, which continue
    /// the tile that the rank on the left has begun.
    ///
    /// # Errors
    /// If `extend` returns one or appends other iterations, the cuts are not ascending from 0, a rank makes another call (with other cuts, too),
    /// or a transfer fails.
    ///
    /// # Complexity
    /// 2 (P - 1) messages of O(log n) values in 2 log2 P steps, and a message of one tile's lanes for each share that ends inside a tile.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce, reducers::Sum};
    /// use spelt_mpi::InProcess;
    /// let (n, term) = (10_000, |i: usize| 1.0 / (i + 1) as f64);
    /// let whole = parallel_map_reduce("sum", Serial::new().range(0..n), (), |i, ()| term(i.get()), Sum::<f64>::new())?;
    /// let sums = InProcess::new(3).run(|ranks| {
    ///     ranks.all_reduce_part("sum", &[0, 3333, 5001, n], Sum::<f64>::new(), |part, iterations| {
    ///         part.map_reduce("sum", Serial::new().range(iterations), (), |i, ()| term(i.get()))
    ///     })
    /// });
    /// for sum in sums {
    ///     assert_eq!(sum?.to_bits(), whole.to_bits());
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn all_reduce_part<R>(
        &self,
        label: &str,
        cuts: &[usize],
        reducer: R,
        extend: impl FnMut(&mut Part<R>, Range<usize>) -> Result<()>,
    ) -> Result<R::Output>
    where
        R: Reducer + Clone,
        R::Value: Portable,
    {
        self.reduce_shares(label, cuts, hash_of_cuts(cuts), reducer, None, extend)
    }

    /// [`all_reduce_part`](Self::all_reduce_part) of which messages carry `detail`, on which all ranks must agree. `begun` has some of this rank's
    /// iterations, from the border of a tile on.
    pub(crate) fn reduce_shares<R>(
        &self,
        label: &str,
        cuts: &[usize],
        detail: usize,
        reducer: R,
        begun: Option<Part<R>>,
        extend: impl FnMut(&mut Part<R>, Range<usize>) -> Result<()>,
    ) -> Result<R::Output>
    where
        R: Reducer + Clone,
        R::Value: Portable,
    {
        let n = self.check_cuts(label, cuts)?;
        let tree = Tree::new(self, 0);
        self.collective(Kind::ReducePart, detail, label, |ongoing| {
            let own = cuts[self.rank()]..cuts[self.rank() + 1];
            let part = own_part(ongoing, self.rank(), n, own, &reducer, begun, extend)?.whole;
            let merged = reduce(ongoing, tree, part.to_bytes(), |left, right| {
                let mut part = Part::from_bytes(left, reducer.clone())?;
                part.merge(Part::from_bytes(right, reducer.clone())?)?;
                Ok(part.to_bytes())
            })?;
            let all = broadcast(ongoing, tree, merged.unwrap_or_default())?;
            Part::from_bytes(&all, reducer.clone())?.finish()
        })
    }

    /// The last cut.
    pub(crate) fn check_cuts(&self, label: &str, cuts: &[usize]) -> Result<usize> {
        if let (true, true, [0, .., n]) = (cuts.len() == self.size() + 1, cuts.is_sorted(), cuts) {
            return Ok(*n);
        }
        let message = format!(
            "`{label}`: the cuts are {cuts:?}: give one more than the {} ranks, ascending from 0 to the number of all",
            self.size()
        );
        Err(Error::new(ErrorKind::Extents, message))
    }
}

/// A number that ranks with other cuts hardly have.
pub(crate) fn hash_of_cuts(cuts: &[usize]) -> usize {
    Hash::default().numbers(cuts.iter().copied()).0 as usize
}
