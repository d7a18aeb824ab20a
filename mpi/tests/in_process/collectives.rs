use super::{SIZES, bytes_of, on_all, worlds};

#[test]
fn broadcast_from_each_root() {
    for size in SIZES {
        for root in [0, size / 2, size - 1] {
            for results in on_all(size, |ranks| ranks.broadcast("word", root, bytes_of(ranks.rank() + 3))) {
                assert!(results.iter().all(|bytes| *bytes == bytes_of(root + 3)), "{root} of {size}");
            }
        }
    }
}

#[test]
fn gather_to_each_root() {
    for size in SIZES {
        let all: Vec<_> = (0..size).map(bytes_of).collect();
        for root in [0, size / 2, size - 1] {
            for results in on_all(size, |ranks| ranks.gather("words", root, bytes_of(ranks.rank()))) {
                for (rank, result) in results.into_iter().enumerate() {
                    assert_eq!(result, (rank == root).then(|| all.clone()), "{root} of {size}");
                }
            }
        }
    }
}

#[test]
fn scatter_from_each_root() {
    for size in SIZES {
        for root in [0, size / 2, size - 1] {
            let results = on_all(size, |ranks| {
                let own = ranks.rank() == root;
                ranks.scatter("words", root, if own { (0..size).map(bytes_of).collect() } else { Vec::new() })
            });
            for results in results {
                assert_eq!(results, (0..size).map(bytes_of).collect::<Vec<_>>(), "{root} of {size}");
            }
        }
    }
}

#[test]
fn all_gather_and_all_to_all() {
    for size in SIZES {
        let all: Vec<_> = (0..size).map(bytes_of).collect();
        for results in on_all(size, |ranks| ranks.all_gather_v("words", bytes_of(ranks.rank()))) {
            assert!(results.iter().all(|result| *result == all), "{size}");
        }
        let to = |from: usize, to: usize| bytes_of(from * 3 + to);
        let results = on_all(size, |ranks| {
            ranks.all_to_all_v("words", (0..size).map(|other| to(ranks.rank(), other)).collect())
        });
        for results in results {
            for (rank, result) in results.into_iter().enumerate() {
                assert_eq!(
                    result,
                    (0..size).map(|from| to(from, rank)).collect::<Vec<_>>(),
                    "{rank} of {size}"
                );
            }
        }
    }
}

/// Concatenation is associative and not commutative: an order other than that of the ranks shows.
#[test]
fn merges_are_in_the_order_of_the_ranks() {
    let join = |left: &[u8], right: &[u8]| Ok([left, right].concat());
    for size in SIZES {
        let own = |rank: usize| vec![rank as u8; rank % 3 + 1];
        let below = |rank: usize| (0..rank).flat_map(own).collect::<Vec<_>>();
        for results in on_all(size, |ranks| ranks.all_reduce("join", own(ranks.rank()), join)) {
            assert!(results.iter().all(|result| *result == below(size)), "{size}");
        }
        for results in on_all(size, |ranks| ranks.reduce("join", own(ranks.rank()), join)) {
            for (rank, result) in results.into_iter().enumerate() {
                assert_eq!(result, (rank == 0).then(|| below(size)), "{rank} of {size}");
            }
        }
        for results in on_all(size, |ranks| ranks.exclusive_prefix("join", own(ranks.rank()), join)) {
            for (rank, result) in results.into_iter().enumerate() {
                assert_eq!(result, (rank > 0).then(|| below(rank)), "{rank} of {size}");
            }
        }
    }
}

/// No rank leaves a barrier before the last has come.
#[test]
fn barriers_hold() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for size in SIZES {
        for world in worlds(size) {
            let come = AtomicUsize::new(0);
            let results = world.run(|ranks| {
                for round in 1..4 {
                    come.fetch_add(1, Ordering::SeqCst);
                    ranks.barrier("come")?;
                    assert_eq!(come.load(Ordering::SeqCst), round * size);
                    ranks.barrier("seen")?;
                }
                Ok(())
            });
            results.into_iter().for_each(|result| result.expect("no error"));
        }
    }
}

#[test]
fn neighbours_exchange() {
    for size in SIZES {
        let results = on_all(size, |ranks| {
            let rank = ranks.rank();
            let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
            ranks.exchange("ring", vec![(right, bytes_of(rank)), (left, bytes_of(rank + 1))], &[left, right])
        });
        for results in results {
            for (rank, result) in results.into_iter().enumerate() {
                let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
                assert_eq!(result, [bytes_of(left), bytes_of(right + 1)], "{rank} of {size}");
            }
        }
    }
}

#[test]
fn messages_between_two_ranks() {
    let results = on_all(3, |ranks| {
        let mut received = Vec::new();
        for number in 0..20 {
            match ranks.rank() {
                0 => ranks.send("number", 2, bytes_of(number))?,
                2 => received.push(ranks.receive("number", 0)?),
                _ => {}
            }
        }
        Ok(received)
    });
    for mut results in results {
        assert_eq!(results.remove(2), (0..20).map(bytes_of).collect::<Vec<_>>());
    }
}
