//! A team's collective operations other than loops.

use spelt_core::reducers::{Reducer, Sum};
use spelt_core::{parallel_for, parallel_reduce};

use crate::{text, words};

const LEAGUE: usize = 7;

/// A value of more bytes than threads of a large team hand over at a time.
#[derive(Clone, Copy)]
struct Large([u64; 200]);

text! {
    fn values_go_around(space, size) -> Vec<u64> {
        let mut y = space.zeros::<usize, 1>("y", [LEAGUE]).expect("memory");
        parallel_for("collectives", space.team(LEAGUE, size), &mut y, move |team, mut y| {
            let (rank, size, league) = (team.team_rank(), team.team_size(), team.league_rank());
            let mut right = rank < size && team.league_size() == LEAGUE;
            right &= team.broadcast(rank * 10 + league, size - 1) == (size - 1) * 10 + league;
            right &= team.single_broadcast(|w| w.get() + 1) == league + 1;
            right &= team.team_reduce(rank + 1, &Sum::<usize>::new()) == size * (size + 1) / 2;
            right &= team.team_scan(rank + 1, &Sum::<usize>::new()) == rank * (rank + 1) / 2;
            let large = team.broadcast(Large([rank as u64; 200]), size / 2);
            right &= large.0.iter().all(|&value| value == size as u64 / 2);
            team.barrier();
            let all = team.team_reduce(usize::from(right), &Sum::<usize>::new());
            team.single(|w| y[w] += usize::from(all == size));
        }).expect("covered");
        words!(y)
    }
}

/// Joins in an order that shows.
#[derive(Clone, Copy)]
struct Words;
impl Reducer for Words {
    type Value = u64;
    type Output = u64;
    const COMMUTATIVE: bool = false;
    fn init(&self) -> u64 {
        1
    }
    fn join(&self, into: &mut u64, from: &u64) {
        *into = into.wrapping_mul(1_000_003) ^ *from;
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

text! {
    fn contributions_join_once_per_team(space, size) -> Vec<u64> {
        let mut found = Vec::new();
        for n in [0, 1, 100, 3000] {
            let sum = parallel_reduce("contribute", space.team(n, size), (), move |team, ()| {
                if team.league_rank() % 3 == 0 { team.contribute(team.league_rank() as f64 * 0.1) }
            }, Sum::<f64>::new()).expect("nothing can fail");
            let words = parallel_reduce("several", space.team(n, size), (), move |team, ()| {
                for part in 0..team.league_rank() % 4 {
                    team.contribute((team.league_rank() * 5 + part) as u64);
                }
            }, Words).expect("nothing can fail");
            found.extend([sum.to_bits(), words]);
        }
        found
    }
}
