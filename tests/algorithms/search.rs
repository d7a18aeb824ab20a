//! Search in sorted keys, and the first few.

use spelt::algorithms::{
    Extreme, Ties, equal_range_of, lower_bound, lower_bound_of, top_k, upper_bound, upper_bound_of,
};
use spelt::prelude::*;

use crate::equal::{EDGES, assert_same, noise};
use crate::spaces::every;

fn to_space<S: ExecutionSpace, T: Element>(space: &S, items: &[T]) -> View<T, 1, S::Memory> {
    ViewRef::from(items).to_space(space).expect("memory")
}

/// A few different numbers, in no order.
fn mixed(n: usize, different: usize) -> Vec<u32> {
    (0..n)
        .map(|i| (noise(i).abs() * different as f64) as u32)
        .map(|word| word.wrapping_mul(1_000_003))
        .collect()
}

every! { on_every_space:
    fn bounds_are_those_of_a_partition(space, _setting) {
        for n in [0, 1, 2, 3, 255, 256, 257, 5000] {
            let mut sorted = mixed(n, 100);
            sorted.sort_unstable();
            let mut needles = mixed(300, 103);
            needles.extend([0, 1, u32::MAX]);
            needles.extend(sorted.iter().flat_map(|&key| [key, key.wrapping_sub(1), key.wrapping_add(1)]).take(300));
            let (keys, wanted) = (to_space(space, &sorted), to_space(space, &needles));
            let mut positions = space.zeros::<usize, 1>("positions", [needles.len()]).expect("memory");
            lower_bound(space, &keys, &wanted, &mut positions).expect("extents are equal");
            let lower = positions.to_host().expect("memory").to_vec();
            upper_bound(space, &keys, &wanted, &mut positions).expect("extents are equal");
            let upper = positions.to_host().expect("memory").to_vec();
            for (at, &needle) in needles.iter().enumerate() {
                assert_eq!(lower[at], sorted.partition_point(|&key| key < needle), "{needle} in {n}");
                assert_eq!(upper[at], sorted.partition_point(|&key| key <= needle), "{needle} in {n}");
            }
            assert_eq!(lower_bound_of(space, &keys, needles[7]).expect("a search"), lower[7]);
            assert_eq!(upper_bound_of(space, &keys, needles[7]).expect("a search"), upper[7]);
            for at in [7, 300, 302, needles.len() - 1] {
                assert_eq!(equal_range_of(space, &keys, needles[at]).expect("a search"), lower[at]..upper[at]);
            }
        }
    }

    fn the_first_few_are_those_of_a_stable_sort(space, _setting) {
        let ends = [
            (Extreme::Largest, Ties::SmallerIndex),
            (Extreme::Largest, Ties::LargerIndex),
            (Extreme::Smallest, Ties::SmallerIndex),
            (Extreme::Smallest, Ties::LargerIndex),
        ];
        for (n, different) in
            [(0, 1), (1, 1), (6, 3), (257, 1), (1000, 20), (2049, 300), (5000, 1 << 20), (40_000, 900)]
        {
            let keys = mixed(n, different);
            let view = to_space(space, &keys);
            for (extreme, ties) in ends {
                let mut order: Vec<usize> = (0..n).collect();
                if ties == Ties::LargerIndex {
                    order.reverse();
                }
                order.sort_by(|&a, &b| match extreme {
                    Extreme::Largest => keys[b].cmp(&keys[a]),
                    Extreme::Smallest => keys[a].cmp(&keys[b]),
                });
                for k in [0, 1, 3, n / 70, n / 2, n, n + 5] {
                    let (best, indices) = top_k(space, &view, k, extreme, ties).expect("memory");
                    let what = format!("{k} of {n}, {extreme:?}, {ties:?}");
                    let order = &order[..k.min(n)];
                    assert_eq!(indices.to_host().expect("memory").to_vec(), order, "{what}");
                    let wanted: Vec<u32> = order.iter().map(|&at| keys[at]).collect();
                    assert_eq!(best.to_host().expect("memory").to_vec(), wanted, "{what}");
                }
            }
        }
    }
}

every! { on_every_host_space:
    fn the_first_three_of_six(space, _setting) {
        let keys = View::from_vec("keys", [6], vec![10_i32, 8, 8, 8, 6, 5]).expect("six");
        for (ties, wanted) in [(Ties::SmallerIndex, [0, 1, 2]), (Ties::LargerIndex, [0, 3, 2])] {
            let (best, indices) = top_k(space, &keys, 3, Extreme::Largest, ties).expect("memory");
            assert_eq!((best.to_vec(), indices.to_vec()), (vec![10, 8, 8], wanted.to_vec()), "{ties:?}");
        }
    }

    fn floats_are_found_by_their_total_order(space, _setting) {
        let mut sorted: Vec<f64> = EDGES.iter().flat_map(|&edge| [edge, -edge, edge]).collect();
        sorted.sort_by(f64::total_cmp);
        let keys = ViewRef::from(&sorted);
        for needle in EDGES.into_iter().flat_map(|edge| [edge, -edge]).chain([0.5]) {
            let before = |key: &f64| key.total_cmp(&needle).is_lt();
            assert_eq!(lower_bound_of(space, &keys, needle).expect("a search"), sorted.partition_point(before));
            let upto = |key: &f64| key.total_cmp(&needle).is_le();
            assert_eq!(upper_bound_of(space, &keys, needle).expect("a search"), sorted.partition_point(upto));
            let both = sorted.partition_point(before)..sorted.partition_point(upto);
            assert_eq!(equal_range_of(space, &keys, needle).expect("a search"), both);
        }
        let (best, _) = top_k(space, &keys, 5, Extreme::Largest, Ties::SmallerIndex).expect("memory");
        let wanted: Vec<f64> = sorted.iter().rev().take(5).copied().collect();
        assert_same(&best.to_vec(), &wanted, "NaNs are largest");
    }

    fn what_is_not_sorted_gives_some_position(space, _setting) {
        let keys = View::from_vec("keys", [1000], mixed(1000, 500)).expect("a thousand");
        let mut positions = View::<usize, 1>::zeros("positions", [1000]).expect("memory");
        lower_bound(space, &keys, &keys, &mut positions).expect("extents are equal");
        assert!(positions.iter().all(|&position| position <= 1000));
        let mut few = View::<usize, 1>::zeros("few", [999]).expect("memory");
        let error = upper_bound(space, &keys, &keys, &mut few).expect_err("extents differ");
        assert_eq!(error.to_string(), "view `keys` has 1000 needles, view `few` has 999 positions: each needle needs one");
    }
}
