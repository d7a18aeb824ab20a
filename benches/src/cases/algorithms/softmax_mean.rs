//! The mean of vectors, each weighted by an exponential.

use rayon::prelude::*;
use spelt::algorithms::SoftmaxMean;
use spelt::prelude::*;

use super::{SIZES, fraction};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "softmax_mean",
    hypothesis: "Vectors of four f32 with exponents from -20 to 20, read once, one exponential each. Five running numbers \
        and a maximum go along in each lane, which registers still hold: twice the time of log_sum_exp. Plain and \
        rayon take the maximum first and the weighted sums in a second pass, with the platform's exp: a third of \
        rayon's time.",
    size: "n",
    variants: &[Variant { name: "f32 D = 4", width: 1, sizes: SIZES, race }],
};

/// Largest distance from the mean in f64, of numbers from 0 to 1, also of one running sum.
const ERROR: f64 = 1e-3;

type Vector = [f32; 4];

struct Data {
    exponents: View<f32, 1>,
    vectors: View<Vector, 1>,
}

/// The sum of weights, then the weighted sums.
type Sums = [f32; 5];

fn add(sums: Sums, more: Sums) -> Sums {
    core::array::from_fn(|k| sums[k] + more[k])
}

fn weighted(weight: f32, vector: Vector) -> Sums {
    [weight, weight * vector[0], weight * vector[1], weight * vector[2], weight * vector[3]]
}

fn mean([weight, sums @ ..]: Sums) -> Vector {
    sums.map(|sum| sum / weight)
}

fn race(setup: &Setup, n: usize) -> Made {
    let vector = |i: usize| core::array::from_fn(|d| fraction(5 * i + d + 1));
    let data = Data {
        exponents: setup.view("exponents", [n], |[i]| 40.0 * fraction(5 * i) - 20.0)?,
        vectors: setup.view("vectors", [n], |[i]| vector(i))?,
    };
    let mut want = [0.0_f64; 5];
    for (f, vector) in slice(&data.exponents).iter().zip(slice(&data.vectors)) {
        let weight = f64::from(*f).exp();
        want[0] += weight;
        vector.iter().zip(&mut want[1..]).for_each(|(x, sum)| *sum += weight * f64::from(*x));
    }
    let check = move |_: &Data, got: &Vector| {
        let wrong = |d: &usize| {
            let error = (f64::from(got[*d]) - want[d + 1] / want[0]).abs();
            // Written so that NaN is wrong.
            let right = error <= ERROR;
            !right
        };
        match (0..4).find(wrong) {
            Some(d) => Err(format!("component {d} is {}, not {}", got[d], want[d + 1] / want[0])),
            None => Ok(()),
        }
    };
    let threads = setup.space.clone();
    let work = Work { bytes: n * (size_of::<f32>() + size_of::<Vector>()), elements: n };
    let lineup = Lineup::new(data, work, check)
        .with("Spelt", move |data| {
            parallel_reduce(
                "softmax mean",
                threads.range(0..n),
                (&data.exponents, &data.vectors),
                |i, mean, (exponents, vectors)| mean.update(exponents[i], vectors[i]),
                SoftmaxMean::<f32, 4>::new(),
            )
            .expect("the Views cover the range")
        })
        .with("plain", |data| {
            let (exponents, vectors) = (slice(&data.exponents), slice(&data.vectors));
            let most = exponents.iter().copied().fold(f32::MIN, f32::max);
            let terms = exponents.iter().zip(vectors).map(|(f, vector)| weighted((f - most).exp(), *vector));
            mean(terms.fold([0.0; 5], add))
        })
        .with("rayon", |data| {
            let (exponents, vectors) = (slice(&data.exponents), slice(&data.vectors));
            let most = exponents.par_iter().copied().reduce(|| f32::MIN, f32::max);
            let terms = exponents.par_iter().zip(vectors);
            let terms = terms.map(|(f, vector)| weighted((f - most).exp(), *vector));
            mean(terms.reduce(|| [0.0; 5], add))
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(slice(&data.exponents)));
            core::hint::black_box(limit.read(slice(&data.vectors).as_flattened()));
            [0.0; 4]
        });
    Ok(Box::new(lineup))
}
