//! The reductions along axes that have names.

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::reducers::{MaxLocValue, MinLocValue};

use crate::axis::{element, wanted};
use crate::equal::{EDGES, assert_same, noise, rough};
use crate::oracle;
use crate::spaces::every;

/// Extents about lanes and tiles, with the long axis first or last, and without elements.
const EXTENTS: [[usize; 2]; 10] =
    [[1, 1], [3, 33], [40, 31], [65, 2], [2049, 3], [2, 4100], [300, 70], [0, 4], [4, 0], [0, 0]];

/// All NaNs count as equal: the payload of the result is unspecified.
fn one_nan(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Numbers among which the same one comes up often, with NaN, infinities and zeros of both signs.
fn edge([i, j]: [usize; 2]) -> f64 {
    EDGES[(noise(i * 131 + j).abs() * EDGES.len() as f64) as usize]
}

/// Reduces `x` along one axis by each of these functions, and compares with the reduction of each row by the reducer.
macro_rules! named {
    ($space:ident, $x:ident, $axis:ident, $out:ty, |$fix:pat_param| $fixed:expr;
        $($name:ident $(($more:expr))?: $reducer:expr, |$value:pat_param, $index:pat_param, $k:pat_param| $contribute:expr => $finish:expr;)*
    ) => {$({
        let extents = $x.extents();
        let mut out = $space.zeros::<$out, 1>("out", [extents[1 - $axis]]).expect("memory");
        $name($space, &$x, [$axis], &mut out $(, $more)?).expect("the extents fit");
        let fix = |$fix: $out| $fixed;
        let found: Vec<_> = out.to_host().expect("memory").iter().map(|&out| fix(out)).collect();
        let rows = wanted(extents, &[$axis], &$reducer, |$value, $index, $k| $contribute);
        let finish = $finish;
        let rows: Vec<_> = rows.into_iter().map(|row| fix(finish(row, extents[$axis]))).collect();
        assert_same(&found, &rows, format!("{} of {extents:?} along {}", stringify!($name), $axis));
    })*};
}

/// The element at an index, in the accumulator of an output of `f64`.
fn wide(index: [usize; 2]) -> f64 {
    f64::from(element(index))
}

every! { on_every_space:
    fn sums_and_their_kin_have_the_canonical_bits(space, _setting) {
        for extents in EXTENTS {
            let x = space.view_from_fn("x", extents, element).expect("memory");
            for axis in [0, 1] {
                let (sum, moments) = (Sum::<f64>::new(), Welford::<f64>::new());
                named! { space, x, axis, f64, |x| one_nan(x);
                    sum_axes: sum, |sum, at, _| *sum += wide(at) => |sum, _| sum;
                    product_axes: Prod::<f64>::new(), |product, at, _| *product *= wide(at) => |product, _| product;
                    mean_axes: sum, |sum, at, _| *sum += wide(at) => |sum, n| sum / n as f64;
                    norm_l1_axes: sum, |sum, at, _| *sum += wide(at).abs() => |sum, _| sum;
                    norm_squared_axes: sum, |sum, at, _| *sum += wide(at) * wide(at) => |sum, _| sum;
                    norm_l2_axes: sum, |sum, at, _| *sum += wide(at) * wide(at) => |sum: f64, _| sum.sqrt();
                    norm_max_axes: Max::<f64>::new(), |max, at, _| *max = max.max(wide(at).abs()) => |max: f64, _| max.max(0.0);
                    variance_axes(1): moments, |moments, at, _| moments.update(wide(at)) => |moments: Moments<f64>, _| moments.variance(1);
                    standard_deviation_axes(0): moments, |moments, at, _| moments.update(wide(at))
                        => |moments: Moments<f64>, _| moments.variance(0).sqrt();
                }
            }
        }
    }

    fn extrema_and_their_positions(space, _setting) {
        for extents in EXTENTS {
            let x = space.view_from_fn("x", extents, edge).expect("memory");
            for axis in [0, 1] {
                let (min, max) = (Min::<f64>::new(), Max::<f64>::new());
                let (least, most) = (MinLoc::<f64>::new(), MaxLoc::<f64>::new());
                named! { space, x, axis, f64, |x| one_nan(x);
                    min_axes: min, |min, at, _| if edge(at) < *min { *min = edge(at) } => |min, _| min;
                    max_axes: max, |max, at, _| if edge(at) > *max { *max = edge(at) } => |max, _| max;
                    // Once NaN, always NaN.
                    minimum_axes: (min, LOr::<bool>::new()), |(min, nan), at, _| {
                        *nan |= edge(at).is_nan();
                        if edge(at) < *min { *min = edge(at) }
                    } => |(min, nan), _| if nan { f64::NAN } else { min };
                    maximum_axes: (max, LOr::<bool>::new()), |(max, nan), at, _| {
                        *nan |= edge(at).is_nan();
                        if edge(at) > *max { *max = edge(at) }
                    } => |(max, nan), _| if nan { f64::NAN } else { max };
                }
                named! { space, x, axis, usize, |x| x;
                    arg_min_axes: least, |least, at, k| least.update(edge(at), k) => |least: MinLocValue<f64>, _| least.loc;
                    arg_max_axes: most, |most, at, k| most.update(edge(at), k) => |most: MaxLocValue<f64>, _| most.loc;
                }
                named! { space, x, axis, bool, |x| x;
                    any_axes(|x: f64| x == f64::MAX): LOr::<bool>::new(), |any, at, _| *any |= edge(at) == f64::MAX => |any, _| any;
                    all_axes(|x: f64| x != f64::MAX): LAnd::<bool>::new(), |all, at, _| *all &= edge(at) != f64::MAX => |all, _| all;
                }
            }
        }
    }

    fn integers_have_wider_accumulators(space, _setting) {
        let narrow = |[i, j]: [usize; 2]| (noise(i * 57 + j) * 128.0) as i8;
        for extents in EXTENTS {
            let x = space.view_from_fn("x", extents, narrow).expect("memory");
            for axis in [0, 1] {
                named! { space, x, axis, i32, |x| x;
                    sum_axes: Sum::<i32>::new(), |sum, at, _| *sum += i32::from(narrow(at)) => |sum, _| sum;
                }
                named! { space, x, axis, i64, |x| x;
                    product_axes: Prod::<i64>::new(), |product, at, _| *product = product.wrapping_mul(i64::from(narrow(at)))
                        => |product, _| product;
                }
                named! { space, x, axis, f64, |x| one_nan(x);
                    mean_axes: Sum::<i32>::new(), |sum, at, _| *sum += i32::from(narrow(at)) => |sum, n| f64::from(sum) / n as f64;
                }
            }
        }
    }

    fn ties_go_to_the_smallest_position(space, _setting) {
        // Case 12, smaller: seven equal minima, then all values equal.
        let n = 200_000;
        let place = |x: &View<f64, 1, S::Memory>| {
            let mut place = space.zeros::<usize, 0>("place", []).expect("memory");
            arg_min_axes(space, x, [0], &mut place).expect("fits");
            place.to_host().expect("memory").value()
        };
        assert_eq!(place(&space.view_from_fn("x", [4], |[i]| [3.0, 1.0, 1.0, 2.0][i]).expect("memory")), 1);
        let planted = space.view_from_fn("x", [n], |[i]| if i % 28_571 == 17 { -1.0 } else { (i % 99) as f64 }).expect("memory");
        assert_eq!(place(&planted), 17);
        assert_eq!(place(&space.view_from_fn("x", [n], |_| f64::INFINITY).expect("memory")), 0);
    }

    fn positions_count_in_the_box_of_several_axes(space, _setting) {
        let extents = [6, 40, 5];
        let value = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 31) as u32;
        let x = space.view_from_fn("x", extents, value).expect("memory");
        let mut places = space.zeros::<usize, 1>("places", [40]).expect("memory");
        let column = |j: usize| (0..30).map(move |k| value([k / 5, j, k % 5]));
        arg_min_axes(space, &x, [2, 0], &mut places).expect("fits");
        let first = |j: usize, best: u32| column(j).position(|x| x == best).expect("it is there");
        let wanted: Vec<usize> = (0..40).map(|j| first(j, column(j).min().expect("30"))).collect();
        assert_eq!(places.to_host().expect("memory").to_vec(), wanted);
        arg_max_axes(space, &x, [0, 2], &mut places).expect("fits");
        let wanted: Vec<usize> = (0..40).map(|j| first(j, column(j).max().expect("30"))).collect();
        assert_eq!(places.to_host().expect("memory").to_vec(), wanted);
    }

    fn moments_do_not_cancel(space, _setting) {
        let n = [3, 9001];
        let small = |i: usize, j: usize| rough(i * 9001 + j).clamp(-9.0, 9.0);
        let x = space.view_from_fn("x", n, |[i, j]| 1e9 + small(i, j)).expect("memory");
        let mut out = space.zeros::<f64, 1>("out", [3]).expect("memory");
        variance_axes(space, &x, [1], &mut out, 1).expect("fits");
        let out = out.to_host().expect("memory");
        for i in 0..3 {
            let (mean, _) = oracle::exact_sum((0..n[1]).map(|j| small(i, j)));
            let (squares, _) = oracle::exact_sum((0..n[1]).map(|j| (small(i, j) - mean / n[1] as f64).powi(2)));
            let wanted = squares / (n[1] - 1) as f64;
            assert!((out[i] - wanted).abs() < 1e-6 * wanted, "{} {wanted}", out[i]);
        }
    }

    fn nothing_is_the_identity(space, _setting) {
        // Case 10.
        let x = space.zeros::<f64, 2>("x", [0, 4]).expect("memory");
        macro_rules! nothing {
            ($($name:ident $(($more:expr))?: $type:ty = $wanted:expr;)*) => {$(
                let mut out = space.zeros::<$type, 1>("out", [4]).expect("memory");
                $name(space, &x, [0], &mut out $(, $more)?).expect("fits");
                let found: Vec<$type> = out.to_host().expect("memory").to_vec();
                assert!(found.iter().all(|&x| x == $wanted), "{}: {found:?}", stringify!($name));
            )*};
        }
        nothing! {
            sum_axes: f64 = 0.0;
            product_axes: f64 = 1.0;
            min_axes: f64 = f64::INFINITY;
            max_axes: f64 = f64::NEG_INFINITY;
            minimum_axes: f64 = f64::INFINITY;
            maximum_axes: f64 = f64::NEG_INFINITY;
            norm_l1_axes: f64 = 0.0;
            norm_squared_axes: f64 = 0.0;
            norm_l2_axes: f64 = 0.0;
            norm_max_axes: f64 = 0.0;
            arg_min_axes: usize = usize::MAX;
            arg_max_axes: usize = usize::MAX;
            any_axes(|x: f64| x == f64::MAX): bool = false;
            all_axes(|x: f64| x != f64::MAX): bool = true;
        }
        let mut out = space.zeros::<f64, 1>("out", [4]).expect("memory");
        mean_axes(space, &x, [0], &mut out).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|x| x.is_nan()));
        for correction in [0, 1] {
            deep_copy_scalar(&mut out, 0.0).expect("memory");
            variance_axes(space, &x, [0], &mut out, correction).expect("fits");
            assert!(out.to_host().expect("memory").iter().all(|x| x.is_nan()));
        }
        // One element less one leaves nothing to divide by.
        let one = space.zeros::<f64, 2>("one", [1, 4]).expect("memory");
        variance_axes(space, &one, [0], &mut out, 1).expect("fits");
        assert!(out.to_host().expect("memory").iter().all(|x| x.is_nan()));
    }

    fn nan_is_ignored_or_propagated_wherever_it_stands(space, _setting) {
        // Case 11, smaller: row and column i have their NaN at i.
        let n = 70;
        let x = space.view_from_fn("x", [n, n], |[i, j]| match i.abs_diff(j) {
            0 => f64::NAN,
            apart => apart as f64,
        }).expect("memory");
        let mut out = space.zeros::<f64, 1>("out", [n]).expect("memory");
        for axis in [0, 1] {
            min_axes(space, &x, [axis], &mut out).expect("fits");
            assert!(out.to_host().expect("memory").iter().all(|&min| min == 1.0));
            max_axes(space, &x, [axis], &mut out).expect("fits");
            assert!(out.to_host().expect("memory").iter().all(|&max| max >= 35.0));
            minimum_axes(space, &x, [axis], &mut out).expect("fits");
            assert!(out.to_host().expect("memory").iter().all(|min| min.is_nan()));
            maximum_axes(space, &x, [axis], &mut out).expect("fits");
            assert!(out.to_host().expect("memory").iter().all(|max| max.is_nan()));
        }
        let x = space.view_from_fn("x", [2, 3], |[i, j]| [[3.0, f64::NAN, 1.0], [f64::NAN; 3]][i][j]).expect("memory");
        let mut out = space.zeros::<f64, 1>("out", [2]).expect("memory");
        min_axes(space, &x, [1], &mut out).expect("fits");
        assert_eq!(out.to_host().expect("memory").to_vec(), [1.0, f64::INFINITY]);
        let mut places = space.zeros::<usize, 1>("places", [2]).expect("memory");
        arg_min_axes(space, &x, [1], &mut places).expect("fits");
        assert_eq!(places.to_host().expect("memory").to_vec(), [2, usize::MAX]);
    }
}

#[cfg(feature = "half")]
every! { on_every_space:
    fn half_precision_is_accumulated_in_single(space, _setting) {
        // Case 4.
        use half::{bf16, f16};
        for n in [4096, 70_000] {
            let x = space.view_from_fn("x", [n, 2], |[_, j]| if j == 0 { f16::ONE } else { f16::NEG_ONE }).expect("memory");
            let mut single = space.zeros::<f32, 1>("single", [2]).expect("memory");
            sum_axes(space, &x, [0], &mut single).expect("fits");
            assert_eq!(single.to_host().expect("memory").to_vec(), [n as f32, -(n as f32)]);
            let mut half = space.zeros::<f16, 1>("half", [2]).expect("memory");
            sum_axes(space, &x, [0], &mut half).expect("fits");
            let found = half.to_host().expect("memory").to_vec();
            assert_eq!(found, [f16::from_f32(n as f32), f16::from_f32(-(n as f32))]);
            assert!(n == 4096 || found[0].is_infinite());
            mean_axes(space, &x, [0], &mut half).expect("fits");
            assert_eq!(half.to_host().expect("memory").to_vec(), [f16::ONE, f16::NEG_ONE]);
        }
        let x = space.view_from_fn("x", [2, 1000], |_| bf16::ONE).expect("memory");
        let mut sums = space.zeros::<bf16, 1>("sums", [2]).expect("memory");
        sum_axes(space, &x, [1], &mut sums).expect("fits");
        assert_eq!(sums.to_host().expect("memory").to_vec(), [bf16::from_f32(1000.0); 2]);
    }
}
