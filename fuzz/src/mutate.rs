//! Small changes that a parser is likely to trip over.

use fastrand::Rng;

/// Changes a few bytes: flips, cuts, insertions, repetitions.
pub(crate) fn bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(0..4) {
        let at = rng.usize(..=bytes.len());
        let end = (at + rng.usize(..=8)).min(bytes.len());
        match rng.u8(..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(..8),
            1 if at < bytes.len() => bytes[at] = *rng.choice(&[0, 1, 0x7f, 0x80, 0xff]).expect("five"),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => bytes.insert(at, rng.u8(..)),
            _ => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
        }
    }
}

/// Numbers at which sizes and bounds go wrong.
pub(crate) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "-0.0",
    "7",
    "31",
    "32",
    "33",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e400",
    "NaN",
    "inf",
    "0x",
    "0xffffffffffffffff",
    "",
];

/// The words of `text` and the characters between them, so that concatenating them gives the text.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut begin = 0;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        let kind =
            if letter.is_alphanumeric() || "_.$%".contains(letter) { 0 } else { 1 + u32::from(letter) };
        if last.is_some_and(|last| last != kind) {
            words.push(&text[begin..at]);
            begin = at;
        }
        last = Some(kind);
    }
    words.push(&text[begin..]);
    words
}

/// Changes a few words of `text`: deletes, repeats and exchanges them, or puts in extreme numbers and other words of the text.
pub(crate) fn text(rng: &mut Rng, text: &str) -> String {
    let mut words = words(text);
    for _ in 0..rng.usize(0..4) {
        let (one, other) = (rng.usize(..words.len()), rng.usize(..words.len()));
        match rng.u8(..5) {
            0 if words.len() > 1 => drop(words.remove(one)),
            1 => words.insert(one, words[other]),
            2 => words.swap(one, other),
            3 => words[one] = words[other],
            _ => words[one] = rng.choice(NUMBERS).expect("not empty"),
        }
    }
    words.concat()
}
