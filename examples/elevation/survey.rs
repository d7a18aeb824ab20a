//! The quantities of a terrain, one kernel each.

use spelt::prelude::*;
use spelt::{Around, HaloAccess, Idx, MdRangePolicy, Result};

use crate::terrain::{CELL_HEIGHT, Terrain};

/// The heights that one bar of the histogram takes together. Unit: metres.
pub(crate) const BIN: i32 = 20;

/// A row and a column.
pub(crate) type Cell = [usize; 2];

/// The results of the kernels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Survey {
    pub(crate) extremes: MinMaxLocValue<i16, Cell>,
    pub(crate) moments: Moments,
    pub(crate) histogram: Histogram,
    /// The square of the steepest slope, in metres up per metre along.
    pub(crate) steepest: MaxLocValue<f64, Cell>,
}

impl Survey {
    /// The angle of the steepest slope.
    pub(crate) fn steepest_degrees(&self) -> f64 {
        spelt::math::atan(self.steepest.val.sqrt()).to_degrees()
    }
}

/// Sums over all cells, exact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) cells: usize,
    pub(crate) sum: i64,
    pub(crate) sum_of_squares: i64,
}

impl Moments {
    /// The mean height, in metres.
    pub(crate) fn mean(&self) -> f64 {
        self.sum as f64 / self.cells as f64
    }

    /// The standard deviation of the heights, in metres.
    pub(crate) fn deviation(&self) -> f64 {
        (self.sum_of_squares as f64 / self.cells as f64 - self.mean() * self.mean()).max(0.0).sqrt()
    }
}

/// The number of cells at each height.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Histogram {
    /// The start of the first bar, in metres.
    pub(crate) first: i32,
    /// The cells of each bar.
    pub(crate) counts: Vec<u64>,
}

/// The lowest and the highest ground: a team for each row, its threads over the columns, one reducer for both.
pub(crate) fn extremes<S: ExecutionSpace>(
    space: &S,
    terrain: &Terrain<S::Memory>,
) -> Result<MinMaxLocValue<i16, Cell>> {
    let [rows, columns] = terrain.heights.extents();
    parallel_reduce(
        "extremes",
        space.team(rows, AUTO),
        &terrain.heights,
        move |team, heights| {
            let in_row = team.parallel_reduce(
                team.thread_range(columns),
                |cell, best| best.update(heights[cell], cell.get()),
                MinMaxLoc::new(),
            );
            team.contribute(in_row);
        },
        MinMaxLoc::<i16, Cell>::new(),
    )
}

/// Sum and sum of squares: two reductions in one pass.
pub(crate) fn moments<S: ExecutionSpace>(space: &S, terrain: &Terrain<S::Memory>) -> Result<Moments> {
    let [rows, columns] = terrain.heights.extents();
    let (sum, sum_of_squares) = parallel_reduce(
        "moments",
        space.md_range([0..rows, 0..columns]),
        &terrain.heights,
        |cell, (sum, squares), heights| {
            let height = i64::from(heights[cell]);
            *sum += height;
            *squares += height * height;
        },
        (Sum::<i64>::new(), Sum::<i64>::new()),
    )?;
    Ok(Moments { cells: rows * columns, sum, sum_of_squares })
}

/// The histogram of heights: every cell adds to a bar, perhaps at the same time as other cells.
pub(crate) fn histogram<S: ExecutionSpace>(space: &S, terrain: &Terrain<S::Memory>) -> Result<Histogram> {
    let [rows, columns] = terrain.heights.extents();
    let all = space.md_range([0..rows, 0..columns]);
    let (lowest, highest) = parallel_map_reduce(
        "heights",
        all.clone(),
        &terrain.heights,
        |cell, heights| (heights[cell], heights[cell]),
        (Min::<i16>::new(), Max::<i16>::new()),
    )?;
    let bar = |height: i16| i32::from(height).div_euclid(BIN);
    let first = bar(lowest);
    let mut counts = space.zeros::<u64, 1>("counts", [(bar(highest) - first) as usize + 1])?;
    parallel_for("histogram", all, (&terrain.heights, counts.scatter()), move |cell, (heights, counts)| {
        counts.add((bar(heights[cell]) - first) as usize, 1);
    })?;
    Ok(Histogram { first: first * BIN, counts: counts.to_host()?.to_vec() })
}

/// The steepest slope: a stencil over the inner cells, reduced as it goes.
pub(crate) fn steepest<S: ExecutionSpace>(
    space: &S,
    terrain: &Terrain<S::Memory>,
) -> Result<MaxLocValue<f64, Cell>> {
    parallel_reduce(
        "steepest",
        inner_cells(space, terrain),
        (terrain.heights.halo::<1>(), terrain.cell_widths.along::<0>()),
        |cell, best, (heights, widths)| {
            let [east, north] = gradient(cell, heights, widths[cell]);
            best.update(east * east + north * north, cell.get());
        },
        MaxLoc::<f64, Cell>::new(),
    )
}

/// The cells that have neighbours on all sides.
pub(crate) fn inner_cells<'s, S: ExecutionSpace>(
    space: &'s S,
    terrain: &Terrain<S::Memory>,
) -> MdRangePolicy<&'s S, 2> {
    let [rows, columns] = terrain.heights.extents();
    space.md_range([1..rows - 1, 1..columns - 1])
}

/// Metres up per metre to the east and to the north, from the eight neighbours: Horn's method (1981), as
/// geographic information systems have it.
#[inline]
pub(crate) fn gradient<'k>(
    cell: Idx<'k, 2>,
    heights: HaloAccess<'k, i16, 2, Around<1>>,
    cell_width: f64,
) -> [f64; 2] {
    let height = |down, right| f64::from(heights.at(cell, [down, right]));
    let along = |[a, b, c]: [f64; 3]| a + 2.0 * b + c;
    let side = |right| along([-1, 0, 1].map(|down| height(down, right)));
    let edge = |down| along([-1, 0, 1].map(|right| height(down, right)));
    [(side(1) - side(-1)) / (8.0 * cell_width), (edge(-1) - edge(1)) / (8.0 * CELL_HEIGHT)]
}
