//! The header of each message: which call of which rank sent it.

use core::fmt;
use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

/// Bytes of the first piece of a message: header, label and the start of the payload. The results of reductions fit into it.
pub(crate) const FIRST: usize = 4096;

/// Bytes of the header before the labels.
const FIXED: usize = 60;

/// The longest label that travels whole. Longer ones are compared by their hash.
const LABEL: usize = 128;

/// The most bytes of a payload that the first piece has room for behind any header.
pub(crate) const START: usize = FIRST - FIXED - 2 * LABEL;

/// Begins each message; its last byte is the version of this header.
const MAGIC: u32 = 0x5350_4c04;

/// In place of the kind of a call that there is not.
const NONE: u8 = u8::MAX;

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

impl Kind {
    /// The name in messages and tools.
    pub(crate) fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, _)| *kind == self).map_or("call", |(_, name)| name)
    }
}

/// A call, as all of its ranks must make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) own: Step,
    /// The number of the call: how many came before it.
    pub(crate) sequence: u64,
    pub(crate) past: Rc<Past>,
}

/// A call without its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) kind: Kind,
    /// What else must agree, such as the root.
    pub(crate) detail: u64,
    /// The start of the label.
    pub(crate) label: String,
    /// A hash of the whole label.
    pub(crate) hash: u64,
}

/// The collective calls that came before: those without messages are compared when the next message comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// A hash of all of them.
    pub(crate) hash: u64,
    /// The last of them, without the hash of its label.
    pub(crate) last: Option<Step>,
}

impl Step {
    pub(crate) fn new(kind: Kind, detail: usize, label: &str) -> Self {
        let mut end = label.len().min(LABEL);
        while !label.is_char_boundary(end) {
            end -= 1;
        }
        Self { kind, detail: detail as u64, label: label[..end].to_owned(), hash: hash(label.bytes()) }
    }

    /// The calls before the next one, where this one came after `past`.
    pub(crate) fn after(&self, past: &Past) -> Past {
        let numbers = [past.hash, self.kind as u64, self.detail, self.hash];
        Past {
            hash: hash(numbers.into_iter().flat_map(u64::to_le_bytes)),
            last: Some(Step { hash: 0, ..self.clone() }),
        }
    }
}

impl Call {
    /// The bytes of the header before this payload.
    pub(crate) fn header(&self, payload: Announced) -> Vec<u8> {
        let label = |step: &Step| u16::try_from(step.label.len()).expect("a label is cut");
        let Step { kind, detail, label: text, hash } = &self.own;
        let last = self.past.last.as_ref();
        let mut bytes = Vec::with_capacity(FIXED + 2 * LABEL);
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&[*kind as u8, last.map_or(NONE, |last| last.kind as u8)]);
        bytes.extend_from_slice(&label(&self.own).to_le_bytes());
        let last_detail = last.map_or(0, |last| last.detail);
        for number in [self.sequence, *detail, *hash, payload.len as u64, self.past.hash, last_detail] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&last.map_or(0, label).to_le_bytes());
        let start =
            u16::try_from(payload.start.map_or(0, |start| 1 + start)).expect("it fits into the first piece");
        bytes.extend_from_slice(&start.to_le_bytes());
        debug_assert_eq!(bytes.len(), FIXED);
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(last.map_or("", |last| &last.label).as_bytes());
        bytes
    }

    /// An error if rank `from` makes `other` where this rank makes this call.
    pub(crate) fn must_be(&self, other: &Self, [rank, from]: [usize; 2]) -> Result<()> {
        if self == other {
            return Ok(());
        }
        let differ = if (&self.own, self.sequence) != (&other.own, other.sequence) {
            format!("rank {from} is in {other} where rank {rank} is in {self}")
        } else if self.past.last != other.past.last {
            let [other, own] = [other, self].map(Self::before);
            format!("rank {from} is in {self} after {other}, and rank {rank} after {own}")
        } else {
            let last = self.before();
            format!("ranks {from} and {rank} are in {self} after {last}, and other calls before")
        };
        let message = format!(
            "the ranks do not make the same calls: {differ}: all ranks must make the same calls in the same order, with the same labels"
        );
        Err(Error::new(ErrorKind::Communication, message))
    }

    /// The last call before this one.
    fn before(&self) -> String {
        let Some(last) = &self.past.last else { return "none".to_owned() };
        Numbered { step: last, sequence: self.sequence.wrapping_sub(1) }.to_string()
    }
}

/// A payload, as the header before it describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Announced {
    /// Its bytes.
    pub(crate) len: usize,
    /// How many of them are behind the header, at most [`START`], if the others follow behind the first piece, as the memory of a device
    /// does, which cannot be behind a header. Otherwise as many are there as there is room for.
    pub(crate) start: Option<usize>,
}

/// The call and the payload that a header announces, and the header's length.
///
/// # Errors
/// If it is not a header of this version of Spelt.
pub(crate) fn read(bytes: &[u8], from: usize) -> Result<(Call, Announced, usize)> {
    parse(bytes).ok_or_else(|| {
        let message = format!(
            "rank {from} sent a message that is not one of this version of Spelt: build all ranks alike"
        );
        Error::new(ErrorKind::Communication, message)
    })
}

fn parse(bytes: &[u8]) -> Option<(Call, Announced, usize)> {
    let (fixed, rest) = bytes.split_first_chunk::<FIXED>()?;
    let number = |at: usize| u64::from_le_bytes(fixed[at..at + 8].try_into().expect("8 bytes"));
    if fixed[..4] != MAGIC.to_le_bytes() {
        return None;
    }
    let kind = |byte: u8| KINDS.iter().find(|(kind, _)| *kind as u8 == byte).map(|(kind, _)| *kind);
    let [own_len, last_len] = [6, 56].map(|at| usize::from(u16::from_le_bytes([fixed[at], fixed[at + 1]])));
    let text = |bytes: &[u8]| core::str::from_utf8(bytes).ok().map(str::to_owned);
    let (own, last) = rest.get(..own_len + last_len)?.split_at(own_len);
    let own = Step { kind: kind(fixed[4])?, detail: number(16), hash: number(24), label: text(own)? };
    let last = match fixed[5] {
        NONE => None,
        byte => Some(Step { kind: kind(byte)?, detail: number(48), hash: 0, label: text(last)? }),
    };
    let past = Rc::new(Past { hash: number(40), last });
    let call = Call { own, sequence: number(8), past };
    let len = usize::try_from(number(32)).ok()?;
    let start = usize::from(u16::from_le_bytes([fixed[58], fixed[59]])).checked_sub(1);
    if start.is_some_and(|start| start > len.min(START)) {
        return None;
    }
    let payload = Announced { len, start };
    Some((call, payload, FIXED + own_len + last_len))
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Numbered { step: &self.own, sequence: self.sequence }.fmt(f)
    }
}

/// A call with its number, for messages.
struct Numbered<'s> {
    step: &'s Step,
    sequence: u64,
}

impl fmt::Display for Numbered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { kind, detail, label, .. } = self.step;
        write!(f, "{} `{label}` (number {}", kind.name(), self.sequence)?;
        match kind {
            Kind::Broadcast | Kind::Gather | Kind::Scatter | Kind::ViewBroadcast | Kind::ViewGather => {
                write!(f, ", root {detail})")
            }
            Kind::ViewScatter | Kind::Plan => write!(f, ", hash of the cuts {detail:x})"),
            Kind::ReducePart | Kind::Scan => write!(f, ", hash of the cuts and Views {detail:x})"),
            Kind::Launch | Kind::Halo => write!(f, ", hash of the policy and Views {detail:x})"),
            Kind::Forward | Kind::Back => write!(f, ", by the plan of call {detail})"),
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
    use std::rc::Rc;

    use super::{Announced, Call, FIRST, FIXED, Kind, LABEL, Past, START, Step, read};

    const EMPTY: Announced = Announced { len: 0, start: None };

    fn call(label: &str, past: Past) -> Call {
        Call { own: Step::new(Kind::Gather, 3, label), sequence: 7, past: Rc::new(past) }
    }

    #[test]
    fn headers_survive() {
        for label in ["", "dot", &"é".repeat(200)] {
            let first = call(label, Past::default());
            let second = call("second", first.own.after(&first.past));
            for (call, start) in
                [(first.clone(), None), (second.clone(), Some(0)), (first, Some(7)), (second, Some(START))]
            {
                let payload = Announced { len: 1 << 40, start };
                let mut bytes = call.header(payload);
                let len = bytes.len();
                assert!(len <= FIXED + 2 * LABEL && call.own.label.len() <= LABEL);
                bytes.resize(FIRST, 0);
                assert_eq!(read(&bytes, 0).expect("a header"), (call, payload, len));
            }
        }
    }

    /// The number in docs/machines.md.
    #[test]
    fn the_longest_header() {
        let long = "x".repeat(500);
        let call = call(&long, Step::new(Kind::Launch, 0, &long).after(&Past::default()));
        assert_eq!(call.header(EMPTY).len(), 316);
    }

    #[test]
    fn other_messages_are_refused() {
        let good = call("a", Step::new(Kind::Barrier, 0, "b").after(&Past::default())).header(EMPTY);
        for (at, byte) in [(0, 1), (3, 0), (4, 200), (5, 200), (6, 255), (56, 255), (58, 2), (59, 1)] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let error = read(&bytes, 5).expect_err("damaged").to_string();
            assert!(error.contains("rank 5"), "{error}");
        }
        read(&good[..20], 1).expect_err("cut");
    }

    #[test]
    fn long_labels_differ_by_their_hash() {
        let step = |end: &str| Step::new(Kind::Barrier, 0, &("x".repeat(LABEL) + end));
        assert_ne!(step("a"), step("b"));
        let past = Past::default();
        assert_ne!(step("a").after(&past).hash, step("b").after(&past).hash);
    }

    #[test]
    fn each_part_of_an_earlier_call_counts() {
        let start = Past::default();
        let steps =
            [(Kind::Launch, 1, "a"), (Kind::Barrier, 1, "a"), (Kind::Launch, 2, "a"), (Kind::Launch, 1, "b")];
        let pasts = steps.map(|(kind, detail, label)| Step::new(kind, detail, label).after(&start));
        let last = Step::new(Kind::Launch, 0, "last");
        let calls: Vec<_> = pasts.iter().map(|past| call("sum", last.after(past))).collect();
        for (one, left) in calls.iter().enumerate() {
            for (two, right) in calls.iter().enumerate() {
                assert_eq!(left.must_be(right, [0, 1]).is_ok(), one == two, "{one} and {two}");
            }
        }
        let error = calls[0].must_be(&calls[1], [0, 1]).expect_err("other kinds").to_string();
        assert!(
            error.contains(
                "ranks 1 and 0 are in gather `sum` (number 7, root 3) after launch `last` (number 6,"
            )
        );
    }
}
