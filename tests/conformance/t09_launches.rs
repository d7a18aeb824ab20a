//! Launches at the same time, inside one another, and one after the other without end.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::{ExecutionSpace, HostSpace};

use crate::equal::{assert_same, rough};
use crate::oracle;
use crate::spaces::{every, threads};

fn sum_on<S: ExecutionSpace>(space: &S, n: usize) -> f64 {
    parallel_reduce("inner", space.range(0..n), (), |i, sum, ()| *sum += rough(i.get()), Sum::<f64>::new())
        .expect("nothing can fail")
}

fn wanted(n: usize) -> f64 {
    oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += rough(i))
}

every! { on_every_host_space:
    fn several_host_threads_launch_at_once(space, _setting) {
        let wanted = wanted(20_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert_same(&sum_on(space, 20_000), &wanted, "one of several");
                        let total = parallel_scan("scan", space.range(0..20_000), (),
                            |i, sum, _, ()| *sum += i.get(), Sum::<usize>::new()).expect("nothing can fail");
                        assert_eq!(total, 20_000 * 19_999 / 2);
                    }
                });
            }
        });
    }

    fn kernels_launch_kernels(space, setting) {
        let (n, other) = (9000, threads(2));
        let wanted = [wanted(10), wanted(9000)];
        let failures = AtomicUsize::new(0);
        parallel_for("outer", setting.range(space, 0..n), (), |i, ()| {
            let rare = i.get() % 1500 == 0;
            let n = if rare { 9000 } else { 10 };
            let found = if i.get() % 2 == 0 { sum_on(space, n) } else { sum_on(&other, n) };
            let same = found.to_bits() == wanted[usize::from(rare)].to_bits();
            failures.fetch_add(usize::from(!same), Relaxed);
            if rare {
                let total = parallel_scan("scan", space.range(0..9000), (), |_, sum, _, ()| *sum += 1, Sum::<u32>::new());
                assert_eq!(total.expect("nothing can fail"), 9000);
            }
        }).expect("nothing can fail");
        assert_eq!(failures.into_inner(), 0);
        let outer = parallel_reduce("outer", setting.range(space, 0..n), (),
            |i, sum, ()| *sum += sum_on(space, i.get() % 7), Sum::<f64>::new()).expect("nothing can fail");
        let inner: Vec<f64> = (0..7).map(self::wanted).collect();
        assert_same(&outer, &oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += inner[i % 7]), "nested");
    }

    fn joins_and_fillings_launch_kernels(space, setting) {
        struct Launching<'s, S>(&'s S);
        impl<S: ExecutionSpace<Memory = HostSpace>> Reducer for Launching<'_, S> {
            type Value = u64;
            type Output = u64;
            fn init(&self) -> u64 {
                parallel_reduce("init", self.0.range(0..3), (), |_, sum, ()| *sum += 0, Sum::<u64>::new()).unwrap()
            }
            fn join(&self, into: &mut u64, from: &u64) {
                let parts = [*into, *from];
                *into = parallel_reduce("join", self.0.range(0..2), (), |i, sum, ()| *sum += parts[i.get()],
                    Sum::<u64>::new()).unwrap();
            }
            fn finish(&self, value: u64) -> u64 {
                value
            }
        }
        let n = 20_000;
        let sum = parallel_reduce("outer", setting.range(space, 0..n), (), |i, sum, ()| *sum += i.get() as u64,
            Launching(space)).expect("nothing can fail");
        assert_eq!(sum, n as u64 * (n as u64 - 1) / 2);
        let total = parallel_scan("outer", setting.range(space, 0..n), (), |i, sum, _, ()| *sum += i.get() as u64,
            Launching(space)).expect("nothing can fail");
        assert_eq!(total, sum);
        let view = space.view_from_fn("filled", [300], |[i]| sum_on(space, i)).expect("memory");
        assert!((0..300).step_by(50).all(|i| view[i].to_bits() == wanted(i).to_bits()));
    }

}

every! { on_every_space:
    fn a_thousand_small_launches(space, _setting) {
        let mut x = space.zeros::<u32, 1>("x", [10_000]).expect("memory");
        for _ in 0..100 {
            parallel_for("one more", space.range(0..10_000), &mut x, |i, mut x| x[i] += 1).expect("covered");
        }
        for _ in 0..1000 {
            parallel_for("one more", space.range(0..8), &mut x, |i, mut x| x[i] += 1).expect("covered");
        }
        let x = x.to_host().expect("memory");
        assert!((0..10_000).all(|i| x[i] == if i < 8 { 1100 } else { 100 }));
    }
}

/// A launch inside a kernel may use the accessors of the kernel around it.
#[test]
fn nested_launches_read_through_outer_accessors() {
    let space = Threads::builder().num_threads(3).build().expect("three threads");
    let x = View::from_fn("x", [50], |[i]| i as u64).expect("room");
    let mut sums = View::<u64, 1>::zeros("sums", [50]).expect("room");
    parallel_for("outer", space.range(0..50).chunk(1), (&x, &mut sums), |i, (x, mut sums)| {
        let serial = Serial::new();
        let sum = parallel_reduce(
            "inner",
            serial.range(0..i.get() + 1),
            (),
            |j, sum, ()| *sum += x[j.get()],
            Sum::<u64>::new(),
        );
        sums[i] = sum.expect("nothing can fail");
    })
    .expect("covered");
    assert!(sums.indexed_iter().all(|([i], &sum)| sum == (i as u64) * (i as u64 + 1) / 2));
}
