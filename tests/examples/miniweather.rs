//! The application `miniweather`: air at rest, its checks, and the program's output. The suite of programs beside C++ compares its time
//! step with plain loops, and `.ci/run examples` runs it to the documented time.

#[path = "../../examples/apps/miniweather/options.rs"]
mod options;
#[path = "../../examples/apps/miniweather/report.rs"]
mod report;
#[path = "../../examples/apps/miniweather/weather/mod.rs"]
mod weather;

use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use options::Scenario;
use report::Report;
use weather::Weather;
use weather::totals::Totals;

/// The air after this number of steps.
fn after<S: ExecutionSpace>(space: &S, bubbles: &[weather::Bubble], steps: usize) -> Weather<S::Memory> {
    let mut weather = Weather::new(space, 20, bubbles).unwrap();
    for _ in 0..steps {
        weather.advance(space, weather.grid.longest).unwrap();
    }
    weather
}

#[test]
fn air_without_bubbles_stays_at_rest() {
    let weather = after(&Serial::new(), &[], 10);
    let largest =
        weather.state.iter().flat_map(|field| field.as_view().to_vec()).map(f64::abs).fold(0.0, f64::max);
    // The pressure at the ground is 1e5.
    assert!(largest < 1e-8, "{largest}");
}

#[test]
fn warm_air_rises_and_keeps_its_mass() {
    let space = Serial::new();
    let bubbles = Scenario::Thermal.bubbles();
    let (start, end) = (after(&space, bubbles, 0), after(&space, bubbles, 40));
    let wind = end.state[weather::ALONG_Z].as_view().iter().copied().fold(f64::MIN, f64::max);
    assert!(wind > 0.1, "{wind}");
    let [before, now] = [&start, &end].map(|weather| weather.totals(&space).unwrap());
    let report = |end: Totals| Report {
        scenario: Scenario::Thermal,
        cells: [100, 50],
        time: 400.0,
        steps: 40,
        start: before,
        end,
    };
    assert!(report(now).mass_change().abs() < 1e-13);
    let refused = |mass: f64, energy: f64| {
        let end = Totals { mass: before.mass * (1.0 + mass), energy: before.energy * (1.0 + energy) };
        report(end).verify().err().map(|error| error.to_string())
    };
    assert_eq!(refused(0.0, -4e-5), None);
    assert!(refused(1e-12, -4e-5).unwrap().starts_with("the mass was"));
    for energy in [-5e-5, 1e-9] {
        assert!(refused(0.0, energy).unwrap().starts_with("the energy changed"));
    }
    assert!(refused(0.0, f64::NAN).unwrap().starts_with("the air is not finite"));
    for not_finite in [f64::NAN, f64::INFINITY] {
        assert!(
            refused(not_finite, -4e-5).unwrap().starts_with("the air is not finite after 400 s on 100 cells")
        );
    }
    // More steps, more rounding errors.
    let longer = |steps: usize| {
        let end = Totals { mass: before.mass * (1.0 + 5e-13), energy: before.energy * (1.0 - 4e-5) };
        Report { steps, ..report(end) }.verify().is_ok()
    };
    assert!(!longer(600) && longer(6000));
}

#[test]
fn every_space_has_the_same_bits() {
    fn bits<S: ExecutionSpace>(space: &S) -> Vec<u64> {
        let weather = after(space, Scenario::Collision.bubbles(), 3);
        let Totals { mass, energy } = weather.totals(space).unwrap();
        let fields = weather.state.iter().flat_map(|field| field.to_host().unwrap().as_view().to_vec());
        fields.chain([mass, energy]).map(f64::to_bits).collect()
    }
    let expected = bits(&Serial::new());
    on_every_space!(|space, name| assert!(bits(&space) == expected, "{name}"));
}

/// Twelve steps of the longest length, added one after the other, end before 50 s.
#[test]
fn the_program_says_the_same_everywhere_and_makes_the_steps_that_it_tells() {
    let lines = same_everywhere("miniweather", "--size 16 --time 50", "miniweather.png");
    assert_eq!(lines[0], "miniWeather, collision: 16 x 8 cells, 12 steps to 50 s");
    let space = Serial::new();
    let mut weather = Weather::new(&space, 16, Scenario::Collision.bubbles()).unwrap();
    let start = weather.totals(&space).unwrap();
    for _ in 0..12 {
        weather.advance(&space, 50.0 / 12.0).unwrap();
    }
    let end = weather.totals(&space).unwrap();
    let mut expected = Vec::new();
    let report = Report { scenario: Scenario::Collision, cells: [16, 8], time: 50.0, steps: 12, start, end };
    report.write(&mut expected).unwrap();
    assert_eq!(lines.join("\n") + "\n", String::from_utf8(expected).unwrap());
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for arguments in ["-s 7", "-s few", "--time -1", "--time NaN", "--time 1e9", "--scenario storm", "30"] {
        let outcome = run("miniweather", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
