//! Random numbers: those of the seed, the step, the index and the draw, on every space.

use spelt::prelude::*;
use spelt::random::{Random, fill_normal, fill_uniform, permutation, sample, shuffle};
use spelt::{ErrorKind, Layout};

use crate::spaces::every;

/// Integers of one index, with draws that do not end at a block of words.
fn integers(random: Random, index: usize) -> [u64; 8] {
    let mut draws = random.at(index);
    [
        u64::from(draws.u32()),
        draws.u64(),
        u64::from(draws.range(0..6_u8)),
        draws.range(-3..4_i32) as u64,
        draws.range(1..u64::MAX),
        u64::from(draws.bool()) + 2 * u64::from(draws.chance(0.3)),
        draws.poisson(3.5),
        draws.poisson(250.0),
    ]
}

/// Floats of one index.
fn floats(random: Random, index: usize) -> [f64; 7] {
    let mut draws = random.at(index);
    [
        f64::from(draws.f32()),
        draws.f64(),
        draws.range(-1.0..2.0_f64),
        draws.normal(),
        draws.exponential(),
        draws.gamma(2.5),
        draws.gamma(0.25),
    ]
}

fn fills<S: ExecutionSpace, L: Layout>(space: &S) {
    let random = Random::new(7);
    let mut x = space.zeros_in::<f64, 3, L>(L::default(), "x", [5, 3, 7]).expect("memory");
    fill_normal(space, &mut x, random, 2.0, 0.5).expect("a deviation");
    let wanted: Vec<_> = (0..105).map(|i: usize| 2.0 + 0.5 * random.at(i).normal()).collect();
    assert_eq!(x.to_host().expect("memory").to_vec(), wanted);

    let mut dice = space.zeros_in::<u8, 2, L>(L::default(), "dice", [9, 11]).expect("memory");
    fill_uniform(space, &mut dice, random.step(1), 1..7).expect("a range");
    let wanted: Vec<_> = (0..99).map(|i: usize| random.step(1).at(i).range(1..7_u8)).collect();
    assert_eq!(dice.to_host().expect("memory").to_vec(), wanted);
}

every! { on_every_space:
    fn numbers_are_those_of_their_index(space, setting) {
        let n = 300;
        let mut whole = space.zeros::<[u64; 8], 1>("integers", [n]).expect("memory");
        let mut real = space.zeros::<[f64; 7], 1>("floats", [n]).expect("memory");
        // Steps and seeds of one word and of two.
        for (seed, step) in [(0, 0), (u64::MAX, 3), (1 << 40, 1 << 33)] {
            let random = Random::new(seed).step(step);
            let args = (random, &mut whole, &mut real);
            parallel_for("draw", setting.range(space, 0..n), args, move |i, (random, mut whole, mut real)| {
                whole[i] = integers(random, i.get());
                real[i] = floats(random, i.get() + (7 << 32));
            }).expect("covered");
            let wanted = (0..n).map(|i| integers(random, i));
            assert_eq!(whole.to_host().expect("memory").to_vec(), wanted.collect::<Vec<_>>(), "{random:?}");
            for (i, found) in real.to_host().expect("memory").to_vec().into_iter().enumerate() {
                let wanted = floats(random, i + (7 << 32));
                assert_eq!(found.map(f64::to_bits), wanted.map(f64::to_bits), "{random:?} {i}");
            }
        }
    }

    fn views_are_filled_by_the_number_of_the_element(space, _setting) {
        fills::<S, Right>(space);
        fills::<S, Left>(space);
    }

    fn orders_are_those_of_the_keys(space, _setting) {
        for n in [0, 1, 2, 1000] {
            let random = Random::new(5).step(n as u64);
            let mut wanted: Vec<usize> = (0..n).collect();
            wanted.sort_by_key(|i| (random.at(*i).u64(), *i));
            assert_eq!(permutation(space, n, random).expect("memory").to_host().expect("memory").to_vec(), wanted);
            for count in [0, 1, n / 3, n, n + 1] {
                let drawn = sample(space, n, count, random).expect("memory").to_host().expect("memory");
                assert_eq!(drawn.to_vec(), wanted[..count.min(n)], "{count} of {n}");
            }
            let mut letters = space.view_from_fn("letters", [n], |[i]| 3 * i as u32).expect("memory");
            shuffle(space, &mut letters, random).expect("memory");
            let wanted: Vec<_> = wanted.into_iter().map(|i| 3 * i as u32).collect();
            assert_eq!(letters.to_host().expect("memory").to_vec(), wanted);
        }
    }

    fn ranges_without_numbers_are_refused(space, _setting) {
        let mut x = space.zeros::<f64, 1>("x", [3]).expect("memory");
        for range in [1.0..1.0, 1.0..0.0, f64::NAN..1.0, 0.0..f64::INFINITY, f64::MIN..f64::MAX] {
            let error = fill_uniform(space, &mut x, Random::new(1), range.clone()).expect_err("no range");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(&format!("view `x`: no random numbers are in {range:?}")), "{error}");
        }
        for deviation in [-1.0, f64::NAN] {
            let error = fill_normal(space, &mut x, Random::new(1), 0.0, deviation).expect_err("no deviation");
            assert!(error.to_string().contains(&format!("{deviation} is not a standard deviation")), "{error}");
        }
        assert_eq!(x.to_host().expect("memory").to_vec(), [0.0; 3]);
    }
}
