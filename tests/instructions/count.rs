//! Instructions per element of the main kernels, counted by valgrind: free of noise.
//!
//! Times are never asserted in tests, counts are. `SPELT_ISA=avx2` because callgrind knows no AVX-512. The kernels are
//! those of `src/main.rs`, built in release mode, regardless of the mode of this test.

mod program;

use std::path::Path;
use std::process::{Command, Stdio};

use program::program;

/// The most instructions per element, with 256-bit registers of four `f64`.
///
/// The ideal of `dot` is a load, a multiplication with its load and an addition (never contracted) for each four
/// elements, 0.75, and that of `sum` one addition with its load, 0.25; lanes and the loop come on top. The bounds leave a
/// fifth above the counts of November 2026: 0.820, 0.313, 0.589, 0.938, 7.604, 0.548 and 0.893; and, in
/// rows of 8, 1.790, 16.026 and 22.506; of gathered rows a tenth above 19.181, as a test of each pointer for null costs 3.4.
///
/// Kernels of 1, 4, 12 and 24 arguments, and of 24 in a struct, add 0, 2, 10 and 22 Views: 0.688, 1.19, 3.77, 9.52 and 9.52. Four
/// elements of a View take a load and an addition, and its pointer a load where there are not enough registers.
///
/// A sum in two parts, which meet inside a tile, took 0.351.
const BOUNDS: [(&str, f64); 17] = [
    ("dot", 0.98),
    ("sum", 0.37),
    ("sum-in-parts", 0.42),
    ("min", 0.70),
    ("axpy", 1.13),
    ("minmaxloc", 9.13),
    ("minloc-at-index", 0.66),
    ("minmaxloc-at-index", 1.08),
    ("short-sum-of-box", 2.15),
    ("gathered-rows", 21.0),
    ("short-sum", 19.2),
    ("short-minmaxloc", 27.1),
    ("arguments-1", 0.83),
    ("arguments-4", 1.43),
    ("arguments-12", 4.53),
    ("arguments-24", 11.5),
    ("arguments-24-in-a-struct", 11.5),
];

/// The same for closures of 300 operations, which double or more when a closure is called instead of inlined: then it
/// is scalar code, of as many instructions as it has operations. The bounds are a fifth above the counts of November 2026.
///
/// Scans run a closure of `f64` sums twice.
const OF_CLOSURES: [(&str, f64); 11] = [
    ("for-range:300", 91.5),
    ("for-box:300", 91.6),
    ("for-box-tiled:300", 92.5),
    ("for-team:300", 91.6),
    ("reduce-range:300", 91.1),
    ("reduce-box:300", 91.3),
    ("reduce-team:300", 91.5),
    ("scan-range:300", 191.5),
    ("scan-team:300", 183.2),
    ("nested-scan:300", 191.3),
    ("serial-reduce:300", 91.4),
];

/// The same for kernels whose closures have 10 to 1,000 operations, a stencil, the `if` of a border, checked reads, or elementary
/// functions; and over Views with an origin, which cost a loop nothing. Reads that may fail are scalar code in `border`. The bounds are a
/// fifth above the counts of November 2026.
///
/// Vectors of four `f64` or eight `f32` take nine operations with a mask, and three for the loop, for all lanes together: 3.01 and 1.51 for each
/// lane, where scalar code has nine. A sum of vectors takes 1.24, with its values stored by words 1.84.
///
/// `written_out` has a thousand operations for each element, as `for_1000`. An element of `pairs` has sixteen pairs, each of some twenty
/// operations on single `f32`: with eight of them in a register a pair takes 3.67 instructions.
const OF_KERNELS: [(&str, f64); 30] = [
    ("for_10", 3.83),
    ("for_50", 16.5),
    ("for_160", 49.5),
    ("for_300", 91.5),
    ("for_1000", 302.0),
    ("sum_10", 4.05),
    ("sum_50", 16.1),
    ("sum_160", 49.1),
    ("sum_300", 91.1),
    ("sum_1000", 302.0),
    ("for_origin", 3.83),
    ("sum_origin", 4.05),
    ("halo", 2.59),
    ("halo_origin", 2.65),
    ("border", 39.7),
    ("borrowed", 0.83),
    ("sum_lookup", 3.24),
    ("sum_written", 4.20),
    ("many_written", 12.3),
    ("serial_rows", 0.67),
    ("team_rows", 0.77),
    ("exp", 18.3),
    ("sum_exp", 19.0),
    ("pow", 80.5),
    ("simd_f64", 3.62),
    ("simd_f32", 1.82),
    ("sum_simd", 1.49),
    ("simd_lanes", 1.30),
    ("written_out", 309.0),
    ("pairs", 70.5),
];

/// The most instructions of a whole launch of this number of elements. `SPELT_OPENING=never` keeps it on the calling thread, without
/// looks at the clock, as launches are whose closure was short before. The bounds are a fifth above the counts of November 2026. Small launches cost twice the time if
/// arguments are described in full, copied twice, or if the stack frame has room for partial results.
const OF_LAUNCHES: [(&str, usize, f64); 29] = [
    ("sum", 1, 162.0),
    ("sum", 10, 227.0),
    ("sum", 100, 299.0),
    ("sum:threads", 100, 310.0),
    ("min", 100, 419.0),
    ("dot", 1, 169.0),
    ("axpy", 1, 148.0),
    ("sum:threads", 1, 172.0),
    ("axpy:threads", 1, 152.0),
    ("dot", 100, 353.0),
    ("dot:threads", 100, 361.0),
    ("axpy:threads", 100, 298.0),
    ("scan", 1, 366.0),
    ("scan", 100, 1165.0),
    ("scan:threads", 100, 1165.0),
    ("arguments-1", 1, 102.0),
    ("arguments-4", 1, 167.0),
    ("arguments-12", 1, 402.0),
    ("arguments-24", 1, 742.0),
    ("arguments-24-in-a-struct", 1, 788.0),
    ("league-of-8", 8, 296.0),
    ("league-of-8", 800, 2660.0),
    ("league-of-100", 100, 336.0),
    // Four steps of two searches, and of a launch only the test whether one is needed.
    ("needle", 16, 272.0),
    ("needle:threads", 16, 274.0),
    // Those of which tools would be told: nothing listens.
    ("fence", 1, 66.0),
    ("copy", 1, 133.0),
    ("fill", 1, 148.0),
    ("region", 1, 78.0),
];

/// Elements of the smaller measurement; a multiple of every tile, and fewer than a thread pool would be woken for.
const ELEMENTS: usize = 1 << 15;

/// The same for closures, which have more instructions.
const ELEMENTS_OF_CLOSURES: usize = 1 << 13;

/// Calls more in the longer of two measurements, so that data cancel out.
const CALLS: usize = 8;

/// A kernel, a number of elements, and the number of its calls.
type Measurement<'a> = (&'a str, usize, usize);

/// The instructions of each measurement, with its data, in one run of a program.
fn count(program: &Path, measurements: &[Measurement<'_>]) -> Vec<f64> {
    let name = program.file_name().expect("a program has a name").to_string_lossy();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("counts-{name}-{}", measurements.len()));
    // Not the files of a run before.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder beside the builds");
    let output = Command::new("valgrind")
        // Of the first thread alone: others may spin for a while before they sleep.
        .args([
            "--tool=callgrind",
            "--separate-threads=yes",
            "--dump-after=*measurement_ends*",
            "--dump-line=no",
        ])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(program)
        // The first one is repeated: it has the program's start, and all that the library does once.
        .args(measurements[..1].iter().chain(measurements).flat_map(|(kernel, elements, calls)| {
            [(*kernel).to_owned(), elements.to_string(), calls.to_string()]
        }))
        .env("SPELT_ISA", "avx2")
        .env("SPELT_OPENING", "never")
        .output()
        .expect("valgrind was there a moment ago");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let counts = |number: usize| -> f64 {
        let file = folder.join(format!("counts.{number}-01"));
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let total = text
            .lines()
            .find_map(|line| line.strip_prefix("totals: "))
            .expect("callgrind adds its counts up");
        total.trim().parse().expect("a number of instructions")
    };
    (1..=measurements.len()).map(|number| counts(1 + number)).collect()
}

/// Whether instructions can be counted here.
fn can_count() -> bool {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: the bounds are those of AVX2");
        return false;
    }
    let present =
        Command::new("valgrind").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let present = present.is_ok_and(|status| status.success());
    if !present {
        println!("skipped: there is no valgrind");
    }
    present
}

/// Counts the kernels of a program, and fails where one has more instructions per element than its bound.
fn stay_within(bounds: &[(&str, f64)], name: &str, elements: usize) {
    if !can_count() {
        return;
    }
    let program = program(name);
    let measurements: Vec<Measurement<'_>> = bounds
        .iter()
        .flat_map(|(kernel, _)| {
            [1, 2].into_iter().flat_map(move |times| {
                [1, 1 + CALLS].into_iter().map(move |calls| (*kernel, times * elements, calls))
            })
        })
        .collect();
    let counts = count(&program, &measurements);
    let mut failures = Vec::new();
    for ((kernel, bound), [one, more, one_of_twice, more_of_twice]) in bounds.iter().zip(counts.as_chunks().0)
    {
        // The fixed cost of a launch cancels out as well.
        let each = ((more_of_twice - one_of_twice) - (more - one)) / (CALLS * elements) as f64;
        println!("{kernel:<16} {each:.3} instructions per element, at most {bound}");
        if each > *bound {
            failures.push(format!("{kernel}: {each:.3} instructions per element, more than {bound}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("; "));
}

#[test]
fn kernels_stay_within_their_instructions() {
    stay_within(&BOUNDS, "instructions", ELEMENTS);
}

#[test]
fn closures_of_launches_are_inlined() {
    stay_within(&OF_CLOSURES, "closures", ELEMENTS_OF_CLOSURES);
}

#[test]
fn kernels_of_all_kinds_stay_within_their_instructions() {
    stay_within(&OF_KERNELS, "kernels", ELEMENTS_OF_CLOSURES);
}

#[test]
fn launches_stay_within_their_instructions() {
    if !can_count() {
        return;
    }
    let program = program("instructions");
    let measurements: Vec<Measurement<'_>> = OF_LAUNCHES
        .iter()
        .flat_map(|(kernel, elements, _)| {
            [1 + 32 * CALLS, 1 + 64 * CALLS].map(|calls| (*kernel, *elements, calls))
        })
        .collect();
    let counts = count(&program, &measurements);
    let mut failures = Vec::new();
    for ((kernel, elements, bound), [calls, twice]) in OF_LAUNCHES.into_iter().zip(counts.as_chunks().0) {
        let each = (twice - calls) / (32 * CALLS) as f64;
        println!("{kernel:<16} {each:.0} instructions per launch of {elements}, at most {bound}");
        if each > bound {
            failures.push(format!(
                "{kernel}: {each:.0} instructions per launch of {elements}, more than {bound}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("; "));
}
