//! Time per element of every function over an array in cache, beside `std`'s.
//!
//! `cargo run --release -p spelt-math --example throughput`

use std::hint::black_box;
use std::time::Instant;

const LEN: usize = 4096;
const ROUNDS: usize = 9;

/// Best time per element in nanoseconds.
fn time<T: Copy>(input: &[T], output: &mut [T], pass: impl Fn(&[T], &mut [T])) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..8 {
                pass(black_box(input), black_box(output));
            }
            start.elapsed().as_nanos() as f64 / (8 * LEN) as f64
        })
        .fold(f64::INFINITY, f64::min)
}

/// Evenly spaced arguments from `low` to `high`.
fn arguments(low: f64, high: f64) -> Vec<f64> {
    (0..LEN).map(|i| low + (high - low) * (i as f64 + 0.5) / LEN as f64).collect()
}

macro_rules! compare {
    ($($name:ident: $low:literal..$high:literal, |$x:ident| $ours:expr, $theirs:expr;)*) => {$(
        compare!(@one f64, $name: $low..$high, |$x| $ours, $theirs);
        compare!(@one f32, $name: $low..$high, |$x| $ours, $theirs);
    )*};
    (@one $type:ty, $name:ident: $low:literal..$high:literal, |$x:ident| $ours:expr, $theirs:expr) => {{
        let input: Vec<$type> = arguments($low, $high).iter().map(|&x| x as $type).collect();
        let mut output: Vec<$type> = vec![0.0; LEN];
        #[inline(never)]
        fn ours(input: &[$type], output: &mut [$type]) {
            for (y, &$x) in output.iter_mut().zip(input) {
                *y = $ours;
            }
        }
        #[inline(never)]
        fn theirs(input: &[$type], output: &mut [$type]) {
            for (y, &$x) in output.iter_mut().zip(input) {
                *y = $theirs;
            }
        }
        let ours = time(&input, &mut output, ours);
        let theirs = time(&input, &mut output, theirs);
        println!(
            "| {} | {} | {ours:.2} | {theirs:.2} | {:.1} |",
            stringify!($name),
            stringify!($type),
            theirs / ours
        );
    }};
}

fn main() {
    println!("| Function | Type | ns | ns, std | std / ours |");
    println!("|---|---|---|---|---|");
    compare! {
        exp: -20.0..20.0, |x| spelt_math::exp(x), x.exp();
        exp2: -20.0..20.0, |x| spelt_math::exp2(x), x.exp2();
        exp10: -9.0..9.0, |x| spelt_math::exp10(x), x.exp();
        exp_m1: -2.0..2.0, |x| spelt_math::exp_m1(x), x.exp_m1();
        ln: 0.01..100.0, |x| spelt_math::ln(x), x.ln();
        ln_1p: -0.9..10.0, |x| spelt_math::ln_1p(x), x.ln_1p();
        log2: 0.01..100.0, |x| spelt_math::log2(x), x.log2();
        log10: 0.01..100.0, |x| spelt_math::log10(x), x.log10();
        sin: -30.0..30.0, |x| spelt_math::sin(x), x.sin();
        cos: -30.0..30.0, |x| spelt_math::cos(x), x.cos();
        tan: -30.0..30.0, |x| spelt_math::tan(x), x.tan();
        asin: -1.0..1.0, |x| spelt_math::asin(x), x.asin();
        acos: -1.0..1.0, |x| spelt_math::acos(x), x.acos();
        atan: -5.0..5.0, |x| spelt_math::atan(x), x.atan();
        atan2: -5.0..5.0, |x| spelt_math::atan2(x, 1.5), x.atan2(1.5);
        sinh: -5.0..5.0, |x| spelt_math::sinh(x), x.sinh();
        cosh: -5.0..5.0, |x| spelt_math::cosh(x), x.cosh();
        tanh: -3.0..3.0, |x| spelt_math::tanh(x), x.tanh();
        pow: 0.1..10.0, |x| spelt_math::pow(x, 2.7), x.powf(2.7);
        cbrt: -50.0..50.0, |x| spelt_math::cbrt(x), x.cbrt();
        rsqrt: 0.1..10.0, |x| spelt_math::rsqrt(x), 1.0 / x.sqrt();
        hypot: -5.0..5.0, |x| spelt_math::hypot(x, 1.5), x.hypot(1.5);
        // `std` has neither error functions nor 10^x; the main part of their work is used instead.
        erf: -3.0..3.0, |x| spelt_math::erf(x), (-x * x).exp();
        erfc: -3.0..10.0, |x| spelt_math::erfc(x), (-x * x).exp();
    }
}
