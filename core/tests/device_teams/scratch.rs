//! Scratch memory, in shared memory and beyond it.

use spelt_core::parallel_for;
use spelt_core::reducers::Sum;

use crate::{text, words};

const LEAGUE: usize = 5;

text! {
    fn in_phases(space, size) -> Vec<u64> {
        let mut y = space.zeros::<u64, 1>("y", [LEAGUE]).expect("memory");
        parallel_for("scratch", space.team(LEAGUE, size).scratch(4096, 256), &mut y, move |team, mut y| {
            let league = team.league_rank() as u64;
            let mut right = true;
            for round in 0..5 {
                let first: u64 = team.scratch_fill(100, |k| k as u64 + league + round).iter().sum();
                right &= first == 4950 + 100 * (league + round);
            }
            let sum = team.with_scratch(64, |k| k as u64 * league, |team, squares| {
                let bytes: u64 = team.with_scratch(33, |k| k as u8, |team, bytes| {
                    let more: u64 = team.scratch_fill(10, |k| k as u64).iter().sum();
                    more + bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>()
                });
                let all = team.parallel_reduce(team.vector_range(64), |j, sum| *sum += squares[j], Sum::<u64>::new());
                let own = team.with_thread_scratch(8, |_, own: &mut [u64]| {
                    let zero = own.iter().all(|&value| value == 0);
                    own.fill(all);
                    if zero { own[7] } else { 0 }
                });
                bytes + own
            });
            team.single(|w| y[w] = if right { sum } else { 0 });
        }).expect("covered");
        words!(y)
    }
}

text! {
    fn more_than_shared_memory_has(space, size) -> Vec<u64> {
        let mut y = space.zeros::<u64, 1>("y", [LEAGUE]).expect("memory");
        parallel_for("large", space.team(LEAGUE, size).scratch(40_000 * 8, 16), &mut y, move |team, mut y| {
            let league = team.league_rank() as u64;
            let sum = team.with_scratch(40_000, |k| k as u64 ^ league, |team, filled| {
                team.parallel_reduce(team.thread_range(40_000), |rj, sum| *sum += filled[rj.inner()], Sum::<u64>::new())
            });
            team.single(|w| y[w] = sum);
        }).expect("covered");
        words!(y)
    }
}
