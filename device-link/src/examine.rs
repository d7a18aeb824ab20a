//! The errors and warnings that a link would report for one crate, without generating code.

use std::collections::HashSet;

use crate::link::{DebugInfo, Linked, OPTIMISE, Scope};
use crate::llvm::Context;
use crate::recursion::Places;
use crate::{Diagnostic, Error, Input, Options, recursion};

/// Removes code behind conditions that are constant once functions are inlined, such as the host's part of a team. Takes a quarter of the
/// time of [`OPTIMISE`].
const SIMPLIFY: &str = "globaldce,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),\
                        cgscc(inline,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)),\
                        globaldce,strip-dead-prototypes";

/// The result of [`examine`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Examined {
    /// The number of kernels: entries for devices, and closures that are launched on hosts.
    pub kernels: usize,
    /// Errors and warnings, each once.
    pub found: Vec<Diagnostic>,
}

/// Checks the kernels of `input.crates[0]`; the other crates supply functions.
///
/// Launches on hosts are checked too, as if they were launches on a device. The result has the problems of all steps, not only of the first
/// that finds any.
///
/// # Errors
/// [`Error::Io`] and [`Error::Llvm`] if files cannot be read or LLVM refuses them.
pub fn examine(input: &Input, options: &Options) -> Result<Examined, Error> {
    let context = Context::new(&options.llvm);
    let mut linked = Linked::new(&context, input, options, Scope::Crate, DebugInfo::Dropped)?;
    let mut found = core::mem::take(&mut linked.refused);
    let kernels = linked.kernels.len();
    if kernels > 0 {
        linked.optimise(SIMPLIFY)?;
        let (errors, warnings) = linked.judge(&Places::new());
        if !errors.is_empty() || !warnings.is_empty() {
            found.extend(as_linked(input, options)?);
        }
    }
    let mut seen = HashSet::new();
    // A launch on a device and a generic function give the same closure several times.
    found.retain(|one| seen.insert((one.message.clone(), one.file.clone(), one.line, one.column)));
    found.sort_by(|one, other| {
        (&one.file, one.line, one.column).cmp(&(&other.file, other.line, other.column))
    });
    Ok(Examined { kernels, found })
}

/// The errors and warnings after the passes of a link, with source lines.
fn as_linked(input: &Input, options: &Options) -> Result<Vec<Diagnostic>, Error> {
    let context = Context::new(&options.llvm);
    let mut linked = Linked::new(&context, input, options, Scope::Crate, DebugInfo::Kept)?;
    let places = recursion::places(&linked.module);
    linked.optimise(OPTIMISE)?;
    let (mut found, warnings) = linked.judge(&places);
    found.extend(warnings);
    Ok(found)
}
