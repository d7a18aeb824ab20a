//! The accessor of `view.atomic()`.

use core::marker::PhantomData;

use crate::Layout;

use super::cell;
use super::number::{AtomicInteger, AtomicNumber};
use crate::access::Brand;
use crate::{AsIndex, AtZero, Element, Origin, RawView, Right, failure};

/// A View in which every iteration can change any element, atomically and by value.
///
/// An index is an integer (rank 1), an array of them or a witness, and is checked. Operations on one element have
/// a single order; the order of operations on different elements is unspecified (relaxed). Each operation of
/// Kokkos has three forms: `add` returns nothing, `fetch_add` the old value, `add_fetch` the new one.
///
/// # Panics
/// Every method panics if the index is out of bounds; the message names View, extents and kernel.
///
/// # Complexity
/// One atomic instruction, or a loop around one if the processor has none for the operation or the type is a
/// float; two short locks for elements with padding, or of a size other than 1, 2, 4 or 8 bytes.
///
/// # Examples
/// ```
/// # use spelt_access::{AtomicAccess, RawView, Right};
/// # let mut numbers = [1_u32, 4, 9];
/// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
/// # // SAFETY: nothing else uses the numbers.
/// # let y = unsafe { AtomicAccess::new(raw) };
/// // For the View [1, 4, 9]:
/// y.add(2, 10);
/// assert_eq!((y.load(2), y.fetch_max(0, 5), y.sub_fetch(1, 3)), (19, 1, 1));
/// ```
pub struct AtomicAccess<'k, T, const R: usize, L = Right, O = AtZero> {
    raw: RawView<T, R, L>,
    origin: O,
    brand: Brand<'k, T>,
}

impl<T, const R: usize, L, O: Copy> Clone for AtomicAccess<'_, T, R, L, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize, L, O: Copy> Copy for AtomicAccess<'_, T, R, L, O> {}

impl<T, const R: usize, L, O> core::fmt::Debug for AtomicAccess<'_, T, R, L, O> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("AtomicAccess { .. }")
    }
}

impl<'k, T: Element, const R: usize, L: Layout> AtomicAccess<'k, T, R, L> {
    /// The accessor of `raw`.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, only this accessor and those of other iterations access the View.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(raw: RawView<T, R, L>) -> Self {
        // SAFETY: this function has the same contract.
        unsafe { Self::from_origin(raw, AtZero) }
    }
}

impl<'k, T: Element, const R: usize, L: Layout, O: Origin<R>> AtomicAccess<'k, T, R, L, O> {
    /// The accessor of `raw`, whose indices begin at `origin`.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, only this accessor and those of other iterations access the View.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn from_origin(raw: RawView<T, R, L>, origin: O) -> Self {
        Self { raw, origin, brand: PhantomData }
    }

    /// The number of indices in dimension `dimension`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.extent(0), 3);
    /// ```
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.raw.extents()[dimension]
    }

    #[inline(always)]
    #[track_caller]
    fn place(&self, index: impl AsIndex<R>) -> *mut T {
        let index = index.as_index();
        let place = self.origin.place(index);
        if !self.raw.contains(place) {
            failure::beyond(self.raw.pointer() as usize, index);
        }
        // SAFETY: in bounds.
        unsafe { self.raw.at(place) }
    }

    /// The element at `index`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.load(2), 9);
    /// ```
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn load(&self, index: impl AsIndex<R>) -> T {
        // SAFETY: `place` is in bounds, and only atomic accessors reach it.
        unsafe { cell::load(self.place(index)) }
    }

    /// Replaces the element at `index`.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// y.store(2, 7);
    /// assert_eq!(y.load(2), 7);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn store(&self, index: impl AsIndex<R>, value: T) {
        // SAFETY: `place` has checked the index; while the View is atomic, its elements are accessed only through this
        // module.
        unsafe { cell::store(self.place(index), value) }
    }

    /// Replaces the element at `index` and returns the old one.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((y.exchange(2, 7), y.load(2)), (9, 7));
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn exchange(&self, index: impl AsIndex<R>, value: T) -> T {
        // SAFETY: `place` has checked the index; while the View is atomic, its elements are accessed only through this
        // module.
        unsafe { cell::exchange(self.place(index), value) }
    }

    /// Replaces the element at `index` if it equals `current`. Returns the old one, in `Ok` if it was replaced.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.compare_exchange(2, 9, 7), Ok(9));
    /// assert_eq!(y.compare_exchange(2, 9, 5), Err(7));
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn compare_exchange(&self, index: impl AsIndex<R>, current: T, new: T) -> Result<T, T>
    where
        T: PartialEq,
    {
        self.try_update(index, |old| (old == current).then_some(new))
    }

    /// Replaces the element at `index` by the result of `f`, if that is `Some`. Returns the old element, in `Ok` if it was
    /// replaced.
    ///
    /// `f` is called again whenever another iteration was faster. It must not itself change an element of a View
    /// through an [`AtomicAccess`], or it may be called forever.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.try_update(2, |old| old.checked_sub(5)), Ok(9));
    /// assert_eq!(y.try_update(2, |old| old.checked_sub(5)), Err(4));
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn try_update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> Option<T>) -> Result<T, T> {
        // SAFETY: `place` has checked the index; while the View is atomic, its elements are accessed only through this
        // module.
        unsafe { cell::try_update(self.place(index), f) }
    }

    /// Replaces the element at `index` by the result of `f`; for `f`, see [`try_update`](AtomicAccess::try_update).
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// y.update(2, |old| old * old);
    /// assert_eq!(y.load(2), 81);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> T) {
        self.fetch_update(index, f);
    }

    /// As [`update`](AtomicAccess::update), and returns the old value.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!((y.fetch_update(2, |old| old * old), y.load(2)), (9, 81));
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn fetch_update(&self, index: impl AsIndex<R>, f: impl FnMut(T) -> T) -> T {
        // SAFETY: `place` has checked the index; while the View is atomic, its elements are accessed only through this
        // module.
        unsafe { cell::update(self.place(index), f) }
    }

    /// As [`update`](AtomicAccess::update), and returns the new value.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{AtomicAccess, RawView, Right};
    /// # let mut numbers = [1_u32, 4, 9];
    /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the numbers.
    /// # let y = unsafe { AtomicAccess::new(raw) };
    /// // For the View [1, 4, 9]:
    /// assert_eq!(y.update_fetch(2, |old| old * old), 81);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update_fetch(&self, index: impl AsIndex<R>, mut f: impl FnMut(T) -> T) -> T {
        let mut new = None;
        let old = self.fetch_update(index, |old| *new.insert(f(old)));
        new.unwrap_or(old)
    }
}

/// The text of an example's second argument, for an operation that takes a value.
macro_rules! two {
    ($value:ident) => {
        ", 2"
    };
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
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        #[doc = concat!("assert_eq!(y.", stringify!($before), "(0" $(, two!($value))?, "), 6);")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $before(&self, index: impl AsIndex<R> $(, $value: $type)?) -> T {
            let $place = self.place(index);
            // SAFETY: `place` has checked the index; while the View is atomic, its elements are accessed only
            // through this module.
            unsafe { $fetch }
        }

        #[doc = concat!("As [`", stringify!($void), "`](AtomicAccess::", stringify!($void), "), and returns the new value.")]
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        #[doc = concat!("assert_eq!(y.", stringify!($after), "(0" $(, two!($value))?, "), y.load(0));")]
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn $after(&self, index: impl AsIndex<R> $(, $value: $type)?) -> T {
            let $old = self.$before(index $(, $value)?);
            $new
        }
    )*};
}

impl<T: AtomicNumber, const R: usize, L: Layout, O: Origin<R>> AtomicAccess<'_, T, R, L, O> {
    operations! {
        /// Adds `value` to the element at `index`; integers wrap. Sums of floats depend on the order of the iterations,
        /// which changes from run to run.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.add(0, 2);
        /// assert_eq!(y.load(0), 8);
        /// ```
        add fetch_add add_fetch (value: T) |place, old| T::fetch_plus(place, value), old.plus(value);
        /// Subtracts `value` from the element at `index`; integers wrap.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.sub(0, 2);
        /// assert_eq!(y.load(0), 4);
        /// ```
        sub fetch_sub sub_fetch (value: T) |place, old| T::fetch_minus(place, value), old.minus(value);
        /// Multiplies the element at `index` by `value`; integers wrap.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.mul(0, 2);
        /// assert_eq!(y.load(0), 12);
        /// ```
        mul fetch_mul mul_fetch (value: T) |place, old|
            cell::update(place, |old| old.times(value)), old.times(value);
        /// Divides the element at `index` by `value`; integers wrap, and panic for 0.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.div(0, 2);
        /// assert_eq!(y.load(0), 3);
        /// ```
        div fetch_div div_fetch (value: T) |place, old|
            cell::update(place, |old| old.over(value)), old.over(value);
        /// Keeps the smaller of the element at `index` and `value`; NaN is ignored.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.min(0, 2);
        /// assert_eq!(y.load(0), 2);
        /// ```
        min fetch_min min_fetch (value: T) |place, old| T::fetch_lesser(place, value), old.lesser(value);
        /// Keeps the larger of the element at `index` and `value`; NaN is ignored.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.max(0, 2);
        /// assert_eq!(y.load(0), 6);
        /// ```
        max fetch_max max_fetch (value: T) |place, old| T::fetch_greater(place, value), old.greater(value);
        /// Adds 1 to the element at `index`; integers wrap.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.inc(0);
        /// assert_eq!(y.load(0), 7);
        /// ```
        inc fetch_inc inc_fetch () |place, old| T::fetch_plus(place, T::ONE), old.plus(T::ONE);
        /// Subtracts 1 from the element at `index`; integers wrap.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.dec(0);
        /// assert_eq!(y.load(0), 5);
        /// ```
        dec fetch_dec dec_fetch () |place, old| T::fetch_minus(place, T::ONE), old.minus(T::ONE);
    }
}

impl<T: AtomicInteger, const R: usize, L: Layout, O: Origin<R>> AtomicAccess<'_, T, R, L, O> {
    operations! {
        /// Replaces the element at `index` by its remainder by `value` (Kokkos: `mod`); panics for 0.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.rem(0, 2);
        /// assert_eq!(y.load(0), 0);
        /// ```
        rem fetch_rem rem_fetch (value: T) |place, old|
            cell::update(place, |old| old.modulo(value)), old.modulo(value);
        /// Keeps those bits of the element at `index` that are set in `value`.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.and(0, 2);
        /// assert_eq!(y.load(0), 2);
        /// ```
        and fetch_and and_fetch (value: T) |place, old| T::fetch_both(place, value), old.both(value);
        /// Sets those bits of the element at `index` that are set in `value`.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.or(0, 2);
        /// assert_eq!(y.load(0), 6);
        /// ```
        or fetch_or or_fetch (value: T) |place, old| T::fetch_either(place, value), old.either(value);
        /// Inverts those bits of the element at `index` that are set in `value`.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.xor(0, 2);
        /// assert_eq!(y.load(0), 4);
        /// ```
        xor fetch_xor xor_fetch (value: T) |place, old| T::fetch_differing(place, value), old.differing(value);
        /// Keeps those bits of the element at `index` that are set in `value`, then inverts all bits.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.nand(0, 2);
        /// assert_eq!(y.load(0), !2);
        /// ```
        nand fetch_nand nand_fetch (value: T) |place, old| T::fetch_not_both(place, value), old.not_both(value);
        /// Shifts the bits of the element at `index` left, by `bits` modulo its width.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.lshift(0, 2);
        /// assert_eq!(y.load(0), 24);
        /// ```
        lshift fetch_lshift lshift_fetch (bits: u32) |place, old|
            cell::update(place, |old| old.left(bits)), old.left(bits);
        /// Shifts the bits of the element at `index` right, by `bits` modulo its width; signed ones keep their sign.
        ///
        /// # Examples
        /// ```
        /// # use spelt_access::{AtomicAccess, RawView, Right};
        /// # let mut numbers = [6_u32];
        /// # let raw = RawView::<_, 1, Right>::new(numbers.as_mut_ptr(), [1], [1]);
        /// # // SAFETY: nothing else uses the number.
        /// # let y = unsafe { AtomicAccess::new(raw) };
        /// // For the View [6]:
        /// y.rshift(0, 2);
        /// assert_eq!(y.load(0), 1);
        /// ```
        rshift fetch_rshift rshift_fetch (bits: u32) |place, old|
            cell::update(place, |old| old.right(bits)), old.right(bits);
    }
}
