//! The inclusive scan.

use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

const SIZES: &[usize] = &[100_000, 10_000_000, 40_000_000];

pub(super) const CASE: Case = Case {
    name: "scan",
    hypothesis: "Each chunk is summed and scanned while it is in the cache, so that memory is read once, where Kokkos \
        reads it twice; the sum is a vector loop, the scan a chain of one addition an element. Within 15 % of the \
        limit where memory decides; in cache the limit, which scans inside registers, is out of reach.",
    size: "n",
    variants: &[
        Variant { name: "i64", width: 1, sizes: SIZES, race: race::<i64> },
        Variant { name: "f64", width: 1, sizes: SIZES, race: race::<f64> },
    ],
};

pub(super) fn scan<T: Number>(
    space: &impl ExecutionSpace<Memory = spelt::HostSpace>,
    data: &mut Vectors<T>,
) -> T {
    let range = space.range(0..data.x.len());
    let add = Sum::<T>::new();
    parallel_scan(
        "scan",
        range,
        (&data.x, &mut data.y),
        |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last {
                y[i] = *sum;
            }
        },
        add,
    )
    .expect("the Views cover the range")
}

/// As rayon's users write it: sums of chunks, then each chunk from the sum before it.
pub(super) fn in_chunks<T: Number>(data: &mut Vectors<T>) -> T {
    let (y, x, _) = data.split();
    let chunk = x.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let mut sums: Vec<T> = x.par_chunks(chunk).map(|x| x.iter().copied().sum()).collect();
    let mut before = T::small(0);
    for sum in &mut sums {
        (before, *sum) = (before + *sum, before);
    }
    y.par_chunks_mut(chunk).zip(x.par_chunks(chunk)).zip(sums).for_each(|((y, x), sum)| in_order(y, x, sum));
    before
}

pub(super) fn in_order<T: Number>(y: &mut [T], x: &[T], mut sum: T) {
    for (y, x) in y.iter_mut().zip(x) {
        sum += *x;
        *y = sum;
    }
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::new(setup, n, 0, n)?;
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<T>(), elements: n };
    let check = move |data: &Vectors<T>, total: &T| {
        let mut want = 0.0;
        for (i, x) in data.x().iter().enumerate() {
            want += x.wide();
            near(&format!("the prefix at {i}"), data.y()[i], want, n)?;
        }
        near("the total", *total, want, n)
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(0))
        .with("Spelt", move |data| scan(&threads, data))
        .with("Spelt Serial", |data| scan(&Serial, data))
        .with("Spelt Rayon", |data| scan(&Rayon, data))
        .with("plain", |data| {
            let (y, x, _) = data.split();
            in_order(y, x, T::small(0));
            y[y.len() - 1]
        })
        .with("rayon", in_chunks)
        .with("ndarray", |data| {
            let (y, x, _) = data.split();
            let mut y = ndarray::ArrayViewMut1::from(y);
            y.assign(&ndarray::ArrayView1::from(x));
            y.accumulate_axis_inplace(ndarray::Axis(0), |before, y| *y += *before);
            y[y.len() - 1]
        })
        .with_limit(&setup.limit, |limit, data| {
            let (y, x, _) = data.split();
            limit.scan(x, y)
        })
        .with_remote("Kokkos", setup.peer("scan", T::NAME, n));
    Ok(Box::new(lineup))
}
