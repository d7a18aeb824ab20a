//! The steps of a link, in order.

use std::collections::HashSet;

use crate::entries::Entry;
use crate::llvm::{Context, Machine, Module};
use crate::resolve::{offer, resolve};
use crate::sources::Sources;
use crate::{Error, Input, KernelInfo, Options, Output, entries, label, rewrite, symbol};

const INTRINSICS: &str = include_str!("intrinsics.ll");

/// Compiles the kernels of `input.crates` to one PTX module.
///
/// The same input gives the same text.
///
/// # Errors
/// [`Error::Diagnostics`] if a kernel cannot run on a device; [`Error::Io`] and [`Error::Llvm`] if files cannot be read or
/// LLVM refuses them.
///
/// # Complexity
/// Crates are parsed as a whole, members of archives only as far as kernels reach into them; optimisation is linear in
/// what kernels reach, in practice.
pub fn link(input: &Input, options: &Options) -> Result<Output, Error> {
    let context = Context::new(&options.llvm);
    let version = options.ptx_version.unwrap_or(options.arch.ptx_version());
    let machine = Machine::new(&options.llvm, &options.arch.to_string(), &format!("+ptx{version}"))?;
    let mut sources = Sources::read(&input.crates, &input.archives)?;

    let mut module = Module::parse_text(&context, "intrinsics.ll", INTRINSICS)?;
    machine.claim(&module);
    let (found, kernels) = take_crates(&context, &mut module, &machine, &mut sources)?;
    resolve(&context, &mut module, &machine, &mut sources)?;
    module.strip_debug_info();
    rewrite::for_device(&mut module, &machine, &found)?;
    machine.run_passes(&mut module, "globaldce,default<O3>,globaldce,strip-dead-prototypes")?;
    let ir = if options.ir { module.text() } else { String::new() };
    let ptx = machine.emit(&mut module)?;
    Ok(Output { ptx, ir, kernels, warnings: Vec::new() })
}

/// Links the kernels of all crates, and what they reach in their own crate.
fn take_crates<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    machine: &Machine,
    sources: &mut Sources,
) -> Result<(Vec<Entry>, Vec<KernelInfo>), Error> {
    let (mut all, mut kernels) = (Vec::new(), Vec::new());
    for number in 0..sources.crates() {
        let (name, bitcode) = sources.crate_bitcode(number);
        let offered = Module::parse(context, &name, bitcode)?;
        for defined in entries::defined(&offered) {
            sources.defines(defined, number);
        }
        let found = entries::take(&offered)?;
        for entry in &found {
            kernels.push(KernelInfo {
                symbol: symbol::ptx_name(&entry.symbol),
                label: label::find(&offered, &entry.symbol),
                file: None,
                line: 0,
            });
        }
        let symbols: HashSet<&str> = found.iter().map(|entry| entry.symbol.as_str()).collect();
        offer(&offered, machine, &symbols);
        module.link(offered, &name)?;
        all.extend(found);
    }
    Ok((all, kernels))
}
