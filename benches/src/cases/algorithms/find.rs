//! The first element of a kind, early, in the middle and nowhere.

use rayon::prelude::*;
use spelt::algorithms::find_if;
use spelt::prelude::*;

use super::{SIZES, fraction};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

/// Elements that rayon's contender tests without a look at the other threads. Unit: elements. Source: the parts of `find_if`.
const CHUNK: usize = 1024;

pub(super) const CASE: Case = Case {
    name: "find",
    hypothesis: "f32, of which one at 1 %, at 50 % or none is sought. A plain loop tests one element after the other; \
        groups of 64 are tested in vectors: at most a third of its time in cache, and close to reading in memory. What \
        lies behind the place is not read, so that 1 % of 1e7 takes a hundredth of the whole and the start of the \
        second thread. Rayon's position_first asks before each element whether another thread has found one, which \
        chunks avoid; it cuts by halves, so that the second thread's half lies behind the place.",
    size: "n",
    variants: &[
        Variant { name: "at 1 %", width: 1, sizes: SIZES, race: early },
        Variant { name: "at 50 %", width: 1, sizes: SIZES, race: middle },
        Variant { name: "none", width: 1, sizes: SIZES, race: nowhere },
    ],
};

fn early(setup: &Setup, n: usize) -> Made {
    race(setup, n, n / 100)
}

fn middle(setup: &Setup, n: usize) -> Made {
    race(setup, n, n / 2)
}

fn nowhere(setup: &Setup, n: usize) -> Made {
    race(setup, n, n)
}

fn race(setup: &Setup, n: usize, place: usize) -> Made {
    let data: View<f32, 1> = setup.view("x", [n], |[i]| fraction(i) + if i == place { 2.0 } else { 0.0 })?;
    let is = |x: &f32| *x >= 2.0;
    let want = (place < n).then_some(place);
    let threads = setup.space.clone();
    let work = Work { bytes: place * size_of::<f32>(), elements: place };
    let check = move |_: &View<f32, 1>, found: &Option<usize>| match *found == want {
        true => Ok(()),
        false => Err(format!("the place is {found:?}, not {want:?}")),
    };
    let lineup = Lineup::new(data, work, check)
        .with("Spelt", move |data| find_if(&threads, &*data, is).expect("a search"))
        .with("plain", move |data| slice(data).iter().position(is))
        .with("rayon", move |data| slice(data).par_iter().position_first(is))
        .with("rayon chunks", move |data| {
            let chunks = slice(data).par_chunks(CHUNK).enumerate();
            chunks.find_map_first(|(number, chunk)| chunk.iter().position(is).map(|k| number * CHUNK + k))
        })
        .with_read(&setup.limit, move |limit, data| {
            core::hint::black_box(limit.read(&slice(data)[..place]));
            want
        });
    Ok(Box::new(lineup))
}
