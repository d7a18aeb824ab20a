//! Numbers as C prints them.

#[path = "../../examples/common/numbers.rs"]
mod common;

use common::{general, scientific};

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
