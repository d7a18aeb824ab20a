//! Finding launches on hosts: the closures among the parameters of `spelt_core`'s patterns.
//!
//! A launch on a device has an entry, but the closure of a launch on a host is only called from a loop. The functions of the patterns are
//! generic over the closure, so each launch has an instance, whose debug information describes the closure.

use std::collections::{HashMap, HashSet};

use crate::entries::Entry;
use crate::llvm::{Function, Metadata, MetadataKind, Module};
use crate::{Diagnostic, KernelInfo, captures, label, place};

/// The functions that start kernels.
const PATTERNS: [&str; 7] = [
    "parallel_fill",
    "parallel_for",
    "parallel_map_reduce",
    "parallel_reduce",
    "parallel_reduce_into",
    "parallel_scan",
    "parallel_scan_into",
];

/// The types of spaces, as debug information names them.
const SPACES: [&str; 5] = [
    "spelt_core::spaces::any_host::AnyHost",
    "spelt_core::spaces::rayon::Rayon",
    "spelt_core::spaces::serial::Serial",
    "spelt_core::spaces::threads::Threads",
    "spelt_core::cuda::space::Cuda",
];

/// A launch on a host.
pub(crate) struct Launch {
    pub(crate) kernel: KernelInfo,
    /// The closure's function.
    pub(crate) entry: Entry,
    pub(crate) refused: Vec<Diagnostic>,
}

/// The launches of a crate, each closure once, except for those of `entries`. Closures of Spelt's own are left out unless they own one of
/// the program: those with a reference to one are for hosts by design.
pub(crate) fn on_hosts(module: &Module<'_>, entries: &[Entry]) -> Vec<Launch> {
    let functions = module.functions();
    let bodies: HashMap<_, _> =
        functions.iter().filter_map(|function| Some((key(*function)?, *function))).collect();
    let kernels = entries.iter().filter_map(|entry| module.function(&entry.symbol));
    let mut seen: HashSet<_> = kernels.filter_map(captures::environment).filter_map(on_any_space).collect();
    let mut launches = Vec::new();
    for pattern in functions.into_iter().filter(|function| is_pattern(*function)) {
        let Some(environment) = environment(pattern).filter(|found| is_of_program(*found)) else { continue };
        let name = environment.name().unwrap_or_default().replacen("closure_env#", "closure#", 1);
        let Some(body) = environment.scope().and_then(|scope| bodies.get(&(scope, name))) else { continue };
        if on_any_space(environment).is_some_and(|closure| seen.insert(closure)) {
            launches.push(describe(module, pattern, environment, *body));
        }
    }
    launches
}

/// The scope and the name of a closure's function.
fn key<'m>(function: Function<'m>) -> Option<(Metadata<'m>, String)> {
    let subprogram = function.subprogram().filter(|_| !function.is_declaration())?;
    let name = subprogram.name().filter(|name| name.starts_with("{closure#"))?;
    Some((subprogram.scope()?, name.to_owned()))
}

fn is_pattern(function: Function<'_>) -> bool {
    let Some(subprogram) = function.subprogram() else { return false };
    let name = subprogram.name().and_then(|name| name.split('<').next());
    // Methods of teams have the same names, but the scope of a method is its type's.
    let module = subprogram.scope().and_then(Metadata::scope).and_then(Metadata::name);
    name.is_some_and(|name| PATTERNS.contains(&name))
        && module == Some("patterns")
        && place::crate_of(subprogram) == Some("spelt_core")
}

/// A closure by its scope and name, the same for all spaces that a generic function launches it on.
fn on_any_space(environment: Metadata<'_>) -> Option<(Metadata<'_>, String)> {
    let mut name = environment.name()?.to_owned();
    for space in SPACES {
        name = name.replace(space, "S");
    }
    Some((environment.scope()?, name))
}

/// The type of the closure: the first parameter that is one.
fn environment(pattern: Function<'_>) -> Option<Metadata<'_>> {
    let parameters = pattern.subprogram()?.parameter_types().into_iter().flatten();
    parameters
        .into_iter()
        .find(|kind| kind.is(MetadataKind::CompositeType) && kind.name().is_some_and(captures::is_closure))
}

fn is_of_program(environment: Metadata<'_>) -> bool {
    captures::closures(environment).into_iter().any(|closure| !place::is_library(closure))
}

fn describe(
    module: &Module<'_>,
    pattern: Function<'_>,
    environment: Metadata<'_>,
    body: Function<'_>,
) -> Launch {
    let place = place::of_function(body);
    let symbol = body.name().to_owned();
    let kernel = KernelInfo {
        symbol: symbol.clone(),
        label: label::find(module, pattern.name()),
        line: place.as_ref().map_or(0, |(_, line, _)| *line),
        file: place.as_ref().map(|(file, ..)| file.clone()),
    };
    let refused = captures::check_on_host(environment, &kernel.name());
    let refused = refused.into_iter().map(|found| found.at(place.clone())).collect();
    Launch { kernel, entry: Entry { symbol, size: 0, alignment: 0, is_on_host: true }, refused }
}
