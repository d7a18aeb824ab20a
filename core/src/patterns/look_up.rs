//! A launch of one iteration that looks up a result in a View.

use std::sync::{Mutex, PoisonError};

use spelt_access::{Element, Layout, LookupAccess};

use super::parallel_for;
use crate::launch_state::LaunchState;
use crate::{ExecutionSpace, ReadView, Result};

/// The result of `closure`, which looks it up in `table` on a host: a launch of one iteration, for the few dozen steps of a search.
///
/// Where nothing is to be done before a launch, the calling thread calls the closure at once: a launch takes as long as many steps, and its
/// arguments and its result go through memory. So the closure launches nothing, and it reads by [`LookupAccess::get`]: the message of a
/// failing access would lack the names of View and kernel. It is compiled for the level of the program as a whole.
///
/// # Errors
/// As [`parallel_for`].
#[doc(hidden)]
#[inline(always)]
pub fn look_up<S, T, L, R>(
    label: &str,
    space: &S,
    table: &impl ReadView<T, 1, S::Memory, L>,
    closure: impl Fn(&LookupAccess<'_, T, 1, L>) -> R + Sync,
) -> Result<R>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Send,
{
    if const { !S::IS_DEVICE } && LaunchState::now().is_usual() {
        // SAFETY: the View is borrowed shared, and threads of a host reach its memory.
        return Ok(closure(&unsafe { table.read().lookup().access() }));
    }
    look_up_by_launch(label, space, table, &closure)
}

/// Not inlined, and with the View as the program gave it: what [`look_up`] reads of it stays in registers.
#[cold]
#[inline(never)]
fn look_up_by_launch<S, T, L, R>(
    label: &str,
    space: &S,
    table: &impl ReadView<T, 1, S::Memory, L>,
    closure: &(impl Fn(&LookupAccess<'_, T, 1, L>) -> R + Sync),
) -> Result<R>
where
    S: ExecutionSpace,
    T: Element,
    L: Layout,
    R: Send,
{
    let result = Mutex::new(None);
    parallel_for(label, space.range(0..1), table.read().lookup(), |_, table| {
        *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(closure(&table));
    })?;
    let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(result.expect("the launch has one iteration"))
}
