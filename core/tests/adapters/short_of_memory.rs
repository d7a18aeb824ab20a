//! Where memory is short: an error as a View gives one, and neither an abort nor a panic. In a separate process, which is
//! left some mebibytes more than it has.
#![cfg(all(target_os = "linux", feature = "threads"))]

use std::process::Command;

use spelt_core::reducers::Sum;
use spelt_core::{Error, ErrorKind, ExecutionSpace, HostSpace, Result, View, parallel_for, parallel_reduce};

/// Set for the process that has little memory.
const CHILD: &str = "SPELT_TEST_SHORT_OF_MEMORY";

/// Memory that stays free. Unit: bytes.
const LEFT: usize = 12 << 20;

#[test]
fn replicas_and_scratch_that_do_not_fit_are_errors() {
    if std::env::var_os(CHILD).is_some() {
        return with_little_memory();
    }
    let name = "short_of_memory::replicas_and_scratch_that_do_not_fit_are_errors";
    let test = std::env::current_exe().expect("this test has a file");
    let output = Command::new(test)
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .output()
        .expect("it starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("all of it was refused"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Leaves this process so little memory.
fn limit() {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("a size");
    let size: usize = size.trim_end_matches("kB").trim().parse().expect("a number");
    let most = (size * 1024 + LEFT) as libc::rlim_t;
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the call reads the limits, which live, and only changes the amount of memory that the system will give.
    let status = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
    assert_eq!(status, 0, "{}", std::io::Error::last_os_error());
}

fn with_little_memory() {
    let pool = crate::threads(2);
    let mut bins = View::<f64, 1>::from_fn("bins", [1 << 20], |_| 1.0).expect("there is memory yet");
    let all = || parallel_for("warm", pool.range(0..100_000), (), |_, ()| {});
    all().expect("nothing can fail");
    limit();
    refused(View::<f64, 1>::zeros("zeros", [8 << 20]).map(drop), "view `zeros`: no memory for");
    refused_on(&crate::serial(), &mut bins);
    refused_on(&pool, &mut bins);
    all().expect("the pool still works");
    assert!(bins.iter().all(|&x| x == 1.0));
    println!("all of it was refused");
}

#[track_caller]
fn refused(result: Result<()>, words: &str) {
    let error: Error = result.expect_err("there is no memory");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    assert!(error.to_string().contains(words), "{error}");
}

fn refused_on(space: &impl ExecutionSpace<Memory = HostSpace>, bins: &mut View<f64, 1>) {
    let replicas = "kernel `scattered`: view `bins`.scatter(): no memory for its replicas";
    refused(
        parallel_for("scattered", space.range(0..9), bins.scatter(), |i, bins| bins.add(i.get(), 1.0)),
        replicas,
    );
    let team = space.team(4, 1);
    refused(parallel_for("scattered", team, bins.scatter(), |_, bins| bins.add(0, 1.0)), replicas);
    let words = "no memory for 67108864 bytes of scratch";
    let len = 8 << 20;
    let team = || space.team(4, 1).scratch(64 << 20, 64 << 20);
    refused(
        parallel_for("filled", team(), (), |team, ()| {
            team.with_scratch(len, |k| k as u64, |_, all| assert!(all.is_empty()));
        }),
        words,
    );
    refused(
        parallel_for("kept", team(), (), |team, ()| assert!(team.scratch_fill(len, |k| k as u64).is_empty())),
        words,
    );
    let of_a_thread = parallel_reduce(
        "own",
        team(),
        (),
        |team, ()| {
            team.with_thread_scratch(len, |_, own: &mut [u64]| assert!(own.is_empty()));
            team.contribute(1);
        },
        Sum::<u32>::new(),
    );
    refused(of_a_thread.map(drop), words);
    if space.concurrency() > 1 {
        let team = space.team(4, 2).scratch(64 << 20, 0);
        refused(
            parallel_for("gangs", team, (), |team, ()| {
                team.with_scratch(len, |k| k as u64, |_, all| assert!(all.is_empty()));
            }),
            words,
        );
    }
}
