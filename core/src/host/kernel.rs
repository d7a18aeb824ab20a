//! The user's closure with its lowered arguments, in the form that the host's loops call.
//!
//! Each is the only use of its closure in the program: `spelt_order::body` explains why.

use spelt_access::{Idx, KernelArgs, on_span};
use spelt_order::body::Late;
use spelt_order::cursor::Place;
use spelt_reducers::Reducer;

use crate::isa::CompiledFor;
use crate::launch::{Contribution, Corners, ExecutionSpace, Indices, Prepared, PreparedLeague};
use crate::team::Team;

/// `Copy` for types whose parameters need not be: a derive would require that of the user's closure.
macro_rules! copies {
    ($([$($parameters:tt)*] $type:ty;)*) => {$(
        impl<$($parameters)*> Clone for $type {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($parameters)*> Copy for $type {}
    )*};
}
pub(super) use copies;

copies! {
    [A: KernelArgs, F, const N: usize] ForKernel<'_, A, F, N>;
    [A: KernelArgs, G, R, const N: usize] ReduceKernel<'_, A, G, R, N>;
    [A: KernelArgs, F, const N: usize] ScanKernel<'_, A, F, N>;
    [A: KernelArgs, F] TeamKernel<'_, A, F>;
}

/// A body that knows the part of the launch that it runs in.
pub(super) trait InPart: Copy {
    /// Whether its accesses may fail, so that loops are not vector code: see [`KernelArgs::MAY_FAIL`].
    const MAY_FAIL: bool = false;

    /// The body in this part.
    fn in_part(self, part: usize) -> Self;

    /// The body in code that is compiled for this level, which nested loops need not ask for then.
    #[inline(always)]
    fn at_level(self, _level: CompiledFor) -> Self {
        self
    }
}

/// A body whose iterations may run in the knowledge that nothing else reaches the elements that they write: see [`spelt_access::on_span`]. `I`: an
/// index, or a place.
pub(super) trait OnSpan<I>: Copy {
    /// Whether [`on_span`](OnSpan::on_span) has an effect.
    const WRITES: bool = false;

    /// Calls `run` with the body for the iterations from `first` to `last`.
    ///
    /// # Safety
    /// `last` does not precede `first` in the lexicographic order of their indices. While `run` runs, no iteration of the launch between these two
    /// indices in that order runs elsewhere.
    #[inline(always)]
    unsafe fn on_span<Z>(self, _first: I, _last: I, run: impl FnOnce(Self) -> Z) -> Z {
        run(self)
    }
}

/// The body of a reduction.
pub(super) trait ReduceStep<C, V>:
    InPart + OnSpan<C> + Sync + for<'v> Late<(C, usize, &'v mut V)>
{
}
impl<C, V, B> ReduceStep<C, V> for B where B: InPart + OnSpan<C> + Sync + for<'v> Late<(C, usize, &'v mut V)> {}

/// The body of a scan.
pub(super) trait ScanStep<C, V>: InPart + Sync + for<'v> Late<(C, usize, &'v mut V, bool)> {}
impl<C, V, B: InPart + Sync + for<'v> Late<(C, usize, &'v mut V, bool)>> ScanStep<C, V> for B {}

/// The body of a league.
pub(super) trait TeamStep<V, K>: InPart + Sync + for<'t, 'k> Late<&'t mut Team<'k, V, K>> {}
impl<V, K, B: InPart + Sync + for<'t, 'k> Late<&'t mut Team<'k, V, K>>> TeamStep<V, K> for B {}

/// The places of the iterations from `first` on, which are those of the policy from `start` on. A function of the policy alone: what is
/// compiled for these places is the same for all closures.
#[inline(always)]
pub(super) fn places<I: Indices<N>, const N: usize>(
    corners: Corners<N>,
    first: usize,
    start: usize,
) -> impl Fn(usize) -> I::Place + Copy + Sync {
    move |iteration| I::place(&corners, iteration - first + start)
}

/// The closure of a `parallel_for`.
pub(super) struct ForKernel<'a, A: KernelArgs, F, const N: usize> {
    closure: &'a F,
    raw: A::Raw,
    part: usize,
}

impl<'a, A: KernelArgs, F, const N: usize> ForKernel<'a, A, F, N> {
    /// The closure of `launch`.
    ///
    /// # Safety
    /// The loops run each index of the launch once, and each of its parts on one thread.
    #[inline(always)]
    pub(super) unsafe fn new<I>(launch: &Prepared<'_, A, I, N>, closure: &'a F) -> Self {
        Self { closure, raw: launch.raw, part: 0 }
    }

    /// Whether vectors of half a cache line are the faster ones: see [`spelt_access::KernelArg::crosses_lines`].
    #[inline(always)]
    pub(super) fn is_narrow(&self) -> bool {
        A::crosses_lines(&self.raw)
    }

    /// The closure.
    #[inline(always)]
    pub(super) fn closure(&self) -> &'a F {
        self.closure
    }

    /// The same with another reference to the closure.
    #[inline(always)]
    pub(super) fn with_closure<'b>(self, closure: &'b F) -> ForKernel<'b, A, F, N> {
        ForKernel { closure, raw: self.raw, part: self.part }
    }
}

impl<A: KernelArgs, F, const N: usize> InPart for ForKernel<'_, A, F, N> {
    const MAY_FAIL: bool = A::MAY_FAIL;

    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

impl<A: KernelArgs, F, const N: usize> OnSpan<[usize; N]> for ForKernel<'_, A, F, N> {
    const WRITES: bool = A::SPANS > 0;

    #[inline(always)]
    unsafe fn on_span<Z>(self, first: [usize; N], last: [usize; N], run: impl FnOnce(Self) -> Z) -> Z {
        // SAFETY: by the contract of this function, the iterations between the two indices run in `run`. Other indices between them are none of the
        // launch's, and no accessor reaches their elements in a View that the launch writes.
        unsafe { on_span::<A, Z, N>(self.raw, first, last, |raw| run(Self { raw, ..self })) }
    }
}

impl<A, F, const N: usize> Late<[usize; N]> for ForKernel<'_, A, F, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, A::Access<'k>),
{
    #[inline(always)]
    fn call(&mut self, index: [usize; N]) {
        // SAFETY: by the contract of `new`, each index runs once, so it has one witness; the launch has checked coverage.
        unsafe { (self.closure)(Idx::new(index), A::access(&self.raw, self.part)) }
    }
}

/// The closure of a `parallel_reduce`.
pub(super) struct ReduceKernel<'a, A: KernelArgs, G, R, const N: usize> {
    body: &'a G,
    reducer: &'a R,
    raw: A::Raw,
    part: usize,
}

impl<'a, A: KernelArgs, G, R, const N: usize> ReduceKernel<'a, A, G, R, N> {
    /// The closure of `launch`.
    ///
    /// # Safety
    /// The loops run each index of the launch once, and each of its parts on one thread.
    #[inline(always)]
    pub(super) unsafe fn new<I>(launch: &Prepared<'_, A, I, N>, body: &'a G, reducer: &'a R) -> Self {
        Self { body, reducer, raw: launch.raw, part: 0 }
    }
}

impl<A: KernelArgs, G, R, const N: usize> InPart for ReduceKernel<'_, A, G, R, N> {
    const MAY_FAIL: bool = A::MAY_FAIL;

    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

impl<A: KernelArgs, G, R, C: Place<N>, const N: usize> OnSpan<C> for ReduceKernel<'_, A, G, R, N> {
    const WRITES: bool = A::SPANS > 0 && C::IN_ORDER;

    #[inline(always)]
    unsafe fn on_span<Z>(self, first: C, last: C, run: impl FnOnce(Self) -> Z) -> Z {
        let run = |raw| run(Self { raw, ..self });
        // SAFETY: by the contract of this function, the iterations between the two indices run in `run`. Other indices between them are none of the
        // launch's, and no accessor reaches their elements in a View that the launch writes.
        unsafe { on_span::<A, Z, N>(self.raw, first.at(0), last.at(0), run) }
    }
}

impl<'v, A, G, R, C, const N: usize> Late<(C, usize, &'v mut R::Value)> for ReduceKernel<'_, A, G, R, N>
where
    A: KernelArgs,
    R: Reducer,
    G: Contribution<N, A, R>,
    C: Place<N>,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (C, usize, &'v mut R::Value)) {
        // SAFETY: by the contract of `new`, each index runs once, so it has one witness; the launch has checked coverage.
        unsafe {
            self.body.contribute(
                self.reducer,
                Idx::new(place.at(distance)),
                value,
                A::access(&self.raw, self.part),
            );
        }
    }
}

/// The closure of a `parallel_scan`.
pub(super) struct ScanKernel<'a, A: KernelArgs, F, const N: usize> {
    closure: &'a F,
    raw: A::Raw,
}

impl<'a, A: KernelArgs, F, const N: usize> ScanKernel<'a, A, F, N> {
    /// The closure of `launch`.
    ///
    /// # Safety
    /// The loops run each index of the launch on one thread at a time.
    #[inline(always)]
    pub(super) unsafe fn new<I>(launch: &Prepared<'_, A, I, N>, closure: &'a F) -> Self {
        Self { closure, raw: launch.raw }
    }
}

/// Scans are not distributed in parts.
impl<A: KernelArgs, F, const N: usize> InPart for ScanKernel<'_, A, F, N> {
    const MAY_FAIL: bool = A::MAY_FAIL;

    #[inline(always)]
    fn in_part(self, _: usize) -> Self {
        self
    }
}

impl<'v, A, F, C, V, const N: usize> Late<(C, usize, &'v mut V, bool)> for ScanKernel<'_, A, F, N>
where
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut V, bool, A::Access<'k>),
    C: Place<N>,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value, last): (C, usize, &'v mut V, bool)) {
        // SAFETY: by the contract of `new`, one thread at a time runs an index; the launch has checked coverage.
        unsafe { (self.closure)(Idx::new(place.at(distance)), value, last, A::access(&self.raw, 0)) }
    }
}

/// The closure of a league with its lowered arguments: the only use of the closure, for gangs and for teams of one thread.
pub(super) struct TeamKernel<'a, A: KernelArgs, F> {
    closure: &'a F,
    raw: A::Raw,
    part: usize,
}

impl<'a, A: KernelArgs, F> TeamKernel<'a, A, F> {
    /// The closure of `launch`.
    ///
    /// # Safety
    /// One team runs each league rank of the launch, each of its threads calls this once for that rank, and each part of the launch
    /// runs on one thread.
    #[inline(always)]
    pub(super) unsafe fn new<S: ExecutionSpace, K>(
        launch: &PreparedLeague<'_, A, S, K>,
        closure: &'a F,
    ) -> Self {
        Self { closure, raw: launch.raw, part: 0 }
    }
}

impl<A: KernelArgs, F> InPart for TeamKernel<'_, A, F> {
    const MAY_FAIL: bool = A::MAY_FAIL;

    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self { part, ..self }
    }
}

impl<'t, 'k, A, F, V, K> Late<&'t mut Team<'k, V, K>> for TeamKernel<'_, A, F>
where
    A: KernelArgs,
    F: for<'i> Fn(&mut Team<'i, V, K>, A::Access<'i>),
{
    #[inline(always)]
    fn call(&mut self, team: &'t mut Team<'k, V, K>) {
        // SAFETY: by the contract of `new`, a league rank has one team and a part one thread; witnesses are made by the team,
        // which checks nested loops.
        let access = unsafe { team.access::<A>(&self.raw, self.part) };
        (self.closure)(team, access);
    }
}

/// A body whose running values are boxes.
#[derive(Clone, Copy)]
pub(super) struct OfBoxes<B>(pub(super) B);

impl<B: InPart> InPart for OfBoxes<B> {
    const MAY_FAIL: bool = B::MAY_FAIL;

    #[inline(always)]
    fn in_part(self, part: usize) -> Self {
        Self(self.0.in_part(part))
    }
}

impl<C, B: Copy> OnSpan<C> for OfBoxes<B> {}

impl<'v, C, V, B> Late<(C, usize, &'v mut Box<V>)> for OfBoxes<B>
where
    B: for<'w> Late<(C, usize, &'w mut V)>,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value): (C, usize, &'v mut Box<V>)) {
        self.0.call((place, distance, &mut **value));
    }
}

impl<'v, C, V, B> Late<(C, usize, &'v mut Box<V>, bool)> for OfBoxes<B>
where
    B: for<'w> Late<(C, usize, &'w mut V, bool)>,
{
    #[inline(always)]
    fn call(&mut self, (place, distance, value, last): (C, usize, &'v mut Box<V>, bool)) {
        self.0.call((place, distance, &mut **value, last));
    }
}
