//! The device code of the example `simd`, as text: the lanes of a vector stay in registers.

use std::fs;

use crate::run::command;

/// The PTX in a program that `cargo spelt` has built: each piece ends with a zero, and begins with its target.
fn ptx(program: &[u8]) -> Vec<&str> {
    let pieces = program.split(|byte| *byte == 0).filter_map(|piece| core::str::from_utf8(piece).ok());
    pieces.filter(|piece| piece.contains("\n.version ") && piece.contains(".entry ")).collect()
}

/// The bodies of the kernels whose names have all of these parts.
fn kernels<'a>(ptx: &[&'a str], parts: &[&str]) -> Vec<&'a str> {
    let entries = ptx.iter().flat_map(|piece| piece.split(".entry ").skip(1));
    let found = entries.filter(|entry| {
        let name = entry.split('(').next().unwrap_or_default();
        parts.iter().all(|part| name.contains(part))
    });
    found.map(|entry| &entry[..entry.find("\n}").unwrap_or(entry.len())]).collect()
}

/// A vector of four `f64` is loaded, computed with and stored in registers: nothing of it lies in memory of a thread, and no operator
/// is a call.
#[test]
fn kernels_over_vectors_use_neither_local_memory_nor_calls() {
    if !spelt::Cuda::has_device_code() {
        return;
    }
    let program = fs::read(command("simd").get_program()).expect("the program");
    let ptx = ptx(&program);
    // The function `simd` of the example `simd`, and its closure.
    let kernels = kernels(&ptx, &["4simd4simd"]);
    assert!(!kernels.is_empty(), "no kernel of that name");
    for kernel in kernels {
        for word in [".local", "call", "trap"] {
            assert!(!kernel.contains(word), "`{word}` in a kernel over vectors:\n{kernel}");
        }
        let products = kernel.lines().filter(|line| line.trim_start().starts_with("mul.")).count();
        assert!(products >= 4, "{products} products of lanes");
    }
}
