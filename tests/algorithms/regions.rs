//! The regions that algorithms are for tools.

use std::sync::Mutex;
use std::thread;

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::tools::{self, LaunchEvent, Tool};
use spelt::{Offsets, View};

/// The regions of the test's thread, and its launches by their region.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

const THREAD: &str = "an algorithm is one region";

fn add(line: String) -> u64 {
    if thread::current().name() == Some(THREAD) {
        LINES.lock().expect("no panic").push(line);
    }
    0
}

struct Regions;

impl Tool for Regions {
    fn enter_region(&self, name: &str) -> u64 {
        add(format!("enter {name}"))
    }
    fn leave_region(&self, name: &str, _id: u64) {
        add(format!("leave {name}"));
    }
    fn begin_launch(&self, _launch: &LaunchEvent<'_>) -> u64 {
        add("launch".to_owned())
    }
}

/// Algorithms that call others are one region, which ends where they fail, too, and which lies in those of the program.
fn of_all_ends() {
    let space = Serial::new();
    let mut x = View::from_vec("x", [4], vec![3, 1, 2, 0]).expect("four elements");
    let kept = [true, false, true, true];
    let flags = View::from_vec("flags", [4], kept.to_vec()).expect("four elements");
    let short = View::from_vec("short", [1], vec![true]).expect("an element");
    {
        let _mine = tools::region("mine");
        sort(&space, &mut x).expect("memory");
    }
    filter_flagged(&space, &x, &flags).expect("as many");
    filter_flagged(&space, &x, &short).expect_err("too few flags");
    let mut sums = View::<i32, 1>::zeros("sums", [1]).expect("memory");
    let square = View::<i32, 2>::zeros("square", [1, 3]).expect("memory");
    sum_axes(&space, &square, [1], &mut sums).expect("an axis");
}

#[test]
fn an_algorithm_is_one_region() {
    tools::install("regions", Regions);
    let of_its_own = thread::Builder::new().name(THREAD.to_owned());
    of_its_own.spawn(of_all_ends).expect("a thread").join().expect("no panic");
    let mut lines = std::mem::take(&mut *LINES.lock().expect("no panic"));
    // An algorithm may launch as often as it likes.
    lines.dedup();
    let wanted = [
        "enter mine",
        "enter algorithms::sort",
        "launch",
        "leave algorithms::sort",
        "leave mine",
        "enter algorithms::filter_flagged",
        "launch",
        "leave algorithms::filter_flagged",
        "enter algorithms::filter_flagged",
        "leave algorithms::filter_flagged",
        "enter algorithms::sum_axes",
        "launch",
        "leave algorithms::sum_axes",
    ];
    assert_eq!(lines, wanted);
}

/// The launches that check offsets, of the test's thread.
static CHECKS: Mutex<usize> = Mutex::new(0);

const OFFSETS: &str = "checked offsets are not checked again";

struct Checks;

impl Tool for Checks {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        if thread::current().name() == Some(OFFSETS) && launch.label.contains("check") {
            *CHECKS.lock().expect("no panic") += 1;
        }
        0
    }
}

#[test]
fn checked_offsets_are_not_checked_again() {
    tools::install("checks", Checks);
    let launches = |work: &dyn Fn()| {
        let before = *CHECKS.lock().expect("no panic");
        work();
        *CHECKS.lock().expect("no panic") - before
    };
    let test = move || {
        let space = Serial::new();
        let x = View::from_fn("x", [7], |[i]| i as i32).expect("memory");
        let view = || View::from_vec("offsets", [3], vec![0, 4, 7]).expect("memory");
        let reduce = |offsets: &Offsets| {
            let (mut sums, mut y) =
                (View::zeros("sums", [2]).expect("memory"), View::zeros("y", [7]).expect("memory"));
            segmented_reduce_by_offsets(&space, &x, offsets, &mut sums, Sum::new()).expect("covered");
            segmented_inclusive_scan_by_offsets(&space, &x, offsets, &mut y, Sum::new()).expect("covered");
            segmented_inclusive_scan_by_offsets_in_place(&space, offsets, &mut y, Sum::new())
                .expect("covered");
            assert_eq!((sums.to_vec(), y[6]), (vec![6, 15], 4 + 9 + 15));
        };
        let checked = Offsets::new(view()).expect("they do not decrease");
        // SAFETY: they do not decrease, and end at 7.
        let unchecked = unsafe { Offsets::new_unchecked(view(), 7) };
        assert_eq!(launches(&|| reduce(&checked)), 0);
        assert!(launches(&|| reduce(&unchecked)) >= 3);
    };
    let of_its_own = thread::Builder::new().name(OFFSETS.to_owned());
    of_its_own.spawn(test).expect("a thread").join().expect("no panic");
}

/// The launches of the test's thread, each with its region.
static LAUNCHES: Mutex<Vec<String>> = Mutex::new(Vec::new());

const NEEDLE: &str = "a search for one needle is a launch";

struct Launches;

impl Tool for Launches {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        if thread::current().name() == Some(NEEDLE) {
            let line = format!("{} {} {}", launch.label, launch.space, launch.iterations);
            LAUNCHES.lock().expect("no panic").push(line);
        }
        0
    }
}

#[test]
fn tools_are_told_of_a_search_for_one_needle() {
    tools::install("launches", Launches);
    let test = || {
        let (space, threads) = (Serial::new(), Threads::new().expect("a pool"));
        let sorted = View::from_vec("sorted", [5], vec![1, 3, 3, 3, 7]).expect("five keys");
        assert_eq!(lower_bound_of(&space, &sorted, 3).expect("a search"), 1);
        assert_eq!(upper_bound_of(&threads, &sorted, 3).expect("a search"), 4);
        assert_eq!(equal_range_of(&space, &sorted, 3).expect("a search"), 1..4);
    };
    let of_its_own = thread::Builder::new().name(NEEDLE.to_owned());
    of_its_own.spawn(test).expect("a thread").join().expect("no panic");
    let launches = std::mem::take(&mut *LAUNCHES.lock().expect("no panic"));
    assert_eq!(launches, ["bound Serial 1", "bound Threads 1", "equal range Serial 1"]);
}
