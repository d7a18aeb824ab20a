//! The example `heat_conduction` against naive loops, on every space and several numbers of ranks; `.ci/run mpi` runs it on processes.

#[expect(dead_code, reason = "the example alone prints the balance and the blocks of rows")]
#[path = "../../examples/heat_conduction/body.rs"]
mod body;
#[path = "../../examples/heat_conduction/domains.rs"]
mod domains;
#[path = "../../examples/heat_conduction/material.rs"]
mod material;

use std::sync::Mutex;

use spelt::mpi::{Communicator, Mpi, Partition};
use spelt::prelude::*;

use crate::run::{run, same_everywhere};
use crate::spaces::{on_every_space, on_ranks, same};
use body::Body;
use material::Material;

/// The mean temperature before each of the steps 0 to `last`.
fn means(extents: [usize; 3], last: usize, first: f64) -> Vec<f64> {
    let [width, height, depth] = extents;
    let cells = width * height * depth;
    let at = |x: usize, y: usize, z: usize| (x * height + y) * depth + z;
    let (mut t, mut gain) = (vec![first; cells], vec![0.0; cells]);
    let mut means = Vec::new();
    for step in 0..=last {
        means.push(t.iter().sum::<f64>() / cells as f64);
        let power = if step > last / 2 { 0.0 } else { 1.0 };
        for x in 0..width {
            for y in 0..height {
                for z in 0..depth {
                    let own = t[at(x, y, z)];
                    let (mut conducted, mut sides) = (0.0, 0);
                    for [dx, dy, dz] in [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1]]
                    {
                        let place = |place: usize, by: isize, end: usize| {
                            place.checked_add_signed(by).filter(|place| *place < end)
                        };
                        match (place(x, dx, width), place(y, dy, height), place(z, dz, depth)) {
                            (Some(x), Some(y), Some(z)) => conducted += t[at(x, y, z)] - own,
                            _ => sides += 1,
                        }
                    }
                    let heated = if x == 0 { power } else { 0.0 };
                    gain[at(x, y, z)] = conducted + heated - own.powi(4) * f64::from(sides);
                }
            }
        }
        t.iter_mut().zip(&gain).for_each(|(t, gain)| *t += 0.1 * gain);
    }
    means
}

#[test]
fn means_are_those_of_naive_loops() {
    let lines =
        same_everywhere("heat_conduction", "--digits --size 9 --steps 40 --every 13", "heat_conduction.png");
    let means = means([9; 3], 40, 0.0);
    let steps = [0, 13, 26, 39, 40];
    assert_eq!(lines.len(), steps.len() + 1, "{lines:?}");
    for (step, line) in steps.into_iter().zip(&lines) {
        let (name, mean) = line.rsplit_once(' ').expect("a mean");
        assert_eq!(name.trim(), format!("{step} mean temperature"));
        let mean: f64 = mean.parse().expect("a number");
        assert!((mean - means[step]).abs() <= 1e-12 * means[step], "{line}, expected {}", means[step]);
    }
    // The source is on in steps 0 to 20.
    assert!(lines[5].starts_with("heat: 1.701000e2 came in, "), "{}", lines[5]);
}

/// The last step of `bits_do_not_depend_on_ranks_and_spaces`.
const LAST: usize = 6;

/// The heat that is stored and radiated after each step, and the middle layer at the end, on rank 0 alone.
fn bits<S: ExecutionSpace + 'static>(ranks: &Communicator, space: S, extents: [usize; 3]) -> Vec<u64> {
    let space = Mpi::new(ranks, space);
    let material = Material { t0: 0.25, dt: 0.1, q: 1.0, sigma: 1.0, power: 1.0 };
    let mut body = Body::new(&space, extents, material).unwrap();
    let mut balance = body.start();
    let mut bits = Vec::new();
    for step in 0..=LAST {
        let power = if step > LAST / 2 { 0.0 } else { material.power };
        balance = body.advance(&space, power, balance).unwrap();
        bits.extend([balance.stored, balance.radiated].map(f64::to_bits));
    }
    let slice = body.slice(&space).unwrap();
    assert_eq!(slice.is_some(), ranks.rank() == 0);
    bits.extend(slice.iter().flat_map(|slice| slice.iter()).map(|t| t.to_bits()));
    bits
}

/// Bits are those of one rank; heat is that of naive loops.
#[test]
fn bits_do_not_depend_on_ranks_and_spaces() {
    // More than a tile of cells, and fewer rows than the largest number of ranks.
    for extents in [[11, 14, 17], [3, 5, 4]] {
        let alone = bits(&Communicator::alone(), Serial::new(), extents);
        let cells = extents.iter().product::<usize>() as f64;
        let means = means(extents, LAST + 1, 0.25);
        for (step, stored) in alone.chunks(2).take(LAST + 1).enumerate() {
            let mean = f64::from_bits(stored[0]) / cells;
            assert!((mean / means[step + 1] - 1.0).abs() < 1e-12, "step {step} of {extents:?}");
        }
        let known = Mutex::new(Some(alone));
        on_ranks(|ranks| {
            on_every_space!(|space, name| {
                let mut found = bits(ranks, space, extents);
                if ranks.rank() > 0 {
                    // The layer is on rank 0 alone.
                    let alone = known.lock().expect("no panic");
                    found.extend(&alone.as_ref().expect("known")[found.len()..]);
                }
                assert!(same(&known, found), "rank {} of {} on {name}", ranks.rank(), ranks.size());
            });
        });
    }
}

#[test]
fn lines_are_those_of_the_exercise() {
    let outcome = run("heat_conduction", "-X 5 -Y 6 -Z 7 -N 9 -I 4 -T0 0.25 -dt 0.1 -q 1 -sigma 1 -P 1");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{outcome:?}");
    let lines = outcome.lines();
    assert_eq!(
        lines[..3],
        [
            "NumRanks: 1 Me: 0 Grid: 1 1 1 MyPos: 0 0 0",
            "Me: 0 MyNeighs: -1 -1 -1 -1 -1 -1",
            "My Domain: 0 (0 0 0) (5 6 7)"
        ]
    );
    let means = means([5, 6, 7], 9, 0.25);
    for (step, line) in [0, 4, 8, 9].into_iter().zip(&lines[3..]) {
        let numbers = line.strip_prefix(&format!("{step} T=")).and_then(|rest| rest.strip_suffix(')'));
        let (t, times) = numbers.and_then(|rest| rest.split_once(" Time (")).expect(line);
        let (time, since) = times.split_once(' ').expect(line);
        let [t, time, since] = [t, time, since].map(|number| {
            assert_eq!(number.split_once('.').map(|(_, digits)| digits.len()), Some(6), "{line}");
            number.parse::<f64>().expect("a number")
        });
        // In billionths.
        let wanted = 1e9 * means[step];
        assert!((t / wanted - 1.0).abs() < 1e-12, "{line}, expected {wanted}");
        assert!(0.0 <= since && since <= time, "{line}");
    }
    assert!(lines[7].starts_with("heat: "), "{lines:?}");
}

#[test]
fn ranks_have_intervals_of_the_first_dimension() {
    // Rows with one before the cells and one after them. Two ranks have none of the cells.
    let rows = Partition::from_cuts(&[0, 3, 3, 7, 8, 9]).expect("cuts");
    let lines = domains::lines(&rows, [7, 5, 4]).join("\n");
    let wanted = "NumRanks: 5 Me: 0 Grid: 5 1 1 MyPos: 0 0 0
Me: 0 MyNeighs: -1 2 -1 -1 -1 -1
NumRanks: 5 Me: 1 Grid: 5 1 1 MyPos: 1 0 0
Me: 1 MyNeighs: -1 -1 -1 -1 -1 -1
NumRanks: 5 Me: 2 Grid: 5 1 1 MyPos: 2 0 0
Me: 2 MyNeighs: 0 3 -1 -1 -1 -1
NumRanks: 5 Me: 3 Grid: 5 1 1 MyPos: 3 0 0
Me: 3 MyNeighs: 2 -1 -1 -1 -1 -1
NumRanks: 5 Me: 4 Grid: 5 1 1 MyPos: 4 0 0
Me: 4 MyNeighs: -1 -1 -1 -1 -1 -1
My Domain: 0 (0 0 0) (2 5 4)
My Domain: 1 (2 0 0) (2 5 4)
My Domain: 2 (2 0 0) (6 5 4)
My Domain: 3 (6 0 0) (7 5 4)
My Domain: 4 (7 0 0) (7 5 4)";
    assert_eq!(lines, wanted);
}

#[test]
fn wrong_options_are_told() {
    for (options, text) in [
        ("--size 0", "--size"),
        ("--steps x", "--steps"),
        ("-X 0", "--x"),
        ("-T0 warm", "--T0"),
        ("--space moon", "moon"),
        ("--space serial --threads 2", "--threads"),
    ] {
        let outcome = run("heat_conduction", options);
        assert_eq!(outcome.status, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(text), "{outcome:?}");
    }
}
