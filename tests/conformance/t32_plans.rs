//! Plans of ranks: rows fetched and returned by their indices, packed and unpacked on each space.

use spelt::prelude::*;
use spelt::{Error, Layout, reducers::Reducer};
use spelt_mpi::InProcess;

use crate::spaces::every;

/// Neither commutative nor associative: each order of joins has another value.
#[derive(Clone, Copy)]
struct Digits;

impl Reducer for Digits {
    type Value = u64;
    type Output = u64;
    fn init(&self) -> u64 {
        0
    }
    fn join(&self, into: &mut u64, from: &u64) {
        *into = into.wrapping_mul(31).wrapping_add(*from);
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

fn element(row: usize, j: usize, k: usize) -> u64 {
    (100 * row + 10 * j + k) as u64
}

/// The rows that a rank wants: near and far ones, its own, repeated.
fn wanted(rank: usize, n: usize) -> Vec<usize> {
    (0..2 * n + rank).map(|number| (number * number * 7 + 3 * rank + 1) % n).collect()
}

fn there_and_back<S: ExecutionSpace, L: Layout>(space: &S, cuts: &[usize]) {
    let (size, n) = (cuts.len() - 1, cuts[cuts.len() - 1]);
    let lists: Vec<_> = (0..size).map(|rank| wanted(rank, n)).collect();
    let ghost =
        |rank: usize, number: usize, j: usize, k: usize| (1 + 1000 * rank + 20 * number + 5 * j + k) as u64;
    let mut joined: Vec<_> = (0..n * 6).map(|at| element(at / 6, at / 2 % 3, at % 2)).collect();
    for (rank, list) in lists.iter().enumerate() {
        for (number, row) in list.iter().enumerate() {
            for at in 0..6 {
                Digits.join(&mut joined[row * 6 + at], &ghost(rank, number, at / 2, at % 2));
            }
        }
    }
    let results = InProcess::new(size).delays(1, 10).run(|ranks| {
        let (rank, own) = (ranks.rank(), cuts[ranks.rank()]..cuts[ranks.rank() + 1]);
        let first = own.start;
        let plan = ranks.plan("rows", space, cuts, &lists[rank])?;
        let mut x = space
            .view_from_fn_in(L::default(), "x", [own.len(), 3, 2], |[i, j, k]| element(first + i, j, k))?;
        let single = space.view_from_fn("single", [own.len()], |[i]| (first + i) as f32)?;
        let mut ghosts = space.zeros::<u64, 3>("ghosts", [plan.ghosts(), 3, 2])?;
        let mut singles = space.zeros_in::<f32, 1, L>(L::default(), "singles", [plan.ghosts()])?;
        plan.forward("there", ((&x, &mut ghosts), (&single, &mut singles)))?;
        let expected = lists[rank].iter().flat_map(|row| (0..6).map(move |at| element(*row, at / 2, at % 2)));
        assert_eq!(ghosts.to_host()?.to_vec(), expected.collect::<Vec<_>>(), "{rank} of {cuts:?}");
        assert!(singles.to_host()?.iter().zip(&lists[rank]).all(|(single, row)| *single == *row as f32));

        let ghosts = space
            .view_from_fn("ghosts", [plan.ghosts(), 3, 2], |[number, j, k]| ghost(rank, number, j, k))?;
        plan.back("and back", (&ghosts, &mut x, Digits))?;
        assert_eq!(x.to_host()?.to_vec(), joined[6 * own.start..6 * own.end], "{rank} of {cuts:?}");

        // Views of this space as messages.
        let all = ranks.all_gather_view("all", &x)?;
        assert_eq!(all.to_vec(), joined);
        let mut again = space.zeros_in::<u64, 3, L>(L::default(), "again", x.extents())?;
        ranks.scatter_view("again", 0, cuts, &all, &mut again)?;
        assert_eq!(again.to_host()?, x.to_host()?);
        Ok::<(), Error>(())
    });
    results.into_iter().for_each(|result| result.expect("no error"));
}

every! { on_every_setting:
    fn plans_take_rows_there_and_back(space, _setting) {
        for cuts in [&[0, 5][..], &[0, 2, 2, 7]] {
            there_and_back::<S, Right>(space, cuts);
            there_and_back::<S, Left>(space, cuts);
        }
    }
}
