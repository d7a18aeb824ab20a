//! Vectors from and to slices by indices, and as neutral values of reducers: what kernels on a device do not do.

use spelt_core::reducers::{BAnd, BOr, Prod, Reducer, Sum};
use spelt_simd::{Mask, Simd};

/// Every mask of four lanes.
fn masks() -> impl Iterator<Item = Mask<4>> {
    (0..16).map(|bits| Mask::from_fn(|lane| bits >> lane & 1 == 1))
}

#[test]
fn indices_gather_and_scatter_where_the_mask_is_set() {
    let slice = [10, 11, 12, 13, 14];
    for indices in [[0, 1, 2, 3], [4, 4, 0, 5], [usize::MAX, 2, 2, 2]] {
        for mask in masks() {
            let at = |lane: usize| mask.test(lane).then(|| slice.get(indices[lane])).flatten();
            let found = Simd::gather_select(&slice, mask, Simd::from_array(indices), Simd::splat(-1));
            assert_eq!(found, Simd::from_fn(|lane| *at(lane).unwrap_or(&-1)), "{indices:?} {mask:?}");

            let mut wanted = slice;
            for lane in 0..4 {
                if at(lane).is_some() {
                    wanted[indices[lane]] = lane as i32;
                }
            }
            let mut written = slice;
            Simd::from_array([0, 1, 2, 3]).scatter_select(&mut written, mask, Simd::from_array(indices));
            assert_eq!(written, wanted, "{indices:?} {mask:?}");
        }
    }
    assert_eq!(Simd::gather_or(&slice, Simd::from_array([4, 9]), Simd::splat(0)).to_array(), [14, 0]);
    let mut written = slice;
    Simd::from_array([1, 2]).scatter(&mut written, Simd::from_array([4, 9]));
    assert_eq!(written, [10, 11, 12, 13, 1]);
}

#[test]
fn slices_that_are_too_short_are_refused() {
    let message = |run: fn()| *std::panic::catch_unwind(run).unwrap_err().downcast::<String>().unwrap();
    let wanted = "a vector has 4 lanes, but the slice has 3 elements";
    assert_eq!(message(|| _ = Simd::<u8, 4>::from_slice(&[1, 2, 3])), wanted);
    assert_eq!(message(|| Simd::<u8, 4>::splat(1).copy_to_slice(&mut [1, 2, 3])), wanted);
    // The lanes that are there, of a longer slice.
    assert_eq!(Simd::<u8, 2>::from_slice(&[1, 2, 3]).to_array(), [1, 2]);
}

/// A value is neutral if all of its lanes are.
fn neutral<R: Reducer<Value: PartialEq + std::fmt::Debug>>(reducer: R, other: R::Value) {
    let neutral = reducer.neutral().expect("lanes have neutral values");
    assert!(reducer.is_neutral(&neutral));
    assert!(!reducer.is_neutral(&other), "{other:?}");
}

#[test]
fn neutral_vectors_have_neutral_lanes() {
    neutral(Sum::<Simd<f64, 2>>::new(), Simd::from_array([-0.0, 0.0]));
    neutral(Sum::<Simd<u8, 2>>::new(), Simd::from_array([1, 0]));
    neutral(Prod::<Simd<f32, 2>>::new(), Simd::from_array([1.0, 2.0]));
    neutral(BOr::<Simd<u8, 2>>::new(), Simd::from_array([0, 1]));
    neutral(BAnd::<Simd<u8, 2>>::new(), Simd::from_array([255, 254]));
    let zeros = Sum::<Simd<f64, 2>>::new().neutral().unwrap();
    assert!(zeros.to_array().iter().all(|zero| zero.is_sign_negative()));
}
