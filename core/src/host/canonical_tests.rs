//! Reductions and scans against their order written down literally, at every instruction set level, bit for bit.

use spelt_order::canonical::{lanes, run_len, scan_lanes, tile_len};
use spelt_reducers::{MaxLoc, Min, MinLoc, MinMaxLoc, Reducer, Sum};

use crate::isa::at_each_level;
use crate::{
    ExecutionSpace, Iterate, Serial, View, parallel_for, parallel_map_reduce, parallel_reduce, parallel_scan,
};

/// The expected result of `n` iterations of `update(i, value)`.
fn expected<R: Reducer>(reducer: &R, n: usize, update: &dyn Fn(usize, &mut R::Value)) -> R::Value {
    let lanes = lanes(R::LANE_BYTES);
    let tiles: Vec<_> =
        (0..n).step_by(tile_len(lanes)).map(|first| (first, tile_len(lanes).min(n - first))).collect();
    let tile = |&(first, len): &(usize, usize)| {
        let lane = |lane: usize| {
            let mut value = reducer.init();
            let run = run_len(len, lanes);
            let mine = |i: &usize| if R::COMMUTATIVE { i % lanes == lane } else { i / run == lane };
            (0..len).filter(mine).for_each(|i| update(first + i, &mut value));
            value
        };
        if R::COMMUTATIVE {
            let mut values: Vec<_> = (0..lanes).map(|l| (l < len).then(|| lane(l))).collect();
            let mut half = lanes / 2;
            while half > 0 {
                for l in 0..half {
                    if let (Some(other), Some(value)) = (values[l + half].take(), values[l].as_mut()) {
                        reducer.join(value, &other);
                    }
                }
                half /= 2;
            }
            values[0].take().unwrap()
        } else {
            pairwise(reducer, (0..len.div_ceil(run_len(len, lanes))).map(lane).collect())
        }
    };
    if n == 0 { reducer.init() } else { pairwise(reducer, tiles.iter().map(tile).collect()) }
}

/// Joins neighbours, level by level.
fn pairwise<R: Reducer>(reducer: &R, mut values: Vec<R::Value>) -> R::Value {
    while values.len() > 1 {
        let mut old = values.into_iter();
        values = Vec::new();
        while let Some(mut value) = old.next() {
            if let Some(other) = old.next() {
                reducer.join(&mut value, &other);
            }
            values.push(value);
        }
    }
    values.pop().unwrap()
}

/// The values that a scan of `n` iterations leaves behind, and its total.
fn scanned<R>(reducer: &R, n: usize, update: &dyn Fn(usize, &mut R::Value)) -> (Vec<R::Value>, R::Value)
where
    R: Reducer,
    R::Value: Clone,
{
    let joined = |parts: Vec<R::Value>| {
        parts.into_iter().reduce(|mut left, right| {
            reducer.join(&mut left, &right);
            left
        })
    };
    let width = scan_lanes::<R>();
    let (mut values, mut tiles) = (Vec::new(), Vec::new());
    for tile in (0..n).step_by(tile_len(width)) {
        let (mut blocks, mut rest) = (Vec::new(), &tiles[..]);
        while !rest.is_empty() {
            let (block, after) = rest.split_at(1 << rest.len().ilog2());
            blocks.push(pairwise(reducer, block.to_vec()));
            rest = after;
        }
        let before = joined(blocks);
        let mut rows = None;
        for row in (tile..n.min(tile + tile_len(width))).step_by(width) {
            let mut lanes = Vec::new();
            for i in row..n.min(row + width) {
                let earlier = (i > row).then(|| pairwise(reducer, lanes.clone()));
                let parts = [before.clone(), rows.clone(), earlier];
                let mut value =
                    joined(parts.into_iter().flatten().collect()).unwrap_or_else(|| reducer.init());
                update(i, &mut value);
                values.push(value);
                lanes.push(reducer.init());
                update(i, lanes.last_mut().unwrap());
            }
            rows = joined(rows.into_iter().chain([pairwise(reducer, lanes)]).collect());
        }
        tiles.extend(rows);
    }
    (values, if n == 0 { reducer.init() } else { pairwise(reducer, tiles) })
}

/// Lengths around the borders of rows, blocks of rows and tiles.
fn lengths() -> impl Iterator<Item = usize> {
    let tile = tile_len(32);
    let near = |n: usize| n.saturating_sub(1)..=n + 1;
    let rows = [8, 16, 32, 48, 64, 96, 128, 256, 1000];
    let tiles = [tile / 4, tile / 2, tile - 32, tile, 2 * tile, 3 * tile + 7, 5 * tile];
    rows.into_iter().flat_map(near).chain(0..8).chain(tiles.into_iter().flat_map(near))
}

/// Values whose sums round, with ties, both zeros, infinities and NaN among them.
fn value(i: usize) -> f64 {
    match i % 97 {
        13 => f64::NAN,
        29 => f64::INFINITY,
        31 => -0.0,
        37 => 0.0,
        _ => ((i * 7919) % 1009) as f64 / 7.0 - 60.0,
    }
}

/// Values without those that make a sum NaN.
fn tame(i: usize) -> f64 {
    ((i * 7919) % 1009) as f64 / 7.0 - 60.0
}

#[test]
fn sums_have_the_bits_of_the_canonical_order() {
    for n in lengths() {
        let x = View::from_fn("x", [n], |[i]| tame(i)).unwrap();
        let y = View::from_fn("y", [n], |[i]| tame(i + 500) / 3.0).unwrap();
        let z = View::from_fn("z", [n], |[i]| tame(i) as f32).unwrap();
        let (f64s, f32s) = (Sum::<f64>::new(), Sum::<f32>::new());
        let sum = expected(&f64s, n, &|i, sum| *sum += tame(i));
        let dot = expected(&f64s, n, &|i, sum| *sum += tame(i) * (tame(i + 500) / 3.0));
        let sum32 = expected(&f32s, n, &|i, sum| *sum += tame(i) as f32);
        let pairs = expected(&(f64s, f32s), n, &|i, sums| {
            sums.0 += tame(i);
            sums.1 += tame(i) as f32;
        });
        at_each_level(|level| {
            let range = || Serial.range(0..n);
            let found = parallel_reduce("sum", range(), &x, |i, sum, x| *sum += x[i], f64s).unwrap();
            assert_eq!(found.to_bits(), sum.to_bits(), "sum of {n} f64 at {level:?}");
            let found = parallel_reduce("dot", range(), (&x, &y), |i, sum, (x, y)| *sum += x[i] * y[i], f64s)
                .unwrap();
            assert_eq!(found.to_bits(), dot.to_bits(), "dot of {n} f64 at {level:?}");
            let found = parallel_map_reduce("dot", range(), (&x, &y), |i, (x, y)| x[i] * y[i], f64s).unwrap();
            assert_eq!(found.to_bits(), dot.to_bits(), "mapped dot of {n} f64 at {level:?}");
            let found = parallel_reduce("sum", range(), &z, |i, sum, z| *sum += z[i], f32s).unwrap();
            assert_eq!(found.to_bits(), sum32.to_bits(), "sum of {n} f32 at {level:?}");
            let both = (f64s, f32s);
            let found =
                parallel_map_reduce("pair", range(), (&x, &z), |i, (x, z)| (x[i], z[i]), both).unwrap();
            assert_eq!(found.0.to_bits(), pairs.0.to_bits(), "first of {n} pairs at {level:?}");
            assert_eq!(found.1.to_bits(), pairs.1.to_bits(), "second of {n} pairs at {level:?}");
        });
    }
}

#[test]
fn extrema_have_the_bits_of_the_canonical_order() {
    for n in lengths() {
        let x = View::from_fn("x", [n], |[i]| value(i)).unwrap();
        let z = View::from_fn("z", [n], |[i]| value(i) as f32).unwrap();
        let least = expected(&Min::<f64>::new(), n, &|i, least| *least = least.min(value(i)));
        let min = expected(&MinLoc::<f64>::new(), n, &|i, best| best.update(value(i), i));
        let max = expected(&MaxLoc::<f32>::new(), n, &|i, best| best.update(value(i) as f32, i));
        let ends = expected(&MinMaxLoc::<f64>::new(), n, &|i, best| best.update(value(i), i));
        let ends32 = expected(&MinMaxLoc::<f32>::new(), n, &|i, best| best.update(value(i) as f32, i));
        at_each_level(|level| {
            let range = || Serial.range(0..n);
            let found = parallel_reduce(
                "min",
                range(),
                &x,
                |i, least, x| {
                    if x[i] < *least {
                        *least = x[i];
                    }
                },
                Min::<f64>::new(),
            );
            assert_eq!(found.unwrap(), least, "least of {n} f64 at {level:?}");
            let update = MinLoc::<f64>::new();
            let found =
                parallel_reduce("min", range(), &x, |i, best, x| best.update(x[i], i.get()), update).unwrap();
            assert_eq!(
                (found.val.to_bits(), found.loc),
                (min.val.to_bits(), min.loc),
                "{n} f64 at {level:?}"
            );
            let update = MaxLoc::<f32>::new();
            let found =
                parallel_reduce("max", range(), &z, |i, best, z| best.update(z[i], i.get()), update).unwrap();
            assert_eq!(
                (found.val.to_bits(), found.loc),
                (max.val.to_bits(), max.loc),
                "{n} f32 at {level:?}"
            );
            let update = MinMaxLoc::<f64>::new();
            let found = parallel_reduce("ends", range(), &x, |i, best, x| best.update(x[i], i.get()), update)
                .unwrap();
            assert_eq!(found, ends, "both ends of {n} f64 at {level:?}");
            let update = MinMaxLoc::<f32>::new();
            let found = parallel_reduce("ends", range(), &z, |i, best, z| best.update(z[i], i.get()), update)
                .unwrap();
            assert_eq!(found, ends32, "both ends of {n} f32 at {level:?}");
        });
    }
}

/// Joins affine maps, which do not commute: `(a, b)` stands for `x -> a x + b`.
struct Compose;

impl Reducer for Compose {
    type Value = (u64, u64);
    type Output = (u64, u64);

    const COMMUTATIVE: bool = false;

    fn init(&self) -> (u64, u64) {
        (1, 0)
    }
    fn join(&self, into: &mut (u64, u64), from: &(u64, u64)) {
        *into = (into.0.wrapping_mul(from.0), into.1.wrapping_mul(from.0).wrapping_add(from.1));
    }
    fn finish(&self, value: (u64, u64)) -> (u64, u64) {
        value
    }
}

#[test]
fn values_that_do_not_commute_join_in_index_order() {
    for n in lengths() {
        let map = |i: usize| (2 * (i as u64) + 1, i as u64);
        let wanted = expected(&Compose, n, &|i, value| Compose.join(value, &map(i)));
        let mut in_order = Compose.init();
        (0..n).for_each(|i| Compose.join(&mut in_order, &map(i)));
        assert_eq!(wanted, in_order);
        at_each_level(|level| {
            let found = parallel_map_reduce("compose", Serial.range(0..n), (), |i, ()| map(i.get()), Compose);
            assert_eq!(found.unwrap(), wanted, "{n} maps at {level:?}");
        });
    }
}

/// Joins whose order and grouping show, and an identity that shows where it is joined.
#[cfg(feature = "threads")]
struct Grouped;

#[cfg(feature = "threads")]
impl Reducer for Grouped {
    type Value = u64;
    type Output = u64;

    const COMMUTATIVE: bool = false;

    fn init(&self) -> u64 {
        1
    }
    fn join(&self, into: &mut u64, from: &u64) {
        *into = into.rotate_left(5).wrapping_mul(31) ^ from;
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

/// Few iterations and a short chunk: each lane of a tile is a separate unit.
#[cfg(feature = "threads")]
#[test]
fn lanes_that_threads_share_out_join_as_in_a_tile() {
    let space = crate::Threads::builder().num_threads(2).build().unwrap();
    let next = |i: usize, value: &mut u64| *value = value.wrapping_mul(3) ^ i as u64;
    for n in [1, 2, 31, 32, 33, 65, 100, tile_len(32), tile_len(32) + 33] {
        let found = parallel_reduce(
            "grouped",
            space.range(0..n).chunk(1),
            (),
            |i, value, ()| next(i.get(), value),
            Grouped,
        );
        assert_eq!(found.unwrap(), expected(&Grouped, n, &next), "{n} iterations");
    }
}

/// The lanes of a stopped tile continue from their values, no matter when the launch opens.
#[cfg(feature = "threads")]
#[test]
fn a_launch_that_opens_has_the_bits_of_one_that_does_not() {
    use super::opening::tests::opening_after;

    let next = |i: usize, value: &mut u64| *value = value.wrapping_mul(3) ^ i as u64;
    for threads in [1, 2, 3] {
        let space = crate::Threads::builder().num_threads(threads).build().unwrap();
        for n in [1, 2, 31, 32, 33, 65, 100, 600, tile_len(32), tile_len(32) + 33, 8191, 8192, 20_000] {
            let x = View::from_fn("x", [n], |[i]| tame(i)).unwrap();
            let sum = expected(&Sum::<f64>::new(), n, &|i, sum| *sum += tame(i));
            let ends = expected(&MinMaxLoc::<f64>::new(), n, &|i, ends| ends.update(tame(i), i));
            let long = expected(&Sum::<[f64; 9]>::new(), n, &|i, sum| sum[i % 9] += tame(i));
            let grouped = expected(&Grouped, n, &next);
            for looks in [0, 1, 2, 3, 5, 8, 13, 21] {
                opening_after(looks, || {
                    let range = || space.range(0..n);
                    let found =
                        parallel_reduce("sum", range(), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new());
                    assert_eq!(found.unwrap().to_bits(), sum.to_bits(), "{n} iterations, {looks} looks");
                    let best = MinMaxLoc::<f64>::new();
                    let found =
                        parallel_reduce("ends", range(), &x, |i, ends, x| ends.update(x[i], i.get()), best);
                    assert_eq!(found.unwrap(), ends, "{n} iterations, {looks} looks");
                    let nine = Sum::<[f64; 9]>::new();
                    let found =
                        parallel_reduce("nine", range(), &x, |i, sum, x| sum[i.get() % 9] += x[i], nine);
                    assert_eq!(found.unwrap(), long, "{n} iterations, {looks} looks");
                    let found = parallel_reduce("grouped", range(), (), |i, v, ()| next(i.get(), v), Grouped);
                    assert_eq!(found.unwrap(), grouped, "{n} iterations, {looks} looks");
                });
            }
        }
    }
}

/// Each iteration runs once, no matter when the launch opens.
#[cfg(feature = "threads")]
#[test]
fn a_loop_that_opens_leaves_no_iteration_out() {
    use super::opening::tests::opening_after;

    let space = crate::Threads::builder().num_threads(2).build().unwrap();
    for (rows, columns) in [(1, 1), (1, 2), (3, 5), (8, 8), (10, 100), (63, 130), (64, 300)] {
        for looks in [0, 1, 2, 3, 5, 8, 13, 21] {
            opening_after(looks, || {
                let mut line = View::<usize, 1>::zeros("line", [rows * columns]).unwrap();
                let mut table = View::<usize, 2>::zeros("table", [rows, columns]).unwrap();
                let range = || space.md_range([0..rows, 0..columns]);
                parallel_for("line", space.range(0..rows * columns), &mut line, |i, mut y| y[i] += 1)
                    .unwrap();
                assert!(line.iter().all(|count| *count == 1), "{rows} by {columns}, {looks} looks");
                parallel_for("box", range(), &mut table, |i, mut y| y[i] += 1).unwrap();
                parallel_for("left", range().iterate(Iterate::Left), &mut table, |i, mut y| y[i] += 1)
                    .unwrap();
                parallel_for("tiles", range().tile([2, 3]), &mut table, |i, mut y| y[i] += 1).unwrap();
                assert!(table.iter().all(|count| *count == 3), "{rows} by {columns}, {looks} looks");
            });
        }
    }
}

#[test]
fn scans_have_the_bits_of_the_canonical_order() {
    for n in lengths() {
        let x = View::from_fn("x", [n], |[i]| tame(i)).unwrap();
        let sums = Sum::<f64>::new();
        let (values, total) = scanned(&sums, n, &|i, sum| *sum += tame(i));
        at_each_level(|level| {
            let mut y = View::<f64, 1>::zeros("y", [n]).unwrap();
            let found = parallel_scan(
                "sum",
                Serial.range(0..n),
                (&x, &mut y),
                |i, sum, last, (x, mut y)| {
                    *sum += x[i];
                    if last {
                        y[i] = *sum;
                    }
                },
                sums,
            );
            assert_eq!(found.unwrap().to_bits(), total.to_bits(), "total of {n} at {level:?}");
            let same = y.iter().zip(&values).all(|(found, value)| found.to_bits() == value.to_bits());
            assert!(same, "prefixes of {n} at {level:?}");
        });
    }
}

#[test]
fn exact_scans_of_boxes_go_along_their_lines() {
    for [rows, columns] in [[1, 1], [5, 1], [3, 7], [700, 7], [2, 2048]] {
        let mut y = View::<u64, 2>::zeros("y", [rows, columns]).unwrap();
        let range = Serial.md_range([0..rows, 0..columns]);
        parallel_scan(
            "count",
            range,
            &mut y,
            |i, count, last, mut y| {
                *count += 1;
                if last {
                    y[i] = *count;
                }
            },
            Sum::<u64>::new(),
        )
        .unwrap();
        assert!(y.iter().zip(1..).all(|(count, number)| *count == number), "{rows} rows of {columns}");
    }
}

#[test]
fn a_box_has_the_bits_of_its_linearised_indices() {
    for [rows, columns] in [[1, 1], [3, 7], [700, 7], [40, 100], [33, 32], [5, 1000], [3, 2048], [9, 300]] {
        let x = View::from_fn("x", [rows, columns], |[i, j]| tame(i * columns + j)).unwrap();
        let sum = expected(&Sum::<f64>::new(), rows * columns, &|i, sum| *sum += tame(i));
        at_each_level(|level| {
            let range = Serial.md_range([0..rows, 0..columns]);
            let found =
                parallel_reduce("sum", range, &x, |i, sum, x| *sum += x[i], Sum::<f64>::new()).unwrap();
            assert_eq!(found.to_bits(), sum.to_bits(), "{rows} rows of {columns} at {level:?}");
        });
    }
}
