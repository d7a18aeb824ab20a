//! Turns, calls and pauses.

use std::thread::sleep;
use std::time::Duration;

use crate::cases::Variant;
use crate::lineup::{Race, Work};
use crate::statistics::Spread;

/// Between two contenders, so that the threads of the one before sleep. Unit: time. Source: measured; GCC's OpenMP
/// threads spin for 0.3 ms with the peer's settings, rayon's and ours for less.
const PAUSE: Duration = Duration::from_millis(5);

/// The minimum duration of a turn. Unit: nanoseconds.
const TURN: f64 = 2e6;

/// Batches of a turn, of which the median counts: a core that is taken away for a moment spoils one of them.
const BATCHES: usize = 5;

/// Batches where a call is long. Unit: batches.
const FEW_BATCHES: usize = 3;

/// From this on a call is long. Unit: nanoseconds.
const LONG: f64 = 2e7;

/// The results of one contender.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// Nanoseconds per call, over the rounds.
    pub time: Spread,
    /// Spelt's time over its time, round by round.
    pub ratio: Spread,
}

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The variant.
    pub variant: &'static str,
    /// The size.
    pub size: usize,
    /// The work of one call.
    pub work: Work,
    /// The contenders; the first is Spelt.
    pub figures: Vec<Figure>,
}

/// Elements of the races that are only checked: one length beyond tiles and vectors with a rest, and one without.
const CHECKED: [usize; 2] = [1000, 4099];

/// The sizes that `variant` is checked at.
#[must_use]
pub fn check_sizes(variant: &Variant) -> [usize; 2] {
    CHECKED.map(|elements| elements.div_ceil(variant.width))
}

/// Has every contender do the work once.
///
/// # Errors
/// Names the contender whose result is wrong.
pub fn check(race: &mut dyn Race) -> Result<(), String> {
    for (contender, name) in race.names().into_iter().enumerate() {
        race.check(contender).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// Times all contenders, `rounds` turns each, in an order that rotates by one from round to round; `each` is called
/// after each round.
///
/// # Errors
/// If a result is wrong, before the rounds or after them.
pub fn run(race: &mut dyn Race, rounds: usize, mut each: impl FnMut()) -> Result<Vec<Figure>, String> {
    check(race)?;
    let names = race.names();
    let mut calls = Vec::with_capacity(names.len());
    for contender in 0..names.len() {
        calls.push(calibrate(race, contender)?);
    }
    let mut times = vec![Vec::with_capacity(rounds); names.len()];
    for round in 0..rounds {
        for turn in 0..names.len() {
            let contender = (round + turn) % names.len();
            let (calls, batches) = calls[contender];
            sleep(PAUSE);
            times[contender].push(race.time(contender, calls, batches)?);
        }
        each();
    }
    check(race)?;
    let ours = times[0].clone();
    let figures = names.into_iter().zip(times).map(|(name, times)| Figure {
        name,
        ratio: Spread::of(ours.iter().zip(&times).map(|(ours, theirs)| ours / theirs).collect()),
        time: Spread::of(times),
    });
    Ok(figures.collect())
}

/// Calls of a batch, and batches of a turn.
fn calibrate(race: &mut dyn Race, contender: usize) -> Result<(usize, usize), String> {
    let mut time = race.time(contender, 1, 1)?;
    if time < TURN / BATCHES as f64 {
        // The first call may have been the one that woke everybody.
        time = race.time(contender, 10, 3)?;
    }
    if time > LONG {
        return Ok((1, FEW_BATCHES));
    }
    Ok(((TURN / BATCHES as f64 / time.max(1.0)).ceil() as usize, BATCHES))
}
