//! Every adapter once, at sizes that Miri can run: `cargo +nightly miri test -p spelt-core --test adapters small_launches`.

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{ExecutionSpace, HostSpace, Left, View, parallel_for, parallel_reduce};

/// Padded, so that a comparison or an exchange of its bytes would read uninitialised bytes.
type Padded = (u8, u64, u16);

/// Adds in each place.
#[derive(Clone, Copy)]
struct Places;

impl Reducer for Places {
    type Value = Padded;
    type Output = Padded;
    fn init(&self) -> Padded {
        (0, 0, 0)
    }
    fn join(&self, into: &mut Padded, from: &Padded) {
        *into = (into.0 + from.0, into.1 + from.1, into.2 + from.2);
    }
    fn finish(&self, value: Padded) -> Padded {
        value
    }
}

fn reading(space: &impl ExecutionSpace<Memory = HostSpace>) {
    let x = View::from_fn("x", [12], |[i]| i as f64).unwrap();
    let a = View::from_fn("a", [4, 3], |[i, j]| (i + j) as f64).unwrap();
    let mut y = View::<f64, 1>::zeros("y", [12]).unwrap();
    let mut b = View::<f64, 2>::zeros("b", [4, 3]).unwrap();
    let mut empty = View::<f64, 2>::zeros("empty", [4, 0]).unwrap();
    parallel_for("halo", space.range(1..11).chunk(3), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
        y[i] = x.at(i, [-1]) + x[i] + x.at(i, [1]);
    })
    .unwrap();
    assert_eq!((y[0], y[1], y[10]), (0.0, 3.0, 30.0));
    let args = (x.partial(), y.partial_mut(), x.lookup());
    parallel_for("partial", space.range(0..20).chunk(3), args, |i, (x, mut y, table)| {
        if let Some(y) = y.get_mut(i) {
            *y = x[i] + table.as_slice()[3] + table[0];
        }
    })
    .unwrap();
    assert_eq!(y[11], 14.0);
    let args = (a.by_rows(), b.by_rows_mut(), empty.by_rows_mut());
    parallel_for("rows", space.range(0..4).chunk(1), args, |i, (a, mut b, mut empty)| {
        b[i].copy_from_slice(&a[i]);
        empty[i].fill(1.0);
    })
    .unwrap();
    parallel_for(
        "along",
        space.md_range([0..4, 0..3]).chunk(2),
        (&mut b, x.along::<1>()),
        |i, (mut b, x)| b[i] *= x[i],
    )
    .unwrap();
    assert_eq!(b[[3, 2]], 10.0);
}

fn writing(space: &impl ExecutionSpace<Memory = HostSpace>) {
    let mut padded = View::<Padded, 1>::zeros("padded", [2]).unwrap();
    let mut pairs = View::<(u8, u32), 1>::zeros("pairs", [2]).unwrap();
    let mut words = View::<u16, 1>::zeros("words", [2]).unwrap();
    let mut sum = View::<f32, 0>::zeros("sum", []).unwrap();
    let args = (padded.atomic(), pairs.atomic(), words.atomic(), sum.atomic());
    parallel_for("atomic", space.range(0..20).chunk(1), args, |i, (padded, pairs, words, sum)| {
        padded.update(i.get() % 2, |(a, b, c)| (a + 1, b + 1, c + 1));
        pairs.exchange(i.get() % 2, (1, 2));
        words.add(0, 3);
        words.nand(1, 3);
        sum.add([], 1.0);
    })
    .unwrap();
    assert_eq!((padded[0], pairs[1], words[0], sum.value()), ((10, 10, 10), (1, 2), 60, 20.0));
    let mut scatter = padded.scatter_with(Places);
    for _ in 0..2 {
        parallel_for("scatter", space.range(0..20), &mut scatter, |i, padded| {
            padded.update(i.get() % 2, (1, 1, 1))
        })
        .unwrap();
    }
    assert_eq!(padded[0], (30, 30, 30));
    let mut left = View::<u32, 2, _, Left>::zeros_in(Left, "left", [3, 2]).unwrap();
    let mut bins = View::<f64, 1>::zeros("bins", [12]).unwrap();
    let args = (left.scatter(), bins.scatter().atomic());
    let count = parallel_reduce(
        "reduce",
        space.range(0..300),
        args,
        |i, count, (left, bins)| {
            left.add([i.get() % 3, i.get() % 2], 1);
            bins.add(i.get() % 12, 1.0);
            *count += 1;
        },
        Sum::<u32>::new(),
    )
    .unwrap();
    assert_eq!((count, left[[2, 1]], bins[11]), (300, 50, 25.0));
    // SAFETY: `1 - i` takes each index once.
    let distinct = unsafe { words.distinct() };
    parallel_for("distinct", space.range(0..2).chunk(1), distinct, |i, mut words| words[1 - i.get()] = 4)
        .unwrap();
    assert_eq!(words.as_slice(), Some(&[4, 4][..]));
}

#[test]
fn small_launches_on_one_thread() {
    reading(&crate::serial());
    writing(&crate::serial());
}

#[test]
fn small_launches_on_two_threads() {
    let space = crate::threads(2);
    reading(&space);
    writing(&space);
}
