//! `parallel_for` over ranges.

use spelt_core::{ExecutionSpace, View, parallel_for};

use crate::{device, elements, host, noise};

#[test]
fn axpy_has_the_bits_of_the_host() {
    fn axpy<S: ExecutionSpace>(
        space: &S,
        a: f64,
        x: &View<f64, 1, S::Memory>,
        y: &mut View<f64, 1, S::Memory>,
    ) {
        let n = x.len();
        parallel_for("axpy", space.range(0..n), (a, x, y), |i, (a, x, mut y)| y[i] += a * x[i]).unwrap();
    }
    let Some(space) = device() else { return };
    for n in [0, 1, 255, 256, 257, 10_000] {
        let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap();
        let mut y = View::from_fn("y", [n], |[i]| noise(i + 1)).unwrap();
        let x_there = x.to_space(&space).unwrap();
        let mut y_there = y.to_space(&space).unwrap();
        axpy(&space, 1.7, &x_there, &mut y_there);
        axpy(&host(), 1.7, &x, &mut y);
        assert_eq!(elements(&y_there.to_host().unwrap()), elements(&y), "{n} numbers");
    }
}

#[test]
fn ranges_begin_anywhere_and_chunks_mean_nothing() {
    let Some(space) = device() else { return };
    let scale = 3_u64;
    let mut visits = space.zeros::<u64, 1>("visits", [1000]).unwrap();
    let policy = space.range(300..777).chunk(5).schedule(spelt_core::Dynamic);
    parallel_for("visit", policy, &mut visits, move |i, mut visits| visits[i] += scale * i.get() as u64)
        .unwrap();
    let found = elements(&visits.to_host().unwrap());
    let wanted: Vec<u64> = (0..1000).map(|i| if (300..777).contains(&i) { 3 * i } else { 0 }).collect();
    assert_eq!(found, wanted);
}

#[test]
fn indices_beyond_32_bits() {
    let Some(space) = device() else { return };
    let mut found = space.zeros::<u64, 1>("found", [600]).unwrap();
    let first = (1_usize << 32) + 5;
    parallel_for("far", space.range(first..first + 600), found.atomic(), move |i, found| {
        found.store(i.get() - first, i.get() as u64);
    })
    .unwrap();
    let wanted: Vec<u64> = (0..600).map(|i| (first + i) as u64).collect();
    assert_eq!(elements(&found.to_host().unwrap()), wanted);
}

#[test]
fn a_view_too_short_is_refused_as_on_the_host() {
    fn message<S: ExecutionSpace>(space: &S) -> String {
        let mut y = space.zeros::<f64, 1>("y", [10]).unwrap();
        parallel_for("fill", space.range(0..11), &mut y, |i, mut y| y[i] = 1.0).unwrap_err().to_string()
    }
    let Some(space) = device() else { return };
    assert_eq!(message(&space), message(&host()));
}
