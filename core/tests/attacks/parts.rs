//! Attacks on blocks and segments, in safe code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt_core::{ErrorKind, ExecutionSpace, KernelArgs, Offsets, Serial, View, parallel_for};

use crate::{panic_text, two_threads};

fn offsets(offsets: &[usize]) -> spelt_core::Result<Offsets> {
    Offsets::new(View::from_vec("offsets", [offsets.len()], offsets.to_vec())?)
}

/// Segments that overlap: each lies in the View by itself.
#[test]
fn offsets_that_fall_are_refused() {
    for (wrong, at) in
        [(&[0, 5, 2, 7][..], "position 2"), (&[1, 0], "position 1"), (&[0, 3, 3, 9, 8], "position 4")]
    {
        let error = offsets(wrong).expect_err("they fall");
        assert_eq!(error.kind(), ErrorKind::Format);
        assert!(error.to_string().contains(at), "{error}");
    }
    let error = offsets(&[0, 5, 2, 7]).expect_err("they fall");
    assert_eq!(
        error.to_string(),
        "offsets in view `offsets`: offset 2 at position 2 is below offset 5 at position 1: offsets must not decrease"
    );
}

/// An offset near the largest number must not wrap around.
#[test]
fn offsets_beyond_the_view_cover_nothing() {
    for end in [4, usize::MAX / 8, usize::MAX] {
        let offsets = offsets(&[0, 2, end]).expect("they rise");
        let mut y = View::<u8, 1>::zeros("y", [3]).expect("memory");
        for end in [1, 2] {
            let run =
                parallel_for("k", Serial::new().range(0..end), y.by_segments_mut(&offsets), |s, mut y| {
                    y[s].fill(1)
                });
            assert_eq!(run.expect_err("not covered").kind(), ErrorKind::Extents);
        }
        parallel_for("k", Serial::new().range(0..0), (), |_, ()| ()).expect("nothing runs");
        assert_eq!(y.to_vec(), [0, 0, 0]);
        parallel_for("k", Serial::new().range(0..0), y.by_segments(&offsets), |_, _| ())
            .expect("nothing runs");
        parallel_for("k", Serial::new().team(1, 1), y.by_segments(&offsets), |_, _| ())
            .expect_err("not covered");
        // No part can be read by number either, in a launch of another rank, which covers no witness of a part.
        let runs = AtomicUsize::new(0);
        parallel_for("k", Serial::new().md_range([0..1, 0..1]), y.by_segments(&offsets), |_, y| {
            assert_eq!((y.parts(), y.get(0)), (0, None));
            runs.fetch_add(1, Relaxed);
        })
        .expect("it is not indexed");
        assert_eq!(runs.into_inner(), 1);
    }
}

#[test]
fn blocks_of_nothing_are_refused() {
    let mut y = View::<u8, 1>::zeros("y", [3]).expect("memory");
    assert_eq!(panic_text(|| _ = y.by_blocks_mut(0)), "blocks of 0 indices: a block has at least one");
    assert_eq!(panic_text(|| _ = y.by_blocks(0)), "blocks of 0 indices: a block has at least one");
}

/// A device would neither wait for memory that no argument describes nor keep it until the kernel has ended.
#[test]
fn offsets_are_described_as_well() {
    fn described<A: KernelArgs>(args: &A) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        A::describe(args, &mut |description| {
            assert!(description.allocation.is_some());
            found.push((description.label, description.writes));
        });
        found
    }
    let offsets = offsets(&[0, 1, 3]).expect("they rise");
    let mut y = View::<u8, 1>::zeros("y", [3]).expect("memory");
    assert_eq!(described(&y.by_segments(&offsets)), [("y", false), ("offsets", false)]);
    assert_eq!(described(&y.by_segments(&offsets).nested()), [("y", false), ("offsets", false)]);
    assert_eq!(described(&y.by_segments_mut(&offsets)), [("y", true), ("offsets", false)]);
    assert_eq!(described(&y.by_segments_mut(&offsets).nested()), [("y", true), ("offsets", false)]);
    assert_eq!(described(&y.by_blocks_mut(2)), [("y", true)]);
}

/// Each accessor carries its own division.
#[test]
fn accessors_of_different_divisions_can_be_swapped() {
    let (short, long) = (offsets(&[0, 1, 2]).expect("they rise"), offsets(&[0, 3, 8]).expect("they rise"));
    let mut y = View::<u8, 1>::zeros("y", [2]).expect("memory");
    let mut z = View::<u8, 1>::zeros("z", [8]).expect("memory");
    let args = (y.by_segments_mut(&short), z.by_segments_mut(&long));
    parallel_for("swap", two_threads().range(0..2), args, |s, (mut y, mut z)| {
        core::mem::swap(&mut y, &mut z);
        y[s].fill(1);
        z[s].fill(2);
    })
    .expect("covered");
    assert_eq!((y.to_vec(), z.to_vec()), (vec![2; 2], vec![1; 8]));
    let mut swapped = |end: usize| {
        let args = (y.by_segments_mut(&short).nested(), z.by_segments_mut(&long).nested());
        parallel_for("swap", Serial::new().team(2, 1), args, |team, (mut y, mut z)| {
            core::mem::swap(&mut y, &mut z);
            team.parallel_for(team.thread_range(0..end), |rj| {
                y[rj] += 10;
                z[rj] += 20;
            });
        })
        .expect("covered");
    };
    swapped(1);
    catch_unwind(AssertUnwindSafe(|| swapped(2))).expect_err("the segments of `y` have one element");
    assert_eq!((y.to_vec(), z.to_vec()), (vec![22; 2], vec![11, 1, 1, 11, 1, 1, 1, 1]));
}

/// As `a_reference_kept_for_a_later_loop_is_alone`, for pairs on a View of rank 1.
#[test]
fn a_reference_into_a_block_kept_for_a_later_loop_is_alone() {
    let mut a = View::<u64, 1>::zeros("a", [65]).expect("memory");
    let changed = AtomicUsize::new(0);
    parallel_for("kept", two_threads().team(1, 2), a.by_blocks_mut(65).nested(), |team, mut a| {
        assert_eq!(team.team_size(), 1, "nested loops write");
        let rank = team.team_rank();
        let mut a = Some(&mut a);
        let mut kept = None;
        for phase in 0..2 {
            team.parallel_for(team.thread_range(phase..phase + 64), |rj| {
                if phase == 0 && rank == 0 && rj.inner() == 2 {
                    kept = a.take().map(|a| &mut a[rj]);
                } else if phase == 1
                    && let Some(a) = &mut a
                {
                    a[rj] = 7;
                }
            });
        }
        changed.fetch_add(usize::from(kept.is_some_and(|element| *element != 0)), Relaxed);
    })
    .expect("covered");
    assert_eq!(changed.into_inner(), 0);
}

/// Only nested writes cost the team its threads.
#[test]
fn teams_that_read_parts_keep_their_threads() {
    let offsets = offsets(&[0, 3, 8]).expect("they rise");
    let x = View::from_fn("x", [8], |[i]| i).expect("memory");
    let mut y = View::<usize, 1>::zeros("y", [8]).expect("memory");
    let args = (x.by_segments(&offsets).nested(), y.by_segments_mut(&offsets));
    parallel_for("read", two_threads().team(2, 2), args, |team, (x, mut y)| {
        let sum = team.parallel_reduce(
            team.thread_range(x.len()),
            |rj, sum| *sum += x[rj],
            spelt_core::reducers::Sum::<usize>::new(),
        );
        assert_eq!(team.team_size(), 2);
        team.single(|w| y[w].fill(sum));
    })
    .expect("covered");
    assert_eq!(y.to_vec(), [3, 3, 3, 25, 25, 25, 25, 25]);
}

/// Zero-sized elements have no addresses to tell them apart, and as many as can be counted.
#[test]
fn parts_of_elements_without_size() {
    let mut y = View::<(), 1>::zeros("y", [usize::MAX / 2]).expect("no memory");
    let blocks = AtomicUsize::new(0);
    parallel_for("units", Serial::new().range(0..2), y.by_blocks_mut(usize::MAX / 2 - 1), |b, y| {
        blocks.fetch_add(y[b].len(), Relaxed);
    })
    .expect("covered");
    assert_eq!(blocks.into_inner(), usize::MAX / 2);
}

/// A kernel that writes some parts reads the others: no interval, offset or swap of accessors makes it read what it writes.
#[test]
fn parts_that_are_written_cannot_be_read_as_others() {
    let falling = core::ops::Range { start: 2, end: 1 };
    for (only, rank) in [(0..usize::MAX, 0), (usize::MAX..usize::MAX, 3), (falling, 1), (0..0, 2), (3..9, 2)]
    {
        let mut y = View::<u8, 1>::zeros("y", [3]).expect("memory");
        let args = y.by_blocks_mut(1).only(only.clone());
        let run = parallel_for("k", two_threads().range(rank..rank + 1), args, |b, (mut own, others)| {
            assert!(others.get(b).is_none(), "the part that it writes");
            own[b].fill(1);
        });
        assert_eq!(run.is_ok(), only.contains(&rank) && rank < 3, "{only:?}, {rank}");
        // A launch of another rank covers no witness of a part, and writes none.
        let args = y.by_blocks_mut(1).only(only.clone());
        parallel_for("k", Serial::new().md_range([0..1, 0..1]), args, |_, (own, others)| {
            assert_eq!((own.parts(), others.parts(), others.get(3)), (3, 3, None));
            assert!((0..3).all(|part: usize| others.get(part).is_none() == only.contains(&part)));
        })
        .expect("it is not indexed");
    }
    // Offsets that end beyond the View have no parts at all.
    let beyond = offsets(&[0, 2, usize::MAX]).expect("they rise");
    let mut y = View::<u8, 1>::zeros("y", [3]).expect("memory");
    let args = y.by_segments_mut(&beyond).only(1..2);
    parallel_for("k", Serial::new().range(1..2), args, |_, _| ()).expect_err("not covered");
    let args = y.by_segments_mut(&beyond).only(1..2);
    parallel_for("k", Serial::new().md_range([0..1, 0..1]), args, |_, (_, others)| {
        assert_eq!((others.parts(), others.get(0)), (0, None));
    })
    .expect("it is not indexed");
    // Accessors of Views of other intervals change places: only indices in both are covered, and each still refuses its own.
    let (mut y, mut z) = (View::from_vec("y", [4], vec![1_u8; 4]), View::from_vec("z", [4], vec![2_u8; 4]));
    let (y, z) = (y.as_mut().expect("memory"), z.as_mut().expect("memory"));
    let args = (y.by_blocks_mut(1).only(0..3), z.by_blocks_mut(1).only(1..4));
    parallel_for("swap", two_threads().range(1..3), args, |b, ((mut y, mut of_y), (mut z, mut of_z))| {
        core::mem::swap(&mut y, &mut z);
        core::mem::swap(&mut of_y, &mut of_z);
        assert_eq!(
            (of_y.get(0), of_y.get(3), of_z.get(0), of_z.get(3)),
            (Some(&[2][..]), None, None, Some(&[1][..]))
        );
        y[b].fill(20);
        z[b].fill(10);
    })
    .expect("covered");
    assert_eq!((y.to_vec(), z.to_vec()), (vec![1, 10, 10, 1], vec![2, 20, 20, 2]));
    let args = (y.by_blocks_mut(1).only(0..3), z.by_blocks_mut(1).only(1..4));
    parallel_for("swap", two_threads().range(0..3), args, |_, _| ())
        .expect_err("0 is not in the second interval");
}
