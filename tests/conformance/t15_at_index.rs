//! Mapped reductions whose locations are the indices: the bits of the ordinary form.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::canonical;
use spelt::prelude::*;

use crate::equal::{EDGES, assert_same, borders, noise};
use crate::spaces::every;

/// Iterations of a block of the first pass, and those at which a search goes on in another piece.
const BLOCK: usize = 4096;

/// The kinds of input: each has its own traps.
const KINDS: [&str; 12] = [
    "random",
    "ascending",
    "descending",
    "constant",
    "NaN",
    "NaN first",
    "NaN last",
    "infinity",
    "-infinity",
    "zeros",
    "edges",
    "NaN and infinities",
];

fn value(kind: usize, n: usize, i: usize) -> f64 {
    match kind {
        0 => noise(i),
        1 => i as f64,
        2 => (n - i) as f64,
        3 => 2.5,
        4 => f64::NAN,
        5 => {
            if i < n / 2 + 1 {
                f64::NAN
            } else {
                (noise(i) * 9.0).round()
            }
        }
        6 => {
            if i < n / 3 {
                (noise(i) * 9.0).round()
            } else {
                f64::NAN
            }
        }
        7 => f64::INFINITY,
        8 => f64::NEG_INFINITY,
        9 => {
            if i.is_multiple_of(3) {
                -0.0
            } else {
                0.0
            }
        }
        10 => EDGES[(i * 7 + i / 64) % EDGES.len()],
        _ => {
            if i + 1 < n {
                f64::NAN
            } else if n.is_multiple_of(2) {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            }
        }
    }
}

fn sizes() -> Vec<usize> {
    let mut sizes = borders(16);
    sizes.extend([63, 64, 65, 127, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 65, 8191, 8192, 20_000]);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// The three reducers over `n` values, in both forms. On a device only the one that looks for both ends: what differs between the
/// forms is the same there for all three, and each kernel has to be linked.
macro_rules! both_forms {
    ($policy:expr, $value:ty, $location:ty, $what:expr, |$i:ident| $item:expr, $at:expr) => {{
        macro_rules! form {
            ($reducer:ident) => {
                let mapped =
                    parallel_map_reduce("mapped", $policy, (), move |$i, ()| $item, $reducer::at_index());
                let updated = parallel_reduce(
                    "updated",
                    $policy,
                    (),
                    move |$i, best, ()| best.update($item, $at),
                    $reducer::<$value, $location>::new(),
                );
                assert_same(
                    &mapped.expect("nothing can fail"),
                    &updated.expect("nothing can fail"),
                    format!("{} {}", stringify!($reducer), $what),
                );
            };
        }
        #[cfg(not(feature = "cuda"))]
        {
            form!(MinLoc);
            form!(MaxLoc);
        }
        form!(MinMaxLoc);
    }};
}

every! { on_every_space:
    fn every_kind_of_input(space, setting) {
        for n in sizes() {
            for (kind, name) in KINDS.iter().enumerate() {
                both_forms!(setting.range(space, 0..n), f64, usize, format!("of {n}, {name}"),
                    |i| value(kind, n, i.get()), i.get());
            }
        }
    }

    fn values_of_other_types(space, setting) {
        for n in [1, 100, 5000, 20_000] {
            both_forms!(setting.range(space, 0..n), f32, usize, n, |i| value(10, n, i.get()) as f32, i.get());
            both_forms!(setting.range(space, 0..n), i64, usize, n,
                |i| [i64::MIN, i64::MAX, 0, -1][(i.get() * 5 + i.get() / 64) % 4], i.get());
            both_forms!(setting.range(space, 0..n), i32, usize, n, |_i| i32::MAX, _i.get());
            both_forms!(setting.range(space, 0..n), u8, usize, n, |i| (noise(i.get()) * 3.0) as u8, i.get());
            both_forms!(setting.range(space, 0..n), u64, usize, n, |_i| 0, _i.get());
        }
    }

    fn locations_beyond_32_bits(space, setting) {
        let first = (1 << 33) + 5;
        for n in [1, 65, 9000, 20_000] {
            both_forms!(setting.range(space, first..first + n), f64, usize, n,
                |i| value(5, n, i.get() - first), i.get());
        }
    }

    fn indices_of_every_rank(space, setting) {
        macro_rules! rank {
            ($($rank:literal [$($extents:expr),+],)*) => {$(for extents in [$($extents),+] {
                let extents: [usize; $rank] = extents;
                let policy = || setting.md_range(space, extents.map(|extent| 2..2 + extent));
                for kind in [3, 5, 9, 10] {
                    both_forms!(policy(), f64, [usize; $rank], format!("{extents:?}, {}", KINDS[kind]),
                        |i| value(kind, 2000, i.index().into_iter().sum()), i.index());
                }
            })*};
        }
        rank!(1 [[9000]], 2 [[100, 101], [3, 4500], [20, 16], [9, 33], [3, 1024]], 3 [[13, 14, 65]], 4 [[6, 7, 0, 9]], 6 [[3, 4, 3, 4, 3, 5]],);
    }

    fn nested_in_teams(space, _setting) {
        let sizes = crate::t13_teams::sizes(space);
        for (number, columns) in [0, 1, 10, 15, 16, 17, 31, 32, 33, 48, 100, 1100, 4096, 5000].into_iter().enumerate() {
            let size = sizes[number % sizes.len()];
            for kind in [0, 3, 5, 9, 11] {
                let a = space.view_from_fn("a", [4, columns], move |[i, j]| value(kind, columns, i + j)).expect("memory");
                macro_rules! form {
                    ($league:ident, |$team:ident, $a:ident| $row:expr) => {{
                        let policy = space.team(4, size);
                        parallel_reduce("rows", policy, &a, move |$team, $a| { let row = $row; $team.contribute(row) }, $league)
                            .expect("covered")
                    }};
                }
                let pairs = MinMaxLoc::<f64, [usize; 2]>::new();
                let what = format!("rows of {columns}, {}, teams of {size:?}", KINDS[kind]);
                let wanted = form!(pairs, |team, a|
                    team.parallel_reduce(team.thread_range(columns), |rj, ends| ends.update(a[rj], rj.index()), pairs));
                let found = form!(pairs, |team, a|
                    team.parallel_map_reduce(team.thread_range(columns), |rj| a[rj], MinMaxLoc::at_index()));
                assert_same(&found, &wanted, &what);
                let found = form!(pairs, |team, a|
                    team.parallel_map_reduce(team.team_vector_range(columns), |rj| a[rj], MinMaxLoc::at_index()));
                assert_same(&found, &wanted, &what);
                let numbers = MaxLoc::<f64>::new();
                let of_all = move |j: usize| value(kind, columns, j);
                let wanted = form!(numbers, |team, _a|
                    team.parallel_reduce(team.vector_range(columns), |j, best| best.update(of_all(j), j), numbers));
                let found = form!(numbers, |team, _a|
                    team.parallel_map_reduce(team.vector_range(columns), of_all, MaxLoc::at_index()));
                assert_same(&found, &wanted, &what);
                let triples = MinLoc::<f64, [usize; 3]>::new();
                let of_box = move |i: [usize; 3]| value(kind, columns, i[0] + i[1] * 7 + i[2]);
                let wanted = form!(triples, |team, _a| team.parallel_reduce(team.thread_md_range([3, columns]),
                    |i, best| best.update(of_box(i.index()), i.index()), triples));
                let found = form!(triples, |team, _a| team.parallel_map_reduce(team.thread_md_range([3, columns]),
                    |i| of_box(i.index()), MinLoc::at_index()));
                assert_same(&found, &wanted, &what);
            }
        }
    }

    fn on_the_calling_thread(space, _setting) {
        for n in [0, 1, 10, 31, 32, 33, 100, 1100, 4096, 5000, 20_000] {
            for kind in [0, 3, 5, 9, 11] {
                let of_row = move |k: usize| value(kind, n, k);
                macro_rules! form {
                    ($reducer:ident) => {
                        // In a kernel, and without one.
                        let reducer = $reducer::<f64>::new();
                        let found = parallel_reduce("mapped", space.range(0..1), (), move |_, best, ()| {
                            *best = serial_map_reduce(n, of_row, $reducer::at_index());
                        }, reducer);
                        let wanted = serial_reduce(n, |k, best| best.update(of_row(k), k), &reducer);
                        let what = format!("{} of {n}, {}", stringify!($reducer), KINDS[kind]);
                        assert_same(&found.expect("nothing can fail"), &wanted, &what);
                        assert_same(&serial_map_reduce(n, of_row, $reducer::at_index()), &wanted, &what);
                    };
                }
                form!(MinLoc);
                form!(MaxLoc);
                form!(MinMaxLoc);
                let wanted = serial_reduce(n, |k, sum| *sum += of_row(k), &Sum::<f64>::new());
                assert_same(&serial_map_reduce(n, of_row, Sum::<f64>::new()), &wanted, format!("sum of {n}"));
            }
        }
    }

    fn values_of_a_view(space, setting) {
        let n = 30_000;
        let x = space.view_from_fn("x", [n], |[i]| value(10, n, i) + noise(i).round()).expect("memory");
        let mapped = parallel_map_reduce("mapped", setting.range(space, 7..n), &x, |i, x| x[i], MinMaxLoc::at_index());
        let updated = parallel_reduce("updated", setting.range(space, 7..n), &x, |i, ends, x| ends.update(x[i], i.get()),
            MinMaxLoc::<f64>::new());
        assert_same(&mapped.expect("covered"), &updated.expect("covered"), "of a View");
    }
}

every! { on_every_host_setting:
    fn every_schedule_and_chunk(space, setting) {
        for n in [5, 1000, 9000] {
            for kind in [0, 4, 6, 9, 11] {
                both_forms!(setting.range(space, 0..n), f64, usize, format!("of {n}, {}", KINDS[kind]),
                    |i| value(kind, n, i.get()), i.get());
            }
        }
    }
}

every! { on_every_host_space:
    fn only_a_block_for_each_extreme_runs_again(space, setting) {
        let n = 50_000;
        for kind in [0, 1, 2, 3] {
            let calls = AtomicUsize::new(0);
            let counted = |i: usize| { calls.fetch_add(1, Relaxed); value(kind, n, i) };
            parallel_map_reduce("counted", setting.range(space, 0..n), (), |i, ()| counted(i.get()), MinMaxLoc::at_index())
                .expect("nothing can fail");
            let calls = calls.into_inner();
            assert!((n..=n + 2 * (BLOCK + 64)).contains(&calls), "{}: {calls} calls", KINDS[kind]);
        }
    }

    fn closures_that_return_other_values_each_time(space, setting) {
        for n in [1, 100, 10_000] {
            let calls = AtomicUsize::new(0);
            let other = || value(10, n, calls.fetch_add(1, Relaxed)) - calls.load(Relaxed) as f64;
            let found = parallel_map_reduce("changes", setting.range(space, 0..n), (), |_, ()| other(), MinLoc::at_index())
                .expect("nothing can fail");
            assert!(found.loc < n || found.loc == usize::MAX);
        }
    }

    fn nested_closures_that_return_other_values_each_time(space, _setting) {
        for n in [1, 15, 16, 100, 5000] {
            let calls = AtomicUsize::new(0);
            let other = || value(10, n, calls.fetch_add(1, Relaxed)) - calls.load(Relaxed) as f64;
            let found = parallel_reduce("changes", space.team(2, AUTO), (), |team, ()| {
                let row = team.parallel_map_reduce(team.vector_range(n), |_| other(), MinMaxLoc::at_index());
                team.contribute(row);
            }, MinMaxLoc::<f64>::new()).expect("nothing can fail");
            for loc in [found.min_loc, found.max_loc] {
                assert!(loc < n || loc == usize::MAX);
            }
        }
    }

    fn replicas_take_each_contribution_once(space, setting) {
        let n = 20_000;
        let mut bins = space.zeros::<u64, 1>("bins", [3]).expect("memory");
        let found = parallel_map_reduce("counted", setting.range(space, 0..n), bins.scatter(), |i, bins| {
            bins.add(i.get() % 3, 1);
            value(2, n, i.get())
        }, MinLoc::at_index()).expect("nothing can fail");
        assert_eq!((found.val, found.loc), (1.0, n - 1));
        assert_eq!(bins.as_slice().expect("contiguous").iter().sum::<u64>(), n as u64);
    }
}

/// A type with an order that contradicts itself: every value is below every other.
#[derive(Clone, Copy, Debug)]
struct Below;

impl PartialEq for Below {
    fn eq(&self, _other: &Self) -> bool {
        false
    }
}

impl PartialOrd for Below {
    fn partial_cmp(&self, _other: &Self) -> Option<std::cmp::Ordering> {
        Some(std::cmp::Ordering::Less)
    }
}

impl spelt::reducers::MinMaxElement for Below {
    const LARGEST: Self = Below;
    const LOWEST: Self = Below;
}

#[test]
fn an_order_that_contradicts_itself_gives_some_location() {
    let n = canonical::tile_len(32) + 1;
    let found = parallel_map_reduce("below", Serial.range(0..n), (), |_, ()| Below, MinMaxLoc::at_index())
        .expect("nothing can fail");
    assert!(found.min_loc < n || found.min_loc == usize::MAX);
}
