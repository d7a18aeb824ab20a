//! `scatter`: the same bits everywhere, against the canonical grouping written out.

use spelt_core::reducers::{Max, Min, Prod, Sum, custom};
use spelt_core::{
    ErrorKind, ExecutionSpace, HostSpace, Iterate, Left, Schedule, View, parallel_for, parallel_reduce,
};

use crate::{on_all_spaces, panic_text};

const N: usize = 30_011;

fn bin(i: usize) -> usize {
    (i * 7919) % 13
}

/// Values whose sum depends on the order of the additions.
fn value(i: usize) -> f64 {
    ((i * 31) % 1009) as f64 * 1e-3 + if i.is_multiple_of(97) { 1e9 } else { 0.0 }
}

fn bits(view: &View<f64, 1>) -> Vec<u64> {
    view.as_slice().unwrap().iter().map(|x| x.to_bits()).collect()
}

/// The bins after `replicas` replicas, one for each contiguous part, are joined in order to 1 in each bin.
fn oracle(replicas: usize, identity: f64, join: impl Fn(f64, f64) -> f64) -> Vec<u64> {
    let part_len = N.div_ceil(replicas);
    let mut target = [1.0; 13];
    for part in 0..N.div_ceil(part_len) {
        let mut replica = [identity; 13];
        for i in part * part_len..N.min((part + 1) * part_len) {
            replica[bin(i)] = join(replica[bin(i)], value(i));
        }
        for (target, replica) in target.iter_mut().zip(replica) {
            *target = join(*target, replica);
        }
    }
    target.iter().map(|x| x.to_bits()).collect()
}

fn start() -> View<f64, 1> {
    View::from_fn("bins", [13], |_| 1.0).unwrap()
}

#[test]
fn float_sums_have_the_same_bits_on_every_space() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for replicas in [1, 2, 7, 64, 1000] {
            let mut bins = start();
            let scatter = bins.scatter().duplicated(replicas);
            parallel_for("sum", space.range(0..N), scatter, |i, bins| bins.add(bin(i.get()), value(i.get())))
                .unwrap();
            assert_eq!(bits(&bins), oracle(replicas, 0.0, |a, b| a + b), "{replicas} replicas");
        }
        // by default, regardless of the chunk and schedule
        for policy in
            [space.range(0..N), space.range(0..N).chunk(17), space.range(0..N).schedule(Schedule::Dynamic)]
        {
            let mut bins = start();
            assert_eq!(bins.scatter().replicas(), Some(64));
            parallel_for("sum", policy, bins.scatter(), |i, bins| bins.add(bin(i.get()), value(i.get())))
                .unwrap();
            assert_eq!(bits(&bins), oracle(64, 0.0, |a, b| a + b));
        }
    }
    on_all_spaces!(check);
}

/// One launch of the operation `name` over `start()`.
fn run_named(space: &impl ExecutionSpace<Memory = HostSpace>, name: &str) -> View<f64, 1> {
    let (mut bins, range) = (start(), space.range(0..N));
    let x = |i: usize| (bin(i), value(i));
    match name {
        "min" => parallel_for("k", range, bins.scatter_with(Min::new()), |i, b| {
            b.min(x(i.get()).0, x(i.get()).1 - 5.0)
        }),
        "max" => {
            parallel_for("k", range, bins.scatter_with(Max::new()), |i, b| b.max(x(i.get()).0, x(i.get()).1))
        }
        "prod" => parallel_for("k", range, bins.scatter_with(Prod::new()), |i, b| {
            b.mul([x(i.get()).0], factor(i.get()))
        }),
        _ => parallel_for("k", range, bins.scatter_with(Sum::new()), |i, b| {
            b.update(x(i.get()).0, x(i.get()).1)
        }),
    }
    .unwrap();
    bins
}

fn factor(i: usize) -> f64 {
    1.0 + 1e-6 * (i % 5) as f64
}

#[test]
fn the_other_operations() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for name in ["min", "max", "prod", "update"] {
            let bins = run_named(space, name);
            assert_eq!(bits(&bins), bits(&run_named(&crate::serial(), name)), "{name}");
            for k in 0..13 {
                let mine = || (0..N).filter(move |&i| bin(i) == k);
                let exact = match name {
                    "min" => mine().map(|i| value(i) - 5.0).fold(1.0, f64::min),
                    "max" => mine().map(value).fold(1.0, f64::max),
                    "prod" => mine().map(factor).product(),
                    _ => mine().map(value).sum::<f64>() + 1.0,
                };
                assert!((bins[k] - exact).abs() <= 1e-9 * exact.abs(), "{name} {k}: {} {exact}", bins[k]);
            }
        }
    }
    on_all_spaces!(check);
}

#[test]
fn integers_have_the_same_bits_by_atomics() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut counts = View::<i32, 2, _, Left>::zeros_in(Left, "counts", [3, 5]).unwrap();
        let mut atomic = View::<i32, 2>::zeros("atomic", [3, 5]).unwrap();
        let args = (counts.scatter(), atomic.scatter().atomic());
        parallel_for("count", space.range(0..N), args, |i, (counts, atomic)| {
            let (k, sign) = (bin(i.get()), if i.get() % 3 == 0 { i32::MAX } else { 1 });
            counts.add([k / 5, k % 5], sign);
            atomic.add([k / 5, k % 5], sign);
            assert_eq!(counts.extent(0), 3);
        })
        .unwrap();
        let mut expected = [0_i32; 15];
        for i in 0..N {
            let sign = if i % 3 == 0 { i32::MAX } else { 1 };
            expected[bin(i)] = expected[bin(i)].wrapping_add(sign);
        }
        for k in 0..15 {
            assert_eq!([counts[[k / 5, k % 5]], atomic[[k / 5, k % 5]]], [expected[k]; 2]);
        }
    }
    on_all_spaces!(check);
}

#[test]
fn boxes_in_tiles_and_turned_have_one_result_each() {
    let sums = |space: &dyn Fn(&mut View<f64, 1>)| {
        let mut bins = start();
        space(&mut bins);
        bits(&bins)
    };
    for tile in [[0, 0], [7, 11]] {
        for iterate in [Iterate::Left, Iterate::Right] {
            let expected = sums(&|bins| scatter_box(&crate::serial(), tile, iterate, bins));
            for space in crate::spaces() {
                assert_eq!(sums(&|bins| scatter_box(&space, tile, iterate, bins)), expected);
            }
        }
    }
}

fn scatter_box(
    space: &impl ExecutionSpace<Memory = HostSpace>,
    tile: [usize; 2],
    iterate: Iterate,
    bins: &mut View<f64, 1>,
) {
    let policy = space.md_range([0..150, 0..201]).tile(tile).iterate(iterate);
    parallel_for("box", policy, bins.scatter(), |i, bins| {
        let i = i.get()[0] * 201 + i.get()[1];
        bins.add(bin(i), value(i));
    })
    .unwrap();
}

#[test]
fn reductions_scatter_with_the_same_bits_everywhere() {
    fn run(space: &impl ExecutionSpace<Memory = HostSpace>, n: usize) -> (Vec<u64>, Vec<u64>, u64) {
        let (mut bins, mut boxed) = (start(), start());
        let sum = parallel_reduce(
            "reduce",
            space.range(0..n),
            bins.scatter(),
            |i, sum, bins| {
                bins.add(bin(i.get()), value(i.get()));
                *sum += 1.0 / (i.get() + 1) as f64;
            },
            Sum::<f64>::new(),
        )
        .unwrap();
        parallel_reduce(
            "box",
            space.md_range([0..n / 100, 0..100]).chunk(3),
            boxed.scatter(),
            |i, sum, bins| {
                let i = i.get()[0] * 100 + i.get()[1];
                bins.add(bin(i), value(i));
                *sum += 1;
            },
            Sum::<usize>::new(),
        )
        .unwrap();
        (bits(&bins), bits(&boxed), sum.to_bits())
    }
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for n in [0, 1, 55, 1000, N, 300_000] {
            assert_eq!(run(space, n), run(&crate::serial(), n), "n {n}");
        }
    }
    on_all_spaces!(check);
    for n in [7000, 15_000, N, 300_000] {
        let plain = parallel_reduce(
            "sum",
            crate::serial().range(0..n),
            (),
            |i, sum, ()| *sum += 1.0 / (i.get() + 1) as f64,
            Sum::<f64>::new(),
        );
        assert_eq!(
            run(&crate::serial(), n).2,
            plain.unwrap().to_bits(),
            "replicas do not change the reduction"
        );
    }
}

#[test]
fn one_adapter_serves_many_launches() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut bins = start();
        let mut expected = start();
        let mut scatter = bins.scatter();
        for round in 1..5 {
            parallel_for("again", space.range(0..round * 100), &mut scatter, |i, bins| {
                bins.add(bin(i.get()), value(i.get()));
            })
            .unwrap();
            let fresh = expected.scatter();
            parallel_for("fresh", space.range(0..round * 100), fresh, |i, bins| {
                bins.add(bin(i.get()), value(i.get()));
            })
            .unwrap();
        }
        assert_eq!(bits(&bins), bits(&expected));
    }
    on_all_spaces!(check);
}

#[test]
fn a_panic_leaves_the_view_and_the_adapter_usable() {
    let space = crate::threads(3);
    let mut bins = start();
    let mut scatter = bins.scatter();
    let text = panic_text(|| {
        let _ = parallel_for("k", space.range(0..N), &mut scatter, |i, bins| {
            assert!(i.get() != 4000, "four thousand");
            bins.add(0, 1.0);
        });
    });
    assert_eq!(text, "four thousand");
    parallel_for("again", space.range(0..10), &mut scatter, |_, bins| bins.add(0, 1.0)).unwrap();
    assert_eq!(bins[0], 11.0);
}

#[test]
fn two_scattered_views_share_the_fewer_parts() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let (mut few, mut many) = (start(), start());
        let args = (few.scatter().duplicated(3), 1_usize, many.scatter().duplicated(50));
        parallel_for("two", space.range(0..N), args, |i, (few, _, many)| {
            few.add(bin(i.get()), value(i.get()));
            many.add(bin(i.get()), value(i.get()));
        })
        .unwrap();
        let expected = oracle(3, 0.0, |a, b| a + b);
        assert_eq!((bits(&few), bits(&many)), (expected.clone(), expected));
    }
    on_all_spaces!(check);
}

#[test]
fn any_reducer_of_elements_scatters_and_rank_0_too() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut total = View::<(u64, u64), 0>::zeros("total", []).unwrap();
        parallel_for("pairs", space.range(0..1000), total.scatter(), |i, total| {
            total.add([], (1, i.get() as u64));
        })
        .unwrap();
        assert_eq!(total.value(), (1000, 499_500));
    }
    on_all_spaces!(check);
}

/// Contributions join in the order of the iterations, within a replica and among them: the last one stays.
#[test]
fn contributions_join_in_order() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut bins = View::<u32, 1>::zeros("bins", [13]).unwrap();
        let last = custom(0_u32, |into, from| *into = *from);
        parallel_for("last", space.range(0..N), bins.scatter_with(last).duplicated(5), |i, bins| {
            bins.update(bin(i.get()), i.get() as u32);
        })
        .unwrap();
        for (number, &found) in bins.iter().enumerate() {
            assert_eq!(Some(found as usize), (0..N).rev().find(|&i| bin(i) == number));
        }
    }
    on_all_spaces!(check);
}

#[test]
fn out_of_bounds_names_the_view() {
    let mut bins = start();
    for atomic in [false, true] {
        let text = panic_text(|| {
            let scatter = if atomic { bins.scatter().atomic() } else { bins.scatter() };
            let _ = parallel_for("k", crate::serial().range(0..99), scatter, |i, bins| bins.add(i, 0.0));
        });
        assert_eq!(
            text,
            "index [13] is out of bounds of view `bins`.scatter() with extents [13] in kernel `k`"
        );
    }
}

/// Values whose bits reveal a join with something that was never contributed.
fn tell_tales() -> Vec<f64> {
    let nans = [0x7ff8_0000_dead_beef, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001];
    [-0.0, 0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY].into_iter().chain(nans.map(f64::from_bits)).collect()
}

#[test]
fn what_nothing_was_contributed_to_keeps_its_bits() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let held = tell_tales();
        let n = held.len();
        macro_rules! untouched {
            ($($op:expr),+) => {$(
                // A column of one value beside the last one, to which all is contributed.
                for replicas in [1, 3] {
                    let mut bins = View::from_fn("bins", [n + 1], |[k]| held.get(k).copied().unwrap_or(1.0)).unwrap();
                    let scatter = bins.scatter_with($op).duplicated(replicas);
                    parallel_for("k", space.range(0..9).chunk(1), scatter, |_, bins| bins.update(n, 2.0)).unwrap();
                    let held: Vec<_> = held.iter().map(|x| x.to_bits()).collect();
                    assert_eq!(bits(&bins)[..n], held, "{} in {replicas} replicas", stringify!($op));
                    assert!(bins[n] != 1.0 || stringify!($op).starts_with("Min"));
                }
            )+};
        }
        // The last one declares no neutral value.
        untouched!(Sum::new(), Prod::new(), Min::new(), Max::new(), custom(0.0_f64, |a, b| *a += b));
    }
    on_all_spaces!(check);
}

#[test]
fn contributions_join_one_another_and_then_what_is_there() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        // A sum of -0.0 and -0.0 is -0.0; NaN is ignored, and without other contributions the element stays.
        let nan = f64::from_bits(0x7ff8_0000_dead_beef);
        for (held, given, wanted) in [(-0.0, -0.0, -0.0), (0.0, -0.0, 0.0), (-0.0, 0.0, 0.0)] {
            let mut bins = View::<f64, 2>::from_fn("bins", [1, 3], |_| held).unwrap();
            parallel_for("k", space.range(0..20), bins.scatter(), |_, bins| bins.add([0, 1], given)).unwrap();
            assert_eq!(bins[[0, 1]].to_bits(), f64::to_bits(wanted), "{held} {given}");
        }
        for (held, given, wanted) in
            [(nan, f64::NAN, nan), (nan, f64::INFINITY, f64::INFINITY), (2.0, nan, 2.0)]
        {
            let mut bins = View::from_fn("bins", [3], |_| held).unwrap();
            let scatter = bins.scatter_with(Min::new());
            parallel_for("k", space.range(0..20), scatter, |_, bins| bins.min(1, given)).unwrap();
            assert_eq!(bins[1].to_bits(), wanted.to_bits(), "{held} {given}");
        }
    }
    on_all_spaces!(check);
}

/// A reducer that declares no neutral value has flags after its replicas, regardless of the size of its values.
#[test]
fn replicas_with_flags() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        macro_rules! of {
            ($($type:ty)*) => {$({
                let mut bins = View::<$type, 2>::from_fn("bins", [3, 5], |[i, j]| (i * 5 + j) as $type).unwrap();
                let add = custom(100, |a: &mut $type, b: &$type| *a += b);
                let mut scatter = bins.scatter_with(add).duplicated(4);
                for _ in 0..2 {
                    parallel_for("k", space.range(0..15).chunk(1), &mut scatter, |i, bins| {
                        let i = i.get();
                        if i % 3 == 1 {
                            bins.update([i / 5, i % 5], 1);
                            bins.update([i / 5, i % 5], 1);
                        }
                    })
                    .unwrap();
                }
                drop(scatter);
                for k in 0..15 {
                    assert_eq!(bins[[k / 5, k % 5]], k as $type + if k % 3 == 1 { 4 } else { 0 });
                }
            })*};
        }
        of!(u8 u16 u32 u64 u128);
        let mut nothing = View::<[u8; 0], 1>::zeros("nothing", [4]).unwrap();
        let same = custom([0; 0], |_: &mut [u8; 0], _: &[u8; 0]| {});
        parallel_for("k", space.range(0..9), nothing.scatter_with(same), |_, n| n.update(3, [])).unwrap();
    }
    on_all_spaces!(check);
}

/// The View has gaps, whose elements stay.
#[test]
fn into_a_strided_view() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        macro_rules! into_every_other {
            ($op:expr) => {
                let op = $op;
                let mut all = View::<i64, 2>::from_fn("all", [4, 6], |[i, j]| (100 * i + j) as i64).unwrap();
                {
                    let mut part = all.subview_mut((1..4, 1..4));
                    let part = &mut part;
                    for replicas in [Some(1), Some(3), None] {
                        let scatter = part.scatter_with(op);
                        let scatter = match replicas {
                            Some(replicas) => scatter.duplicated(replicas),
                            None => scatter.atomic(),
                        };
                        parallel_for("k", space.range(0..90).chunk(1), scatter, |i, part| {
                            let i = i.get();
                            part.update([i % 3, i / 3 % 3], 1000 * (1 + (i % 9) as i64));
                        })
                        .unwrap();
                    }
                }
                for (i, j) in (0..4).flat_map(|i| (0..6).map(move |j| (i, j))) {
                    let inside = (1..4).contains(&i) && (1..4).contains(&j);
                    // The ninety iterations reach each of nine elements ten times, with the numbers that are so by nine.
                    let number = (0..9).find(|k| inside && (k % 3, k / 3) == (i - 1, j - 1));
                    let given = number.map_or(0, |k| 3 * 10 * 1000 * (1 + k as i64));
                    assert_eq!(all[[i, j]], (100 * i + j) as i64 + given, "[{i}, {j}]");
                }
            };
        }
        into_every_other!(Sum::new());
        into_every_other!(custom(0_i64, |a: &mut i64, b: &i64| *a += b));
    }
    on_all_spaces!(check);
}

/// A launch without iterations gets no replicas, and leaves those of an earlier launch alone.
#[test]
fn empty_launches_need_no_replicas() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut bins = View::<f64, 1>::from_fn("bins", [9], |_| 1.0).unwrap();
        let mut scatter = bins.scatter().duplicated(3);
        parallel_for("add", space.range(0..9), &mut scatter, |i, bins| bins.add(i.get(), 1.0)).unwrap();
        let mut scatter = scatter.duplicated(1 << 40);
        parallel_for("range", space.range(5..5), &mut scatter, |_, bins| bins.add(0, 1.0)).unwrap();
        parallel_for("box", space.md_range([0..9, 4..4]), &mut scatter, |_, bins| bins.add(0, 1.0)).unwrap();
        parallel_for("league", space.team(0, 1), &mut scatter, |_, bins| bins.add(0, 1.0)).unwrap();
        let sum = parallel_reduce("sum", space.range(0..0), &mut scatter, |_, _, _| (), Sum::<u32>::new());
        assert_eq!(sum.unwrap(), 0);
        drop(scatter);
        assert_eq!(bins.to_vec(), [2.0; 9]);
    }
    on_all_spaces!(check);
}

/// More replicas than any machine has room for.
#[test]
fn replicas_without_memory_are_an_error() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        for replicas in [1 << 40, usize::MAX] {
            let mut bins = View::<f64, 1>::from_fn("bins", [1 << 16], |_| 1.0).unwrap();
            let mut scatter = bins.scatter().duplicated(replicas);
            for _ in 0..2 {
                let error =
                    parallel_for("add", space.range(0..9), &mut scatter, |i, bins| bins.add(i.get(), 1.0))
                        .unwrap_err();
                assert_eq!(error.kind(), ErrorKind::OutOfMemory);
                let words = "kernel `add`: view `bins`.scatter(): no memory for its replicas, which take ";
                assert!(error.to_string().starts_with(words), "{error}");
            }
            let sum = parallel_reduce(
                "sum",
                space.range(0..9),
                &mut scatter,
                |i, sum, bins| {
                    *sum += 1;
                    bins.add(i.get(), 1.0);
                },
                Sum::<u32>::new(),
            );
            assert_eq!(sum.unwrap_err().kind(), ErrorKind::OutOfMemory);
            let mut scatter = scatter.duplicated(2);
            parallel_for("add", space.range(0..9), &mut scatter, |i, bins| bins.add(i.get(), 1.0)).unwrap();
            drop(scatter);
            assert_eq!((bins[0], bins[9]), (2.0, 1.0));
        }
    }
    on_all_spaces!(check);
}
