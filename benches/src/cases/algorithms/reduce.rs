//! Reductions as functions.

use rayon::prelude::*;
use spelt::algorithms::{reduce, reduce_commutative, transform_reduce, transform_reduce_commutative};
use spelt::prelude::*;
use spelt::reducers::custom;

use super::{SIZES, random};
use crate::cases::vectors::Vectors;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near, same};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "reduce",
    hypothesis: "Sums of f32, of their squares in f64, and compositions of affine maps of u32, which do not commute. What \
        commutes is the pattern with a closure that joins: its time, within 1.5 of the limit in cache. In index order \
        there are no lanes to join, so a float sum is a chain of additions on each thread: half of the time of a plain \
        loop, which is one chain too, and level with rayon's. So are the maps: a chain of a multiplication and an \
        addition.",
    size: "n",
    variants: &[
        Variant { name: "sum", width: 1, sizes: SIZES, race: sum::<true> },
        Variant { name: "sum commutative", width: 1, sizes: SIZES, race: sum::<false> },
        Variant { name: "squares", width: 1, sizes: SIZES, race: squares::<true> },
        Variant { name: "squares commutative", width: 1, sizes: SIZES, race: squares::<false> },
        Variant { name: "affine maps", width: 1, sizes: SIZES, race: maps },
    ],
};

fn sum<const IN_ORDER: bool>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<f32>::one(setup, n)?;
    let want = data.x().iter().map(|x| x.wide()).sum();
    let (function, pattern) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: n * size_of::<f32>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got: &f32| near("the sum", *got, want, n))
        .with("Spelt", move |data| {
            if IN_ORDER {
                reduce(&function, &data.x, Sum::new())
            } else {
                reduce_commutative(&function, &data.x, Sum::new())
            }
            .expect("nothing fails on a host")
        })
        .with("Spelt pattern", move |data| {
            parallel_reduce("sum", pattern.range(0..n), &data.x, |i, sum, x| *sum += x[i], Sum::<f32>::new())
                .expect("the View covers the range")
        })
        .with("plain", |data| data.x().iter().sum())
        .with("rayon", |data| data.x().par_iter().sum())
        .with_limit(&setup.limit, |limit, data| limit.sum(data.x()))
        .with_read(&setup.limit, |limit, data| limit.read(data.x()));
    Ok(Box::new(lineup))
}

fn squares<const IN_ORDER: bool>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<f32>::one(setup, n)?;
    let want = data.x().iter().map(|x| x.wide() * x.wide()).sum();
    let (function, pattern) = (setup.space.clone(), setup.space.clone());
    let square = |x: f32| f64::from(x) * f64::from(x);
    let work = Work { bytes: n * size_of::<f32>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got: &f64| near("the sum", *got, want, n))
        .with("Spelt", move |data| {
            if IN_ORDER {
                transform_reduce(&function, &data.x, |x, _| square(x), Sum::<f64>::new())
            } else {
                transform_reduce_commutative(&function, &data.x, |x, _| square(x), Sum::<f64>::new())
            }
            .expect("nothing fails on a host")
        })
        .with("Spelt pattern", move |data| {
            let range = pattern.range(0..n);
            parallel_map_reduce("squares", range, &data.x, |i, x| square(x[i]), Sum::<f64>::new())
                .expect("the View covers the range")
        })
        .with("plain", move |data| data.x().iter().map(|x| square(*x)).sum())
        .with("rayon", move |data| data.x().par_iter().map(|x| square(*x)).sum())
        .with_read(&setup.limit, |limit, data| limit.read(data.x()).into());
    Ok(Box::new(lineup))
}

/// The map x -> a x + b.
type Map = [u32; 2];

/// First `f`, then `g`.
#[inline(always)]
fn then(f: Map, g: Map) -> Map {
    [g[0].wrapping_mul(f[0]), g[0].wrapping_mul(f[1]).wrapping_add(g[1])]
}

const UNCHANGED: Map = [1, 0];

fn maps(setup: &Setup, n: usize) -> Made {
    // Odd factors, so that the product does not end up as zero.
    let map = |[i]: [usize; 1]| [random(i) as u32 | 1, (random(i) >> 32) as u32];
    let data: View<Map, 1> = setup.view("maps", [n], map)?;
    let want = slice(&data).iter().copied().fold(UNCHANGED, then);
    let (function, pattern) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: n * size_of::<Map>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, got: &Map| same("the composition", *got, want))
        .with("Spelt", move |data| {
            reduce(&function, &*data, custom(UNCHANGED, |f, g| *f = then(*f, *g)))
                .expect("nothing fails on a host")
        })
        .with("Spelt pattern", move |data| {
            let reducer = custom(UNCHANGED, |f, g| *f = then(*f, *g)).non_commutative();
            parallel_reduce("maps", pattern.range(0..n), &*data, |i, f, maps| *f = then(*f, maps[i]), reducer)
                .expect("the View covers the range")
        })
        .with("plain", |data| slice(data).iter().copied().fold(UNCHANGED, then))
        .with("rayon", |data| slice(data).par_iter().copied().reduce(|| UNCHANGED, then));
    Ok(Box::new(lineup))
}
