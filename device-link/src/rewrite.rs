//! Rewriting of host code that must differ on a device.

use crate::Error;
use crate::entries::Entry;
use crate::llvm::{Builder, Function, Linkage, Machine, Module, Place};
use crate::{statics, symbol};

/// LLVM's number for the calling convention `ptx_kernel`.
const PTX_KERNEL: u32 = 71;

/// Attributes of functions that are about the host, or keep functions from being optimised.
const DROPPED: [&str; 9] =
    ["noinline", "optnone", "uwtable", "nonlazybind", "sspstrong", "sspreq", "ssp", "minsize", "optsize"];

/// Part of the mangled name of a function of libm. Demangling the names of all functions takes longer than the rest of their rewriting.
const LARGE_REMAINDER: &str = "rem_pio2_large";

/// Makes the linked module one for the device: kernels are its only entrances.
pub(crate) fn for_device(module: &mut Module<'_>, machine: &Machine, entries: &[Entry]) -> Result<(), Error> {
    module.drop_assembly();
    internalise(module, entries);
    statics::keep(module);
    functions(module, machine)?;
    for function in module.functions() {
        if function.has_personality() {
            function.drop_personality();
        }
    }
    for entry in entries.iter().filter(|entry| !entry.is_on_host) {
        if let Some(function) = module.function(&entry.symbol) {
            make_kernel(function, entry);
        }
    }
    Ok(())
}

/// Rewrites the functions that are in the module now, so that passes may run over them. Idempotent.
pub(crate) fn functions(module: &mut Module<'_>, machine: &Machine) -> Result<(), Error> {
    let mut unwinds = false;
    for function in module.functions() {
        if function.is_intrinsic() {
            continue;
        }
        // Landing pads may be left without an `invoke` that leads to them.
        unwinds |= function.has_personality();
        function.remove_text_attributes();
        for attribute in DROPPED {
            function.remove_attribute(Place::Function, attribute);
        }
        // A call of a function that leads to a barrier or shuffle must be neither copied into the arms of a branch nor moved, long
        // before it is inlined. LLVM takes the mark from functions that lead to none.
        function.add_attribute(Place::Function, "convergent", 0);
        // Reduces huge arguments of sines: rarely run, with tables on the stack, and a thousand instructions each time it is
        // inlined.
        if function.name().contains(LARGE_REMAINDER)
            && symbol::path(function.name()) == "libm::math::rem_pio2_large::rem_pio2_large"
        {
            function.add_attribute(Place::Function, "noinline", 0);
        }
        for instruction in function.instructions() {
            if instruction.is_fence_of_thread() {
                // A fence between a thread and its signal handlers, which a device does not have, would keep loads apart.
                // SAFETY: a fence has no result, and the list of instructions was taken before.
                unsafe { instruction.erase() };
            } else {
                rewrite_call(instruction);
            }
        }
    }
    if unwinds {
        machine.run_passes(module, "function(lower-invoke,simplifycfg)")?;
    }
    Ok(())
}

fn internalise(module: &Module<'_>, entries: &[Entry]) {
    for global in module.globals() {
        if !global.is_declaration() && !global.name().starts_with("llvm.") && global.name() != "spelt_failure"
        {
            global.set_linkage(Linkage::Internal);
        }
        if global.is_declaration() {
            // Hidden symbols of the host's linker.
            global.set_linkage(Linkage::External);
        }
    }
    for function in module.functions() {
        if function.is_intrinsic() {
            continue;
        }
        let is_entry = entries.iter().any(|entry| entry.symbol == function.name());
        let outside = is_entry || function.is_declaration();
        function.set_linkage(if outside { Linkage::External } else { Linkage::Internal });
    }
}

fn rewrite_call(instruction: crate::llvm::Instruction<'_>) {
    let Some(call) = instruction.as_call() else { return };
    call.remove_attribute(Place::Function, "noinline");
    let Some(callee) = call.callee() else { return };
    if callee.as_function().is_none() && callee.as_assembly().is_none() {
        call.add_attribute(Place::Function, "convergent");
    }
    // `black_box` is an empty block of assembly with a pointer in a register, which NVPTX names in another way.
    if callee.as_assembly() == Some("") && call.arguments().len() == 1 {
        let builder = Builder::before(instruction);
        let pointer = call.arguments()[0];
        if pointer.value_type().is_pointer() {
            builder.call_as(call.called_type(), builder.empty_assembly(call.called_type()), &[pointer]);
            // SAFETY: it returns nothing, and the list of instructions was taken before.
            unsafe { instruction.erase() };
        }
    }
}

fn make_kernel(function: Function<'_>, entry: &Entry) {
    let parameter = Place::Parameter(0);
    function.set_calling_convention(PTX_KERNEL);
    function.add_by_value(parameter, entry.size);
    function.remove_attribute(parameter, "align");
    function.add_attribute(parameter, "align", entry.alignment);
    function.rename(&entry.name());
}
