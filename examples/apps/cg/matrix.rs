//! The matrix, in compressed rows: assembled by kernels, each row by one iteration.

use spelt::prelude::*;
use spelt::{MemorySpace, Offsets, Result};

/// A sparse matrix in compressed rows (CSR).
pub(crate) struct Matrix<M: MemorySpace> {
    /// Where each row begins in the other two.
    pub(crate) offsets: Offsets<M>,
    /// The column of each element, rising in each row.
    pub(crate) columns: View<u32, 1, M>,
    pub(crate) values: View<f64, 1, M>,
}

impl<M: MemorySpace> Matrix<M> {
    /// The 27-point operator on a cube of `size` cells along each side: 26 on the diagonal, and -1 for each cell that touches the
    /// row's. It is symmetric and positive definite, since cells at the border have fewer neighbours.
    pub(crate) fn of_cube<S: ExecutionSpace<Memory = M>>(space: &S, size: usize) -> Result<Self> {
        let rows = size.pow(3);
        let mut offsets = space.zeros::<usize, 1>("offsets", [rows + 1])?;
        let count = parallel_scan(
            "offsets",
            space.range(0..rows + 1),
            &mut offsets,
            move |i, before, last, mut offsets| {
                if last {
                    offsets[i] = *before;
                }
                if i.get() < rows {
                    *before += neighbours(size, i.get());
                }
            },
            Sum::<usize>::new(),
        )?;
        let offsets = Offsets::new(offsets)?;
        let mut columns = space.zeros::<u32, 1>("columns", [count])?;
        let mut values = space.zeros::<f64, 1>("values", [count])?;
        let rows_of = (columns.by_segments_mut(&offsets), values.by_segments_mut(&offsets));
        parallel_for("assemble", space.range(0..rows), rows_of, move |row, (mut columns, mut values)| {
            let [x, y, z] = cell(size, row.get());
            let (columns, values) = (&mut columns[row], &mut values[row]);
            let mut next = 0;
            for z in near(size, z) {
                for y in near(size, y) {
                    for x in near(size, x) {
                        let column = (z * size + y) * size + x;
                        columns[next] = column as u32;
                        values[next] = if column == row.get() { 26.0 } else { -1.0 };
                        next += 1;
                    }
                }
            }
        })?;
        Ok(Self { offsets, columns, values })
    }

    pub(crate) fn rows(&self) -> usize {
        self.offsets.segments()
    }

    pub(crate) fn nonzeros(&self) -> usize {
        self.offsets.end()
    }
}

/// The place of a cell.
fn cell(size: usize, row: usize) -> [usize; 3] {
    [row % size, row / size % size, row / (size * size)]
}

/// The neighbours of a place along one axis, itself included.
fn near(size: usize, place: usize) -> core::ops::Range<usize> {
    place.saturating_sub(1)..(place + 2).min(size)
}

/// The number of elements of a row.
fn neighbours(size: usize, row: usize) -> usize {
    let [x, y, z] = cell(size, row);
    near(size, x).len() * near(size, y).len() * near(size, z).len()
}
