//! The parts of a space: how many threads each gets.

use crate::{Error, ErrorKind, Result};

/// Checks the weights of a partition, for spaces that have no threads of their own to divide.
///
/// # Errors
/// [`ErrorKind::Configuration`] if there is none, or one is 0.
pub(crate) fn check(weights: &[usize]) -> Result<()> {
    if weights.is_empty() {
        return Err(wrong("a partition without weights has no parts: give one weight for each part".into()));
    }
    match weights.iter().position(|&weight| weight == 0) {
        None => Ok(()),
        Some(part) => Err(wrong(format!(
            "weight {part} of the partition {weights:?} is 0: each part has at least one thread, so leave the part out"
        ))),
    }
}

/// The number of threads of each part: at least one, in proportion to the weights as nearly as whole threads allow.
///
/// Threads are given out one by one, each to the part that would have the fewest for its weight with one more; of equal parts, to the
/// first. So shares that come out even are exact.
///
/// # Errors
/// As [`check`], and if there are more parts than threads.
#[cfg(any(feature = "threads", test))]
pub(crate) fn shares(threads: usize, weights: &[usize]) -> Result<Vec<usize>> {
    check(weights)?;
    let parts = weights.len();
    if parts > threads {
        return Err(wrong(format!(
            "{threads} threads cannot be divided among {parts} parts: give at most {threads} weights, or make the space with \
             at least {parts} threads"
        )));
    }
    let mut shares = vec![1; parts];
    for _ in parts..threads {
        // Whether part `a` would still have less for its weight than part `b`, with one thread more each.
        let is_poorer = |a: usize, b: usize| {
            weights[a] as u128 * (shares[b] as u128 + 1) > weights[b] as u128 * (shares[a] as u128 + 1)
        };
        let poorest =
            (1..parts).fold(0, |poorest, part| if is_poorer(part, poorest) { part } else { poorest });
        shares[poorest] += 1;
    }
    Ok(shares)
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Configuration, message)
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use super::*;

    #[test]
    fn shares_that_come_out_even_are_exact() {
        for (threads, weights, wanted) in [
            (1, vec![7], vec![1]),
            (4, vec![1, 1], vec![2, 2]),
            (8, vec![3, 1], vec![6, 2]),
            (12, vec![1, 2, 3], vec![2, 4, 6]),
            (1024, vec![usize::MAX, usize::MAX], vec![512, 512]),
        ] {
            assert_eq!(shares(threads, &weights).unwrap(), wanted, "{threads} threads by {weights:?}");
        }
    }

    #[test]
    fn every_thread_belongs_to_one_part_and_no_part_is_empty() {
        for threads in 1..40 {
            for weights in [vec![1], vec![1, 1], vec![5, 2], vec![1, usize::MAX], vec![1, 10, 100]] {
                if weights.len() > threads {
                    continue;
                }
                let shares = shares(threads, &weights).unwrap();
                assert_eq!(shares.iter().sum::<usize>(), threads);
                assert!(
                    shares.iter().all(|&share| share >= 1),
                    "{threads} threads by {weights:?}: {shares:?}"
                );
                // A part of more weight has no fewer threads.
                for (a, b) in (0..weights.len()).flat_map(|a| (0..weights.len()).map(move |b| (a, b))) {
                    assert!(weights[a] <= weights[b] || shares[a] >= shares[b], "{weights:?}: {shares:?}");
                }
            }
        }
        assert_eq!(shares(5, &[1, 1]).unwrap(), [3, 2]);
        assert_eq!(shares(3, &[1, 100]).unwrap(), [1, 2]);
        // 3.6 and 1.4.
        assert_eq!(shares(5, &[5, 2]).unwrap(), [4, 1]);
    }

    #[test]
    fn impossible_partitions_are_errors_with_the_values() {
        for (threads, weights, words) in [
            (4, vec![], "without weights"),
            (4, vec![2, 0, 1], "weight 1 of the partition [2, 0, 1] is 0"),
            (2, vec![1, 1, 1], "2 threads cannot be divided among 3 parts"),
        ] {
            let error = shares(threads, &weights).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
