//! C's mathematical functions for a device, which has no library for them.
//!
//! Methods of `f32` and `f64` call these functions by C's names, or through intrinsics that become such calls; the device
//! linker sends both here. The code is the crate `libm`'s: unlike `spelt::math`, it may differ from the host's library in
//! the last place.

macro_rules! functions {
    ($($name:ident = $function:ident($($argument:ident),+): $type:ty;)*) => {$(
        #[doc = concat!("C's `", stringify!($function), "`.")]
        // SAFETY: the prefix `__spelt_` makes the name unique.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $type),+) -> $type {
            libm::$function($($argument),+)
        }
    )*};
}

functions! {
    __spelt_math_acos = acos(x): f64;
    __spelt_math_asin = asin(x): f64;
    __spelt_math_atan = atan(x): f64;
    __spelt_math_atan2 = atan2(y, x): f64;
    __spelt_math_cbrt = cbrt(x): f64;
    __spelt_math_cos = cos(x): f64;
    __spelt_math_cosh = cosh(x): f64;
    __spelt_math_erf = erf(x): f64;
    __spelt_math_erfc = erfc(x): f64;
    __spelt_math_exp = exp(x): f64;
    __spelt_math_exp2 = exp2(x): f64;
    __spelt_math_exp10 = exp10(x): f64;
    __spelt_math_expm1 = expm1(x): f64;
    __spelt_math_fdim = fdim(x, y): f64;
    __spelt_math_fmod = fmod(x, y): f64;
    __spelt_math_hypot = hypot(x, y): f64;
    __spelt_math_log = log(x): f64;
    __spelt_math_log10 = log10(x): f64;
    __spelt_math_log1p = log1p(x): f64;
    __spelt_math_log2 = log2(x): f64;
    __spelt_math_pow = pow(x, y): f64;
    __spelt_math_sin = sin(x): f64;
    __spelt_math_sinh = sinh(x): f64;
    __spelt_math_tan = tan(x): f64;
    __spelt_math_tanh = tanh(x): f64;
    __spelt_math_tgamma = tgamma(x): f64;

    __spelt_math_acosf = acosf(x): f32;
    __spelt_math_asinf = asinf(x): f32;
    __spelt_math_atanf = atanf(x): f32;
    __spelt_math_atan2f = atan2f(y, x): f32;
    __spelt_math_cbrtf = cbrtf(x): f32;
    __spelt_math_cosf = cosf(x): f32;
    __spelt_math_coshf = coshf(x): f32;
    __spelt_math_erff = erff(x): f32;
    __spelt_math_erfcf = erfcf(x): f32;
    __spelt_math_expf = expf(x): f32;
    __spelt_math_exp2f = exp2f(x): f32;
    __spelt_math_exp10f = exp10f(x): f32;
    __spelt_math_expm1f = expm1f(x): f32;
    __spelt_math_fdimf = fdimf(x, y): f32;
    __spelt_math_fmodf = fmodf(x, y): f32;
    __spelt_math_hypotf = hypotf(x, y): f32;
    __spelt_math_logf = logf(x): f32;
    __spelt_math_log10f = log10f(x): f32;
    __spelt_math_log1pf = log1pf(x): f32;
    __spelt_math_log2f = log2f(x): f32;
    __spelt_math_powf = powf(x, y): f32;
    __spelt_math_sinf = sinf(x): f32;
    __spelt_math_sinhf = sinhf(x): f32;
    __spelt_math_tanf = tanf(x): f32;
    __spelt_math_tanhf = tanhf(x): f32;
    __spelt_math_tgammaf = tgammaf(x): f32;
}

/// C's `lgamma_r`: the logarithm of the gamma function, and its sign in `sign`.
///
/// # Safety
/// `sign` may be written.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spelt_math_lgamma_r(x: f64, sign: *mut i32) -> f64 {
    let (result, its_sign) = libm::lgamma_r(x);
    // SAFETY: `sign` may be written, as C's `lgamma_r` also requires.
    unsafe { sign.write(its_sign) };
    result
}

/// C's `lgammaf_r`: [`__spelt_math_lgamma_r`] for `f32`.
///
/// # Safety
/// `sign` may be written.
// SAFETY: the prefix `__spelt_` makes the name unique.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __spelt_math_lgammaf_r(x: f32, sign: *mut i32) -> f32 {
    let (result, its_sign) = libm::lgammaf_r(x);
    // SAFETY: `sign` may be written, as C's `lgammaf_r` also requires.
    unsafe { sign.write(its_sign) };
    result
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    /// Each function matches its name: its results are near those of the host's library.
    #[test]
    fn functions_are_those_of_their_names() {
        type One = (extern "C" fn(f64) -> f64, extern "C" fn(f32) -> f32, fn(f64) -> f64);
        type Two = (extern "C" fn(f64, f64) -> f64, extern "C" fn(f32, f32) -> f32, fn(f64, f64) -> f64);
        let one: [One; 20] = [
            (__spelt_math_acos, __spelt_math_acosf, f64::acos),
            (__spelt_math_asin, __spelt_math_asinf, f64::asin),
            (__spelt_math_atan, __spelt_math_atanf, f64::atan),
            (__spelt_math_cbrt, __spelt_math_cbrtf, f64::cbrt),
            (__spelt_math_cos, __spelt_math_cosf, f64::cos),
            (__spelt_math_cosh, __spelt_math_coshf, f64::cosh),
            (__spelt_math_exp, __spelt_math_expf, f64::exp),
            (__spelt_math_exp2, __spelt_math_exp2f, f64::exp2),
            (__spelt_math_exp10, __spelt_math_exp10f, |x| 10.0_f64.powf(x)),
            (__spelt_math_expm1, __spelt_math_expm1f, f64::exp_m1),
            (__spelt_math_log, __spelt_math_logf, f64::ln),
            (__spelt_math_log10, __spelt_math_log10f, f64::log10),
            (__spelt_math_log1p, __spelt_math_log1pf, f64::ln_1p),
            (__spelt_math_log2, __spelt_math_log2f, f64::log2),
            (__spelt_math_sin, __spelt_math_sinf, f64::sin),
            (__spelt_math_sinh, __spelt_math_sinhf, f64::sinh),
            (__spelt_math_tan, __spelt_math_tanf, f64::tan),
            (__spelt_math_tanh, __spelt_math_tanhf, f64::tanh),
            // Abramowitz and Stegun, tables 7.1 and 6.1.
            (__spelt_math_erf, __spelt_math_erff, |x| {
                if x == 0.5 { 0.520_499_877_813_046_5 } else { libm::erf(x) }
            }),
            (__spelt_math_tgamma, __spelt_math_tgammaf, |x| {
                if x == 0.5 { 1.772_453_850_905_516 } else { libm::tgamma(x) }
            }),
        ];
        for (number, (double, single, host)) in one.into_iter().enumerate() {
            for x in [0.5_f64, 0.125, 0.8125] {
                near(number, double(x), host(x), 1e-14);
                near(number, single(x as f32) as f64, host(x), 1e-6);
            }
        }
        let two: [Two; 5] = [
            (__spelt_math_atan2, __spelt_math_atan2f, f64::atan2),
            (__spelt_math_fdim, __spelt_math_fdimf, |x, y| (x - y).max(0.0)),
            (__spelt_math_fmod, __spelt_math_fmodf, |x, y| x % y),
            (__spelt_math_hypot, __spelt_math_hypotf, f64::hypot),
            (__spelt_math_pow, __spelt_math_powf, f64::powf),
        ];
        for (number, (double, single, host)) in two.into_iter().enumerate() {
            for (x, y) in [(2.5_f64, 0.75_f64), (0.75, 2.5)] {
                near(number, double(x, y), host(x, y), 1e-14);
                near(number, single(x as f32, y as f32) as f64, host(x, y), 1e-6);
            }
        }
        near(0, __spelt_math_erfc(0.5), 1.0 - __spelt_math_erf(0.5), 1e-14);
        near(0, __spelt_math_erfcf(0.5) as f64, 1.0 - __spelt_math_erf(0.5), 1e-6);
    }

    #[test]
    fn the_sign_of_gamma_goes_to_the_pointer() {
        let (mut sign, mut single_sign) = (0, 0);
        // SAFETY: both signs are local variables.
        let (double, single) = unsafe {
            (__spelt_math_lgamma_r(-0.5, &mut sign), __spelt_math_lgammaf_r(-0.5, &mut single_sign))
        };
        // Gamma(-1/2) is -2 sqrt(pi).
        let expected = (2.0 * core::f64::consts::PI.sqrt()).ln();
        near(0, double, expected, 1e-14);
        near(0, single as f64, expected, 1e-6);
        assert_eq!((sign, single_sign), (-1, -1));
    }

    #[track_caller]
    fn near(number: usize, found: f64, expected: f64, bound: f64) {
        assert!(
            (found - expected).abs() <= bound * expected.abs(),
            "{number}: {found} instead of {expected}"
        );
    }
}
