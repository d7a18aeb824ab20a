//! The kernel that C and Fortran call: programs in both languages on every space. Without a Fortran compiler that part is left out.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{command, finish, spaces};

/// The folder of the examples, with the library.
fn folder() -> PathBuf {
    let program = PathBuf::from(command("min_loc").get_program());
    let folder = program.parent().expect("it lies in a folder").to_owned();
    let library = folder.join("libspelt_axpy.so");
    assert!(library.exists(), "{} is not built: run `cargo build --examples`", library.display());
    folder
}

/// Compiles a program against the library, if there is such a compiler.
fn compiled(compiler: &str, source: &str, program: &str) -> Option<PathBuf> {
    if !Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no `{compiler}` to compile {source}");
        return None;
    }
    let folder = folder();
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(program);
    let mut command = Command::new(compiler);
    command.arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/fortran").join(source));
    command.args(["-Wall", "-Werror", "-O1", "-o"]).arg(&program).arg("-L").arg(&folder).arg("-lspelt_axpy");
    command.arg(format!("-Wl,-rpath,{}", folder.display()));
    let outcome = finish(&mut command);
    assert_eq!(outcome.status, Some(0), "{command:?}: {outcome:?}");
    Some(program)
}

/// The lines of Kokkos's exercise, but for those about memory and a library that Spelt's has no need to prepare.
const FORTRAN: &str = " setting up arrays
 performing an axpy in fortran
 performing an axpy with Spelt
 PASSED f_y and c_y the same after axpys
";

#[test]
fn a_kernel_is_called_by_other_languages() {
    for (compiler, source, language, wanted) in [
        ("cc", "main.c", "C", "PASSED: C and Spelt have the same result\n"),
        ("gfortran", "main.f90", "Fortran", FORTRAN),
    ] {
        let Some(program) = compiled(compiler, source, &format!("axpy-{language}")) else { continue };
        for space in spaces() {
            let outcome = finish(Command::new(&program).env("SPELT_SPACE", space));
            assert_eq!((outcome.status, outcome.stderr.as_str()), (Some(0), ""), "{language} on {space}");
            assert_eq!(outcome.stdout, wanted, "{language} on {space}");
        }
        // An error is a status and a message, not the end of the program that calls.
        let outcome = finish(Command::new(&program).env("SPELT_SPACE", "abacus"));
        assert!(matches!(outcome.status, Some(1)), "{language}: {outcome:?}");
        assert!(
            outcome.stderr.starts_with("spelt_axpy: SPELT_SPACE is `abacus`: "),
            "{language}: {outcome:?}"
        );
    }
}

#[test]
fn wrong_calls_are_statuses() {
    let Some(program) = compiled("cc", "main.c", "axpy-wrong") else { return };
    let outcome = finish(Command::new(&program).arg("wrong").env("SPELT_SPACE", "serial"));
    assert_eq!((outcome.status, outcome.stdout.as_str()), (Some(0), "0\n1\n1\n1\n1\n"), "{outcome:?}");
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    let parts = [
        "spelt_axpy: x is at 0x0: ",
        "spelt_axpy: y is at ",
        "no arrays have 18446744073709551615",
        " overlap: ",
    ];
    assert_eq!(lines.len(), parts.len(), "{lines:?}");
    for (line, part) in lines.iter().zip(parts) {
        assert!(line.contains(part), "{part}: {line}");
    }
}
