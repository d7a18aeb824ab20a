//! Nested reductions: where nothing is written by nested witnesses, and where each index has an owner.

use spelt_core::parallel_for;
use spelt_core::reducers::{MinMaxLoc, Reducer, Sum};

use crate::{bits, noise, text, words};

const LEAGUE: usize = 3;
/// Around lanes, tiles of 16 and of 32 lanes, and several of them.
const LENGTHS: [usize; 12] = [0, 1, 7, 31, 33, 100, 1025, 2047, 2048, 2049, 5000, 9001];
const MOST: usize = 9001 + 5;

/// A checksum that depends on the order and the grouping of all joins.
#[derive(Clone, Copy)]
struct Tree<const B: usize>([u8; B]);

#[derive(Clone, Copy)]
struct Joins<const B: usize, const COMMUTATIVE: bool>;

fn mix(a: u8, b: u8, place: usize) -> u8 {
    a.wrapping_mul(31).rotate_left(3) ^ b.wrapping_mul(17).wrapping_add(place as u8)
}

impl<const B: usize, const COMMUTATIVE: bool> Reducer for Joins<B, COMMUTATIVE> {
    type Value = Tree<B>;
    type Output = u64;
    const COMMUTATIVE: bool = COMMUTATIVE;
    fn init(&self) -> Tree<B> {
        Tree([1; B])
    }
    fn join(&self, into: &mut Tree<B>, from: &Tree<B>) {
        for (place, (into, from)) in into.0.iter_mut().zip(&from.0).enumerate() {
            *into = mix(*into, *from, place);
        }
    }
    fn finish(&self, value: Tree<B>) -> u64 {
        value.0.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(1_000_003).wrapping_add(u64::from(*byte)))
    }
}

impl<const B: usize> Tree<B> {
    fn add(&mut self, i: usize) {
        let place = i % B;
        self.0[place] = mix(self.0[place], i as u8, i >> 8);
    }
}

text! {
    fn sums_and_places(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, MOST], |[r, j]| noise(r * MOST + j)).expect("memory");
        let mut sums = space.zeros::<f64, 1>("sums", [LEAGUE]).expect("memory");
        let mut places = space.zeros::<usize, 1>("places", [LEAGUE]).expect("memory");
        let mut found = Vec::new();
        for n in LENGTHS {
            let begin = n % 5;
            parallel_for("rows", space.team(LEAGUE, size), (&a, &mut sums, &mut places), move |team, (a, mut sums, mut places)| {
                let range = begin..begin + n;
                let sum = team.parallel_reduce(team.thread_range(range.clone()), |rj, sum| *sum += a[rj], Sum::<f64>::new());
                let mapped = team.parallel_map_reduce(team.team_vector_range(range.clone()), |rj| a[rj], Sum::<f64>::new());
                let best = team.parallel_reduce(team.thread_range(range),
                    |rj, best| best.update(a[rj], rj.inner()), MinMaxLoc::<f64>::new());
                team.single(|w| {
                    sums[w] = if sum.to_bits() == mapped.to_bits() { sum } else { f64::NAN };
                    places[w] = best.min_loc.wrapping_mul(1 << 20).wrapping_add(best.max_loc);
                });
            }).expect("covered");
            found.extend([bits!(sums), words!(places)].concat());
        }
        found
    }
}

text! {
    fn values_of_all_sizes_in_every_order(space, size) -> Vec<u64> {
        let mut found = Vec::new();
        for n in LENGTHS {
            let mut sums = space.zeros::<u64, 2>("sums", [LEAGUE, MOST]).expect("memory");
            let mut result = space.zeros::<u64, 1>("result", [LEAGUE]).expect("memory");
            parallel_for("trees", space.team(LEAGUE, size), &mut result, move |team, mut result| {
                let range = team.thread_range(team.league_rank()..team.league_rank() + n);
                let a = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<3, true>);
                let b = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<24, true>);
                let c = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<100, true>);
                let d = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<5, false>);
                let e = team.parallel_reduce(range, |rj, tree| tree.add(rj.inner()), Joins::<40, false>);
                team.single(|w| result[w] = a ^ b.rotate_left(8) ^ c.rotate_left(16) ^ d.rotate_left(24) ^ e.rotate_left(32));
            }).expect("covered");
            found.extend(words!(result));
            // The same where each index has an owner.
            parallel_for("owned trees", space.team(LEAGUE, size), (&mut sums, &mut result), move |team, (mut sums, mut result)| {
                let range = team.thread_range(team.league_rank()..team.league_rank() + n);
                let a = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<3, true>);
                let b = team.parallel_reduce(range.clone(), |rj, tree| tree.add(rj.inner()), Joins::<24, true>);
                let d = team.parallel_reduce(range, |rj, tree| tree.add(rj.inner()), Joins::<5, false>);
                team.parallel_for(team.thread_range(6), |rj| sums[rj] = a);
                team.single(|w| result[w] = a ^ b.rotate_left(8) ^ d.rotate_left(24));
            }).expect("covered");
            found.extend([words!(sums), words!(result)].concat());
        }
        found
    }
}

text! {
    fn boxes(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [LEAGUE, 50, 60], |[r, j, k]| noise(r * 3000 + j * 60 + k)).expect("memory");
        let mut b = space.zeros::<f64, 3>("b", [LEAGUE, 50, 60]).expect("memory");
        let mut sums = space.zeros::<f64, 1>("sums", [LEAGUE]).expect("memory");
        let mut found = Vec::new();
        parallel_for("boxes", space.team(LEAGUE, size), (&a, &mut sums), move |team, (a, mut sums)| {
            let sum = team.parallel_reduce(team.thread_md_range([50, 60]), |rjk, sum| *sum += a[rjk], Sum::<f64>::new());
            let part = team.parallel_reduce(team.thread_md_range([3..5, 7..40]), |rjk, sum| *sum += a[rjk], Sum::<f64>::new());
            team.single(|w| sums[w] = sum + part);
        }).expect("covered");
        found.extend(bits!(sums));
        parallel_for("owned boxes", space.team(LEAGUE, size), (&a, &mut b, &mut sums), move |team, (a, mut b, mut sums)| {
            let sum = team.parallel_reduce(team.thread_md_range([50, 60]), |rjk, sum| {
                b[rjk] += a[rjk];
                *sum += a[rjk];
            }, Sum::<f64>::new());
            let part = team.parallel_reduce(team.thread_md_range([3..5, 7..40]), |rjk, sum| *sum += b[rjk], Sum::<f64>::new());
            team.single(|w| sums[w] = sum + part);
        }).expect("covered");
        found.extend([bits!(sums), bits!(b)].concat());
        found
    }
}

text! {
    fn each_thread_anew(space, size) -> Vec<u64> {
        let a = space.view_from_fn("a", [200], |[j]| noise(j)).expect("memory");
        let mut sums = space.zeros::<f64, 1>("sums", [LEAGUE]).expect("memory");
        parallel_for("anew", space.team(LEAGUE, size), (a.lookup(), &mut sums), move |team, (a, mut sums)| {
            let league = team.league_rank();
            let sum = team.parallel_reduce(team.vector_range(league..league + 150), |j, sum| *sum += a[j], Sum::<f64>::new());
            let mut last = 0.0;
            team.parallel_scan(team.vector_range(100), |j, sum, end| {
                *sum += a[j];
                if end { last = *sum }
            }, Sum::<f64>::new());
            team.single(|w| sums[w] = sum + last);
        }).expect("covered");
        bits!(sums)
    }
}
