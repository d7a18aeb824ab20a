//! Element types that both NumPy and Spelt have.

use spelt_access::Element;

/// An element type that NumPy has too: `bool`, integers up to 64 bits, `f32`, `f64`; with the features of these names
/// `half::f16` and `num_complex::Complex`.
///
/// # Examples
/// ```
/// use spelt_core::{NpyElement, View};
/// fn bytes<T: NpyElement>(v: &View<T, 1>) -> spelt_core::Result<usize> {
///     let mut bytes = Vec::new();
///     v.write_npy_to(&mut bytes)?;
///     Ok(bytes.len())
/// }
/// let (single, double) = (View::<f32, 1>::zeros("v", [100])?, View::<f64, 1>::zeros("v", [100])?);
/// assert_eq!(bytes(&double)? - bytes(&single)?, 400);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub trait NpyElement: Element + sealed::Sealed {
    /// NumPy's letter: `b`, `i`, `u`, `f` or `c`.
    #[doc(hidden)]
    const KIND: char;
    /// The element with these bytes, if they are a valid value. There are as many as the type has.
    #[doc(hidden)]
    fn decode(bytes: &[u8], big_endian: bool) -> Option<Self>;
    /// Appends the element's bytes, the lowest first.
    #[doc(hidden)]
    fn encode(&self, bytes: &mut Vec<u8>);
}

mod sealed {
    pub trait Sealed {}
}

/// The element type's name in messages, such as `f64`.
pub(super) fn name<T: NpyElement>() -> String {
    type_name(T::KIND, size_of::<T>())
}

/// The name of a NumPy type of this letter and size in bytes.
pub(super) fn type_name(kind: char, size: usize) -> String {
    match kind {
        'b' => "bool".to_owned(),
        'c' => format!("complex{}", size.saturating_mul(8)),
        'O' => "Python objects".to_owned(),
        'i' | 'u' | 'f' => format!("{kind}{}", size.saturating_mul(8)),
        _ => format!("NumPy's `{kind}{size}`"),
    }
}

macro_rules! numbers {
    ($($kind:literal: $($type:ty)*;)*) => {$($(
        impl sealed::Sealed for $type {}
        impl NpyElement for $type {
            const KIND: char = $kind;
            #[inline]
            fn decode(bytes: &[u8], big_endian: bool) -> Option<Self> {
                let bytes = bytes.try_into().ok()?;
                Some(if big_endian { Self::from_be_bytes(bytes) } else { Self::from_le_bytes(bytes) })
            }
            #[inline]
            fn encode(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*)*};
}
numbers! {
    'i': i8 i16 i32 i64 isize;
    'u': u8 u16 u32 u64 usize;
    'f': f32 f64;
}
#[cfg(feature = "half")]
numbers! { 'f': half::f16; }

impl sealed::Sealed for bool {}
impl NpyElement for bool {
    const KIND: char = 'b';
    #[inline]
    fn decode(bytes: &[u8], _big_endian: bool) -> Option<Self> {
        match bytes {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
    #[inline]
    fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }
}

#[cfg(feature = "num-complex")]
mod complex {
    use num_complex::Complex;

    use super::{NpyElement, sealed};

    impl sealed::Sealed for Complex<f32> {}
    impl sealed::Sealed for Complex<f64> {}

    macro_rules! complex {
        ($($part:ty)*) => {$(
            impl NpyElement for Complex<$part> {
                const KIND: char = 'c';
                #[inline]
                fn decode(bytes: &[u8], big_endian: bool) -> Option<Self> {
                    let (re, im) = bytes.split_at_checked(size_of::<$part>())?;
                    Some(Complex {
                        re: <$part>::decode(re, big_endian)?,
                        im: <$part>::decode(im, big_endian)?,
                    })
                }
                #[inline]
                fn encode(&self, bytes: &mut Vec<u8>) {
                    self.re.encode(bytes);
                    self.im.encode(bytes);
                }
            }
        )*};
    }
    complex! { f32 f64 }
}
