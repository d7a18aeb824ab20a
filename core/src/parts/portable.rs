//! Values as bytes.

use core::marker::PhantomData;
use core::num::Wrapping;

use spelt_reducers::{
    ColumnsValue, FailuresValue, FirstLocValue, LastLocValue, MaxLocValue, MinLocValue,
    MinMaxFirstLastLocValue, MinMaxLocValue, MinMaxValue,
};

/// A value that can be written as bytes and read again, on another machine too.
///
/// [`Part`](super::Part) sends and stores values in this form. It is implemented for numbers, `bool`, `char`, `()`, arrays, tuples, `Option`, `Vec`,
/// `String`, and the values of all reducers; structs and enums of such values [derive](derive@crate::Portable) it. Numbers are little-endian; `usize`
/// and `isize` have 8 bytes.
///
/// # Examples
/// ```standalone_crate
/// # extern crate spelt_core as spelt;
/// use spelt::Portable;
/// #[derive(Debug, PartialEq, Portable)]
/// struct Moments { count: u64, mean: f64 }
/// let mut bytes = Vec::new();
/// Moments { count: 3, mean: 0.5 }.write(&mut bytes);
/// assert_eq!(bytes.len(), 16);
/// assert_eq!(Moments::read(&mut &bytes[..]), Some(Moments { count: 3, mean: 0.5 }));
/// ```
pub trait Portable: Sized {
    /// Appends the value.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Portable;
    /// let mut bytes = vec![9];
    /// 258_u16.write(&mut bytes);
    /// assert_eq!(bytes, [9, 2, 1]);
    /// ```
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads a value from the beginning of `bytes`, and removes what it has read; `None` if these bytes are not a value.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Portable;
    /// let mut bytes = &[2, 1, 7][..];
    /// assert_eq!((u16::read(&mut bytes), bool::read(&mut bytes)), (Some(258), None));
    /// ```
    fn read(bytes: &mut &[u8]) -> Option<Self>;

    /// Appends all values: the bytes that [`write`](Self::write) appends for each, of numbers in one copy.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Portable;
    /// let mut bytes = Vec::new();
    /// u16::write_slice(&[258, 3], &mut bytes);
    /// assert_eq!(bytes, [2, 1, 3, 0]);
    /// ```
    fn write_slice(values: &[Self], bytes: &mut Vec<u8>) {
        values.iter().for_each(|value| value.write(bytes));
    }

    /// Reads as many values as `values` has, in place of those; `None` if these bytes are not that many values, some of which may then have
    /// been read.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Portable;
    /// let (mut numbers, mut bytes) = ([0_u16; 2], &[2, 1, 3, 0, 7][..]);
    /// assert_eq!(u16::read_slice(&mut numbers, &mut bytes), Some(()));
    /// assert_eq!((numbers, bytes), ([258, 3], &[7][..]));
    /// assert_eq!(u16::read_slice(&mut numbers, &mut bytes), None);
    /// ```
    fn read_slice(values: &mut [Self], bytes: &mut &[u8]) -> Option<()> {
        values.iter_mut().try_for_each(|value| Self::read(bytes).map(|read| *value = read))
    }

    /// Whether this form is that of memory, for code that copies values without reading them.
    #[doc(hidden)]
    const FORM: PortableForm<Self> = PortableForm::OTHER;
}

/// Whether [`Portable`] bytes of a type are those of its values in memory, each of which is a value: only this file can say so, and only
/// of the type itself.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PortableForm<T> {
    is_memory: bool,
    of: PhantomData<fn() -> T>,
}

impl<T> PortableForm<T> {
    /// Bytes that only `read` makes values of.
    pub(crate) const OTHER: Self = Self::new(false);

    const fn new(is_memory: bool) -> Self {
        Self { is_memory, of: PhantomData }
    }

    /// Whether `write_slice` appends the bytes of the values in memory, and any such bytes are values.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Portable;
    /// assert_eq!(<[f64; 3]>::FORM.is_memory(), cfg!(target_endian = "little"));
    /// assert!(!bool::FORM.is_memory());
    /// ```
    #[must_use]
    pub const fn is_memory(self) -> bool {
        self.is_memory
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Portable for $number {
            const FORM: PortableForm<Self> = PortableForm::new(cfg!(target_endian = "little"));
            #[inline]
            fn write(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let (number, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(Self::from_le_bytes(*number))
            }
            fn write_slice(values: &[Self], bytes: &mut Vec<u8>) {
                if cfg!(target_endian = "little") {
                    // SAFETY: a number has no padding, so all bytes of the slice are initialised; they live as long as `values`.
                    bytes.extend_from_slice(unsafe {
                        core::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values))
                    });
                } else {
                    values.iter().for_each(|value| value.write(bytes));
                }
            }
            fn read_slice(values: &mut [Self], bytes: &mut &[u8]) -> Option<()> {
                let (read, rest) = bytes.split_at_checked(size_of_val(values))?;
                *bytes = rest;
                let (numbers, _) = read.as_chunks::<{ size_of::<Self>() }>();
                values.iter_mut().zip(numbers).for_each(|(value, number)| *value = Self::from_le_bytes(*number));
                Some(())
            }
        }
    )*};
}
numbers! { u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f32 f64 }

macro_rules! as_other {
    ($($type:ty as $other:ty: $read:expr;)*) => {$(
        impl Portable for $type {
            #[inline]
            fn write(&self, bytes: &mut Vec<u8>) {
                (*self as $other).write(bytes);
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                let read: fn($other) -> Option<Self> = $read;
                read(Portable::read(bytes)?)
            }
        }
    )*};
}
as_other! {
    usize as u64: |number| number.try_into().ok();
    isize as i64: |number| number.try_into().ok();
    char as u32: char::from_u32;
    bool as u8: |number| match number {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
}

impl<T: Portable, const N: usize> Portable for [T; N] {
    const FORM: PortableForm<Self> = PortableForm::new(T::FORM.is_memory);
    fn write(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|element| element.write(bytes));
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let mut all_read = true;
        let elements = [(); N].map(|()| {
            let element = if all_read { T::read(bytes) } else { None };
            all_read &= element.is_some();
            element
        });
        all_read.then(|| elements.map(|element| element.expect("all elements were read")))
    }
    fn write_slice(values: &[Self], bytes: &mut Vec<u8>) {
        T::write_slice(values.as_flattened(), bytes);
    }
    fn read_slice(values: &mut [Self], bytes: &mut &[u8]) -> Option<()> {
        T::read_slice(values.as_flattened_mut(), bytes)
    }
}

/// Its length, as a `u64`, and its elements.
impl<T: Portable> Portable for Vec<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        self.iter().for_each(|element| element.write(bytes));
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (len, before) = (usize::read(bytes)?, bytes.len());
        let mut elements = Self::new();
        for _ in 0..len {
            elements.push(T::read(bytes)?);
            // Elements without bytes: a damaged length would not end.
            if bytes.len() == before && len > u32::MAX as usize {
                return None;
            }
        }
        Some(elements)
    }
}

/// Its columns, as those of a `Vec`.
impl<V: Portable> Portable for ColumnsValue<V> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        V::write_slice(self, bytes);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Vec::read(bytes).map(Self::from)
    }
}

/// The number of its bytes, as a `u64`, and these in UTF-8.
impl Portable for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        bytes.extend_from_slice(self.as_bytes());
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let len = usize::read(bytes)?;
        let (text, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        core::str::from_utf8(text).ok().map(str::to_owned)
    }
}

/// Whether there is a value, as a `bool`, and the value.
impl<T: Portable> Portable for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        self.iter().for_each(|value| value.write(bytes));
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? { T::read(bytes).map(Some) } else { Some(None) }
    }
}

impl<T: Portable> Portable for Wrapping<T> {
    #[inline]
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
    }
    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        T::read(bytes).map(Wrapping)
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Portable),*> Portable for ($($name,)*) {
            #[inline]
            #[allow(non_snake_case, reason = "each part has the name of its type")]
            #[allow(unused_variables, reason = "the empty tuple has no bytes")]
            fn write(&self, bytes: &mut Vec<u8>) {
                let ($($name,)*) = self;
                $($name.write(bytes);)*
            }
            #[inline]
            #[allow(unused_variables, reason = "the empty tuple has no bytes")]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(($($name::read(bytes)?,)*))
            }
        }
    )*};
}
tuples! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; A B C D E F G; A B C D E F G H; }

macro_rules! structs {
    ($($name:ident<$($part:ident),+> { $($field:ident),+ })*) => {$(
        impl<$($part: Portable),+> Portable for $name<$($part),+> {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)+
            }
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Portable::read(bytes)?),+ })
            }
        }
    )*};
}
structs! {
    MinMaxValue<T> { min_val, max_val }
    MinLocValue<T, L> { val, loc }
    MaxLocValue<T, L> { val, loc }
    MinMaxLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    MinMaxFirstLastLocValue<T, L> { min_val, max_val, min_loc, max_loc }
    FirstLocValue<L> { min_loc_true, found }
    LastLocValue<L> { max_loc_true, found }
    FailuresValue<E, L> { count, loc, failure }
}

#[cfg(feature = "num-complex")]
impl<T: Portable> Portable for num_complex::Complex<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.re.write(bytes);
        self.im.write(bytes);
    }
    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(Self { re: Portable::read(bytes)?, im: Portable::read(bytes)? })
    }
}

#[cfg(feature = "half")]
macro_rules! halves {
    ($($half:ident)*) => {$(
        /// Its bits, as a `u16`.
        impl Portable for half::$half {
            #[inline]
            fn write(&self, bytes: &mut Vec<u8>) {
                self.to_bits().write(bytes);
            }
            #[inline]
            fn read(bytes: &mut &[u8]) -> Option<Self> {
                u16::read(bytes).map(Self::from_bits)
            }
        }
    )*};
}
#[cfg(feature = "half")]
halves! { f16 bf16 }

#[cfg(test)]
mod tests {
    use core::fmt::Debug;

    use super::*;

    fn same<T: Portable + PartialEq + Debug>(value: T, len: usize) {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        assert_eq!(bytes.len(), len, "{value:?}");
        for end in 0..len {
            assert_eq!(T::read(&mut &bytes[..end]), None, "{end} of {len} bytes");
        }
        let alone = bytes.clone();
        bytes.push(7);
        let mut rest = &bytes[..];
        let again = T::read(&mut rest);
        assert_eq!(again.as_ref(), Some(&value));
        assert_eq!(rest, [7]);

        let (mut pair, mut expected) = (Vec::new(), alone.clone());
        expected.extend(alone);
        let values = [value, again.expect("read above")];
        T::write_slice(&values, &mut pair);
        assert_eq!(pair, expected, "two values in one slice");
        let mut places = values;
        if len > 0 {
            assert_eq!(T::read_slice(&mut places, &mut &pair[..2 * len - 1]), None);
        }
    }

    #[test]
    fn lengths_of_nothing_end() {
        same(vec![(); 300], 8);
        let mut damaged = Vec::new();
        usize::MAX.write(&mut damaged);
        assert_eq!(Vec::<()>::read(&mut &damaged[..]), None);
        assert_eq!(Vec::<u8>::read(&mut &damaged[..]), None);
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        same(0x0102_u16, 2);
        same((1_u8, -2_i64, [3.5_f32; 3]), 21);
        same((usize::MAX, isize::MIN, 'ß', true, ()), 21);
        same(vec![(1.0, 2_u32); 4], 8 + 4 * 12);
        same([vec![1_u8], vec![], vec![2, 3]], 3 * 8 + 3);
        same(MinMaxLocValue { min_val: -0.0, max_val: 3.0, min_loc: [1_usize, 2], max_loc: [3, 4] }, 48);
        same(FailuresValue { count: 3, loc: 4_usize, failure: 'x' }, 20);
        same((Some(7_u32), None::<u64>, Some(Some('x'))), 5 + 1 + 6);
        same(ColumnsValue::from(vec![(1.5_f64, 2_u8); 3]), 8 + 3 * 9);
        same([String::from("spélt"), String::new()], 8 + 6 + 8);
        same(Wrapping(-3_i16), 2);
        let mut bytes = Vec::new();
        f64::from_bits(0x7ff0_dead_beef_0001).write(&mut bytes);
        assert_eq!(f64::read(&mut &bytes[..]).map(f64::to_bits), Some(0x7ff0_dead_beef_0001));
    }

    #[test]
    fn forms_of_memory_are_those_of_numbers() {
        fn checked<T: Portable + Copy>(values: [T; 3]) -> bool {
            let mut bytes = Vec::new();
            T::write_slice(&values, &mut bytes);
            let mut memory = [0; 1024];
            assert!(size_of_val(&values) <= memory.len());
            if T::FORM.is_memory() {
                // SAFETY: values of this form are numbers without padding, and both arrays have these bytes.
                unsafe {
                    let from = values.as_ptr().cast::<u8>();
                    core::ptr::copy_nonoverlapping(from, memory.as_mut_ptr(), size_of_val(&values));
                }
                assert_eq!(bytes, memory[..size_of_val(&values)]);
            }
            T::FORM.is_memory()
        }
        let is_little = cfg!(target_endian = "little");
        assert_eq!([checked([1.5_f64, -0.0, f64::NAN]), checked([i128::MIN, -1, 7])], [is_little; 2]);
        assert_eq!(
            [checked([[1_u16, 2], [3, 4], [5, 600]]), checked([[[1.0_f32; 3]; 2]; 3])],
            [is_little; 2]
        );
        assert!(!checked([true, false, true]) && !checked(['a', 'b', 'c']));
        assert!(!checked([(1_u8, 2_u8); 3]) && !checked([[Some(1_u8)]; 3]));
    }

    #[test]
    fn slices_are_read_in_place() {
        fn replaced<T: Portable + PartialEq + Debug>(mut old: [T; 2], new: [T; 2]) {
            let mut bytes = Vec::new();
            T::write_slice(&new, &mut bytes);
            bytes.push(7);
            let mut rest = &bytes[..];
            assert_eq!(T::read_slice(&mut old, &mut rest), Some(()));
            assert_eq!((old, rest), (new, &[7][..]));
        }
        replaced([0.0, 0.0], [-0.0, f64::MAX]);
        replaced([0_i128; 2], [-1, 1 << 100]);
        replaced([[0_u16; 3]; 2], [[1, 2, 3], [4, 5, 600]]);
        replaced([(0_u8, 'a'); 2], [(1, 'b'), (2, 'ß')]);
    }

    #[test]
    #[cfg(feature = "half")]
    fn half_precision_numbers_keep_their_bits() {
        use half::{bf16, f16};
        same(
            (f16::from_f32(1.5), bf16::from_f32(-0.0), MinMaxValue { min_val: f16::MIN, max_val: f16::MAX }),
            8,
        );
        let mut bytes = Vec::new();
        (f16::from_bits(0x7e01), bf16::from_bits(0x3f81)).write(&mut bytes);
        assert_eq!(bytes, [0x01, 0x7e, 0x81, 0x3f]);
        let read = <(f16, bf16)>::read(&mut &bytes[..]).map(|(a, b)| (a.to_bits(), b.to_bits()));
        assert_eq!(read, Some((0x7e01, 0x3f81)), "also those of a NaN");
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(bool::read(&mut &[2][..]), None);
        assert_eq!(Option::<u8>::read(&mut &[2, 0][..]), None);
        assert_eq!(String::read(&mut &[1, 0, 0, 0, 0, 0, 0, 0, 0xff][..]), None);
        assert_eq!(String::read(&mut &u64::MAX.to_le_bytes()[..]), None);
        assert_eq!(char::read(&mut &0xD800_u32.to_le_bytes()[..]), None);
        assert_eq!(Vec::<u64>::read(&mut &u64::MAX.to_le_bytes()[..]), None, "it does not allocate first");
    }
}
