//! Medians and quartiles.

/// The median with the quartiles around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// A quarter of the values lie below.
    pub low: f64,
    /// Half of the values lie below.
    pub median: f64,
    /// A quarter of the values lie above.
    pub high: f64,
}

impl Spread {
    /// Of `values`, which is not empty; between two values, by their distance.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = part * (values.len() - 1) as f64;
            let (below, above) = (values[place.floor() as usize], values[place.ceil() as usize]);
            below + (above - below) * place.fract()
        };
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_quartiles_lie_between_values() {
        assert_eq!(Spread::of(vec![3.0]), Spread { low: 3.0, median: 3.0, high: 3.0 });
        assert_eq!(Spread::of(vec![4.0, 1.0, 2.0, 3.0]), Spread { low: 1.75, median: 2.5, high: 3.25 });
    }
}
