//! Elements computed, replaced and moved one by one.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spelt::algorithms::*;
use spelt::prelude::*;
use spelt::{ErrorKind, HostSpace};

use crate::equal::{EDGES, assert_same, noise};
use crate::find::to_space;
use crate::spaces::every;

/// Around the blocks of reversals, whose halves have whole numbers of them, and some that are distributed over threads.
const SIZES: [usize; 13] = [0, 1, 2, 3, 4, 5, 1023, 1024, 2047, 2048, 2049, 4098, 20_001];

fn items(n: usize) -> Vec<f64> {
    (0..n).map(noise).collect()
}

/// A View of these elements, with gaps between them.
fn with_gaps<S: ExecutionSpace>(space: &S, items: &[f64]) -> View<f64, 2, S::Memory> {
    space.view_from_fn("x", [items.len(), 2], |[i, j]| if j == 0 { items[i] } else { -7.0 }).expect("memory")
}

#[track_caller]
fn same<S: ExecutionSpace>(
    _space: &S,
    found: &View<f64, 1, S::Memory>,
    wanted: &[f64],
    what: impl std::fmt::Display,
) {
    assert_same(&found.to_host().expect("memory").to_vec(), &wanted.to_vec(), what);
}

/// Checks `change` in place, of a View that is dense and of one with gaps, which keep what they have.
#[track_caller]
fn in_place<S: ExecutionSpace>(
    space: &S,
    before: &[f64],
    after: &[f64],
    what: impl std::fmt::Display,
    change: impl Fn(&mut ViewMut<'_, f64, 1, S::Memory, spelt::Stride>),
) {
    let mut dense = to_space(space, before);
    change(&mut dense.view_mut().into_stride());
    same(space, &dense, after, &what);
    let mut table = with_gaps(space, before);
    change(&mut table.subview_mut((.., 0)));
    let table = table.to_host().expect("memory");
    let (found, gaps): (Vec<f64>, Vec<f64>) =
        (0..before.len()).map(|i| (table[[i, 0]], table[[i, 1]])).unzip();
    assert_same(&found, &after.to_vec(), &what);
    assert!(gaps.iter().all(|x| *x == -7.0), "{what}");
}

every! { on_every_space:
    fn elements_are_computed(space, _setting) {
        for n in [0, 1, 31, 2049, 20_001] {
            let (host, other) = (items(n), items(n + 7)[7..].to_vec());
            let (x, y) = (to_space(space, &host), to_space(space, &other));
            let mut out = space.zeros::<f64, 1>("out", [n]).expect("memory");
            transform(space, &x, &mut out, |x, i| x * 2.0 + i as f64).expect("lengths agree");
            let wanted: Vec<f64> = host.iter().enumerate().map(|(i, x)| x * 2.0 + i as f64).collect();
            same(space, &out, &wanted, format!("transform {n}"));
            transform_binary(space, &x, &y, &mut out, |x, y, i| x - y + i as f64).expect("lengths agree");
            let wanted: Vec<f64> = (0..n).map(|i| host[i] - other[i] + i as f64).collect();
            same(space, &out, &wanted, format!("transform_binary {n}"));
            generate(space, &mut out, |i| i as f64 * 0.5).expect("memory");
            same(space, &out, &(0..n).map(|i| i as f64 * 0.5).collect::<Vec<_>>(), format!("generate {n}"));
            transform_in_place(space, &mut out, |x, i| x - i as f64).expect("memory");
            same(space, &out, &(0..n).map(|i| i as f64 * 0.5 - i as f64).collect::<Vec<_>>(), format!("transform_in_place {n}"));
            adjacent_difference(space, &x, &mut out, |x, former| x - 3.0 * former).expect("lengths agree");
            let wanted: Vec<f64> = (0..n).map(|i| if i == 0 { host[0] } else { host[i] - 3.0 * host[i - 1] }).collect();
            same(space, &out, &wanted, format!("adjacent_difference {n}"));
            let table = with_gaps(space, &host);
            let mut gaps = with_gaps(space, &vec![5.0; n]);
            adjacent_difference(space, &table.subview((.., 0)), &mut gaps.subview_mut((.., 0)), |x, former| x - 3.0 * former)
                .expect("lengths agree");
            let gaps = gaps.to_host().expect("memory");
            assert_same(&(0..n).map(|i| gaps[[i, 0]]).collect(), &wanted, format!("adjacent_difference with gaps, {n}"));
            assert!((0..n).all(|i| gaps[[i, 1]] == -7.0));
        }
    }

    fn elements_are_replaced_and_removed(space, _setting) {
        for old in EDGES {
            let wanted: Vec<f64> = EDGES.iter().map(|x| if *x == old { 3.0 } else { *x }).collect();
            in_place(space, &EDGES, &wanted, old, |x| replace(space, x, old, 3.0).expect("memory"));
            let (x, mut out) = (to_space(space, &EDGES), space.zeros("out", [EDGES.len()]).expect("memory"));
            replace_copy(space, &x, &mut out, old, 3.0).expect("lengths agree");
            same(space, &out, &wanted, old);
            let mut wanted: Vec<f64> = EDGES.into_iter().filter(|x| *x != old).collect();
            let kept = wanted.len();
            wanted.extend(&EDGES[kept..]);
            in_place(space, &EDGES, &wanted, old, |x| assert_eq!(remove(space, x, old).expect("memory"), kept));
        }
        for n in [0, 1, 64, 9000, 20_001] {
            let host = items(n);
            for limit in [-2.0, 0.3, 2.0] {
                let above = move |x: &f64| *x > limit;
                let wanted: Vec<f64> = host.iter().map(|x| if above(x) { 0.0 } else { *x }).collect();
                let x = to_space(space, &host);
                let mut out = space.zeros("out", [n]).expect("memory");
                replace_copy_if(space, &x, &mut out, above, 0.0).expect("lengths agree");
                same(space, &out, &wanted, format!("{n}, {limit}"));
                let mut y = to_space(space, &host);
                replace_if(space, &mut y, above, 0.0).expect("memory");
                same(space, &y, &wanted, format!("{n}, {limit}"));
                let mut y = to_space(space, &host);
                let kept = remove_if(space, &mut y, above).expect("memory");
                let mut wanted: Vec<f64> = host.iter().copied().filter(|x| !above(x)).collect();
                assert_eq!(kept, wanted.len(), "{n}, {limit}");
                wanted.extend(&host[kept..]);
                same(space, &y, &wanted, format!("{n}, {limit}"));
            }
        }
    }

    fn elements_change_places(space, _setting) {
        for n in SIZES {
            let host = items(n);
            let x = to_space(space, &host);
            let mut out = space.zeros::<f64, 1>("out", [n]).expect("memory");
            let mut wanted = host.clone();
            wanted.reverse();
            in_place(space, &host, &wanted, format!("reverse {n}"), |x| reverse(space, x).expect("memory"));
            reverse_copy(space, &x, &mut out).expect("lengths agree");
            same(space, &out, &wanted, format!("reverse_copy {n}"));
            let table = with_gaps(space, &host);
            in_place(space, &vec![1.0; n], &wanted, format!("reverse_copy with gaps, {n}"), |out| {
                reverse_copy(space, &table.subview((.., 0)), out).expect("lengths agree");
            });
            for middle in [0, 1, 2, n / 3, n / 2, n.saturating_sub(1), n] {
                if middle > n {
                    continue;
                }
                let wanted = [&host[middle..], &host[..middle]].concat();
                in_place(space, &host, &wanted, format!("rotate {n} at {middle}"), |x| {
                    rotate(space, x, middle).expect("memory");
                });
                rotate_copy(space, &x, &mut out, middle).expect("lengths agree");
                same(space, &out, &wanted, format!("rotate_copy {n} at {middle}"));
            }
            for places in [0, 1, n / 2, n / 2 + 1, n.saturating_sub(1), n, n + 1, usize::MAX] {
                let (mut left, mut right) = (host.clone(), host.clone());
                if places < n {
                    left.copy_within(places.., 0);
                    right.copy_within(..n - places, places);
                }
                in_place(space, &host, &left, format!("left {n} by {places}"), |x| {
                    shift_left(space, x, places).expect("memory");
                });
                in_place(space, &host, &right, format!("right {n} by {places}"), |x| {
                    shift_right(space, x, places).expect("memory");
                });
            }
            let other = vec![4.5; n];
            in_place(space, &host, &other, format!("swap {n}"), |x| {
                let mut y = to_space(space, &other);
                swap_ranges(space, x, &mut y).expect("lengths agree");
                same(space, &y, &host, format!("swap {n}"));
            });
        }
    }

    fn lengths_that_differ_are_errors(space, _setting) {
        let x = space.zeros::<f64, 1>("x", [8]).expect("memory");
        let mut y = space.zeros::<f64, 1>("y", [7]).expect("memory");
        let errors = [
            transform(space, &x, &mut y, |x, _| x),
            transform_binary(space, &x, &x, &mut y, |x, _, _| x),
            reverse_copy(space, &x, &mut y),
            rotate_copy(space, &x, &mut y, 3),
            replace_copy(space, &x, &mut y, 1.0, 2.0),
            adjacent_difference(space, &x, &mut y, |x, _| x),
        ];
        for error in errors {
            let error = error.expect_err("lengths differ");
            assert_eq!(error.kind(), ErrorKind::Extents);
            assert!(error.to_string().contains("view `x` has 8 elements and view `y` has 7"), "{error}");
        }
        let mut z = space.zeros::<f64, 1>("z", [8]).expect("memory");
        for error in [swap_ranges(space, &mut y, &mut z), transform_binary(space, &x, &y.view(), &mut z, |x, _, _| x)] {
            assert_eq!(error.expect_err("lengths differ").kind(), ErrorKind::Extents);
        }
        for error in [rotate(space, &mut z, 9), rotate_copy(space, &x, &mut z, 9)] {
            let error = error.expect_err("there is no such element");
            assert_eq!(error.kind(), ErrorKind::Extents);
            assert!(error.to_string().contains("8 elements, none at 9"), "{error}");
        }
    }
}

every! { on_every_host_space:
    fn closures_are_called_once_for_each_element(space, _setting) {
        for n in [0, 1, 1024, 9001] {
            let calls = AtomicUsize::new(0);
            let call = || _ = calls.fetch_add(1, Relaxed);
            let check = |what, wanted| assert_eq!(calls.swap(0, Relaxed), wanted, "{what} of {n}");
            let mut x = View::from_fn("x", [n], |[k]| k).expect("memory");
            let y = View::from_fn("y", [n], |[k]| k).expect("memory");
            let called = |x: usize| {
                call();
                x
            };
            generate(space, &mut x, called).expect("memory");
            check("generate", n);
            transform(space, &y, &mut x, |y, _| called(y)).expect("lengths agree");
            check("transform", n);
            transform_binary(space, &y, &y, &mut x, |x, y, _| called(x + y)).expect("lengths agree");
            check("transform_binary", n);
            transform_in_place(space, &mut x, |x, _| called(x)).expect("memory");
            check("transform_in_place", n);
            adjacent_difference(space, &y, &mut x, |x, y| called(x - y)).expect("lengths agree");
            check("adjacent_difference", n.saturating_sub(1));
            let odd = |x: &usize| called(*x) % 2 == 1;
            replace_if(space, &mut x, odd, 0).expect("memory");
            check("replace_if", n);
            replace_copy_if(space, &y, &mut x, odd, 0).expect("lengths agree");
            check("replace_copy_if", n);
            remove_if(space, &mut x, odd).expect("memory");
            check("remove_if", n);
        }
    }

    /// A test whose answers change loses and invents nothing.
    fn a_removal_that_lies_does_no_harm(space, _setting) {
        let calls = AtomicUsize::new(0);
        for n in [1, 5000] {
            let mut x: View<usize, 1, HostSpace> = View::from_fn("x", [n], |[k]| k).expect("memory");
            let kept = remove_if(space, &mut x, |_| noise(calls.fetch_add(1, Relaxed)) > 0.0).expect("memory");
            let x = x.to_vec();
            assert!(x[..kept].is_sorted_by(|a, b| a < b), "in order, none twice");
            assert!((kept..n).all(|k| x[k] == k), "those after them are unchanged");
        }
    }
}
