//! Quadrilaterals and nodes, each divided among the ranks on its own.

use core::f64::consts::PI;

use spelt::Result;
use spelt::math::sin;
use spelt::mpi::{DistributedView, Mpi, Partition, Plan};
use spelt::prelude::*;

/// A mesh of quadrilaterals over a square, bent inside.
pub(crate) struct Mesh<'a, S: ExecutionSpace> {
    /// The places of the nodes.
    pub(crate) places: DistributedView<[f64; 2], 1, S::Memory>,
    /// For each node, a quarter of the areas of its quadrilaterals.
    pub(crate) areas: DistributedView<f64, 1, S::Memory>,
    /// From which ranks the corners of this rank's quadrilaterals come, and to which their contributions go.
    plan: Plan<'a, S>,
    /// The places of the corners, four for each quadrilateral.
    corners: View<[f64; 2], 1, S::Memory>,
    /// The contribution of each corner.
    contributions: View<f64, 1, S::Memory>,
}

/// Facts about the areas of all nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Totals {
    pub(crate) sum: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl<'a, S: ExecutionSpace + 'static> Mesh<'a, S> {
    /// A mesh with this number of quadrilaterals in each dimension.
    pub(crate) fn new(space: &'a Mpi<'_, S>, extents: [usize; 2]) -> Result<Self> {
        let (ranks, local) = (space.ranks(), space.local());
        let nodes = (extents[0] + 1) * (extents[1] + 1);
        let partition = Partition::even(nodes, ranks.size());
        let places =
            space.view_from_fn_on(&partition, "places", [nodes], move |[node]| place(extents, node))?;
        let quadrilaterals = Partition::even(extents[0] * extents[1], ranks.size()).rows(ranks.rank());
        let wanted: Vec<usize> = quadrilaterals.flat_map(|number| nodes_of(extents, number)).collect();
        let plan = ranks.plan("corners", local, partition.cuts(), &wanted)?;
        Ok(Self {
            places,
            areas: space.zeros_on(&partition, "areas", [nodes])?,
            corners: local.zeros("corners", [wanted.len()])?,
            contributions: local.zeros("contributions", [wanted.len()])?,
            plan,
        })
    }

    /// Computes the areas: fetches the corners, and sends a quarter of each quadrilateral back to its four nodes.
    pub(crate) fn assemble(&mut self, space: &Mpi<'_, S>) -> Result<()> {
        let local = space.local();
        self.plan.forward("corners", (&self.places.own().as_view(), &mut self.corners))?;
        parallel_for(
            "contributions",
            local.range(0..self.corners.extent(0) / 4),
            (self.corners.by_blocks(4), self.contributions.by_blocks_mut(4)),
            move |number, (corners, mut contributions)| {
                let corners = &corners[number];
                let quarter = area([corners[0], corners[1], corners[2], corners[3]]) / 4.0;
                contributions[number].fill(quarter);
            },
        )?;
        let all = space.range(0..self.areas.extents()[0]);
        parallel_for("clear", all, &mut self.areas, move |node, mut areas| areas[node] = 0.0)?;
        self.plan.back(
            "contributions",
            (&self.contributions, &mut self.areas.own_mut().as_view_mut(), Sum::<f64>::new()),
        )
    }

    pub(crate) fn totals(&self, space: &Mpi<'_, S>) -> Result<Totals> {
        let (sum, least, most) = parallel_reduce(
            "totals",
            space.range(0..self.areas.extents()[0]),
            &self.areas,
            move |node, (sum, least, most), areas| {
                *sum += areas[node];
                *least = f64::min(*least, areas[node]);
                *most = f64::max(*most, areas[node]);
            },
            (Sum::<f64>::new(), Min::<f64>::new(), Max::<f64>::new()),
        )?;
        Ok(Totals { sum, least, most })
    }

    /// The number of other ranks that have quadrilaterals at this one's nodes.
    pub(crate) fn neighbours(&self) -> usize {
        self.plan.neighbours()
    }
}

/// The four nodes of a quadrilateral, counter-clockwise.
pub(crate) fn nodes_of([width, _]: [usize; 2], number: usize) -> [usize; 4] {
    let first = number / width * (width + 1) + number % width;
    [first, first + 1, first + width + 2, first + width + 1]
}

/// The place of a node in the unit square.
pub(crate) fn place([width, height]: [usize; 2], node: usize) -> [f64; 2] {
    let x = (node % (width + 1)) as f64 / width as f64;
    let y = (node / (width + 1)) as f64 / height as f64;
    let bend = 0.08 * sin(2.0 * PI * x) * sin(2.0 * PI * y);
    [x + bend, y - bend]
}

/// The area of a quadrilateral: half the product of its diagonals as vectors.
pub(crate) fn area([a, b, c, d]: [[f64; 2]; 4]) -> f64 {
    0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1]))
}
