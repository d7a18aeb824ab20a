//! Search in sorted keys, and whether they are.

use rayon::prelude::*;
use spelt::algorithms::{equal_range_of, is_sorted, is_sorted_until, lower_bound, upper_bound};
use spelt::prelude::*;

use super::{SIZES, all_same, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::same;
use crate::setup::{Setup, slice, slice_mut};

pub(super) const CASE: Case = Case {
    name: "search",
    hypothesis: "As many random needles of u32 as there are sorted keys. Each search is a chain of log n fetches, which \
        caches answer: half of the time of a plain loop over partition_point, level with rayon's. A single search is a \
        launch beside some tens of nanoseconds: ten times partition_point. Sorted keys are read once, in vectors: level \
        with reading where memory decides, ahead of rayon's windows.",
    size: "n",
    variants: &[
        Variant { name: "lower_bound", width: 1, sizes: SIZES, race: bounds::<false> },
        Variant { name: "upper_bound", width: 1, sizes: SIZES, race: bounds::<true> },
        Variant { name: "one needle", width: 1, sizes: SIZES, race: one },
        Variant { name: "is_sorted", width: 1, sizes: SIZES, race: sorted },
        Variant { name: "is_sorted_until", width: 1, sizes: SIZES, race: sorted_until },
    ],
};

struct Data {
    sorted: View<u32, 1>,
    needles: View<u32, 1>,
    positions: View<usize, 1>,
}

fn keys(setup: &Setup, n: usize) -> Result<View<u32, 1>, String> {
    let mut keys = setup.view("sorted", [n], |[i]| random(i) as u32)?;
    slice_mut(&mut keys).par_sort_unstable();
    Ok(keys)
}

fn place<const UPPER: bool>(sorted: &[u32], needle: u32) -> usize {
    sorted.partition_point(|key| if UPPER { *key <= needle } else { *key < needle })
}

fn bounds<const UPPER: bool>(setup: &Setup, n: usize) -> Made {
    let sorted = keys(setup, n)?;
    // Every second needle is a key.
    let needle = |[i]: [usize; 1]| {
        let bits = random(i + n);
        if i.is_multiple_of(2) { slice(&sorted)[(bits % n as u64) as usize] } else { bits as u32 }
    };
    let needles = setup.view("needles", [n], needle)?;
    let want: Vec<usize> =
        slice(&needles).iter().map(|needle| place::<UPPER>(slice(&sorted), *needle)).collect();
    let data = Data { sorted, needles, positions: setup.view("positions", [n], |_| 0)? };
    let threads = setup.space.clone();
    let work = Work { bytes: n * (2 * size_of::<u32>() + size_of::<usize>()), elements: n };
    let check = move |data: &Data, (): &()| all_same("position", slice(&data.positions), &want);
    let lineup = Lineup::new(data, work, check)
        .reset(|data| slice_mut(&mut data.positions).fill(usize::MAX))
        .with("Spelt", move |data| {
            let (sorted, needles, positions) = (&data.sorted, &data.needles, &mut data.positions);
            if UPPER {
                upper_bound(&threads, sorted, needles, positions)
            } else {
                lower_bound(&threads, sorted, needles, positions)
            }
            .expect("there are as many positions as needles");
        })
        .with("plain", |data| {
            let (sorted, needles) = (slice(&data.sorted), slice(&data.needles));
            let positions = slice_mut(&mut data.positions).iter_mut().zip(needles);
            positions.for_each(|(position, needle)| *position = place::<UPPER>(sorted, *needle));
        })
        .with("rayon", |data| {
            let (sorted, needles) = (slice(&data.sorted), slice(&data.needles));
            let positions = slice_mut(&mut data.positions).par_iter_mut().zip(needles);
            positions.for_each(|(position, needle)| *position = place::<UPPER>(sorted, *needle));
        })
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(&data.sorted))));
            core::hint::black_box(limit.read(words(slice(&data.needles))));
        });
    Ok(Box::new(lineup))
}

fn one(setup: &Setup, n: usize) -> Made {
    let data = keys(setup, n)?;
    let needle = slice(&data)[n / 3];
    let want = (place::<false>(slice(&data), needle), place::<true>(slice(&data), needle));
    let threads = setup.space.clone();
    let check = move |_: &View<u32, 1>, found: &(usize, usize)| same("the range", *found, want);
    let lineup = Lineup::new(data, Work { bytes: 0, elements: 1 }, check)
        .with("Spelt", move |data| {
            let found = equal_range_of(&threads, &*data, needle).expect("nothing fails on a host");
            (found.start, found.end)
        })
        .with("plain", move |data| (place::<false>(slice(data), needle), place::<true>(slice(data), needle)));
    Ok(Box::new(lineup))
}

fn sorted(setup: &Setup, n: usize) -> Made {
    let data = keys(setup, n)?;
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, |_, sorted: &bool| same("whether they are sorted", *sorted, true))
        .with("Spelt", move |data| is_sorted(&threads, &*data).expect("nothing fails on a host"))
        .with("plain", |data| slice(data).is_sorted())
        .with("rayon", |data| slice(data).par_windows(2).all(|pair| pair[0] <= pair[1]))
        .with_read(&setup.limit, |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            true
        });
    Ok(Box::new(lineup))
}

fn sorted_until(setup: &Setup, n: usize) -> Made {
    let mut data = keys(setup, n)?;
    // Only the last key is out of order, so that all must be compared.
    slice_mut(&mut data)[n - 1] = 0;
    let descent = |pair: &[u32]| pair[0] > pair[1];
    let threads = setup.space.clone();
    let work = Work { bytes: n * size_of::<u32>(), elements: n };
    let lineup = Lineup::new(data, work, move |_, until: &usize| same("the end", *until, n - 1))
        .with("Spelt", move |data| is_sorted_until(&threads, &*data).expect("nothing fails on a host"))
        .with("plain", move |data| slice(data).windows(2).position(descent).map_or(n, |i| i + 1))
        .with("rayon", move |data| slice(data).par_windows(2).position_first(descent).map_or(n, |i| i + 1))
        .with_read(&setup.limit, move |limit, data| {
            core::hint::black_box(limit.read(words(slice(data))));
            n - 1
        });
    Ok(Box::new(lineup))
}
