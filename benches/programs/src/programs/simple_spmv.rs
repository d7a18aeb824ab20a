//! simpleSpmv: a sparse matrix times a vector, by the rows of its nonzero elements, and the same matrix with all of its elements.

use spelt::Offsets;
use spelt::prelude::*;
use spelt::simd::Simd;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "simple-spmv",
    hypothesis: "Rows of some 32 nonzero elements, in vectors of eight: one checked read of x for each, beside memory that is waited for: \
        ahead of C++, level with -ffast-math. Dense rows are reductions of vector code, as with -ffast-math.",
    size: "n of n * n",
    variants: &[
        Variant::new("CSR", &[1000, 300_000], race_of_sparse),
        Variant::new("dense", &[256, 4000], race_of_dense),
    ],
};

/// Nonzero elements of a row, in the mean.
const NONZERO: usize = 32;

/// A sparse matrix: the nonzero elements of each row, and their columns.
#[derive(Debug)]
pub struct Sparse<M: spelt::MemorySpace> {
    offsets: Offsets<M>,
    columns: View<u32, 1, M>,
    values: View<f32, 1, M>,
}

impl<M: spelt::MemorySpace> Sparse<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, n: usize) -> spelt::Result<Self> {
        // 33 elements, and 16 in each seventeenth row.
        let first = |row: usize| row * NONZERO + row % 17;
        let offsets = space.view_from_fn("offsets", [n + 1], move |[row]| first(row))?;
        let entries = first(n);
        Ok(Self {
            offsets: Offsets::new(offsets)?,
            columns: space.view_from_fn("columns", [entries], |[i]| (spread(i) * n as f64) as u32)?,
            values: space.view_from_fn("values", [entries], |[i]| spread(7 * i + 1) as f32)?,
        })
    }
}

/// Nonzero elements that are added at a time.
const LANES: usize = 8;

/// `y = A * x` for a sparse matrix: eight sums for each row, or one.
///
/// # Errors
/// If the extents differ.
pub fn sparse<const IN_VECTORS: bool, S: ExecutionSpace>(
    space: &S,
    matrix: &Sparse<S::Memory>,
    x: &View<f32, 1, S::Memory>,
    y: &mut View<f32, 1, S::Memory>,
) -> spelt::Result<()> {
    let Sparse { offsets, columns, values } = matrix;
    let args = (values.by_segments(offsets), columns.by_segments(offsets), x.lookup(), y);
    parallel_for("spmv", space.range(0..offsets.segments()), args, move |row, (values, columns, x, mut y)| {
        let (mut values, mut columns) = (&values[row], &columns[row]);
        let mut sum = 0.0;
        if IN_VECTORS {
            let (vectors, lists) = (values.as_chunks::<LANES>(), columns.as_chunks::<LANES>());
            let mut sums = Simd::<f32, LANES>::splat(0.0);
            for (vector, list) in vectors.0.iter().zip(lists.0) {
                sums += Simd::from_array(*vector) * Simd::from_fn(|lane| x[list[lane]]);
            }
            sum = sums.reduce_sum();
            (values, columns) = (vectors.1, lists.1);
        }
        for (value, &column) in values.iter().zip(columns) {
            sum += value * x[column];
        }
        y[row] = sum;
    })
}

/// `y = A * x` for a dense matrix.
///
/// # Errors
/// If the extents differ.
pub fn dense<S: ExecutionSpace>(
    space: &S,
    matrix: &View<f32, 2, S::Memory>,
    x: &View<f32, 1, S::Memory>,
    y: &mut View<f32, 1, S::Memory>,
) -> spelt::Result<()> {
    let [rows, columns] = matrix.extents();
    let args = (matrix, x.along::<1>(), y);
    parallel_for("dense", space.team(rows, AUTO), args, move |team, (matrix, x, mut y)| {
        let all = team.thread_range(columns);
        let sum = team.parallel_map_reduce(all, |rj| matrix[rj] * x[rj], Sum::<f32>::new());
        team.single(|row| y[row] = sum);
    })
}

/// The same by an iteration for each row, which is a slice.
///
/// # Errors
/// If the extents differ.
pub fn dense_by_rows<S: ExecutionSpace>(
    space: &S,
    matrix: &View<f32, 2, S::Memory>,
    x: &View<f32, 1, S::Memory>,
    y: &mut View<f32, 1, S::Memory>,
) -> spelt::Result<()> {
    let args = (matrix.by_rows(), x.lookup(), y);
    parallel_for("dense", space.range(0..matrix.extent(0)), args, move |row, (matrix, x, mut y)| {
        let matrix = &matrix[row];
        y[row] = serial_map_reduce(matrix.len(), |j| matrix[j] * x[j], Sum::<f32>::new());
    })
}

/// A product by loops, in `f64`: `entries` visits the columns and elements of a row.
fn plain(n: usize, x: &[f32], entries: impl Fn(usize) -> Vec<(usize, f32)>) -> Vec<f32> {
    let product = |(column, value): (usize, f32)| f64::from(value) * f64::from(x[column]);
    (0..n).map(|row| entries(row).into_iter().map(product).sum::<f64>() as f32).collect()
}

fn plain_sparse(matrix: &Sparse<spelt::HostSpace>, x: &[f32]) -> Vec<f32> {
    let offsets = matrix.offsets.view();
    plain(matrix.offsets.segments(), x, |row| {
        let entries = offsets[row]..offsets[row + 1];
        entries.map(|entry| (matrix.columns[entry] as usize, matrix.values[entry])).collect()
    })
}

fn plain_dense(matrix: &View<f32, 2>, x: &[f32]) -> Vec<f32> {
    let row = |row: &[f32]| row.iter().copied().enumerate().collect();
    plain(x.len(), x, |i| row(&slice(matrix)[i * x.len()..(i + 1) * x.len()]))
}

fn element([i, j]: [usize; 2]) -> f32 {
    spread(i * 1009 + j) as f32
}

fn vector([i]: [usize; 1]) -> f32 {
    spread(3 * i + 2) as f32
}

/// Compares small products with the plain ones.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 50;
    let x = space.view_from_fn("x", [n], vector).map_err(told)?;
    let mut y = space.zeros("y", [n]).map_err(told)?;
    sparse::<false, _>(space, &Sparse::new(space, n).map_err(told)?, &x, &mut y).map_err(told)?;
    let x_on_host = x.to_host().map_err(told)?;
    let expected = plain_sparse(&Sparse::new(&Serial::new(), n).map_err(told)?, slice(&x_on_host));
    near("sparse y", slice(&y.to_host().map_err(told)?), &expected, 1e-5)?;
    sparse::<true, _>(space, &Sparse::new(space, n).map_err(told)?, &x, &mut y).map_err(told)?;
    near("sparse y in vectors", slice(&y.to_host().map_err(told)?), &expected, 1e-5)?;
    let matrix = space.view_from_fn("matrix", [n, n], element).map_err(told)?;
    dense(space, &matrix, &x, &mut y).map_err(told)?;
    let expected = plain_dense(&matrix.to_host().map_err(told)?, slice(&x_on_host));
    near("dense y", slice(&y.to_host().map_err(told)?), &expected, 1e-5)?;
    dense_by_rows(space, &matrix, &x, &mut y).map_err(told)?;
    near("dense y by rows", slice(&y.to_host().map_err(told)?), &expected, 1e-5)
}

fn race_of_sparse(setup: &Setup, n: usize) -> Made {
    let matrix = Sparse::new(&setup.space, n).map_err(told)?;
    let entries = matrix.values.len();
    let data = (matrix, setup.view("x", [n], vector)?, setup.view("y", [n], |_| 0.0)?);
    let lineup = setup.race(
        data,
        Work { bytes: 8 * entries + 16 * n, elements: entries },
        |space, (matrix, x, y)| sparse::<true, _>(space, matrix, x, y),
        source!("sparse" of "simple_spmv"),
        move |peer, (matrix, x, y)| {
            let offsets = matrix.offsets.view();
            let offsets = offsets.as_slice().expect("offsets are dense");
            let arrays = [
                read(offsets),
                read(slice(&matrix.columns)),
                read(slice(&matrix.values)),
                read(slice(x)),
                out(slice_mut(y)),
            ];
            // SAFETY: the source reads n + 1 offsets, the elements between them and n floats, and writes n floats.
            unsafe { peer.call(&arrays, &[n]) };
        },
        |(matrix, x, y)| near("y", slice(y), &plain_sparse(matrix, slice(x)), 1e-5),
    )?;
    let space = setup.space.clone();
    let lineup = lineup.with("Spelt one sum", move |(matrix, x, y)| {
        sparse::<false, _>(&space, matrix, x, y).expect("the launch fits the Views");
    });
    Ok(Box::new(lineup.reset(|(_, _, y)| slice_mut(y).fill(-1.0))))
}

fn race_of_dense(setup: &Setup, n: usize) -> Made {
    let data = (
        setup.view("matrix", [n, n], element)?,
        setup.view("x", [n], vector)?,
        setup.view("y", [n], |_| 0.0)?,
    );
    let lineup = setup.race(
        data,
        Work { bytes: 4 * n * n, elements: n * n },
        |space, (matrix, x, y)| dense(space, matrix, x, y),
        source!("dense" of "simple_spmv"),
        move |peer, (matrix, x, y)| {
            // SAFETY: the source reads n * n floats and n, and writes n.
            unsafe { peer.call(&[read(slice(matrix)), read(slice(x)), out(slice_mut(y))], &[n]) };
        },
        |(matrix, x, y)| near("y", slice(y), &plain_dense(matrix, slice(x)), 1e-4),
    )?;
    let space = setup.space.clone();
    let lineup = lineup.with("Spelt rows", move |(matrix, x, y)| {
        dense_by_rows(&space, matrix, x, y).expect("the launch fits the Views");
    });
    Ok(Box::new(lineup.reset(|(_, _, y)| slice_mut(y).fill(-1.0))))
}
