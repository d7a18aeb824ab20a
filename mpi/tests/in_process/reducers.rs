//! Every reducer over ranks: results and prefixes have the bits of one process.

use core::num::Wrapping;

use spelt_core::reducers::*;
use spelt_core::{
    ExecutionSpace, Portable, Result, Serial, View, parallel_map_reduce, parallel_reduce, parallel_scan,
};
use spelt_mpi::{DistributedView, InProcess, Mpi, Partition};

use super::{random, term};

/// More than a tile of each reducer of the table.
const N: usize = 2500;

/// Runs the entries of [`table`].
trait Launches {
    /// Reduces what `contribute` gives, and keeps the bits of the result.
    fn run<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy;

    /// As [`Launches::run`], and scans too: keeps the bits of some prefixes.
    fn run_and_scan<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy;

    /// As [`Launches::run`] of a mapped reduction by a reducer without a running value of its own.
    fn run_mapped<M>(
        &mut self,
        what: &'static str,
        mapped: M,
        value: impl Fn(usize) -> M::Item + Sync + Copy,
    ) where
        M: MapReducer<usize> + Sync + Copy,
        M::Item: Send + Sync,
        M::Reducer: Sync + Clone,
        <M::Reducer as Reducer>::Value: Send + Portable,
        <M::Reducer as Reducer>::Output: Portable;
}

/// The bytes of a value, in which `Portable` keeps each bit.
fn bits(value: &impl Portable) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.write(&mut bytes);
    bytes
}

/// A number for a running value.
fn hash(value: &impl Portable) -> u64 {
    bits(value).into_iter().fold(7, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The prefixes that are compared: some of each tile, and the last.
fn is_kept(i: usize) -> bool {
    i.is_multiple_of(17) || i + 1 == N
}

type Found = Vec<(&'static str, Vec<u8>)>;

struct OneProcess(Found);

impl Launches for OneProcess {
    fn run<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy,
    {
        let space = Serial::new();
        let sum =
            parallel_reduce(what, space.range(0..N), (), |i, value, ()| contribute(i.get(), value), reducer);
        self.0.push((what, bits(&sum.expect("no error"))));
    }

    fn run_and_scan<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy,
    {
        self.run(what, reducer.clone(), contribute);
        let mut prefixes = View::<u64, 1>::zeros("prefixes", [N]).expect("memory");
        let total = parallel_scan(
            what,
            Serial::new().range(0..N),
            &mut prefixes,
            |i, value, last, mut y| {
                contribute(i.get(), value);
                if last && is_kept(i.get()) {
                    y[i] = hash(value);
                }
            },
            reducer,
        );
        self.0.push((what, bits(&(bits(&total.expect("no error")), prefixes.to_vec()))));
    }

    fn run_mapped<M>(&mut self, what: &'static str, mapped: M, value: impl Fn(usize) -> M::Item + Sync + Copy)
    where
        M: MapReducer<usize> + Sync + Copy,
        M::Item: Send + Sync,
        M::Reducer: Sync + Clone,
        <M::Reducer as Reducer>::Value: Send + Portable,
        <M::Reducer as Reducer>::Output: Portable,
    {
        let found = parallel_map_reduce(what, Serial::new().range(0..N), (), |i, ()| value(i.get()), mapped);
        self.0.push((what, bits(&found.expect("no error"))));
    }
}

struct OnRanks<'a, 'c> {
    space: &'a Mpi<'c, Serial>,
    /// Launches have its partition.
    x: &'a DistributedView<u8, 1>,
    found: Result<Found>,
}

impl OnRanks<'_, '_> {
    fn keep(&mut self, what: &'static str, bytes: Result<Vec<u8>>) {
        match (&mut self.found, bytes) {
            (Ok(found), Ok(bytes)) => found.push((what, bytes)),
            (found @ Ok(_), Err(error)) => *found = Err(error),
            (Err(_), _) => {}
        }
    }
}

impl Launches for OnRanks<'_, '_> {
    fn run<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy,
    {
        let range = self.space.range(0..N);
        let sum = parallel_reduce(what, range, self.x, |i, value, _| contribute(i.get(), value), reducer);
        self.keep(what, sum.map(|sum| bits(&sum)));
    }

    fn run_and_scan<R, F>(&mut self, what: &'static str, reducer: R, contribute: F)
    where
        R: Reducer + Sync + Clone,
        R::Value: Clone + Send + Portable,
        R::Output: Portable,
        F: Fn(usize, &mut R::Value) + Sync + Copy,
    {
        self.run(what, reducer.clone(), contribute);
        let found = || {
            let mut prefixes = self.space.zeros_on::<u64, 1>(self.x.partition(), "prefixes", [N])?;
            let total = parallel_scan(
                what,
                self.space.range(0..N),
                &mut prefixes,
                |i, value, last, mut y| {
                    contribute(i.get(), value);
                    if last && is_kept(i.get()) {
                        y[i] = hash(value);
                    }
                },
                reducer,
            )?;
            let prefixes = self.space.ranks().all_gather_view(what, &prefixes.own().as_view())?;
            Ok(bits(&(bits(&total), prefixes.to_vec())))
        };
        let found = found();
        self.keep(what, found);
    }

    fn run_mapped<M>(&mut self, what: &'static str, mapped: M, value: impl Fn(usize) -> M::Item + Sync + Copy)
    where
        M: MapReducer<usize> + Sync + Copy,
        M::Item: Send + Sync,
        M::Reducer: Sync + Clone,
        <M::Reducer as Reducer>::Value: Send + Portable,
        <M::Reducer as Reducer>::Output: Portable,
    {
        let range = self.space.range(0..N);
        let found = parallel_map_reduce(what, range, self.x, |i, _| value(i.get()), mapped);
        self.keep(what, found.map(|found| bits(&found)));
    }
}

/// Few different values, so that there are ties everywhere, some of which are not numbers.
fn tied(i: usize) -> f64 {
    let value = (random(i) % 11) as f64 - 5.0;
    if i % 101 == 7 { f64::NAN } else { value * 0.5 }
}

/// A number between -1 and 1.
fn noise(i: usize) -> f64 {
    random(i) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A struct as a running value: the number of values, their mean, and the sum of the squares of their distances from it.
#[derive(Clone, Debug, Default, Portable)]
#[portable(crate = "spelt_core")]
struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

/// Joins [`Moments`] by the formula of Chan and others.
#[derive(Clone)]
struct Statistics;

impl Reducer for Statistics {
    type Value = Moments;
    type Output = (u64, f64, f64);
    fn init(&self) -> Moments {
        Moments::default()
    }
    fn join(&self, into: &mut Moments, from: &Moments) {
        let count = into.count + from.count;
        if from.count > 0 {
            let (distance, part) = (from.mean - into.mean, from.count as f64 / count as f64);
            into.squares += from.squares + distance * distance * into.count as f64 * part;
            into.mean += distance * part;
            into.count = count;
        }
    }
    fn finish(&self, value: Moments) -> (u64, f64, f64) {
        (value.count, value.mean, value.squares)
    }
}

/// Every reducer, under its name.
fn table(launches: &mut impl Launches) {
    extrema(launches);
    extrema_by_an_order(launches);
    launches.run_and_scan("Sum", Sum::<f64>::new(), |i, sum| *sum += term(i));
    launches.run("Sum of i8", Sum::<i8>::new(), |i, sum| *sum = sum.wrapping_add(i as i8));
    launches
        .run("Sum of Wrapping", Sum::<Wrapping<u32>>::new(), |i, sum| *sum += Wrapping(i as u32 * 77_777));
    launches.run("Sum of arrays", Sum::<[f64; 3]>::new(), |i, sum| sum[i % 3] += term(i));
    launches.run("Prod", Prod::<f64>::new(), |i, product| *product *= 1.0 + noise(i) / 64.0);
    launches.run("LAnd", LAnd::<bool>::new(), |i, all| *all &= i != 2222);
    launches.run("LOr", LOr::<bool>::new(), |i, any| *any |= i == 2222);
    launches.run("BAnd", BAnd::<u32>::new(), |i, bits| *bits &= !(1 << (i / 80)));
    launches.run("BOr", BOr::<u64>::new(), |i, bits| *bits |= 1 << (i / 80));
    launches.run("FirstLoc", FirstLoc::<usize>::new(), |i, first| first.update(i % 700 == 699, i));
    launches.run("LastLoc", LastLoc::<i16>::new(), |i, last| last.update(i % 1000 == 77, i as i16));
    launches.run_and_scan("Failures", Failures::<u32>::new(), |i, failures| {
        if i % 997 == 42 {
            failures.add(i, i as u32 + 1);
        }
    });

    let several =
        ((Sum::<f64>::new(), Sum::<u8>::new(), MinLoc::<f64>::new()), InOrder::new(Sum::<f64>::new()));
    launches.run_and_scan("a tuple of tuples", several, |i, ((a, b, least), c)| {
        *a += term(i);
        *b = b.wrapping_add(i as u8);
        least.update(tied(i), i);
        *c += term(i);
    });
    launches
        .run("Elementwise", Elementwise::<_, 5>::new(Sum::<f64>::new()), |i, bins| bins[i % 5] += term(i));
    launches.run_and_scan(
        "Elementwise of Option",
        Elementwise::<_, 2>::new(MaxBy::new(f64::total_cmp)),
        |i, ends| {
            MaxBy::new(f64::total_cmp).update(&mut ends[i % 2], noise(i));
        },
    );
    for len in [7, 0] {
        launches.run_and_scan(
            "Columns",
            Columns::new((Sum::<f32>::new(), Max::<u8>::new()), len),
            move |i, bins| {
                if let Some((sum, most)) = bins.get_mut(i % 7) {
                    *sum += term(i) as f32;
                    *most = (*most).max(i as u8);
                }
            },
        );
    }
    launches.run("Finish", Finish::new(Sum::<f64>::new(), f64::to_bits), |i, sum| *sum += term(i));
    launches.run_and_scan("InOrder", InOrder::new(Sum::<f64>::new()), |i, sum| *sum += term(i));
    launches.run_and_scan("Statistics", Statistics, |i, moments| {
        Statistics.join(moments, &Moments { count: 1, mean: term(i), squares: 0.0 });
    });

    // Affine maps modulo a prime: they compose, and do not commute.
    const PRIME: u64 = 1_000_003;
    let maps = custom([1_u64, 0], |into: &mut [u64; 2], from: &[u64; 2]| {
        *into = [into[0] * from[0] % PRIME, (into[1] * from[0] + from[1]) % PRIME];
    });
    launches.run("Custom", maps.non_commutative(), move |i, map| {
        maps.join(map, &[i as u64 % 1000 + 2, i as u64 % 77]);
    });
    let text =
        custom(String::new(), |into: &mut String, from: &String| into.push_str(from)).non_commutative();
    launches.run_and_scan("Custom of text", text, |i, text| {
        if i % 50 == 3 {
            text.push(char::from(b'a' + (i % 26) as u8));
        }
    });
}

fn extrema(launches: &mut impl Launches) {
    launches.run("Min", Min::<f64>::new(), |i, min| *min = if tied(i) < *min { tied(i) } else { *min });
    launches.run("Max", Max::<char>::new(), |i, max| *max = (*max).max(char::from(random(i) as u8)));
    launches.run("MinMax", MinMax::<f64>::new(), |i, ends| ends.update(tied(i)));
    launches.run("MinLoc", MinLoc::<f64>::new(), |i, least| least.update(tied(i), i));
    launches.run("MinFirstLoc", MinFirstLoc::<u8>::new(), |i, least| least.update(random(i) as u8, i));
    launches.run("MaxLoc", MaxLoc::<f64, u32>::new(), |i, most| most.update(tied(i), i as u32));
    launches.run("MaxFirstLoc", MaxFirstLoc::<f32, (u8, i64)>::new(), |i, most| {
        most.update(tied(i) as f32, ((i % 100) as u8, i as i64 / -100));
    });
    launches
        .run("MinMaxLoc", MinMaxLoc::<f64, [usize; 2]>::new(), |i, ends| ends.update(tied(i), [i % 9, i]));
    launches.run_and_scan("MinMaxFirstLastLoc", MinMaxFirstLastLoc::<f64>::new(), |i, ends| {
        ends.update(tied(i), i)
    });
    launches.run_mapped("AtIndex of MinLoc", MinLoc::<f64>::at_index(), tied);
    launches.run_mapped("AtIndex of MaxLoc", MaxLoc::<f64>::at_index(), tied);
    launches.run_mapped("AtIndex of MinMaxLoc", MinMaxLoc::<f64>::at_index(), tied);
}

fn extrema_by_an_order(launches: &mut impl Launches) {
    /// All values are equal in it that have the same absolute value.
    fn order(a: &f64, b: &f64) -> core::cmp::Ordering {
        a.abs().total_cmp(&b.abs())
    }
    macro_rules! by_order {
        ($($reducer:ident: |$i:ident| ($($argument:expr),+);)*) => {$(
            let reducer = $reducer::new(order as fn(&f64, &f64) -> core::cmp::Ordering);
            launches.run(stringify!($reducer), reducer, |$i, best| {
                // The first ranks may contribute nothing.
                if $i > 700 {
                    reducer.update(best, $($argument),+);
                }
            });
        )*};
    }
    by_order! {
        MinBy: |i| (tied(i));
        MaxBy: |i| (tied(i));
        MinMaxBy: |i| (tied(i));
        MinLocBy: |i| (tied(i), N - i);
        MaxLocBy: |i| (tied(i), N - i);
        MinMaxLocBy: |i| (tied(i), i);
        MinMaxFirstLastLocBy: |i| (tied(i), i);
    }
}

/// Cuts that are even, random, at borders of tiles, of one iteration, and inside one tile.
fn cuts(size: usize) -> Vec<Vec<usize>> {
    let sorted = |mut cuts: Vec<usize>| {
        cuts.sort_unstable();
        (cuts[0], cuts[size]) = (0, N);
        cuts
    };
    let of = |cut: &dyn Fn(usize) -> usize| sorted((0..=size).map(cut).collect());
    vec![
        of(&|rank| N * rank / size),
        of(&|rank| random(rank + 31 * size) as usize % (N + 1)),
        of(&|rank| if rank <= size / 2 { 0 } else { N }),
        of(&|rank| rank),
        of(&|rank| 1000 + 3 * rank),
    ]
}

#[test]
fn every_reducer_has_the_bits_of_one_process() {
    let mut expected = OneProcess(Vec::new());
    table(&mut expected);
    for size in [1, 2, 3, 5, 7, 8] {
        for cuts in cuts(size) {
            let partition = Partition::from_cuts(&cuts).expect("ascending");
            let results = InProcess::new(size).delays(size as u64, 3).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let x = space.zeros_on::<u8, 1>(&partition, "x", [N])?;
                let mut launches = OnRanks { space: &space, x: &x, found: Ok(Vec::new()) };
                table(&mut launches);
                launches.found
            });
            for found in results {
                let found = found.expect("no error");
                assert_eq!(found.len(), expected.0.len());
                for ((what, found), (_, expected)) in found.iter().zip(&expected.0) {
                    assert!(found == expected, "{what} on {size} ranks, cut at {cuts:?}");
                }
            }
        }
    }
}

/// A reducer that is added needs a line in the table.
#[test]
fn the_table_has_all_reducers() {
    let mut entries = OneProcess(Vec::new());
    table(&mut entries);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../reducers/src/lib.rs");
    let source = std::fs::read_to_string(path).expect("the crate beside this one");
    let exports = source.lines().filter_map(|line| line.strip_prefix("pub use "));
    let names: Vec<_> = exports
        .flat_map(|names| names.split(|sign: char| !sign.is_alphanumeric()))
        .filter(|name| name.starts_with(char::is_uppercase))
        .filter(|name| !name.ends_with("Value") && !name.ends_with("Element"))
        .filter(|name| !["ColumnsVisitor", "FloatSums", "Location", "MapReducer", "Reducer"].contains(name))
        .collect();
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        let is_entry = |(what, _): &(&str, _)| what.split(' ').next() == Some(name);
        assert!(entries.0.iter().any(is_entry), "{name} is not in the table");
    }
}
