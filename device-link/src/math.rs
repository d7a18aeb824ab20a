//! Mathematical functions: LLVM's intrinsics and C's names become `__spelt_math_<C name>`, which a device crate defines.

use crate::llvm::{Function, Module};
use crate::sources::Sources;

/// The functions of device crates that replace C's.
pub(crate) const PREFIX: &str = "__spelt_math_";

/// Intrinsics for which NVPTX has no code, as `llvm.<name>.f64` and `llvm.<name>.f32`. C's names are the same.
const INTRINSICS: [&str; 18] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "exp10",
    "log", "log2", "log10", "pow", "powi",
];

/// The function of device crates for an intrinsic or a C function, if it is a mathematical one.
fn replacement(name: &str, sources: &Sources) -> Option<String> {
    if let Some((_, target)) = WIDE_CONVERSIONS.iter().find(|(conversion, _)| *conversion == name) {
        return Some((*target).to_owned());
    }
    if let Some((_, target)) = HINTS.iter().find(|(hint, _)| *hint == name) {
        return Some((*target).to_owned());
    }
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
        None if is_of_c(name) => format!("{PREFIX}{name}"),
        None => return None,
    };
    (sources.in_crates(&target) || target.starts_with("__spelt_math_powi")).then_some(target)
}

/// The C name of a mathematical intrinsic that remains and for which NVPTX has no code.
pub(crate) fn unsupported(intrinsic: &str) -> Option<String> {
    let mut parts = intrinsic.strip_prefix("llvm.")?.split('.');
    let (base, kind) = (parts.next()?, parts.next()?);
    let suffix = if kind == "f32" { "f" } else { "" };
    INTRINSICS.contains(&base).then(|| format!("{base}{suffix}"))
}

/// Redirects declared mathematical functions to the device crates. Returns whether it changed anything.
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

/// C's mathematical functions that methods of `f32` and `f64` call; those of `f32` end in `f`.
const C_FUNCTIONS: [&str; 27] = [
    "acos", "asin", "atan", "atan2", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "exp10", "expm1",
    "fdim", "fmod", "hypot", "lgamma_r", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan",
    "tanh", "tgamma",
];

/// Whether this is a mathematical function of C.
pub(crate) fn is_of_c(name: &str) -> bool {
    let known = |name: &str| C_FUNCTIONS.contains(&name);
    known(name) || name.strip_suffix('f').is_some_and(known) || name == "lgammaf_r"
}

/// The instructions of `core::hint::spin_loop` on hosts, and their replacements.
const HINTS: [(&str, &str); 2] =
    [("llvm.x86.sse2.pause", "__spelt_pause"), ("llvm.aarch64.isb", "__spelt_pause_of_kind")];

/// Conversions between floats and 128-bit integers that saturate, as Rust's `as` does, and compiler_builtins' functions for
/// them, which saturate too.
const WIDE_CONVERSIONS: [(&str, &str); 4] = [
    ("llvm.fptoui.sat.i128.f64", "__fixunsdfti"),
    ("llvm.fptosi.sat.i128.f64", "__fixdfti"),
    ("llvm.fptoui.sat.i128.f32", "__fixunssfti"),
    ("llvm.fptosi.sat.i128.f32", "__fixsfti"),
];

fn declared<'m>(module: &'m Module<'_>, name: &str, like: Function<'m>) -> Function<'m> {
    module.function(name).unwrap_or_else(|| module.declare_like(name, like))
}
