//! What only a device runs: kernel entries, the primitives that they are built from, and how they report failures.
//!
//! | file | concept |
//! |---|---|
//! | `intrinsics.rs` | what the device linker replaces by instructions of the device |
//! | `intrinsics_rust_cuda.rs` | the same functions by `cuda_std`, with the feature `rust-cuda` |
//! | `kernel.rs` | [`Kernel`](kernel::Kernel): an entry with one block of parameters, and its symbol |
//! | `scan/` | the scan of a whole launch |
//! | `scan_tuning.rs` | how a scan is cut for a device |
//! | `crew.rs`, `crew_reduce.rs`, `crew_scan.rs` | lanes of one warp that work together; their canonical reduction and scan |
//! | `ladder.rs` | the tree of tiles as each thread climbs it |
//! | `team/` | teams: meetings, nested loops, scratch |
//! | `failure.rs` | the record that a failing kernel leaves for the host |
//! | `warp.rs`, `block.rs`, `grid.rs` | joining values within a warp, a block and a launch, in the canonical order |
//! | `placement.rs` | which thread runs which index of a box |
//! | `walk.rs` | the iterations of a launch, by number |
//! | `team_tuning.rs` | the same for leagues |
//! | `math.rs` | C's mathematical functions |
//! | `tuning.rs` | blocks, threads and tiles of launches, with the reasons |
//!
//! Nothing here allocates, unwinds or uses `std`. On the host these functions exist so that the same crate, types and
//! symbols serve both sides; calling an intrinsic there panics.

pub mod block;
pub mod crew;
pub mod crew_reduce;
pub mod crew_scan;
pub mod failure;
pub mod grid;
#[cfg_attr(feature = "rust-cuda", path = "intrinsics_rust_cuda.rs")]
pub mod intrinsics;
pub mod kernel;
mod ladder;
pub mod math;
pub mod placement;
pub mod scan;
mod scan_tuning;
pub mod team;
pub mod team_tuning;
pub mod tuning;
pub mod walk;
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
        assert!(ours.contains("__spelt_thread() -> u32"), "{ours:?}");
        let theirs = declared(include_str!("intrinsics_rust_cuda.rs"));
        assert!(ours.is_subset(&theirs), "these lack: {:?}", ours.difference(&theirs));
    }
}
