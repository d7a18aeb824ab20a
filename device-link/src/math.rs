//! Mathematical functions: LLVM's intrinsics and C's names become `__spelt_math_<C name>`, which a device crate defines.

use crate::llvm::{Builder, Call, Function, Module, Opcode};
use crate::sources::Sources;

/// The functions of device crates that stand for C's.
pub(crate) const PREFIX: &str = "__spelt_math_";

/// Intrinsics that NVPTX has no code for, as `llvm.<name>.f64` and `llvm.<name>.f32`. C's names are the same.
const INTRINSICS: [&str; 18] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
    "log", "log2", "log10", "pow", "powi",
];

/// The function of device crates for an intrinsic or a C function, if it is a mathematical one.
fn replacement(name: &str, sources: &Sources) -> Option<String> {
    let target = match name.strip_prefix("llvm.") {
        Some(rest) => {
            let mut parts = rest.split('.');
            let (base, kind) = (parts.next()?, parts.next()?);
            let suffix = match kind {
                "f64" => "",
                "f32" => "f",
                _ => return None,
            };
            INTRINSICS.contains(&base).then(|| format!("{PREFIX}{base}{suffix}"))?
        }
        None => format!("{PREFIX}{name}"),
    };
    (sources.in_crates(&target) || target.starts_with("__spelt_math_powi")).then_some(target)
}

/// Lets declared mathematical functions and `%` of floats go to the device crates. Returns whether it changed anything.
pub(crate) fn retarget(module: &Module<'_>, sources: &Sources) -> bool {
    let mut changed = false;
    for function in module.functions() {
        if !function.is_declaration() || function.users().is_empty() {
            continue;
        }
        if let Some(target) = replacement(function.name(), sources) {
            function.replace_uses(*declared(module, &target, function));
            changed = true;
        }
    }
    changed
}

fn declared<'m>(module: &'m Module<'_>, name: &str, like: Function<'m>) -> Function<'m> {
    module.function(name).unwrap_or_else(|| module.declare_like(name, like))
}

/// Lets `%` of floats go to C's `fmod`, which is exact; NVPTX's own expansion is not. Returns whether it changed anything.
pub(crate) fn replace_remainders(module: &Module<'_>) -> bool {
    let mut changed = false;
    for function in module.functions() {
        for instruction in function.instructions() {
            if !instruction.is(Opcode::FloatRemainder) {
                continue;
            }
            let kind = instruction.value_type();
            let name = match (kind.is_double(), kind.is_float()) {
                (true, _) => "__spelt_math_fmod",
                (_, true) => "__spelt_math_fmodf",
                _ => continue,
            };
            let operands: Vec<_> = instruction.operands().collect();
            let target = module
                .function(name)
                .unwrap_or_else(|| module.declare_returning(name, *instruction, &operands));
            let call: Call<'_> = Builder::before(instruction).call(target, &operands);
            instruction.replace_uses(**call);
            // SAFETY: its uses are the call's now, and the list of instructions was taken before.
            unsafe { instruction.erase() };
            changed = true;
        }
    }
    changed
}
