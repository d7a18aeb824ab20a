//! The instructions that the limits are written in.

/// A vector register.
///
/// # Safety
/// For all functions: the processor has the instructions, and pointers are valid for `LANES` items.
#[allow(missing_docs, clippy::missing_safety_doc, reason = "the names say it, the trait says what is unsafe")]
pub trait Vector: Copy {
    type Item: Copy + PartialOrd + Send + Sync;
    const LANES: usize;
    const ZERO: Self::Item;

    unsafe fn splat(value: Self::Item) -> Self;
    unsafe fn load(from: *const Self::Item) -> Self;
    unsafe fn store(self, to: *mut Self::Item);
    /// Past the caches; `to` is aligned to the vector.
    unsafe fn stream(self, to: *mut Self::Item);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    /// `self + a * b`.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    /// Each lane added to those above it.
    unsafe fn prefix(self) -> Self;
    /// The last lane in all lanes.
    unsafe fn last(self) -> Self;
}

/// A type with a vector of 512 bits, and in it one of 256.
pub trait Wide: Copy + PartialOrd + Send + Sync + 'static {
    /// The widest vector.
    type Vector: Vector<Item = Self> + Narrow<Item = Self>;
    /// The bits, to leave in an atomic.
    fn to_bits(self) -> u64;
    /// The number with these bits.
    fn from_bits(bits: u64) -> Self;
}

/// The half of a wide vector.
pub trait Narrow {
    /// Its lanes.
    type Item;
    /// The vector of 256 bits.
    type Vector: Vector<Item = Self::Item>;
}

#[cfg(target_arch = "x86_64")]
#[allow(clippy::wildcard_imports, reason = "a table of intrinsics")]
mod x86 {
    use super::{Narrow, Vector, Wide};
    use core::arch::x86_64::*;

    /// All operations except the two for scans, by the names of the intrinsics; `$mul`, `$fma` and so on as given.
    macro_rules! vector {
        ($name:ident, $item:ty, $lanes:literal, $zero:literal, $pointer:ty,
         $splat:ident $load:ident $store:ident $stream:ident $add:ident $sub:ident $mul:ident
         $min:ident $max:ident $or:ident,
         |$acc:ident, $a:ident, $b:ident| $fma:expr, |$v:ident| $prefix:expr, |$w:ident| $last:expr) => {
            // The bodies are intrinsics of the instruction set that the processor has by the contract.
            #[allow(
                clippy::undocumented_unsafe_blocks,
                reason = "the trait's promise is passed on, line by line"
            )]
            impl Vector for $name {
                type Item = $item;
                const LANES: usize = $lanes;
                const ZERO: $item = $zero;
                #[inline(always)]
                unsafe fn splat(value: $item) -> Self {
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $item) -> Self {
                    unsafe { $load(from.cast::<$pointer>()) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $item) {
                    unsafe { $store(to.cast::<$pointer>(), self) }
                }
                #[inline(always)]
                unsafe fn stream(self, to: *mut $item) {
                    unsafe { $stream(to.cast::<$pointer>(), self) }
                }
                #[inline(always)]
                unsafe fn add(self, other: Self) -> Self {
                    unsafe { $add(self, other) }
                }
                #[inline(always)]
                unsafe fn sub(self, other: Self) -> Self {
                    unsafe { $sub(self, other) }
                }
                #[inline(always)]
                unsafe fn mul(self, other: Self) -> Self {
                    unsafe { $mul(self, other) }
                }
                #[inline(always)]
                unsafe fn plus_product(self, $a: Self, $b: Self) -> Self {
                    let $acc = self;
                    unsafe { $fma }
                }
                #[inline(always)]
                unsafe fn min(self, other: Self) -> Self {
                    unsafe { $min(self, other) }
                }
                #[inline(always)]
                unsafe fn max(self, other: Self) -> Self {
                    unsafe { $max(self, other) }
                }
                #[inline(always)]
                unsafe fn or(self, other: Self) -> Self {
                    unsafe { $or(self, other) }
                }
                #[inline(always)]
                unsafe fn prefix(self) -> Self {
                    let $v = self;
                    unsafe { $prefix }
                }
                #[inline(always)]
                unsafe fn last(self) -> Self {
                    let $w = self;
                    unsafe { $last }
                }
            }
        };
    }

    /// Lanes moved up by a constant number, zeros below.
    macro_rules! up {
        (64, $v:expr, $by:literal) => {
            _mm512_alignr_epi64::<{ 8 - $by }>($v, _mm512_setzero_si512())
        };
        (32, $v:expr, $by:literal) => {
            _mm512_alignr_epi32::<{ 16 - $by }>($v, _mm512_setzero_si512())
        };
    }

    vector!(__m512d, f64, 8, 0.0, f64,
        _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
        _mm512_min_pd _mm512_max_pd _mm512_or_pd,
        |acc, a, b| _mm512_fmadd_pd(a, b, acc),
        |v| {
            let v = _mm512_add_pd(v, _mm512_castsi512_pd(up!(64, _mm512_castpd_si512(v), 1)));
            let v = _mm512_add_pd(v, _mm512_castsi512_pd(up!(64, _mm512_castpd_si512(v), 2)));
            _mm512_add_pd(v, _mm512_castsi512_pd(up!(64, _mm512_castpd_si512(v), 4)))
        },
        |v| _mm512_permutexvar_pd(_mm512_set1_epi64(7), v));

    vector!(__m512, f32, 16, 0.0, f32,
        _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
        _mm512_min_ps _mm512_max_ps _mm512_or_ps,
        |acc, a, b| _mm512_fmadd_ps(a, b, acc),
        |v| {
            let v = _mm512_add_ps(v, _mm512_castsi512_ps(up!(32, _mm512_castps_si512(v), 1)));
            let v = _mm512_add_ps(v, _mm512_castsi512_ps(up!(32, _mm512_castps_si512(v), 2)));
            let v = _mm512_add_ps(v, _mm512_castsi512_ps(up!(32, _mm512_castps_si512(v), 4)));
            _mm512_add_ps(v, _mm512_castsi512_ps(up!(32, _mm512_castps_si512(v), 8)))
        },
        |v| _mm512_permutexvar_ps(_mm512_set1_epi32(15), v));

    vector!(__m512i, i64, 8, 0, __m512i,
        _mm512_set1_epi64 _mm512_loadu_si512 _mm512_storeu_si512 _mm512_stream_si512 _mm512_add_epi64
        _mm512_sub_epi64 _mm512_mullo_epi64 _mm512_min_epi64 _mm512_max_epi64 _mm512_or_si512,
        |acc, a, b| _mm512_add_epi64(acc, _mm512_mullo_epi64(a, b)),
        |v| {
            let v = _mm512_add_epi64(v, up!(64, v, 1));
            let v = _mm512_add_epi64(v, up!(64, v, 2));
            _mm512_add_epi64(v, up!(64, v, 4))
        },
        |v| _mm512_permutexvar_epi64(_mm512_set1_epi64(7), v));

    vector!(__m256d, f64, 4, 0.0, f64,
        _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd
        _mm256_min_pd _mm256_max_pd _mm256_or_pd,
        |acc, a, b| _mm256_fmadd_pd(a, b, acc),
        |v| {
            let one = _mm256_permute4x64_pd::<0b10_01_00_00>(v);
            let v = _mm256_add_pd(v, _mm256_blend_pd::<1>(one, _mm256_setzero_pd()));
            _mm256_add_pd(v, _mm256_permute2f128_pd::<0x08>(v, v))
        },
        |v| _mm256_permute4x64_pd::<0xFF>(v));

    vector!(__m256, f32, 8, 0.0, f32,
        _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
        _mm256_min_ps _mm256_max_ps _mm256_or_ps,
        |acc, a, b| _mm256_fmadd_ps(a, b, acc),
        |v| {
            let bits = _mm256_castps_si256(v);
            let v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256::<4>(bits)));
            let bits = _mm256_castps_si256(v);
            let v = _mm256_add_ps(v, _mm256_castsi256_ps(_mm256_slli_si256::<8>(bits)));
            let low = _mm256_permute2f128_ps::<0x08>(v, v);
            _mm256_add_ps(v, _mm256_permute_ps::<0xFF>(low))
        },
        |v| _mm256_permutevar8x32_ps(v, _mm256_set1_epi32(7)));

    /// AVX2 has neither minimum nor product of 64-bit integers; no case takes them.
    #[inline(always)]
    unsafe fn absent(_: __m256i, _: __m256i) -> __m256i {
        unreachable!("no limit takes minima or products of 64-bit integers")
    }

    vector!(__m256i, i64, 4, 0, __m256i,
        _mm256_set1_epi64x _mm256_loadu_si256 _mm256_storeu_si256 _mm256_stream_si256 _mm256_add_epi64
        _mm256_sub_epi64 absent absent absent _mm256_or_si256,
        |acc, a, b| { let _ = acc; absent(a, b) },
        |v| {
            let one = _mm256_permute4x64_epi64::<0b10_01_00_00>(v);
            let v = _mm256_add_epi64(v, _mm256_blend_epi32::<3>(one, _mm256_setzero_si256()));
            _mm256_add_epi64(v, _mm256_permute2x128_si256::<0x08>(v, v))
        },
        |v| _mm256_permute4x64_epi64::<0xFF>(v));

    macro_rules! widths {
        ($($item:ident $bits:ident $wide:ident $narrow:ident;)*) => {$(
            impl Wide for $item {
                type Vector = $wide;
                #[inline(always)]
                fn to_bits(self) -> u64 {
                    u64::from($bits::from_ne_bytes(self.to_ne_bytes()))
                }
                #[inline(always)]
                fn from_bits(bits: u64) -> Self {
                    Self::from_ne_bytes((bits as $bits).to_ne_bytes())
                }
            }
            impl Narrow for $wide {
                type Item = $item;
                type Vector = $narrow;
            }
        )*};
    }
    widths! { f64 u64 __m512d __m256d; f32 u32 __m512 __m256; i64 u64 __m512i __m256i; }
}

#[cfg(not(target_arch = "x86_64"))]
mod single {
    use super::{Narrow, Vector, Wide};

    /// One lane: it lets the program compile here, where no `Level` exists that would run it.
    #[derive(Clone, Copy, Debug)]
    pub struct Lane<T>(T);

    macro_rules! lanes {
        ($($item:ident $zero:literal |$a:ident, $b:ident| $or:expr;)*) => {$(
            #[allow(clippy::undocumented_unsafe_blocks, reason = "the trait's promise is passed on, line by line")]
            impl Vector for Lane<$item> {
                type Item = $item;
                const LANES: usize = 1;
                const ZERO: $item = $zero;
                unsafe fn splat(value: $item) -> Self { Self(value) }
                unsafe fn load(from: *const $item) -> Self { Self(unsafe { *from }) }
                unsafe fn store(self, to: *mut $item) { unsafe { *to = self.0 } }
                unsafe fn stream(self, to: *mut $item) { unsafe { *to = self.0 } }
                unsafe fn add(self, other: Self) -> Self { Self(self.0 + other.0) }
                unsafe fn sub(self, other: Self) -> Self { Self(self.0 - other.0) }
                unsafe fn mul(self, other: Self) -> Self { Self(self.0 * other.0) }
                unsafe fn plus_product(self, a: Self, b: Self) -> Self { Self(self.0 + a.0 * b.0) }
                unsafe fn min(self, other: Self) -> Self { Self(self.0.min(other.0)) }
                unsafe fn max(self, other: Self) -> Self { Self(self.0.max(other.0)) }
                unsafe fn or(self, other: Self) -> Self { let ($a, $b) = (self.0, other.0); Self($or) }
                unsafe fn prefix(self) -> Self { self }
                unsafe fn last(self) -> Self { self }
            }
            impl Wide for $item {
                type Vector = Lane<$item>;
                fn to_bits(self) -> u64 { self as u64 }
                fn from_bits(bits: u64) -> Self { bits as $item }
            }
            impl Narrow for Lane<$item> {
                type Item = $item;
                type Vector = Self;
            }
        )*};
    }
    lanes! {
        f64 0.0 |a, b| f64::from_bits(a.to_bits() | b.to_bits());
        f32 0.0 |a, b| f32::from_bits(a.to_bits() | b.to_bits());
        i64 0 |a, b| a | b;
    }
}
