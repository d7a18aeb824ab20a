//! The loops of kernels for AVX-512, which valgrind does not know: this test looks at their code and does not run it.
//!
//! The kernels are those of `src/kernels.rs`, built in release mode, regardless of the mode of this test.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod program;

use spelt_disassembly::{
    Call, Instruction, Program, calls, calls_a_function, has_masked_access, is_constant, is_on_stack, loops,
    stores, text, uses_zmm,
};

/// Kernels, with the fewest instructions on 512-bit registers that the longest loop over each has: as many as its closure has
/// operations, or three quarters of the count of November 2026 where the closure does not say.
const KERNELS: [(&str, usize); 23] = [
    ("for_10", 10),
    ("for_50", 50),
    ("for_160", 160),
    ("for_300", 300),
    ("for_1000", 1000),
    ("sum_10", 10),
    ("sum_50", 50),
    ("sum_160", 160),
    ("sum_300", 300),
    ("sum_1000", 1000),
    ("for_origin", 10),
    ("sum_origin", 10),
    ("sum_written", 8),
    ("many_written", 20),
    // Only the rows of the border itself: inside, reads that may fail are scalar code.
    ("border", 6),
    ("borrowed", 3),
    ("sum_lookup", 9),
    ("serial_rows", 12),
    ("team_rows", 12),
    ("exp", 40),
    ("sum_exp", 160),
    ("pow", 150),
    ("written_out", 950),
];

/// The same for kernels whose elements are several numbers. The loop for a few lanes loads parts of them under constant masks.
const OF_PARTS: [(&str, usize); 1] = [("pairs", 12)];

/// A reduction whose closure writes a View: the rest of a row stores its elements under a mask.
const WRITES: &str = "sum_written";

/// The function that holds a launch's loops for AVX-512.
const INSTANCE: &str = "spelt_core::isa::avx512";

/// An innermost loop for AVX-512 that has instructions of a kernel's closures.
struct LoopOf {
    kernel: String,
    instructions: Vec<Instruction>,
    /// The number of the closures' instructions on 512-bit registers.
    wide: usize,
}

/// The kernel whose closures an instruction comes from.
fn kernel_of(program: &Program, instruction: &Instruction) -> Option<String> {
    program.frames(instruction.ip()).iter().find_map(|frame| {
        let (kernel, _) = frame.name.strip_prefix("kernels::")?.split_once("::{")?;
        Some(kernel.to_owned())
    })
}

fn loops_of_kernels(program: &Program) -> Vec<LoopOf> {
    let mut found = Vec::new();
    for function in program.functions().iter().filter(|function| function.name.starts_with(INSTANCE)) {
        let all = program.instructions(function);
        for each in loops(&all) {
            let instructions: Vec<Instruction> = each.of(&all).copied().collect();
            let of_kernel: Vec<_> = instructions
                .iter()
                .filter_map(|instruction| Some((instruction, kernel_of(program, instruction)?)))
                .collect();
            let wide = of_kernel.iter().filter(|(instruction, _)| uses_zmm(instruction)).count();
            let Some((_, kernel)) = of_kernel.into_iter().next() else { continue };
            found.push(LoopOf { kernel, instructions, wide });
        }
    }
    found
}

/// Why a kernel's loops are not what they should be; empty if they are.
fn complaints(kernel: &str, least: usize, loops: &[LoopOf], calls: &[Call<'_>]) -> Vec<String> {
    let mut complaints = Vec::new();
    let closures = format!("kernels::{kernel}::");
    for call in calls.iter().filter(|call| call.name.starts_with(&closures)) {
        complaints.push(format!("{kernel}: `{}` is called at {:#x}", call.name, call.address));
    }
    let own = || loops.iter().filter(|each| each.kernel == kernel);
    for LoopOf { instructions, wide, .. } in own() {
        for instruction in instructions {
            let place = format!("`{}` at {:#x}", text(instruction), instruction.ip());
            if *wide > 0 && calls_a_function(instruction) {
                complaints.push(format!("{kernel}: a loop with 512-bit registers has the call {place}"));
            }
            // The rest of a row loads what its closure reads under a mask; running values are in registers, and never under one.
            let is_masked = has_masked_access(instruction) && !is_constant(instruction);
            if is_masked && (is_on_stack(instruction) || stores(instruction) && kernel != WRITES) {
                complaints.push(format!("{kernel}: a loop loads or stores under a mask, {place}"));
            }
        }
    }
    complaints.extend(is_too_narrow(kernel, least, loops));
    complaints
}

/// The complaint about a kernel whose longest loop has too few instructions on 512-bit registers.
fn is_too_narrow(kernel: &str, least: usize, loops: &[LoopOf]) -> Option<String> {
    let own = loops.iter().filter(|each| each.kernel == kernel);
    let most = own.map(|each| each.wide).max().unwrap_or(0);
    println!("{kernel:<12} {most} instructions on 512-bit registers in a loop, at least {least}");
    (most < least).then(|| {
        format!("{kernel}: its longest loop has {most} instructions on 512-bit registers, not {least}")
    })
}

#[test]
fn closures_are_inlined_into_loops_with_512_bit_registers() {
    let program = Program::read(&program::program("kernels")).unwrap();
    let (loops, calls) = (loops_of_kernels(&program), calls(&program));
    let failures: Vec<String> = KERNELS
        .iter()
        .flat_map(|(kernel, least)| complaints(kernel, *least, &loops, &calls))
        .chain(OF_PARTS.iter().filter_map(|(kernel, least)| is_too_narrow(kernel, *least, &loops)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    // This closure is inlined, but the function that it calls is not.
    let has_call = |each: &&LoopOf| each.kernel == "called" && each.instructions.iter().any(calls_a_function);
    assert!(loops.iter().find(has_call).is_some_and(|each| each.wide == 0));
    assert_eq!(complaints("called", 1, &loops, &calls).len(), 1);
}

/// Where the compiler makes vectors of rows in place of lanes, it gathers the elements of each lane, in several times as many steps.
#[test]
fn sums_of_integers_are_vectors_of_lanes() {
    let program = Program::read(&program::program("kernels")).unwrap();
    let loops = loops_of_kernels(&program);
    assert_eq!(is_too_narrow("sum_integers", 2, &loops), None);
    let gathers: Vec<String> = (loops.iter().filter(|each| each.kernel == "sum_integers"))
        .flat_map(|each| each.instructions.iter().map(text))
        .filter(|instruction| instruction.contains("gather"))
        .collect();
    assert!(gathers.is_empty(), "{gathers:?}");
}
