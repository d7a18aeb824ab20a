//! Kokkos's exercise `tools_minimd`: a tool of Kokkos follows the phases of the application `minimd`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{command, finish, spaces};

/// How often the atoms are sorted, and their neighbours listed. Unit: steps.
const EVERY: usize = 20;

/// The tool of core's tests, which writes its calls to standard error.
fn tool() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tool-{}.so", std::process::id()));
    let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.current_dir(root).env("LIBRARY", "tool").args([
        "--edition=2024",
        "--crate-name=tool",
        "-Awarnings",
    ]);
    let output = compiler.arg("core/tests/tools/kokkos/library.rs").arg("-o").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    file
}

#[test]
fn a_tool_of_kokkos_follows_the_phases() {
    let (tool, steps) = (tool(), 25);
    for space in spaces().into_iter().filter(|space| *space != "cuda") {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tools-minimd-{space}"));
        let run = |tool: &Path| {
            let mut command = command("minimd");
            command.args(["--size", "4", "--steps", "25", "--thermo", "10", "--space", space, "--out"]);
            finish(command.arg(&out).env("KOKKOS_TOOLS_LIBS", tool))
        };
        let followed = run(&tool);
        assert_eq!(followed.status, Some(0), "{followed:?}");
        let count = |start: &str| followed.stderr.lines().filter(|line| line.starts_with(start)).count();
        let phases = [
            ("set-up", 1),
            ("steps", 1),
            ("drawing", 1),
            ("move", 2 * steps),
            ("update forces", 1 + steps),
            ("update neighbours", 1 + steps / EVERY),
            // At the start, and after 10, 20 and 25 steps.
            ("state", 4),
        ];
        for (phase, times) in phases {
            assert_eq!(count(&format!("tool: push {phase}")), times, "{phase} on {space}");
        }
        assert_eq!(count("tool: for forces on"), 1 + steps, "{space}");
        assert_eq!(count("tool: push"), count("tool: pop"), "{space}");
        assert_eq!(count("tool: allocate"), count("tool: deallocate"), "{space}");
        assert_eq!(count("tool: finalize"), 1);

        // The program computes the same without it.
        let results = |stdout: &str| {
            stdout
                .lines()
                .take_while(|line| !line.starts_with("space "))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let alone = run(Path::new(""));
        assert_eq!(alone.stderr, "");
        assert_eq!(results(&followed.stdout), results(&alone.stdout));
        assert!(results(&alone.stdout).len() > 4, "{alone:?}");
    }
    std::fs::remove_file(tool).unwrap();
}
