//! Kernels on a CUDA device give the bits of `Serial`: `cargo gpu test -p spelt-core --test kernels`.
//!
//! Without a driver, and in a program that plain cargo has built, there is nothing to test.

mod arguments;
mod boxes;
mod columns;
mod contents;
mod counters;
mod custom;
mod devices;
mod events;
mod for_each;
#[cfg(feature = "half")]
mod half;
mod ranges;
mod reduce;
mod scan;
mod scatter;
mod within_hosts;

use std::sync::OnceLock;

use spelt_core::{Cuda, Element, ErrorKind, Serial, View, parallel_for};

/// A space with kernels, or nothing, with a notice, where they cannot run.
pub(crate) fn device() -> Option<Cuda> {
    /// It stays, and with it the device code that is loaded: that takes longer than most tests.
    static FIRST: OnceLock<Option<Cuda>> = OnceLock::new();
    FIRST.get_or_init(|| Cuda::new(0).ok());
    let space = match Cuda::new(0) {
        Ok(space) => space,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Driver, "{error}");
            eprintln!("not tested: {error}");
            return None;
        }
    };
    match parallel_for("probe", spelt_core::ExecutionSpace::range(&space, 0..1), (), |_, ()| {}) {
        Ok(()) => Some(space),
        Err(error) => {
            // If the driver rejects device code, the test fails; it is not skipped.
            assert!(error.to_string().contains("plain cargo built it"), "{error}");
            eprintln!("not tested: {error}");
            None
        }
    }
}

/// The space that all others have to be like.
pub(crate) fn host() -> Serial {
    Serial::new()
}

/// A number of a sequence that looks like noise, of -1 to 1.
pub(crate) fn noise(i: usize) -> f64 {
    let mixed =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Every element as it is.
pub(crate) fn elements<T: Element, const R: usize>(view: &View<T, R>) -> Vec<T> {
    view.iter().copied().collect()
}

/// Sizes around those of tiles, warps and blocks: the tiles of `lanes` lanes have `64 lanes` iterations.
pub(crate) fn sizes(lanes: usize) -> Vec<usize> {
    let tile = lanes * 64;
    let row = 2048;
    let mut sizes = vec![0, 1, 2, 31, 32, 33, 63, 64, 65, 100];
    sizes.extend([
        tile - 1,
        tile,
        tile + 1,
        2 * tile + 5,
        row - 1,
        row,
        row + 1,
        5 * row + tile + 7,
        40 * row + 3,
    ]);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
