//! `cargo spelt`: builds Rust programs with Spelt kernels for a GPU, using only the stable toolchain.
//!
//! The same executable is several programs. As a cargo subcommand (`command_line`, `build`, `inspect`, `inlined`, `diff`, `report`, `doctor`, `new`) it
//! calls cargo with itself as rustc wrapper. As that wrapper (`wrapper`) it runs rustc a second time for each crate that may
//! hold kernels, links the bitcode of a program's crates to PTX, and adds the PTX to the program. For that it also acts as the
//! program's linker, which waits for the PTX. LLVM runs in a separate process.
//!
//! Reading order: `command_line`, `build`, `settings`, `wrapper`, `slot`, `inspect`.

mod build;
mod cache;
mod command_line;
mod diff;
mod doctor;
mod driver;
mod emulator;
mod inlined;
mod inspect;
mod link_test;
mod new;
mod origin;
mod output;
mod progress;
mod ptxas;
mod report;
mod settings;
mod slot;
mod variable;
mod workspace;
mod wrapper;

use std::ffi::OsString;
use std::process::ExitCode;

use command_line::{Action, CommandLine};
use settings::Settings;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let called = wrapper::linker::run(&arguments).or_else(|| wrapper::link_process::serve(&arguments));
    if let Some(result) = called {
        return exit(result);
    }
    if let Some(result) = driver::answer(&arguments) {
        return exit(result);
    }
    let result = match Settings::of_wrapper(&arguments) {
        Some(settings) => settings.and_then(|settings| wrapper::run(&settings, arguments)),
        None => subcommand(arguments),
    };
    exit(result)
}

fn exit(result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(FAILURE)
    })
}

/// Cargo's exit status after a failure. Source: cargo's documentation of each command.
const FAILURE: u8 = 101;

fn subcommand(arguments: Vec<OsString>) -> anyhow::Result<ExitCode> {
    let CommandLine { own, action } = CommandLine::parse(arguments)?;
    match action {
        Action::Cargo { command, arguments } => build::run(&own, &command, &arguments),
        Action::Inspect { form, filter, arguments } => {
            inspect::run(&own, form, filter.as_deref(), &arguments)
        }
        Action::Inlined { arguments } => inlined::run(&arguments),
        Action::Diff { a, b } => Ok(diff::run(&a, &b).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            ExitCode::from(diff::TROUBLE)
        })),
        Action::Report { files, output, peak } => report::run(&files, output.as_deref(), peak),
        Action::Doctor => doctor::run(),
        Action::New { path, name } => new::run(&path, name.as_deref()),
        Action::Help(text) => {
            output::print(&format!("{}\n", text.trim_end()))?;
            Ok(ExitCode::SUCCESS)
        }
        Action::Version => {
            output::print(&format!("cargo-spelt {}\n", origin::VERSION))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
