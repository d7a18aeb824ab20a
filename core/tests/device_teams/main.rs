//! Leagues on a CUDA device give the bits of `Serial` and `Threads`: one text for each nested pattern.
//! `cargo gpu test -p spelt-core --test device_teams`.
//!
//! Without a driver, and in a program that plain cargo has built, only the host's spaces are compared.

mod collectives;
mod large_blocks;
mod league;
mod loops;
mod reductions;
mod scans;
mod scratch;
mod vectors;

use std::sync::OnceLock;

use spelt_core::{AUTO, Cuda, ErrorKind, ExecutionSpace, Serial, TeamSize, Threads, parallel_for};

/// One text for every space and team size: its result must not depend on them.
pub(crate) trait Text {
    fn run<S: ExecutionSpace>(&self, space: &S, size: TeamSize) -> Vec<u64>;
}

/// Runs a text on all spaces, with several sizes of teams.
pub(crate) fn same_everywhere(text: &impl Text) {
    let wanted = text.run(&Serial::new(), AUTO);
    for size in [1, 2, 3] {
        let space = Threads::builder().num_threads(size).build().expect("threads");
        assert!(text.run(&space, size.into()) == wanted, "threads, teams of {size}");
    }
    let Some(space) = device() else { return };
    for size in [AUTO, 1.into(), 3.into(), 8.into(), 32.into(), 40.into(), 128.into()] {
        let found = text.run(&space, size);
        let place = found.iter().zip(&wanted).position(|(found, wanted)| found != wanted);
        assert!(found == wanted, "{size:?}: {} and {} words, at {place:?}", found.len(), wanted.len());
    }
}

/// Makes a test of a text.
macro_rules! text {
    ($(#[$meta:meta])* fn $name:ident($space:ident, $size:ident) -> Vec<u64> $body:block) => {
        $(#[$meta])*
        #[test]
        fn $name() {
            struct This;
            impl crate::Text for This {
                fn run<S: spelt_core::ExecutionSpace>(&self, $space: &S, $size: spelt_core::TeamSize) -> Vec<u64> $body
            }
            crate::same_everywhere(&This);
        }
    };
}
pub(crate) use text;

/// A space with kernels, or nothing, with a notice, where they cannot run.
pub(crate) fn device() -> Option<Cuda> {
    /// It stays, and with it the device code that is loaded: that takes longer than most tests.
    static FIRST: OnceLock<Option<Cuda>> = OnceLock::new();
    FIRST.get_or_init(|| Cuda::new(0).ok());
    let space = match Cuda::new(0) {
        Ok(space) => space,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Driver, "{error}");
            eprintln!("not tested on a device: {error}");
            return None;
        }
    };
    match parallel_for("probe", space.range(0..1), (), |_, ()| {}) {
        Ok(()) => Some(space),
        Err(error) => {
            assert!(error.to_string().contains("plain cargo built it"), "{error}");
            eprintln!("not tested on a device: {error}");
            None
        }
    }
}

/// A number of a sequence that looks like noise, of -1 to 1.
pub(crate) fn noise(i: usize) -> f64 {
    let mixed =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The bits of a View of numbers.
macro_rules! bits {
    ($view:expr) => {
        $view.to_host().expect("memory").iter().map(|value| value.to_bits()).collect::<Vec<u64>>()
    };
}
pub(crate) use bits;

/// A View of whole numbers.
macro_rules! words {
    ($view:expr) => {
        $view.to_host().expect("memory").iter().map(|value| *value as u64).collect::<Vec<u64>>()
    };
}
pub(crate) use words;
