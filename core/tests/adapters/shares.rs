//! One reduction by several spaces at the same time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use spelt_core::reducers::{MinLoc, MinLocValue, Reducer, Sum};
use spelt_core::{
    ErrorKind, ExecutionSpace, Idx, Part, Result, Serial, View, parallel_reduce, reduce_shares,
};

const TILE: usize = Part::<Sum<f64>>::TILE;

/// A number that looks like noise.
fn noise(i: usize) -> f64 {
    let mixed =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Cuts at random, empty shares, and cuts inside and beside the borders of tiles.
fn cuts(n: usize) -> Vec<Vec<usize>> {
    let random = |shares: usize, seed: usize| {
        let mut cuts: Vec<usize> =
            (1..shares).map(|k| ((noise(7 * seed + k) + 1.0) / 2.0 * n as f64) as usize).collect();
        cuts.extend([0, n]);
        cuts.sort_unstable();
        cuts
    };
    let mut all = vec![
        vec![0, n],
        vec![0, 0, n],
        vec![0, n, n],
        vec![0, n / 2, n / 2, n],
        vec![0, n / 3, (n / 3 + 1).min(n), n],
    ];
    for (shares, seed) in [(2, 1), (3, 2), (3, 3), (8, 4), (40, 5)] {
        all.push(random(shares, seed));
    }
    for cut in [1, TILE / 2, TILE - 1, TILE, TILE + 1, 3 * TILE + 5] {
        all.push(vec![0, cut.min(n), (cut + 1).min(n), n]);
    }
    all
}

#[test]
fn shares_have_the_bits_of_one_launch() {
    let space = Serial::new();
    for n in [0, 1, 33, TILE - 1, TILE, TILE + 1, 5 * TILE, 7 * TILE + 100] {
        let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
        let sum = parallel_reduce("sum", space.range(0..n), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())
            .unwrap();
        let closure = |i: Idx<'_, 1>, least: &mut MinLocValue<f64>, ()| {
            least.update(noise(i.get()).abs(), i.get());
        };
        let least = parallel_reduce("least", space.range(0..n), (), closure, MinLoc::<f64>::new()).unwrap();
        for cuts in cuts(n) {
            // Each space has its own share, with indices from 0 on.
            let own: Vec<_> = cuts
                .windows(2)
                .map(|cut| View::from_fn("own", [cut[1] - cut[0]], |[i]| noise(cut[0] + i)).unwrap())
                .collect();
            let shares = reduce_shares(&cuts, Sum::<f64>::new(), |k, part, iterations| {
                let policy = space.range(iterations.start - cuts[k]..iterations.end - cuts[k]);
                part.reduce("sum", policy, &own[k], |i, sum, x| *sum += x[i])
            });
            assert_eq!(shares.unwrap().to_bits(), sum.to_bits(), "{n}: {cuts:?}");
            let shares = reduce_shares(&cuts, MinLoc::<f64>::new(), |_, part, iterations| {
                part.reduce("least", space.range(iterations), (), closure)
            });
            assert_eq!(shares.unwrap(), least, "{n}: {cuts:?}");
        }
    }
}

/// Each share is asked for its whole tiles once and for its begun tile once, and for nothing else.
#[test]
fn shares_are_asked_for_their_own_iterations() {
    let (n, space) = (5 * TILE, Serial::new());
    let cuts = [0, TILE / 2, TILE / 2 + 1, 2 * TILE, 4 * TILE + 7, n];
    let calls = Mutex::new(Vec::new());
    let count = reduce_shares(&cuts, Sum::<usize>::new(), |k, part, iterations| {
        calls.lock().unwrap().push((k, iterations.clone()));
        part.map_reduce("count", space.range(iterations), (), |_, ()| 1)
    });
    assert_eq!(count.unwrap(), n);
    let mut calls = calls.into_inner().unwrap();
    calls.sort_by_key(|(k, iterations)| (*k, iterations.start));
    let tile = Part::<Sum<usize>>::TILE;
    assert_eq!(tile, TILE);
    let expected = [
        (0, 0..TILE / 2),
        (1, TILE / 2..TILE / 2 + 1),
        (2, TILE / 2 + 1..TILE),
        (2, TILE..2 * TILE),
        (3, 2 * TILE..4 * TILE + 7),
        (4, 4 * TILE + 7..n),
    ];
    assert_eq!(calls, expected);
}

fn count(part: &mut Part<Sum<usize>>, iterations: core::ops::Range<usize>) -> Result<()> {
    part.map_reduce("count", Serial::new().range(iterations), (), |_, ()| 1)
}

#[test]
fn cuts_and_iterations_are_checked() {
    for cuts in [&[][..], &[0], &[1, 5], &[0, 5, 4]] {
        let error = reduce_shares(cuts, Sum::<usize>::new(), |_, part, i| count(part, i)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Extents, "{error}");
        assert!(error.to_string().contains(&format!("{cuts:?}")), "{error}");
    }
    let error = reduce_shares(&[0, TILE, 3 * TILE], Sum::<usize>::new(), |k, part, i| {
        count(part, i.start..i.end - k)
    });
    let words =
        format!("the part of share 1 ends with iteration {}, where {} was expected", 3 * TILE - 1, 3 * TILE);
    assert_eq!(error.unwrap_err().to_string(), words);
}

#[test]
fn errors_and_panics_of_shares_are_the_caller_s() {
    let cuts = [0, TILE, 2 * TILE, 3 * TILE];
    let fail = |k: usize| spelt_core::Error::new(ErrorKind::Io, format!("share {k} has no data"));
    let error = reduce_shares(
        &cuts,
        Sum::<usize>::new(),
        |k, part, i| {
            if k == 0 { count(part, i) } else { Err(fail(k)) }
        },
    );
    assert_eq!(error.unwrap_err().to_string(), "share 1 has no data");
    let reducer = Sum::<usize>::new();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        reduce_shares(&cuts, reducer, |k, part, i| if k == 2 { panic!("of share 2") } else { count(part, i) })
    }));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"of share 2"));
    assert_eq!(reducer.init(), 0);
}
