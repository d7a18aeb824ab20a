//! Lines of progress, in the manner of cargo's.
//!
//! The wrapper cannot write them to its standard error: cargo keeps a compiler's output and shows it again each
//! time that the crate is fresh. So it sends them to the subcommand, through a socket in a temporary folder.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;

use crate::workspace::values;

/// The width that cargo aligns its verbs to. Unit: characters. Source: cargo, `Shell::print`.
const VERB_WIDTH: usize = 12;

/// The verbosity and colours that cargo was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    quiet: bool,
    color: bool,
}

impl Style {
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let own = || {
            arguments.iter().take_while(|argument| *argument != "--").filter_map(|argument| argument.to_str())
        };
        let is_true = |name: &str| std::env::var(name).is_ok_and(|value| value == "true");
        let quiet =
            own().any(|argument| argument == "-q" || argument == "--quiet") || is_true("CARGO_TERM_QUIET");
        let choice = values(arguments, &["--color"]).pop().or_else(|| std::env::var("CARGO_TERM_COLOR").ok());
        let color = match choice.as_deref() {
            Some("always") => true,
            Some("never") => false,
            _ => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        };
        Self { quiet, color }
    }

    /// Writes a line to standard error.
    pub(crate) fn show(self, verb: &str, text: &str) {
        if self.quiet {
            return;
        }
        // On a terminal the line may hold cargo's progress bar.
        let line = match (self.color, std::io::stderr().is_terminal()) {
            (true, true) => format!("\r\x1b[K\x1b[1m\x1b[92m{verb:>VERB_WIDTH$}\x1b[0m {text}\n"),
            (true, false) => format!("\x1b[1m\x1b[92m{verb:>VERB_WIDTH$}\x1b[0m {text}\n"),
            (false, true) => format!("\r\x1b[K{verb:>VERB_WIDTH$} {text}\n"),
            (false, false) => format!("{verb:>VERB_WIDTH$} {text}\n"),
        };
        // If a line of progress cannot be shown, the build continues.
        drop(std::io::stderr().write_all(line.as_bytes()));
    }
}

/// Sends a line to the subcommand; does nothing without a listener.
pub(crate) fn send(socket: Option<&Path>, verb: &str, text: &str) {
    #[cfg(unix)]
    if let (Some(socket), Ok(sender)) = (socket, std::os::unix::net::UnixDatagram::unbound()) {
        drop(sender.send_to(format!("{verb}\n{text}").as_bytes(), socket));
    }
    #[cfg(not(unix))]
    let _ = (socket, verb, text);
}

#[cfg(unix)]
pub(crate) use listener::Listener;
#[cfg(not(unix))]
pub(crate) use silent::Listener;

#[cfg(unix)]
mod listener {
    use std::os::unix::net::UnixDatagram;
    use std::path::{Path, PathBuf};
    use std::thread::JoinHandle;

    use super::Style;

    /// Shows the wrapper's lines, as long as it lives.
    pub(crate) struct Listener {
        path: PathBuf,
        thread: Option<JoinHandle<()>>,
    }

    /// The maximum length of a line. Unit: bytes.
    const LINE_BYTES: usize = 4096;

    impl Listener {
        /// `None` if a socket cannot be created: then no progress is shown.
        pub(crate) fn start(style: Style) -> Option<Self> {
            let path = std::env::temp_dir().join(format!("cargo-spelt-{}.socket", std::process::id()));
            drop(std::fs::remove_file(&path));
            let socket = UnixDatagram::bind(&path).ok()?;
            let thread = std::thread::spawn(move || {
                let mut line = [0; LINE_BYTES];
                while let Ok(length @ 1..) = socket.recv(&mut line) {
                    let line = String::from_utf8_lossy(&line[..length]);
                    if let Some((verb, text)) = line.split_once('\n') {
                        style.show(verb, text);
                    }
                }
            });
            Some(Self { path, thread: Some(thread) })
        }

        pub(crate) fn path(&self) -> &Path {
            &self.path
        }
    }

    impl Drop for Listener {
        fn drop(&mut self) {
            // An empty message ends the thread, after all that came before it.
            let told = UnixDatagram::unbound().and_then(|sender| sender.send_to(&[], &self.path));
            if let (Ok(_), Some(thread)) = (told, self.thread.take()) {
                drop(thread.join());
            }
            drop(std::fs::remove_file(&self.path));
        }
    }
}

#[cfg(not(unix))]
mod silent {
    use std::path::Path;

    use super::Style;

    /// There is no listener on this system.
    pub(crate) enum Listener {}

    impl Listener {
        pub(crate) fn start(_style: Style) -> Option<Self> {
            None
        }

        pub(crate) fn path(&self) -> &Path {
            match *self {}
        }
    }
}
