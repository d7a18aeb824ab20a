//! Code that runs only on a GPU: kernel entries, the primitives that they are built from, and reports of failures.
//!
//! | file | concept |
//! |---|---|
//! | `intrinsics.rs` | functions that the device linker replaces by instructions of the device |
//! | `intrinsics_rust_cuda.rs` | the same functions by `cuda_std`, with the feature `rust-cuda` |
//! | `kernel.rs` | [`Kernel`](kernel::Kernel): an entry with one block of parameters, and its symbol |
//! | `failure.rs` | the record that a failing kernel leaves for the host |
//! | `placement.rs` | the thread of each index of a box |
//! | `strips.rs` | the iterations of each thread of a range |
//! | `numbering.rs` | the number of an index in the order of a host |
//! | `contributions.rs` | contributions to scattered Views, joined in that order |
//! | `index_space.rs` | the iterations of a launch, by number |
//! | `warp.rs` | exchange of values between the threads of a warp |
//! | `math.rs` | C's mathematical functions |
//! | `reduce/` | the canonical reduction: within a warp, a block, a launch |
//! | `scan/` | the scan of a whole launch; its README has the invariants |
//! | `crew/` | lanes of one warp that work together; their canonical reduction and scan |
//! | `team/` | teams: meetings, nested loops, scratch; its README has the invariants |
//! | `tuning.rs`, and one in each of these folders | blocks, threads and tiles of launches, with the reasons |
//!
//! # Primitives
//! The threads in the second column call the primitive together, equally often and in the same order: the conditions around
//! each call have the same value in all of these threads.
//!
//! | primitive | called by | threads | the result is valid in |
//! |---|---|---|---|
//! | [`warp::shuffle`], [`shuffle_down`](warp::shuffle_down), [`shuffle_up`](warp::shuffle_up) | a warp | 32 | every thread |
//! | [`reduce::warp::join_halves`] | a warp, in groups of `W` | 32 | the first thread of each `W` |
//! | [`reduce::warp::join_pairs`] | a warp, in groups of `most * stride` | 32 | the first thread of each group |
//! | [`reduce::warp::join_first`] | a warp, of which `count` threads have a value | 32 | thread 0 of the warp |
//! | [`reduce::warp::Row::join`] | a warp; [`push`](reduce::warp::Row::push) takes the values of its thread 0 | 32 | thread 0 of the warp |
//! | [`reduce::block::Exchange::join`] | a block; the threads 0 of its warps have the values | up to 32 warps | thread 0 of the block |
//! | [`reduce::block::Exchange::tell`] | a block | any | every thread |
//! | [`reduce::grid::reduce`] | a launch | as [`ReduceShape`](reduce::tuning::ReduceShape) says | `end` is called once, in thread 0 of the block that finishes last |
//! | [`reduce::grid::join_blocks`] | a launch; the threads 0 of its blocks have the values | as above | thread 0 of the block that finishes last: `Some` there |
//! | [`scan::scan`] | a launch | [`ScanShape::THREADS`](scan::ScanShape::THREADS) in each block | `body` gets each iteration's value; `finish` is called once, in one thread |
//! | [`crew::Crew::from`] | a crew | 1 to 32, a power of two of participants | every participant |
//! | [`crew::reduce::reduce_all`] | a crew | as above | every participant |
//! | [`crew::scan::scan_all`] | a crew | as above | `body` gets each iteration's value; the total is valid in every participant |
//! | [`crew::scan::scan_alone`] | one thread | 1 | that thread |
//! | [`team::Member::meet`] | a team, and the lanes of each of its threads | as [`TeamShape`](team::TeamShape) says | |
//! | [`team::Member::broadcast`], [`join_threads`](team::Member::join_threads), [`reduce`](team::Member::reduce), [`scan`](team::Member::scan) | a team | as above | every lane |
//! | [`team::Member::fill`] | a team | as above | the memory is filled for every lane |
//!
//! Nothing here allocates, unwinds or uses `std`. These functions also exist on the host, so that both sides use the same crate,
//! types and symbols; calling an intrinsic there panics.
//!
//! In the reading order (examples, policies, reducers, order, access, views, dispatch, serial, threads, kernels-gpu, cuda) this
//! crate comes last but one. Programs use it through the facade.
//!
//! # Scope
//! `spelt-core` launches kernels and owns memory. `spelt-order` defines the order of joins.
#![no_std]

pub mod contributions;
pub mod crew;
pub mod failure;
pub mod index_space;
#[cfg_attr(feature = "rust-cuda", path = "intrinsics_rust_cuda.rs")]
pub mod intrinsics;
pub mod kernel;
pub mod math;
pub mod numbering;
pub mod placement;
pub mod reduce;
pub mod scan;
pub mod strips;
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
