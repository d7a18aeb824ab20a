//! Numbers as C prints them.

#[path = "../../examples/common/numbers.rs"]
mod common;

use crate::c_random::CRandom;
use common::{general, scientific, with_digits};

#[test]
fn random_numbers_are_those_of_c() {
    // From `srand` and `rand` of glibc 2.36.
    for (seed, wanted) in [
        (12_345, [383_100_999, 858_300_821, 357_768_173, 455_528_251]),
        (0, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]),
        (0x7FFF_FFFF, [1_065_668_062, 2_142_264_300, 1_066_566_375, 1_064_012_770]),
    ] {
        let mut random = CRandom::new(seed);
        assert_eq!(wanted.map(|_| random.next()), wanted, "seed {seed}");
    }
    assert_eq!(CRandom::new(12_345).fraction(), 383_100_999.0 / 2_147_483_647.0);
}

#[test]
fn numbers_print_as_in_c() {
    // From `printf("%g")`.
    for (number, text) in [
        (0.0, "0"),
        (1.0, "1"),
        (-2.5, "-2.5"),
        (33.595392, "33.5954"),
        (0.001216, "0.001216"),
        (0.0001234567, "0.000123457"),
        (0.00001234567, "1.23457e-05"),
        (100_000.0, "100000"),
        (999_999.0, "999999"),
        (999_999.5, "1e+06"),
        (1_234_567.0, "1.23457e+06"),
        (1e100, "1e+100"),
        (9.999995, "10"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(general(number), text);
    }
    // From `printf("%.15g")` and `printf("%.1g")`.
    for (number, digits, text) in [
        (5.334_997_157_680_55, 15, "5.33499715768055"),
        (1e15 - 0.5, 15, "1e+15"),
        (123_456_789_012_345.6, 15, "123456789012346"),
        (0.96, 1, "1"),
        (16.0, 1, "2e+01"),
    ] {
        assert_eq!(with_digits(number, digits), text);
    }
    // From `printf("%e")`.
    for (number, text) in [
        (0.0, "0.000000e+00"),
        (14_560_000.0, "1.456000e+07"),
        (-0.0001234567, "-1.234567e-04"),
        (9.9999999e99, "1.000000e+100"),
        (f64::INFINITY, "inf"),
    ] {
        assert_eq!(scientific(number), text);
    }
}

#[test]
fn scientific_numbers_print_as_in_c() {
    // From `printf("%e")`.
    for (number, text) in [
        (0.0, "0.000000e+00"),
        (-2.5, "-2.500000e+00"),
        (262_144.0, "2.621440e+05"),
        (0.000123456789, "1.234568e-04"),
        (9.9999999, "1.000000e+01"),
        (1e100, "1.000000e+100"),
        (f64::NEG_INFINITY, "-inf"),
    ] {
        assert_eq!(scientific(number), text);
    }
}
