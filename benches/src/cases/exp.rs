//! `y = exp(x)` for each element.

use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "exp",
    hypothesis: "`spelt::math::exp` has no branches and becomes vector code, eight numbers at a time, where `f64::exp` \
        is a call for each: at most a third of rayon's time, however the work is distributed.",
    size: "n",
    variants: &[Variant { name: "f64", width: 1, sizes: SIZES, race }],
};

fn race(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<f64>::new(setup, n, 0, n)?;
    let space = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<f64>(), elements: n };
    let check = |data: &Vectors<f64>, _: &()| {
        for (i, (y, x)) in data.y().iter().zip(data.x()).enumerate() {
            let want = x.exp();
            // Written so that NaN is wrong.
            let right = (y - want).abs() <= 2.0 * f64::EPSILON * want;
            if !right {
                return Err(format!("exp({x}) at {i} is {y}, not {want}"));
            }
        }
        Ok(())
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(0))
        .with("Spelt", move |data| {
            parallel_for("exp", space.range(0..data.x.len()), (&data.x, &mut data.y), |i, (x, mut y)| {
                y[i] = spelt::math::exp(x[i]);
            })
            .expect("the Views cover the range");
        })
        .with("plain", |data| {
            let (y, x, _) = data.split();
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x.exp());
        })
        .with("rayon", |data| {
            let (y, x, _) = data.split();
            y.par_iter_mut().zip(x).for_each(|(y, x)| *y = x.exp());
        })
        .with("ndarray", |data| {
            let (y, x) = (slice_mut(&mut data.y), slice(&data.x));
            ndarray::ArrayViewMut1::from(y).zip_mut_with(&ndarray::ArrayView1::from(x), |y, x| *y = x.exp());
        });
    Ok(Box::new(lineup))
}
