//! Incomplete factors L and U of a sparse matrix, ILU(k) (Y. Saad, Iterative methods for sparse linear systems, 2003, section 10.3), by
//! levels of rows that do not need each other.

use std::collections::BTreeMap;
use std::ops::Range;

use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::{Error, ErrorKind, MemorySpace, Result};

use super::Matrix;

/// L, with ones on its diagonal that are not kept, and U. Each row has its elements of both, by ascending columns; the rows are stored level
/// by level, so that a kernel writes the part of a level and reads what is before it.
pub(crate) struct Factors<M: MemorySpace> {
    pub(crate) matrix: Matrix<M>,
    /// Where the element of the diagonal is in the row at each place.
    pub(crate) diagonals: View<u32, 1, M>,
    /// The row at each place.
    pub(crate) rows: View<u32, 1, M>,
    /// The place of each row.
    pub(crate) places: View<u32, 1, M>,
    /// The places of rows that are computed at the same time, from those of the levels before.
    pub(crate) levels: Vec<Range<usize>>,
}

/// The columns of each row of the factors, with their levels of fill: 0 for an element of the matrix, and the sum of two levels and 1 where
/// an elimination makes an element of two others. Only those up to `most` are kept.
pub(crate) fn fill_levels(columns: &Csr<u32>, most: usize) -> Vec<BTreeMap<u32, usize>> {
    let mut done: Vec<BTreeMap<u32, usize>> = Vec::new();
    for i in 0..columns.rows() as u32 {
        let mut row: BTreeMap<u32, usize> = columns.row(i as usize).iter().map(|&j| (j, 0)).collect();
        row.insert(i, 0);
        let mut next = 0;
        while let Some((k, of_k)) = row.range(next..i).next().map(|(&k, &level)| (k, level)) {
            for (&j, &of_j) in done[k as usize].range(k + 1..) {
                let level = of_k.saturating_add(of_j).saturating_add(1);
                if level <= most {
                    row.entry(j).and_modify(|old| *old = level.min(*old)).or_insert(level);
                }
            }
            next = k + 1;
        }
        done.push(row);
    }
    done
}

impl<M: MemorySpace> Factors<M> {
    /// The symbolic phase, on the host: the elements of the factors and the levels of rows. The values are 0.
    ///
    /// The matrix must have an element in row j and column i for each in row i and column j, so that both L and U can be solved by
    /// these levels.
    pub(crate) fn symbolic<S: ExecutionSpace<Memory = M>>(
        space: &S,
        columns: &Csr<u32>,
        fill: usize,
    ) -> Result<Self> {
        let filled = fill_levels(columns, fill);
        let mut depths: Vec<usize> = Vec::new();
        for (i, row) in (0..).zip(&filled) {
            if let Some((j, _)) = row.range(i..).find(|(j, _)| !filled[**j as usize].contains_key(&i)) {
                let message = format!(
                    "row {i} has an element in column {j}, but row {j} has none in column {i}: add it, of value 0"
                );
                return Err(Error::new(ErrorKind::Format, message));
            }
            depths.push(row.range(..i).map(|(&k, _)| depths[k as usize] + 1).max().unwrap_or(0));
        }
        let mut rows: Vec<u32> = (0..filled.len() as u32).collect();
        rows.sort_by_key(|row| depths[*row as usize]);
        let mut places = vec![0; rows.len()];
        for (place, row) in (0..).zip(&rows) {
            places[*row as usize] = place;
        }
        let diagonals: Vec<u32> =
            rows.iter().map(|row| filled[*row as usize].range(..row).count() as u32).collect();
        let mut levels = Vec::new();
        let mut first = 0;
        for level in rows.chunk_by(|a, b| depths[*a as usize] == depths[*b as usize]) {
            levels.push(first..first + level.len());
            first += level.len();
        }
        let columns = rows.iter().map(|row| filled[*row as usize].keys().copied());
        let columns = Csr::from_rows(space, "factors", columns)?;
        let values = space.zeros("values", [columns.len()])?;
        Ok(Self {
            matrix: Matrix { columns, values },
            diagonals: to_space(space, "diagonals", diagonals)?,
            rows: to_space(space, "rows", rows)?,
            places: to_space(space, "places", places)?,
            levels,
        })
    }

    /// The numeric phase: the values of the factors of `a`, a kernel for each level.
    pub(crate) fn numeric<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, a: &Matrix<M>) -> Result<()> {
        let Matrix { columns, values } = &mut self.matrix;
        for level in &self.levels {
            let args = (
                (a.columns.by_rows(), a.values.by_segments(a.columns.offsets())),
                (columns.by_rows(), self.diagonals.lookup()),
                (&self.rows, self.places.lookup()),
                values.by_segments_mut(columns.offsets()).only(level.clone()),
            );
            parallel_for(
                "iluk numeric",
                space.range(level.clone()),
                args,
                move |i, (a, (columns, diagonals), (rows, places), (mut own, done))| {
                    let row = rows[i] as usize;
                    let (to, own) = (&columns[i], &mut own[i]);
                    own.fill(0.0);
                    let from = a.0.get(row).unwrap_or_default().iter().zip(a.1.get(row).unwrap_or_default());
                    for (column, value) in from {
                        if let Ok(at) = to.binary_search(column) {
                            own[at] = *value;
                        }
                    }
                    for at in 0..diagonals[i.get()] as usize {
                        let other = places[to[at]] as usize;
                        let diagonal = diagonals[other] as usize;
                        let from = columns.get(other).unwrap_or_default();
                        let values = done.get(other).unwrap_or_default();
                        let factor = own[at] / values[diagonal];
                        own[at] = factor;
                        for (column, value) in from.iter().zip(values).skip(diagonal + 1) {
                            if let Ok(to) = to.binary_search(column) {
                                own[to] -= factor * value;
                            }
                        }
                    }
                },
            )?;
        }
        Ok(())
    }

    /// The number of elements of L and of U, the diagonal in both.
    pub(crate) fn nonzeros(&self) -> Result<[usize; 2]> {
        let lower: usize = self.diagonals.to_host()?.iter().map(|before| *before as usize + 1).sum();
        Ok([lower, self.matrix.columns.len() + self.matrix.rows() - lower])
    }

    /// The sum of |L U - A| over the elements that `a` has: some roundings, since what is left out lies elsewhere.
    pub(crate) fn difference<S: ExecutionSpace<Memory = M>>(&self, space: &S, a: &Matrix<M>) -> Result<f64> {
        let Matrix { columns, values } = &self.matrix;
        let args = (
            (a.columns.by_rows(), a.values.by_segments(a.columns.offsets())),
            (columns.by_rows(), values.by_segments(columns.offsets())),
            (self.diagonals.lookup(), self.places.lookup()),
        );
        parallel_map_reduce(
            "difference",
            space.range(0..a.rows()),
            args,
            move |i, (a, factors, (diagonals, places))| {
                let place = places[i.get()] as usize;
                let columns = factors.0.get(place).unwrap_or_default();
                let values = factors.1.get(place).unwrap_or_default();
                let diagonal = diagonals[place] as usize;
                let mut sum = 0.0;
                for (j, wanted) in a.0[i].iter().zip(a.1[i].iter()) {
                    let mut product = 0.0_f64;
                    for at in 0..=diagonal {
                        let other = places[columns[at]] as usize;
                        let row = factors.0.get(other).unwrap_or_default();
                        if let Ok(found) = row.binary_search(j)
                            && found >= diagonals[other] as usize
                        {
                            let upper = factors.1.get(other).unwrap_or_default()[found];
                            product += if at == diagonal { upper } else { values[at] * upper };
                        }
                    }
                    sum += (product - wanted).abs();
                }
                sum
            },
            Sum::<f64>::new(),
        )
    }
}

fn to_space<T: Element, S: ExecutionSpace>(
    space: &S,
    label: &str,
    list: Vec<T>,
) -> Result<View<T, 1, S::Memory>> {
    View::from_vec(label, [list.len()], list)?.to_space(space)
}
