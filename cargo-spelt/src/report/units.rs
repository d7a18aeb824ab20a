//! Numbers with units, and the marks of axes.

/// A unit: its name, and its size in the base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) size: f64,
}

/// Units of time. The base unit is ns.
pub(super) const TIME: &[Unit] = &[
    Unit { name: "ns", size: 1.0 },
    Unit { name: "us", size: 1e3 },
    Unit { name: "ms", size: 1e6 },
    Unit { name: "s", size: 1e9 },
];

/// Units of memory, those of the summary. The base unit is bytes.
pub(super) const MEMORY: &[Unit] = &[
    Unit { name: "B", size: 1.0 },
    Unit { name: "kB", size: 1e3 },
    Unit { name: "MB", size: 1e6 },
    Unit { name: "GB", size: 1e9 },
    Unit { name: "TB", size: 1e12 },
];

/// The unit of rates.
pub(super) const RATE: &[Unit] = &[Unit { name: "GB/s", size: 1.0 }];

/// Those of rates of less than 0.1 GB/s. The base unit is GB/s.
pub(super) const SMALL_RATE: &[Unit] =
    &[Unit { name: "kB/s", size: 1e-6 }, Unit { name: "MB/s", size: 1e-3 }];

/// The largest of the units that is at most `value`, or the first.
pub(super) fn unit_for(value: f64, units: &[Unit]) -> Unit {
    units.iter().copied().rfind(|unit| value >= unit.size).unwrap_or(units[0])
}

/// The value in the unit that fits, with three digits.
pub(super) fn with_unit(value: f64, units: &[Unit]) -> String {
    let unit = unit_for(value, units);
    format!("{} {}", digits(value / unit.size), unit.name)
}

/// The number with about three digits.
pub(super) fn digits(value: f64) -> String {
    match value {
        value if value == 0.0 || value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        value if value >= 0.01 => format!("{value:.2}"),
        value => format!("{value:.1e}"),
    }
}

/// Marks of an axis from 0 to `end` and beyond: at most `most` steps of 1, 2 or 5 times a power of ten. The last is at least `end`.
pub(super) fn marks(end: f64, most: usize) -> Vec<f64> {
    if !(end > 0.0 && end.is_finite()) {
        return vec![0.0, 1.0];
    }
    let least = end / most as f64;
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= least * 0.999_999);
    let step = step.unwrap_or(10.0 * power);
    let steps = (end / step - 1e-9).ceil().max(1.0) as usize;
    (0..=steps).map(|number| number as f64 * step).collect()
}

/// The text of a mark, whose neighbours are `step` away.
pub(super) fn mark_text(mark: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{mark:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::{MEMORY, TIME, digits, mark_text, marks, unit_for, with_unit};

    #[test]
    fn values_have_the_unit_that_fits() {
        assert_eq!(with_unit(0.0, TIME), "0 ns");
        assert_eq!(with_unit(999.0, TIME), "999 ns");
        assert_eq!(with_unit(1e3, TIME), "1.00 us");
        assert_eq!(with_unit(2.5e9, TIME), "2.50 s");
        assert_eq!(with_unit(1e13, TIME), "10000 s");
        assert_eq!(with_unit(524_288.0, MEMORY), "524 kB");
        assert_eq!(unit_for(1e30, MEMORY).name, "TB");
        assert_eq!(
            [0.001, 0.05, 9.99, 10.0, 99.94, 99.95].map(digits),
            ["1.0e-3", "0.05", "9.99", "10.0", "99.9", "100"]
        );
    }

    #[test]
    fn marks_are_round_and_reach_the_end() {
        assert_eq!(marks(13.8, 8), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
        assert_eq!(marks(10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(marks(0.0, 5), [0.0, 1.0]);
        assert_eq!(marks(f64::NAN, 5), [0.0, 1.0]);
        for end in [1e-9, 0.37, 1.0, 7.0, 999.0, 1e18] {
            let marks = marks(end, 8);
            assert!(marks.len() <= 10 && *marks.last().unwrap() >= end, "{end}: {marks:?}");
        }
        assert_eq!([mark_text(0.5, 0.5), mark_text(10.0, 5.0), mark_text(0.02, 0.01)], ["0.5", "10", "0.02"]);
    }
}
