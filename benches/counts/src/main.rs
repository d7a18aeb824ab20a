//! Counts of the main kernels on a device: `cargo gpu run --release -p spelt-device-counts -- --help`.

use std::process::ExitCode;

use clap::Parser;
use cuda_emu::Loaded;
use spelt::prelude::*;
use spelt_device_counts::kernels::{self, Setup};
use spelt_device_counts::{counts, model, times};
use spelt_harness::number::size;

/// Counts instructions and traffic of the main kernels on the emulator, or times them on a GPU.
#[derive(Clone, Debug, Parser)]
#[command(version)]
struct Options {
    /// Times launches, beside copies of the same size
    #[arg(long)]
    times: bool,

    /// The least times of 10^8 elements on an H200 by the counts and its published rates, beside those measured
    #[arg(long, conflicts_with = "times")]
    model: bool,

    /// Lists the cases of --times and --model
    #[arg(long)]
    list: bool,

    /// Only the kernels whose names contain one of these, or are one that begins with `=`
    #[arg(long, value_delimiter = ',')]
    kernels: Vec<String>,

    /// Elements; otherwise 1e4,1e5, with --model 1e7, and with --times 1e3,1e4 and so on up to 1e8
    #[arg(long, value_delimiter = ',', value_parser = size)]
    sizes: Vec<usize>,

    /// Iterations of a thread of `parallel_for` over a range, instead of the tuned number
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1024))]
    each: u32,

    /// With --times: the number of turns of kernel and copy
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.list {
        kernels::timed::<Serial>().iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    }
    if !Cuda::has_device_code() {
        return Err(
            "this program has no device code: run it with `cargo gpu run` instead of `cargo run`".into()
        );
    }
    let space = Cuda::new(0).map_err(|error| error.to_string())?;
    space.run_iterations_each(options.each);
    println!("{}\n", space.configuration());
    let is = |name: &str, wanted: &str| {
        wanted.strip_prefix('=').map_or_else(|| name.contains(wanted), |wanted| name == wanted)
    };
    let wanted = |name: &str| options.kernels.is_empty() || options.kernels.iter().any(|part| is(name, part));
    type Kernels = (Vec<(&'static str, Setup<Cuda>)>, Vec<(&'static str, Setup<Serial>)>);
    let (on_device, on_host): Kernels = if options.times || options.model {
        (kernels::timed(), kernels::timed())
    } else {
        (kernels::all(), kernels::all())
    };
    let both: Vec<_> = on_device.into_iter().zip(on_host).filter(|((name, _), _)| wanted(name)).collect();
    if both.is_empty() {
        return Err(format!("no kernel's name contains one of {:?}", options.kernels));
    }
    let sizes = |own: &[usize]| if options.sizes.is_empty() { own.to_vec() } else { options.sizes.clone() };
    if options.times {
        if Loaded::find().is_some() {
            println!("This is the emulator: its times say nothing of a GPU.\n");
        }
        println!("{}", times::HEADING);
        for ((_, on_device), (_, on_host)) in both {
            for n in sizes(&[1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]) {
                times::check(&space, on_device, on_host, n)?;
                let times = times::time(&space, on_device, n, options.rounds.into());
                println!("{}", times::row(&times.map_err(|error| error.to_string())?));
            }
        }
        return Ok(());
    }
    let Some(emulator) = Loaded::find() else {
        println!(
            "A GPU has no such counters: --emulator, before `run`, counts, and --times takes times here."
        );
        return Ok(());
    };
    if options.model {
        println!("{}", model::HEADING);
        // An empty launch has no work to scale.
        for ((_, on_device), (_, on_host)) in
            both.into_iter().filter(|((name, _), _)| *name != "empty launch")
        {
            for n in sizes(&[10_000_000]) {
                let counts = counts::count(&emulator, &space, on_device, on_host, n);
                println!("{}", model::row(&counts?));
            }
        }
        return Ok(());
    }
    println!("{}", counts::HEADING);
    for ((_, on_device), (_, on_host)) in both {
        for n in sizes(&[10_000, 100_000]) {
            println!("{}", counts::row(&counts::count(&emulator, &space, on_device, on_host, n)?));
        }
    }
    Ok(())
}
