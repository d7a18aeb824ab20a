//! `parallel_for` over ranges: each index once, however many of them a thread runs.

use spelt_core::{ExecutionSpace, parallel_for};

use crate::{device, elements, host};

/// A mark for each time that an index has run, beside its number.
fn marks<S: ExecutionSpace>(space: &S, first: usize, len: usize) -> Vec<u64> {
    let mut y = space.zeros::<u64, 1>("marks", [first + len + 3]).unwrap();
    parallel_for("mark", space.range(first..first + len), &mut y, |i, mut y| {
        y[i] = (y[i] << 32) + i.get() as u64 + 1;
    })
    .unwrap();
    elements(&y.to_host().unwrap())
}

#[test]
fn threads_run_several_iterations() {
    let Some(space) = device() else { return };
    for each in [0, 1, 2, 3, 8] {
        space.run_iterations_each(each);
        for len in [0, 1, 255, 256, 257, 511, 513, 2047, 2048, 2049, 10_000] {
            let first = len % 5;
            assert_eq!(
                marks(&space, first, len),
                marks(&host(), first, len),
                "{each} each, {len} iterations"
            );
        }
    }
}

#[test]
fn several_iterations_read_and_write_their_own_elements() {
    fn run<S: ExecutionSpace>(space: &S) -> Vec<f64> {
        let x = space.view_from_fn("x", [5000], |[i]| crate::noise(i)).unwrap();
        let mut y = space.view_from_fn("y", [5000], |[i]| crate::noise(i + 7)).unwrap();
        parallel_for("axpy", space.range(0..5000), (1.7, &x, &mut y), |i, (a, x, mut y)| {
            y[i] += a * x[i];
            y[i] += a * x[i];
        })
        .unwrap();
        elements(&y.to_host().unwrap())
    }
    let Some(space) = device() else { return };
    space.run_iterations_each(8);
    assert_eq!(run(&space), run(&host()));
}
