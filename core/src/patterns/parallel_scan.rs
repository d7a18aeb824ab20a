//! `parallel_scan`.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicUsize, Ordering};

use spelt_kernels_gpu::pairwise::Blocks;
use spelt_kernels_gpu::scan::{Runs, scan_final, scan_in_order, scan_totals};
use spelt_kernels_gpu::tile::{self, Boxed, Cursor, Line};
use spelt_kernels_gpu::{Element, KernelArgs};
use spelt_policies::{Idx, Layout, MdRangePolicy, RangePolicy, Schedule, canonical};
use spelt_reducers::Reducer;

use super::OnSpace;
use super::chunks::BREAK_EVEN;
use super::parallel_for::counted;
use super::slots::Slots;
use crate::isa::{self, Work};
use crate::launch::{Names, check_covered};
use crate::memory::HostAccessible;
use crate::spaces::{Backend, ExecutionSpace, ReachedBy};
use crate::view::View;
use crate::{Error, ErrorKind, Result};

/// Tiles that one thread scans at a time: a power of two. Unit: tiles. Source: measured, docs/benchmarks.md; 8 tiles
/// of 2048 numbers of 8 bytes are 128 KiB, which the second pass finds in the thread's own cache.
const TILES: usize = 8;

/// Scans every index of `policy` in order: a running value passes through all iterations; returns the total.
///
/// The closure gets the value of all indices before its own, adds its own contribution to it, and may write when
/// `last` is true: before adding, what it writes is the exclusive prefix, after adding, the inclusive one. It is
/// called once or several times per index, the last time with `last == true`, and must contribute alike each time.
/// The bits of all prefixes and of the total are the same on every space, thread count and run (see
/// [`canonical`]). An empty policy gives `finish(init())` and calls nothing.
///
/// # Errors
/// As [`parallel_for`](crate::parallel_for()); [`ErrorKind::Policy`] for an argument that keeps a copy for each block
/// of iterations.
///
/// # Panics
/// If an iteration or a join panics: all threads stop, then the panic goes on here.
///
/// # Complexity
/// Work O(n) calls, at most 3 n, span O(n / threads + log n); each input is read from memory once. No allocation for
/// values up to 64 bytes.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_scan, reducers::Sum};
/// let space = Serial::new();
/// let x = View::from_fn("x", [4], |[i]| i as i64 + 1)?;
/// let mut y = View::<i64, 1>::zeros("y", [4])?;
/// let total = parallel_scan("prefix", space.range(0..4), (&x, &mut y),
///     |i, sum, last, (x, mut y)| { *sum += x[i]; if last { y[i] = *sum } }, Sum::<i64>::new())?;
/// assert_eq!(y.as_slice(), Some(&[1, 3, 6, 10][..]));
/// assert_eq!(total, 10);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_scan<P, A, F, R>(label: &str, policy: P, args: A, functor: F, reducer: R) -> Result<R::Output>
where
    R: Reducer,
    P: ScanPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
{
    policy.scan(label, args, functor, reducer)
}

/// [`parallel_scan`] with the total written into the rank-0 View `total` instead of returned.
///
/// # Errors
/// As [`parallel_scan`].
#[inline]
pub fn parallel_scan_into<P, A, F, R, M, L>(
    label: &str,
    policy: P,
    args: A,
    functor: F,
    reducer: R,
    total: &mut View<R::Output, 0, M, L>,
) -> Result<()>
where
    R: Reducer,
    R::Output: Element,
    P: ScanPolicy<A, F, R>,
    A: KernelArgs + ReachedBy<P::Space>,
    M: HostAccessible,
    L: Layout,
{
    total[[]] = policy.scan(label, args, functor, reducer)?;
    Ok(())
}

/// A policy that `parallel_scan` runs `F` over, with the arguments `A` and the reducer `R`.
#[diagnostic::on_unimplemented(
    message = "`parallel_scan` cannot run this closure over `{Self}`",
    note = "the closure is `|i, value, last, (x, mut y)| ..` over a range or md_range; it and the reducer must be `Sync`, \
            the reducer's value `Clone + Send`"
)]
pub trait ScanPolicy<A, F, R: Reducer>: OnSpace {
    /// Runs it.
    #[doc(hidden)]
    fn scan(self, label: &str, args: A, functor: F, reducer: R) -> Result<R::Output>;
}

/// The scan of the tiles of one chunk.
struct Chunk<'a, R, P, G> {
    reducer: &'a R,
    n: usize,
    /// The first tile, and how many there are, at most [`TILES`].
    first: usize,
    count: usize,
    place: P,
    body: G,
}

impl<R: Reducer, P, G> Chunk<'_, R, P, G> {
    /// First iteration and length of a tile.
    #[inline(always)]
    fn tile(&self, number: usize) -> (usize, usize) {
        let tile_len = canonical::tile_len(canonical::lanes(R::LANE_BYTES));
        let first = (self.first + number) * tile_len;
        (first, tile_len.min(self.n - first))
    }
}

/// Both passes over one chunk, with what stands between them: `between(total blocks) -> blocks before the chunk`.
///
/// `ALL` says whether the first pass is wanted, which finds the chunk's total.
struct Scan<'a, R, P, G, B> {
    chunk: Chunk<'a, R, P, G>,
    between: B,
}

/// What the dispatcher does between the passes over a chunk, given the totals of its tiles.
trait Between<V> {
    /// The joined tiles before the chunk. `chunk` holds those of the chunk.
    fn before<R: Reducer<Value = V>>(&mut self, reducer: &R, chunk: &mut Vec8<V>) -> Option<Blocks<V>>;
}

/// Up to eight values: the totals of a chunk's tiles.
struct Vec8<V> {
    values: [Option<V>; TILES],
}

impl<C, R, P, G, B> Work for Scan<'_, R, P, G, B>
where
    C: Cursor,
    R: Reducer,
    R::Value: Clone,
    P: Fn(usize) -> C,
    G: Fn(C, usize, &mut R::Value, bool),
    B: Between<R::Value>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match const { canonical::lanes(R::LANE_BYTES) } {
            32 => self.run_lanes::<C, 32>(),
            16 => self.run_lanes::<C, 16>(),
            8 => self.run_lanes::<C, 8>(),
            4 => self.run_lanes::<C, 4>(),
            2 => self.run_lanes::<C, 2>(),
            _ => self.run_lanes::<C, 1>(),
        }
    }
}

impl<R: Reducer, P, G, B> Scan<'_, R, P, G, B>
where
    R::Value: Clone,
    B: Between<R::Value>,
{
    #[inline(always)]
    fn run_lanes<C, const W: usize>(mut self)
    where
        C: Cursor,
        P: Fn(usize) -> C,
        G: Fn(C, usize, &mut R::Value, bool),
    {
        let chunk = &self.chunk;
        let reducer = chunk.reducer;
        let mut totals = Vec8 { values: [const { None }; TILES] };
        if R::EXACT {
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                // In index order: that a reducer is exact says nothing of joins out of order (of 0.0 and -0.0, `Min`
                // keeps the first).
                totals.values[number] = tile::reduce_tile(
                    &spelt_reducers::InOrder::new(reducer),
                    (chunk.place)(first),
                    len,
                    &mut |place, distance, value: &mut R::Value| {
                        (chunk.body)(place, distance, value, false);
                    },
                );
            }
            let Some(before) = self.between.before(reducer, &mut totals) else { return };
            let mut value = before.prefix(reducer).unwrap_or_else(|| reducer.init());
            for number in 0..chunk.count {
                let (first, len) = chunk.tile(number);
                scan_in_order(
                    (chunk.place)(first),
                    len,
                    &mut value,
                    &mut |place, distance, value: &mut R::Value, last| {
                        (chunk.body)(place, distance, value, last);
                    },
                );
            }
            return;
        }
        let mut runs: [Runs<R::Value, W>; TILES] = core::array::from_fn(|_| Runs::new());
        for (number, runs) in runs.iter_mut().enumerate().take(chunk.count) {
            let (first, len) = chunk.tile(number);
            *runs = scan_totals(
                reducer,
                (chunk.place)(first),
                len,
                &mut |place, distance, value: &mut R::Value, last| {
                    (chunk.body)(place, distance, value, last);
                },
            );
            totals.values[number] = runs.total().cloned();
        }
        let mut tiles = totals.values.clone();
        let Some(mut before) = self.between.before(reducer, &mut totals) else { return };
        for (number, runs) in runs.iter().enumerate().take(chunk.count) {
            let (first, len) = chunk.tile(number);
            let prefix = before.prefix(reducer);
            scan_final(
                reducer,
                (chunk.place)(first),
                len,
                prefix.as_ref(),
                runs,
                &mut |place, distance, value: &mut R::Value, last| (chunk.body)(place, distance, value, last),
            );
            if let Some(total) = tiles[number].take() {
                before.push(reducer, total, 1);
            }
        }
    }
}

impl<V> Vec8<V> {
    /// Adds the chunk's tiles to the tiles before it.
    fn push_to<R: Reducer<Value = V>>(&mut self, reducer: &R, blocks: &mut Blocks<V>) {
        for total in self.values.iter_mut().filter_map(Option::take) {
            blocks.push(reducer, total, 1);
        }
    }
}

/// The state that chunks hand on in order.
struct Chain<V> {
    /// The number of chunks whose totals are in `blocks`; `BROKEN` when one of them panicked.
    ready: AtomicUsize,
    blocks: UnsafeCell<Blocks<V>>,
}

/// No chunk comes after this.
const BROKEN: usize = usize::MAX;

/// Rounds of waiting before a thread gives its core away. Unit: rounds of `spin_loop`. Source: a chunk takes some ten
/// microseconds; a predecessor that is running is done before, one that is not needs the core.
const SPINS: u32 = 2000;

// SAFETY: `blocks` is used only by the thread whose turn `ready` says it is.
unsafe impl<V: Send> Sync for Chain<V> {}

/// One chunk's turn in the chain.
struct Turn<'a, V> {
    chain: &'a Chain<V>,
    chunk: usize,
    done: bool,
}

impl<V: Clone> Between<V> for Turn<'_, V> {
    fn before<R: Reducer<Value = V>>(&mut self, reducer: &R, totals: &mut Vec8<V>) -> Option<Blocks<V>> {
        let mut spins = 0;
        loop {
            match self.chain.ready.load(Ordering::Acquire) {
                ready if ready == self.chunk => break,
                BROKEN => return None,
                _ if spins < SPINS => {
                    spins += 1;
                    core::hint::spin_loop();
                }
                _ => std::thread::yield_now(),
            }
        }
        // SAFETY: it is this chunk's turn until `ready` moves on.
        let blocks = unsafe { &mut *self.chain.blocks.get() };
        let before = blocks.clone();
        totals.push_to(reducer, blocks);
        self.done = true;
        // A chunk that has panicked meanwhile stays known: those after it must not wait for it.
        let next = self.chain.ready.compare_exchange(
            self.chunk,
            self.chunk + 1,
            Ordering::Release,
            Ordering::Relaxed,
        );
        next.ok().map(|_| before)
    }
}

impl<V> Drop for Turn<'_, V> {
    fn drop(&mut self) {
        if !self.done {
            self.chain.ready.store(BROKEN, Ordering::Release);
        }
    }
}

/// Keeps the total of a chunk, and goes no further: the first of two launches.
struct Total<'a, V>(&'a mut Option<Vec8<V>>);

impl<V> Between<V> for Total<'_, V> {
    fn before<R: Reducer<Value = V>>(&mut self, _reducer: &R, totals: &mut Vec8<V>) -> Option<Blocks<V>> {
        *self.0 = Some(Vec8 { values: core::array::from_fn(|tile| totals.values[tile].take()) });
        None
    }
}

/// Knows what was before: the second of two launches.
struct Known<V>(Option<Blocks<V>>);

impl<V> Between<V> for Known<V> {
    fn before<R: Reducer<Value = V>>(&mut self, _reducer: &R, _totals: &mut Vec8<V>) -> Option<Blocks<V>> {
        self.0.take()
    }
}

/// Scans `n` iterations.
#[inline]
pub(crate) fn scan<C, R, P, G>(
    backend: &impl Backend,
    n: usize,
    names: &Names<'_>,
    reducer: &R,
    place: P,
    body: G,
) -> R::Value
where
    C: Cursor,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    P: Fn(usize) -> C + Copy + Sync,
    G: Fn(C, usize, &mut R::Value, bool) + Copy + Sync,
{
    let tiles = canonical::tile_count(n, canonical::lanes(R::LANE_BYTES));
    let chunks = tiles.div_ceil(TILES);
    let chunk = |number: usize| {
        let first = number * TILES;
        Chunk { reducer, n, first, count: TILES.min(tiles - first), place, body }
    };
    if n == 0 {
        return reducer.init();
    }
    if backend.threads() == 1 || n < BREAK_EVEN {
        let _running = names.enter();
        if R::EXACT {
            let mut value = reducer.init();
            isa::dispatch(InOrder { n, place, body, value: &mut value });
            return value;
        }
        let chain = Chain { ready: AtomicUsize::new(0), blocks: UnsafeCell::new(Blocks::new()) };
        for number in 0..chunks {
            isa::dispatch(Scan {
                chunk: chunk(number),
                between: Turn { chain: &chain, chunk: number, done: false },
            });
        }
        return chain.blocks.into_inner().join(reducer).expect("a range that is not empty has a tile");
    }
    if backend.in_order() {
        let chain = Chain { ready: AtomicUsize::new(0), blocks: UnsafeCell::new(Blocks::new()) };
        backend.run_units(chunks, Schedule::Dynamic, &|number| {
            let _running = names.enter();
            isa::dispatch(Scan {
                chunk: chunk(number),
                between: Turn { chain: &chain, chunk: number, done: false },
            });
        });
        let _running = names.enter();
        return chain.blocks.into_inner().join(reducer).expect("a range that is not empty has a tile");
    }
    // A pool that may run one unit inside another must not have units wait for one another: two launches.
    let mut totals = Slots::<Vec8<R::Value>>::new(chunks);
    backend.run_units(chunks, Schedule::Dynamic, &|number| {
        let _running = names.enter();
        let mut total = None;
        isa::dispatch(Scan { chunk: chunk(number), between: Total(&mut total) });
        // SAFETY: each unit runs once.
        unsafe { totals.put(number, total.expect("the first pass keeps its total")) }
    });
    let mut blocks = Blocks::new();
    let befores = Slots::<Blocks<R::Value>>::new(chunks);
    {
        let _running = names.enter();
        for number in 0..chunks {
            // SAFETY: no other thread uses the slots.
            unsafe { befores.put(number, blocks.clone()) }
            totals.take(number).expect("every unit has run").push_to(reducer, &mut blocks);
        }
    }
    backend.run_units(chunks, Schedule::Dynamic, &|number| {
        let _running = names.enter();
        // SAFETY: each unit runs once, and takes its own slot alone.
        let before = unsafe { befores.take_shared(number) };
        isa::dispatch(Scan { chunk: chunk(number), between: Known(before) });
    });
    let _running = names.enter();
    blocks.join(reducer).expect("a range that is not empty has a tile")
}

/// All iterations, once each, in order: what one thread does where the reducer is exact.
struct InOrder<'a, V, P, G> {
    n: usize,
    place: P,
    body: G,
    value: &'a mut V,
}

impl<C, V, P, G> Work for InOrder<'_, V, P, G>
where
    C: Cursor,
    P: Fn(usize) -> C,
    G: Fn(C, usize, &mut V, bool),
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { n, place, body, value } = self;
        scan_in_order(place(0), n, value, &mut |place, distance, value: &mut V, last| {
            body(place, distance, value, last)
        });
    }
}

/// The error of an argument that a scan cannot take.
pub(crate) fn no_blocks<A: KernelArgs>(label: &str, args: &A) -> Result<()> {
    if args.blocks().is_none() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Policy,
        "a scan takes no `.scatter()` argument: use `.atomic()`, or a second kernel",
    )
    .in_kernel(label))
}

impl<S, A, F, R> ScanPolicy<A, F, R> for RangePolicy<&S>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, 1>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    fn scan(self, label: &str, mut args: A, functor: F, reducer: R) -> Result<R::Output> {
        let range = self.range();
        check_covered(label, &args, &[range.start], &[range.end])?;
        no_blocks(label, &args)?;
        // SAFETY: `args` lives, and is only described, until the launch is over.
        let (raw, held) = unsafe { args.lower() };
        let names = Names::new(label, &args);
        let functor = &functor;
        let start = range.start;
        let value = scan(
            *self.space(),
            self.len(),
            &names,
            &reducer,
            move |offset| Line { index: start + offset },
            move |place: Line, distance, value: &mut R::Value, last| {
                // SAFETY: each chunk runs once, and within it each index once at a time and in order; coverage is
                // checked.
                unsafe { functor(Idx::new([place.index + distance]), value, last, A::access(&raw, 0)) }
            },
        );
        A::finish(held);
        Ok(reducer.finish(value))
    }
}

impl<S, A, F, R, const N: usize> ScanPolicy<A, F, R> for MdRangePolicy<&S, N>
where
    S: ExecutionSpace,
    A: KernelArgs,
    R: Reducer + Sync,
    R::Value: Clone + Send,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    fn scan(self, label: &str, mut args: A, functor: F, reducer: R) -> Result<R::Output> {
        let count = counted(label, &self)?;
        let lower = self.ranges().map(|range| range.start);
        let upper = self.ranges().map(|range| range.end);
        check_covered(label, &args, &lower, &upper)?;
        no_blocks(label, &args)?;
        // SAFETY: `args` lives, and is only described, until the launch is over.
        let (raw, held) = unsafe { args.lower() };
        let names = Names::new(label, &args);
        let functor = &functor;
        let value = scan(
            *self.space(),
            count,
            &names,
            &reducer,
            move |offset| Boxed::new(lower, upper, offset),
            move |place: Boxed<N>, distance, value: &mut R::Value, last| {
                let mut index = place.index;
                index[N - 1] += distance;
                // SAFETY: as above.
                unsafe { functor(Idx::new(index), value, last, A::access(&raw, 0)) }
            },
        );
        A::finish(held);
        Ok(reducer.finish(value))
    }
}
