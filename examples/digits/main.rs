//! Classifies handwritten digits by their similarity to all others: k nearest neighbours, and kernel densities.
//!
//! ```text
//! cargo run --release --example digits -- --space threads --out pictures
//! ```
//!
//! Reading order: `images.rs` reads the data, `neighbours.rs` finds the nearest images by one reduction over all pairs,
//! `density.rs` adds up exponentials over pairs, `confusion.rs` counts the outcomes. Each image is classified by all but
//! itself (leave-one-out).
#![forbid(unsafe_code)]

mod confusion;
mod density;
mod images;
mod neighbours;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use confusion::Confusion;
use density::Members;
use images::{CLASSES, Digits, SIDE};
use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Progress, Settings, Stopwatch};

/// The numbers of neighbours that vote, one for each run.
const VOTERS: [usize; 7] = [1, 2, 3, 4, 5, 7, 9];

/// The numbers of voters whose errors the picture shows.
const DRAWN: usize = 3;

/// The widths of kernels, of which each run takes one. Unit: levels of grey.
const WIDTHS: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0];

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let (mut out, mut watch) = (io::stdout().lock(), Stopwatch::new(space));
        let digits = watch.time("reading", || Digits::read(space, &self.input, &self.labels, self.images))?;
        let n = digits.images.len();
        writeln!(out, "{n} images of {SIDE} x {SIDE} pixels, each classified by the others")?;

        let nearest = watch.time("neighbours", || neighbours::nearest(space, &digits))?;
        for k in VOTERS {
            let votes = neighbours::votes(space, &digits, &nearest, k)?;
            let confusion = Confusion::of(space, &digits.labels, &votes)?;
            writeln!(out, "  {k} nearest: {confusion}")?;
        }

        watch.time("densities", || -> Outcome {
            let mut progress = Progress::new("densities", WIDTHS.len() * CLASSES);
            let members = Members::of(space, &digits)?;
            for width in WIDTHS {
                let densities = members.densities(space, &digits, width, || progress.advance(1))?;
                let confusion = Confusion::of(space, &digits.labels, &densities.likeliest(space, &digits)?)?;
                let likelihood = densities.mean_log_likelihood(space)?;
                writeln!(
                    out,
                    "  density of width {width}: {confusion}, mean log-likelihood {likelihood:.3}"
                )?;
            }
            Ok(())
        })?;

        let votes = neighbours::votes(space, &digits, &nearest, DRAWN)?;
        let confusion = Confusion::of(space, &digits.labels, &votes)?;
        let file = self.settings.folder()?.join("digits.png");
        let (digits, nearest, votes) =
            (digits.to_host()?, nearest.to_host()?.to_vec(), votes.to_host()?.to_vec());
        watch.time("drawing", || {
            whole(&file, |file| picture::draw(file, DRAWN, (&digits, &nearest, &votes), &confusion))
        })?;
        watch.report(&mut out, &self.settings)?;
        writeln!(out, "wrote {}", file.display())?;
        Ok(())
    }
}
