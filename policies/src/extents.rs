//! The number of indices in a box.

/// The product of the extents, or `None` if the product, with zero extents counted as 1, exceeds `isize::MAX`.
///
/// A zero extent does not hide an overflow of the others, so every stride of a dense layout also fits.
///
/// # Examples
/// ```
/// use spelt_policies::checked_len;
/// assert_eq!(checked_len(&[3, 4]), Some(12));
/// assert_eq!(checked_len(&[3, 0]), Some(0));
/// assert_eq!(checked_len(&[0, usize::MAX, 2]), None);
/// ```
#[must_use]
pub fn checked_len(extents: &[usize]) -> Option<usize> {
    let mut room = 1_usize;
    let mut empty = false;
    for &extent in extents {
        empty |= extent == 0;
        room = room.checked_mul(extent.max(1)).filter(|&room| room <= isize::MAX as usize)?;
    }
    Some(if empty { 0 } else { room })
}

#[cfg(test)]
mod tests {
    use super::checked_len;

    #[test]
    fn zero_extents_hide_no_overflow() {
        for extents in [[0, usize::MAX, 2], [usize::MAX, 2, 0], [2, 0, usize::MAX]] {
            assert_eq!(checked_len(&extents), None, "{extents:?}");
        }
        assert_eq!(checked_len(&[3, 0, 4]), Some(0));
        assert_eq!(checked_len(&[isize::MAX as usize, 1]), Some(isize::MAX as usize));
        assert_eq!(checked_len(&[isize::MAX as usize + 1]), None);
    }
}
