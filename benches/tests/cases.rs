//! Every contender of every case gives the right result.

use spelt_benches::{Setup, all, measure};

#[test]
fn all_contenders_agree_at_small_sizes() {
    // More threads than the limit needs for two halves, and a number that divides nothing evenly.
    for threads in [2, 3] {
        let setup = Setup::new(Some(threads), None).unwrap();
        for case in all() {
            for variant in case.variants {
                for size in measure::check_sizes(variant) {
                    let title = format!("{} {} {size} on {threads} threads", case.name, variant.name);
                    let mut race =
                        (variant.race)(&setup, size).unwrap_or_else(|error| panic!("{title}: {error}"));
                    measure::check(&mut *race).unwrap_or_else(|error| panic!("{title}: {error}"));
                }
            }
        }
    }
}

/// The sizes above stay on one thread.
#[test]
fn contenders_agree_where_threads_share() {
    let setup = Setup::new(Some(3), None).unwrap();
    for case in all() {
        let variant = &case.variants[0];
        let title = format!("{} {}", case.name, variant.name);
        let mut race = (variant.race)(&setup, 70_001_usize.div_ceil(variant.width)).unwrap();
        measure::check(&mut *race).unwrap_or_else(|error| panic!("{title}: {error}"));
    }
}

#[test]
fn every_case_says_what_is_expected() {
    for case in all() {
        assert!(case.hypothesis.len() > 40 && case.hypothesis.ends_with('.'), "{}", case.name);
    }
}
