//! Conjugate gradients (M. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952), for a system
//! whose solution is 1 everywhere.

use spelt::prelude::*;
use spelt::{MemorySpace, Result};

use super::matrix::Matrix;
use super::product::Product;

/// The distance from the solution after an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// The length of the residual.
    pub(crate) residual: f64,
    /// The largest distance of an unknown from the solution.
    pub(crate) error: f64,
}

/// The vectors of the iteration.
pub(crate) struct Solver<'a, M: MemorySpace> {
    matrix: &'a Matrix<M>,
    product: Product,
    /// The unknowns, from 0 on.
    pub(crate) x: View<f64, 1, M>,
    residual: View<f64, 1, M>,
    direction: View<f64, 1, M>,
    /// The matrix times the direction.
    image: View<f64, 1, M>,
    /// The square of the residual's length.
    square: f64,
    pub(crate) step: Step,
}

impl<'a, M: MemorySpace> Solver<'a, M> {
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        matrix: &'a Matrix<M>,
        product: Product,
    ) -> Result<Self> {
        let rows = matrix.rows();
        // The matrix times the solution, 1 everywhere.
        let mut residual = space.zeros::<f64, 1>("residual", [rows])?;
        let direction = space.view_from_fn("direction", [rows], |_| 1.0)?;
        product.run(space, matrix, &direction, &mut residual)?;
        let mut solver = Self {
            matrix,
            product,
            x: space.zeros("x", [rows])?,
            residual,
            direction,
            image: space.zeros("image", [rows])?,
            square: 0.0,
            step: Step { residual: 0.0, error: 1.0 },
        };
        solver.square = parallel_map_reduce(
            "square",
            space.range(0..rows),
            &solver.residual,
            move |i, residual| residual[i] * residual[i],
            Sum::<f64>::new(),
        )?;
        solver.step.residual = solver.square.sqrt();
        solver.turn(space, 0.0)?;
        Ok(solver)
    }

    /// One iteration.
    pub(crate) fn advance<S: ExecutionSpace<Memory = M>>(&mut self, space: &S) -> Result<()> {
        let rows = self.matrix.rows();
        self.product.run(space, self.matrix, &self.direction, &mut self.image)?;
        let curvature = parallel_map_reduce(
            "curvature",
            space.range(0..rows),
            (&self.direction, &self.image),
            move |i, (direction, image)| direction[i] * image[i],
            Sum::<f64>::new(),
        )?;
        let length = self.square / curvature;
        let (square, error) = parallel_reduce(
            "step",
            space.range(0..rows),
            (&mut self.x, &mut self.residual, &self.direction, &self.image, length),
            move |i, (square, error), (mut x, mut residual, direction, image, length)| {
                x[i] += length * direction[i];
                residual[i] -= length * image[i];
                *square += residual[i] * residual[i];
                *error = f64::max(*error, (x[i] - 1.0).abs());
            },
            (Sum::<f64>::new(), Max::<f64>::new()),
        )?;
        self.turn(space, square / self.square)?;
        self.square = square;
        self.step = Step { residual: square.sqrt(), error };
        Ok(())
    }

    /// The next direction: the residual, and this part of the one before.
    fn turn<S: ExecutionSpace<Memory = M>>(&mut self, space: &S, part: f64) -> Result<()> {
        parallel_for(
            "turn",
            space.range(0..self.matrix.rows()),
            (&mut self.direction, &self.residual, part),
            move |i, (mut direction, residual, part)| direction[i] = residual[i] + part * direction[i],
        )
    }
}
