//! Subviews as arguments of functions: the faces and the interior of a mesh.
//!
//! One step of a finite-difference method. Each face of the mesh is a part with a layout of its own, so the function that sets a face takes
//! the layout as a parameter. Kokkos's program updates the mesh while other iterations read it; here the step goes to a second View, whose border
//! is a copy of the first one's.
//!
//! The same program as Kokkos's tutorial 03_subviews, with the number of points along each dimension as an option. It checks its result:
//! ```text
//! cargo run --release --example subviews -- 100 -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use getopts::Options;
use spelt::prelude::*;
use spelt::{Error, ErrorKind, Layout, WriteView};

use common::{CommandLine, say, wrong_result};

/// The mesh with its border.
type Mesh<M> = View<f64, 3, M>;

const STEP: f64 = 0.1;

fn main() -> ExitCode {
    let brief = "Usage: subviews [SIZE]: a step on a mesh of SIZE points in each dimension; default 100";
    let line = CommandLine::parse(brief, 1, Options::new());
    let size = line.positional(0, "SIZE", 100);
    common::exit_code(with_space!(line.space(), |space| run(&space, size)))
}

fn run<S: ExecutionSpace>(space: &S, size: usize) -> spelt::Result<()> {
    let Some(n) = size.checked_add(2) else {
        let message =
            format!("a mesh of {size} points in each dimension has no room for its border: choose fewer");
        return Err(Error::new(ErrorKind::Extents, message));
    };
    let last = n - 1;
    let mut a: Mesh<S::Memory> = space.zeros("A", [n, n, n])?;

    // The faces. Those with a fixed first index have layout `Right`, the others `Stride`.
    set_boundary(space, &mut a.subview_mut((All, All, 0)), 1.0)?;
    set_boundary(space, &mut a.subview_mut((All, All, last)), -1.0)?;
    set_boundary(space, &mut a.subview_mut((All, 0, All)), 2.0)?;
    set_boundary(space, &mut a.subview_mut((All, last, All)), -2.0)?;
    set_boundary(space, &mut a.subview_mut((0, All, All)), 3.0)?;
    set_boundary(space, &mut a.subview_mut((last, All, All)), -3.0)?;

    // The interior, whose indices begin at 0 again.
    let mut inner = a.subview_mut((1..last, 1..last, 1..last));
    space.fill(&mut inner, 0.0)?;

    let mut next = a.to_space(space)?;
    update(space, &a, &mut next)?;
    check(&next.to_host()?, size)?;
    say!("Done\n");
    Ok(())
}

/// Sets a face to a value: each iteration a row of it.
fn set_boundary<S: ExecutionSpace, L: Layout>(
    space: &S,
    face: &mut impl WriteView<f64, 2, S::Memory, L>,
    value: f64,
) -> spelt::Result<()> {
    let mut face = face.write();
    let rows = space.range(0..face.extent(0));
    parallel_for("set_boundary", rows, face.by_rows_mut(), move |i, mut face| face.row_mut(i).fill(value))
}

/// One step of the interior.
fn update<S: ExecutionSpace>(
    space: &S,
    a: &Mesh<S::Memory>,
    next: &mut Mesh<S::Memory>,
) -> spelt::Result<()> {
    let inner = space.md_range(a.extents().map(|n| 1..n - 1));
    parallel_for("update", inner, (a.halo::<1>(), next), |i, (a, mut next)| {
        let along_z = a.at(i, [0, 0, 1]) - a.at(i, [0, 0, -1]);
        let along_y = a.at(i, [0, 1, 0]) - a.at(i, [0, -1, 0]);
        let along_x = a.at(i, [1, 0, 0]) - a.at(i, [-1, 0, 0]);
        next[i] = a[i] + STEP * (along_z + along_y + along_x);
    })
}

/// The interior was 0, so a point has changed by the faces beside it alone: by that of value `v` below it and that of `-v` above it, `-v` each.
fn check(a: &View<f64, 3>, size: usize) -> spelt::Result<()> {
    let faces_beside = |x: usize| f64::from(x == 1) + f64::from(x == size);
    for x in 1..=size {
        for y in 1..=size {
            for z in 1..=size {
                let expected = -STEP * (3.0 * faces_beside(x) + 2.0 * faces_beside(y) + faces_beside(z));
                if a[[x, y, z]] != expected {
                    let place = [x, y, z];
                    return Err(wrong_result(format!("{} at {place:?}, not {expected}", a[place])));
                }
            }
        }
    }
    Ok(())
}
