//! Turns, calls and pauses.

use std::thread::sleep;
use std::time::Duration;

use crate::case::Variant;
use crate::lineup::{Fault, Race, Work};
use crate::statistics::Spread;

/// Between two contenders, so that the threads of the one before sleep. Unit: time. Source: measured; GCC's OpenMP
/// threads spin for 0.3 ms with the peer's settings, rayon's and ours for less.
const PAUSE: Duration = Duration::from_millis(5);

/// The minimum duration of a turn. Unit: nanoseconds.
const TURN: f64 = 2e6;

/// Batches of a turn, of which the median counts: a core that is taken away for a moment spoils one of them.
const BATCHES: usize = 5;

/// Batches of a turn with long calls. Unit: batches.
const FEW_BATCHES: usize = 3;

/// A call that takes at least this is long. Unit: nanoseconds.
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

/// A contender that died or could not begin, and the reason.
pub type Skipped = (&'static str, String);

/// One row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The variant.
    pub variant: &'static str,
    /// The size.
    pub size: usize,
    /// The work of one call.
    pub work: Work,
    /// The contenders; the first is Spelt. None if there was no race.
    pub figures: Vec<Figure>,
    /// Contenders that died; Spelt if there was no race.
    pub skipped: Vec<Skipped>,
}

impl Row {
    /// A row whose race could not be prepared, for example for lack of memory.
    #[must_use]
    pub fn without_race(variant: &'static str, size: usize, reason: String) -> Self {
        let work = Work { bytes: 0, elements: 0 };
        Self { variant, size, work, figures: Vec::new(), skipped: vec![("Spelt", reason)] }
    }
}

/// Elements of the races that are only checked: one length beyond tiles and vectors with a rest, and one without.
const CHECKED: [usize; 2] = [1000, 4099];

/// The sizes that `variant` is checked at.
#[must_use]
pub fn check_sizes<S>(variant: &Variant<S>) -> [usize; 2] {
    CHECKED.map(|elements| elements.div_ceil(variant.width))
}

/// Has every contender do the work once.
///
/// # Errors
/// Names the contender whose result is wrong, or which died.
pub fn check(race: &mut dyn Race) -> Result<(), String> {
    for (contender, name) in race.names().into_iter().enumerate() {
        race.check(contender).map_err(|fault| format!("{name}: {fault}"))?;
    }
    Ok(())
}

/// Times all contenders, `rounds` turns each, in an order that rotates by one from round to round; `each` is called
/// after each round.
///
/// A contender whose process dies is left out from then on, and its reason is returned beside the figures of the others.
///
/// # Errors
/// If a result is wrong, before the rounds or after them; if Spelt itself, the first contender, cannot run.
pub fn run(
    race: &mut dyn Race,
    rounds: usize,
    mut each: impl FnMut(),
) -> Result<(Vec<Figure>, Vec<Skipped>), String> {
    let names = race.names();
    let mut field = Field { skipped: vec![None; names.len()], names };
    let mut calls = vec![(0, 0); field.names.len()];
    for (contender, calls) in calls.iter_mut().enumerate() {
        field.turn(contender, || race.check(contender))?;
        if let Some(calibrated) = field.turn(contender, || calibrate(race, contender))? {
            *calls = calibrated;
        }
    }
    let mut times = vec![Vec::with_capacity(rounds); calls.len()];
    for round in 0..rounds {
        for turn in 0..calls.len() {
            let contender = (round + turn) % calls.len();
            let (calls, batches) = calls[contender];
            sleep(PAUSE);
            times[contender].extend(field.turn(contender, || race.time(contender, calls, batches))?);
        }
        each();
    }
    for contender in 0..calls.len() {
        field.turn(contender, || race.check(contender))?;
    }
    let ours = times[0].clone();
    let (mut figures, mut skipped) = (Vec::new(), Vec::new());
    for ((name, reason), times) in field.names.into_iter().zip(field.skipped).zip(times) {
        match reason {
            Some(reason) => skipped.push((name, reason)),
            None => figures.push(Figure {
                name,
                ratio: Spread::of(ours.iter().zip(&times).map(|(ours, theirs)| ours / theirs).collect()),
                time: Spread::of(times),
            }),
        }
    }
    Ok((figures, skipped))
}

/// The contenders of a race, and why some are out.
struct Field {
    names: Vec<&'static str>,
    skipped: Vec<Option<String>>,
}

impl Field {
    /// Does `work` for a contender that is still in the race; `None` if it is out.
    fn turn<T>(
        &mut self,
        contender: usize,
        work: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<Option<T>, String> {
        if self.skipped[contender].is_some() {
            return Ok(None);
        }
        match work() {
            Ok(result) => Ok(Some(result)),
            Err(Fault::Died(reason)) if contender > 0 => {
                self.skipped[contender] = Some(reason);
                Ok(None)
            }
            Err(fault) => Err(format!("{}: {fault}", self.names[contender])),
        }
    }
}

/// Calls of a batch, and batches of a turn.
fn calibrate(race: &mut dyn Race, contender: usize) -> Result<(usize, usize), Fault> {
    let mut time = race.time(contender, 1, 1)?;
    if time < TURN / BATCHES as f64 {
        // The first call may have woken all threads.
        time = race.time(contender, 10, 3)?;
    }
    if time > LONG {
        return Ok((1, FEW_BATCHES));
    }
    Ok(((TURN / BATCHES as f64 / time.max(1.0)).ceil() as usize, BATCHES))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contenders of which number `dies` dies in its second turn, or the very first has a wrong result.
    struct Mortal {
        dies: usize,
        turns: usize,
        wrong: bool,
    }

    impl Race for Mortal {
        fn work(&self) -> Work {
            Work { bytes: 8, elements: 1 }
        }

        fn names(&self) -> Vec<&'static str> {
            vec!["Spelt", "one", "other"]
        }

        fn leave_peers_out(&mut self) {}

        fn check(&mut self, _: usize) -> Result<(), Fault> {
            if self.wrong { Err(Fault::Wrong("7 in place of 8".into())) } else { Ok(()) }
        }

        fn time(&mut self, contender: usize, _: usize, _: usize) -> Result<f64, Fault> {
            if contender == self.dies {
                self.turns += 1;
                if self.turns > 3 {
                    return Err(Fault::Died("out of memory".into()));
                }
            }
            Ok(1e6 * (1 + contender) as f64)
        }
    }

    #[test]
    fn a_contender_that_dies_is_left_out_with_its_reason() {
        let mut race = Mortal { dies: 1, turns: 0, wrong: false };
        let (figures, skipped) = run(&mut race, 5, || ()).unwrap();
        assert_eq!(figures.iter().map(|figure| figure.name).collect::<Vec<_>>(), ["Spelt", "other"]);
        assert_eq!(skipped, [("one", "out of memory".to_owned())]);
        assert!((figures[1].ratio.median - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn spelt_may_not_die_and_no_result_may_be_wrong() {
        let died = run(&mut Mortal { dies: 0, turns: 0, wrong: false }, 5, || ()).unwrap_err();
        assert_eq!(died, "Spelt: out of memory");
        let wrong = run(&mut Mortal { dies: 9, turns: 0, wrong: true }, 5, || ()).unwrap_err();
        assert_eq!(wrong, "Spelt: 7 in place of 8");
    }
}
