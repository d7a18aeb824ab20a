//! Moves, parts of values, and choices by a sign.

use super::lanes::{Args, bi, tri, un};
use crate::ir::A;

/// Runs a move, takes a part of a value, or chooses by a sign; returns `false` for other operations.
#[inline(always)]
pub(super) fn moves(op: A, p: &Args) -> bool {
    let x = p.x;
    match op {
        A::Mov => un(p, |a| a),
        A::Pack => {
            let (s, n) = (x & 0xff, (x >> 8) & 0xff);
            let m = (1u64 << n) - 1;
            bi(p, |a, b| a | (b & m) << s)
        }
        A::ExtractU => {
            let (s, n) = (x & 0xff, (x >> 8) & 0xff);
            let m = if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
            un(p, |a| (a >> s) & m)
        }
        A::ExtractS => {
            let (s, n, to) = (x & 0xff, (x >> 8) & 0xff, (x >> 16) & 0xff);
            let m = if to >= 64 { u64::MAX } else { (1u64 << to) - 1 };
            un(p, |a| ((((a >> s) << (64 - n)) as i64 >> (64 - n)) as u64) & m)
        }
        A::Insert => {
            let (s, n) = (x & 0xff, (x >> 8) & 0xff);
            let m = if n >= 64 { u64::MAX } else { (1u64 << n) - 1 };
            tri(p, |a, _, c| (c & !(m << s)) | (a & m) << s)
        }
        A::SlctS32 => tri(p, |a, b, c| if c as i32 >= 0 { a } else { b }),
        A::SlctF32 => tri(p, |a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b }),
        _ => return false,
    }
    true
}
