//! Options, files and folders that are wrong: each is an error in words, never a panic, and leaves nothing behind.

use std::ffi::OsStr;
#[cfg(all(feature = "threads", feature = "rayon"))]
use std::fs;
use std::process::Command;

use crate::run::{Outcome, command, finish};

/// Checks that the program refused: it exited by itself, with one error that contains `word`.
fn refuses(command: &mut Command, word: &str) -> Outcome {
    let outcome = finish(command);
    let what = format!("{command:?}: {outcome:?}");
    assert!(matches!(outcome.status, Some(1 | 2)), "no orderly end: {what}");
    assert!(!outcome.stderr.contains("panicked"), "{what}");
    assert!(outcome.stderr.contains(word), "`{word}` is not named: {what}");
    outcome
}

/// Values that are wrong for every option that takes a number; 0 and large numbers depend on the option.
const NO_COUNT: [&str; 11] =
    ["", " ", "-1", "NaN", "inf", "-inf", "1e3", "0x10", "1.5", "\u{663}", "99999999999999999999999999"];

fn tutorial<T: AsRef<OsStr>>(example: &str, arguments: &[T]) -> Command {
    let mut command = command(example);
    command.args(["-space", "serial"]).args(arguments);
    command
}

#[test]
fn numbers_of_tutorials() {
    for (example, options) in [
        ("exercise_04", ["-N", "-M", "-S", "-nrepeat"].as_slice()),
        ("team_vector_loop", &["-E"]),
        ("block_jacobi", &["-N", "-B", "-Task", "-TeamSize"]),
        ("cgsolve_spiluk", &["-nx", "-ny", "-k", "-prec"]),
        ("cgsolve", &["-N"]),
        ("gauss_seidel", &["-N"]),
        ("graph_coloring", &["-X", "-Y"]),
        ("inner_product", &["-N", "-M", "-S", "-nrepeat"]),
        ("median_finding", &["-P"]),
        ("spgemm", &["-N"]),
        ("spiluk", &["-nx", "-ny", "-k"]),
        ("team_gemm", &["-A.m", "-A.n", "-B.m", "-B.n"]),
        ("min_reduce", &["-N"]),
        ("min_loc", &["-N"]),
        ("nested_min_max_loc", &["-N", "-M"]),
        ("tracing", &["-N"]),
        ("instances", &["-N", "-nrepeat"]),
        ("multi_gpu", &["-N", "-nrepeat"]),
        ("graph", &["-N", "-neighs", "-nsend", "-nrepeat"]),
    ] {
        for option in options {
            for value in NO_COUNT {
                refuses(&mut tutorial(example, &[option, value]), &format!("{option} `{value}`: "));
            }
        }
    }
    // -1 leaves the choice to the space.
    for value in NO_COUNT.into_iter().filter(|value| *value != "-1").chain(["0", "-2", "9223372036854775808"])
    {
        for example in ["spiluk", "cgsolve_spiluk"] {
            refuses(&mut tutorial(example, &["-ts", value]), &format!("-ts `{value}`: "));
        }
    }
    for (example, option) in
        [("spiluk", "-algo"), ("cgsolve_spiluk", "-algospiluk"), ("cgsolve_spiluk", "-algosptrsv")]
    {
        for value in ["", " ", "lvltp2", "lvlrp lvltp1"] {
            refuses(&mut tutorial(example, &[option, value]), &format!("{option} `{value}`: "));
        }
    }
    for value in NO_COUNT.into_iter().filter(|value| !value.starts_with('-')) {
        refuses(&mut tutorial("scatter_view", &[value]), &format!("N `{value}`: "));
        refuses(&mut tutorial("scatter_view", &["3", value]), &format!("M `{value}`: "));
        refuses(&mut tutorial("team_scan", &[value]), &format!("CHUNKS `{value}`: "));
        refuses(&mut tutorial("simd", &[value]), &format!("N `{value}`: "));
        refuses(&mut tutorial("simd_warp", &["32", value]), &format!("M `{value}`: "));
        refuses(&mut tutorial("simd_warp", &["32", "3", value]), &format!("R `{value}`: "));
        refuses(&mut tutorial("unordered_map", &[value]), &format!("IDS `{value}`: "));
        refuses(&mut tutorial("unordered_map", &["3", value]), &format!("CAPACITY `{value}`: "));
        refuses(&mut tutorial("subviews", &[value]), &format!("SIZE `{value}`: "));
        refuses(&mut tutorial("dualview", &[value]), &format!("SIZE `{value}`: "));
        refuses(&mut tutorial("unique_token", &["3", "3", value]), &format!("D `{value}`: "));
        refuses(&mut tutorial("random_number", &[value]), &format!("N `{value}`: "));
        refuses(&mut tutorial("random_number", &["3", value]), &format!("GROUP `{value}`: "));
    }
    if cfg!(feature = "threads") {
        let overlapping = |arguments: &[&str], word: &str| {
            refuses(&mut tutorial("overlapping_deep_copy", arguments), word);
        };
        for value in NO_COUNT.into_iter().filter(|value| !value.starts_with('-')) {
            overlapping(&[value], &format!("SYNCH `{value}`: "));
            overlapping(&["1", value], &format!("SIZE `{value}`: "));
        }
        overlapping(&["3"], "SYNCH `3`: ");
        overlapping(&["1", "0"], "SIZE `0`: ");
        overlapping(&["1", "18446744073709551615"], "18446744073709551615");
    }
    for (example, arguments, word) in [
        ("exercise_01", "-N 63 -M 1", "N * M"),
        ("exercise_01", "-N 4294967296", "-N `4294967296`"),
        ("team_scratch_memory", "-E 64", "2^64"),
        ("min_loc", "-N 0", "-N `0`"),
        ("min_reduce", "-N 0", "-N `0`"),
        ("nested_min_max_loc", "-N 0", "-N `0`"),
        ("nested_min_max_loc", "-M 0", "-M `0`"),
        ("nested_min_max_loc", "-N 18446744073709551615", "18446744073709551615"),
        ("block_jacobi", "-Task 3", "-Task `3`"),
        ("block_jacobi", "-N 0 -B 3000", "bytes of scratch"),
        ("block_jacobi", "-N 18446744073709551615", "18446744073709551615"),
        ("block_jacobi", "-N 3 -TeamSize 2", "a team of 2 threads"),
        ("cgsolve_spiluk", "-prec 2", "-prec `2`"),
        ("cgsolve_spiluk", "-nx 0", "-nx `0`"),
        ("cgsolve_spiluk", "-nx 1", "-nx `1`"),
        ("spiluk", "-ny 0", "-ny `0`"),
        ("spiluk", "-nx 1001 -ny 1000", "-nx `1001`"),
        ("spiluk", "-k 10000", "-k `10000`"),
        ("spiluk", "-k 18446744073709551615", "-k `18446744073709551615`"),
        ("spiluk", "-nx 9223372036854775808 -ny 2", "-nx `9223372036854775808`"),
        ("cgsolve", "-N 0", "-N `0`"),
        ("cgsolve", "-N 1000001", "-N `1000001`"),
        ("gauss_seidel", "-N 0", "-N `0`"),
        ("gauss_seidel", "-N 1000001", "-N `1000001`"),
        ("gauss_seidel", "-tolerance 0", "-tolerance `0`"),
        ("gauss_seidel", "-tolerance 1", "-tolerance `1`"),
        ("gauss_seidel", "-tolerance NaN", "-tolerance `NaN`"),
        ("gauss_seidel", "-tolerance few", "-tolerance `few`"),
        ("gauss_seidel", "-coloring columns", "-coloring `columns`"),
        ("graph_coloring", "-X 0", "-X `0`"),
        ("graph_coloring", "-X 9223372036854775808 -Y 2", "-X `9223372036854775808`"),
        ("median_finding", "-P 0", "-P `0`"),
        ("median_finding", "-P 31", "-P `31`"),
        ("spgemm", "-N 0", "-N `0`"),
        ("spgemm", "-N 1000001", "-N `1000001`"),
        ("team_gemm", "-A.n 3", "A is 32 x 3 and B 32 x 32"),
        ("team_gemm", "-A.m 18446744073709551615", "18446744073709551615"),
        ("team_gemm", "-alpha few", "-alpha `few`"),
        ("team_gemm", "-beta 0x10", "-beta `0x10`"),
        ("scatter_view", "4294967296", "N `4294967296`"),
        ("scatter_view", "1 715827883", "715827883"),
        ("scatter_view", "4294967295 18446744073709551615", "18446744073709551615"),
        ("unique_token", "1 2147483648", "2147483648"),
        ("unique_token", "4294967295 18446744073709551615", "18446744073709551615"),
        ("unique_token", "3 3 63", "address space"),
        ("unique_token", "3 3 64", "D `64`"),
        ("random_number", "64", "N `64`"),
        ("random_number", "3 0", "GROUP `0`"),
        ("random_number", "3 3", "GROUP `3`"),
        ("random_number", "3 16", "GROUP `16`"),
        ("random_number", "63 8589934592", "GROUP `8589934592`"),
        ("simd", "33", "N `33`"),
        ("simd_warp", "31", "N `31`"),
        ("simd", "32 3 1 much", "A `much`"),
        ("simd", "4294967296 4294967296", "N * M"),
        ("simd_warp", "4294967296 4294967296", "N * M"),
        ("instances", "-N 18446744073709551615", "18446744073709551615"),
        ("multi_gpu", "-N 18446744073709551615", "18446744073709551615"),
        ("graph", "-N 0", "-N `0`"),
        ("graph", "-N 1 -nsend 18446744073709551615", "18446744073709551615"),
        ("team_scan", "4294967296 1", "4294967296"),
        ("team_scan", "3 18446744073709551615", "18446744073709551615"),
        ("team_scan", "1 17000000", "bytes of scratch"),
        ("team_scan", "0 18446744073709551615", "bytes of scratch"),
    ] {
        refuses(&mut tutorial(example, &arguments.split(' ').collect::<Vec<_>>()), word);
    }
    // Nothing to do is not an error.
    for (example, arguments) in [
        ("exercise_01", "-S 0 -nrepeat 0"),
        ("team_vector_loop", "-N 0 -M 0 -E 0 -nrepeat 1"),
        ("instances", "-N 0 -nrepeat 3"),
        ("multi_gpu", "-N 0 -nrepeat 3"),
        ("multi_gpu", "-N 3 -nrepeat 0"),
        ("graph", "-N 0 -nsend 0"),
        ("graph", "-N 3 -nsend 0 -nrepeat 0"),
        ("graph", "-N 3 -neighs 0"),
        ("instances", "-N 3 -nrepeat 0"),
        ("scatter_view", "0"),
        ("scatter_view", "5 0"),
        ("unique_token", "0 3 2"),
        ("unique_token", "5 0 2"),
        ("team_scan", "0"),
        ("team_scan", "5 0"),
        ("simd", "0"),
        ("simd", "32 0 0"),
        ("simd_warp", "0 5"),
        ("simd_warp", "64 0 1"),
    ] {
        let outcome = finish(&mut tutorial(example, &arguments.split(' ').collect::<Vec<_>>()));
        assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{example} {arguments}");
    }
}

#[test]
fn names_of_tutorials() {
    for value in ["", " ", "abacus", "cuda:", "cuda:-1", "cuda:x", "cuda:99999999999999999999"] {
        refuses(command("min_loc").args(["-space", value]), &format!("-space `{value}`: "));
        if !value.trim().is_empty() {
            refuses(command("min_loc").env("SPELT_SPACE", value), &format!("SPELT_SPACE is `{value}`: "));
        }
    }
    for value in ["", " ", "up", "left right"] {
        refuses(&mut tutorial("exercise_04", &["-layout", value]), &format!("-layout `{value}`: "));
    }
    if cfg!(feature = "threads") {
        refuses(&mut tutorial::<&str>("hpcbind", &[]), "-space `serial`");
        for value in NO_COUNT {
            refuses(command("hpcbind").args(["-threads", value]), &format!("-threads `{value}`: "));
        }
        for value in ["0", "1025"] {
            refuses(command("hpcbind").args(["-threads", value]), &format!("num_threads is `{value}`: "));
        }
        for value in ["0", "-1", "NaN", "1025", "99999999999999999999"] {
            let mut min_loc = command("min_loc");
            min_loc.args(["-space", "threads"]).env("SPELT_NUM_THREADS", value);
            refuses(&mut min_loc, &format!("SPELT_NUM_THREADS is `{value}`: "));
        }
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let value = OsStr::from_bytes(b"\xff");
    refuses(&mut tutorial("min_loc", &[OsStr::new("-N"), value]), "\\xFF");
    refuses(&mut tutorial("scatter_view", &[value]), "\\xFF");
    refuses(command("min_loc").env("SPELT_SPACE", value), "SPELT_SPACE is `\u{fffd}`: ");
    if cfg!(all(feature = "threads", feature = "rayon")) {
        refuses(command("smoothing").arg("--points").arg(value), "UTF-8");
        refuses(command("heights").arg("--input").arg(value), "\u{fffd}");
    }
}

#[cfg(all(feature = "threads", feature = "rayon"))]
mod programs {
    use std::path::{Path, PathBuf};

    use spelt::View;

    use super::*;

    /// The programs with pictures, with options by which they are soon done.
    const PROGRAMS: [(&str, &[&str]); 13] = [
        ("cavity", &["--size", "2", "--steps", "2"]),
        ("cg", &["--size", "2"]),
        ("digits", &["--images", "20"]),
        ("elevation", &[]),
        ("heat_conduction", &["--size", "3", "--steps", "2"]),
        ("heights", &[]),
        ("lulesh", &["--size", "1"]),
        ("minimd", &["--size", "4", "--steps", "1"]),
        ("miniweather", &["--size", "8", "--time", "5"]),
        ("mpi_exch", &["--width", "3", "--height", "2"]),
        ("mpi_pack_unpack", &["--size", "10", "--buffer", "3"]),
        ("smoothing", &["--points", "50"]),
        ("temperatures", &[]),
    ];

    /// An empty folder.
    fn folder(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// The names of the entries of a folder.
    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).expect("the folder");
        let mut names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
        names.sort();
        names.into_iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    fn program(name: &str, out: &Path) -> Command {
        let options = PROGRAMS.iter().find(|(program, _)| *program == name).expect("a program").1;
        let mut command = command(name);
        command.args(["--space", "serial", "--out"]).arg(out).args(options);
        command
    }

    #[test]
    fn numbers() {
        let out = folder("numbers");
        for value in NO_COUNT.into_iter().chain(["0", "1025"]) {
            for (name, _) in PROGRAMS {
                refuses(program(name, &out).arg(format!("--threads={value}")), &format!("'{value}'"));
            }
        }
        for value in NO_COUNT.into_iter().chain(["0", "1000001"]) {
            let mut smoothing = command("smoothing");
            smoothing.arg("--out").arg(&out).arg(format!("--points={value}"));
            refuses(&mut smoothing, &format!("'{value}'"));
        }
        for value in ["", " ", "NaN", "inf", "-inf", "0", "-0.3", "1e-30", "1e30", "few", "0.0009"] {
            refuses(program("smoothing", &out).arg(format!("--width={value}")), &format!("'{value}'"));
        }
        for value in NO_COUNT {
            let mut digits = command("digits");
            digits.arg("--out").arg(&out).arg(format!("--images={value}"));
            refuses(&mut digits, &format!("'{value}'"));
        }
        for value in ["0", "1"] {
            let mut digits = command("digits");
            refuses(digits.args(["--space", "serial", "--images", value, "--out"]).arg(&out), value);
        }
        // With this number of clusters, the table of their pairs is larger than the rest of the computation.
        let mut smoothing = command("smoothing");
        smoothing.args(["--space", "serial", "--points", "40000", "--width", "0.001", "--out"]).arg(&out);
        refuses(&mut smoothing, "--width");
        assert_eq!(names(&out), [""; 0]);
    }

    /// A file with these bytes.
    fn file(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    fn data(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data").join(name)
    }

    #[test]
    fn files() {
        let inputs = folder("files");
        let out = folder("files-out");
        let wrong = [
            inputs.clone(),
            inputs.join("missing"),
            inputs.join("missing/in/a/folder.npy"),
            PathBuf::new(),
            file(&inputs, "empty", ""),
            file(&inputs, "text.npy", "these are not numbers\n"),
            file(&inputs, "bytes.npy", [0xff; 100]),
            file(&inputs, "head.npy", b"\x93NUMPY\x01\x00"),
        ];
        for (name, options, sound) in [
            ("digits", ["--input", "--labels"].as_slice(), "digits_features_f32.npy"),
            ("elevation", &["--input"], "jacksboro_elevation_i16.npy"),
            ("heights", &["--input"], "jacksboro_elevation_i16.npy"),
            ("smoothing", &["--input"], "jacksboro_elevation_i16.npy"),
            ("temperatures", &["--input"], "seattle_temps.csv"),
        ] {
            let whole = fs::read(data(sound)).expect("the data");
            let short = file(&inputs, "short.npy", &whole[..whole.len() / 2 + 1]);
            // Data of another program: another type, another rank, or no table.
            let foreign = if name == "digits" { "seattle_temps.csv" } else { "digits_features_f32.npy" };
            for option in options {
                for input in wrong.iter().chain([&short, &data(foreign)]) {
                    let word = input.to_string_lossy();
                    refuses(program(name, &out).arg(option).arg(input), &word);
                }
            }
        }
        assert_eq!(names(&out), [""; 0]);
    }

    #[test]
    fn numbers_in_files() {
        let inputs = folder("numbers-in-files");
        let out = folder("numbers-in-files-out");
        let path = |name: &str| inputs.join(name);
        let heights = |name: &str, extents: [usize; 2], height: fn([usize; 2]) -> i16| {
            View::from_fn("heights", extents, height).unwrap().write_npy(path(name)).unwrap();
        };
        heights("none.npy", [0, 0], |_| 0);
        heights("line.npy", [1, 300], |_| 0);
        for name in ["elevation", "heights", "smoothing"] {
            for input in ["none.npy", "line.npy"] {
                refuses(program(name, &out).arg("--input").arg(path(input)), "3 x 3");
            }
        }
        for level in [f32::NAN, f32::INFINITY, -1.0, 17.0, f32::MAX] {
            let levels =
                View::from_fn("levels", [9, 64], |[i, pixel]| if [i, pixel] == [3, 5] { level } else { 1.0 });
            levels.unwrap().write_npy(path("levels.npy")).unwrap();
            View::from_fn("labels", [9], |_| 1_u8).unwrap().write_npy(path("labels.npy")).unwrap();
            let mut digits = program("digits", &out);
            digits.arg("--input").arg(path("levels.npy")).arg("--labels").arg(path("labels.npy"));
            refuses(&mut digits, &format!("level {level}"));
        }
        for temperature in ["NaN", "inf", "1e300", "-1e300", "1e17", "151", "", "few", "-99999999999"] {
            let table = format!("date,temp\n2010/01/01 00:00,{temperature}\n");
            let input = file(&inputs, "table.csv", table);
            refuses(program("temperatures", &out).arg("--input").arg(&input), "line 2");
        }
        assert_eq!(names(&out), [""; 0]);

        // Odd but valid: the program must succeed, or report what is missing.
        heights("flat.npy", [3, 3], |_| i16::MIN);
        heights("steep.npy", [3, 3], |[row, _]| if row == 1 { i16::MAX } else { i16::MIN });
        heights("wide.npy", [3, 5000], |[_, column]| column as i16);
        heights("high.npy", [5000, 3], |[row, _]| row as i16);
        for (name, input) in [
            ("elevation", "flat.npy"),
            ("elevation", "steep.npy"),
            ("elevation", "wide.npy"),
            ("heights", "flat.npy"),
            ("heights", "high.npy"),
            ("smoothing", "flat.npy"),
        ] {
            let outcome = finish(program(name, &out).arg("--input").arg(path(input)));
            assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{name} {input}");
        }
        for table in
            ["date,temp\n2010/01/01 00:00,-150\n", "d,t\n2010/02/31 23:00,150\n2010/12/31 00:00,-0\n"]
        {
            let input = file(&inputs, "table.csv", table);
            let outcome = finish(program("temperatures", &out).arg("--input").arg(input));
            assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{table}");
        }
    }

    /// A folder for pictures that cannot be: it is named before anything is computed.
    #[test]
    fn folders() {
        let inside = folder("folders");
        let taken = file(&inside, "taken", "an older file");
        let mut wrong = vec![PathBuf::new(), taken.clone(), taken.join("below")];
        if cfg!(target_os = "linux") {
            wrong.push("/proc/none".into());
        }
        for (name, _) in PROGRAMS {
            for out in &wrong {
                let outcome = refuses(&mut program(name, out), &format!("--out {}", out.display()));
                assert_eq!(outcome.stdout, "", "{name}");
            }
        }
        assert_eq!(names(&inside), ["taken"]);
        assert_eq!(fs::read(taken).expect("the file"), b"an older file");

        // A folder has the name of a picture.
        let out = folder("folder-for-a-picture");
        fs::create_dir(out.join("heights.png")).expect("a folder");
        refuses(&mut program("heights", &out), "heights.png");
        assert_eq!(names(&out), ["heights.png"]);
    }

    /// A full disk is an error, for the output and for pictures; the old pictures stay.
    #[cfg(target_os = "linux")]
    #[test]
    fn full_disks() {
        for (name, _) in PROGRAMS {
            let out = folder(&format!("full-disk-{name}"));
            let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
            let outcome = refuses(program(name, &out).stdout(full), "No space left");
            assert!(outcome.stderr.starts_with(&format!("{name}: ")), "{outcome:?}");

            let pictures = if name == "elevation" { vec!["relief.png", "heights.png"] } else { vec![name] };
            let pictures: Vec<_> = pictures
                .into_iter()
                .map(|picture| picture.trim_end_matches(".png").to_owned() + ".png")
                .collect();
            for picture in &pictures {
                file(&out, picture, "the older picture");
            }
            let whole = program(name, &out);
            // No file may have more than some 4 KiB, which each picture has; the shell leaves the signal of that aside, so
            // that writing fails.
            let mut limited = Command::new("sh");
            limited.args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""]);
            refuses(limited.arg(whole.get_program()).args(whole.get_args()), &pictures[0]);
            let mut expected = pictures.clone();
            expected.sort();
            assert_eq!(names(&out), expected, "{name}");
            for picture in &pictures {
                assert_eq!(fs::read(out.join(picture)).expect("it stays"), b"the older picture", "{name}");
            }
        }
    }
}
