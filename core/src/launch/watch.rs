//! The events of a launch, for tools.

use spelt_access::MAX_RANK;

use super::domain::{Corners, Domain, Indexing};
use super::{ExecutionSpace, Kind};
use crate::described::Described;
use crate::launch_state::LaunchState;
use crate::names::Names;
use crate::threads::kernel_scope::in_kernel;
use crate::tools::{self, Arguments, BegunLaunch, Bytes, LaunchEvent, Shape, Unset};

/// A launch that tools have been told of; dropping it tells them of the end, also where a kernel panics or the launch fails.
pub(super) struct Watch<'a, S: ExecutionSpace> {
    /// Where nothing listens, none.
    begun: Option<Box<BegunLaunch<'a>>>,
    space: &'a S,
}

impl<'a, S: ExecutionSpace> Watch<'a, S> {
    /// Tells the tools that the launch begins. Where nothing listens, it is one branch.
    #[inline(always)]
    pub(super) fn begin<I: Domain<N>, const N: usize>(
        state: LaunchState,
        kind: Kind,
        space: &'a S,
        indices: &I,
        iterations: usize,
        names: &'a Names<'a>,
        result: Option<&'a Described<'a>>,
    ) -> Self {
        let begun = if !state.is_usual() && tools::are_listening() {
            // Values, so that the policy stays in registers.
            let open = (indices.unset(), I::INDEXING == Indexing::League);
            begin(kind, space, open, indices.corners(), iterations, names, result)
        } else {
            None
        };
        Self { begun, space }
    }
}

impl<S: ExecutionSpace> Watch<'_, S> {
    /// Tells the tools that the launch has ended without an error: they may look at its Views then.
    #[inline(always)]
    pub(super) fn succeed(self) {
        let mut watch = self;
        if let Some(begun) = &mut watch.begun {
            succeed(begun);
        }
    }
}

impl<S: ExecutionSpace> Drop for Watch<'_, S> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(begun) = self.begun.take() {
            end(begun, self.space);
        }
    }
}

#[cold]
#[inline(never)]
fn begin<'a, S: ExecutionSpace, const N: usize>(
    kind: Kind,
    space: &S,
    (unset, is_league): (Option<Unset>, bool),
    (lower, upper): Corners<N>,
    iterations: usize,
    names: &'a Names<'a>,
    result: Option<&'a Described<'a>>,
) -> Option<Box<BegunLaunch<'a>>> {
    let pattern = kind.pattern()?;
    let mut bytes = Bytes::new();
    names.add_to(&mut bytes);
    if let Some(result) = result {
        result.add_to(&mut bytes);
    }
    let [read_bytes, written_bytes] = bytes.read_and_written();
    let (label, space_name, (device, stream)) = (names.label(), space.name(), space.device_and_stream());
    let event = || LaunchEvent {
        pattern,
        label,
        space: space_name,
        is_device: S::IS_DEVICE,
        device,
        stream,
        threads: if S::IS_DEVICE { 0 } else { space.threads() },
        iterations,
        read_bytes,
        written_bytes,
        arguments: names,
        result: result.map(|result| result as &dyn Arguments),
        is_exact: matches!(kind, Kind::Scan { is_exact: true }),
        outcome: None,
        shape: None,
        shares: &[],
    };
    let shape = shape(kind, space, unset, is_league, &lower, &upper);
    tools::begin_launch(event, shape.as_ref(), || fence(space))
}

/// The shape of a launch whose settings may be chosen.
fn shape<S: ExecutionSpace>(
    kind: Kind,
    space: &S,
    unset: Option<Unset>,
    is_league: bool,
    lower: &[usize],
    upper: &[usize],
) -> Option<Shape> {
    if !tools::is_tuning() {
        return None;
    }
    // A launch inside a kernel runs on its caller, in order.
    let is_open =
        !S::IS_DEVICE && matches!(kind, Kind::For | Kind::Reduce | Kind::Scan { .. }) && !in_kernel();
    let unset = unset.filter(|_| is_open)?;
    let (rank, threads) = (lower.len(), space.threads());
    let mut extents = [0; MAX_RANK];
    for (extent, (lower, upper)) in extents.iter_mut().zip(lower.iter().zip(upper)) {
        *extent = upper - lower;
    }
    Some(Shape { unset, is_league, rank, extents, threads })
}

/// Takes the box, so that launches have no code to free it.
#[cold]
#[inline(never)]
fn succeed(begun: &mut BegunLaunch<'_>) {
    begun.succeed();
}

#[cold]
#[inline(never)]
fn end<S: ExecutionSpace>(begun: Box<BegunLaunch<'_>>, space: &S) {
    begun.end(|| fence(space));
}

/// Whether all work so far has succeeded. An error of a launch is kept for those who use its Views.
fn fence<S: ExecutionSpace>(space: &S) -> bool {
    space.wait().is_ok()
}
