//! Attacks on teams of several threads, in safe code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use spelt_core::{ExecutionSpace, HostSpace, Serial, View, parallel_for, reducers::Sum};

use crate::{panic_text, two_threads};

/// Members whose loops begin at different indices must not meet at one element.
#[test]
fn loops_that_begin_elsewhere_write_no_element_twice() {
    const N: usize = 100_000;
    let mut a = View::<u32, 2>::zeros("a", [1, N + 1]).expect("memory");
    parallel_for("shifted", two_threads().team(1, 2), &mut a, |team, mut a| {
        let begin = team.team_rank();
        team.parallel_for(team.thread_range(begin..begin + N), |rj| a[rj] += 1);
    })
    .expect("covered");
    assert!(a.iter().all(|&visits| visits <= 1));
}

/// A reference to an element lives as long as the accessor: no other thread may get the element in a later loop.
#[test]
fn a_reference_kept_for_a_later_loop_is_alone() {
    let mut a = View::<u64, 2>::zeros("a", [1, 65]).expect("memory");
    let changed = AtomicUsize::new(0);
    parallel_for("kept", two_threads().team(1, 2), &mut a, |team, mut a| {
        let rank = team.team_rank();
        let mut a = Some(&mut a);
        let mut kept = None;
        for phase in 0..2 {
            team.parallel_for(team.thread_range(phase..phase + 64), |rj| {
                if phase == 0 && rank == 0 && rj.inner() == 2 {
                    kept = a.take().map(|a| &mut a[rj]);
                } else if phase == 1
                    && let Some(a) = &mut a
                {
                    a[rj] = 7;
                }
            });
        }
        changed.fetch_add(usize::from(kept.is_some_and(|element| *element != 0)), Relaxed);
    })
    .expect("covered");
    assert_eq!(changed.into_inner(), 0);
}

/// As `a_reference_kept_for_a_later_loop_is_alone`, for every other argument that nested witnesses write: teams of one thread.
#[test]
fn teams_that_write_by_nested_witnesses_have_one_thread() {
    let space = two_threads();
    let mut pairs = View::<u64, 2>::zeros("pairs", [3, 8]).expect("memory");
    let mut triples = View::<u64, 3>::zeros("triples", [3, 2, 8]).expect("memory");
    macro_rules! alone {
        ($($argument:expr;)*) => {$(
            parallel_for("alone", space.team(3, 2), $argument, |team, _| assert_eq!(team.team_size(), 1)).expect("covered");
        )*};
    }
    alone! {
        &mut pairs;
        &mut triples;
        pairs.partial_mut();
        pairs.flat();
        triples.partial_mut();
        pairs.by_blocks_mut(1).nested();
        triples.by_blocks_mut(1).nested();
        (1, [&mut pairs]);
    }
    // Rows by the league index are the team's own.
    parallel_for("rows", space.team(3, 2), (&pairs, triples.by_rows_mut()), |team, _| {
        assert_eq!(team.team_size(), 2);
    })
    .expect("covered");
}

/// Teams that write nested elements by nothing but their own league index keep their threads.
#[test]
fn teams_that_write_by_league_keep_their_threads() {
    let mut sizes = View::<usize, 1>::zeros("sizes", [3]).expect("memory");
    let a = View::from_fn("a", [3, 100], |[i, j]| i + j).expect("memory");
    parallel_for("sizes", two_threads().team(3, 2), (&a, &mut sizes), |team, (a, mut sizes)| {
        let sum = team.parallel_reduce(team.thread_range(100), |rj, sum| *sum += a[rj], Sum::<usize>::new());
        assert_eq!(sum, 4950 + 100 * team.league_rank());
        let size = team.team_size();
        team.single(|w| sizes[w] = size);
    })
    .expect("covered");
    assert_eq!(sizes.as_slice(), Some(&[2, 2, 2][..]));
}

/// A member that catches its own panic in a fill, and fills again, must not let the others read the elements it skipped.
#[test]
fn scratch_is_not_read_before_all_have_filled_it() {
    let unwritten = AtomicUsize::new(0);
    let result = catch_unwind(AssertUnwindSafe(|| {
        parallel_for("caught", two_threads().team(1, 2).scratch(1 << 16, 0), (), |team, ()| {
            let rank = team.team_rank();
            for attempt in 0..2 {
                let _ = catch_unwind(AssertUnwindSafe(|| {
                    team.with_scratch(
                        1000,
                        |k| {
                            assert!(rank == 0 || attempt == 1 || k < 3, "left out");
                            0xAAAA_u64
                        },
                        |_, filled| {
                            unwritten.fetch_add(filled.iter().filter(|&&v| v != 0xAAAA).count(), Relaxed)
                        },
                    )
                }));
            }
        })
    }));
    assert!(result.is_err());
    assert_eq!(unwritten.into_inner(), 0);
}

/// After the loop, every member sees the writes of every other member's iterations.
#[test]
fn a_loop_ends_when_all_members_have_ended_it() {
    let done = AtomicUsize::new(0);
    parallel_for("late", two_threads().team(1, 2), (), |team, ()| {
        let is_late = team.team_rank() == 1;
        for round in 1..=3 {
            team.parallel_for(team.thread_range(8), |_| {
                if is_late {
                    std::thread::sleep(Duration::from_millis(2));
                }
                done.fetch_add(1, Relaxed);
            });
            assert!(done.load(Relaxed) >= 8 * round);
        }
    })
    .expect("nothing to cover");
    assert_eq!(done.into_inner(), 24);
}

/// Scratch that was returned can be taken again; scratch that is in use cannot.
#[test]
fn scratch_is_counted_while_it_is_in_use() {
    /// Three times `first` words and within them `second` words, of the team's and of the thread's scratch, each of 8.
    fn run(space: &impl ExecutionSpace<Memory = HostSpace>, first: usize, second: usize, of_team: bool) {
        parallel_for("scratch", space.team(2, 1).scratch(64, 64), (), |team, ()| {
            for _ in 0..3 {
                if of_team {
                    team.with_scratch(
                        first,
                        |_| 0_u64,
                        |team, _| team.with_scratch(second, |_| 0_u64, |_, _| ()),
                    );
                } else {
                    team.with_thread_scratch(first, |team, _: &mut [u64]| {
                        team.with_thread_scratch(second, |_, _: &mut [u64]| ());
                    });
                }
            }
        })
        .expect("nothing to cover");
    }
    for (of_team, whose) in [(true, "team"), (false, "thread")] {
        for (first, second) in [(8, 0), (4, 4), (0, 8)] {
            run(&Serial::new(), first, second, of_team);
            run(&two_threads(), first, second, of_team);
        }
        let text = panic_text(|| run(&Serial::new(), 5, 4, of_team));
        let expected =
            format!("kernel `scratch`: 32 bytes of {whose} scratch are requested, 40 of 64 are in use");
        assert!(text.starts_with(&expected), "{text}");
    }
}

/// The View that covers least decides, at any place among the arguments.
#[test]
fn nested_loops_are_covered_by_each_argument() {
    let [short, long] = [("short", 5), ("long", 9)]
        .map(|(label, columns)| View::<f64, 2>::zeros(label, [2, columns]).expect("memory"));
    let covers = |columns: usize| {
        let space = Serial::new();
        let texts = [
            panic_text(|| {
                let _ = parallel_for("k", space.team(2, 1), (&short, &long), |team, _| {
                    team.parallel_for(team.thread_range(columns), |_| {});
                });
            }),
            panic_text(|| {
                let _ = parallel_for("k", space.team(2, 1), (&long, &short), |team, _| {
                    team.parallel_for(team.thread_range(columns), |_| {});
                });
            }),
        ];
        texts.map(|text| !text.contains("nested loop: view `short` with extents [2, 5]"))
    };
    assert_eq!((covers(5), covers(6)), ([true; 2], [false; 2]));
}

/// Runs `kernel` on a team of two threads and returns the panic's text.
pub(crate) fn text_of(kernel: impl Fn(&mut spelt_core::Team<'_>) + Sync) -> String {
    let result = catch_unwind(AssertUnwindSafe(|| {
        parallel_for("scratch", two_threads().team(1, 2).scratch(1 << 16, 0), (), |team, ()| kernel(team))
    }));
    let payload = result.map(|_| ()).expect_err("it panics");
    match payload.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => payload.downcast_ref::<&str>().map_or(String::new(), |text| text.to_string()),
    }
}

/// Two members would write the same elements: each other's box, each other's array, other pairs, an array of other rows.
#[test]
fn members_write_the_same_part_of_scratch_together() {
    fn fill<'k>(team: &mut spelt_core::Team<'k>, s: &mut spelt_core::ScratchView<'k, '_, u64, 1>) {
        s.write(team, 8, |[i], s, _| *s = i as u64);
    }
    let texts = [
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut([8], |_| 0, |team, mut s| s.write(team, rank..rank + 4, |_, s, _| *s = 1));
        }),
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [8],
                |_| 0,
                |team, mut s| {
                    team.with_scratch_mut(
                        [8],
                        |_| 0,
                        |team, mut t| {
                            if rank == 0 { fill(team, &mut s) } else { fill(team, &mut t) }
                        },
                    )
                },
            );
        }),
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [8],
                |_| 0,
                |team, mut s| s.write_pairs(team, rank + 1, |_, a, b| *a += *b),
            );
        }),
        text_of(|team| {
            let extents = [[2, 8], [8, 2]][team.team_rank()];
            team.with_scratch_mut(extents, |_| 0, |_, _| ());
        }),
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [8],
                |_| 0,
                |team, mut s| s.write_nested(team, rank..rank + 4, |_, s| *s = 1),
            );
        }),
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [8],
                |_| 0,
                |team, mut s| {
                    team.with_scratch_mut(
                        [8],
                        |_| 0,
                        |team, mut t| {
                            let fill = |s: &mut [u64]| s.fill(1);
                            if rank == 0 { s.write_all(team, fill) } else { t.write_all(team, fill) }
                        },
                    )
                },
            );
        }),
    ];
    let kinds = ["write", "write", "write_pairs", "with_scratch_mut", "write_nested", "write_all"];
    for (text, kind) in texts.iter().zip(kinds) {
        assert!(
            text.contains("the same collectives") && text.contains(&format!("`{kind}`")),
            "{kind}: {text}"
        );
    }
}

/// A member that catches the panic of a loop's body reads nothing while the other still writes, and does not count as one that has
/// finished the loop.
#[test]
fn scratch_is_not_read_beside_a_loop_whose_panic_was_caught() {
    let (read, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let text = text_of(|team| {
        let rank = team.team_rank();
        team.with_scratch_mut(
            [8],
            |_| 0,
            |team, mut s| {
                for _ in 0..2 {
                    let caught = catch_unwind(AssertUnwindSafe(|| {
                        s.write(team, 8, |[i], s, _| {
                            assert!(i % 2 != 1, "member 1 gives up");
                            std::thread::sleep(Duration::from_millis(2));
                            *s = 1;
                        });
                        finished.fetch_add(1, Relaxed);
                    }));
                    if caught.is_err() {
                        let _ = catch_unwind(AssertUnwindSafe(|| read.fetch_add(1 + s[0], Relaxed)));
                        read.fetch_add(s.as_slice().len(), Relaxed);
                    }
                }
            },
        );
        assert!(rank > 1, "both go on");
    });
    assert_eq!((read.into_inner(), finished.into_inner()), (0, 0), "{text}");
}
