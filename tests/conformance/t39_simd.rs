//! Vectors of lanes, against the operations of the language on single numbers.

use spelt::prelude::*;
use spelt::simd::{Mask, Simd, SimdElement};

use crate::equal::{Bits, EDGES, assert_same, borders, rough};
use crate::oracle;
use crate::spaces::every;

impl<T: SimdElement + Bits, const N: usize> Bits for Simd<T, N> {
    fn push_bits(&self, words: &mut Vec<u64>) {
        self.to_array().push_bits(words);
    }
}

const EDGES_F32: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::MIN_POSITIVE,
    f32::MIN_POSITIVE / 4.0,
    -f32::MIN_POSITIVE / 8.0,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    16_777_217.0,
    f32::EPSILON,
];
const EDGES_I32: [i32; 8] = [0, 1, -1, 7, -12345, i32::MAX, i32::MIN, i32::MIN + 1];
const EDGES_U8: [u8; 8] = [0, 1, 2, 7, 99, 128, 200, 255];

/// The numbers of pair `pair` of `edges`, and a third one; all pairs are below the square of their number.
fn of_pair<T: Copy>(edges: &[T], pair: usize) -> [T; 3] {
    let n = edges.len();
    [edges[pair / n % n], edges[pair % n], edges[(pair / n * 3 + pair * 5 + 1) % n]]
}

/// The joins of 8 lanes, of their first 4 and of their first 3, in the order of the documentation.
fn halved<T: Copy>(a: [T; 8], join: impl Fn(T, T) -> T) -> [T; 3] {
    let four = |a: T, b: T, c: T, d: T| join(join(a, c), join(b, d));
    let eight = four(join(a[0], a[4]), join(a[1], a[5]), join(a[2], a[6]), join(a[3], a[7]));
    [eight, four(a[0], a[1], a[2], a[3]), join(join(a[0], a[2]), a[1])]
}

/// Reductions of a vector in a kernel: sum, product, minimum and maximum of 8, 4 and 3 lanes.
fn reductions<T: SimdElement>(a: Simd<T, 8>) -> [[T; 3]; 4] {
    let four = Simd::<T, 4>::from_slice(&a.to_array());
    let three = Simd::<T, 3>::from_fn(|lane| a[lane]);
    [
        [a.reduce_sum(), four.reduce_sum(), three.reduce_sum()],
        [a.reduce_product(), four.reduce_product(), three.reduce_product()],
        [a.reduce_min(), four.reduce_min(), three.reduce_min()],
        [a.reduce_max(), four.reduce_max(), three.reduce_max()],
    ]
}

/// The comparisons of two vectors, combinations of them, and what is asked of each.
fn masks<T: SimdElement>(x: Simd<T, 4>, y: Simd<T, 4>) -> ([Mask<4>; 10], [(bool, bool, usize); 10]) {
    let [eq, ne, lt, le, gt, ge] =
        [x.simd_eq(y), x.simd_ne(y), x.simd_lt(y), x.simd_le(y), x.simd_gt(y), x.simd_ge(y)];
    let masks = [eq, ne, lt, le, gt, ge, lt & ne, eq | gt, le ^ ge, !lt];
    let mut asked = [(false, false, 0); 10];
    for (asked, mask) in asked.iter_mut().zip(masks) {
        *asked = (mask.any(), mask.all(), mask.count());
    }
    (masks, asked)
}

#[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is not less")]
fn truths<T: PartialOrd>(x: T, y: T) -> [bool; 10] {
    let [lt, le, gt, ge] = [x < y, x <= y, x > y, x >= y];
    [x == y, x != y, lt, le, gt, ge, lt && x != y, x == y || gt, le != ge, !(x < y)]
}

/// Compares the results for each pair of edge values with those of single numbers: a kernel computes four pairs at a time.
fn check<S: ExecutionSpace, T: SimdElement + Bits, const K: usize>(
    edges: &[T],
    single: impl Fn([T; 3]) -> [T; K],
    join: [fn(T, T) -> T; 4],
    bits: fn(T) -> u64,
    results: View<[Simd<T, 4>; K], 1, S::Memory>,
    compared: Compared<S>,
    reduced: Reduced<S, T>,
) {
    let results = results.to_host().expect("memory");
    let (masks, asked) = (compared.0.to_host().expect("memory"), compared.1.to_host().expect("memory"));
    let reduced = reduced.to_host().expect("memory");
    for pair in 0..edges.len() * edges.len() {
        let (vector, lane, numbers) = (pair / 4, pair % 4, of_pair(edges, pair));
        let found = results[vector].map(|result| bits(result[lane]));
        assert_eq!(found, single(numbers).map(bits), "pair {pair}: {numbers:?}");
        let wanted = truths(numbers[0], numbers[1]);
        assert_eq!(masks[vector].map(|mask| mask.test(lane)), wanted, "pair {pair}: {numbers:?}");
    }
    for vector in 0..edges.len() * edges.len() / 4 {
        let of = |mask: Mask<4>| mask.to_array().into_iter().filter(|set| *set).count();
        let wanted = masks[vector].map(|mask| (of(mask) > 0, of(mask) == 4, of(mask)));
        assert_eq!(asked[vector], wanted, "vector {vector}");
        let eight = core::array::from_fn(|lane| of_pair(edges, 4 * vector + 7 * lane)[0]);
        let wanted = join.map(|join| halved(eight, join).map(bits));
        assert_eq!(reduced[vector].map(|each| each.map(bits)), wanted, "vector {vector}: {eight:?}");
    }
}

type Compared<S> = (
    View<[Mask<4>; 10], 1, <S as ExecutionSpace>::Memory>,
    View<[(bool, bool, usize); 10], 1, <S as ExecutionSpace>::Memory>,
);
type Reduced<S, T> = View<[[T; 3]; 4], 1, <S as ExecutionSpace>::Memory>;

/// Runs a kernel with all operations over all pairs of edge values: `$results` of the vectors, against `$single` of the numbers.
macro_rules! operations {
    ($space:ident, $edges:ident, $results:ident, $single:ident, $join:expr, $bits:expr) => {{
        let n = $edges.len() * $edges.len() / 4;
        let xyz = $space
            .view_from_fn("xyz", [n], |[i]| {
                [0, 1, 2].map(|part| Simd::<_, 4>::from_fn(|lane| of_pair(&$edges, 4 * i + lane)[part]))
            })
            .expect("memory");
        let eight = $space
            .view_from_fn("eight", [n], |[i]| {
                Simd::<_, 8>::from_fn(|lane| of_pair(&$edges, 4 * i + 7 * lane)[0])
            })
            .expect("memory");
        let mut results = $space.zeros("results", [n]).expect("memory");
        let mut found = $space.zeros("masks", [n]).expect("memory");
        let mut asked = $space.zeros("asked", [n]).expect("memory");
        let mut reduced = $space.zeros("reduced", [n]).expect("memory");
        let args = (&xyz, &eight, &mut results, &mut found, &mut asked, &mut reduced);
        parallel_for(
            "operations",
            $space.range(0..n),
            args,
            move |i, (xyz, eight, mut r, mut f, mut a, mut h)| {
                r[i] = $results(xyz[i]);
                (f[i], a[i]) = masks(xyz[i][0], xyz[i][1]);
                h[i] = reductions(eight[i]);
            },
        )
        .expect("covered");
        check::<S, _, _>(&$edges, $single, $join, $bits, results, (found, asked), reduced);
    }};
}

macro_rules! floats {
    ($($float:ident: $results:ident, $single:ident;)*) => {$(
        fn $results([x, y, z]: [Simd<$float, 4>; 3]) -> [Simd<$float, 4>; 20] {
            let mut assigned = x;
            assigned += y;
            assigned *= 2.0;
            assigned -= z;
            assigned /= y;
            [
                x + y, x - y, x * y, x / y, x % y, 2.0 * x, 1.0 / x, 0.5 - x, x - 0.5, -x,
                assigned, x.abs(), x.sqrt(), x.copysign(y), x.mul_add(y, z), x.map($float::floor),
                x.simd_min(y), x.simd_max(y), x.simd_clamp(y, z),
                x.simd_lt(y).select(x, z),
            ]
        }

        fn $single([x, y, z]: [$float; 3]) -> [$float; 20] {
            let least = |x: $float, y: $float| if y < x || x.is_nan() && !y.is_nan() { y } else { x };
            let most = |x: $float, y: $float| if y > x || x.is_nan() && !y.is_nan() { y } else { x };
            [
                x + y, x - y, x * y, x / y, x % y, 2.0 * x, 1.0 / x, 0.5 - x, x - 0.5, -x,
                ((x + y) * 2.0 - z) / y, x.abs(), x.sqrt(), x.copysign(y), x.mul_add(y, z), x.floor(),
                least(x, y), most(x, y), least(most(x, y), z),
                if x < y { x } else { z },
            ]
        }
    )*};
}
#[rustfmt::skip]
floats! {
    f64: of_f64, single_f64;
    f32: of_f32, single_f32;
}

macro_rules! integers {
    ($($int:ident: $results:ident, $single:ident;)*) => {$(
        fn $results([x, y, z]: [Simd<$int, 4>; 3]) -> [Simd<$int, 4>; 18] {
            let mut assigned = x;
            assigned += y;
            assigned <<= 3;
            assigned ^= z;
            [
                x + y, x - y, x * y, x / (y | 1), x % (y | 1), 2 * x, x - 1, x & y, x | y, x ^ y, !x, x << 3,
                x >> 2, x << $int::BITS + 1, assigned, x.simd_min(y), x.simd_clamp(y, z), x.simd_ge(y).select(x, z),
            ]
        }

        fn $single([x, y, z]: [$int; 3]) -> [$int; 18] {
            [
                x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y), x.wrapping_div(y | 1), x.wrapping_rem(y | 1),
                x.wrapping_mul(2), x.wrapping_sub(1), x & y, x | y, x ^ y, !x, x << 3, x >> 2, x << 1,
                (x.wrapping_add(y) << 3) ^ z, x.min(y), x.max(y).min(z), if x >= y { x } else { z },
            ]
        }
    )*};
}
#[rustfmt::skip]
integers! {
    i32: of_i32, single_i32;
    u8: of_u8, single_u8;
}

/// The bits of a float, one pattern for all NaNs: those of a result are not promised.
fn of_float(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

fn least<T: PartialOrd>(x: T, y: T) -> T {
    #[expect(clippy::eq_op, reason = "finds NaN")]
    if y < x || x != x && y == y { y } else { x }
}

fn most<T: PartialOrd>(x: T, y: T) -> T {
    #[expect(clippy::eq_op, reason = "finds NaN")]
    if y > x || x != x && y == y { y } else { x }
}

every! { on_every_space:
    fn lanes_of_f64_are_numbers(space, _setting) {
        operations!(space, EDGES, of_f64, single_f64, [|x, y| x + y, |x, y| x * y, least, most], of_float);
    }

    fn lanes_of_f32_are_numbers(space, _setting) {
        let of_f32_bits = |x: f32| of_float(f64::from(x));
        operations!(space, EDGES_F32, of_f32, single_f32, [|x, y| x + y, |x, y| x * y, least, most], of_f32_bits);
    }

    fn lanes_of_integers_are_numbers_that_wrap(space, _setting) {
        operations!(space, EDGES_I32, of_i32, single_i32, [i32::wrapping_add, i32::wrapping_mul, least, most], |x| x as u64);
        operations!(space, EDGES_U8, of_u8, single_u8, [u8::wrapping_add, u8::wrapping_mul, least, most], u64::from);
    }

    fn lanes_are_cast_as_numbers_are(space, _setting) {
        let n = EDGES.len();
        let x = space.view_from_fn("x", [n], |[i]| Simd::<f64, 2>::from_array([EDGES[i], 300.7 - 100.0 * i as f64])).expect("memory");
        let mut y = space.zeros::<(Simd<u8, 2>, Simd<i64, 2>, Simd<f32, 2>), 1>("y", [n]).expect("memory");
        parallel_for("cast", space.range(0..n), (&x, &mut y), move |i, (x, mut y)| {
            y[i] = (x[i].cast(), x[i].cast(), x[i].cast::<i32>().cast());
        }).expect("covered");
        let y = y.to_host().expect("memory");
        for i in 0..n {
            for (lane, x) in [EDGES[i], 300.7 - 100.0 * i as f64].into_iter().enumerate() {
                let found = (y[i].0[lane], y[i].1[lane], y[i].2[lane]);
                assert_eq!(found, (x as u8, x as i64, x as i32 as f32), "{x}");
            }
        }
    }

    fn vectors_of_any_length_have_their_lanes(space, _setting) {
        lengths::<S, 1>(space);
        lengths::<S, 2>(space);
        lengths::<S, 5>(space);
        lengths::<S, 16>(space);
        lengths::<S, 64>(space);
    }
}

fn lengths<S: ExecutionSpace, const N: usize>(space: &S) {
    let n = 37;
    let value = |i: usize, lane: usize| rough(i * N + lane) as f32;
    let x =
        space.view_from_fn("x", [n], |[i]| Simd::<f32, N>::from_fn(|lane| value(i, lane))).expect("memory");
    let mut y = space.zeros::<(Simd<f32, N>, Mask<N>, f32), 1>("y", [n]).expect("memory");
    parallel_for("lengths", space.range(0..n), (&x, &mut y), move |i, (x, mut y)| {
        let positive = x[i].simd_gt(Simd::splat(0.0));
        let chosen = positive.select(x[i] * 3.0 + 1.0, -x[i]);
        y[i] = (chosen, positive, chosen.reduce_sum());
    })
    .expect("covered");
    let y = y.to_host().expect("memory");
    for i in 0..n {
        let x: Vec<f32> = (0..N).map(|lane| value(i, lane)).collect();
        let mut chosen: Vec<f32> = x.iter().map(|&x| if x > 0.0 { x * 3.0 + 1.0 } else { -x }).collect();
        assert_same(&y[i].0.to_array().to_vec(), &chosen, format!("{N} lanes"));
        assert_eq!(y[i].1.to_array().to_vec(), x.iter().map(|&x| x > 0.0).collect::<Vec<_>>());
        // The upper half joins the lower; of an odd number, the lane in the middle waits.
        while chosen.len() > 1 {
            let upper = chosen.split_off(chosen.len().div_ceil(2));
            upper.iter().enumerate().for_each(|(lane, upper)| chosen[lane] += upper);
        }
        assert_same(&y[i].2, &chosen[0], format!("{N} lanes"));
    }
}

every! { on_every_setting:
    fn sums_of_vectors_follow_the_canonical_order(space, setting) {
        let of = |i: usize| Simd::<f64, 4>::from_fn(|lane| rough(4 * i + lane));
        let sum = Sum::<Simd<f64, 4>>::new();
        for n in borders(size_of::<Simd<f64, 4>>()) {
            let x = space.view_from_fn("x", [n], |[i]| of(i)).expect("memory");
            let found = parallel_map_reduce("sum", setting.range(space, 0..n), &x, move |i, x| x[i] * 1.5, sum).expect("covered");
            assert_same(&found, &oracle::reduce(&sum, n, |i, sum| *sum += of(i) * 1.5), format!("{n} vectors"));
        }
    }
}

every! { on_every_space:
    fn other_reducers_take_vectors(space, setting) {
        let (n, of) = (1000, |i: usize| Simd::<u32, 4>::from_fn(|lane| (i * 7919 + lane * 31) as u32 % 1021));
        let x = space.view_from_fn("x", [n], |[i]| of(i)).expect("memory");
        let reducers = (Prod::<Simd<u32, 4>>::new(), BOr::<Simd<u32, 4>>::new(), Elementwise::<Min<u32>, 4>::new(Min::new()));
        let found = parallel_reduce("all", setting.range(space, 0..n), &x, move |i, (product, bits, least), x| {
            *product *= x[i] | 1;
            *bits |= x[i];
            *least = Simd::from_array(*least).simd_min(x[i]).to_array();
        }, reducers).expect("covered");
        let lane = |lane: usize| (0..n).map(move |i| of(i)[lane]);
        for l in 0..4 {
            assert_eq!(found.0[l], lane(l).fold(1, |product: u32, x| product.wrapping_mul(x | 1)));
            assert_eq!(found.1[l], lane(l).fold(0, |bits, x| bits | x));
            assert_eq!(Some(found.2[l]), lane(l).min());
        }
    }

    fn scans_take_vectors(space, setting) {
        let of = |i: usize| Simd::<f32, 8>::from_fn(|lane| rough(8 * i + lane) as f32);
        let sum = Sum::<Simd<f32, 8>>::new();
        for n in [1, 100, 3000] {
            let x = space.view_from_fn("x", [n], |[i]| of(i)).expect("memory");
            let mut y = space.zeros::<Simd<f32, 8>, 1>("y", [n]).expect("memory");
            let total = parallel_scan("scan", setting.range(space, 0..n), (&x, &mut y), move |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum;
                }
            }, sum).expect("covered");
            let (prefixes, wanted) = oracle::scan(&sum, n, |i, sum| *sum += of(i));
            assert_same(&y.to_host().expect("memory").to_vec(), &prefixes, n);
            assert_same(&total, &wanted, n);
        }
    }
}
