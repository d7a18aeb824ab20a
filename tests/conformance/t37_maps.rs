//! Maps: their contents and order are those of a sequential map, on every space.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use spelt::ErrorKind;
use spelt::containers::{Inserts, MapKey, MapReducer, UnorderedMap};
use spelt::prelude::*;

use crate::spaces::{Setting, every};

/// The pairs of a map in ascending order, after checks of what else it says about them.
fn pairs<S, K, V>(space: &S, map: &UnorderedMap<K, V, S::Memory>) -> Vec<(K, V)>
where
    S: ExecutionSpace,
    K: MapKey + Ord + Debug,
    V: Element + PartialEq + Debug,
{
    let (keys, values) = map.to_sorted(space).expect("memory");
    let (keys, values) =
        (keys.to_host().expect("memory").to_vec(), values.to_host().expect("memory").to_vec());
    let pairs: Vec<(K, V)> = keys.into_iter().zip(values).collect();
    assert!(pairs.is_sorted_by(|a, b| a.0 < b.0), "keys ascend: {pairs:?}");
    assert_eq!((map.len(), map.is_empty()), (pairs.len(), pairs.is_empty()));
    let host = map.to_host().expect("memory");
    for (key, value) in &pairs {
        assert_eq!(host.get(*key), Some(*value));
        assert!(host.contains(*key));
    }
    pairs
}

/// Joins pairs one after the other.
fn joined<K: Copy + Ord, V: Copy>(
    wanted: &mut BTreeMap<K, V>,
    pairs: impl IntoIterator<Item = (K, V)>,
    join: impl Fn(V, V) -> V,
) {
    for (key, value) in pairs {
        wanted.entry(key).and_modify(|old| *old = join(*old, value)).or_insert(value);
    }
}

fn same<S, K, V>(space: &S, map: &UnorderedMap<K, V, S::Memory>, wanted: &BTreeMap<K, V>)
where
    S: ExecutionSpace,
    K: MapKey + Ord + Debug,
    V: Element + PartialEq + Debug,
{
    assert_eq!(pairs(space, map), wanted.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>());
}

/// Key `i`: of `keys` different ones, which are far apart, near, or at the ends.
fn key(i: usize, keys: usize) -> u64 {
    let number = (i * 7919 % keys) as u64;
    match number % 4 {
        0 => number,
        1 => u64::MAX - number / 4,
        2 => number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        _ => number << 40,
    }
}

fn insert<S, J>(
    space: &S,
    setting: &Setting,
    map: &mut UnorderedMap<u64, u64, S::Memory>,
    [n, keys]: [usize; 2],
    reducer: J,
) -> spelt::Result<()>
where
    S: ExecutionSpace,
    J: MapReducer<u64>,
{
    map.insert(space, reducer, |map: &mut Inserts<'_, _, _, _, _>| {
        parallel_for("insert", setting.range(space, 0..n), map, move |i, map| {
            map.insert(key(i.get(), keys), 3 * i.get() as u64 + 1);
        })
    })
}

every! { on_every_setting:
    fn values_of_a_key_are_joined(space, setting) {
        let n = if S::IS_DEVICE { 600 } else { 3000 };
        let values = |keys: usize| (0..n).map(move |i| (key(i, keys), 3 * i as u64 + 1));
        for keys in [1, 2, 7, 250, n] {
            let mut map = UnorderedMap::<u64, u64, _>::with_capacity(space, "map", n).expect("memory");
            let mut wanted = BTreeMap::new();
            // Later joins begin with what earlier ones left, under other reducers too.
            insert(space, setting, &mut map, [n, keys], Sum::new()).expect("room");
            joined(&mut wanted, values(keys), u64::wrapping_add);
            same(space, &map, &wanted);
            insert(space, setting, &mut map, [n, keys], Max::new()).expect("room");
            joined(&mut wanted, values(keys), u64::max);
            insert(space, setting, &mut map, [n, (keys + 1).min(n)], Min::new()).expect("room");
            joined(&mut wanted, values((keys + 1).min(n)), u64::min);
            same(space, &map, &wanted);
            let mut found = space.zeros::<u64, 1>("found", [2 * n]).expect("memory");
            parallel_for("find", setting.range(space, 0..2 * n), (&map, &mut found), move |i, (map, mut found)| {
                // Half of these are keys, and half of the others are beside one.
                let key = key(i.get(), n) ^ (i.get() as u64 / n as u64);
                assert_eq!(map.contains(key), map.find(key).is_some());
                found[i] = map.find(key).unwrap_or(u64::MAX);
            }).expect("covered");
            let found = found.to_host().expect("memory");
            for i in 0..2 * n {
                let key = key(i, n) ^ (i / n) as u64;
                assert_eq!(found[i], wanted.get(&key).copied().unwrap_or(u64::MAX), "key {key}");
            }
        }
    }

    fn more_keys_than_there_is_room_for_change_nothing(space, setting) {
        let (n, keys) = (1000, 100);
        let mut map = UnorderedMap::<u64, u64, _>::with_capacity(space, "map", keys).expect("memory");
        // A map without keys, and one that is full.
        for round in 0..2 {
            let before = pairs(space, &map);
            // So few too many keys that they all find slots, and more than there are slots.
            for (more, there) in [(keys + 1, "101"), (2 * keys, "200"), (n, "more than 256")] {
                let error = insert(space, setting, &mut map, [n, more], Sum::new()).expect_err("no room");
                assert_eq!(error.kind(), ErrorKind::Capacity);
                let wanted = format!("map `map` has room for {keys} keys, but there are {there}: `reserve` more, and insert again");
                assert_eq!(error.to_string(), wanted);
                assert_eq!(pairs(space, &map), before, "round {round}");
            }
            insert(space, setting, &mut map, [n, keys], Sum::new()).expect("room");
        }
        // Keys that came twice were added twice, and no failure in between was added.
        let mut wanted = BTreeMap::new();
        for _ in 0..2 {
            joined(&mut wanted, (0..n).map(|i| (key(i, keys), 3 * i as u64 + 1)), u64::wrapping_add);
        }
        same(space, &map, &wanted);
        for (additional, capacity) in [(0, 100), (50, 150), (50, 150), (900, 1000)] {
            map.reserve(space, additional).expect("memory");
            assert_eq!(map.capacity(), capacity);
        }
        same(space, &map, &wanted);
        insert(space, setting, &mut map, [n, n], Sum::new()).expect("room");
        joined(&mut wanted, (0..n).map(|i| (key(i, n), 3 * i as u64 + 1)), u64::wrapping_add);
        same(space, &map, &wanted);
    }
}

/// All keys of a type, or many of them, with values.
fn of_keys<S, K>(space: &S, keys: &[K])
where
    S: ExecutionSpace,
    K: MapKey + Ord + Debug,
{
    let n = keys.len();
    let view = space.view_from_fn("keys", [n], |[i]| keys[i]).expect("memory");
    let values = space.view_from_fn("values", [n], |[i]| i as i32 - 5).expect("memory");
    let mut map = UnorderedMap::<K, i32, _>::with_capacity(space, "map", n).expect("memory");
    map.extend(space, &view, &values, Min::new()).expect("room");
    let mut wanted = BTreeMap::new();
    joined(&mut wanted, keys.iter().copied().zip(-5..), i32::min);
    same(space, &map, &wanted);
}

/// The key whose hash this is: the inverse of the steps in `containers/src/map/key.rs`.
fn unmixed(hash: u64) -> u64 {
    let inverse = |odd: u64| (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
    let unfold = |x: u64| x ^ (x >> 33);
    let key = unfold(hash).wrapping_mul(inverse(0xC4CE_B9FE_1A85_EC53));
    let key = unfold(key).wrapping_mul(inverse(0xFF51_AFD7_ED55_8CCD));
    unfold(key)
}

every! { on_every_space:
    fn every_integer_is_a_key(space, _setting) {
        of_keys(space, &(0..=u8::MAX).chain(0..=u8::MAX).collect::<Vec<_>>());
        of_keys(space, &[0, -1, i16::MIN, i16::MAX, 1, 0, -1]);
        of_keys(space, &[u32::MAX, 0, 1, u32::MAX]);
        of_keys(space, &[0, u64::MAX, 1, 0, u64::MAX, 1 << 63]);
        of_keys(space, &[i64::MIN, -1, 0, i64::MAX, i64::MIN]);
        of_keys(space, &[usize::MAX, 0, 3]);
        of_keys::<S, u64>(space, &[]);
    }

    fn bits_and_products_are_joined(space, _setting) {
        let (keys, values) = ([3_u8, 3, 200, 3], [0b1100_u32, 0b1010, 7, 0b1001]);
        let keys = View::from_vec("keys", [4], keys.to_vec()).expect("memory").to_space(space).expect("memory");
        let values = View::from_vec("values", [4], values.to_vec()).expect("memory").to_space(space).expect("memory");
        let mut map = UnorderedMap::with_capacity(space, "map", 2).expect("memory");
        map.extend(space, &keys, &values, BAnd::new()).expect("room");
        assert_eq!(pairs(space, &map), [(3, 0b1000), (200, 7)]);
        map.extend(space, &keys, &values, BOr::new()).expect("room");
        assert_eq!(pairs(space, &map), [(3, 0b1111), (200, 7)]);
        map.extend(space, &keys, &values, Prod::new()).expect("room");
        assert_eq!(pairs(space, &map), [(3, 15 * 12 * 10 * 9), (200, 49)]);
        // Products wrap, as those of a reduction do.
        let mut wanted = 15_u32 * 12 * 10 * 9;
        for _ in 0..3 {
            map.extend(space, &keys, &values, Prod::new()).expect("room");
            wanted = wanted.wrapping_mul(12 * 10 * 9);
        }
        assert_eq!(pairs(space, &map), [(3, wanted), (200, 49 * 7 * 7 * 7)]);
    }

    fn sets_have_keys_alone(space, _setting) {
        let mut set = UnorderedMap::<u32, (), _>::with_capacity(space, "set", 20).expect("memory");
        for _ in 0..2 {
            set.insert(space, (), |set| {
                parallel_for("insert", space.range(0..100), set, move |i, set| set.insert(i.get() as u32 % 10 * 5, ()))
            }).expect("room");
            assert_eq!(pairs(space, &set), (0..10).map(|i| (5 * i, ())).collect::<Vec<_>>());
        }
        let inside = parallel_map_reduce("inside", space.range(0..100), &set, |i, set| u32::from(set.contains(i.get() as u32)), Sum::new());
        assert_eq!(inside.expect("nothing fails"), 10);
        set.retain(space, |key, ()| key >= 20).expect("memory");
        set.reserve(space, 40).expect("memory");
        assert_eq!((pairs(space, &set), set.capacity()), ((4..10).map(|i| (5 * i, ())).collect(), 46));
    }

    fn pairs_are_removed(space, setting) {
        let (n, keys) = (600, 200);
        let mut map = UnorderedMap::<u64, u64, _>::with_capacity(space, "map", keys).expect("memory");
        insert(space, setting, &mut map, [n, keys], Sum::new()).expect("room");
        let mut wanted: BTreeMap<_, _> = pairs(space, &map).into_iter().collect();
        assert!(wanted.contains_key(&0));
        map.retain(space, |key, value| key != 0 && value % 4 != 0).expect("memory");
        wanted.retain(|&key, value| key != 0 && *value % 4 != 0);
        assert!((20..keys - 20).contains(&wanted.len()), "{}", wanted.len());
        same(space, &map, &wanted);
        // Their slots are free again.
        map.retain(space, |_, _| false).expect("memory");
        same(space, &map, &BTreeMap::new());
        insert(space, setting, &mut map, [n, keys], Sum::new()).expect("room");
        assert_eq!(map.len(), keys);
        map.clear(space).expect("memory");
        same(space, &map, &BTreeMap::new());
        assert_eq!(map.capacity(), keys);
    }

    fn maps_without_room(space, setting) {
        let error = UnorderedMap::<u64, u64, _>::with_capacity(space, "map", usize::MAX).expect_err("too large");
        assert_eq!(error.kind(), ErrorKind::Overflow);
        let mut map = UnorderedMap::<u64, u64, _>::with_capacity(space, "map", 0).expect("memory");
        let error = map.reserve(space, usize::MAX).expect_err("too large");
        assert_eq!((error.kind(), map.capacity()), (ErrorKind::Overflow, 0));
        let found = |map: &UnorderedMap<_, _, S::Memory>| {
            parallel_map_reduce("find", space.range(0..3), map, |i, map| u32::from(map.contains(i.get() as u64)), Sum::new()).expect("nothing fails")
        };
        assert_eq!(found(&map), 0);
        insert(space, setting, &mut map, [0, 1], Sum::new()).expect("nothing came");
        for keys in [1, 2] {
            let error = insert(space, setting, &mut map, [2, keys], Sum::new()).expect_err("no room");
            assert!(error.to_string().contains(&format!("room for 0 keys, but there are {keys}")), "{error}");
        }
        assert_eq!((found(&map), pairs(space, &map)), (0, vec![]));
        map.retain(space, |_, _| true).expect("memory");
        map.reserve(space, 1).expect("memory");
        insert(space, setting, &mut map, [2, 1], Sum::new()).expect("room");
        assert_eq!((found(&map), pairs(space, &map)), (1, vec![(0, 5)]));
        let error = map.reserve(space, usize::MAX).expect_err("too large");
        assert_eq!((error.kind(), map.capacity()), (ErrorKind::Overflow, 1));
        assert_eq!(pairs(space, &map), vec![(0, 5)]);
    }

    fn keys_of_one_bucket(space, _setting) {
        // Their hashes differ in the upper bits alone, so they all look for slots in one bucket first.
        let n = if S::IS_DEVICE { 500 } else { 20_000 };
        let keys: Vec<u64> = (0..n as u64).map(|i| unmixed((i << 40) | 0x1234_5678)).collect();
        let view = space.view_from_fn("keys", [n], |[i]| keys[i]).expect("memory");
        let values = space.view_from_fn("values", [n], |[i]| i as u64).expect("memory");
        let mut map = UnorderedMap::with_capacity(space, "map", n).expect("memory");
        map.extend(space, &view, &values, Max::new()).expect("room");
        let mut wanted = BTreeMap::new();
        joined(&mut wanted, keys.into_iter().zip(0..), u64::max);
        assert_eq!(wanted.len(), n);
        same(space, &map, &wanted);
    }

    fn one_launch_inserts_into_two_maps(space, _setting) {
        let n = 300;
        let of = |keys: u32| UnorderedMap::<u32, u32, _>::with_capacity(space, "map", keys as usize).expect("memory");
        let (mut a, mut b) = (of(10), of(7));
        let both = |a: &mut UnorderedMap<u32, u32, S::Memory>, b: &mut UnorderedMap<u32, u32, S::Memory>, keys: [u32; 2]| {
            a.insert(space, Sum::new(), |a| {
                b.insert(space, Max::new(), |b| {
                    parallel_for("both", space.range(0..n), (a, b), move |i, (a, b)| {
                        a.insert(i.get() as u32 % keys[0], 1);
                        b.insert(i.get() as u32 % keys[1], i.get() as u32);
                    })
                })
            })
        };
        both(&mut a, &mut b, [10, 7]).expect("room");
        let wanted = [(0..10).map(|key| (key, 30)).collect::<Vec<_>>(), (0..7).map(|key| (key, 293 + (key + 1) % 7)).collect()];
        assert_eq!([pairs(space, &a), pairs(space, &b)], wanted);
        // The inner error is the outer one.
        let error = both(&mut a, &mut b, [10, 8]).expect_err("no room in the inner one");
        assert!(error.to_string().contains("room for 7 keys, but there are 8"), "{error}");
        assert_eq!([pairs(space, &a), pairs(space, &b)], wanted);
    }

    fn launches_that_fail_insert_nothing(space, _setting) {
        let mut map = UnorderedMap::<u32, u32, _>::with_capacity(space, "map", 9).expect("memory");
        let ones = |n: usize, map: &mut Inserts<'_, u32, u32, Sum<u32>, S::Memory>| {
            parallel_for("one", space.range(0..n), map, move |i, map| map.insert(i.get() as u32, 1))
        };
        map.insert(space, Sum::new(), |map| ones(5, map)).expect("room");
        let short = space.zeros::<u32, 1>("short", [3]).expect("memory");
        let error = map.insert(space, Sum::new(), |map| {
            ones(9, map)?;
            parallel_for("two", space.range(0..4), (&short, map), move |i, (short, map)| map.insert(short[i], 2))
        }).expect_err("a View is too short");
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Extents, Some("two")));
        assert_eq!(pairs(space, &map), [0, 1, 2, 3, 4].map(|key| (key, 1)));
        let lengths = map.extend(space, &short, &space.zeros::<u32, 1>("values", [2]).expect("memory"), Sum::new());
        let error = lengths.expect_err("lengths");
        assert_eq!(error.to_string(), "map `map`: view `short` has 3 keys, but view `values` has 2 values: the lengths must be equal");
        // The closure's result is that of the insertion.
        let count = map.insert(space, Sum::new(), |map| {
            parallel_map_reduce("three", space.range(0..4), map, |i, map| {
                map.insert(7, 1);
                i.get()
            }, Sum::<usize>::new())
        });
        assert_eq!(count.expect("room"), 6);
        assert_eq!(map.to_host().expect("memory").get(7), Some(4));
    }
}

/// The allocations that an argument describes: the label, and whether it is written.
pub(crate) fn allocations<A: spelt::KernelArgs>(argument: &A) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    A::describe(argument, &mut |described| {
        if described.allocation.is_some() {
            found.push((described.label.to_owned(), described.writes));
        }
    });
    found
}

every! { on_every_host_space:
    fn panics_insert_nothing(space, _setting) {
        let mut map = UnorderedMap::<u32, u32>::with_capacity(space, "map", 9).expect("memory");
        let panics = |map: &mut UnorderedMap<u32, u32>, at: usize| {
            let inserted = std::panic::AssertUnwindSafe(|| map.insert(space, Sum::new(), |map| {
                parallel_for("insert", space.range(0..9), map, move |i, map| {
                    map.insert(i.get() as u32, 1);
                    assert!(i.get() != at, "at {at}");
                })
            }));
            std::panic::catch_unwind(inserted).is_err()
        };
        assert!(panics(&mut map, 4));
        assert_eq!(pairs(space, &map), []);
        assert!(!panics(&mut map, 9));
        assert!(panics(&mut map, 0));
        assert_eq!(pairs(space, &map), [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|key| (key, 1)));
        let kept = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| map.retain(space, |key, _| {
            assert!(key != 3, "not this one");
            false
        })));
        assert!(kept.is_err());
        assert_eq!(pairs(space, &map).len(), 9);
    }

    fn predicates_that_change_their_mind(space, _setting) {
        let mut map = UnorderedMap::<u32, u32>::with_capacity(space, "map", 100).expect("memory");
        map.insert(space, Sum::new(), |map| {
            parallel_for("insert", space.range(0..100), map, move |i, map| map.insert(i.get() as u32, 7))
        }).expect("room");
        let (calls, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
        map.retain(space, |_, _| {
            let keep = calls.fetch_add(1, Ordering::Relaxed) % 3 == 0;
            kept.fetch_add(usize::from(keep), Ordering::Relaxed);
            keep
        }).expect("memory");
        assert_eq!((calls.into_inner(), kept.into_inner()), (100, 34));
        assert_eq!(pairs(space, &map).len(), 34);
    }

    fn many_iterations_insert_one_key(space, _setting) {
        let n = if cfg!(debug_assertions) { 50_000 } else { 1_000_000 };
        let mut map = UnorderedMap::<u64, u64>::with_capacity(space, "map", 2).expect("memory");
        map.insert(space, Sum::new(), |map| {
            parallel_for("insert", space.range(0..n), map, move |i, map| map.insert(77 * (i.get() as u64 % 2), 1))
        }).expect("room");
        assert_eq!(pairs(space, &map), [(0, n as u64 / 2), (77, n as u64 / 2)]);
    }

    fn arguments_describe_their_allocations(space, _setting) {
        let mut map = UnorderedMap::<u32, u32>::with_capacity(space, "map", 9).expect("memory");
        // Keys, values, and tags.
        assert_eq!(allocations(&&map), [("map".into(), false), ("map".into(), false), ("map".into(), false)]);
        map.insert(space, Sum::new(), |map| {
            // Keys, values, and whether the table is full.
            assert_eq!(allocations(&map), [("map".into(), true), ("map".into(), true), ("map".into(), true)]);
            Ok(())
        }).expect("room");
    }
}
