//! Nested scans.

use spelt_core::parallel_for;
use spelt_core::reducers::{Max, Sum};

use crate::{bits, noise, text, words};

const LEAGUE: usize = 3;
const LENGTHS: [usize; 9] = [0, 1, 31, 33, 64, 500, 2048, 2049, 4500];
const MOST: usize = 4500 + 7;

text! {
    fn sums_of_floats_in_place_and_beside(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, MOST], |[r, j]| noise(r * MOST + j)).expect("memory");
        let mut totals = space.zeros::<f64, 1>("totals", [LEAGUE]).expect("memory");
        let mut found = Vec::new();
        for n in LENGTHS {
            let begin = n % 7;
            let mut p = space.view_from_fn("p", [LEAGUE, MOST], |[r, j]| noise(r * MOST + j + 1)).expect("memory");
            parallel_for("prefixes", space.team(LEAGUE, size), (&a, &mut p, &mut totals), move |team, (a, mut p, mut totals)| {
                let total = team.parallel_scan(team.thread_range(begin..begin + n), |rj, sum, last| {
                    *sum += a[rj] * p[rj];
                    if last { p[rj] = *sum }
                }, Sum::<f64>::new());
                team.single(|w| totals[w] = total);
            }).expect("covered");
            found.extend([bits!(p), bits!(totals)].concat());
            // Nothing is written by nested witnesses here.
            parallel_for("totals", space.team(LEAGUE, size), (&a, &mut totals), move |team, (a, mut totals)| {
                let total = team.parallel_scan(team.team_vector_range(begin..begin + n), |rj, sum, _| *sum += a[rj], Sum::<f64>::new());
                team.single(|w| totals[w] = total);
            }).expect("covered");
            found.extend(bits!(totals));
        }
        found
    }
}

text! {
    fn of_exact_values(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, MOST], |[r, j]| (noise(r * MOST + j) * 1e9) as i64).expect("memory");
        let mut found = Vec::new();
        for n in LENGTHS {
            let begin = n % 7;
            let mut p = space.zeros::<i64, 2>("p", [LEAGUE, MOST]).expect("memory");
            let mut q = space.zeros::<i64, 2>("q", [LEAGUE, MOST]).expect("memory");
            parallel_for("prefixes", space.team(LEAGUE, size), (&a, &mut p, &mut q), move |team, (a, mut p, mut q)| {
                let total = team.parallel_scan(team.thread_range(begin..begin + n), |rj, sum, last| {
                    if last { p[rj] = *sum }
                    *sum += a[rj];
                }, Sum::<i64>::new());
                let most = team.parallel_scan(team.team_vector_range(begin..begin + n), |rj, most, last| {
                    *most = a[rj].max(*most);
                    if last { q[rj] = *most }
                }, Max::<i64>::new());
                team.parallel_for(team.thread_range(MOST - 1..MOST), |rj| q[rj] = total ^ most);
            }).expect("covered");
            found.extend([words!(p), words!(q)].concat());
        }
        found
    }
}

text! {
    fn over_boxes(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, 20, 13], |[r, j, k]| noise(r * 260 + j * 13 + k)).expect("memory");
        let mut p = space.zeros::<f64, 3>("p", [LEAGUE, 20, 13]).expect("memory");
        let mut q = space.zeros::<i64, 3>("q", [LEAGUE, 20, 13]).expect("memory");
        parallel_for("boxes", space.team(LEAGUE, size), (&a, &mut p, &mut q), move |team, (a, mut p, mut q)| {
            team.parallel_scan(team.thread_md_range([20, 13]), |rjk, sum, last| {
                *sum += a[rjk];
                if last { p[rjk] = *sum }
            }, Sum::<f64>::new());
            team.parallel_scan(team.thread_md_range([1..20, 2..13]), |rjk, sum, last| {
                *sum += (a[rjk] * 1e6) as i64;
                if last { q[rjk] = *sum }
            }, Sum::<i64>::new());
        }).expect("covered");
        let mut totals = space.zeros::<f64, 1>("totals", [LEAGUE]).expect("memory");
        parallel_for("totals", space.team(LEAGUE, size), (&a, &mut totals), move |team, (a, mut totals)| {
            let total = team.parallel_scan(team.thread_md_range([20, 13]), |rjk, sum, _| *sum += a[rjk], Sum::<f64>::new());
            team.single(|w| totals[w] = total);
        }).expect("covered");
        [bits!(p), words!(q), bits!(totals)].concat()
    }
}
