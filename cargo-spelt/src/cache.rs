//! The user's cache, for builds that all projects share.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::variable::path_of;

/// Names the folder of the cache.
pub(crate) const VARIABLE: &str = "SPELT_CACHE";

/// The folder of the cache, which need not exist: `SPELT_CACHE`, or `spelt` in `XDG_CACHE_HOME`, or `~/.cache/spelt`.
pub(crate) fn folder() -> Result<PathBuf> {
    let named = |name: &str| std::env::var_os(name);
    let folder = choose(named(VARIABLE), named("XDG_CACHE_HOME"), std::env::home_dir())
        .with_context(|| format!("there is no folder for a cache: name one in {VARIABLE}, or set HOME"))?;
    if folder.exists() && !folder.is_dir() {
        bail!("the cache `{}` is not a folder: name another one in {VARIABLE}", folder.display());
    }
    std::path::absolute(folder).with_context(|| format!("the path in {VARIABLE} is unusable"))
}

fn choose(own: Option<OsString>, xdg: Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    // Relative paths in XDG_CACHE_HOME must be ignored. Source: XDG Base Directory Specification.
    let xdg = xdg.map(PathBuf::from).filter(|path| path.is_absolute()).map(|path| path.join("spelt"));
    let home = || home.filter(|home| home.is_absolute()).map(|home| home.join(".cache/spelt"));
    path_of(own).or(xdg).or_else(home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_variable_wins() {
        let of = |own: &str, xdg: &str, home: &str| {
            choose(Some(own.into()), Some(xdg.into()), Some(home.into()))
                .map(|path| path.to_string_lossy().into_owned())
        };
        assert_eq!(of("own", "/xdg", "/home").as_deref(), Some("own"));
        assert_eq!(of(" own\n", "/xdg", "/home").as_deref(), Some("own"));
        assert_eq!(of("", "/xdg", "/home").as_deref(), Some("/xdg/spelt"));
        assert_eq!(of(" ", "/xdg", "/home").as_deref(), Some("/xdg/spelt"));
        assert_eq!(of("", "xdg", "/home").as_deref(), Some("/home/.cache/spelt"));
        assert_eq!(of("", "", ""), None);
    }
}
