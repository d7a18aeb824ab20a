//! `SPELT_TUNE`: the fastest settings of launches, tried and kept in a file.
//!
//! | file | concept |
//! |---|---|
//! | `choice.rs` | what may be chosen for a launch, and how the launch finds it |
//! | `key.rs` | the launches that share a choice, and what is tried for them |
//! | `file.rs` | the file of choices |
//!
//! # Invariants
//! - A choice moves iterations, or teams of one thread, from thread to thread and in time, or runs them by other instructions. It changes no bit of a result: the
//!   canonical order knows nothing of it, and all levels of instructions give the same bits.
//! - What the program sets is not changed.

mod choice;
mod file;
mod key;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use self::choice::Choice;
#[doc(hidden)]
pub use self::choice::Unset;
pub(crate) use self::choice::{Shape, Tuned};
use self::file::Settled;
use self::key::{Key, candidates};
use super::event::{LaunchEvent, Pattern};
use super::installed::are_listening;
use super::tool::Tool;
use crate::isa::{self, Level};

/// The launches of each candidate, whose median counts.
const TRIALS: usize = 3;

/// A candidate replaces the default if it takes at most this share of its time: of many that are equally fast, one is always a little faster by
/// chance.
const FASTER: f64 = 0.97;

/// The most launches that the line at the end names.
const MAX_NAMED: usize = 3;

/// The most choices and trials that are kept.
const MAX_KEYS: usize = 10_000;

/// The settings of the launch of this pattern and so many iterations that this thread is about to distribute: none where nothing is tuned.
#[inline]
pub(crate) fn tuned(pattern: Pattern, iterations: usize) -> Option<Tuned> {
    if are_listening() { Tuned::current(pattern, iterations) } else { None }
}

/// Whether something is tuned.
static TUNING: AtomicBool = AtomicBool::new(false);

/// Whether something is tuned: only then are the shapes of launches asked for. One relaxed load.
pub(crate) fn is_tuning() -> bool {
    TUNING.load(Ordering::Relaxed)
}

thread_local! {
    /// The launches that this thread is inside.
    static LAUNCHES: RefCell<Vec<Begun>> = const { RefCell::new(Vec::new()) };
}

/// A launch that has begun.
struct Begun {
    /// The settings of the launch around it.
    outer: Option<Tuned>,
    trial: Option<(Key, usize)>,
    start: Instant,
}

/// Tries settings, and keeps the fastest.
#[derive(Debug)]
pub(super) struct Tune {
    file: PathBuf,
    /// The levels of instructions that are tried beside the usual one.
    levels: Vec<Level>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    settled: BTreeMap<Key, Settled>,
    trials: HashMap<Key, Trials>,
    /// Whether it has been said that the file cannot be written.
    has_failed: bool,
}

/// Candidates, each with the times of its launches. Unit: ns.
#[derive(Debug)]
struct Trials(Vec<(Choice, Vec<u64>)>);

impl Trials {
    /// The candidate that has been tried least.
    fn next(&self) -> usize {
        let tried = |place: &usize| self.0[*place].1.len();
        (0..self.0.len()).min_by_key(tried).unwrap_or(0)
    }

    /// The launches that have been tried, and those that settle the choice.
    fn progress(&self) -> [usize; 2] {
        [self.0.iter().map(|(_, times)| times.len()).sum(), TRIALS * self.0.len()]
    }

    /// The fastest, or the default if it is about as fast, once all have been tried.
    fn fastest(&self) -> Option<Settled> {
        if self.0.iter().any(|(_, times)| times.len() < TRIALS) {
            return None;
        }
        let mut settled = self.0.iter().map(|(choice, times)| {
            let mut times = times.clone();
            times.sort_unstable();
            Settled { choice: *choice, median: times[times.len() / 2] }
        });
        let default = settled.next()?;
        // Of equal ones the first.
        let fastest = settled.min_by_key(|settled| settled.median);
        let is_faster = |settled: &Settled| settled.median as f64 <= FASTER * default.median as f64;
        Some(fastest.filter(is_faster).unwrap_or(default))
    }
}

impl Tune {
    /// Begins with the choices of the file, and creates it if it is not there.
    ///
    /// # Errors
    /// If it cannot be read or written, or is damaged.
    pub(super) fn new(file: &Path) -> Result<Self, String> {
        let settled = file::read(file)?;
        file::write(file, settled.iter()).map_err(|error| format!("it cannot be written: {error}"))?;
        TUNING.store(true, Ordering::Relaxed);
        let state = State { settled, ..State::default() };
        Ok(Self { file: file.to_owned(), levels: isa::lower_levels(), state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The choice for a launch, and its place among the candidates that are tried.
    fn choose(&self, key: &Key, shape: &Shape, iterations: usize) -> (Choice, Option<usize>) {
        let mut state = self.state();
        if let Some(settled) = state.settled.get(key) {
            // A level that this run does not try is not taken either: `SPELT_ISA` has chosen one, or the build has others.
            let level = settled.choice.level.filter(|level| self.levels.contains(level));
            return (Choice { level, ..settled.choice }, None);
        }
        // Labels without number, such as those of steps, are not tuned.
        if state.trials.len() + state.settled.len() >= MAX_KEYS && !state.trials.contains_key(key) {
            return (Choice::default(), None);
        }
        let trials = state.trials.entry(key.clone()).or_insert_with(|| {
            let candidates = candidates(key.pattern, shape, iterations).into_iter();
            let levels = self.levels.iter().map(|&level| Choice { level: Some(level), ..Choice::default() });
            Trials(candidates.chain(levels).map(|choice| (choice, Vec::new())).collect())
        });
        let place = trials.next();
        (trials.0[place].0, Some(place))
    }

    /// The line about launches that are not settled at the end, if there are any.
    fn unsettled(&self) -> Option<String> {
        let state = self.state();
        let mut trials: Vec<_> =
            state.trials.iter().map(|(key, trials)| (&key.label, trials.progress())).collect();
        trials.sort_unstable();
        let of = |(label, [ran, needed]): &(&String, [usize; 2])| {
            format!("`{label}` ran {ran} of {needed} launches")
        };
        let named: Vec<_> = trials.iter().take(MAX_NAMED).map(of).collect();
        let others = match trials.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            others => format!(", and {others} more"),
        };
        (!named.is_empty()).then(|| {
            format!(
                "spelt: tuning: not settled: {}{others}. Trials are not kept: let one run launch them that often",
                named.join(", ")
            )
        })
    }

    /// Records the time of a launch; the last trial settles the choice.
    fn record(&self, key: Key, place: usize, time: u64) {
        let mut state = self.state();
        let Some(trials) = state.trials.get_mut(&key) else { return };
        let Some((_, times)) = trials.0.get_mut(place) else { return };
        times.push(time);
        let Some(fastest) = trials.fastest() else { return };
        state.trials.remove(&key);
        state.settled.insert(key, fastest);
        if let Err(error) = file::write(&self.file, state.settled.iter())
            && !core::mem::replace(&mut state.has_failed, true)
        {
            eprintln!(
                "SPELT_TUNE: {} cannot be written: {error}: the choices of this run are not kept; make it writable, or name another file",
                self.file.display()
            );
        }
    }
}

impl Tool for Tune {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        // A launch inside another runs beside its neighbours: its time says nothing, and its thread is one of many.
        let is_inner = LAUNCHES.with_borrow(|launches| !launches.is_empty());
        let chosen = Key::of(launch).filter(|_| !is_inner).map(|(key, shape)| {
            let (choice, place) = self.choose(&key, &shape, launch.iterations);
            let tuned = Tuned::new(choice, &shape, key.pattern, launch.iterations);
            (tuned, place.map(|place| (key, place)))
        });
        let (tuned, trial) = chosen.map_or((None, None), |(tuned, trial)| (Some(tuned), trial));
        let outer = change(tuned);
        LAUNCHES.with_borrow_mut(|launches| launches.push(Begun { outer, trial, start: Instant::now() }));
        0
    }

    fn end_launch(&self, launch: &LaunchEvent<'_>, _id: u64) {
        let Some(Begun { outer, trial, start }) = LAUNCHES.with_borrow_mut(Vec::pop) else { return };
        let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        change(outer);
        if let (Some((key, place)), Some(true)) = (trial, launch.outcome) {
            let time = of_shortest(time, launch.iterations, key.size);
            self.record(key, place, time);
        }
    }

    fn finish(&self) {
        if let Some(line) = self.unsettled() {
            eprintln!("{line}");
        }
    }
}

/// Makes these the settings of this thread, and their level of instructions that of launches; returns the settings before.
fn change(tuned: Option<Tuned>) -> Option<Tuned> {
    let before = Tuned::replace(tuned);
    if level_of(tuned) != level_of(before) {
        isa::run_at(level_of(tuned));
    }
    before
}

/// The level of instructions that is chosen for a launch.
fn level_of(tuned: Option<Tuned>) -> Option<Level> {
    tuned.and_then(|tuned| tuned.level)
}

/// The time that the shortest launch of the class would take: so launches of different lengths compare. Unit: ns.
fn of_shortest(time: u64, iterations: usize, size: u32) -> u64 {
    u64::try_from((u128::from(time) << size) / iterations.max(1) as u128).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use spelt_policies::Schedule;

    use super::*;

    const EXTENTS: [usize; 8] = [300, 400, 0, 0, 0, 0, 0, 0];

    /// One that tries no levels, of which builds have different numbers.
    fn tune(file: &Path) -> Tune {
        Tune { levels: Vec::new(), ..Tune::new(file).expect("a file") }
    }

    #[test]
    fn levels_are_tried_by_themselves() {
        let file = std::env::temp_dir().join(format!("spelt-tune-levels-{}", std::process::id()));
        let tune = Tune { levels: vec![Level::Baseline, Level::Avx2], ..tune(&file) };
        let (label, space) = ("levels".to_owned(), "Threads".to_owned());
        let key = Key { label, pattern: Pattern::Scan, rank: Some(1), space, threads: 2, size: 16 };
        let shape = shape(true, true, 1);
        let mut tried = Vec::new();
        while let (choice, Some(place)) = tune.choose(&key, &shape, 8192) {
            tried.push((choice.chunk, choice.level));
            tune.record(key.clone(), place, if choice.level == Some(Level::Baseline) { 50 } else { 100 });
        }
        let each =
            [(None, None), (Some(2048), None), (None, Some(Level::Baseline)), (None, Some(Level::Avx2))];
        assert_eq!(tried, [each; TRIALS].concat());
        let settled = tune.choose(&key, &shape, 8192).0;
        assert_eq!(settled, Choice { level: Some(Level::Baseline), ..Choice::default() });
        let tuned = Tuned::new(settled, &shape, Pattern::Scan, 8192);
        isa::at_each_level(|_| {
            isa::run_at(None);
            let usual = isa::level();
            assert_eq!((change(Some(tuned)), isa::level()), (None, Level::Baseline));
            assert_eq!((change(None), isa::level()), (Some(tuned), usual));
        });
        // Where no levels are tried, as with `SPELT_ISA`, none is taken.
        let tune = Tune { levels: Vec::new(), ..tune };
        assert_eq!(tune.choose(&key, &shape, 8192), (Choice::default(), None));
        std::fs::remove_file(&file).expect("the file");
    }

    fn shape(chunk: bool, schedule: bool, rank: usize) -> Shape {
        Shape { unset: Unset { chunk, schedule }, is_league: false, rank, extents: EXTENTS, threads: 2 }
    }

    #[test]
    fn only_open_settings_are_tried() {
        let tried =
            |pattern, chunk, schedule, rank| candidates(pattern, &shape(chunk, schedule, rank), 120_000);
        let all = tried(Pattern::For, true, true, 2);
        assert_eq!((all.len(), all[0]), (14, Choice::default()));
        let chunks: Vec<_> = all.iter().take(4).map(|choice| choice.chunk).collect();
        assert_eq!(chunks, [None, Some(60_032), Some(15_040), Some(960)]);
        assert!(tried(Pattern::Reduce, true, true, 2).iter().all(|choice| choice.tile.is_none()));
        assert!(tried(Pattern::For, true, true, 1).iter().all(|choice| choice.tile.is_none()));
        assert!(tried(Pattern::For, true, false, 2).iter().all(|choice| choice.schedule.is_none()));
        let given = tried(Pattern::For, false, true, 2);
        assert_eq!(
            given,
            [None, Some(Schedule::Dynamic)].map(|schedule| Choice { schedule, ..Choice::default() })
        );
    }

    #[test]
    fn leagues_have_chunks_of_teams_and_scans_have_chunks_alone() {
        let tried = |pattern, is_league, teams| {
            let tried = candidates(pattern, &Shape { is_league, ..shape(true, true, 1) }, teams);
            tried.iter().map(|choice| (choice.chunk, choice.schedule)).collect::<Vec<_>>()
        };
        let of_teams = [None, Some(50), Some(13), Some(1)];
        let mut expected: Vec<_> = of_teams.map(|chunk| (chunk, None)).to_vec();
        expected.extend(of_teams.map(|chunk| (chunk, Some(Schedule::Dynamic))));
        assert_eq!(tried(Pattern::For, true, 100), expected);
        assert_eq!(tried(Pattern::Reduce, true, 100), expected);
        let of_scan = [None, Some(2048), Some(8192), Some(16_384), Some(32_768)].map(|chunk| (chunk, None));
        for is_league in [false, true] {
            assert_eq!(tried(Pattern::Scan, is_league, 120_000), of_scan);
        }
        assert_eq!(tried(Pattern::Scan, false, 8192), of_scan[..2]);
        let given = candidates(Pattern::Scan, &shape(false, true, 1), 120_000);
        assert_eq!(given, [Choice::default()]);
    }

    #[test]
    fn times_of_longer_launches_are_shortened() {
        assert_eq!([1 << 14, 3 << 13, (2 << 14) - 1].map(|n| of_shortest(3000, n, 14)), [3000, 2000, 1500]);
    }

    #[test]
    fn the_median_of_each_counts_and_the_first_of_equals() {
        let choice = |chunk| Choice { chunk: Some(chunk), ..Choice::default() };
        let mut trials = Trials(vec![
            (Choice::default(), vec![10, 10, 90]),
            (choice(2), vec![8, 100, 9]),
            (choice(3), vec![9, 9, 9]),
            (choice(4), vec![1, 99]),
        ]);
        assert_eq!((trials.next(), trials.fastest(), trials.progress()), (3, None, [11, 12]));
        trials.0[3].1.push(98);
        assert_eq!(trials.fastest(), Some(Settled { choice: choice(2), median: 9 }));
    }

    #[test]
    fn the_default_stays_unless_another_is_clearly_faster() {
        let dynamic = Choice { schedule: Some(Schedule::Dynamic), ..Choice::default() };
        let fastest = |times: [u64; 2]| {
            let trials = [Choice::default(), dynamic].into_iter().zip(times);
            let trials = Trials(trials.map(|(choice, time)| (choice, vec![time; TRIALS])).collect());
            trials.fastest().expect("all have been tried")
        };
        assert_eq!(fastest([1000, 971]), Settled { choice: Choice::default(), median: 1000 });
        assert_eq!(fastest([1000, 970]), Settled { choice: dynamic, median: 970 });
        assert_eq!(fastest([0, 0]).choice, dynamic, "times that are none say nothing");
    }

    /// A launch that began before the last trial ended, on another thread, ends later.
    #[test]
    fn late_times_change_no_settled_choice() {
        let file = std::env::temp_dir().join(format!("spelt-tune-late-{}", std::process::id()));
        let tune = tune(&file);
        let (label, space) = ("late".to_owned(), "Threads".to_owned());
        let key = Key { label, pattern: Pattern::For, rank: Some(1), space, threads: 2, size: 16 };
        let shape = shape(true, false, 1);
        let mut trials = 0;
        while let (_, Some(place)) = tune.choose(&key, &shape, 120_000) {
            assert_eq!(
                tune.unsettled().expect("a line").split(". ").next(),
                Some(format!("spelt: tuning: not settled: `late` ran {trials} of 12 launches").as_str())
            );
            tune.record(key.clone(), place, 100 - 10 * place as u64);
            trials += 1;
        }
        assert_eq!(tune.unsettled(), None);
        assert_eq!(trials, 3 * candidates(Pattern::For, &shape, 120_000).len());
        let (settled, _) = tune.choose(&key, &shape, 120_000);
        for time in [0; 5] {
            tune.record(key.clone(), 0, time);
        }
        assert_eq!(tune.choose(&key, &shape, 120_000).0, settled);
        assert_ne!(settled, Choice::default(), "the last candidate was the fastest");
        std::fs::remove_file(&file).expect("the file");
    }

    #[test]
    fn labels_beyond_the_limit_are_not_tuned_and_three_are_named() {
        let file = std::env::temp_dir().join(format!("spelt-tune-many-{}", std::process::id()));
        let tune = tune(&file);
        let key = |label: usize| {
            let (label, space) = (format!("step {label:05}"), "Threads".to_owned());
            Key { label, pattern: Pattern::For, rank: Some(1), space, threads: 2, size: 16 }
        };
        let shape = shape(true, false, 1);
        let choose = |label| tune.choose(&key(label), &shape, 120_000).1;
        let end = || tune.unsettled().expect("a line").split(". ").next().map(str::to_owned);
        let named = |number: usize| {
            let names: Vec<_> = (0..number).map(|n| format!("`step {n:05}` ran 0 of 12 launches")).collect();
            format!("spelt: tuning: not settled: {}", names.join(", "))
        };
        (0..3).for_each(|label| assert_eq!(choose(label), Some(0)));
        assert_eq!(end(), Some(named(3)));
        assert_eq!(choose(3), Some(0));
        assert_eq!(end(), Some(format!("{}, and 1 more", named(3))));
        (4..MAX_KEYS).for_each(|label| assert_eq!(choose(label), Some(0)));
        // One that is known goes on, and its choice has the place that its trials had.
        assert_eq!([choose(MAX_KEYS), choose(0)], [None, Some(0)]);
        while let Some(place) = choose(0) {
            tune.record(key(0), place, 1);
        }
        assert_eq!([choose(MAX_KEYS), choose(1)], [None, Some(0)]);
        assert_eq!(tune.choose(&key(MAX_KEYS), &shape, 120_000).0, Choice::default());
        let (state, kept) = (tune.state(), MAX_KEYS - 1);
        assert_eq!([state.settled.len(), state.trials.len()], [1, kept]);
        drop(state);
        std::fs::remove_file(&file).expect("the file");
    }
}
