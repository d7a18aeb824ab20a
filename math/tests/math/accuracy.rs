//! Errors against exact values, and of `f32` against `f64` over all exponents.

use crate::functions::{FUNCTIONS, Function, unary};

/// Reference values; `generate.py` beside it documents their format.
const VALUES: &str = include_str!("../reference/values.txt");

/// The largest error seen, in ulp of the exact result, with its arguments and the number of points.
#[derive(Default)]
struct Worst {
    error: f64,
    arguments: [f64; 2],
    points: usize,
}

/// Distance of two results' places in the order of all numbers.
fn distance(a: i64, b: i64, width: u32) -> f64 {
    let place = |bits: i64| {
        if bits >> (width - 1) & 1 == 1 { (1i64 << (width - 1)).wrapping_sub(bits) } else { bits }
    };
    place(a).wrapping_sub(place(b)) as f64
}

fn measure(name: &str, double: bool) -> Worst {
    let header = format!("{name} {}", if double { "f64" } else { "f32" });
    let function = FUNCTIONS.iter().find(|row| row.0 == name).expect("the function is listed");
    let width = if double { 64 } else { 32 };
    let mut worst = Worst::default();
    let lines = VALUES.lines().skip_while(|line| *line != header).skip(1);
    for line in lines.take_while(|line| !line.ends_with("f64") && !line.ends_with("f32")) {
        let fields: Vec<u64> =
            line.split(' ').map(|field| u64::from_str_radix(field, 16).expect("hexadecimal")).collect();
        let (arguments, expected) = fields.split_at(fields.len() - 2);
        let (got, values) = if double {
            let x: Vec<f64> = arguments.iter().map(|&bits| f64::from_bits(bits)).collect();
            let y = match function.1 {
                Function::One(f) => f(x[0]),
                Function::Two(f) => f(x[0], x[1]),
            };
            (y.to_bits(), x)
        } else {
            let x: Vec<f32> = arguments.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
            let y = match function.3 {
                Function::One(f) => f(x[0]),
                Function::Two(f) => f(x[0], x[1]),
            };
            (u64::from(y.to_bits()), x.iter().map(|&x| f64::from(x)).collect())
        };
        // Magnitudes: the distance is counted away from zero.
        let sign = if expected[0] >> (width - 1) == 1 { -1.0 } else { 1.0 };
        let steps = sign * distance(got as i64, expected[0] as i64, width);
        let error = (steps - (expected[1] as f64 - 128.0) / 128.0).abs();
        worst.points += 1;
        if error > worst.error {
            worst.error = error;
            worst.arguments = [values[0], *values.last().expect("an argument")];
        }
    }
    worst
}

#[test]
fn accuracy_against_exact_values() {
    let mut failures = Vec::new();
    for &(name, _, double_bound, _, single_bound) in FUNCTIONS {
        for (double, bound) in [(true, double_bound), (false, single_bound)] {
            let worst = measure(name, double);
            let [x, y] = worst.arguments;
            let place = if name == "atan2" || name == "pow" || name == "hypot" {
                format!("{x:e}, {y:e}")
            } else {
                format!("{x:e}")
            };
            let kind = if double { "f64" } else { "f32" };
            println!("| {name} | {kind} | {:.2} | {place} | {} |", worst.error, worst.points);
            assert!(worst.points > 100, "{name} {kind} has too few reference values");
            if worst.error.is_nan() || worst.error > bound {
                failures.push(format!("{name} {kind}: {} ulp at {place}, promised {bound}", worst.error));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Every `STRIDE`-th bit pattern; a prime, so that all low bits occur.
const STRIDE: usize = if cfg!(debug_assertions) { 104_729 } else { 10_007 };

#[test]
fn f32_agrees_with_f64_over_all_exponents() {
    for (name, double, single, bound) in unary() {
        for bits in (0..=u32::MAX).step_by(STRIDE) {
            let x = f32::from_bits(bits);
            let (got, exact) = (single(x), double(x.into()));
            let rounded = exact as f32;
            if rounded.is_nan() || rounded.is_infinite() {
                assert!(got.is_nan() == rounded.is_nan(), "{name}({x:e}) = {got:e}, not {rounded:e}");
                assert!(got.is_nan() || got.abs() >= f32::MAX, "{name}({x:e}) = {got:e}, not {rounded:e}");
                continue;
            }
            // Next above minus itself: the place value of the last bit.
            let ulp = f64::from(f32::from_bits(rounded.abs().to_bits() + 1)) - f64::from(rounded.abs());
            let error = (f64::from(got) - exact).abs() / ulp;
            assert!(error <= bound, "{name}({x:e}) = {got:e}: {error} ulp");
        }
    }
}
