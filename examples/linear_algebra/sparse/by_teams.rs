//! Incomplete factors and the solutions of their triangular systems by teams, one for each row of a level: Kokkos Kernels'
//! `SEQLVLSCHD_TP1`.
#![allow(clippy::single_range_in_vec_init, reason = "ranges of elements: there is one dimension")]

use spelt::algorithms::gather;
use spelt::prelude::*;
use spelt::{MemorySpace, Result, TeamSize};

use super::{Factors, Matrix};

impl<M: MemorySpace> Factors<M> {
    /// The numeric phase by teams: each has its row in scratch memory, and its threads share the elements of the row. The same bits as
    /// [`numeric`](Factors::numeric), since each element is changed in the same order.
    pub(crate) fn numeric_by_teams<S: ExecutionSpace<Memory = M>>(
        &mut self,
        space: &S,
        a: &Matrix<M>,
        size: TeamSize,
    ) -> Result<()> {
        let bytes = self.longest_row()? * size_of::<f64>();
        let Matrix { columns, values } = &mut self.matrix;
        for level in &self.levels {
            let args = (
                (a.columns.by_rows(), a.values.by_segments(a.columns.offsets())),
                (columns.by_rows(), self.diagonals.lookup()),
                (self.rows.lookup(), self.places.lookup()),
                values.by_segments_mut(columns.offsets()).only(level.clone()).nested(),
            );
            parallel_for(
                "iluk numeric",
                space.team(columns.rows(), size).of_ranks(level.clone()).scratch(bytes, 0),
                args,
                move |team, (a, (columns, diagonals), (rows, places), (mut own, done))| {
                    let place = team.league_rank();
                    let row = rows[place] as usize;
                    let to = columns.get(place).unwrap_or_default();
                    let (given, of_given) =
                        (a.0.get(row).unwrap_or_default(), a.1.get(row).unwrap_or_default());
                    let element =
                        |[at]: [usize; 1]| given.binary_search(&to[at]).map_or(0.0, |at| of_given[at]);
                    team.with_scratch_mut([to.len()], element, |team, mut values| {
                        for at in 0..diagonals[place] as usize {
                            let other = places[to[at]] as usize;
                            let diagonal = diagonals[other] as usize;
                            let from = columns.get(other).unwrap_or_default();
                            let of_other = done.get(other).unwrap_or_default();
                            values.write(team, at..at + 1, |_, factor, _| *factor /= of_other[diagonal]);
                            values.write(team, at + 1..to.len(), |[k], element, rest| {
                                if let Ok(found) = from.binary_search(&to[k]) {
                                    *element -= rest[at] * of_other[found];
                                }
                            });
                        }
                        team.parallel_for(team.thread_range(own.len()), |rj| own[rj] = values[rj.inner()]);
                    });
                },
            )?;
        }
        Ok(())
    }

    /// Writes the solution of L U z = r into `z`, by teams whose threads share the products of a row. `work` has the length of both.
    pub(crate) fn solve_by_teams<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        size: TeamSize,
        r: &View<f64, 1, M>,
        work: &mut View<f64, 1, M>,
        z: &mut View<f64, 1, M>,
    ) -> Result<()> {
        let Matrix { columns, values } = &self.matrix;
        let matrix = || (columns.by_rows().nested(), values.by_segments(columns.offsets()).nested());
        let lists = || (self.diagonals.lookup(), self.places.lookup());
        let teams = || space.team(columns.rows(), size);
        for level in &self.levels {
            // A block of one is an element.
            let args = (
                matrix(),
                lists(),
                (r.lookup(), self.rows.lookup()),
                work.by_blocks_mut(1).only(level.clone()),
            );
            parallel_for(
                "solve L",
                teams().of_ranks(level.clone()),
                args,
                move |team, ((columns, values), (diagonals, places), (r, rows), (mut own, done))| {
                    let place = team.league_rank();
                    let sum = team.parallel_map_reduce(
                        team.thread_range(diagonals[place] as usize),
                        |rj| values[rj] * element(done.get(places[columns[rj]])),
                        Sum::<f64>::new(),
                    );
                    team.single(|w| own[w].fill(r[rows[place]] - sum));
                },
            )?;
        }
        for level in self.levels.iter().rev() {
            let args = (matrix(), lists(), work.by_blocks_mut(1).only(level.clone()));
            parallel_for(
                "solve U",
                teams().of_ranks(level.clone()),
                args,
                move |team, ((columns, values), (diagonals, places), (mut own, done))| {
                    let diagonal = diagonals[team.league_rank()] as usize;
                    let sum = team.parallel_map_reduce(
                        team.thread_range(diagonal + 1..columns.len()),
                        |rj| values[rj] * element(done.get(places[columns[rj]])),
                        Sum::<f64>::new(),
                    );
                    team.single(|w| {
                        for element in &mut own[w] {
                            *element = (*element - sum) / values[diagonal];
                        }
                    });
                },
            )?;
        }
        gather(space, work, &self.places, z)
    }

    /// The number of elements of the longest row.
    fn longest_row(&self) -> Result<usize> {
        let offsets = self.matrix.columns.offsets().view().to_host()?;
        let offsets = offsets.to_vec();
        Ok(offsets.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0))
    }
}

/// The element of a block of one, which another level has: each row needs rows of such levels only.
#[inline(always)]
fn element(block: Option<&[f64]>) -> f64 {
    block.map_or(f64::NAN, |block| block[0])
}
