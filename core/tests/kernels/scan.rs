//! `parallel_scan`: the prefixes and totals of `Serial`, regardless of the type, the size and the timing of blocks.

use spelt_core::reducers::{Elementwise, Max, Min, MinMaxLoc, Reducer, Sum, custom};
use spelt_core::{Cuda, ExecutionSpace, parallel_for, parallel_scan, parallel_scan_into};

use crate::{device, elements, host, noise};

/// One off the lengths of rows, warps' and blocks' shares of every type tested here, and many shares.
const SIZES: [usize; 20] =
    [0, 1, 2, 31, 33, 64, 65, 479, 481, 2047, 2048, 2049, 3839, 3840, 3841, 4096, 8191, 8193, 20_000, 70_001];

/// The outcome of a scan: every prefix, and the total.
type Left<T, V> = (Vec<T>, V);

/// Compares the results of `scan` on both spaces, for all sizes.
macro_rules! same {
    ($scan:expr) => {
        same!($scan, SIZES)
    };
    ($scan:expr, $sizes:expr) => {{
        let Some(space) = device() else { return };
        for n in $sizes {
            let (found, wanted) = ($scan(&space, n), $scan(&host(), n));
            for (index, pair) in found.0.iter().zip(&wanted.0).enumerate() {
                assert!(
                    bits(pair.0) == bits(pair.1),
                    "prefix {index} of {n}: {:?}, not {:?}",
                    pair.0,
                    pair.1
                );
            }
            assert!(found.0.len() == n && wanted.0.len() == n);
            assert!(bits(&found.1) == bits(&wanted.1), "total of {n}: {:?}, not {:?}", found.1, wanted.1);
        }
    }};
}

/// The bits of a value, as it is printed: of floats, the sign of zeros too, and every digit.
fn bits<T: core::fmt::Debug>(value: &T) -> String {
    format!("{value:?}")
}

/// Makes a generic function that scans `n` elements, made by `$make`, with a closure of a prefix `sum`.
macro_rules! scans {
    ($(#[$doc:meta])* $name:ident: $element:ty => $prefix:ty, $total:ty, $make:expr, $zero:expr, $reducer:expr,
        |$i:ident, $sum:ident, $last:ident, $x:ident, $y:ident| $body:block) => {
        $(#[$doc])*
        fn $name<S: ExecutionSpace>(space: &S, n: usize) -> Left<$prefix, $total> {
            let make: fn(usize) -> $element = $make;
            let x = space.view_from_fn("x", [n], |[i]| make(i)).unwrap();
            let mut y = space.view_from_fn("y", [n], |_| $zero).unwrap();
            let total = parallel_scan(stringify!($name), space.range(0..n), (&x, &mut y),
                |$i, $sum, $last, ($x, mut $y)| $body, $reducer).unwrap();
            (elements(&y.to_host().unwrap()), total)
        }
    };
}

scans! { sums_of_i32: i32 => i32, i32, |i| (i * 31 % 1009) as i32 - 400, 0, Sum::<i32>::new(),
|i, sum, last, x, y| { *sum += x[i]; if last { y[i] = *sum } } }
scans! { sums_of_u8: u8 => u8, u8, |i| (i * 31 % 1009) as u8, 0, Sum::<u8>::new(),
|i, sum, last, x, y| { *sum = sum.wrapping_add(x[i]); if last { y[i] = *sum } } }
scans! {
/// Exclusive.
sums_of_i64: i64 => i64, i64, |i| (i * 31 % 1009) as i64 - 400, 0, Sum::<i64>::new(),
|i, sum, last, x, y| { if last { y[i] = *sum } *sum += x[i]; } }
scans! { sums_of_u64: u64 => u64, u64, |i| noise(i).to_bits(), 0, Sum::<u64>::new(),
|i, sum, last, x, y| { *sum = sum.wrapping_add(x[i]); if last { y[i] = *sum } } }
scans! {
/// Of two zeros the first stays.
minima: f64 => f64, f64, |i| match i { 0 => 5.0, 1 => -0.0, 32 | 4000 => 0.0, _ => 1.0 + noise(i).abs() },
0.0, Min::<f64>::new(), |i, min, last, x, y| { *min = if x[i] < *min { x[i] } else { *min }; if last { y[i] = *min } } }
scans! { maxima: i32 => i32, i32, |i| (i * 7919 % 100_003) as i32, 0, Max::<i32>::new(),
|i, max, last, x, y| { *max = x[i].max(*max); if last { y[i] = *max } } }
scans! { locations: f64 => usize, spelt_core::reducers::MinMaxLocValue<f64>, noise, 0, MinMaxLoc::<f64>::new(),
|i, ends, last, x, y| { ends.update(x[i], i.get()); if last { y[i] = ends.min_loc ^ (ends.max_loc << 20) } } }
scans! { sums_of_f64: f64 => f64, f64, noise, 0.0, Sum::<f64>::new(),
|i, sum, last, x, y| { *sum += x[i]; if last { y[i] = *sum } } }
scans! {
/// Exclusive.
sums_of_f32: f32 => f32, f32, |i| noise(i) as f32, 0.0, Sum::<f32>::new(),
|i, sum, last, x, y| { if last { y[i] = *sum } *sum += x[i]; } }
scans! {
/// The closure may do anything with the running value.
decaying: f64 => f64, f64, noise, 0.0, Sum::<f64>::new(),
|i, sum, last, x, y| { *sum = (*sum + x[i]) * 0.75 - x[i] * x[i]; if last { y[i] = *sum } } }
scans! { tuples: f64 => (f64, [i64; 3]), (f64, [i64; 3]), noise, (0.0, [0; 3]),
(Sum::<f64>::new(), Elementwise::<_, 3>::new(Max::<i64>::new())),
|i, both, last, x, y| {
    both.0 += x[i];
    both.1[i.get() % 3] = both.1[i.get() % 3].max((i.get() * 7 % 10_007) as i64);
    if last { y[i] = *both }
} }

#[test]
fn sums_of_integers() {
    same!(sums_of_i32);
    same!(sums_of_u8);
    same!(sums_of_i64);
    same!(sums_of_u64);
}

#[test]
fn minima_and_maxima() {
    same!(minima);
    same!(maxima);
    same!(locations);
}

#[test]
fn sums_of_floats() {
    same!(sums_of_f64);
    same!(sums_of_f32);
    same!(decaying);
    same!(tuples);
}

// After the macro that it uses.
mod shares;

const PRIME: u64 = 1_000_003;

fn times(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    [
        (a[0] * b[0] + a[1] * b[2]) % PRIME,
        (a[0] * b[1] + a[1] * b[3]) % PRIME,
        (a[2] * b[0] + a[3] * b[2]) % PRIME,
        (a[2] * b[1] + a[3] * b[3]) % PRIME,
    ]
}

fn products<S: ExecutionSpace>(space: &S, n: usize) -> Left<[u64; 4], [u64; 4]> {
    let product = custom([1_u64, 0, 0, 1], |into: &mut [u64; 4], from: &[u64; 4]| *into = times(into, from))
        .non_commutative();
    let mut y = space.view_from_fn("y", [n], |_| [0; 4]).unwrap();
    let total = parallel_scan(
        "product",
        space.range(0..n),
        (&mut y,),
        |i, value, last, (mut y,)| {
            let i_ = i.get() as u64;
            *value = times(value, &[i_ % 89 + 1, i_ % 7, i_ % 13, 1]);
            if last {
                y[i] = *value;
            }
        },
        product,
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

#[test]
fn matrices_multiply_in_index_order() {
    same!(products);
}

/// A checksum of `B` bytes that depends on the order and the grouping of all joins.
#[derive(Clone, Copy)]
struct Checksum<const B: usize>;

fn mix(a: u8, b: u8, place: usize) -> u8 {
    a.wrapping_mul(31).rotate_left(3) ^ b.wrapping_mul(17).wrapping_add(place as u8)
}

impl<const B: usize> Reducer for Checksum<B> {
    type Value = [u8; B];
    type Output = [u8; B];
    fn init(&self) -> [u8; B] {
        [1; B]
    }
    fn join(&self, into: &mut [u8; B], from: &[u8; B]) {
        for place in 0..B {
            into[place] = mix(into[place], from[place], place);
        }
    }
    fn finish(&self, value: [u8; B]) -> [u8; B] {
        value
    }
}

fn checksums<S: ExecutionSpace, const B: usize>(space: &S, n: usize) -> Left<u8, [u8; B]> {
    let mut y = space.view_from_fn("y", [n], |_| 0_u8).unwrap();
    let total = parallel_scan(
        "checksum",
        space.range(0..n),
        (&mut y,),
        |i, value: &mut [u8; B], last, (mut y,)| {
            let place = i.get() % B;
            value[place] = mix(value[place], i.get() as u8, i.get() >> 8);
            if last {
                y[i] = value[(place + 1) % B] ^ value[place];
            }
        },
        Checksum::<B>,
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

/// Integers of any number, whose joins are exact.
fn counts<S: ExecutionSpace, const B: usize>(space: &S, n: usize) -> Left<u32, [u32; B]> {
    let mut y = space.view_from_fn("y", [n], |_| 0_u32).unwrap();
    let total = parallel_scan(
        "counts",
        space.range(0..n),
        (&mut y,),
        |i, value: &mut [u32; B], last, (mut y,)| {
            let place = i.get() * 7 % B;
            value[place] += i.get() as u32;
            if last {
                y[i] = value[(place + 1) % B] ^ value[place];
            }
        },
        Elementwise::<_, B>::new(Sum::<u32>::new()),
    )
    .unwrap();
    (elements(&y.to_host().unwrap()), total)
}

#[test]
fn values_of_all_sizes_join_as_on_the_host() {
    const SOME: [usize; 6] = [1, 33, 2049, 4097, 8193, 20_000];
    same!(checksums::<_, 1>, SOME);
    same!(checksums::<_, 7>, SOME);
    same!(checksums::<_, 24>, SOME);
    same!(checksums::<_, 40>, SOME);
    same!(checksums::<_, 100>, SOME);
    same!(checksums::<_, 120>, SOME);
    same!(checksums::<_, 300>, SOME);
    same!(checksums::<_, 700>, [1, 33, 2049]);
}

#[test]
fn exact_values_of_all_sizes_join_as_on_the_host() {
    const SOME: [usize; 4] = [1, 33, 1025, 4099];
    same!(counts::<_, 4>, SOME);
    same!(counts::<_, 11>, SOME);
    same!(counts::<_, 20>, SOME);
    same!(counts::<_, 50>, SOME);
    same!(counts::<_, 150>, [1, 33, 1025]);
}

fn boxed<S: ExecutionSpace>(space: &S, [n, m]: [usize; 2]) -> (Vec<f64>, f64, u64) {
    let mut y = space.zeros::<f64, 2>("y", [n + 1, m + 2]).unwrap();
    let mut z = space.zeros::<u64, 2>("z", [n + 1, m + 2]).unwrap();
    let ranges = || [1..n + 1, 2..m + 2];
    let sum = parallel_scan(
        "floats",
        space.md_range(ranges()),
        (&mut y,),
        |i, sum, last, (mut y,)| {
            let [row, column] = i.get();
            *sum += 1.0 / (row * 311 + column) as f64;
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    );
    let count = parallel_scan(
        "integers",
        space.md_range(ranges()),
        (&mut z,),
        |i, sum, last, (mut z,)| {
            let [row, column] = i.get();
            *sum += (row * 311 + column) as u64;
            if last {
                z[i] = *sum;
            }
        },
        Sum::<u64>::new(),
    );
    let mut all = elements(&y.to_host().unwrap());
    all.extend(elements(&z.to_host().unwrap()).iter().map(|&z| z as f64));
    (all, sum.unwrap(), count.unwrap())
}

#[test]
fn boxes_scan_with_the_last_index_fastest() {
    let Some(space) = device() else { return };
    for extents in [[200, 151], [3, 10_001], [30_001, 1], [1, 1], [0, 5], [7, 0]] {
        assert!(boxed(&space, extents) == boxed(&host(), extents), "{extents:?}");
    }
}

fn sum_of(n: usize, space: &impl ExecutionSpace) -> f64 {
    let add = Sum::<f64>::new();
    parallel_scan("sum", space.range(0..n), (), |i, sum, _, ()| *sum += i.get() as f64 * 0.1, add).unwrap()
}

#[test]
fn totals_go_to_views_without_waiting() {
    let Some(space) = device() else { return };
    let mut total = space.view_from_fn("total", [], |[]| 55.0_f64).unwrap();
    let mut doubled = space.zeros::<f64, 1>("doubled", [1]).unwrap();
    for n in [0, 1, 20_000] {
        parallel_scan_into(
            "sum",
            space.range(0..n),
            (),
            |i, sum, _, ()| *sum += i.get() as f64 * 0.1,
            Sum::<f64>::new(),
            &mut total,
        )
        .unwrap();
        parallel_for("double", space.range(0..1), (&total, &mut doubled), |i, (total, mut doubled)| {
            doubled[i] = 2.0 * total[[]];
        })
        .unwrap();
        let wanted = sum_of(n, &host());
        assert_eq!(total.to_host().unwrap().value().to_bits(), wanted.to_bits(), "{n}");
        assert_eq!(elements(&doubled.to_host().unwrap()), [2.0 * wanted], "{n}");
    }
}

#[test]
fn nothing_is_called_for_an_empty_range() {
    let Some(space) = device() else { return };
    let total = parallel_scan("nothing", space.range(5..5), (), |_, _, _, ()| panic!(), Sum::<u32>::new());
    assert_eq!(total.unwrap(), 0);
}

#[test]
fn ranges_begin_and_end_anywhere() {
    let Some(space) = device() else { return };
    let far = usize::MAX - 9000..usize::MAX;
    let max = Max::<usize>::new();
    let last = parallel_scan("far", space.range(far), (), |i, max, _, ()| *max = i.get().max(*max), max);
    assert_eq!(last.unwrap(), usize::MAX - 1);
    let wanted = parallel_scan(
        "part",
        host().range(1000..9777),
        (),
        |i, sum, _, ()| *sum += 1.0 / i.get() as f64,
        Sum::<f64>::new(),
    )
    .unwrap();
    let found = parallel_scan(
        "part",
        space.range(1000..9777),
        (),
        |i, sum, _, ()| *sum += 1.0 / i.get() as f64,
        Sum::<f64>::new(),
    )
    .unwrap();
    assert_eq!(found.to_bits(), wanted.to_bits());
}

#[test]
fn each_index_has_one_last_call_after_the_others() {
    let Some(space) = device() else { return };
    let n = 30_000;
    let mut calls = space.zeros::<u32, 1>("calls", [n]).unwrap();
    let mut wrong = space.zeros::<u32, 1>("wrong", [n]).unwrap();
    parallel_scan(
        "exact",
        space.range(0..n),
        (&mut calls, &mut wrong),
        |i, _, last, (mut calls, mut wrong)| {
            wrong[i] += u32::from(calls[i] >= 1000);
            calls[i] += if last { 1000 } else { 1 };
        },
        Sum::<u64>::new(),
    )
    .unwrap();
    parallel_scan(
        "floats",
        space.range(0..n),
        (&mut calls, &mut wrong),
        |i, _, last, (mut calls, mut wrong)| {
            wrong[i] += u32::from(calls[i] >= 2000);
            calls[i] += if last { 1000 } else { 1 };
        },
        Sum::<f64>::new(),
    )
    .unwrap();
    assert!(elements(&wrong.to_host().unwrap()).iter().all(|&wrong| wrong == 0));
    assert!(elements(&calls.to_host().unwrap()).iter().all(|&calls| (2000..=2004).contains(&calls)));
}

#[test]
fn prefixes_may_replace_their_input() {
    let Some(space) = device() else { return };
    let n = 25_000;
    let mut x = space.view_from_fn("x", [n], |[i]| i as u64).unwrap();
    parallel_scan(
        "in place",
        space.range(0..n),
        (&mut x,),
        |i, sum, last, (mut x,)| {
            *sum += x[i];
            if last {
                x[i] = *sum;
            }
        },
        Sum::<u64>::new(),
    )
    .unwrap();
    for (i, &prefix) in elements(&x.to_host().unwrap()).iter().enumerate() {
        assert_eq!(prefix as usize, i * (i + 1) / 2);
    }
}

#[test]
fn launches_share_their_memory_one_after_the_other() {
    let Some(space) = device() else { return };
    let other: Cuda = space.instance().unwrap();
    for n in [30_001, 9000, 20_000, 30_001] {
        for space in [&space, &other] {
            assert_eq!(sums_of_u64(space, n), sums_of_u64(&host(), n));
            assert_eq!(sum_of(n, space).to_bits(), sum_of(n, &host()).to_bits());
            assert_eq!(checksums::<_, 40>(space, n), checksums::<_, 40>(&host(), n));
        }
    }
}
