//! `split_axis`, `components`, `arrays` and `planes`: the elements by their old indices, and the extents and strides that
//! are refused.

use spelt_core::subview::{All, ArrayLayout, Steps};
use spelt_core::{Element, ErrorKind, HostSpace, Layout, Left, Right, Stride, View, ViewRef};

use crate::oracle::{indices, mark, panic_message};

/// Splits each axis of a View of rank 3 in every way; everything else is an error.
fn split_all<L: Layout>(view: ViewRef<'_, u64, 3, HostSpace, L>) {
    for axis in 0..3 {
        let extent = view.extents()[axis];
        for split in (0..7).flat_map(|a| (0..7).map(move |b| [a, b])) {
            match view.split_axis(axis, split) {
                Ok(parts) => {
                    assert_eq!(split[0] * split[1], extent);
                    let mut seen = 0;
                    for index in indices(parts.extents()) {
                        let mut old = index.to_vec();
                        let fast = old.remove(axis + 1);
                        old[axis] = old[axis] * split[1] + fast;
                        assert_eq!(parts[index], view[[old[0], old[1], old[2]]]);
                        seen += 1;
                    }
                    assert_eq!(seen, view.len());
                    let groups: [&[usize]; 3] = match axis {
                        0 => [&[0, 1], &[2], &[3]],
                        1 => [&[0], &[1, 2], &[3]],
                        _ => [&[0], &[1], &[2, 3]],
                    };
                    assert_eq!(parts.regrouped(groups).unwrap(), view, "merged again");
                }
                Err(error) => {
                    assert_ne!(split[0] * split[1], extent);
                    assert_eq!(error.kind(), ErrorKind::Extents);
                }
            }
        }
    }
}

#[test]
fn an_axis_is_split_where_the_product_is_its_extent() {
    for extents in [[2, 3, 4], [6, 1, 5], [0, 4, 3], [1, 1, 1]] {
        let right = View::<u64, 3, _, Right>::from_fn("right", extents, mark).unwrap();
        split_all(right.view());
        split_all(right.to_layout(Left).unwrap().view());
    }
    let all = View::<u64, 3>::from_fn("all", [4, 4, 6], mark).unwrap();
    split_all(all.subview((All.step(2), 1..3, All.step(3))));
    assert!(all.split_axis(2, [2, 3]).unwrap().try_into_layout::<Right>().is_ok());
}

#[test]
fn axes_that_cannot_be_split_are_errors() {
    let mut v = View::<u32, 2>::zeros("v", [3, 4]).unwrap();
    let message = |result: spelt_core::Result<ViewRef<'_, u32, 3, HostSpace, Stride>>| {
        result.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(message(v.split_axis(2, [1, 1])), "view `v`: there is no axis 2 in rank 2");
    assert_eq!(message(v.split_axis(1, [3, 2])), "view `v`: axis 1 of extent 4 cannot be split into [3, 2]");
    // The product wraps to 4.
    assert!(v.split_axis(1, [(1 << 63) + 2, 2]).is_err());
    assert!(v.split_axis_mut(1, [(1 << 63) + 2, 2]).is_err());
    assert_eq!(v.split_axis_mut(0, [2, 2]).map(|_| ()).unwrap_err().kind(), ErrorKind::Extents);
    // Extents beside a zero that could not be counted otherwise.
    let empty = View::<u32, 2>::zeros("empty", [0, 4]).unwrap();
    for huge in [usize::MAX, isize::MAX as usize, 1 << 60] {
        assert_eq!(empty.split_axis(0, [huge, 0]).map(|_| ()).unwrap_err().kind(), ErrorKind::Overflow);
        assert_eq!(empty.split_axis(0, [0, huge]).map(|_| ()).unwrap_err().kind(), ErrorKind::Overflow);
    }
    assert_eq!(empty.split_axis(0, [9, 0]).unwrap().extents(), [9, 0, 4]);
}

/// Components of a View of arrays, and the arrays of these: the same elements and strides as at first.
fn there_and_back<L: ArrayLayout<Exchanged: ArrayLayout>>(arrays: ViewRef<'_, [u64; 3], 2, HostSpace, L>) {
    let numbers = arrays.components().unwrap();
    let [n, m] = arrays.extents();
    assert_eq!(numbers.extents(), [n, m, 3]);
    for [i, j, c] in indices([n, m, 3]) {
        assert_eq!(numbers[[i, j, c]], arrays[[i, j]][c]);
    }
    let again = numbers.arrays::<3>().unwrap();
    assert_eq!(again.extents(), [n, m]);
    for index in indices([n, m]) {
        assert!(core::ptr::eq(&again[index], &arrays[index]));
    }
}

#[test]
fn arrays_are_their_components() {
    let of = |[i, j]: [usize; 2]| [0, 1, 2].map(|c| (100 * i + 10 * j + c) as u64);
    for extents in [[0, 4], [1, 1], [3, 0], [3, 5]] {
        let right = View::<_, 2>::from_fn("right", extents, of).unwrap();
        there_and_back(right.view());
        there_and_back(View::from_fn_in(Left, "left", extents, of).unwrap().view());
    }
    let all = View::<_, 2>::from_fn("all", [6, 6], of).unwrap();
    there_and_back(all.subview((All.step(2), 1..6)));
    there_and_back(all.subview((5..6, All.step(5))));
    let single = View::<[u8; 2], 0>::from_fn("single", [], |[]| [1, 2]).unwrap();
    assert_eq!(single.components().unwrap().to_vec(), [1, 2]);
}

fn kind<T: Element, const R: usize, L: Layout>(
    result: spelt_core::Result<ViewRef<'_, T, R, HostSpace, L>>,
) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn arrays_that_the_memory_does_not_have_are_errors() {
    let v = View::<u32, 2>::from_fn("v", [4, 6], |[i, j]| (10 * i + j) as u32).unwrap();
    assert_eq!(
        v.arrays::<3>().map(|_| ()).unwrap_err().to_string(),
        "view `v`: the last dimension of the extents [4, 6] is not the 3 elements of an array: split it with `split_axis`"
    );
    assert_eq!(v.split_axis(1, [2, 3]).unwrap().arrays::<3>().unwrap()[[1, 1]], [13, 14, 15]);
    // Rows of three in rows of six begin at multiples of 3; of four they do not.
    assert_eq!(v.subview((All, 0..3)).arrays::<3>().unwrap()[3], [30, 31, 32]);
    assert_eq!(v.subview((All, 3..6)).arrays::<3>().unwrap()[3], [33, 34, 35]);
    assert_eq!(kind(v.subview((All, 1..5)).arrays::<4>()), Some(ErrorKind::Layout));
    assert_eq!(kind(v.subview((2..3, 1..5)).arrays::<4>()), None, "one row takes no step");
    assert_eq!(kind(v.subview((All, All.step(2))).arrays::<3>()), Some(ErrorKind::Layout));
    assert_eq!(v.subview((All, 4..5)).arrays::<1>().unwrap()[2], [24]);
    assert_eq!(kind(v.to_layout(Left).unwrap().arrays::<6>()), Some(ErrorKind::Layout));
    let mut w = View::<u32, 2>::zeros("w", [4, 6]).unwrap();
    assert!(w.subview_mut((All, 1..5)).arrays_mut::<4>().is_err());
    w.subview_mut((All, 3..6)).arrays_mut::<3>().unwrap().fill([1, 2, 3]);
    assert_eq!(w.row(3), [0, 0, 0, 1, 2, 3]);
}

/// Elements without a size have any number of places: the components would have more than can be counted.
#[test]
fn components_that_cannot_be_counted_are_errors() {
    let huge = View::<[(); 4], 1>::zeros("huge", [1 << 62]).unwrap();
    assert_eq!(kind(huge.components()), Some(ErrorKind::Overflow));
    let hidden = View::<[u64; 0], 1>::zeros("hidden", [1 << 62]).unwrap();
    assert_eq!(kind(hidden.components()), Some(ErrorKind::Overflow));
    let none = View::<[u64; 0], 1>::zeros("none", [5]).unwrap();
    assert_eq!(none.components().unwrap().extents(), [5, 0]);
    // The strides of a column: rows of 2^61 places times 8 wrap.
    let rows = View::<[(); 8], 2>::zeros("rows", [2, 1 << 61]).unwrap();
    assert_eq!(kind(rows.subview((All, 0)).components()), Some(ErrorKind::Overflow));
}

#[test]
fn planes_are_the_slowest_dimension() {
    let right = View::<u64, 3, _, Right>::from_fn("right", [2, 3, 4], mark).unwrap();
    let left = View::from_fn_in(Left, "left", [3, 4, 2], |[i, j, k]| mark([k, i, j])).unwrap();
    let every_other =
        View::<u64, 3>::from_fn("wide", [4, 3, 8], |[i, j, k]| mark([i / 2, j, k / 2])).unwrap();
    let stride = every_other.subview((All.step(2), All, All.step(2)));
    for plane in 0..2 {
        assert_eq!(right.planes::<2>()[plane].strides(), [4, 1]);
        assert_eq!(left.planes::<2>()[plane].strides(), [1, 3]);
        for [i, j] in indices([3, 4]) {
            let wanted = mark([plane, i, j]);
            assert_eq!(right.planes::<2>()[plane][[i, j]], wanted);
            assert_eq!(left.planes::<2>()[plane][[i, j]], wanted);
            assert_eq!(stride.planes::<2>()[plane][[i, j]], wanted);
        }
    }
    let mut line = View::<u32, 1>::zeros("line", [3]).unwrap();
    let [mut a, b, mut c] = line.planes_mut();
    (a[[]], c[[]]) = (1 + b[[]], 3);
    assert_eq!(line.to_vec(), [1, 0, 3]);
    let mut none = View::<u32, 2>::zeros("none", [0, 3]).unwrap();
    assert!(none.planes_mut::<0>().is_empty());
    let empty = View::<u32, 2>::zeros("empty", [2, 0]).unwrap();
    assert!(
        empty
            .planes::<2>()
            .iter()
            .all(|plane| plane.is_empty() && plane.raw().pointer() == empty.raw().pointer())
    );
}

#[test]
fn planes_that_are_not_there_panic() {
    let mut v = View::<u32, 2>::zeros("v", [2, 3]).unwrap();
    let text = "view `v`: dimension 0 does not have 3 planes: the extents are [2, 3]";
    assert_eq!(panic_message(|| assert_eq!(v.planes::<3>().len(), 3)), text);
    assert_eq!(panic_message(move || drop(v.planes_mut::<3>())), text);
    let left = View::from_fn_in(Left, "l", [2, 3], |_| 0).unwrap();
    assert_eq!(
        panic_message(|| assert_eq!(left.planes::<2>().len(), 2)),
        "view `l`: dimension 1 does not have 2 planes: the extents are [2, 3]"
    );
}
