//! The header of each message: which call of which rank sent it.

use core::fmt;

use spelt_core::{Error, ErrorKind, Result};

/// Bytes of the first piece of a message: header, label and the start of the payload. The results of reductions fit into it.
pub(crate) const FIRST: usize = 4096;

/// Bytes of the header before the label.
const FIXED: usize = 44;

/// The longest label that travels whole. Longer ones are compared by their hash.
const LABEL: usize = 128;

/// Begins each message; its last byte is the version of this header.
const MAGIC: u32 = 0x5350_4c01;

/// The kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Start,
    Leave,
    Barrier,
    Broadcast,
    Gather,
    Scatter,
    AllGather,
    AllToAll,
    ExclusivePrefix,
    Reduce,
    AllReduce,
    Exchange,
    Point,
    ReducePart,
    Launch,
    Halo,
    Scan,
    Deliver,
    ViewPoint,
    ViewBroadcast,
    ViewGather,
    ViewScatter,
    ViewAllGather,
    ViewAllToAll,
    Plan,
    Forward,
    Back,
}

const KINDS: &[(Kind, &str)] = &[
    (Kind::Start, "start"),
    (Kind::Leave, "end"),
    (Kind::Barrier, "barrier"),
    (Kind::Broadcast, "broadcast"),
    (Kind::Gather, "gather"),
    (Kind::Scatter, "scatter"),
    (Kind::AllGather, "all_gather_v"),
    (Kind::AllToAll, "all_to_all_v"),
    (Kind::ExclusivePrefix, "exclusive_prefix"),
    (Kind::Reduce, "reduce"),
    (Kind::AllReduce, "all_reduce"),
    (Kind::Exchange, "exchange"),
    (Kind::Point, "message"),
    (Kind::ReducePart, "all_reduce_part"),
    (Kind::Launch, "launch"),
    (Kind::Halo, "launch with a halo"),
    (Kind::Scan, "scan"),
    (Kind::Deliver, "deliver"),
    (Kind::ViewPoint, "message of a View"),
    (Kind::ViewBroadcast, "broadcast_view"),
    (Kind::ViewGather, "gather_view"),
    (Kind::ViewScatter, "scatter_view"),
    (Kind::ViewAllGather, "all_gather_view"),
    (Kind::ViewAllToAll, "all_to_all_view"),
    (Kind::Plan, "plan"),
    (Kind::Forward, "forward"),
    (Kind::Back, "back"),
];

/// A call, as all of its ranks must make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    /// The number of the call: how many came before it.
    pub(crate) sequence: u64,
    /// What else must agree, such as the root.
    pub(crate) detail: u64,
    /// The start of the label.
    pub(crate) label: String,
    /// A hash of the whole label.
    pub(crate) hash: u64,
}

impl Call {
    pub(crate) fn new(kind: Kind, sequence: u64, detail: usize, label: &str) -> Self {
        let mut end = label.len().min(LABEL);
        while !label.is_char_boundary(end) {
            end -= 1;
        }
        Self {
            kind,
            sequence,
            detail: detail as u64,
            label: label[..end].to_owned(),
            hash: hash(label.bytes()),
        }
    }

    /// The bytes of the header for a payload of `len` bytes.
    pub(crate) fn header(&self, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED + self.label.len());
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&[self.kind as u8, 0]);
        bytes.extend_from_slice(&(u16::try_from(self.label.len()).expect("a label is cut")).to_le_bytes());
        for number in [self.sequence, self.detail, self.hash, len as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&[0; 4]);
        debug_assert_eq!(bytes.len(), FIXED);
        bytes.extend_from_slice(self.label.as_bytes());
        bytes
    }
}

/// The call and the bytes of its payload that a header announces, and the header's length.
///
/// # Errors
/// If it is not a header of this version of Spelt.
pub(crate) fn read(bytes: &[u8], from: usize) -> Result<(Call, usize, usize)> {
    parse(bytes).ok_or_else(|| {
        let message = format!(
            "rank {from} sent a message that is not one of this version of Spelt: build all ranks alike"
        );
        Error::new(ErrorKind::Communication, message)
    })
}

fn parse(bytes: &[u8]) -> Option<(Call, usize, usize)> {
    let (fixed, rest) = bytes.split_first_chunk::<FIXED>()?;
    let number = |at: usize| u64::from_le_bytes(fixed[at..at + 8].try_into().expect("8 bytes"));
    if fixed[..4] != MAGIC.to_le_bytes() {
        return None;
    }
    let kind = KINDS.iter().find(|(kind, _)| *kind as u8 == fixed[4])?.0;
    let label_len = usize::from(u16::from_le_bytes([fixed[6], fixed[7]]));
    let label = core::str::from_utf8(rest.get(..label_len)?).ok()?.to_owned();
    let call = Call { kind, sequence: number(8), detail: number(16), hash: number(24), label };
    Some((call, usize::try_from(number(32)).ok()?, FIXED + label_len))
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(kind, _)| *kind == self.kind).map_or("call", |(_, name)| name);
        write!(f, "{name} `{}` (number {}", self.label, self.sequence)?;
        match self.kind {
            Kind::Broadcast | Kind::Gather | Kind::Scatter | Kind::ViewBroadcast | Kind::ViewGather => {
                write!(f, ", root {})", self.detail)
            }
            Kind::ViewScatter | Kind::Plan => write!(f, ", hash of the cuts {:x})", self.detail),
            Kind::ReducePart | Kind::Scan => write!(f, ", hash of the cuts and Views {:x})", self.detail),
            Kind::Launch | Kind::Halo => write!(f, ", hash of the policy and Views {:x})", self.detail),
            Kind::Forward | Kind::Back => write!(f, ", by the plan of call {})", self.detail),
            _ => f.write_str(")"),
        }
    }
}

/// FNV-1a with 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.
pub(crate) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{Call, FIRST, Kind, LABEL, read};

    #[test]
    fn headers_survive() {
        for label in ["", "dot", &"é".repeat(200)] {
            let call = Call::new(Kind::Gather, 7, 3, label);
            let mut bytes = call.header(1 << 40);
            let len = bytes.len();
            assert!(len < FIRST && call.label.len() <= LABEL);
            bytes.resize(FIRST, 0);
            assert_eq!(read(&bytes, 0).expect("a header"), (call, 1 << 40, len));
        }
    }

    #[test]
    fn other_messages_are_refused() {
        let good = Call::new(Kind::Barrier, 0, 0, "a").header(0);
        for (at, byte) in [(0, 2), (3, 0), (4, 200), (6, 255)] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let error = read(&bytes, 5).expect_err("damaged").to_string();
            assert!(error.contains("rank 5"), "{error}");
        }
        read(&good[..20], 1).expect_err("cut");
    }

    #[test]
    fn long_labels_differ_by_their_hash() {
        let label = |end: &str| Call::new(Kind::Barrier, 0, 0, &("x".repeat(LABEL) + end));
        assert_ne!(label("a"), label("b"));
    }
}
