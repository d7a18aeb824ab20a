//! expdist: the similarity of two sets of particles, a sum of exponentials over all pairs.

use spelt::math::exp;
use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "expdist",
    hypothesis: "An exponential of `f64` for each pair, vector code here, a call in C++; with -ffast-math C++ has exp of vectors, with an error \
        of 4 units in place of 0.7: within 1.3 of that.",
    size: "particles of each set",
    variants: &[Variant::new("f64", &[200, 4000], race)],
};

/// Particles of two dimensions: two coordinates and the uncertainty, each a View.
type Particles<M> = [View<f64, 1, M>; 3];

/// The similarity.
///
/// # Errors
/// If there are too many pairs.
pub fn similarity<S: ExecutionSpace>(
    space: &S,
    a: &Particles<S::Memory>,
    b: &Particles<S::Memory>,
) -> spelt::Result<f64> {
    let pairs = space.md_range([0..a[0].len(), 0..b[0].len()]);
    let args = (a.each_ref().map(|part| part.along::<0>()), b.each_ref().map(|part| part.along::<1>()));
    parallel_map_reduce(
        "expdist",
        pairs,
        args,
        move |i, ([ax, ay, a_scale], [bx, by, b_scale])| {
            let (x, y) = (ax[i] - bx[i], ay[i] - by[i]);
            exp(-(x * x + y * y) / (a_scale[i] * a_scale[i] + b_scale[i] * b_scale[i]))
        },
        Sum::<f64>::new(),
    )
}

/// The same by loops over the particles of both sets.
fn plain(a: [&[f64]; 3], b: [&[f64]; 3]) -> f64 {
    let particles = |set: [&[f64]; 3]| -> Vec<[f64; 3]> {
        (0..set[0].len()).map(|i| [set[0][i], set[1][i], set[2][i]]).collect()
    };
    let mut sum = 0.0;
    for [ax, ay, a_scale] in particles(a) {
        for [bx, by, b_scale] in particles(b) {
            let square = (ax - bx).powi(2) + (ay - by).powi(2);
            sum += (-square / (a_scale.powi(2) + b_scale.powi(2))).exp();
        }
    }
    sum
}

/// The particles of a set.
fn particles<S: ExecutionSpace>(space: &S, n: usize, set: usize) -> Result<Particles<S::Memory>, String> {
    let part = |part: usize| {
        let number =
            move |[i]: [usize; 1]| spread(set * 1_000_003 + 3 * i + part) + if part == 2 { 0.1 } else { 0.0 };
        space.view_from_fn("particles", [n], number).map_err(told)
    };
    Ok([part(0)?, part(1)?, part(2)?])
}

/// Compares small sets with the plain loops.
///
/// # Errors
/// If the sums differ.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let found = similarity(space, &particles(space, 40, 0)?, &particles(space, 33, 1)?).map_err(told)?;
    let host = Serial::new();
    let (a, b) = (particles(&host, 40, 0)?, particles(&host, 33, 1)?);
    near("the similarity", &[found], &[plain(a.each_ref().map(slice), b.each_ref().map(slice))], 1e-13)
}

/// Two sets, and the similarity.
struct Data {
    sets: [Particles<spelt::HostSpace>; 2],
    similarity: [f64; 1],
}

fn race(setup: &Setup, n: usize) -> Made {
    let sets = [particles(&setup.space, n, 0)?, particles(&setup.space, n, 1)?];
    let [a, b] = sets.each_ref().map(|set| set.each_ref().map(slice));
    let expected = plain(a, b);
    let lineup = setup.race(
        Data { sets, similarity: [0.0] },
        Work { bytes: 0, elements: n * n },
        |space, Data { sets: [a, b], similarity: found }| {
            found[0] = similarity(space, a, b)?;
            Ok(())
        },
        source!("expdist"),
        move |peer, Data { sets, similarity }| {
            let mut arrays: Vec<_> = sets.iter().flatten().map(|part| read(slice(part))).collect();
            arrays.push(out(similarity));
            // SAFETY: the source reads six arrays of n doubles, and writes one.
            unsafe { peer.call(&arrays, &[n]) };
        },
        move |data| near("the similarity", &data.similarity, &[expected], 1e-10),
    )?;
    Ok(Box::new(lineup.reset(|data| data.similarity[0] = -1.0)))
}
