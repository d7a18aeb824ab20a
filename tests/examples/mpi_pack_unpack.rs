//! The example `mpi_pack_unpack` on every space and several numbers of ranks, against loops; `.ci/run mpi` runs it on processes.

#[path = "../../examples/mpi_pack_unpack/exchange.rs"]
mod exchange;

use std::sync::Mutex;

use spelt::mpi::Mpi;

use crate::run::{run, same_everywhere};
use crate::spaces::{on_every_space, on_ranks, same};
use exchange::{Exchange, list, start};

#[test]
fn exchanges_are_those_of_loops() {
    let sums = [const { Mutex::new(None) }; 3];
    on_ranks(|ranks| {
        on_every_space!(|space, name| {
            let space = Mpi::new(ranks, space);
            // No message has more than 4 KiB, which would be two. Indices repeat, and the shares of ranks end at multiples of 2048, inside the halves.
            for (place, (size, count)) in [(1, 1), (9, 20), (5000, 400)].into_iter().enumerate() {
                let list = list(size, count, size as u32);
                let mut exchange = Exchange::new(&space, size, &list).unwrap();
                let mut wanted: Vec<f64> = (0..2 * size).map(|row| start(row, size)).collect();
                for _ in 0..3 {
                    let before = wanted.clone();
                    for row in &list {
                        (wanted[*row], wanted[size + row]) = (before[size + row], before[*row]);
                    }
                    let sent = ranks.sent().messages;
                    exchange.run(&space).unwrap();
                    assert!(
                        ranks.sent().messages - sent < ranks.size() as u64,
                        "more than one message to a rank"
                    );
                }
                let sum = exchange.sum(&space).unwrap().to_bits();
                assert!(
                    same(&sums[place], sum),
                    "{size} elements, rank {} of {} on {name}",
                    ranks.rank(),
                    ranks.size()
                );
                if let Some(data) = exchange.gather(&space).unwrap() {
                    assert_eq!(data.to_vec(), wanted, "{size} elements, {} ranks on {name}", ranks.size());
                }
            }
        });
    });
}

#[test]
fn indices_are_those_of_the_exercise() {
    // Of a program in C: `rand() % 1000000`.
    assert_eq!(list(1_000_000, 5, 1), [289383, 930886, 692777, 636915, 747793]);
}

#[test]
fn lines_are_those_of_the_exercise() {
    let outcome = run("mpi_pack_unpack", "--size 5000 --buffer 800 --repeats 3 --space serial");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    let lines = outcome.lines();
    let rest = lines[0].strip_prefix("Data: HostSpace DeviceBuffer: HostSpace Time: ");
    let time = rest.and_then(|rest| rest.strip_suffix(" CopyToHostForMPI: no")).expect(lines[0]);
    assert_eq!(time.split_once('.').map(|(_, digits)| digits.len()), Some(6), "{time}");
    assert!(time.parse::<f64>().expect("a number") >= 0.0);
    assert_eq!(lines[1], "2 x 5000 elements, 800 of each half exchanged 3 times");
}

#[test]
fn the_program_says_the_same_everywhere() {
    let arguments = "--digits --size 5000 --buffer 800 --repeats 3";
    let lines = same_everywhere("mpi_pack_unpack", arguments, "mpi_pack_unpack.png");
    assert_eq!(lines[0], "2 x 5000 elements, 800 of each half exchanged 3 times");
    assert!(lines[1].starts_with("  sum ") && lines[1].ends_with(" after"), "{lines:?}");
}

#[test]
fn wrong_options_are_told() {
    for arguments in ["--size 0", "--buffer 0", "--repeats 0", "--seed x", "--space moon"] {
        let outcome = run("mpi_pack_unpack", arguments);
        assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(2), ""), "{arguments}: {outcome:?}");
    }
}
