//! Steps of a team: work that is distributed over its threads, which meet at the end.
//!
//! They are less code than loops of the team, and a kernel is inlined as a whole only if it is not too long.

use spelt_core::Team;

/// Calls `body` for `0..count`, distributed over the team, which meets at the end.
///
/// # Safety
/// All threads of the team make this call together; on a device they are more than a warp.
#[inline(always)]
pub(super) unsafe fn step_unchecked(team: &mut Team<'_>, count: usize, body: impl FnMut(usize)) {
    distribute(team, count, body);
    // SAFETY: as this function asks.
    unsafe { team.barrier_unchecked() };
}

/// [`step_unchecked`] of a team of any size, which compares its calls at the end.
#[inline(always)]
pub(super) fn step(team: &mut Team<'_>, count: usize, body: impl FnMut(usize)) {
    distribute(team, count, body);
    team.barrier();
}

/// Calls `body` for those of `0..count` that are this thread's.
#[inline(always)]
fn distribute(team: &Team<'_>, count: usize, mut body: impl FnMut(usize)) {
    let mut number = team.team_rank();
    while number < count {
        body(number);
        number += team.team_size();
    }
}
