//! Cutting off code for the host, before its callees are looked for.
//!
//! Functions that run on both sides ask where they run, and the host's branch allocates, locks and formats. Linked, it would be a hundred
//! times the kernels' own code.

use crate::Error;
use crate::llvm::{Builder, Machine, Module};
use crate::rewrite;

/// The function by which code asks whether it runs on a device; intrinsics.ll has its body.
const ON_DEVICE: &str = "__spelt_on_device";

/// Drops the branches that only the host takes, and the functions that only they call.
///
/// `is_first`: whether this is the first time for this module. Later there are new functions, most often of the standard library, which
/// does not ask where it runs; then all is left as it is, since the passes go over everything that was linked before. Branches on
/// constants stay too then: what they call is linked in vain, but never refused, as kernels are judged after the passes of the link.
pub(crate) fn host_code(module: &mut Module<'_>, machine: &Machine, is_first: bool) -> Result<(), Error> {
    if !is_first && module.function(ON_DEVICE).is_none_or(|question| question.users().is_empty()) {
        return Ok(());
    }
    rewrite::functions(module, machine)?;
    for user in module.function(ON_DEVICE).map_or_else(Vec::new, |question| question.users()) {
        let Some(call) = user.as_instruction().filter(|user| user.as_call().is_some()) else { continue };
        call.replace_uses(Builder::before(call).integer(1, 1));
        // SAFETY: nothing uses it any more, and the list of users was taken before.
        unsafe { call.erase() };
    }
    machine.run_passes(module, "globaldce,always-inline,function(instsimplify,simplifycfg),globaldce")
}
