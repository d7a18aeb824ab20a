//! Running values of 4 KiB to 1 MiB, on threads with 2 MiB of stack.

use spelt_core::reducers::{Max, Reducer, Sum};
use spelt_core::{
    AnyHost, ExecutionSpace, Rayon, Serial, Team, parallel_for, parallel_map_reduce, parallel_reduce,
    parallel_scan, serial_map_reduce, serial_reduce, serial_reduce_box,
};

/// Counts contributions in `N` places.
#[derive(Clone, Copy)]
struct Count<const N: usize, const EXACT: bool, const LANES: usize = 1>;

impl<const N: usize, const EXACT: bool, const LANES: usize> Reducer for Count<N, EXACT, LANES> {
    type Value = [u64; N];
    type Output = u64;
    const EXACT: bool = EXACT;
    const LANE_BYTES: usize = if LANES == 1 { size_of::<Self::Value>() } else { 1 };
    fn init(&self) -> [u64; N] {
        [0; N]
    }
    fn join(&self, into: &mut [u64; N], from: &[u64; N]) {
        // Joins of a MiB are most of the time of these tests: without optimisation, an iterator made them nearly three times as long.
        let mut place = 0;
        while place < N {
            into[place] += from[place];
            place += 1;
        }
    }
    fn finish(&self, value: [u64; N]) -> u64 {
        value.iter().sum()
    }
}

/// Runs `attack` on a thread with the stack that threads have by default.
fn on_a_thread(attack: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, attack);
        thread.expect("a thread").join().expect("it holds");
    });
}

/// Every pattern that returns to the host, over several chunks of tiles.
fn patterns<S: ExecutionSpace, const N: usize, const EXACT: bool, const LANES: usize>(space: &S) {
    let n = if LANES == 1 { 64 * 17 + 3 } else { 64 * 32 * 9 + 3 };
    let reducer = Count::<N, EXACT, LANES>;
    let range = || space.range(0..n).chunk(64 * LANES);
    let sum = parallel_reduce("sum", range(), (), |i, value, ()| value[i.get() % N] += 1, reducer);
    assert_eq!(sum.expect("it runs"), n as u64);
    let total =
        parallel_scan("scan", space.range(0..n), (), |i, value, _, ()| value[i.get() % N] += 1, reducer);
    assert_eq!(total.expect("it runs"), n as u64);
    assert_eq!(serial_reduce(n, |i, value| value[i % N] += 1, &reducer), n as u64);
}

/// Those that are nested in teams, and in threads with lanes.
fn nested<S: ExecutionSpace, const N: usize, const EXACT: bool>(space: &S, team_sizes: &[usize]) {
    let (n, reducer) = (64 * 3 + 1, Count::<N, EXACT>);
    for &threads in team_sizes {
        parallel_for("teams", space.team(3, threads), (), |team, ()| {
            let range = team.thread_range(n);
            let count = team.parallel_reduce(range, |j, value| value[j.inner() % N] += 1, reducer);
            let range = team.thread_range(n);
            let total = team.parallel_scan(range, |j, value, _| value[j.inner() % N] += 1, reducer);
            assert_eq!([count, total], [n as u64; 2]);
        })
        .expect("it runs");
    }
    parallel_for("lanes", space.team(2, 1).vector(4), (), |team, ()| {
        team.parallel_for(team.thread_range(3), |mut thread| {
            let range = thread.vector_range(n);
            let count = thread.parallel_reduce(range, |v, value| value[v.inner() % N] += 1, reducer);
            let range = thread.vector_range(n);
            let total = thread.parallel_scan(range, |v, value, _| value[v.inner() % N] += 1, reducer);
            assert_eq!([count, total], [n as u64; 2]);
        });
    })
    .expect("it runs");
}

/// Those in which a value also passes through the program's own frames.
fn values_by_value<S: ExecutionSpace, const N: usize>(space: &S, team_sizes: &[usize]) {
    let (n, reducer) = (64 * 3 + 1, Count::<N, false>);
    let one = |i: usize| core::array::from_fn(|place| u64::from(place == i % N));
    let sum = parallel_map_reduce("map", space.range(0..n), (), |i, ()| one(i.get()), reducer);
    assert_eq!(sum.expect("it runs"), n as u64);
    for &threads in team_sizes {
        let contribute = |team: &mut Team<'_, [u64; N]>, ()| {
            assert_eq!(team.team_reduce(one(0), &reducer)[0], threads as u64);
            assert_eq!(team.team_scan(one(0), &reducer)[0], team.team_rank() as u64);
            team.contribute(one(team.league_rank()));
        };
        let sum = parallel_reduce("teams", space.team(3, threads), (), contribute, reducer);
        assert_eq!(sum.expect("it runs"), 3);
    }
}

/// Calls it with each space, and the team sizes that the space has.
fn on_every_space(attack: impl Fn(AnyHost, &[usize]) + Send + Copy) {
    on_a_thread(move || attack(Serial::new().into(), &[1]));
    on_a_thread(move || attack(crate::two_threads().into(), &[1, 2]));
    on_a_thread(move || attack(Rayon::new().into(), &[1]));
}

#[test]
fn values_of_4_and_16_kib() {
    on_every_space(|space, _| patterns::<_, 512, false, 1>(&space));
    on_every_space(|space, _| patterns::<_, 2048, true, 1>(&space));
    on_every_space(|space, _| patterns::<_, 2048, false, 1>(&space));
    on_every_space(|space, sizes| nested::<_, 512, false>(&space, sizes));
    on_every_space(|space, sizes| nested::<_, 2048, false>(&space, sizes));
    on_every_space(|space, sizes| values_by_value::<_, 2048>(&space, sizes));
}

#[test]
fn values_of_64_kib() {
    on_every_space(|space, _| patterns::<_, 8192, false, 1>(&space));
    on_every_space(|space, sizes| nested::<_, 8192, false>(&space, sizes));
    on_every_space(|space, sizes| values_by_value::<_, 8192>(&space, sizes));
}

/// With as many lanes as small values have: a reducer may ask for them.
#[test]
fn values_of_16_kib_in_32_lanes() {
    on_every_space(|space, _| patterns::<_, 2048, false, 32>(&space));
}

#[test]
fn values_of_1_mib() {
    on_every_space(|space, _| patterns::<_, 131_072, false, 1>(&space));
    on_every_space(|space, _| patterns::<_, 131_072, true, 1>(&space));
    on_every_space(|space, sizes| nested::<_, 131_072, false>(&space, sizes));
    on_every_space(|space, sizes| nested::<_, 131_072, true>(&space, sizes));
}

/// Sums in the first of `N` places.
#[derive(Clone, Copy)]
struct First<const N: usize, const COMMUTATIVE: bool>;

impl<const N: usize, const COMMUTATIVE: bool> Reducer for First<N, COMMUTATIVE> {
    type Value = [f64; N];
    type Output = u64;
    const COMMUTATIVE: bool = COMMUTATIVE;
    const LANE_BYTES: usize = 24;
    fn init(&self) -> [f64; N] {
        [0.0; N]
    }
    fn join(&self, into: &mut [f64; N], from: &[f64; N]) {
        into[0] += from[0];
    }
    fn finish(&self, value: [f64; N]) -> u64 {
        value[0].to_bits()
    }
}

/// The total of a scan in rows of one lane, as that of large values: each tile from left to right, and tiles in their tree.
fn scan_of_single_lanes(n: usize) -> u64 {
    let mut level: Vec<f64> = (0..n)
        .step_by(64)
        .map(|first| (first..n.min(first + 64)).fold(0.0, |sum, i| sum + 1.0 / (i + 1) as f64))
        .collect();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| pair.iter().copied().reduce(|a, b| a + b).unwrap()).collect();
    }
    level.first().copied().unwrap_or(0.0).to_bits()
}

/// Where values lie changes no bit of a reduction. Scans of large values go in rows of one lane, on one thread or on several.
/// Of 128 KiB, by `move`.
#[test]
fn large_captures_fit_on_the_stack_of_a_thread() {
    let (table, n) = ([1_u64; 16_384], 5000);
    let sum = serial_reduce(n, move |i, sum| *sum += table[3 * i], &Sum::<u64>::new());
    let sum_of_a_box =
        serial_reduce_box([n / 100, 100], move |[i, j], sum| *sum += table[i * 100 + j], &Sum::<u64>::new());
    let largest = serial_map_reduce(n, move |i| table[3 * i], Max::<u64>::new());
    assert_eq!([sum, sum_of_a_box, largest], [n as u64, n as u64, 1]);
}

#[test]
fn large_values_join_in_their_order() {
    fn bits<const N: usize, const COMMUTATIVE: bool>(n: usize) -> ([u64; 3], [u64; 2]) {
        let (space, reducer) = (crate::two_threads(), First::<N, COMMUTATIVE>);
        let add = |i: usize, value: &mut [f64; N]| value[0] += 1.0 / (i + 1) as f64;
        let sum = parallel_reduce("sum", space.range(0..n), (), |i, value, ()| add(i.get(), value), reducer);
        let total =
            parallel_scan("scan", space.range(0..n), (), |i, value, _, ()| add(i.get(), value), reducer);
        let serial = serial_reduce(n, add, &reducer);
        let (mut nested, mut nested_scan) = (0, 0);
        let sums = std::sync::Mutex::new((&mut nested, &mut nested_scan));
        parallel_for("nested", space.team(1, 2), (), |team, ()| {
            let range = team.thread_range(n);
            let sum = team.parallel_reduce(range, |j, value| add(j.inner(), value), reducer);
            let range = team.thread_range(n);
            let total = team.parallel_scan(range, |j, value, _| add(j.inner(), value), reducer);
            let mut sums = sums.lock().expect("no panic");
            (*sums.0, *sums.1) = (sum, total);
        })
        .expect("it runs");
        ([sum.expect("it runs"), serial, nested], [total.expect("it runs"), nested_scan])
    }
    for n in [0, 1, 15, 16, 700, 1024, 1025, 9999, 30_000] {
        let (sums, scans) = bits::<128, true>(n);
        assert_eq!(sums, bits::<1, true>(n).0, "{n}");
        assert_eq!(scans, [scan_of_single_lanes(n); 2], "{n}");
        let (sums, scans) = bits::<128, false>(n);
        assert_eq!(sums, bits::<1, false>(n).0, "{n}");
        assert_eq!(scans, [scan_of_single_lanes(n); 2], "{n}");
    }
}
