//! The algorithms of one team, for teams of several sizes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::team;
use spelt::prelude::*;

use crate::equal::{EDGES, assert_same, noise};
use crate::find::to_space;
use crate::spaces::every;

const LEAGUE: usize = 3;

/// The team sizes of a space: threads of part of a warp, of a warp, and of several.
fn sizes<S: ExecutionSpace>(space: &S) -> Vec<usize> {
    let text = space.configuration();
    let sizes = match text.split(':').next() {
        Some("Cuda") => vec![1, 3, 32, 256],
        _ if text.starts_with("Threads") => vec![1, 2, 3],
        _ => vec![1],
    };
    sizes.into_iter().filter(|&size| size <= space.concurrency()).collect()
}

/// Small numbers in no order.
fn number(league: usize, j: usize) -> u32 {
    ((noise(10_000 * league + j) + 1.0) * 50.0) as u32
}

fn table<S: ExecutionSpace>(space: &S, n: usize) -> View<u32, 2, S::Memory> {
    space.view_from_fn("table", [LEAGUE, n], |[i, j]| number(i, j)).expect("memory")
}

every! { on_every_space:
    fn teams_search_and_count(space, _setting) {
        for size in sizes(space) {
            for n in [0, 1, 255, 256, 257, 3000] {
                let x = table(space, n);
                for below in [0, 1, 30, 100] {
                    let mut found = space.zeros::<[usize; 4], 1>("found", [LEAGUE]).expect("memory");
                    parallel_for("search", space.team(LEAGUE, size), (&x, &mut found), move |t, (x, mut found)| {
                        assert!(t.team_size() == size);
                        let place = team::find_if(t, n, |rj| x[rj] < below);
                        let any = team::any_of(t, n / 2..n, |rj| x[rj] < below);
                        let all = team::all_of(t, n, |rj| x[rj] < below);
                        let count = team::count_if(t, n / 3..n, |rj| x[rj] < below);
                        t.single(|w| found[w] = [place.unwrap_or(usize::MAX), usize::from(any), usize::from(all), count]);
                    }).expect("covered");
                    for (league, found) in found.to_host().expect("memory").iter().enumerate() {
                        let is = |j: &usize| number(league, *j) < below;
                        let wanted = [
                            (0..n).find(is).unwrap_or(usize::MAX),
                            usize::from((n / 2..n).any(|j| is(&j))),
                            usize::from((0..n).all(|j| is(&j))),
                            (n / 3..n).filter(is).count(),
                        ];
                        assert_eq!(*found, wanted, "{n}, {below}, {size} threads");
                    }
                }
            }
        }
    }

    fn teams_copy_what_is_selected(space, _setting) {
        for size in sizes(space) {
            for n in [0, 1, 2, 3, 4, 5, 16, 17, 64, 65, 1000] {
                let x = table(space, n);
                for below in [0, 1, 50, 100] {
                    let mut places = space.zeros::<usize, 1>("places", [LEAGUE * n]).expect("memory");
                    let mut kept = space.zeros::<usize, 1>("kept", [LEAGUE]).expect("memory");
                    let policy = space.team(LEAGUE, size).scratch(team::copy_if_scratch(n), 0);
                    let args = (x.lookup(), places.atomic(), &mut kept);
                    parallel_for("copy", policy, args, move |t, (x, places, mut kept)| {
                        assert!(t.team_size() == size);
                        let league = t.league_rank();
                        // By atomics, so that teams have several threads on a host too.
                        let number = team::copy_if(t, n, |j| x[[league, j]] < below, |place, j| {
                            places.add(n * league + place.inner(), j + 1);
                        });
                        t.single(|w| kept[w] = number);
                    }).expect("covered");
                    let places = places.to_host().expect("memory").to_vec();
                    for (league, kept) in kept.to_host().expect("memory").iter().enumerate() {
                        let mut wanted: Vec<usize> = (0..n).filter(|&j| number(league, j) < below).map(|j| j + 1).collect();
                        assert_eq!(*kept, wanted.len(), "{n}, {below}, {size} threads");
                        wanted.resize(n, 0);
                        assert_eq!(places[n * league..][..n], wanted, "{n}, {below}, {size} threads");
                    }
                }
            }
        }
    }

    fn teams_sort_their_rows_in_place(space, _setting) {
        for size in sizes(space) {
            for n in (0..20).chain([31, 32, 33, 100, 255, 257]) {
                let mut x = space.view_from_fn("x", [LEAGUE, n], |[i, j]| noise(100 * i + j)).expect("memory");
                let policy = space.team(LEAGUE, size).scratch(8 * n, 0);
                parallel_for("sort", policy, &mut x, move |t, mut x| {
                    t.with_scratch_mut([n], |_| 0.0, |t, mut keys| {
                        keys.write_nested(t, n, |rj, key| *key = x[rj]);
                        team::sort(t, &mut keys);
                        t.parallel_for(t.thread_range(n), |rj| x[rj] = keys[rj.inner()]);
                    });
                }).expect("covered");
                let x = x.to_host().expect("memory").to_vec();
                for league in 0..LEAGUE {
                    let mut wanted: Vec<f64> = (0..n).map(|j| noise(100 * league + j)).collect();
                    wanted.sort_by(f64::total_cmp);
                    assert_same(&x[n * league..][..n].to_vec(), &wanted, format!("{n}, {size} threads"));
                }
            }
        }
    }

    /// With several threads on a host too: nothing is written by nested loops.
    fn teams_sort_in_scratch(space, _setting) {
        for size in sizes(space) {
            for n in (0..20).chain([31, 32, 33, 100, 512]) {
                let (x, mut order) = (table(space, n), space.zeros::<u32, 1>("order", [LEAGUE * n]).expect("memory"));
                let policy = space.team(LEAGUE, size).scratch(8 * n, 0);
                parallel_for("order", policy, (x.lookup(), order.atomic()), move |t, (x, order)| {
                    assert!(t.team_size() == size);
                    let league = t.league_rank();
                    t.with_scratch_mut([n], |[j]| (x[[league, j]], j as u32), |t, mut keys| {
                        team::sort_by(t, &mut keys, |a, b| a < b);
                        t.parallel_for(t.thread_range(n), |rj| order.add(n * league + rj.inner(), keys[rj.inner()].1));
                    });
                }).expect("covered");
                let order = order.to_host().expect("memory").to_vec();
                for league in 0..LEAGUE {
                    let mut wanted: Vec<u32> = (0..n as u32).collect();
                    wanted.sort_by_key(|&j| number(league, j as usize));
                    assert_eq!(order[n * league..][..n], wanted, "{n}, {size} threads");
                }
            }
            let n = EDGES.len();
            let (x, mut bits) = (to_space(space, &EDGES), space.zeros::<u64, 1>("bits", [n]).expect("memory"));
            let policy = space.team(1, size).scratch(8 * n, 0);
            parallel_for("edges", policy, (x.lookup(), bits.atomic()), move |t, (x, bits)| {
                t.with_scratch_mut([n], |[j]| x[j], |t, mut keys| {
                    team::sort(t, &mut keys);
                    t.parallel_for(t.thread_range(n), |rj| bits.store(rj.inner(), keys[rj.inner()].to_bits()));
                });
            }).expect("covered");
            let mut wanted = EDGES.to_vec();
            wanted.sort_by(f64::total_cmp);
            let found: Vec<f64> = bits.to_host().expect("memory").iter().map(|&bits| f64::from_bits(bits)).collect();
            assert_same(&found, &wanted, format!("edge values, {size} threads"));
        }
    }
}

every! { on_every_host_space:
    fn closures_of_teams_that_lie_do_no_harm(space, _setting) {
        let calls = AtomicUsize::new(0);
        let lie = || noise(calls.fetch_add(1, Relaxed)) > 0.8;
        let n = 300;
        for size in sizes(space) {
            let policy = space.team(LEAGUE, size).scratch(team::copy_if_scratch(n).max(8 * n), 0);
            parallel_for("lies", policy, (), |t, ()| {
                assert!(team::find_if(t, n, |_| lie()).is_none_or(|place| place < n));
                assert!(team::count_if(t, n, |_| lie()) <= n);
                let kept = team::copy_if(t, n, |_| lie(), |place, j| assert!(place.inner() <= j && j < n));
                assert!(kept <= n);
                t.with_scratch_mut([n], |[j]| j, |t, mut keys| {
                    team::sort_by(t, &mut keys, |_, _| lie());
                    let mut found = keys.as_slice().to_vec();
                    found.sort_unstable();
                    assert!(found.into_iter().eq(0..n), "each element once");
                });
            }).expect("covered");
        }
    }

    /// An order that is none gives the same result for every size of team.
    fn sorting_by_no_order_does_not_depend_on_the_team(space, _setting) {
        let n = 77;
        let sort = |size: usize| {
            let mut order = space.zeros::<usize, 1>("order", [n]).expect("memory");
            parallel_for("sort", space.team(1, size).scratch(8 * n, 0), order.atomic(), move |t, order| {
                t.with_scratch_mut([n], |[j]| j, |t, mut keys| {
                    team::sort_by(t, &mut keys, |a, b| noise(n * a + b) > 0.0);
                    t.parallel_for(t.thread_range(n), |rj| order.add(rj.inner(), keys[rj.inner()]));
                });
            }).expect("covered");
            order.to_vec()
        };
        let wanted = sort(1);
        for size in sizes(space) {
            assert_eq!(sort(size), wanted, "{size} threads");
        }
    }

    fn selections_that_32_bits_do_not_count_are_refused(space, _setting) {
        let refused = catch_unwind(AssertUnwindSafe(|| {
            parallel_for("many", space.team(1, 1), (), |t, ()| {
                team::copy_if(t, 1 << 32, |_| unreachable!(), |_, _| ());
            })
        }));
        let text = *refused.expect_err("too many").downcast::<&str>().expect("a text");
        assert!(text.contains("at most u32::MAX indices"), "{text}");
    }

    /// Beyond 32 bits, and up to the last index that there is.
    fn teams_search_far_away(space, _setting) {
        let far = 1_usize << 40;
        for size in sizes(space) {
            parallel_for("far", space.team(1, size), (), |t, ()| {
                for (range, place) in [(far - 3..far + 3000, far + 1700), (usize::MAX - 300..usize::MAX, usize::MAX - 1)] {
                    assert_eq!(team::find_if(t, range.clone(), |rj| rj.inner() >= place), Some(place));
                    assert_eq!(team::find_if(t, range.clone(), |_| false), None);
                    assert_eq!(team::count_if(t, range.clone(), |rj| rj.inner() >= place), range.end - place);
                }
            }).expect("covered");
        }
    }

    /// Whether a View is too short does not depend on where the search ends, and so on the size of the team.
    fn searches_are_covered_before_they_begin(space, _setting) {
        let a = View::from_fn("a", [1, 300], |[_, j]| j).expect("memory");
        for size in sizes(space) {
            let find = |n: usize, wanted: usize| {
                catch_unwind(AssertUnwindSafe(|| {
                    parallel_for("short", space.team(1, size), &a, |t, a| {
                        assert_eq!(team::find_if(t, n, |rj| a[rj] == wanted), Some(wanted));
                    })
                }))
            };
            find(300, 10).expect("no panic").expect("covered");
            let text = *find(301, 10).expect_err("too short").downcast::<String>().expect("a text");
            assert!(text.contains("view `a` with extents [1, 300] does not cover"), "{text}, {size} threads");
        }
    }

    fn searching_teams_stop(space, _setting) {
        let calls = AtomicUsize::new(0);
        for size in sizes(space).into_iter().chain((space.concurrency() >= 8).then_some(8)) {
            let piece = (64 * size).max(256);
            for place in [0, 255, 256, 511, 512, 1000, 5000] {
                parallel_for("stop", space.team(1, size), (), |t, ()| {
                    let found = team::find_if(t, 100_000, |rj| {
                        calls.fetch_add(1, Relaxed);
                        rj.inner() >= place
                    });
                    assert_eq!(found, Some(place));
                }).expect("covered");
                let count = calls.swap(0, Relaxed);
                assert_eq!(count, (place / piece + 1) * piece, "{place}, {size} threads");
            }
        }
    }
}
