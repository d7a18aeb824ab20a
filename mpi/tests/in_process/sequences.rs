//! Random sequences of launches over distributed Views: the bits of one process after each of them.

use core::ops::Range;
use std::time::Duration;

use spelt_core::reducers::{MaxLoc, Sum};
use spelt_core::{
    AUTO, Between, ExecutionSpace, HaloShape, Result, Serial, View, parallel_for, parallel_map_reduce,
    parallel_reduce, parallel_scan,
};
use spelt_mpi::{DistributedView, InProcess, Mpi, Partition};

use super::distributed::{of_root, partitions, term};
use super::random;

/// Random numbers of one sequence.
struct Numbers(usize);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 += 1;
        (random(self.0) % end.max(1) as u64) as usize
    }

    /// A part of `all`, which may be empty, and is all of it once in three times.
    fn part(&mut self, all: Range<usize>) -> Range<usize> {
        if self.below(3) == 0 {
            return all;
        }
        let start = all.start + self.below(all.len() + 1);
        start..start + self.below(all.end.saturating_sub(start) + 1)
    }
}

/// The reach of a halo below and above, in rows and in columns.
type Reach = [[usize; 2]; 2];

/// Two launches at most, over Views `x` and `y`. What reads writes `y`, what does not writes `x`.
#[derive(Clone, Debug)]
enum Step {
    /// Reads the ends of a halo.
    Halo(usize, [Range<usize>; 2]),
    /// As `Halo`, in two launches: while the rows of other ranks come, and after that.
    InTwo(usize, [Range<usize>; 2]),
    /// As `Halo`, in a reduction, with the sum of the new elements.
    SumOfHalo(usize, [Range<usize>; 2]),
    /// As `Halo`, in a scan: the prefixes of the new elements.
    ScanOfHalo(usize, [Range<usize>; 2]),
    /// An exchange alone.
    Exchange(usize),
    /// As `Halo` with an upper reach of one row, by teams that write their rows.
    HaloOfLeague(Range<usize>),
    For([Range<usize>; 2]),
    Reduce([Range<usize>; 2]),
    Scan([Range<usize>; 2]),
    Largest([Range<usize>; 2]),
    League(usize),
    OwnMut,
    Swap,
    Periodic,
}

/// Returns `$body` with the halo shape of this number as `$shape`.
macro_rules! with_shape {
    ($number:expr, $shape:ident => $body:expr; $($low:literal $high:literal $left:literal $right:literal),*) => {{
        let mut number = 0;
        $({
            type $shape = (Between<$low, $high>, Between<$left, $right>);
            if $number == number {
                return $body;
            }
            number += 1;
        })*
        unreachable!("there are {number} shapes")
    }};
    ($number:expr, $shape:ident => $body:expr) => {
        with_shape!($number, $shape => $body;
            -1 0 0 0, 0 1 0 0, -1 1 0 0, -2 1 -1 0, 0 3 0 1, -3 0 0 0, 0 0 -1 1, -2 2 0 0)
    };
}
const SHAPES: usize = 8;

fn reach(shape: usize) -> Reach {
    with_shape!(shape, W => {
        [0, 1].map(|dimension| [<W as HaloShape<2>>::LOWER[dimension], <W as HaloShape<2>>::UPPER[dimension]])
    })
}

fn steps(numbers: &mut Numbers, [rows, columns]: [usize; 2], count: usize) -> Vec<Step> {
    let mut ring = false;
    let mut steps = Vec::new();
    while steps.len() < count {
        let boxed = |numbers: &mut Numbers| [numbers.part(0..rows), numbers.part(0..columns)];
        steps.push(match numbers.below(24) {
            // Several halos of one View in a row are likely.
            0..11 => {
                let shape = numbers.below(SHAPES);
                let [[below, above], [left, right]] = reach(shape);
                if ring && below.max(above) > rows {
                    continue;
                }
                let inner =
                    |extent: usize, [low, high]: [usize; 2]| low.min(extent)..extent.saturating_sub(high);
                let all = if ring { 0..rows } else { inner(rows, [below, above]) };
                let ranges = [numbers.part(all), numbers.part(inner(columns, [left, right]))];
                match numbers.below(8) {
                    0 => Step::Exchange(shape),
                    1 => Step::InTwo(shape, ranges),
                    2 => Step::SumOfHalo(shape, ranges),
                    3 => Step::ScanOfHalo(shape, ranges),
                    _ => Step::Halo(shape, ranges),
                }
            }
            11 => Step::HaloOfLeague(0..if ring { rows } else { rows.saturating_sub(1) }),
            12 | 13 => Step::For(boxed(numbers)),
            14 | 15 => Step::Reduce(boxed(numbers)),
            16 | 17 => Step::Scan(boxed(numbers)),
            18 => Step::Largest(boxed(numbers)),
            19 => Step::League(numbers.below(rows + 1)),
            20 => Step::OwnMut,
            21 | 22 => Step::Swap,
            _ if ring => continue,
            _ => {
                ring = true;
                Step::Periodic
            }
        });
    }
    steps
}

/// The launches that read no neighbours, on one process and on ranks: the same text. The result, if there is one.
macro_rules! launch {
    ($step:expr, $space:expr, $x:expr, $y:expr, $columns:expr) => {{
        let (space, x, y, columns) = ($space, $x, $y, $columns);
        match $step {
            Step::For(ranges) => {
                let policy = space.md_range(ranges.clone());
                parallel_for("for", policy, &mut *x, |i, mut x| x[i] = 0.75 * x[i] + i.index()[0] as f64)?;
                None
            }
            Step::Reduce(ranges) => {
                let policy = space.md_range(ranges.clone());
                let body = |i: spelt_core::Idx<'_, 2>, value: f64| 0.5 * value + term(i.index()[1]);
                let args = (&mut *x, &*y);
                Some(parallel_reduce(
                    "reduce",
                    policy,
                    args,
                    |i, sum, (mut x, y)| {
                        x[i] = body(i, x[i]);
                        *sum += x[i] - y[i];
                    },
                    Sum::<f64>::new(),
                )?)
            }
            Step::Scan(ranges) => {
                let policy = space.md_range(ranges.clone());
                Some(parallel_scan(
                    "scan",
                    policy,
                    (&mut *x, &*y),
                    |i, sum, last, (mut x, y)| {
                        *sum += y[i];
                        if last {
                            x[i] = 0.5 * x[i] - 0.01 * *sum;
                        }
                    },
                    Sum::<f64>::new(),
                )?)
            }
            Step::Largest(ranges) => {
                let policy = space.md_range(ranges.clone());
                let largest = parallel_map_reduce("largest", policy, &*x, |i, x| x[i], MaxLoc::at_index())?;
                Some(largest.val + largest.loc[0] as f64 + 0.5 * largest.loc[1] as f64)
            }
            Step::League(teams) => Some(parallel_reduce(
                "league",
                space.team(*teams, AUTO),
                (&mut *x, &*y),
                |team, (mut x, y)| {
                    let row = team.thread_range(columns);
                    let sum = team.parallel_reduce(row, |ij, sum| *sum += y[ij], Sum::<f64>::new());
                    team.parallel_for(team.thread_range(columns), |ij| x[ij] = 0.5 * x[ij] + sum);
                    team.contribute(sum);
                },
                Sum::<f64>::new(),
            )?),
            step => unreachable!("{step:?}"),
        }
    }};
}

/// The new element, of the old one and of the three that a halo reads.
fn stencil(old: f64, [low, own, high]: [f64; 3]) -> f64 {
    0.5 * old + low + 0.125 * own - 0.25 * high
}

/// The Views and whether their first dimension is a ring.
struct Alone {
    x: View<f64, 2>,
    y: View<f64, 2>,
    ring: bool,
}

impl Alone {
    fn advance(&mut self, step: &Step) -> Result<Option<f64>> {
        let [rows, columns] = self.x.extents();
        let Self { x, y, ring } = self;
        match step {
            Step::Halo(shape, ranges)
            | Step::InTwo(shape, ranges)
            | Step::SumOfHalo(shape, ranges)
            | Step::ScanOfHalo(shape, ranges) => {
                let [[below, above], [left, right]] = reach(*shape);
                for (i, j) in ranges[0].clone().flat_map(|i| ranges[1].clone().map(move |j| (i, j))) {
                    let row = |number: usize| if *ring { number % rows } else { number };
                    let low = x[[if *ring { row(i + rows - below) } else { i - below }, j - left]];
                    y[[i, j]] = stencil(y[[i, j]], [low, x[[i, j]], x[[row(i + above), j + right]]]);
                }
                let space = Serial::new();
                let policy = space.md_range(ranges.clone());
                let sum = |y: &View<f64, 2>| {
                    parallel_reduce("sum", policy.clone(), y, |i, sum, y| *sum += y[i], Sum::<f64>::new())
                };
                let scan = |y: &mut View<f64, 2>| {
                    let old = y.to_host()?;
                    let args = (&old, y);
                    parallel_scan(
                        "scan",
                        policy.clone(),
                        args,
                        |i, sum, last, (old, mut y)| {
                            *sum += old[i];
                            if last {
                                y[i] = *sum;
                            }
                        },
                        Sum::<f64>::new(),
                    )
                };
                match step {
                    Step::SumOfHalo(..) => sum(y).map(Some),
                    Step::ScanOfHalo(..) => scan(y).map(Some),
                    _ => Ok(None),
                }
            }
            Step::HaloOfLeague(teams) => {
                for (i, j) in teams.clone().flat_map(|i| (0..columns).map(move |j| (i, j))) {
                    y[[i, j]] = stencil(y[[i, j]], [x[[i, j]], x[[i, j]], x[[(i + 1) % rows, j]]]);
                }
                Ok(None)
            }
            Step::OwnMut => {
                x.iter_mut().for_each(|value| *value = 1.0 - *value);
                Ok(None)
            }
            Step::Swap => {
                core::mem::swap(x, y);
                Ok(None)
            }
            Step::Periodic => {
                *ring = true;
                Ok(None)
            }
            Step::Exchange(_) => Ok(None),
            step => Ok(launch!(step, &Serial::new(), x, y, columns)),
        }
    }
}

/// The Views of one rank.
struct OnRanks<'m> {
    space: &'m Mpi<'m, Serial>,
    x: DistributedView<f64, 2>,
    y: DistributedView<f64, 2>,
}

impl OnRanks<'_> {
    fn advance(mut self, step: &Step) -> Result<(Self, Option<f64>)> {
        let columns = self.x.extents()[1];
        let Self { space, x, y } = &mut self;
        let result = match step {
            Step::Halo(shape, ranges) => {
                self.halo(*shape, ranges)?;
                None
            }
            Step::InTwo(shape, ranges) => {
                self.in_two(*shape, ranges)?;
                None
            }
            Step::SumOfHalo(shape, ranges) => Some(self.sum_of_halo(*shape, ranges)?),
            Step::ScanOfHalo(shape, ranges) => Some(self.scan_of_halo(*shape, ranges)?),
            Step::Exchange(shape) => {
                self.exchange(*shape)?;
                None
            }
            Step::HaloOfLeague(teams) => {
                let halo = x.halo_of::<(Between<0, 1>, Between<0, 0>)>();
                parallel_for(
                    "halo of a league",
                    space.team(teams.end, AUTO),
                    (halo, y),
                    |team, (x, mut y)| {
                        team.parallel_for(team.thread_range(columns), |ij| {
                            y[ij] = stencil(y[ij], [x[ij], x[ij], x.at(ij, [1, 0])]);
                        });
                    },
                )?;
                None
            }
            Step::OwnMut => {
                x.own_mut().as_view_mut().iter_mut().for_each(|value| *value = 1.0 - *value);
                None
            }
            Step::Swap => {
                core::mem::swap(x, y);
                None
            }
            Step::Periodic => {
                (self.x, self.y) = (self.x.periodic(), self.y.periodic());
                None
            }
            step => launch!(step, *space, x, y, columns),
        };
        Ok((self, result))
    }

    fn halo(&mut self, shape: usize, ranges: &[Range<usize>; 2]) -> Result<()> {
        with_shape!(shape, W => halo::<W>(self, ranges))
    }

    fn in_two(&mut self, shape: usize, ranges: &[Range<usize>; 2]) -> Result<()> {
        with_shape!(shape, W => in_two::<W>(self, ranges))
    }

    fn sum_of_halo(&mut self, shape: usize, ranges: &[Range<usize>; 2]) -> Result<f64> {
        with_shape!(shape, W => sum_of_halo::<W>(self, ranges))
    }

    fn scan_of_halo(&mut self, shape: usize, ranges: &[Range<usize>; 2]) -> Result<f64> {
        with_shape!(shape, W => scan_of_halo::<W>(self, ranges))
    }

    fn exchange(&mut self, shape: usize) -> Result<()> {
        with_shape!(shape, W => self.space.exchange("exchange", self.x.halo_of::<W>()))
    }
}

fn halo<W: HaloShape<2>>(views: &mut OnRanks<'_>, ranges: &[Range<usize>; 2]) -> Result<()> {
    let OnRanks { space, x, y } = views;
    let low = W::LOWER.map(|reach| -reach.cast_signed());
    let high = W::UPPER.map(usize::cast_signed);
    parallel_for("halo", space.md_range(ranges.clone()), (x.halo_of::<W>(), y), move |i, (x, mut y)| {
        y[i] = stencil(y[i], [x.at(i, low), x[i], x.at(i, high)]);
    })
}

fn in_two<W: HaloShape<2>>(views: &mut OnRanks<'_>, ranges: &[Range<usize>; 2]) -> Result<()> {
    let OnRanks { space, x, y } = views;
    let low = W::LOWER.map(|reach| -reach.cast_signed());
    let high = W::UPPER.map(usize::cast_signed);
    let policy = space.md_range(ranges.clone());
    let mut exchange = space.start_exchange("exchange", x.halo_of::<W>())?;
    let (inner, rim) = (exchange.inner(policy.clone()), exchange.rim(policy));
    parallel_for("inner", inner, (exchange.halos(), &mut *y), move |i, (x, mut y)| {
        y[i] = stencil(y[i], [x.at(i, low), x[i], x.at(i, high)]);
    })?;
    exchange.finish()?;
    parallel_for("rim", rim, (x.halo_of::<W>(), y), move |i, (x, mut y)| {
        y[i] = stencil(y[i], [x.at(i, low), x[i], x.at(i, high)]);
    })
}

fn sum_of_halo<W: HaloShape<2>>(views: &mut OnRanks<'_>, ranges: &[Range<usize>; 2]) -> Result<f64> {
    let OnRanks { space, x, y } = views;
    let low = W::LOWER.map(|reach| -reach.cast_signed());
    let high = W::UPPER.map(usize::cast_signed);
    parallel_reduce(
        "sum of a halo",
        space.md_range(ranges.clone()),
        (x.halo_of::<W>(), y),
        move |i, sum, (x, mut y)| {
            y[i] = stencil(y[i], [x.at(i, low), x[i], x.at(i, high)]);
            *sum += y[i];
        },
        Sum::<f64>::new(),
    )
}

/// A scan may run an iteration twice, so it reads the old elements from another View than it writes.
fn scan_of_halo<W: HaloShape<2>>(views: &mut OnRanks<'_>, ranges: &[Range<usize>; 2]) -> Result<f64> {
    let OnRanks { space, x, y } = views;
    let low = W::LOWER.map(|reach| -reach.cast_signed());
    let high = W::UPPER.map(usize::cast_signed);
    let mut old = space.zeros_on::<f64, 2>(y.partition(), "old", y.extents())?;
    let all = space.md_range(y.extents().map(|extent| 0..extent));
    parallel_for("copy", all, (&mut old, &*y), |i, (mut old, y)| old[i] = y[i])?;
    parallel_scan(
        "scan of a halo",
        space.md_range(ranges.clone()),
        (x.halo_of::<W>(), &old, y),
        move |i, sum, last, (x, old, mut y)| {
            *sum += stencil(old[i], [x.at(i, low), x[i], x.at(i, high)]);
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )
}

fn start([i, j]: [usize; 2]) -> f64 {
    term(31 * i + j)
}

/// The bits of a View and of results.
fn bits(values: impl IntoIterator<Item = f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

/// Compares one sequence on these ranks with one process.
fn compare(extents: [usize; 2], partition: &Partition, seed: usize) {
    let mut numbers = Numbers(1_000_000 * seed);
    let steps = steps(&mut numbers, extents, 24);
    let mut alone = Alone {
        x: View::from_fn("x", extents, start).expect("memory"),
        y: View::zeros("y", extents).expect("memory"),
        ring: false,
    };
    let mut expected = Vec::new();
    for step in &steps {
        let result = alone.advance(step).expect("no error");
        expected.push((bits(alone.x.iter().copied()), bits(alone.y.iter().copied()), bits(result)));
    }
    let world = InProcess::new(partition.ranks()).timeout(Duration::from_secs(60)).delays(seed as u64, 5);
    let results = world.run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut views = OnRanks {
            space: &space,
            x: space.view_from_fn_on(partition, "x", extents, start)?,
            y: space.zeros_on(partition, "y", extents)?,
        };
        let mut found = Vec::new();
        for step in &steps {
            let result;
            (views, result) = views.advance(step)?;
            let [x, y] = [&views.x, &views.y].map(|view| space.gather("view", view, 0));
            found.push(x?.zip(y?).map(|(x, y)| (x, y, bits(result))));
        }
        Ok(found.into_iter().collect::<Option<Vec<_>>>())
    });
    for (number, ((x, y, result), expected)) in of_root(results).into_iter().zip(expected).enumerate() {
        let found = (bits(x.iter().copied()), bits(y.iter().copied()), result);
        let done = &steps[..=number];
        assert!(found == expected, "{extents:?}, {partition:?}, seed {seed}, after {done:?}");
    }
}

#[test]
fn sequences_of_launches_have_the_bits_of_one_process() {
    let mut seed = 0;
    for extents in [[1, 2], [3, 2], [7, 3], [17, 2], [29, 300]] {
        for size in [1, 2, 3, 5, 7, 8] {
            let mut all = partitions(extents[0], size);
            let mut numbers = Numbers(seed);
            let mut cuts: Vec<_> = (1..size).map(|_| numbers.below(extents[0] + 1)).collect();
            cuts.extend([0, extents[0]]);
            cuts.sort_unstable();
            all.push(Partition::from_cuts(&cuts).expect("ascending"));
            for partition in all {
                seed += 1;
                compare(extents, &partition, seed);
            }
        }
    }
}
