//! Contributions to scattered Views, whose order matters: the bits of the host.

use spelt_core::reducers::{Columns, Max, Prod, Reducer, Sum, custom};
use spelt_core::{ErrorKind, ExecutionSpace, Iterate, Left, Scatter, View, parallel_for, parallel_reduce};

use crate::{device, elements, host, noise};

/// Numbers whose sums depend on the order, with NaN, infinities and zeros of both signs among them.
fn rough(i: usize) -> f64 {
    match i % 211 {
        7 => f64::NAN,
        8 => -0.0,
        9 => f64::INFINITY,
        10 => f64::NEG_INFINITY,
        _ => noise(i) * [1.0, 1e9, 1e-9][i % 3],
    }
}

/// Bits of floats; those of NaN are one.
fn bits(view: &[f64]) -> Vec<u64> {
    view.iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

/// Sums of `n` numbers in `bins` bins, several or none of an iteration, in this number of replicas if it is not 0.
fn sums<S: ExecutionSpace>(space: &S, n: usize, bins: usize, replicas: usize) -> Vec<u64> {
    let x = space.view_from_fn("x", [n], |[i]| noise(i) * [1.0, 1e9, 1e-9][i % 3]).unwrap();
    let mut sums = space.view_from_fn("sums", [bins], |[bin]| noise(bin)).unwrap();
    let scatter = sums.scatter();
    let scatter = if replicas == 0 { scatter } else { scatter.duplicated(replicas) };
    parallel_for("sums", space.range(0..n), (&x, scatter), move |i, (x, sums)| {
        for call in 0..i.get() % 4 {
            sums.add((i.get() * 7 + call) % bins, x[i] + call as f64);
        }
    })
    .unwrap();
    bits(&elements(&sums.to_host().unwrap()))
}

#[test]
fn sums_of_floats() {
    let Some(space) = device() else { return };
    for (n, bins, replicas) in [
        (0, 3, 0),
        (1, 3, 0),
        (2, 1, 0),
        (3, 1, 0),
        (63, 1, 0),
        (64, 2, 0),
        (65, 2, 0),
        (1000, 1, 0),
        (1025, 1000, 0),
        (1500, 13, 1),
        (1500, 13, 7),
        (1500, 13, 5000),
    ] {
        assert_eq!(
            sums(&space, n, bins, replicas),
            sums(&host(), n, bins, replicas),
            "{n} iterations, {bins} bins, {replicas} replicas"
        );
    }
    // Several iterations of a thread.
    space.run_iterations_each(3);
    assert_eq!(sums(&space, 2000, 5, 0), sums(&host(), 2000, 5, 0));
}

#[test]
fn zeros_infinities_and_f32() {
    fn run<S: ExecutionSpace>(space: &S) -> (Vec<u64>, Vec<u64>, Vec<u32>) {
        let n = 300;
        let x = space.view_from_fn("x", [n], |[i]| rough(i)).unwrap();
        // Nothing reaches the last bin; what reaches the one before is -0.0.
        let mut sums = space.view_from_fn("sums", [9], |_| -0.0).unwrap();
        let mut products = space.view_from_fn("products", [9], |_| -0.0).unwrap();
        let mut short = space.view_from_fn("short", [9], |[bin]| bin as f32 * 1e-3).unwrap();
        let args = (&x, sums.scatter(), products.scatter_with(Prod::new()), short.scatter());
        parallel_for("all", space.range(5..n), args, |i, (x, sums, products, short)| {
            let (bin, x) = (i.get() % 7, x[i]);
            sums.add(bin, x);
            sums.add(7_usize, -0.0);
            products.mul(bin, 1.0 + x * 1e-12);
            products.mul(7_usize, -1.0);
            short.add(bin, (x as f32).clamp(-1e6, 1e6));
        })
        .unwrap();
        let (sums, products, short) =
            (sums.to_host().unwrap(), products.to_host().unwrap(), short.to_host().unwrap());
        let short =
            elements(&short).into_iter().map(|x: f32| if x.is_nan() { u32::MAX } else { x.to_bits() });
        (bits(&elements(&sums)), bits(&elements(&products)), short.collect())
    }
    let Some(space) = device() else { return };
    let (found, wanted) = (run(&space), run(&host()));
    assert_eq!(wanted.0[7..], [(-0.0_f64).to_bits(); 2]);
    assert_eq!(found, wanted);
}

#[test]
fn boxes_in_each_order() {
    fn run<S: ExecutionSpace>(space: &S, tile: Option<[usize; 2]>, iterate: Iterate) -> Vec<u64> {
        let mut sums = space.zeros_in::<f64, 2, Left>(Left, "sums", [3, 4]).unwrap();
        let policy = space.md_range([2..15, 5..24]).iterate(iterate);
        let policy = if let Some(tile) = tile { policy.tile(tile) } else { policy };
        parallel_for("box", policy, sums.scatter().duplicated(5), |i, sums| {
            let [i, j] = i.index();
            sums.add([i % 3, (i + j) % 4], noise(i * 100 + j) * 1e3);
            sums.add([j % 3, i % 4], noise(j * 100 + i));
        })
        .unwrap();
        bits(&sums.to_host().unwrap().iter().copied().collect::<Vec<_>>())
    }
    let Some(space) = device() else { return };
    for tile in [None, Some([4, 8]), Some([7, 0]), Some([100, 100]), Some([13, 19])] {
        for iterate in [Iterate::Left, Iterate::Right] {
            assert_eq!(run(&space, tile, iterate), run(&host(), tile, iterate), "{tile:?} {iterate:?}");
        }
    }
}

#[test]
fn reductions() {
    fn run<S: ExecutionSpace>(space: &S, n: usize) -> (Vec<u64>, Vec<u64>) {
        let mut sums = space.zeros::<f64, 1>("sums", [6]).unwrap();
        let total = parallel_reduce(
            "reduce",
            space.range(3..3 + n),
            sums.scatter(),
            |i, total, sums| {
                sums.add(i.get() % 6, noise(i.get()));
                *total += noise(i.get() + 1);
            },
            Sum::<f64>::new(),
        );
        let mut totals = vec![total.unwrap()];
        let policy = space.md_range([0..n / 40, 1..41]);
        let columns = parallel_reduce(
            "columns",
            policy,
            sums.scatter().duplicated(3),
            |i, bins, sums| {
                let [i, j] = i.index();
                sums.add(j % 6, noise(i + j));
                bins[i % 2] += noise(j);
            },
            Columns::new(Sum::<f64>::new(), 2),
        );
        totals.extend(columns.unwrap());
        (bits(&totals), bits(&elements(&sums.to_host().unwrap())))
    }
    let Some(space) = device() else { return };
    for n in [0, 1, 2049, 5000] {
        assert_eq!(run(&space, n), run(&host(), n), "{n} iterations");
    }
}

#[test]
fn reducers_in_index_order() {
    fn run<S: ExecutionSpace, R>(space: &S, reducer: R) -> Vec<u32>
    where
        R: Reducer<Value = u32, Output = u32> + Copy + Send + Sync,
    {
        let mut bins = space.view_from_fn("bins", [13], |[bin]| bin as u32).unwrap();
        parallel_for("last", space.range(0..700), bins.scatter_with(reducer).duplicated(5), |i, bins| {
            bins.update(i.get() * i.get() % 13, i.get() as u32);
            bins.update(i.get() * i.get() % 13, i.get() as u32 + 1);
        })
        .unwrap();
        elements(&bins.to_host().unwrap())
    }
    let Some(space) = device() else { return };
    let mix = |into: &mut u32, from: &u32| *into = into.rotate_left(3) ^ *from;
    let (last, mixed) = (custom(0, |into, from| *into = *from), custom(7, mix).non_commutative());
    assert_eq!(run(&space, last), run(&host(), last));
    assert_eq!(run(&space, mixed), run(&host(), mixed));
    assert_eq!(run(&space, Max::new()), run(&host(), Max::new()));
}

#[test]
fn contributions_beyond_the_room_are_an_error_and_change_nothing() {
    fn run<'v, S: ExecutionSpace>(
        space: &S,
        scatter: Scatter<'v, f64, 1, S::Memory>,
    ) -> spelt_core::Result<()> {
        parallel_for("many", space.range(0..30), scatter, |i, sums| {
            (0..i.get()).for_each(|call| sums.add(call % 2, 0.5));
        })
    }
    let Some(space) = device() else { return };
    let mut sums = View::from_fn("sums", [2], |_| 1.25).unwrap().to_space(&space).unwrap();
    let error = run(&space, sums.scatter().room_for(434)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    for part in ["many", "`sums`.scatter()", "435 contributions", "room for 434", ".room_for(435)"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(elements(&sums.to_host().unwrap()), [1.25, 1.25]);
    run(&space, sums.scatter().room_for(435)).unwrap();
    let wanted = [1.25 + 0.5 * 225.0, 1.25 + 0.5 * 210.0];
    assert_eq!(elements(&sums.to_host().unwrap()), wanted);
    // Atomics need no room.
    run(&space, sums.scatter().room_for(1).atomic()).unwrap();
    assert_eq!(elements(&sums.to_host().unwrap()), wanted.map(|sum| 2.0 * sum - 1.25));
}
