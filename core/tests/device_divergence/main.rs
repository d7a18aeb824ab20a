//! Threads of a device's team that go different ways are an error, and no hang; so is scratch that does not fit: `cargo gpu test
//! -p spelt-core --test device_divergence`.
//!
//! Threads of a warp that want one lock take turns, and blocks do not wait for one that failed: with `CUDA_EMU_LOCKSTEP` the
//! emulator has lanes that cannot go on alone, and traps that end one wave.
//!
//! One test in a program of its own: an error stays with the device until nothing of it is left.

use core::ffi::c_int;

use libloading::Library;
use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{Cuda, Element, ErrorKind, ExecutionSpace, Result, TeamSize, parallel_for, parallel_scan};

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

/// Launches a scan over many blocks, of which the first fails, and waits.
fn scan<R: Reducer<Value: Element> + Sync>(space: &Cuda, sum: R) -> Result<()> {
    let n = 100_000;
    let mut y = space.zeros::<R::Value, 1>("y", [n])?;
    parallel_scan(
        "fails",
        space.range(0..n),
        &mut y,
        |i, sum, last, mut y| {
            assert!(i.get() != 70, "one of them");
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

/// An element that lies far from the one before it.
#[derive(Clone, Copy)]
#[repr(C, align(1024))]
struct Page([u64; 128]);
// SAFETY: integers without padding, and valid when all bytes are zero.
unsafe impl Element for Page {}

/// The code by which the driver says that a launch was given up, as it did not end by itself.
const LAUNCH_TIMEOUT: c_int = 702;

/// What the driver says of a kernel that has failed: a code that stays with this thread's context.
fn code_of_failure() -> Option<c_int> {
    // SAFETY: the program has loaded the library already, as its driver.
    let driver = unsafe { Library::new("libcuda.so.1") }.ok()?;
    // SAFETY: the signature is that of CUDA's documentation.
    let wait = unsafe { driver.get::<unsafe extern "C" fn() -> c_int>(b"cuCtxSynchronize\0") }.ok()?;
    // SAFETY: any thread may wait at any time.
    Some(unsafe { wait() })
}

/// What threads of a warp do next to each other, and blocks one after the other, and what comes of it.
fn going_on(space: &Cuda) {
    // All lanes want one lock, or one of two.
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
    // Blocks wait for what those before them publish.
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
}

#[test]
fn divergence_is_an_error() {
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
    let kernels: [Launch; 12] = [
        outcome!(space, 2.into(), |team| if team.team_rank() == 1 {
            team.barrier()
        }),
        outcome!(space, 64.into(), |team| if team.team_rank() == 1 {
            team.barrier()
        }),
        outcome!(space, 32.into(), |team| {
            if team.team_rank() == 0 {
                team.barrier()
            } else {
                team.scratch_fill(3, |k| k);
            }
        }),
        outcome!(space, 2.into(), |team| {
            team.scratch_fill(3 + team.team_rank(), |k| k);
        }),
        outcome!(space, 40.into(), |team| {
            team.scratch_fill(3 + team.team_rank(), |k| k);
        }),
        outcome!(space, 2.into(), |team| {
            if team.team_rank() == 0 {
                team.broadcast(1_u32, 0);
            } else {
                team.broadcast(1_u64, 0);
            }
        }),
        outcome!(space, 2.into(), |team| for _ in 0..=team.team_rank() {
            team.barrier()
        }),
        |space| {
            // The lanes of a thread.
            parallel_for("fails", space.team(8, 4).vector(4), (), |team, ()| {
                let mut count = 0;
                team.parallel_for(team.thread_range(4), |mut thread| {
                    thread.parallel_for(thread.vector_range(3), |_| count += 1);
                    if count == 1 {
                        thread.parallel_for(thread.vector_range(8), |_| count += 1);
                    }
                });
            })?;
            space.fence()
        },
        |space| {
            parallel_for("fails", space.team(8, 64), (), |team, ()| {
                assert!(team.team_rank() != 1, "one of them");
                team.barrier();
            })?;
            space.fence()
        },
        // Blocks that wait for what another one would have published.
        |space| scan(space, Sum::<u64>::new()),
        |space| scan(space, Sum::<f64>::new()),
        // As many bytes as were asked for, but for what alignment takes.
        |space| {
            parallel_for("fails", space.team(8, 4).scratch(1 + size_of::<Page>(), 0), (), |team, ()| {
                let page = |k| Page([k as u64; 128]);
                team.with_scratch(1, |_| 0_u8, |team, _| _ = team.scratch_fill(1, page));
            })?;
            space.fence()
        },
    ];
    for (number, kernel) in kernels.into_iter().enumerate() {
        let space = spaces().expect("it was there");
        let error = kernel(&space).expect_err("the kernel fails");
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::Device, Some("fails")), "{number}: {error}");
        let wanted = match number {
            ..8 => "the same collectives",
            8..11 => "one of them",
            _ => "more scratch is wanted",
        };
        assert!(error.to_string().contains(wanted), "{number}: {error}");
        let code = code_of_failure();
        assert!(code.is_none_or(|code| code >= 700 && code != LAUNCH_TIMEOUT), "{number}: {code:?}: {error}");
        println!("{error}");
    }
}
