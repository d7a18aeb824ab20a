//! The bytes of several ranks as one message: a count, the lengths, and the bytes.

use spelt_core::{Error, ErrorKind, Result};

/// The rows one after another.
pub(super) fn pack<'a>(rows: impl ExactSizeIterator<Item = &'a Vec<u8>> + Clone) -> Vec<u8> {
    let total: usize = rows.clone().map(Vec::len).sum();
    let mut bytes = Vec::with_capacity(8 * (rows.len() + 1) + total);
    bytes.extend_from_slice(&(rows.len() as u64).to_le_bytes());
    rows.clone().for_each(|row| bytes.extend_from_slice(&(row.len() as u64).to_le_bytes()));
    rows.for_each(|row| bytes.extend_from_slice(row));
    bytes
}

/// The rows of a bundle.
///
/// # Errors
/// If the bytes are not those of [`pack`].
pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    rows(bytes).ok_or_else(|| {
        Error::new(
            ErrorKind::Communication,
            format!("{} bytes came that are not those of several ranks", bytes.len()),
        )
    })
}

fn rows(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (count, bytes) = bytes.split_first_chunk()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    let (lengths, mut bytes) = bytes.split_at_checked(count.checked_mul(8)?)?;
    let mut rows = Vec::with_capacity(count);
    for length in lengths.as_chunks().0 {
        let (row, rest) = bytes.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        rows.push(row.to_vec());
        bytes = rest;
    }
    bytes.is_empty().then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_have_the_rows_that_were_packed() {
        for rows in [vec![], vec![vec![]], vec![vec![1, 2], vec![], vec![3; 5000]]] {
            assert_eq!(unpack(&pack(rows.iter())).unwrap(), rows);
        }
    }

    #[test]
    fn other_bytes_are_errors() {
        let whole = pack([vec![1, 2], vec![3]].iter());
        let mut long = whole.clone();
        long.push(0);
        let mut many = whole.clone();
        many[..8].copy_from_slice(&u64::MAX.to_le_bytes());
        for bytes in [&[][..], &whole[..7], &whole[..12], &whole[..whole.len() - 1], &long, &many] {
            assert!(unpack(bytes).is_err(), "{bytes:?}");
        }
    }
}
