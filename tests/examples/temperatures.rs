//! The example `temperatures`: days and months against naive loops, tables with faults, and the program's output.

#[allow(dead_code, reason = "the program alone uses some of it")]
#[path = "../../examples/temperatures/extremes.rs"]
mod extremes;
#[allow(dead_code, reason = "the program alone uses some of it")]
#[path = "../../examples/temperatures/readings.rs"]
mod readings;
#[path = "../../examples/temperatures/spans.rs"]
mod spans;

use std::path::Path;

use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::on_every_space;
use extremes::{Extremes, Histogram};
use readings::Readings;
use spans::spans;

fn seattle<S: ExecutionSpace>(space: &S) -> Readings<S::Memory> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/seattle_temps.csv");
    Readings::read(space, Path::new(file)).unwrap()
}

#[test]
fn days_and_months_are_those_of_naive_loops() {
    let host = seattle(&Serial::new());
    let temperatures = host.temperatures.to_vec();
    assert_eq!(host.missing.iter().map(ToString::to_string).collect::<Vec<_>>(), ["2010/03/14 03:00"]);
    let expected: [_; 2] =
        [&host.days, &host.months].map(|keys| spans(&Serial::new(), &host.temperatures, keys).unwrap());
    for (keys, spans) in [&host.days, &host.months].into_iter().zip(&expected) {
        assert_eq!(spans.iter().map(|span| span.hours).sum::<usize>(), temperatures.len());
        assert!(spans.windows(2).all(|pair| pair[0].key < pair[1].key));
        for span in spans {
            let own = || (0..temperatures.len()).filter(|&i| keys[i] == span.key).map(|i| temperatures[i]);
            assert_eq!(span.hours, own().count(), "{span:?}");
            assert_eq!(span.min, own().fold(f64::INFINITY, f64::min), "{span:?}");
            assert_eq!(span.max, own().fold(f64::NEG_INFINITY, f64::max), "{span:?}");
            assert!((span.sum - own().sum::<f64>()).abs() < 1e-9 * span.sum, "{span:?}");
        }
    }
    assert_eq!(
        expected[0].iter().filter(|day| day.hours != 24).map(|day| day.key).collect::<Vec<_>>(),
        [314]
    );
    let extremes = Extremes::of(&Serial::new(), &host.temperatures).unwrap();
    let histogram = Histogram::of(&Serial::new(), &host.temperatures, &extremes).unwrap();
    for (bar, &count) in histogram.counts.iter().enumerate() {
        let from = histogram.first + bar as f64;
        let within = temperatures.iter().filter(|&&degrees| degrees >= from && degrees < from + 1.0);
        assert_eq!(count as usize, within.count(), "from {from}");
    }
    assert_eq!(histogram.counts.iter().sum::<u32>(), 8759);

    on_every_space!(|space, name| {
        let readings = seattle(&space);
        for (keys, expected) in [&readings.days, &readings.months].into_iter().zip(&expected) {
            // Sums are compared to the last bit: none of them is NaN or zero.
            assert_eq!(&spans(&space, &readings.temperatures, keys).unwrap(), expected, "{name}");
        }
        assert_eq!(Extremes::of(&space, &readings.temperatures).unwrap(), extremes, "{name}");
        assert_eq!(Histogram::of(&space, &readings.temperatures, &extremes).unwrap(), histogram, "{name}");
    });
}

#[test]
fn the_program_says_the_same_everywhere() {
    let lines = same_everywhere("temperatures", "", "temperatures.png");
    assert_eq!(lines[0], "8759 hourly temperatures of 365 days, in degrees Fahrenheit");
    assert_eq!(lines[1], "  there is none for 2010/03/14 03:00");
    assert_eq!(lines[3], "  January      744    38.6   41.70    46.2");
    assert_eq!(lines.len(), 18);
}

#[test]
fn faults_are_told_with_their_line() {
    let parse = |table: &str| Readings::parse(&Serial::new(), table.as_bytes());
    for (table, message) in [
        ("date,temp\n", "there are no temperatures"),
        (
            "date,temp\n2010/01/01 00:00,39.4\n2010/01/01 24:00,39.4\n",
            "line 3 is `2010/01/01 24:00,39.4`: give one such as",
        ),
        ("date,temp\n2010/13/01 00:00,39.4\n", "line 2 is `2010/13/01 00:00,39.4`"),
        ("date,temp\n2010/01/01 00:00,NaN\n", "line 2 is `2010/01/01 00:00,NaN`"),
        ("date,temp\n2010/01/01 00:00,cold\n", "line 2 is `2010/01/01 00:00,cold`"),
        (
            "date,temp\n2010/01/01 01:00,39.4\n2010/01/01 01:00,39.4\n",
            "line 3: 2010/01/01 01:00 does not follow",
        ),
        ("date,temp\n2010/12/31 23:00,39.4\n2011/01/01 00:00,39.4\n", "does not follow"),
        ("date,temp\n2010/01/01 00:00,39.4,1\n", "record 1"),
    ] {
        let error = parse(table).err().unwrap().to_string();
        assert!(error.contains(message), "{table}: {error}");
    }
    let one = parse("date,temp\n2010/02/28 23:00,-4\n").unwrap();
    let days = spans(&Serial::new(), &one.temperatures, &one.days).unwrap();
    assert_eq!((days.len(), days[0].key, days[0].mean()), (1, 228, -4.0));
    let outcome = run("temperatures", "--input nowhere.csv");
    assert_eq!(outcome.status, Some(2));
    assert!(outcome.stderr.starts_with("temperatures: nowhere.csv: "), "{}", outcome.stderr);
}
