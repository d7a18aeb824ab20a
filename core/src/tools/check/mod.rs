//! `SPELT_TOOLS=check`: NaN and infinity in the Views that launches have written, and hashes of them to compare two runs.
//!
//! | file | concept |
//! |---|---|
//! | `digest.rs` | one pass over a View: its hashes, and the first number that is not finite |
//! | `hash.rs` | the hash |
//! | `line.rs` | the lines of the file |

mod digest;
mod hash;
mod line;

use core::fmt::Write as _;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use self::digest::Digest;
use super::contents::Unreadable;
use super::event::{LaunchEvent, LaunchView};
use super::rank::Rank;
use super::tool::Tool;

/// Looks at the Views that each launch has written.
#[derive(Debug)]
pub(super) struct Check {
    /// The number of launches that have begun.
    launches: AtomicU64,
    /// The number of Views with NaN or infinity, each counted after each launch that wrote it.
    wrong: AtomicU64,
    state: Mutex<State>,
    /// The file, and the launch whose Views are written in full beside it.
    file: Option<PathBuf>,
    in_full: Option<u64>,
}

/// The most kernels and Views that are named.
const MAX_NAMED: usize = 10_000;

#[derive(Debug)]
struct State {
    /// None once it cannot be written.
    file: Option<File>,
    /// The labels of kernel and View that have been named.
    named: HashSet<(String, String)>,
}

impl Check {
    /// Writes lines to `file`, which is created, and the Views of launch `in_full` in full beside it.
    pub(super) fn new(file: Option<PathBuf>, in_full: Option<u64>) -> io::Result<Self> {
        let created = file.as_deref().map(|file| {
            let mut created = File::create(file)?;
            created.write_all(line::first(Rank::of_process()).as_bytes())?;
            Ok::<_, io::Error>(created)
        });
        let state = Mutex::new(State { file: created.transpose()?, named: HashSet::new() });
        Ok(Self { launches: AtomicU64::new(0), wrong: AtomicU64::new(0), state, file, in_full })
    }

    fn check(&self, number: u64, launch: &LaunchEvent<'_>) {
        let (mut views, mut place) = (Vec::new(), 0);
        // One without Views may have failed too.
        let mut has_failed = launch.outcome == Some(false);
        launch.for_each_view(|view| {
            if !view.is_written || view.has_no_contents() {
                return;
            }
            place += 1;
            let full = self.full_name(number, place);
            let digest = match &full {
                Some(full) => digest_in_full(view, full),
                None => Digest::of(view, &mut |_| {}),
            };
            match &digest {
                Ok(digest) => self.name_wrong(number, launch, view, digest),
                Err(reason) => has_failed |= *reason == Unreadable::Failed,
            }
            if self.file.is_some() {
                let full = full.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
                views.push(line::view(view, &digest, full.as_deref()));
            }
        });
        if self.file.is_some() {
            self.write(&line::launch(number, launch, has_failed, &views));
        }
    }

    /// The name of the file for all contents of the `place`-th View of a launch, if they are asked for: `FILE.LAUNCH.PLACE`.
    fn full_name(&self, number: u64, place: usize) -> Option<PathBuf> {
        let file = self.file.as_ref().filter(|_| self.in_full == Some(number))?;
        let mut name = OsString::from(file);
        name.push(format!(".{number}.{place}"));
        Some(name.into())
    }

    /// Names the first NaN or infinity of this kernel in this View.
    fn name_wrong(&self, number: u64, launch: &LaunchEvent<'_>, view: &LaunchView<'_>, digest: &Digest) {
        let Some((element, part, is_nan)) = digest.wrong.first else { return };
        self.wrong.fetch_add(1, Ordering::Relaxed);
        let names = (launch.label.to_owned(), view.label.to_owned());
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.named.len() >= MAX_NAMED || !state.named.insert(names) {
                return;
            }
        }
        let mut place = format!("{:?}", index(element, view));
        if digest.numbers.len() > 1 {
            _ = write!(place, " in number {part} of the element");
        }
        let first = if is_nan { "a NaN" } else { "an infinity" };
        let (nans, infinities) = (digest.wrong.nans, digest.wrong.infinities);
        let inputs = wrong_inputs(launch);
        eprintln!(
            "spelt: check: launch {number}, `{}` on {}, has left {nans} NaN and {infinities} infinite numbers in `{}`{}: the first is \
             {first} at {place}{inputs}",
            launch.label, launch.space, view.label, view.adapter
        );
    }

    /// Appends a line, which is there even if the program is killed next.
    fn write(&self, line: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(file) = &mut state.file else { return };
        if let Err(error) = file.write_all(line.as_bytes()) {
            let name = self.file.as_deref().unwrap_or(Path::new("")).display();
            eprintln!("SPELT_TOOLS: {name} cannot be written, and has no later launches: {error}");
            state.file = None;
        }
    }
}

impl Tool for Check {
    fn begin_launch(&self, _launch: &LaunchEvent<'_>) -> u64 {
        self.launches.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, number: u64) {
        self.check(number, launch);
    }

    fn needs_fences(&self) -> bool {
        true
    }

    fn finish(&self) {
        let named = self.state.lock().unwrap_or_else(PoisonError::into_inner).named.len() as u64;
        let wrong = self.wrong.load(Ordering::Relaxed);
        let more = wrong.saturating_sub(named);
        if wrong == 0 {
            let launches = self.launches.load(Ordering::Relaxed);
            eprintln!("spelt: check: no NaN or infinity in what {launches} launches have written");
        } else if more > 0 {
            eprintln!(
                "spelt: check: later launches of these kernels have left NaN or infinity {more} more times"
            );
        }
    }
}

/// The digest, with all contents written to a file.
fn digest_in_full(view: &LaunchView<'_>, name: &Path) -> Result<Digest, Unreadable> {
    let mut file = File::create(name).map(BufWriter::new);
    let digest = Digest::of(view, &mut |bytes| {
        if let Ok(open) = &mut file
            && let Err(error) = open.write_all(bytes)
        {
            file = Err(error);
        }
    });
    if let Err(error) = file.and_then(|mut file| file.flush()) {
        eprintln!("SPELT_TOOLS: {} cannot be written: {error}", name.display());
    }
    digest
}

/// Says which Views that the launch has only read have NaN or infinity, and so had them before.
fn wrong_inputs(launch: &LaunchEvent<'_>) -> String {
    let mut inputs = Vec::new();
    launch.for_each_view(|view| {
        let is_wrong = || Digest::of(view, &mut |_| {}).is_ok_and(|digest| digest.wrong.first.is_some());
        if !view.is_written && !view.has_no_contents() && is_wrong() {
            inputs.push(format!("`{}`", view.label));
        }
    });
    if inputs.is_empty() {
        return String::new();
    }
    let noun = if inputs.len() == 1 { "input" } else { "inputs" };
    format!("; its {noun} {} already had NaN or infinity", inputs.join(" and "))
}

/// The index of the `element`-th element, in the order of the indices.
fn index(mut element: usize, view: &LaunchView<'_>) -> Vec<isize> {
    let mut index = view.origin();
    for (place, extent) in index.iter_mut().zip(view.extents()).rev() {
        *place += (element % extent).cast_signed();
        element /= extent;
    }
    index
}
