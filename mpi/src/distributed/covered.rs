//! Whether a distributed View covers the indices of a local launch: as its description says, without making it. A launch over all ranks consists of
//! up to twenty local ones.

use core::ops::Range;

use spelt_core::{Element, HaloShape, MemorySpace};

use super::view::DistributedView;

impl<T: Element, const R: usize, M: MemorySpace> DistributedView<T, R, M> {
    /// Whether the own rows are those of a box of this rank or of another one, as [`description`](Self::description) says.
    #[inline]
    pub(super) fn covers(&self, lower: &[usize], upper: &[usize]) -> bool {
        lower.len() != R || self.covers_rows(lower, upper) && (1..R).all(|d| upper[d] <= self.held.extents[d])
    }

    /// Whether the rows of a box are own ones.
    #[inline]
    pub(super) fn covers_rows(&self, lower: &[usize], upper: &[usize]) -> bool {
        let own = self.own_rows();
        own.start <= lower[0] && upper[0] <= own.end
    }

    /// As [`covers`](Self::covers), of a halo and [`halo_description`](Self::halo_description).
    #[inline]
    pub(super) fn halo_covers<W: HaloShape<R>>(&self, lower: &[usize], upper: &[usize]) -> bool {
        if lower.len() != R {
            return true;
        }
        let (first, rows) = (self.own_rows().start, self.halo_rows::<W>());
        let is_inside = |dimension: usize| {
            let end = self.held.extents[dimension].saturating_sub(W::UPPER[dimension]);
            W::LOWER[dimension] <= lower[dimension] && upper[dimension] <= end
        };
        first + rows.start <= lower[0] && upper[0] <= first + rows.end && (1..R).all(is_inside)
    }

    /// The own rows whose places at each offset are own ones, or current copies of others, counted from the first own row, as the extents of
    /// descriptions are.
    #[inline]
    pub(super) fn halo_rows<W: HaloShape<R>>(&self) -> Range<usize> {
        let own = self.places();
        let current = self.held.ghosts(self.held.current);
        let valid = own.start - current[0]..own.end + current[1];
        let first = (valid.start + W::LOWER[0]).max(own.start);
        let end = valid.end.saturating_sub(W::UPPER[0]).min(own.end);
        first - own.start..end.saturating_sub(own.start)
    }
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use spelt_core::{Between, Description, KernelArg, Result, Serial};

    use crate::{InProcess, Mpi};

    /// All intervals that begin and end around these rows or columns, the empty ones too.
    fn intervals(around: Range<usize>) -> Vec<Range<usize>> {
        let ends =
            [0, around.start, around.start + 1, around.start + 2, around.end - 1, around.end, around.end + 1];
        ends.iter().flat_map(|start| ends.iter().map(move |end| *start..*end)).collect()
    }

    /// Compares the answers for boxes of ranks 1 to 3 with those of the description. Returns how many of each there were.
    fn compare<A: KernelArg>(argument: &A, rows: &Range<usize>) -> [usize; 2] {
        let mut answers = [0; 2];
        let mut ask = |lower: &[usize], upper: &[usize]| {
            let mut described = true;
            argument.describe(&mut |description: Description<'_>| {
                described &= description.covers_box(lower, upper)
            });
            assert_eq!(argument.covers_box(lower, upper), described, "{rows:?}: {lower:?} to {upper:?}");
            answers[usize::from(described)] += 1;
        };
        for row in intervals(rows.clone()) {
            ask(&[row.start], &[row.end]);
            for column in intervals(1..5) {
                ask(&[row.start, column.start], &[row.end, column.end]);
                ask(&[row.start, column.start, 1], &[row.end, column.end, 2]);
            }
        }
        answers
    }

    #[test]
    fn the_answer_is_that_of_the_description() {
        type Uneven = (Between<-2, 1>, Between<0, 3>);
        for periodic in [false, true] {
            let results = InProcess::new(3).run(|ranks| -> Result<()> {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.zeros::<f64, 2>("x", [12, 5])?;
                let mut line = space.zeros_on::<f64, 1>(x.partition(), "line", [12])?;
                if periodic {
                    (x, line) = (x.periodic(), line.periodic());
                }
                let rows = x.own_rows();
                for _ in 0..2 {
                    let mut answers =
                        vec![compare(&&x, &rows), compare(&&mut x, &rows), compare(&&line, &rows)];
                    answers.push(compare(&line.along::<0>(), &rows));
                    answers.push(compare(&x.by_rows(), &rows));
                    answers.push(compare(&x.by_rows_mut(), &rows));
                    answers.push(compare(&x.halo_of::<Uneven>(), &rows));
                    answers.push(compare(&line.halo::<1>(), &rows));
                    assert!(answers.iter().flatten().all(|count| *count > 0), "{answers:?}");
                    // The second time, rows of other ranks are there.
                    space.exchange("ghosts", (x.halo_of::<Uneven>(), line.halo::<1>()))?;
                }
                Ok(())
            });
            assert!(results.iter().all(Result::is_ok), "{results:?}");
        }
    }
}
