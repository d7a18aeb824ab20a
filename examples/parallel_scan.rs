//! A scan with a custom reducer: factorials.
//!
//! A scan hands each index the joined contributions of all before it. With the product in place of the sum, and i + 1 as
//! the contribution of i, that is the factorial of i.
//!
//! The same program as Kokkos's exercise parallel_scan:
//! ```text
//! cargo run --release --example parallel_scan -- -space threads
//! ```
#![forbid(unsafe_code)]

mod common;

use std::process::ExitCode;

use spelt::prelude::*;

use common::say;

fn main() -> ExitCode {
    let choice = common::space("The factorials of 0 to 9");
    common::exit_code(with_space!(choice, |space| run(&space)))
}

fn run<S: ExecutionSpace>(space: &S) -> spelt::Result<()> {
    let n = 10;
    let mut view = space.zeros::<u64, 1>("v", [n])?;

    parallel_scan(
        "factorial",
        space.range(0..n),
        &mut view,
        |i, partial, last, mut view| {
            // Before this index has contributed: an exclusive scan. Only the last call may write.
            if last {
                view[i] = *partial;
            }
            *partial *= i.get() as u64 + 1;
        },
        custom(1_u64, |into, from| *into *= from),
    )?;

    let h_view = view.to_host()?;
    say!("Factorial: \n");
    let mut reference = 1;
    for i in 0..n {
        say!("{i}: {} should be {reference}\n", h_view[i]);
        reference *= i as u64 + 1;
    }
    Ok(())
}
