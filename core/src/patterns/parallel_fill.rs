//! `parallel_fill`: a launch whose closure returns the elements of a View that has not been written.

use core::fmt;
use core::marker::PhantomData;

use spelt_access::{
    Description, Divided, Element, Idx, KernelArgs, Layout, OwnRows, RawView, ScatterVisitor, Shortage,
    SignedIdx,
};
use spelt_policies::{MdRangePolicy, RangePolicy, SignedPolicy};

use super::signed::signed;
use crate::arguments::describe;
use crate::launch::{ExecutionSpace, Indices, Kind, Launches, OnSpace, launch};
use crate::reach::Reach;
use crate::view::{MemorySpace, OffsetView, UninitView, View};
use crate::{Error, ErrorKind, Result};

/// Calls `closure` for every index of `policy`, in parallel, and returns the View whose elements are the results.
///
/// Over [`signed_range`](ExecutionSpace::signed_range) or [`signed_md_range`](ExecutionSpace::signed_md_range) the View begins at the
/// policy's first index: the result is an [`OffsetView`].
///
/// The closure gets a witness of the index and an accessor for each argument, as in [`parallel_for`](crate::parallel_for()). The policy must
/// have exactly the indices of the View. The closure returns one element for each, so every element of the returned View has been written.
/// On hosts, pages of memory lie near the threads that fill them.
///
/// # Errors
/// [`ErrorKind::Extents`] if the policy's indices are not those of the View; those of [`parallel_for`](crate::parallel_for()). In each
/// case the memory is freed.
///
/// # Panics
/// If an iteration panics, as [`parallel_for`](crate::parallel_for()); the memory is freed.
///
/// # Complexity
/// Work O(n) calls, span O(n / threads); writes every element once.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_fill};
/// let space = Serial::new();
/// let x = View::from_fn("x", [3], |[i]| i as f64)?;
/// let y = space.uninit("y", [3])?;
/// let y = parallel_fill("double", space.range(0..3), y, (2.0_f64, &x), |i, (a, x)| a * x[i])?;
/// assert_eq!(y.to_vec(), [0.0, 2.0, 4.0]);
/// let z = parallel_fill("number", space.signed_range(-1..2), space.uninit("z", [3])?, (), |i, ()| i.get() as f64)?;
/// assert_eq!((z[-1], z[1]), (-1.0, 1.0));
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline]
pub fn parallel_fill<P, T, M, L, A, F, const R: usize>(
    label: &str,
    policy: P,
    view: UninitView<T, R, M, L>,
    args: A,
    closure: F,
) -> Result<P::Filled<M, L>>
where
    P: FillPolicy<T, A, F, R>,
    P::Space: Reach<M> + Reach<A::Memory>,
    T: Element,
    M: MemorySpace,
    L: Layout,
    A: KernelArgs,
{
    policy.launch(label, view, args, closure)
}

/// A policy whose indices are those of a View of rank `R` that `parallel_fill` fills with the results of `F`.
#[diagnostic::on_unimplemented(
    message = "`parallel_fill` cannot fill a View of rank {R} of `{T}` by this closure over `{Self}`",
    note = "a View of rank 1 takes a range, others an md_range of their rank; the closure is `|i, (x, y)| ..`, must be `Sync`, take the \
            accessors of exactly the arguments given, and return the element"
)]
pub trait FillPolicy<T: Element, A: KernelArgs, F, const R: usize>: OnSpace {
    /// The View that has been filled, with the policy's indices.
    type Filled<M: MemorySpace, L: Layout>;

    /// Runs it.
    #[doc(hidden)]
    fn launch<M: MemorySpace, L: Layout>(
        self,
        label: &str,
        view: UninitView<T, R, M, L>,
        args: A,
        closure: F,
    ) -> Result<Self::Filled<M, L>>
    where
        Self::Space: Reach<M> + Reach<A::Memory>;
}

macro_rules! policies {
    ($([$($generics:tt)*] $policy:ty, $rank:tt;)*) => {$(
        impl<S, T, A, F, $($generics)*> FillPolicy<T, A, F, $rank> for $policy
        where
            S: ExecutionSpace,
            T: Element,
            A: KernelArgs,
            F: for<'k> Fn(Idx<'k, $rank>, A::Access<'k>) -> T + Sync,
        {
            type Filled<M: MemorySpace, L: Layout> = View<T, $rank, M, L>;

            #[inline]
            fn launch<M: MemorySpace, L: Layout>(
                self,
                label: &str,
                view: UninitView<T, $rank, M, L>,
                args: A,
                closure: F,
            ) -> Result<View<T, $rank, M, L>>
            where
                S: Reach<M> + Reach<A::Memory>,
            {
                fill(label, self, view, args, closure)
            }
        }
    )*};
}
policies! {
    [] RangePolicy<&S>, 1;
    [const R: usize] MdRangePolicy<&S, R>, R;
}

#[inline]
fn fill<I, T, M, L, A, F, const R: usize>(
    label: &str,
    indices: I,
    mut view: UninitView<T, R, M, L>,
    args: A,
    closure: F,
) -> Result<View<T, R, M, L>>
where
    I: Indices<R>,
    I::Space: Reach<M> + Reach<A::Memory>,
    T: Element,
    M: MemorySpace,
    L: Layout,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, R>, A::Access<'k>) -> T + Sync,
{
    let (lower, upper) = indices.corners();
    if (lower, upper) != ([0; R], view.extents()) {
        return Err(other_indices(label, view.label(), &view.extents(), &lower, &upper));
    }
    let args = Filling { view: view.inner_mut(), args };
    launch(label, indices, args, Kind::For, |prepared| {
        <I::Space as Launches>::run_for(prepared, move |i, (element, args): (Unwritten<'_, T, R, L>, _)| {
            element.write(i, closure(i, args));
        })
    })?;
    // SAFETY: the policy has every index of the View, and the launch has called the closure for each, or will before later work of the
    // device reads the View; each call wrote its element.
    Ok(unsafe { view.assume_init() })
}

impl<P, T, A, F, const R: usize> FillPolicy<T, A, F, R> for SignedPolicy<P, R>
where
    P: Indices<R>,
    T: Element,
    A: KernelArgs,
    F: for<'k> Fn(SignedIdx<'k, R>, A::Access<'k>) -> T + Sync,
{
    type Filled<M: MemorySpace, L: Layout> = OffsetView<T, R, M, L>;

    #[inline]
    fn launch<M: MemorySpace, L: Layout>(
        self,
        label: &str,
        mut view: UninitView<T, R, M, L>,
        args: A,
        closure: F,
    ) -> Result<OffsetView<T, R, M, L>>
    where
        P::Space: Reach<M> + Reach<A::Memory>,
    {
        let (begin, (_, extents)) = (self.begin(), self.zero_based().corners());
        if extents != view.extents() {
            let end: [_; R] = core::array::from_fn(|d| begin[d].wrapping_add_unsigned(extents[d]));
            return Err(other_indices(label, view.label(), &view.extents(), &begin, &end));
        }
        let args = Filling { view: view.inner_mut(), args };
        launch(label, self, args, Kind::For, |prepared| {
            <P::Space as Launches>::run_for(
                prepared.zero_based(),
                move |i, (element, args): (Unwritten<'_, T, R, L>, _)| {
                    // SAFETY: the launch is over the policy that begins there, and the closure gets this witness only.
                    element.write(i, closure(unsafe { signed(i, begin) }, args));
                },
            )
        })?;
        // SAFETY: the policy has as many indices in each dimension as the View, and the launch has called the closure for each, or will
        // before later work of the device reads the View; each call wrote its element.
        unsafe { view.assume_init() }.with_origin(begin)
    }
}

#[cold]
#[inline(never)]
fn other_indices<I: Copy + fmt::Debug>(
    label: &str,
    view: &str,
    extents: &[usize],
    lower: &[I],
    upper: &[I],
) -> Error {
    let ranges: Vec<_> = lower.iter().zip(upper).map(|(lower, upper)| *lower..*upper).collect();
    Error::new(
        ErrorKind::Extents,
        format!(
            "view `{view}` with extents {extents:?} is not filled by the indices {ranges:?}: the policy must have every index of the View, \
             and no other"
        ),
    )
    .in_kernel(label)
}

/// The arguments of a filling: the View that is filled, and the program's own.
struct Filling<'v, T: Element, M: MemorySpace, L: Layout, A, const R: usize> {
    view: &'v mut View<T, R, M, L>,
    args: A,
}

/// The accessor of the View that is filled.
struct Unwritten<'k, T, const R: usize, L> {
    raw: RawView<T, R, L>,
    /// Invariant in `'k`, so that it takes witnesses of its own launch only.
    brand: PhantomData<fn(&'k ()) -> &'k ()>,
}

impl<'k, T, const R: usize, L: Layout> Unwritten<'k, T, R, L> {
    #[inline(always)]
    fn write(self, index: Idx<'k, R>, value: T) {
        // SAFETY: the policy has as many indices in each dimension as the View, so this one, which counts from zero, is in bounds; no other
        // iteration has it, and nothing reads the View before the launch is over.
        unsafe { self.raw.at(index.index()).write(value) }
    }
}

// SAFETY: the View is borrowed exclusively, its strides are injective, it is described as covering its extents, and its accessor writes at
// the witness only. The other arguments keep the contract for themselves, and every method is forwarded to them.
unsafe impl<T: Element, M: MemorySpace, L: Layout, A: KernelArgs, const R: usize> KernelArgs
    for Filling<'_, T, M, L, A, R>
{
    type Raw = (RawView<T, R, L>, A::Raw);
    type Access<'k> = (Unwritten<'k, T, R, L>, A::Access<'k>);
    type Held = A::Held;
    type Memory = (M, A::Memory);
    const BY_TEAM: bool = A::BY_TEAM;
    type Members = Self;
    #[inline(always)]
    fn describe<'a>(args: &'a Self, visit: &mut impl FnMut(Description<'a>)) {
        visit(Description { written: true, writes: true, ..describe(args.view.view()) });
        A::describe(&args.args, visit);
    }
    #[inline(always)]
    fn covers_box(args: &Self, lower: &[usize], upper: &[usize]) -> bool {
        describe(args.view.view()).covers_box(lower, upper) & A::covers_box(&args.args, lower, upper)
    }
    #[inline(always)]
    fn parts(args: &Self, least: Option<usize>) -> Option<usize> {
        A::parts(&args.args, least)
    }
    #[inline(always)]
    fn prepare(args: &mut Self, iterations: usize) -> core::result::Result<(), Shortage> {
        A::prepare(&mut args.args, iterations)
    }
    #[inline(always)]
    unsafe fn lower(args: &mut Self) -> (Self::Raw, Self::Held) {
        // SAFETY: the arguments' `lower` has this contract: the result is used only while the borrows live.
        let (raw, held) = unsafe { A::lower(&mut args.args) };
        ((args.view.raw_mut(), raw), held)
    }
    #[inline(always)]
    unsafe fn lower_on_device(args: &mut Self) -> (Self::Raw, Self::Held) {
        // SAFETY: the arguments' `lower_on_device` has this contract: the result is used only while the borrows live.
        let (raw, held) = unsafe { A::lower_on_device(&mut args.args) };
        ((args.view.raw_mut(), raw), held)
    }
    #[inline(always)]
    fn divided(args: &mut Self, visit: &mut dyn FnMut(Divided<'_>)) {
        A::divided(&mut args.args, visit);
    }
    #[inline(always)]
    fn scattered<V: ScatterVisitor>(
        raw: &mut Self::Raw,
        visitor: &mut V,
    ) -> core::result::Result<(), V::Error> {
        A::scattered(&mut raw.1, visitor)
    }
    #[inline(always)]
    unsafe fn access<'k>(raw: &Self::Raw, part: usize) -> Self::Access<'k> {
        // SAFETY: the second half is the arguments' raw form; brand, coverage and part are those of this call.
        (Unwritten { raw: raw.0, brand: PhantomData }, unsafe { A::access(&raw.1, part) })
    }
    #[inline(always)]
    unsafe fn in_team(raw: &Self::Raw, league_rank: usize) -> (Self::Raw, OwnRows) {
        // SAFETY: the second half is the arguments' raw form, and the league is that of this call.
        let (team, own) = unsafe { A::in_team(&raw.1, league_rank) };
        ((raw.0, team), own)
    }
    #[inline(always)]
    fn finish(held: Self::Held) {
        A::finish(held);
    }
}
