//! NaN: ignored by minima and maxima, in every position, wherever it comes from.

use spelt_reducers::*;

use crate::bits::Bits;
use crate::check::{folded, joined};

/// Both signs, signalling, and with a payload. Unit: bits of an f64. Source: IEEE 754.
const NANS: [u64; 4] =
    [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff8_0000_dead_beef];

#[test]
fn any_number_replaces_nan_in_a_join() {
    for nan in NANS.map(f64::from_bits) {
        for x in [1.0, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
            for [a, b] in [[nan, x], [x, nan]] {
                assert_eq!(joined(&Min::<f64>::new(), &a, &b).bits(), x.bits());
                assert_eq!(joined(&Max::<f64>::new(), &a, &b).bits(), x.bits());
                let both = |x| MinMaxValue { min_val: x, max_val: x };
                assert_eq!(joined(&MinMax::<f64>::new(), &both(a), &both(b)).bits(), both(x).bits());
            }
            // The NaN has the smaller location and still loses.
            for [a, b] in [[(nan, 0), (x, 1)], [(x, 1), (nan, 0)]] {
                let value = |(val, loc)| MinLocValue { val, loc };
                assert_eq!(joined(&MinLoc::<f64>::new(), &value(a), &value(b)).bits(), (x, 1_usize).bits());
                let value = |(val, loc)| MaxLocValue { val, loc };
                assert_eq!(joined(&MaxLoc::<f64>::new(), &value(a), &value(b)).bits(), (x, 1_usize).bits());
                let value = |(x, i)| MinMaxLocValue { min_val: x, max_val: x, min_loc: i, max_loc: i };
                let kept = joined(&MinMaxLoc::<f64>::new(), &value(a), &value(b));
                assert_eq!(kept.bits(), value((x, 1)).bits());
                let value =
                    |(x, i)| MinMaxFirstLastLocValue { min_val: x, max_val: x, min_loc: i, max_loc: i };
                let kept = joined(&MinMaxFirstLastLoc::<f64>::new(), &value(a), &value(b));
                assert_eq!(kept.bits(), value((x, 1)).bits());
            }
        }
    }
}

#[test]
fn updates_ignore_nan() {
    for nan in NANS.map(f64::from_bits) {
        macro_rules! ignored {
            ($($name:ident)*) => {$({
                let mut value = $name::<f64>::new().init();
                value.update(nan, 0);
                assert_eq!(value.bits(), $name::<f64>::new().init().bits());
                value.update(3.0, 1);
                let before = value;
                value.update(nan, 0);
                value.update(nan, 2);
                assert_eq!(value.bits(), before.bits());
            })*};
        }
        ignored! { MinLoc MaxLoc MinMaxLoc MinMaxFirstLastLoc }

        let mut ends = MinMax::<f64>::new().init();
        ends.update(nan);
        assert_eq!(ends.bits(), MinMax::<f64>::new().init().bits());
        ends.update(2.0);
        ends.update(nan);
        assert_eq!(ends.bits(), [2.0, 2.0].bits());
    }
}

#[test]
fn all_nan_gives_the_identity() {
    let all = NANS.map(f64::from_bits);
    assert_eq!(folded(&Min::<f64>::new(), &all), f64::INFINITY);
    assert_eq!(folded(&Max::<f64>::new(), &all), f64::NEG_INFINITY);
    assert_eq!(folded(&Max::<f32>::new(), &[f32::NAN; 3]), f32::NEG_INFINITY);
}

#[test]
fn among_nans_the_smaller_location_stays() {
    let value = |i: usize| MinLocValue { val: f64::from_bits(NANS[i]), loc: i };
    let kept = joined(&MinLoc::<f64>::new(), &value(2), &value(1));
    assert_eq!(kept.bits(), value(1).bits());
    let kept = joined(&MinLoc::<f64>::new(), &value(1), &value(2));
    assert_eq!(kept.bits(), value(1).bits());
}

#[cfg(feature = "half")]
#[test]
fn halves_ignore_nan_too() {
    use half::{bf16, f16};
    let one = f16::from_f32(1.0);
    assert_eq!(folded(&Min::<f16>::new(), &[f16::NAN, one, f16::NAN]), one);
    let one = bf16::from_f32(1.0);
    assert_eq!(joined(&Max::<bf16>::new(), &bf16::NAN, &one), one);
}
