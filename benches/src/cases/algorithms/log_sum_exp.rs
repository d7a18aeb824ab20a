//! The logarithm of a sum of exponentials.

use rayon::prelude::*;
use spelt::algorithms::LogSumExp;
use spelt::prelude::*;

use super::{SIZES, fraction};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "log_sum_exp",
    hypothesis: "f32 from -40 to 40, read once: maximum and residual go along together, one exponential per element \
        without a branch. Plain and rayon take the maximum first and the sum in a second pass, with the platform's \
        exp: a third of rayon's time. Within twice the limit, which has the exponents of a block from the cache when \
        it knows their maximum; reading alone takes a fraction of either.",
    size: "n",
    variants: &[Variant { name: "f32", width: 1, sizes: SIZES, race }],
};

/// Largest distance from the result in f64 of sums in lanes. Unit: the result's own, whose exponential is the sum.
const ERROR: f64 = 3e-5;

/// The same for one running sum, which loses the smallest of 1e7 terms.
const ERROR_IN_ORDER: f64 = 1e-2;

fn race(setup: &Setup, n: usize) -> Made {
    let data: View<f32, 1> = setup.view("x", [n], |[i]| 80.0 * fraction(i) - 40.0)?;
    let want = slice(&data).iter().map(|x| f64::from(*x).exp()).sum::<f64>().ln();
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<f32>(), elements: n };
    let within = move |bound: f64| {
        move |_: &View<f32, 1>, got: &f32| {
            // Written so that NaN is wrong.
            let right = (f64::from(*got) - want).abs() <= bound;
            if right { Ok(()) } else { Err(format!("the result is {got}, not {want}")) }
        }
    };
    let in_order = |data: &mut View<f32, 1>| {
        let most = slice(data).iter().copied().fold(f32::MIN, f32::max);
        most + slice(data).iter().map(|x| (x - most).exp()).sum::<f32>().ln()
    };
    let in_parallel = |data: &mut View<f32, 1>| {
        let most = slice(data).par_iter().copied().reduce(|| f32::MIN, f32::max);
        most + slice(data).par_iter().map(|x| (x - most).exp()).sum::<f32>().ln()
    };
    let lineup = Lineup::new(data, work, within(ERROR))
        .with("Spelt", move |data| {
            let range = threads.range(0..data.len());
            parallel_reduce("exponents", range, &*data, |i, sum, x| sum.update(x[i]), LogSumExp::<f32>::new())
                .expect("the View covers the range")
        })
        .with_checked("plain", in_order, within(ERROR_IN_ORDER))
        .with_checked("rayon", in_parallel, within(ERROR_IN_ORDER))
        .with_limit(&setup.limit, |limit, data| limit.log_sum_exp(slice(data)))
        .with_read(&setup.limit, |limit, data| limit.read(slice(data)));
    Ok(Box::new(lineup))
}
