//! The numbers that an element consists of, for tools that look at the contents of Views.

use core::marker::PhantomData;

use crate::{Description, Element};

/// A number, `bool` or `char` within an element.
///
/// # Examples
/// ```
/// use spelt_access::Number;
/// assert_eq!((Number::F32.name(), Number::F32.bytes()), ("f32", 4));
/// assert_eq!(Number::named("f32"), Some(Number::F32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Number {
    /// `bool`.
    Bool,
    /// `char`.
    Char,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`, and `usize` of 64 bits.
    U64,
    /// `u128`.
    U128,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`, and `isize` of 64 bits.
    I64,
    /// `i128`.
    I128,
    /// `half::f16`.
    F16,
    /// `half::bf16`.
    Bf16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Number {
    /// All of them.
    ///
    /// # Examples
    /// ```
    /// use spelt_access::Number;
    /// assert!(Number::ALL.contains(&Number::Bf16));
    /// ```
    pub const ALL: &[Self] = &[
        Self::Bool,
        Self::Char,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::U128,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::I128,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
    ];

    /// Its name in Rust.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_access::Number::Bf16.name(), "bf16");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Char => "char",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The one with this name.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_access::Number::named("complex"), None);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|number| number.name() == name)
    }

    /// Its size. Unit: bytes.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(spelt_access::Number::Char.bytes(), 4);
    /// ```
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 | Self::Bf16 => 2,
            Self::Char | Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::U128 | Self::I128 => 16,
        }
    }

    /// The unsigned integer of this size, for enums without fields, which consist of their discriminant.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_discriminant(bytes: usize) -> Self {
        match bytes {
            1 => Self::U8,
            2 => Self::U16,
            4 => Self::U32,
            8 => Self::U64,
            _ => Self::U128,
        }
    }
}

/// Gets the offset and the type of each number of an element.
type Visit<'a> = &'a mut dyn FnMut(usize, Number);

/// Gets the bytes of whole elements.
type Take<'a> = &'a mut dyn FnMut(&[u8]);

/// The way to the contents of a View, regardless of its element type, rank and memory.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// [`Element::numbers`](crate::Element::numbers) of its elements.
    pub numbers: fn(Visit<'_>) -> bool,
    /// Calls a visitor with the bytes of the numbers of all elements, those of each element in the order of `numbers` and without gaps,
    /// in the order of the indices, the last one running fastest: each slice has whole elements. Returns false if they cannot be fetched.
    ///
    /// # Safety
    /// The description is that of a View whose elements are initialised, and not written during the call. `numbers` returns true.
    pub read: unsafe fn(&Description<'_>, Take<'_>) -> bool,
}

/// The primitives, each with its number.
pub(crate) trait Primitive {
    const NUMBER: Number;
}

macro_rules! primitives {
    ($($type:ty: $number:ident),* $(,)?) => {$(
        impl Primitive for $type {
            const NUMBER: Number = {
                assert!(Number::$number.bytes() == size_of::<$type>());
                Number::$number
            };
        }
    )*};
}
primitives! {
    u8: U8, u16: U16, u32: U32, u64: U64, u128: U128, i8: I8, i16: I16, i32: I32, i64: I64, i128: I128,
    f32: F32, f64: F64, bool: Bool, char: Char,
}
#[cfg(target_pointer_width = "64")]
primitives!(usize: U64, isize: I64);
#[cfg(target_pointer_width = "32")]
primitives!(usize: U32, isize: I32);

/// The type of a field, as the compiler knows it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Field<F>(PhantomData<F>);

impl<F> Field<F> {
    /// That of the field which the function, never called, returns.
    #[doc(hidden)]
    #[must_use]
    pub fn of<S>(_: fn(S) -> F) -> Self {
        Self(PhantomData)
    }
}

impl<F: Element> Field<F> {
    /// [`Element::numbers`] of the field, which has this offset.
    #[doc(hidden)]
    pub fn numbers(&self, offset: usize, visit: Visit<'_>) -> bool {
        F::numbers(&mut |place, number| visit(offset + place, number))
    }
}

/// The same for a field that is no element: it is an error elsewhere, and not a second one here.
#[doc(hidden)]
pub trait OtherField {
    /// No numbers.
    fn numbers(&self, _offset: usize, _visit: Visit<'_>) -> bool {
        false
    }
}
impl<F> OtherField for Field<F> {}
