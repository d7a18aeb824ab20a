//! The rows of this rank times a vector, in three ways.

use core::fmt;
use core::str::FromStr;

use spelt::prelude::*;
use spelt::{MemorySpace, Result, ViewMut};

use super::matrix::Matrix;

/// A way to multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// An iteration for each row, which reduces it in the canonical order.
    Rows,
    /// A team for each row, in the same order and so with the same bits.
    Teams,
    /// An iteration for each row, which adds from left to right.
    Segments,
}

impl Product {
    pub(crate) const ALL: [Self; 3] = [Self::Rows, Self::Teams, Self::Segments];

    /// Writes the rows of `matrix` times `x` into `y`; `x` has the elements in the columns that the matrix wants.
    pub(crate) fn run<S: ExecutionSpace>(
        self,
        space: &S,
        matrix: &Matrix<S::Memory>,
        x: &View<f64, 1, S::Memory>,
        y: ViewMut<'_, f64, 1, S::Memory>,
    ) -> Result<()> {
        match self {
            Self::Rows => rows(space, matrix, x, y),
            Self::Teams => teams(space, matrix, x, y),
            Self::Segments => segments(space, matrix, x, y),
        }
    }
}

fn rows<S: ExecutionSpace<Memory = M>, M: MemorySpace>(
    space: &S,
    matrix: &Matrix<M>,
    x: &View<f64, 1, M>,
    y: ViewMut<'_, f64, 1, M>,
) -> Result<()> {
    let Matrix { offsets, places, values, .. } = matrix;
    let args = (values.by_segments(offsets), places.by_segments(offsets), x.lookup(), y);
    parallel_for(
        "product by rows",
        space.range(0..offsets.segments()),
        args,
        move |row, (values, places, x, mut y)| {
            let (values, places) = (&values[row], &places[row]);
            y[row] = serial_map_reduce(values.len(), |k| values[k] * x[places[k]], Sum::<f64>::new());
        },
    )
}

fn teams<S: ExecutionSpace<Memory = M>, M: MemorySpace>(
    space: &S,
    matrix: &Matrix<M>,
    x: &View<f64, 1, M>,
    y: ViewMut<'_, f64, 1, M>,
) -> Result<()> {
    let Matrix { offsets, places, values, .. } = matrix;
    let args = (values.by_segments(offsets).nested(), places.by_segments(offsets).nested(), x.lookup(), y);
    let league = space.team(offsets.segments(), AUTO);
    parallel_for("product by teams", league, args, move |team, (values, places, x, mut y)| {
        let elements = team.thread_range(values.len());
        let sum = team.parallel_map_reduce(elements, |k| values[k] * x[places[k]], Sum::<f64>::new());
        team.single(|row| y[row] = sum);
    })
}

fn segments<S: ExecutionSpace<Memory = M>, M: MemorySpace>(
    space: &S,
    matrix: &Matrix<M>,
    x: &View<f64, 1, M>,
    y: ViewMut<'_, f64, 1, M>,
) -> Result<()> {
    let Matrix { offsets, places, values, .. } = matrix;
    let args = (values.by_segments(offsets), places.by_segments(offsets), x.lookup(), y);
    parallel_for(
        "product by segments",
        space.range(0..offsets.segments()),
        args,
        move |row, (values, places, x, mut y)| {
            let pairs = values[row].iter().zip(&places[row]);
            y[row] = pairs.map(|(value, &place)| value * x[place]).sum();
        },
    )
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rows => "rows",
            Self::Teams => "teams",
            Self::Segments => "segments",
        })
    }
}

impl FromStr for Product {
    type Err = String;
    fn from_str(name: &str) -> core::result::Result<Self, String> {
        let known = Self::ALL.into_iter().find(|product| product.to_string() == name);
        known.ok_or_else(|| "choose rows, teams or segments".into())
    }
}
