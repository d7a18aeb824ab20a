//! Launches on a device that only the closures of hosts make: a device pass leaves out the loops that call these closures, and must not
//! leave out their kernels.

use spelt_core::{
    Cuda, ExecutionSpace, View, parallel_for, parallel_map_reduce, parallel_reduce, parallel_scan,
    reducers::{Max, Sum},
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
