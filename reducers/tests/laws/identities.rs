//! The identities, type by type, and that they are neutral: the table of Kokkos's `reduction_identity`.

use core::num::Wrapping;

use proptest::prelude::*;
use spelt_reducers::*;

use crate::bits::{Bits, any_float, any_number};
use crate::check::neutral;

macro_rules! integer_tables {
    ($($int:ident)*) => {$(
        #[test]
        fn $int() {
            assert_eq!(Sum::<$int>::new().init(), 0);
            assert_eq!(Sum::<Wrapping<$int>>::new().init(), Wrapping(0));
            assert_eq!(Prod::<$int>::new().init(), 1);
            assert_eq!(Prod::<Wrapping<$int>>::new().init(), Wrapping(1));
            assert_eq!(Min::<$int>::new().init(), $int::MAX);
            assert_eq!(Max::<$int>::new().init(), $int::MIN);
            // Kokkos 5.0 had another value here (kokkos#8715).
            assert_eq!(BAnd::<$int>::new().init().count_zeros(), 0);
            assert_eq!(BOr::<$int>::new().init().count_ones(), 0);
            assert_eq!(LAnd::<$int>::new().init(), 1);
            assert_eq!(LOr::<$int>::new().init(), 0);
            let MinMaxLocValue { min_val, max_val, min_loc, max_loc } = MinMaxLoc::<$int, $int>::new().init();
            assert_eq!((min_val, max_val, min_loc, max_loc), ($int::MAX, $int::MIN, $int::MAX, $int::MAX));
            let first_last = MinMaxFirstLastLoc::<$int, $int>::new().init();
            assert_eq!((first_last.min_loc, first_last.max_loc), ($int::MAX, $int::MIN));
            assert_eq!(FirstLoc::<$int>::new().init().min_loc_true, $int::MAX);
            assert_eq!(LastLoc::<$int>::new().init().max_loc_true, $int::MIN);
        }
    )*};
}

integer_tables! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

#[test]
fn floats() {
    assert_eq!(Sum::<f64>::new().init().bits(), 0.0_f64.bits());
    assert_eq!(Prod::<f64>::new().init().bits(), 1.0_f64.bits());
    assert_eq!(Min::<f64>::new().init(), f64::INFINITY);
    assert_eq!(Max::<f64>::new().init(), f64::NEG_INFINITY);
    assert_eq!(Min::<f32>::new().init(), f32::INFINITY);
    assert_eq!(Max::<f32>::new().init(), f32::NEG_INFINITY);
}

#[test]
fn bool_and_char() {
    assert!(LAnd::<bool>::new().init());
    assert!(!LOr::<bool>::new().init());
    assert!(BAnd::<bool>::new().init());
    assert!(!BOr::<bool>::new().init());
    assert!(Min::<bool>::new().init());
    assert!(!Max::<bool>::new().init());
    assert_eq!(Min::<char>::new().init(), char::MAX);
    assert_eq!(Max::<char>::new().init(), '\0');
}

#[test]
fn compound_elements() {
    assert_eq!(Sum::<[f64; 2]>::new().init(), [0.0, 0.0]);
    assert_eq!(Prod::<(i32, f32)>::new().init(), (1, 1.0));
    let max: (u8, [i32; 2], usize) = Location::MAX;
    assert_eq!(max, (255, [i32::MAX; 2], usize::MAX));
    let min: (u8, [i32; 2], usize) = Location::MIN;
    assert_eq!(min, (0, [i32::MIN; 2], 0));
}

#[cfg(feature = "half")]
#[test]
fn halves() {
    use half::{bf16, f16};
    assert_eq!(Min::<f16>::new().init(), f16::INFINITY);
    assert_eq!(Max::<bf16>::new().init(), bf16::NEG_INFINITY);
    assert_eq!(Sum::<f16>::new().init(), f16::from_f32(0.0));
    assert_eq!(Prod::<bf16>::new().init(), bf16::from_f32(1.0));
}

#[cfg(feature = "num-complex")]
#[test]
fn complex_numbers() {
    use num_complex::Complex;
    assert_eq!(Sum::<Complex<f64>>::new().init(), Complex::new(0.0, 0.0));
    assert_eq!(Prod::<Complex<f32>>::new().init(), Complex::new(1.0, 0.0));
}

/// As the documentation of `Sum` says, its identity is not neutral to the last bit.
#[test]
fn a_sum_of_negative_zero_is_zero() {
    assert_eq!(crate::check::folded(&Sum::<f64>::new(), &[-0.0]).bits(), 0.0_f64.bits());
}

proptest! {
    #[test]
    fn neutral_for_integers(x: i64, y: u8) {
        neutral(&Sum::<i64>::new(), &x);
        neutral(&Prod::<i64>::new(), &x);
        neutral(&Min::<i64>::new(), &x);
        neutral(&Max::<i64>::new(), &x);
        neutral(&BAnd::<i64>::new(), &x);
        neutral(&BOr::<i64>::new(), &x);
        neutral(&Min::<u8>::new(), &y);
        neutral(&Max::<u8>::new(), &y);
        neutral(&BAnd::<u8>::new(), &y);
        neutral(&LAnd::<u8>::new(), &(y & 1));
        neutral(&LOr::<u8>::new(), &(y & 1));
    }

    #[test]
    fn neutral_for_floats(x in any_number(), y in any_number(), i: usize, j: usize) {
        prop_assume!(x.to_bits() != (-0.0_f64).to_bits());
        neutral(&Sum::<f64>::new(), &x);
        neutral(&Prod::<f64>::new(), &x);
        neutral(&Min::<f64>::new(), &x);
        neutral(&Max::<f64>::new(), &x);
        neutral(&MinMax::<f64>::new(), &MinMaxValue { min_val: x, max_val: y });
        neutral(&MinLoc::<f64>::new(), &MinLocValue { val: x, loc: i });
        neutral(&MaxLoc::<f64>::new(), &MaxLocValue { val: x, loc: i });
        let both = MinMaxLocValue { min_val: x, max_val: y, min_loc: i, max_loc: j };
        neutral(&MinMaxLoc::<f64>::new(), &both);
        let both = MinMaxFirstLastLocValue { min_val: x, max_val: y, min_loc: i, max_loc: j };
        neutral(&MinMaxFirstLastLoc::<f64>::new(), &both);
    }

    #[test]
    fn neutral_for_locations_and_compositions(x in any_float(), i: u32, found: bool) {
        neutral(&FirstLoc::<u32>::new(), &FirstLocValue { min_loc_true: i, found });
        neutral(&LastLoc::<u32>::new(), &LastLocValue { max_loc_true: i, found });
        neutral(&MinBy::new(f64::total_cmp), &Some(x));
        neutral(&MinLocBy::<f64, _, u32>::new(f64::total_cmp), &Some(MinLocValue { val: x, loc: i }));
        neutral(&(Sum::<u32>::new(), Max::<u32>::new()), &(i, i));
        neutral(&Elementwise::<_, 2>::new(Sum::<u32>::new()), &[i, 7]);
        neutral(&Columns::new(Min::<u32>::new(), 2), &vec![i, 7].into());
    }
}
