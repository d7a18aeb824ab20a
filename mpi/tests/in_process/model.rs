//! The model of docs/machines.md beside counted messages, bytes and steps, on 1 to 64 ranks.

use spelt_core::reducers::Sum;
use spelt_core::{Serial, View, parallel_for, parallel_reduce, parallel_scan};
use spelt_mpi::{Communicator, Mpi, Partition};

use super::counts::{Counts, count, count_from, log2, sizes};
use super::random;

/// Iterations of a tile of a sum of `f64`, and its lanes.
const TILE: usize = 2048;
const LANES: usize = 32;

/// The bytes of a part of a sum of `f64` without its values.
const PART: u64 = 57;

/// The nodes of the canonical tree that cover the tiles `first..end`: aligned powers of two.
fn nodes(mut first: usize, end: usize) -> u64 {
    let mut nodes = 0;
    while first < end {
        let aligned = if first == 0 { usize::MAX } else { 1 << first.trailing_zeros() };
        first += aligned.min(1 << (end - first).ilog2());
        nodes += 1;
    }
    nodes
}

/// The most bytes of a message of a reduction or scan over this number of tiles.
fn longest_message(tiles: usize) -> u64 {
    PART + 8 * 2 * u64::from(usize::BITS - tiles.leading_zeros())
}

/// The shares of ranks in the iterations of a reduction or scan, which are the intervals between `cuts`.
struct Shares {
    cuts: Vec<usize>,
}

impl Shares {
    fn ranks(&self) -> usize {
        self.cuts.len() - 1
    }

    fn iterations(&self) -> usize {
        self.cuts[self.ranks()]
    }

    fn tiles(&self) -> usize {
        self.iterations().div_ceil(TILE)
    }

    /// The first tile that rank `rank` ends: a tile that two ranks share is that of the last one.
    fn first_tile(&self, rank: usize) -> usize {
        if self.cuts[rank] == self.iterations() { self.tiles() } else { self.cuts[rank] / TILE }
    }

    /// The iterations that the ranks before rank `rank` make of a tile that it goes on with.
    fn begun(&self, rank: usize) -> Option<usize> {
        let done = self.cuts[rank] % TILE;
        (done > 0 && self.cuts[rank] < self.iterations()).then_some(done)
    }

    /// The tiles that ranks have begun for their neighbours.
    fn carries(&self) -> impl Iterator<Item = usize> {
        (1..self.ranks()).filter_map(|rank| self.begun(rank))
    }

    /// Bytes of the nodes of the ranks from `first` to `past`.
    fn part(&self, first: usize, past: usize) -> u64 {
        PART + 8 * nodes(self.first_tile(first), self.first_tile(past))
    }

    /// The steps until each rank has its part: one for a tile that its neighbour has begun, and one for each share before that lies inside this tile.
    fn steps_of_heads(&self) -> Vec<u64> {
        let mut steps = vec![0];
        for rank in 1..self.ranks() {
            let before = self.cuts[rank - 1];
            let is_inside = before.next_multiple_of(TILE) >= self.cuts[rank];
            let waits = if is_inside { steps[rank - 1] } else { 0 };
            steps.push(if self.begun(rank).is_some() { 1 + waits } else { 0 });
        }
        steps
    }

    fn reduction(&self) -> Counts {
        let size = self.ranks();
        let others = size as u64 - 1;
        let mut steps = self.steps_of_heads();
        let mut up = 0;
        for rank in (1..size).rev() {
            let distance = 1 << rank.trailing_zeros();
            up += self.part(rank, (rank + distance).min(size));
            steps[rank - distance] = steps[rank - distance].max(steps[rank] + 1);
        }
        let carries = self.carries().map(|done| PART + 8 * done.min(LANES) as u64);
        Counts {
            messages: 2 * others + self.carries().count() as u64,
            most: 0,
            bytes: up + others * self.part(0, size) + carries.sum::<u64>(),
            steps: steps[0] + log2(size)[0],
        }
    }

    fn scan(&self) -> Counts {
        let size = self.ranks();
        let others = size as u64 - 1;
        let (mut messages, mut bytes, mut steps) =
            (others, others * self.part(0, size), self.steps_of_heads());
        for distance in (0..log2(size)[1]).map(|bit| 1 << bit) {
            let before = steps.clone();
            for rank in 0..size - distance {
                messages += 1;
                bytes += self.part((rank + 1).saturating_sub(distance), rank + 1);
                steps[rank + distance] = steps[rank + distance].max(before[rank] + 1);
            }
        }
        for done in self.carries() {
            messages += 1;
            // The joined whole rows of the tile, and the nodes of the row in which it is cut.
            bytes += PART + 8 * (u64::from(done >= LANES) + u64::from((done % LANES).count_ones()));
        }
        Counts { messages, most: 0, bytes, steps: steps[size - 1] + log2(size)[0] }
    }
}

fn reduce(ranks: &Communicator, partition: &Partition) -> spelt_core::Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let x = space.zeros_on::<u8, 1>(partition, "x", [partition.len()])?;
    let range = space.range(0..partition.len());
    parallel_reduce("sum", range, &x, |i, sum, _| *sum += i.get() as f64, Sum::<f64>::new()).map(drop)
}

fn scan(ranks: &Communicator, partition: &Partition) -> spelt_core::Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let x = space.zeros_on::<u8, 1>(partition, "x", [partition.len()])?;
    let range = space.range(0..partition.len());
    parallel_scan("sum", range, &x, |i, sum, _, _| *sum += i.get() as f64, Sum::<f64>::new()).map(drop)
}

/// The most messages that one rank sends in a reduction: those to the ranks below and one upwards, and the tile that it passes on.
fn max_of_reduction(up: u64, passes_on: bool) -> u64 {
    up + u64::from(passes_on)
}

/// The most messages that one rank sends in a scan: in the butterfly and in the way back, and the tile that it passes on.
fn max_of_scan(up: u64, passes_on: bool) -> u64 {
    2 * up + u64::from(passes_on)
}

/// Compares the messages, bytes and steps of a call with those of the model.
fn compare(
    cuts: &[usize],
    model: impl Fn(&Shares) -> Counts,
    most: impl Fn(u64, bool) -> u64,
    call: impl Fn(&Communicator, &Partition) -> spelt_core::Result<()> + Sync,
) {
    let (partition, shares) =
        (Partition::from_cuts(cuts).expect("ascending"), Shares { cuts: cuts.to_vec() });
    let (size, tiles) = (shares.ranks(), shares.tiles());
    let counts = count(size, |ranks| call(ranks, &partition));
    assert_eq!(Counts { most: 0, ..counts }, model(&shares), "{cuts:?}");
    let [_, up] = log2(size);
    assert!(
        counts.most <= most(up, shares.carries().count() > 0)
            && counts.bytes <= counts.messages * longest_message(tiles).max(PART + 8 * 32)
    );
}

#[test]
fn reductions_take_the_messages_bytes_and_steps_of_the_model() {
    for size in sizes() {
        for tiles in [size, 5 * size + 3] {
            let cuts: Vec<_> = (0..=size).map(|rank| TILE * (tiles * rank / size)).collect();
            compare(&cuts, Shares::reduction, max_of_reduction, reduce);
            let steps = Shares { cuts }.reduction().steps;
            assert_eq!(steps, 2 * log2(size)[0], "whole tiles");
        }
    }
}

/// Shares that end inside tiles, lie inside one, or are empty.
fn uneven(size: usize) -> Vec<Vec<usize>> {
    let even = |n: usize| (0..=size).map(|rank| n * rank / size).collect::<Vec<_>>();
    let n = 2500 * size;
    let mut random: Vec<_> = (0..=size).map(|rank| random(rank + size) as usize % (n + 1)).collect();
    random.sort_unstable();
    (random[0], random[size]) = (0, n);
    let few = (0..=size).map(|rank| if rank == size { 5000 } else { 1000 + 5 * rank });
    let few = few.enumerate().map(|(rank, cut)| if rank == 0 { 0 } else { cut }).collect();
    vec![even(n), even(700 * size + 13), even(size / 2), random, few]
}

#[test]
fn reductions_with_cut_tiles_are_those_of_the_model() {
    for size in sizes() {
        for cuts in uneven(size) {
            compare(&cuts, Shares::reduction, max_of_reduction, reduce);
        }
        let even: Vec<_> = (0..=size).map(|rank| (TILE + 100) * rank).collect();
        let cut = u64::from(size > 1);
        assert_eq!(Shares { cuts: even }.reduction().steps, 2 * log2(size)[0] + cut, "one step more");
    }
}

#[test]
fn scans_take_the_messages_bytes_and_steps_of_the_model() {
    for size in sizes() {
        let whole: Vec<_> = (0..=size).map(|rank| TILE * (3 * size * rank / 2 / size)).collect();
        compare(&whole, Shares::scan, max_of_scan, scan);
        assert_eq!(Shares { cuts: whole }.scan().steps, 2 * log2(size)[0]);
        for cuts in uneven(size) {
            compare(&cuts, Shares::scan, max_of_scan, scan);
        }
    }
}

/// The numbers of docs/machines.md for machines that no test has: those of the model above.
#[test]
fn the_page_has_the_numbers_of_the_model() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/machines.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let bytes = longest_message(10_usize.pow(12).div_ceil(TILE));
    for (name, ranks) in [("10", 10), ("10^3", 1000), ("10^6", 1_000_000)] {
        let [down, up] = log2(ranks);
        let row = format!("| {name} | {} | {} | {bytes} |\n", 2 * down, max_of_reduction(up, false));
        assert!(page.contains(&row), "{row}");
    }
    let [down, up] = log2(1_000_000);
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        format!(
            "On 10^6 ranks a scan takes {} steps, and a rank sends at most {} messages of at most {bytes} bytes.",
            2 * down,
            max_of_scan(up, true)
        ),
        format!("On 10^6 ranks a plan takes {up} steps once"),
    ] {
        assert!(words.contains(&sentence), "{sentence}");
    }
}

#[test]
fn halos_take_the_messages_bytes_and_steps_of_the_model() {
    for size in sizes() {
        let (rows, columns) = (3 * size, 20);
        for periodic in [false, true] {
            let counts = count(size, |ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let mut x = space.zeros::<f64, 2>("x", [rows, columns])?;
                if periodic {
                    x = x.periodic();
                }
                let policy = space.md_range([2..rows - 2 + usize::from(rows < 4), 2..columns - 2]);
                parallel_for("step", policy, (x.halo::<2>(), ()), |i, (x, ())| {
                    assert_eq!(x.at(i, [0, 1]), 0.0)
                })
            });
            // Two ranks on a ring are neighbours on both sides, in one message.
            let borders = match (size, periodic) {
                (1, _) => 0,
                (_, false) => size as u64 - 1,
                (_, true) => size as u64,
            };
            let pairs = if (size, periodic) == (2, true) { 1 } else { borders };
            let bytes = 2 * borders * 2 * 8 * columns as u64;
            let model = Counts { messages: 2 * pairs, most: pairs.min(2), bytes, steps: pairs.min(1) };
            let model = if size == 2 { Counts { most: 1, ..model } } else { model };
            assert_eq!(counts, model, "{size}, {periodic}");
        }
    }
}

/// Indices that each rank wants: its neighbours', its own, some twice, and any.
fn wanted(size: usize, rank: usize, rows: usize) -> Vec<usize> {
    let n = size * rows;
    let near = [rank * rows + n - 1, (rank + 1) * rows, rank * rows].map(|index| index % n);
    let any = (0..rank % 4).map(|number| random(rank * 4 + number) as usize % n);
    near.into_iter().chain(near).chain(any).collect()
}

#[test]
fn plans_take_the_messages_bytes_and_steps_of_the_model() {
    const ROWS: usize = 5;
    const COLUMNS: usize = 7;
    for size in sizes() {
        let [_, up] = log2(size);
        let cuts: Vec<_> = (0..=size).map(|rank| ROWS * rank).collect();
        // The wanted rows of each pair of ranks: the asker, the owner, and the rows.
        let mut pairs = Vec::new();
        for asker in 0..size {
            for owner in (0..size).filter(|owner| *owner != asker) {
                let mut rows = wanted(size, asker, ROWS);
                rows.retain(|row| row / ROWS == owner);
                if !rows.is_empty() {
                    pairs.push((asker, owner, rows));
                }
            }
        }
        let plan = |ranks: &Communicator| {
            // `Plan` borrows its space.
            ranks.plan("plan", &Serial::new(), &cuts, &wanted(size, ranks.rank(), ROWS)).map(drop)
        };
        let counts = count(size, plan);
        // A list of rows takes a jump for each bit of the distance to its owner, with 16 bytes of rank and length.
        let lists = pairs.iter().map(|(asker, owner, rows)| {
            let jumps = ((owner + size - asker) % size).count_ones();
            u64::from(jumps) * (16 + 8 * rows.len() as u64)
        });
        let model = Counts { messages: size as u64 * up, most: up, bytes: lists.sum(), steps: up };
        assert_eq!(counts, model, "{size}");

        let transfer = |is_forward: bool| {
            let space = Serial::new();
            count_from(size, |ranks, start| {
                let plan = ranks.plan("plan", &space, &cuts, &wanted(size, ranks.rank(), ROWS))?;
                let mut x = View::<f64, 2>::zeros("x", [ROWS, COLUMNS])?;
                let mut ghosts = View::zeros("ghosts", [plan.ghosts(), COLUMNS])?;
                start();
                if is_forward {
                    plan.forward("rows", (&x, &mut ghosts))
                } else {
                    plan.back("rows", (&ghosts, &mut x, Sum::<f64>::new()))
                }
            })
        };
        // Type, rank and extents, then each row once, or one for each ghost.
        let bytes = |rows: usize| (4 + 3 + 4 + 16 + 8 * COLUMNS * rows) as u64;
        let distinct = |rows: &[usize]| {
            let mut rows = rows.to_vec();
            rows.sort_unstable();
            rows.dedup();
            rows.len()
        };
        let (messages, steps) = (pairs.len() as u64, u64::from(!pairs.is_empty()));
        let most = |of: fn(&(usize, usize, Vec<usize>)) -> usize| {
            let mut count = vec![0; size];
            pairs.iter().for_each(|pair| count[of(pair)] += 1);
            count.into_iter().max().unwrap_or(0)
        };
        let forward = pairs.iter().map(|(.., rows)| bytes(distinct(rows))).sum();
        let model = Counts { messages, most: most(|pair| pair.1), bytes: forward, steps };
        assert_eq!(transfer(true), model, "{size}, forward");
        let back = pairs.iter().map(|(.., rows)| bytes(rows.len())).sum();
        let model = Counts { messages, most: most(|pair| pair.0), bytes: back, steps };
        assert_eq!(transfer(false), model, "{size}, back");
    }
}
