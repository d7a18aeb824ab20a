//! Threads with vector lanes.

use spelt_core::reducers::{MinMaxLoc, Sum};
use spelt_core::{parallel_for, parallel_reduce};

use crate::{bits, noise, text, words};

const LEAGUE: usize = 3;

text! {
    fn threads_and_their_lanes(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, 10, 70], |[r, j, v]| noise(r * 700 + j * 70 + v)).expect("memory");
        let mut found = Vec::new();
        for lanes in [1, 4, 8] {
            let mut b = space.zeros::<f64, 3>("b", [LEAGUE, 10, 70]).expect("memory");
            let mut sums = space.zeros::<f64, 2>("sums", [LEAGUE, 100]).expect("memory");
            let mut flat = space.zeros::<u64, 2>("flat", [LEAGUE, 100]).expect("memory");
            let total = parallel_reduce("lanes", space.team(LEAGUE, size).vector(lanes), (&a, &mut b, &mut sums, flat.flat()),
                move |team, (a, mut b, mut sums, mut flat)| {
                team.parallel_for(team.thread_range(2..10), |mut thread| {
                    let sum = thread.parallel_reduce(thread.vector_range(3..70), |rjv, sum| *sum += a[rjv], Sum::<f64>::new());
                    let best = thread.parallel_reduce(thread.vector_range(70),
                        |rjv, best| best.update(a[rjv], rjv.inner()), MinMaxLoc::<f64>::new());
                    thread.parallel_scan(thread.vector_range(70), |rjv, sum, last| {
                        *sum += a[rjv];
                        if last { b[rjv] = *sum }
                    }, Sum::<f64>::new());
                    thread.parallel_for(thread.vector_range(5..60), |rjv| b[rjv] *= 2.0);
                    thread.single(|rj| sums[rj] = sum + (best.min_loc * 100 + best.max_loc) as f64);
                });
                team.parallel_for(team.team_vector_range(3..100), |rj| flat[rj] += rj.inner() as u64);
                let all = team.parallel_reduce(team.thread_range(10), |mut thread, sum| {
                    *sum += thread.parallel_reduce(thread.vector_range(70), |rjv, sum| *sum += b[rjv], Sum::<f64>::new());
                }, Sum::<f64>::new());
                team.contribute(all);
            }, Sum::<f64>::new()).expect("covered");
            found.push(total.to_bits());
            found.extend([bits!(b), bits!(sums), words!(flat)].concat());
        }
        found
    }
}

text! {
    fn threads_where_nothing_is_written(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, 100, 20], |[r, j, v]| noise(r * 2000 + j * 20 + v)).expect("memory");
        let mut sums = space.zeros::<f64, 1>("sums", [LEAGUE]).expect("memory");
        let mut found = Vec::new();
        for lanes in [1, 2, 8] {
            parallel_for("read", space.team(LEAGUE, size).vector(lanes), (&a, &mut sums), move |team, (a, mut sums)| {
                let all = team.parallel_reduce(team.thread_range(100), |mut thread, sum| {
                    *sum += thread.parallel_reduce(thread.vector_range(20), |rjv, sum| *sum += a[rjv], Sum::<f64>::new());
                }, Sum::<f64>::new());
                let flat = team.parallel_reduce(team.team_vector_range(50..2000), |rj, sum| {
                    let j = rj.inner();
                    *sum += a[[rj.get()[0], j / 20, j % 20]];
                }, Sum::<f64>::new());
                team.single(|w| sums[w] = all + flat);
            }).expect("covered");
            found.extend(bits!(sums));
        }
        found
    }
}
