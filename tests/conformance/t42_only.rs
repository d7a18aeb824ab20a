//! Some parts of a View are written, and the others read, in one launch.

use spelt::prelude::*;
use spelt::{ErrorKind, Offsets};

use crate::spaces::every;
use crate::t13_teams::sizes;

/// Offsets of rows: empty ones, a gap before the first, one long.
const OFFSETS: [usize; 8] = [3, 3, 5, 9, 9, 200, 203, 240];
const ELEMENTS: usize = 250;

/// Intervals of rows to write: none, the first, the last, some, all.
const INTERVALS: [[usize; 2]; 6] = [[0, 0], [0, 1], [6, 7], [2, 5], [7, 7], [0, 7]];

/// The elements after each one of rows `first..end` has got 1000 times its row, and the sum of all numbers of other rows.
fn wanted(first: usize, end: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..ELEMENTS).collect();
    let row = |row: usize| OFFSETS[row]..OFFSETS[row + 1];
    let others: usize = (0..7).filter(|other| !(first..end).contains(other)).flat_map(row).sum();
    for own in first..end {
        row(own).for_each(|i| all[i] += 1000 * own + others);
    }
    all
}

every! { on_every_setting:
    fn rows_are_written_and_others_read(space, setting) {
        let map = View::from_vec("offsets", [8], OFFSETS.to_vec()).expect("memory");
        let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
        for [first, end] in INTERVALS {
            let mut y = space.view_from_fn("y", [ELEMENTS], |[i]| i).expect("memory");
            let args = y.by_segments_mut(&map).only(first..end);
            parallel_for("rows", setting.range(space, first..end), args, move |i, (mut own, others)| {
                assert_eq!(others.parts(), 7);
                let mut sum = 0;
                for row in 0..9_usize {
                    let readable = row < 7 && !(first..end).contains(&row);
                    assert_eq!((others.get(row).is_some(), others.slab(row).is_some()), (readable, readable));
                    sum += others.get(row).unwrap_or_default().iter().sum::<usize>();
                }
                // The slice is borrowed while the others are read.
                for element in &mut own[i] {
                    *element += 1000 * i.get() + sum;
                }
            }).expect("covered");
            assert_eq!(y.to_host().expect("memory").to_vec(), wanted(first, end), "rows {first}..{end}");
        }
    }

    fn slabs_of_blocks_are_written_and_others_read(space, setting) {
        for [first, end] in [[0, 0], [0, 1], [1, 3], [3, 4], [0, 4]] {
            let mut a = space.view_from_fn("a", [7, 3], |[i, j]| 10 * i + j).expect("memory");
            let args = a.by_blocks_mut(2).only(first..end);
            parallel_for("blocks", setting.range(space, first..end), args, move |b, (mut own, others)| {
                let sum: usize = (0..4).filter_map(|block: usize| others.slab(block)).map(|slab| slab[[0, 2]]).sum();
                let mut own = own.part_mut(b);
                for row in 0..own.extent(0) {
                    own[[row, 1]] = sum;
                }
            }).expect("covered");
            let sum: usize = (0..4).filter(|block| !(first..end).contains(block)).map(|block| 20 * block + 2).sum();
            let a = a.to_host().expect("memory");
            for ([i, j], element) in a.indexed_iter() {
                let written = j == 1 && (first..end).contains(&(i / 2));
                assert_eq!(*element, if written { sum } else { 10 * i + j }, "[{i}, {j}], blocks {first}..{end}");
            }
        }
    }

    fn teams_write_rows_and_read_others(space, _setting) {
        let map = View::from_vec("offsets", [8], OFFSETS.to_vec()).expect("memory");
        let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
        for size in sizes(space) {
            for [first, end] in INTERVALS {
                let mut y = space.view_from_fn("y", [ELEMENTS], |[i]| i).expect("memory");
                let args = y.by_segments_mut(&map).only(first..end).nested();
                let policy = space.team(7, size).of_ranks(first..end);
                parallel_for("rows", policy, args, move |team, (mut own, others)| {
                    let row = team.league_rank();
                    let read = |row: usize| others.get(row).unwrap_or_default().iter().sum::<usize>();
                    let sum: usize = (0..7).map(read).sum();
                    team.parallel_for(team.thread_range(own.len()), |rj| own[rj] += 1000 * row + sum);
                }).expect("covered");
                assert_eq!(y.to_host().expect("memory").to_vec(), wanted(first, end), "{size:?}, rows {first}..{end}");
            }
        }
    }

    fn launches_outside_the_interval_are_errors(space, _setting) {
        let map = View::from_vec("offsets", [4], vec![0_usize, 4, 4, 10]).expect("memory");
        let map = Offsets::new(map.to_space(space).expect("memory")).expect("rising");
        let mut y = space.zeros::<u32, 1>("my y", [10]).expect("memory");
        let message = |result: spelt::Result<()>| {
            let error = result.expect_err("not covered");
            assert_eq!(error.kind(), ErrorKind::Extents);
            error.to_string()
        };
        // The row before, the row after, an interval that ends beyond the rows, or before it begins.
        let falling = core::ops::Range { start: 2, end: 1 };
        for (only, range) in [(1..3, 0..3), (0..2, 0..3), (0..9, 0..4), (falling, 1..2)] {
            let segments = y.by_segments_mut(&map).only(only.clone());
            let run = parallel_for("k", space.range(range.clone()), segments, move |_, _| ());
            let (first, end) = (only.start, only.end.min(3));
            assert_eq!(message(run), format!("kernel `k`: view `my y`.by_segments_mut(..).only(..) with extents [10] does not cover the \
                indices [{range:?}]: it covers from [{first}] to [{end}]"));
            let nested = y.by_segments_mut(&map).only(only.clone()).nested();
            let run = parallel_for("k", space.team(4, AUTO).of_ranks(range.clone()), nested, move |_, _| ());
            assert!(message(run).contains(&format!("does not cover the league {range:?}")));


        }
        parallel_for("k", space.range(1..3), y.by_segments_mut(&map).only(1..3), move |_, _| ()).expect("covered");
        parallel_for("k", space.range(2..3), y.by_segments_mut(&map).only(1..9), move |_, _| ()).expect("covered");
    }
}
