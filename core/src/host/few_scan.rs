//! Scans of few long iterations: all threads find the contributions, the caller joins them in the canonical order, and all threads run the
//! iterations again, each on the value before it.

use spelt_order::body::{Inlined, ScanBody};
use spelt_order::canonical;
use spelt_order::cursor::{Cursor, Line};
use spelt_order::pending_nodes::PendingNodes;
use spelt_order::scan::{Goal, scan_in_order, scan_tile};
use spelt_reducers::Reducer;

use super::HostThreads;
use super::distribution::{Distribution, Start, run_chunks_from};
use super::history::{History, Outlook};
use super::kernel::ScanStep;
use super::opening::{self, OPENS_AFTER, is_forced};
use super::slots::Slots;
use crate::environment::{self, Opens};
use crate::isa::{self, Work};
use crate::moment::Moment;
use crate::threads::kernel_scope::in_kernel;

/// The shortest first iteration after which the first scan of a closure is shared. Unit: ticks, 0.5 us. Source: estimated: a reading of the clock
/// takes a twentieth of it, and the memory that a first iteration reads may have to come from far away. Shorter ones are found to be long when the scan has
/// ended, for the next one.
const LONG: u64 = OPENS_AFTER / 40;

/// A scan of few iterations, at least one, on a space of several threads.
pub(super) struct FewScan<'a, S, R, P, B> {
    pub(super) space: &'a S,
    pub(super) n: usize,
    pub(super) distribution: &'a Distribution<'a>,
    pub(super) reducer: &'a R,
    pub(super) place: &'a P,
    pub(super) body: &'a B,
    /// The launches of the closure before.
    pub(super) history: History,
}

/// How such a scan begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// The caller runs all of it. `timed`: its time goes into the history.
    Alone { timed: bool },
    /// All threads run it. `looks`: it begins on the caller, which looks at the clock.
    Shared { looks: bool },
}

impl<S, R, P, B> FewScan<'_, S, R, P, B>
where
    S: HostThreads,
    R: Reducer + Sync,
    R::Value: Clone + Send,
{
    /// How the scan begins. If nothing is known of the closure, its first iteration runs once for it, and the result is dropped.
    pub(super) fn beginning<C>(&self) -> Beginning
    where
        C: Cursor,
        P: Fn(usize) -> C,
        B: ScanStep<C, R::Value>,
    {
        let &Self { n, history, .. } = self;
        if n == 1 || in_kernel() {
            return Beginning::Alone { timed: false };
        }
        if let Some(chunk) = self.distribution.chunk {
            return if chunk < n {
                Beginning::Shared { looks: false }
            } else {
                Beginning::Alone { timed: false }
            };
        }
        let opens = environment::opens();
        if is_forced() || opens == Opens::AtOnce {
            return Beginning::Shared { looks: true };
        }
        if opens == Opens::Never || history.is_short(n) {
            return Beginning::Alone { timed: false };
        }
        let is_long = match history.outlook() {
            Outlook::Short => false,
            Outlook::Long => true,
            Outlook::Unknown => {
                let begun = Moment::now();
                {
                    let _running = self.distribution.names.enter();
                    drop(self.contribution(0));
                }
                let elapsed = begun.elapsed();
                elapsed >= LONG && elapsed.saturating_mul(n as u64) >= OPENS_AFTER
            }
        };
        if is_long { Beginning::Shared { looks: true } } else { Beginning::Alone { timed: true } }
    }

    /// The contribution of an iteration.
    fn contribution<C>(&self, iteration: usize) -> R::Value
    where
        C: Cursor,
        P: Fn(usize) -> C,
        B: ScanStep<C, R::Value>,
    {
        let mut value = self.reducer.init();
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(*self.body);
        body.run((self.place)(iteration), 0, &mut value, false);
        value
    }

    /// Runs it on all threads, and returns its total; `None` if there is no memory for the values, and nothing has run.
    pub(super) fn run<C>(&self, looks: bool) -> Option<R::Value>
    where
        C: Cursor,
        P: Fn(usize) -> C + Sync,
        B: ScanStep<C, R::Value>,
    {
        let &Self { space, n, distribution, reducer, place, body, history } = self;
        let mut values = Slots::new(n).ok()?;
        let run = |start: Start, last: bool, values: &Slots<R::Value>| {
            run_chunks_from(start, space, n, distribution, |first, count, _| {
                isa::dispatch(Iterations { reducer, first, count, last, place, body, values });
            });
        };
        let begun = Moment::now();
        let start = if looks { Start::OnCaller { unlooked: 0, history } } else { Start::Distributed };
        run(start, false, &values);
        let is_long = !looks || is_forced() || begun.elapsed() >= opening::limit();
        let total = {
            let _running = distribution.names.enter();
            join(reducer, n, &mut values)
        };
        run(if is_long { Start::Distributed } else { Start::Alone { timed: None } }, true, &values);
        Some(total)
    }
}

/// Puts the value before each iteration in the place of its contribution; returns the total.
#[inline(never)]
fn join<R>(reducer: &R, n: usize, values: &mut Slots<R::Value>) -> R::Value
where
    R: Reducer,
    R::Value: Clone,
{
    fn contribution<V>(values: &mut Slots<V>, i: usize) -> V {
        values.take(i).expect("every iteration has contributed")
    }
    fn keep<V: Clone>(values: &mut Slots<V>, i: usize, value: &V) {
        // SAFETY: `&mut`: no other thread uses any slot.
        unsafe { values.put(i, value.clone()) }
    }
    if R::EXACT {
        let mut value = reducer.init();
        let mut body = |place: Line, distance: usize, value: &mut R::Value, _: bool| {
            let i = place.index + distance;
            let from = contribution(values, i);
            keep(values, i, value);
            reducer.join(value, &from);
        };
        scan_in_order(Line { index: 0 }, n, &mut value, &mut body);
        return value;
    }
    // Each iteration runs for its contribution before it runs on the value before it.
    let mut body = |place: Line, distance: usize, value: &mut R::Value, last: bool| {
        let i = place.index + distance;
        if last { keep(values, i, value) } else { *value = contribution(values, i) }
    };
    let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
    let mut tiles = PendingNodes::<R::Value>::new();
    for first in (0..n).step_by(tile_len) {
        let prefix = tiles.prefix(reducer);
        let (start, len) = (Line { index: first }, tile_len.min(n - first));
        let total = scan_tile(reducer, start, len, Goal::Values(prefix.as_ref()), None, &mut body);
        tiles.push(reducer, total.expect("no tile is empty"), 1);
    }
    tiles.join(reducer).expect("there is an iteration")
}

/// Some iterations of one pass: those that find contributions put them into `values`, the `last` ones take the values before them from there.
struct Iterations<'a, R: Reducer, P, B> {
    reducer: &'a R,
    first: usize,
    count: usize,
    last: bool,
    place: &'a P,
    body: &'a B,
    values: &'a Slots<R::Value>,
}

impl<C, R, P, B> Work for Iterations<'_, R, P, B>
where
    C: Cursor,
    R: Reducer,
    P: Fn(usize) -> C,
    B: ScanStep<C, R::Value>,
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { reducer, first, count, last, place, body, values } = self;
        let mut body = Inlined::new::<(C, usize, &mut R::Value, bool)>(*body);
        for i in first..first + count {
            let mut value = if last {
                // SAFETY: one thread runs an iteration of a pass, and no other uses its slot.
                unsafe { values.take_shared(i) }.expect("there is a value before every iteration")
            } else {
                reducer.init()
            };
            body.run(place(i), 0, &mut value, last);
            if !last {
                // SAFETY: one thread runs an iteration of a pass, and no other uses its slot.
                unsafe { values.put(i, value) }
            }
        }
    }
}
