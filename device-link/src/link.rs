//! The steps of a link, in order.

use std::collections::HashSet;

use crate::captures::Closures;
use crate::entries::Entry;
use crate::graph::Reach;
use crate::llvm::{Context, Machine, Module};
use crate::recursion::Places;
use crate::resolve::{declared, offer, resolve};
use crate::sources::Sources;
use crate::{
    Diagnostic, Error, Input, KernelInfo, Options, Output, captures, entries, label, launches, panics, place,
    problems, recursion, rewrite, statics, unwritten,
};

const INTRINSICS: &str = include_str!("intrinsics.ll");

pub(crate) const OPTIMISE: &str = "globaldce,default<O3>,globaldce,strip-dead-prototypes";

/// Compiles the kernels of `input.crates` to one PTX module.
///
/// The same input gives the same text.
///
/// # Errors
/// [`Error::Diagnostics`] if a kernel cannot run on a device; [`Error::Io`] and [`Error::Llvm`] if files cannot be read or
/// LLVM refuses them.
///
/// # Complexity
/// Crates with kernels are parsed as a whole, which takes a third of the time, with the debug information of everything in them;
/// functions of other crates and archives only if kernels reach them. Optimising the kernels and their callees takes half.
pub fn link(input: &Input, options: &Options) -> Result<Output, Error> {
    let context = Context::new(&options.llvm);
    let output = compile(&context, input, options);
    if options.until_exit {
        core::mem::forget(context);
    }
    output
}

fn compile(context: &Context, input: &Input, options: &Options) -> Result<Output, Error> {
    let mut linked = Linked::new(context, input, options, Scope::Program, DebugInfo::Dropped)?;
    linked.optimise(OPTIMISE)?;
    let (errors, mut warnings) = linked.judge(&Places::new());
    if !errors.is_empty() {
        return Err(Error::Diagnostics(with_lines(input, options, errors)));
    }
    if !warnings.is_empty() {
        warnings = linked.judge(&places(input, options)?).1;
    }
    linked.drop_statics()?;
    unwritten::mark(&linked.module);
    let ir = if options.ir { linked.module.text() } else { String::new() };
    let ptx = without_noreturn(&linked.machine.emit(&mut linked.module)?);
    let kernels = core::mem::take(&mut linked.kernels);
    if options.until_exit {
        core::mem::forget(linked);
    }
    Ok(Output { ptx, ir, kernels, warnings })
}

/// PTX in which no function is declared not to return.
///
/// `ptxas` 12.9 and 13.0 give uniform registers, which a warp has once, to such a function although other lanes of the warp, in which
/// nothing has failed, still need them. When the lanes took turns on an H200, those lanes met an illegal instruction before the failing
/// lane had written its report. Without the directive these registers are kept, and kernels take no more of the others.
fn without_noreturn(ptx: &str) -> String {
    ptx.replace("\n.noreturn", "")
}

/// Where the functions begin that kernels reach.
fn places(input: &Input, options: &Options) -> Result<Places, Error> {
    let context = Context::new(&options.llvm);
    let linked = Linked::new(&context, input, options, Scope::Program, DebugInfo::Kept)?;
    Ok(recursion::places(&linked.module))
}

/// The same errors with source lines.
fn with_lines(input: &Input, options: &Options, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let context = Context::new(&options.llvm);
    let linked = Linked::new(&context, input, options, Scope::Program, DebugInfo::Kept);
    let located = linked.and_then(|mut linked| {
        linked.optimise(OPTIMISE)?;
        Ok(linked.judge(&Places::new()).0)
    });
    match located {
        Ok(located) if !located.is_empty() => located,
        _ => errors,
    }
}

/// The crates whose kernels are linked or examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The kernels of all crates.
    Program,
    /// The kernels of the first crate, and its launches on hosts.
    Crate,
}

/// Whether functions keep their lines and types. These make linking and optimising slower: a first run drops them when the closures have
/// been checked, and a second run follows where a message needs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DebugInfo {
    Kept,
    Dropped,
}

/// A crate from which linking takes only symbols that are referred to, and kernels.
struct Offered<'c> {
    module: Module<'c>,
    has_kernels: bool,
}

/// Everything that kernels reach, in one module.
pub(crate) struct Linked<'c> {
    pub(crate) module: Module<'c>,
    machine: Machine,
    sources: Sources,
    entries: Vec<Entry>,
    debug_info: DebugInfo,
    pub(crate) kernels: Vec<KernelInfo>,
    /// The errors for which kernels are refused before they are linked.
    pub(crate) refused: Vec<Diagnostic>,
}

impl<'c> Linked<'c> {
    pub(crate) fn new(
        context: &'c Context,
        input: &Input,
        options: &Options,
        scope: Scope,
        debug_info: DebugInfo,
    ) -> Result<Self, Error> {
        let version = options.ptx_version.unwrap_or(options.arch.ptx_version());
        let machine = Machine::new(&options.llvm, &options.arch.to_string(), &format!("+ptx{version}"))?;
        let module = Module::parse_text(context, "intrinsics.ll", INTRINSICS)?;
        machine.claim(&module);
        let sources = Sources::read(&input.crates, &input.archives)?;
        let mut linked = Self {
            module,
            machine,
            sources,
            entries: Vec::new(),
            debug_info,
            kernels: Vec::new(),
            refused: Vec::new(),
        };
        let offered = linked.parse_crates(context, scope)?;
        if scope == Scope::Program && !linked.refused.is_empty() {
            return Err(Error::Diagnostics(linked.refused));
        }
        let handlers = linked.sources.names_with_prefix("__spelt_");
        for (number, offered) in offered.into_iter().enumerate() {
            // LLVM visits all that is linked so far when it links another module.
            if offered.has_kernels || linked.sources.any_first_in(declared(&linked.module), number) {
                panics::shield(&linked.module, &offered.module, &handlers);
                linked.module.link(offered.module, &linked.sources.crate_bitcode(number).0)?;
            }
        }
        resolve(context, &mut linked.module, &linked.machine, &mut linked.sources, debug_info)?;
        Ok(linked)
    }

    /// Parses all crates, finds the kernels of `scope`, and checks their captures.
    fn parse_crates(&mut self, context: &'c Context, scope: Scope) -> Result<Vec<Offered<'c>>, Error> {
        let mut modules = Vec::new();
        for number in 0..self.sources.crates() {
            let (name, bitcode) = self.sources.crate_bitcode(number);
            let mut module = match (scope, number) {
                (Scope::Program, _) => entries::parse(context, &name, bitcode)?,
                (Scope::Crate, 0) => Module::parse(context, &name, bitcode)?,
                (Scope::Crate, _) => Module::parse_lazily(context, &name, bitcode)?,
            };
            for defined in entries::defined(&module) {
                self.sources.defines(defined, number);
            }
            let is_asked = scope == Scope::Program || number == 0;
            let mut found = if is_asked { entries::take(&module)? } else { Vec::new() };
            if !found.is_empty() {
                let closures = Closures::of(&module);
                found.iter().for_each(|entry| self.describe(&module, &closures, entry));
            }
            if scope == Scope::Crate && is_asked {
                for launch in launches::on_hosts(&module, &found) {
                    self.kernels.push(launch.kernel);
                    self.refused.extend(launch.refused);
                    found.push(launch.entry);
                }
            }
            if self.debug_info == DebugInfo::Dropped {
                module.strip_debug_info();
            }
            let symbols: HashSet<&str> = found.iter().map(|entry| entry.symbol.as_str()).collect();
            offer(&module, &self.machine, &symbols);
            let has_kernels = !found.is_empty();
            self.entries.extend(found);
            modules.push(Offered { module, has_kernels });
        }
        Ok(modules)
    }

    fn describe<'m>(&mut self, module: &'m Module<'_>, closures: &Closures<'m>, entry: &Entry) {
        let Some(function) = module.function(&entry.symbol) else { return };
        let subprogram = closures.closure(function);
        let closure = subprogram.and_then(place::of_subprogram);
        let info = KernelInfo {
            symbol: entry.name(),
            label: label::find(module, &entry.symbol),
            line: closure.as_ref().map_or(0, |(_, line, _)| *line),
            file: closure.map(|(file, ..)| file),
        };
        self.refused.extend(captures::check(function, subprogram, &info.name()));
        self.kernels.push(info);
    }

    pub(crate) fn optimise(&mut self, passes: &str) -> Result<(), Error> {
        rewrite::for_device(&mut self.module, &self.machine, &self.entries)?;
        self.module.verify().map_err(|message| {
            Error::Llvm(format!(
                "the linked module is broken, by damaged bitcode or a bug of device-link: {message}"
            ))
        })?;
        self.machine.run_passes(&mut self.module, passes)
    }

    /// Drops mutable statics that no kernel refers to.
    fn drop_statics(&mut self) -> Result<(), Error> {
        statics::release(&self.module);
        self.machine.run_passes(&mut self.module, "globaldce,strip-dead-prototypes")
    }

    /// Errors and warnings about the optimised module.
    pub(crate) fn judge(&self, places: &Places) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        for kernel in &self.kernels {
            let Some(function) = self.module.function(&kernel.symbol) else { continue };
            let reach = Reach::of(function);
            errors.extend(problems::errors(&kernel.name(), &reach, &self.sources.without_bitcode));
            warnings.extend(recursion::warnings(&kernel.name(), &reach, places));
        }
        (errors, warnings)
    }
}
