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
                let s = i;
                let two = |a: usize| b.get(a).copied().unwrap_or(0).to_ascii_lowercase();
                if c == b'0' && (two(i + 1) == b'f' || two(i + 1) == b'd') {
                    let n = if two(i + 1) == b'f' { 8 } else { 16 };
                    let hex = src.get(i + 2..i + 2 + n).unwrap_or("");
                    let Ok(v) = u64::from_str_radix(hex, 16) else {
                        return err(line, "bad float literal");
                    };
                    out.push((if n == 8 { Tok::F32(v as u32) } else { Tok::F64(v) }, line));
                    i += 2 + n;
                    continue;
                }
                let (radix, start) = match (c, two(i + 1)) {
                    (b'0', b'x') => (16, i + 2),
                    (b'0', b'b') => (2, i + 2),
                    _ => (10, i),
                };
                i = start;
                while i < b.len() && (b[i].is_ascii_hexdigit() && radix == 16 || b[i].is_ascii_digit()) {
                    i += 1;
                }
                let dot = i < b.len() && b[i] == b'.' && radix == 10;
                let exp = i < b.len() && (b[i] | 32) == b'e' && radix == 10;
                if dot || exp {
                    i += 1;
                    while i < b.len()
                        && (b[i].is_ascii_digit()
                            || (b[i] | 32) == b'e'
                            || ((b[i] == b'-' || b[i] == b'+') && (b[i - 1] | 32) == b'e'))
                    {
                        i += 1;
                    }
                    let Ok(v) = src[s..i].parse::<f64>() else {
                        return err(line, "bad number");
                    };
                    out.push((Tok::F64(v.to_bits()), line));
                    continue;
                }
                let digits = &src[start..i];
                let octal = radix == 10 && digits.len() > 1 && digits.starts_with('0');
                let Ok(v) = u64::from_str_radix(digits, if octal { 8 } else { radix }) else {
                    return err(line, format!("bad number '{}'", &src[s..i]));
                };
                if i < b.len() && b[i] == b'U' {
                    i += 1;
                }
                out.push((Tok::Int(v), line));
            }
            _ if is_id_start(c) => {
                let s = i;
                i += 1;
                loop {
                    // Directives may follow each other without a space: `.reg.b32 x`.
                    if i < b.len() && is_id(b[i]) && !(c == b'.' && b[i] == b'.') {
                        i += 1;
                    } else if i + 2 < b.len() && b[i] == b':' && b[i + 1] == b':' && is_id_start(b[i + 2]) {
                        i += 2;
                    } else {
                        break;
                    }
                }
                out.push((Tok::Id(&src[s..i]), line));
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
