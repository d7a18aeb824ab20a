//! The checks of a replay. `tests/conformance/t40_graphs.rs` has its results, and its errors.

use super::{Graph, when_all};
use crate::covered::CHECKS;
use crate::reducers::Sum;
use crate::{AUTO, ExecutionSpace, Result, Serial};

/// The number of checks of coverage in `work`.
fn checks(work: impl FnOnce()) -> usize {
    let before = CHECKS.get();
    work();
    CHECKS.get() - before
}

#[test]
fn only_the_first_replay_checks_coverage() {
    let space = Serial::new();
    let mut x = space.zeros::<f64, 1>("x", [50]).unwrap();
    let mut y = space.zeros::<f64, 2>("y", [5, 4]).unwrap();
    let mut z = space.zeros::<f64, 1>("z", [9]).unwrap().with_origin([-4]).unwrap();
    let mut sum = space.zeros::<f64, 0>("sum", []).unwrap();
    let mut graph = Graph::new(&space);
    let mut replay = |n: usize| {
        graph.replay(|root| {
            let a = root.then_parallel_for("a", space.range(0..n), &mut x, |i, mut x| x[i] += 1.0)?;
            let b =
                root.then_parallel_for("b", space.md_range([0..5, 1..4]), &mut y, |i, mut y| y[i] += 1.0)?;
            let c = root.then_parallel_for("c", space.team(5, AUTO), &mut y, |team, mut y| {
                team.parallel_for(team.thread_range(4), |j| y[j] += 1.0);
            })?;
            let d = root.then_parallel_for("d", space.signed_range(-4..5), &mut z, |i, mut z| z[i] += 1.0)?;
            let all = when_all(&[a, b, c, d])?;
            let range = space.range(0..n);
            all.then_parallel_reduce("e", range, &x, |i, sum, x| *sum += x[i], Sum::<f64>::new(), &mut sum)?;
            Ok(())
        })
    };
    assert_eq!(
        checks(|| assert!(replay(51).is_err())),
        1,
        "the first is not covered, and the others do not run"
    );
    assert_eq!(checks(|| replay(50).unwrap()), 5, "the first replay that succeeds checks each launch");
    for _ in 0..3 {
        assert_eq!(checks(|| replay(50).unwrap()), 0);
    }
    assert_eq!(checks(|| assert!(replay(51).is_err())), 0, "a comparison refuses it");
    assert_eq!(checks(|| replay(50).unwrap()), 0);
    assert_eq!((x[49], y[[4, 3]], y[[4, 0]], z[4]), (5.0, 10.0, 5.0, 5.0));
    assert_eq!(sum[[]], 250.0);
}

/// A launch that was never checked is checked when it first comes to that.
#[test]
fn a_panic_before_the_check_leaves_no_record_of_it() -> Result<()> {
    let space = Serial::new();
    let mut short = space.zeros::<f64, 1>("short", [4])?;
    let mut graph = Graph::new(&space);
    graph
        .replay(|root| {
            // The environment is wrong, or memory short, before the arguments are checked: here a league of too much scratch.
            let policy = space.team(5, AUTO).scratch(usize::MAX, 0);
            let refused = root.then_parallel_for("k", policy, &mut short, |_, _| {});
            assert!(refused.is_err());
            Ok(())
        })
        .unwrap_err();
    let again = |graph: &mut Graph<'_, Serial>, short: &mut crate::View<f64, 1>| {
        graph.replay(|root| {
            root.then_parallel_for("k", space.range(0..5), short, |i, mut x| x[i] = 1.0).map(|_| ())
        })
    };
    assert_eq!(checks(|| assert!(again(&mut graph, &mut short).is_err())), 1);
    assert!(graph.is_empty());
    Ok(())
}
