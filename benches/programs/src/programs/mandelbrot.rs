//! mandelbrot: the number of steps after which each point of a part of the plane escapes.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::same;
use super::reason::told;
use super::{Case, Variant};
use crate::peer::out;
use crate::setup::{Setup, Side, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "mandelbrot",
    hypothesis: "A loop of unknown length in each iteration, so neither compiler has vector code: the same instructions, level.",
    size: "n of n * n",
    variants: &[Variant::new("f32", &[128, 1000], race)],
};

/// The steps after which a point counts as one that stays.
const STEPS: u32 = 256;

/// The steps of each point.
///
/// # Errors
/// None: the box is that of the View.
pub fn escape<S: ExecutionSpace>(space: &S, steps: &mut View<u32, 2, S::Memory>) -> spelt::Result<()> {
    let [rows, columns] = steps.extents();
    parallel_for("mandelbrot", space.md_range([0..rows, 0..columns]), steps, move |i, mut steps| {
        let [row, column] = i.index();
        let (a, b) = (place(column, columns) - 0.5, place(row, rows));
        let (mut x, mut y, mut step) = (0.0_f32, 0.0_f32, 0);
        while step < STEPS && x * x + y * y <= 4.0 {
            (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
            step += 1;
        }
        steps[i] = step;
    })
}

/// From -1.5 to 1.5.
#[inline(always)]
fn place(index: usize, extent: usize) -> f32 {
    3.0 * index as f32 / extent as f32 - 1.5
}

/// The same by loops.
fn plain(n: usize) -> Vec<u32> {
    let steps = |at: usize| {
        let (a, b) = (place(at % n, n) - 0.5, place(at / n, n));
        let orbit = core::iter::successors(Some((0.0_f32, 0.0_f32)), |&(x, y)| {
            Some((x * x - y * y + a, 2.0 * x * y + b))
        });
        orbit.take(STEPS as usize).take_while(|(x, y)| x * x + y * y <= 4.0).count() as u32
    };
    (0..n * n).map(steps).collect()
}

/// Compares a small picture with the plain loops.
///
/// # Errors
/// Names the first point that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let mut steps = space.zeros("steps", [24, 24]).map_err(told)?;
    escape(space, &mut steps).map_err(told)?;
    same("steps", slice(&steps.to_host().map_err(told)?), &plain(24))
}

fn race(setup: &Setup, n: usize) -> Made {
    let steps = setup.view("steps", [n, n], |_| 0_u32)?;
    let expected = plain(n);
    let lineup = setup.race_with_own_checks(
        steps,
        Work { bytes: 0, elements: n * n },
        escape,
        source!("mandelbrot"),
        move |peer, steps| {
            // SAFETY: the source writes n * n numbers.
            unsafe { peer.call(&[out(slice_mut(steps))], &[n]) };
        },
        move |steps, side| {
            if side == Side::Spelt {
                return same("steps", slice(steps), &expected);
            }
            // Points at the border of the set differ where C++ fuses multiplications and additions.
            let others =
                slice(steps).iter().zip(&expected).filter(|(found, expected)| found != expected).count();
            if 50 * others < expected.len() {
                Ok(())
            } else {
                Err(format!("{others} points have other steps"))
            }
        },
    )?;
    Ok(Box::new(lineup.reset(|steps| slice_mut(steps).fill(0))))
}
