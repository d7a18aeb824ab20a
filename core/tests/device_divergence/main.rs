//! Threads of a device's team that go different ways are an error, and no hang: `cargo gpu test -p spelt-core --test
//! device_divergence`.
//!
//! One test in a program of its own: an error stays with the device until nothing of it is left.

use spelt_core::{Cuda, ErrorKind, ExecutionSpace, Result, TeamSize, parallel_for};

/// Launches a kernel that diverges, and waits.
macro_rules! outcome {
    ($space:ident, $size:expr, |$team:ident| $body:expr) => {
        |$space: &Cuda| -> Result<()> {
            let size: TeamSize = $size;
            parallel_for("diverges", $space.team(8, size).scratch(1024, 0), (), |$team, ()| $body)?;
            $space.fence()
        }
    };
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
    }
    type Launch = fn(&Cuda) -> Result<()>;
    let kernels: [Launch; 9] = [
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
            parallel_for("diverges", space.team(8, 4).vector(4), (), |team, ()| {
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
            parallel_for("diverges", space.team(8, 64), (), |team, ()| {
                assert!(team.team_rank() != 1, "one of them");
                team.barrier();
            })?;
            space.fence()
        },
    ];
    for (number, kernel) in kernels.into_iter().enumerate() {
        let space = spaces().expect("it was there");
        let error = kernel(&space).expect_err("the kernel diverges");
        assert_eq!(
            (error.kind(), error.kernel()),
            (ErrorKind::Device, Some("diverges")),
            "{number}: {error}"
        );
        let wanted = if number == 8 { "one of them" } else { "the same collectives" };
        assert!(error.to_string().contains(wanted), "{number}: {error}");
        println!("{error}");
    }
}
