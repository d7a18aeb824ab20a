//! Matrices, their products with vectors, and norms.

use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

/// A square sparse matrix in compressed rows.
pub(crate) struct Matrix<M: MemorySpace> {
    /// The columns of each row, ascending.
    pub(crate) columns: Csr<u32, M>,
    /// The values, one after the other as the columns are.
    pub(crate) values: View<f64, 1, M>,
}

impl<M: MemorySpace> Matrix<M> {
    /// The matrix with these rows of pairs, a column and a value.
    pub(crate) fn from_rows<S: ExecutionSpace<Memory = M>>(
        space: &S,
        rows: &[Vec<(u32, f64)>],
    ) -> Result<Self> {
        let columns = rows.iter().map(|row| row.iter().map(|(column, _)| *column));
        let values: Vec<f64> = rows.iter().flatten().map(|(_, value)| *value).collect();
        Ok(Self {
            columns: Csr::from_rows(space, "columns", columns)?,
            values: View::from_vec("values", [values.len()], values)?.to_space(space)?,
        })
    }

    /// The matrix on a grid of `width` x `height` points, numbered along the rows of the grid, with `value(here, there)` for each two
    /// points of which neither coordinate differs by more than 1, where that is not 0.
    pub(crate) fn of_grid<S: ExecutionSpace<Memory = M>>(
        space: &S,
        [width, height]: [usize; 2],
        value: impl Fn([usize; 2], [usize; 2]) -> f64,
    ) -> Result<Self> {
        let near = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
        let mut rows = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let around = near(y, height).flat_map(|v| near(x, width).map(move |u| [u, v]));
                let elements = around.map(|[u, v]| ((v * width + u) as u32, value([x, y], [u, v])));
                rows.push(elements.filter(|(_, value)| *value != 0.0).collect());
            }
        }
        Self::from_rows(space, &rows)
    }

    /// The Laplacian of finite differences on a grid: -1 for each of the up to four neighbours, and on the diagonal their number. Rows
    /// add up to 0: nothing is prescribed at the border, and solutions differ by a constant.
    pub(crate) fn laplacian<S: ExecutionSpace<Memory = M>>(
        space: &S,
        grid @ [width, height]: [usize; 2],
    ) -> Result<Self> {
        let neighbours = |at: usize, end: usize| usize::from(at > 0) + usize::from(at + 1 < end);
        Self::of_grid(space, grid, |[x, y], [u, v]| match x.abs_diff(u) + y.abs_diff(v) {
            0 => (neighbours(x, width) + neighbours(y, height)) as f64,
            1 => -1.0,
            _ => 0.0,
        })
    }

    /// The number of rows, and of columns.
    pub(crate) fn rows(&self) -> usize {
        self.columns.rows()
    }

    /// Writes this matrix times `x` into `y`.
    pub(crate) fn times<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        x: &View<f64, 1, M>,
        y: &mut View<f64, 1, M>,
    ) -> Result<()> {
        let args = (self.columns.by_rows(), self.values.by_segments(self.columns.offsets()), x.lookup(), y);
        parallel_for("spmv", space.range(0..self.rows()), args, move |i, (columns, values, x, mut y)| {
            y[i] = columns[i].iter().zip(&values[i]).map(|(&j, value)| value * x[j]).sum();
        })
    }
}

/// The dot product.
pub(crate) fn dot<S: ExecutionSpace>(
    space: &S,
    x: &View<f64, 1, S::Memory>,
    y: &View<f64, 1, S::Memory>,
) -> Result<f64> {
    let args = (x, y);
    parallel_map_reduce("dot", space.range(0..x.len()), args, move |i, (x, y)| x[i] * y[i], Sum::<f64>::new())
}

/// The Euclidean norm.
pub(crate) fn norm<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>) -> Result<f64> {
    let sum =
        parallel_map_reduce("nrm2", space.range(0..x.len()), x, move |i, x| x[i] * x[i], Sum::<f64>::new())?;
    Ok(sum.sqrt())
}
