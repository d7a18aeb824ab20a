//! A sum for each run of equal keys.

use spelt::algorithms::reduce_by_key;
use spelt::prelude::*;

use super::unique::runs;
use super::{Found, SIZES, all_same, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "reduce_by_key",
    hypothesis: "f32 under keys of u32 in runs of ten on average. Flags of where runs begin are \
        written, become offsets, and the values are reduced by them: level with a sequential loop on one thread, faster \
        on two, several times the read.",
    size: "n",
    variants: &[Variant { name: "f32", width: 1, sizes: SIZES, race }],
};

struct Data {
    keys: View<u32, 1>,
    values: View<f32, 1>,
}

/// Keys and sums.
type Sums = (Found<u32>, Found<f32>);

fn race(setup: &Setup, n: usize) -> Made {
    let keys = runs(n, 10);
    let data = Data {
        keys: setup.view("keys", [n], |[i]| keys[i])?,
        values: setup.view("values", [n], |[i]| f32::element(i + 1))?,
    };
    let mut want: (Vec<u32>, Vec<(f64, usize)>) = Default::default();
    for (key, value) in keys.iter().zip(slice(&data.values)) {
        if want.0.last() != Some(key) {
            want.0.push(*key);
            want.1.push((0.0, 0));
        }
        if let Some((sum, count)) = want.1.last_mut() {
            (*sum, *count) = (*sum + value.wide(), *count + 1);
        }
    }
    let threads = setup.space.clone();
    let work = Work { bytes: (n + want.0.len()) * (size_of::<u32>() + size_of::<f32>()), elements: n };
    let check = move |_: &Data, (keys, sums): &Sums| {
        all_same("key", keys, &want.0)?;
        if sums.len() != keys.len() {
            return Err(format!("there are {} sums for {} keys", sums.len(), keys.len()));
        }
        sums.iter().zip(&want.1).try_for_each(|(sum, (want, count))| near("a sum", *sum, *want, *count))
    };
    let lineup = Lineup::new(data, work, check)
        .with("Spelt", move |data| {
            let (keys, sums) =
                reduce_by_key(&threads, &data.keys, &data.values, Sum::new()).expect("the lengths agree");
            (Found::View(keys), Found::View(sums))
        })
        .with("plain", |data| {
            let (mut keys, mut sums): (Vec<u32>, Vec<f32>) = Default::default();
            for (key, value) in slice(&data.keys).iter().zip(slice(&data.values)) {
                if keys.last() != Some(key) {
                    keys.push(*key);
                    sums.push(0.0);
                }
                if let Some(sum) = sums.last_mut() {
                    *sum += *value;
                }
            }
            (Found::Vec(keys), Found::Vec(sums))
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(&data.keys))));
            core::hint::black_box(limit.read(slice(&data.values)));
            (Found::Vec(Vec::new()), Found::Vec(Vec::new()))
        });
    Ok(Box::new(lineup))
}
