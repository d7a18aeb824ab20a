//! The matrix as an operator on distributed vectors.

use spelt::Result;
use spelt::mpi::{DistributedView, Mpi, Plan};
use spelt::prelude::*;

use super::matrix::Matrix;
use super::product::Product;

/// The matrix with its plan.
pub(crate) struct Operator<'a, S: ExecutionSpace> {
    space: &'a S,
    pub(crate) matrix: &'a Matrix<S::Memory>,
    product: Product,
    /// From which ranks the wanted elements of a vector come.
    plan: Plan<'a, S>,
    /// These elements.
    wanted: View<f64, 1, S::Memory>,
}

impl<'a, S: ExecutionSpace + 'static> Operator<'a, S> {
    pub(crate) fn new(
        space: &'a Mpi<'_, S>,
        matrix: &'a Matrix<S::Memory>,
        product: Product,
    ) -> Result<Self> {
        let (space, ranks) = (space.local(), space.ranks());
        let plan = ranks.plan("columns", space, matrix.partition.cuts(), &matrix.wanted)?;
        let wanted = space.zeros("wanted", [plan.ghosts()])?;
        Ok(Self { space, matrix, product, plan, wanted })
    }

    /// Writes the matrix times `x` into `y`: one message to each rank that wants elements of this one.
    pub(crate) fn apply(
        &mut self,
        x: &DistributedView<f64, 1, S::Memory>,
        y: &mut DistributedView<f64, 1, S::Memory>,
    ) -> Result<()> {
        self.plan.forward("columns", (&x.own().as_view(), &mut self.wanted))?;
        self.product.run(self.space, self.matrix, &self.wanted, y.own_mut().as_view_mut())
    }
}
