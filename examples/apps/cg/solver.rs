//! Conjugate gradients (M. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, 1952), for a system
//! whose solution is 1 everywhere.

use spelt::mpi::{Distributed, DistributedView, Mpi};
use spelt::prelude::*;
use spelt::{RangePolicy, Result};

use super::matrix::Matrix;
use super::operator::Operator;
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
pub(crate) struct Solver<'a, S: ExecutionSpace> {
    space: &'a Mpi<'a, S>,
    operator: Operator<'a, S>,
    /// The unknowns, from 0 on.
    pub(crate) x: DistributedView<f64, 1, S::Memory>,
    residual: DistributedView<f64, 1, S::Memory>,
    direction: DistributedView<f64, 1, S::Memory>,
    /// The matrix times the direction.
    image: DistributedView<f64, 1, S::Memory>,
    /// The square of the residual's length.
    square: f64,
    pub(crate) step: Step,
}

impl<'a, S: ExecutionSpace + 'static> Solver<'a, S> {
    pub(crate) fn new(
        space: &'a Mpi<'a, S>,
        matrix: &'a Matrix<S::Memory>,
        product: Product,
    ) -> Result<Self> {
        let (partition, rows) = (&matrix.partition, [matrix.partition.len()]);
        let mut operator = Operator::new(space, matrix, product)?;
        // The matrix times the solution, 1 everywhere.
        let mut residual = space.zeros_on(partition, "residual", rows)?;
        let direction = space.view_from_fn_on(partition, "direction", rows, |_| 1.0)?;
        operator.apply(&direction, &mut residual)?;
        let mut solver = Self {
            space,
            operator,
            x: space.zeros_on(partition, "x", rows)?,
            residual,
            direction,
            image: space.zeros_on(partition, "image", rows)?,
            square: 0.0,
            step: Step { residual: 0.0, error: 1.0 },
        };
        solver.square = parallel_map_reduce(
            "square",
            solver.rows(),
            &solver.residual,
            move |i, residual| residual[i] * residual[i],
            Sum::<f64>::new(),
        )?;
        solver.step.residual = solver.square.sqrt();
        solver.turn(0.0)?;
        Ok(solver)
    }

    /// One iteration.
    pub(crate) fn advance(&mut self) -> Result<()> {
        self.operator.apply(&self.direction, &mut self.image)?;
        let curvature = parallel_map_reduce(
            "curvature",
            self.rows(),
            (&self.direction, &self.image),
            move |i, (direction, image)| direction[i] * image[i],
            Sum::<f64>::new(),
        )?;
        let length = self.square / curvature;
        let rows = self.rows();
        let (square, error) = parallel_reduce(
            "step",
            rows,
            (&mut self.x, &mut self.residual, &self.direction, &self.image, length),
            move |i, (square, error), (mut x, mut residual, direction, image, length)| {
                x[i] += length * direction[i];
                residual[i] -= length * image[i];
                *square += residual[i] * residual[i];
                *error = f64::max(*error, (x[i] - 1.0).abs());
            },
            (Sum::<f64>::new(), Max::<f64>::new()),
        )?;
        self.turn(square / self.square)?;
        self.square = square;
        self.step = Step { residual: square.sqrt(), error };
        Ok(())
    }

    /// The next direction: the residual, and this part of the one before.
    fn turn(&mut self, part: f64) -> Result<()> {
        let rows = self.rows();
        parallel_for(
            "turn",
            rows,
            (&mut self.direction, &self.residual, part),
            move |i, (mut direction, residual, part)| direction[i] = residual[i] + part * direction[i],
        )
    }

    /// All rows, of which each rank takes its own.
    fn rows(&self) -> Distributed<'a, RangePolicy<&'a S>> {
        self.space.range(0..self.operator.matrix.partition.len())
    }
}
