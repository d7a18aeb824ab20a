//! Scans as functions.

use rayon::prelude::*;
use spelt::algorithms::{exclusive_scan, inclusive_scan, inclusive_scan_in_place};
use spelt::prelude::*;

use super::SIZES;
use crate::cases::scan::{in_chunks, in_order, scan};
use crate::cases::vectors::Vectors;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near, same};
use crate::setup::{Setup, slice_mut};

pub(super) const CASE: Case = Case {
    name: "inclusive_scan",
    hypothesis: "The pattern with a closure that joins: level with the pattern itself, so within 15 % of the limit for \
        integers where memory decides, and not for floats, whose order is the canonical one. The exclusive scan is the \
        same loop; in place, memory is not read beside what is written: two thirds of the time at 1e7.",
    size: "n",
    variants: &[
        Variant { name: "f64", width: 1, sizes: SIZES, race: race::<f64> },
        Variant { name: "i64", width: 1, sizes: SIZES, race: race::<i64> },
        Variant { name: "f64 exclusive", width: 1, sizes: SIZES, race: exclusive::<f64> },
        Variant { name: "i64 exclusive", width: 1, sizes: SIZES, race: exclusive::<i64> },
        Variant { name: "i64 in place", width: 1, sizes: SIZES, race: in_place },
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

fn exclusive<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::new(setup, n, 0, n)?;
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<T>(), elements: n };
    let check = move |data: &Vectors<T>, total: &T| {
        let mut want = 0.0;
        for (i, (x, y)) in data.x().iter().zip(data.y()).enumerate() {
            near("a prefix", *y, want, n).map_err(|error| format!("{i}: {error}"))?;
            want += x.wide();
        }
        near("the total", *total, want, n)
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(9))
        .with("Spelt", move |data| {
            exclusive_scan(&threads, &data.x, &mut data.y, T::small(0), Sum::<T>::new())
                .expect("the lengths agree")
        })
        .with("plain", |data| {
            let (y, x, _) = data.split();
            before_each(y, x, T::small(0))
        })
        .with("rayon", |data| {
            let (y, x, _) = data.split();
            let chunk = x.len().div_ceil(4 * rayon::current_num_threads()).max(1);
            let mut sums: Vec<T> = x.par_chunks(chunk).map(|x| x.iter().copied().sum()).collect();
            let mut total = T::small(0);
            for sum in &mut sums {
                (total, *sum) = (total + *sum, total);
            }
            y.par_chunks_mut(chunk).zip(x.par_chunks(chunk)).zip(sums).for_each(|((y, x), sum)| {
                before_each(y, x, sum);
            });
            total
        });
    Ok(Box::new(lineup))
}

/// The sums before each element, and after all.
fn before_each<T: Number>(y: &mut [T], x: &[T], mut sum: T) -> T {
    for (y, x) in y.iter_mut().zip(x) {
        *y = sum;
        sum += *x;
    }
    sum
}

fn in_place(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<i64>::new(setup, n, 0, n)?;
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<i64>(), elements: n };
    let check = |data: &Vectors<i64>, total: &i64| {
        let mut want = 0;
        for (i, (x, y)) in data.x().iter().zip(data.y()).enumerate() {
            want += x;
            same(&format!("the prefix at {i}"), *y, want)?;
        }
        same("the total", *total, want)
    };
    let lineup = Lineup::new(data, work, check)
        .before(|data| {
            let (y, x, _) = data.split();
            y.copy_from_slice(x);
        })
        .with("Spelt", move |data| {
            inclusive_scan_in_place(&threads, &mut data.y, Sum::new()).expect("nothing fails on a host")
        })
        .with("plain", |data| {
            slice_mut(&mut data.y).iter_mut().fold(0, |sum, y| {
                *y += sum;
                *y
            })
        });
    Ok(Box::new(lineup))
}
