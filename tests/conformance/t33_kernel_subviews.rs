//! Subviews of accessors in kernels: the same elements as the subviews of Views on the host.

use spelt::prelude::*;
use spelt::subview::{AnyRank, LayoutOf, Sliceable, Slices};
use spelt::{Layout, SlabRef};

use crate::spaces::every;

/// Compares all elements of the subviews of a View of this layout with the host's, in kernels that read it by each kind of accessor.
macro_rules! compare {
    ($space:ident, $x:ident, $host:ident: $($rank:literal $slices:expr;)*) => {$({
        let slices = || $slices;
        let wanted: Vec<usize> = $host.subview(slices()).to_vec();
        let mut y = $space.zeros::<usize, 1>("y", [wanted.len()]).expect("memory");
        let args = (&$x, $x.lookup(), $x.partial(), $x.halo::<0>(), &mut y);
        parallel_for("subviews", $space.range(0..wanted.len()), args, move |i, (x, table, partial, halo, mut y)| {
            let part = x.subview(slices());
            // The place of the iteration among the elements, by the extents of the part.
            let mut rest = i.get();
            let mut place = [0; $rank];
            for dimension in (0..$rank).rev() {
                place[dimension] = rest % part.extent(dimension);
                rest /= part.extent(dimension);
            }
            y[i] = part[place];
            assert!(table.subview(slices())[place] == y[i] && partial.subview(slices())[place] == y[i]);
            assert!(halo.subview(slices())[place] == y[i]);
        }).expect("nothing to cover");
        assert_eq!(y.to_host().expect("memory").to_vec(), wanted, stringify!($slices));
    })*};
}

/// The subviews of a View of rank 3 in this layout.
fn subviews_of<S: ExecutionSpace, L: Layout + Sliceable>(space: &S, layout: L) {
    let host = View::from_fn_in(layout, "x", [4, 5, 6], |[i, j, k]| 100 * i + 10 * j + k).expect("memory");
    let (x, host) = (host.to_space(space).expect("memory"), host);
    compare! { space, x, host:
        3 (.., .., ..);
        3 (1..3, 0..5, 2..);
        3 (..=2, 4.., ..2);
        3 (0..0, 1..3, ..);
        2 (3, 1..4, ..);
        2 (.., 2, 1..=4);
        2 (1..2, .., 5);
        2 (All, (0..5).step(2), 0);
        1 (0, 4, (1..6).step(3));
        1 ((..).step(3), 0, 5);
        1 (2, .., 3);
    }
}

every! { on_every_space:
    fn parts_are_those_of_views(space, _setting) {
        subviews_of(space, Right);
        subviews_of(space, Left);
        let host = View::from_fn("x", [9, 5, 8], |[i, j, k]| 100 * i + 10 * j + k).expect("memory");
        let all = host.to_space(space).expect("memory");
        let (x, host) = (all.subview((1..9, .., (0..8).step(2))), host.subview((1..9, .., (0..8).step(2))));
        compare! { space, x, host: 2 (3..6, 2, ..); 3 ((..).step(2), 1..4, 1..3); 1 (7, 1, 2..4); }
    }

    fn parts_of_parts(space, _setting) {
        let x = space.view_from_fn("x", [4, 5, 6], |[i, j, k]| 100 * i + 10 * j + k).expect("memory");
        let mut y = space.zeros::<usize, 2>("y", [4, 4]).expect("memory");
        parallel_for("parts", space.range(0..4), (&x, x.by_rows(), y.by_rows_mut()), move |i, (x, rows, mut y)| {
            let slab = x.slab(i);
            let of_a_slab = slab.subview((1..4, 2..));
            let of_a_part = of_a_slab.subview((.., 1));
            let row = rows.row(i);
            // A row of a `Right` part is contiguous, a column is not.
            let line = row.subview((2, 1..5));
            let contiguous = usize::from(line.as_slice().is_some()) + 2 * usize::from(of_a_part.as_slice().is_some());
            // All indices: one element, of rank 0.
            let element = x.subview((i.get(), 4, 5));
            y[i].copy_from_slice(&[of_a_part.iter().sum(), line.iter().sum(), contiguous, element[[]]]);
        }).expect("covered");
        let y = y.to_host().expect("memory");
        for i in 0..4 {
            let sum = |of: &dyn Fn(usize) -> usize, over: std::ops::Range<usize>| over.map(of).sum::<usize>();
            let column = sum(&|j| 100 * i + 10 * j + 3, 1..4);
            let line = sum(&|k| 100 * i + 20 + k, 1..5);
            assert_eq!([0, 1, 2, 3].map(|place| y[[i, place]]), [column, line, 1, 100 * i + 45], "{i}");
        }
    }
}

/// A function that kernels call with any subview of a matrix.
fn sum_of<'v, T, L, S>(x: &'v spelt::Ref<'_, T, 2, L>, slices: S) -> f64
where
    T: Element + Into<f64>,
    L: Layout + Sliceable,
    S: Slices<2>,
    S::Rank: AnyRank<Slab<'v, T, LayoutOf<2, L, S>> = SlabRef<'v, T, 1, LayoutOf<2, L, S>>>,
{
    x.subview(slices).iter().fold(0.0, |sum, &x| sum + x.into())
}

every! { on_every_host_space:
    fn a_function_takes_slices(space, _setting) {
        let x = View::from_fn("x", [3, 4], |[i, j]| (10 * i + j) as f32).expect("memory");
        let sums = parallel_map_reduce("sums", space.range(0..3), &x, |i, x| {
            sum_of(&x, (i.get(), 1..3)) + 1000.0 * sum_of(&x, (.., i.get()))
        }, Sum::<f64>::new());
        assert_eq!(sums.expect("covered"), (1..3).map(|j| (30 + 3 * j) as f64).sum::<f64>() + 1000.0 * 99.0);
    }

    fn parts_beyond_the_view_are_told(space, _setting) {
        let x = View::from_fn("my x", [4, 5], |[i, j]| 10 * i + j).expect("memory");
        macro_rules! told {
            ($($slices:expr => $text:literal;)*) => {$(
                let run = || parallel_map_reduce("parts", space.range(0..1), &x, |_, x| x.subview($slices).extent(0), Sum::<usize>::new());
                let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("beyond");
                let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
                assert!(text.is_some_and(|text| text.contains($text)), "{text:?}");
            )*};
        }
        told! {
            (4, ..) => "index [4, 0] is out of bounds of";
            (0, 1..6) => "index [0, 5] is out of bounds of";
            (.., 5) => "view `my x`";
            (1..=4, 0) => "index [4, 0] is out of bounds of";
            (.., 6..) => "a range of a subview ends before it starts";
            (4..x.extent(0) - 2, 0) => "a range of a subview ends before it starts";
            ((..).step(0), 0) => "the step of a subview is 0";
            (0, ..=usize::MAX) => "index [0, -1] is out of bounds of";
        }
        let run = || parallel_map_reduce("parts", space.range(0..1), &x, |_, x| x.slab(3).subview(2..6).len(), Sum::<usize>::new());
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("beyond");
        let text = payload.downcast_ref::<String>().expect("a text");
        assert!(text.contains("index [5] is out of bounds of a slab with extents [5], in") && text.contains("my x"), "{text}");
    }
}
