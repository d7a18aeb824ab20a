//! Random sequences of nested loops, collectives and scratch in a league beside the same loops written out.

use fastrand::Rng;
use spelt::prelude::*;
use spelt::{AnyHost, TeamSize};

use super::Outcome;

/// One step of a team. Numbers are small, and sums wrap.
#[derive(Clone, Debug)]
enum Step {
    /// Adds to a row of the View, element by element.
    Write {
        begin: usize,
        end: usize,
        number: u64,
    },
    /// A sum over the row.
    Sum {
        begin: usize,
        end: usize,
    },
    /// Running sums of the row, put in its place.
    Scan {
        begin: usize,
        end: usize,
    },
    /// Scratch that all fill and read.
    Scratch {
        len: usize,
    },
    /// One team's number, handed to all its threads.
    Broadcast {
        number: u64,
    },
    Barrier,
}

impl Step {
    fn random(rng: &mut Rng, columns: usize) -> Self {
        let begin = rng.usize(..=columns);
        let end = rng.usize(begin..=columns);
        match rng.u8(..6) {
            0 => Self::Write { begin, end, number: rng.u64(..100) },
            1 => Self::Sum { begin, end },
            2 => Self::Scan { begin, end },
            3 => Self::Scratch { len: rng.usize(..=64) },
            4 => Self::Broadcast { number: rng.u64(..100) },
            _ => Self::Barrier,
        }
    }
}

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let (league, columns) = (rng.usize(..9), rng.usize(..200));
    let threads = rng.usize(1..5);
    let space = match rng.u8(..4) {
        0 => AnyHost::from(Serial::new()),
        1 => AnyHost::from(Rayon::new()),
        _ => AnyHost::from(Threads::builder().num_threads(threads).build().expect("a few threads")),
    };
    let steps: Vec<Step> = (0..rng.usize(..8)).map(|_| Step::random(rng, columns)).collect();
    let size = if rng.bool() { AUTO } else { TeamSize::Threads(rng.usize(1..4)) };
    let mut view = View::from_fn("rows", [league, columns], |[r, j]| (31 * r + j) as u64).expect("small");
    let policy = space.team(league, size).scratch(8 * 64, 0);
    let sums = View::<u64, 1>::zeros("sums", [league]).and_then(|mut sums| {
        parallel_for("steps", policy, (&mut view, &mut sums), |team, (mut rows, mut sums)| {
            let league = team.league_rank() as u64;
            let mut sum = league;
            for step in &steps {
                let found = match *step {
                    Step::Write { begin, end, number } => {
                        team.parallel_for(team.thread_range(begin..end), |rj| {
                            rows[rj] = rows[rj].wrapping_mul(3) + number
                        });
                        0
                    }
                    Step::Sum { begin, end } => {
                        let range = team.team_vector_range(begin..end);
                        team.parallel_map_reduce(range, |rj| rows[rj], Sum::<u64>::new())
                    }
                    Step::Scan { begin, end } => {
                        let range = team.thread_range(begin..end);
                        team.parallel_scan(
                            range,
                            |rj, sum, last| {
                                let before = *sum;
                                *sum = sum.wrapping_add(rows[rj]);
                                if last {
                                    rows[rj] = before;
                                }
                            },
                            Sum::<u64>::new(),
                        );
                        0
                    }
                    Step::Scratch { len } => team.scratch_fill(len, |k| k as u64 * league).iter().sum(),
                    Step::Broadcast { number } => team.single_broadcast(|_| number),
                    Step::Barrier => {
                        team.barrier();
                        0
                    }
                };
                sum = sum.wrapping_mul(5).wrapping_add(found);
            }
            team.single(|w| sums[w] = sum);
        })
        .map(|()| sums)
    });
    // A team may be larger than the space can have.
    let Ok(sums) = sums else { return Outcome::Refused };
    for r in 0..league {
        let (row, sum) = alone(&steps, r, columns);
        assert_eq!(view.row(r), row, "row {r} after {steps:?} on {}", space.configuration());
        assert_eq!(sums[r], sum, "sum {r} after {steps:?} on {}", space.configuration());
    }
    Outcome::Accepted
}

/// Row `r` after the steps, and their sum.
fn alone(steps: &[Step], r: usize, columns: usize) -> (Vec<u64>, u64) {
    let mut row: Vec<u64> = (0..columns).map(|j| (31 * r + j) as u64).collect();
    let mut sum = r as u64;
    for step in steps {
        let found = match *step {
            Step::Write { begin, end, number } => {
                row[begin..end].iter_mut().for_each(|x| *x = x.wrapping_mul(3) + number);
                0
            }
            Step::Sum { begin, end } => row[begin..end].iter().fold(0, |sum: u64, &x| sum.wrapping_add(x)),
            Step::Scan { begin, end } => {
                let mut sum = 0_u64;
                for x in &mut row[begin..end] {
                    sum = sum.wrapping_add(core::mem::replace(x, sum));
                }
                0
            }
            Step::Scratch { len } => (0..len as u64).map(|k| k * r as u64).sum(),
            Step::Broadcast { number } => number,
            Step::Barrier => 0,
        };
        sum = sum.wrapping_mul(5).wrapping_add(found);
    }
    (row, sum)
}
