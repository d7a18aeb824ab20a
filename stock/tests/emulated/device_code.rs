//! The device code as text.

use spelt_stock::PTX;

#[test]
fn the_build_made_every_kernel() {
    let mut entries: Vec<&str> = PTX
        .lines()
        .filter_map(|line| line.split_once(".entry ")?.1.split('(').next())
        .map(str::trim)
        .collect();
    entries.sort_unstable();
    let mut expected: Vec<String> = ["copy", "fill", "transpose"]
        .iter()
        .flat_map(|kernel| [1, 2, 4, 8, 16].map(|word| format!("spelt_stock_{kernel}_{word}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(entries, expected);
}

#[test]
fn it_runs_on_every_gpu_that_spelt_supports() {
    assert!(PTX.contains(".target sm_70\n"), "{}", &PTX[..200]);
}

#[test]
fn no_kernel_uses_local_memory_or_calls_a_function() {
    for word in [".local", "call", ".func", "trap"] {
        let line = PTX.lines().find(|line| !line.trim_start().starts_with("//") && line.contains(word));
        assert_eq!(line, None, "`{word}`");
    }
}

/// The names that follow `prefix` in `text`.
fn names<'a>(text: &'a str, prefix: &str) -> std::collections::BTreeSet<&'a str> {
    let rests = text.split(prefix).skip(1);
    let names = rests.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""));
    names.filter(|name| !name.is_empty()).collect()
}

/// Rust-cuda compiles the same files, with its own list of entries and modules, and with fewer intrinsics.
#[test]
fn rust_cuda_has_all_that_the_kernels_use() {
    let entries = names(include_str!("../../src/entries.rs"), "spelt_stock_");
    assert!(entries.len() == 15 && entries.contains("copy_16"), "{entries:?}");
    assert_eq!(entries, names(include_str!("../../rust-cuda/kernels/src/lib.rs"), "spelt_stock_"));

    let modules = names(include_str!("../../src/kernels/mod.rs"), "\nmod ");
    assert!(modules.contains("transpose"), "{modules:?}");
    assert_eq!(modules, names(include_str!("../../rust-cuda/kernels/src/kernels.rs"), "\nmod "));

    let intrinsics = include_str!("../../../kernels-gpu/src/intrinsics_rust_cuda.rs");
    let (there, lacking) = intrinsics.split_once("so that every kernel type-checks").expect("the two lists");
    let there = names(there.split_once("\nintrinsics! {").expect("the first list").1, "__spelt_");
    let used = names(include_str!("../../src/kernels/intrinsics.rs"), "__spelt_");
    assert!(used.contains("barrier") && used.is_subset(&there), "{used:?} beside {there:?}");
    assert!(names(lacking, "__spelt_").contains("alike"));
}
