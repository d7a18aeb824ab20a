use std::time::Duration;

use spelt_core::reducers::{Max, Reducer, Sum};
use spelt_core::subview::{All, Steps};
use spelt_core::{
    Element, ExecutionSpace, Layout, Left, Portable, Result, Right, Serial, Stride, Threads, View,
};
use spelt_mpi::{Communicator, InProcess, Sent};

use super::{cuts, random, term, worlds};

/// Numbers of ranks of which neighbours look different.
const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

/// The rows that a rank wants: near and far ones, its own, repeated, in no order; some ranks want none.
fn wishes(rank: usize, n: usize) -> Vec<usize> {
    let count = if n == 0 || rank % 4 == 3 { 0 } else { 2 * n / 3 + rank };
    (0..count).map(|number| random(number + 1000 * rank) as usize % n).collect()
}

/// The row of the whole array, in `width` parts.
fn value(row: usize, part: usize) -> f64 {
    term(10 * row + part)
}

/// Fetches rows of Views of ranks 1 to 3 in layout `L`, and compares each ghost with the array.
fn forward_in<L: Layout>(
    ranks: &Communicator,
    space: &impl ExecutionSpace<Memory = spelt_core::HostSpace>,
    cuts: &[usize],
) -> Result<()> {
    let (rank, n) = (ranks.rank(), cuts[cuts.len() - 1]);
    let (first, rows) = (cuts[rank], cuts[rank + 1] - cuts[rank]);
    let wanted = wishes(rank, n);
    let plan = ranks.plan("rows", space, cuts, &wanted)?;
    let layout = L::default();
    let one = View::from_fn_in(layout, "one", [rows], |[i]| value(first + i, 0))?;
    let two = View::from_fn_in(Right, "two", [rows, 3], |[i, j]| value(first + i, j) as f32)?;
    let three =
        View::from_fn_in(layout, "three", [rows, 2, 2], |[i, j, k]| [value(first + i, 2 * j + k), 1.0])?;
    let mut ghosts = (
        View::<f64, 1>::zeros("one", [wanted.len()])?,
        View::<f32, 2, _, L>::zeros_in(layout, "two", [wanted.len(), 3])?,
        View::<[f64; 2], 3>::zeros("three", [wanted.len(), 2, 2])?,
    );
    plan.forward("rows", ((&one, &mut ghosts.0), (&two, &mut ghosts.1), (&three, &mut ghosts.2)))?;
    for (ghost, row) in wanted.iter().enumerate() {
        assert_eq!(ghosts.0[ghost].to_bits(), value(*row, 0).to_bits(), "{ghost} of rank {rank}, {cuts:?}");
        for j in 0..3 {
            assert_eq!(ghosts.1[[ghost, j]].to_bits(), (value(*row, j) as f32).to_bits());
        }
        for (j, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert_eq!(ghosts.2[[ghost, j, k]], [value(*row, 2 * j + k), 1.0]);
        }
    }
    Ok(())
}

#[test]
fn ghosts_are_the_rows_of_their_owners() {
    for size in SIZES {
        for n in [0, 1, 7, 40] {
            for cuts in cuts(n, size) {
                for world in worlds(size) {
                    let results = world.run(|ranks| {
                        forward_in::<Right>(ranks, &Serial::new(), &cuts)?;
                        forward_in::<Left>(ranks, &Serial::new(), &cuts)?;
                        forward_in::<Stride>(ranks, &Serial::new(), &cuts)
                    });
                    results.into_iter().for_each(|result| result.expect("no error"));
                }
            }
        }
    }
}

#[test]
fn threads_pack_and_unpack() {
    let results = InProcess::new(2).run(|ranks| {
        let space = Threads::builder().num_threads(2).build()?;
        forward_in::<Right>(ranks, &space, &[0, 3000, 5000])
    });
    results.into_iter().for_each(|result| result.expect("no error"));
}

#[test]
fn parts_of_views_are_rows_too() {
    let results = InProcess::new(2).run(|ranks| {
        let (rank, space) = (ranks.rank(), Serial::new());
        let plan = ranks.plan("other", &space, &[0, 2, 4], &[2 * (1 - rank)])?;
        let grid = View::from_fn("grid", [4, 6], |[i, j]| 100 * rank + 10 * i + j)?;
        let mut ghosts = View::<usize, 2>::zeros("ghosts", [3, 6])?;
        plan.forward("part", (&grid.subview((1..3, All.step(2))), &mut ghosts.subview_mut((1..2, 0..3))))?;
        let first = 100 * (1 - rank) + 10;
        assert_eq!(ghosts.to_vec()[6..12], [first, first + 2, first + 4, 0, 0, 0]);
        assert_eq!(ghosts.iter().filter(|ghost| **ghost != 0).count(), 3);
        Ok(())
    });
    results.into_iter().for_each(|result| result.expect("no error"));
}

/// Joins in the order of the ranks and of their lists, one after another: shorter than the plan.
fn back_alone<T: Copy>(
    rows: &mut [T],
    lists: &[Vec<usize>],
    ghost: impl Fn(usize, usize) -> T,
    join: impl Fn(T, T) -> T,
) {
    for (rank, list) in lists.iter().enumerate() {
        for (number, row) in list.iter().enumerate() {
            rows[*row] = join(rows[*row], ghost(rank, number));
        }
    }
}

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
        *into = digits(*into, *from);
    }
    fn finish(&self, value: u64) -> u64 {
        value
    }
}

fn digits(left: u64, right: u64) -> u64 {
    left.wrapping_mul(31).wrapping_add(right)
}

#[test]
fn ghosts_are_joined_in_order() {
    for size in SIZES {
        for n in [1, 7, 40] {
            for cuts in cuts(n, size) {
                let lists: Vec<_> = (0..size).map(|rank| wishes(rank, n)).collect();
                let ghost = |rank: usize, number: usize| term(977 * rank + number);
                let mut sums: Vec<_> = (0..n).map(|row| value(row, 0)).collect();
                back_alone(&mut sums, &lists, ghost, |left, right| left + right);
                let mut most = vec![[i32::MIN; 2]; n];
                let join = |left: [i32; 2], right: [i32; 2]| [left[0].max(right[0]), left[1].max(right[1])];
                back_alone(
                    &mut most,
                    &lists,
                    |rank, number| [(rank + number) as i32, -(number as i32)],
                    join,
                );
                let mut words = vec![7; n];
                back_alone(&mut words, &lists, |rank, number| (1 + 100 * rank + number) as u64, digits);
                for world in worlds(size) {
                    let results = world.run(|ranks| {
                        let (rank, space) = (ranks.rank(), Serial::new());
                        let (first, own) = (cuts[rank], cuts[rank]..cuts[rank + 1]);
                        let plan = ranks.plan("rows", &space, &cuts, &lists[rank])?;
                        let ghosts =
                            View::from_fn("ghosts", [plan.ghosts()], |[number]| ghost(rank, number))?;
                        let marks = View::from_fn_in(Left, "marks", [plan.ghosts(), 2], |[number, part]| {
                            [(rank + number) as i32, -(number as i32)][part]
                        })?;
                        let mut x = View::from_fn("x", [own.len()], |[i]| value(first + i, 0))?;
                        let mut y = View::<i32, 2>::from_fn("y", [own.len(), 2], |_| i32::MIN)?;
                        plan.back(
                            "join",
                            ((&ghosts, &mut x, Sum::<f64>::new()), (&marks, &mut y, Max::<i32>::new())),
                        )?;
                        let numbers =
                            View::from_fn("numbers", [plan.ghosts()], |[i]| (1 + 100 * rank + i) as u64)?;
                        let mut z = View::from_fn("z", [own.len()], |_| 7)?;
                        plan.back("in order", (&numbers, &mut z, Digits))?;
                        assert_eq!(z.to_vec(), words[own.clone()]);
                        let bits =
                            |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                        assert_eq!(bits(&x.to_vec()), bits(&sums[own.clone()]), "rank {rank} of {cuts:?}");
                        assert_eq!(y.to_vec(), most[own].as_flattened());
                        Ok(())
                    });
                    results.into_iter().for_each(|result| result.expect("no error"));
                }
            }
        }
    }
}

/// Pairs of particles, divided among the ranks in their order: forces have the bits of one rank.
#[test]
fn the_number_of_ranks_changes_no_bit() {
    let (n, pairs) = (50, 3000);
    let places = |pair: usize| [random(pair) as usize % n, random(pair + pairs) as usize % n];
    let forces = |size: usize, even: bool| {
        let share =
            |all: usize, rank: usize| if even { all * rank / size } else { all * rank * rank / size / size };
        let cuts: Vec<_> = (0..=size).map(|rank| share(n, rank)).collect();
        let results = InProcess::new(size).delays(size as u64, 20).run(|ranks| {
            let own = share(pairs, ranks.rank())..share(pairs, ranks.rank() + 1);
            let space = Serial::new();
            let wanted: Vec<_> = own.clone().flat_map(places).collect();
            let plan = ranks.plan("pairs", &space, &cuts, &wanted)?;
            let ghosts = View::from_fn("ghosts", [own.len(), 2], |[pair, side]| {
                term(own.start + pair) * [1.0, -1.0][side]
            })?;
            let ghosts = View::from_vec("ghosts", [2 * own.len()], ghosts.into_vec())?;
            let mut forces = View::<f64, 1>::zeros("forces", [plan.rows()])?;
            plan.back("forces", (&ghosts, &mut forces, Sum::<f64>::new()))?;
            ranks.gather_view("forces", 0, &forces)
        });
        let all = results.into_iter().next().expect("rank 0").expect("no error").expect("rank 0 is the root");
        all.iter().map(|force| force.to_bits()).collect::<Vec<_>>()
    };
    let alone = forces(1, true);
    assert!(alone.iter().any(|bits| f64::from_bits(*bits) != 0.0));
    for size in SIZES {
        for even in [true, false] {
            assert_eq!(forces(size, even), alone, "{size} ranks");
        }
    }
}

fn count(ranks: &Communicator, call: impl FnOnce() -> Result<()>) -> Result<[u64; 2]> {
    let before = ranks.sent();
    call()?;
    let Sent { messages, bytes } = ranks.sent();
    Ok([messages - before.messages, bytes - before.bytes])
}

/// A ring: a plan takes log2 P messages of each rank, and its transfers two for any number of ranks.
#[test]
fn messages_and_bytes() {
    for size in [3, 5, 8, 64] {
        let counts = InProcess::new(size).run(|ranks| {
            let (rank, space) = (ranks.rank(), Serial::new());
            let cuts: Vec<_> = (0..=size).map(|rank| 10 * rank).collect();
            let n = 10 * size;
            // The neighbouring rows, each twice: a message forward has each once.
            let (left, right) = ((10 * rank + n - 1) % n, (10 * rank + 10) % n);
            let wanted = [left, left, right, right];
            let mut plan = None;
            let built =
                count(ranks, || ranks.plan("ring", &space, &cuts, &wanted).map(|made| plan = Some(made)))?;
            let plan = plan.expect("made above");
            assert_eq!(plan.neighbours(), 2);
            let (mut x, mut ghosts) =
                (View::<f64, 2>::zeros("x", [10, 100])?, View::zeros("ghosts", [4, 100])?);
            let mut y = View::<f64, 1>::zeros("y", [10])?;
            let forward = count(ranks, || plan.forward("one", (&x, &mut ghosts)))?;
            let mut other = View::zeros("other", [4])?;
            let two = count(ranks, || plan.forward("two", ((&x, &mut ghosts), (&y, &mut other))))?;
            let back = count(ranks, || {
                plan.back("two", ((&ghosts, &mut x, Sum::<f64>::new()), (&other, &mut y, Sum::<f64>::new())))
            })?;
            Ok([built, forward, two, back])
        });
        for counts in counts {
            let [built, forward, two, back] = counts.expect("no error");
            assert_eq!(built[0], u64::from(usize::BITS - (size - 1).leading_zeros()));
            // The header of rows has type, rank and extents.
            let (header, of_rank_1) = (4 + 3 + 4 + 16, 4 + 3 + 4 + 8);
            assert_eq!(forward, [2, 2 * (header + 800)]);
            assert_eq!(two, [2, 2 * (header + 800 + of_rank_1 + 8)]);
            assert_eq!(back, [2, 2 * (header + 2 * 800 + of_rank_1 + 2 * 8)]);
        }
    }
}

/// Wherever a rank dies, the others learn of it and none hangs.
#[test]
fn a_rank_dies_in_each_phase() {
    let phases = |ranks: &Communicator| {
        let (rank, size, space) = (ranks.rank(), ranks.size(), Serial::new());
        let cuts: Vec<_> = (0..=size).collect();
        let plan = ranks.plan("ring", &space, &cuts, &[(rank + 1) % size, (rank + size - 1) % size])?;
        let (mut x, mut ghosts) = (View::<u64, 1>::zeros("x", [1])?, View::zeros("ghosts", [2])?);
        plan.forward("there", (&x, &mut ghosts))?;
        plan.back("and back", (&ghosts, &mut x, Sum::<u64>::new()))?;
        ranks.all_gather_view("all", &x).map(drop)
    };
    for size in [2, 3, 5, 7, 8] {
        let mut deaths = 0;
        for operation in 0.. {
            let world = InProcess::new(size).delays(operation, 10).timeout(Duration::from_secs(60));
            let results = world.dies_at(size - 1, operation).run(phases);
            let errors: Vec<_> = results.into_iter().filter_map(|result| result.err()).collect();
            if errors.is_empty() {
                break;
            }
            let words = format!("rank {} panicked: it was to die at operation {operation}", size - 1);
            assert!(errors.iter().all(|error| error.to_string() == words), "{errors:?}");
            deaths += 1;
        }
        assert!(deaths > 8, "{deaths} operations of {size} ranks");
    }
}

fn told<T>(results: Vec<Result<T>>, words: &str) {
    let errors: Vec<_> =
        results.into_iter().filter_map(|result| result.err().map(|error| error.to_string())).collect();
    assert!(errors.iter().any(|error| error.contains(words)), "{words}: {errors:?}");
}

fn swap<T: Element + Portable>(ranks: &Communicator, extents: [usize; 2]) -> Result<()> {
    let space = Serial::new();
    let plan = ranks.plan("swap", &space, &[0, 1, 2], &[1 - ranks.rank()])?;
    let x = View::<T, 2>::zeros("x", extents)?;
    plan.forward("swap", (&x, &mut View::zeros("ghosts", extents)?))
}

#[test]
fn mistakes_are_told() {
    let world = InProcess::new(2).timeout(Duration::from_secs(60));
    told(
        world.run(|ranks| swap::<f32>(ranks, [1, 3 + ranks.rank()])),
        "rank 1 sent [1, 4] of f32, where rank 0 has [1, 3] of f32",
    );
    told(
        world.run(
            |ranks| if ranks.rank() == 0 { swap::<i32>(ranks, [1, 3]) } else { swap::<f32>(ranks, [1, 3]) },
        ),
        "rank 1 sent [1, 3] of f32, where rank 0 has [1, 3] of i32",
    );
    told(world.run(|ranks| swap::<f32>(ranks, [2, 3])), "has the extents [2, 3]: its first one must be 1");
    let with_cuts = |cuts: [usize; 3], other: [usize; 3], wanted: usize| {
        world.run(move |ranks| {
            let cuts = if ranks.rank() == 0 { cuts } else { other };
            ranks.plan("plan", &Serial::new(), &cuts, &[wanted]).map(drop)
        })
    };
    told(with_cuts([0, 1, 3], [0, 1, 3], 3), "`plan`: rank 0 wants row 3, but there are 3 rows");
    told(with_cuts([0, 1, 3], [0, 2, 3], 0), "do not make the same calls");
    told(with_cuts([0, 3, 2], [0, 3, 2], 0), "the cuts are [0, 3, 2]");
    // Two plans, used in another order.
    let results = world.run(|ranks| {
        let space = Serial::new();
        let [one, two] =
            ["one", "two"].map(|label| ranks.plan(label, &space, &[0, 1, 2], &[1 - ranks.rank()]));
        let (plan, x) = (if ranks.rank() == 0 { one? } else { two? }, View::<u8, 1>::zeros("x", [1])?);
        plan.forward("swap", (&x, &mut View::zeros("ghosts", [1])?))
    });
    told(
        results,
        "by the plan of call 1) where rank 1 is in forward `swap` (number 3, by the plan of call 2)",
    );
    // A View more on one rank.
    let results = world.run(|ranks| {
        let space = Serial::new();
        let plan = ranks.plan("swap", &space, &[0, 1, 2], &[1 - ranks.rank()])?;
        let (x, mut one, mut two) =
            (View::<u8, 1>::zeros("x", [1])?, View::zeros("1", [1])?, View::zeros("2", [1])?);
        if ranks.rank() == 0 {
            plan.forward("swap", (&x, &mut one))
        } else {
            plan.forward("swap", ((&x, &mut one), (&x, &mut two)))
        }
    });
    told(results, "rank 1 sent rank 0 bytes that are not the elements of its View");
    let results = world.run(|ranks| {
        let space = Serial::new();
        let plan = ranks.plan("swap", &space, &[0, 1, 2], &[1 - ranks.rank()])?;
        let x = View::<u8, 2>::zeros("x", [1, 2])?;
        plan.forward("swap", (&x, &mut View::zeros("ghosts", [1, 3])?))
    });
    told(
        results,
        "View `x` of extents [1, 2] and View `ghosts` of extents [1, 3] differ in more than the first one",
    );
}
