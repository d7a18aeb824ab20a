//! Gauss-Seidel sweeps by colours: rows of one colour do not read each other, and are relaxed at the same time.

use spelt::algorithms::{gather, order_by_bins, scatter};
use spelt::containers::Csr;
use spelt::prelude::*;
use spelt::random::Random;
use spelt::{MemorySpace, Result};

use super::{Matrix, color, color_by_rows};

/// Which rows take their colours before their neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    /// The upper ones, by a loop on the host.
    Rows,
    /// Random ones, in parallel.
    Random(Random),
}

/// A matrix whose rows and columns are ordered by colours, so that the unknowns of a colour are a part of the vector: a kernel writes this
/// part and reads the others.
pub(crate) struct GaussSeidel<M: MemorySpace> {
    pub(crate) matrix: Matrix<M>,
    /// The row that has come to each place.
    pub(crate) order: View<u32, 1, M>,
    /// Where the rows of each colour begin, and the number of rows.
    pub(crate) starts: Vec<usize>,
}

impl<M: MemorySpace> GaussSeidel<M> {
    /// Colours the rows of a matrix and orders it.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        matrix: &Matrix<M>,
        order: Order,
    ) -> Result<Self> {
        let n = matrix.rows();
        let graph = both_directions(space, &matrix.columns)?;
        let coloring = match order {
            Order::Rows => color_by_rows(space, &graph)?,
            Order::Random(random) => color(space, &graph, random)?,
        };
        let mut order = space.zeros::<u32, 1>("order", [n])?;
        // No row has colour 0.
        let offsets = order_by_bins(space, &coloring.colors, coloring.count + 1, &mut order)?;
        let starts = offsets.view().to_host()?.iter().skip(1).copied().collect();

        let numbers = space.view_from_fn("numbers", [n], |[i]| i as u32)?;
        let mut places = space.zeros::<u32, 1>("places", [n])?;
        scatter(space, &numbers, &order, &mut places)?;
        let counts = space.uninit("counts", [n])?;
        let args = (&order, matrix.columns.by_rows());
        let counts = parallel_fill("counts", space.range(0..n), counts, args, move |i, (order, columns)| {
            columns.get(order[i] as usize).map_or(0, <[u32]>::len)
        })?;
        let mut columns = Csr::from_counts(space, "columns", &counts)?;
        let mut values = space.zeros::<f64, 1>("values", [columns.len()])?;
        let (offsets, mut entries) = columns.parts_mut();
        let args = (
            (&order, places.lookup()),
            (matrix.columns.by_rows(), matrix.values.by_segments(matrix.columns.offsets())),
            (entries.by_segments_mut(offsets), values.by_segments_mut(offsets)),
        );
        parallel_for("order", space.range(0..n), args, move |i, ((order, places), from, mut to)| {
            let row = order[i] as usize;
            let elements =
                from.0.get(row).unwrap_or_default().iter().zip(from.1.get(row).unwrap_or_default());
            for (k, (&column, &value)) in elements.enumerate() {
                to.0[i][k] = places[column];
                to.1[i][k] = value;
            }
        })?;
        Ok(Self { matrix: Matrix { columns, values }, order, starts })
    }

    /// The number of colours.
    pub(crate) fn colors(&self) -> usize {
        self.starts.len() - 1
    }

    /// A vector in the order of the rows here.
    pub(crate) fn ordered<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        x: &View<f64, 1, M>,
    ) -> Result<View<f64, 1, M>> {
        let mut ordered = space.zeros(x.label(), x.extents())?;
        gather(space, x, &self.order, &mut ordered)?;
        Ok(ordered)
    }

    /// One sweep over all rows, which solves each row of `A x = b` for its own unknown. Both vectors are [`ordered`](Self::ordered).
    pub(crate) fn sweep<S: ExecutionSpace<Memory = M>>(
        &self,
        space: &S,
        b: &View<f64, 1, M>,
        x: &mut View<f64, 1, M>,
    ) -> Result<()> {
        let Matrix { columns, values } = &self.matrix;
        for ends in self.starts.windows(2) {
            let (start, end) = (ends[0], ends[1]);
            let (before, rest) = x.view_mut().split_outer_at(start);
            let (own, after) = rest.split_outer_at(end - start);
            // All have the indices of the whole vector.
            let mut own = own.with_origin([start as isize])?;
            let after = after.with_origin([end as isize])?;
            let args = (
                (columns.by_rows(), values.by_segments(columns.offsets()), b),
                (before.lookup(), &mut own, after.lookup()),
            );
            parallel_for(
                "sweep",
                space.range(start..end),
                args,
                move |i, ((columns, values, b), (before, mut own, after))| {
                    let (mut rest, mut diagonal) = (b[i], 0.0);
                    for (&j, value) in columns[i].iter().zip(&values[i]) {
                        let j = j as usize;
                        if j == i.get() {
                            diagonal = *value;
                        } else {
                            rest -= value * if j < start { before[j] } else { after[j] };
                        }
                    }
                    own[i] = rest / diagonal;
                },
            )?;
        }
        Ok(())
    }
}

/// The graph with the edges of `graph` in both directions.
fn both_directions<S: ExecutionSpace>(space: &S, graph: &Csr<u32, S::Memory>) -> Result<Csr<u32, S::Memory>> {
    let rows = || space.range(0..graph.rows());
    let (back, _) = graph.transposed(space, graph.rows())?;
    let counts = space.uninit("counts", [graph.rows()])?;
    let counts = parallel_fill(
        "counts",
        rows(),
        counts,
        (graph.by_rows(), back.by_rows()),
        move |i, (graph, back)| graph[i].len() + back[i].len(),
    )?;
    let mut both = Csr::from_counts(space, "graph", &counts)?;
    let args = (graph.by_rows(), back.by_rows(), both.by_rows_mut());
    parallel_for("both directions", rows(), args, move |i, (graph, back, mut both)| {
        for (entry, &found) in both[i].iter_mut().zip(graph[i].iter().chain(&back[i])) {
            *entry = found;
        }
    })?;
    Ok(both)
}
