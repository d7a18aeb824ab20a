//! The accessor of `view.atomic()`.

use core::marker::PhantomData;

use crate::Layout;

use super::cell;
use super::number::{AtomicInteger, AtomicNumber};
use crate::accessor::accessor;
use crate::{AsIndex, Element, RawView, failure};

accessor! {
    /// A View whose elements all iterations change, atomically, at any index and by value.
    ///
    /// An index is a `usize` (rank 1), `[usize; R]` or a witness, and is checked. Operations on one element follow one
    /// another in some order; nothing is said about operations on different elements (relaxed order). Each operation of
    /// Kokkos has its three forms: `add` returns nothing, `fetch_add` the old value, `add_fetch` the new one.
    ///
    /// # Panics
    /// Every method panics out of bounds, with View, extents and kernel.
    ///
    /// # Complexity
    /// One atomic instruction, or a loop around one where the processor has none for the operation or the type is a
    /// float; two short locks for elements with padding, or of a size other than 1, 2, 4 or 8 bytes.
    shared AtomicAccess<R> [R]
}

impl<'k, T: Element, const R: usize, L: Layout> AtomicAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, nothing but this accessor and its like in other iterations reaches the View.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        Self { raw, brand: PhantomData }
    }

    #[inline(always)]
    #[track_caller]
    fn place(&self, index: impl AsIndex<R>) -> *mut T {
        let index = index.as_index();
        if !self.raw.contains(index) {
            failure::beyond(self.raw.pointer() as usize, index);
        }
        // SAFETY: in bounds.
        unsafe { self.raw.at(index) }
    }

    /// The element at `index`.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn load(&self, index: impl AsIndex<R>) -> T {
        // SAFETY: `place` is in bounds, and only atomic accessors reach it.
        unsafe { cell::load(self.place(index)) }
    }

    /// Replaces the element at `index`.
    #[inline(always)]
    #[track_caller]
    pub fn store(&self, index: impl AsIndex<R>, value: T) {
        // SAFETY: as in `load`.
        unsafe { cell::store(self.place(index), value) }
    }

    /// Replaces the element at `index` and returns the old one.
    #[inline(always)]
    #[track_caller]
    pub fn exchange(&self, index: impl AsIndex<R>, value: T) -> T {
        // SAFETY: as in `load`.
        unsafe { cell::exchange(self.place(index), value) }
    }

    /// Replaces the element at `index` if it equals `current`; the old one either way, in `Ok` if it was replaced.
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange(&self, index: impl AsIndex<R>, current: T, new: T) -> Result<T, T>
    where
        T: PartialEq,
    {
        self.try_update(index, |old| (old == current).then_some(new))
    }

    /// Replaces the element at `index` by `f` of it, if that is something; the old one either way, in `Ok` if it was
    /// replaced.
    ///
    /// `f` is called again whenever another iteration was faster; it must not itself change an element of a View
    /// through an [`AtomicAccess`], or it may be called for ever.
    #[inline(always)]
    #[track_caller]
    pub fn try_update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> Option<T>) -> Result<T, T> {
        // SAFETY: as in `load`.
        unsafe { cell::try_update(self.place(index), f) }
    }

    /// Replaces the element at `index` by `f` of it; for `f`, see [`try_update`](AtomicAccess::try_update).
    #[inline(always)]
    #[track_caller]
    pub fn update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> T) {
        self.fetch_update(index, f);
    }

    /// As [`update`](AtomicAccess::update), and returns the old value.
    #[inline(always)]
    #[track_caller]
    pub fn fetch_update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> T) -> T {
        // SAFETY: as in `load`.
        unsafe { cell::update(self.place(index), f) }
    }

    /// As [`update`](AtomicAccess::update), and returns the new value.
    #[inline(always)]
    #[track_caller]
    pub fn update_fetch(&self, index: impl AsIndex<R>, mut f: impl FnMut(T) -> T) -> T {
        let mut new = None;
        let old = self.fetch_update(index, |old| *new.insert(f(old)));
        new.unwrap_or(old)
    }
}

/// Defines the three forms of operations; `$fetch` of the number traits works on memory, `$operation` on values.
macro_rules! operations {
    ($($(#[$doc:meta])* $void:ident $before:ident $after:ident ($($value:ident: $type:ty)?) |$place:ident, $old:ident|
        $fetch:expr, $new:expr;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[track_caller]
        pub fn $void(&self, index: impl AsIndex<R> $(, $value: $type)?) {
            self.$before(index $(, $value)?);
        }

        #[doc = concat!("As [`", stringify!($void), "`](AtomicAccess::", stringify!($void), "), and returns the old value.")]
        #[inline(always)]
        #[track_caller]
        pub fn $before(&self, index: impl AsIndex<R> $(, $value: $type)?) -> T {
            let $place = self.place(index);
            // SAFETY: as in `load`.
            unsafe { $fetch }
        }

        #[doc = concat!("As [`", stringify!($void), "`](AtomicAccess::", stringify!($void), "), and returns the new value.")]
        #[inline(always)]
        #[track_caller]
        pub fn $after(&self, index: impl AsIndex<R> $(, $value: $type)?) -> T {
            let $old = self.$before(index $(, $value)?);
            $new
        }
    )*};
}

impl<T: AtomicNumber, const R: usize, L: Layout> AtomicAccess<'_, T, R, L> {
    operations! {
        /// Adds `value` to the element at `index`; integers wrap. Sums of floats depend on the order of the iterations,
        /// which changes from run to run.
        add fetch_add add_fetch (value: T) |place, old| T::fetch_plus(place, value), old.plus(value);
        /// Subtracts `value` from the element at `index`; integers wrap.
        sub fetch_sub sub_fetch (value: T) |place, old| T::fetch_minus(place, value), old.minus(value);
        /// Multiplies the element at `index` by `value`; integers wrap.
        mul fetch_mul mul_fetch (value: T) |place, old|
            cell::update(place, |old| old.times(value)), old.times(value);
        /// Divides the element at `index` by `value`; integers wrap, and panic for 0.
        div fetch_div div_fetch (value: T) |place, old|
            cell::update(place, |old| old.over(value)), old.over(value);
        /// Keeps the smaller of the element at `index` and `value`; NaN is ignored.
        min fetch_min min_fetch (value: T) |place, old| T::fetch_lesser(place, value), old.lesser(value);
        /// Keeps the larger of the element at `index` and `value`; NaN is ignored.
        max fetch_max max_fetch (value: T) |place, old| T::fetch_greater(place, value), old.greater(value);
        /// Adds 1 to the element at `index`; integers wrap.
        inc fetch_inc inc_fetch () |place, old| T::fetch_plus(place, T::ONE), old.plus(T::ONE);
        /// Subtracts 1 from the element at `index`; integers wrap.
        dec fetch_dec dec_fetch () |place, old| T::fetch_minus(place, T::ONE), old.minus(T::ONE);
    }
}

impl<T: AtomicInteger, const R: usize, L: Layout> AtomicAccess<'_, T, R, L> {
    operations! {
        /// Replaces the element at `index` by its remainder by `value` (Kokkos: `mod`); panics for 0.
        rem fetch_rem rem_fetch (value: T) |place, old|
            cell::update(place, |old| old.modulo(value)), old.modulo(value);
        /// Keeps the bits of the element at `index` that `value` has too.
        and fetch_and and_fetch (value: T) |place, old| T::fetch_both(place, value), old.both(value);
        /// Adds the bits of `value` to the element at `index`.
        or fetch_or or_fetch (value: T) |place, old| T::fetch_either(place, value), old.either(value);
        /// Turns the bits of the element at `index` that `value` has.
        xor fetch_xor xor_fetch (value: T) |place, old| T::fetch_differing(place, value), old.differing(value);
        /// Keeps the bits of the element at `index` that `value` has too, and turns all bits.
        nand fetch_nand nand_fetch (value: T) |place, old| T::fetch_not_both(place, value), old.not_both(value);
        /// Shifts the bits of the element at `index` left, by `bits` modulo its width.
        lshift fetch_lshift lshift_fetch (bits: u32) |place, old|
            cell::update(place, |old| old.left(bits)), old.left(bits);
        /// Shifts the bits of the element at `index` right, by `bits` modulo its width; signed ones keep their sign.
        rshift fetch_rshift rshift_fetch (bits: u32) |place, old|
            cell::update(place, |old| old.right(bits)), old.right(bits);
    }
}
