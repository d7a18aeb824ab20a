//! Runs of equal neighbours: `unique`, `run_length`, `reduce_by_key`.

use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::ErrorKind;
use spelt::algorithms::*;
use spelt::prelude::*;

use crate::equal::{assert_same, borders, noise, rough};
use crate::segmented::segment;
use crate::spaces::every;

/// The key of index `i` in runs of this length; 0 stands for lengths that differ widely.
fn key(i: usize, run: usize) -> u64 {
    match run {
        0 => u64::from(i.ilog2()) * 1000 + if i % 1000 < 30 { i as u64 % 30 } else { 77 },
        run => (i / run) as u64 % 3,
    }
}

/// Where each run of `keys` begins.
fn begins<K: PartialEq>(keys: &[K]) -> Vec<usize> {
    (0..keys.len()).filter(|&i| i == 0 || keys[i - 1] != keys[i]).collect()
}

/// Where the runs end that begin there.
fn ends(begins: &[usize], n: usize) -> Vec<usize> {
    begins.iter().skip(1).copied().chain([n]).take(begins.len()).collect()
}

every! { on_every_space:
    fn runs_of_all_lengths(space, _setting) {
        for n in borders(16).into_iter().chain([20_000]) {
            for run in [0, 1, 2, 10, 1000, 100_000] {
                let keys: Vec<u64> = (1..=n).map(|i| key(i, run)).collect();
                let x = space.view_from_fn("x", [n], |[i]| key(i + 1, run)).expect("memory");
                let begins = begins(&keys);
                let lengths: Vec<usize> = ends(&begins, n).iter().zip(&begins).map(|(end, begin)| end - begin).collect();
                let firsts: Vec<u64> = begins.iter().map(|&i| keys[i]).collect();
                let found = unique(space, &x).expect("memory").to_host().expect("memory").to_vec();
                assert_same(&found, &firsts, format!("unique of {n} by {run}"));
                let (values, found) = run_length(space, &x).expect("memory");
                assert_same(&values.to_host().expect("memory").to_vec(), &firsts, format!("runs of {n} by {run}"));
                assert_same(&found.to_host().expect("memory").to_vec(), &lengths, format!("lengths of {n} by {run}"));
                let (at, found) = non_trivial_runs(space, &x).expect("memory");
                let wanted: (Vec<usize>, Vec<usize>) =
                    begins.into_iter().zip(lengths).filter(|&(_, length)| length > 1).unzip();
                assert_same(&at.to_host().expect("memory").to_vec(), &wanted.0, format!("long runs of {n} by {run}"));
                assert_same(&found.to_host().expect("memory").to_vec(), &wanted.1, format!("their lengths in {n} by {run}"));
            }
        }
    }

    fn sums_by_key_have_the_bits_of_segments(space, _setting) {
        for n in borders(16).into_iter().chain([20_000]) {
            for run in [0, 1, 3, 1000, 100_000] {
                let keys: Vec<u64> = (1..=n).map(|i| key(i, run)).collect();
                let begins = begins(&keys);
                let wanted: Vec<f64> = ends(&begins, n).iter().zip(&begins).map(|(&end, &begin)| {
                    segment(&Sum::new(), &(begin..end).map(rough).collect::<Vec<_>>())
                }).collect();
                let x = space.view_from_fn("x", [n], |[i]| key(i + 1, run)).expect("memory");
                let values = space.view_from_fn("values", [n], |[i]| rough(i)).expect("memory");
                let (firsts, sums) = reduce_by_key(space, &x, &values, Sum::new()).expect("lengths agree");
                assert_eq!(firsts.len(), begins.len());
                assert_same(&sums.to_host().expect("memory").to_vec(), &wanted, format!("{n} by {run}"));
            }
        }
    }

    fn case_30_and_values_in_order(space, _setting) {
        let of = |values: &[u64]| space.view_from_fn("values", [values.len()], |[i]| values[i]).expect("memory");
        let floats = space.view_from_fn("floats", [4], |[i]| i as f64 + 1.0).expect("memory");
        let (keys, sums) = reduce_by_key(space, &of(&[1, 1, 2, 1]), &floats, Sum::new()).expect("lengths agree");
        assert_eq!(keys.to_host().expect("memory").to_vec(), [1, 2, 1]);
        assert_eq!(sums.to_host().expect("memory").to_vec(), [3.0, 3.0, 4.0]);
        let (values, lengths) = run_length(space, &of(&[0, 2, 2, 9, 5, 5, 5, 8])).expect("memory");
        assert_eq!(values.to_host().expect("memory").to_vec(), [0, 2, 9, 5, 8]);
        assert_eq!(lengths.to_host().expect("memory").to_vec(), [1, 2, 1, 3, 1]);
        let (begins, lengths) = non_trivial_runs(space, &of(&[0, 2, 2, 9, 5, 5, 5, 8])).expect("memory");
        assert_eq!(begins.to_host().expect("memory").to_vec(), [1, 4]);
        assert_eq!(lengths.to_host().expect("memory").to_vec(), [2, 3]);
        let error = reduce_by_key(space, &of(&[1, 1]), &floats, Sum::new()).expect_err("lengths differ");
        assert_eq!(error.kind(), ErrorKind::Extents);

        // Digits written one after the other: not commutative, and finished as a float.
        let digits = custom([0_u64, 1], |into: &mut [u64; 2], from: &[u64; 2]| {
            let [a, tens] = *into;
            *into = [a.wrapping_mul(from[1]).wrapping_add(from[0]), tens.wrapping_mul(from[1])];
        }).non_commutative().with_finish(|[number, _]: [u64; 2]| number as f64);
        let n = 20_000;
        let keys = space.view_from_fn("keys", [n], |[i]| (i / 7 % 3) as u64).expect("memory");
        let values = space.view_from_fn("digits", [n], |[i]| [i as u64 % 10, 10]).expect("memory");
        let (_, numbers) = reduce_by_key(space, &keys, &values, digits).expect("lengths agree");
        let wanted: Vec<f64> = (0..n).step_by(7).map(|begin| {
            (begin..n.min(begin + 7)).fold(0_u64, |number, i| number * 10 + i as u64 % 10) as f64
        }).collect();
        assert_same(&numbers.to_host().expect("memory").to_vec(), &wanted, "digits");
    }

    fn the_first_of_equals_stays_and_nan_is_alone(space, _setting) {
        let keys = [0.0, -0.0, -0.0, f64::NAN, f64::NAN, -0.0, 0.0, 1.0];
        let x = space.view_from_fn("x", [8], |[i]| keys[i]).expect("memory");
        let wanted = vec![0.0, f64::NAN, f64::NAN, -0.0, 1.0];
        assert_same(&unique(space, &x).expect("memory").to_host().expect("memory").to_vec(), &wanted, "unique");
        let ones = space.view_from_fn("ones", [8], |_| 1.0).expect("memory");
        let (firsts, sums) = reduce_by_key(space, &x, &ones, Sum::new()).expect("lengths agree");
        assert_same(&firsts.to_host().expect("memory").to_vec(), &wanted, "keys");
        assert_eq!(sums.to_host().expect("memory").to_vec(), [3.0, 1.0, 1.0, 2.0, 1.0]);
    }
}

every! { on_every_host_space:
    fn values_join_as_often_as_documented(space, _setting) {
        for (n, run) in [(1, 1), (1000, 1), (20_000, 3), (20_000, 0), (40_000, 100_000)] {
            let joins = AtomicUsize::new(0);
            let counting = custom(0.0, |into: &mut f64, from: &f64| {
                joins.fetch_add(1, Ordering::Relaxed);
                *into += from;
            });
            let keys = space.view_from_fn("keys", [n], |[i]| key(i + 1, run)).expect("memory");
            let values = space.view_from_fn("values", [n], |[i]| noise(i)).expect("memory");
            let (_, sums) = reduce_by_key(space, &keys, &values, &counting).expect("lengths agree");
            let joins = joins.into_inner();
            let most = n + n / 64 * 31 + n / 16 * 7 + n / 1024 + 31;
            assert!((n..=most).contains(&joins), "{joins} for {n} by {run}");
            let total: f64 = sums.iter().sum();
            let wanted: f64 = (0..n).map(noise).sum();
            assert!((total - wanted).abs() < 1e-9 * n as f64);
        }
    }

    fn keys_that_are_never_sure_spoil_nothing(space, _setting) {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        /// A key that says every third time that it is another.
        #[derive(Clone, Copy, spelt::Element)]
        struct Unsure(u32);
        impl PartialEq for Unsure {
            fn eq(&self, _: &Self) -> bool {
                !ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(3)
            }
        }
        let n = 30_000;
        let keys = space.view_from_fn("keys", [n], |[i]| Unsure(i as u32)).expect("memory");
        let ones = space.view_from_fn("ones", [n], |_| 1.0).expect("memory");
        ASKED.store(0, Ordering::Relaxed);
        let (firsts, sums) = reduce_by_key(space, &keys, &ones, Sum::new()).expect("lengths agree");
        assert_eq!(ASKED.load(Ordering::Relaxed), n - 1, "each two neighbours are compared once");
        assert_eq!(firsts.len(), 1 + (n - 1).div_ceil(3));
        assert_eq!(sums.iter().sum::<f64>(), n as f64);
        assert!(firsts.as_slice().expect("dense").is_sorted_by(|a, b| a.0 < b.0));
    }
}
