//! Sorts of random keys.

use core::cmp::Ordering;

use rayon::prelude::*;
use rdst::RadixSort;
use spelt::algorithms::RadixKey;
use spelt::prelude::*;

use super::{SIZES, all_same, fraction, random};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "sort",
    hypothesis: "Stable: one pass through lines of cache to some thousand buckets of even size, which two passes then \
        sort within a thread's caches: u32 in a third of the time of rayon's comparison sort, ahead of rdst, which is \
        not stable, and 1e7 of them in 58 ms, as NumPy's. u64 takes twice the time. By key, pairs move: rdst and rayon get the \
        pairs by zipping and give them back, as their interfaces want it. Descending keys take the \
        time of ascending ones. Argsort copies the keys and sorts by key: a quarter of the peers, which compare \
        through an index. Keys are put back before each call, \
        untimed.",
    size: "n",
    variants: &[
        Variant { name: "u32", width: 1, sizes: SIZES, race: race::<u32> },
        Variant { name: "u64", width: 1, sizes: SIZES, race: race::<u64> },
        Variant { name: "f32", width: 1, sizes: SIZES, race: race::<f32> },
        Variant { name: "u32 by key", width: 1, sizes: SIZES, race: by_key },
        Variant { name: "u32 descending", width: 1, sizes: SIZES, race: descending },
        Variant { name: "u32 argsort", width: 1, sizes: SIZES, race: argsort },
    ],
};

trait Key: RadixKey + rdst::RadixKey + PartialEq + core::fmt::Debug {
    fn key(i: usize) -> Self;
    fn order(&self, other: &Self) -> Ordering;
}

impl Key for u32 {
    fn key(i: usize) -> Self {
        random(i) as u32
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Key for u64 {
    fn key(i: usize) -> Self {
        random(i)
    }
    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Key for f32 {
    fn key(i: usize) -> Self {
        2.0 * fraction(i) - 1.0
    }
    fn order(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

struct Keys<K: Element> {
    /// In the given order.
    given: View<K, 1>,
    keys: View<K, 1>,
    values: View<u32, 1>,
}

impl<K: Key> Keys<K> {
    fn new(setup: &Setup, n: usize, values: usize) -> Result<Self, String> {
        Ok(Self {
            given: setup.view("given", [n], |[i]| K::key(i))?,
            keys: setup.view("keys", [n], |[i]| K::key(i))?,
            values: setup.view("values", [values], |[i]| i as u32)?,
        })
    }

    fn put_back(&mut self) {
        slice_mut(&mut self.keys).copy_from_slice(slice(&self.given));
        slice_mut(&mut self.values).iter_mut().zip(0..).for_each(|(value, i)| *value = i);
    }
}

fn race<K: Key>(setup: &Setup, n: usize) -> Made {
    let data = Keys::<K>::new(setup, n, 0)?;
    let mut want = slice(&data.given).to_vec();
    want.sort_by(K::order);
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<K>(), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("key", slice(&data.keys), &want))
        .before(Keys::put_back)
        .with("Spelt", move |data| {
            spelt::algorithms::sort(&threads, &mut data.keys).expect("there is memory")
        })
        .with("plain", |data| slice_mut(&mut data.keys).sort_unstable_by(K::order))
        .with("rayon", |data| slice_mut(&mut data.keys).par_sort_unstable_by(K::order))
        .with("rdst", |data| slice_mut(&mut data.keys).radix_sort_unstable());
    Ok(Box::new(lineup))
}

/// A key with its value, as peers sort them.
#[derive(Clone, Copy)]
struct Pair(u32, u32);

impl rdst::RadixKey for Pair {
    const LEVELS: usize = 4;
    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.0 >> (8 * level)) as u8
    }
}

/// Sorts pairs by `sort`.
fn zipped(data: &mut Keys<u32>, sort: impl FnOnce(&mut [Pair])) {
    let (keys, values) = (slice_mut(&mut data.keys), slice_mut(&mut data.values));
    let mut pairs: Vec<Pair> = keys.par_iter().zip(&*values).map(|(key, value)| Pair(*key, *value)).collect();
    sort(&mut pairs);
    keys.par_iter_mut()
        .zip(values)
        .zip(&pairs)
        .for_each(|((key, value), pair)| (*key, *value) = (pair.0, pair.1));
}

fn by_key(setup: &Setup, n: usize) -> Made {
    let data = Keys::<u32>::new(setup, n, n)?;
    let mut want: Vec<u32> = (0..n as u32).collect();
    want.sort_by_key(|i| u32::key(*i as usize));
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<Pair>(), elements: n };
    let is_sorted = |data: &Keys<u32>| {
        let keys = slice(&data.keys).iter().zip(slice(&data.values));
        let broken = keys.clone().position(|(key, value)| *key != u32::key(*value as usize));
        match broken {
            Some(at) => Err(format!("key {at} has another's value")),
            None if slice(&data.keys).is_sorted() => Ok(()),
            None => Err("keys are not sorted".to_owned()),
        }
    };
    let check = move |data: &Keys<u32>, (): &()| {
        is_sorted(data)?;
        all_same("value", slice(&data.values), &want)
    };
    let lineup = Lineup::new(data, work, check)
        .before(Keys::put_back)
        .with("Spelt", move |data| {
            spelt::algorithms::sort_by_key(&threads, &mut data.keys, &mut data.values)
                .expect("there is memory");
        })
        .with("plain", |data| zipped(data, |pairs| pairs.sort_by_key(|pair| pair.0)))
        .with("rayon", |data| zipped(data, |pairs| pairs.par_sort_by_key(|pair| pair.0)))
        .with_checked(
            "rdst",
            |data| zipped(data, |pairs| pairs.radix_sort_unstable()),
            move |data, (): &()| is_sorted(data),
        );
    Ok(Box::new(lineup))
}

fn descending(setup: &Setup, n: usize) -> Made {
    let data = Keys::<u32>::new(setup, n, 0)?;
    let order = |a: &u32, b: &u32| b.cmp(a);
    let mut want = slice(&data.given).to_vec();
    want.sort_by(order);
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("key", slice(&data.keys), &want))
        .before(Keys::put_back)
        .with("Spelt", move |data| {
            spelt::algorithms::sort_descending(&threads, &mut data.keys).expect("there is memory")
        })
        .with("plain", move |data| slice_mut(&mut data.keys).sort_unstable_by(order))
        .with("rayon", move |data| slice_mut(&mut data.keys).par_sort_unstable_by(order));
    Ok(Box::new(lineup))
}

/// The order goes into `values`.
fn argsort(setup: &Setup, n: usize) -> Made {
    let data = Keys::<u32>::new(setup, n, n)?;
    let mut want: Vec<u32> = (0..n as u32).collect();
    want.sort_by_key(|i| u32::key(*i as usize));
    let threads = setup.space.clone();
    let work = Work { bytes: 2 * n * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |data, (): &()| all_same("index", slice(&data.values), &want))
        .before(Keys::put_back)
        .with("Spelt", move |data| {
            spelt::algorithms::argsort(&threads, &data.keys, &mut data.values).expect("there is memory");
        })
        .with("plain", |data| {
            let keys = slice(&data.keys);
            slice_mut(&mut data.values).sort_by_key(|i| keys[*i as usize]);
        })
        .with("rayon", |data| {
            let keys = slice(&data.keys);
            slice_mut(&mut data.values).par_sort_by_key(|i| keys[*i as usize]);
        });
    Ok(Box::new(lineup))
}
