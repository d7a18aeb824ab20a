//! Programs built by plain cargo, where everything but closures works.

use spelt_core::subview::{All, Steps};
use spelt_core::{
    Element, ErrorKind, ExecutionSpace, HostSpace, Left, View, deep_copy, deep_copy_scalar, parallel_for,
};

use crate::space;

#[test]
fn closures_want_cargo_spelt() {
    let Some(space) = space() else { return };
    let plain = space.configuration().contains("device code: none");
    let mut x = space.zeros::<f64, 1>("x", [10]).unwrap();
    let launched = parallel_for("ones", space.range(0..10), (&mut x,), |i, (mut x,)| x[i] = 1.0);
    if plain {
        let error = launched.unwrap_err();
        assert_eq!((error.kind(), error.kernel()), (ErrorKind::DeviceCode, Some("ones")));
        assert!(error.to_string().contains("plain cargo built it. Use `cargo spelt run`"), "{error}");
    } else {
        launched.unwrap();
    }
    // The space still works.
    assert_eq!(x.to_host().unwrap().to_vec(), [if plain { 0.0 } else { 1.0 }; 10]);
}

#[test]
fn the_configuration_says_where_stock_kernels_come_from() {
    let Some(space) = space() else { return };
    let text = space.configuration();
    assert!(text.contains("\n  stock kernels: "), "{text}");
}

/// Fills Views and parts of Views, and compares with the host, whose elements beside the part stay zero.
fn fills<T: Element + PartialEq + core::fmt::Debug>(value: T) {
    let Some(space) = space() else { return };
    let mut device = space.zeros::<T, 3>("d", [7, 20, 9]).unwrap();
    let mut host = View::<T, 3>::zeros("h", [7, 20, 9]).unwrap();
    macro_rules! part {
        ($slices:expr) => {
            deep_copy_scalar(&mut device.subview_mut($slices), value).unwrap();
            deep_copy_scalar(&mut host.subview_mut($slices), value).unwrap();
            assert_eq!(device.to_host().unwrap(), host, "{}", stringify!($slices));
        };
    }
    part!((1..3, 5..6, 2..4));
    part!((All, 3, All));
    part!(((1..7).step(2), (0..20).step(3), 8));
    part!((All, All, (0..9).step(4)));
    deep_copy_scalar(&mut device, value).unwrap();
    assert_eq!(device.to_host().unwrap().to_vec(), vec![value; 7 * 20 * 9]);
}

#[test]
fn values_of_any_size_fill_views_and_parts() {
    fills(0x5a_u8);
    fills(0x1234_u16);
    fills(1.5_f32);
    fills(-2.75_f64);
    fills(0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128);
    fills([1_u8, 2, 3]);
    fills([1.0_f32, -1.0, 0.5]);
    fills([0.25_f64; 5]);
    fills((1_u8, 2.5_f64));
    fills((1_u8, 2_u32, 3_u16));
}

/// Copies a View of every layout to every layout and back, host and device.
fn converts<T: Element + PartialEq + core::fmt::Debug, const R: usize>(
    extents: [usize; R],
    element: impl Fn([usize; R]) -> T + Sync,
) {
    let Some(space) = space() else { return };
    let right = View::<T, R>::from_fn("right", extents, element).unwrap();
    let expected = right.to_vec();
    let device = right.to_space(&space).unwrap();
    let mut left = space.zeros_in::<T, R, _>(Left, "left", extents).unwrap();
    deep_copy(&mut left, &device).unwrap();
    assert_eq!(left.to_host().unwrap().to_vec(), expected, "across");
    let mut host = View::<T, R, HostSpace, Left>::zeros_in(Left, "host", extents).unwrap();
    deep_copy(&mut host, &device).unwrap();
    assert_eq!(host.to_vec(), expected, "out");
    let mut back = space.zeros::<T, R>("back", extents).unwrap();
    deep_copy(&mut back, &host).unwrap();
    assert_eq!(back.to_host().unwrap().to_vec(), expected, "in");
}

#[test]
fn elements_of_any_size_change_their_layout() {
    converts([50, 70], |[i, j]| (i * 70 + j) as u8);
    converts([50, 70], |[i, j]| (i * 70 + j) as u16);
    converts([50, 70], |[i, j]| (i * 70 + j) as f64);
    converts([50, 70], |[i, j]| [i as u64, j as u64]);
    converts([9, 11], |[i, j]| [i as f32, j as f32, 0.5]);
    converts([9, 11], |[i, j]| (i as u8, j as u32, 7_u16));
    converts([3, 40, 5, 33], |[i, j, k, l]| (i * 7 + j * 5 + k * 3 + l) as u32);
    converts([2, 3, 2, 3, 2, 9], |index| index.iter().fold(1_u64, |all, &one| all * 10 + one as u64));
    converts([], |[]| 4.5_f64);
}
