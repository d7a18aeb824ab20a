//! Environment variables, by Spelt's common rule: white space around a value is ignored, an empty value counts as unset, and an
//! invalid value is an error with the variable, the value and the remedy.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};

/// The value of a variable without white space around it, or `None` if it is unset or empty.
///
/// # Errors
/// If it is not text.
pub(crate) fn text(name: &str) -> Result<Option<String>> {
    text_of(name, std::env::var_os(name))
}

fn text_of(name: &str, value: Option<OsString>) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Some("") => Ok(None),
        Some(text) => Ok(Some(text.to_owned())),
        None => bail!("{name} is `{}`, which is not text: change it, or unset it", value.display()),
    }
}

/// The path that a variable names. A path that is not text is taken unchanged.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    path_of(std::env::var_os(name))
}

/// The value of a variable as a path.
pub(crate) fn path_of(value: Option<OsString>) -> Option<PathBuf> {
    let value = value?;
    match value.to_str().map(str::trim) {
        Some("") => None,
        Some(text) => Some(text.into()),
        None => Some(value.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_says_nothing() {
        for (value, said) in [("", None), (" \t\n", None), (" two words\n", Some("two words"))] {
            assert_eq!(text_of("SPELT_X", Some(value.into())).unwrap().as_deref(), said);
            assert_eq!(path_of(Some(value.into())), said.map(PathBuf::from));
        }
        assert_eq!(text_of("SPELT_X", None).unwrap(), None);
        assert_eq!(path_of(None), None);
    }

    #[cfg(unix)]
    #[test]
    fn paths_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let value = || Some(OsString::from_vec(vec![b'a', 0xff]));
        assert_eq!(path_of(value()), value().map(PathBuf::from));
        let error = text_of("SPELT_X", value()).unwrap_err().to_string();
        assert_eq!(error, "SPELT_X is `a\u{fffd}`, which is not text: change it, or unset it");
    }
}
