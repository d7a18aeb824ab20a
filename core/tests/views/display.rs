//! Views as text: golden outputs.

use spelt_core::subview::{All, Steps};
use spelt_core::{Left, View, ViewRef};

#[test]
fn ranks_have_brackets_and_columns_are_aligned() {
    let v = View::from_fn("v", [3], |[i]| 10_i32.pow(i as u32) - 2).unwrap();
    assert_eq!(v.to_string(), "[-1,  8, 98]");
    let v = View::from_fn_in(Left, "v", [2, 3], |[i, j]| 90 * i + 5 * j).unwrap();
    assert_eq!(v.to_string(), "[[  0,   5,  10],\n [ 90,  95, 100]]");
    let v = View::from_fn("v", [2, 2, 2], |[i, j, k]| 4 * i + 2 * j + k).unwrap();
    assert_eq!(v.to_string(), "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
    let v = View::from_fn("v", [2, 1, 1, 2], |[i, _, _, l]| i + l).unwrap();
    assert_eq!(v.to_string(), "[[[[0, 1]]],\n\n\n [[[1, 2]]]]");
    assert_eq!(View::<u8, 0>::zeros("v", []).unwrap().to_string(), "0");
}

#[test]
fn nothing_is_shown_as_nothing() {
    assert_eq!(View::<u8, 1>::zeros("v", [0]).unwrap().to_string(), "[]");
    assert_eq!(View::<u8, 2>::zeros("v", [3, 0]).unwrap().to_string(), "[]");
    assert_eq!(format!("{:?}", View::<u8, 2>::zeros("v", [3, 0]).unwrap()), "View `v` [3, 0] Right\n[]");
}

#[test]
fn precision_and_sign_go_to_the_elements() {
    let v = View::from_fn("v", [2, 2], |[i, j]| (i as f64 - 0.5) * 10.0 * j as f64).unwrap();
    assert_eq!(v.to_string(), "[[-0, -5],\n [ 0,  5]]");
    assert_eq!(format!("{v:.2}"), "[[-0.00, -5.00],\n [ 0.00,  5.00]]");
    assert_eq!(format!("{v:+.1}"), "[[-0.0, -5.0],\n [+0.0, +5.0]]");
    assert_eq!(format!("{v:?}"), "View `v` [2, 2] Right\n[[-0.0, -5.0],\n [ 0.0,  5.0]]");
    assert_eq!(format!("{v:.1?}"), "View `v` [2, 2] Right\n[[-0.0, -5.0],\n [ 0.0,  5.0]]");
}

#[test]
fn parts_and_slices_say_what_they_are() {
    let mut v = View::from_fn("v", [3, 2], |[i, j]| (i, j)).unwrap();
    assert_eq!(format!("{:?}", v.subview((All.step(2), 1))), "ViewRef `v` [2] Stride\n[(0, 1), (2, 1)]");
    assert_eq!(format!("{:?}", v.subview_mut((1, All))), "ViewMut `v` [2] Right\n[(1, 0), (1, 1)]");
    assert_eq!(format!("{:?}", ViewRef::from(&[true][..]).with_label("b")), "ViewRef `b` [1] Right\n[true]");
}

#[test]
fn up_to_a_thousand_elements_are_shown_and_the_ends_of_more() {
    let thousand = View::from_fn("v", [1000], |[i]| i).unwrap();
    assert_eq!(thousand.to_string().matches(',').count(), 999);
    let more = View::from_fn("v", [1001], |[i]| i).unwrap();
    assert_eq!(more.to_string(), "[   0,    1,    2, ...,  998,  999, 1000]");
    let square = View::from_fn("v", [8, 200], |[i, j]| 1000 * i + j).unwrap();
    assert_eq!(
        square.to_string(),
        "[[   0,    1,    2, ...,  197,  198,  199],\n \
          [1000, 1001, 1002, ..., 1197, 1198, 1199],\n \
          [2000, 2001, 2002, ..., 2197, 2198, 2199],\n \
          ...,\n \
          [5000, 5001, 5002, ..., 5197, 5198, 5199],\n \
          [6000, 6001, 6002, ..., 6197, 6198, 6199],\n \
          [7000, 7001, 7002, ..., 7197, 7198, 7199]]"
    );
    // Six indices and fewer are shown all, seven are not.
    for (rows, lines) in [(6, 6), (7, 7)] {
        let v = View::<u8, 2>::zeros("v", [rows, 200]).unwrap();
        assert_eq!(v.to_string().lines().count(), lines);
        assert_eq!(v.to_string().contains("\n ...,\n"), rows == 7);
    }
    let high = View::from_fn("v", [2, 600], |[i, j]| (i + j) % 10).unwrap();
    assert_eq!(high.to_string(), "[[0, 1, 2, ..., 7, 8, 9],\n [1, 2, 3, ..., 8, 9, 0]]");
}
