//! nbody: the accelerations of bodies by the gravity of all others.

use spelt::algorithms::reduce_pairs_over_j;
use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "n-body",
    hypothesis: "A reduction over pairs keeps lanes of sums in registers. C++ adds one pair after another unless -ffast-math lets it add \
        lanes: ahead of the one, within 1.3 of the other.",
    size: "bodies",
    variants: &[Variant::new("f32", &[1000, 8000], race)],
};

/// Added to the squares of distances, so that near bodies do not fly away.
const SOFTENING: f32 = 1e-3;

/// Place and mass.
type Body = [f32; 4];

/// The acceleration of each body.
///
/// # Errors
/// If the extents differ.
pub fn accelerate<S: ExecutionSpace>(
    space: &S,
    bodies: &View<Body, 1, S::Memory>,
    acceleration: &mut View<[f32; 3], 1, S::Memory>,
) -> spelt::Result<()> {
    let pull = |_, sum: &mut [f32; 3], (here, there): (Body, Body)| {
        let far: [f32; 3] = core::array::from_fn(|axis| there[axis] - here[axis]);
        let square = far[0] * far[0] + far[1] * far[1] + far[2] * far[2] + SOFTENING;
        let inverse = 1.0 / square.sqrt();
        let pull = there[3] * inverse * inverse * inverse;
        for axis in 0..3 {
            sum[axis] += pull * far[axis];
        }
    };
    reduce_pairs_over_j(space, bodies, bodies, acceleration, pull, Sum::<[f32; 3]>::new())
}

/// The same by a team for each body, with a View for each part of the others.
///
/// # Errors
/// If the extents differ.
pub fn accelerate_by_teams<S: ExecutionSpace>(
    space: &S,
    parts: [&View<f32, 1, S::Memory>; 4],
    acceleration: &mut View<[f32; 3], 1, S::Memory>,
) -> spelt::Result<()> {
    let n = acceleration.len();
    let there = parts.map(|part| part.along::<1>());
    let here = [parts[0].lookup(), parts[1].lookup(), parts[2].lookup()];
    parallel_for(
        "n-body",
        space.team(n, AUTO),
        (here, there, acceleration),
        move |team, (here, there, mut acceleration)| {
            let own = team.league_rank();
            let [x, y, z] = [here[0][own], here[1][own], here[2][own]];
            let sum = team.parallel_map_reduce(
                team.thread_range(n),
                |j| {
                    let far = [there[0][j] - x, there[1][j] - y, there[2][j] - z];
                    let square = far[0] * far[0] + far[1] * far[1] + far[2] * far[2] + SOFTENING;
                    let inverse = 1.0 / square.sqrt();
                    let pull = there[3][j] * inverse * inverse * inverse;
                    [pull * far[0], pull * far[1], pull * far[2]]
                },
                Sum::<[f32; 3]>::new(),
            );
            team.single(|i| acceleration[i] = sum);
        },
    )
}

/// The same by loops, in `f64`.
fn plain(bodies: &[Body]) -> Vec<f32> {
    let wide = |body: &Body| body.map(f64::from);
    let mut found = Vec::new();
    for here in bodies.iter().map(wide) {
        let mut sum = [0.0; 3];
        for there in bodies.iter().map(wide) {
            let far = [0, 1, 2].map(|axis| there[axis] - here[axis]);
            let square = far.iter().map(|far| far * far).sum::<f64>() + f64::from(SOFTENING);
            (0..3).for_each(|axis| sum[axis] += there[3] * far[axis] * square.powf(-1.5));
        }
        found.extend(sum.map(|sum| sum as f32));
    }
    found
}

fn body([i]: [usize; 1]) -> Body {
    core::array::from_fn(|part| spread(4 * i + part) as f32)
}

/// Compares a few bodies with the plain loops.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let n = 70;
    let bodies = space.view_from_fn("bodies", [n], body).map_err(told)?;
    let mut acceleration = space.zeros("acceleration", [n]).map_err(told)?;
    accelerate(space, &bodies, &mut acceleration).map_err(told)?;
    let (bodies, found) = (bodies.to_host().map_err(told)?, acceleration.to_host().map_err(told)?);
    let expected = plain(slice(&bodies));
    near("acceleration", slice(&found).as_flattened(), &expected, 1e-5)?;
    let part = |part: usize| space.view_from_fn("part", [n], move |i| body(i)[part]).map_err(told);
    let parts = [part(0)?, part(1)?, part(2)?, part(3)?];
    accelerate_by_teams(space, parts.each_ref(), &mut acceleration).map_err(told)?;
    near(
        "acceleration by teams",
        slice(&acceleration.to_host().map_err(told)?).as_flattened(),
        &expected,
        1e-5,
    )
}

fn race(setup: &Setup, n: usize) -> Made {
    let data = (setup.view("bodies", [n], body)?, setup.view("acceleration", [n], |_| [0.0_f32; 3])?);
    let expected = plain(slice(&data.0));
    let lineup = setup.race(
        data,
        Work { bytes: 0, elements: n * n },
        |space, (bodies, acceleration)| accelerate(space, bodies, acceleration),
        source!("n_body"),
        move |peer, (bodies, acceleration)| {
            // SAFETY: the source reads four floats of each body, and writes three.
            unsafe { peer.call(&[read(slice(bodies)), out(slice_mut(acceleration))], &[n]) };
        },
        move |(_, acceleration)| near("acceleration", slice(acceleration).as_flattened(), &expected, 1e-4),
    )?;
    let part = |part: usize| setup.view("part", [n], move |i| body(i)[part]);
    let (space, parts) = (setup.space.clone(), [part(0)?, part(1)?, part(2)?, part(3)?]);
    let lineup = lineup.with("Spelt teams", move |(_, acceleration)| {
        accelerate_by_teams(&space, parts.each_ref(), acceleration).expect("the launch fits the Views");
    });
    Ok(Box::new(lineup.reset(|(_, acceleration)| slice_mut(acceleration).fill([-1.0; 3]))))
}
