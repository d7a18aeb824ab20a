//! Code that runs only on a GPU: kernel entries, the primitives that they are built from, and reports of failures.
//!
//! | file | concept |
//! |---|---|
//! | `intrinsics.rs` | what the device linker replaces by instructions of the device |
//! | `intrinsics_rust_cuda.rs` | the same functions by `cuda_std`, with the feature `rust-cuda` |
//! | `kernel.rs` | [`Kernel`](kernel::Kernel): an entry with one block of parameters, and its symbol |
//! | `failure.rs` | the record that a failing kernel leaves for the host |
//! | `placement.rs` | which thread runs which index of a box |
//! | `index_space.rs` | the iterations of a launch, by number |
//! | `warp.rs` | the threads of a warp hand values to each other |
//! | `math.rs` | C's mathematical functions |
//! | `reduce/` | the canonical reduction: within a warp, a block, a launch |
//! | `scan/` | the scan of a whole launch |
//! | `crew/` | lanes of one warp that work together; their canonical reduction and scan |
//! | `team/` | teams: meetings, nested loops, scratch |
//! | `tuning.rs`, and one in each of these folders | blocks, threads and tiles of launches, with the reasons |
//!
//! Nothing here allocates, unwinds or uses `std`. On the host these functions exist so that the same crate, types and
//! symbols serve both sides; calling an intrinsic there panics.
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes last but one. Programs use it through the facade.
//!
//! # What this crate does not do
//! It launches nothing and owns no memory: `spelt-core` does. It does not say in which order values join: `spelt-order` does.
#![no_std]

pub mod crew;
pub mod failure;
pub mod index_space;
#[cfg_attr(feature = "rust-cuda", path = "intrinsics_rust_cuda.rs")]
pub mod intrinsics;
pub mod kernel;
pub mod math;
pub mod placement;
pub mod reduce;
pub mod scan;
pub mod team;
pub mod tuning;
pub mod warp;

#[cfg(test)]
mod tests {
    extern crate std;
    use std::collections::BTreeSet;
    use std::string::String;
    use std::vec::Vec;

    /// The signatures of the functions that this text declares, without names of parameters.
    fn declared(text: &str) -> BTreeSet<String> {
        let words = ["pub(crate) ", "pub ", "extern \"C\" fn "];
        let lines = text
            .lines()
            .map(|line| words.iter().fold(line.trim(), |line, word| line.strip_prefix(word).unwrap_or(line)));
        let declarations = lines.filter(|line| line.starts_with("__spelt_"));
        declarations
            .map(|line| {
                let (name, rest) = line.split_once('(').expect("a list of parameters");
                let (parameters, result) = rest.split_once(')').expect("its end");
                let types: Vec<&str> =
                    parameters.split(", ").map(|one| one.split_once(": ").map_or("", |(_, ty)| ty)).collect();
                let result = result.split(['=', ';', '{']).next().unwrap_or("").trim();
                std::format!("{name}({}) {result}", types.join(", "))
            })
            .collect()
    }

    #[test]
    fn rust_cuda_has_every_intrinsic() {
        let ours = declared(include_str!("intrinsics.rs"));
        assert!(ours.contains("__spelt_block() -> u32"), "{ours:?}");
        let theirs = declared(include_str!("intrinsics_rust_cuda.rs"));
        assert!(ours.is_subset(&theirs), "these lack: {:?}", ours.difference(&theirs));
    }
}
