//! Spaces in a forked child, which has the parent's memory and, of its threads, only the one that forked.
#![cfg(target_os = "linux")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use spelt_core::reducers::Sum;
use spelt_core::{ExecutionSpace, Rayon, Threads, parallel_reduce, parallel_scan};

/// How long a child may take, since one that hangs would take for ever. Unit: seconds.
const LIMIT: u32 = 60;

/// Forks: 0 in the child, the child's number in the parent.
fn fork() -> libc::pid_t {
    // SAFETY: the child allocates, which the C library allows after a fork, and takes no lock that another thread of the parent
    // may hold but those that are tested.
    let process = unsafe { libc::fork() };
    assert!(process >= 0, "{}", std::io::Error::last_os_error());
    if process == 0 {
        // SAFETY: it sets a timer, whose signal ends the process.
        unsafe { libc::alarm(LIMIT) };
    }
    process
}

/// Ends a child without dropping anything.
fn end(outcome: std::thread::Result<bool>) -> ! {
    let code = match outcome {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(_) => 2,
    };
    // SAFETY: it ends the process.
    unsafe { libc::_exit(code) }
}

/// How a child ended.
fn wait(process: libc::pid_t) -> Result<(), String> {
    let mut status = 0;
    // SAFETY: the child is this process's own, and the system writes one integer.
    assert_eq!(unsafe { libc::waitpid(process, &mut status, 0) }, process);
    match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        (true, 0) => Ok(()),
        (true, 1) => Err("it gave another result".to_owned()),
        (true, 2) => Err("it panicked".to_owned()),
        _ => Err(format!("it was ended by signal {}", libc::WTERMSIG(status))),
    }
}

/// Runs `child` in a fork: how that ended.
fn forked(child: impl FnOnce() -> bool) -> Result<(), String> {
    match fork() {
        0 => end(catch_unwind(AssertUnwindSafe(child))),
        process => wait(process),
    }
}

fn threads() -> Threads {
    Threads::builder().num_threads(3).build().expect("three threads")
}

/// The results of launches of all kinds.
fn results(space: &impl ExecutionSpace, team: usize) -> Vec<f64> {
    let x = space.view_from_fn("x", [50_000], |[i]| 1.0 / (1 + i) as f64).expect("memory");
    let range = space.range(0..50_000);
    let sum = parallel_reduce("sum", range.chunk(1), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new());
    let last = parallel_scan("scan", range, &x, |i, sum, _, x| *sum += x[i], Sum::<f64>::new());
    let teams = parallel_reduce(
        "teams",
        space.team(8, team),
        &x,
        |team, x| {
            team.barrier();
            team.contribute(x[team.league_rank()]);
        },
        Sum::<f64>::new(),
    );
    vec![sum.expect("a sum"), last.expect("a scan"), teams.expect("teams")]
}

#[test]
fn an_inherited_pool_is_dropped() {
    let (unused, used) = (threads(), threads());
    results(&used, 3);
    let mut spaces = Some((unused, used));
    assert_eq!(forked(|| spaces.take().is_some()), Ok(()));
    assert!(spaces.is_some(), "the parent has its own");
}

#[test]
fn launches_of_inherited_spaces_run_on_their_caller() {
    let pool = threads();
    let here = results(&pool, 3);
    assert_eq!(forked(|| results(&pool, 3) == here), Ok(()));
    assert_eq!(results(&Rayon::new(), 1), here);
    assert_eq!(forked(|| results(&Rayon::new(), 1) == here), Ok(()));
    assert_eq!(results(&pool, 3), here);
}

#[test]
fn a_child_may_have_pools_of_its_own() {
    let pool = threads();
    let here = results(&pool, 3);
    assert_eq!(forked(|| results(&threads(), 3) == here), Ok(()));
    let of_rayon = || rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
    assert_eq!(results(&Rayon::new(), 1), here);
    assert_eq!(forked(|| of_rayon().install(|| results(&Rayon::new(), 1)) == here), Ok(()));
}

/// The other members are not in the child: a panic there, and no wait for ever.
#[test]
fn a_fork_inside_a_kernel_does_not_hang() {
    let pool = threads();
    let parent = std::process::id();
    let child = AtomicI32::new(0);
    let launch = || {
        parallel_reduce(
            "forking",
            pool.team(1, 3),
            (),
            |team, ()| {
                team.barrier();
                if team.team_rank() == 0 {
                    child.store(fork(), Relaxed);
                }
                team.barrier();
                team.contribute(1);
            },
            Sum::<usize>::new(),
        )
    };
    let outcome = catch_unwind(AssertUnwindSafe(launch));
    if std::process::id() != parent {
        end(outcome.map(|_| true));
    }
    assert_eq!(outcome.expect("the parent still works").expect("a launch"), 1);
    assert_eq!(wait(child.into_inner()), Err("it panicked".to_owned()));
}
