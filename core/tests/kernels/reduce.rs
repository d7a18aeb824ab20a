//! `parallel_reduce` over ranges.

use spelt_core::reducers::{
    BOr, Elementwise, LAnd, Location, Max, MaxLoc, Min, MinLoc, MinMax, MinMaxLoc, MinMaxLocValue, Prod,
    Reducer, Sum,
};
use spelt_core::{
    ExecutionSpace, Result, View, parallel_map_reduce, parallel_reduce, parallel_reduce_into, reducers,
};

use crate::{device, host, noise, sizes};

/// Values whose bits can be compared.
fn bits<T: core::fmt::Debug>(value: &T) -> String {
    // Of the floats here only zeros and NaNs print alike with other bits, and signs of zeros are printed.
    format!("{value:?}")
}

fn sum<S: ExecutionSpace>(
    space: &S,
    x: &View<f64, 1, S::Memory>,
    range: core::ops::Range<usize>,
) -> Result<f64> {
    parallel_reduce("sum", space.range(range), x, |i, sum, x| *sum += x[i], Sum::<f64>::new())
}

#[test]
fn sums_of_f64_have_the_bits_of_the_host() {
    let Some(space) = device() else { return };
    for n in sizes(32) {
        let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
        let there = x.to_space(&space).unwrap();
        assert_eq!(
            sum(&space, &there, 0..n).unwrap().to_bits(),
            sum(&host(), &x, 0..n).unwrap().to_bits(),
            "{n} numbers"
        );
        let from = n / 3;
        assert_eq!(
            sum(&space, &there, from..n).unwrap().to_bits(),
            sum(&host(), &x, from..n).unwrap().to_bits(),
            "{from}..{n}"
        );
    }
}

#[test]
fn dots_of_f32_and_mapped_forms_have_the_bits_of_the_host() {
    fn dot<S: ExecutionSpace>(
        space: &S,
        x: &View<f32, 1, S::Memory>,
        y: &View<f32, 1, S::Memory>,
    ) -> [f32; 2] {
        let n = x.len();
        let policy = space.range(0..n).chunk(7);
        let updated =
            parallel_reduce("dot", policy, (x, y), |i, dot, (x, y)| *dot += x[i] * y[i], Sum::<f32>::new());
        let mapped =
            parallel_map_reduce("map", space.range(0..n), (x, y), |i, (x, y)| x[i] * y[i], Sum::<f32>::new());
        [updated.unwrap(), mapped.unwrap()]
    }
    let Some(space) = device() else { return };
    for n in sizes(32) {
        let x = View::from_fn("x", [n], |[i]| noise(i) as f32).unwrap();
        let y = View::from_fn("y", [n], |[i]| noise(i + 77) as f32).unwrap();
        let found = dot(&space, &x.to_space(&space).unwrap(), &y.to_space(&space).unwrap());
        assert_eq!(found.map(f32::to_bits), dot(&host(), &x, &y).map(f32::to_bits), "{n} numbers");
    }
}

/// A number with ties, and NaN now and then.
fn edgy(i: usize) -> f64 {
    if i % 97 == 3 { f64::NAN } else { (noise(i) * 50.0).round() }
}

#[test]
fn extrema_and_their_places_are_the_host_s() {
    type Found = (f64, f64, String, String, String, MinMaxLocValue<f64, usize>);
    fn extrema<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>) -> Found {
        let range = || space.range(0..x.len());
        let min = parallel_reduce("min", range(), x, |i, m, x| *m = x[i].min(*m), Min::<f64>::new());
        let max = parallel_reduce("max", range(), x, |i, m, x| *m = x[i].max(*m), Max::<f64>::new());
        let both = parallel_reduce("both", range(), x, |i, m, x| m.update(x[i]), MinMax::<f64>::new());
        let low = parallel_reduce("low", range(), x, |i, m, x| m.update(x[i], i.get()), MinLoc::<f64>::new());
        let high = parallel_reduce(
            "high",
            range(),
            x,
            |i, m, x| m.update(x[i], i.get() as u32),
            MaxLoc::<f64, u32>::new(),
        );
        let all =
            parallel_reduce("all", range(), x, |i, m, x| m.update(x[i], i.get()), MinMaxLoc::<f64>::new());
        let text = (bits(&both.unwrap()), bits(&low.unwrap()), bits(&high.unwrap()));
        (min.unwrap(), max.unwrap(), text.0, text.1, text.2, all.unwrap())
    }
    let Some(space) = device() else { return };
    for n in sizes(16) {
        let x = View::from_fn("x", [n], |[i]| edgy(i)).unwrap();
        let (found, wanted) = (extrema(&space, &x.to_space(&space).unwrap()), extrema(&host(), &x));
        assert_eq!(bits(&found), bits(&wanted), "{n} numbers");
        assert!(n < 100 || wanted.5.min_loc != usize::MAX);
        assert_ne!(<usize as Location>::MAX, 0);
    }
}

#[test]
fn tuples_arrays_and_integers_have_the_bits_of_the_host() {
    fn several<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>) -> String {
        let range = || space.range(0..x.len());
        let tuple = parallel_reduce(
            "tuple",
            range(),
            x,
            |i, (sum, max, count): &mut (f64, f64, u8), x| {
                *sum += x[i];
                *max = x[i].max(*max);
                *count = count.wrapping_add(1);
            },
            (Sum::<f64>::new(), Max::<f64>::new(), Sum::<u8>::new()),
        );
        let sums = parallel_reduce(
            "array",
            range(),
            x,
            |i, sums: &mut [f64; 5], x| sums[i.get() % 5] += x[i],
            Elementwise::<Sum<f64>, 5>::new(Sum::new()),
        );
        let product =
            parallel_reduce("product", range(), x, |i, p, x| *p *= 1.0 + x[i] / 512.0, Prod::<f64>::new());
        let integers = parallel_reduce(
            "integers",
            range(),
            x,
            |i, (and, or): &mut (bool, u64), x| {
                *and &= x[i] < 0.9999;
                *or |= 1 << (i.get() % 61);
            },
            (LAnd::<bool>::new(), BOr::<u64>::new()),
        );
        bits(&(tuple.unwrap(), sums.unwrap(), product.unwrap(), integers.unwrap()))
    }
    let Some(space) = device() else { return };
    for n in sizes(8) {
        let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
        assert_eq!(several(&space, &x.to_space(&space).unwrap()), several(&host(), &x), "{n} numbers");
    }
}

#[test]
fn results_go_to_views_of_the_device() {
    let Some(space) = device() else { return };
    for n in [0, 1, 5000, 70_000] {
        let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
        let there = x.to_space(&space).unwrap();
        let mut result = View::from_fn("result", [], |_| f64::NAN).unwrap().to_space(&space).unwrap();
        let policy = space.range(0..n);
        parallel_reduce_into("sum", policy, &there, |i, sum, x| *sum += x[i], Sum::<f64>::new(), &mut result)
            .unwrap();
        let found = result.to_host().unwrap()[[]];
        assert_eq!(found.to_bits(), sum(&host(), &x, 0..n).unwrap().to_bits(), "{n} numbers");
    }
}

#[test]
fn results_are_finished_where_they_are_wanted() {
    /// The mean, which the reducer finds at the end.
    #[derive(Clone, Copy)]
    struct Mean;
    impl Reducer for Mean {
        type Value = (f64, u64);
        type Output = f64;
        fn init(&self) -> (f64, u64) {
            (0.0, 0)
        }
        fn join(&self, into: &mut (f64, u64), from: &(f64, u64)) {
            into.0 += from.0;
            into.1 += from.1;
        }
        fn finish(&self, value: (f64, u64)) -> f64 {
            value.0 / value.1 as f64
        }
    }
    fn mean<S: ExecutionSpace>(space: &S, x: &View<f64, 1, S::Memory>) -> (f64, f64) {
        let mut result = space.zeros::<f64, 0>("mean", []).unwrap();
        let range = || space.range(0..x.len());
        let stored = parallel_reduce_into(
            "mean",
            range(),
            x,
            |i, (sum, count): &mut (f64, u64), x| {
                *sum += x[i];
                *count += 1;
            },
            Mean,
            &mut result,
        );
        stored.unwrap();
        let returned = parallel_map_reduce("mean", range(), x, |i, x| (x[i], 1_u64), Mean).unwrap();
        (returned, result.to_host().unwrap()[[]])
    }
    let Some(space) = device() else { return };
    let x = View::from_fn("x", [9999], |[i]| noise(i)).unwrap();
    let (found, wanted) = (mean(&space, &x.to_space(&space).unwrap()), mean(&host(), &x));
    assert_eq!((found.0.to_bits(), found.1.to_bits()), (wanted.0.to_bits(), wanted.1.to_bits()));
    assert_eq!(wanted.0.to_bits(), wanted.1.to_bits());
}

#[test]
fn launches_on_two_instances_do_not_share_partial_results() {
    let Some(space) = device() else { return };
    let other = space.instance().unwrap();
    let n = 50_000;
    let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
    let y = View::from_fn("y", [n], |[i]| noise(3 * i)).unwrap();
    let (x_there, y_there) = (x.to_space(&space).unwrap(), y.to_space(&other).unwrap());
    let mut x_sum = space.zeros::<f64, 0>("x sum", []).unwrap();
    let mut y_sum = other.zeros::<f64, 0>("y sum", []).unwrap();
    for _ in 0..3 {
        let reducer = reducers::Sum::<f64>::new();
        parallel_reduce_into("x", space.range(0..n), &x_there, |i, sum, x| *sum += x[i], reducer, &mut x_sum)
            .unwrap();
        let reducer = reducers::Sum::<f64>::new();
        parallel_reduce_into("y", other.range(0..n), &y_there, |i, sum, x| *sum += x[i], reducer, &mut y_sum)
            .unwrap();
    }
    assert_eq!(x_sum.to_host().unwrap()[[]].to_bits(), sum(&host(), &x, 0..n).unwrap().to_bits());
    assert_eq!(y_sum.to_host().unwrap()[[]].to_bits(), sum(&host(), &y, 0..n).unwrap().to_bits());
}

#[test]
fn no_bit_depends_on_how_a_reduction_is_cut() {
    fn noisy<S: ExecutionSpace>(space: &S, n: usize) -> u64 {
        let body = |i: spelt_core::Idx<'_, 1>, sum: &mut f64, ()| *sum += 1.0 / (1.0 + i.get() as f64);
        parallel_reduce("noisy", space.range(0..n), (), body, Sum::<f64>::new()).unwrap().to_bits()
    }
    let Some(space) = device() else { return };
    // Rows of a warp beyond the 32 that it joins at a time, blocks with some warps idle, partial results beyond what the
    // last block joins in one step.
    for (n, cuts) in [
        (5_000, &[(4, 1), (32, 1), (1, 1024)][..]),
        (300_000, &[(1, 32), (2, 64), (8, 1), (4, 2), (1, 1024)]),
        (1_500_000, &[(1, 1), (8, 16), (2, 256)]),
    ] {
        let wanted = noisy(&host(), n);
        for &(warps, steps) in cuts {
            space.cut_reductions(warps, steps);
            assert_eq!(noisy(&space, n), wanted, "{n} iterations, {warps} warps, {steps} rows");
        }
    }
}

#[test]
fn many_partial_results() {
    fn count<S: ExecutionSpace>(space: &S, n: usize) -> u64 {
        let body =
            |i: spelt_core::Idx<'_, 1>, last: &mut u64, ()| *last = last.wrapping_mul(3) ^ i.get() as u64;
        let reducer =
            reducers::custom(7_u64, |into: &mut u64, from: &u64| *into = into.rotate_left(5) ^ *from);
        parallel_reduce("count", space.range(0..n), (), body, reducer).unwrap()
    }
    let Some(space) = device() else { return };
    space.cut_reductions(1, 1);
    let n = 9_000_000;
    assert_eq!(count(&space, n), count(&host(), n));
}
