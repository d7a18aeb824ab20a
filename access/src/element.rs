//! The types of a View's elements.

use core::mem::offset_of;

use crate::numbers::{Field, Number, Primitive};
use crate::{KernelArgs, Scalar};

/// Plain data: a type that a View may hold and a kernel may take by value.
///
/// Implemented for the primitive numbers, `bool`, `char`, `()`, `Wrapping`, `PhantomData`, arrays and tuples of
/// elements, and the reducers' value types. `#[derive(Element)]` serves structs, and enums with an explicit `repr` and a
/// variant of discriminant 0; it checks every field. Padding is allowed.
///
/// # Safety
/// The type holds no reference, pointer, function pointer or interior mutability, at any depth, and a value
/// whose bytes are all zero is valid. A pointer would let a kernel store an address of one memory space in
/// another; interior mutability would make shared reads race.
///
/// A kernel takes every element by value, as the supertrait requires. A type that implements `Element` by hand must also implement
/// [`Scalar`].
///
/// # Examples
/// ```
/// use spelt_access::Element;
/// fn bytes<T: Element>(elements: &[T]) -> usize {
///     size_of_val(elements)
/// }
/// assert_eq!((bytes(&[1_u32, 2]), bytes(&[(1.0_f64, [1_u8; 3])])), (8, 16));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `Element`: it cannot be held by a View or passed to a kernel",
    note = "elements are plain data; `#[derive(Clone, Copy, Element)]` works for a struct or an enum whose fields are all elements",
    note = "references, pointers and types that are invalid when all bytes are zero, such as `NonZeroU32`, are not elements"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static + ByValue {
    /// Whether every byte of every value is initialised: no padding. It is part of the promise.
    #[doc(hidden)]
    const NO_PADDING: bool = false;

    /// All bytes zero. The compiler tests whether a constant is a value of its type, at any depth.
    #[doc(hidden)]
    // SAFETY: a value whose bytes are all zero is valid, by the trait's contract; if it is not, evaluating this does not compile.
    const ALL_BYTES_ZERO: Self = unsafe { core::mem::zeroed() };

    /// Does not compile if all bytes zero are not a value of this type. Code that makes values of zeros evaluates it:
    /// the derive cannot, for an enum with parameters or a type that contains one.
    #[doc(hidden)]
    const ZERO_IS_A_VALUE: () = {
        let _zero = Self::ALL_BYTES_ZERO;
    };

    /// Does nothing. The derive's body compiles where each field is an element.
    #[doc(hidden)]
    #[inline]
    fn fields_are_elements(_: &Self) {}

    /// Calls `visit` with the offset in bytes and the type of each number in a value, in the order of the fields, and returns whether these
    /// are the whole value. It is part of the promise that such a number lies there, initialised, in every value.
    #[doc(hidden)]
    #[inline]
    fn numbers(_visit: &mut dyn FnMut(usize, Number)) -> bool {
        false
    }
}

/// Passed to a kernel by value. A separate trait, so that a type that is not an element gives a single error, with the message of
/// `Element`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `Element`: it cannot be held by a View or passed to a kernel",
    note = "elements are plain data; `#[derive(Clone, Copy, Element)]` works for a struct or an enum whose fields are all elements",
    note = "references, pointers and types that are invalid when all bytes are zero, such as `NonZeroU32`, are not elements"
)]
pub trait ByValue: for<'k> KernelArgs<Raw = Self, Access<'k> = Self, Memory = ()> {}
impl<T: for<'k> KernelArgs<Raw = T, Access<'k> = T, Memory = ()>> ByValue for T {}

macro_rules! elements {
    ($($type:ty),* $(,)?) => {$(
        // SAFETY: a primitive without pointers or interior mutability, valid when all bytes are zero.
        unsafe impl Element for $type {
            const NO_PADDING: bool = true;
            fn numbers(visit: &mut dyn FnMut(usize, Number)) -> bool {
                visit(0, <$type as Primitive>::NUMBER);
                true
            }
        }
        impl Scalar for $type {}
    )*};
}
elements!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, bool, char);

// SAFETY: it has no bytes.
unsafe impl Element for () {
    const NO_PADDING: bool = true;
    fn numbers(_visit: &mut dyn FnMut(usize, Number)) -> bool {
        true
    }
}

// SAFETY: `Wrapping` is a transparent struct around its element.
unsafe impl<T: Element> Element for core::num::Wrapping<T> {
    const NO_PADDING: bool = T::NO_PADDING;
    fn numbers(visit: &mut dyn FnMut(usize, Number)) -> bool {
        T::numbers(visit)
    }
}
impl<T: Element> Scalar for core::num::Wrapping<T> {}
// SAFETY: it has no bytes.
unsafe impl<T: ?Sized + Send + Sync + 'static> Element for core::marker::PhantomData<T> {
    fn numbers(_visit: &mut dyn FnMut(usize, Number)) -> bool {
        true
    }
}
impl<T: ?Sized + Send + Sync + 'static> Scalar for core::marker::PhantomData<T> {}
// SAFETY: an array holds nothing but its elements.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const NO_PADDING: bool = T::NO_PADDING;
    fn numbers(visit: &mut dyn FnMut(usize, Number)) -> bool {
        (0..N).all(|place| T::numbers(&mut |offset, number| visit(place * size_of::<T>() + offset, number)))
    }
}

macro_rules! tuples {
    ($($($name:ident $place:tt)+;)*) => {$(
        // SAFETY: a tuple holds nothing but its fields, each of which is plain data.
        unsafe impl<$($name: Element),+> Element for ($($name,)+) {
            fn numbers(visit: &mut dyn FnMut(usize, Number)) -> bool {
                $(Field::of(|tuple: Self| tuple.$place).numbers(offset_of!(Self, $place), visit))&&+
            }
        }
    )*};
}
tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

#[cfg(feature = "half")]
mod half_precision {
    // SAFETY: a transparent struct around `u16`.
    unsafe impl super::Element for half::f16 {
        fn numbers(visit: &mut dyn FnMut(usize, super::Number)) -> bool {
            visit(0, super::Number::F16);
            true
        }
    }
    impl super::Scalar for half::f16 {}
    // SAFETY: a transparent struct around `u16`.
    unsafe impl super::Element for half::bf16 {
        fn numbers(visit: &mut dyn FnMut(usize, super::Number)) -> bool {
            visit(0, super::Number::Bf16);
            true
        }
    }
    impl super::Scalar for half::bf16 {}
}

// SAFETY: the struct has two fields, both of them `T`.
#[cfg(feature = "num-complex")]
unsafe impl<T: Element> Element for num_complex::Complex<T> {
    fn numbers(visit: &mut dyn FnMut(usize, Number)) -> bool {
        Field::of(|z: Self| z.re).numbers(offset_of!(Self, re), visit)
            && Field::of(|z: Self| z.im).numbers(offset_of!(Self, im), visit)
    }
}
#[cfg(feature = "num-complex")]
impl<T: Element> Scalar for num_complex::Complex<T> {}

macro_rules! reducer_values {
    ($($name:ident<$($part:ident),+>;)*) => {$(
        // SAFETY: a struct of such parts, of `bool`s and of integers.
        unsafe impl<$($part: Element),+> Element for spelt_reducers::$name<$($part),+> {}
        impl<$($part: Element),+> Scalar for spelt_reducers::$name<$($part),+> {}
    )*};
}
reducer_values! {
    MinMaxValue<T>;
    MinLocValue<T, L>;
    MaxLocValue<T, L>;
    MinMaxLocValue<T, L>;
    MinMaxFirstLastLocValue<T, L>;
    FirstLocValue<L>;
    LastLocValue<L>;
    FailuresValue<E, L>;
}
