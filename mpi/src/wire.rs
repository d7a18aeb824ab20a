//! The header of each message: which call of which rank sent it.

use core::fmt;
use core::ops::Range;
use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

/// Bytes of the first piece of a message: header, label and the start of the payload. The results of reductions fit into it.
pub(crate) const FIRST: usize = 4096;

/// Bytes of the header before the labels.
const FIXED: usize = 60;

/// The places in the header of the payload's length and of its start.
const PAYLOAD: [Range<usize>; 2] = [32..40, 58..60];

/// The longest label that travels whole. Longer ones are compared by their hash.
const LABEL: usize = 128;

/// The most bytes of a payload that the first piece has room for behind any header.
pub(crate) const START: usize = FIRST - FIXED - 2 * LABEL;

/// Begins each message; its last byte is the version of this header.
const MAGIC: u32 = 0x5350_4c05;

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
    pub(crate) label: Rc<str>,
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
        Self { kind, detail: detail as u64, label: label[..end].into(), hash: Hash::default().text(label).0 }
    }

    /// The calls before the next one, where this one came after `past`.
    pub(crate) fn after(&self, past: &Past) -> Past {
        let numbers = [past.hash, self.kind as u64, self.detail, self.hash];
        Past {
            hash: numbers.into_iter().fold(Hash::default(), Hash::number).0,
            last: Some(Step { hash: 0, ..self.clone() }),
        }
    }
}

impl Call {
    /// The header of its messages, of which all ranks have the same.
    pub(crate) fn header(&self) -> Header {
        let label = |step: &Step| u16::try_from(step.label.len()).expect("a label is cut");
        let Step { kind, detail, label: text, hash } = &self.own;
        let last = self.past.last.as_ref();
        let mut bytes = Vec::with_capacity(FIXED + 2 * LABEL);
        bytes.extend_from_slice(&MAGIC.to_le_bytes());
        bytes.extend_from_slice(&[*kind as u8, last.map_or(NONE, |last| last.kind as u8)]);
        bytes.extend_from_slice(&label(&self.own).to_le_bytes());
        let last_detail = last.map_or(0, |last| last.detail);
        for number in [self.sequence, *detail, *hash, 0, self.past.hash, last_detail] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&last.map_or(0, label).to_le_bytes());
        bytes.extend_from_slice(&[0; 2]);
        debug_assert_eq!(bytes.len(), FIXED);
        bytes.extend_from_slice(text.as_bytes());
        bytes.extend_from_slice(last.map_or("", |last| &last.label).as_bytes());
        Header(bytes)
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

/// The header of a call's messages, without their payloads.
#[derive(Clone, Debug)]
pub(crate) struct Header(Vec<u8>);

impl Header {
    /// Its bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts the header before this payload into an empty buffer.
    pub(crate) fn before(&self, payload: Announced, bytes: &mut Vec<u8>) {
        bytes.reserve(self.0.len().saturating_add(payload.len).min(FIRST));
        bytes.extend_from_slice(&self.0);
        let [len, start] = PAYLOAD;
        let first = payload.start.map_or(0, |start| 1 + start);
        bytes[len].copy_from_slice(&(payload.len as u64).to_le_bytes());
        bytes[start]
            .copy_from_slice(&u16::try_from(first).expect("it fits into the first piece").to_le_bytes());
    }

    /// The payload that another rank's header announces, and the header's length, if it is one of this call.
    pub(crate) fn announced(&self, bytes: &[u8]) -> Option<(Announced, usize)> {
        let bytes = bytes.get(..self.0.len())?;
        let [len, start] = PAYLOAD;
        let mut equal = [0..len.start, len.end..start.start, start.end..bytes.len()].into_iter();
        let is_same = equal.all(|range| bytes[range.clone()] == self.0[range]);
        if is_same { payload(bytes).map(|payload| (payload, bytes.len())) } else { None }
    }
}

/// The payload that a header announces, if it can be.
fn payload(header: &[u8]) -> Option<Announced> {
    let [len, start] = PAYLOAD;
    let len = usize::try_from(u64::from_le_bytes(header[len].try_into().expect("8 bytes"))).ok()?;
    let start = usize::from(u16::from_le_bytes(header[start].try_into().expect("2 bytes"))).checked_sub(1);
    let fits = start.is_none_or(|start| start <= len.min(START));
    fits.then_some(Announced { len, start })
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
    let text = |bytes: &[u8]| core::str::from_utf8(bytes).ok().map(Rc::from);
    let (own, last) = rest.get(..own_len + last_len)?.split_at(own_len);
    let own = Step { kind: kind(fixed[4])?, detail: number(16), hash: number(24), label: text(own)? };
    let last = match fixed[5] {
        NONE => None,
        byte => Some(Step { kind: kind(byte)?, detail: number(48), hash: 0, label: text(last)? }),
    };
    let past = Rc::new(Past { hash: number(40), last });
    let call = Call { own, sequence: number(8), past };
    Some((call, payload(fixed)?, FIXED + own_len + last_len))
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

/// A hash of numbers and texts, by which ranks compare what would be too long for a message. It takes a step for each 8 bytes: a launch hashes
/// some hundreds of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(pub(crate) u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    /// Each of the two steps is a bijection, so hashes that differ in one number differ.
    #[must_use]
    pub(crate) fn number(self, number: u64) -> Self {
        let product = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(product ^ product >> 32)
    }

    #[must_use]
    pub(crate) fn numbers(self, numbers: impl IntoIterator<Item = usize>) -> Self {
        numbers.into_iter().fold(self, |hash, number| hash.number(number as u64))
    }

    #[must_use]
    pub(crate) fn text(self, text: &str) -> Self {
        text.as_bytes().chunks(8).fold(self.number(text.len() as u64), |hash, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            hash.number(u64::from_le_bytes(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Announced, Call, FIRST, FIXED, Hash, Header, Kind, LABEL, Past, START, Step, read};

    const EMPTY: Announced = Announced { len: 0, start: None };

    fn call(label: &str, past: Past) -> Call {
        Call { own: Step::new(Kind::Gather, 3, label), sequence: 7, past: Rc::new(past) }
    }

    fn before(header: &Header, payload: Announced) -> Vec<u8> {
        let mut bytes = Vec::new();
        header.before(payload, &mut bytes);
        bytes
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
                let header = call.header();
                let mut bytes = before(&header, payload);
                let len = bytes.len();
                assert!(len <= FIXED + 2 * LABEL && call.own.label.len() <= LABEL);
                bytes.resize(FIRST, 0);
                assert_eq!(header.announced(&bytes), Some((payload, len)));
                // Whatever else differs, the header is read, and its call compared.
                for at in (0..len).filter(|at| !(32..40).contains(at) && !(58..60).contains(at)) {
                    bytes[at] ^= 1;
                    assert_eq!(header.announced(&bytes), None, "{at}");
                    bytes[at] ^= 1;
                }
                assert_eq!(read(&bytes, 0).expect("a header"), (call, payload, len));
            }
        }
    }

    /// The number in docs/machines.md.
    #[test]
    fn the_longest_header() {
        let long = "x".repeat(500);
        let call = call(&long, Step::new(Kind::Launch, 0, &long).after(&Past::default()));
        assert_eq!((call.header().len(), before(&call.header(), EMPTY).len()), (316, 316));
    }

    #[test]
    fn other_messages_are_refused() {
        let good = call("a", Step::new(Kind::Barrier, 0, "b").after(&Past::default()));
        let header = good.header();
        let good = before(&header, EMPTY);
        for (at, byte) in [(0, 1), (3, 0), (4, 200), (5, 200), (6, 255), (56, 255), (58, 2), (59, 1)] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            let error = read(&bytes, 5).expect_err("damaged").to_string();
            assert!(error.contains("rank 5"), "{error}");
            assert_eq!(header.announced(&bytes), None);
        }
        read(&good[..20], 1).expect_err("cut");
        assert_eq!(header.announced(&good[..20]), None);
    }

    #[test]
    fn each_number_and_letter_counts_in_a_hash() {
        let start = Hash::default();
        let of = |text: &str| start.text(text).text("x").0;
        let texts = ["", "a", "a\0", "abcdefgh", "abcdefgi", "abcdefgha", "abcdefghb"];
        let hashes = texts
            .map(of)
            .into_iter()
            .chain([[1, 2], [2, 1], [1, 1 << 63]].map(|numbers| start.numbers(numbers).0));
        let hashes: Vec<_> = hashes.collect();
        assert_eq!(hashes.iter().collect::<std::collections::BTreeSet<_>>().len(), 10);
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
