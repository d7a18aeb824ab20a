//! Elements of a View, gathered in a `Vec`.

use core::mem::size_of;

use crate::{Error, ErrorKind, Result};

/// The `len` elements, or an error where `collect` would end the program.
///
/// # Errors
/// [`ErrorKind::OutOfMemory`] if there is no memory.
pub(crate) fn gathered<T>(len: usize, elements: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| {
        let message = format!("no memory for a `Vec` of {len} elements of {} bytes", size_of::<T>());
        Error::new(ErrorKind::OutOfMemory, message)
    })?;
    // One by one, which compiles to a copy: the compiler does not know the number of elements.
    elements.take(len).for_each(|element| vec.push(element));
    Ok(vec)
}
