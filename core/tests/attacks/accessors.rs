//! Attacks by accessors, witnesses and extents.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use spelt_core::subview::{All, Steps};
use spelt_core::{Element, ErrorKind, ExecutionSpace, Serial, View, ViewMut, parallel_for};

/// Extents travel in the accessor: one that is swapped for a smaller View's checks against that.
#[test]
fn swapped_accessors_check_against_their_own_extents() {
    let space = Serial::new();
    let long = View::from_fn("long", [8], |[i]| i).expect("memory");
    let short = View::from_fn("short", [4], |[i]| i).expect("memory");
    let launch = || {
        parallel_for("swap", space.range(0..8), (long.lookup(), short.lookup()), |i, (mut a, mut b)| {
            std::mem::swap(&mut a, &mut b);
            assert_eq!(a[i.get()], i.get());
        })
    };
    assert!(catch_unwind(AssertUnwindSafe(launch)).is_err());
}

/// An outer accessor behind a lock gives a nested launch the one element of the outer witness, one thread at a time.
#[test]
fn an_outer_accessor_behind_a_lock_is_one_element() {
    let space = crate::two_threads();
    let mut y = View::<u64, 1>::zeros("y", [3]).expect("memory");
    parallel_for("outer", space.range(0..3), &mut y, |i, y| {
        let y = Mutex::new(y);
        parallel_for("inner", space.range(0..100), (), |_, ()| y.lock().expect("no panic")[i] += 1)
            .expect("it runs");
    })
    .expect("covered");
    assert_eq!(y.to_vec(), [100; 3]);
}

/// The number of elements does not cover a box: each dimension does.
#[test]
fn views_of_equal_size_and_other_extents_are_refused() {
    let mut flat = View::<u32, 2>::zeros("flat", [4, 10]).expect("memory");
    let mut tall = View::<u32, 2>::zeros("tall", [10, 4]).expect("memory");
    let policy = Serial::new();
    let launched = parallel_for(
        "k",
        policy.md_range([0..4, 0..10]),
        (&mut flat, &mut tall),
        |i, (mut flat, mut tall)| {
            flat[i] = 1;
            tall[i] = 1;
        },
    );
    assert_eq!(launched.expect_err("not covered").kind(), ErrorKind::Extents);
}

#[test]
fn extents_that_wrap_are_refused_also_behind_a_zero() {
    for extents in [[1 << 33, 1 << 31, 1], [1 << 33, 1 << 31, 0], [0, usize::MAX, usize::MAX]] {
        let view = View::<u8, 3>::zeros("wraps", extents);
        assert_eq!(view.expect_err("too many").kind(), ErrorKind::Overflow, "{extents:?}");
    }
    // Of elements without a size, too.
    let nothing = View::<[u64; 0], 2>::zeros("nothing", [1 << 33, 1 << 31]);
    assert_eq!(nothing.expect_err("too many").kind(), ErrorKind::Overflow);
}

#[test]
fn elements_without_a_size_are_elements() {
    let mut nothing = View::<[u64; 0], 1>::zeros("nothing", [1000]).expect("no memory");
    parallel_for("k", crate::two_threads().range(0..1000), &mut nothing, |i, mut nothing| nothing[i] = [])
        .expect("covered");
    assert_eq!(nothing.len(), 1000);
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
fn policies_that_end_before_they_start_are_empty() {
    let space = Serial::new();
    let mut y = View::<u32, 2>::zeros("y", [4, 8]).expect("memory");
    parallel_for("range", space.range(8..7), (), |_, ()| panic!("an iteration")).expect("empty");
    parallel_for("box", space.md_range([0..4, 8..7]), &mut y, |i, mut y| y[i] = 1).expect("empty");
    parallel_for("team", space.team(4, 1), &mut y, |team, mut y| {
        team.parallel_for(team.thread_range(8..7), |rj| y[rj] = 1);
        team.parallel_for(team.team_vector_range(usize::MAX..0), |rj| y[rj] = 1);
        team.parallel_for(team.vector_range(8..7), |_| panic!("an iteration"));
    })
    .expect("covered");
    let mut z = View::<u32, 3>::zeros("z", [4, 8, 8]).expect("memory");
    parallel_for("team", space.team(4, 1), &mut z, |team, mut z| {
        team.parallel_for(team.thread_md_range([8..7, 0..8]), |rj| z[rj] = 1);
        team.parallel_for(team.thread_md_range([0..8, 3..3]), |rj| z[rj] = 1);
    })
    .expect("covered");
    parallel_for("vectors", space.team(4, 1).vector(4), &mut z, |team, mut z| {
        team.parallel_for(team.thread_range(0..8), |mut thread| {
            thread.parallel_for(thread.vector_range(8..7), |rjv| z[rjv] = 1);
        });
    })
    .expect("covered");
    assert!(y.iter().chain(z.iter()).all(|&element| element == 0));
}

/// A View to write has one place for each index.
#[test]
fn places_that_two_indices_share_are_not_written() {
    fn refused<T: Element>(
        view: spelt_core::Result<ViewMut<'_, T, 2, spelt_core::HostSpace, spelt_core::Stride>>,
    ) {
        assert!(view.is_err());
    }
    let mut numbers = [0_u32; 16];
    refused(ViewMut::from_strided([4, 4], [0, 1], &mut numbers));
    refused(ViewMut::from_strided([4, 4], [1, 1], &mut numbers));
    refused(ViewMut::from_strided([4, 4], [3, 1], &mut numbers));
    let mut view = View::<u32, 1>::zeros("view", [8]).expect("memory");
    let step = AssertUnwindSafe(|| view.subview_mut(All.step(0)).fill(1));
    assert!(catch_unwind(step).is_err());
}
