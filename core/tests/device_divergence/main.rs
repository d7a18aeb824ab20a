//! Threads of a device's team that diverge are an error, not a hang; so are panics, and scratch that does not fit. Errors
//! name the line of the program: `cargo gpu test -p spelt-core --test device_divergence`.
//!
//! Threads of a warp that take the same lock take turns, and blocks do not wait for one that failed. If the driver is the emulator, all
//! is repeated in lock-step, with lanes that cannot proceed alone, and traps that end one wave.
//!
//! One test in a separate program: an error stays with the device until nothing of it is left.

use core::ffi::c_int;
use std::process::Command;

use libloading::Library;
use spelt_core::reducers::{Reducer, Sum};
use spelt_core::subview::SubviewInKernel;
use spelt_core::{
    Cuda, Element, ErrorKind, ExecutionSpace, Result, ScanPart, TeamSize, Thread, parallel_fill,
    parallel_for, parallel_scan,
};

/// The variable with the number of the only kernel to run.
const ONLY: &str = "SPELT_TEST_KERNEL";

/// Launches a kernel that fails, and waits.
macro_rules! outcome {
    ($space:ident, $size:expr, |$team:ident| $body:expr) => {
        |$space: &Cuda| -> Result<()> {
            let size: TeamSize = $size;
            parallel_for("fails", $space.team(8, size).scratch(1024, 0), (), |$team, ()| $body)?;
            $space.fence()
        }
    };
}

/// The lanes of a thread, of which some run one loop more.
fn lanes(mut thread: Thread<'_, '_>) {
    let mut count = 0;
    thread.parallel_for(thread.vector_range(3), |_| count += 1);
    if count == 1 {
        let range = thread.vector_range(8);
        thread.parallel_for(range, |_| count += 1); // line: loop of some lanes
    }
}

/// Launches a scan over many blocks, of which the first fails, and waits.
fn scan<R: Reducer<Value: Element> + Sync>(space: &Cuda, sum: R) -> Result<()> {
    let n = 100_000;
    let mut y = space.zeros::<R::Value, 1>("y", [n])?;
    parallel_scan(
        "fails",
        space.range(0..n),
        &mut y,
        |i, sum, last, mut y| {
            assert!(i.get() != 70, "one of them"); // line: scan
            if last {
                y[i] = *sum;
            }
        },
        sum,
    )?;
    space.fence()
}

/// An element for which no processor has atomics.
#[derive(Clone, Copy)]
#[repr(C)]
struct Wide([u64; 3]);
// SAFETY: integers, and valid when all bytes are zero.
unsafe impl Element for Wide {}
impl spelt_core::Scalar for Wide {}

/// An element that lies far from the one before it.
#[derive(Clone, Copy)]
#[repr(C, align(1024))]
struct Page([u64; 128]);
// SAFETY: integers without padding, and valid when all bytes are zero.
unsafe impl Element for Page {}
impl spelt_core::Scalar for Page {}

/// Divergent threads of one warp, and blocks that follow one another: all make progress.
fn going_on(space: &Cuda) {
    // All lanes take one lock, or one of two.
    let mut wide = space.zeros::<Wide, 1>("wide", [2]).unwrap();
    for bins in [1, 2] {
        parallel_for("locks", space.range(0..300), wide.atomic(), move |i, wide| {
            wide.update(i.get() % bins, |Wide([count, sum, most])| {
                Wide([count + 1, sum + i.get() as u64, most.max(i.get() as u64)])
            });
        })
        .unwrap();
    }
    let wide = wide.to_host().unwrap();
    assert_eq!(wide[0].0, [450, (0..300).sum::<u64>() + (0..150).map(|i| 2 * i).sum::<u64>(), 299]);
    assert_eq!(wide[1].0, [150, (0..150).map(|i| 2 * i + 1).sum(), 299]);
    // Blocks wait for values that those before them publish.
    let n = 20_000;
    let mut y = space.zeros::<f64, 1>("y", [n]).unwrap();
    parallel_scan(
        "ones",
        space.range(0..n),
        &mut y,
        |i, sum, last, mut y| {
            *sum += 1.0;
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )
    .unwrap();
    assert!(y.to_host().unwrap().iter().enumerate().all(|(i, y)| *y == (i + 1) as f64));
    // Loops of which the compiler knows that one lane alone has an iteration, between meetings of the team.
    for size in [2, 32, 40] {
        let mut sums = space.zeros::<u64, 1>("sums", [3]).unwrap();
        parallel_for("one iteration", space.team(3, size).scratch(1024, 0), sums.atomic(), |team, sums| {
            let mut count = 0_u64;
            let one = team.thread_range(1);
            team.parallel_for(one, |_| count += 1);
            team.with_scratch_mut(
                [2],
                |_| 0_u64,
                |team, mut t| {
                    t.write_all(team, |t| t[1] += 5);
                    count *= t[1];
                    t.write(team, 0..1, |_, t, _| *t += 7);
                    count += t[0];
                },
            );
            sums.add(team.league_rank(), count);
        })
        .unwrap();
        assert_eq!(sums.to_host().unwrap().to_vec(), [5 + 7 * size as u64; 3], "{size}");
    }
}

const OTHER_SCRATCH: &str =
    "the threads of a team are about to write different parts of scratch, or different arrays";

const TOGETHER: &str = "team members must reach the same collectives, with the same lengths";

/// The words with file and line in place of `#name`.
fn with_line(words: &str) -> String {
    let Some((before, name)) = words.split_once('#') else { return words.to_owned() };
    let end = format!("// line: {name}");
    let line =
        include_str!("main.rs").lines().position(|line| line.ends_with(&end)).expect("there is a line");
    format!("{before}{}:{}:", file!(), line + 1)
}

/// Instructions of a warp after which the emulator gives a kernel up. Source: the kernels here run less than a tenth of them.
const INSTRUCTIONS: &str = "1M";

/// The code by which the driver says that a launch was given up, as it did not end by itself.
const LAUNCH_TIMEOUT: c_int = 702;

/// Which mode the emulator is in.
const LOCK_STEP: &str = "CUDA_EMU_LOCKSTEP";

fn in_lock_step() -> bool {
    std::env::var_os(LOCK_STEP).is_some_and(|wave| wave != "0")
}

/// Makes the emulator end hanging kernels by a count, not by time. A real driver ignores it.
fn bound_instructions() {
    for (variable, value) in [("CUDA_EMU_WATCHDOG", "0"), ("CUDA_EMU_INSTRUCTIONS", INSTRUCTIONS)] {
        if std::env::var_os(variable).is_none() {
            // SAFETY: no other thread reads or changes the environment: the one of the harness waits for this test.
            unsafe { std::env::set_var(variable, value) };
        }
    }
}

/// The driver's error code for a kernel that has failed; it stays with this thread's context.
fn code_of_failure() -> Option<c_int> {
    // SAFETY: the program has loaded the library already, as its driver.
    let driver = unsafe { Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the signature is that of CUDA's documentation.
    let wait = unsafe { driver.get::<unsafe extern "C" fn() -> c_int>(b"cuCtxSynchronize\0") }.ok()?;
    // SAFETY: any thread may wait at any time.
    Some(unsafe { wait() })
}

/// Whether the driver is the emulator, which has its own functions.
fn on_the_emulator() -> bool {
    // SAFETY: the program has loaded the library already, as its driver.
    let driver = unsafe { Library::new("libcuda.so.1") };
    // SAFETY: it is not called.
    driver.is_ok_and(|driver| unsafe { driver.get::<*const ()>(b"cuEmuCount\0") }.is_ok())
}

#[test]
fn divergence_is_an_error() {
    bound_instructions();
    let spaces = || match Cuda::new(0) {
        Ok(space) => Some(space),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Driver, "{error}");
            eprintln!("not tested: {error}");
            None
        }
    };
    {
        let Some(space) = spaces() else { return };
        if let Err(error) = parallel_for("probe", space.range(0..1), (), |_, ()| {}) {
            assert!(error.to_string().contains("plain cargo built it"), "{error}");
            eprintln!("not tested: {error}");
            return;
        }
        going_on(&space);
    }
    type Launch = fn(&Cuda) -> Result<()>;
    // Each with words of its error; `#name` is the line that ends with `// line: name`.
    let kernels: [(Launch, &[&str]); 26] = [
        (
            outcome!(space, 2.into(), |team| if team.team_rank() == 1 {
                team.barrier() // line: barrier of one
            }),
            &["panicked at #barrier of one", TOGETHER, "another has left the kernel"],
        ),
        (
            outcome!(space, 2.into(), |team| if team.team_rank() == 0 {
                team.barrier() // line: barrier of the first
            }),
            &["panicked at #barrier of the first", TOGETHER, "another has left the kernel"],
        ),
        (
            outcome!(space, 64.into(), |team| if team.team_rank() == 1 {
                team.barrier() // line: barrier of one in a block
            }),
            &["panicked at #barrier of one in a block", TOGETHER, "another has left the kernel"],
        ),
        (
            outcome!(space, 32.into(), |team| {
                if team.team_rank() == 0 {
                    team.barrier() // line: barrier beside scratch
                } else {
                    team.scratch_fill(3, |k| k); // line: scratch beside a barrier
                }
            }),
            &["panicked at #scratch beside a barrier", TOGETHER, "another at #barrier beside scratch"],
        ),
        (
            outcome!(space, 2.into(), |team| {
                team.scratch_fill(3 + team.team_rank(), |k| k); // line: lengths in a warp
            }),
            &["panicked at #lengths in a warp", TOGETHER, "another came here with another length"],
        ),
        (
            outcome!(space, 40.into(), |team| {
                team.scratch_fill(3 + team.team_rank(), |k| k); // line: lengths in a block
            }),
            &["panicked at #lengths in a block", TOGETHER, "another came here with another length"],
        ),
        (
            outcome!(space, 2.into(), |team| {
                let rank = team.team_rank();
                team.with_scratch_mut(
                    [8],
                    |_| 0,
                    |team, mut s| {
                        s.write(team, rank..rank + 4, |_, s, _| *s = 1); // line: boxes in a warp
                    },
                );
            }),
            &["panicked at #boxes in a warp", OTHER_SCRATCH],
        ),
        (
            outcome!(space, 40.into(), |team| {
                let shape = if team.team_rank() == 39 { [2, 8] } else { [8, 2] };
                team.with_scratch_mut(shape, |_| 0, |_, _| ()); // line: shapes in a block
            }),
            &["panicked at #shapes in a block", OTHER_SCRATCH],
        ),
        (
            outcome!(space, 2.into(), |team| {
                if team.team_rank() == 0 {
                    team.broadcast(1_u32, 0); // line: of four bytes
                } else {
                    team.broadcast(1_u64, 0); // line: of eight bytes
                }
            }),
            &["panicked at #of eight bytes", TOGETHER, "another at #of four bytes"],
        ),
        (
            outcome!(space, 2.into(), |team| for _ in 0..=team.team_rank() {
                team.barrier() // line: one barrier more
            }),
            &["panicked at #one barrier more", TOGETHER, "another has left the kernel"],
        ),
        (
            |space| {
                parallel_for("fails", space.team(8, 4).vector(4), (), |team, ()| {
                    team.parallel_for(team.thread_range(4), lanes); // line: loop of threads
                })?;
                space.fence()
            },
            &["#loop of threads", TOGETHER, "#loop of some lanes"],
        ),
        (
            |space| {
                parallel_for("fails", space.team(8, 64), (), |team, ()| {
                    assert!(team.team_rank() != 1, "one of them"); // line: one lane
                    team.barrier();
                })?;
                space.fence()
            },
            &["panicked at #one lane", "one of them"],
        ),
        (
            |space| {
                let x = space.zeros::<f32, 1>("heights", [40])?;
                parallel_for("fails", space.range(0..40), &x, |i, x| {
                    core::hint::black_box(x[i + 3]); // line: index
                })?;
                space.fence()
            },
            &["panicked at #index", "is out of bounds of view `heights` with extents [40]"],
        ),
        (
            |space| {
                let x = space.zeros::<f32, 1>("heights", [40])?;
                parallel_for("fails", space.range(1..39), x.halo::<1>(), |i, x| {
                    core::hint::black_box(x.at(i, [2])); // line: halo
                })?;
                space.fence()
            },
            &[
                "panicked at #halo",
                "offset [2] leaves the halo of 1 of view `heights`.halo::<1>() with extents [40]",
            ],
        ),
        (
            |space| {
                let mut x = space.zeros::<f32, 2>("heights", [8, 3])?;
                parallel_for("fails", space.team(8, 1), &mut x, |team, _| {
                    let range = team.thread_range(4);
                    team.parallel_for(range, |_| {}); // line: nested loop
                })?;
                space.fence()
            },
            &["panicked at #nested loop", "nested loop: a View does not cover its indices"],
        ),
        (
            |space| {
                let mut x = space.zeros::<f32, 1>("heights", [20])?;
                parallel_for("fails", space.team(7, 4), x.by_blocks_mut(3).nested(), |team, mut x| {
                    let range = team.thread_range(3);
                    team.parallel_for(range, |rj| x[rj] = 1.0); // line: beyond a block
                })?;
                space.fence()
            },
            &[
                "panicked at #beyond a block",
                "it exceeds the block or segment of its team: end it at the accessor's `len()`",
            ],
        ),
        (
            |space| {
                let mut x = space.zeros::<f32, 2>("heights", [20, 5])?;
                parallel_for("fails", space.team(7, 4), x.by_blocks_mut(3).nested(), |team, mut x| {
                    let range = team.thread_md_range([3, 5]);
                    team.parallel_for(range, |rij| x[rij] = 1.0); // line: beyond a block of rows
                })?;
                space.fence()
            },
            &["panicked at #beyond a block of rows", "it exceeds the block or segment of its team"],
        ),
        (
            outcome!(space, 32.into(), |team| {
                team.with_scratch_mut(
                    [3, 4],
                    |_| 0,
                    |team, s| {
                        core::hint::black_box(s[[2, team.team_rank()]]); // line: index of scratch
                    },
                );
            }),
            &["panicked at #index of scratch", "the index is beyond the extents of scratch"],
        ),
        (
            outcome!(space, 40.into(), |team| {
                team.with_scratch_mut(
                    [16],
                    |_| 0,
                    |team, mut s| {
                        s.write(team, 8..17, |_, s, _| *s = 1); // line: loop beyond scratch
                    },
                );
            }),
            &["panicked at #loop beyond scratch", "a loop exceeds the extents of scratch"],
        ),
        (
            outcome!(space, 40.into(), |team| {
                team.with_scratch_mut(
                    [3, 4],
                    |_| 0,
                    |team, mut s| {
                        s.write(team, [1..3, 1..4], |_, s, rest| *s = rest[[1, 2]]); // line: own box
                    },
                );
            }),
            &["panicked at #own box", "a loop over scratch reads an element of the box that it writes"],
        ),
        (
            |space| {
                let x = space.zeros::<f32, 2>("heights", [40, 6])?;
                parallel_for("fails", space.range(0..40), x.lookup(), |i, x| {
                    core::hint::black_box(x.subview((i.get(), 3..i.get() + 4)).extent(0)); // line: subview
                })?;
                space.fence()
            },
            &["panicked at #subview", "is out of bounds of view `heights`.lookup() with extents [40, 6]"],
        ),
        // Nothing waits for a filling: the code that reads the View does, and gets the error.
        (
            |space| {
                let x = space.uninit::<usize, 1>("x", [300])?;
                let x = parallel_fill("fails", space.range(0..300), x, (), |i, ()| {
                    assert!(i.get() != 70, "one of them"); // line: filling
                    i.get()
                })?;
                x.to_host().map(drop)
            },
            &["panicked at #filling", "one of them"],
        ),
        // Blocks that wait for a value that another one would have published.
        (|space| scan(space, Sum::<u64>::new()), &["panicked at #scan", "one of them"]),
        (|space| scan(space, Sum::<f64>::new()), &["panicked at #scan", "one of them"]),
        // Launches with a View of the host wait, so that the last one of a scan returns the error: the part is as it was.
        (
            |space| {
                let x = space.pinned_zeros::<u64, 1>("x", [8])?;
                let mut part = ScanPart::new(8, Sum::<u64>::new());
                let outcome = part.scan("fails", space.team(8, 4), &x, |team, sum, last, _x| {
                    *sum += team.league_rank() as u64;
                    assert!(!last, "one of them"); // line: last pass
                });
                assert_eq!(part.range(), 0..0);
                outcome
            },
            &["panicked at #last pass", "one of them"],
        ),
        // As many bytes as requested, less those for alignment.
        (
            |space| {
                parallel_for("fails", space.team(8, 4).scratch(1 + size_of::<Page>(), 0), (), |team, ()| {
                    let page = |k| Page([k as u64; 128]);
                    team.with_scratch(
                        1,
                        |_| 0_u8,
                        |team, _| {
                            team.scratch_fill(1, page); // line: too much scratch
                        },
                    );
                })?;
                space.fence()
            },
            &["panicked at #too much scratch", "more scratch is requested"],
        ),
    ];
    let only = std::env::var(ONLY).ok().map(|number| number.parse::<usize>().expect("a number"));
    for (number, (kernel, wanted)) in kernels.into_iter().enumerate() {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        // After a failure a GPU is lost to its process.
        if only.is_none() && !on_the_emulator() {
            let mut alone = Command::new(std::env::current_exe().expect("a program"));
            let status =
                alone.args(["divergence_is_an_error", "--nocapture"]).env(ONLY, number.to_string()).status();
            assert!(status.expect("it starts").success(), "kernel {number}");
            continue;
        }
        let space = spaces().expect("it was there");
        let error = kernel(&space).expect_err("the kernel fails");
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Device, Some("fails")), "{number}: {error}");
        // Where lanes do not join again, only the earlier place of another lane is known.
        let wanted = if in_lock_step() { &wanted[..2] } else { wanted };
        for words in wanted {
            let words = with_line(words);
            assert!(error.to_string().contains(&words), "{number}: {words}: {error}");
        }
        let code = code_of_failure();
        assert!(code.is_none_or(|code| code >= 700 && code != LAUNCH_TIMEOUT), "{number}: {code:?}: {error}");
        println!("{error}");
    }
    // Release builds only: lanes in lock-step are predictable in optimised code only.
    if !cfg!(debug_assertions) && !in_lock_step() && on_the_emulator() {
        for wave in ["32", "64"] {
            let mut again = Command::new(std::env::current_exe().expect("a program"));
            let status = again.arg("divergence_is_an_error").env(LOCK_STEP, wave).status();
            assert!(status.expect("it starts").success(), "in lock-step, with waves of {wave}");
        }
    }
}
