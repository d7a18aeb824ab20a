//! The table of temperatures.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::Path;

use spelt::MemorySpace;
use spelt::prelude::*;

/// The possible readings of a thermometer, which also limits the bars of a histogram. Unit: degrees Fahrenheit. Source: the records of the
/// World Meteorological Organization, -128.6 and 134.1, rounded.
const ON_EARTH: RangeInclusive<f64> = -150.0..=150.0;

/// An hour of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time {
    pub(crate) year: u16,
    pub(crate) month: u16,
    pub(crate) day: u16,
    pub(crate) hour: u16,
}

impl Time {
    /// Reads `2010/01/31 23:00`.
    fn parse(text: &str) -> Option<Self> {
        let (date, clock) = text.split_once(' ')?;
        let mut parts = date.split('/').map(|part| part.parse::<u16>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        let hour = clock.strip_suffix(":00")?.parse().ok()?;
        let sound = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24;
        (sound && parts.next().is_none()).then_some(Self { year, month, day, hour })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:02}/{:02} {:02}:00", self.year, self.month, self.day, self.hour)
    }
}

/// Temperatures where kernels run, with the times at which they were taken.
pub(crate) struct Readings<M: MemorySpace = HostSpace> {
    /// Degrees Fahrenheit.
    pub(crate) temperatures: View<f64, 1, M>,
    /// A number for the day of each, 131 for January 31st.
    pub(crate) days: View<u16, 1, M>,
    /// The month of each, from 1 to 12.
    pub(crate) months: View<u16, 1, M>,
    pub(crate) times: Vec<Time>,
    /// Hours that the table skips between two of a day.
    pub(crate) missing: Vec<Time>,
}

impl<M: MemorySpace> Readings<M> {
    /// The table in a file.
    pub(crate) fn read<S: ExecutionSpace<Memory = M>>(
        space: &S,
        file: &Path,
    ) -> Result<Self, Box<dyn Error>> {
        let table = File::open(file).map_err(|error| error.to_string());
        let readings = table.and_then(|table| Self::parse(space, table).map_err(|error| error.to_string()));
        readings.map_err(|error| format!("{}: {error}", file.display()).into())
    }

    /// The table as text: a head, then a time and a temperature in each line, times ascending within one year.
    pub(crate) fn parse<S: ExecutionSpace<Memory = M>>(
        space: &S,
        table: impl Read,
    ) -> Result<Self, Box<dyn Error>> {
        let (mut times, mut temperatures, mut missing) = (Vec::<Time>::new(), Vec::new(), Vec::new());
        for record in csv::Reader::from_reader(table).records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            let time = record.get(0).and_then(Time::parse);
            let temperature = record.get(1).and_then(|text| text.parse::<f64>().ok());
            let (Some(time), Some(temperature)) =
                (time, temperature.filter(|number| ON_EARTH.contains(number)))
            else {
                let found = record.iter().collect::<Vec<_>>().join(",");
                return Err(
                    format!("line {line} is `{found}`: give one such as `2010/01/31 23:00,39.4`").into()
                );
            };
            if let Some(&last) = times.last() {
                if time <= last || time.year != last.year {
                    return Err(format!("line {line}: {time} does not follow {last} in its year").into());
                }
                if (time.month, time.day) == (last.month, last.day) {
                    missing.extend((last.hour + 1..time.hour).map(|hour| Time { hour, ..time }));
                }
            }
            times.push(time);
            temperatures.push(temperature);
        }
        if times.is_empty() {
            return Err("there are no temperatures".into());
        }
        let n = times.len();
        Ok(Self {
            temperatures: space.view_from_fn("temperatures", [n], |[i]| temperatures[i])?,
            days: space.view_from_fn("days", [n], |[i]| times[i].month * 100 + times[i].day)?,
            months: space.view_from_fn("months", [n], |[i]| times[i].month)?,
            times,
            missing,
        })
    }
}
