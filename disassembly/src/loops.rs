//! Loops in machine code, and what their instructions do.

use core::ops::RangeInclusive;

use iced_x86::{FastFormatter, Instruction, OpKind, Register};

/// The instructions from the target of a jump backwards to the jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    addresses: RangeInclusive<u64>,
}

impl Loop {
    /// Those of a function's instructions that are in the loop.
    pub fn of<'i>(&self, instructions: &'i [Instruction]) -> impl Iterator<Item = &'i Instruction> + use<'i> {
        let addresses = self.addresses.clone();
        instructions.iter().filter(move |instruction| addresses.contains(&instruction.ip()))
    }
}

/// The innermost loops of a function.
#[must_use]
pub fn loops(instructions: &[Instruction]) -> Vec<Loop> {
    let Some(first) = instructions.first().map(Instruction::ip) else { return Vec::new() };
    let mut ranges: Vec<RangeInclusive<u64>> = instructions
        .iter()
        .filter(|jump| jump.is_jcc_short_or_near() || jump.is_jmp_short_or_near())
        .filter(|jump| (first..=jump.ip()).contains(&jump.near_branch_target()))
        .map(|jump| jump.near_branch_target()..=jump.ip())
        .collect();
    let all = ranges.clone();
    ranges.retain(|range| {
        let is_inside = |other: &RangeInclusive<u64>| {
            other != range && range.contains(other.start()) && range.contains(other.end())
        };
        !all.iter().any(is_inside)
    });
    ranges.into_iter().map(|addresses| Loop { addresses }).collect()
}

/// Whether an instruction works on a register of 512 bits.
#[must_use]
pub fn uses_zmm(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_register(operand).is_zmm())
}

/// Whether an instruction loads or stores some of a vector's elements, as a mask says.
#[must_use]
pub fn has_masked_access(instruction: &Instruction) -> bool {
    let accesses = (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    accesses && instruction.op_mask() != Register::None
}

/// Whether an instruction stores to memory.
#[must_use]
pub fn stores(instruction: &Instruction) -> bool {
    instruction.op0_kind() == OpKind::Memory
}

/// Whether an instruction accesses the stack.
#[must_use]
pub fn is_on_stack(instruction: &Instruction) -> bool {
    matches!(instruction.memory_base(), Register::RSP | Register::RBP)
}

/// Whether the memory that an instruction accesses is a constant of the program.
#[must_use]
pub fn is_constant(instruction: &Instruction) -> bool {
    instruction.is_ip_rel_memory_operand()
}

/// Whether an instruction calls a function.
#[must_use]
pub fn calls_a_function(instruction: &Instruction) -> bool {
    instruction.is_call_near() || instruction.is_call_near_indirect()
}

/// An instruction for messages.
#[must_use]
pub fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    FastFormatter::new().format(instruction, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn decoded(code: &[u8]) -> Vec<Instruction> {
        Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE).iter().collect()
    }

    #[test]
    fn a_loop_within_a_loop_is_found_alone() {
        // add rax, 8; dec rcx; jne to the second; dec rdx; jne to the first; jmp to the end; ret.
        let code = [
            0x48, 0x83, 0xC0, 0x08, 0x48, 0xFF, 0xC9, 0x75, 0xFB, 0x48, 0xFF, 0xCA, 0x75, 0xF2, 0xEB, 0x00,
            0xC3,
        ];
        let instructions = decoded(&code);
        let found = loops(&instructions);
        let texts: Vec<_> =
            found.iter().map(|each| each.of(&instructions).map(text).collect::<Vec<_>>()).collect();
        assert_eq!(texts, [["dec rcx", "jne 1004h"]]);
        assert_eq!(loops(&decoded(&[0xC3])), []);
    }

    #[test]
    fn masked_accesses_are_those_of_memory() {
        let facts = |code: &[u8]| {
            let instruction = decoded(code)[0];
            (uses_zmm(&instruction), has_masked_access(&instruction), is_constant(&instruction))
        };
        // vmovupd zmm0{k1}, [rsp+40h]
        assert_eq!(facts(&[0x62, 0xF1, 0xFD, 0x49, 0x10, 0x44, 0x24, 0x01]), (true, true, false));
        // vmovupd zmm0, [rsp+40h]
        assert_eq!(facts(&[0x62, 0xF1, 0xFD, 0x48, 0x10, 0x44, 0x24, 0x01]), (true, false, false));
        // vmovupd zmm0{k1}, [rip]
        assert_eq!(facts(&[0x62, 0xF1, 0xFD, 0x49, 0x10, 0x05, 0, 0, 0, 0]), (true, true, true));
        // vmovupd zmm0{k1}, zmm1
        assert_eq!(facts(&[0x62, 0xF1, 0xFD, 0x49, 0x10, 0xC1]), (true, false, false));
    }
}
