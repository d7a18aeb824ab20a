//! The head of each message: the call that it belongs to, so that ranks that make different calls are found.

use spelt_core::{Error, ErrorKind, Result};

/// The calls that send messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Operation {
    Message = 1,
    Barrier,
    Broadcast,
    Gather,
    Scatter,
    AllToAll,
    Reduce,
    Scan,
}

impl Operation {
    const ALL: [Self; 8] = [
        Self::Message,
        Self::Barrier,
        Self::Broadcast,
        Self::Gather,
        Self::Scatter,
        Self::AllToAll,
        Self::Reduce,
        Self::Scan,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Message => "send and receive",
            Self::Barrier => "barrier",
            Self::Broadcast => "broadcast",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::AllToAll => "all_to_all_v",
            Self::Reduce => "reduce_in_order",
            Self::Scan => "exclusive_scan_in_order",
        }
    }
}

/// A call, as the ranks compare it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) operation: Operation,
    /// The number of collectives before it on this rank; 0 for messages between two ranks.
    pub(crate) number: u64,
    /// The root, or another number that the ranks agree on.
    pub(crate) parameter: u64,
    pub(crate) label: &'a str,
}

impl core::fmt::Display for Call<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} `{}`", self.operation.name(), self.label)?;
        match self.operation {
            Operation::Message => Ok(()),
            Operation::Broadcast | Operation::Gather | Operation::Scatter => {
                write!(f, " with root {} (collective {})", self.parameter, self.number)
            }
            _ => write!(f, " (collective {})", self.number),
        }
    }
}

const MAGIC: u32 = u32::from_le_bytes(*b"SPLT");
/// The bytes of a label that are compared.
const LABEL: usize = 64;
/// The size of an envelope. Unit: bytes.
pub(crate) const SIZE: usize = 32 + LABEL;

/// The start of the label that fits into an envelope, cut between characters.
fn cut(label: &str) -> &str {
    &label[..label.floor_char_boundary(LABEL)]
}

/// The envelope of a message of `len` bytes.
pub(crate) fn seal(call: &Call<'_>, len: usize) -> [u8; SIZE] {
    let label = cut(call.label).as_bytes();
    let mut bytes = [0; SIZE];
    bytes[0..4].copy_from_slice(&MAGIC.to_le_bytes());
    bytes[4] = call.operation as u8;
    bytes[5] = label.len() as u8;
    bytes[8..16].copy_from_slice(&call.number.to_le_bytes());
    bytes[16..24].copy_from_slice(&call.parameter.to_le_bytes());
    bytes[24..32].copy_from_slice(&(len as u64).to_le_bytes());
    bytes[32..32 + label.len()].copy_from_slice(label);
    bytes
}

/// The length of the message with this envelope.
///
/// # Errors
/// If it belongs to another call than `expected`, which rank `mine` makes; or if it is not an envelope.
pub(crate) fn open(bytes: &[u8], expected: &Call<'_>, mine: usize, peer: usize) -> Result<usize> {
    let fail = |what: String| Err(Error::new(ErrorKind::Communication, what));
    let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|byte| bytes[at + byte]));
    let operation = Operation::ALL.into_iter().find(|operation| *operation as u8 == bytes[4]);
    let label = bytes.get(32..32 + usize::from(bytes[5])).and_then(|label| core::str::from_utf8(label).ok());
    let (Some(operation), Some(label), true) = (operation, label, bytes[..4] == MAGIC.to_le_bytes()) else {
        return fail(format!(
            "rank {mine}, in {expected}, received bytes from rank {peer} that are no message of this version of Spelt"
        ));
    };
    let call = Call { operation, number: number(8), parameter: number(16), label };
    let same = call.operation == expected.operation
        && (call.number, call.parameter) == (expected.number, expected.parameter)
        && label == cut(expected.label);
    if !same {
        return fail(format!(
            "rank {peer} is in {call}, but rank {mine} in {expected}: all ranks must make the same calls in the same order"
        ));
    }
    Ok(usize::try_from(number(24)).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(operation: Operation, number: u64, parameter: u64, label: &str) -> Call<'_> {
        Call { operation, number, parameter, label }
    }

    #[test]
    fn envelopes_open_for_the_same_call_alone() {
        let sent = call(Operation::Reduce, 7, 3, "energy");
        let bytes = seal(&sent, 1 << 40);
        assert_eq!(open(&bytes, &sent, 0, 1).unwrap(), 1 << 40);
        for other in [
            call(Operation::Scan, 7, 3, "energy"),
            call(Operation::Reduce, 8, 3, "energy"),
            call(Operation::Reduce, 7, 2, "energy"),
            call(Operation::Reduce, 7, 3, "energies"),
        ] {
            let error = open(&bytes, &other, 0, 1).unwrap_err().to_string();
            assert!(error.contains("rank 1 is in reduce_in_order `energy`"), "{error}");
            assert!(error.contains(&format!("`{}`", other.label)) && error.contains("rank 0"), "{error}");
        }
    }

    #[test]
    fn long_labels_are_cut_between_characters() {
        let label = "é".repeat(40) + "x";
        let sent = call(Operation::Barrier, 0, 0, &label);
        assert_eq!(open(&seal(&sent, 5), &sent, 0, 1).unwrap(), 5);
        let other = "é".repeat(31);
        assert!(open(&seal(&sent, 5), &call(Operation::Barrier, 0, 0, &other), 0, 1).is_err());
    }

    #[test]
    fn other_bytes_are_refused() {
        let expected = call(Operation::Barrier, 0, 0, "end");
        let whole = seal(&expected, 0);
        for (at, byte) in [(0, 0), (4, 99), (5, 200), (32, 0xFF)] {
            let mut bytes = whole;
            bytes[at] = byte;
            assert!(open(&bytes, &expected, 0, 1).is_err(), "{at}");
        }
    }
}
