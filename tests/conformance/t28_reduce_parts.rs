//! Parts of reductions: any cuts, merged in any grouping, have the bits of one launch.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt::{ErrorKind, Part, Portable};

use crate::equal::{Bits, MANY, assert_same, noise, rough};
use crate::oracle;
use crate::spaces::{Setting, every};

/// Noise as a whole number below `end`.
pub(crate) fn random(seed: usize, end: usize) -> usize {
    ((noise(seed) + 1.0) / 2.0 * end as f64) as usize
}

/// Borders of parts of `n` iterations in tiles of `tile`: even ones, random ones, with empty parts, with parts of one iteration, and
/// one iteration off the borders of tiles.
pub(crate) fn cuts(n: usize, tile: usize) -> Vec<Vec<usize>> {
    let even = |parts: usize| (0..=parts).map(|part| n * part / parts).collect::<Vec<_>>();
    let sorted = |mut cuts: Vec<usize>| {
        cuts.extend([0, n]);
        cuts.retain(|cut| *cut <= n);
        cuts.sort_unstable();
        cuts
    };
    let near =
        |off: isize| (1..=n / tile).map(|number| (number * tile).wrapping_add_signed(off)).take(5).collect();
    vec![
        even(1),
        even(3),
        even(8),
        sorted((0..5).map(|seed| random(n + seed, n + 1)).collect()),
        sorted(vec![n / 3, n / 3, n / 3, n / 3 + 1, n, n, 0]),
        sorted(near(-1)),
        sorted(near(0)),
        sorted(near(1)),
        sorted(vec![tile / 2, tile / 2 + 1, tile / 2 + 2, tile - 1, 2 * tile + 33, 3 * tile]),
    ]
}

/// A part sent as bytes.
fn sent<R: Reducer + Copy>(part: Part<R>, reducer: R) -> Part<R>
where
    R::Value: Portable,
{
    let bytes = part.to_bytes();
    let values = 2 * usize::BITS as usize + 32;
    assert!(bytes.len() <= 100 + (values + 1) * (8 + size_of::<R::Value>()), "{} bytes", bytes.len());
    Part::from_bytes(&bytes, reducer).expect("the bytes of a part")
}

/// Makes the part of each pair of neighbouring cuts, as processes do that have only their own iterations: whole tiles first, then the tile
/// that the neighbour on the left has begun. `extend` appends iterations.
fn parts<R: Reducer + Copy>(
    n: usize,
    cuts: &[usize],
    reducer: R,
    extend: &dyn Fn(&mut Part<R>, Range<usize>),
) -> Vec<Part<R>>
where
    R::Value: Portable,
{
    let is_border = |cut: usize| cut.is_multiple_of(Part::<R>::TILE) || cut == n;
    let mut carry: Option<Part<R>> = None;
    cuts.windows(2)
        .map(|cut| {
            let head = cut[0]..if is_border(cut[0]) {
                cut[0]
            } else {
                cut[0].next_multiple_of(Part::<R>::TILE).min(cut[1])
            };
            let mut own = is_border(head.end).then(|| {
                let mut own = Part::starting_at(n, head.end, reducer).expect("a border");
                extend(&mut own, head.end..cut[1]);
                own
            });
            if !is_border(cut[0]) {
                let mut begun = carry.take().expect("the neighbour sent it");
                assert_eq!(begun.range().end, head.start);
                extend(&mut begun, head);
                if let Some(own) = own {
                    begun.merge(own).expect("neighbours");
                }
                own = Some(begun);
            }
            let mut part = own.expect("a part begins at a border, or goes on");
            assert_eq!(part.range().end, cut[1]);
            if !is_border(cut[1]) {
                carry = Some(sent(part.take_carry(), reducer));
            }
            part
        })
        .collect()
}

/// Merges parts in an order that `choose` determines: it gets their number, and returns that of a left neighbour.
fn merged<R: Reducer>(mut parts: Vec<Part<R>>, choose: impl Fn(usize) -> usize) -> R::Output {
    while parts.len() > 1 {
        let left = choose(parts.len());
        let right = parts.remove(left + 1);
        parts[left].merge(right).expect("neighbours");
    }
    parts.pop().expect("one is left").finish().expect("nothing is missing")
}

/// Compares the results of parts, over ranges, with that of the oracle.
fn check<S, R>(
    space: &S,
    setting: &Setting,
    what: &str,
    sizes: &[usize],
    reducer: R,
    contribute: impl Fn(usize, &mut R::Value) + Copy + Sync,
) where
    S: ExecutionSpace,
    R: Reducer + Copy + Sync,
    R::Value: Send + Portable + Clone,
    R::Output: Bits + std::fmt::Debug,
{
    let extend = |part: &mut Part<R>, iterations: Range<usize>| {
        part.reduce(what, setting.range(space, iterations), (), move |i, value, ()| {
            contribute(i.get(), value)
        })
        .expect("nothing can fail");
    };
    for &n in sizes {
        let wanted = oracle::reduce(&reducer, n, contribute);
        for cuts in cuts(n, Part::<R>::TILE) {
            let says = || format!("{what} of {n}, cut at {cuts:?}");
            let mut whole = Part::new(n, reducer);
            cuts.windows(2).for_each(|cut| extend(&mut whole, cut[0]..cut[1]));
            assert_same(
                &whole.finish().expect("complete"),
                &wanted,
                format!("one after the other: {}", says()),
            );
            let parts = parts(n, &cuts, reducer, &extend);
            assert_same(&merged(parts.clone(), |_| 0), &wanted, format!("from the left: {}", says()));
            assert_same(
                &merged(parts.clone(), |left| left - 2),
                &wanted,
                format!("from the right: {}", says()),
            );
            let tree = |left: usize| random(n + left, left - 1);
            assert_same(
                &merged(parts.into_iter().map(|part| sent(part, reducer)).collect(), tree),
                &wanted,
                says(),
            );
        }
    }
}

every! { on_every_setting:
    fn sums_have_the_bits_of_one_launch(space, setting) {
        check(space, setting, "f64", &[2049, 20_000], Sum::<f64>::new(), |i, sum| *sum += rough(i));
        check(space, setting, "in order", &[2049, 20_000], InOrder::new(Sum::<f64>::new()), |i, sum| *sum += rough(i));
    }
}

every! { on_every_space:
    fn sums_of_few_have_the_bits_of_one_launch(space, setting) {
        let sizes = [0, 1, 33, 2047, 2048, 6144];
        check(space, setting, "f64", &sizes, Sum::<f64>::new(), |i, sum| *sum += rough(i));
        check(space, setting, "in order", &sizes, InOrder::new(Sum::<f64>::new()), |i, sum| *sum += rough(i));
    }

    fn long_sums_have_the_bits_of_one_launch(space, setting) {
        check(space, setting, "f64", &[MANY], Sum::<f64>::new(), |i, sum| *sum += rough(i));
    }

    fn reducers_of_every_kind_have_the_bits_of_one_launch(space, setting) {
        let sizes = [1000, 9999];
        check(space, setting, "a pair", &sizes, (Sum::<f64>::new(), Sum::<f32>::new()), |i, (a, b)| {
            *a += rough(i);
            *b += rough(i + 1) as f32;
        });
        check(space, setting, "extremes", &sizes, MinMaxLoc::<f64>::new(),
            |i, ends| ends.update((noise(i) * 5.0).round(), i));
        check(space, setting, "40 sums", &sizes, Elementwise::<_, 40>::new(Sum::<f64>::new()),
            |i, bins| bins[i % 40] += rough(i));
    }

    fn extrema_by_an_order_have_the_bits_of_one_launch(space, setting) {
        let by = MinMaxLocBy::<f64, _>::new(f64::total_cmp);
        // The first parts have no contribution.
        check(space, setting, "by an order", &[0, 1000, 9999], by,
            move |i, ends| if i > 700 { by.update(ends, (noise(i) * 5.0).round(), i) });
    }

    fn matrices_multiply_in_index_order(space, setting) {
        type Matrix = [u64; 4];
        const PRIME: u64 = 1_000_003;
        let times = |a: &Matrix, b: &Matrix| [
            (a[0] * b[0] + a[1] * b[2]) % PRIME, (a[0] * b[1] + a[1] * b[3]) % PRIME,
            (a[2] * b[0] + a[3] * b[2]) % PRIME, (a[2] * b[1] + a[3] * b[3]) % PRIME,
        ];
        let product = custom([1_u64, 0, 0, 1], move |into: &mut Matrix, from: &Matrix| *into = times(into, from))
            .non_commutative();
        let factor = |i: usize| [i as u64 % 89 + 1, i as u64 % 7, i as u64 % 13, 1];
        check(space, setting, "matrices", &[0, 1, 100, 1023, 5000], product, move |i, value| product.join(value, &factor(i)));
    }

    fn boxes_are_cut_anywhere(space, setting) {
        let [n, m] = [131, 77];
        let x = space.view_from_fn("x", [n, m], |[i, j]| rough(i * m + j)).expect("memory");
        let from_zero = space.view_from_fn("from zero", [n, m], |[i, j]| rough(i * m + j)).expect("memory").with_origin([0, 0]).expect("it fits");
        let reducer = Sum::<f64>::new();
        let whole = parallel_map_reduce("whole", setting.md_range(space, [0..n, 0..m]), &x, |i, x| x[i], reducer).expect("covered");
        let extend = |part: &mut Part<_>, iterations: Range<usize>| {
            part.map_reduce_iterations("box", setting.md_range(space, [0..n, 0..m]), iterations, &x, |i, x| x[i]).expect("covered");
        };
        // Each piece of rows is a policy of its own, which has the iterations of a linear part and some beside it.
        let rows = |part: &mut Part<_>, iterations: Range<usize>| {
            let [first, end] = [iterations.start / m, iterations.end.div_ceil(m).max(iterations.start / m)];
            let policy = setting.signed_md_range(space, [first as isize..end as isize, 0..m as isize]);
            let iterations = iterations.start - first * m..iterations.end - first * m;
            part.reduce_iterations("rows", policy, iterations, &from_zero,
                |i, sum, x| *sum += x[i]).expect("covered");
        };
        for cuts in cuts(n * m, 2048) {
            let found = merged(parts(n * m, &cuts, reducer, &extend), |_| 0);
            assert_same(&found, &whole, format!("cut at {cuts:?}"));
            let found = merged(parts(n * m, &cuts, reducer, &rows), |left| left - 2);
            assert_same(&found, &whole, format!("rows, cut at {cuts:?}"));
        }
    }

    fn leagues_are_cut_anywhere(space, _setting) {
        let [n, m] = [2500, 9];
        let x = space.view_from_fn("x", [n, m], |[i, j]| rough(i * m + j)).expect("memory");
        let rows: Vec<f64> = (0..n).map(|i| oracle::reduce(&Sum::<f64>::new(), m, |j, sum| *sum += rough(i * m + j))).collect();
        let reducer = InOrder::new(Sum::<f64>::new());
        let wanted = oracle::reduce(&reducer, n, |i, sum| if i % 5 != 3 { *sum += rows[i] });
        for size in [AUTO, spelt::TeamSize::Threads(1), spelt::TeamSize::AtMost(32), spelt::TeamSize::Threads(2)] {
            if size == spelt::TeamSize::Threads(2) && space.team(n, AUTO).team_size_max() < 2 {
                continue;
            }
            let extend = |part: &mut Part<_>, iterations: Range<usize>| {
                part.reduce_iterations("rows", space.team(n, size).scratch(64, 0), iterations, &x, move |team, x| {
                    assert!(team.league_size() == n && team.league_rank() < n);
                    let sum = team.parallel_reduce(team.thread_range(m), |ij, sum| *sum += x[ij], Sum::<f64>::new());
                    if team.league_rank() % 5 != 3 { team.contribute(sum) }
                }, ).expect("covered");
            };
            for cuts in [vec![0, n], vec![0, 0, 1, 700, 2047, 2048, 2049, n], vec![0, 2047, 2049, 2049, n, n]] {
                let mut whole = Part::new(n, reducer);
                cuts.windows(2).for_each(|cut| extend(&mut whole, cut[0]..cut[1]));
                assert_same(&whole.finish().expect("complete"), &wanted, format!("{size:?}, one after the other, cut at {cuts:?}"));
                assert_same(&merged(parts(n, &cuts, reducer, &extend), |_| 0), &wanted, format!("{size:?}, cut at {cuts:?}"));
            }
        }
        let mut part = Part::new(n, reducer);
        let short = space.zeros::<f64, 2>("short", [n - 1, m]).expect("memory");
        let error = part.reduce("short", space.team(n, AUTO), &short, |_, _| {}).expect_err("not covered");
        assert!(error.to_string().contains("does not cover the league 0..2500"), "{error}");
        part.reduce_iterations("inner", space.team(n, AUTO), 0..n - 1, &short, |_, _| {}).expect("covered");
    }

    fn buffers_of_a_stream_have_the_bits_of_the_whole(space, setting) {
        let n = 50_000;
        let wanted = oracle::reduce(&Sum::<f64>::new(), n, |i, sum| *sum += rough(i));
        for room in [999, 4096, 30_000] {
            let mut part = Part::new(n, Sum::<f64>::new());
            for first in (0..n).step_by(room) {
                let len = room.min(n - first);
                let buffer = space.view_from_fn("buffer", [len], |[i]| rough(first + i)).expect("memory");
                part.map_reduce("buffer", setting.range(space, 0..len), &buffer, |i, x| x[i]).expect("covered");
            }
            assert_same(&part.finish().expect("complete"), &wanted, format!("buffers of {room}"));
        }
        let mut part = Part::new(n, Sum::<f64>::new());
        for first in (-25_000..25_000).step_by(10_000) {
            part.map_reduce("signed", setting.signed_range(space, first..first + 10_000), (),
                |i, ()| rough((i.get() + 25_000) as usize)).expect("nothing can fail");
        }
        assert_same(&part.finish().expect("complete"), &wanted, "signed");
    }

    fn parts_that_do_not_fit_are_refused_with_the_numbers(space, setting) {
        let sum = Sum::<f64>::new();
        let extend = |part: &mut Part<_>, iterations: Range<usize>|
            part.reduce("sum", setting.range(space, iterations), (), |_, sum, ()| *sum += 1.0);
        let mut part = Part::new(5000, sum);
        extend(&mut part, 0..3000).expect("room");
        let error = extend(&mut part, 3000..5001).expect_err("one too many");
        assert_eq!(error.to_string(),
            "kernel `sum`: 2001 iterations are more than the part can append: it has 0..3000 of 5000");
        let error = part.reduce_iterations("sum", setting.range(space, 0..10), 5..11, (), |_, sum, ()| *sum += 1.0)
            .expect_err("the policy ends before");
        assert_eq!(error.to_string(), "kernel `sum`: the policy has 10 iterations, not 5..11");
        let error = part.clone().finish().expect_err("2000 are missing");
        assert_eq!((error.kind(), error.to_string()),
            (ErrorKind::Policy, "iterations are missing: the part has 0..3000 of 5000".to_owned()));
        let error = part.merge(Part::starting_at(5000, 4096, sum).expect("a border")).expect_err("a gap");
        assert_eq!(error.to_string(),
            "parts of a reduction of 5000 iterations that are no neighbours: 0..3000 and 4096..4096");
        let error = part.merge(Part::new(6000, sum)).expect_err("another reduction");
        assert_eq!(error.to_string(), "parts of different reductions: one of 5000 iterations, and one of 6000");
        let mut view = space.zeros::<f64, 1>("bins", [4]).expect("memory");
        let error = part.reduce("scattered", setting.range(space, 0..4), view.scatter(), |_, sum, _| *sum += 1.0)
            .expect_err("its replicas would depend on the cuts");
        assert!(error.to_string().contains("takes no `.scatter()` argument"), "{error}");
        let short = space.zeros::<f64, 1>("short", [4]).expect("memory");
        let error = part.map_reduce("covers", setting.range(space, 0..5), &short, |i, x| x[i]).expect_err("too short");
        assert_eq!(error.kind(), ErrorKind::Extents);
        // None of it has changed the part.
        extend(&mut part, 3000..5000).expect("room");
        assert_eq!(part.finish().expect("complete"), 5000.0);
    }
}

#[cfg(feature = "half")]
every! { on_every_host_setting:
    fn half_precision_numbers_have_the_bits_of_one_launch(space, setting) {
        use half::{bf16, f16};
        let both = (Sum::<f16>::new(), MinMax::<bf16>::new());
        check(space, setting, "half", &[1000, 9999], both, |i, (sum, ends)| {
            *sum += f16::from_f64(noise(i));
            ends.update(bf16::from_f64(rough(i)));
        });
    }
}

every! { on_every_host_setting:
    fn values_that_own_memory_join_in_index_order(space, setting) {
        let list = custom(VecDeque::new(), |into: &mut VecDeque<usize>, from: &VecDeque<usize>| into.extend(from)).non_commutative();
        for n in [0, 1, 100, 1500] {
            for cuts in cuts(n, 512) {
                let mut part = Part::new(n, &list);
                for cut in cuts.windows(2) {
                    part.reduce("list", setting.range(space, cut[0]..cut[1]), (), |i, list, ()| list.push_back(i.get()))
                        .expect("nothing can fail");
                }
                assert!(part.finish().expect("complete").into_iter().eq(0..n), "{n}, cut at {cuts:?}");
            }
        }
    }

    fn large_values_have_the_bits_of_one_launch(space, setting) {
        let reducer = Elementwise::<_, 2_000>::new(Sum::<f64>::new());
        let n = 300;
        let wanted = oracle::reduce(&reducer, n, |i, bins| bins[i * 61 % 2_000] += rough(i));
        let mut part = Part::new(n, reducer);
        for iterations in [0..1, 1..130, 130..131, 131..300] {
            part.reduce("bins", setting.range(space, iterations), (), |i, bins, ()| bins[i.get() * 61 % 2_000] += rough(i.get()))
                .expect("nothing can fail");
        }
        assert_same(&part.finish().expect("complete"), &wanted, "bins");
    }

    fn a_panic_loses_the_part_and_nothing_else(space, setting) {
        let mut part = Part::new(5000, Sum::<usize>::new());
        part.reduce("fine", setting.range(space, 0..100), (), |i, sum, ()| *sum += i.get()).expect("room");
        let panicked = catch_unwind(AssertUnwindSafe(|| part.reduce("fails", setting.range(space, 100..5000), (), |i, sum, ()| {
            assert!(i.get() != 4000, "at 4000");
            *sum += i.get();
        })));
        assert!(panicked.is_err());
        let message = "a launch that extended this part has panicked, and its values are lost";
        let error = part.reduce("next", setting.range(space, 100..101), (), |i, sum, ()| *sum += i.get()).expect_err("lost");
        assert_eq!(error.to_string(), format!("kernel `next`: {message}"));
        assert_eq!(Part::new(5000, Sum::<usize>::new()).merge(part).expect_err("lost").to_string(), message);
    }
}

#[test]
fn bytes_of_another_part_are_refused() {
    let reducer = Sum::<f64>::new();
    let mut part = Part::new(9000, reducer);
    part.map_reduce("sum", Serial::new().range(0..5000), (), |i, ()| rough(i.get())).expect("room");
    let bytes = part.to_bytes();
    let refused =
        |bytes: &[u8]| Part::from_bytes(bytes, reducer).expect_err("other bytes").kind() == ErrorKind::Format;
    assert!((0..bytes.len()).all(|end| refused(&bytes[..end])));
    assert!(refused(&[&bytes[..], &[0]].concat()));
    // Magic, tile and size of the value, commutativity, identity.
    let header = 8 + 8 + 8 + 1 + 8;
    assert!((0..header).all(|at| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        refused(&bytes)
    }));
    for (n, begin, end) in
        [(9000_u64, 0_u64, 9001_u64), (9000, 6144, 5000), (9000, 1, 5000), (4999, 0, 5000), (9000, 0, 4096)]
    {
        let mut bytes = bytes.clone();
        bytes[header..header + 24].copy_from_slice(&[n, begin, end].map(u64::to_le_bytes).concat());
        assert!(refused(&bytes), "{begin}..{end} of {n}");
    }
    assert!(Part::from_bytes(&bytes, InOrder::new(reducer)).is_err());
    assert!(Part::from_bytes(&bytes, Max::<f64>::new()).is_err());
}

#[test]
fn parts_at_the_end_of_all_numbers() {
    let n = usize::MAX;
    let last = Part::starting_at(n, n, Sum::<f64>::new()).expect("the end is a border");
    assert_eq!(last.range(), n..n);
    let border = n / 2048 * 2048;
    let mut part = Part::starting_at(n, border, Sum::<f64>::new()).expect("a border");
    part.map_reduce("sum", Serial::new().range(border..n), (), |_, ()| 1.0).expect("room");
    assert_eq!(part.range(), border..n);
    part.merge(last).expect("neighbours");
    let mut same = Part::from_bytes(&part.to_bytes(), Sum::<f64>::new()).expect("a part");
    assert_eq!((same.take_carry().range(), same.range()), (n..n, border..n));
    let error = Part::starting_at(n, n - 1, Sum::<f64>::new()).expect_err("inside a tile");
    assert_eq!(
        error.to_string(),
        format!(
            "a part of {n} iterations cannot begin at {}, inside a tile of 2048: begin at a multiple, or go on from the `take_carry` of \
             the part on the left",
            n - 1
        )
    );
    let error = Part::starting_at(5, 6, Sum::<f64>::new()).expect_err("beyond the end");
    assert_eq!(error.to_string(), "a part cannot begin at iteration 6 of 5");
}
