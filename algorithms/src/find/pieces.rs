//! Searches in pieces that stop where the result is known.
//!
//! An iteration searches a piece of the elements, in ascending order. The best place so far lies in a View that all iterations see:
//! what lies beyond it is not searched. Only elements before a place that was found are needed to know that it is the first, and these
//! are never left out, so the result does not depend on which thread was faster.

use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use spelt_core::reducers::Min;
use spelt_core::{
    Atomic, AtomicAccess, Dynamic, Element, ExecutionSpace, Idx, Layout, LineRef, LookupAccess, RangePolicy,
    Result, Right, ViewRef, parallel_for, parallel_map_reduce,
};

/// Elements that are tested together, in vectors. Unit: elements. Source: estimated: the flags of one cache line, several vectors.
const GROUP: usize = 64;

/// Elements of a part on a host: before each, the best place so far is read. Unit: elements. Source: estimated: some 200 ns of work
/// for each read, and few enough that 10^5 elements are distributed over threads.
pub(crate) const PART: usize = 16 * GROUP;

/// About so many pieces at most on a host; longer ones have several parts. Unit: pieces. Source: each of those after the result
/// costs a nanosecond or two, and in a search that ends early they are all that grows with the length.
pub(crate) const PIECES: usize = 4096;

/// On a device a piece has this many elements, one thread each after the other. Unit: elements. Source: estimated: the best place is
/// read once for so many.
const EACH: usize = 16;

/// On a device the elements of a piece are this far apart, so that neighbouring threads read neighbouring elements. Unit: elements.
/// Source: the threads of some warps.
const APART: usize = 256;

/// The answer that a search gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The first place.
    First,
    /// Whether there is any: the search ends everywhere once one is found.
    Any,
}

/// The division of `n` elements into pieces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    n: usize,
    wanted: Wanted,
    /// Parts of a piece on a host.
    parts: usize,
}

/// The best place so far, as all iterations see it: a number that grows.
pub(crate) trait Best {
    fn load(&self) -> usize;

    /// Makes it at least `value`.
    fn grow(&self, value: usize);
}

impl Best for AtomicAccess<'_, usize, 1> {
    #[inline(always)]
    fn load(&self) -> usize {
        self.load(0)
    }

    #[inline(always)]
    fn grow(&self, value: usize) {
        self.max(0, value);
    }
}

/// On a host it needs no View, which takes longer to make than a search of a few hundred elements.
impl Best for AtomicUsize {
    #[inline(always)]
    fn load(&self) -> usize {
        self.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn grow(&self, value: usize) {
        self.fetch_max(value, Ordering::Relaxed);
    }
}

impl Pieces {
    pub(crate) fn new(n: usize, wanted: Wanted) -> Self {
        Self { n, wanted, parts: (n / PART / PIECES).max(1) }
    }

    /// An iteration for each piece, in ascending order as far as possible.
    pub(crate) fn policy<'s, S: ExecutionSpace>(&self, space: &'s S) -> RangePolicy<&'s S> {
        space.range(0..self.count(S::IS_DEVICE)).schedule(Dynamic)
    }

    /// The number of pieces.
    fn count(&self, device: bool) -> usize {
        if device { self.n.div_ceil(EACH * APART) * APART } else { self.n.div_ceil(self.parts * PART) }
    }

    /// The beginnings of the parts of a piece, in ascending order.
    #[inline(always)]
    pub(crate) fn parts(&self, piece: usize, device: bool) -> impl Iterator<Item = usize> + use<> {
        let (first, parts) = if device {
            (piece / APART * (EACH * APART) + piece % APART, 1)
        } else {
            (piece * (self.parts * PART), self.parts)
        };
        (first..self.n).step_by(PART).take(parts)
    }

    /// The groups before `end` of the part that begins at `start`, in ascending order.
    #[inline(always)]
    pub(crate) fn groups(
        &self,
        start: usize,
        end: usize,
        device: bool,
    ) -> impl Iterator<Item = Range<usize>> + use<> {
        let (step, groups, len) = if device { (APART, EACH, 1) } else { (GROUP, PART / GROUP, GROUP) };
        (start..end).step_by(step).take(groups).map(move |start| start..end.min(start.saturating_add(len)))
    }

    /// The best of the places that the iterations of a launch note in the number that it gets.
    pub(crate) fn best_of<S: ExecutionSpace>(
        &self,
        space: &S,
        launch: impl FnOnce(Atomic<'_, usize, 1, S::Memory, Right>) -> Result<()>,
    ) -> Result<Option<usize>> {
        let mut best = space.zeros::<usize, 1>("best place", [1])?;
        launch(best.atomic())?;
        Ok(self.place(best.to_host()?[0]))
    }

    /// The place that `best` holds, if there is one: it is kept as the number of places from there to the end, so that 0 is none and
    /// the largest number remains.
    #[inline(always)]
    fn place(&self, best: usize) -> Option<usize> {
        (best > 0).then(|| self.n - best)
    }

    /// Notes a place that is found.
    #[inline(always)]
    pub(crate) fn note(&self, best: &impl Best, place: usize) {
        best.grow(self.n - place);
    }

    /// The end of the elements that can still change the result.
    #[inline(always)]
    pub(crate) fn open(&self, best: &impl Best) -> usize {
        match (self.place(best.load()), self.wanted) {
            (None, _) => self.n,
            (Some(place), Wanted::First) => place,
            (Some(_), Wanted::Any) => 0,
        }
    }

    /// Searches a piece: `test(start, flags)` sets the flags of the elements from `start` on.
    #[inline(always)]
    fn search<S: ExecutionSpace>(
        &self,
        piece: usize,
        best: &impl Best,
        mut test: impl FnMut(usize, &mut [bool]),
    ) {
        for part in self.parts(piece, S::IS_DEVICE) {
            let end = self.open(best);
            if end <= part {
                return;
            }
            if let Some(place) = self.first_in_part(part, end, S::IS_DEVICE, &mut test) {
                return self.note(best, place);
            }
        }
    }

    /// The first place before `end`, in the part that begins at `start`, whose flag `test` sets.
    #[inline(always)]
    fn first_in_part(
        &self,
        start: usize,
        end: usize,
        device: bool,
        test: &mut impl FnMut(usize, &mut [bool]),
    ) -> Option<usize> {
        let mut flags = [false; GROUP];
        for group in self.groups(start, end, device) {
            let flags = &mut flags[..group.len()];
            test(group.start, flags);
            // The flags are tested in vectors; only those of the last group are looked at one by one.
            if flags.iter().fold(false, |any, &flag| any | flag) {
                return flags.iter().position(|&flag| flag).map(|place| group.start + place);
            }
        }
        None
    }

    /// Whether the elements are one part of one piece on a host. The iteration then returns its place, which takes less time than a View
    /// for the best one.
    fn are_one_part(&self) -> bool {
        (1..=PART).contains(&self.n)
    }

    /// [`search`](Self::search) of elements that [are one part](Self::are_one_part), as the value of an iteration.
    #[inline(always)]
    fn search_one_part(&self, mut test: impl FnMut(usize, &mut [bool])) -> usize {
        self.first_in_part(0, self.n, false, &mut test).unwrap_or(NOWHERE)
    }
}

/// The value of an iteration that finds nothing.
const NOWHERE: usize = usize::MAX;

/// Sets the flags of the elements of `x` from `start` on.
#[inline(always)]
fn set_flags<T>(x: &LineRef<'_, T>, start: usize, flags: &mut [bool], test: &impl Fn(&T) -> bool) {
    let Some(x) = x.part(start, flags.len()) else { return };
    for (flag, x) in flags.iter_mut().zip(x.iter()) {
        *flag = test(x);
    }
}

/// The same for pairs of elements, those of `y` from `start + ahead` on.
#[inline(always)]
fn set_flags_of_pairs<T, U>(
    (x, y, ahead): (&LineRef<'_, T>, &LineRef<'_, U>, usize),
    start: usize,
    flags: &mut [bool],
    test: &impl Fn(&T, &U) -> bool,
) {
    let (Some(x), Some(y)) = (x.part(start, flags.len()), y.part(start + ahead, flags.len())) else { return };
    for ((flag, x), y) in flags.iter_mut().zip(x.iter()).zip(y.iter()) {
        *flag = test(x, y);
    }
}

/// The first place of `x` whose element passes `test`, or any such place, as `wanted` says.
///
/// `test` is called at most once for each element.
pub(crate) fn find_in<S, T, L>(
    space: &S,
    label: &str,
    wanted: Wanted,
    x: ViewRef<'_, T, 1, S::Memory, L>,
    test: impl Fn(&T) -> bool + Sync,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
{
    let pieces = Pieces::new(x.len(), wanted);
    if const { !S::IS_DEVICE } && pieces.are_one_part() {
        let search = move |_: Idx<'_, 1>, x: LookupAccess<'_, T, 1, L>| {
            let x = x.line([0], 0);
            pieces.search_one_part(|start, flags| set_flags(&x, start, flags, &test))
        };
        let place = parallel_map_reduce(label, space.range(0..1), x.lookup(), search, Min::<usize>::new())?;
        return Ok((place != NOWHERE).then_some(place));
    }
    if const { !S::IS_DEVICE } {
        let best = AtomicUsize::new(0);
        parallel_for(label, pieces.policy(space), x.lookup(), |piece, x| {
            let x = x.line([0], 0);
            pieces.search::<S>(piece.get(), &best, |start, flags| set_flags(&x, start, flags, &test));
        })?;
        return Ok(pieces.place(best.into_inner()));
    }
    pieces.best_of(space, |best| {
        parallel_for(label, pieces.policy(space), (x.lookup(), best), move |piece, (x, best)| {
            let x = x.line([0], 0);
            pieces.search::<S>(piece.get(), &best, |start, flags| set_flags(&x, start, flags, &test));
        })
    })
}

/// The first `i` below `n`, or any, for which `test(x[i], y[i + ahead])` returns true.
///
/// `x` has `n` elements or more, `y` has `n + ahead` or more. `test` is called at most once for each `i`.
pub(crate) fn find_pair<S, T, U, L, K>(
    space: &S,
    label: &str,
    wanted: Wanted,
    n: usize,
    (x, y, ahead): (ViewRef<'_, T, 1, S::Memory, L>, ViewRef<'_, U, 1, S::Memory, K>, usize),
    test: impl Fn(&T, &U) -> bool + Sync,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    L: Layout,
    K: Layout,
{
    let pieces = Pieces::new(n, wanted);
    if const { !S::IS_DEVICE } && pieces.are_one_part() {
        let args = (x.lookup(), y.lookup());
        let search = move |_: Idx<'_, 1>, (x, y): (LookupAccess<'_, T, 1, L>, LookupAccess<'_, U, 1, K>)| {
            let (x, y) = (x.line([0], 0), y.line([0], 0));
            let pairs = (&x, &y, ahead);
            pieces.search_one_part(|start, flags| set_flags_of_pairs(pairs, start, flags, &test))
        };
        let place = parallel_map_reduce(label, space.range(0..1), args, search, Min::<usize>::new())?;
        return Ok((place != NOWHERE).then_some(place));
    }
    pieces.best_of(space, |best| {
        parallel_for(
            label,
            pieces.policy(space),
            (x.lookup(), y.lookup(), best),
            move |piece, (x, y, best)| {
                let (x, y) = (x.line([0], 0), y.line([0], 0));
                let pairs = (&x, &y, ahead);
                pieces.search::<S>(piece.get(), &best, |start, flags| {
                    set_flags_of_pairs(pairs, start, flags, &test)
                });
            },
        )
    })
}

/// The first `i` below `n` for which `test(i, x, y)` returns true.
///
/// `test` is called at most once for each `i`.
pub(crate) fn find_where<S, T, U, L, K>(
    space: &S,
    label: &str,
    n: usize,
    (x, y): (ViewRef<'_, T, 1, S::Memory, L>, ViewRef<'_, U, 1, S::Memory, K>),
    test: impl Fn(usize, &LookupAccess<'_, T, 1, L>, &LookupAccess<'_, U, 1, K>) -> bool + Sync,
) -> Result<Option<usize>>
where
    S: ExecutionSpace,
    T: Element,
    U: Element,
    L: Layout,
    K: Layout,
{
    let pieces = Pieces::new(n, Wanted::First);
    pieces.best_of(space, |best| {
        parallel_for(
            label,
            pieces.policy(space),
            (x.lookup(), y.lookup(), best),
            move |piece, (x, y, best)| {
                for part in pieces.parts(piece.get(), S::IS_DEVICE) {
                    let end = pieces.open(&best);
                    if end <= part {
                        return;
                    }
                    // One after the other: a test may be long.
                    for i in pieces.groups(part, end, S::IS_DEVICE).flatten() {
                        if test(i, &x, &y) {
                            return pieces.note(&best, i);
                        }
                    }
                }
            },
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{APART, EACH, PART, PIECES, Pieces, Wanted};

    #[test]
    fn groups_have_each_element_once_on_hosts_and_devices() {
        for device in [false, true] {
            for n in
                [0, 1, 63, 64, 65, PART, PART + 1, EACH * APART, EACH * APART + 1, 3 * PART * PIECES + 70]
            {
                let (pieces, mut seen) = (Pieces::new(n, Wanted::First), vec![false; n]);
                for piece in 0..pieces.count(device) {
                    let mut last = None;
                    for part in pieces.parts(piece, device) {
                        for k in pieces.groups(part, n, device).flatten() {
                            assert!(!std::mem::replace(&mut seen[k], true), "{k} of {n} twice");
                            assert!(last < Some(k), "{k} of {n} after {last:?}");
                            last = Some(k);
                        }
                    }
                }
                assert!(seen.into_iter().all(|seen| seen), "{n}");
                assert!(device || pieces.count(device) <= 2 * PIECES, "{n}");
            }
        }
    }
}
