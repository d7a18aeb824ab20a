use std::time::Duration;

use spelt_core::{Left, Result, View};
use spelt_mpi::{Communicator, InProcess};

use super::on_all;

/// Numbers of ranks of which each tree looks different.
const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// The rows of a rank: numbers differ, some ranks have none.
fn rows_of(rank: usize) -> usize {
    [3, 0, 1, 700][rank % 4]
}

fn element(rank: usize, i: usize, j: usize) -> f64 {
    (rank * 100_000 + 10 * i + j) as f64
}

/// The rows of all ranks, one after another.
fn whole(size: usize) -> Vec<f64> {
    let rows = |rank| (0..rows_of(rank)).flat_map(move |i| (0..2).map(move |j| element(rank, i, j)));
    (0..size).flat_map(rows).collect()
}

#[test]
fn rows_to_one_to_all_and_from_one() {
    for size in SIZES {
        let cuts: Vec<_> = (0..=size).map(|past| (0..past).map(rows_of).sum()).collect();
        for root in [0, size - 1] {
            let results = on_all(size, |ranks| {
                let rank = ranks.rank();
                let part = View::from_fn_in(Left, "part", [rows_of(rank), 2], |[i, j]| element(rank, i, j))?;
                let gathered = ranks.gather_view("rows", root, &part)?;
                assert_eq!(gathered.is_some(), rank == root);
                let all = ranks.all_gather_view("rows", &part)?;
                assert_eq!((all.extents(), all.to_vec()), ([cuts[size], 2], whole(size)));
                let gathered = gathered.unwrap_or(View::zeros("none", [0, 2])?);
                assert!(rank != root || gathered == all);
                let mut again = View::<f64, 2, _, Left>::zeros_in(Left, "again", part.extents())?;
                ranks.scatter_view("rows", root, &cuts, &gathered, &mut again)?;
                assert_eq!(again, part);
                Ok(())
            });
            assert_eq!(results.len(), 3);
        }
    }
}

#[test]
fn rows_from_all_to_all() {
    for size in SIZES {
        // Row r of rank s for each rank, as many as their numbers say.
        let count = |from: usize, to: usize| (from + 2 * to) % 3;
        on_all(size, |ranks| {
            let rank = ranks.rank();
            let cuts: Vec<_> =
                (0..=size).map(|past| (0..past).map(|to| count(rank, to)).sum::<usize>()).collect();
            let rows = View::from_fn("rows", [cuts[size], 1, 2], |[i, _, k]| (rank * 1000 + i, k as u8))?;
            let (received, by_sender) = ranks.all_to_all_view("rows", &rows, &cuts)?;
            let mut at = 0;
            for from in 0..size {
                assert_eq!(by_sender[from + 1] - by_sender[from], count(from, rank));
                let first: usize = (0..rank).map(|to| count(from, to)).sum();
                for i in 0..count(from, rank) {
                    assert_eq!(received[[at, 0, 1]], (from * 1000 + first + i, 1), "{from} to {rank}");
                    at += 1;
                }
            }
            assert_eq!(received.extent(0), at);
            Ok(())
        });
    }
}

#[test]
fn whole_views() {
    for size in SIZES {
        for root in [0, size / 2] {
            on_all(size, |ranks| {
                let rank = ranks.rank();
                let mut table = View::from_fn_in(Left, "table", [40, 2, 25], |[i, j, k]| rank + i * j + k)?;
                let wanted = View::from_fn("wanted", [40, 2, 25], |[i, j, k]| root + i * j + k)?;
                ranks.broadcast_view("table", root, &mut table)?;
                assert!(table.iter().eq(wanted.iter()));
                let mut one = View::from_fn("one", [], |[]| rank as u16)?;
                ranks.broadcast_view("one", root, &mut one)?;
                assert_eq!(one.to_vec(), [root as u16]);
                Ok(())
            });
        }
    }
    on_all(2, |ranks| {
        let mut v = View::from_fn("v", [5000], |[i]| (i + ranks.rank()) as f32)?;
        match ranks.rank() {
            0 => ranks.send_view("v", 1, &v.subview(1..4001))?,
            _ => {
                ranks.receive_view("v", 0, &mut v.subview_mut(0..4000))?;
                assert!(v.indexed_iter().all(|([i], x)| *x == (i + 1) as f32));
            }
        }
        Ok(())
    });
}

/// Pieces find their receivers, those of one sender in order; counts are of log2 P messages.
#[test]
fn pieces_are_delivered() {
    for size in SIZES {
        let pieces = |from: usize| -> Vec<(usize, Vec<u8>)> {
            (0..from % 4)
                .map(|number| ((from * 5 + number * number) % size, vec![from as u8; number]))
                .collect()
        };
        for results in on_all(size, |ranks| {
            let before = ranks.sent().messages;
            let received = ranks.deliver("pieces", pieces(ranks.rank()))?;
            Ok((received, ranks.sent().messages - before))
        }) {
            for (rank, (received, messages)) in results.into_iter().enumerate() {
                let expected: Vec<_> = (0..size)
                    .flat_map(|from| {
                        let own = pieces(from).into_iter().filter(move |(to, _)| *to == rank);
                        own.map(move |(_, bytes)| (from, bytes))
                    })
                    .collect();
                assert_eq!(received, expected, "{rank} of {size}");
                // Long messages take several pieces.
                assert_eq!(messages, u64::from(usize::BITS - (size - 1).leading_zeros()));
            }
        }
    }
}

#[test]
fn other_types_and_extents_name_both_ranks() {
    type Main = fn(&Communicator) -> Result<()>;
    let cases: [(&str, Main); 6] = [
        ("rank 0 sent [2] of f64, where rank 1 has [3] of f64", |ranks| {
            ranks.broadcast_view("v", 0, &mut View::<f64, 1>::zeros("v", [2 + ranks.rank()])?)
        }),
        ("rank 0 sent [2] of u8, where rank 1 has [2] of i8", |ranks| match ranks.rank() {
            0 => ranks.broadcast_view("v", 0, &mut View::<u8, 1>::zeros("v", [2])?),
            _ => ranks.broadcast_view("v", 0, &mut View::<i8, 1>::zeros("v", [2])?),
        }),
        ("rank 1 sent [2, 4] of f64, where rank 0 has [2, 3] of f64", |ranks| {
            let part = View::<f64, 2>::zeros("v", [2, 3 + ranks.rank()])?;
            ranks.gather_view("v", 0, &part).map(drop)
        }),
        ("rank 0 sent [1, 3] of f64, where rank 1 has [2, 4] of f64", |ranks| {
            let rows = View::<f64, 2>::zeros("v", [2, 3 + ranks.rank()])?;
            ranks.all_to_all_view("v", &rows, &[0, 1, 2]).map(drop)
        }),
        ("rank 0 sent [1, 3] of f64, where rank 1 has [1, 4] of f64", |ranks| {
            let rows = View::<f64, 2>::zeros("v", [2, 3])?;
            let mut part = View::<f64, 2>::zeros("v", [1, 3 + ranks.rank()])?;
            ranks.scatter_view("v", 0, &[0, 1, 2], &rows, &mut part)
        }),
        ("rank 0 is in message `v`", |ranks| match ranks.rank() {
            0 => ranks.send("v", 1, vec![0; 8]),
            _ => ranks.receive_view("v", 0, &mut View::<f64, 1>::zeros("v", [1])?),
        }),
    ];
    for (words, main) in cases {
        let world = InProcess::new(2).timeout(Duration::from_secs(60));
        let results = world.run(|ranks| main(ranks).and_then(|()| ranks.barrier("later")));
        let errors: Vec<_> =
            results.into_iter().filter_map(|result| result.err().map(|error| error.to_string())).collect();
        assert!(errors.iter().any(|error| error.contains(words)), "{words}: {errors:?}");
    }
}

/// They are errors before any message: the ranks can go on.
#[test]
fn wrong_arguments_come_before_messages() {
    let results = InProcess::new(2).run(|ranks| {
        let mut v = View::<f64, 1>::zeros("v", [3])?;
        let w = View::<f64, 1>::zeros("w", [3])?;
        let errors = [
            ranks.broadcast_view("a", 2, &mut v).expect_err("no such root"),
            ranks.send_view("a", ranks.rank(), &v).expect_err("to itself"),
            ranks.gather_view("a", 9, &v).expect_err("no such root"),
            ranks.scatter_view("a", 0, &[0, 3], &w, &mut v).expect_err("too few cuts"),
            ranks.scatter_view("a", 0, &[0, 1, 3], &w, &mut v).expect_err("other rows"),
            ranks.all_to_all_view("a", &v, &[0, 1, 2]).expect_err("too few rows"),
            ranks.deliver("a", vec![(2, vec![])]).expect_err("no such rank"),
        ];
        assert!(errors.iter().all(|error| error.to_string().starts_with("`a`: ")), "{errors:?}");
        ranks.barrier("still here")
    });
    results.into_iter().for_each(|result| result.expect("no error"));
}
