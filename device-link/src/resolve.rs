//! Linking functions that kernels reach, until nothing is missing that a source defines.

use std::collections::HashSet;

use crate::Error;
use crate::link::DebugInfo;
use crate::llvm::{Context, Linkage, Machine, Module, Value};
use crate::sources::Sources;
use crate::{instructions, math, panics, prune, symbol};

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

fn offer_value(value: Value<'_>, keep: &HashSet<&str>) {
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
    debug_info: DebugInfo,
) -> Result<(), Error> {
    let mut unknown: HashSet<String> = HashSet::new();
    let handlers = sources.names_with_prefix("__spelt_");
    let mut is_first = true;
    loop {
        panics::retarget(module, &handlers);
        math::retarget(module, sources);
        instructions::replace(module);
        prune::host_code(module, machine, is_first)?;
        is_first = false;
        let missing = missing(module, &unknown);
        if missing.is_empty() {
            return Ok(());
        }
        let mut additions = Additions::new(context, module, machine, &missing);
        for source in sources.find(&missing)? {
            let Some((name, bitcode)) = sources.bitcode(source)? else { continue };
            let mut offered = Module::parse_lazily(context, &name, &bitcode)?;
            if debug_info == DebugInfo::Dropped {
                offered.strip_debug_info();
            }
            offer(&offered, machine, &HashSet::new());
            additions.link(offered, &name, &handlers)?;
        }
        additions.link_into(module)?;
        unknown.extend(declared(module).filter(|name| missing.contains(*name)).map(str::to_owned));
    }
}

/// The sources of a round, linked with each other first: LLVM visits all of a module when it links another one into it, and these are
/// small.
struct Additions<'c>(Module<'c>);

impl<'c> Additions<'c> {
    /// A module that declares the symbols that `module` lacks.
    fn new(context: &'c Context, module: &Module<'c>, machine: &Machine, missing: &HashSet<String>) -> Self {
        let additions = Module::new(context, "additions");
        machine.claim(&additions);
        let wanted = |name: &str| missing.contains(name) || name == panics::TRAP;
        for function in module.functions().into_iter().filter(|function| wanted(function.name())) {
            additions.declare_like(function.name(), function);
        }
        for global in module.globals().into_iter().filter(|global| wanted(global.name())) {
            additions.declare_global_like(global);
        }
        Self(additions)
    }

    fn link(&mut self, offered: Module<'c>, name: &str, handlers: &HashSet<String>) -> Result<(), Error> {
        panics::shield(&self.0, &offered, handlers);
        self.0.link(offered, name)
    }

    fn link_into(self, module: &mut Module<'c>) -> Result<(), Error> {
        for function in self.0.functions().into_iter().filter(|function| !function.is_declaration()) {
            // Those that panic, which `shield` has defined: the module may have its own.
            if !function.is_internal() {
                function.set_linkage(Linkage::OnceOnly);
            }
        }
        module.link(self.0, "the standard library")
    }
}

/// The symbols that are used, but not defined, except those that no source defines.
fn missing(module: &Module<'_>, unknown: &HashSet<String>) -> HashSet<String> {
    let wanted = |name: &&str| {
        !LEFT_OUT.contains(name) && !unknown.contains(*name) && !is_host_only(&symbol::readable(name))
    };
    declared(module).filter(wanted).map(str::to_owned).collect()
}

/// The symbols that are used, but not defined.
pub(crate) fn declared<'m>(module: &'m Module<'_>) -> impl Iterator<Item = &'m str> {
    let functions = module.functions().into_iter().filter(|function| !function.is_intrinsic());
    let values = functions.map(|function| *function);
    let globals = module.globals().into_iter().map(|global| *global);
    let used = |value: &Value<'_>| value.is_declaration() && !value.users().is_empty();
    values.chain(globals).filter(used).map(Value::name).collect::<Vec<_>>().into_iter()
}
