//! The bytes of several ranks in one message: number of the rank, length, bytes, for each.

use spelt_core::{Error, ErrorKind, Result};

/// The bytes of one rank.
pub(crate) type Piece = (usize, Vec<u8>);

/// All parts in one piece.
pub(crate) fn join(parts: &[Piece]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|(_, part)| part.len() + 16).sum());
    for (rank, part) in parts {
        bytes.extend_from_slice(&(*rank as u64).to_le_bytes());
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// The parts of a piece; each is of a rank below `size`.
///
/// # Errors
/// If the piece was not made by [`join`].
pub(crate) fn split(mut bytes: &[u8], size: usize) -> Result<Vec<Piece>> {
    let mut parts = Vec::new();
    while !bytes.is_empty() {
        let (part, rest) = first(bytes, size).ok_or_else(|| {
            Error::new(ErrorKind::Format, "a message with the bytes of several ranks is damaged")
        })?;
        parts.push(part);
        bytes = rest;
    }
    Ok(parts)
}

fn first(bytes: &[u8], size: usize) -> Option<(Piece, &[u8])> {
    let (rank, bytes) = bytes.split_first_chunk::<8>()?;
    let (len, bytes) = bytes.split_first_chunk::<8>()?;
    let rank = usize::try_from(u64::from_le_bytes(*rank)).ok().filter(|rank| *rank < size)?;
    let (part, rest) = bytes.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
    Some(((rank, part.to_vec()), rest))
}

/// The bytes of all ranks, by number.
///
/// # Errors
/// If a rank is missing.
pub(crate) fn by_rank(parts: Vec<Piece>, size: usize) -> Result<Vec<Vec<u8>>> {
    let mut all: Vec<Option<Vec<u8>>> = vec![None; size];
    for (rank, part) in parts {
        all[rank] = Some(part);
    }
    let missing = |rank| Error::new(ErrorKind::Format, format!("a message lacks the bytes of rank {rank}"));
    all.into_iter().enumerate().map(|(rank, part)| part.ok_or_else(|| missing(rank))).collect()
}

#[cfg(test)]
mod tests {
    use super::{by_rank, join, split};

    #[test]
    fn parts_survive() {
        let parts = vec![(2, vec![1, 2, 3]), (0, vec![]), (1, vec![9])];
        let bytes = join(&parts);
        assert_eq!(split(&bytes, 3).expect("whole"), parts);
        assert_eq!(by_rank(parts, 3).expect("all"), [vec![], vec![9], vec![1, 2, 3]]);
    }

    #[test]
    fn damage_is_found() {
        let bytes = join(&[(1, vec![1, 2, 3])]);
        for len in 1..bytes.len() {
            split(&bytes[..len], 2).expect_err("cut");
        }
        split(&bytes, 1).expect_err("a rank that does not exist");
        by_rank(vec![(1, vec![])], 2).expect_err("rank 0 is missing");
    }
}
