//! Launches of few iterations begin on the calling thread. When they open to other threads changes no bit: this program, run again
//! with each setting of `SPELT_OPENING`.

use std::collections::HashSet;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use spelt::prelude::*;

use crate::equal::rough;

/// Runs one of this file's ignored tests as a separate process.
fn child(test: &str, opening: &str) -> Output {
    let this = std::env::current_exe().expect("a test knows its own file");
    let mut command = Command::new(this);
    command.args(["--ignored", "--exact", "--nocapture"]).arg(format!("t14_opening::{test}"));
    command.env("SPELT_OPENING", opening).output().expect("a test can be started")
}

#[test]
#[ignore = "prints the bits of its launches for another test"]
fn child_prints_bits() {
    let space = Threads::builder().num_threads(3).build().expect("threads");
    for n in [1, 2, 31, 32, 100, 2047, 2049, 8191, 8192, 20_000] {
        let threads = Mutex::new(HashSet::new());
        let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
        let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
        let sum = parallel_reduce("sum", space.range(0..n), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new());
        let ends = parallel_reduce(
            "ends",
            space.range(0..n),
            &x,
            |i, ends, x| ends.update(x[i], i.get()),
            MinMaxLoc::<f64, usize>::new(),
        );
        parallel_for("copy", space.range(0..n), (&x, &mut y), |i, (x, mut y)| {
            threads.lock().expect("no panic").insert(thread::current().id());
            y[i] = 3.0 * x[i];
        })
        .expect("covered");
        let copied: Vec<u64> = y.as_slice().expect("contiguous").iter().map(|y| y.to_bits()).collect();
        println!("bits {n} {:016x} {ends:?} {copied:?}", sum.expect("covered").to_bits());
        // Longer loops are distributed at once, regardless of the setting; a reduction of 20 000 elements is not.
        if n < 8192 {
            println!("threads {n} {}", threads.lock().expect("no panic").len());
        }
    }
}

#[test]
fn the_time_of_opening_changes_no_bit() {
    let lines = |opening: &str, word: &str| {
        let output = child("child_prints_bits", opening);
        assert!(output.status.success(), "{opening}: {output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        let lines: Vec<String> =
            text.lines().filter(|line| line.starts_with(word)).map(str::to_owned).collect();
        assert_eq!(lines.len(), if word == "bits" { 10 } else { 8 });
        lines
    };
    let never = lines("never", "bits");
    assert_eq!(lines("at-once", "bits"), never);
    assert_eq!(lines(" By-Time ", "bits"), never);
    assert!(lines("never", "threads").iter().all(|line| line.ends_with(" 1")));
}

#[test]
#[ignore = "prints whether iterations ran side by side for another test"]
fn child_meets() {
    let space = Threads::builder().num_threads(3).build().expect("threads");
    let begun = AtomicUsize::new(0);
    let met = AtomicUsize::new(0);
    parallel_for("meet", space.range(0..3), (), |i, ()| {
        if i.get() == 0 {
            return;
        }
        begun.fetch_add(1, Ordering::Relaxed);
        let started = Instant::now();
        while begun.load(Ordering::Relaxed) < 2 && started.elapsed() < Duration::from_secs(60) {
            thread::yield_now();
        }
        met.fetch_add(usize::from(started.elapsed() < Duration::from_secs(60)), Ordering::Relaxed);
    })
    .expect("no argument");
    println!("{} met", met.into_inner());
}

/// By time, so short a launch would stay on its thread.
#[test]
fn a_launch_opens_at_once_if_told_to() {
    let output = child("child_meets", "at-once");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success() && text.contains("2 met"), "{text}");
}

#[test]
#[ignore = "prints the results of launches for another test"]
fn child_prints_errors() {
    let sum = |space: &Rayon| {
        parallel_reduce("sum", space.range(0..5), (), |_, sum, ()| *sum += 1.0, Sum::<f64>::new())
    };
    println!("rayon: {:?}", sum(&Rayon::new()));
    println!("threads: {:?}", Threads::builder().num_threads(2).build().map(|_| ()));
}

#[test]
fn an_unknown_setting_is_named() {
    let output = child("child_prints_errors", "soon");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let said = "SPELT_OPENING is `soon`: choose by-time, at-once or never, or leave it unset (Configuration)";
    assert_eq!((text.matches(said).count(), text.matches("Ok(").count()), (2, 0), "{text}");
}
