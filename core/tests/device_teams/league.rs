//! Scans over the league.

use spelt_core::parallel_scan;
use spelt_core::reducers::Sum;

use crate::{bits, noise, text};

text! {
    fn scans_go_in_the_order_of_the_league(space, size) -> Vec<u64> {
        let mut found = Vec::new();
        for n in [0, 1, 33, 2048, 2500] {
            let a = space.view_from_fn("a", [n, 6], |[r, j]| noise(r * 6 + j)).expect("memory");
            let mut p = space.zeros::<f64, 1>("p", [n]).expect("memory");
            let total = parallel_scan("league", space.team(n, size), (&a, &mut p), move |team, sum, last, (a, mut p)| {
                *sum += team.parallel_reduce(team.thread_range(6), |rj, sum| *sum += a[rj], Sum::<f64>::new());
                let sum = *sum;
                if last { team.single(|w| p[w] = sum) }
            }, Sum::<f64>::new()).expect("covered");
            found.push(total.to_bits());
            found.extend(bits!(p));
            let exact = parallel_scan("exact", space.team(n, size), (), move |team, sum, _, ()| {
                *sum += team.league_rank() as u64 * 3;
            }, Sum::<u64>::new()).expect("covered");
            found.push(exact);
        }
        found
    }
}
