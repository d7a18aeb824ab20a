//! The program of docs/mpi.md on ranks, and with the space of one process in place of `Mpi`.

use std::sync::Mutex;

/// The lines that the programs have printed.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// In place of `println!`.
macro_rules! keep {
    ($($line:tt)*) => { super::LINES.lock().expect("no panic").push(format!($($line)*)) };
}

mod on_ranks {
    spelt_test_attributes::program_of!("docs/mpi.md", "fn main", "pub(super) fn main", "println!", "keep!");
}

#[allow(unused_imports, reason = "`Mpi` is left out")]
mod program {
    spelt_test_attributes::program_of!(
        "docs/mpi.md",
        "fn main",
        "pub(super) fn main",
        "println!",
        "keep!",
        "let space = Mpi::new(ranks, Threads::new()?);",
        "let space = Serial::new();"
    );
}

/// One line makes the difference, and none in the digits.
#[test]
fn one_line_differs() {
    on_ranks::main().expect("a world of one");
    program::main().expect("one process");
    let lines = LINES.lock().expect("no panic");
    assert!(lines.len() == 2 && lines[0] == lines[1] && lines[0].parse::<f64>().is_ok(), "{lines:?}");
}
