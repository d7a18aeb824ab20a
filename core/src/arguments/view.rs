//! `&View` and `&mut View` (and the borrowed kinds) as arguments.

use core::any::Any;
use core::mem::MaybeUninit;

use spelt_access::{Covers, Description, Element, KernelArg, Layout, MAX_RANK, Mut, RawView, Ref};

use super::elements::elements;
use crate::view::MemorySpace;
use crate::view::{View, ViewMut, ViewRef};

/// The description of a View that a kernel reads and that covers the witnesses of its rank within its extents.
#[doc(hidden)]
#[inline(always)]
pub fn describe<'a, T: Element, const R: usize, M: MemorySpace, L: Layout>(
    view: ViewRef<'a, T, R, M, L>,
) -> Description<'a> {
    let raw = view.raw();
    let (mut extents, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
    let mut dimension = 0;
    while dimension < R {
        let mut step = [0; R];
        step[dimension] = 1;
        extents[dimension] = raw.extents()[dimension];
        strides[dimension] = L::offset(step, &raw.strides());
        dimension += 1;
    }
    Description {
        label: view.label(),
        adapter: "",
        part: "",
        address: raw.pointer() as usize,
        rank: R,
        extents,
        covers: Covers::Rank(R),
        lower: [0; MAX_RANK],
        upper: extents,
        written: false,
        writes: false,
        divided: false,
        origin: None,
        strides,
        element_bytes: size_of::<T>(),
        allocation: view.owner().map(|owner| owner as &dyn Any),
        elements: Some(elements::<T, R, M>()),
    }
}

/// The offset, in elements, of an index of the View's rank, which is `N`.
#[inline(always)]
fn offset<T, const R: usize, L: Layout, const N: usize>(raw: &RawView<T, R, L>, index: [usize; N]) -> usize {
    let mut own = [0; R];
    let mut dimension = 0;
    while dimension < R {
        own[dimension] = index[dimension];
        dimension += 1;
    }
    L::offset(own, &raw.strides())
}

macro_rules! view_arguments {
    ($access:ident, $raw:ident, $written:literal, [$($generics:tt)*] $type:ty) => {
        // SAFETY: the accessor is built for the View that the argument borrows, shared for `Ref`, exclusively for
        // `Mut`; Views that can be written are injective.
        unsafe impl<$($generics)* T: Element, const R: usize, M: MemorySpace, L: Layout> KernelArg for $type {
            type Raw = RawView<T, R, L>;
            type Access<'k> = $access<'k, T, R, L>;
            type Held = ();
            type Memory = (M, ());
            // Each iteration writes its own element, and a `Right` View is dense: between two of them lie those of the iterations between, and
            // others that no iteration writes.
            const SPANS: usize = if $written && size_of::<T>() > 0 && L::IN_ORDER && R > 0 { 1 } else { 0 };
            #[inline(always)]
            fn describe<'a>(&'a self, visit: &mut impl FnMut(Description<'a>)) {
                visit(Description { written: $written, writes: $written, ..describe(self.view()) });
            }
            #[inline(always)]
            unsafe fn lower(&mut self) -> (Self::Raw, ()) {
                // A copy of arrays would be read back by wider loads than its stores were, before these have reached the cache.
                (self.$raw().by_numbers(), ())
            }
            #[inline(always)]
            unsafe fn written_spans<const N: usize>(
                raw: &Self::Raw,
                first: [usize; N],
                last: [usize; N],
                visit: &mut impl FnMut(*mut [MaybeUninit<u8>]),
            ) {
                if const { Self::SPANS == 0 || N != R } {
                    return;
                }
                let (first, last) = (offset(raw, first), offset(raw, last));
                let bytes = (last + 1 - first) * size_of::<T>();
                visit(core::ptr::slice_from_raw_parts_mut(raw.pointer().wrapping_add(first).cast(), bytes));
            }
            #[inline(always)]
            unsafe fn with_spans<const N: usize>(
                raw: Self::Raw,
                first: [usize; N],
                next: &mut impl FnMut() -> Option<*mut u8>,
            ) -> Self::Raw {
                if const { Self::SPANS == 0 || N != R } {
                    return raw;
                }
                let Some(span) = next() else { return raw };
                // Wrapping: other elements are not reached through this pointer.
                let pointer = span.cast::<T>().wrapping_sub(offset(&raw, first));
                RawView::new(pointer, raw.extents(), raw.strides())
            }
            #[inline(always)]
            unsafe fn access<'k>(raw: &Self::Raw, _part: usize) -> Self::Access<'k> {
                // SAFETY: by the contract of `access`, the launch covers the witnesses of `'k`, and the borrow lives.
                unsafe { $access::new(*raw) }
            }
        }
    };
}

view_arguments!(Ref, raw, false, ['v,] &'v View<T, R, M, L>);
view_arguments!(Ref, raw, false, ['v, 'b,] &'v ViewRef<'b, T, R, M, L>);
view_arguments!(Ref, raw, false, ['b,] ViewRef<'b, T, R, M, L>);
view_arguments!(Ref, raw, false, ['v, 'b,] &'v ViewMut<'b, T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['v,] &'v mut View<T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['v, 'b,] &'v mut ViewMut<'b, T, R, M, L>);
view_arguments!(Mut, raw_mut, true, ['b,] ViewMut<'b, T, R, M, L>);

#[cfg(test)]
mod tests {
    use spelt_access::{Idx, Left, Right, on_span};

    use super::*;

    /// The spans of the elements from `first` to `last`: the offsets in bytes from the View's first element, and the lengths.
    fn spans<A: KernelArg, const N: usize>(
        mut argument: A,
        start: usize,
        first: [usize; N],
        last: [usize; N],
    ) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        // SAFETY: the argument lives until the end, and the indices are in the View.
        unsafe {
            let (raw, _held) = argument.lower();
            A::written_spans(&raw, first, last, &mut |span| {
                spans.push((span.cast::<u8>().addr() - start, span.len()));
            });
        }
        spans
    }

    #[test]
    fn written_views_in_the_order_of_iterations_have_spans() {
        let mut y = View::<u16, 3>::zeros("y", [4, 5, 6]).expect("memory");
        let start = y.as_slice().expect("contiguous").as_ptr().addr();
        assert_eq!(spans(&mut y, start, [1, 2, 3], [1, 2, 5]), [(2 * 45, 2 * 3)]);
        assert_eq!(spans(&mut y, start, [1, 2, 3], [1, 2, 3]), [(2 * 45, 2)]);
        assert_eq!(spans(&mut y, start, [0, 0, 0], [3, 4, 5]), [(0, 2 * 120)]);
        assert_eq!(spans(&mut y, start, [0, 4, 5], [1, 0, 1]), [(2 * 29, 2 * 3)]);
        assert_eq!(spans(y.subview_mut((1..3, .., ..)), start, [0, 0, 0], [0, 0, 1]), [(2 * 30, 2 * 2)]);
        // Those that are read, of another rank than the launch, in another order, or of no size have none.
        assert_eq!(spans(&y, start, [1, 2, 3], [1, 2, 5]), []);
        assert_eq!(spans(&mut y, start, [1, 2], [1, 3]), []);
        assert_eq!(spans(y.subview_mut((.., 1..3, ..)), start, [0, 0, 0], [0, 0, 1]), []);
        let mut left = View::from_fn_in(Left, "left", [4, 5], |[i, _]| i).expect("memory");
        assert_eq!(spans(&mut left, 0, [1, 2], [1, 3]), []);
        let mut empty = View::<(), 1>::from_fn("empty", [4], |_| ()).expect("memory");
        assert_eq!(spans(&mut empty, 0, [1], [3]), []);
    }

    #[test]
    fn elements_are_where_the_other_pointer_says() {
        let (mut y, mut other) = ([0_u32; 20], [7_u32; 20]);
        let raw = RawView::<u32, 2, Right>::new(y.as_mut_ptr(), [4, 5], [5, 1]);
        let mut pointers = [other[8..].as_mut_ptr().cast::<u8>()].into_iter();
        type Argument<'v> = ViewMut<'v, u32, 2>;
        // SAFETY: the pointer is one to the elements from [1, 3] on, though of another array, which only this raw form reaches; the second
        // time there is none.
        unsafe {
            let moved = Argument::with_spans(raw, [1, 3], &mut || pointers.next());
            assert_eq!((moved.extents(), moved.strides()), (raw.extents(), raw.strides()));
            moved.at([3, 4]).write(1);
            let same = Argument::with_spans(raw, [1, 3], &mut || pointers.next());
            same.at([3, 4]).write(2);
        }
        assert_eq!((other[19], y[19]), (1, 2));
    }

    /// Runs iterations on spans of as many Views, of which each adds its index to the element, and compares all elements.
    fn add_on_spans<const VIEWS: usize>() {
        let mut views: [_; VIEWS] =
            core::array::from_fn(|_| View::<usize, 1>::zeros("y", [9]).expect("memory"));
        let mut arguments = views.each_mut();
        type Arguments<'v, const VIEWS: usize> = [&'v mut View<usize, 1>; VIEWS];
        // SAFETY: the indices from 2 to 7 run in the closure, once each, one after the other.
        unsafe {
            let (raw, _held) = <Arguments<'_, VIEWS> as spelt_access::KernelArgs>::lower(&mut arguments);
            on_span::<Arguments<'_, VIEWS>, (), 1>(raw, [2], [7], |raw| {
                for index in 2..=7 {
                    let accessors = <Arguments<'_, VIEWS> as spelt_access::KernelArgs>::access(&raw, 0);
                    for (number, mut y) in accessors.into_iter().enumerate() {
                        y[Idx::new([index])] += 10 * number + index;
                    }
                }
            });
        }
        for (number, view) in views.iter().enumerate() {
            let wanted = |index| if (2..=7).contains(&index) { 10 * number + index } else { 0 };
            assert!((0..9).all(|index| view[index] == wanted(index)), "View {number} of {VIEWS}");
        }
    }

    #[test]
    fn iterations_write_through_their_spans() {
        add_on_spans::<1>();
        add_on_spans::<4>();
        add_on_spans::<5>();
        add_on_spans::<24>();
        // The last two keep their pointers.
        add_on_spans::<26>();
    }
}
