//! Memory traffic of kernels, as the emulator counts it. A real driver does not count: these tests then do nothing.

use core::ffi::{c_int, c_uint};

use libloading::Library;
use spelt_core::reducers::{MinMaxLoc, Sum};
use spelt_core::{Cuda, ExecutionSpace, View, parallel_for, parallel_reduce, parallel_scan};

use crate::{device, noise};

/// The emulator's `LaunchStatistics`: the names are its own.
#[repr(C)]
struct Statistics {
    version: u32,
    name_length: u32,
    name: [u8; 256],
    number: u64,
    instructions: u64,
    group_instructions: u64,
    load_bytes: u64,
    load_requests: u64,
    load_sectors: u64,
    store_bytes: u64,
    store_requests: u64,
    store_sectors: u64,
    shared_requests: u64,
    shared_bytes: u64,
    bank_conflicts: u64,
    barriers: u64,
    atomics: u64,
    local_bytes: u64,
}

/// The library of the emulator, which counts from now on.
fn emulator() -> Option<Library> {
    // SAFETY: the program has loaded the library already, as its driver.
    let library = unsafe { Library::new("libcuda.so.1") }.ok()?;
    let counts = {
        // SAFETY: the emulator documents the signature.
        let count = unsafe { library.get::<unsafe extern "C" fn(c_int) -> c_int>(b"cuEmuCount\0") }.ok()?;
        // SAFETY: the function takes a number, as the emulator documents, and touches nothing of the caller's.
        unsafe { count(1) }
    };
    assert_eq!(counts, 0);
    Some(library)
}

/// Checks the counts of this thread's last launch, on `n` elements, which must move at least `bytes`.
fn check(space: &Cuda, emulator: &Library, what: &str, n: usize, bytes: u64, instructions: u64) {
    space.fence().unwrap();
    let mut found = core::mem::MaybeUninit::<Statistics>::zeroed();
    // SAFETY: the emulator documents the signature.
    let last = unsafe {
        emulator
            .get::<unsafe extern "C" fn(*mut Statistics, usize, c_uint) -> c_int>(b"cuEmuLaunchStatistics\0")
    }
    .unwrap();
    // SAFETY: the function writes at most the number of bytes it is given, the size of `found`.
    assert_eq!(unsafe { last(found.as_mut_ptr(), size_of::<Statistics>(), 0) }, 0);
    // SAFETY: numbers, which the emulator has written or which are zero.
    let found = unsafe { found.assume_init() };
    let moved = found.load_bytes + found.store_bytes;
    let fetched = 32 * (found.load_sectors + found.store_sectors);
    // A sixteenth more for partial results and the ends of rows.
    let most = bytes + bytes / 16;
    assert!((bytes..most).contains(&moved), "{what}: {moved} bytes moved, not about {bytes}");
    assert!(fetched < most, "{what}: {fetched} bytes fetched for {moved} that were used");
    assert_eq!(found.bank_conflicts, 0, "{what}");
    // Debug builds keep values in memory and check sums for overflow.
    if !cfg!(debug_assertions) {
        // Some values of a block, but none of an iteration.
        assert!(found.local_bytes < bytes / 256, "{what}: {} local bytes", found.local_bytes);
        let each = found.instructions / n as u64;
        assert!(each <= instructions, "{what}: {each} instructions per element, more than {instructions}");
    }
}

#[test]
fn the_main_kernels_move_what_they_must_and_no_more() {
    let Some(space) = device() else { return };
    let Some(emulator) = emulator() else { return };
    let n = 1 << 16;
    let x = View::from_fn("x", [n], |[i]| noise(i)).unwrap().to_space(&space).unwrap();
    let mut y = View::from_fn("y", [n], |[i]| noise(i + 1)).unwrap().to_space(&space).unwrap();
    let bytes = 8 * n as u64;

    // As many for a thread as in a long launch, where they share the work of finding the first.
    space.run_iterations_each(8);
    parallel_for("axpy", space.range(0..n), (1.5_f64, &x, &mut y), |i, (a, x, mut y)| y[i] += a * x[i])
        .unwrap();
    check(&space, &emulator, "axpy", n, 3 * bytes, 12);

    parallel_reduce("sum", space.range(0..n), &x, |i, sum, x| *sum += x[i], Sum::<f64>::new()).unwrap();
    check(&space, &emulator, "sum", n, bytes, 6);

    parallel_reduce(
        "dot",
        space.range(0..n),
        (&x, &y),
        |i, dot, (x, y)| *dot += x[i] * y[i],
        Sum::<f64>::new(),
    )
    .unwrap();
    check(&space, &emulator, "dot", n, 2 * bytes, 9);

    parallel_reduce(
        "extrema",
        space.range(0..n),
        &x,
        |i, m, x| m.update(x[i], i.get()),
        MinMaxLoc::<f64>::new(),
    )
    .unwrap();
    check(&space, &emulator, "extrema", n, bytes, 28);

    parallel_scan(
        "prefixes",
        space.range(0..n),
        (&x, &mut y),
        |i, sum, last, (x, mut y)| {
            *sum += x[i];
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )
    .unwrap();
    // The first reading of `x` is from memory; the other finds it in a cache.
    check(&space, &emulator, "prefixes", n, 3 * bytes, 28);

    let side = 256;
    let square = space.view_from_fn("square", [side, side], |[i, j]| noise(i * 300 + j)).unwrap();
    let mut copy = space.zeros::<f64, 2>("copy", [side, side]).unwrap();
    let policy = space.md_range([0..side, 0..side]);
    parallel_for("scale", policy, (&square, &mut copy), |i, (square, mut copy)| copy[i] = 2.0 * square[i])
        .unwrap();
    check(&space, &emulator, "scale", n, 2 * bytes, 80);

    let policy = space.md_range([0..side, 0..side]);
    parallel_reduce("box", policy, &square, |i, sum, square| *sum += square[i], Sum::<f64>::new()).unwrap();
    check(&space, &emulator, "box", n, bytes, 24);
}
