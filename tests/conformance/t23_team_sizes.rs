//! Team sizes that generic code asks for: the largest, the recommended one, and at most so many.

use spelt::prelude::*;
use spelt::{Error, ErrorKind, TeamPolicy};

use crate::spaces::every;

/// The team size that a kernel sees, and the league that ran.
macro_rules! seen {
    ($policy:expr) => {{
        let reducers = (Max::<usize>::new(), Sum::<usize>::new());
        parallel_reduce("sizes", $policy, (), |team, ()| team.contribute((team.team_size(), 1)), reducers)
    }};
}

fn seen<S: ExecutionSpace>(policy: TeamPolicy<&S>) -> Result<(usize, usize), Error> {
    seen!(policy)
}

fn on_device<S: ExecutionSpace>(_space: &S) -> bool {
    S::IS_DEVICE
}

#[track_caller]
fn ran(result: Result<(usize, usize), Error>, size: usize, league: usize) {
    assert_eq!(result.expect("such teams run"), (size, league));
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Error>, words: &[&str]) {
    let error = result.expect_err("no such team");
    assert_eq!(error.kind(), ErrorKind::Policy);
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}

every! { on_every_space:
    fn the_largest_team_runs_and_a_larger_one_is_an_error(space, _setting) {
        let policy = space.team(3, AUTO);
        let most = policy.team_size_max();
        assert!(most <= space.concurrency() && (1..=most).contains(&policy.team_size_recommended()));
        ran(seen(space.team(3, most)), most, 3);
        refused(seen(space.team(3, most + 1)), &[&(most + 1).to_string(), &format!("limit of {most}"), "at_most"]);
        refused(seen(space.team(3, 0)), &["0 threads"]);
    }

    fn the_recommended_size_is_that_of_auto(space, _setting) {
        for league in [1, 3, 5000] {
            let policy = space.team(league, AUTO);
            let recommended = policy.team_size_recommended();
            ran(seen(policy), recommended, league);
            let policy = space.team(league, AUTO).vector(8);
            let recommended = policy.team_size_recommended();
            assert!(recommended <= policy.team_size_max());
            ran(seen!(policy), recommended, league);
        }
    }

    fn the_recommended_size_is_never_above_the_largest(space, _setting) {
        // Also for vector lengths that no launch accepts.
        for vector in [0, 1, 3, 64, 4096, usize::MAX] {
            let policy = space.team(3, AUTO).vector(vector);
            assert!(policy.team_size_recommended() <= policy.team_size_max(), "{vector}");
        }
    }

    fn a_limit_is_taken_on_devices_and_raises_nothing_on_hosts(space, _setting) {
        let policy = space.team(3, AUTO);
        let (auto, most) = (policy.team_size_recommended(), policy.team_size_max());
        let largest = if on_device(space) { most } else { auto };
        for size in [1, 2, auto, most, most + 1, usize::MAX] {
            ran(seen(space.team(3, AUTO).at_most(size)), size.min(largest), 3);
            // The last of two sizes is taken.
            ran(seen(space.team(3, most).at_most(size)), size.min(largest), 3);
        }
        refused(seen(space.team(3, 4).at_most(0)), &["0 threads"]);
    }

    fn vector_lanes_count(space, _setting) {
        let with_lanes = space.team(3, AUTO).vector(32);
        let (most, scalar) = (with_lanes.team_size_max(), space.team(3, AUTO).team_size_max());
        assert!(most == scalar || most == scalar / 32, "{most} of {scalar}");
        // Before the lanes or after them.
        let largest = if on_device(space) { most } else { with_lanes.team_size_recommended() };
        ran(seen!(space.team(3, AUTO).at_most(scalar).vector(32)), largest, 3);
        ran(seen!(space.team(3, AUTO).vector(32).at_most(scalar)), largest, 3);
        refused(seen!(space.team(3, most + 1).vector(32)), &["32 vector lanes", &format!("limit of {most}")]);
        refused(seen!(space.team(3, AUTO).vector(0)), &["vector length of 0"]);
    }
}
