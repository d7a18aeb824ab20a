//! Indexing, iteration, lines.

use spelt_core::subview::{All, Steps};
use spelt_core::{Left, Right, View, ViewMut};

use crate::oracle::{indices, mark, panic_message};

#[test]
fn out_of_bounds_names_view_index_and_extents() {
    let view = View::<f64, 2>::zeros("x", [3, 5]).unwrap();
    let message = "view `x`: index [3, 7] is out of the extents [3, 5]";
    assert_eq!(panic_message(|| _ = view[[3, 7]]), message);
    assert_eq!(panic_message(|| _ = view.view()[[3, 7]]), message);
    assert_eq!(
        panic_message(|| {
            let mut view = View::<f64, 2>::zeros("x", [3, 5]).unwrap();
            view[[3, 7]] = 1.0;
        }),
        message
    );
    // Each dimension is tested by itself: this index has a place in the memory.
    assert_eq!(panic_message(|| _ = view[[0, 5]]), "view `x`: index [0, 5] is out of the extents [3, 5]");
    assert_eq!(view.get([0, 5]), None);
    let line = View::<u8, 1>::zeros("y", [2]).unwrap();
    assert_eq!(panic_message(|| _ = line[2]), "view `y`: index [2] is out of the extents [2]");
    assert_eq!(panic_message(|| _ = line.extent(1)), "view `y`: there is no dimension 1: the rank is 1");
    assert_eq!(panic_message(|| _ = view.row(3)), "view `x`: there is no row 3 in the extents [3, 5]");
}

#[test]
fn the_panic_stands_at_the_callers_line() {
    static LINE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let before = std::panic::take_hook();
    let thread = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == thread {
            LINE.store(info.location().unwrap().line(), std::sync::atomic::Ordering::SeqCst);
        }
    }));
    let view = View::<f64, 1>::zeros("x", [3]).unwrap();
    let here = line!() + 1;
    let _ = std::panic::catch_unwind(|| view[7]);
    std::panic::set_hook(before);
    assert_eq!(LINE.load(std::sync::atomic::Ordering::SeqCst), here);
}

#[test]
fn rank_zero_has_one_element() {
    let mut view = View::<i32, 0>::zeros("x", []).unwrap();
    view.set(3);
    view[[]] += 1;
    let four = view.view().value();
    view.view_mut().set(four);
    assert_eq!((view.value(), view.len(), view.to_vec()), (4, 1, vec![4]));
    assert_eq!(view.view().iter().copied().sum::<i32>(), 4);
    assert_eq!(View::from_fn("x", [2, 2], mark).unwrap().subview((1, 0))[[]], mark([1, 0]));
}

fn iteration<const R: usize>(extents: [usize; R]) {
    let right = View::from_fn_in(Right, "v", extents, mark).unwrap();
    let mut left = View::from_fn_in(Left, "v", extents, mark).unwrap();
    let all = indices(extents);
    let marks: Vec<u64> = all.iter().map(|&index| mark(index)).collect();
    for view in [right.view().into_stride(), left.view().into_stride()] {
        assert_eq!(view.to_vec(), marks);
        assert_eq!(view.iter().len(), marks.len());
        // One by one, and the rest at once from any place.
        for skip in 0..=marks.len().min(9) {
            let mut iter = view.iter();
            let head: Vec<u64> = iter.by_ref().take(skip).copied().collect();
            assert_eq!(iter.len(), marks.len() - skip);
            let mut rest = Vec::new();
            iter.clone().for_each(|&element| rest.push(element));
            assert_eq!([head, rest].concat(), marks);
        }
        let mut indexed = Vec::new();
        view.indexed_iter().for_each(|(index, &element)| indexed.push((index, element)));
        assert_eq!(indexed, all.iter().copied().zip(marks.iter().copied()).collect::<Vec<_>>());
        assert!(view.indexed_iter().map(|(index, _)| index).eq(all.iter().copied()));
    }
    left.iter_mut().for_each(|element| *element += 1);
    for (index, element) in left.indexed_iter_mut() {
        assert_eq!(*element, mark(index) + 1);
        *element *= 2;
    }
    assert_eq!(left.to_vec(), marks.iter().map(|mark| (mark + 1) * 2).collect::<Vec<_>>());
}

#[test]
fn iteration_goes_by_index_in_every_layout() {
    iteration([]);
    iteration([5]);
    iteration([0]);
    iteration([2, 3]);
    iteration([3, 0]);
    iteration([0, 3]);
    iteration([2, 3, 4]);
    iteration([1, 2, 1, 3, 1, 2]);
}

#[test]
fn all_mutable_references_are_to_different_elements() {
    let mut view = View::<u32, 3>::zeros("v", [3, 4, 5]).unwrap();
    let mut part = view.subview_mut(((0..3).step(2), 1..3, 4));
    let mut all: Vec<&mut u32> = part.iter_mut().collect();
    for (number, element) in all.iter_mut().enumerate() {
        **element = number as u32 + 1;
    }
    assert_eq!(view.iter().filter(|&&element| element > 0).count(), 4);
    assert_eq!(view.subview((2, 2, 4))[[]], 4);
}

#[test]
fn rows_and_columns_are_slices() {
    let mut right = View::from_fn("v", [3, 2], mark).unwrap();
    assert_eq!(right.row(1), [mark([1, 0]), mark([1, 1])]);
    assert_eq!(right.rows().map(<[u64]>::to_vec).collect::<Vec<_>>().concat(), right.to_vec());
    assert_eq!(right.rows().len(), 3);
    for (i, row) in right.rows_mut().enumerate() {
        row.fill(i as u64);
    }
    right.row_mut(2)[1] = 9;
    assert_eq!(right.to_vec(), [0, 0, 1, 1, 2, 9]);
    let mut lines: Vec<&mut [u64]> = right.rows_mut().collect();
    let (first, rest) = lines.split_first_mut().unwrap();
    first[0] = rest[1][1];
    assert_eq!(right[[0, 0]], 9);

    let left = right.to_layout(Left).unwrap();
    assert_eq!(left.column(1), [0, 1, 9]);
    assert_eq!(left.columns().count(), 2);
    assert_eq!(left.subview((2, All)).to_vec(), [2, 9]);

    let empty = View::<u8, 2>::zeros("v", [3, 0]).unwrap();
    assert_eq!(empty.rows().map(<[u8]>::len).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(View::<u8, 2>::zeros("v", [0, 3]).unwrap().rows().count(), 0);
}

#[test]
fn fill_writes_the_view_and_nothing_else() {
    let mut view = View::<u8, 2>::zeros("v", [4, 5]).unwrap();
    view.subview_mut((1..3, (0..5).step(2))).fill(7);
    for ([i, j], &element) in view.indexed_iter() {
        assert_eq!(element == 7, (1..3).contains(&i) && j % 2 == 0);
    }
    view.fill(1);
    assert!(view.iter().all(|&element| element == 1));
    spelt_core::deep_copy_scalar(&mut view, 2).unwrap();
    assert!(view.as_slice().unwrap().iter().all(|&element| element == 2));
}

#[test]
fn views_are_equal_by_extents_and_elements() {
    let a = View::from_fn("a", [2, 3], mark).unwrap();
    let mut b = View::from_fn_in(Left, "b", [2, 3], mark).unwrap();
    assert!(a == b && a.view() == b && b.view_mut() == a.view());
    b[[1, 2]] = 0;
    assert!(a != b);
    assert!(View::<u8, 2>::zeros("a", [0, 1]).unwrap() != View::<u8, 2>::zeros("a", [0, 2]).unwrap());
}

#[test]
fn views_cross_threads() {
    fn crosses<T: Send + Sync>(_: &T) {}
    let mut view = View::from_fn("v", [8], |[i]| i).unwrap();
    crosses(&view);
    crosses(&view.view());
    let (mut low, mut high) = view.view_mut().split_outer_at(4);
    crosses(&low);
    std::thread::scope(|scope| {
        scope.spawn(|| low.fill(1));
        scope.spawn(|| high.fill(2));
    });
    assert_eq!(view.to_vec(), [1, 1, 1, 1, 2, 2, 2, 2]);
    let _: ViewMut<'_, usize, 1> = (&mut view).into();
}
