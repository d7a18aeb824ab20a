//! `cargo spelt new`: creates a project with a working kernel.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::origin::Origin;
use crate::progress::Style;

/// Makes a project in the folder `path`, with the folder's name unless a name is given.
pub(crate) fn run(path: &Path, name: Option<&str>) -> Result<ExitCode> {
    let folder = std::path::absolute(path).context("the path of the new project is unusable")?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let name = folder.file_name().context("the path of the new project has no name at its end")?;
            name.to_string_lossy().into_owned()
        }
    };
    if let Some(reason) = why_not(&name) {
        bail!("a project cannot be called `{name}`: {reason}. Choose another name with `--name`");
    }
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} exists and is not empty", folder.display());
    }
    let manifest = manifest(&name, &folder, Origin::of_this_program()?);
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/main.rs"), include_str!("../template/main.rs"))?;
    write(&folder.join(".gitignore"), "/target\n")?;
    let call = if is_alias() {
        format!("cargo gpu run --manifest-path {}", path.join("Cargo.toml").display())
    } else {
        format!("cd {} && cargo spelt run", path.display())
    };
    Style::of(&[]).show("Created", &format!("`{name}`; run it with `{call}`"));
    Ok(ExitCode::SUCCESS)
}

/// Whether the alias of a checkout was used: `cargo run` describes this package to its program in the environment, unlike a subcommand.
fn is_alias() -> bool {
    std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == env!("CARGO_PKG_NAME"))
}

/// Keywords, which cannot be names of crates in any edition. Source: the Rust reference, "Keywords".
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield", "Self", "_",
];

/// The reason why a package, with a program of the same name, cannot have this name. `None` if it can.
fn why_not(name: &str) -> Option<String> {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let crate_name = name.replace('-', "_");
    let reason = match crate_name.as_str() {
        "" => "a package needs a name",
        _ if !name.chars().all(is_letter) => "a name consists of letters, digits, `-` and `_`",
        _ if !name.starts_with(|first: char| first.is_ascii_alphabetic()) => "a name begins with a letter",
        word if KEYWORDS.contains(&word) => "that is a keyword of Rust",
        "std" | "core" | "alloc" | "proc_macro" | "test" => "that is a crate of the Rust toolchain",
        // Source: cargo, `restricted_names::is_conflicting_artifact_name`.
        "deps" | "examples" | "build" | "incremental" => "cargo's target folder has a folder of that name",
        "spelt" => "it depends on the package `spelt`, and a package cannot depend on itself",
        word if word.starts_with("spelt_") || word == "cuda_emu" => "that may be one of Spelt's own packages",
        _ => return None,
    };
    Some(reason.to_owned())
}

/// The manifest. A project inside a workspace is its own workspace.
fn manifest(name: &str, folder: &Path, origin: Origin) -> String {
    let inside = match origin {
        Origin::Checkout(checkout) => folder.strip_prefix(checkout).ok(),
        Origin::Registry => None,
    };
    let source = match inside {
        Some(inside) => {
            let up: PathBuf = inside.components().map(|_| "..").collect();
            format!("path = {:?}", up.to_string_lossy())
        }
        None => origin.dependency("", ""),
    };
    let is_around = |folder: &Path| folder.join("Cargo.toml").is_file();
    let is_inside = inside.is_some() || folder.ancestors().skip(1).any(is_around);
    let workspace =
        if is_inside { "\n# Not a member of the workspace around it.\n[workspace]\n" } else { "" };
    let text = include_str!("../template/Cargo.toml.in").replace("@NAME@", name).replace("@SOURCE@", &source);
    format!("{}\n", text.replace("@WORKSPACE@", workspace).trim_end())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_finds_spelt() {
        let of = |folder: &str, origin| manifest("demo", Path::new(folder), origin);
        let checkout = Origin::Checkout(Path::new("/spelt"));
        let inside = of("/spelt/a/demo", checkout);
        assert!(inside.contains("spelt = { path = \"../..\" }"), "{inside}");
        assert!(inside.contains("[features]") && inside.contains("cuda = [\"spelt/cuda\"]"), "{inside}");
        assert!(inside.ends_with("[workspace]\n"), "{inside}");
        let outside = of("/demo", checkout);
        assert!(
            outside.contains("spelt = { path = \"/spelt\" }") && !outside.contains("[workspace]"),
            "{outside}"
        );
        let alone = of("/demo", Origin::Registry);
        assert!(alone.contains("name = \"demo\"") && alone.contains("spelt = { version = "), "{alone}");
    }

    #[test]
    fn a_workspace_around_a_project_does_not_claim_it() {
        let around = tempfile::tempdir().unwrap();
        let project = around.path().join("a/demo");
        assert!(!manifest("demo", &project, Origin::Registry).contains("[workspace]"));
        fs::write(around.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        assert!(manifest("demo", &project, Origin::Registry).contains("[workspace]"));
    }

    #[test]
    fn a_folder_with_files_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Cargo.toml"), "mine").unwrap();
        let error = run(folder.path(), Some("demo")).unwrap_err().to_string();
        assert!(error.contains("exists and is not empty"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join("Cargo.toml")).unwrap(), "mine");
    }

    #[test]
    fn names_are_those_of_packages_and_of_crates() {
        for right in ["a-b_1", "demo", "selfish", "coretest", "my-spelt", "Self1"] {
            assert_eq!(why_not(right), None, "{right}");
        }
        for wrong in [
            "",
            "1a",
            "a b",
            "-a",
            "_a",
            "a/b",
            "é",
            "spelt",
            "spelt-core",
            "fn",
            "self",
            "core",
            "std",
            "alloc",
            "proc-macro",
            "test",
            "gen",
            "deps",
            "build",
            "cuda-emu",
        ] {
            assert!(why_not(wrong).is_some(), "{wrong}");
        }
        let error = run(Path::new("fn"), None).unwrap_err().to_string();
        assert!(error.contains("`fn`") && error.contains("keyword") && error.contains("--name"), "{error}");
    }
}
