//! Scans, out of place, in place, and mapped.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::ErrorKind;
use spelt::algorithms::{
    exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
    transform_exclusive_scan, transform_exclusive_scan_in_place, transform_inclusive_scan,
    transform_inclusive_scan_in_place,
};
use spelt::prelude::*;
use spelt::reducers::Reducer;

use crate::equal::{assert_same, borders, noise, rough};
use crate::oracle;
use crate::spaces::every;

/// `(a, b)` then `(c, d)` is `(a c, b c + d)`: it does not commute, and does not say so.
pub(crate) fn affine() -> impl Reducer<Value = [u64; 2], Output = [u64; 2]> + Copy + Send + Sync {
    custom([1_u64, 0], |a: &mut [u64; 2], b: &[u64; 2]| {
        *a = [a[0].wrapping_mul(b[0]), a[1].wrapping_mul(b[0]).wrapping_add(b[1])];
    })
}

/// The values that each iteration finds and leaves in the canonical order, and the total.
pub(crate) fn prefixes<R>(
    reducer: &R,
    n: usize,
    contribute: impl Fn(usize, &mut R::Value),
) -> (Vec<R::Value>, Vec<R::Value>, R::Output)
where
    R: Reducer,
    R::Value: Clone,
{
    let before = RefCell::new(vec![reducer.init(); n]);
    let seen = RefCell::new(vec![false; n]);
    let (after, total) = oracle::scan(reducer, n, |i, value| {
        // The oracle asks twice: for the prefix, then for the contribution alone.
        if !seen.borrow_mut()[i] {
            before.borrow_mut()[i] = value.clone();
            seen.borrow_mut()[i] = true;
        }
        contribute(i, value);
    });
    (before.into_inner(), after, total)
}

/// Fails unless prefixes of rough noise are as good as their depth of joins allows: 5 in a row, 64 rows, some tiles.
fn assert_near(prefixes: &[f64], n: usize) {
    for i in (0..n).step_by(n / 7 + 1).chain(n.checked_sub(1)) {
        let (exact, magnitude) = oracle::exact_sum((0..=i).map(rough));
        let error = (prefixes[i] - exact).abs();
        assert!(error <= 128.0 * f64::EPSILON * magnitude, "{i} of {n}: {error}");
    }
}

/// The joins of a scan of `n` values with 32 lanes whose joins are not exact, on a number of threads.
///
/// For each element the contribution, half a join for each of the five steps of its row, the value before it, and the second call; on
/// several threads the contributions and rows once more, for the totals. Beside these some for rows, tiles and the tree.
pub(crate) fn joins_of_a_scan(n: usize, threads: usize) -> std::ops::RangeInclusive<usize> {
    let halves = if threads == 1 { 11 } else { 18 };
    n..=halves * n / 2 + n / 8 + 64
}

every! { on_every_space:
    fn integers_scan_as_in_a_loop(space, _setting) {
        for n in borders(4).into_iter().chain([20_000]) {
            let x = space.view_from_fn("x", [n], |[i]| (i * 31 % 1009) as i32 - 500).expect("memory");
            let (mut inclusive, mut exclusive) = (vec![0; n], vec![0; n]);
            let mut sum = 0;
            for i in 0..n {
                exclusive[i] = sum + 7;
                sum += (i * 31 % 1009) as i32 - 500;
                inclusive[i] = sum;
            }
            let mut y = space.zeros::<i32, 1>("y", [n]).expect("memory");
            assert_eq!(inclusive_scan(space, &x, &mut y, Sum::new()).expect("covered"), sum, "{n}");
            assert_eq!(y.to_host().expect("memory").to_vec(), inclusive, "{n}");
            assert_eq!(exclusive_scan(space, &x, &mut y, 7, Sum::new()).expect("covered"), sum + 7, "{n}");
            assert_eq!(y.to_host().expect("memory").to_vec(), exclusive, "{n}");
            let mut z = x.to_space(space).expect("memory");
            assert_eq!(inclusive_scan_in_place(space, &mut z, Sum::new()).expect("covered"), sum, "{n}");
            assert_eq!(z.to_host().expect("memory").to_vec(), inclusive, "{n}");
            let mut z = x.to_space(space).expect("memory");
            assert_eq!(exclusive_scan_in_place(space, &mut z, 7, Sum::new()).expect("covered"), sum + 7, "{n}");
            assert_eq!(z.to_host().expect("memory").to_vec(), exclusive, "{n}");
            // From zero on, a host has another loop.
            exclusive.iter_mut().for_each(|prefix| *prefix -= 7);
            assert_eq!(exclusive_scan(space, &x, &mut y, 0, Sum::new()).expect("covered"), sum, "{n}");
            assert_eq!(y.to_host().expect("memory").to_vec(), exclusive, "{n}");
            let mut z = x.to_space(space).expect("memory");
            assert_eq!(exclusive_scan_in_place(space, &mut z, 0, Sum::new()).expect("covered"), sum, "{n}");
            assert_eq!(z.to_host().expect("memory").to_vec(), exclusive, "{n}");
        }
    }

    fn affine_maps_compose_in_index_order(space, _setting) {
        for n in [60, 10_001] {
            let x = space.view_from_fn("x", [n], |[i]| i as u64 + 1).expect("memory");
            let mut y = space.zeros::<[u64; 2], 1>("y", [n]).expect("memory");
            transform_inclusive_scan(space, &x, &mut y, |x, _| [2, x], affine()).expect("covered");
            let y = y.to_host().expect("memory");
            let mut wanted = 0_u64;
            for i in 0..n {
                wanted = wanted.wrapping_mul(2).wrapping_add(i as u64 + 1);
                assert_eq!(y[i][1], wanted, "{i} of {n}");
            }
            assert_eq!((y[0][1], y[1][1], y[2][1], y[3][1]), (1, 4, 11, 26));
            let mut y = y.to_space(space).expect("memory");
            let total = transform_exclusive_scan(space, &x, &mut y, [5, 3], |x, i| [2, x + i as u64], affine());
            let y = y.to_host().expect("memory");
            let mut wanted = [5, 3];
            for i in 0..n {
                assert_eq!(y[i], wanted, "{i} of {n}");
                affine().join(&mut wanted, &[2, 2 * i as u64 + 1]);
            }
            assert_eq!(total.expect("covered"), wanted);
        }
    }

    fn floats_scan_with_the_canonical_bits(space, _setting) {
        let sum = Sum::<f64>::new();
        for n in borders(8).into_iter().chain([20_000]) {
            let (before, prefixes, total) = prefixes(&sum, n, |i, sum| *sum += rough(i));
            assert_near(&prefixes, n);
            // The initial value takes part once, on the left, after the elements have joined.
            let before: Vec<f64> = before.into_iter().map(|prefix| 0.7 + prefix).collect();
            let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
            assert_same(&inclusive_scan(space, &x, &mut y, sum).expect("covered"), &total, n);
            assert_same(&y.to_host().expect("memory").to_vec(), &prefixes, format!("inclusive, {n}"));
            assert_same(&exclusive_scan(space, &x, &mut y, 0.7, sum).expect("covered"), &(0.7 + total), n);
            assert_same(&y.to_host().expect("memory").to_vec(), &before, format!("exclusive, {n}"));
            let mut y = x.to_space(space).expect("memory");
            assert_same(&inclusive_scan_in_place(space, &mut y, sum).expect("covered"), &total, n);
            assert_same(&y.to_host().expect("memory").to_vec(), &prefixes, format!("inclusive in place, {n}"));
            let mut y = x.to_space(space).expect("memory");
            assert_same(&exclusive_scan_in_place(space, &mut y, 0.7, sum).expect("covered"), &(0.7 + total), n);
            assert_same(&y.to_host().expect("memory").to_vec(), &before, format!("exclusive in place, {n}"));
        }
    }

    fn before_the_first_element_is_the_initial_value_to_the_bit(space, _setting) {
        // Joined with an identity, -0.0 would become 0.0 in a sum, and NaN infinity in a minimum.
        let nan = f64::from_bits(0x7ff8_0000_dead_beef);
        for n in [0, 1, 2, 20_000] {
            let x = space.view_from_fn("x", [n], |[i]| noise(i)).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
            let mut z = x.to_space(space).expect("memory");
            let sums = [
                exclusive_scan(space, &x, &mut y, -0.0, Sum::new()).expect("covered"),
                exclusive_scan_in_place(space, &mut z, -0.0, Sum::new()).expect("covered"),
            ];
            let first = |y: &View<f64, 1, S::Memory>| y.to_host().expect("memory").to_vec().first().copied();
            assert_same(&[first(&y), first(&z)], &[(n > 0).then_some(-0.0); 2], n);
            let least = exclusive_scan(space, &x, &mut y, nan, Min::new()).expect("covered");
            assert_same(&first(&y), &(n > 0).then_some(nan), n);
            // Joined with one, a NaN of this kind would become another.
            let signalling = f64::from_bits(0x7ff4_0000_dead_beef);
            exclusive_scan(space, &x, &mut y, signalling, Prod::new()).expect("covered");
            assert_same(&first(&y), &(n > 0).then_some(signalling), n);
            if n == 0 {
                assert_same(&(sums, least), &([-0.0; 2], nan), "no element");
            }
        }
    }

    fn truths_that_are_other_numbers_scan_with_the_canonical_bits(space, _setting) {
        // A join makes 2 a 1, so the prefixes show where joins are.
        let any = LOr::<i32>::new();
        let contribute = |i: usize, any: &mut i32| *any |= if i.is_multiple_of(7) { 2 } else { 0 };
        for n in [1, 100, 20_000] {
            let (_, wanted, total) = prefixes(&any, n, contribute);
            let mut y = space.zeros::<i32, 1>("y", [n]).expect("memory");
            let found = parallel_scan("any", space.range(0..n), &mut y, move |i, any, last, mut y| {
                contribute(i.get(), any);
                if last {
                    y[i] = *any;
                }
            }, any);
            assert_eq!(found.expect("covered"), total, "{n}");
            assert_same(&y.to_host().expect("memory").to_vec(), &wanted, n);
        }
    }

    fn mapped_floats_scan_with_the_canonical_bits(space, _setting) {
        // The value of a lane is 16 bytes: other lanes and tiles than those of one number.
        let pair = (Sum::<f64>::new(), Max::<f64>::new());
        let contribute = |i: usize, (sum, max): &mut (f64, f64)| {
            *sum += noise(i) as f32 as f64 * 0.1;
            *max = max.max(noise(i) as f32 as f64);
        };
        for n in borders(16).into_iter().chain([20_000]) {
            let (before, prefixes, total) = prefixes(&pair, n, contribute);
            let before: Vec<(f64, f64)> = before.into_iter().map(|(sum, max)| (0.7 + sum, max.max(-0.5))).collect();
            let x = space.view_from_fn("x", [n], |[i]| noise(i) as f32).expect("memory");
            let mut y = space.zeros::<(f64, f64), 1>("y", [n]).expect("memory");
            let map = |x: f32, _| (f64::from(x) * 0.1, f64::from(x));
            assert_same(&transform_inclusive_scan(space, &x, &mut y, map, pair).expect("covered"), &total, n);
            assert_same(&y.to_host().expect("memory").to_vec(), &prefixes, format!("inclusive, {n}"));
            transform_exclusive_scan(space, &x, &mut y, (0.7, -0.5), map, pair).expect("covered");
            assert_same(&y.to_host().expect("memory").to_vec(), &before, format!("exclusive, {n}"));
        }
    }

    fn mapped_scans_in_place_have_the_bits_of_those_out_of_place(space, _setting) {
        // The map also takes the index, and is called more than once for an element, which must still be there.
        let map = |x: f64, i: usize| x * 0.7 + i as f64;
        let bits = |y: &View<f64, 1, S::Memory>| y.to_host().expect("memory").to_vec();
        for n in borders(8).into_iter().chain([20_000]) {
            let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
            let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
            let total = transform_inclusive_scan(space, &x, &mut y, map, Sum::new()).expect("covered");
            let mut z = x.to_space(space).expect("memory");
            let found = transform_inclusive_scan_in_place(space, &mut z, map, Sum::new()).expect("covered");
            assert_same(&(found, bits(&z)), &(total, bits(&y)), format!("inclusive, {n}"));
            let total = transform_exclusive_scan(space, &x, &mut y, 0.7, map, Sum::new()).expect("covered");
            let mut z = x.to_space(space).expect("memory");
            let found = transform_exclusive_scan_in_place(space, &mut z, 0.7, map, Sum::new()).expect("covered");
            assert_same(&(found, bits(&z)), &(total, bits(&y)), format!("exclusive, {n}"));
        }
    }
}

every! { on_every_host_space:
    fn basics(space, _setting) {
        let x = space.view_from_fn("x", [4], |[i]| i as i32 + 1).expect("memory");
        let mut y = space.zeros::<i32, 1>("y", [4]).expect("memory");
        inclusive_scan(space, &x, &mut y, Sum::new()).expect("covered");
        assert_eq!(y.to_vec(), [1, 3, 6, 10]);
        exclusive_scan(space, &x, &mut y, 0, Sum::new()).expect("covered");
        assert_eq!(y.to_vec(), [0, 1, 3, 6]);
        exclusive_scan(space, &x, &mut y, 2, Max::new()).expect("covered");
        assert_eq!(y.to_vec(), [2, 2, 2, 3]);
    }

    fn strided_views(space, _setting) {
        let x = space.view_from_fn("x", [3000, 3], |[i, j]| (i * j) as u64).expect("memory");
        let mut y = space.zeros::<u64, 2>("y", [3000, 2]).expect("memory");
        inclusive_scan(space, &x.subview((All, 1)), &mut y.subview_mut((All, 1)), Sum::new()).expect("covered");
        assert!((0..3000).all(|i| y[[i, 0]] == 0 && y[[i, 1]] == (i * (i + 1) / 2) as u64));
        transform_inclusive_scan_in_place(space, &mut y.subview_mut((All, 0)), |x, i| x + i as u64, Sum::new())
            .expect("covered");
        assert!((0..3000).all(|i| y[[i, 0]] == (i * (i + 1) / 2) as u64 && y[[i, 1]] == y[[i, 0]]));
    }

    fn other_lengths_are_refused(space, _setting) {
        let x = space.zeros::<i32, 1>("x", [3]).expect("memory");
        let mut y = space.zeros::<i32, 1>("short", [2]).expect("memory");
        let error = inclusive_scan(space, &x, &mut y, Sum::new()).expect_err("too short");
        assert_eq!(error.kind(), ErrorKind::Extents);
        let message = error.to_string();
        assert!(["`x` has 3", "`short` has 2"].iter().all(|part| message.contains(part)), "{message}");
        assert!(exclusive_scan(space, &x, &mut y, 0, Sum::new()).is_err());
    }

    /// At most three joins for each element where values are exact, and one on a thread that is alone; otherwise those of rows.
    fn calls_and_joins(space, _setting) {
        struct Counting<'a, const EXACT: bool>(&'a AtomicUsize);
        impl<const EXACT: bool> Clone for Counting<'_, EXACT> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<const EXACT: bool> Copy for Counting<'_, EXACT> {}
        impl<const E: bool> Reducer for Counting<'_, E> {
            type Value = u64;
            type Output = u64;
            const COMMUTATIVE: bool = false;
            const EXACT: bool = E;
            fn init(&self) -> u64 {
                0
            }
            fn join(&self, into: &mut u64, from: &u64) {
                self.0.fetch_add(1, Ordering::Relaxed);
                *into += from;
            }
            fn finish(&self, value: u64) -> u64 {
                value
            }
        }
        for n in [0, 1, 2048, 30_000] {
            let (calls, joins) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let x = space.zeros::<u8, 1>("x", [n]).expect("memory");
            let mut y = space.zeros::<u64, 1>("y", [n]).expect("memory");
            let map = |_, i| {
                calls.fetch_add(1, Ordering::Relaxed);
                i as u64
            };
            transform_inclusive_scan(space, &x, &mut y, map, Counting::<false>(&joins)).expect("covered");
            assert!((n..=3 * n).contains(&calls.swap(0, Ordering::Relaxed)), "{n}");
            let of_rows = joins_of_a_scan(n, space.concurrency());
            assert!(of_rows.contains(&joins.swap(0, Ordering::Relaxed)), "{n}");
            transform_inclusive_scan(space, &x, &mut y, map, Counting::<true>(&joins)).expect("covered");
            let (calls, joins) = (calls.into_inner(), joins.into_inner());
            if space.concurrency() == 1 {
                assert_eq!((calls, joins), (n, n));
            } else {
                let most = 3 * n + n / 8 + 64;
                assert!((n..=3 * n).contains(&calls) && (n..=most).contains(&joins), "{n}: {calls} {joins}");
            }
        }
    }
}
