//! Half precision numbers.

use half::{bf16, f16};
use spelt_core::reducers::{MinMaxLoc, Sum};
use spelt_core::{ExecutionSpace, parallel_for, parallel_reduce};

use crate::{device, elements, host, noise};

/// The bits of a number, with one NaN: which NaN it is, is not promised.
fn bits(number: impl Into<f64> + Copy) -> u64 {
    let number = number.into();
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// Arithmetic in `$half`, comparisons, conversions from and to both floats, and reductions in and of it.
macro_rules! on_both {
    ($space:expr, $half:ident) => {{
        let space = $space;
        let n = 5000;
        let x = space
            .view_from_fn("x", [n], |[i]| match i {
                7 => $half::NAN,
                8 => $half::INFINITY,
                9 => -$half::MIN_POSITIVE_SUBNORMAL,
                _ => $half::from_f64(noise(i) * 100.0),
            })
            .unwrap();
        let mut y = space.zeros::<$half, 1>("y", [n]).unwrap();
        let mut z = space.zeros::<f64, 1>("z", [n]).unwrap();
        parallel_for("half", space.range(0..n), (&x, &mut y, &mut z), move |i, (x, mut y, mut z)| {
            let half = $half::from_f32(0.3) * x[i] - x[i] / $half::from_f64(7.0);
            y[i] = if half > x[i] { half } else { -half };
            z[i] = f64::from(x[i]) + f64::from(x[i].to_f32().abs().sqrt());
        })
        .unwrap();
        let sum = parallel_reduce(
            "wide",
            space.range(10..n),
            &x,
            |i, sum, x| *sum += x[i].to_f32(),
            Sum::<f32>::new(),
        );
        let best = parallel_reduce(
            "best",
            space.range(10..n),
            &x,
            |i, best, x| best.update(x[i], i.get()),
            MinMaxLoc::<$half>::new(),
        )
        .unwrap();
        (
            elements(&y.to_host().unwrap()).iter().map(|y| bits(*y)).collect::<Vec<_>>(),
            elements(&z.to_host().unwrap()).iter().map(|z| bits(*z)).collect::<Vec<_>>(),
            sum.unwrap().to_bits(),
            (best.min_val.to_bits(), best.min_loc, best.max_val.to_bits(), best.max_loc),
        )
    }};
}

#[test]
fn half_precision_has_the_same_bits() {
    let Some(device) = device() else { return };
    assert_eq!(on_both!(&device, f16), on_both!(&host(), f16));
    assert_eq!(on_both!(&device, bf16), on_both!(&host(), bf16));
}
