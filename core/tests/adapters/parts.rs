//! Launches in parts: contiguous, each run by one thread, in order.

use std::sync::Mutex;
use std::thread::{ThreadId, current};

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{ExecutionSpace, HostSpace, Iterate, View, canonical, parallel_for, parallel_reduce};

use crate::on_all_spaces;

/// The threads and their iterations, in the order of execution.
type Log = Mutex<Vec<(ThreadId, usize)>>;

/// Checks that parts of `part_len` iterations each ran on one thread, and in order if `ordered`.
fn check_log(log: Log, n: usize, part_len: usize, ordered: bool) {
    let log = log.into_inner().unwrap();
    assert_eq!(log.len(), n);
    for part in 0..n.div_ceil(part_len) {
        let mine: Vec<_> = log.iter().filter(|(_, i)| i / part_len == part).collect();
        assert_eq!(mine.len(), part_len.min(n - part * part_len));
        assert!(mine.iter().all(|(thread, _)| *thread == mine[0].0), "part {part} moved between threads");
        assert!(
            !ordered || mine.windows(2).all(|pair| pair[0].1 < pair[1].1),
            "part {part} ran out of order"
        );
    }
}

#[test]
fn ranges_and_boxes_run_in_parts() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let n = 4000;
        let mut bins = View::<u8, 1>::zeros("bins", [1]).unwrap();
        let note = |log: &Log, i: usize| log.lock().unwrap().push((current().id(), i));
        let part_len = n / 8;

        let log = Log::default();
        parallel_for("range", space.range(0..n).chunk(3), bins.scatter().duplicated(8), |i, _| {
            note(&log, i.get())
        })
        .unwrap();
        check_log(log, n, part_len, true);

        let log = Log::default();
        let policy = space.md_range([0..80, 0..50]);
        parallel_for("box", policy, bins.scatter().duplicated(8), |i, _| {
            note(&log, i.get()[0] * 50 + i.get()[1])
        })
        .unwrap();
        check_log(log, n, part_len, true);

        let log = Log::default();
        let policy = space.md_range([0..50, 0..80]).iterate(Iterate::Left);
        parallel_for("left", policy, bins.scatter().duplicated(8), |i, _| {
            note(&log, i.get()[0] + 50 * i.get()[1])
        })
        .unwrap();
        check_log(log, n, part_len, true);

        // tiles of 10 x 10, numbered along rows of 5: the 40 of them in 8 parts of 5
        let log = Log::default();
        let policy = space.md_range([0..80, 0..50]).tile([10, 10]);
        parallel_for("tiles", policy, bins.scatter().duplicated(8), |i, _| {
            let [i, j] = i.get();
            note(&log, ((i / 10) * 5 + j / 10) * 100 + (i % 10) * 10 + j % 10);
        })
        .unwrap();
        check_log(log, n, part_len, true);
    }
    on_all_spaces!(check);
}

#[test]
fn reductions_run_in_parts_of_whole_tiles_whatever_the_threads() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let n = 40_000;
        let log = Log::default();
        let mut bins = View::<u8, 1>::zeros("bins", [1]).unwrap();
        let sum = parallel_reduce(
            "reduce",
            space.range(0..n).chunk(1),
            bins.scatter().duplicated(8),
            |i, sum, _| {
                log.lock().unwrap().push((current().id(), i.get()));
                *sum += 1;
            },
            Sum::<u32>::new(),
        )
        .unwrap();
        assert_eq!(sum, 40_000);
        let tile = canonical::tile_len(canonical::lanes(Sum::<u32>::LANE_BYTES));
        let tiles = n.div_ceil(tile);
        let unit = tiles.div_ceil(256).next_power_of_two();
        check_log(log, n, tiles.div_ceil(unit).div_ceil(8) * unit * tile, false);
    }
    on_all_spaces!(check);
}
