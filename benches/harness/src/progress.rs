//! The progress bar of a suite.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar for this number of rounds, which shows the row that is measured.
///
/// # Panics
/// Never: the template is one that indicatif takes.
#[must_use]
pub fn bar(rounds: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:<30} {wide_bar} {pos}/{len} rounds, {eta} left");
    ProgressBar::new(rounds as u64).with_style(style.expect("the template is right"))
}
