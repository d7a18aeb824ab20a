use spelt_core::reducers::{MinLoc, Sum};
use spelt_core::{ExecutionSpace, Serial, parallel_map_reduce};
use spelt_mpi::InProcess;

use super::{SIZES, cuts, term, worlds};

#[test]
fn sums_have_the_bits_of_one_process() {
    let space = Serial::new();
    for n in [0, 1, 31, 2047, 2048, 2049, 10_000, 50_003] {
        let whole =
            parallel_map_reduce("sum", space.range(0..n), (), |i, ()| term(i.get()), Sum::<f64>::new());
        let whole = whole.expect("no error");
        for size in SIZES {
            for cuts in cuts(n, size) {
                let world = InProcess::new(size).delays(n as u64, 5);
                let sums = world.run(|ranks| {
                    ranks.all_reduce_part("sum", &cuts, Sum::<f64>::new(), |part, iterations| {
                        part.map_reduce("sum", Serial::new().range(iterations), (), |i, ()| term(i.get()))
                    })
                });
                for sum in sums {
                    assert_eq!(sum.expect("no error").to_bits(), whole.to_bits(), "{n} on {size}, {cuts:?}");
                }
            }
        }
    }
}

#[test]
fn locations_are_the_first() {
    let n = 9000;
    let value = |i: usize| (i * 37 % 100) as f64;
    for size in [1, 3, 8] {
        for world in worlds(size) {
            let found = world.run(|ranks| {
                let cuts: Vec<_> = (0..=size).map(|rank| n * rank / size).collect();
                ranks.all_reduce_part("min", &cuts, MinLoc::<f64>::new(), |part, iterations| {
                    let space = Serial::new();
                    part.reduce("min", space.range(iterations), (), |i, best, ()| {
                        best.update(value(i.get()), i.get())
                    })
                })
            });
            for found in found {
                let found = found.expect("no error");
                assert_eq!((found.val, found.loc), (0.0, 0));
            }
        }
    }
}

#[test]
fn other_cuts_are_found() {
    let results = InProcess::new(2).timeout(std::time::Duration::from_secs(60)).run(|ranks| {
        let cuts = [0, if ranks.rank() == 0 { 2048 } else { 4096 }, 9000];
        ranks.all_reduce_part("sum", &cuts, Sum::<f64>::new(), |part, iterations| {
            part.map_reduce("sum", Serial::new().range(iterations), (), |i, ()| term(i.get()))
        })
    });
    let told = |error: &spelt_core::Error| {
        error.to_string().contains("all_reduce_part `sum` (number 1, hash of the cuts")
    };
    assert!(results.iter().any(|result| result.as_ref().is_err_and(told)));
}

#[test]
fn wrong_cuts_are_told_before_any_message() {
    let results = InProcess::new(2).run(|ranks| {
        for cuts in [&[0, 5][..], &[0, 5, 10, 10], &[1, 5, 10], &[0, 7, 5], &[]] {
            let error =
                ranks.all_reduce_part("sum", cuts, Sum::<f64>::new(), |_, _| unreachable!("nothing runs"));
            let error = error.expect_err("wrong cuts").to_string();
            assert!(
                error.starts_with("`sum`: the cuts are [") && error.contains("than the 2 ranks"),
                "{error}"
            );
        }
        ranks.barrier("still here")
    });
    results.into_iter().for_each(|result| result.expect("no error"));
}

#[test]
fn a_part_that_is_not_extended_is_told() {
    let results = InProcess::new(2)
        .run(|ranks| ranks.all_reduce_part("sum", &[0, 3, 10], Sum::<f64>::new(), |_, _| Ok(())));
    let errors: Vec<_> =
        results.into_iter().filter_map(|result| result.err().map(|error| error.to_string())).collect();
    assert!(
        errors.len() == 2 && errors.iter().all(|error| error.contains("ends with iteration")),
        "{errors:?}"
    );
}

/// No other check sees these: the shares end at borders of tiles, so that no rank continues the tile of another.
#[test]
fn a_part_that_is_not_extended_to_its_end_is_told() {
    for short in [0, 1, 2] {
        let results = InProcess::new(3).run(|ranks| {
            ranks.all_reduce_part("sum", &[0, 2048, 4096, 9000], Sum::<f64>::new(), |part, iterations| {
                let end = if ranks.rank() == short { iterations.end - 1 } else { iterations.end };
                part.map_reduce("sum", Serial::new().range(iterations.start..end), (), |i, ()| term(i.get()))
            })
        });
        let end = [2048, 4096, 9000][short];
        let message =
            format!("the part of rank {short} ends with iteration {}, where {end} was expected", end - 1);
        let error = results[short].as_ref().expect_err("an iteration is missing").to_string();
        assert!(error.contains(&message), "{error}");
        assert!(results.iter().all(Result::is_err), "{results:?}");
    }
}
