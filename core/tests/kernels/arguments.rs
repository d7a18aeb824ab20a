//! Adapters on a device.

use spelt_core::reducers::Max;
use spelt_core::{Element, ExecutionSpace, Scalar, View, parallel_for};

use crate::{device, elements, host};

#[test]
fn atomics_of_integers_are_exact_and_those_of_floats_add_up() {
    fn histogram<S: ExecutionSpace>(space: &S) -> (Vec<u32>, Vec<i64>, Vec<f64>, Vec<f32>) {
        let mut counts = space.zeros::<u32, 1>("counts", [7]).unwrap();
        let mut extrema = space.zeros::<i64, 1>("extrema", [7]).unwrap();
        let mut sums = space.zeros::<f64, 1>("sums", [7]).unwrap();
        let mut small = space.zeros::<f32, 1>("small", [7]).unwrap();
        let args = (counts.atomic(), extrema.atomic(), sums.atomic(), small.atomic());
        parallel_for("histogram", space.range(0..2000), args, |i, (counts, extrema, sums, small)| {
            let bin = i.get() * i.get() % 7;
            counts.inc(bin);
            extrema.max(bin, i.get() as i64);
            // Whole numbers, whose sums no order rounds.
            sums.add(bin, i.get() as f64);
            small.add(bin, 1.0);
        })
        .unwrap();
        (
            elements(&counts.to_host().unwrap()),
            elements(&extrema.to_host().unwrap()),
            elements(&sums.to_host().unwrap()),
            elements(&small.to_host().unwrap()),
        )
    }
    let Some(space) = device() else { return };
    assert_eq!(histogram(&space), histogram(&host()));
}

/// An element that no processor has atomics for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wide {
    count: u64,
    sum: u64,
    last: u8,
}
// SAFETY: integers, and valid when all bytes are zero.
unsafe impl Element for Wide {}
impl Scalar for Wide {}

#[test]
fn atomics_of_wide_elements_go_by_locks() {
    fn count<S: ExecutionSpace>(space: &S) -> Vec<(u64, u64)> {
        let mut wide = space.zeros::<Wide, 1>("wide", [3]).unwrap();
        parallel_for("count", space.range(0..300), wide.atomic(), |i, wide| {
            wide.update(i.get() % 3, |old| Wide {
                count: old.count + 1,
                sum: old.sum + i.get() as u64,
                last: i.get() as u8,
            });
        })
        .unwrap();
        elements(&wide.to_host().unwrap()).iter().map(|wide| (wide.count, wide.sum)).collect()
    }
    let Some(space) = device() else { return };
    assert_eq!(count(&space), count(&host()));
}

#[test]
fn scattered_integers_are_exact() {
    fn scattered<S: ExecutionSpace>(space: &S) -> (Vec<u64>, Vec<u64>) {
        let mut sums = space.zeros::<u64, 1>("sums", [5]).unwrap();
        let mut most = space.zeros::<u64, 2>("most", [2, 3]).unwrap();
        parallel_for("sums", space.range(0..3000), sums.scatter(), |i, sums| {
            sums.add(i.get() % 5, i.get() as u64)
        })
        .unwrap();
        let policy = space.md_range([0..40, 0..50]);
        parallel_for("most", policy, most.scatter_with(Max::new()).duplicated(4), |i, most| {
            let [row, column] = i.index();
            most.max([row % 2, column % 3], (row * column) as u64);
        })
        .unwrap();
        (elements(&sums.to_host().unwrap()), elements(&most.to_host().unwrap()))
    }
    let Some(space) = device() else { return };
    assert_eq!(scattered(&space), scattered(&host()));
}

#[test]
fn lookups_partial_views_and_rows() {
    fn gathered<S: ExecutionSpace>(space: &S, table: &View<u32, 1, S::Memory>) -> (Vec<u32>, Vec<u32>) {
        let mut out = space.zeros::<u32, 1>("out", [500]).unwrap();
        let mut rows = space.zeros::<u32, 2>("rows", [500, 3]).unwrap();
        let args = (table.lookup(), table.partial(), &mut out, rows.by_rows_mut());
        parallel_for("gather", space.range(0..500), args, |i, (table, part, mut out, mut rows)| {
            out[i] = table[(i.get() * 37) % 100] + part.get(i).copied().unwrap_or(7);
            for (column, element) in rows[i].iter_mut().enumerate() {
                *element = (i.get() + column) as u32;
            }
        })
        .unwrap();
        (elements(&out.to_host().unwrap()), elements(&rows.to_host().unwrap()))
    }
    let Some(space) = device() else { return };
    let table = View::from_fn("table", [100], |[i]| (i * i) as u32).unwrap();
    assert_eq!(gathered(&space, &table.to_space(&space).unwrap()), gathered(&host(), &table));
}
