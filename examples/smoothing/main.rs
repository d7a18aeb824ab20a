//! Smooths noisy heights at scattered places with a Gaussian: over all pairs of places, and over near ones only.
//!
//! ```text
//! cargo run --release --example smoothing -- --points 20000 --space threads --out pictures
//! ```
//!
//! Reading order: `samples.rs` makes the data, `clusters.rs` finds out which pairs are near, `gauss.rs` smooths,
//! `quality.rs` compares. The sums over near pairs must equal those over all pairs, up to the terms beyond four widths.
#![forbid(unsafe_code)]

mod clusters;
mod gauss;
mod options;
mod picture;
#[path = "../common/program/mod.rs"]
mod program;
mod quality;
mod samples;
#[allow(dead_code, reason = "the example elevation uses the rest")]
#[path = "../elevation/terrain.rs"]
mod terrain;

use std::io::{self, Write};
use std::process::ExitCode;

use spelt::prelude::*;

use clusters::Clusters;
use gauss::Gauss;
use options::Options;
use program::canvas::whole;
use program::{Outcome, Program, Progress, Settings, Stopwatch};
use samples::Samples;
use terrain::Terrain;

/// The largest error that omitted pairs may cause, relative to the sums. Source: pairs beyond four widths weigh e^-8, 0.0003.
const TOLERANCE: f64 = 1e-3;

fn main() -> ExitCode {
    program::main::<Options>()
}

impl Program for Options {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn run<S: ExecutionSpace>(&self, space: &S) -> Outcome {
        let (mut out, mut watch) = (io::stdout().lock(), Stopwatch::new(space));
        let terrain = Terrain::read(&Serial::new(), &self.heights.input)?;
        let samples = watch.time("sampling", || Outcome::Ok(Samples::of(&terrain, self.points)))?;
        let n = samples.places.len();
        let clusters = watch.time("clusters", || Clusters::of(&samples.places, self.width))?;
        let samples = samples.in_order(&clusters.order);
        let gauss = Gauss::new(space, &samples, self.width)?;

        let mut progress = Progress::new("all pairs", n);
        let dense = watch.time("dense", || gauss.dense(space, |rows| progress.advance(rows)))?;
        drop(progress);
        let sparse = watch.time("sparse", || gauss.sparse(space, &clusters.near))?;

        let error = quality::relative_error(space, &dense, &sparse)?;
        let (count, area) = (clusters.near.arrays().0.len(), clusters.near.area() as f64);
        let kept = 100.0 * area / (n as f64 * n as f64);
        writeln!(out, "{n} heights with noise, smoothed with a Gaussian of width {} km", self.width)?;
        writeln!(out, "  {count} clusters, {kept:.3} % of all pairs are kept")?;
        writeln!(out, "  relative L1 error of the sums over near pairs: {error:.3e}")?;
        let smooth = gauss::means(space, &sparse)?;
        let (before, after) = (
            quality::deviation(space, &samples.noisy, &samples.truth)?,
            quality::deviation(space, &smooth, &samples.truth)?,
        );
        writeln!(
            out,
            "  standard deviation from the ground: {before:.3} m with noise, {after:.3} m smoothed"
        )?;

        let file = self.settings.folder()?.join("smoothing.png");
        watch.time("drawing", || whole(&file, |file| picture::draw(file, &samples, &smooth, self.width)))?;
        watch.report(&mut out, &self.settings)?;
        let (dense, sparse) = (watch.seconds("dense"), watch.seconds("sparse"));
        let whole = sparse + watch.seconds("clusters");
        writeln!(out, "  speed-up {:.1}, with making clusters {:.1}", dense / sparse, dense / whole)?;
        writeln!(out, "wrote {}", file.display())?;
        if error.is_nan() || error > TOLERANCE {
            return Err(format!("the error {error:.3e} is above {TOLERANCE:e}").into());
        }
        Ok(())
    }
}
