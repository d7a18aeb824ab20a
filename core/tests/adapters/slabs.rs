//! Slabs: rows and parts of Views of any rank and layout, in kernels.

use std::cell::RefCell;

use spelt_core::subview::{All, Steps};
use spelt_core::{ExecutionSpace, HostSpace, Layout, Left, Offsets, Serial, View, ViewMut, parallel_for};

use crate::{on_all_spaces, panic_text};

/// Every element of every slab is its View's, and every element is written once.
#[test]
fn slabs_have_the_elements_of_their_rows() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        fn rows<L: Layout>(
            space: &impl ExecutionSpace<Memory = HostSpace>,
            mut a: ViewMut<'_, usize, 3, HostSpace, L>,
        ) {
            let [n, m, o] = a.extents();
            parallel_for("rows", space.range(0..n), a.by_rows_mut(), |i, mut a| {
                assert_eq!((a.extent(0), a.row(i).extent(0), a.row(i).extent(1)), (n, m, o));
                let mut slab = a.row_mut(i);
                for j in 0..m {
                    for (k, element) in slab.row_mut(j).iter_mut().enumerate() {
                        *element += 100 * i.get() + 10 * j + k;
                    }
                    assert_eq!(slab.row(j).len(), o);
                    assert!(slab.row(j).iter().enumerate().all(|(k, element)| *element == slab[[j, k]]));
                }
            })
            .unwrap();
            for ([i, j, k], element) in a.indexed_iter() {
                assert_eq!(*element, 100 * i + 10 * j + k);
            }
            parallel_for("blocks", space.range(0..n.div_ceil(2)), a.by_blocks_mut(2), |b, mut a| {
                let range = a.range(b);
                let mut slab = a.part_mut(b);
                assert_eq!(slab.extent(0), range.len());
                for (i, row) in range.enumerate() {
                    for (j, k) in (0..m).flat_map(|j| (0..o).map(move |k| (j, k))) {
                        *slab.get_mut([i, j, k]).unwrap() -= 100 * row + 10 * j + k;
                    }
                }
                assert_eq!(
                    (slab.get([slab.extent(0), 0, 0]), slab.get([0, m, 0]), slab.get([0, 0, o])),
                    (None, None, None)
                );
            })
            .unwrap();
            assert!(a.iter().all(|element| *element == 0));
            parallel_for("all", space.range(0..n), a.by_rows_mut(), |i, mut a| {
                let mut slab = a.row_mut(i);
                slab.fill(i.get());
                assert!(slab.iter().all(|element| *element == i.get()));
                let elements = slab.iter_mut();
                assert_eq!(elements.len(), m * o);
                for (number, element) in elements.enumerate() {
                    *element += 100 * number;
                }
                assert!(slab.iter().enumerate().all(|(number, element)| *element == 100 * number + i.get()));
                for j in 0..m {
                    slab.row_mut(j)[o - 1] += 1;
                    assert_eq!(slab.row(j)[o - 1], 100 * (j * o + o - 1) + i.get() + 1);
                    slab.row_mut(j).fill(j);
                    assert!(slab.row(j).iter().all(|element| *element == j));
                }
            })
            .unwrap();
            // Elements between the rows, and beyond them, are not filled.
            for ([_, j, _], element) in a.indexed_iter() {
                assert_eq!(*element, j);
            }
        }
        for extents in [[0, 2, 3], [1, 1, 1], [5, 4, 3], [4, 1, 6]] {
            rows(space, View::<usize, 3>::zeros("right", extents).unwrap().view_mut());
            rows(space, View::from_fn_in(Left, "left", extents, |_| 0).unwrap().view_mut());
            let wide = extents.map(|extent| 2 * extent);
            let mut wide = View::<usize, 3>::zeros("wide", wide).unwrap();
            let [n, m, o] = extents;
            rows(space, wide.subview_mut(((0..2 * n).step(2), 0..m, (0..2 * o).step(2))));
            let inside = |[i, j, k]: [usize; 3]| i % 2 == 0 && j < m && k % 2 == 0;
            assert!(wide.indexed_iter().all(|(index, element)| inside(index) || *element == 0));
        }
    }
    on_all_spaces!(check);
}

#[test]
fn slabs_of_contiguous_rows_are_slices() {
    let mut right = View::from_fn("right", [3, 2, 2], |[i, j, k]| 4 * i + 2 * j + k).unwrap();
    let mut left = View::from_fn_in(Left, "left", [3, 2], |[i, j]| 10 * i + j).unwrap();
    let mut table = View::from_fn("table", [3, 4], |[i, j]| 10 * i + j).unwrap();
    let mut columns = table.subview_mut((All, 0..2));
    let args = (right.by_rows_mut(), left.by_rows_mut(), columns.by_blocks_mut(2));
    parallel_for("slices", Serial::new().range(0..2), args, |i, (mut right, mut left, columns)| {
        let first = 4 * i.get();
        assert_eq!(right.row(i).as_slice(), Some(&[first, first + 1, first + 2, first + 3][..]));
        right.row_mut(i).as_mut_slice().unwrap().fill(7);
        assert_eq!(left.row(i).as_slice(), None);
        assert_eq!(left.row_mut(i).as_mut_slice(), None);
        assert_eq!(columns.part(i).as_slice(), None);
    })
    .unwrap();
    assert_eq!(right.to_vec(), [7, 7, 7, 7, 7, 7, 7, 7, 8, 9, 10, 11]);
}

#[test]
fn failing_accesses_to_slabs_name_the_view() {
    let a = RefCell::new(View::<f64, 3>::zeros("a", [4, 3, 2]).unwrap());
    let left = RefCell::new(View::from_fn_in(Left, "left", [4, 3], |_| 0.0).unwrap());
    macro_rules! text {
        ($view:ident.$adapter:ident($($len:expr)?), |$i:ident, $slab:ident| $body:expr) => {
            panic_text(|| {
                let mut view = $view.borrow_mut();
                let args = view.$adapter($($len)?);
                _ = parallel_for("k", Serial::new().range(1..2), args, |$i, #[allow(unused_mut)] mut $slab| {
                    $body;
                });
            })
        };
    }
    let beyond = |index: &str, extents: &str| {
        format!(
            "index {index} is out of bounds of a slab with extents {extents}, in a row of view `a`.by_rows_mut() with extents [4, 3, 2] \
             in kernel `k`"
        )
    };
    assert_eq!(text!(a.by_rows_mut(), |i, a| a.row_mut(i)[[3, 0]] = 1.0), beyond("[3, 0]", "[3, 2]"));
    assert_eq!(text!(a.by_rows_mut(), |i, a| a.row_mut(i)[[0, 2]] = 1.0), beyond("[0, 2]", "[3, 2]"));
    assert_eq!(text!(a.by_rows_mut(), |i, a| assert!(a.row(i)[[3, 1]] > 0.0)), beyond("[3, 1]", "[3, 2]"));
    assert_eq!(
        text!(a.by_rows_mut(), |i, a| assert!(a.row(i).row(3).is_empty())),
        beyond("[3, 0]", "[3, 2]")
    );
    assert_eq!(text!(a.by_rows_mut(), |i, a| a.row_mut(i).row_mut(2)[2] = 1.0), beyond("[2]", "[2]"));
    let text = text!(left.by_rows_mut(), |i, a| *a.row_mut(i).into_elements::<4>()[0] = 1.0);
    assert_eq!(
        text,
        "index [3] is out of bounds of a slab with extents [3], in a row of view `left`.by_rows_mut() with extents [4, 3] in kernel `k`"
    );
    let text = text!(left.by_blocks_mut(3), |i, a| a.part_mut(i)[[1, 0]] = 1.0);
    assert_eq!(
        text,
        "index [1, 0] is out of bounds of a slab with extents [1, 3], in a block of view `left`.by_blocks_mut(..) with extents [4, 3] in \
         kernel `k`"
    );
    let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 3, 4]).unwrap()).unwrap();
    let text = text!(left.by_segments_mut(&offsets), |i, a| a.part_mut(i)[[1, 0]] = 1.0);
    assert_eq!(
        text,
        "index [1, 0] is out of bounds of a slab with extents [1, 3], in a segment of view `left`.by_segments_mut(..) with extents [4, 3] \
         in kernel `k`"
    );
}

/// As many elements as a slab has are lent at once, each once.
#[test]
fn elements_of_a_row_are_distinct() {
    let mut f = View::from_fn_in(Left, "f", [5, 3], |[i, d]| 10 * i + d).unwrap();
    parallel_for("rotate", Serial::new().range(0..5), f.by_rows_mut(), |i, mut f| {
        let [x, y, z] = f.row_mut(i).into_elements();
        (*x, *y, *z) = (*y, *z, *x);
        let [first] = f.row_mut(i).into_elements();
        *first += 100;
        assert_eq!(f.row_mut(i).into_elements::<0>().len(), 0);
        assert_eq!(f.row(i).iter().rev().copied().next(), Some(10 * i.get()));
    })
    .unwrap();
    for i in 0..5 {
        assert_eq!([f[[i, 0]], f[[i, 1]], f[[i, 2]]], [10 * i + 101, 10 * i + 2, 10 * i]);
    }
}

/// The witnesses and accessors that macros define for each rank reach the largest.
#[test]
fn slabs_and_signed_witnesses_have_rank_8() {
    let space = Serial::new();
    let number = |index: [usize; 8]| index.iter().fold(0, |number, part| 2 * number + part);
    let a = View::from_fn("a", [2; 8], number).unwrap();
    let mut y = View::<[usize; 3], 1>::zeros("y", [2]).unwrap();
    parallel_for("slabs", space.range(0..2), (a.by_rows(), a.lookup(), &mut y), |i, (rows, a, mut y)| {
        let (row, first, last) = (rows.row(i), a.slab(i.get()), a.slab_at::<7>(i.get()));
        let at = [1_u8, 0, 0, 0, 0, 1, 1];
        y[i] = [row.row(1)[[0, 0, 0, 0, 1, 1]], first[at], last[at]];
    })
    .unwrap();
    assert_eq!(y.to_vec(), [[67, 67, 134], [195, 195, 135]]);
    let mut z = View::<isize, 8>::zeros("z", [1, 1, 1, 1, 1, 1, 1, 2]).unwrap().with_origin([-1; 8]).unwrap();
    parallel_for("signed", space.signed_md_range(z.ranges()), &mut z, |i, mut z| z[i] = i.get()[7]).unwrap();
    assert_eq!(z.into_view().to_vec(), [-1, 0]);
}
