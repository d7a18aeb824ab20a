//! Nested loops.

use spelt_core::parallel_for;

use crate::{text, words};

text! {
    fn each_index_is_visited_once_whatever_loop_it_is_in(space, size) -> Vec<u64> {
        const LEAGUE: usize = 9;
        let mut a = space.zeros::<u32, 2>("a", [LEAGUE, 100]).expect("memory");
        let mut b = space.zeros::<usize, 3>("b", [LEAGUE, 9, 11]).expect("memory");
        parallel_for("loops", space.team(LEAGUE, size), (&mut a, &mut b), move |team, (mut a, mut b)| {
            team.parallel_for(team.thread_range(100), |rj| a[rj] += 1);
            team.parallel_for(team.thread_range(10..60), |rj| a[rj] *= 10);
            team.parallel_for(team.team_vector_range(50..100), |rj| a[rj] += 5);
            team.parallel_for(team.thread_range(7..7), |rj| a[rj] = 0);
            team.parallel_for(team.thread_md_range([9, 11]), |rjk| b[rjk] += rjk.index().iter().sum::<usize>());
            team.parallel_for(team.thread_md_range([2..7, 3..5]), |rjk| b[rjk] *= 3);
        }).expect("covered");
        [words!(a), words!(b)].concat()
    }
}

text! {
    fn lanes_that_begin_elsewhere_meet_at_no_element(space, size) -> Vec<u64> {
        const N: usize = 500;
        let mut a = space.zeros::<u32, 2>("a", [1, N + 1024]).expect("memory");
        parallel_for("shifted", space.team(1, size), &mut a, move |team, mut a| {
            let begin = team.team_rank();
            team.parallel_for(team.thread_range(begin..begin + N), |rj| a[rj] += 1);
        }).expect("covered");
        // How often an element is visited depends on the size; that it is at most once does not.
        vec![u64::from(words!(a).iter().all(|&visits| visits <= 1))]
    }
}
