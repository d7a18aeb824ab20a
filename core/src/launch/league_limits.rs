//! The limits of a league of teams, and the error if there is no memory for its scratch.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use spelt_policies::{TeamPolicy, TeamSize};

use super::ExecutionSpace;
use super::team_sizes::{TeamSizes, has_scratch, requested};
use crate::arena::NoScratch;
use crate::{Error, ErrorKind, Result};

/// The maximum scratch memory of a team or a thread. Unit: bytes. Source: a core's share of the last-level cache of a large host,
/// and more than a GPU has.
const MAX_SCRATCH: usize = 64 << 20;

/// The maximum number of vector lanes of a thread: a warp of a GPU.
const MAX_LANES: usize = 32;

/// Checks that the space supports the policy.
///
/// # Errors
/// [`ErrorKind::Policy`] if it cannot.
#[inline(always)]
pub(super) fn check<S: ExecutionSpace, V>(label: &str, policy: &TeamPolicy<&S, V>) -> Result<()> {
    // A league that asks for nothing is within all limits.
    let asks_nothing =
        policy.team_size() == TeamSize::Auto && policy.vector_length() == 1 && !has_scratch(policy);
    if asks_nothing { Ok(()) } else { check_requests(label, policy) }
}

/// [`check`] for any policy.
fn check_requests<S: ExecutionSpace, V>(label: &str, policy: &TeamPolicy<&S, V>) -> Result<()> {
    let lanes = policy.vector_length();
    if !lanes.is_power_of_two() || lanes > MAX_LANES {
        return fail(
            label,
            format!("a vector length of {lanes} is not a power of two from 1 to {MAX_LANES}"),
        );
    }
    let (size, most) = (requested(policy).unwrap_or(1), policy.team_size_max());
    if size == 0 {
        return fail(label, "a team of 0 threads runs nothing: give at least 1, or AUTO".into());
    }
    if size > most {
        let with_lanes = if lanes == 1 { String::new() } else { format!(" with {lanes} vector lanes each") };
        return fail(
            label,
            format!(
                "a team of {size} threads{with_lanes} is above the limit of {most} on {}: use AUTO or `at_most`",
                policy.space().space_name()
            ),
        );
    }
    for (whose, bytes) in [("team", policy.scratch_per_team()), ("thread", policy.scratch_per_thread())] {
        if bytes > MAX_SCRATCH {
            return fail(
                label,
                format!("{bytes} bytes of scratch per {whose} are above the limit of {MAX_SCRATCH}"),
            );
        }
    }
    Ok(())
}

/// Runs a launch whose teams have this much scratch; if there is no memory for it, the launch ends with an error.
pub(crate) fn with_room<O>(label: &str, launch: impl FnOnce() -> Result<O>) -> Result<O> {
    // Also for a policy without scratch: a kernel may ask for scratch of no elements. After an unwind, only code that catches the
    // panic of the kernel sees its changes.
    catch_unwind(AssertUnwindSafe(launch)).unwrap_or_else(|payload| match payload.downcast::<NoScratch>() {
        Ok(lack) => Err(Error::new(
            ErrorKind::OutOfMemory,
            format!("no memory for {} bytes of scratch: ask for less, or use fewer threads", lack.bytes),
        )
        .in_kernel(label)),
        Err(payload) => resume_unwind(payload),
    })
}

/// The error of a policy that the space does not support.
fn fail<T>(label: &str, message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Policy, message).in_kernel(label))
}
