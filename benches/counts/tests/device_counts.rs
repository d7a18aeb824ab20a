//! Instructions and memory traffic of the main kernels, counted by the emulator and in their PTX: free of noise.

use cuda_emu::Loaded;
use spelt::prelude::*;
use spelt_device_counts::counts::{self, Counts};
use spelt_device_counts::kernels::{self, Setup};
use spelt_device_counts::ptx::{self, Instructions};

const N: usize = 100_000;

/// Upper bounds for a kernel.
struct Bound {
    name: &'static str,
    /// Iterations of a thread of `parallel_for` over a range, 0 for the tuned number.
    each: u32,
    /// A part of the kernel's name: the function that contains its closure, preceded by its length as in mangled names.
    function: &'static str,
    /// Instructions of all threads for each element.
    instructions: f64,
    /// Bytes of all sectors touched for each byte that must be moved.
    traffic: f64,
    /// Whether its output is as large as its input; otherwise it writes a result for each block, one sector each.
    writes: bool,
    /// Bank conflicts for each request to shared memory.
    conflicts: f64,
    barriers: usize,
    warp_barriers: usize,
    /// Shuffles, with all loops of constant length unrolled, and for each of these loops the number it saves if it is not unrolled.
    shuffles: (usize, &'static [usize]),
    /// Accesses in the source that go to the host's memory, which has no address of the device's global space.
    generic: usize,
}

/// A shuffle of 8 bytes is two of words.
const WORDS: usize = 2;

/// Barriers in the source of a reduction: two each in `Exchange::join` of the block's warps, in `Exchange::tell`, and in
/// `Exchange::join` of what the blocks have.
const REDUCTION_BARRIERS: usize = 6;

/// Shuffles in the source of a reduction of a commutative reducer with 32 lanes.
///
/// Of the tiles: `join_halves` 5, `Row::push` 1 and in its `fold` 5 + 1, `Row::join` 1 + 2 + 1, `Exchange::join` 1. Of the
/// blocks: `join_first` 1, and the same from `push` on. Three of these loops have a constant length of 5.
const REDUCTION_SHUFFLES: (usize, &[usize]) = (30 * WORDS, &[4 * WORDS, 4 * WORDS, 4 * WORDS]);

/// Shuffles in the source of a scan: 5 in `fetch_level`, in a loop of this constant length.
const FETCH_SHUFFLES: (usize, &[usize]) = (5 * WORDS, &[4 * WORDS]);

/// The bounds on instructions are a tenth above the counts of November 2026, for other versions of LLVM: the aim is to catch
/// a division, a test or a store for each element, which would be more.
const BOUNDS: [Bound; 8] = [
    Bound {
        name: "sum f64",
        each: 0,
        function: "7sum_f64",
        instructions: 5.4,
        traffic: 1.03,
        writes: false,
        conflicts: 0.0,
        barriers: REDUCTION_BARRIERS,
        warp_barriers: 0,
        shuffles: REDUCTION_SHUFFLES,
        generic: 0,
    },
    Bound {
        name: "dot f64",
        each: 0,
        function: "3dot",
        instructions: 8.2,
        traffic: 1.03,
        writes: false,
        conflicts: 0.0,
        barriers: REDUCTION_BARRIERS,
        warp_barriers: 0,
        shuffles: REDUCTION_SHUFFLES,
        generic: 0,
    },
    // One element a thread, as tuned for this number: most of the instructions find out where it is.
    Bound {
        name: "axpy f64",
        each: 0,
        function: "4axpy",
        instructions: 53.0,
        traffic: 1.01,
        writes: true,
        conflicts: 0.0,
        barriers: 0,
        warp_barriers: 0,
        shuffles: (0, &[]),
        generic: 0,
    },
    Bound {
        name: "triad f64",
        each: 0,
        function: "5triad",
        instructions: 57.5,
        traffic: 1.01,
        writes: true,
        conflicts: 0.0,
        barriers: 0,
        warp_barriers: 0,
        shuffles: (0, &[]),
        generic: 0,
    },
    // Eight elements a thread, as tuned for 10^8.
    Bound {
        name: "axpy f64",
        each: 8,
        function: "4axpy",
        instructions: 12.0,
        traffic: 1.01,
        writes: true,
        conflicts: 0.0,
        barriers: 0,
        warp_barriers: 0,
        shuffles: (0, &[]),
        generic: 0,
    },
    Bound {
        name: "triad f64",
        each: 8,
        function: "5triad",
        instructions: 12.6,
        traffic: 1.01,
        writes: true,
        conflicts: 0.0,
        barriers: 0,
        warp_barriers: 0,
        shuffles: (0, &[]),
        generic: 0,
    },
    // Reads twice, the second time from a cache: 24 bytes for 16. Barriers of the warp: one in each of the two passes, one in
    // `join_groups`, two in `fetch_level`, and 6 in `join_tree`, whose loop has a constant length of 5. Bank conflicts: 0.039 were counted. The counts include the loads of warps
    // that wait for earlier shares.
    Bound {
        name: "scan i64",
        each: 0,
        function: "8scan_i64",
        instructions: 31.0,
        traffic: 1.54,
        writes: true,
        conflicts: 0.05,
        barriers: 4,
        warp_barriers: 11,
        shuffles: FETCH_SHUFFLES,
        // A thread that waits for an earlier block checks now and then whether the launch has failed.
        generic: 1,
    },
    // As for integers; of `join_tree` with two groups there are 2 barriers of the warp. A row takes no shuffle.
    Bound {
        name: "scan f64",
        each: 0,
        function: "8scan_f64",
        instructions: 28.9,
        traffic: 1.54,
        writes: true,
        conflicts: 0.0,
        barriers: 4,
        warp_barriers: 7,
        shuffles: FETCH_SHUFFLES,
        generic: 1,
    },
];

fn check(bound: &Bound, counts: &Counts, ptx: &str) {
    let Bound { name, function, .. } = bound;
    let used = [Some(counts.loads_used()), bound.writes.then(|| counts.stores_used())];
    for used in used.into_iter().flatten() {
        assert!(used >= 0.97, "{name}: {:.1} % of the bytes of sectors are used\n{counts:?}", 100.0 * used);
    }
    let traffic = counts.traffic();
    assert!(traffic <= bound.traffic, "{name}: {traffic:.3} bytes of sectors for a byte needed\n{counts:?}");
    let conflicts = counts.conflicts();
    assert!(conflicts <= bound.conflicts, "{name}: {conflicts:.3} conflicts a shared request\n{counts:?}");
    // Unoptimised kernels keep values in memory and check for overflow.
    if cfg!(debug_assertions) {
        return;
    }
    assert_eq!(counts.launch.local_bytes, 0, "{name}");
    let each = counts.instructions();
    assert!(
        each <= bound.instructions,
        "{name}: {each:.2} instructions per element, more than {}",
        bound.instructions
    );
    let part = format!("7kernels{function}");
    let found = Instructions::of(ptx, &part).unwrap_or_else(|| panic!("one kernel is of {part}"));
    let Instructions { barriers, warp_barriers, shuffles, generic, local, .. } = found;
    assert_eq!(
        (barriers, warp_barriers, generic, local),
        (bound.barriers, bound.warp_barriers, bound.generic, 0),
        "{name}: barriers of the block and of the warp and generic accesses as the source has them, no local access\n{found:?}"
    );
    let (all, loops) = bound.shuffles;
    // The loops that may be rolled have the same length.
    let mut allowed = (0..=loops.len()).map(|rolled| all - loops[..rolled].iter().sum::<usize>());
    assert!(
        allowed.any(|allowed| allowed == shuffles),
        "{name}: {shuffles} shuffles, where the source has {all}, or less by some of {loops:?}"
    );
}

/// The space, and the emulator that counts, if this program has device code and runs on it.
fn emulated() -> Option<(Cuda, Loaded)> {
    if !Cuda::has_device_code() {
        eprintln!("skipped: plain cargo puts no device code into this program; `cargo gpu test` does");
        return None;
    }
    let space = Cuda::new(0).unwrap_or_else(|error| panic!("built for a device, but there is none: {error}"));
    let Some(emulator) = Loaded::find() else {
        eprintln!("skipped: a GPU has no such counters; `cargo gpu --emulator test` counts");
        return None;
    };
    Some((space, emulator))
}

/// The counts of one launch of the kernel of this name for `N` elements.
fn count(emulator: &Loaded, space: &Cuda, name: &str) -> Counts {
    let find = |all: &[(&'static str, Setup<Cuda>)]| all.iter().position(|kernel| kernel.0 == name);
    let (mut on_device, mut on_host) = (kernels::all::<Cuda>(), kernels::all::<Serial>());
    let place = find(&on_device).unwrap_or_else(|| panic!("no kernel is called {name}"));
    counts::count(emulator, space, on_device.swap_remove(place).1, on_host.swap_remove(place).1, N)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn sums_along_an_axis_read_whole_sectors() {
    let Some((space, emulator)) = emulated() else { return };
    let counts = count(&emulator, &space, "sums along an axis of 1000");
    assert!(counts.loads_used() >= 0.97 && counts.traffic() <= 1.03, "{counts:?}");
    assert!(cfg!(debug_assertions) || counts.instructions() <= 26.0, "{counts:?}");
}

/// A tenth above the counts of November 2026, most of which are the start of a block: here each team has one row.
#[test]
fn rows_of_teams_have_little_around_their_loop() {
    let Some((space, emulator)) = emulated() else { return };
    for (name, instructions) in [
        ("rows of 64 by teams of 8", 47.7),
        ("rows of 64 by teams of 32", 166.3),
        ("rows of 1000 by teams of 8", 12.7),
        ("rows of 1000 by teams of 32", 18.4),
    ] {
        let counts = count(&emulator, &space, name);
        assert!(counts.loads_used() >= 0.97 && counts.launch.local_bytes == 0, "{name}: {counts:?}");
        let each = counts.instructions();
        assert!(
            cfg!(debug_assertions) || each <= instructions,
            "{name}: {each:.2} instructions per element: {counts:?}"
        );
    }
}

#[test]
fn rows_of_pairs_share_what_they_read() {
    let Some((space, emulator)) = emulated() else { return };
    let counts = count(&emulator, &space, "gaussian sum f32");
    // Each of the teams of 128 rows reads each y of 16 bytes once, each row its x of 12; a tenth for what says where these are.
    let m = N.isqrt();
    let wanted = m.div_ceil(128) * m * 16 + m * 12;
    assert!(counts.launch.load_bytes as f64 <= 1.1 * wanted as f64, "{wanted} bytes are wanted: {counts:?}");
    assert!(cfg!(debug_assertions) || counts.instructions() <= 69.0, "{counts:?}");
}

#[test]
fn the_main_kernels_do_what_their_source_says() {
    let Some((space, emulator)) = emulated() else { return };
    let ptx = ptx::of_this_program().expect("this program's file").expect("its device code");
    for bound in &BOUNDS {
        space.run_iterations_each(bound.each);
        check(bound, &count(&emulator, &space, bound.name), &ptx);
    }
}

#[test]
fn a_kernel_that_does_more_is_found() {
    let ptx = "\
.visible .entry _R7kernels4axpy()
{
\tld.global.b64 \t%rd1, [%rd2];
\tst.global.b64 \t[%rd2], %rd1;
}
";
    let launch = cuda_emu::LaunchStatistics {
        instructions: 11 * N as u64,
        load_bytes: 16 * N as u64,
        load_sectors: N as u64 / 2,
        store_bytes: 8 * N as u64,
        store_sectors: N as u64 / 4,
        ..Default::default()
    };
    let good = Counts { name: "axpy f64", elements: N, bytes: 24 * N, launch };
    let bound =
        BOUNDS.iter().find(|bound| bound.name == good.name && bound.each == 8).expect("it is one of them");
    check(bound, &good, ptx);
    let fails = |counts: Counts, ptx: &str| {
        std::panic::catch_unwind(|| check(bound, &counts, ptx)).expect_err("it does more than it may");
    };
    fails(Counts { launch: cuda_emu::LaunchStatistics { load_sectors: N as u64, ..launch }, ..good }, ptx);
    let conflicts = cuda_emu::LaunchStatistics { bank_conflicts: 1, shared_requests: 10, ..launch };
    fails(Counts { launch: conflicts, ..good }, ptx);
    if !cfg!(debug_assertions) {
        fails(Counts { launch: cuda_emu::LaunchStatistics { local_bytes: 8, ..launch }, ..good }, ptx);
        let instructions = 13 * N as u64;
        fails(Counts { launch: cuda_emu::LaunchStatistics { instructions, ..launch }, ..good }, ptx);
        fails(good, &ptx.replace("\tst.global", "\tbarrier.sync 0;\n\tst.global"));
        fails(good, &ptx.replace("st.global", "st"));
    }
}
