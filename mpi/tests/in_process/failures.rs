use std::sync::{Arc, Mutex};
use std::time::Duration;

use spelt_core::{ErrorKind, Result, Serial, Threads, canonical, parallel_for};
use spelt_mpi::{Communicator, InProcess, Mpi};

use super::SIZES;

/// One of each collective.
pub(crate) fn all_phases(ranks: &Communicator) -> Result<()> {
    let join = |left: &[u8], right: &[u8]| Ok([left, right].concat());
    let size = ranks.size();
    ranks.barrier("one")?;
    ranks.broadcast("two", size - 1, vec![1])?;
    ranks.gather("three", 0, vec![1; 5000])?;
    ranks.scatter("four", 0, vec![vec![1]; size])?;
    ranks.all_gather_v("five", vec![1])?;
    ranks.all_to_all_v("six", vec![vec![1]; size])?;
    ranks.exclusive_prefix("seven", vec![1], join)?;
    ranks.all_reduce("eight", vec![1], join)?;
    ranks.barrier("nine")
}

/// The messages of the ranks' errors.
pub(crate) fn errors<T>(results: Vec<Result<T>>) -> Vec<String> {
    results.into_iter().filter_map(|result| result.err().map(|error| error.to_string())).collect()
}

/// Calls `run` with a time-out, and again with twice the time while what it finds is not as expected: a rank for which a busy machine
/// has no time is as late as one that is silent.
fn in_time(
    mut timeout: Duration,
    run: impl Fn(Duration) -> Vec<String>,
    is_expected: impl Fn(&[String]) -> bool,
) {
    loop {
        let found = run(timeout);
        if is_expected(&found) {
            return;
        }
        assert!(timeout < Duration::from_secs(8), "with {timeout:?}: {found:?}");
        timeout *= 2;
    }
}

/// The seconds that a rank has waited, which follow these words.
fn seconds_after(words: &str, text: &str) -> Option<f64> {
    let (_, after) = text.split_once(words)?;
    after.split_once(" s")?.0.parse().ok()
}

#[test]
fn a_rank_that_is_silent_is_named() {
    for rank in 0..2 {
        let run = |timeout: Duration| {
            let errors = errors(InProcess::new(2).timeout(timeout).silent_at(rank, 12).run(all_phases));
            assert_eq!(errors.len(), 2, "{errors:?}");
            assert!(errors[0].contains("(number ") && errors[0].contains("SPELT_MPI_TIMEOUT"), "{errors:?}");
            for error in &errors {
                let since = |late| seconds_after(&format!("waits for rank {late} since "), error);
                let waited = (0..2).find_map(since);
                // Rounded to a tenth.
                let least = timeout.as_secs_f64() - 0.1;
                assert!(
                    waited.is_some_and(|waited| (least..60.0).contains(&waited)),
                    "{timeout:?}: {errors:?}"
                );
            }
            errors
        };
        // The machine decides only which rank is late.
        in_time(Duration::from_millis(150), run, |errors| {
            let told = format!("waits for rank {rank} since ");
            errors.iter().all(|error| error.contains(&told))
                && errors[0].contains(&format!("rank {} in ", 1 - rank))
        });
    }
}

/// A rank may wait for one that waits itself: one of them is named, and all end.
#[test]
fn a_silent_rank_ends_all() {
    for size in [3, 5, 8] {
        for operation in [4, 9, 13] {
            let world = InProcess::new(size).timeout(Duration::from_millis(100)).silent_at(1, operation);
            let errors = errors(world.run(all_phases));
            let is_told = |error: &String| error.contains("waits") && error.contains("SPELT_MPI_TIMEOUT");
            assert!(!errors.is_empty() && errors.iter().all(is_told), "{errors:?}");
        }
    }
}

/// The error names both ranks, both calls and both labels.
#[test]
fn other_calls_are_found() {
    type Main = fn(&Communicator) -> Result<()>;
    let cases: [(&str, &str, Main); 4] = [
        ("barrier `left` (number 1)", "barrier `right` (number 1)", |ranks| {
            ranks.barrier(if ranks.rank() == 0 { "left" } else { "right" })
        }),
        ("barrier `a` (number 1)", "all_gather_v `a` (number 1)", |ranks| match ranks.rank() {
            0 => ranks.barrier("a"),
            _ => ranks.all_gather_v("a", vec![]).map(drop),
        }),
        ("broadcast `a` (number 1, root 0)", "broadcast `a` (number 1, root 1)", |ranks| {
            ranks.broadcast("a", ranks.rank(), vec![]).and_then(|_| ranks.barrier("b"))
        }),
        ("barrier `b` (number 2)", "barrier `b` (number 1)", |ranks| {
            if ranks.rank() == 0 {
                ranks.broadcast("only here", 0, vec![])?;
            }
            ranks.barrier("b")
        }),
    ];
    for (left, right, main) in cases {
        let world = InProcess::new(2).timeout(Duration::from_secs(60));
        for world in [world.clone(), world.delays(3, 40).rendezvous_above(4096)] {
            let errors = errors(world.run(main));
            assert!(!errors.is_empty(), "{left} and {right}");
            let first =
                errors.iter().find(|error| error.contains("do not make the same calls")).expect("an error");
            assert!(first.contains("rank 0 is in") && first.contains("rank 1 is in"), "{first}");
        }
    }
    let errors = errors(InProcess::new(2).run(cases[0].2));
    assert!(errors[0].contains(cases[0].0) && errors[0].contains(cases[0].1), "{errors:?}");
}

#[test]
fn each_pair_of_different_calls_is_found() {
    type Call = fn(&Communicator) -> Result<()>;
    let calls: [(&str, Call); 9] = [
        ("barrier `a`", |ranks| ranks.barrier("a")),
        ("barrier `b`", |ranks| ranks.barrier("b")),
        ("broadcast `a`", |ranks| ranks.broadcast("a", 0, vec![]).map(drop)),
        ("root 1)", |ranks| ranks.broadcast("a", 1, vec![]).map(drop)),
        ("gather `a`", |ranks| ranks.gather("a", 0, vec![]).map(drop)),
        ("scatter `a`", |ranks| ranks.scatter("a", 0, vec![vec![]; 2]).map(drop)),
        ("all_to_all_v `a`", |ranks| ranks.all_to_all_v("a", vec![vec![]; 2]).map(drop)),
        ("all_gather_v `a`", |ranks| ranks.all_gather_v("a", vec![]).map(drop)),
        ("all_reduce `a`", |ranks| ranks.all_reduce("a", vec![], |left, _| Ok(left.to_vec())).map(drop)),
    ];
    for (zero, (name, call)) in calls.iter().enumerate() {
        for (one, (other_name, other)) in calls.iter().enumerate() {
            // Both receive first, so that there is no message.
            let waits = [3, 4, 8].contains(&zero) && [2, 5].contains(&one);
            let world = InProcess::new(2).timeout(Duration::from_secs(if waits { 1 } else { 60 }));
            let call = |ranks: &Communicator| if ranks.rank() == 0 { call(ranks) } else { other(ranks) };
            // Ranks that only send learn of it at their next call.
            let errors = errors(world.run(|ranks| call(ranks).and_then(|()| ranks.barrier("later"))));
            assert_eq!(errors.is_empty(), zero == one, "{name} and {other_name}: {errors:?}");
            let is_told = |error: &String| {
                let both = error.contains("rank 0 is in") && error.contains("rank 1 is in");
                (both || waits && error.contains("waits for rank"))
                    && (error.contains(name) || error.contains(other_name))
            };
            assert!(errors.iter().all(is_told), "{name} and {other_name}: {errors:?}");
        }
    }
}

/// Launches without messages that differ are found at the next message, with the labels of both ranks.
#[test]
fn launches_without_messages_are_compared() {
    /// Two launches, of which the ranks make the first or the second one differently, and a message.
    fn launches(ranks: &Communicator, calls: [(&str, usize); 2]) -> Result<()> {
        let space = Mpi::new(ranks, Serial::new());
        for (label, n) in calls {
            parallel_for(label, space.range(0..n), (), |_, ()| {})?;
        }
        ranks.barrier("the next message")
    }
    let (same, label, policy) = (("a", 9), ("b", 9), ("a", 8));
    for size in [2, 3, 8] {
        for (zero, others, words) in [
            ([same, same], [same, label], ["after launch `a` (number 2", "after launch `b` (number 2"]),
            (
                [same, same],
                [same, policy],
                ["after launch `a` (number 2, hash", "after launch `a` (number 2, hash"],
            ),
            ([same, same], [label, same], ["after launch `a` (number 2", "and other calls before"]),
            ([policy, same], [same, same], ["after launch `a` (number 2", "and other calls before"]),
        ] {
            let world = InProcess::new(size).timeout(Duration::from_secs(60));
            let errors =
                errors(world.run(|ranks| launches(ranks, if ranks.rank() == 0 { zero } else { others })));
            assert!(!errors.is_empty(), "{zero:?} and {others:?}");
            let is_told = |error: &&String| error.contains("do not make the same calls");
            let first = errors.iter().find(is_told).expect("an error");
            assert!(words.iter().all(|word| first.contains(word)), "{words:?}: {first}");
            assert!(first.contains("barrier `the next message` (number 3)"), "{first}");
        }
        let world = InProcess::new(size).timeout(Duration::from_secs(60));
        let results = world.run(|ranks| launches(ranks, [same, policy]));
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }
}

/// Messages of two ranks are no collective calls: one may be sent before a collective and received after it.
#[test]
fn messages_of_two_ranks_may_cross_collectives() {
    let results = InProcess::new(2).run(|ranks| {
        if ranks.rank() == 0 {
            ranks.send("word", 1, vec![7])?;
        }
        ranks.barrier("between")?;
        if ranks.rank() == 1 { ranks.receive("word", 0) } else { Ok(vec![7]) }
    });
    assert!(results.into_iter().all(|word| word.expect("no error") == [7]));
}

#[test]
fn a_message_with_another_label_is_found() {
    let results = InProcess::new(2).run(|ranks| match ranks.rank() {
        0 => ranks.send("mass", 1, vec![1]),
        _ => ranks.receive("energy", 0).map(drop),
    });
    let errors = errors(results);
    assert!(errors[0].contains("message `mass`") && errors[0].contains("message `energy`"), "{errors:?}");
}

/// A rank that returns early is not waited for.
#[test]
fn a_rank_that_leaves_is_told() {
    for size in [2, 3, 7] {
        let results = InProcess::new(size)
            .timeout(Duration::from_secs(60))
            .run(|ranks| if ranks.rank() == 1 { Ok(()) } else { ranks.barrier("all") });
        let errors = errors(results);
        assert!(errors.iter().any(|error| error.contains("end `the communicator is dropped`")), "{errors:?}");
    }
}

#[test]
fn an_error_stays() {
    let results = InProcess::new(2).run(|ranks| {
        let fails = |_: &[u8], _: &[u8]| Err(spelt_core::Error::new(ErrorKind::Format, "no merge"));
        let first = ranks.all_reduce("sum", vec![], fails).expect_err("the merge fails, or the job ends");
        let second = ranks.barrier("later").expect_err("it stays");
        assert_eq!(first.to_string(), second.to_string());
        Err::<(), _>(first)
    });
    assert!(errors(results).iter().all(|error| error.contains("no merge")));
}

/// They are errors before any message: the ranks can go on.
#[test]
fn wrong_arguments() {
    for size in SIZES {
        let results = InProcess::new(size).run(|ranks| {
            let errors = [
                ranks.broadcast("a", size, vec![]).expect_err("no such root"),
                ranks.gather("a", size, vec![]).expect_err("no such root"),
                ranks.all_to_all_v("a", vec![vec![]; size + 1]).expect_err("one too many"),
                ranks.exchange("a", vec![(size, vec![])], &[]).expect_err("no such rank"),
                ranks.send("a", ranks.rank(), vec![]).expect_err("to itself"),
                ranks.receive("a", size + 7).expect_err("no such rank"),
            ];
            assert!(errors.iter().all(|error| error.to_string().starts_with("`a`: ")), "{errors:?}");
            assert!(errors[0].to_string().contains(&format!("rank {size} of {size}")));
            ranks.barrier("still here")
        });
        assert!(errors(results).is_empty());
    }
}

#[test]
fn ranks_that_were_built_differently_refuse_each_other() {
    for size in [2, 3, 8] {
        for other in [0, size - 1] {
            let world = InProcess::new(size).built_as(other, "Spelt 9.9.9, big-endian");
            let results = world.run(|_| -> Result<()> { unreachable!("no rank starts") });
            let errors = errors(results);
            assert_eq!(errors.len(), size);
            for error in errors {
                assert!(error.contains(&format!("rank {other} is Spelt 9.9.9, big-endian")), "{error}");
                assert!(error.contains("little-endian") && error.contains("tiles of"), "{error}");
            }
        }
    }
}

/// Of two builds that differ in one number of the order alone, whichever it is.
#[test]
fn ranks_of_another_order_refuse_each_other() {
    let told = |world: InProcess| errors(world.run(|_| Ok(())));
    let refusal = told(InProcess::new(2).built_as(1, "?")).swap_remove(0);
    let own = refusal.split_once("rank 0 is ").expect("what it is").1;
    let own = own.split_once("; rank 1 is ?").expect("and the other").0;
    assert!(own.contains(&format!("order {} ", canonical::NUMBER)), "{own}");
    // Described in the same words, it is the same build.
    assert_eq!(told(InProcess::new(2).built_as(1, own)), [""; 0]);
    let order = own.find("order ").expect("the order");
    let end = own.find(", messages of up to").expect("the longest message");
    let digits: Vec<usize> =
        own.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let of_order: Vec<usize> = digits.into_iter().filter(|at| (order..end).contains(at)).collect();
    // The number, three tiles, and the lanes of five sizes.
    assert!(of_order.len() >= 9, "{own}");
    for at in of_order {
        let mut other = own.to_owned();
        other.replace_range(at..=at, if &own[at..=at] == "7" { "3" } else { "7" });
        let errors = told(InProcess::new(2).built_as(1, &other));
        assert!(errors.len() == 2 && errors[0].contains(&other), "{errors:?}");
    }
}

/// Ranks that wait for each other send nothing: each says for whom it waits, more rarely with time, and then it is an error.
#[test]
fn mutual_waits_are_reported() {
    let run = |timeout: Duration| {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let world = InProcess::new(2).timeout(timeout).reports(timeout * 3 / 25, &reports);
        let errors = errors(world.run(|ranks| ranks.receive("a word", 1 - ranks.rank())));
        assert!(!errors.is_empty() && errors[0].contains("SPELT_MPI_TIMEOUT"), "{errors:?}");
        let reports = reports.lock().expect("no panic").clone();
        for rank in 0..2 {
            let own = waits_of(rank, &reports);
            // After 60, 120, 240 and 480 ms of 500.
            assert!(own.len() <= 4, "{} reports of rank {rank}: {reports:?}", own.len());
            assert!(own.is_sorted() && own.iter().all(|seconds| *seconds < 60.0), "{reports:?}");
        }
        reports
    };
    in_time(Duration::from_millis(500), run, |reports| {
        (0..2).all(|rank| !waits_of(rank, reports).is_empty())
    });
}

/// The seconds of the reports of a rank that waits for the other one of two.
fn waits_of(rank: usize, reports: &[String]) -> Vec<f64> {
    let words = format!("rank {rank} in message `a word` (number 0) waits for rank {} since ", 1 - rank);
    reports.iter().filter_map(|report| seconds_after(&words, report)).collect()
}

#[test]
fn more_threads_than_cores_are_told_once() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let world = InProcess::new(3).reports(Duration::from_secs(60), &reports);
    let threads = std::thread::available_parallelism().map_or(1, core::num::NonZero::get);
    let results = world.run(|ranks| {
        let space = Threads::builder().num_threads(threads).build()?;
        Ok(Mpi::new(ranks, space).ranks().size())
    });
    assert!(results.iter().all(Result::is_ok));
    let reports = reports.lock().expect("no panic");
    let noun = if threads == 1 { "thread" } else { "threads" };
    let words = format!("3 ranks on this machine run {threads} {noun} each");
    assert!(reports.len() == 1 && reports[0].contains(&words), "{reports:?}");
}

/// A kernel's panic that the program catches leaves messages under way: later calls return an error.
#[test]
fn a_caught_panic_ends_the_calls() {
    let results = InProcess::new(2).timeout(Duration::from_secs(60)).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.view_from_fn("x", [8, 300], |[i, _]| i as f64)?;
        let mut y = space.zeros::<f64, 2>("y", [8, 300])?;
        let launch = std::panic::AssertUnwindSafe(|| {
            parallel_for("step", space.md_range([1..7, 1..299]), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
                assert!(i.index()[0] != 2, "row 2");
                y[i] = x[i];
            })
        });
        match std::panic::catch_unwind(launch) {
            Ok(result) => result.map(|()| None),
            Err(_) => Ok(Some(ranks.barrier("later").expect_err("the panic stays").to_string())),
        }
    });
    let told = results.into_iter().find_map(|result| result.ok().flatten()).expect("rank 0 has caught it");
    assert!(told.contains("launch with a halo `step`") && told.contains("ended with a panic"), "{told}");
}
