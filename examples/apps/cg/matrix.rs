//! The matrix, in compressed rows: each rank assembles its own by kernels, each row by one iteration.

use spelt::algorithms::{lower_bound, sort, unique};
use spelt::mpi::{Mpi, Partition};
use spelt::prelude::*;
use spelt::{MemorySpace, Offsets, Result};

/// A sparse matrix in compressed rows (CSR), whose rows are divided among ranks.
pub(crate) struct Matrix<M: MemorySpace> {
    pub(crate) partition: Partition,
    /// The number of elements of all ranks together.
    pub(crate) nonzeros: usize,
    /// Where each row of this rank begins in the next two.
    pub(crate) offsets: Offsets<M>,
    /// The place in `wanted` of each element's column, rising in each row.
    pub(crate) places: View<u32, 1, M>,
    pub(crate) values: View<f64, 1, M>,
    /// The columns in which the rows of this rank have elements, rising: other elements of a vector it does not read.
    pub(crate) wanted: Vec<usize>,
}

impl<M: MemorySpace> Matrix<M> {
    /// The 27-point operator on a cube of `size` cells along each side: 26 on the diagonal, and -1 for each cell that touches the
    /// row's. It is symmetric and positive definite, since cells at the border have fewer neighbours.
    pub(crate) fn of_cube<S>(space: &Mpi<'_, S>, size: usize) -> Result<Self>
    where
        S: ExecutionSpace<Memory = M> + 'static,
    {
        let partition = Partition::even(size.pow(3), space.ranks().size());
        let nonzeros = parallel_map_reduce(
            "nonzeros",
            space.range(0..partition.len()),
            (),
            move |row, ()| neighbours(size, row.get()),
            Sum::<usize>::new(),
        )?;
        let own = partition.rows(space.ranks().rank());
        let (local, first, rows) = (space.local(), own.start, own.len());
        let mut offsets = local.zeros::<usize, 1>("offsets", [rows + 1])?;
        let count = parallel_scan(
            "offsets",
            local.range(0..rows + 1),
            &mut offsets,
            move |i, before, last, mut offsets| {
                if last {
                    offsets[i] = *before;
                }
                if i.get() < rows {
                    *before += neighbours(size, first + i.get());
                }
            },
            Sum::<usize>::new(),
        )?;
        let offsets = Offsets::new(offsets)?;
        let mut columns = local.zeros::<u32, 1>("columns", [count])?;
        let mut values = local.zeros::<f64, 1>("values", [count])?;
        let rows_of = (columns.by_segments_mut(&offsets), values.by_segments_mut(&offsets));
        parallel_for("assemble", local.range(0..rows), rows_of, move |row, (mut columns, mut values)| {
            let [x, y, z] = cell(size, first + row.get());
            let (columns, values) = (&mut columns[row], &mut values[row]);
            let mut next = 0;
            for z in near(size, z) {
                for y in near(size, y) {
                    for x in near(size, x) {
                        let column = (z * size + y) * size + x;
                        columns[next] = column as u32;
                        values[next] = if column == first + row.get() { 26.0 } else { -1.0 };
                        next += 1;
                    }
                }
            }
        })?;
        let wanted = number(local, &mut columns)?;
        Ok(Self { partition, nonzeros, offsets, places: columns, values, wanted })
    }
}

/// Replaces columns by their places among the different ones, which it returns, rising.
fn number<S: ExecutionSpace>(space: &S, columns: &mut View<u32, 1, S::Memory>) -> Result<Vec<usize>> {
    let all = || space.range(0..columns.extent(0));
    let mut sorted = space.zeros::<u32, 1>("sorted", columns.extents())?;
    parallel_for("copy", all(), (&*columns, &mut sorted), move |i, (columns, mut sorted)| {
        sorted[i] = columns[i]
    })?;
    sort(space, &mut sorted)?;
    let wanted = unique(space, &sorted)?;
    let mut places = space.zeros::<usize, 1>("places", columns.extents())?;
    lower_bound(space, &wanted, &*columns, &mut places)?;
    let all = all();
    parallel_for("places", all, (&places, columns), move |i, (places, mut columns)| {
        columns[i] = places[i] as u32
    })?;
    Ok(wanted.to_host()?.iter().map(|column| *column as usize).collect())
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
