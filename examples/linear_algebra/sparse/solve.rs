//! Products with incomplete factors, and solutions of their triangular systems, level by level.

use spelt::algorithms::gather;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::{Factors, Matrix};

impl<M: MemorySpace> Factors<M> {
    /// Writes U x into `upper`, and L U x into `both`.
    pub(crate) fn times<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        x: &View<f64, 1, M>,
        upper: &mut View<f64, 1, M>,
        both: &mut View<f64, 1, M>,
    ) -> Result<()> {
        let Matrix { columns, values } = &self.matrix;
        let rows = || space.range(0..columns.rows());
        let matrix = || (columns.by_rows(), values.by_segments(columns.offsets()));
        let places = || (self.places.lookup(), self.diagonals.lookup());
        let args = (matrix(), places(), x.lookup(), &mut *upper);
        parallel_for("U x", rows(), args, move |i, ((columns, values), (places, diagonals), x, mut y)| {
            let place = places[i.get()] as usize;
            let row =
                columns.get(place).unwrap_or_default().iter().zip(values.get(place).unwrap_or_default());
            y[i] = row.skip(diagonals[place] as usize).map(|(&j, value)| value * x[j]).sum();
        })?;
        let args = (matrix(), places(), &*upper, both);
        parallel_for("L U x", rows(), args, move |i, ((columns, values), (places, diagonals), x, mut y)| {
            let place = places[i.get()] as usize;
            let row =
                columns.get(place).unwrap_or_default().iter().zip(values.get(place).unwrap_or_default());
            let below: f64 = row.take(diagonals[place] as usize).map(|(&j, value)| value * x[j]).sum();
            y[i] = below + x[i];
        })
    }

    /// Writes the solution of L U z = r into `z`. `work` has the length of both.
    pub(crate) fn solve<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        r: &View<f64, 1, M>,
        work: &mut View<f64, 1, M>,
        z: &mut View<f64, 1, M>,
    ) -> Result<()> {
        self.solve_lower(space, r, work)?;
        self.solve_upper(space, work)?;
        gather(space, work, &self.places, z)
    }

    /// Writes the solution of L y = r into `y`, whose elements are in the order of the levels.
    fn solve_lower<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        r: &View<f64, 1, M>,
        y: &mut View<f64, 1, M>,
    ) -> Result<()> {
        let Matrix { columns, values } = &self.matrix;
        for level in &self.levels {
            let (done, rest) = y.view_mut().split_outer_at(level.start);
            let (own, _) = rest.split_outer_at(level.len());
            let mut own = own.with_origin([level.start as isize])?;
            let args = (
                (columns.by_rows(), values.by_segments(columns.offsets()), &self.diagonals),
                (&self.rows, self.places.lookup()),
                (r.lookup(), done.lookup(), &mut own),
            );
            parallel_for(
                "solve L",
                space.range(level.clone()),
                args,
                move |i, ((columns, values, diagonals), (rows, places), (r, done, mut own))| {
                    let mut rest = r[rows[i]];
                    for at in 0..diagonals[i] as usize {
                        rest -= values[i][at] * done[places[columns[i][at]]];
                    }
                    own[i] = rest;
                },
            )?;
        }
        Ok(())
    }

    /// Replaces y by the solution of U z = y, both in the order of the levels, from the last one to the first.
    fn solve_upper<S: ExecutionSpace<Memory = M>>(&self, space: &S, y: &mut View<f64, 1, M>) -> Result<()> {
        let Matrix { columns, values } = &self.matrix;
        for level in self.levels.iter().rev() {
            let (rest, done) = y.view_mut().split_outer_at(level.end);
            let (_, own) = rest.split_outer_at(level.start);
            let mut own = own.with_origin([level.start as isize])?;
            let done = done.with_origin([level.end as isize])?;
            let args = (
                (columns.by_rows(), values.by_segments(columns.offsets()), &self.diagonals),
                (self.places.lookup(), done.lookup(), &mut own),
            );
            parallel_for(
                "solve U",
                space.range(level.clone()),
                args,
                move |i, ((columns, values, diagonals), (places, done, mut own))| {
                    let diagonal = diagonals[i] as usize;
                    let mut rest = own[i];
                    for at in diagonal + 1..columns[i].len() {
                        rest -= values[i][at] * done[places[columns[i][at]]];
                    }
                    own[i] = rest / values[i][diagonal];
                },
            )?;
        }
        Ok(())
    }
}
