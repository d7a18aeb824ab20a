//! Sorting: keys, keys with values, permutations.

use std::fmt::Debug;

use spelt::algorithms::{
    RadixKey, argsort, argsort_descending, is_sorted, is_sorted_descending, is_sorted_until, order_by_bins,
    sort, sort_by_key, sort_by_key_descending, sort_descending,
};
use spelt::prelude::*;

use crate::equal::{Bits, EDGES, assert_same, noise, rough};
use crate::spaces::every;

/// Sizes about the borders of insertion, one thread's sort, blocks and buckets; on a device one team sorts keys alone of all but the last two.
const SIZES: [usize; 22] = [
    0, 1, 2, 3, 31, 32, 33, 34, 255, 256, 257, 1023, 1025, 4096, 4097, 4352, 4353, 8191, 8192, 8193, 14_336,
    14_337,
];

/// Several blocks on the host.
const BLOCKS: usize = (1 << 16) + 1;

/// A word of noise.
fn word(index: usize) -> u64 {
    noise(index).to_bits().wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ noise(index + 77).to_bits()
}

fn to_space<S: ExecutionSpace, T: Element>(space: &S, items: &[T]) -> View<T, 1, S::Memory> {
    ViewRef::from(items).to_space(space).expect("memory")
}

fn to_vec<T: Element, M: spelt::MemorySpace>(view: &View<T, 1, M>) -> Vec<T> {
    view.to_host().expect("memory").to_vec()
}

/// Sorts keys with their indices both ways, and compares with the standard library's stable sort.
fn check<S, K>(space: &S, keys: &[K], what: &str)
where
    S: ExecutionSpace,
    K: RadixKey + Bits + Debug,
{
    let what = format!("{what}, {} keys", keys.len());
    for descending in [false, true] {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (keys[a].to_radix(), keys[b].to_radix());
            if descending { b.cmp(&a) } else { a.cmp(&b) }
        });
        let wanted: Vec<K> = order.iter().map(|&at| keys[at]).collect();
        let mut found = to_space(space, keys);
        let mut indices = space.view_from_fn("indices", [keys.len()], |[i]| i).expect("memory");
        if descending {
            sort_by_key_descending(space, &mut found, &mut indices).expect("memory");
        } else {
            sort_by_key(space, &mut found, &mut indices).expect("memory");
        }
        assert_same(&to_vec(&found), &wanted, format!("{what}, descending: {descending}"));
        assert_eq!(to_vec(&indices), order, "{what}, descending: {descending}: values");
    }
}

/// Sorts keys without values.
fn check_keys<S, K>(space: &S, keys: &[K], what: &str)
where
    S: ExecutionSpace,
    K: RadixKey + Bits + Debug,
{
    let mut wanted = keys.to_vec();
    wanted.sort_by_key(|key| key.to_radix());
    let mut found = to_space(space, keys);
    sort(space, &mut found).expect("memory");
    assert_same(&to_vec(&found), &wanted, format!("{what}, {} keys", keys.len()));
    sort_descending(space, &mut found).expect("memory");
    wanted.reverse();
    assert_same(&to_vec(&found), &wanted, format!("{what}, {} keys, descending", keys.len()));
}

every! { on_every_space:
    fn noise_of_all_sizes(space, _setting) {
        for n in SIZES {
            check_keys(space, &(0..n).map(|i| word(i) as u32).collect::<Vec<_>>(), "noise");
        }
    }

    fn shapes_that_are_not_noise(space, _setting) {
        for n in [33, 1024, 8200, 20_000] {
            let shapes: [(&str, &dyn Fn(usize) -> u32); 9] = [
                ("sorted", &|i| i as u32),
                ("reversed", &|i| (n - i) as u32),
                ("all equal", &|_| 7),
                ("organ pipe", &|i| i.min(n - i) as u32),
                ("one out of place", &|i| if i == n - 1 { 3 } else { i as u32 }),
                ("two values", &|i| (word(i) % 2) as u32 * 0x8001),
                ("nearly all in one bucket", &|i| if i % 100 == 0 { word(i) as u32 } else { word(i) as u32 % 4096 }),
                ("top bits only", &|i| (word(i) as u32) << 25),
                ("few bits in the middle", &|i| (word(i) as u32 & 0x1F) << 13 | 0xC000_0001),
            ];
            for (what, shape) in shapes {
                check_keys(space, &(0..n).map(shape).collect::<Vec<_>>(), what);
            }
        }
    }

    fn one_key_alone_has_a_bit(space, _setting) {
        // The digits of that bit are all but equal, and yet must be sorted by: the key goes from one end to the other.
        // On a host by one thread, and by buckets; an emulated device is slow.
        let sizes = if S::IS_DEVICE { [2, 300] } else { [300, 9000] };
        for n in sizes {
            for bit in [8, 31, 63] {
                let mut keys: Vec<u64> = (0..n).map(|i| word(i) & 0xFF).collect();
                keys[0] |= 1 << bit;
                check(space, &keys, &format!("bit {bit} set in the first"));
                let mut keys: Vec<u64> = (0..n).map(|i| word(i) & 0xFF | 1 << bit).collect();
                keys[n - 1] ^= 1 << bit;
                check(space, &keys, &format!("bit {bit} missing in the last"));
            }
        }
    }

    fn equal_keys_keep_their_order(space, _setting) {
        for n in [0, 1, 2, 100, 1000, 8300, 20_001] {
            check(space, &(0..n).map(|i| (word(i) % 5) as u8).collect::<Vec<_>>(), "u8 % 5");
            check(space, &(0..n).map(|i| (word(i) >> 40) as u8).collect::<Vec<_>>(), "u8");
        }
    }

    fn floats_have_their_total_order(space, _setting) {
        for n in [EDGES.len(), 500, 9000, 20_000] {
            let keys: Vec<f64> = (0..n).map(|i| match word(i) % 4 {
                0 => EDGES[i % EDGES.len()],
                1 => -EDGES[i % EDGES.len()],
                2 => noise(i),
                _ => rough(i),
            }).collect();
            check(space, &keys, "f64");
            let mut wanted = keys.clone();
            wanted.sort_by(f64::total_cmp);
            let mut found = to_space(space, &keys);
            sort(space, &mut found).expect("memory");
            assert_same(&to_vec(&found), &wanted, "total_cmp");
        }
    }

    fn permutations_sort(space, _setting) {
        for n in SIZES {
            let keys: Vec<u32> = (0..n).map(|i| word(i) as u32 % 300).collect();
            let mut order = space.zeros::<u32, 1>("order", [n]).expect("memory");
            let mut wanted: Vec<u32> = (0..n as u32).collect();
            let view = to_space(space, &keys);
            argsort(space, &view, &mut order).expect("memory");
            wanted.sort_by_key(|&i| keys[i as usize]);
            assert_eq!(to_vec(&order), wanted, "{n}");
            argsort_descending(space, &view, &mut order).expect("memory");
            wanted.sort_unstable();
            wanted.sort_by_key(|&i| std::cmp::Reverse(keys[i as usize]));
            assert_eq!(to_vec(&order), wanted, "{n}, descending");
            assert_eq!(to_vec(&view), keys);
        }
    }

    // Few, and by passes: values of up to 8 bytes are put in order in a device's scratch.
    fn values_of_any_size_and_alignment(space, _setting) {
        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[repr(align(32))]
        struct Aligned([u64; 4]);
        for n in [3583, 3585, 16_500] {
            let keys: Vec<u8> = (0..n).map(|i| word(i) as u8).collect();
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by_key(|&i| keys[i]);
            macro_rules! values {
                ($($value:expr;)*) => {$({
                    let mut values = space.view_from_fn("values", [n], $value).expect("memory");
                    sort_by_key(space, &mut to_space(space, &keys), &mut values).expect("memory");
                    let wanted: Vec<_> = order.iter().map(|&i| $value([i])).collect();
                    assert_eq!(to_vec(&values), wanted, "{n}, {}", stringify!($value));
                })*};
            }
            values! {
                |[i]: [usize; 1]| [i as u8, (i >> 8) as u8, 7];
                |[i]: [usize; 1]| [i as u32; 3];
                |[i]: [usize; 1]| Aligned([i as u64, 1, 2, 3]);
            }
        }
    }

    fn bins_follow_one_another(space, _setting) {
        for (n, bins) in [(0_usize, 0_usize), (0, 3), (1, 1), (5, 1), (33, 2), (300, 7), (5000, 4097), (BLOCKS, 100)] {
            let numbers: Vec<i32> = (0..n).map(|i| (word(i) % bins as u64) as i32).collect();
            let view = to_space(space, &numbers);
            let mut order = space.zeros::<u32, 1>("order", [n]).expect("memory");
            let first = order_by_bins(space, &view, bins, &mut order).expect("all name bins");
            let mut wanted: Vec<u32> = (0..n as u32).collect();
            wanted.sort_by_key(|&i| numbers[i as usize]);
            assert_eq!(to_vec(&order), wanted, "{n} in {bins} bins");
            let wanted: Vec<usize> = (0..=bins)
                .map(|bin| numbers.iter().filter(|&&number| (number as usize) < bin).count())
                .collect();
            assert_eq!((first.segments(), first.end()), (bins, n));
            assert_eq!(to_vec(&first.into_view()), wanted, "{n} in {bins} bins");
            assert_eq!(to_vec(&view), numbers);
        }
    }

    fn numbers_that_name_no_bin_are_an_error(space, _setting) {
        for (numbers, outside) in [(vec![0, 1, 3, 2], "1 of 4"), (vec![-1, 1, 0, i32::MAX], "2 of 4"), (vec![i32::MIN; 4], "4 of 4")] {
            let mut order = to_space(space, &[9_usize, 8, 7, 6]);
            let error = order_by_bins(space, &to_space(space, &numbers), 3, &mut order).expect_err("no such bin");
            assert_eq!(error.kind(), spelt::ErrorKind::Extents);
            assert!(error.to_string().contains(outside) && error.to_string().contains("below 3"), "{error}");
            assert_eq!(to_vec(&order), [9, 8, 7, 6]);
        }
        let mut short = space.zeros::<u32, 1>("short", [3]).expect("memory");
        let error = order_by_bins(space, &to_space(space, &[0_u8; 4]), 1, &mut short).expect_err("extents differ");
        assert!(error.to_string().contains("each key needs an index"), "{error}");
    }

    fn where_sorted_keys_end(space, _setting) {
        for n in [0_usize, 1, 2, 31, 33, 2047, 2048, 2049, 5000] {
            let sorted: Vec<u32> = (0..n as u32).map(|i| i / 3).collect();
            for at in [n, n.saturating_sub(1), n / 2, n / 3, 4, 1] {
                // From `at` on the keys are smaller than before; nothing is out of place where there is no such key.
                let keys: Vec<u32> = (0..n).map(|i| if i < at { sorted[i] + 9000 } else { sorted[i] }).collect();
                let view = to_space(space, &keys);
                let end = if at == 0 { n } else { at.min(n) };
                assert_eq!(is_sorted_until(space, &view).expect("memory"), end, "{at} of {n}");
                assert_eq!(is_sorted(space, &view).expect("memory"), end == n, "{at} of {n}");
                assert_eq!(is_sorted_descending(space, &view).expect("memory"), keys.is_sorted_by(|a, b| a >= b), "{at} of {n}");
                let turned: Vec<u32> = keys.iter().map(|key| !key).collect();
                assert_eq!(is_sorted_descending(space, &to_space(space, &turned)).expect("memory"), end == n, "{at} of {n}");
            }
        }
    }
}

every! { on_every_host_space:
    fn every_type_of_key(space, _setting) {
        for n in [100, 9000] {
            macro_rules! kinds {
                ($($kind:ident)*) => {$({
                    let mut keys: Vec<$kind> = (0..n).map(|i| word(i) as $kind).collect();
                    keys[n / 2] = $kind::MIN;
                    keys[n / 3] = $kind::MAX;
                    let mut wanted = keys.clone();
                    wanted.sort();
                    sort(space, &mut ViewMut::from(&mut keys)).expect("memory");
                    assert_eq!(keys, wanted, stringify!($kind));
                    wanted.reverse();
                    sort_descending(space, &mut ViewMut::from(&mut keys)).expect("memory");
                    assert_eq!(keys, wanted, stringify!($kind));
                })*};
            }
            kinds!(u16 u64 usize i8 i16 i32 i64 isize);
            let mut keys: Vec<char> = (0..n).filter_map(|i| char::from_u32(word(i) as u32 >> 11)).collect();
            let mut wanted = keys.clone();
            wanted.sort();
            sort(space, &mut ViewMut::from(&mut keys)).expect("memory");
            assert_eq!(keys, wanted);
            let mut keys: Vec<f32> = (0..n).map(|i| f32::from_bits(word(i) as u32)).collect();
            let mut wanted = keys.clone();
            wanted.sort_by(f32::total_cmp);
            sort(space, &mut ViewMut::from(&mut keys)).expect("memory");
            assert_same(&keys, &wanted, "f32");
            let mut keys: Vec<bool> = (0..n).map(|i| word(i).is_multiple_of(3)).collect();
            let mut wanted = keys.clone();
            wanted.sort();
            sort(space, &mut ViewMut::from(&mut keys)).expect("memory");
            assert_eq!(keys, wanted);
        }
    }

    fn several_blocks(space, _setting) {
        check_keys(space, &(0..BLOCKS).map(|i| word(i) as u32).collect::<Vec<_>>(), "noise");
        let skewed = (0..BLOCKS).map(|i| if i % 9 == 0 { word(i) as u32 } else { word(i) as u32 % 99 });
        check_keys(space, &skewed.collect::<Vec<_>>(), "nearly all in one bucket");
        check(space, &(0..BLOCKS).map(|i| (word(i) % 77) as u8).collect::<Vec<_>>(), "u8");
    }

    fn views_with_gaps_and_large_values(space, _setting) {
        let n = 300;
        let mut table = View::<u32, 2>::from_fn("table", [n, 3], |[i, j]| (word(i) % 50) as u32 + j as u32).expect("memory");
        let mut values = View::<[u64; 9], 1>::from_fn("values", [n], |[i]| [i as u64; 9]).expect("memory");
        let keys: Vec<u32> = (0..n).map(|i| table[[i, 1]]).collect();
        sort_by_key(space, &mut table.subview_mut((All, 1)), &mut values).expect("memory");
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&i| keys[i]);
        for (at, &from) in order.iter().enumerate() {
            assert_eq!(table[[at, 1]], keys[from]);
            assert_eq!(values[at], [from as u64; 9]);
            assert_eq!(table[[at, 0]], (word(at) % 50) as u32, "other columns stay");
        }
    }

    fn what_does_not_fit_is_said(space, _setting) {
        let mut keys = View::<u32, 1>::zeros("heights", [5]).expect("memory");
        let mut values = View::<u32, 1>::zeros("names", [6]).expect("memory");
        let error = sort_by_key(space, &mut keys, &mut values).expect_err("extents differ");
        assert_eq!(error.kind(), spelt::ErrorKind::Extents);
        assert_eq!(error.to_string(), "view `heights` has 5 keys, view `names` has 6 values: each key needs a value");
        assert!(argsort(space, &keys, &mut values).is_err());
    }
}
