//! Contributions to scattered Views, whose order matters: the bits of the host.

use std::process::Command;

use spelt_core::reducers::{Columns, Max, Min, MinLoc, MinMaxLoc, Prod, Reducer, Sum, custom};
use spelt_core::{
    AUTO, Cuda, ErrorKind, ExecutionSpace, Iterate, Left, Scatter, View, parallel_fill, parallel_for,
    parallel_map_reduce, parallel_reduce,
};

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
    for each in [2, 3, 8] {
        space.run_iterations_each(each);
        for n in [1, 257, 2000, 5000] {
            assert_eq!(
                sums(&space, n, 5, 0),
                sums(&host(), n, 5, 0),
                "{n} iterations, {each} of each thread"
            );
        }
    }
}

#[test]
fn ranges_beyond_32_bits_and_at_the_largest_index() {
    fn run<S: ExecutionSpace>(space: &S, first: usize) -> Vec<u64> {
        let mut sums = space.zeros::<f64, 1>("sums", [3]).unwrap();
        let policy = space.range(first..first + 300);
        parallel_for("far", policy, sums.scatter().duplicated(7), move |i, sums| {
            let number = i.get() - first;
            sums.add(number % 3, noise(number) * 1e3);
            sums.add(number % 2, noise(number + 1));
        })
        .unwrap();
        bits(&elements(&sums.to_host().unwrap()))
    }
    let Some(space) = device() else { return };
    for each in [1, 4] {
        space.run_iterations_each(each);
        for first in [0, (1 << 32) - 150, 1 << 40, usize::MAX - 300] {
            assert_eq!(run(&space, first), run(&host(), first), "from {first}");
            assert_eq!(run(&space, first), run(&space, 0), "from {first}");
        }
    }
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

/// Of zeros of both signs the first one stays, and NaN is ignored.
#[test]
fn extrema_of_zeros_and_nan() {
    fn zero(i: usize) -> f64 {
        match (noise(i).to_bits() >> 20) % 6 {
            0 | 1 => 0.0,
            2 | 3 => -0.0,
            4 => f64::NAN,
            _ => -noise(i).abs(),
        }
    }
    fn run<S: ExecutionSpace>(space: &S, tile: [usize; 2]) -> Vec<u64> {
        // Nothing reaches the last two, or only NaN.
        let start = |[bin]: [usize; 1]| [-3.0, f64::NAN, -0.5, -0.0][bin % 4];
        let mut most = space.view_from_fn("most", [42], start).unwrap();
        let mut least = space.view_from_fn("least", [42], |bin| -start(bin)).unwrap();
        let args = (most.scatter_with(Max::new()), least.scatter_with(Min::new()));
        parallel_for("range", space.range(0..900), args, |i, (most, least)| {
            most.max(i.get() % 20, zero(i.get()));
            least.min(i.get() % 20, -zero(i.get()));
            most.max(40_usize, f64::NAN);
        })
        .unwrap();
        let args = (most.scatter_with(Max::new()), least.scatter_with(Min::new()).duplicated(3));
        parallel_for("box", space.md_range([0..30, 0..40]).tile(tile), args, |i, (most, least)| {
            let [i, j] = i.index();
            most.max(20 + (i + j) % 20, zero(i * 40 + j));
            least.min(20 + (i + j) % 20, -zero(i * 40 + j));
        })
        .unwrap();
        [most, least].iter().flat_map(|view| bits(&elements(&view.to_host().unwrap()))).collect()
    }
    let Some(space) = device() else { return };
    for (each, tile) in [(1, [4, 8]), (3, [30, 5])] {
        space.run_iterations_each(each);
        assert_eq!(run(&space, tile), run(&host(), tile), "{each} of each thread, tile {tile:?}");
    }
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

/// Hosts cut the iterations of a search for extremes as those of a `parallel_for`, and those of other reductions between tiles.
#[test]
fn mapped_reductions() {
    fn run<S: ExecutionSpace>(space: &S, n: usize) -> (Vec<u64>, usize, [usize; 2]) {
        let mut sums = space.zeros::<f64, 1>("sums", [3]).unwrap();
        let total = parallel_map_reduce(
            "sum",
            space.range(2..2 + n),
            sums.scatter().duplicated(9),
            |i, sums| {
                sums.add(i.get() % 3, noise(i.get()) * 1e3);
                noise(i.get())
            },
            Sum::<f64>::new(),
        );
        let least = parallel_map_reduce(
            "least",
            space.range(2..2 + n),
            sums.scatter().duplicated(9),
            |i, sums| {
                sums.add(i.get() % 3, noise(i.get() + 1));
                noise(i.get())
            },
            MinLoc::at_index(),
        );
        let ends = parallel_map_reduce(
            "ends",
            space.md_range([0..n / 10, 1..11]),
            sums.scatter(),
            |i, sums| {
                let [i, j] = i.index();
                sums.add(j % 3, noise(i * 10 + j));
                noise(i * 17 + j)
            },
            MinMaxLoc::at_index(),
        );
        let mut found = bits(&elements(&sums.to_host().unwrap()));
        found.push(total.unwrap().to_bits());
        (found, least.unwrap().loc, ends.unwrap().max_loc)
    }
    let Some(space) = device() else { return };
    for n in [10, 100, 1000, 5000] {
        assert_eq!(run(&space, n), run(&host(), n), "{n} iterations");
    }
}

#[test]
fn adapters_that_hold_one_and_launches_that_share_one() {
    fn run<S: ExecutionSpace>(space: &S) -> Vec<Vec<u64>> {
        let n = 500;
        let mut all = Vec::new();
        let mut bins =
            ["a", "b", "c"].map(|label| space.view_from_fn(label, [5], |[bin]| noise(bin)).unwrap());
        // Two of one type, of which the second has none, and then many contributions, and a third with other parts.
        for some in [false, true] {
            let [a, b, c] = &mut bins;
            let args = ([a.scatter(), b.scatter()], c.scatter().duplicated(5));
            parallel_for("array", space.range(0..n), args, move |i, ([a, b], c)| {
                a.add(i.get() % 5, noise(i.get()));
                for call in 0..if some { 3 } else { 0 } {
                    b.add((i.get() + call) % 5, noise(i.get() + call));
                }
                c.add(i.get() * 3 % 5, noise(i.get() + 7));
            })
            .unwrap();
        }
        let [a, b, c] = &mut bins;
        let y = space.uninit::<f64, 1>("y", [n]).unwrap();
        let y = parallel_fill("fill", space.range(0..n), y, (a.scatter(), 0.5), |i, (a, half)| {
            a.add(i.get() % 5, noise(i.get()) * half);
            half
        });
        all.push(bits(&elements(&y.unwrap().to_host().unwrap())));
        let mut kept = b.scatter().duplicated(3);
        for round in 1..3 {
            parallel_for("kept", space.range(0..n), &mut kept, move |i, b| {
                b.add(i.get() * round % 5, noise(i.get() * round));
            })
            .unwrap();
        }
        drop(kept);
        // Indices from -2 on.
        let mut shifted = space.zeros::<f64, 1>("shifted", [5]).unwrap().with_origin([-2]).unwrap();
        parallel_for("origin", space.range(0..n), (shifted.scatter(), c.scatter()), |i, (shifted, c)| {
            shifted.add(i.get() as isize % 5 - 2, noise(i.get()));
            c.add(0, noise(i.get()));
        })
        .unwrap();
        parallel_for("signed", space.signed_range(-300..-20), shifted.scatter(), |i, shifted| {
            shifted.add(i.get() % 3, noise(i.get().unsigned_abs()));
        })
        .unwrap();
        let shifted = shifted.to_host().unwrap();
        all.push((-2..3).map(|index| shifted[index].to_bits()).collect());
        all.extend(bins.iter().map(|view| bits(&elements(&view.to_host().unwrap()))));
        // Values of 24 bytes, which no atomic operation takes at once.
        let mut triples = space.view_from_fn("triples", [4], |[i]| [noise(i); 3]).unwrap();
        parallel_for("triples", space.range(0..n), triples.scatter(), |i, triples| {
            triples.add(i.get() % 3, [noise(i.get()), noise(i.get() + 1), 1e9]);
        })
        .unwrap();
        all.push(bits(&elements(&triples.to_host().unwrap()).concat()));
        all
    }
    let Some(space) = device() else { return };
    let wanted = run(&host());
    assert_eq!(run(&space), wanted);
}

#[test]
fn kernels_of_a_host_launch_it_too() {
    let Some(space) = device() else { return };
    let space: &Cuda = &space;
    let mut found = View::<f64, 1>::zeros("found", [3]).unwrap();
    parallel_for("outer", host().range(0..3), &mut found, |i, mut found| {
        let (mut sums, factor) = (space.zeros::<f64, 1>("sums", [1]).unwrap(), i.get() + 1);
        parallel_for("inner", space.range(0..200), sums.scatter(), move |i, sums| {
            sums.add(0, noise(i.get() * factor));
        })
        .unwrap();
        found[i] = sums.to_host().unwrap()[0];
    })
    .unwrap();
    for (i, &found) in found.iter().enumerate() {
        let mut sums = View::<f64, 1>::zeros("sums", [1]).unwrap();
        parallel_for("inner", host().range(0..200), sums.scatter(), |k, sums| {
            sums.add(0, noise(k.get() * (i + 1)));
        })
        .unwrap();
        assert_eq!(found.to_bits(), sums[0].to_bits());
    }
}

#[test]
fn teams_contribute_atomically() {
    let Some(space) = device() else { return };
    let mut sums = space.zeros::<f64, 1>("sums", [2]).unwrap();
    // Numbers whose sums are exact. There is room for one contribution, if any were kept.
    parallel_for("teams", space.team(9, AUTO), sums.scatter().room_for(1), |team, sums| {
        team.parallel_for(team.thread_range(0..50), |j| sums.add(j.inner() % 2, 0.5));
    })
    .unwrap();
    assert_eq!(elements(&sums.to_host().unwrap()), [112.5, 112.5]);
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
        // Reductions, in which loops take several rows of lanes at a time.
        let total = parallel_reduce(
            "reduce",
            space.range(0..4096),
            bins.scatter_with(reducer).duplicated(2),
            |i, sum, bins| {
                bins.update(i.get() % 13, i.get() as u32);
                *sum += 1.0;
            },
            Sum::<f64>::new(),
        );
        assert_eq!(total.unwrap(), 4096.0);
        elements(&bins.to_host().unwrap())
    }
    let Some(space) = device() else { return };
    let mix = |into: &mut u32, from: &u32| *into = into.rotate_left(3) ^ *from;
    let (last, mixed) = (custom(0, |into, from| *into = *from), custom(7, mix).non_commutative());
    assert_eq!(run(&space, last), run(&host(), last));
    let last_in = |bin| (0..4096).rev().find(|i| i % 13 == bin).unwrap();
    assert_eq!(run(&space, last), (0..13).map(last_in).collect::<Vec<_>>());
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

#[test]
fn no_view_changes_if_one_has_too_little_room() {
    let Some(space) = device() else { return };
    let [mut a, mut b] = ["a", "b"].map(|label| space.view_from_fn(label, [3], |_| 0.25).unwrap());
    let mut count = |room: usize| {
        let args = (a.scatter(), b.scatter().room_for(room));
        parallel_for("both", space.range(0..40), args, |i, (a, b)| {
            a.add(i.get() % 3, 1.0);
            b.add(0, 0.5);
            b.add(1, 0.5);
        })
    };
    let error = count(79).unwrap_err().to_string();
    assert!(error.contains("view `b`.scatter(): the kernel made 80 contributions"), "{error}");
    // 0 asks for nothing: the device has room as for any launch.
    count(0).unwrap();
    assert_eq!(elements(&a.to_host().unwrap()), [14.25, 13.25, 13.25]);
    assert_eq!(elements(&b.to_host().unwrap()), [20.25, 20.25, 0.25]);
    // Nothing to contribute to, and nothing to contribute.
    let mut none = space.zeros::<f64, 1>("none", [0]).unwrap();
    parallel_for("none", space.range(0..9), none.scatter().room_for(1), |_, _| {}).unwrap();
    parallel_for("empty", space.range(7..7), a.scatter().room_for(1), |_, a| a.add(0, 1.0)).unwrap();
    let policy = space.md_range([0..9, 4..4]);
    parallel_for("empty", policy, a.scatter().room_for(1), |_, a| a.add(0, 1.0)).unwrap();
    parallel_for("unused", space.range(0..9), a.scatter().room_for(1), |_, _| {}).unwrap();
    assert_eq!(elements(&a.to_host().unwrap()), [14.25, 13.25, 13.25]);
    // More than any device has.
    let error =
        parallel_for("huge", space.range(0..9), a.scatter().room_for(usize::MAX), |_, a| a.add(0, 1.0));
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::OutOfMemory, Some("huge")));
    for part in ["`a`.scatter(): no room for 4294967295 contributions", ".room_for(..)", ".atomic()"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// Set in the process in which a kernel panics, after which the device is lost.
const CHILD: &str = "SPELT_TEST_PANICS";

#[test]
fn a_panic_is_the_error_of_its_launch() {
    let Some(space) = device() else { return };
    if std::env::var_os(CHILD).is_none() {
        let name = "scatter::a_panic_is_the_error_of_its_launch";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name]).env(CHILD, "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
        return;
    }
    let mut sums = space.zeros::<f64, 1>("sums", [3]).unwrap();
    let broken = parallel_for("broken", space.range(0..100), sums.scatter(), |i, sums| {
        sums.add(i.get() % 3, 1.0);
        assert!(i.get() != 57, "as it was asked to");
        sums.add(i.get() % 2, 1.0);
    });
    let error = broken.unwrap_err();
    assert_eq!(error.kernel(), Some("broken"), "{error}");
    assert!(error.to_string().contains("as it was asked to"), "{error}");
}
