//! Views from and to ndarray's arrays.

use ndarray::{Array, Array1, Array2, ArrayView2, Axis, ShapeBuilder, s};
use spelt_core::{ErrorKind, HostSpace, Layout, Left, Right, Stride, View, ViewMut, ViewRef};

use crate::oracle::{indices, mark};

#[test]
fn borrowed_arrays_are_read_where_they_lie() {
    let array = Array::from_shape_fn((3, 4, 2), |(i, j, k)| mark([i, j, k]));
    let view = ViewRef::try_from(&array).unwrap();
    assert_eq!(view.raw().pointer().cast_const(), array.as_ptr());
    for index in indices([3, 4, 2]) {
        assert_eq!(view[index], mark(index));
    }
    assert!(view.try_into_layout::<Right>().is_ok());
    let part = array.slice(s![1.., ..;2, 1]);
    let view = ViewRef::try_from(part).unwrap();
    assert_eq!(view.to_vec(), part.iter().copied().collect::<Vec<_>>());
    let fortran = Array2::from_shape_fn((3, 4).f(), |(i, j)| mark([i, j]));
    assert!(ViewRef::try_from(&fortran).unwrap().try_into_layout::<Left>().is_ok());
}

#[test]
fn borrowed_arrays_are_written_where_they_lie() {
    let mut array = Array2::<i32>::zeros((2, 3));
    ViewMut::try_from(&mut array).unwrap()[[1, 2]] = 5;
    ViewMut::try_from(array.slice_mut(s![.., 0])).unwrap().fill(7);
    assert_eq!(array, ndarray::arr2(&[[7, 0, 0], [7, 0, 5]]));
}

#[test]
fn strides_that_views_do_not_have_are_refused() {
    let mut array = Array1::from_vec(vec![1, 2, 3]);
    let error = ViewRef::try_from(array.slice(s![..;-1])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Layout);
    assert!(error.to_string().contains("backwards in dimension 0"), "{error}");
    assert_eq!(ViewMut::try_from(array.slice_mut(s![..;-1])).unwrap_err().kind(), ErrorKind::Layout);
    // One element has no direction, and neither has none.
    assert!(ViewMut::try_from(array.slice_mut(s![1..2;-1])).is_ok());
    assert!(ViewMut::try_from(array.slice_mut(s![1..1;-1])).is_ok());
    // A broadcast axis is read; to write it there is no array in safe code.
    let wide = array.broadcast((4, 3)).unwrap();
    let view = ViewRef::try_from(wide).unwrap();
    assert_eq!((view.strides()[0], view.len(), view[[3, 2]]), (0, 12, 3));
    assert_eq!(view.to_host().unwrap().len(), 12);
    assert_eq!(view.ndarray(), wide);
}

#[test]
fn owned_arrays_are_taken_over() {
    let array = Array::from_shape_fn((3, 4), |(i, j)| mark([i, j]));
    let place = array.as_ptr();
    let view = View::<u64, 2>::from_ndarray("v", array.clone()).unwrap();
    assert_eq!(view.label(), "v");
    assert_ne!(view.raw().pointer().cast_const(), place);
    let view = View::<u64, 2>::from_ndarray("v", array).unwrap();
    assert_eq!(view.raw().pointer().cast_const(), place);
    let back = view.into_ndarray();
    assert_eq!((back.as_ptr(), back[[2, 1]]), (place, mark([2, 1])));

    // Another order or a part is put in order.
    let left = View::<u64, 2, HostSpace, Left>::from_ndarray("v", back.clone()).unwrap();
    assert_eq!(left.ndarray(), back);
    assert_eq!(left.into_ndarray(), back);
    let part = back.clone().slice_move(s![1.., ..;2]);
    assert_eq!(View::<u64, 2>::from_ndarray("v", part.clone()).unwrap().ndarray(), part);
    for rows in [back.clone().slice_move(s![1..2, ..]), back.clone().slice_move(s![..2, ..])] {
        assert_eq!(View::<u64, 2>::from_ndarray("v", rows.clone()).unwrap().ndarray(), rows);
    }
    let mut flipped = back;
    flipped.invert_axis(Axis(0));
    assert_eq!(
        View::<u64, 2, HostSpace, Stride>::from_ndarray("v", flipped.clone()).unwrap().ndarray(),
        flipped
    );
}

#[test]
fn views_are_arrays_without_a_copy() {
    let mut view = View::from_fn_in(Left, "v", [3, 4], mark).unwrap();
    let array: ArrayView2<'_, u64> = view.ndarray();
    assert_eq!(array.as_ptr(), view.raw().pointer().cast_const());
    assert!(array.indexed_iter().all(|((i, j), &element)| element == mark([i, j])));
    assert_eq!(view.subview((1.., 2)).ndarray().to_vec(), [mark([1, 2]), mark([2, 2])]);
    view.ndarray_mut()[[2, 3]] = 0;
    view.subview_mut((0, ..)).ndarray_mut().fill(1);
    assert_eq!((view[[2, 3]], view[[0, 1]], view[[1, 1]]), (0, 1, mark([1, 1])));
    let empty = View::<u64, 3>::zeros("v", [2, 0, 3]).unwrap();
    assert_eq!(empty.ndarray().shape(), [2, 0, 3]);
    assert_eq!(View::<u8, 0>::zeros("v", []).unwrap().ndarray().into_scalar(), &0);
    let single = [1.5];
    let odd = ViewRef::from_strided([1, 1], [usize::MAX, 1 << 63], &single).unwrap();
    assert_eq!(odd.ndarray().sum(), 1.5);
}

/// Where several orders coincide, and where there is nothing to order.
#[test]
fn extents_of_one_and_zero_make_every_order_the_same() {
    fn there_and_back<L: Layout>(extents: [usize; 3]) {
        for fortran in [false, true] {
            let array = Array::from_shape_fn(extents.set_f(fortran), |(i, j, k)| mark([i, j, k]));
            let view = View::<u64, 3, HostSpace, L>::from_ndarray("v", array.clone()).unwrap();
            assert_eq!(view.extents(), extents);
            assert!(indices(extents).iter().all(|&index| view[index] == mark(index)), "{extents:?}");
            assert_eq!(view.into_ndarray(), array);
        }
    }
    for extents in
        [[2, 3, 4], [1, 3, 2], [3, 1, 2], [3, 2, 1], [1, 1, 5], [1, 1, 1], [0, 3, 2], [2, 0, 3], [2, 3, 0]]
    {
        there_and_back::<Right>(extents);
        there_and_back::<Left>(extents);
        there_and_back::<Stride>(extents);
    }
    let point = View::<u64, 0, HostSpace, Left>::from_ndarray("p", ndarray::arr0(7)).unwrap();
    assert_eq!((point.value(), point.into_ndarray()), (7, ndarray::arr0(7)));
}
