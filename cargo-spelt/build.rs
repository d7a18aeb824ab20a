//! Tells the program which checkout of Spelt it is built from, if from any: a package of a registry has none around it.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let package =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let is_checkout = |folder: &PathBuf| {
        ["Cargo.toml", "src/lib.rs", "cuda-emu/Cargo.toml"].iter().all(|file| folder.join(file).is_file())
    };
    if let Some(checkout) = package.parent().map(PathBuf::from).filter(is_checkout) {
        let checkout = checkout.to_str().expect("the path of the checkout is UTF-8");
        println!("cargo::rustc-env=SPELT_CHECKOUT={checkout}");
    }
}
