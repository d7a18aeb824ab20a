//! The source of this cargo-spelt, which is also the source of its projects' Spelt and of its emulator.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The version of this package, and of all of Spelt's with it.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where cargo finds Spelt's packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin<'a> {
    /// A checkout, which `cargo install --path` or the alias of the checkout built this program from.
    Checkout(&'a Path),
    /// The registry that cargo asks.
    Registry,
}

impl Origin<'static> {
    /// The origin of this program.
    ///
    /// # Errors
    /// If it is a checkout that no longer exists.
    pub(crate) fn of_this_program() -> Result<Self> {
        let Some(checkout) = option_env!("SPELT_CHECKOUT").map(Path::new) else {
            return Ok(Self::Registry);
        };
        if !checkout.join("Cargo.toml").is_file() {
            bail!(
                "cargo-spelt was installed from {}, which no longer has Spelt: install it again, with `cargo install --path \
                 cargo-spelt` in a checkout of Spelt",
                checkout.display()
            );
        }
        Ok(Self::Checkout(checkout))
    }
}

impl Origin<'_> {
    /// A dependency on one of Spelt's packages, as the content of a TOML table. `folder` is the package's folder in the
    /// checkout; `requirement` precedes the version.
    pub(crate) fn dependency(self, folder: &str, requirement: &str) -> String {
        match self {
            Self::Checkout(checkout) => {
                let path: PathBuf = checkout.join(folder).components().collect();
                // A string of TOML: its escapes include those of JSON.
                format!("path = {}", serde_json::Value::from(path.to_string_lossy()))
            }
            Self::Registry => format!("version = \"{requirement}{VERSION}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_those_of_the_origin() {
        let checkout = Origin::Checkout(Path::new("/a \"b\""));
        assert_eq!(checkout.dependency("cuda-emu", "="), "path = \"/a \\\"b\\\"/cuda-emu\"");
        assert_eq!(checkout.dependency("", ""), "path = \"/a \\\"b\\\"\"");
        assert_eq!(Origin::Registry.dependency("cuda-emu", "="), format!("version = \"={VERSION}\""));
        // The tests are of a checkout, or of a published package.
        assert!(Origin::of_this_program().is_ok());
    }
}
