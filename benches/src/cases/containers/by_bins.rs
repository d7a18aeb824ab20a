//! Sorts by bins: a bin for 8 elements on average.

use spelt::algorithms::{gather, order_by_bins};
use spelt::prelude::*;

use super::SIZES;
use crate::cases::algorithms::random;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "by bins",
    hypothesis: "Both count the elements of the bins and put each into its place. Spelt does so by passes over digits, whose writes stay in cache, and keeps the \
        given order within a bin; Kokkos adds to a counter of the bin atomically for each element, in its given order, which misses the cache twice from 1e6 elements \
        on: half of its time there. To move the elements is a gather for each array; Kokkos moves into a copy, and copies back.",
    size: "n",
    variants: &[
        Variant { name: "order", width: 1, sizes: SIZES, race: race::<false> },
        Variant { name: "moved", width: 1, sizes: SIZES, race: race::<true> },
    ],
};

struct Data {
    bins: View<u32, 1>,
    values: View<f64, 1>,
    order: View<usize, 1>,
    sorted: View<u32, 1>,
    moved: View<f64, 1>,
}

fn race<const MOVED: bool>(setup: &Setup, n: usize) -> Made {
    let count = (n / 8).max(1);
    let data = Data {
        bins: setup.view("bins", [n], |[i]| (random(i) % count as u64) as u32)?,
        values: setup.view("values", [n], |[i]| i as f64)?,
        order: setup.view("order", [n], |_| 0)?,
        sorted: setup.view("sorted", [n], |_| 0)?,
        moved: setup.view("moved", [n], |_| 0.0)?,
    };
    let mut want: Vec<usize> = (0..n).collect();
    want.sort_by_key(|&i| data.bins[i]);
    let space = setup.space.clone();
    let bytes = n * (size_of::<u32>() + size_of::<usize>() + if MOVED { 24 } else { 0 });
    let lineup = Lineup::new(data, Work { bytes, elements: n }, move |data: &Data, (): &()| {
        let order = slice(&data.order);
        let moved = |(k, &i): (usize, &usize)| data.sorted[k] == data.bins[i] && data.moved[k] == i as f64;
        if order != want || (MOVED && !order.iter().enumerate().all(moved)) {
            return Err("the order is not that of a stable sort".to_owned());
        }
        Ok(())
    })
    .with("Spelt", move |data| {
        let Data { bins, values, order, sorted, moved } = data;
        order_by_bins(&space, bins, count, order).expect("all bins exist");
        if MOVED {
            gather(&space, bins, order, sorted).expect("there are as many");
            gather(&space, values, order, moved).expect("there are as many");
        }
    })
    .with_remote("Kokkos", setup.peer(if MOVED { "sort_by_bins" } else { "order_by_bins" }, "f64", n));
    Ok(Box::new(lineup))
}
