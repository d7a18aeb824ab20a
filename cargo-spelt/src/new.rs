//! `cargo spelt new`: a project whose kernel runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::progress::Style;
use crate::workspace::Workspace;

/// Makes a project in the folder `path`, named as the folder is if it has no name of its own.
pub(crate) fn run(path: &Path, name: Option<&str>) -> Result<ExitCode> {
    let folder = std::path::absolute(path).context("the path of the new project is unusable")?;
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let name = folder.file_name().context("the path of the new project has no name at its end")?;
            name.to_string_lossy().into_owned()
        }
    };
    if !is_package_name(&name) {
        bail!(
            "`{name}` is no name of a package (letters, digits, `-` and `_`, with a letter first): give one by `--name`"
        );
    }
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} exists and is not empty", folder.display());
    }
    let checkout = Workspace::of(&[]).ok().and_then(|workspace| workspace.checkout_of_spelt());
    let manifest = manifest(&name, &folder, checkout.as_deref());
    write(&folder.join("Cargo.toml"), &manifest)?;
    write(&folder.join("src/main.rs"), include_str!("../template/main.rs"))?;
    write(&folder.join(".gitignore"), "/target\n")?;
    let call = match &checkout {
        // Its alias runs the cargo-spelt of the checkout, for any project.
        Some(_) => format!("cargo gpu run --manifest-path {}", path.join("Cargo.toml").display()),
        None => format!("cd {} && cargo spelt run", path.display()),
    };
    Style::of(&[]).show("Created", &format!("`{name}`; run it by `{call}`"));
    Ok(ExitCode::SUCCESS)
}

fn is_package_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '-' || it == '_')
}

/// The manifest. In a checkout of Spelt the project uses that, and is a workspace of its own.
fn manifest(name: &str, folder: &Path, checkout: Option<&Path>) -> String {
    let (source, workspace) = match checkout {
        Some(checkout) => {
            let path = match folder.strip_prefix(checkout) {
                Ok(inside) => inside.components().map(|_| "..").collect::<PathBuf>(),
                Err(_) => checkout.to_owned(),
            };
            let is_inside = folder.starts_with(checkout);
            let workspace = if is_inside { "\n# Not of the workspace around it.\n[workspace]\n" } else { "" };
            (format!("path = {}", serde_json::Value::from(path.to_string_lossy())), workspace)
        }
        None => (format!("version = {:?}", env!("CARGO_PKG_VERSION")), ""),
    };
    include_str!("../template/Cargo.toml.in")
        .replace("@NAME@", name)
        .replace("@SOURCE@", &source)
        .replace("@WORKSPACE@", workspace)
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
        let of = |folder: &str, checkout: Option<&str>| {
            manifest("demo", Path::new(folder), checkout.map(Path::new))
        };
        let inside = of("/spelt/a/demo", Some("/spelt"));
        assert!(inside.contains("spelt = { path = \"../..\", features = [\"cuda\"] }"), "{inside}");
        assert!(inside.ends_with("[workspace]\n"), "{inside}");
        let outside = of("/demo", Some("/spelt"));
        assert!(outside.contains("path = \"/spelt\"") && !outside.contains("[workspace]"), "{outside}");
        let alone = of("/demo", None);
        assert!(alone.contains("name = \"demo\"") && alone.contains("spelt = { version = "), "{alone}");
    }

    #[test]
    fn names_are_those_of_packages() {
        assert!(is_package_name("a-b_1"));
        for wrong in ["", "1a", "a b", "-a", "a/b"] {
            assert!(!is_package_name(wrong), "{wrong}");
        }
    }
}
