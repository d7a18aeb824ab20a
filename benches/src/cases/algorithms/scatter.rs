//! Elements sent to random places.

use spelt::algorithms::{scatter, scatter_checked};
use spelt::prelude::*;

use super::{SIZES, all_same, fraction, permutation, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "scatter",
    hypothesis: "f32 to the places of a random permutation of u32, or to random places, of which the last value stays. A \
        plain loop goes to a random place once for each value; in Spelt each of few threads goes through all \
        indices and writes to the places of its share, without a branch: level with the loop in cache, faster where \
        memory decides. Safe Rust has no parallel peer.",
    size: "n",
    variants: &[
        Variant { name: "permutation", width: 1, sizes: SIZES, race: race::<false, false> },
        Variant { name: "permutation checked", width: 1, sizes: SIZES, race: race::<false, true> },
        Variant { name: "random", width: 1, sizes: SIZES, race: race::<true, false> },
    ],
};

struct Data {
    indices: View<u32, 1>,
    values: View<f32, 1>,
    out: View<f32, 1>,
}

fn in_order(out: &mut [f32], indices: &[u32], values: &[f32]) {
    indices.iter().zip(values).for_each(|(i, value)| out[*i as usize] = *value);
}

fn race<const RANDOM: bool, const CHECKED: bool>(setup: &Setup, n: usize) -> Made {
    let indices =
        if RANDOM { (0..n).map(|i| (random(i + n) % n as u64) as u32).collect() } else { permutation(n) };
    let data = Data {
        indices: setup.view("indices", [n], |[i]| indices[i])?,
        values: setup.view("values", [n], |[i]| fraction(i))?,
        out: setup.view("out", [n], |_| -1.0)?,
    };
    let mut want = vec![-1.0; n];
    in_order(&mut want, &indices, slice(&data.values));
    let threads = setup.space.clone();
    let work = Work { bytes: n * (2 * size_of::<f32>() + size_of::<u32>()), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("element", slice(&data.out), &want))
        .reset(|data: &mut Data| slice_mut(&mut data.out).fill(-1.0))
        .with("Spelt", move |data| {
            if CHECKED {
                scatter_checked(&threads, &data.values, &data.indices, &mut data.out)
            } else {
                scatter(&threads, &data.values, &data.indices, &mut data.out)
            }
            .expect("the lengths agree");
        })
        .with("plain", |data| {
            let (out, indices) = (slice_mut(&mut data.out), slice(&data.indices));
            assert!(!CHECKED || indices.iter().all(|i| (*i as usize) < out.len()));
            in_order(out, indices, slice(&data.values));
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(&data.indices))));
            core::hint::black_box(limit.read(slice(&data.values)));
        });
    Ok(Box::new(lineup))
}
