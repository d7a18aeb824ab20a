//! Subviews: the right elements, the right layout, in bounds.

use proptest::prelude::*;
use spelt_core::subview::{All, Stepped, Steps};
use spelt_core::{Element, ErrorKind, HostSpace, Layout, Left, Right, Stride, View, ViewMut, ViewRef};

use crate::oracle::{assert_well_laid, indices, mark, panic_message};

/// A request for one dimension, in all four forms.
#[derive(Clone, Debug)]
struct Ask {
    extent: usize,
    start: usize,
    end: usize,
    step: usize,
}

/// The oracle's account of one form: which indices, whether the dimension stays, and its letter.
type Picked = (Vec<usize>, bool, char);

impl Ask {
    fn index(&self) -> (usize, Picked) {
        (self.start, (vec![self.start], false, 'i'))
    }
    fn range(&self) -> (std::ops::Range<usize>, Picked) {
        (self.start..self.end, ((self.start..self.end).collect(), true, 'r'))
    }
    fn all(&self) -> (All, Picked) {
        (All, ((0..self.extent).collect(), true, 'a'))
    }
    fn stepped(&self) -> (Stepped<std::ops::Range<usize>>, Picked) {
        let picked = (self.start..self.end).step_by(self.step).collect();
        ((self.start..self.end).step(self.step), (picked, true, 's'))
    }
}

fn ask() -> impl Strategy<Value = Ask> {
    (1..6_usize, 1..4_usize).prop_flat_map(|(extent, step)| {
        (0..extent)
            .prop_flat_map(move |start| (Just(start), start..=extent))
            .prop_map(move |(start, end)| Ask { extent, start, end, step })
    })
}

/// The layout that the table promises.
fn promised(layout: &'static str, picked: &[Picked]) -> &'static str {
    let mut letters: String = picked.iter().map(|picked| picked.2).collect();
    if layout == "Left" {
        letters = letters.chars().rev().collect();
    }
    let rest = letters.trim_start_matches('i');
    let rest = rest.strip_prefix('r').unwrap_or(rest);
    if layout != "Stride" && rest.chars().all(|letter| letter == 'a') { layout } else { "Stride" }
}

/// The values and extents that the picks must give.
fn expected<const R: usize>(picked: &[Picked; R]) -> (Vec<usize>, Vec<u64>) {
    let extents = picked.iter().filter(|picked| picked.1).map(|picked| picked.0.len()).collect();
    let counts: [usize; R] = std::array::from_fn(|d| picked[d].0.len());
    let values = indices(counts).into_iter().map(|at| mark::<R>(std::array::from_fn(|d| picked[d].0[at[d]])));
    (extents, values.collect())
}

fn assert_is<T, const R: usize, L>(
    view: ViewRef<'_, T, R, HostSpace, L>,
    layout: &str,
    extents: &[usize],
    values: &[T],
) where
    T: Element + PartialEq + std::fmt::Debug,
    L: Layout,
{
    assert_eq!(L::NAME, layout);
    assert_eq!(view.extents(), extents);
    assert_eq!(view.to_vec(), values);
    assert_eq!(view.label(), "v");
    if layout != "Stride" {
        assert_eq!(view.strides(), L::strides(view.extents()));
        assert!(view.as_slice().is_some());
    }
}

/// Adds 1 000 000 to each element of an exclusive subview and returns their addresses.
fn bump<const R: usize, L: Layout>(mut view: ViewMut<'_, u64, R, HostSpace, L>) {
    let start = view.raw().pointer();
    if view.is_empty() {
        // Even an empty part's address is one of the View's, so an empty slice is sound.
        assert!(view.as_mut_slice().is_some());
        assert!(!start.is_null());
    }
    view.iter_mut().for_each(|element| *element += 1_000_000);
}

/// Runs the body with the dimension asked for in each of the four forms.
macro_rules! forms {
    ($($ask:ident)* => |$slices:ident, $picked:ident| $body:block) => {
        forms!(@ [$($ask)*] [] [] |$slices, $picked| $body)
    };
    (@ [] [$($slice:ident)*] [$($pick:ident)*] |$slices:ident, $picked:ident| $body:block) => {{
        let $slices = ($($slice.clone(),)*);
        let $picked = [$($pick.clone()),*];
        $body
    }};
    (@ [$ask:ident $($rest:ident)*] [$($slice:ident)*] [$($pick:ident)*] |$slices:ident, $picked:ident| $body:block) => {{
        { let (slice, pick) = $ask.index(); forms!(@ [$($rest)*] [$($slice)* slice] [$($pick)* pick] |$slices, $picked| $body); }
        { let (slice, pick) = $ask.range(); forms!(@ [$($rest)*] [$($slice)* slice] [$($pick)* pick] |$slices, $picked| $body); }
        { let (slice, pick) = $ask.all(); forms!(@ [$($rest)*] [$($slice)* slice] [$($pick)* pick] |$slices, $picked| $body); }
        { let (slice, pick) = $ask.stepped(); forms!(@ [$($rest)*] [$($slice)* slice] [$($pick)* pick] |$slices, $picked| $body); }
    }};
}

/// Every form of every dimension, read and written, against the oracle.
macro_rules! check {
    ($layout:expr, [$($ask:ident)*]) => {{
        let extents = [$($ask.extent),*];
        let view = View::from_fn_in($layout, "v", extents, mark).unwrap();
        forms!($($ask)* => |slices, picked| {
            let (shape, values) = expected(&picked);
            let name = promised(name_of($layout), &picked);
            assert_is(view.subview(slices.clone()).view(), name, &shape, &values);
            let mut written = view.to_host().unwrap();
            assert_is(written.try_subview_mut(slices.clone()).unwrap().view(), name, &shape, &values);
            bump(written.subview_mut(slices));
            for (index, &element) in written.indexed_iter() {
                let inside = (0..index.len()).all(|d| picked[d].0.contains(&index[d]));
                assert_eq!(element, mark(index) + if inside { 1_000_000 } else { 0 });
            }
        });
    }};
}

fn name_of<L: Layout>(_: L) -> &'static str {
    L::NAME
}

proptest! {
    #![proptest_config(crate::oracle::cases(64))]

    #[test]
    fn rank_1(a in ask()) {
        check!(Right, [a]);
        check!(Left, [a]);
        check!(Stride, [a]);
    }

    #[test]
    fn rank_2(a in ask(), b in ask()) {
        check!(Right, [a b]);
        check!(Left, [a b]);
        check!(Stride, [a b]);
    }

    #[test]
    fn rank_3(a in ask(), b in ask(), c in ask()) {
        check!(Right, [a b c]);
        check!(Left, [a b c]);
    }

    #[test]
    fn subviews_of_subviews(a in ask(), b in ask()) {
        let view = View::from_fn("v", [a.extent, b.extent, 3], mark).unwrap();
        let first = view.subview((All.step(1), b.range().0, (0..3).step(2)));
        let second = first.subview((a.stepped().0, All, 0));
        let picked = [a.stepped().1, b.range().1, (vec![0], false, 'i')];
        let (shape, values) = expected(&picked);
        prop_assert_eq!(&second.extents()[..], &shape[..]);
        prop_assert_eq!(second.to_vec(), values);
    }

    #[test]
    fn exclusive_parts_are_injective(a in ask(), b in ask(), c in ask()) {
        let mut view = View::from_fn_in(Left, "v", [a.extent, b.extent, c.extent], mark).unwrap();
        let memory = view.to_layout(Left).unwrap().into_vec();
        prop_assert_eq!(memory.len(), view.len());
        let whole = view.as_slice().unwrap();
        assert_well_laid(view.view(), whole);
        assert_well_laid(view.subview((a.stepped().0, b.stepped().0, c.range().0)), whole);
        assert_well_laid(view.transposed(), whole);
        view.transposed_mut().iter_mut().for_each(|element| *element = 0);
        prop_assert!(view.iter().all(|&element| element == 0));
    }
}

#[test]
fn the_table_of_layouts() {
    fn name<T: Element, const R: usize, L: Layout>(
        _: ViewRef<'_, T, R, HostSpace, L>,
    ) -> (&'static str, usize) {
        (L::NAME, R)
    }
    let right = View::<u8, 6>::zeros("v", [2; 6]).unwrap();
    assert_eq!(name(right.subview((0, 1, 0..1, All, All, ..))), ("Right", 4));
    assert_eq!(name(right.subview((0, 1, 0, 1, 0, 1))), ("Right", 0));
    assert_eq!(name(right.subview((All, All, All, All, All, All))), ("Right", 6));
    assert_eq!(name(right.subview((0, 1.., ..1, All, All, ..))), ("Stride", 5));
    assert_eq!(name(right.subview((All, All, All, All, All, 0))), ("Stride", 5));
    assert_eq!(name(right.subview((0, 0, 0, 0, 0, (0..2).step(1)))), ("Stride", 1));
    let left = View::<u8, 6, HostSpace, Left>::zeros_in(Left, "v", [2; 6]).unwrap();
    assert_eq!(name(left.subview((.., All, ..=1, 0, 1, 0))), ("Left", 3));
    assert_eq!(name(left.subview((0, All, All, All, All, All))), ("Stride", 5));
    assert_eq!(name(left.subview((0, 0, 0, 0, 0, All))), ("Stride", 1));
    let line = View::<u8, 1>::zeros("v", [4]).unwrap();
    assert_eq!(name(line.subview(1..)), ("Right", 1));
    assert_eq!(name(line.subview(2)), ("Right", 0));
    assert_eq!(name(line.transposed()), ("Left", 1));
}

#[test]
fn every_kind_of_range() {
    let v = View::from_fn("v", [6], |[i]| i).unwrap();
    assert_eq!(v.subview(1..3).to_vec(), [1, 2]);
    assert_eq!(v.subview(1..=3).to_vec(), [1, 2, 3]);
    assert_eq!(v.subview(4..).to_vec(), [4, 5]);
    assert_eq!(v.subview(..2).to_vec(), [0, 1]);
    assert_eq!(v.subview(..=2).to_vec(), [0, 1, 2]);
    assert_eq!(v.subview(..).to_vec(), [0, 1, 2, 3, 4, 5]);
    assert!(v.subview((6..,)).to_vec().is_empty());
    assert_eq!(v.subview((..).step(5)).to_vec(), [0, 5]);
    assert_eq!(v.subview((1..=5).step(2)).to_vec(), [1, 3, 5]);
    assert_eq!(v.subview((1..2).step(usize::MAX)).to_vec(), [1]);
}

#[test]
fn what_is_out_of_bounds_is_said() {
    let v = View::<u8, 2>::zeros("v", [3, 5]).unwrap();
    let error = v.try_subview((1..4, All)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Extents);
    assert_eq!(error.to_string(), "view `v`: subview in dimension 0: the range 1..4 is out of the extent 3");
    assert_eq!(
        panic_message(|| _ = v.subview((0, 5))),
        "view `v`: subview in dimension 1: index 5 is out of the extent 5"
    );
    #[expect(clippy::reversed_empty_ranges, reason = "that it is refused is the test")]
    let backwards = 4..2;
    let text = v.try_subview((0, backwards)).unwrap_err().to_string();
    assert!(text.ends_with("the range 4..2 ends before it starts"), "{text}");
    let text = v.try_subview((0, (0..2).step(0))).unwrap_err().to_string();
    assert!(text.ends_with("the step is 0"), "{text}");
    assert!(v.try_subview((0, 0..=usize::MAX)).is_err());
    assert!(v.try_subview((usize::MAX, 0)).is_err());
    assert!(v.try_subview((6.., 0)).is_err());
    let mut v = v;
    assert!(v.try_subview_mut((3, 0)).is_err());
}

#[test]
fn empty_parts_anywhere() {
    let v = View::from_fn("v", [3, 5], mark).unwrap();
    assert_eq!(v.subview((3.., 5..)).len(), 0);
    assert_eq!(v.subview((3..3, All)).as_slice(), Some(&[][..]));
    assert_eq!(v.subview((2, 5..)).as_slice(), Some(&[][..]));
    assert!(v.subview((2, (5..).step(3))).to_vec().is_empty());
    let none = View::<u8, 2>::zeros("v", [0, 5]).unwrap();
    assert_eq!(none.subview((All, 4)).extents(), [0]);
    assert!(none.try_subview((0, 4)).is_err());
}

#[test]
fn a_subview_of_a_shared_view_outlives_the_handle() {
    let v = View::from_fn("v", [3, 2], mark).unwrap();
    let row = {
        let handle = v.view();
        handle.subview((1, All))
    };
    assert_eq!(row.as_slice().unwrap(), [mark([1, 0]), mark([1, 1])]);
}

#[test]
fn layouts_are_regained_where_they_are_true() {
    let mut v = View::from_fn("v", [3, 4], mark).unwrap();
    assert!(v.view().into_stride().try_into_layout::<Right>().is_ok());
    assert_eq!(v.view().try_into_layout::<Left>().unwrap_err().kind(), ErrorKind::Layout);
    // One row is dense in both orders, regardless of its other stride; a column of several rows in none.
    assert!(v.subview((1..2, 0..4)).try_into_layout::<Left>().is_ok());
    assert!(v.subview((All, 1)).try_into_layout::<Right>().is_err());
    let row = v.subview((1..2, All)).into_stride().try_into_layout::<Right>().unwrap();
    assert_eq!(row.strides(), [4, 1]);
    let mut all = v.view_mut().into_stride().try_into_layout::<Right>().unwrap();
    all[[0, 0]] = 1;
    let column = v.subview_mut((All, 1)).try_into_layout::<Left>();
    assert!(column.unwrap_err().to_string().contains("Left"));
    assert_eq!(v.transposed()[[3, 2]], mark([2, 3]));
}
