//! Ranks that make other calls, panic, fall silent or leave: no rank hangs, and errors name the calls and the ranks.

use std::time::Duration;

use spelt_core::{ErrorKind, Result};
use spelt_mpi::{Communicator, LocalWorld};

/// One of each collective.
fn program(ranks: &Communicator) -> Result<()> {
    let row = || vec![ranks.rank() as u8; 9000];
    ranks.barrier("begin")?;
    ranks.broadcast("sizes", 1 % ranks.size(), row())?;
    ranks.all_gather_v("rows", row())?;
    ranks.scatter("parts", 0, vec![row(); ranks.size()])?;
    ranks.all_to_all_v("faces", vec![row(); ranks.size()])?;
    ranks.reduce_in_order("sum", row(), |left, _| Ok(left))?;
    ranks.exclusive_scan_in_order("prefix", row(), |left, _| Ok(left))?;
    ranks.barrier("end")
}

#[test]
fn a_rank_that_panics_at_any_message_ends_the_job_with_its_message() {
    for size in [2, 3, 5] {
        for rank in 0..size {
            let mut message = 0;
            loop {
                let ends =
                    LocalWorld::new(size).delays(message).panics(rank, message).run(|ranks| program(&ranks));
                if ends.iter().all(|end| end.as_ref().is_ok_and(Result::is_ok)) {
                    // Beyond its last message.
                    assert!(message > 10);
                    break;
                }
                for (other, end) in ends.into_iter().enumerate() {
                    match end {
                        Err(_) => assert_eq!(other, rank),
                        // It needed nothing more of the one that panicked.
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => {
                            assert_eq!(error.kind(), ErrorKind::Communication);
                            let text = error.to_string();
                            let names = text.contains(&format!("rank {rank} has ended the job"))
                                && text.contains(&format!("at its message {message}, as the test asks"));
                            // Another that heard of it first may have returned.
                            assert!(names || text.contains("has returned from its program"), "{text}");
                        }
                    }
                }
                message += 1;
            }
        }
    }
}

#[test]
fn a_rank_that_falls_silent_is_told_after_the_timeout() {
    let timeout = Duration::from_millis(30);
    for message in [0, 3, 9, 14] {
        let ends = LocalWorld::new(3).falls_silent(1, message).timeout(timeout).run(|ranks| program(&ranks));
        let errors: Vec<String> =
            ends.into_iter().filter_map(|end| end.unwrap().err()).map(|error| error.to_string()).collect();
        assert!(!errors.is_empty(), "message {message}");
        let told = |error: &String| {
            error.contains("has waited 30ms in") && error.contains('`') && error.contains("of rank")
        };
        assert!(errors.iter().any(told), "{errors:?}");
    }
}

#[test]
fn different_calls_are_found_and_both_are_named() {
    type Call = fn(&Communicator) -> Result<()>;
    let calls: [(&str, Call); 6] = [
        ("barrier `a`", |ranks| ranks.barrier("a")),
        ("barrier `b`", |ranks| ranks.barrier("b")),
        ("all_to_all_v `a`", |ranks| ranks.all_to_all_v("a", vec![vec![]; 2]).map(drop)),
        ("reduce_in_order `a`", |ranks| ranks.reduce_in_order("a", vec![], |left, _| Ok(left)).map(drop)),
        ("gather `a`", |ranks| ranks.all_gather_v("a", vec![]).map(drop)),
        ("broadcast `a` with root 1", |ranks| ranks.broadcast("a", 1, vec![]).map(drop)),
    ];
    for (zero, (name, call)) in calls.iter().enumerate() {
        for (one, (other_name, other)) in calls.iter().enumerate() {
            let world = LocalWorld::new(2).timeout(Duration::from_millis(200));
            let ends = world.run(|ranks| if ranks.rank() == 0 { call(&ranks) } else { other(&ranks) });
            let errors: Vec<String> = ends
                .into_iter()
                .filter_map(|end| end.unwrap().err())
                .map(|error| error.to_string())
                .collect();
            assert_eq!(errors.is_empty(), zero == one, "{name} and {other_name}: {errors:?}");
            if zero != one {
                let both = |error: &String| error.contains(name) && error.contains(other_name);
                assert!(errors.iter().any(both), "{name} and {other_name}: {errors:?}");
            }
        }
    }
}

#[test]
fn a_rank_that_makes_one_call_more_is_told() {
    let ends = LocalWorld::new(2).run(|ranks| {
        let extra = if ranks.rank() == 0 { ranks.barrier("extra") } else { Ok(()) };
        extra.and_then(|()| ranks.barrier("end"))
    });
    let errors: Vec<String> =
        ends.into_iter().filter_map(|end| end.unwrap().err()).map(|error| error.to_string()).collect();
    assert!(errors.iter().any(|error| error.contains("`extra`") && error.contains("`end`")), "{errors:?}");
    // The same call, but not the same number of calls before it.
    let ends = LocalWorld::new(2).run(|ranks| {
        let extra = if ranks.rank() == 0 { ranks.gather("rows", 5, vec![]).err() } else { None };
        drop(extra);
        ranks.barrier("end")
    });
    assert!(
        ends.into_iter()
            .any(|end| end.unwrap().is_err_and(|error| error.to_string().contains("collective 1")))
    );
}

#[test]
fn messages_between_two_ranks_keep_their_order() {
    for seed in 0..20 {
        let ends = LocalWorld::new(3).delays(seed).run(|ranks| -> Result<()> {
            match ranks.rank() {
                0 => {
                    for number in 0..50_u8 {
                        assert_eq!(ranks.receive("even", 1)?, [number]);
                        assert_eq!(ranks.receive("odd", 2)?, vec![number; 10_000]);
                    }
                }
                1 => (0..50).try_for_each(|number| ranks.send("even", 0, vec![number]))?,
                _ => (0..50).try_for_each(|number| ranks.send("odd", 0, vec![number; 10_000]))?,
            }
            Ok(())
        });
        ends.into_iter().for_each(|end| end.unwrap().unwrap());
    }
}

#[test]
fn a_message_with_another_label_is_an_error() {
    let ends = LocalWorld::new(2).run(|ranks| match ranks.rank() {
        0 => ranks.send("mass", 1, vec![1]),
        _ => ranks.receive("energy", 0).map(drop),
    });
    let error = ends.into_iter().nth(1).unwrap().unwrap().unwrap_err().to_string();
    assert!(error.contains("send and receive `mass`") && error.contains("`energy`"), "{error}");
}

#[test]
fn an_error_of_a_merge_is_the_callers() {
    let ends = LocalWorld::new(2).run(|ranks| {
        let merge = |_, _| Err(spelt_core::Error::new(ErrorKind::Format, "no such node"));
        ranks.reduce_in_order("sum", vec![], merge).map(drop)
    });
    let kinds: Vec<ErrorKind> = ends.into_iter().map(|end| end.unwrap().unwrap_err().kind()).collect();
    assert_eq!(kinds, [ErrorKind::Format, ErrorKind::Communication]);
}
