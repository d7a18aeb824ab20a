//! Launches over the Views of all ranks: the bits of one process, with each space as the local one.

use spelt::prelude::*;
use spelt::reducers::Reducer;
use spelt_mpi::{DistributedView, InProcess, Mpi, Partition};

use crate::equal::{noise, rough};

/// Maps x -> a x + b of numbers modulo 2^64, one after the other: joins do not commute.
#[derive(Clone, Copy)]
struct Maps;

impl Reducer for Maps {
    type Value = [u64; 2];
    type Output = [u64; 2];
    const COMMUTATIVE: bool = false;
    fn init(&self) -> [u64; 2] {
        [1, 0]
    }
    fn join(&self, into: &mut [u64; 2], right: &[u64; 2]) {
        let ([a, b], [c, d]) = (*into, *right);
        *into = [c.wrapping_mul(a), c.wrapping_mul(b).wrapping_add(d)];
    }
    fn finish(&self, value: [u64; 2]) -> [u64; 2] {
        value
    }
}

/// Applies the map of this element.
fn apply(value: &mut [u64; 2], x: f64) {
    let a = x.to_bits() | 1;
    *value = [a.wrapping_mul(value[0]), a.wrapping_mul(value[1]).wrapping_add(x.to_bits())];
}

/// The results of three steps of a stencil: the field, the prefixes of its inner part, the sums over it and that part, its largest value with its
/// place, and the total of the scan.
#[derive(Debug, PartialEq)]
struct Results {
    field: Vec<u64>,
    prefixes: Vec<u64>,
    /// Twice the field, and the total of the sums of its rows, by leagues.
    doubled: Vec<u64>,
    /// Differences of neighbouring rows, by a league; those beyond the end are 0.
    slopes: Vec<u64>,
    /// The field with a number for each row and column, and elements of Views that all ranks have.
    raised: Vec<u64>,
    /// The maps of all elements, in their order.
    composed: [u64; 2],
    sums: [u64; 4],
    around: Around,
    largest: (u64, [usize; 2]),
}

/// Half of the row above minus the row below, of each element whose rows exist: its sum, with the other sign its prefixes and their total,
/// and the elements themselves, 0 elsewhere.
#[derive(Debug, PartialEq)]
struct Around {
    sums: [u64; 2],
    prefixes: Vec<u64>,
    elements: Vec<u64>,
}

/// The rows of which both neighbours exist.
fn rows_around(periodic: bool) -> core::ops::Range<usize> {
    if periodic { 0..EXTENTS[0] } else { 1..EXTENTS[0] - 1 }
}

/// More than a tile of 2048, less than two: cuts lie inside tiles.
const EXTENTS: [usize; 2] = [29, 83];

fn start([i, j]: [usize; 2]) -> f64 {
    rough(i * EXTENTS[1] + j)
}

fn height(row: usize) -> f64 {
    rough(7 * row) * 0.5
}

fn width(column: usize) -> f64 {
    rough(3 * column + 1) * 0.25
}

fn mask([i, j]: [usize; 2]) -> f64 {
    ((i + j) % 3) as f64
}

/// The same on plain Views of the host.
fn expected(periodic: bool) -> Results {
    let space = Serial::new();
    let [rows, columns] = EXTENTS;
    let mut x = View::from_fn("x", EXTENTS, start).expect("memory");
    let inner = if periodic { 0..rows } else { 2..rows - 1 };
    for _ in 0..3 {
        let old = x.to_host().expect("memory");
        let at = |i: usize, j: usize| old[[i % rows, j]];
        for i in inner.clone() {
            for j in 1..columns {
                x[[i, j]] = 0.5 * at(i + rows - 2, j) + at(i, j - 1) - 0.25 * at(i + 1, j);
            }
        }
    }
    let all = space.md_range([0..rows, 0..columns]);
    let sum = parallel_reduce("sum", all.clone(), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new());
    let part = space.md_range([3..rows - 5, 1..columns - 1]);
    let inner = parallel_map_reduce("inner", part, &x, |i, x| x[i] * x[i], Sum::<f64>::new());
    let largest = parallel_map_reduce("largest", all, &x, |i, x| x[i], MaxLoc::at_index()).expect("no error");
    let mut prefixes = View::zeros("prefixes", EXTENTS).expect("memory");
    let total = parallel_scan(
        "scan",
        space.md_range([3..rows - 5, 0..columns]),
        (&x, &mut prefixes),
        |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    );
    let element = |i: usize, j: usize| x[[i, j]];
    let slope =
        |i, j| if i + 1 < rows || periodic { element((i + 1) % rows, j) - element(i, j) } else { 0.0 };
    let slopes = (0..rows * columns).map(|at| slope(at / columns, at % columns).to_bits()).collect();
    let around = around(&x, periodic);
    let raised = |i, j| element(i, j) + height(i) + width(j) + rough(j) + mask([i, j]);
    let raised = (0..rows * columns).map(|at| raised(at / columns, at % columns).to_bits()).collect();
    let mut composed = Maps.init();
    x.iter().for_each(|x| apply(&mut composed, *x));
    let rows = parallel_reduce(
        "rows",
        space.team(rows, AUTO),
        &x,
        |team, x| {
            let sum =
                team.parallel_reduce(team.thread_range(columns), |ij, sum| *sum += x[ij], Sum::<f64>::new());
            team.contribute(sum);
        },
        Sum::<f64>::new(),
    );
    Results {
        doubled: x.iter().map(|value| (2.0 * value).to_bits()).collect(),
        slopes,
        raised,
        composed,
        field: x.iter().map(|value| value.to_bits()).collect(),
        prefixes: prefixes.iter().map(|value| value.to_bits()).collect(),
        sums: [sum, inner, total, rows].map(|sum| sum.expect("no error").to_bits()),
        around,
        largest: (largest.val.to_bits(), largest.loc),
    }
}

/// The same on a plain View: its elements first, then launches that read no other row.
fn around(x: &View<f64, 2>, periodic: bool) -> Around {
    let ([rows, columns], inner) = (EXTENTS, rows_around(periodic));
    let element = |i: usize, j: usize| 0.5 * x[[(i + rows - 1) % rows, j]] - x[[(i + 1) % rows, j]];
    let elements =
        View::from_fn("elements", EXTENTS, |[i, j]| if inner.contains(&i) { element(i, j) } else { 0.0 });
    let elements = elements.expect("memory");
    let space = Serial::new();
    let policy = || space.md_range([inner.clone(), 0..columns]);
    let sum = parallel_reduce("sum", policy(), &elements, |i, sum, x| *sum += x[i], Sum::<f64>::new());
    let mut prefixes = View::zeros("prefixes", EXTENTS).expect("memory");
    let total = parallel_scan(
        "scan",
        policy(),
        (&elements, &mut prefixes),
        |i, sum, last, (x, mut y)| {
            *sum -= x[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    );
    let bits = |view: &View<f64, 2>| view.iter().map(|value| value.to_bits()).collect();
    Around {
        sums: [sum, total].map(|sum| sum.expect("no error").to_bits()),
        prefixes: bits(&prefixes),
        elements: bits(&elements),
    }
}

/// The partitions of the rows among this many ranks: even, uneven and with ranks that have few rows or none.
fn partitions(ranks: usize) -> Vec<Partition> {
    let rows = EXTENTS[0];
    let mut random: Vec<usize> =
        (1..ranks).map(|rank| ((noise(rank) + 1.0) / 2.0 * rows as f64) as usize).collect();
    random.extend([0, rows]);
    random.sort_unstable();
    let few: Vec<usize> = (0..ranks).map(|rank| rank.min(rows)).chain([rows]).collect();
    vec![
        Partition::even(rows, ranks),
        Partition::from_cuts(&random).expect("ascending"),
        Partition::from_cuts(&few).expect("ascending"),
    ]
}

fn on_ranks<S: ExecutionSpace + 'static>(make: impl Fn() -> S + Sync) {
    for periodic in [false, true] {
        let expected = expected(periodic);
        for ranks in [1, 2, 3, 5, 7, 8] {
            // The emulator of a device takes longer.
            let is_short = cfg!(feature = "cuda") && ranks > 3;
            let partitions = match () {
                () if is_short && periodic => Vec::new(),
                () if is_short => partitions(ranks).split_off(1),
                () => partitions(ranks),
            };
            for partition in partitions {
                let world = InProcess::new(ranks).delays(ranks as u64, 20).rendezvous_above(0);
                let results = world.run(|ranks| results(&Mpi::new(ranks, make()), &partition, periodic));
                for result in results {
                    assert!(result.expect("no error") == expected, "{partition:?}, periodic: {periodic}");
                }
            }
        }
    }
}

fn results<S: ExecutionSpace + 'static>(
    space: &Mpi<'_, S>,
    partition: &Partition,
    periodic: bool,
) -> spelt::Result<Results> {
    let [rows, columns] = EXTENTS;
    let mut x = space.view_from_fn_on(partition, "x", EXTENTS, start)?;
    let mut y = space.view_from_fn_on(partition, "y", EXTENTS, start)?;
    if periodic {
        (x, y) = (x.periodic(), y.periodic());
    }
    let inner = if periodic { 0..rows } else { 2..rows - 1 };
    for _ in 0..3 {
        let policy = space.md_range([inner.clone(), 1..columns]);
        let halo = x.halo_of::<(spelt::Between<-2, 1>, spelt::Between<-1, 0>)>();
        parallel_for("step", policy, (halo, &mut y), move |i, (x, mut y)| {
            y[i] = 0.5 * x.at(i, [-2, 0]) + x.at(i, [0, -1]) - 0.25 * x.at(i, [1, 0]);
        })?;
        core::mem::swap(&mut x, &mut y);
    }
    // The halo of `x` is old.
    let around = around_on_ranks(space, &mut x, periodic)?;
    let all = || space.md_range([0..rows, 0..columns]);
    let sum = parallel_reduce("sum", all(), &x, move |i, sum, x| *sum += x[i], Sum::<f64>::new())?;
    let part = space.md_range([3..rows - 5, 1..columns - 1]);
    let inner = parallel_map_reduce("inner", part, &x, move |i, x| x[i] * x[i], Sum::<f64>::new())?;
    let largest = parallel_map_reduce("largest", all(), &x, move |i, x| x[i], MaxLoc::at_index())?;
    let mut prefixes = space.view_from_fn_on(partition, "prefixes", EXTENTS, |_| 0.0)?;
    let part = space.md_range([3..rows - 5, 0..columns]);
    let total = parallel_scan(
        "scan",
        part,
        (&x, &mut prefixes),
        move |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )?;
    let mut doubled = space.view_from_fn_on(partition, "doubled", EXTENTS, |_| 0.0)?;
    parallel_for("double", space.team(rows, AUTO), (&x, &mut doubled), move |team, (x, mut y)| {
        assert!(team.league_size() == rows);
        team.parallel_for(team.thread_range(columns), |ij| y[ij] = 2.0 * x[ij]);
    })?;
    let rows = parallel_reduce(
        "rows",
        space.team(rows, AUTO).scratch(8 * columns, 0),
        &x,
        move |team, x| {
            let sum =
                team.parallel_reduce(team.thread_range(columns), |ij, sum| *sum += x[ij], Sum::<f64>::new());
            team.contribute(sum);
        },
        Sum::<f64>::new(),
    )?;
    // Rows of other ranks in a league, whose last team has none above if the border is fixed.
    let mut slopes = space.view_from_fn_on(partition, "slopes", EXTENTS, |_| 0.0)?;
    let teams = if periodic { EXTENTS[0] } else { EXTENTS[0] - 1 };
    let halo = x.halo_of::<(spelt::Between<0, 1>, spelt::Between<0, 0>)>();
    parallel_for("slopes", space.team(teams, AUTO), (halo, &mut slopes), move |team, (x, mut y)| {
        team.parallel_for(team.thread_range(columns), |ij| y[ij] = x.at(ij, [1, 0]) - x[ij]);
    })?;
    // A number for each row, which is divided as the rows are, and Views that are the same on all ranks.
    let local = space.local();
    let heights = space.view_from_fn_on(partition, "heights", [EXTENTS[0]], |[i]| height(i))?;
    let widths = local.view_from_fn("widths", [columns], |[j]| width(j))?;
    let table = local.view_from_fn("table", [columns], |[j]| rough(j))?;
    let masks = local.view_from_fn("masks", EXTENTS, mask)?;
    let mut raised = space.view_from_fn_on(partition, "raised", EXTENTS, |_| 0.0)?;
    let args = (&x, heights.along::<0>(), widths.along::<1>(), table.lookup(), &masks, &mut raised);
    parallel_for("raise", all(), args, move |i, (x, heights, widths, table, masks, mut y)| {
        y[i] = x[i] + heights[i] + widths[i] + table[i.index()[1]] + masks[i];
    })?;
    let composed = parallel_reduce("maps", all(), &x, move |i, maps, x| apply(maps, x[i]), Maps)?;
    Ok(Results {
        around,
        field: bits(space, &x)?,
        prefixes: bits(space, &prefixes)?,
        doubled: bits(space, &doubled)?,
        slopes: bits(space, &slopes)?,
        raised: bits(space, &raised)?,
        composed,
        sums: [sum, inner, total, rows].map(f64::to_bits),
        largest: (largest.val.to_bits(), largest.loc),
    })
}

/// The elements on all ranks: each has its own rows, which the root sends to all.
fn bits<S: ExecutionSpace + 'static>(
    space: &Mpi<'_, S>,
    view: &DistributedView<f64, 2, S::Memory>,
) -> spelt::Result<Vec<u64>> {
    let field = space.gather("field", view, 0)?;
    let bytes = field.iter().flat_map(|field| field.iter()).flat_map(|value| value.to_le_bytes()).collect();
    let bytes = space.ranks().broadcast("field", 0, bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|value| u64::from_le_bytes(*value)).collect())
}

/// A reduction, a scan and an exchange with its inner part and its rim, each of which fetches the rows around those of a rank, as `x` was
/// written before. Leaves `x` as it was.
fn around_on_ranks<S: ExecutionSpace + 'static>(
    space: &Mpi<'_, S>,
    x: &mut DistributedView<f64, 2, S::Memory>,
    periodic: bool,
) -> spelt::Result<Around> {
    type Rows = (spelt::Between<-1, 1>, spelt::Between<0, 0>);
    let [rows, columns] = EXTENTS;
    let policy = || space.md_range([rows_around(periodic), 0..columns]);
    let negate = |x: &mut DistributedView<f64, 2, S::Memory>| {
        let all = space.md_range([0..rows, 0..columns]);
        parallel_for("negate", all, x, move |i, mut x| x[i] = -x[i])
    };
    let partition = x.partition().clone();
    let mut prefixes = space.zeros_on::<f64, 2>(&partition, "prefixes", EXTENTS)?;
    let mut elements = space.zeros_on::<f64, 2>(&partition, "elements", EXTENTS)?;
    let sum = parallel_reduce(
        "sum around",
        policy(),
        x.halo_of::<Rows>(),
        move |i, sum, x| *sum += 0.5 * x.at(i, [-1, 0]) - x.at(i, [1, 0]),
        Sum::<f64>::new(),
    )?;
    negate(x)?;
    let total = parallel_scan(
        "scan around",
        policy(),
        (x.halo_of::<Rows>(), &mut prefixes),
        move |i, sum, last, (x, mut y)| {
            *sum += 0.5 * x.at(i, [-1, 0]) - x.at(i, [1, 0]);
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )?;
    negate(x)?;
    let mut exchange = space.start_exchange("around", x.halo_of::<Rows>())?;
    let (inner, rim) = (exchange.inner(policy()), exchange.rim(policy()));
    parallel_for("inner", inner, (exchange.halos(), &mut elements), move |i, (x, mut y)| {
        y[i] = 0.5 * x.at(i, [-1, 0]) - x.at(i, [1, 0]);
    })?;
    exchange.finish()?;
    parallel_for("rim", rim, (x.halo_of::<Rows>(), &mut elements), move |i, (x, mut y)| {
        y[i] = 0.5 * x.at(i, [-1, 0]) - x.at(i, [1, 0]);
    })?;
    Ok(Around {
        sums: [sum, total].map(f64::to_bits),
        prefixes: bits(space, &prefixes)?,
        elements: bits(space, &elements)?,
    })
}

#[cfg(not(feature = "cuda"))]
#[test]
fn results_on_ranks_are_those_of_one_process() {
    on_ranks(Serial::new);
    on_ranks(|| crate::spaces::threads(3));
    on_ranks(Rayon::new);
}

#[cfg(feature = "cuda")]
#[test]
fn results_on_ranks_are_those_of_one_process() {
    if crate::device::space().is_some() {
        on_ranks(|| crate::device::space().expect("it was there"));
    }
}

/// The local launches of `late reduction` and `late scan`, both of whose ranks are told.
#[cfg(feature = "cuda")]
static LAUNCHES: [core::sync::atomic::AtomicUsize; 2] =
    [const { core::sync::atomic::AtomicUsize::new(0) }; 2];

/// Counts them.
#[cfg(feature = "cuda")]
struct Counts;

#[cfg(feature = "cuda")]
impl spelt::tools::Tool for Counts {
    fn begin_launch(&self, launch: &spelt::tools::LaunchEvent<'_>) -> u64 {
        if let Some(number) = ["late reduction", "late scan"].iter().position(|label| *label == launch.label)
        {
            LAUNCHES[number].fetch_add(1, core::sync::atomic::Ordering::SeqCst);
        }
        0
    }
}

/// A reduction or scan on a device looks after messages between four pieces of its inner part, which does not wait for the neighbour.
#[cfg(feature = "cuda")]
#[test]
fn devices_look_after_messages_between_pieces() {
    use core::sync::atomic::Ordering::SeqCst;
    if crate::device::space().is_none() {
        return;
    }
    spelt::tools::install("pieces", Counts);
    // Of each rank, nine tiles of 2048 iterations need no row of the other.
    let (rows, columns) = (20, 2048);
    for scans in [false, true] {
        let launches = &LAUNCHES[usize::from(scans)];
        let late = InProcess::new(2).run(|ranks| {
            let space = Mpi::new(ranks, crate::device::space().expect("it was there"));
            let mut x = space.view_from_fn("x", [rows, columns], |[i, _]| i as f64)?;
            let since = std::time::Instant::now();
            while ranks.rank() == 1 && launches.load(SeqCst) < 4 {
                assert!(since.elapsed().as_secs() < 60, "rank 0 has launched {}", launches.load(SeqCst));
                std::thread::yield_now();
            }
            let policy = space.md_range([0..rows - 1, 0..columns]);
            let halo = x.halo_of::<(spelt::Between<0, 1>, spelt::Between<0, 0>)>();
            let sum = if scans {
                parallel_scan(
                    "late scan",
                    policy,
                    halo,
                    move |i, sum, _, x| *sum += x.at(i, [1, 0]) - x[i],
                    Sum::<f64>::new(),
                )?
            } else {
                parallel_reduce(
                    "late reduction",
                    policy,
                    halo,
                    move |i, sum, x| *sum += x.at(i, [1, 0]) - x[i],
                    Sum::<f64>::new(),
                )?
            };
            assert_eq!(sum, ((rows - 1) * columns) as f64);
            Ok::<_, spelt::Error>(ranks.late_halos())
        });
        // Rank 1 came after the last piece of rank 0.
        assert_eq!(late.into_iter().next().expect("rank 0").expect("no error"), 1, "scan: {scans}");
    }
}
