//! Attacks by the results of a user's trait or closure: none of them is trusted.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{ExecutionSpace, Serial, View, parallel_for, parallel_reduce, parallel_scan, serial_reduce};

/// Sums, and declares false properties.
struct Liar;

impl Reducer for Liar {
    type Value = [u64; 5];
    type Output = u64;
    const COMMUTATIVE: bool = false;
    const EXACT: bool = true;
    const REORDERABLE: bool = true;
    const LANE_BYTES: usize = 1;
    const HALF_WORDS: u32 = u32::MAX;

    fn init(&self) -> [u64; 5] {
        [0; 5]
    }
    fn join(&self, into: &mut [u64; 5], from: &[u64; 5]) {
        into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
    }
    fn finish(&self, value: [u64; 5]) -> u64 {
        value.iter().sum()
    }
}

#[test]
fn what_a_reducer_says_of_itself_loses_no_contribution() {
    let space = crate::two_threads();
    for n in [1, 31, 32, 33, 2047, 2048, 2049, 20_000] {
        let add = |i: usize, value: &mut [u64; 5]| value[i % 5] += 1;
        let sum = parallel_reduce("sum", space.range(0..n), (), |i, value, ()| add(i.get(), value), Liar);
        assert_eq!(sum.expect("it runs"), n as u64);
        let total = parallel_scan("scan", space.range(0..n), (), |i, value, _, ()| add(i.get(), value), Liar);
        assert_eq!(total.expect("it runs"), n as u64);
        assert_eq!(serial_reduce(n, add, &Liar), n as u64);
    }
}

/// A replica gives no references, so an added value may come from a launch.
#[test]
fn a_scattered_value_may_come_from_a_launch() {
    let space = crate::two_threads();
    let mut bins = View::<u64, 1>::zeros("bins", [4]).expect("memory");
    parallel_for("scatter", space.range(0..1000), bins.scatter(), |i, bins| {
        let one = parallel_reduce("one", space.range(0..1), (), |_, sum, ()| *sum += 1, Sum::<u64>::new());
        bins.add(i.get() % 4, one.expect("it runs"));
    })
    .expect("it runs");
    assert_eq!(bins.to_vec(), [250; 4]);
}

/// A `Clone` that panics, or counts, drops and duplicates nothing that is not its own.
#[test]
fn a_clone_that_panics_leaves_no_value_behind() {
    static ALIVE: AtomicUsize = AtomicUsize::new(0);
    static CLONES: AtomicUsize = AtomicUsize::new(0);
    struct Counted(Box<u64>);
    impl Counted {
        fn new(value: u64) -> Self {
            ALIVE.fetch_add(1, Relaxed);
            Self(Box::new(value))
        }
    }
    impl Clone for Counted {
        fn clone(&self) -> Self {
            assert!(CLONES.fetch_add(1, Relaxed) < 20, "no more clones");
            Self::new(*self.0)
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.fetch_sub(1, Relaxed);
        }
    }
    struct Counting;
    impl Reducer for Counting {
        type Value = Counted;
        type Output = u64;
        fn init(&self) -> Counted {
            Counted::new(0)
        }
        fn join(&self, into: &mut Counted, from: &Counted) {
            *into.0 += *from.0;
        }
        fn finish(&self, value: Counted) -> u64 {
            *value.0
        }
    }
    let spaces = AssertUnwindSafe((Serial::new(), crate::two_threads()));
    let scan = || {
        let ((serial, threads), body) = (&*spaces, |value: &mut Counted| *value.0 += 1);
        let _ = parallel_scan("scan", serial.range(0..5000), (), |_, value, _, ()| body(value), Counting);
        let _ = parallel_scan("scan", threads.range(0..50_000), (), |_, value, _, ()| body(value), Counting);
    };
    assert!(catch_unwind(scan).is_err());
    assert_eq!(ALIVE.load(Relaxed), 0);
}

/// A reducer that has a neutral value now, and none a moment later, is asked once for the answer on which memory safety relies.
#[test]
fn a_neutral_value_may_come_and_go() {
    #[derive(Clone, Copy)]
    struct Fickle<'a> {
        asked: &'a AtomicUsize,
        turn: usize,
        first: bool,
    }
    impl Reducer for Fickle<'_> {
        type Value = u8;
        type Output = u8;
        fn init(&self) -> u8 {
            0
        }
        fn join(&self, into: &mut u8, from: &u8) {
            *into |= from;
        }
        fn finish(&self, value: u8) -> u8 {
            value
        }
        fn neutral(&self) -> Option<u8> {
            let before = self.asked.fetch_add(1, Relaxed) < self.turn;
            (before == self.first).then_some(0)
        }
    }
    let space = Serial::new();
    for (turn, first) in (0..9).flat_map(|turn| [(turn, false), (turn, true)]) {
        let asked = AtomicUsize::new(0);
        let mut bits = View::<u8, 1>::zeros("bits", [100_000]).expect("memory");
        let op = Fickle { asked: &asked, turn, first };
        let launch = AssertUnwindSafe(|| {
            parallel_for("fickle", space.range(0..200), bits.scatter_with(op).duplicated(2), |i, bits| {
                bits.update(99_999 - i.get(), 1);
            })
        });
        // A panic where memory does not suffice, and no write beyond it elsewhere.
        let _ = catch_unwind(launch);
        assert!(bits.iter().all(|&bit| bit <= 1));
    }
}
