//! `cargo spelt diff A B`: the first difference between two files of `SPELT_TOOLS=check:FILE`.
//!
//! | file | concept |
//! |---|---|
//! | `file.rs` | the launches of a file, one after the other |
//! | `compare.rs` | the first difference between two launches |
//! | `values.rs` | the numbers of an element as text |

mod compare;
mod file;
mod values;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

use self::compare::{difference, name};
use self::file::CheckFile;
use crate::output;

/// The exit status of files that differ, as of `diff`.
const DIFFERENT: u8 = 1;

/// The exit status if a file cannot be read, as of `diff`.
pub(crate) const TROUBLE: u8 = 2;

/// Prints the first difference; the status is 0 without one, and 1 with one.
///
/// # Errors
/// If a file cannot be read or is none of checks.
pub(crate) fn run(a: &Path, b: &Path) -> Result<ExitCode> {
    let (mut a, mut b) = (CheckFile::open(a)?, CheckFile::open(b)?);
    let mut launches = 0;
    let mut unread = 0;
    loop {
        let text = match (a.next()?, b.next()?) {
            (None, None) if launches == 0 => bail!("neither file has a launch: did the programs make any?"),
            (None, None) => {
                output::print(&format!("no difference in {launches} launches{}\n", without(unread)))?;
                return Ok(ExitCode::SUCCESS);
            }
            (Some(launch), None) => ends(&a, &b, launches, &name(&launch)),
            (None, Some(launch)) => ends(&b, &a, launches, &name(&launch)),
            (Some(first), Some(second)) => match difference(&a, &first, &b, &second)? {
                Some(text) => text,
                None => {
                    launches += 1;
                    unread += first.views.iter().filter(|view| view.unread.is_some()).count();
                    continue;
                }
            },
        };
        output::print(&text)?;
        return Ok(ExitCode::from(DIFFERENT));
    }
}

/// The text where one run has more launches.
fn ends(longer: &CheckFile, shorter: &CheckFile, launches: usize, next: &str) -> String {
    format!(
        "{shorter} ends after {launches} launches, which are the same in both; {longer} goes on with {next}\n"
    )
}

/// How many Views could not be compared.
fn without(unread: usize) -> String {
    if unread == 0 { String::new() } else { format!(", except {unread} times a View that could not be read") }
}
