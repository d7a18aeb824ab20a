//! The vector and its shifts.

use std::mem::swap;

use spelt::mpi::{Mpi, Partition};
use spelt::prelude::*;

/// The place of the 1 in a vector of `n` integers, which begins with it and is shifted so often; `None` if the other elements are not 0.
pub(crate) fn place_of_one<S: ExecutionSpace + 'static>(
    space: &Mpi<'_, S>,
    n: usize,
    shifts: usize,
) -> spelt::Result<Option<usize>> {
    // The same number of elements on each rank, or one more.
    let ranks = space.ranks().size();
    let cuts: Vec<usize> = (0..=ranks).map(|rank| n * rank / ranks).collect();
    let partition = Partition::from_cuts(&cuts)?;
    let mut a = space.view_from_fn_on(&partition, "A", [n], |[i]| i32::from(i == 0))?.periodic();
    let mut b = space.zeros_on::<i32, 1>(&partition, "B", [n])?.periodic();
    for _ in 0..shifts {
        let policy = space.range(0..n);
        parallel_for("Shift", policy, (a.halo::<1>(), &mut b), move |i, (a, mut b)| b[i] = a.at(i, [-1]))?;
        swap(&mut a, &mut b);
    }
    // Only zeros and one 1 have 1 as the sum of magnitudes and as the largest.
    let reducers = (Sum::<i64>::new(), MaxLoc::<i32>::new());
    let (sum, most) = parallel_reduce(
        "Check",
        space.range(0..n),
        &a,
        move |i, (sum, most), a| {
            *sum += i64::from(a[i].unsigned_abs());
            most.update(a[i], i.get());
        },
        reducers,
    )?;
    Ok((sum == 1 && most.val == 1).then_some(most.loc))
}
