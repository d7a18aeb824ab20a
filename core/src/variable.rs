//! Environment variables, all by one rule.
//!
//! White space around a value does not count, an empty value is as none, and names are the same in upper and lower case. A value
//! that says nothing is an error with the variable, the value and the choices, and never a default.

use std::ffi::OsString;

use crate::{Error, ErrorKind, Result};

/// The value of a variable without white space around it, or `None` if it is unset or empty.
///
/// # Errors
/// If it is not text.
pub(crate) fn read(variable: &str) -> Result<Option<String>> {
    said(variable, std::env::var_os(variable))
}

fn said(variable: &str, value: Option<OsString>) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    match value.to_str().map(str::trim) {
        Some("") => Ok(None),
        Some(text) => Ok(Some(text.to_owned())),
        None => Err(wrong(variable, &value.to_string_lossy(), "it is not text: change it, or unset it")),
    }
}

/// The one of the `choices` that `value` names.
///
/// # Errors
/// If it names none of them.
pub(crate) fn choose<T: Copy>(variable: &str, value: &str, choices: &[(&str, T)]) -> Result<T> {
    if let Some((_, choice)) = choices.iter().find(|(name, _)| name.eq_ignore_ascii_case(value)) {
        return Ok(*choice);
    }
    let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
    let (last, others) = names.split_last().expect("there are choices");
    Err(wrong(variable, value, &format!("choose {} or {last}, or leave it unset", others.join(", "))))
}

/// The error of a variable with an invalid value.
pub(crate) fn wrong(variable: &str, value: &str, what_to_do: &str) -> Error {
    Error::new(ErrorKind::Configuration, format!("{variable} is `{value}`: {what_to_do}"))
}

#[cfg(test)]
mod tests {
    use super::{choose, said};

    #[test]
    fn white_space_says_nothing() {
        let said = |value: Option<&str>| said("SPELT_X", value.map(Into::into)).expect("text");
        assert_eq!(said(None), None);
        assert_eq!(said(Some("")), None);
        assert_eq!(said(Some(" \t\n")), None);
        assert_eq!(said(Some(" two words ")).as_deref(), Some("two words"));
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_named() {
        use std::os::unix::ffi::OsStringExt;
        let value = std::ffi::OsString::from_vec(vec![b'a', 0xff]);
        let error = said("SPELT_X", Some(value)).expect_err("no text").to_string();
        assert!(error.starts_with("SPELT_X is `a\u{fffd}`: it is not text"), "{error}");
    }

    #[test]
    fn choices() {
        let choices = [("one", 1), ("two", 2), ("three", 3)];
        assert_eq!(choose("SPELT_X", "Two", &choices).expect("a choice"), 2);
        let error = choose("SPELT_X", "four", &choices).expect_err("no choice").to_string();
        assert_eq!(error, "SPELT_X is `four`: choose one, two or three, or leave it unset");
    }
}
