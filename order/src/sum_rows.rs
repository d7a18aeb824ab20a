//! The joins of whole rows of a scan of sums of `f64`, in registers of 64 bytes.
//!
//! The compiler packs the joins of a row into pairs at best (`row.rs`), as each step joins some of the lanes. Here a step is one addition of eight lanes, which
//! leaves the others as they are by a mask. Two rows go together, so that few instructions wait for the one before.

use crate::canonical::MAX_LANES;

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
        use std::is_x86_feature_detected as has;
        let has_all = has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
        // SAFETY: it has.
        has_all.then(|| unsafe { Self::new() })
    }
}

/// Lanes of a register, and registers of a row.
#[cfg(target_arch = "x86_64")]
const REGISTER: usize = 8;
#[cfg(target_arch = "x86_64")]
const GROUPS: usize = MAX_LANES / REGISTER;

/// Replaces the contributions of `lanes`, whole rows of [`MAX_LANES`], by the values before them; `prefix` is the value before the tile, `rows` that of its rows
/// so far. Returns the value of all rows so far.
#[inline]
pub(crate) fn values_before(
    lanes: &mut [f64],
    prefix: Option<f64>,
    rows: Option<f64>,
    avx512: Avx512,
) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    {
        let Avx512(()) = avx512;
        // SAFETY: the processor has the instructions, as `avx512` says.
        unsafe { before(lanes, prefix, rows) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (lanes, prefix, rows);
        match avx512.0 {}
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn before(lanes: &mut [f64], prefix: Option<f64>, mut rows: Option<f64>) -> Option<f64> {
    let (pairs, rest) = lanes.as_chunks_mut::<{ 2 * MAX_LANES }>();
    for pair in pairs {
        rows = some_before::<2, { 2 * MAX_LANES }, { 2 * GROUPS }>(pair, prefix, rows);
    }
    let (singles, rest) = rest.as_chunks_mut::<MAX_LANES>();
    assert!(rest.is_empty());
    for single in singles {
        rows = some_before::<1, MAX_LANES, GROUPS>(single, prefix, rows);
    }
    rows
}

/// [`before`] for some rows together, of so many lanes and groups in all.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn some_before<const ROWS: usize, const ALL_LANES: usize, const ALL_GROUPS: usize>(
    lanes: &mut [f64; ALL_LANES],
    prefix: Option<f64>,
    mut rows: Option<f64>,
) -> Option<f64> {
    use core::arch::x86_64::{
        __m512d, _mm512_add_pd, _mm512_alignr_epi64, _mm512_castpd_si512, _mm512_castsi512_pd,
        _mm512_cvtsd_f64, _mm512_loadu_pd, _mm512_mask_add_pd, _mm512_movedup_pd, _mm512_permutex_pd,
        _mm512_permutexvar_pd, _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_pd, _mm512_storeu_pd,
    };
    const { assert!(ALL_LANES == ROWS * MAX_LANES && ALL_GROUPS == ROWS * GROUPS) };
    let (third, last) = (_mm512_set1_epi64(3), _mm512_set1_epi64(7));
    let last_of = |group: __m512d| _mm512_permutexvar_pd(last, group);
    let mut groups = [_mm512_setzero_pd(); ALL_GROUPS];
    // The steps of all rows together: see above. The compiler writes these loops out, and the groups are in registers.
    for (number, group) in groups.iter_mut().enumerate() {
        // SAFETY: the groups are within the lanes, as asserted.
        let lanes = unsafe { _mm512_loadu_pd(lanes.as_ptr().add(number * REGISTER)) };
        *group = _mm512_mask_add_pd(lanes, 0b1010_1010, _mm512_movedup_pd(lanes), lanes);
    }
    for group in &mut groups {
        let left = _mm512_permutex_pd::<0b01_01_00_00>(*group);
        *group = _mm512_mask_add_pd(*group, 0b1100_1100, left, *group);
    }
    for group in &mut groups {
        let left = _mm512_permutexvar_pd(third, *group);
        *group = _mm512_mask_add_pd(*group, 0b1111_0000, left, *group);
    }
    for row in 0..ROWS {
        let first = row * GROUPS;
        groups[first + 1] = _mm512_add_pd(last_of(groups[first]), groups[first + 1]);
        groups[first + 3] = _mm512_add_pd(last_of(groups[first + 2]), groups[first + 3]);
    }
    for row in 0..ROWS {
        let first = row * GROUPS;
        let left = last_of(groups[first + 1]);
        groups[first + 2] = _mm512_add_pd(left, groups[first + 2]);
        groups[first + 3] = _mm512_add_pd(left, groups[first + 3]);
    }
    for row in 0..ROWS {
        let base = match (prefix, rows) {
            (Some(prefix), Some(rows)) => Some(prefix + rows),
            (one, other) => one.or(other),
        };
        // Without a value before the row, the first lane begins with the identity of the reducer, and the others are not joined.
        let (start, first_mask, mask) = match base {
            Some(base) => (base, 0b1111_1110, 0b1111_1111),
            None => (0.0, 0, 0),
        };
        let base = _mm512_set1_pd(start);
        let mut left = base;
        for number in 0..GROUPS {
            let group = groups[row * GROUPS + number];
            let before = _mm512_castsi512_pd(_mm512_alignr_epi64::<7>(
                _mm512_castpd_si512(group),
                _mm512_castpd_si512(left),
            ));
            let mask = if number == 0 { first_mask } else { mask };
            let before = _mm512_mask_add_pd(before, mask, base, before);
            // SAFETY: the groups are within the lanes, as asserted.
            unsafe { _mm512_storeu_pd(lanes.as_mut_ptr().add((row * GROUPS + number) * REGISTER), before) };
            left = group;
        }
        let value = _mm512_cvtsd_f64(last_of(left));
        rows = Some(match rows {
            Some(rows) => rows + value,
            None => value,
        });
    }
    rows
}

#[cfg(all(test, target_arch = "x86_64"))]
extern crate std;
