//! Launches on a device that only closures and reducers of hosts make: a device pass leaves out the loops that call them, and must not
//! leave out their kernels.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt_core::{
    Cuda, ExecutionSpace, Threads, View, parallel_for, parallel_map_reduce, parallel_reduce, parallel_scan,
    reducers::{Max, Reducer, Sum},
};

use crate::{device, host};

/// The sum of `factor * i` of the first ten numbers, on the device. Each call has a closure of its own, and so a kernel.
macro_rules! sum_of_ten {
    ($space:expr, $factor:expr) => {{
        let factor: u64 = $factor;
        let policy = $space.range(0..10);
        parallel_reduce(
            "within",
            policy,
            (),
            move |i, sum, ()| *sum += factor * i.index()[0] as u64,
            Sum::<u64>::new(),
        )
        .unwrap()
    }};
}

#[test]
fn kernels_of_all_patterns_on_a_host_may_launch_on_a_device() {
    let Some(space) = device() else { return };
    let (space, host): (&Cuda, _) = (&space, host());
    let mut x = View::<u64, 1>::zeros("x", [3]).unwrap();
    parallel_for("for", host.range(0..3), &mut x, |i, mut x| x[i] = sum_of_ten!(space, 1)).unwrap();
    assert_eq!(x.as_slice(), Some(&[45; 3][..]));
    let reduced = parallel_reduce(
        "reduce",
        host.range(0..3),
        (),
        |_, sum, ()| *sum += sum_of_ten!(space, 2),
        Sum::<u64>::new(),
    );
    assert_eq!(reduced.unwrap(), 270);
    let mapped =
        parallel_map_reduce("map", host.range(0..3), (), |_, ()| sum_of_ten!(space, 3), Max::<u64>::new());
    assert_eq!(mapped.unwrap(), 135);
    let scanned = parallel_scan(
        "scan",
        host.range(0..3),
        (),
        |_, sum, _, ()| *sum += sum_of_ten!(space, 4),
        Sum::<u64>::new(),
    );
    assert_eq!(scanned.unwrap(), 540);
}

#[test]
fn elements_of_views_may_come_from_a_device() {
    let Some(space) = device() else { return };
    let on_host = View::from_fn("a", [2], |[i]| sum_of_ten!(&space, 1 + i as u64)).unwrap();
    assert_eq!(on_host.as_slice(), Some(&[45, 90][..]));
    let by_threads = host().view_from_fn("b", [2], |[i]| sum_of_ten!(&space, 2 + i as u64)).unwrap();
    assert_eq!(by_threads.as_slice(), Some(&[90, 135][..]));
    let on_device = space.view_from_fn("c", [2], |[i]| sum_of_ten!(&space, 3 + i as u64)).unwrap();
    assert_eq!(on_device.to_host().unwrap().as_slice(), Some(&[135, 180][..]));
}

/// A sum, each function of which launches on the device.
#[derive(Default)]
struct Launching<'s> {
    space: Option<&'s Cuda>,
    /// The calls of each function, in the order of [`FUNCTIONS`].
    calls: [AtomicUsize; FUNCTIONS.len()],
}

const FUNCTIONS: [&str; 5] = ["init", "join", "finish", "clone", "drop"];

impl<'s> Launching<'s> {
    fn on(space: &'s Cuda) -> Self {
        Self { space: Some(space), ..Self::default() }
    }

    fn space(&self, function: usize) -> &'s Cuda {
        self.calls[function].fetch_add(1, Relaxed);
        self.space.expect("it has a space")
    }

    /// Which functions were called.
    fn called(&self) -> Vec<&'static str> {
        let called = FUNCTIONS.iter().zip(&self.calls).filter(|(_, calls)| calls.load(Relaxed) > 0);
        called.map(|(function, _)| *function).collect()
    }
}

/// Its value.
struct Part<'r> {
    reducer: &'r Launching<'r>,
    sum: u64,
}

impl Clone for Part<'_> {
    fn clone(&self) -> Self {
        let sum = self.sum + sum_of_ten!(self.reducer.space(3), 5) - 225;
        Self { reducer: self.reducer, sum }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        assert_eq!(sum_of_ten!(self.reducer.space(4), 6), 270);
    }
}

impl<'r> Reducer for &'r Launching<'r> {
    type Value = Part<'r>;
    type Output = u64;
    fn init(&self) -> Part<'r> {
        Part { reducer: self, sum: sum_of_ten!(self.space(0), 7) - 315 }
    }
    fn join(&self, into: &mut Part<'r>, from: &Part<'r>) {
        into.sum += from.sum + sum_of_ten!(self.space(1), 8) - 360;
    }
    fn finish(&self, value: Part<'r>) -> u64 {
        value.sum + sum_of_ten!(self.space(2), 9) - 405
    }
}

#[test]
fn reducers_on_a_host_may_launch_on_a_device() {
    let Some(space) = device() else { return };
    let threads = Threads::builder().num_threads(2).build().unwrap();
    let of_reduction = Launching::on(&space);
    let reduced =
        parallel_reduce("reduce", threads.range(0..3), (), |_, part, ()| part.sum += 2, &of_reduction);
    assert_eq!(reduced.unwrap(), 6);
    assert_eq!(of_reduction.called(), ["init", "join", "finish", "drop"]);
    let of_scan = Launching::on(&space);
    let scanned = parallel_scan("scan", threads.range(0..3), (), |_, part, _, ()| part.sum += 2, &of_scan);
    assert_eq!(scanned.unwrap(), 6);
    assert_eq!(of_scan.called(), FUNCTIONS);
}
