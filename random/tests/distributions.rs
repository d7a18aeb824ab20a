//! The numbers have their distributions: tests of statistics, with fixed seeds, so that they give the same answer each time.

use spelt_random::{Draws, Random};

const N: usize = 40_000;

/// The largest distance of the empirical distribution function of `N` numbers from `distribution`, times the root of `N`. Of numbers that have
/// the distribution it is below 1.95 in 999 of 1000 cases.
fn kolmogorov_smirnov(draw: impl Fn(&mut Draws) -> f64, distribution: impl Fn(f64) -> f64) -> f64 {
    let random = Random::new(2026);
    let mut numbers: Vec<f64> = (0..N).map(|i| draw(&mut random.at(i))).collect();
    numbers.sort_by(f64::total_cmp);
    let n = N as f64;
    let distance = |(i, x): (usize, &f64)| {
        let expected = distribution(*x);
        (expected - i as f64 / n).abs().max((expected - (i + 1) as f64 / n).abs())
    };
    numbers.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// The statistic of counts against what is expected, reduced to a standard normal number (Wilson and Hilferty).
fn chi_square(counts: &[u64], expected: &[f64]) -> f64 {
    let square = |(count, expected): (&u64, &f64)| (*count as f64 - expected).powi(2) / expected;
    let sum: f64 = counts.iter().zip(expected).map(square).sum();
    let freedom = (counts.len() - 1) as f64;
    ((sum / freedom).cbrt() - (1.0 - 2.0 / (9.0 * freedom))) / (2.0 / (9.0 * freedom)).sqrt()
}

/// Checks the counts of `n` numbers below `bins` against equal ones.
fn assert_even(name: &str, bins: usize, numbers: impl Iterator<Item = usize>) {
    let mut counts = vec![0; bins];
    let mut n = 0.0;
    for number in numbers {
        counts[number] += 1;
        n += 1.0;
    }
    let z = chi_square(&counts, &vec![n / bins as f64; bins]);
    // Neither too uneven nor too even.
    assert!(z.abs() < 3.5, "{name}: {z}");
}

#[test]
fn uniform_numbers_are_even_over_draws_indices_steps_and_seeds() {
    let random = Random::new(1);
    let bins = 101;
    let bin = |bits: u64| ((u128::from(bits) * bins as u128) >> 64) as usize;
    assert_even("indices", bins, (0..N).map(|i| bin(random.at(i).u64())));
    assert_even("steps", bins, (0..N).map(|i| bin(random.step(i as u64).at(3).u64())));
    assert_even("high steps", bins, (0..N).map(|i| bin(random.step((i as u64) << 32).at(3).u64())));
    assert_even("seeds", bins, (0..N).map(|i| bin(Random::new(i as u64).at(3).u64())));
    let mut draws = random.at(9);
    assert_even("draws", bins, (0..N).map(|_| bin(draws.u64())));
    assert_even("low bits", 64, (0..N).map(|i| (random.at(i).u64() & 63) as usize));
    assert_even("floats", bins, (0..N).map(|i| (random.at(i).f64() * bins as f64) as usize));
    assert_even("short floats", bins, (0..N).map(|i| (random.at(i).f32() * bins as f32) as usize));
}

#[test]
fn neighbours_do_not_depend_on_one_another() {
    let random = Random::new(4);
    let bin = |draws: &mut Draws| (draws.u32() >> 28) as usize;
    let pair = |first: usize, second: usize| 16 * first + second;
    assert_even(
        "index",
        256,
        (0..N).map(|i| pair(bin(&mut random.at(2 * i)), bin(&mut random.at(2 * i + 1)))),
    );
    assert_even("step", 256, (0..N).map(|i| pair(bin(&mut random.at(i)), bin(&mut random.step(1).at(i)))));
    assert_even("seed", 256, (0..N).map(|i| pair(bin(&mut random.at(i)), bin(&mut Random::new(5).at(i)))));
    let draws = |i: usize| {
        let mut draws = random.at(i);
        pair(bin(&mut draws), bin(&mut draws))
    };
    assert_even("draw", 256, (0..N).map(draws));
}

/// One bit of seed, step or index changes half of the bits of a number.
#[test]
fn each_bit_changes_half_of_the_bits() {
    for bit in 0..64 {
        let flipped = 1 << bit;
        let (mut seeds, mut steps, mut indices) = (0, 0, 0);
        for i in 0..200_u64 {
            let number = Random::new(i).step(7 * i).at(i * i).u64();
            seeds += (number ^ Random::new(i ^ flipped).step(7 * i).at(i * i).u64()).count_ones();
            steps += (number ^ Random::new(i).step((7 * i) ^ flipped).at(i * i).u64()).count_ones();
            indices += (number ^ Random::new(i).step(7 * i).at((i * i) ^ flipped).u64()).count_ones();
        }
        for changed in [seeds, steps, indices] {
            assert!((6000..6800).contains(&changed), "bit {bit}: {changed} of 12800");
        }
    }
}

#[test]
fn integers_of_a_range_are_even() {
    let random = Random::new(3);
    assert_even("6", 6, (0..N).map(|i| random.at(i).range(0..6)));
    assert_even("signed", 7, (0..N).map(|i| (random.at(i).range(-3..4) + 3) as usize));
    assert_even("bytes", 255, (0..N).map(|i| (random.at(i).range(i8::MIN..i8::MAX) as i16 + 128) as usize));
    // Two thirds of all words: a modulus would give the first half of the range twice as often.
    let long = u32::MAX / 3 * 2;
    assert_even(
        "long",
        10,
        (0..N).map(|i| (u64::from(random.at(i).range(0..long)) * 10 / u64::from(long)) as usize),
    );
    let long = u64::MAX / 3 * 2;
    let part = |x: u64| (u128::from(x) * 10 / u128::from(long)) as usize;
    assert_even("longer", 10, (0..N).map(|i| part(random.at(i).range(0..long))));
    // Three quarters of all words: a product without rejection would give each third number twice as often.
    assert_even("thirds", 3, (0..N).map(|i| (random.at(i).range(0..3_u32 << 30) % 3) as usize));
    assert_even("longer thirds", 3, (0..N).map(|i| (random.at(i).range(0..3_u64 << 62) % 3) as usize));
}

#[test]
fn ends_of_ranges() {
    let random = Random::new(8);
    for i in 0..2000 {
        let mut draws = random.at(i);
        assert_eq!(draws.range(5..6), 5);
        assert_eq!(draws.range(i64::MAX - 1..i64::MAX), i64::MAX - 1);
        let _whole: i64 = draws.range(i64::MIN..i64::MAX);
        assert_eq!(draws.range(1.0..1.0_f64.next_up()), 1.0);
        assert!((1.0..1.000_000_3).contains(&draws.range(1.0..1.000_000_3_f32)));
        assert!(!draws.chance(0.0) && draws.chance(1.0));
    }
}

#[test]
fn arguments_without_a_distribution_are_refused() {
    type Case = (&'static str, fn(&mut Draws));
    let cases: [Case; 10] = [
        ("an empty range", |draws| _ = draws.range(3..3)),
        ("empty or not finite", |draws| _ = draws.range(1.0..1.0)),
        ("empty or not finite", |draws| _ = draws.range(0.0..f64::NAN)),
        ("empty or not finite", |draws| _ = draws.range(f64::MIN..f64::MAX)),
        ("a mean from 0", |draws| _ = draws.poisson(-1e-300)),
        ("a mean from 0", |draws| _ = draws.poisson(f64::NAN)),
        ("a mean from 0", |draws| _ = draws.poisson(1e16)),
        ("a shape larger than 0", |draws| _ = draws.gamma(0.0)),
        ("a shape larger than 0", |draws| _ = draws.gamma(-1.0)),
        ("a shape larger than 0", |draws| _ = draws.gamma(f64::NAN)),
    ];
    for (number, (expected, draw)) in cases.into_iter().enumerate() {
        let panic = std::panic::catch_unwind(|| draw(&mut Random::new(1).at(0))).expect_err("a panic");
        let message =
            panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        assert!(message.is_some_and(|message| message.contains(expected)), "{number}: {message:?}");
    }
}

#[test]
fn floats_have_their_distributions() {
    let normal = |x: f64| 0.5 * spelt_math::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let erlang = |x: f64| 1.0 - (-x).exp() * (1.0 + x + x * x / 2.0);
    for (name, distance) in [
        ("uniform", kolmogorov_smirnov(|draws| draws.range(-3.0..1.0), |x| (x + 3.0) / 4.0)),
        ("normal", kolmogorov_smirnov(Draws::normal, normal)),
        ("exponential", kolmogorov_smirnov(Draws::exponential, |x| 1.0 - (-x).exp())),
        ("gamma of 1", kolmogorov_smirnov(|draws| draws.gamma(1.0), |x| 1.0 - (-x).exp())),
        ("gamma of 3", kolmogorov_smirnov(|draws| draws.gamma(3.0), erlang)),
        // The square of a normal number, halved.
        (
            "gamma of 1/2",
            kolmogorov_smirnov(|draws| draws.gamma(0.5), |x| 2.0 * normal((2.0 * x).sqrt()) - 1.0),
        ),
    ] {
        assert!((0.3..1.95).contains(&distance), "{name}: {distance}");
    }
}

#[test]
fn counts_have_the_distribution_of_poisson() {
    for mean in [0.5, 4.0, 9.99, 10.0, 30.0, 400.0] {
        let width = 4.0 * f64::sqrt(mean) + 3.0;
        let (first, last) = ((mean - width).max(0.0) as u64, (mean + width) as u64);
        let mut counts = vec![0_u64; (last - first + 1) as usize];
        let random = Random::new(11);
        for i in 0..N {
            let number = random.at(i).poisson(mean);
            counts[(number.clamp(first, last) - first) as usize] += 1;
        }
        // Probabilities by the definition, in logarithms; what is beyond the ends belongs to them.
        let (mut probabilities, mut logarithm) = (Vec::new(), -mean);
        for k in 0..4 * last + 100 {
            if k > 0 {
                logarithm += mean.ln() - (k as f64).ln();
            }
            let at = (k.clamp(first, last) - first) as usize;
            probabilities.resize(probabilities.len().max(at + 1), 0.0);
            probabilities[at] += N as f64 * logarithm.exp();
        }
        // Bins of at least five.
        let (mut found, mut wanted) = (vec![0], vec![0.0]);
        for (count, probability) in counts.iter().zip(&probabilities) {
            if *wanted.last().expect("a bin") >= 5.0 {
                found.push(0);
                wanted.push(0.0);
            }
            *found.last_mut().expect("a bin") += count;
            *wanted.last_mut().expect("a bin") += probability;
        }
        let last = (found.pop().expect("a bin"), wanted.pop().expect("a bin"));
        *found.last_mut().expect("a bin") += last.0;
        *wanted.last_mut().expect("a bin") += last.1;
        let z = chi_square(&found, &wanted);
        assert!(z.abs() < 3.5, "{mean}: {z}");
    }
    assert_eq!(Random::new(1).at(0).poisson(0.0), 0);
    let large = Random::new(1).at(0).poisson(1e15) as f64;
    assert!((large - 1e15).abs() < 6.0 * 1e15_f64.sqrt(), "{large}");
}
