//! Scratch that a team works in: sorting, factorizing and multiplying, with teams within a warp and beyond.
//!
//! `team.single` writes the results: a host's teams have one thread if nested loops write a View.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::ExecutionSpace;
use spelt::prelude::*;

use crate::equal::{assert_same, rough};
use crate::spaces::every;

const LEAGUE: usize = 3;

/// The team sizes of a space: threads of part of a warp, of a warp, and of several.
fn sizes<S: ExecutionSpace>(space: &S) -> Vec<usize> {
    let text = space.configuration();
    let sizes = match text.split(':').next() {
        Some("Cuda") => vec![1, 3, 32, 256],
        _ if text.starts_with("Threads") => vec![1, 3, 32, 256],
        _ => vec![1],
    };
    sizes.into_iter().filter(|&size| size <= space.concurrency()).collect()
}

/// Keys in no order, of which many are equal.
fn key(league: usize, i: usize) -> u64 {
    (league + 7 * i) as u64 * 2_654_435_761 % 1009
}

/// The matrix to factorize.
fn element(league: usize, i: usize, j: usize) -> f64 {
    rough(1000 * league + 31 * i + j) + if i == j { 50.0 } else { 0.0 }
}

every! { on_large_teams:
    fn a_team_sorts_in_its_scratch(space, _setting) {
        for size in sizes(space) {
            for n in [1, 2, 64, 512] {
                let mut y = space.zeros::<u64, 1>("y", [LEAGUE * n]).expect("memory");
                let policy = space.team(LEAGUE, size).scratch(8 * n, 0);
                parallel_for("bitonic", policy, y.by_blocks_mut(n), move |team, mut y| {
                    assert!(team.team_size() == size);
                    let league = team.league_rank();
                    team.with_scratch_mut([n], |[i]| key(league, i), |team, mut s| {
                        let mut block = 2;
                        while block <= n {
                            let mut stride = block / 2;
                            while stride > 0 {
                                s.write_pairs(team, stride, |i, a, b| {
                                    if (*a > *b) == (i & block == 0) {
                                        core::mem::swap(a, b);
                                    }
                                });
                                stride /= 2;
                            }
                            block *= 2;
                        }
                        team.single(|w| {
                            for (k, y) in y[w].iter_mut().enumerate() {
                                *y = s[k];
                            }
                        });
                    });
                }).expect("covered");
                let y = y.to_host().expect("memory").to_vec();
                for (league, sorted) in y.chunks(n).enumerate() {
                    let mut wanted: Vec<u64> = (0..n).map(|i| key(league, i)).collect();
                    wanted.sort();
                    assert_eq!(sorted, wanted, "{n} keys, {size} threads");
                }
            }
        }
    }

    fn a_team_factorizes_blocks_in_its_scratch(space, _setting) {
        let (n, width) = (13, 4);
        for size in sizes(space) {
            let mut y = space.zeros::<f64, 1>("y", [LEAGUE * n * n]).expect("memory");
            let policy = space.team(LEAGUE, size).scratch(8 * n * n, 0);
            parallel_for("lu", policy, y.by_blocks_mut(n * n), move |team, mut y| {
                assert!(team.team_size() == size);
                let league = team.league_rank();
                team.with_scratch_mut([n, n], |[i, j]| element(league, i, j), |team, mut a| {
                    for first in (0..n).step_by(width) {
                        let end = (first + width).min(n);
                        for k in first..end {
                            a.write(team, [k + 1..n, k..k + 1], |_, a, rest| *a /= rest[[k, k]]);
                            a.write(team, [k + 1..n, k + 1..end], |[i, j], a, rest| *a -= rest[[i, k]] * rest[[k, j]]);
                        }
                        for k in first..end {
                            a.write(team, [k + 1..end, end..n], |[i, j], a, rest| *a -= rest[[i, k]] * rest[[k, j]]);
                        }
                        a.write(team, [end..n, end..n], |[i, j], a, rest| {
                            for k in first..end {
                                *a -= rest[[i, k]] * rest[[k, j]];
                            }
                        });
                    }
                    team.single(|w| {
                        for (y, a) in y[w].iter_mut().zip(a.as_slice()) {
                            *y = *a;
                        }
                    });
                });
            }).expect("covered");
            let y = y.to_host().expect("memory").to_vec();
            for (league, factors) in y.chunks(n * n).enumerate() {
                let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| element(league, i, j)).collect()).collect();
                for k in 0..n {
                    for i in k + 1..n {
                        a[i][k] /= a[k][k];
                        for j in k + 1..n {
                            a[i][j] -= a[i][k] * a[k][j];
                        }
                    }
                }
                assert_same(&factors.to_vec(), &a.concat(), format!("matrix {league}, {size} threads"));
            }
        }
    }

    fn a_team_multiplies_tiles_in_its_scratch(space, _setting) {
        let [n, inner, m, tile] = [19_usize, 23, 9, 8];
        let (rows, columns) = (n.div_ceil(tile), m.div_ceil(tile));
        let a = space.view_from_fn("a", [n, inner], |[i, k]| rough(31 * i + k)).expect("memory");
        let b = space.view_from_fn("b", [inner, m], |[k, j]| rough(17 * k + j)).expect("memory");
        for size in sizes(space) {
            let mut c = space.zeros::<f64, 1>("c", [rows * columns * tile * tile]).expect("memory");
            let args = (a.lookup(), b.lookup(), c.by_blocks_mut(tile * tile));
            let policy = space.team(rows * columns, size).scratch(3 * 8 * tile * tile, 0);
            parallel_for("product", policy, args, move |team, (a, b, mut c)| {
                assert!(team.team_size() == size);
                let (row, column) = (team.league_rank() / columns * tile, team.league_rank() % columns * tile);
                team.with_scratch_mut([3, tile, tile], |_| 0.0, |team, mut s| {
                    for first in (0..inner).step_by(tile) {
                        s.write(team, [0..1, 0..tile, 0..tile], |[_, i, k], s, _| {
                            let (i, k) = (row + i, first + k);
                            *s = if i < n && k < inner { a[[i, k]] } else { 0.0 };
                        });
                        s.write(team, [1..2, 0..tile, 0..tile], |[_, k, j], s, _| {
                            let (k, j) = (first + k, column + j);
                            *s = if k < inner && j < m { b[[k, j]] } else { 0.0 };
                        });
                        s.write(team, [2..3, 0..tile, 0..tile], |[_, i, j], sum, rest| {
                            for k in 0..tile {
                                *sum += rest[[0, i, k]] * rest[[1, k, j]];
                            }
                        });
                    }
                    team.single(|w| {
                        for (c, sum) in c[w].iter_mut().zip(s.row(2)) {
                            *c = *sum;
                        }
                    });
                });
            }).expect("covered");
            let c = c.to_host().expect("memory").to_vec();
            for i in 0..n {
                for j in 0..m {
                    let wanted: f64 = (0..inner).fold(0.0, |sum, k| sum + rough(31 * i + k) * rough(17 * k + j));
                    let found = c[(i / tile * columns + j / tile) * tile * tile + i % tile * tile + j % tile];
                    assert_same(&found, &wanted, format!("[{i}, {j}], {size} threads"));
                }
            }
        }
    }

    fn rows_planes_and_two_arrays_of_scratch(space, _setting) {
        for size in sizes(space) {
            let mut y = space.zeros::<usize, 1>("y", [LEAGUE * 5]).expect("memory");
            let policy = space.team(LEAGUE, size).scratch(8 * (7 * 5 + 7 + 2 * 3 * 5), 0);
            parallel_for("rows", policy, y.by_blocks_mut(5), move |team, mut y| {
                assert!(team.team_size() == size);
                let league = team.league_rank();
                let sums = team.with_scratch_mut([7, 5], |[i, j]| 10 * i + j + league, |team, mut s| {
                    team.with_scratch_mut([7], |[i]| i, |team, mut t| {
                        // From one array into the other and back, with a loop over no rows in between.
                        t.write(team, 1..7, |[i], t, rest| *t = s.row(i).iter().sum::<usize>() + rest[0]);
                        s.write_rows(team, 3..3, |_, row, _| row[0] = 1000);
                        s.write_rows(team, 2..6, |i, row, rest| {
                            row.reverse();
                            row[4] += 1000 * t[i] + rest[[6, 4]];
                        });
                        // Elements of a column change places, and back.
                        for _ in 0..2 {
                            s.write_columns(team, 1..4, |j, column, rest| {
                                assert!((column.len(), column.get(7)) == (7, None));
                                column.set(7, 1000);
                                for i in 0..3 {
                                    let (a, b) = (column.get(i), column.get(5 - i));
                                    column.set(i, b.unwrap_or(0).wrapping_add(j * rest[[i, 4]]));
                                    column.set(5 - i, a.unwrap_or(0).wrapping_sub(j * rest[[i, 4]]));
                                }
                            });
                        }
                        s.write_columns(team, 1..4, |j, column, _| column.set(5, 7 * j));
                        let columns = s[[5, 1]] + 10 * s[[5, 2]] + 100 * s[[5, 3]] + 1000 * s.extent(1);
                        let sum = team.parallel_reduce(team.vector_range(7), |i, sum| *sum += t[i], Sum::<usize>::new());
                        [sum, s[[5, 4]], s[[1, 4]], columns]
                    })
                });
                let last = team.with_scratch_mut([2, 3, 5], |[i, j, k]| 100 * i + 10 * j + k, |team, mut s| {
                    s.write_rows(team, 1, |_, plane, rest| {
                        for (k, element) in plane.iter_mut().enumerate() {
                            *element += rest[[1, k / 5, k % 5]];
                        }
                    });
                    s[[0, 2, 4]]
                });
                // Neither elements nor pairs.
                team.with_scratch_mut([0, 3], |_| 0.0, |team, mut s| s.write(team, [0, 3], |_, s, _| *s = 1.0));
                team.with_scratch_mut([1], |_| 0_u8, |team, mut s| s.write_pairs(team, 1, |_, _, _| unreachable!()));
                team.single(|w| {
                    let [sum, reversed, kept, columns] = sums;
                    for (y, value) in y[w].iter_mut().zip([sum, reversed, kept, columns, last]) {
                        *y = value;
                    }
                });
            }).expect("covered");
            let y = y.to_host().expect("memory").to_vec();
            for (league, found) in y.chunks(5).enumerate() {
                let row = |i: usize| 5 * (10 * i + league) + 10;
                let sum = (1..7).map(row).sum::<usize>();
                let reversed = 50 + league + 1000 * row(5) + 64 + league;
                assert_eq!(found, [sum, reversed, 14 + league, 5000 + 100 * 21 + 10 * 14 + 7, 24 + 124], "{size} threads");
            }
        }
    }

    fn elements_come_by_nested_witnesses_and_one_lane_writes_all(space, _setting) {
        for size in sizes(space) {
            for n in [1, 7, 300] {
                let x = space.view_from_fn("x", [LEAGUE, n], |[i, j]| 1000 * i + j * j).expect("memory");
                let mut y = space.zeros::<usize, 1>("y", [LEAGUE]).expect("memory");
                let policy = space.team(LEAGUE, size).scratch(8 * n, 0);
                parallel_for("prefixes", policy, (&x, &mut y), move |team, (x, mut y)| {
                    assert!(team.team_size() == size);
                    let sum = team.with_scratch_mut([n], |_| 5, |team, mut s| {
                        s.write_nested(team, 1..n, |rj, element| *element += x[rj]);
                        s.write_nested(team, 0, |_, _| unreachable!());
                        s.write_all(team, |s| (1..n).for_each(|j| s[j] = 3 * s[j] + s[j - 1]));
                        s[n - 1]
                    });
                    team.single(|w| y[w] = sum);
                }).expect("covered");
                let element = |i: usize| (1..n).fold(5, |sum, j| sum + 3 * (5 + 1000 * i + j * j));
                let wanted: Vec<usize> = (0..LEAGUE).map(element).collect();
                assert_eq!(y.to_host().expect("memory").to_vec(), wanted, "{n}, {size} threads");
            }
        }
    }

    // In loops, reductions and scans, whose ends order what the lanes write and read.
    fn lanes_write_distinct_elements_anywhere(space, _setting) {
        for size in sizes(space) {
            for n in [1, 7, 300, 3000] {
                let mut y = space.zeros::<usize, 1>("y", [LEAGUE * 3]).expect("memory");
                let policy = space.team(LEAGUE, size).scratch(8 * n, 0);
                parallel_for("distinct", policy, y.by_blocks_mut(3), move |team, mut y| {
                    assert!(team.team_size() == size);
                    let league = team.league_rank();
                    // SAFETY: each iteration uses two elements of its own in the first loop, and one in the others; all lanes read all
                    // elements after the end of a loop, and meet before the next one.
                    let sums = unsafe {
                        team.with_distinct_scratch(n, |k| k + league, |team, mut s| {
                            assert!(s.get(n).is_none() && s.slice(0..n + 1).is_none());
                            let all = |s: &[usize]| s.iter().enumerate().map(|(k, element)| (k + 1) * element).sum::<usize>();
                            team.parallel_for(team.thread_range(n / 2), |i| {
                                let (i, j) = (i.inner(), n - 1 - i.inner());
                                (s[i], s[j]) = (s[j], s[i]);
                            });
                            let turned = s.slice(0..n).map_or(0, all);
                            team.barrier();
                            let sum = team.parallel_reduce(team.thread_range(n), |i, sum| {
                                if let Some([element]) = s.slice_mut(n - 1 - i.inner()..n - i.inner()) {
                                    *element += i.inner();
                                    *sum += *element;
                                }
                            }, Sum::<usize>::new());
                            let doubled = s.slice(0..n).map_or(0, all) + sum;
                            team.barrier();
                            team.parallel_scan(team.thread_range(n), |i, sum, last| {
                                *sum += 1;
                                if last {
                                    s[n - 1 - i.inner()] = *sum;
                                }
                            }, Sum::<usize>::new());
                            [turned, doubled, s.slice(0..n).map_or(0, all)]
                        })
                    };
                    team.single(|w| y[w].copy_from_slice(&sums));
                }).expect("covered");
                let y = y.to_host().expect("memory").to_vec();
                for (league, found) in y.chunks(3).enumerate() {
                    let all = |element: &dyn Fn(usize) -> usize| (0..n).map(|k| (k + 1) * element(k)).sum::<usize>();
                    let turned = |k: usize| n - 1 - k + league;
                    let doubled = |k: usize| turned(k) + n - 1 - k;
                    let wanted = [all(&turned), all(&doubled) + (0..n).map(doubled).sum::<usize>(), all(&|k| n - k)];
                    assert_eq!(found, wanted, "{n}, {size} threads");
                }
            }
        }
    }

    // All lanes of all threads write, where a thread of a device has several.
    fn lanes_write_scratch_too(space, _setting) {
        for (size, lanes) in [(1, 32), (3, 4), (16, 8)] {
            if size > space.concurrency() {
                continue;
            }
            let size = if space.configuration().starts_with("Cuda") { size } else { 1 };
            let mut y = space.zeros::<usize, 1>("y", [LEAGUE]).expect("memory");
            let policy = space.team(LEAGUE, size).vector(lanes).scratch(8 * 300, 0);
            parallel_for("lanes", policy, &mut y, move |team, mut y| {
                let sum = team.with_scratch_mut([300], |[i]| i, |team, mut s| {
                    s.write(team, 50..300, |_, s, rest| *s += rest[49]);
                    s.write_pairs(team, 100, |_, a, b| core::mem::swap(a, b));
                    s.write_all(team, |s| s[99] += 1);
                    s[99] * 1000 + s[200]
                });
                team.single(|w| y[w] = sum);
            }).expect("covered");
            // 99 came from 199, and one lane has added to it; 200 has no partner.
            assert_eq!(y.to_host().expect("memory").to_vec(), [(199 + 49 + 1) * 1000 + 249; LEAGUE], "{size} times {lanes}");
        }
    }
}

every! { on_every_host_space:
    fn what_exceeds_scratch_panics(space, _setting) {
        type Kernel = fn(&mut spelt::Team<'_>);
        let cases: [(&str, Kernel); 12] = [
            ("the index [2, 4] is beyond the extents [3, 4] of scratch", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |_, s| assert!(s[[2, 4]] < 1.0));
            }),
            ("the index [3] is beyond the extents [3] of scratch", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |_, s| assert!(s.row(3).is_empty()));
            }),
            ("the index [4] is beyond the extents [4] of scratch", |team| {
                team.with_scratch_mut([4], |_| 0.0, |team, mut s| s.write(team, 1, |_, s, rest| *s = rest[4]));
            }),
            ("a loop over scratch reads the element [1, 2] of the box from [1, 1] to [3, 4] that it writes", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| {
                    s.write(team, [1..3, 1..4], |_, s, rest| *s = rest[[1, 2]]);
                });
            }),
            ("a loop over scratch reads the element [2, 0] of the box from [1, 0] to [3, 4] that it writes", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| {
                    s.write_rows(team, 1..3, |_, s, rest| s[0] = rest[[2, 0]]);
                });
            }),
            ("a loop from [0, 1] to [3, 5] exceeds the extents [3, 4] of scratch", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| s.write(team, [0..3, 1..5], |_, _, _| ()));
            }),
            ("a loop from [1, 0] to [4, 4] exceeds the extents [3, 4] of scratch", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| s.write_rows(team, 1..4, |_, _, _| ()));
            }),
            ("a loop over scratch reads the element [0, 2] of the box from [0, 1] to [3, 3] that it writes", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| {
                    s.write_columns(team, 1..3, |_, s, rest| s.set(0, rest[[0, 2]]));
                });
            }),
            ("a loop from [0, 1] to [3, 5] exceeds the extents [3, 4] of scratch", |team| {
                team.with_scratch_mut([3, 4], |_| 0.0, |team, mut s| s.write_columns(team, 1..5, |_, _, _| ()));
            }),
            ("a loop from [1] to [5] exceeds the extents [4] of scratch", |team| {
                team.with_scratch_mut([4], |_| 0.0, |team, mut s| s.write_nested(team, 1..5, |_, _| ()));
            }),
            ("the stride of pairs is at least 1", |team| {
                team.with_scratch_mut([4], |_| 0.0, |team, mut s| s.write_pairs(team, 0, |_, _, _| ()));
            }),
            ("scratch of extents [0, 18446744073709551615] has more boxes than can be numbered", |team| {
                team.with_scratch_mut([0, usize::MAX], |_| 0.0, |_, _| ());
            }),
        ];
        for (wanted, kernel) in cases {
            let run = || parallel_for("exceeds", space.team(1, AUTO).scratch(1024, 0), (), move |team, ()| kernel(team));
            let payload = catch_unwind(AssertUnwindSafe(run)).expect_err(wanted);
            let text = payload.downcast_ref::<String>().map_or_else(
                || payload.downcast_ref::<&str>().expect("a text").to_string(), Clone::clone);
            assert!(text.contains(wanted), "{text}");
        }
        let too_small = catch_unwind(AssertUnwindSafe(|| {
            parallel_for("small", space.team(1, AUTO).scratch(64, 0), (), |team, ()| {
                team.with_scratch_mut([3, 3], |_| 0.0, |_, _| ());
            })
        }));
        let text = *too_small.expect_err("too small").downcast::<String>().expect("a text");
        assert!(text.contains("64") && text.contains("72 bytes of team scratch"), "{text}");
    }
}
