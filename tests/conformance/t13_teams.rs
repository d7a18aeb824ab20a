//! Leagues of teams: nested loops, collectives, scratch; no result depends on the team's size or vector length.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use spelt::prelude::*;
use spelt::{ErrorKind, ExecutionSpace, TeamPolicy};

use crate::equal::{assert_same, rough};
use crate::oracle;
use crate::spaces::{every, threads};

const LEAGUE: usize = 37;

/// The team sizes that a space may have; on a device within a warp, and beyond.
pub(crate) fn sizes<S: ExecutionSpace>(space: &S) -> Vec<spelt::TeamSize> {
    let text = space.configuration();
    let sizes = match text.split(':').next() {
        Some("Cuda") => vec![1, 4, 32, 64],
        _ if text.starts_with("Threads") => vec![1, 2, 4],
        _ => vec![1],
    };
    let most = space.concurrency();
    let sizes = sizes.into_iter().filter(|&size| size <= most).map(spelt::TeamSize::Threads);
    std::iter::once(AUTO).chain(sizes).collect()
}

fn league<S: ExecutionSpace>(space: &S, size: spelt::TeamSize) -> TeamPolicy<&S> {
    space.team(LEAGUE, size)
}

every! { on_every_space:
    fn nested_loops_write_each_element_once(space, _setting) {
        for size in sizes(space) {
            let mut a = space.zeros::<u32, 2>("a", [LEAGUE, 100]).expect("memory");
            let mut b = space.zeros::<usize, 3>("b", [LEAGUE, 9, 11]).expect("memory");
            parallel_for("loops", league(space, size), (&mut a, &mut b), |team, (mut a, mut b)| {
                team.parallel_for(team.thread_range(100), |rj| a[rj] += 1);
                team.parallel_for(team.thread_range(10..60), |rj| a[rj] *= 10);
                team.parallel_for(team.team_vector_range(50..100), |rj| a[rj] += 5);
                team.parallel_for(team.thread_md_range([9, 11]), |rjk| b[rjk] += rjk.index().iter().sum::<usize>());
            }).expect("covered");
            let (a, b) = (a.to_host().expect("memory"), b.to_host().expect("memory"));
            for r in 0..LEAGUE {
                for j in 0..100 {
                    let wanted = if (10..60).contains(&j) { 10 } else { 1 } + if j >= 50 { 5 } else { 0 };
                    assert_eq!(a[[r, j]], wanted, "{r}, {j}, {size:?}");
                }
                assert!((0..99).all(|k| b[[r, k / 11, k % 11]] == r + k / 11 + k % 11));
            }
        }
    }

    // The closures that Kokkos's tutorials have: of equal values they keep the one that they meet first.
    fn short_rows_keep_the_smallest_location_for_closures_that_compare(space, _setting) {
        for size in sizes(space) {
            for n in [2, 3, 7, 8, 9, 16, 31, 32, 33] {
                let x = space.view_from_fn("x", [LEAGUE, n], |[r, j]| ((r + j * 5) % 3) as f64).expect("memory");
                let mut found = space.zeros::<usize, 2>("found", [LEAGUE, n]).expect("memory");
                parallel_for("ends", league(space, size), (&x, &mut found), move |team, (x, mut found)| {
                    let range = team.thread_range(n);
                    let rank = team.league_rank();
                    let ends = team.parallel_reduce(range, |rj, ends: &mut MinMaxLocValue<f64, [usize; 2]>| {
                        if x[rj] < ends.min_val {
                            ends.min_val = x[rj];
                            ends.min_loc = [rank, rj.index()[1]];
                        }
                        if x[rj] > ends.max_val {
                            ends.max_val = x[rj];
                            ends.max_loc = [rank, rj.index()[1]];
                        }
                    }, MinMaxLoc::<f64, [usize; 2]>::new());
                    team.parallel_for(team.thread_range(2), |rk| {
                        found[rk] = if rk.index()[1] == 0 { ends.min_loc[1] } else { ends.max_loc[1] };
                    });
                }).expect("covered");
                let (x, found) = (x.to_host().expect("memory"), found.to_host().expect("memory"));
                for r in 0..LEAGUE {
                    let row: Vec<f64> = (0..n).map(|j| x[[r, j]]).collect();
                    let first = |wanted: f64| row.iter().position(|x| *x == wanted);
                    let least = row.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    assert_eq!(Some(found[[r, 0]]), first(least), "row {r} of {n}, {size:?}");
                    assert_eq!(Some(found[[r, 1]]), first(most), "row {r} of {n}, {size:?}");
                }
            }
        }
    }

    fn nested_results_have_the_same_bits_for_all_sizes(space, _setting) {
        let n = 3001;
        static WANTED: OnceLock<(Vec<f64>, Vec<f64>, f64)> = OnceLock::new();
        let (rows, prefixes, total) = WANTED.get_or_init(|| {
            let row = |r: usize| oracle::reduce(&Sum::<f64>::new(), n, |j, sum| *sum += rough(r * n + j));
            let rows: Vec<f64> = (0..LEAGUE).map(row).collect();
            let (prefixes, _) = oracle::scan(&Sum::<f64>::new(), n, |j, sum| *sum += rough(3 * n + j));
            let total = oracle::reduce(&Sum::<f64>::new(), LEAGUE, |r, sum| *sum += rows[r]);
            (rows, prefixes, total)
        });
        let a = space.view_from_fn("a", [LEAGUE, n], |[r, j]| rough(r * n + j)).expect("memory");
        for size in sizes(space) {
            let mut sums = space.zeros::<f64, 1>("sums", [LEAGUE]).expect("memory");
            let mut p = space.zeros::<f64, 2>("p", [LEAGUE, n]).expect("memory");
            let found = parallel_reduce("rows", league(space, size), (&a, &mut sums, &mut p), move |team, (a, mut sums, mut p)| {
                let sum = team.parallel_reduce(team.thread_range(n), |rj, sum| *sum += a[rj], Sum::<f64>::new());
                let mapped = team.parallel_map_reduce(team.team_vector_range(n), |rj| a[rj], Sum::<f64>::new());
                assert_eq!(sum.to_bits(), mapped.to_bits());
                team.parallel_scan(team.thread_range(n), |rj, sum, last| {
                    *sum += a[rj];
                    if last { p[rj] = *sum }
                }, Sum::<f64>::new());
                team.single(|w| sums[w] = sum);
                team.contribute(sum);
            }, Sum::<f64>::new()).expect("covered");
            assert_same(&sums.to_host().expect("memory").to_vec(), rows, format!("rows, {size:?}"));
            assert_same(&found, total, format!("total, {size:?}"));
            let p = p.to_host().expect("memory");
            let row: Vec<f64> = (0..n).map(|j| p[[3, j]]).collect();
            assert_same(&row, prefixes, format!("prefixes, {size:?}"));
        }
        for lanes in [1, 2, 8, 32] {
            // A block of a device has 1024 lanes at most.
            let fits = |size: &spelt::TeamSize| !matches!(size, spelt::TeamSize::Threads(threads) if threads * lanes > 1024);
            for size in sizes(space).into_iter().filter(fits) {
                let found = parallel_reduce("vector", league(space, size).vector(lanes), &a, |team, a| {
                    let flat = a.extent(1);
                    let sum = team.parallel_reduce(team.thread_range(1), |mut thread, sum| {
                        let league = thread.league_rank();
                        *sum += thread.parallel_reduce(thread.vector_range(flat),
                            |rjv, sum| *sum += a[[league, rjv.inner()]], Sum::<f64>::new());
                    }, Sum::<f64>::new());
                    team.contribute(sum);
                }, Sum::<f64>::new()).expect("covered");
                assert_same(&found, total, format!("{lanes} lanes, {size:?}"));
            }
        }
    }

    fn collectives(space, _setting) {
        for size in sizes(space) {
            let mut y = space.zeros::<usize, 1>("y", [LEAGUE]).expect("memory");
            parallel_for("collectives", league(space, size), &mut y, |team, mut y| {
                let (rank, size, league) = (team.team_rank(), team.team_size(), team.league_rank());
                assert!(rank < size && team.league_size() == LEAGUE);
                assert_eq!(team.broadcast(rank * 10 + league, size - 1), (size - 1) * 10 + league);
                assert_eq!(team.single_broadcast(|w| w.get() + 1), league + 1);
                assert_eq!(team.team_reduce(rank + 1, &Sum::<usize>::new()), size * (size + 1) / 2);
                assert_eq!(team.team_scan(rank + 1, &Sum::<usize>::new()), rank * (rank + 1) / 2);
                team.barrier();
                team.single(|w| y[w] += w.get() + 1);
            }).expect("covered");
            let y = y.to_host().expect("memory");
            assert!((0..LEAGUE).all(|r| y[r] == r + 1), "{size:?}");
        }
    }

    fn contributions_join_once_per_team(space, _setting) {
        for size in sizes(space) {
            for n in [0, 1, 100, 9000] {
                let found = parallel_reduce("contribute", space.team(n, size), (), |team, ()| {
                    if team.league_rank() % 3 == 0 { team.contribute(team.league_rank() as f64 * 0.1) }
                }, Sum::<f64>::new()).expect("nothing can fail");
                let wanted = oracle::reduce(&Sum::<f64>::new(), n, |r, sum| if r % 3 == 0 { *sum += r as f64 * 0.1 });
                assert_same(&found, &wanted, format!("{n} teams, {size:?}"));
            }
        }
    }

    fn scratch_in_phases(space, _setting) {
        for size in sizes(space) {
            let mut y = space.zeros::<u64, 1>("y", [LEAGUE]).expect("memory");
            parallel_for("scratch", league(space, size).scratch(4096, 256), &mut y, |team, mut y| {
                let league = team.league_rank() as u64;
                for round in 0..5 {
                    let first: u64 = team.scratch_fill(100, |k| k as u64 + league + round).iter().sum();
                    assert_eq!(first, 4950 + 100 * (league + round));
                }
                let sum = team.with_scratch(64, |k| k as u64 * league, |team, squares| {
                    let all = team.parallel_reduce(team.vector_range(64), |j, sum| *sum += squares[j], Sum::<u64>::new());
                    // All that a thread has, and then all of it again; a part, and the rest within.
                    for round in 1..3 {
                        team.with_thread_scratch(32, |_, own: &mut [u64]| {
                            assert_eq!(own, [0; 32]);
                            own.fill(round);
                        });
                    }
                    team.with_thread_scratch(8, |team, own: &mut [u64]| {
                        assert_eq!(own, [0; 8]);
                        own.fill(all);
                        team.with_thread_scratch(24, |_, rest: &mut [u64]| rest.fill(1));
                        own[7]
                    })
                });
                team.single(|w| y[w] = sum);
            }).expect("covered");
            let y = y.to_host().expect("memory");
            assert!((0..LEAGUE as u64).all(|r| y[r as usize] == 2016 * r), "{size:?}");
        }
    }

}

every! { on_every_host_space:
    fn limits_are_errors_and_panics_with_names(space, _setting) {
        let failing = [
            parallel_for("too much", space.team(4, 0), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, 100_000), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, AUTO).vector(0), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, AUTO).vector(7), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, AUTO).vector(1 << 20), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, AUTO).scratch(usize::MAX, 0), (), |_, ()| panic!("called")),
            parallel_for("too much", space.team(4, AUTO).scratch(0, usize::MAX), (), |_, ()| panic!("called")),
        ];
        for result in failing {
            let error = result.expect_err("beyond the limits");
            assert_eq!(error.kind(), ErrorKind::Policy);
            assert!(error.to_string().contains("too much"), "{error}");
        }
        let y = space.zeros::<f64, 1>("my y", [3]).expect("memory");
        let a = space.zeros::<f64, 2>("my a", [4, 10]).expect("memory");
        let error = parallel_for("short", space.team(4, AUTO), &y, |_, _| ()).expect_err("not covered");
        assert!(error.to_string().contains("my y"), "{error}");
        let text = |run: &dyn Fn()| *catch_unwind(AssertUnwindSafe(run)).expect_err("panics").downcast::<String>()
            .expect("a text");
        let beyond = text(&|| drop(parallel_for("nested", space.team(4, AUTO), &a, |team, a| {
            team.parallel_for(team.thread_range(5..11), |rj| assert!(a[rj] >= 0.0));
        })));
        assert!(["my a", "nested", "5..11"].iter().all(|word| beyond.contains(word)), "{beyond}");
        let scratch = text(&|| drop(parallel_for("nested", space.team(4, AUTO).scratch(64, 0), (), |team, ()| {
            team.scratch_fill(9, |k| k as f64);
        })));
        assert!(scratch.contains("64") && scratch.contains("72"), "{scratch}");
    }
}

/// Every way of leaving the others behind is a panic on all, and no hang.
#[test]
fn divergence_is_a_panic() {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let space = threads(4);
        type Kernel = fn(&mut spelt::Team<'_>);
        let kernels: [Kernel; 7] = [
            |team| {
                if team.team_rank() == 1 {
                    team.barrier()
                }
            },
            |team| {
                if team.team_rank() == 0 {
                    team.barrier()
                } else {
                    team.scratch_fill(3, |k| k);
                }
            },
            |team| {
                team.scratch_fill(3 + team.team_rank(), |k| k);
            },
            |team| {
                if team.team_rank() == 0 {
                    team.broadcast(1_u32, 0);
                } else {
                    team.broadcast(1_u64, 0);
                }
            },
            |team| {
                for _ in 0..=team.team_rank() {
                    team.barrier()
                }
            },
            |team| if team.team_rank() == 1 { panic!("one of them") } else { team.barrier() },
            |team| {
                let policy = team.thread_range(10 * team.team_rank());
                team.parallel_reduce(policy, |_, sum| *sum += 1, Sum::<u32>::new());
            },
        ];
        for (number, kernel) in kernels.into_iter().enumerate() {
            let result = catch_unwind(AssertUnwindSafe(|| {
                parallel_for("diverges", space.team(8, 2).scratch(1024, 0), (), |team, ()| kernel(team))
            }));
            let payload = result.map(|_| ()).expect_err(&format!("kernel {number} diverges"));
            let text = payload
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()));
            assert_eq!(text.as_deref() == Some("one of them"), number == 5, "kernel {number}: {text:?}");
            let named = text.as_deref().is_some_and(|text| text.contains("the same collectives"));
            assert_eq!(named, number != 5, "kernel {number}: {text:?}");
            let sum = parallel_reduce(
                "after",
                space.team(8, 2),
                (),
                |team, ()| team.contribute(1),
                Sum::<u32>::new(),
            );
            assert_eq!(sum.expect("nothing can fail"), 8);
        }
        let _ = done.send(());
    });
    is_done
        .recv_timeout(std::time::Duration::from_secs(60))
        .expect("a divergent team hangs, or a check failed");
}

/// A value on the heap, whose copies may fail.
struct Copied(Vec<usize>, bool);

impl Clone for Copied {
    fn clone(&self) -> Self {
        assert!(!self.1, "not copied");
        Self(self.0.clone(), self.1)
    }
}

/// Each launch has its own memory for what the members of its teams exchange.
#[test]
fn launches_of_teams_of_several_threads_do_not_mix() {
    let space = &threads(4);
    std::thread::scope(|scope| {
        for host in 0..3_usize {
            scope.spawn(move || {
                for round in 0..60 {
                    let size = [2, 4, 1, 3][(host + round) % 4];
                    let fails = round % 7 == 6;
                    let launch = || {
                        parallel_reduce(
                            "outer",
                            space.team(9, size).scratch(1024, 0),
                            (),
                            |team, ()| {
                                let (row, rank) = (team.league_rank() + 100 * host, team.team_rank());
                                let source = row % size;
                                let fails = fails && team.league_rank() == 5;
                                let value = Copied(vec![row, rank], fails);
                                let Copied(broadcast, _) = team.broadcast(value, source);
                                assert_eq!(broadcast, [row, source]);
                                let inner = parallel_reduce(
                                    "inner",
                                    space.team(2, 2),
                                    (),
                                    |team, ()| {
                                        let row = row + team.league_rank();
                                        let sum = team.team_reduce(row, &Sum::new());
                                        team.contribute(sum / team.team_size());
                                    },
                                    Sum::<usize>::new(),
                                );
                                assert_eq!(inner.expect("nothing can fail"), 2 * row + 1);
                                let last = team.with_scratch(
                                    size,
                                    |k| row + k,
                                    |team, filled| {
                                        assert_eq!(team.team_scan(1, &Sum::<usize>::new()), rank);
                                        filled[size - 1]
                                    },
                                );
                                assert_eq!(last, row + size - 1);
                                let sum = team.team_reduce(row, &Sum::new());
                                team.contribute(sum / size);
                            },
                            Sum::<usize>::new(),
                        )
                    };
                    let sum = catch_unwind(AssertUnwindSafe(launch));
                    if fails && size > 1 {
                        assert!(sum.is_err());
                    } else {
                        let sum = sum.expect("no copy is made, or all are");
                        assert_eq!(sum.expect("there is enough scratch"), 36 + 900 * host);
                    }
                }
            });
        }
    });
}
