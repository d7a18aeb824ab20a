//! Tells the crate which levels of instructions its kernels are compiled for beside the level of the program as a whole, and whether loops become
//! vector code.

/// The features of x86-64-v3 that `isa.rs` asks for, and those that x86-64-v4 adds.
const AVX2: &[&str] = &["avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt", "movbe", "f16c"];
const AVX512: &[&str] = &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(spelt_avx2, spelt_avx512, spelt_masks, spelt_vector_loops)");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    let has =
        |level: &[&str]| level.iter().all(|wanted| features.split(',').any(|feature| feature == *wanted));
    // Below the optimisation level 2, and for size, the compiler makes no vector code of loops.
    let vectorises = matches!(variable("OPT_LEVEL").as_str(), "2" | "3");
    if vectorises {
        println!("cargo::rustc-cfg=spelt_vector_loops");
    }
    if variable("CARGO_CFG_TARGET_ARCH") != "x86_64" || !vectorises {
        return;
    }
    if !has(AVX2) {
        println!("cargo::rustc-cfg=spelt_avx2");
    }
    // Where the program as a whole has masks, so has its only level.
    let masks = has(AVX2) && has(AVX512);
    println!("cargo::rustc-cfg={}", if masks { "spelt_masks" } else { "spelt_avx512" });
}
