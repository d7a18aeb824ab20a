//! The one place where a launch is prepared and finished.

use core::fmt;

use spelt_access::{KernelArgs, Shortage};
use spelt_policies::SignedPolicy;

use super::domain::{Corners, Domain};
use super::outlet::{Destination, Returning};
use super::site::Site;
use super::watch::Watch;
use super::{ExecutionSpace, Kind};
use crate::described::Described;
use crate::device::{FOR_KERNELS_ALONE, left_out};
use crate::launch_state::LaunchState;
use crate::names::{Names, set_describer};
use crate::reach::ReachedBy;
use crate::{Error, ErrorKind, Result, environment};

/// A launch that is ready to run: everything that a space gets of it, apart from the closure.
///
/// Only [`launch`] makes one. Its arguments are reached by the space, cover the indices, and live until the launch has finished.
pub struct Prepared<'a, A: KernelArgs, I, const N: usize> {
    pub(crate) label: &'a str,
    /// The policy.
    pub(crate) indices: I,
    /// The number of iterations.
    pub(crate) count: usize,
    pub(crate) corners: Corners<N>,
    /// The arguments as the program gave them, used only to describe them.
    pub(crate) args: &'a A,
    /// The arguments as the kernel takes them.
    pub(crate) raw: A::Raw,
    /// The number of contiguous parts, each of which runs on one thread, if an argument keeps a replica for each part.
    pub(crate) parts: Option<usize>,
    pub(crate) names: &'a Names<'a>,
    /// The facts of the process when it was prepared.
    pub(crate) state: LaunchState,
}

impl<'a, A: KernelArgs, P, const N: usize> Prepared<'a, A, SignedPolicy<P, N>, N> {
    /// The launch over the box that begins at zero.
    #[inline(always)]
    pub(crate) fn zero_based(self) -> Prepared<'a, A, P, N> {
        let Self { label, indices, count, corners, args, raw, parts, names, state } = self;
        Prepared { label, indices: indices.into_zero_based(), count, corners, args, raw, parts, names, state }
    }
}

impl<A: KernelArgs, I, const N: usize> fmt::Debug for Prepared<'_, A, I, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepared")
            .field("label", &self.label)
            .field("corners", &self.corners)
            .finish_non_exhaustive()
    }
}

/// [`launch_into`] without a View for the result.
///
/// # Errors
/// As [`launch_into`].
#[inline(always)]
pub(crate) fn launch<L, I, A, O, const N: usize>(
    site: L,
    indices: I,
    args: A,
    kind: Kind,
    run: impl FnOnce(Prepared<'_, A, I, N>) -> Result<O>,
) -> Result<O>
where
    L: Site,
    I: Domain<N>,
    A: KernelArgs + ReachedBy<I::Space>,
{
    launch_into(
        site,
        indices,
        args,
        kind,
        Returning,
        #[inline(always)]
        |prepared, _| run(prepared),
    )
}

/// [`launch_borrowed`] with arguments that it takes.
///
/// # Errors
/// As [`launch_borrowed`].
#[inline(always)]
pub(crate) fn launch_into<L, I, A, D, O, const N: usize>(
    site: L,
    indices: I,
    mut args: A,
    kind: Kind,
    outlet: D,
    run: impl FnOnce(Prepared<'_, A, I, N>, D) -> Result<O>,
) -> Result<O>
where
    L: Site,
    D: Destination,
    I: Domain<N>,
    A: KernelArgs + ReachedBy<I::Space>,
{
    launch_borrowed(site, indices, &mut args, kind, outlet, run)
}

/// Prepares a launch, lets `run` pass it to its space, and finishes it. `run` gets `outlet`, the destination of the result.
///
/// Arguments are checked (the space [reaches](ReachedBy) them, they cover the indices), lowered and named here and nowhere else.
/// Tools that listen are told of the launch before `run`, and of its end in any case.
///
/// They are finished when `run` returns a result. If it returns an error or unwinds, they are released, and replicas are dropped
/// without being joined.
///
/// # Errors
/// Before anything runs: [`ErrorKind::Configuration`] of the environment, those of [`Domain::count`],
/// [`ErrorKind::Extents`], [`ErrorKind::Policy`] for replicas where they are refused, [`ErrorKind::OutOfMemory`] for replicas.
/// Then those of `run`.
#[inline(always)]
pub(crate) fn launch_borrowed<L, I, A, D, O, const N: usize>(
    site: L,
    indices: I,
    args: &mut A,
    kind: Kind,
    outlet: D,
    run: impl FnOnce(Prepared<'_, A, I, N>, D) -> Result<O>,
) -> Result<O>
where
    L: Site,
    D: Destination,
    I: Domain<N>,
    A: KernelArgs + ReachedBy<I::Space>,
{
    if FOR_KERNELS_ALONE {
        if left_out() {
            // Replicas are joined by an operation of the program.
            A::finish(left_out());
        }
        return run(left_out(), outlet);
    }
    let label = site.label();
    let state = LaunchState::now();
    if !state.is_usual() {
        environment::check()?;
        if !state.has(LaunchState::DESCRIBED) {
            set_describer();
        }
    }
    let count = indices.count(label)?;
    let corners = indices.corners();
    site.check(&indices, args, &corners)?;
    let parts = A::parts(args, None);
    if !kind.accepts_replicas() && parts.is_some() {
        return Err(replicas_refused(label));
    }
    let (raw, held) = if const { <I::Space as ExecutionSpace>::IS_DEVICE } {
        // SAFETY: `args` lives until the launch is over or its memory is freed in the order of the device's work, and is only
        // described meanwhile.
        unsafe { A::lower_on_device(args) }
    } else {
        if let Err(shortage) = A::prepare(args, count) {
            return Err(short_of_memory(label, Described::new(args), shortage));
        }
        // SAFETY: `args` lives until the launch is over, and is only described meanwhile.
        unsafe { A::lower(args) }
    };
    // Behind a reference: its address is kept while the kernel runs, and the rest of the launch then stays in registers.
    let names = &Names::of_launch(label, args);
    let space = indices.reference();
    // SAFETY: tools visit it at the launch's begin and end: before `run` uses the outlet, and when it has returned or unwound.
    let result = unsafe { outlet.written() };
    let watch = Watch::begin(state, kind, &*space, &indices, count, names, result.as_ref());
    // Those that were checked lie in memory, for the message.
    let corners = indices.corners();
    let output = run(Prepared { label, indices, count, corners, args, raw, parts, names, state }, outlet)?;
    A::finish(held);
    watch.succeed();
    Ok(output)
}

#[cold]
#[inline(never)]
fn replicas_refused(label: &str) -> Error {
    Error::new(
        ErrorKind::Policy,
        "a scan, or a part of a reduction, takes no `.scatter()` argument: use `.atomic()`, or a second kernel",
    )
    .in_kernel(label)
}

#[cold]
#[inline(never)]
fn short_of_memory(label: &str, args: Described<'_>, shortage: Shortage) -> Error {
    let mut message = String::new();
    args.visit(&mut |argument| {
        if message.is_empty() && argument.address == shortage.address && !argument.adapter.is_empty() {
            message = format!(
                "view `{}`{}: no memory for its replicas, which take {} bytes: ask for fewer replicas, or for `.atomic()`",
                argument.label, argument.adapter, shortage.bytes
            );
        }
    });
    Error::new(ErrorKind::OutOfMemory, message).in_kernel(label)
}
