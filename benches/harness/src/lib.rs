//! Interleaved timing, ratios and tables: the part that Spelt's suites of benchmarks share.
//!
//! Reading order: a [`Case`] makes a [`Race`] of contenders over the same data ([`lineup`]); [`measure`] times them in turns;
//! [`report`] prints, [`compare`] lists the rows in which a peer is ahead. [`machine`] has the conditions of the figures, [`suite`] the
//! parts that the programs of the suites share.

pub mod case;
pub mod clock;
pub mod compare;
pub mod lineup;
pub mod machine;
pub mod measure;
pub mod number;
pub mod progress;
pub mod report;
pub mod statistics;
pub mod suite;

pub use case::{Case, Made, Variant};
pub use clock::Clock;
pub use lineup::{Lineup, Race, Work};
