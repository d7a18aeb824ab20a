//! floydwarshall: the shortest ways between all nodes of a graph, with the last node that each leads through.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::same;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::out;
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "floydwarshall",
    hypothesis: "A step reads row and column k of the matrix that it writes, so both are copied first: n numbers beside n * n. The loop then \
        selects, in vector code, where C++ must assume that rows overlap: level or ahead.",
    size: "nodes",
    variants: &[Variant::new("u32", &[100, 500], race)],
};

/// The lengths of ways, and the nodes that they lead through.
#[derive(Debug)]
pub struct Ways<M: spelt::MemorySpace> {
    length: View<u32, 2, M>,
    through: View<u32, 2, M>,
    row: View<u32, 1, M>,
    column: View<u32, 1, M>,
}

impl<M: spelt::MemorySpace> Ways<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, n: usize) -> spelt::Result<Self> {
        Ok(Self {
            length: space.view_from_fn("length", [n, n], start)?,
            through: space.zeros("through", [n, n])?,
            row: space.zeros("row", [n])?,
            column: space.zeros("column", [n])?,
        })
    }
}

/// All steps.
///
/// # Errors
/// If the extents differ.
pub fn shorten<S: ExecutionSpace>(space: &S, ways: &mut Ways<S::Memory>) -> spelt::Result<()> {
    let Ways { length, through, row, column } = ways;
    let n = row.len();
    for k in 0..n {
        space.deep_copy(&mut *row, &length.subview((k, All)))?;
        space.deep_copy(&mut *column, &length.subview((All, k)))?;
        let args = (column.along::<0>(), row.along::<1>(), &mut *length, &mut *through);
        parallel_for(
            "shorten",
            space.md_range([0..n, 0..n]),
            args,
            move |i, (column, row, mut length, mut through)| {
                let way = column[i] + row[i];
                let is_shorter = way < length[i];
                length[i] = if is_shorter { way } else { length[i] };
                through[i] = if is_shorter { k as u32 } else { through[i] };
            },
        )?;
    }
    Ok(())
}

/// The same by loops.
fn plain(n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut length: Vec<u32> = (0..n * n).map(|at| start([at / n, at % n])).collect();
    let mut through = vec![0; n * n];
    for k in 0..n {
        for at in 0..n * n {
            let way = length[at / n * n + k] + length[k * n + at % n];
            if way < length[at] {
                (length[at], through[at]) = (way, k as u32);
            }
        }
    }
    (length, through)
}

/// The length of an edge.
fn start([i, j]: [usize; 2]) -> u32 {
    if i == j { 0 } else { 1 + (1000.0 * spread(i * 1009 + j)) as u32 }
}

/// Compares a small graph with the plain loops.
///
/// # Errors
/// Names the first way that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 18;
    let mut ways = Ways::new(space, n).map_err(told)?;
    shorten(space, &mut ways).map_err(told)?;
    let (length, through) = plain(n);
    same("length", slice(&ways.length.to_host().map_err(told)?), &length)?;
    same("through", slice(&ways.through.to_host().map_err(told)?), &through)
}

fn race(setup: &Setup, n: usize) -> Made {
    let ways = Ways::new(&setup.space, n).map_err(told)?;
    let (length, through) = plain(n);
    let lineup = setup.race(
        ways,
        Work { bytes: 0, elements: n.pow(3) },
        shorten,
        source!("floydwarshall"),
        move |peer, ways| {
            // SAFETY: the source writes two arrays of n * n numbers.
            unsafe {
                peer.call(&[out(slice_mut(&mut ways.length)), out(slice_mut(&mut ways.through))], &[n])
            };
        },
        move |ways| {
            same("length", slice(&ways.length), &length)?;
            same("through", slice(&ways.through), &through)
        },
    )?;
    Ok(Box::new(lineup.before(move |ways| {
        slice_mut(&mut ways.length)
            .iter_mut()
            .enumerate()
            .for_each(|(at, length)| *length = start([at / n, at % n]));
        slice_mut(&mut ways.through).fill(0);
    })))
}
