//! `scatter`: the same bits everywhere, against the canonical grouping written out.

use spelt_core::reducers::{Max, Min, Prod, Sum};
use spelt_core::{
    ExecutionSpace, HostSpace, Iterate, Left, Schedule, Serial, View, parallel_for, parallel_reduce,
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

/// What `blocks` replicas of contiguous parts give, joined in order to 1 in each bin.
fn oracle(blocks: usize, identity: f64, join: impl Fn(f64, f64) -> f64) -> Vec<u64> {
    let part = N.div_ceil(blocks);
    let mut target = [1.0; 13];
    for block in 0..N.div_ceil(part) {
        let mut replica = [identity; 13];
        for i in block * part..N.min((block + 1) * part) {
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
        for blocks in [1, 2, 7, 64, 1000] {
            let mut bins = start();
            let scatter = bins.scatter().duplicated(blocks);
            parallel_for("sum", space.range(0..N), scatter, |i, bins| bins.add(bin(i.get()), value(i.get())))
                .unwrap();
            assert_eq!(bits(&bins), oracle(blocks, 0.0, |a, b| a + b), "{blocks} blocks");
        }
        // by default, whatever the chunk and schedule
        for policy in
            [space.range(0..N), space.range(0..N).chunk(17), space.range(0..N).schedule(Schedule::Dynamic)]
        {
            let mut bins = start();
            assert_eq!(bins.scatter().blocks(), Some(64));
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
            assert_eq!(bits(&bins), bits(&run_named(&Serial::new(), name)), "{name}");
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
            let expected = sums(&|bins| scatter_box(&Serial::new(), tile, iterate, bins));
            for threads in [1, 2, 3, 8] {
                let space = crate::threads(threads);
                assert_eq!(sums(&|bins| scatter_box(&space, tile, iterate, bins)), expected);
            }
            let rayon = spelt_core::Rayon::new();
            assert_eq!(sums(&|bins| scatter_box(&rayon, tile, iterate, bins)), expected);
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
                *sum += value(i.get());
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
            assert_eq!(run(space, n), run(&Serial::new(), n), "n {n}");
        }
    }
    on_all_spaces!(check);
    let plain = parallel_reduce(
        "sum",
        Serial::new().range(0..N),
        (),
        |i, sum, ()| *sum += value(i.get()),
        Sum::<f64>::new(),
    );
    assert_eq!(run(&Serial::new(), N).2, plain.unwrap().to_bits(), "blocks do not change the reduction");
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
fn two_scattered_views_share_the_fewer_blocks() {
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

#[test]
fn out_of_bounds_names_the_view() {
    let mut bins = start();
    for atomic in [false, true] {
        let text = panic_text(|| {
            let scatter = if atomic { bins.scatter().atomic() } else { bins.scatter() };
            let _ = parallel_for("k", Serial::new().range(0..99), scatter, |i, bins| bins.add(i, 0.0));
        });
        assert_eq!(
            text,
            "index [13] is out of bounds of view `bins`.scatter() with extents [13] in kernel `k`"
        );
    }
}
