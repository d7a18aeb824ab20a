//! Lists on the host with a length given by a caller: an error, instead of an abort, if there is not enough memory.

use spelt_core::{Error, ErrorKind, Result};

/// An empty list with room for `len` elements.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`]; its message names `what` and the number.
pub(crate) fn room<T>(len: usize, what: &str) -> Result<Vec<T>> {
    let mut list = Vec::new();
    match list.try_reserve_exact(len) {
        Ok(()) => Ok(list),
        Err(_) => Err(none(len, what)),
    }
}

/// A list of `len` copies of `value`.
///
/// # Errors
/// As [`room`].
pub(crate) fn filled<T: Clone>(value: T, len: usize, what: &str) -> Result<Vec<T>> {
    let mut list = room(len, what)?;
    list.resize(len, value);
    Ok(list)
}

/// A list of all `elements`.
///
/// # Errors
/// As [`room`].
pub(crate) fn collected<T>(elements: impl ExactSizeIterator<Item = T>, what: &str) -> Result<Vec<T>> {
    let mut list = room(elements.len(), what)?;
    list.extend(elements);
    Ok(list)
}

/// Adds an element to a list of unknown final length.
///
/// # Errors
/// As [`room`].
#[inline]
pub(crate) fn push<T>(list: &mut Vec<T>, element: T, what: &str) -> Result<()> {
    if list.len() == list.capacity() && list.try_reserve(1).is_err() {
        return Err(none(list.len() + 1, what));
    }
    list.push(element);
    Ok(())
}

/// A list with the elements of another one behind its own.
///
/// # Errors
/// As [`room`].
pub(crate) fn appended<T>(mut list: Vec<T>, mut more: Vec<T>, what: &str) -> Result<Vec<T>> {
    if list.is_empty() {
        return Ok(more);
    }
    if list.try_reserve(more.len()).is_err() {
        return Err(none(list.len() + more.len(), what));
    }
    list.append(&mut more);
    Ok(list)
}

#[cold]
fn none(len: usize, what: &str) -> Error {
    Error::new(ErrorKind::OutOfMemory, format!("no memory for {len} {what}"))
}
