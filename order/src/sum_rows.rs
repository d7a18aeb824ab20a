//! The joins of whole rows of a scan of sums of `f32` or `f64`, in registers of 64 bytes.
//!
//! The compiler packs the joins of a row into pairs at best (`row.rs`), as each step joins some of the lanes. Here a step is one addition of all
//! lanes of a register, which leaves the others as they are by a mask. Eight registers go together, so that few instructions wait for the one before.

use core::ops::Add;

use spelt_reducers::{FloatSums, Reducer};

/// Evidence that the processor has AVX-512: its foundation, and the parts BW, DQ and VL. On other architectures there is none.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(Private);

#[cfg(target_arch = "x86_64")]
type Private = ();
#[cfg(not(target_arch = "x86_64"))]
type Private = core::convert::Infallible;

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// The evidence.
    ///
    /// # Safety
    /// The processor has these instructions.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(())
    }

    /// The evidence, if the processor that runs this test has them.
    #[cfg(test)]
    pub(crate) fn of_this_processor() -> Option<Self> {
        extern crate std;

        use std::is_x86_feature_detected as has;
        let has_all = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        // SAFETY: it has.
        has_all.then(|| unsafe { Self::new() })
    }
}

/// Replaces the contributions of `lanes`, whole rows of [`MAX_LANES`](crate::canonical::MAX_LANES), by the values before them; `prefix` is the
/// value before the tile, `rows` that of its rows so far. Returns the value of all rows so far; `None`, having done nothing, if the reducer does not add
/// numbers of type `T`.
#[inline(always)]
pub(crate) fn values_before<T, R>(
    reducer: &R,
    lanes: &mut [R::Value],
    prefix: Option<&R::Value>,
    rows: Option<&R::Value>,
    avx512: Avx512,
) -> Option<Option<R::Value>>
where
    T: Float,
    R: Reducer,
    R::Value: Clone,
{
    let number = |value: Option<&R::Value>| {
        let mut value = value.cloned();
        T::of(reducer, value.as_mut_slice()).and_then(|numbers| numbers.first().copied())
    };
    let (prefix, rows) = (number(prefix), number(rows));
    let all = T::values_before(T::of(reducer, lanes)?, prefix, rows, avx512);
    let mut value = all.map(|_| reducer.init());
    if let (Some(numbers), Some(all)) = (T::of(reducer, value.as_mut_slice()), all) {
        numbers.fill(all);
    }
    Some(value)
}

/// A type of numbers whose sums are joined here.
pub(crate) trait Float: Copy + Add<Output = Self> {
    /// The values as numbers of this type, if the reducer adds such.
    fn of<'v, R: Reducer>(reducer: &R, values: &'v mut [R::Value]) -> Option<&'v mut [Self]>;

    /// [`values_before`] for these numbers.
    fn values_before(
        lanes: &mut [Self],
        prefix: Option<Self>,
        rows: Option<Self>,
        avx512: Avx512,
    ) -> Option<Self>;
}

macro_rules! float {
    ($float:ident, $sums:ident, $module:ident) => {
        impl Float for $float {
            #[inline(always)]
            fn of<'v, R: Reducer>(reducer: &R, values: &'v mut [R::Value]) -> Option<&'v mut [Self]> {
                match reducer.float_sums(values) {
                    FloatSums::$sums(values) => Some(values),
                    _ => None,
                }
            }

            #[inline(always)]
            fn values_before(
                lanes: &mut [Self],
                prefix: Option<Self>,
                rows: Option<Self>,
                avx512: Avx512,
            ) -> Option<Self> {
                #[cfg(target_arch = "x86_64")]
                {
                    let Avx512(()) = avx512;
                    // SAFETY: the processor has the instructions, as `avx512` says.
                    unsafe { $module::values_before(lanes, prefix, rows) }
                }
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let _ = (lanes, prefix, rows);
                    match avx512.0 {}
                }
            }
        }
    };
}

float!(f32, F32, of_f32);
float!(f64, F64, of_f64);

/// The functions for numbers of one type.
///
/// `steps`: of each step within a register, the lanes that join, and the value that each of them joins to, on the left.
#[cfg(target_arch = "x86_64")]
macro_rules! joins {
    (
        mod $module:ident of $float:ident in $vector:ident, $register:literal lanes, $rows:literal rows together;
        let $indices:pat = $made:expr;
        steps $lanes:ident: $($mask:literal $left:expr),+;
        last $last:expr;
        shift $group:ident $before:ident $shifted:expr;
        $add:ident $mask_add:ident $set1:ident $load:ident $store:ident $first:ident
    ) => {
        mod $module {
            use core::arch::x86_64::*;

            use crate::canonical::MAX_LANES;
            use crate::opaque::opaque;

            const REGISTER: usize = $register;
            const GROUPS: usize = MAX_LANES / REGISTER;
            /// Rows that go together.
            const TOGETHER: usize = $rows;

            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            #[inline]
            pub(super) fn values_before(
                lanes: &mut [$float],
                prefix: Option<$float>,
                mut rows: Option<$float>,
            ) -> Option<$float> {
                let (all, rest) = lanes.as_chunks_mut::<{ TOGETHER * MAX_LANES }>();
                for lanes in all {
                    rows = some_before::<TOGETHER, { TOGETHER * MAX_LANES }, { TOGETHER * GROUPS }>(
                        lanes, prefix, rows,
                    );
                }
                let (singles, rest) = rest.as_chunks_mut::<MAX_LANES>();
                assert!(rest.is_empty());
                for lanes in singles {
                    rows = some_before::<1, MAX_LANES, GROUPS>(lanes, prefix, rows);
                }
                rows
            }

            /// [`values_before`] for some rows together, of so many lanes and registers in all.
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            #[inline]
            fn some_before<const ROWS: usize, const ALL_LANES: usize, const ALL_GROUPS: usize>(
                lanes: &mut [$float; ALL_LANES],
                prefix: Option<$float>,
                mut rows: Option<$float>,
            ) -> Option<$float> {
                const { assert!(ALL_LANES == ROWS * MAX_LANES && ALL_GROUPS == ROWS * GROUPS) };
                let $indices = $made;
                let last_of = |$group: $vector| $last;
                let mut groups = [$set1(0.0); ALL_GROUPS];
                // The steps of all rows together: see above. The compiler writes these loops out, and the groups are in registers.
                for (number, group) in groups.iter_mut().enumerate() {
                    // SAFETY: the groups are within the lanes, as asserted.
                    *group = unsafe { $load(lanes.as_ptr().add(number * REGISTER)) };
                }
                $(
                    // Of a mask that it knows, the compiler makes a shuffle behind an addition of all lanes.
                    let mask = opaque($mask) as _;
                    for group in &mut groups {
                        let $lanes = *group;
                        *group = $mask_add($lanes, mask, $left, $lanes);
                    }
                )+
                let mut half = 1;
                while half < GROUPS {
                    for block in (0..ALL_GROUPS).step_by(2 * half) {
                        let left = last_of(groups[block + half - 1]);
                        for group in &mut groups[block + half..block + 2 * half] {
                            *group = $add(left, *group);
                        }
                    }
                    half *= 2;
                }
                for row in 0..ROWS {
                    let base = match (prefix, rows) {
                        (Some(prefix), Some(rows)) => Some(prefix + rows),
                        (one, other) => one.or(other),
                    };
                    // Without a value before the row, the first lane begins with the identity of the reducer, and the others are not joined.
                    let (start, first_mask, mask) = match base {
                        Some(base) => (base, !1, !0),
                        None => (0.0, 0, 0),
                    };
                    let base = $set1(start);
                    let mut $before = base;
                    for number in 0..GROUPS {
                        let $group = groups[row * GROUPS + number];
                        let shifted = $shifted;
                        let mask = if number == 0 { first_mask } else { mask };
                        let values = $mask_add(shifted, mask, base, shifted);
                        // SAFETY: the groups are within the lanes, as asserted.
                        unsafe { $store(lanes.as_mut_ptr().add((row * GROUPS + number) * REGISTER), values) };
                        $before = $group;
                    }
                    let value = $first(last_of($before));
                    rows = Some(match rows {
                        Some(rows) => rows + value,
                        None => value,
                    });
                }
                rows
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
joins! {
    mod of_f64 of f64 in __m512d, 8 lanes, 2 rows together;
    let (third, last) = (_mm512_set1_epi64(3), _mm512_set1_epi64(7));
    steps lanes:
        0b1010_1010 _mm512_movedup_pd(lanes),
        0b1100_1100 _mm512_permutex_pd::<0b01_01_00_00>(lanes),
        0b1111_0000 _mm512_permutexvar_pd(third, lanes);
    last _mm512_permutexvar_pd(last, group);
    shift group before _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(
        _mm512_castpd_si512(group),
        _mm512_castpd_si512(before),
    ));
    _mm512_add_pd _mm512_mask_add_pd _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_cvtsd_f64
}

#[cfg(target_arch = "x86_64")]
joins! {
    mod of_f32 of f32 in __m512, 16 lanes, 4 rows together;
    let (threes, seventh, last) = (
        _mm512_setr_epi32(3, 3, 3, 3, 3, 3, 3, 3, 11, 11, 11, 11, 11, 11, 11, 11),
        _mm512_set1_epi32(7),
        _mm512_set1_epi32(15),
    );
    steps lanes:
        0b1010_1010_1010_1010 _mm512_moveldup_ps(lanes),
        0b1100_1100_1100_1100 _mm512_permute_ps::<0b01_01_00_00>(lanes),
        0b1111_0000_1111_0000 _mm512_permutexvar_ps(threes, lanes),
        0b1111_1111_0000_0000 _mm512_permutexvar_ps(seventh, lanes);
    last _mm512_permutexvar_ps(last, group);
    shift group before _mm512_castsi512_ps(_mm512_alignr_epi32::<15>(
        _mm512_castps_si512(group),
        _mm512_castps_si512(before),
    ));
    _mm512_add_ps _mm512_mask_add_ps _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_cvtss_f32
}
