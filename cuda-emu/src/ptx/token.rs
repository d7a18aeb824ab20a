//! Tokens.

use super::{Res, err};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tok<'a> {
    /// Names, directives (with their leading dot) and opcodes with their suffixes.
    Id(&'a str),
    Int(u64),
    F32(u32),
    F64(u64),
    Str(&'a str),
    P(char),
    Eof,
}

pub(super) fn is_id_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_' || c == b'$' || c == b'%' || c == b'.'
}

pub(super) fn is_id(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c == b'.' || c == b'%'
}

pub(super) fn tokenize(src: &str) -> Res<Vec<(Tok<'_>, u32)>> {
    let b = src.as_bytes();
    let mut out = Vec::with_capacity(b.len() / 4);
    let (mut i, mut line) = (0usize, 1u32);
    while i < b.len() {
        let c = b[i];
        match c {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0c | 0 => i += 1,
            b'/' if b.get(i + 1) == Some(&b'/') => {
                while i < b.len() && b[i] != b'\n' {
                    i += 1;
                }
            }
            b'/' if b.get(i + 1) == Some(&b'*') => {
                i += 2;
                while i < b.len() && !(b[i] == b'*' && b.get(i + 1) == Some(&b'/')) {
                    if b[i] == b'\n' {
                        line += 1;
                    }
                    i += 1;
                }
                i += 2;
            }
            b'"' => {
                let s = i + 1;
                i = s;
                while i < b.len() && b[i] != b'"' {
                    if b[i] == b'\\' {
                        i += 1;
                    }
                    i += 1;
                }
                if i >= b.len() {
                    return err(line, "unterminated string");
                }
                out.push((Tok::Str(&src[s..i]), line));
                i += 1;
            }
            b'0'..=b'9' => {
                let (token, end) = number(src, i, line)?;
                out.push((token, line));
                i = end;
            }
            _ if is_id_start(c) => {
                let end = identifier_end(b, i);
                out.push((Tok::Id(&src[i..end]), line));
                i = end;
            }
            _ if c.is_ascii_punctuation() => {
                out.push((Tok::P(c as char), line));
                i += 1;
            }
            _ => return err(line, format!("unexpected byte 0x{c:02x}")),
        }
    }
    out.push((Tok::Eof, line));
    Ok(out)
}

/// The number that begins at `i`, and where it ends.
fn number(src: &str, i: usize, line: u32) -> Res<(Tok<'_>, usize)> {
    let b = src.as_bytes();
    let next = b.get(i + 1).copied().unwrap_or(0).to_ascii_lowercase();
    match (b[i], next) {
        (b'0', b'f') => bits(src, i, 8, line).map(|(v, end)| (Tok::F32(v as u32), end)),
        (b'0', b'd') => bits(src, i, 16, line).map(|(v, end)| (Tok::F64(v), end)),
        (b'0', b'x') => integer(src, i, i + 2, 16, line),
        (b'0', b'b') => integer(src, i, i + 2, 2, line),
        _ => decimal(src, i, line),
    }
}

/// The bits of a floating point number, written as `digits` hexadecimal digits after `0f` or `0d`, and the index of its end.
fn bits(src: &str, i: usize, digits: usize, line: u32) -> Res<(u64, usize)> {
    let hex = src.get(i + 2..i + 2 + digits).unwrap_or("");
    match u64::from_str_radix(hex, 16) {
        Ok(v) => Ok((v, i + 2 + digits)),
        Err(_) => err(line, "bad float literal"),
    }
}

/// A decimal number: an integer, unless it has a point or an exponent.
fn decimal(src: &str, start: usize, line: u32) -> Res<(Tok<'_>, usize)> {
    let b = src.as_bytes();
    let mut i = start;
    while i < b.len() && b[i].is_ascii_digit() {
        i += 1;
    }
    if i >= b.len() || b[i] != b'.' && (b[i] | 32) != b'e' {
        let octal = i - start > 1 && b[start] == b'0';
        return integer(src, start, start, if octal { 8 } else { 10 }, line);
    }
    i += 1;
    while i < b.len()
        && (b[i].is_ascii_digit()
            || (b[i] | 32) == b'e'
            || ((b[i] == b'-' || b[i] == b'+') && (b[i - 1] | 32) == b'e'))
    {
        i += 1;
    }
    match src[start..i].parse::<f64>() {
        Ok(v) => Ok((Tok::F64(v.to_bits()), i)),
        Err(_) => err(line, "bad number"),
    }
}

/// An integer that begins at `start`, and whose digits begin at `first`.
fn integer(src: &str, start: usize, first: usize, radix: u32, line: u32) -> Res<(Tok<'_>, usize)> {
    let b = src.as_bytes();
    let mut i = first;
    while i < b.len() && (b[i].is_ascii_hexdigit() && radix == 16 || b[i].is_ascii_digit()) {
        i += 1;
    }
    let Ok(v) = u64::from_str_radix(&src[first..i], radix) else {
        return err(line, format!("bad number '{}'", &src[start..i]));
    };
    let unsigned = i < b.len() && b[i] == b'U';
    Ok((Tok::Int(v), i + usize::from(unsigned)))
}

/// Where the identifier that begins at `i` ends.
fn identifier_end(b: &[u8], start: usize) -> usize {
    let mut i = start + 1;
    loop {
        // Directives may follow each other without a space: `.reg.b32 x`.
        if i < b.len() && is_id(b[i]) && !(b[start] == b'.' && b[i] == b'.') {
            i += 1;
        } else if i + 2 < b.len() && b[i] == b':' && b[i + 1] == b':' && is_id_start(b[i + 2]) {
            i += 2;
        } else {
            return i;
        }
    }
}
