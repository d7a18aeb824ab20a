//! Maps with keys of 64 bits and values of 32: n keys inserted and found.

use spelt::containers::UnorderedMap;
use spelt::prelude::*;
use spelt::reducers::Min;

use super::SIZES;
use crate::cases::algorithms::random;
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::same;
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "map",
    hypothesis: "A bucket is a line of cache, so that an insertion and a search miss the cache twice, for the keys and for the value; Kokkos's list of a \
        bucket takes a miss for its head, and one each for the key, the link and the value: from 1e6 keys on half of its time. In cache the atomic \
        operations decide, and Spelt counts its keys in a second pass: the same time. Kokkos's maps are new for each call, or cleared, \
        which spares the memory.",
    size: "n",
    variants: &[
        Variant { name: "insert", width: 1, sizes: SIZES, race: insert },
        Variant { name: "find", width: 1, sizes: SIZES, race: find::<true> },
        Variant { name: "miss", width: 1, sizes: SIZES, race: find::<false> },
    ],
};

struct Data {
    keys: View<u64, 1>,
    map: UnorderedMap<u64, u32>,
}

/// Keys from number `first` on, and a map without any.
fn data(setup: &Setup, first: usize, n: usize) -> Result<Data, String> {
    let map = UnorderedMap::with_capacity(&setup.space, "map", n).map_err(|error| error.to_string())?;
    Ok(Data { keys: setup.view("keys", [n], |[i]| random(first + i))?, map })
}

/// Inserts all keys, of which each has its place as the value.
fn insert_all(space: &Threads, data: &mut Data) {
    let Data { keys, map } = data;
    map.insert(space, Min::new(), |map| {
        parallel_for("map insert", space.range(0..keys.len()), (&*keys, map), |i, (keys, map)| {
            map.insert(keys[i], i.get() as u32);
        })
    })
    .expect("there is room");
}

fn insert(setup: &Setup, n: usize) -> Made {
    let space = setup.space.clone();
    let work = Work { bytes: 20 * n, elements: n };
    let check = move |data: &Data, (): &()| {
        same("the number of keys", data.map.len(), n)?;
        same("a value", data.map.get(random(n / 2)), Some(n as u32 / 2))
    };
    let lineup = Lineup::new(data(setup, 0, n)?, work, check)
        .with("Spelt", move |data| {
            data.map = UnorderedMap::with_capacity(&space, "map", n).expect("there is memory");
            insert_all(&space, data);
        })
        .with_remote("Kokkos", setup.peer("map_insert", "f64", n))
        .with_remote("Kokkos cleared", setup.peer("map_insert_cleared", "f64", n));
    Ok(Box::new(lineup))
}

fn find<const THERE: bool>(setup: &Setup, n: usize) -> Made {
    let space = setup.space.clone();
    let mut full = data(setup, 0, n)?;
    insert_all(&space, &mut full);
    if !THERE {
        full.keys = setup.view("others", [n], |[i]| random(n + i))?;
    }
    let work = Work { bytes: 20 * n, elements: n };
    let want = if THERE { n as u64 * (n as u64).saturating_sub(1) / 2 } else { 0 };
    let name = if THERE { "map_find" } else { "map_miss" };
    let lineup = Lineup::new(full, work, move |_: &Data, sum: &u64| same("the sum of values", *sum, want))
        .with("Spelt", move |data| {
            let args = (&data.keys, &data.map);
            parallel_map_reduce(
                "map find",
                space.range(0..data.keys.len()),
                args,
                |i, (keys, map)| map.find(keys[i]).map_or(0, u64::from),
                Sum::<u64>::new(),
            )
            .expect("the keys cover the range")
        })
        .with_remote("Kokkos", setup.peer(name, "f64", n));
    Ok(Box::new(lineup))
}
