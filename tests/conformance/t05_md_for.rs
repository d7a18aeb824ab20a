//! `parallel_for` over boxes of rank 1 to 8: every index once, however it is cut into tiles.

use spelt::prelude::*;
use spelt::{ErrorKind, ExecutionSpace};

use crate::spaces::{Setting, every};

/// Runs a box and counts the calls for each index.
fn covers<S: ExecutionSpace, const R: usize>(
    space: &S,
    setting: &Setting,
    begin: [usize; R],
    extents: [usize; R],
    tile: Option<[usize; R]>,
    iterate: Iterate,
) {
    let mut calls = space.zeros::<u32, 1>("calls", [extents.iter().product()]).expect("memory");
    let ranges = std::array::from_fn(|d| begin[d]..begin[d] + extents[d]);
    let mut policy = setting.md_range(space, ranges).iterate(iterate);
    if let Some(tile) = tile {
        policy = policy.tile(tile);
    }
    parallel_for("cover", policy, calls.atomic(), move |i, calls| {
        let index = i.index();
        let place = (0..R).fold(0, |place, d| {
            assert!((begin[d]..begin[d] + extents[d]).contains(&index[d]), "outside the box");
            place * extents[d] + (index[d] - begin[d])
        });
        calls.add(place, 1);
    })
    .expect("nothing can fail");
    let calls = calls.to_host().expect("memory").to_vec();
    assert!(
        calls.iter().all(|&calls| calls == 1),
        "from {begin:?}, extents {extents:?}, tile {tile:?}, {iterate:?}: {:?}",
        calls.iter().position(|&calls| calls != 1)
    );
}

/// Every kind of tile: automatic, given, dividing and not, larger than the box, whole dimensions, absurd.
fn every_tile<S: ExecutionSpace, const R: usize>(
    space: &S,
    setting: &Setting,
    begin: [usize; R],
    extents: [usize; R],
) {
    for iterate in [Iterate::Left, Iterate::Right] {
        covers(space, setting, begin, extents, None, iterate);
        let tiles: [[usize; R]; 6] = [
            [1; R],
            std::array::from_fn(|d| 2 + d),
            extents,
            extents.map(|extent| extent + 3),
            std::array::from_fn(|d| if d == R - 1 { 0 } else { 2 }),
            [usize::MAX; R],
        ];
        for tile in tiles {
            covers(space, setting, begin, extents, Some(tile), iterate);
        }
    }
}

every! { on_every_space:
    fn every_index_of_a_box_runs_once(space, setting) {
        every_tile(space, setting, [3], [100]);
        every_tile(space, setting, [0, 5], [13, 17]);
        every_tile(space, setting, [1, 0, 2], [5, 7, 6]);
        every_tile(space, setting, [0, 1, 0, 1], [3, 4, 2, 5]);
        every_tile(space, setting, [0, 0, 4, 0, 1], [2, 3, 1, 4, 3]);
        every_tile(space, setting, [1, 0, 1, 0, 1, 0], [2, 1, 3, 2, 2, 3]);
        every_tile(space, setting, [1, 0, 1, 0, 1, 0, 2], [2, 1, 3, 2, 1, 2, 3]);
        every_tile(space, setting, [1, 0, 1, 0, 1, 0, 2, 1], [2, 1, 2, 2, 1, 3, 1, 2]);
        covers(space, setting, [1, 2], [100, 101], None, Iterate::Right);
        covers(space, setting, [1, 2], [100, 101], None, Iterate::Left);
    }

    fn boxes_at_the_end_of_the_numbers(space, setting) {
        let top = u32::MAX as usize;
        for begin in [top - 5, top + 1, usize::MAX - 40] {
            every_tile(space, setting, [begin, 3], [20, 9]);
            every_tile(space, setting, [3, begin], [9, 20]);
            every_tile(space, setting, [begin, begin, begin], [4, 5, 6]);
        }
    }

    fn empty_boxes_call_nothing(space, setting) {
        for ranges in [[0..0, 0..5], [0..5, 0..0], [7..7, 9..9], [0..5, std::ops::Range { start: 5, end: 4 }]] {
            for tile in [None, Some([2, 2]), Some([0, 0])] {
                let policy = setting.md_range(space, ranges.clone());
                let policy = if let Some(tile) = tile { policy.tile(tile) } else { policy };
                parallel_for("empty", policy.clone(), (), |_, ()| panic!("called")).expect("empty");
                let sum = parallel_reduce("empty", policy.clone(), (), |_, _, ()| panic!("called"),
                    Finish::new(Sum::<i32>::new(), |sum| sum + 9)).expect("empty");
                let total = parallel_scan("empty", policy, (), |_, _, _, ()| panic!("called"),
                    Sum::<i32>::new()).expect("empty");
                assert_eq!((sum, total), (9, 0));
            }
        }
    }

    fn boxes_that_cannot_be_counted_are_errors(space, setting) {
        let half = 1_usize << 33;
        let policy = || setting.md_range(space, [0..half, 0..half]);
        let mut errors = vec![
            parallel_for("count", policy(), (), |_, ()| panic!("called")).expect_err("too many"),
            parallel_for("count", policy().tile([4, 4]), (), |_, ()| panic!("called")).expect_err("too many"),
            parallel_for("count", space.md_range([(); 8].map(|()| 0..usize::MAX)), (), |_, ()| panic!("called"))
                .expect_err("too many"),
        ];
        errors.push(parallel_reduce("count", policy(), (), |_, _, ()| panic!("called"), Sum::<u8>::new())
            .expect_err("too many"));
        errors.push(parallel_scan("count", policy(), (), |_, _, _, ()| panic!("called"), Sum::<u8>::new())
            .expect_err("too many"));
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::Overflow);
            assert_eq!(error.kernel(), Some("count"));
            assert!(error.to_string().contains("count"), "{error}");
        }
    }
}

every! { on_every_setting:
    fn a_box_writes_its_own_part(space, setting) {
        let extents = [40, 300];
        for iterate in [Iterate::Left, Iterate::Right] {
            for tile in [[0, 0], [8, 16], [7, 11]] {
                let mut y = space.zeros::<usize, 2>("y", extents).expect("memory");
                let policy = setting.md_range(space, [2..39, 10..290]).iterate(iterate).tile(tile);
                parallel_for("part", policy, &mut y, |i, mut y| {
                    let [row, column] = i.get();
                    y[i] += 1000 * row + column;
                }).expect("covered");
                let y = y.to_host().expect("memory");
                for row in 0..40 {
                    for column in 0..300 {
                        let inside = (2..39).contains(&row) && (10..290).contains(&column);
                        assert_eq!(y[[row, column]], if inside { 1000 * row + column } else { 0 });
                    }
                }
            }
        }
    }
}
