//! Collectives on 1 to 64 ranks, with delays and without, against what the definition says.

use spelt_core::ErrorKind;
use spelt_mpi::{Communicator, LocalWorld, Traffic};

const SIZES: [usize; 8] = [1, 2, 3, 5, 7, 8, 13, 64];

/// Runs `program` on worlds of many sizes, at once and with delays.
fn on_worlds<T: Send>(program: impl Fn(&Communicator) -> T + Sync, check: impl Fn(usize, Vec<T>)) {
    for size in SIZES {
        let mut worlds = vec![LocalWorld::new(size)];
        worlds.extend((0..if size < 20 { 6 } else { 2 }).map(|seed| LocalWorld::new(size).delays(seed)));
        for world in worlds {
            let found = world.run(|ranks| program(&ranks));
            check(size, found.into_iter().map(|result| result.expect("no rank panics")).collect());
        }
    }
}

/// Roots to try: all, or some of many.
fn roots(size: usize) -> impl Iterator<Item = usize> {
    (0..size).filter(move |root| size < 20 || [0, 1, 31, 63].contains(root))
}

/// The row of a rank: of another length on each, empty on some, and longer than the first part of a message on others.
fn row(rank: usize) -> Vec<u8> {
    let len = [3, 0, 20_000, 1, 8096, 8097][rank % 6];
    (0..len).map(|at| (rank * 31 + at) as u8).collect()
}

fn concatenate(mut left: Vec<u8>, right: Vec<u8>) -> spelt_core::Result<Vec<u8>> {
    left.extend(right);
    Ok(left)
}

#[test]
fn broadcasts_come_from_every_root() {
    on_worlds(
        |ranks| {
            let from = |root| ranks.broadcast("row", root, row(ranks.rank())).unwrap();
            roots(ranks.size()).map(from).collect::<Vec<_>>()
        },
        |size, found| {
            assert!(
                found.iter().all(|rows| roots(size).zip(rows).all(|(root, bytes)| *bytes == row(root))),
                "{size}"
            )
        },
    );
}

#[test]
fn gathers_are_in_the_order_of_the_ranks() {
    on_worlds(
        |ranks| {
            let to = |root| ranks.gather("row", root, row(ranks.rank())).unwrap();
            (
                roots(ranks.size()).map(to).collect::<Vec<_>>(),
                ranks.all_gather_v("row", row(ranks.rank())).unwrap(),
            )
        },
        |size, found| {
            let wanted: Vec<_> = (0..size).map(row).collect();
            for (rank, (gathered, all)) in found.iter().enumerate() {
                assert_eq!(all, &wanted);
                for (root, rows) in roots(size).zip(gathered) {
                    assert_eq!(rows.as_ref(), (root == rank).then_some(&wanted), "{size} ranks, root {root}");
                }
            }
        },
    );
}

#[test]
fn scatters_give_each_rank_its_row() {
    on_worlds(
        |ranks| {
            let rows: Vec<_> = (0..ranks.size()).map(row).collect();
            let from = |root| {
                ranks.scatter("rows", root, if root == ranks.rank() { rows.clone() } else { Vec::new() })
            };
            roots(ranks.size()).map(|root| from(root).unwrap()).collect::<Vec<_>>()
        },
        |size, found| {
            for (rank, rows) in found.iter().enumerate() {
                assert!(rows.iter().all(|bytes| *bytes == row(rank)), "rank {rank} of {size}");
            }
        },
    );
}

#[test]
fn all_to_all_transposes() {
    on_worlds(
        |ranks| {
            ranks
                .all_to_all_v("rows", (0..ranks.size()).map(|to| row(ranks.rank() * 5 + to)).collect())
                .unwrap()
        },
        |size, found| {
            for (to, rows) in found.iter().enumerate() {
                let wanted: Vec<_> = (0..size).map(|from| row(from * 5 + to)).collect();
                assert_eq!(rows, &wanted, "rank {to} of {size}");
            }
        },
    );
}

#[test]
fn reductions_and_scans_merge_in_order() {
    on_worlds(
        |ranks| {
            let mine = || row(ranks.rank());
            (
                ranks.reduce_in_order("rows", mine(), concatenate).unwrap(),
                ranks.exclusive_scan_in_order("rows", mine(), concatenate).unwrap(),
            )
        },
        |size, found| {
            let rows: Vec<_> = (0..size).map(row).collect();
            for (rank, (all, before)) in found.iter().enumerate() {
                assert_eq!(all, &rows.concat());
                assert_eq!(
                    before.as_ref(),
                    (rank > 0).then(|| rows[..rank].concat()).as_ref(),
                    "rank {rank} of {size}"
                );
            }
        },
    );
}

#[test]
fn no_rank_leaves_a_barrier_before_all_have_entered_it() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    for size in SIZES {
        for seed in 0..4 {
            let entered = AtomicUsize::new(0);
            let found = LocalWorld::new(size).delays(seed).run(|ranks| {
                entered.fetch_add(1, Ordering::SeqCst);
                ranks.barrier("all").unwrap();
                entered.load(Ordering::SeqCst)
            });
            assert!(found.into_iter().all(|entered| entered.unwrap() == size), "{size} ranks");
        }
    }
}

/// The rounds of a tree over so many ranks.
fn rounds(size: usize) -> u64 {
    u64::from(size.next_power_of_two().trailing_zeros())
}

#[test]
fn messages_are_counted_and_grow_with_the_logarithm_of_the_ranks() {
    on_worlds(
        |ranks| {
            let sent = |call: &dyn Fn()| {
                let before = ranks.traffic();
                call();
                let after = ranks.traffic();
                Traffic { messages: after.messages - before.messages, bytes: after.bytes - before.bytes }
            };
            [
                sent(&|| ranks.barrier("barrier").unwrap()),
                sent(&|| drop(ranks.broadcast("broadcast", 0, vec![7; 100]).unwrap())),
                sent(&|| drop(ranks.reduce_in_order("reduce", vec![7; 100], |left, _| Ok(left)).unwrap())),
                sent(&|| {
                    drop(ranks.exclusive_scan_in_order("scan", vec![7; 100], |left, _| Ok(left)).unwrap())
                }),
                sent(&|| drop(ranks.all_to_all_v("all", vec![vec![]; ranks.size()]).unwrap())),
                sent(&|| drop(ranks.gather("long", 0, vec![7; 10_000]).unwrap())),
            ]
        },
        |size, found| {
            let total = |call: usize| found.iter().map(|sent| sent[call].messages).sum::<u64>();
            let most = |call: usize| found.iter().map(|sent| sent[call].messages).max().unwrap();
            let others = size as u64 - 1;
            assert!(
                found
                    .iter()
                    .all(|sent| sent[0].messages == rounds(size) && sent[0].bytes == 96 * rounds(size))
            );
            assert_eq!((total(1), total(2)), (others, 2 * others), "{size} ranks");
            assert!(most(1) <= rounds(size) && most(2) <= rounds(size) + 1 && most(3) <= rounds(size));
            assert_eq!(found.iter().map(|sent| sent[1].bytes).sum::<u64>(), others * 196);
            assert!(found.iter().all(|sent| sent[4].messages == others));
            // Beyond the first part of 8 KiB comes one more.
            assert_eq!(total(5), 2 * others);
        },
    );
}

#[test]
fn roots_and_rows_that_do_not_exist_are_errors_everywhere() {
    let says = |error: spelt_core::Error, words: &[&str]| {
        assert_eq!(error.kind(), ErrorKind::Communication);
        words.iter().for_each(|word| assert!(error.to_string().contains(word), "{error}"));
    };
    for found in LocalWorld::new(3).run(|ranks| {
        says(ranks.broadcast("b", 3, vec![]).unwrap_err(), &["broadcast `b`", "no rank 3", "3 ranks"]);
        says(ranks.gather("g", 9, vec![]).unwrap_err(), &["gather `g`", "no rank 9"]);
        says(
            ranks.scatter("s", 1, vec![vec![]; 4]).unwrap_err(),
            &["scatter `s` with root 1", "each of the 3 ranks"],
        );
        says(
            ranks.all_to_all_v("a", vec![vec![]; 2]).unwrap_err(),
            &["all_to_all_v `a`", "2 rows", "3 ranks"],
        );
        says(ranks.send("m", 3, vec![]).unwrap_err(), &["no rank 3"]);
        // The calls agree: the world goes on.
        ranks.barrier("end").unwrap();
    }) {
        found.unwrap();
    }
}
