//! Command lines: long options take one dash or two, as in Kokkos's tutorials.

use std::fmt::Display;
use std::process::exit;
use std::str::FromStr;

use getopts::{Matches, Options};
use spelt::SpaceChoice;

use super::say;

/// The command line of a tutorial. A mistake in it ends the program with a message and status 2.
#[derive(Debug)]
pub(crate) struct CommandLine {
    matches: Matches,
}

impl CommandLine {
    /// Reads the command line by `options`, to which `-help` and `-space` are added, with at most `positional` values
    /// that do not belong to an option; `brief` is the first line of the help.
    pub(crate) fn parse(brief: &str, positional: usize, mut options: Options) -> Self {
        options.long_only(true);
        options.optopt(
            "",
            "space",
            "where kernels run: serial, threads, rayon or cuda ($SPELT_SPACE)",
            "SPACE",
        );
        options.optflag("h", "help", "print this and end");
        let matches = options.parse(std::env::args_os().skip(1)).unwrap_or_else(|error| wrong(error));
        if matches.opt_present("help") {
            say!("{}", options.usage(brief));
            exit(0);
        }
        if let Some(unknown) = matches.free.get(positional) {
            wrong(format!("`{unknown}` is not an option"));
        }
        Self { matches }
    }

    /// The value of an option, if it is given.
    pub(crate) fn option<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        self.matches.opt_str(name).map(|text| read(&format!("-{name}"), &text))
    }

    /// The same, which Kokkos's exercises print.
    pub(crate) fn user_option<T: FromStr<Err: Display> + Display>(&self, name: &str) -> Option<T> {
        let value: Option<T> = self.option(name);
        if let Some(value) = &value {
            say!("  User {name} is {value}\n");
        }
        value
    }

    /// Whether an option without a value is given.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.matches.opt_present(name)
    }

    /// The value at a position, or its default.
    pub(crate) fn positional<T: FromStr<Err: Display>>(&self, at: usize, name: &str, default: T) -> T {
        self.matches.free.get(at).map_or(default, |text| read(name, text))
    }

    /// The space that `-space` names, or else `SPELT_SPACE`.
    pub(crate) fn space(&self) -> SpaceChoice {
        self.option("space").unwrap_or_else(|| SpaceChoice::from_env().unwrap_or_else(|error| wrong(error)))
    }
}

/// The space that the command line of a tutorial without further options names.
pub(crate) fn space(brief: &str) -> SpaceChoice {
    CommandLine::parse(brief, 0, Options::new()).space()
}

fn read<T: FromStr<Err: Display>>(name: &str, text: &str) -> T {
    text.parse().unwrap_or_else(|error| wrong(format!("{name} `{text}`: {error}")))
}

/// Prints an error of the command line, and ends the program with status 2.
pub(crate) fn wrong(message: impl Display) -> ! {
    eprintln!("error: {message}; -help lists the options");
    exit(2);
}
