//! The example `out_of_core`: the same bits for every size of the pieces, on every space, as a loop by the rules of the order.

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use crate::run::{on_each_space, run};

/// A folder for the files of a test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("out_of_core").join(test);
    fs::create_dir_all(&folder).expect("it can be written");
    folder
}

#[test]
fn every_size_of_the_pieces_gives_the_same_bits() {
    let folder = folder("pieces");
    let results = RefCell::new(Vec::<Vec<String>>::new());
    for piece in [1_000_000, 30_000, 4096, 2777] {
        let arguments = format!("--count 30001 --piece {piece} --compare --out {}", folder.display());
        on_each_space("out_of_core", &arguments, |outcome| {
            let lines: Vec<_> = outcome.lines().into_iter().take(5).map(str::to_owned).collect();
            assert_eq!(lines[0], "30001 numbers");
            assert_eq!(lines[4], "one launch over all numbers has the same bits");
            results.borrow_mut().push(lines);
        });
    }
    let results = results.into_inner();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
}

#[test]
fn a_file_of_known_numbers() {
    let file = folder("known").join("known.f64");
    let numbers = (1..=5000).flat_map(|number| f64::from(number).to_le_bytes());
    fs::write(&file, numbers.collect::<Vec<_>>()).expect("it can be written");
    let outcome = run("out_of_core", &format!("--input {} --piece 999", file.display()));
    let lines = outcome.lines();
    assert_eq!(lines[0], "5000 numbers", "{outcome:?}");
    assert!(lines[1].starts_with("  sum      1.25025e7 "), "{outcome:?}");
    assert!(lines[2].starts_with("  squares  4.16791675e10 "), "{outcome:?}");
    assert_eq!(lines[3], "  min, max 1e0, 5e3");
    assert!(outcome.stdout.contains("6 pieces of 999 numbers"), "{outcome:?}");
    fs::write(&file, []).expect("it can be written");
    let outcome = run("out_of_core", &format!("--input {} --compare", file.display()));
    assert_eq!(outcome.lines()[0], "0 numbers", "{outcome:?}");
}

#[test]
fn faults_are_told() {
    let file = folder("faults").join("odd.f64");
    fs::write(&file, [0; 12]).expect("it can be written");
    for (arguments, message) in [
        (format!("--input {}", file.display()), "12 bytes are not a whole number of 64-bit floats"),
        ("--input nowhere.f64".to_owned(), "out_of_core: nowhere.f64: "),
        ("--piece 0".to_owned(), "give a whole number above 0"),
    ] {
        let outcome = run("out_of_core", &arguments);
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(message), "{outcome:?}");
    }
}
