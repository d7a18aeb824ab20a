//! Tools are told the same events of a program on a device and on the host: kinds, labels, bytes, Views with their access, and outcomes.

#[path = "../tools/lines.rs"]
mod lines;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use spelt_core::tools::{self, LaunchEvent, Tool};
use spelt_core::{
    AUTO, ExecutionSpace, parallel_for, parallel_reduce, parallel_reduce_into, parallel_scan, reducers::Sum,
};

use self::lines::Lines;
use crate::{device, host};

/// Adds the Views of each launch to the lines, at its begin and at its end, and whether the tool could look at them.
struct Views {
    lines: Lines,
    is_device: bool,
    needs_fences: bool,
}

impl Views {
    fn add(&self, launch: &LaunchEvent<'_>) {
        launch.for_each_view(|view| {
            let access = if view.is_written { "writes" } else { "reads" };
            let outcome = view.contents().map_or_else(|reason| reason.to_string(), |_| "ended".to_owned());
            let line = format!("{access} {}{} {}: {outcome}", view.label, view.adapter, view.bytes);
            self.lines.add(line);
        });
    }
}

impl Tool for Views {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        let LaunchEvent { is_device, device, stream, threads, .. } = *launch;
        // Streams have numbers from 1, and threads are those of a host.
        let is_as_made = [is_device, stream > 0, threads == 0] == [self.is_device; 3] && device == 0;
        self.lines.add(format!("the place is right: {is_as_made}"));
        self.add(launch);
        0
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
        self.add(launch);
    }

    fn needs_fences(&self) -> bool {
        self.needs_fences
    }
}

/// The events of a program on the space, with the host's names of spaces.
fn events<S: ExecutionSpace>(space: &S, needs_fences: bool, program: impl FnOnce(&S)) -> Vec<String> {
    let lines = Lines::installed();
    tools::install("views", Views { lines: lines.clone(), is_device: S::IS_DEVICE, needs_fences });
    program(space);
    let names = |line: String| line.replace("CudaSpace", "HostSpace").replace("Cuda", "Serial");
    lines.take().into_iter().map(names).collect()
}

/// Launches of all patterns and policies; the value that a reduction returns, and one that it writes.
fn launches<S: ExecutionSpace>(space: &S) {
    let _region = tools::region("program");
    let mut x = space.zeros::<f64, 2>("x", [7, 5]).unwrap();
    parallel_for("box", space.md_range([0..7, 0..5]), &mut x, |i, mut x| x[i] = i.index()[1] as f64).unwrap();
    let mut sums = space.zeros::<f64, 1>("sums", [7]).unwrap();
    parallel_for("team", space.team(7, AUTO), (&x, sums.atomic()), |team, (x, sums)| {
        let (row, columns) = (team.league_rank(), team.team_vector_range(0..5));
        let sum = team.parallel_reduce(columns, |j, sum| *sum += x[j], &Sum::<f64>::new());
        if team.team_rank() == 0 {
            sums.add(row, sum);
        }
    })
    .unwrap();
    tools::mark("reduced next");
    let reduced =
        parallel_reduce("reduce", space.range(0..7), &sums, |i, sum, x| *sum += x[i], Sum::<f64>::new());
    assert_eq!(reduced.unwrap(), 70.0);
    let mut total = space.zeros::<f64, 0>("total", []).unwrap();
    let sum = Sum::<f64>::new();
    parallel_reduce_into("into", space.range(2..7), &sums, |i, sum, x| *sum += x[i], sum, &mut total)
        .unwrap();
    let mut offsets = space.zeros::<u64, 1>("offsets", [7]).unwrap();
    let scanned = parallel_scan(
        "scan",
        space.range(0..7),
        (&sums, &mut offsets),
        |i, sum, is_last, (x, mut offsets)| {
            if is_last {
                offsets[i] = *sum;
            }
            *sum += x[i] as u64;
        },
        Sum::<u64>::new(),
    );
    assert_eq!(scanned.unwrap(), 70);
    parallel_for("empty", space.range(0..0), (), |_, ()| {}).unwrap();
    space.fill(&mut sums, 0.5).unwrap();
    space.fence().unwrap();
    assert_eq!(total.to_host().unwrap()[[]], 50.0);
}

#[test]
fn a_device_has_the_events_of_the_host() {
    let Some(space) = device() else { return };
    let wanted = events(&host(), false, launches);
    // Those of the host, of which the other tests of tools know each: here, that the Views are among them.
    let of_team =
        ["for team Serial 7 280 56", "the place is right: true", "reads x 280: the launch has not ended"];
    let begin = wanted.iter().position(|line| *line == of_team[0]).expect("a launch of teams");
    assert_eq!(wanted[begin..begin + 3], of_team, "{wanted:#?}");
    assert!(wanted.contains(&"writes total 8: ended".to_owned()), "{wanted:#?}");
    assert_eq!(
        wanted.iter().filter(|line| line.ends_with(": ended")).count(),
        1 + 2 + 1 + 2 + 2,
        "{wanted:#?}"
    );
    assert_eq!(events(&space, false, launches), wanted);
}

/// A launch that fails: a panic on the host, which the caller gets, and an error of the device.
fn failure<S: ExecutionSpace>(space: &S) {
    let mut x = space.zeros::<u64, 1>("x", [100]).unwrap();
    let run = || {
        let _region = tools::region("failing");
        parallel_for("fails", space.range(0..100), &mut x, |i, mut x| {
            assert!(i.get() != 70, "as asked");
            x[i] = 1;
        })
    };
    let launched = catch_unwind(AssertUnwindSafe(run));
    let waited = space.fence();
    assert!(!matches!((launched, waited), (Ok(Ok(())), Ok(()))), "it has failed");
}

/// Set in a separate process: on a GPU, a device that a kernel has failed on is lost to its process.
const CHILD: &str = "SPELT_TEST_CHILD";

#[test]
fn a_kernel_that_fails_has_its_end_and_its_views_are_not_looked_at() {
    let Some(space) = device() else { return };
    if std::env::var_os(CHILD).is_none() {
        let name = "events::a_kernel_that_fails_has_its_end_and_its_views_are_not_looked_at";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name]).env(CHILD, "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        return;
    }
    let wanted = events(&host(), true, failure);
    assert!(wanted.contains(&"writes x 800: the launch has failed".to_owned()), "{wanted:#?}");
    assert_eq!(events(&space, true, failure), wanted);
}
