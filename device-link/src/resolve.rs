//! Linking functions that kernels reach, until nothing is missing that a source defines.

use std::collections::HashSet;

use crate::Error;
use crate::llvm::{Context, Linkage, Machine, Module};
use crate::sources::Sources;
use crate::{instructions, math, panics, symbol};

/// Modules of std for the host only: code that reaches them cannot run on a device, and is not linked.
const HOST_ONLY: [&str; 13] = [
    "std::io::",
    "std::fs::",
    "std::net::",
    "std::thread::",
    "std::process::",
    "std::env::",
    "std::time::",
    "std::sys::",
    "std::os::",
    "std::sync::",
    "std::rt::",
    "std::backtrace",
    "std::panicking::",
];

/// Functions that the device itself has, and those that only unwinding needs: kernels do not unwind.
const LEFT_OUT: [&str; 3] = ["spelt_shared", "rust_eh_personality", "_Unwind_Resume"];

/// Whether the function is only for the host.
pub(crate) fn is_host_only(path: &str) -> bool {
    HOST_ONLY.iter().any(|part| path.contains(part))
}

/// Makes `module`, just parsed, a source from which linking takes only symbols that are referred to; `keep` are the exceptions.
pub(crate) fn offer(module: &Module<'_>, machine: &Machine, keep: &HashSet<&str>) {
    machine.claim(module);
    for global in module.globals() {
        if global.name().starts_with("llvm.") {
            // `llvm.used`, constructors: lists for the host's linker and loader.
            // SAFETY: nothing refers to such a list, and the list of globals was taken before.
            unsafe { global.delete() };
        } else if !global.is_declaration() {
            global.leave_linker();
            offer_value(*global, keep);
        }
    }
    for function in module.functions() {
        if !function.is_declaration() {
            function.leave_linker();
            offer_value(*function, keep);
        }
    }
    for alias in module.aliases() {
        offer_value(alias, keep);
    }
}

fn offer_value(value: crate::llvm::Value<'_>, keep: &HashSet<&str>) {
    if keep.contains(value.name()) {
        value.set_linkage(Linkage::WeakOnce);
    } else if !value.is_internal() {
        value.set_linkage(Linkage::OnceOnly);
    }
}

/// Links symbols that `module` declares and `sources` define, in rounds, because linked code may need more.
pub(crate) fn resolve<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    machine: &Machine,
    sources: &mut Sources,
) -> Result<(), Error> {
    let mut asked: HashSet<String> = HashSet::new();
    let handlers = sources.names_with_prefix("__spelt_");
    loop {
        panics::retarget(module, &handlers);
        math::retarget(module, sources);
        instructions::replace(module);
        let missing = missing(module, &mut asked);
        if missing.is_empty() {
            return Ok(());
        }
        for source in sources.find(&missing)? {
            let Some((name, bitcode)) = sources.bitcode(source)? else { continue };
            let offered = Module::parse_lazily(context, &name, &bitcode)?;
            offer(&offered, machine, &HashSet::new());
            panics::shield(module, &offered, &handlers);
            module.link(offered, &name)?;
        }
    }
}

/// The symbols that are used, but not defined, and were not asked for before.
fn missing(module: &Module<'_>, asked: &mut HashSet<String>) -> HashSet<String> {
    let functions = module.functions();
    let values = functions.iter().filter(|function| !function.is_intrinsic()).map(|function| **function);
    let globals = module.globals().into_iter().map(|global| *global);
    let mut missing = HashSet::new();
    for value in values.chain(globals) {
        let name = value.name();
        if value.is_declaration()
            && !value.users().is_empty()
            && !LEFT_OUT.contains(&name)
            && !is_host_only(&symbol::readable(name))
            && asked.insert(name.to_owned())
        {
            missing.insert(name.to_owned());
        }
    }
    missing
}
