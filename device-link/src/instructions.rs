//! Instructions for which NVPTX has no code, or code that differs from the host's: they become calls.

use crate::llvm::{Builder, Instruction, Module, Opcode};

/// Lets `%` of floats go to C's `fmod`, which is exact where NVPTX's own expansion is not, and conversions between floats and
/// 128-bit integers to compiler_builtins. Returns whether it changed anything.
pub(crate) fn replace(module: &Module<'_>) -> bool {
    let mut changed = false;
    for function in module.functions() {
        for instruction in function.instructions() {
            let Some(name) = stands_for(instruction) else { continue };
            let operands: Vec<_> = instruction.operands().collect();
            let target = module
                .function(name)
                .unwrap_or_else(|| module.declare_returning(name, *instruction, &operands));
            let call = Builder::before(instruction).call(target, &operands);
            instruction.replace_uses(**call);
            // SAFETY: the call has replaced all its uses, and the list of instructions was taken before.
            unsafe { instruction.erase() };
            changed = true;
        }
    }
    changed
}

/// The function that replaces the instruction.
fn stands_for(instruction: Instruction<'_>) -> Option<&'static str> {
    let opcode = instruction.opcode()?;
    let result = instruction.value_type();
    let operand = instruction.operands().next()?.value_type();
    let (float, wide) = match opcode {
        Opcode::FloatRemainder => (result, true),
        Opcode::UnsignedToFloat | Opcode::SignedToFloat => (result, operand.integer_bits() == Some(128)),
        Opcode::FloatToUnsigned | Opcode::FloatToSigned => (operand, result.integer_bits() == Some(128)),
    };
    if !wide || !(float.is_double() || float.is_float()) {
        return None;
    }
    Some(match (opcode, float.is_double()) {
        (Opcode::FloatRemainder, true) => "__spelt_math_fmod",
        (Opcode::FloatRemainder, false) => "__spelt_math_fmodf",
        (Opcode::UnsignedToFloat, true) => "__floatuntidf",
        (Opcode::UnsignedToFloat, false) => "__floatuntisf",
        (Opcode::SignedToFloat, true) => "__floattidf",
        (Opcode::SignedToFloat, false) => "__floattisf",
        (Opcode::FloatToUnsigned, true) => "__fixunsdfti",
        (Opcode::FloatToUnsigned, false) => "__fixunssfti",
        (Opcode::FloatToSigned, true) => "__fixdfti",
        (Opcode::FloatToSigned, false) => "__fixsfti",
    })
}
