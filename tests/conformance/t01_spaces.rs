//! Spaces: made, named, chosen at run time; wrong settings are errors that say what to do.

use std::process::Command;

use spelt::prelude::*;
use spelt::{ErrorKind, SpaceChoice};

use crate::spaces::{every, threads};

every! { on_every_space:
    fn a_space_tells_about_itself(space, _setting) {
        assert!(space.concurrency() >= 1);
        assert!(!space.configuration().is_empty());
        assert!(["Serial", "Threads", "Rayon", "Cuda"].contains(&space.name()));
        // One line that begins with the name, also where a program asks for several.
        let text = format!("{space:#?}");
        assert!(text.starts_with(space.name()) && text.lines().count() == 1 && text.len() < 40, "{text}");
        space.fence().expect("host spaces have nothing pending");
        let sum = parallel_reduce("sum", space.range(0..10), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new());
        assert_eq!(sum.expect("nothing can fail"), 45);
    }
}

every! { on_every_space:
    fn a_timer_counts_what_was_launched(space, _setting) {
        let n = if S::IS_DEVICE { 1000 } else { 100_000 };
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        let outer = std::time::Instant::now();
        let mut timer = Timer::new(space).expect("nothing has failed");
        let start = std::time::Instant::now();
        parallel_for("set", space.range(0..n), &mut y, move |i, mut y| y[i] = (i.get() as f64).sqrt()).expect("covered");
        let least = start.elapsed();
        let elapsed = timer.elapsed().expect("nothing has failed");
        assert!(least <= elapsed && elapsed <= outer.elapsed());
        assert!(elapsed.as_secs_f64() <= timer.seconds().expect("nothing has failed"));
        std::thread::sleep(std::time::Duration::from_millis(20));
        let start = std::time::Instant::now();
        timer.reset().expect("nothing has failed");
        assert!(timer.elapsed().expect("nothing has failed") <= start.elapsed(), "it starts again");
    }
}

every! { on_every_host_space:
    fn a_large_view_begins_as_zeros(space, _setting) {
        // Beside one that has been written and freed, on both sides of the size from which pages come from the system.
        for n in [(4 << 20) / 8 - 1, (4 << 20) / 8, (4 << 20) / 8 + 1000] {
            for _ in 0..2 {
                let mut x = space.zeros::<u64, 1>("x", [n]).expect("memory");
                let any = parallel_map_reduce("any", space.range(0..n), &x, |i, x| x[i], BOr::<u64>::new());
                assert_eq!(any.expect("covered"), 0);
                parallel_for("fill", space.range(0..n), &mut x, |i, mut x| x[i] = !0).expect("covered");
            }
        }
    }
}

#[test]
fn threads_are_as_many_as_asked_for() {
    for number in [1, 2, 3, 8] {
        assert_eq!(threads(number).concurrency(), number);
    }
    for number in [0, 100_000] {
        let error = Threads::builder().num_threads(number).build().expect_err("no such number of threads");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(&number.to_string()), "{error}");
    }
}

#[test]
fn choices_are_read_from_their_names() {
    for choice in SpaceChoice::HOST.into_iter().chain([SpaceChoice::Cuda(0), SpaceChoice::Cuda(12)]) {
        assert_eq!(choice.to_string().parse::<SpaceChoice>().expect("its own name"), choice);
        assert_eq!(choice.to_string().to_uppercase().parse::<SpaceChoice>().expect("in capitals"), choice);
    }
    for wrong in ["cuda:", "cuda:x", "cuda1", "cuda:-1"] {
        assert!(wrong.parse::<SpaceChoice>().is_err(), "{wrong}");
    }
    let error = "abacus".parse::<SpaceChoice>().expect_err("no such space");
    assert_eq!(error.kind(), ErrorKind::Configuration);
    let text = error.to_string();
    assert!(
        ["abacus", "serial", "threads", "rayon", "cuda"].iter().all(|word| text.contains(word)),
        "{text}"
    );
}

#[test]
fn a_choice_runs_generic_code() {
    fn solve<S: ExecutionSpace>(space: &S) -> spelt::Result<(String, f64)> {
        let x = space.view_from_fn("x", [1000], |[i]| i as f64)?;
        let sum =
            parallel_reduce("sum", space.range(0..1000), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new())?;
        Ok((space.configuration(), sum))
    }
    for choice in SpaceChoice::HOST {
        let (configuration, sum) =
            with_space!(choice, |space| solve(&space)).expect("every space is built in");
        assert!(configuration.to_lowercase().starts_with(&choice.to_string()), "{configuration}");
        assert_eq!(sum, 499_500.0);
    }
}

/// Run by the tests below in a separate process, with its own environment.
#[test]
#[ignore = "prints its environment's choice for another test"]
fn child_prints_its_choice() {
    match SpaceChoice::from_env() {
        Ok(choice) => println!("choice {choice}"),
        Err(error) => println!("error {:?} {error}", error.kind()),
    }
    match Threads::new() {
        Ok(space) => println!("threads {}", space.concurrency()),
        Err(error) => println!("error {:?} {error}", error.kind()),
    }
}

fn child(variables: &[(&str, &str)]) -> String {
    let this = std::env::current_exe().expect("a test knows its own file");
    let mut command = Command::new(this);
    command.args(["--ignored", "--exact", "--nocapture", "t01_spaces::child_prints_its_choice"]);
    command.env_remove("SPELT_SPACE").env_remove("SPELT_NUM_THREADS").envs(variables.iter().copied());
    let output = command.output().expect("a test can be started");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_environment_chooses() {
    assert!(child(&[]).contains("choice threads"));
    assert!(child(&[("SPELT_SPACE", "rayon")]).contains("choice rayon"));
    assert!(child(&[("SPELT_SPACE", "Serial")]).contains("choice serial"));
    assert!(child(&[("SPELT_SPACE", " rayon\n")]).contains("choice rayon"));
    assert!(child(&[("SPELT_SPACE", " ")]).contains("choice threads"));
    let wrong = child(&[("SPELT_SPACE", "abacus")]);
    assert!(wrong.contains("error Configuration SPELT_SPACE") && wrong.contains("abacus"), "{wrong}");
    assert!(child(&[("SPELT_NUM_THREADS", "5")]).contains("threads 5"));
    let threads = |variables: &[(&str, &str)]| {
        let text = child(variables);
        text.lines().find(|line| line.starts_with("threads ")).map(str::to_owned)
    };
    assert_eq!(threads(&[("SPELT_NUM_THREADS", "")]), threads(&[]));
    assert_eq!(threads(&[("SPELT_NUM_THREADS", " \t")]), threads(&[]));
    assert_eq!(threads(&[("SPELT_NUM_THREADS", " 5 ")]).as_deref(), Some("threads 5"));
    for value in ["0", "many", "-1"] {
        let wrong = child(&[("SPELT_NUM_THREADS", value)]);
        assert!(wrong.contains("error Configuration SPELT_NUM_THREADS"), "{wrong}");
    }
}
