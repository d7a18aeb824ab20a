//! Parts of a space: they run at the same time, and each has the bits of the whole.

#[cfg(not(feature = "cuda"))]
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
#[cfg(not(feature = "cuda"))]
use std::time::{Duration, Instant};

#[cfg(not(feature = "cuda"))]
use spelt::AnyHost;
use spelt::ErrorKind;
use spelt::prelude::*;

use crate::equal::{assert_same, rough};
use crate::spaces::every;
#[cfg(not(feature = "cuda"))]
use crate::spaces::threads;

/// The bits of a loop, a sum and a scan.
fn bits<S: ExecutionSpace>(space: &S, n: usize) -> Vec<u64> {
    let x = space.view_from_fn("x", [n], |[i]| rough(i)).expect("memory");
    let mut y = space.zeros::<f64, 1>("y", [n]).expect("memory");
    parallel_for("scale", space.range(0..n), (&x, &mut y), move |i, (x, mut y)| y[i] = x[i] / 3.0)
        .expect("covered");
    let sum = parallel_reduce("sum", space.range(0..n), &y, move |i, sum, y| *sum += y[i], Sum::<f64>::new());
    let total = parallel_scan(
        "scan",
        space.range(0..n),
        &mut y,
        move |i, sum, last, mut y| {
            *sum += y[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    );
    let y = y.to_host().expect("memory");
    let ends = [sum.expect("covered"), total.expect("covered")];
    ends.iter().chain(y.iter()).map(|value| value.to_bits()).collect()
}

every! { on_every_space:
    fn parts_at_once_have_the_bits_of_the_whole(space, _setting) {
        let n = if S::IS_DEVICE { 3000 } else { 20_000 };
        let wanted = bits(space, n);
        let parts = space.partition([2, 1]);
        if space.name() == "Threads" && space.concurrency() < 2 {
            let error = parts.expect_err("there is one thread");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains("1 threads cannot be divided among 2 parts"), "{error}");
            return;
        }
        let [a, b] = parts.expect("parts");
        if space.name() == "Threads" {
            assert_eq!(a.concurrency() + b.concurrency(), space.concurrency());
            assert!(a.concurrency() >= b.concurrency() && b.concurrency() >= 1);
        } else {
            assert_eq!((a.concurrency(), b.concurrency()), (space.concurrency(), space.concurrency()));
        }
        std::thread::scope(|scope| {
            for part in [&a, &b] {
                let wanted = &wanted;
                scope.spawn(move || for _ in 0..3 {
                    assert_same(&bits(part, n), wanted, "a part");
                });
            }
        });
        assert_same(&bits(space, n), &wanted, "the whole, after its parts");
    }

    fn views_pass_from_part_to_part(space, _setting) {
        let Ok([a, b]) = space.partition([1, 1]) else { return };
        let mut x = a.zeros::<u64, 1>("x", [1000]).expect("memory");
        for _ in 0..5 {
            parallel_for("add", a.range(0..1000), &mut x, move |i, mut x| x[i] += 1).expect("covered");
            parallel_for("double", b.range(0..1000), &mut x, move |i, mut x| x[i] *= 2).expect("covered");
        }
        drop((a, b));
        let sum = parallel_reduce("sum", space.range(0..1000), &x, move |i, sum, x| *sum += x[i], Sum::<u64>::new());
        assert_eq!(sum.expect("covered"), 62_000);
    }

    fn weights_that_cannot_be_are_errors(space, _setting) {
        for (weights, words) in [(vec![], "without weights"), (vec![3, 0], "weight 1 of the partition [3, 0] is 0")] {
            let error = space.partition_by(&weights).expect_err("no such parts");
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(words), "{error}");
        }
        assert!(space.partition::<0>([]).is_err());
        let [all] = space.partition([usize::MAX]).expect("one part");
        assert_eq!(all.concurrency(), space.concurrency());
    }
}

/// Each iteration waits until all of both launches have begun: so each part has as many threads as it says, and no part waits for another.
#[cfg(not(feature = "cuda"))]
#[test]
fn parts_run_at_the_same_time() {
    for (whole, weights, shares) in [(2, [1, 1], [1, 1]), (5, [3, 2], [3, 2]), (4, [1, 9], [1, 3])] {
        let parts = AnyHost::from(threads(whole)).partition(weights).expect("parts");
        assert_eq!(parts.each_ref().map(ExecutionSpace::concurrency), shares);
        let (begun, start) = (AtomicUsize::new(0), Instant::now());
        std::thread::scope(|scope| {
            for part in &parts {
                let begun = &begun;
                scope.spawn(move || {
                    let each = part.range(0..part.concurrency()).chunk(1);
                    parallel_for("meet", each, (), |_, ()| {
                        begun.fetch_add(1, SeqCst);
                        while begun.load(SeqCst) < whole {
                            assert!(
                                start.elapsed() < Duration::from_secs(60),
                                "{begun:?} of {whole} threads came"
                            );
                            std::thread::yield_now();
                        }
                    })
                });
            }
        });
    }
}
