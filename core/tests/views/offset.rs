//! Views with an origin: indexing by the host, parts, and the origins and parts that are refused.

use std::panic::AssertUnwindSafe;

use spelt_core::subview::Steps;
use spelt_core::{ErrorKind, Layout, Left, OffsetView, Right, Stride, View, ViewMut, ViewRef};

use crate::oracle::panic_message;

/// The element at each index of a View from `origin` is that at the index minus the origin.
fn compare<L: Layout>(view: View<u64, 2, spelt_core::HostSpace, L>, origin: [isize; 2]) {
    let plain = view.to_host().unwrap();
    let mut shifted = view.with_origin(origin).unwrap();
    let [rows, columns] = shifted.ranges();
    assert_eq!(rows.len() * columns.len(), plain.len());
    for i in rows.start.saturating_sub(2)..rows.end.saturating_add(2) {
        for j in columns.start.saturating_sub(2)..columns.end.saturating_add(2) {
            let inside = rows.contains(&i) && columns.contains(&j);
            let place = || [i.wrapping_sub(origin[0]) as usize, j.wrapping_sub(origin[1]) as usize];
            assert_eq!(shifted.get([i, j]).copied(), inside.then(|| plain[place()]), "[{i}, {j}]");
            if inside {
                assert_eq!(shifted[[i, j]], plain[place()]);
                shifted[[i, j]] += 1;
                assert_eq!(shifted.as_view()[place()], plain[place()] + 1);
            }
        }
    }
}

#[test]
fn indices_count_from_the_origin() {
    for extents in [[0, 3], [1, 1], [4, 3]] {
        for origin in [[0, 0], [-2, 5], [isize::MIN, isize::MAX - 3], [1, -1]] {
            compare(View::from_fn_in(Right, "v", extents, |[i, j]| (10 * i + j) as u64).unwrap(), origin);
            compare(View::from_fn_in(Left, "v", extents, |[i, j]| (10 * i + j) as u64).unwrap(), origin);
        }
    }
}

#[test]
fn origins_that_lead_beyond_the_numbers_are_refused() {
    let view = || View::<u8, 2>::zeros("v", [4, 3]).unwrap();
    assert!(view().with_origin([isize::MAX - 4, 0]).is_ok());
    let error = view().with_origin([isize::MAX - 3, 0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overflow);
    let wanted = format!(
        "view `v`: with extents [4, 3], indices from the origin [{}, 0] exceed `isize`",
        isize::MAX - 3
    );
    assert_eq!(error.to_string(), wanted);
    assert!(view().with_origin([0, isize::MAX - 2]).is_err());
}

#[test]
fn parts_keep_the_indices() {
    let whole = View::from_fn_in(Left, "v", [5, 7], |[i, j]| 10 * i + j).unwrap();
    let mut view = whole.with_origin([-2, 10]).unwrap();
    for (from, to) in (-4..5).flat_map(|from| (-4..5).map(move |to| (from, to))) {
        let valid = from <= to && from >= -2 && to <= 3;
        match view.part([from..to, 11..14]) {
            Ok(part) => {
                assert!(valid);
                assert_eq!(part.ranges(), [from..to, 11..14]);
                for (i, j) in (from..to).flat_map(|i| (11..14).map(move |j| (i, j))) {
                    assert_eq!(part[[i, j]], view[[i, j]]);
                    assert_eq!(part.get([to, j]), None);
                }
            }
            Err(error) => {
                assert!(!valid, "{from}..{to}");
                assert_eq!(error.kind(), ErrorKind::Extents);
                assert_eq!(
                    error.to_string(),
                    format!("view `v` with the indices [-2..3, 10..17] has no part [{from}..{to}, 11..14]")
                );
            }
        }
    }
    let mut part = view.part_mut([-1..1, 16..17]).unwrap();
    part[[0, 16]] = 99;
    let mut inner = part.part_mut([0..1, 16..17]).unwrap();
    inner[[0, 16]] += 1;
    assert_eq!((view[[0, 16]], view.to_host().unwrap()[[0, 16]]), (100, 100));
}

#[test]
fn borrowed_views_have_origins_too() {
    let mut numbers = [1, 2, 3, 4, 5, 6];
    let strided = ViewRef::from_slice([6], &numbers).unwrap();
    let odd: OffsetView<i32, 1, _, Stride, _> = strided.subview((..).step(2)).with_origin([-1]).unwrap();
    let copy = odd;
    assert_eq!([odd[-1], copy[0], odd[1]], [1, 3, 5]);
    let mut all = ViewMut::from(&mut numbers[..]).with_origin([-3]).unwrap();
    all[-3] = 7;
    assert_eq!((all.range(), all.into_view().to_vec()[0]), (-3..3, 7));
}

#[test]
fn an_index_outside_panics_and_names_the_indices() {
    let mut v = View::<u8, 1>::zeros("v", [3]).unwrap().with_origin([-1]).unwrap();
    let wanted = "view `v`: index [-2] is out of the indices [-1..2]";
    assert_eq!(panic_message(AssertUnwindSafe(|| _ = v[-2])), wanted);
    assert_eq!(panic_message(AssertUnwindSafe(|| v[-2] = 1)), wanted);
    assert_eq!(format!("{v:?}"), "OffsetView { label: \"v\", ranges: [-1..2], .. }");
}
