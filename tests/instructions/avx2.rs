//! How kernels for AVX2 store running values: this test looks at their code and does not run it.
//!
//! The kernels are those of `src/kernels.rs`, built in release mode, regardless of the mode of this test.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod program;

use spelt_disassembly::{Function, Program, is_on_stack, stores, text};

/// The function that holds a launch's loops for AVX2.
const INSTANCE: &str = "spelt_core::isa::avx2";

/// The functions for AVX2 with instructions of a kernel's closures.
fn functions_of<'p>(program: &'p Program, kernel: &str) -> Vec<&'p Function> {
    let closures = format!("kernels::{kernel}::{{");
    let has_closures = |function: &&Function| {
        program.instructions(function).iter().any(|instruction| {
            program.frames(instruction.ip()).iter().any(|frame| frame.name.starts_with(&closures))
        })
    };
    program
        .functions()
        .iter()
        .filter(|function| function.name.starts_with(INSTANCE))
        .filter(has_closures)
        .collect()
}

/// Of a value that stays as it is, the compiler leaves out the store, in vector code by a store under a mask. No load takes its value from such a
/// store before it is in the cache, and on some processors the store itself takes as long as ten others.
#[test]
fn extremes_are_stored_without_masks() {
    let program = Program::read(&program::program("kernels")).unwrap();
    let functions = functions_of(&program, "least");
    assert!(!functions.is_empty(), "its closure is a function of its own");
    let masked: Vec<String> = functions
        .iter()
        .flat_map(|function| program.instructions(function))
        .filter(|instruction| stores(instruction) && is_on_stack(instruction))
        .map(|instruction| text(&instruction))
        .filter(|instruction| instruction.starts_with("vmaskmov"))
        .collect();
    assert!(masked.is_empty(), "{masked:?}");
}
