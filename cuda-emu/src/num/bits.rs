//! Operations on bits and bytes.

pub(crate) fn prmt(mode: u32, a: u32, b: u32, c: u32) -> u32 {
    let t = (b as u64) << 32 | a as u64;
    let byte = |i: u32| ((t >> (8 * i)) & 0xff) as u32;
    let s = c & 3;
    let sel: [u32; 4] = match mode {
        1 => [s, s + 1, s + 2, s + 3],                   // f4e
        2 => [s, (s + 7) & 7, (s + 6) & 7, (s + 5) & 7], // b4e
        3 => [s; 4],                                     // rc8
        4 => [s, s.max(1), s.max(2), 3],                 // ecl
        5 => [0, s.min(1), s.min(2), s],                 // ecr
        6 => {
            let h = (c & 1) * 2;
            [h, h + 1, h, h + 1] // rc16
        }
        _ => {
            let mut r = 0;
            for i in 0..4 {
                let n = (c >> (4 * i)) & 15;
                let mut v = byte(n & 7);
                if n & 8 != 0 {
                    v = if v & 0x80 != 0 { 0xff } else { 0 };
                }
                r |= v << (8 * i);
            }
            return r;
        }
    };
    (0..4).fold(0, |r, i| r | byte(sel[i as usize]) << (8 * i))
}

pub(crate) fn bfe(a: u64, pos: u64, len: u64, bits: u32, signed: bool) -> u64 {
    let pos = (pos & 0xff) as u32;
    let len = (len & 0xff) as u32;
    let mask = if bits == 64 { u64::MAX } else { 0xffff_ffff };
    if len == 0 {
        return 0;
    }
    let top = (pos + len - 1).min(bits - 1);
    let sbit = signed && (a >> top) & 1 == 1;
    let field = if pos >= bits { 0 } else { a >> pos };
    let keep = if pos >= bits { 0 } else { len.min(bits - pos) };
    let m = if keep >= 64 { u64::MAX } else { (1u64 << keep) - 1 };
    let mut r = field & m;
    if sbit {
        r |= !m;
    }
    r & mask
}

pub(crate) fn bfi(a: u64, b: u64, pos: u64, len: u64, bits: u32) -> u64 {
    let pos = (pos & 0xff) as u32;
    let len = (len & 0xff) as u32;
    if pos >= bits || len == 0 {
        return b;
    }
    let keep = len.min(bits - pos);
    let m = (if keep >= 64 { u64::MAX } else { (1u64 << keep) - 1 }) << pos;
    (b & !m) | ((a << pos) & m)
}

pub(crate) fn bfind(a: u64, bits: u32, signed: bool, shiftamt: bool) -> u64 {
    let v = if bits == 64 { a } else { a & 0xffff_ffff };
    let v = if signed && (v >> (bits - 1)) & 1 == 1 {
        !v & (if bits == 64 { u64::MAX } else { 0xffff_ffff })
    } else {
        v
    };
    if v == 0 {
        return 0xffff_ffff;
    }
    let p = 63 - v.leading_zeros();
    (if shiftamt { bits - 1 - p } else { p }) as u64
}

pub(crate) fn lop3(lut: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut r = 0u64;
    for i in 0..8u32 {
        if lut >> i & 1 == 1 {
            let x = if i & 4 != 0 { a } else { !a };
            let y = if i & 2 != 0 { b } else { !b };
            let z = if i & 1 != 0 { c } else { !c };
            r |= x & y & z;
        }
    }
    r & 0xffff_ffff
}

pub(crate) fn dp4a(x: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut s = c as u32;
    for i in 0..4 {
        let (p, q) = ((a >> (8 * i)) as u8, (b >> (8 * i)) as u8);
        let p = if x & 1 != 0 { p as i8 as i32 } else { p as i32 };
        let q = if x & 2 != 0 { q as i8 as i32 } else { q as i32 };
        s = s.wrapping_add((p * q) as u32);
    }
    s as u64
}

pub(crate) fn dp2a(x: u32, a: u64, b: u64, c: u64) -> u64 {
    let mut s = c as u32;
    let b = if x & 4 != 0 { b >> 16 } else { b };
    for i in 0..2 {
        let (p, q) = ((a >> (16 * i)) as u16, (b >> (8 * i)) as u8);
        let p = if x & 1 != 0 { p as i16 as i32 } else { p as i32 };
        let q = if x & 2 != 0 { q as i8 as i32 } else { q as i32 };
        s = s.wrapping_add(p.wrapping_mul(q) as u32);
    }
    s as u64
}

pub(crate) fn fns(mask: u32, base: u32, off: i32) -> u32 {
    let base = base & 31;
    if off == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let (mut pos, mut left) = (base as i32, off.unsigned_abs());
    let step = if off > 0 { 1 } else { -1 };
    while (0..32).contains(&pos) {
        if mask >> pos & 1 == 1 {
            left -= 1;
            if left == 0 {
                return pos as u32;
            }
        }
        pos += step;
    }
    u32::MAX
}
