//! `regrouped`: axes that a dimension may merge, against the elements by their old indices.

use spelt_core::subview::{All, Steps};
use spelt_core::{Element, ErrorKind, HostSpace, Layout, Left, Right, View, ViewRef};

/// Every way to merge the axes of a View of rank 3 into two dimensions, and to permute them: where the merged axes follow one
/// another in memory each index has the element that the old indices say; elsewhere it is an error.
fn merge_all<T: Element + PartialEq + core::fmt::Debug, L: Layout>(
    view: ViewRef<'_, T, 3, HostSpace, L>,
) -> usize {
    let (extents, strides) = (view.extents(), view.strides());
    let mut refused = 0;
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let alone = view.regrouped([&[a], &[b], &[c]]).expect("axes may be permuted");
        // Axis b follows axis a where a step of a is all steps of b. Axes of extent 1 take no steps.
        let follows = extents[a] == 1 || extents[b] == 1 || strides[a] == strides[b] * extents[b];
        for merged_first in [true, false] {
            let groups: [&[usize]; 2] = if merged_first { [&[a, b], &[c]] } else { [&[c], &[a, b]] };
            match view.regrouped(groups) {
                Ok(merged) => {
                    assert!(follows, "{groups:?} of {extents:?} by {strides:?}");
                    for (i, j) in (0..extents[a]).flat_map(|i| (0..extents[b]).map(move |j| (i, j))) {
                        for k in 0..extents[c] {
                            let at = i * extents[b] + j;
                            let found = if merged_first { merged[[at, k]] } else { merged[[k, at]] };
                            assert_eq!(found, alone[[i, j, k]], "{groups:?} of {extents:?} by {strides:?}");
                        }
                    }
                }
                Err(error) => {
                    assert!(!follows, "{groups:?} of {extents:?} by {strides:?}: {error}");
                    assert_eq!(error.kind(), ErrorKind::Layout);
                    assert!(error.to_string().contains("do not follow one another in memory"), "{error}");
                    refused += 1;
                }
            }
        }
    }
    refused
}

#[test]
fn axes_merge_where_they_follow_one_another_and_nowhere_else() {
    for extents in [[2, 3, 4], [3, 3, 3], [1, 3, 4], [2, 1, 4], [2, 3, 1], [1, 1, 5]] {
        let right =
            View::<usize, 3, _, Right>::from_fn("right", extents, |[i, j, k]| 100 * i + 10 * j + k).unwrap();
        let left = right.to_layout(Left).unwrap();
        let most = merge_all(right.view());
        assert_eq!(merge_all(left.view()), most);
        assert!(most > 0 || extents.iter().filter(|&&extent| extent > 1).count() < 2);
    }
    // Rows with gaps behind them, every other row, and both.
    let all = View::<usize, 3>::from_fn("all", [4, 4, 6], |[i, j, k]| 100 * i + 10 * j + k).unwrap();
    assert!(merge_all(all.subview((All, All, 0..4))) > merge_all(all.view()));
    assert!(merge_all(all.subview((All, 1..3, All))) > merge_all(all.view()));
    assert!(merge_all(all.subview((All, All.step(2), All))) > merge_all(all.view()));
    assert!(merge_all(all.subview((All, All, All.step(3)))) > 0);
}

/// A regrouping that would write beyond the View, or twice, is refused: the mutable form checks the same.
#[test]
fn a_view_with_gaps_is_not_written_as_one_without() {
    let mut all = View::<i32, 2>::zeros("all", [3, 5]).unwrap();
    let mut part = all.subview_mut((All, 0..4));
    assert_eq!(part.regrouped_mut([&[0, 1]]).unwrap_err().kind(), ErrorKind::Layout);
    assert_eq!(part.regrouped_mut([&[1, 0]]).unwrap_err().kind(), ErrorKind::Layout);
    let mut turned = part.regrouped_mut([&[1], &[0]]).unwrap();
    turned[[3, 2]] = 7;
    assert_eq!(all[[2, 3]], 7);
    let mut whole = all.regrouped_mut([&[0, 1]]).unwrap();
    assert_eq!((whole.extents(), whole[[13]]), ([15], 7));
    whole[[14]] = 8;
    assert_eq!(all[[2, 4]], 8);
}

#[test]
fn axes_that_are_missing_named_twice_or_unknown_are_said() {
    let view = View::<u8, 3>::zeros("v", [2, 1, 3]).unwrap();
    let says = |groups: [&[usize]; 2], what: &str| {
        let error = view.regrouped(groups).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Extents);
        assert!(error.to_string().contains(what), "{error}");
    };
    says([&[0], &[1]], "axis 2, of extent 3, is missing");
    says([&[0, 2], &[0]], "axis 0 is named twice");
    says([&[0, 2], &[3]], "there is no axis 3 in rank 3");
    // One of extent 1 may be left out.
    assert_eq!(view.regrouped([&[0], &[2]]).unwrap().extents(), [2, 3]);
}
