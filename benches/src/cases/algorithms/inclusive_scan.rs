//! The inclusive scan as a function.

use spelt::algorithms::inclusive_scan;
use spelt::prelude::*;

use super::SIZES;
use crate::cases::scan::{in_chunks, in_order, scan};
use crate::cases::vectors::Vectors;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "inclusive_scan",
    hypothesis: "The pattern with a closure that joins: level with the pattern itself, so within 15 % of the limit for \
        integers where memory decides, and not for floats, whose order is the canonical one.",
    size: "n",
    variants: &[
        Variant { name: "f64", width: 1, sizes: SIZES, race: race::<f64> },
        Variant { name: "i64", width: 1, sizes: SIZES, race: race::<i64> },
    ],
};

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::new(setup, n, 0, n)?;
    let (function, pattern) = (setup.space.clone(), setup.space.clone());
    let work = Work { bytes: 2 * n * size_of::<T>(), elements: n };
    let check = move |data: &Vectors<T>, total: &T| {
        let mut want = 0.0;
        for (i, (x, y)) in data.x().iter().zip(data.y()).enumerate() {
            want += x.wide();
            near("a prefix", *y, want, n).map_err(|error| format!("{i}: {error}"))?;
        }
        near("the total", *total, want, n)
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(0))
        .with("Spelt", move |data| {
            inclusive_scan(&function, &data.x, &mut data.y, Sum::<T>::new()).expect("the lengths agree")
        })
        .with("Spelt pattern", move |data| scan(&pattern, data))
        .with("plain", |data| {
            let (y, x, _) = data.split();
            in_order(y, x, T::small(0));
            y[y.len() - 1]
        })
        .with("rayon", in_chunks)
        .with_limit(&setup.limit, |limit, data| {
            let (y, x, _) = data.split();
            limit.scan(x, y)
        });
    Ok(Box::new(lineup))
}
