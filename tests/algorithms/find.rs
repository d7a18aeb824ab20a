//! Searches that may end early: the first place of a kind, and questions that one element answers.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::*;
use spelt::prelude::*;

use crate::equal::{EDGES, noise};
use crate::spaces::every;

/// Around groups and pieces of the host, and around those of the device.
const SIZES: [usize; 13] = [0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 4096, 4097, 8193, 20_000];

pub(crate) fn to_space<S: ExecutionSpace, T: Element>(space: &S, items: &[T]) -> View<T, 1, S::Memory> {
    ViewRef::from(items).to_space(space).expect("memory")
}

/// Nowhere, and at both ends, in the middle and at the borders of groups and pieces.
fn places(n: usize) -> impl Iterator<Item = usize> {
    let mut places = vec![usize::MAX, 0, 63, 64, 1023, 1024, n / 2, n.saturating_sub(1)];
    places.sort_unstable();
    places.dedup();
    places.into_iter().filter(move |&place| place < n || place == usize::MAX)
}

/// 2 before `place`, 1 there, and after it 1 or 2.
fn kinds(n: usize, place: usize) -> Vec<u32> {
    (0..n).map(|k| if k == place || (k > place && noise(k) > 0.0) { 1 } else { 2 }).collect()
}

every! { on_every_space:
    fn the_first_of_a_kind_is_found(space, _setting) {
        for n in SIZES {
            for place in places(n) {
                let items = kinds(n, place);
                let x = to_space(space, &items);
                let wanted = items.iter().position(|x| *x == 1);
                assert_eq!(find(space, &x, 1).expect("a search"), wanted, "{n}, {place}");
                assert_eq!(find_if(space, &x, |x| *x < 2).expect("a search"), wanted, "{n}, {place}");
                assert_eq!(find_if_not(space, &x, |x| *x == 2).expect("a search"), wanted, "{n}, {place}");
                assert_eq!(any_of(space, &x, |x| *x == 1).expect("a search"), wanted.is_some(), "{n}, {place}");
                assert_eq!(all_of(space, &x, |x| *x == 2).expect("a search"), wanted.is_none(), "{n}, {place}");
                assert_eq!(none_of(space, &x, |x| *x == 1).expect("a search"), wanted.is_none(), "{n}, {place}");
                let ones = items.iter().filter(|x| **x == 1).count();
                assert_eq!(count(space, &x, 1).expect("a count"), ones, "{n}, {place}");
                assert_eq!(count_if(space, &x, |x| *x == 2).expect("a count"), n - ones, "{n}, {place}");
                let values = to_space(space, &[9, 1, 7]);
                assert_eq!(find_first_of(space, &x, &values).expect("a search"), wanted, "{n}, {place}");
            }
            let x = to_space(space, &vec![5_u32; n]);
            let none = to_space::<_, u32>(space, &[]);
            assert_eq!(find_first_of(space, &x, &none).expect("a search"), None);
        }
    }

    fn neighbours_and_mismatches_are_found(space, _setting) {
        for n in SIZES {
            for place in places(n) {
                // Neighbours are equal from `place` on.
                let items: Vec<u32> = (0..n).map(|k| k.min(place) as u32).collect();
                let x = to_space(space, &items);
                let wanted = items.windows(2).position(|pair| pair[0] == pair[1]);
                assert_eq!(adjacent_find(space, &x).expect("a search"), wanted, "{n}, {place}");
                assert_eq!(adjacent_find_by(space, &x, |a, b| b <= a).expect("a search"), wanted, "{n}, {place}");
                // Of the lengths n and n + 1, different at `place` and here and there after it.
                let other: Vec<u32> =
                    (0..n + 1).map(|k| k.min(place) as u32 + u32::from(k == place || (k > place && k % 3 == 0))).collect();
                let y = to_space(space, &other);
                let same = y.subview(0..n);
                let differ = (0..n).find(|&k| items[k] != other[k]);
                assert_eq!(mismatch(space, &x, &same).expect("a search"), differ, "{n}, {place}");
                assert_eq!(mismatch(space, &y, &x).expect("a search"), differ.or(Some(n)), "{n}, {place}");
                assert_eq!(mismatch_by(space, &x, &y, |x, y| x >= y).expect("a search"), differ.or(Some(n)), "{n}, {place}");
                assert_eq!(equal(space, &same, &x).expect("a search"), differ.is_none(), "{n}, {place}");
                assert!(!equal(space, &x, &y).expect("a search"), "{n}, {place}");
                assert_eq!(equal_by(space, &x, &same, |x, y| x >= y).expect("a search"), differ.is_none(), "{n}, {place}");
                let compared = lexicographical_compare(space, &x, &same).expect("a search");
                assert_eq!(compared, items.partial_cmp(&other[..n].to_vec()), "{n}, {place}");
                let compared = lexicographical_compare(space, &y, &x).expect("a search");
                assert_eq!(compared, other.partial_cmp(&items), "{n}, {place}");
            }
        }
    }

    fn edge_values_are_found_by_their_own_equality(space, _setting) {
        let n = EDGES.len();
        let table = space.view_from_fn("x", [n, 3], |[i, j]| if j == 1 { EDGES[i] } else { -7.0 }).expect("memory");
        // Of any stride.
        let x = table.subview((.., 1));
        for value in EDGES {
            let wanted = EDGES.iter().position(|x| *x == value);
            assert_eq!(find(space, &x, value).expect("a search"), wanted, "{value}");
            assert_eq!(count(space, &x, value).expect("a count"), EDGES.iter().filter(|x| **x == value).count(), "{value}");
        }
        assert_eq!(find_if(space, &x, |x| x.is_nan()).expect("a search"), EDGES.iter().position(|x| x.is_nan()));
        assert_eq!(adjacent_find(space, &x).expect("a search"), EDGES.windows(2).position(|pair| pair[0] == pair[1]));
        let copy = to_space(space, &EDGES);
        let nan = EDGES.iter().position(|x| x.is_nan()).expect("there is one");
        assert_eq!(mismatch(space, &x, &copy).expect("a search"), Some(nan));
        assert!(!equal(space, &copy, &copy).expect("a search"), "NaN equals nothing");
        assert!(equal(space, &copy.subview(0..nan), &x.subview(0..nan)).expect("a search"));
        assert_eq!(lexicographical_compare(space, &x, &copy).expect("a search"), None);
        let zeros = to_space(space, &[0.0, 1.0]);
        assert_eq!(lexicographical_compare(space, &copy, &zeros).expect("a search"), [0.0, -0.0].partial_cmp(&[0.0, 1.0]));
    }

    fn one_view_is_found_within_another(space, _setting) {
        // Two kinds of elements, in all orders of up to 6, in a View in which most of these occur.
        for n in [0, 1, 5, 40, 300] {
            let items: Vec<u32> = (0..n).map(|k| u32::from(noise(k) > 0.0)).collect();
            let x = to_space(space, &items);
            for m in 0..7 {
                let patterns = [0, 1, 2, 5, 10, 21, 63].map(|bits| (0..m).map(|k| bits >> k & 1).collect());
                // Short ones are equal.
                for pattern in BTreeSet::<Vec<u32>>::from(patterns) {
                    let y = to_space(space, &pattern);
                    let at = |k: &usize| items[*k..].starts_with(&pattern);
                    assert_eq!(search(space, &x, &y).expect("a search"), (0..=n).find(at), "{pattern:?} in {n}");
                    assert_eq!(find_end(space, &x, &y).expect("a search"), (0..=n).rev().find(at), "{pattern:?} in {n}");
                }
            }
        }
        // Across the borders of pieces, where all but the last element of a pattern agree everywhere.
        for (n, m) in [(3000, 3), (3000, 2500), (9000, 40)] {
            let pattern = to_space(space, &[vec![1; m - 1], vec![2]].concat());
            for end in [m - 1, 1023, 1024, 1025, 4096, n - 1] {
                if end < m - 1 || end >= n {
                    continue;
                }
                let mut items = vec![1; n];
                items[end] = 2;
                let x = to_space(space, &items);
                let wanted = Some(end + 1 - m);
                assert_eq!(search_by(space, &x, &pattern, |x, y| x == y).expect("a search"), wanted, "{end} of {n}");
                assert_eq!(find_end(space, &x, &pattern).expect("a search"), wanted, "{end} of {n}");
                items[end] = 1;
                let x = to_space(space, &items);
                assert_eq!(search(space, &x, &pattern).expect("a search"), None);
                assert_eq!(find_end(space, &x, &pattern).expect("a search"), None);
            }
        }
    }

    fn runs_of_one_value_are_found(space, _setting) {
        for n in [0, 1, 50, 3000, 9000] {
            for one_in in [2, 40, 5000] {
                let items: Vec<u32> = (0..n).map(|k| u32::from((noise(k) + 1.0) * one_in as f64 >= 2.0)).collect();
                let x = to_space(space, &items);
                for count in [0, 1, 2, 5, 30, 1000, 1023, 1025, 2000, n, n + 1] {
                    let wanted = (0..=n).find(|&k| k + count <= n && items[k..k + count].iter().all(|x| *x == 1));
                    assert_eq!(search_n(space, &x, count, 1).expect("a search"), wanted, "{count} of {n}, {one_in}");
                }
            }
        }
        let x = to_space(space, &[f64::NAN, f64::NAN, -0.0, 0.0]);
        assert_eq!(search_n(space, &x, 1, f64::NAN).expect("a search"), None);
        assert_eq!(search_n(space, &x, 2, 0.0).expect("a search"), Some(2));
        assert_eq!(search_n(space, &x, usize::MAX, 0.0).expect("a search"), None);
    }

    fn partitions_are_recognized(space, _setting) {
        for n in SIZES {
            for place in places(n) {
                let split = place.min(n);
                let mut items: Vec<u32> = (0..n).map(|k| u32::from(k >= split)).collect();
                let x = to_space(space, &items);
                assert!(is_partitioned(space, &x, |x| *x == 0).expect("a search"), "{split} of {n}");
                assert_eq!(partition_point(space, &x, |x| *x == 0).expect("a search"), split, "{split} of {n}");
                let reversed = is_partitioned(space, &x, |x| *x == 1).expect("a search");
                assert_eq!(reversed, split == 0 || split == n, "{split} of {n}");
                for wrong in [0, n / 3, n - n.min(1)] {
                    if wrong < n {
                        items[wrong] ^= 1;
                        let x = to_space(space, &items);
                        let wanted = items.is_sorted();
                        assert_eq!(is_partitioned(space, &x, |x| *x == 0).expect("a search"), wanted, "{wrong}, {split} of {n}");
                        // Some number, but the same one as on one thread.
                        let alone = partition_point(&Serial::new(), &to_space(&Serial::new(), &items), |x| *x == 0).expect("a search");
                        let found = partition_point(space, &x, |x| *x == 0).expect("a search");
                        assert_eq!(found, alone, "{wrong}, {split} of {n}");
                        items[wrong] ^= 1;
                    }
                }
            }
        }
    }

    fn extremes_have_the_first_place_of_their_value(space, _setting) {
        let check = |items: &[f64]| {
            let x = to_space(space, items);
            let best = |better: fn(&f64, &f64) -> bool| {
                let numbers = items.iter().enumerate().filter(|(_, x)| !x.is_nan());
                numbers.reduce(|a, b| if better(b.1, a.1) { b } else { a }).map(|(k, _)| k)
            };
            let (least, most) = (best(|a, b| a < b), best(|a, b| a > b));
            assert_eq!(min_element(space, &x).expect("a reduction"), least, "{}", items.len());
            assert_eq!(max_element(space, &x).expect("a reduction"), most, "{}", items.len());
            assert_eq!(minmax_element(space, &x).expect("a reduction"), least.zip(most), "{}", items.len());
        };
        for first in 0..EDGES.len() {
            let mut items = EDGES.to_vec();
            items.rotate_left(first);
            check(&items);
            check(&items[..5]);
            check(&items[..1]);
        }
        check(&[]);
        check(&[f64::NAN; 70]);
        check(&[0.0, -0.0, 0.0]);
        check(&[f64::INFINITY; 70]);
        check(&[f64::NEG_INFINITY, f64::NAN, f64::NEG_INFINITY]);
        for n in [63, 2049, 20_000] {
            check(&(0..n).map(|k| (noise(k) * 50.0).trunc()).collect::<Vec<_>>());
        }
        // Elements that are the identities of the reductions.
        let (min, max) = (i64::MIN, i64::MAX);
        for (items, least, most) in [(vec![max; 70], 0, 0), (vec![min; 70], 0, 0), (vec![0, max, min, max, min], 2, 1)] {
            let x = to_space(space, &items);
            assert_eq!(min_element(space, &x).expect("a reduction"), Some(least), "{items:?}");
            assert_eq!(max_element(space, &x).expect("a reduction"), Some(most), "{items:?}");
            assert_eq!(minmax_element(space, &x).expect("a reduction"), Some((least, most)), "{items:?}");
        }
    }
}

every! { on_every_host_space:
    /// Tests whose answers change, and elements that have no consistent equality or order: some answer, within bounds.
    fn tests_that_lie_do_no_harm(space, _setting) {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        /// True for some calls.
        fn lie() -> bool {
            noise(CALLS.fetch_add(1, Relaxed)) > 0.98
        }
        #[derive(Clone, Copy, spelt::Element)]
        struct Liar(#[allow(dead_code)] u8);
        impl PartialEq for Liar {
            fn eq(&self, _: &Self) -> bool {
                lie()
            }
        }
        impl PartialOrd for Liar {
            fn partial_cmp(&self, _: &Self) -> Option<std::cmp::Ordering> {
                [None, Some(std::cmp::Ordering::Equal), Some(std::cmp::Ordering::Less)][CALLS.fetch_add(1, Relaxed) % 3]
            }
        }
        for n in [1, 64, 5000] {
            let x = View::from_fn("x", [n], |[k]| k).expect("memory");
            let liars = View::from_fn("liars", [n], |_| Liar(0)).expect("memory");
            let three = View::from_fn("three", [3], |_| Liar(0)).expect("memory");
            for _ in 0..20 {
                let place = find_if(space, &x, |_| lie()).expect("a search");
                assert!(place.is_none_or(|place| place < n));
                let place = adjacent_find(space, &liars).expect("a search");
                assert!(place.is_none_or(|place| place + 1 < n));
                let place = mismatch(space, &liars, &liars).expect("a search");
                assert!(place.is_none_or(|place| place < n));
                let places = [search(space, &liars, &three), find_end(space, &liars, &three), search_n(space, &liars, 3, Liar(0))];
                for place in places {
                    assert!(place.expect("a search").is_none_or(|place| place + 3 <= n));
                }
                assert!(find_first_of(space, &liars, &three).expect("a search").is_none_or(|place| place < n));
                assert!(partition_point(space, &x, |_| lie()).expect("a search") <= n);
                assert!(count_if(space, &x, |_| lie()).expect("a count") <= n);
                let _ = is_partitioned(space, &x, |_| lie()).expect("a search");
                let _ = equal(space, &liars, &liars).expect("a search");
                let _ = lexicographical_compare(space, &liars, &liars).expect("a search");
            }
        }
    }
}
