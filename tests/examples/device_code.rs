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

/// The number of lines that have `word`.
fn count(kernel: &str, word: &str) -> usize {
    kernel.lines().filter(|line| line.contains(word)).count()
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
    // The functions `simd` and `scalar` of the example `simd`, and their closures.
    let one = |parts: &[&str]| match kernels(&ptx, parts)[..] {
        [kernel] => kernel,
        ref found => panic!("{} kernels have {parts:?} in their names", found.len()),
    };
    let reduction = one(&["4simd4simd", "15parallel_reduce"]);
    for word in [".local", "call", "trap"] {
        assert_eq!(count(reduction, word), 0, "`{word}` in a reduction over vectors:\n{reduction}");
    }
    // The loop reads checked elements: a failing check writes a report and calls. Vectors add nothing to that.
    let (vectors, numbers) =
        (one(&["4simd4simd", "12parallel_for"]), one(&["4simd6scalar", "12parallel_for"]));
    for word in [".local", "call", "trap"] {
        assert_eq!(count(vectors, word), count(numbers, word), "`{word}` in a loop over vectors:\n{vectors}");
    }
    let [products, product] = [vectors, numbers].map(|kernel| count(kernel, "mul.rn.f64"));
    assert!(product > 0 && products == 4 * product, "{products} products of lanes, {product} of numbers");
}
