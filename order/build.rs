//! Tells the crate whether the compiler makes vector code of loops.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(spelt_vector_loops)");
    // Below the optimisation level 2, and for size, it makes none, as for `core/build.rs`.
    if matches!(std::env::var("OPT_LEVEL").as_deref(), Ok("2" | "3")) {
        println!("cargo::rustc-cfg=spelt_vector_loops");
    }
}
