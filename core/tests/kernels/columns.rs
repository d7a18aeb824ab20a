//! Columns whose number is known when a kernel is launched.

use spelt_core::reducers::{Columns, ColumnsValue, Sum, custom};
use spelt_core::{ExecutionSpace, parallel_reduce};

use crate::{device, host, noise};

/// The bits of sums of `n` numbers in `len` columns.
fn sums<S: ExecutionSpace>(space: &S, n: usize, len: usize) -> Vec<u64> {
    let x = space.view_from_fn("x", [n], |[i]| noise(i)).unwrap();
    let sums = Columns::new(Sum::<f64>::new(), len);
    let found = parallel_reduce(
        "sums",
        space.range(0..n),
        &x,
        move |i, bins, x| bins[i.get() * 7 % len] += x[i],
        sums,
    );
    found.unwrap().into_iter().map(f64::to_bits).collect()
}

#[test]
fn tiles_take_turns() {
    let Some(space) = device() else { return };
    // One turn for all tiles, then several tiles a turn, the last of them cut.
    for (n, len, steps) in
        [(20_000, 5, 1024), (20_000, 5, 1), (20_000, 5, 4), (150_000, 33, 2), (2_048 * 65, 3, 1)]
    {
        space.cut_reductions(1, steps);
        assert_eq!(
            sums(&space, n, len),
            sums(&host(), n, len),
            "{n} iterations, {len} columns, {steps} tiles a turn"
        );
    }
}

#[test]
fn boxes_and_values_in_index_order() {
    fn last<S: ExecutionSpace>(space: &S) -> Vec<[u32; 2]> {
        let order = |into: &mut [u32; 2], from: &[u32; 2]| {
            *into = [into[0].rotate_left(5) ^ from[0], into[1].wrapping_mul(from[1] | 1) ^ from[0]];
        };
        let columns = Columns::new(custom([7, 3], order).non_commutative(), 4);
        let policy = space.md_range([2..60, 3..101]);
        parallel_reduce(
            "last",
            policy,
            (),
            move |i, bins: &mut ColumnsValue<[u32; 2]>, ()| {
                let [i, j] = i.index();
                order(&mut bins[(i + j) % 4], &[i as u32, j as u32]);
            },
            columns,
        )
        .unwrap()
    }
    let Some(space) = device() else { return };
    assert_eq!(last(&space), last(&host()));
}
