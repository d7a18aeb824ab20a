//! Reads a terrain from a `.npy` file, surveys it with Spelt kernels, and draws it.
//!
//! ```text
//! cargo run --release --example elevation -- --space threads --threads 4 --out pictures
//! ```
//!
//! Reading order: `survey.rs` has the kernels that measure, `shading.rs` those that compute the picture,
//! `terrain.rs` what lies where on Earth. Every kernel is generic over the space, and gives the same bits on all.
#![forbid(unsafe_code)]

mod options;
mod pictures;
mod shading;
mod survey;
mod terrain;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use spelt::MemorySpace;
use spelt::prelude::*;

use options::Options;
use survey::Survey;
use terrain::{Terrain, place};

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("elevation: {error}");
            ExitCode::from(2)
        }
    }
}

/// Explores the terrain on the space that the options choose.
fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let choice = options.space()?;
    match (choice, options.threads) {
        (SpaceChoice::Threads, Some(threads)) => {
            return explore(&Threads::builder().num_threads(threads).build()?, options);
        }
        (SpaceChoice::Rayon, Some(threads)) => {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
        }
        (SpaceChoice::Cuda(_), Some(_)) => {
            return Err("--threads: the space `cuda` has the threads of its device".into());
        }
        (SpaceChoice::Serial, Some(2..)) => return Err("--threads: the space `serial` has one thread".into()),
        _ => {}
    }
    with_space!(choice, |space| explore(&space, options))
}

/// Reads, surveys, reports and draws.
fn explore<S: ExecutionSpace>(space: &S, options: &Options) -> Result<(), Box<dyn Error>> {
    let mut watch = Stopwatch::default();
    let terrain = watch.time("reading", || Terrain::read(space, &options.input))?;
    let survey = Survey {
        extremes: watch.time("extremes", || survey::extremes(space, &terrain))?,
        moments: watch.time("moments", || survey::moments(space, &terrain))?,
        histogram: watch.time("histogram", || survey::histogram(space, &terrain))?,
        steepest: watch.time("steepest", || survey::steepest(space, &terrain))?,
    };
    let mut out = io::stdout().lock();
    report(&mut out, &terrain, &survey)?;

    fs::create_dir_all(&options.out).map_err(|error| format!("--out {}: {error}", options.out.display()))?;
    let (relief, heights) = (options.out.join("relief.png"), options.out.join("heights.png"));
    let pixels = watch.time("shading", || shading::relief(space, &terrain, &survey.extremes))?;
    watch.time("drawing", || {
        pictures::relief(&relief, &terrain, &survey, &pixels)?;
        pictures::histogram(&heights, &survey)
    })?;

    writeln!(out, "space {}, threads {}", options.space()?, space.concurrency())?;
    for (what, time) in &watch.laps {
        writeln!(out, "  {what:<10}{:>9.3} ms", time.as_secs_f64() * 1e3)?;
    }
    writeln!(out, "wrote {} and {}", relief.display(), heights.display())?;
    Ok(())
}

/// Writes what was found.
fn report<M: MemorySpace>(out: &mut impl Write, terrain: &Terrain<M>, survey: &Survey) -> io::Result<()> {
    let Survey { extremes, moments, steepest, .. } = survey;
    let [rows, columns] = terrain.heights.extents();
    let [height, width] = terrain.cell_metres();
    let (sum, mean, deviation) = (moments.sum, moments.mean(), moments.deviation());
    let degrees = survey.steepest_degrees();
    writeln!(out, "terrain `{}`: {rows} x {columns} cells of {height:.1} m x {width:.1} m", terrain.name())?;
    writeln!(out, "  min {} m at {:?}, {}", extremes.min_val, extremes.min_loc, place(extremes.min_loc))?;
    writeln!(out, "  max {} m at {:?}, {}", extremes.max_val, extremes.max_loc, place(extremes.max_loc))?;
    writeln!(out, "  sum {sum} m, mean {mean:.3} m, standard deviation {deviation:.3} m")?;
    writeln!(out, "  steepest {degrees:.2} degrees at {:?}, {}", steepest.loc, place(steepest.loc))
}

/// How long the parts of the program took.
#[derive(Default)]
struct Stopwatch {
    laps: Vec<(&'static str, Duration)>,
}

impl Stopwatch {
    fn time<T>(&mut self, what: &'static str, part: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = part();
        self.laps.push((what, start.elapsed()));
        result
    }
}
