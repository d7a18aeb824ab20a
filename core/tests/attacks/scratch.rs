//! Attacks on scratch that a team writes.

use std::hint::black_box;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt_core::{AUTO, ExecutionSpace, ScratchView, Serial, Team, Threads, View, parallel_for};

use crate::numbers::Numbers;
use crate::teams::text_of;

/// A member's program of random collectives, in which it may differ from the others and catch panics.
struct Member<'a> {
    /// The same for all members.
    common: Numbers,
    /// Its own.
    own: Numbers,
    /// It differs in one choice of this many.
    rarely: usize,
    /// Elements that changed while they were read, or while they were lent for writing.
    changed: &'a AtomicUsize,
}

/// A loop over an array of scratch.
type Loop<'a, 'k, 'm> = &'a mut dyn FnMut(&mut Team<'k>, &mut Member<'m>);

/// Panics without a message, of which there would be thousands.
fn give_up_if(condition: bool) {
    if condition {
        resume_unwind(Box::new("gives up"));
    }
}

impl<'m> Member<'m> {
    fn differs(&mut self) -> bool {
        self.own.below(self.rarely) == 0
    }

    fn choose(&mut self, end: usize) -> usize {
        let numbers = if self.differs() { &mut self.own } else { &mut self.common };
        numbers.below(end)
    }

    /// Counts what differs when it is read again.
    fn watch<T: PartialEq>(&self, read: impl Fn() -> T) {
        let before = read();
        std::thread::yield_now();
        self.changed.fetch_add(usize::from(before != read()), Relaxed);
    }

    /// Writes an element that no one else uses meanwhile.
    fn write(&self, element: &mut u64, value: u64) {
        *black_box(&mut *element) = value;
        std::thread::yield_now();
        self.changed.fetch_add(usize::from(*black_box(&mut *element) != value), Relaxed);
    }

    /// Writes a box, rows or all of `s`, perhaps gives up, and perhaps catches that.
    fn write_part<'k>(&mut self, team: &mut Team<'k>, s: &mut ScratchView<'k, '_, u64, 2>) {
        let end = self.choose(s.extent(0) + 1);
        let begin = self.choose(end + 1);
        let gives_up = if self.differs() { self.own.below(9) } else { usize::MAX };
        let (kind, value) = (self.choose(3), 1000 * self.own.below(1000) + team.team_rank());
        let result = catch_unwind(AssertUnwindSafe(|| {
            if kind == 2 {
                s.write_all(team, |elements| {
                    give_up_if(gives_up < 3);
                    elements.iter_mut().for_each(|element| self.write(element, value as u64));
                });
            } else if kind == 1 {
                s.write_rows(team, begin..end, |i, row, _| {
                    give_up_if(i == gives_up);
                    row.iter_mut().for_each(|element| self.write(element, (value + i) as u64));
                });
            } else {
                let columns = s.extent(1);
                s.write(team, [begin..end, 0..columns], |[i, _], element, rest| {
                    give_up_if(i == gives_up);
                    self.write(element, (value + i) as u64);
                    if begin > 0 {
                        self.watch(|| [[0, 0], [0, columns - 1]].map(|place| *black_box(&rest[place])));
                    }
                });
            }
        }));
        self.after(result, s);
    }

    /// Writes elements by nested witnesses, perhaps gives up, and perhaps catches that.
    fn write_line<'k>(&mut self, team: &mut Team<'k>, s: &mut ScratchView<'k, '_, u64, 1>) {
        let end = self.choose(s.extent(0) + 1);
        let begin = self.choose(end + 1);
        let gives_up = if self.differs() { self.own.below(9) } else { usize::MAX };
        let value = 1000 * self.own.below(1000) + team.team_rank();
        let result = catch_unwind(AssertUnwindSafe(|| {
            s.write_nested(team, begin..end, |rj, element| {
                give_up_if(rj.inner() == gives_up);
                self.write(element, (value + rj.inner()) as u64);
            });
        }));
        self.after(result, s);
    }

    /// Reads the elements after a loop, also if it panicked and that was caught.
    fn after<const R: usize>(&mut self, result: std::thread::Result<()>, s: &ScratchView<'_, '_, u64, R>) {
        self.watch(|| black_box(s.as_slice()).to_vec());
        if let Err(panic) = result {
            if self.own.below(2) == 0 {
                resume_unwind(panic);
            }
            self.watch(|| black_box(s.as_slice()).to_vec());
        }
    }

    /// A few collectives; `outer` are the loops over the arrays that are in use.
    fn run<'k>(&mut self, team: &mut Team<'k>, depth: usize, outer: &mut [Loop<'_, 'k, 'm>]) {
        for _ in 0..4 {
            let catches = self.common.below(8) != 0 || self.own.below(3) == 0;
            let result = catch_unwind(AssertUnwindSafe(|| self.step(team, depth, outer)));
            if let Err(panic) = result
                && !catches
            {
                resume_unwind(panic);
            }
        }
    }

    fn step<'k>(&mut self, team: &mut Team<'k>, depth: usize, outer: &mut [Loop<'_, 'k, 'm>]) {
        match self.choose(8) {
            0 if depth > 0 => {
                let (rows, columns) = (self.choose(5), self.choose(3));
                let gives_up = if self.differs() { self.own.below(9) } else { usize::MAX };
                let fill = |[i, _]: [usize; 2]| {
                    give_up_if(i == gives_up);
                    7
                };
                team.with_scratch_mut([rows, columns], fill, |team, mut s| {
                    let mut write =
                        |team: &mut Team<'k>, member: &mut Member<'m>| member.write_part(team, &mut s);
                    write(team, self);
                    let mut loops: Vec<Loop<'_, 'k, 'm>> = Vec::new();
                    for one in outer.iter_mut() {
                        loops.push(&mut **one);
                    }
                    loops.push(&mut write);
                    self.run(team, depth - 1, &mut loops);
                    write(team, self);
                });
            }
            1 => {
                let len = self.choose(9);
                let filled = team.scratch_fill(len, |k| k as u64);
                self.watch(|| black_box(filled).to_vec());
                let wrong = filled.iter().enumerate().filter(|&(k, &element)| element != k as u64).count();
                self.changed.fetch_add(wrong, Relaxed);
            }
            2 => team.barrier(),
            4 => {
                let len = self.choose(9);
                team.with_scratch_mut(
                    [len],
                    |_| 7,
                    |team, mut s| (0..3).for_each(|_| self.write_line(team, &mut s)),
                );
            }
            5 => {
                let len = self.choose(5);
                team.parallel_for(team.thread_range(len), |_| ());
            }
            3 => {
                let len = self.choose(5);
                team.with_scratch(
                    len,
                    |k| k as u64,
                    |team, filled| {
                        self.watch(|| black_box(filled).to_vec());
                        team.barrier();
                        self.watch(|| black_box(filled).to_vec());
                    },
                );
            }
            _ if !outer.is_empty() => {
                let which = self.choose(outer.len());
                outer[which](team, self);
            }
            _ => {}
        }
    }
}

/// Members that diverge, at any place, and go on after panics that they caught: no element changes while it is read, or while it is lent.
#[test]
fn members_that_diverge_never_share_an_element() {
    let changed = AtomicUsize::new(0);
    let (mut ended, mut failed) = (0, 0);
    for threads in [2, 3] {
        let space = Threads::builder().num_threads(threads).build().expect("threads");
        for seed in 0..if cfg!(miri) { 8 } else { 400 } {
            let rarely = [10, 40, 150, usize::MAX][seed as usize % 4];
            let result = catch_unwind(AssertUnwindSafe(|| {
                let policy = space.team(2, threads).scratch(1 << 14, 0);
                parallel_for("diverge", policy, (), |team, ()| {
                    let [common, own] = [team.league_rank() as u64, (3 + team.team_rank()) as u64]
                        .map(|number| Numbers(number << 32 | seed));
                    Member { common, own, rarely, changed: &changed }.run(team, 3, &mut []);
                })
            }));
            *if result.is_ok() { &mut ended } else { &mut failed } += 1;
        }
    }
    assert_eq!(changed.into_inner(), 0, "{ended} ended, {failed} failed");
    assert!(cfg!(miri) || ended > 50 && failed > 50, "{ended} ended, {failed} failed");
}

/// An array without elements begins where the next one does. A member that writes it is not taken for one that writes the next, at the same
/// place in the program, as many parts, and with a number that both arrays have.
#[test]
fn an_array_without_elements_is_not_taken_for_the_next_one() {
    fn write_all<'k, const R: usize>(team: &mut Team<'k>, s: &mut ScratchView<'k, '_, u64, R>) {
        s.write_all(team, |_| ());
    }
    fn write_rows<'k>(team: &mut Team<'k>, s: &mut ScratchView<'k, '_, u64, 2>, rows: Range<usize>) {
        s.write_rows(team, rows, |_, _, _| ());
    }
    let texts = [
        // The number of both boxes is 9.
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [5, 0],
                |_| 0,
                |team, mut none| {
                    team.with_scratch_mut(
                        [2, 1],
                        |_| 0,
                        |team, mut some| {
                            if rank == 0 {
                                write_rows(team, &mut some, 0..2)
                            } else {
                                write_rows(team, &mut none, 1..3)
                            }
                        },
                    );
                },
            );
        }),
        // 5.
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [0, 5],
                |_| 0,
                |team, mut none| {
                    team.with_scratch_mut(
                        [1, 1],
                        |_| 0,
                        |team, mut some| {
                            if rank == 0 { write_all(team, &mut some) } else { write_all(team, &mut none) }
                        },
                    );
                },
            );
        }),
        // 3, in arrays of different ranks.
        text_of(|team| {
            let rank = team.team_rank();
            team.with_scratch_mut(
                [0, 3],
                |_| 0,
                |team, mut none| {
                    team.with_scratch_mut(
                        [3],
                        |_| 0,
                        |team, mut some| {
                            if rank == 0 { write_all(team, &mut some) } else { write_all(team, &mut none) }
                        },
                    );
                },
            );
        }),
    ];
    for (text, kind) in texts.iter().zip(["write_rows", "write_all", "write_all"]) {
        assert!(
            text.contains("the same collectives") && text.contains(&format!("`{kind}`")),
            "{kind}: {text}"
        );
    }
}

/// The arrays in use are each other's neighbours in memory that threads keep for later: none gets another's elements.
#[test]
fn arrays_within_arrays_keep_their_elements() {
    fn nest(team: &mut Team<'_>, depth: usize) {
        team.with_scratch_mut(
            [depth],
            |[i]| i,
            |team, mut s| {
                s.write(team, depth, |[i], element, _| *element += i);
                if depth > 1 {
                    nest(team, depth - 1);
                }
                s.write(team, depth, |_, element, _| *element += 1);
                assert!((0..depth).all(|i| s[i] == 2 * i + 1));
            },
        );
    }
    parallel_for("nest", Serial::new().team(2, AUTO).scratch(1 << 13, 0), (), |team, ()| nest(team, 40))
        .expect("nothing to cover");
    for threads in if cfg!(miri) { &[2][..] } else { &[3, 32, 256] } {
        let space = Threads::builder().num_threads(*threads).build().expect("threads");
        let depth = if *threads == 256 { 3 } else { 40 };
        parallel_for("nest", space.team(2, *threads).scratch(1 << 13, 0), (), |team, ()| nest(team, depth))
            .expect("nothing to cover");
    }
}

/// A destructor that runs because a body panicked finds no elements, as other threads may still write them.
#[test]
fn a_destructor_reads_no_scratch_that_others_write() {
    struct Reads<'a, 'k, 's>(ScratchView<'k, 's, u64, 1>, &'a AtomicUsize);
    impl Drop for Reads<'_, '_, '_> {
        fn drop(&mut self) {
            self.1.fetch_add(1 + 10 * self.0.as_slice().len(), Relaxed);
            let element = catch_unwind(AssertUnwindSafe(|| self.0[0]));
            self.1.fetch_add(100 * usize::from(element.is_ok()), Relaxed);
        }
    }
    let (space, read) = (crate::two_threads(), AtomicUsize::new(0));
    let launch = || {
        parallel_for("destructor", space.team(1, 2).scratch(64, 0), (), |team, ()| {
            let gives_up = team.team_rank();
            team.with_scratch_mut(
                [8],
                |_| 0,
                |team, s| {
                    let mut s = Reads(s, &read);
                    s.0.write(team, 8, |[i], element, _| {
                        assert!(i != gives_up, "gives up");
                        *element = 1;
                    });
                },
            );
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(launch)).is_err());
    assert_eq!(read.into_inner(), 2, "both members drop it, without an element");
}

/// Launches within a body have teams and scratch of their own.
#[test]
fn launches_within_a_loop_have_their_own_scratch() {
    let space = crate::two_threads();
    let mut sums = View::<u64, 1>::zeros("sums", [3]).expect("memory");
    parallel_for("outer", space.team(3, 2).scratch(128, 0), &mut sums, |team, mut sums| {
        let sum = team.with_scratch_mut(
            [8],
            |_| 1_u64,
            |team, mut s| {
                s.write(team, 1..8, |[i], element, rest| {
                    let mut inner = View::<u64, 1>::zeros("inner", [2]).expect("memory");
                    let first = rest[0];
                    parallel_for("inner", space.team(2, 2).scratch(64, 0), &mut inner, |team, mut inner| {
                        let last = team.with_scratch_mut(
                            [4],
                            |[k]| k as u64,
                            |team, mut s| {
                                s.write_pairs(team, 2, |_, a, b| std::mem::swap(a, b));
                                s[1]
                            },
                        );
                        team.single(|w| inner[w] = last + first);
                    })
                    .expect("covered");
                    *element = inner[0] + inner[1] + i as u64;
                });
                s.as_slice().iter().sum()
            },
        );
        team.single(|w| sums[w] = sum);
    })
    .expect("covered");
    assert_eq!(sums.to_vec(), [1 + 7 * 8 + 28; 3]);
}

/// Elements without a size have no memory to share, and more of them than memory has bytes are refused.
#[test]
fn elements_without_a_size_are_scratch() {
    let space = crate::two_threads();
    parallel_for("sizeless", space.team(2, 2).scratch(0, 0), (), |team, ()| {
        team.with_scratch_mut(
            [1000, 3],
            |_| [0_u64; 0],
            |team, mut s| {
                s.write(team, [1000, 3], |_, element, _| *element = []);
                s.write_rows(team, 5..7, |_, row, _| assert_eq!(row.len(), 3));
                s.write_columns(team, 1..3, |_, column, _| {
                    column.set(999, []);
                    assert_eq!((column.get(999), column.get(1000)), (Some([]), None));
                });
                s.write_all(team, |all| assert_eq!(all.len(), 3000));
                assert_eq!((s.as_slice().len(), s.row(999).len()), (3000, 3));
            },
        );
    })
    .expect("nothing to cover");
    for extents in [[0, usize::MAX], [usize::MAX, 0], [1 << 33, 1 << 31], [1 << 20, 1 << 12]] {
        let launch = || {
            parallel_for("sizeless", space.team(1, AUTO), (), |team, ()| {
                team.with_scratch_mut(extents, |_| [0_u64; 0], |_, _| ());
            })
        };
        let panic = catch_unwind(AssertUnwindSafe(launch)).map(|_| ()).expect_err("refused");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains("has more boxes than can be numbered"), "{text}");
    }
}
