//! Each family of arithmetic instructions against the host.
mod common;
use common::{Case, Out, check, f32_inputs, f64_inputs, int_inputs, module_text};

const INT: &[Case] = &[
    ("add16", Out::H, "add.s16 %h, %ha, %hb;", |a, b, _| (a as u16).wrapping_add(b as u16) as u64),
    ("add32", Out::W, "add.u32 %q, %ra, %rb;", |a, b, _| (a as u32).wrapping_add(b as u32) as u64),
    ("add64", Out::L, "add.s64 %o, %a, %b;", |a, b, _| a.wrapping_add(b)),
    ("addsat", Out::W, "add.sat.s32 %q, %ra, %rb;", |a, b, _| (a as i32).saturating_add(b as i32) as u32 as u64),
    ("subsat", Out::W, "sub.sat.s32 %q, %ra, %rb;", |a, b, _| (a as i32).saturating_sub(b as i32) as u32 as u64),
    ("sub16", Out::H, "sub.u16 %h, %ha, %hb;", |a, b, _| (a as u16).wrapping_sub(b as u16) as u64),
    ("sub32", Out::W, "sub.s32 %q, %ra, 7;", |a, _, _| (a as u32).wrapping_sub(7) as u64),
    ("sub64", Out::L, "sub.s64 %o, %a, -9;", |a, _, _| a.wrapping_add(9)),
    ("mul16", Out::H, "mul.lo.s16 %h, %ha, %hb;", |a, b, _| (a as u16).wrapping_mul(b as u16) as u64),
    ("mul32", Out::W, "mul.lo.s32 %q, %ra, %rb;", |a, b, _| (a as u32).wrapping_mul(b as u32) as u64),
    ("mul64", Out::L, "mul.lo.u64 %o, %a, %b;", |a, b, _| a.wrapping_mul(b)),
    ("mulhi16", Out::H, "mul.hi.s16 %h, %ha, %hb;", |a, b, _| ((a as i16 as i32 * b as i16 as i32) >> 16) as u16 as u64),
    ("mulhiu16", Out::H, "mul.hi.u16 %h, %ha, %hb;", |a, b, _| ((a as u16 as u32 * b as u16 as u32) >> 16) as u64),
    ("mulhi32", Out::W, "mul.hi.s32 %q, %ra, %rb;", |a, b, _| ((a as i32 as i64 * b as i32 as i64) >> 32) as u32 as u64),
    ("mulhiu32", Out::W, "mul.hi.u32 %q, %ra, %rb;", |a, b, _| (a as u32 as u64 * b as u32 as u64) >> 32),
    ("mulhi64", Out::L, "mul.hi.s64 %o, %a, %b;", |a, b, _| ((a as i64 as i128 * b as i64 as i128) >> 64) as u64),
    ("mulhiu64", Out::L, "mul.hi.u64 %o, %a, %b;", |a, b, _| ((a as u128 * b as u128) >> 64) as u64),
    ("mulw16", Out::W, "mul.wide.s16 %q, %ha, %hb;", |a, b, _| (a as i16 as i32 * b as i16 as i32) as u32 as u64),
    ("mulw32", Out::L, "mul.wide.s32 %o, %ra, %rb;", |a, b, _| (a as i32 as i64 * b as i32 as i64) as u64),
    ("mulwu32", Out::L, "mul.wide.u32 %o, %ra, %rb;", |a, b, _| a as u32 as u64 * b as u32 as u64),
    ("mad16", Out::H, "mad.lo.u16 %h, %ha, %hb, %hc;", |a, b, c| (a as u16).wrapping_mul(b as u16).wrapping_add(c as u16) as u64),
    ("mad32", Out::W, "mad.lo.s32 %q, %ra, %rb, %rc;", |a, b, c| (a as u32).wrapping_mul(b as u32).wrapping_add(c as u32) as u64),
    ("mad64", Out::L, "mad.lo.s64 %o, %a, %b, %c;", |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
    ("madhi", Out::W, "mad.hi.s32 %q, %ra, %rb, %rc;", |a, b, c| {
        (((a as i32 as i64 * b as i32 as i64) >> 32) as u32).wrapping_add(c as u32) as u64
    }),
    ("madw", Out::L, "mad.wide.u32 %o, %ra, %rb, %c;", |a, b, c| (a as u32 as u64 * b as u32 as u64).wrapping_add(c)),
    ("madws", Out::L, "mad.wide.s32 %o, %ra, %rb, %c;", |a, b, c| ((a as i32 as i64 * b as i32 as i64) as u64).wrapping_add(c)),
    ("madw16", Out::W, "mad.wide.u16 %q, %ha, %hb, %rc;", |a, b, c| (a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32) as u64),
    ("mul24", Out::W, "mul24.lo.u32 %q, %ra, %rb;", |a, b, _| (a & 0xffffff).wrapping_mul(b & 0xffffff) & 0xffff_ffff),
    ("div32", Out::W, "or.b32 %x1, %rb, 1; div.s32 %q, %ra, %x1;", |a, b, _| (a as i32).wrapping_div(b as i32 | 1) as u32 as u64),
    ("divu32", Out::W, "or.b32 %x1, %rb, 1; div.u32 %q, %ra, %x1;", |a, b, _| (a as u32 / (b as u32 | 1)) as u64),
    ("div64", Out::L, "or.b64 %t1, %b, 1; div.s64 %o, %a, %t1;", |a, b, _| (a as i64).wrapping_div(b as i64 | 1) as u64),
    ("divu64", Out::L, "or.b64 %t1, %b, 1; div.u64 %o, %a, %t1;", |a, b, _| a / (b | 1)),
    ("div16", Out::H, "or.b16 %y1, %hb, 1; div.s16 %h, %ha, %y1;", |a, b, _| (a as i16).wrapping_div(b as i16 | 1) as u16 as u64),
    ("rem32", Out::W, "or.b32 %x1, %rb, 1; rem.s32 %q, %ra, %x1;", |a, b, _| (a as i32).wrapping_rem(b as i32 | 1) as u32 as u64),
    ("remu64", Out::L, "or.b64 %t1, %b, 1; rem.u64 %o, %a, %t1;", |a, b, _| a % (b | 1)),
    ("rem64", Out::L, "or.b64 %t1, %b, 1; rem.s64 %o, %a, %t1;", |a, b, _| (a as i64).wrapping_rem(b as i64 | 1) as u64),
    ("min", Out::W, "min.s32 %q, %ra, %rb;", |a, b, _| (a as i32).min(b as i32) as u32 as u64),
    ("minu", Out::W, "min.u32 %q, %ra, %rb;", |a, b, _| (a as u32).min(b as u32) as u64),
    ("max64", Out::L, "max.s64 %o, %a, %b;", |a, b, _| (a as i64).max(b as i64) as u64),
    ("maxu64", Out::L, "max.u64 %o, %a, %b;", |a, b, _| a.max(b)),
    ("max16", Out::H, "max.s16 %h, %ha, %hb;", |a, b, _| (a as i16).max(b as i16) as u16 as u64),
    ("minu16", Out::H, "min.u16 %h, %ha, %hb;", |a, b, _| (a as u16).min(b as u16) as u64),
    ("minx2", Out::W, "min.s16x2 %q, %ra, %rb;", |a, b, _| {
        (a as i16).min(b as i16) as u16 as u64 | (((a >> 16) as i16).min((b >> 16) as i16) as u16 as u64) << 16
    }),
    ("addx2", Out::W, "add.u16x2 %q, %ra, %rb;", |a, b, _| {
        (a as u16).wrapping_add(b as u16) as u64 | (((a >> 16) as u16).wrapping_add((b >> 16) as u16) as u64) << 16
    }),
    ("abs", Out::W, "abs.s32 %q, %ra;", |a, _, _| (a as i32).wrapping_abs() as u32 as u64),
    ("abs64", Out::L, "abs.s64 %o, %a;", |a, _, _| (a as i64).wrapping_abs() as u64),
    ("neg", Out::W, "neg.s32 %q, %ra;", |a, _, _| (a as u32).wrapping_neg() as u64),
    ("neg16", Out::H, "neg.s16 %h, %ha;", |a, _, _| (a as u16).wrapping_neg() as u64),
    ("and", Out::L, "and.b64 %o, %a, %b;", |a, b, _| a & b),
    ("or", Out::W, "or.b32 %q, %ra, %rb;", |a, b, _| (a | b) as u32 as u64),
    ("xor16", Out::H, "xor.b16 %h, %ha, %hb;", |a, b, _| (a ^ b) as u16 as u64),
    ("not", Out::W, "not.b32 %q, %ra;", |a, _, _| !a as u32 as u64),
    ("not16", Out::H, "not.b16 %h, %ha;", |a, _, _| !a as u16 as u64),
    ("cnot", Out::W, "cnot.b32 %q, %ra;", |a, _, _| (a as u32 == 0) as u64),
    ("shl", Out::W, "shl.b32 %q, %ra, %rb;", |a, b, _| (a as u32).checked_shl(b as u32).unwrap_or(0) as u64),
    ("shl64", Out::L, "shl.b64 %o, %a, %rb;", |a, b, _| a.checked_shl(b as u32).unwrap_or(0)),
    ("shl16", Out::H, "shl.b16 %h, %ha, %rb;", |a, b, _| if b as u32 > 15 { 0 } else { ((a as u16) << b as u32) as u64 }),
    ("shr", Out::W, "shr.u32 %q, %ra, %rb;", |a, b, _| (a as u32).checked_shr(b as u32).unwrap_or(0) as u64),
    ("shrs", Out::W, "shr.s32 %q, %ra, %rb;", |a, b, _| ((a as i32) >> (b as u32).min(31)) as u32 as u64),
    ("shrs64", Out::L, "shr.s64 %o, %a, %rb;", |a, b, _| ((a as i64) >> (b as u32).min(63)) as u64),
    ("shrs16", Out::H, "shr.s16 %h, %ha, %rb;", |a, b, _| ((a as i16) >> (b as u32).min(15)) as u16 as u64),
    ("shflw", Out::W, "shf.l.wrap.b32 %q, %ra, %rb, %rc;", |a, b, c| {
        let v = (b as u32 as u64) << 32 | a as u32 as u64;
        (v << (c as u32 & 31)) >> 32
    }),
    ("shfrw", Out::W, "shf.r.wrap.b32 %q, %ra, %rb, %rc;", |a, b, c| {
        let v = (b as u32 as u64) << 32 | a as u32 as u64;
        (v >> (c as u32 & 31)) as u32 as u64
    }),
    ("shflc", Out::W, "shf.l.clamp.b32 %q, %ra, %rb, %rc;", |a, b, c| {
        let v = ((b as u32 as u128) << 32 | a as u32 as u128) << (c as u32).min(32);
        (v >> 32) as u32 as u64
    }),
    ("shfrc", Out::W, "shf.r.clamp.b32 %q, %ra, %rb, %rc;", |a, b, c| {
        let v = (b as u32 as u64) << 32 | a as u32 as u64;
        (v >> (c as u32).min(32)) as u32 as u64
    }),
    ("prmt", Out::W, "prmt.b32 %q, %ra, %rb, %rc;", |a, b, c| {
        let v = (b as u32 as u64) << 32 | a as u32 as u64;
        (0..4).fold(0, |r, i| {
            let n = (c >> (4 * i)) & 15;
            let x = (v >> (8 * (n & 7))) & 255;
            let x = if n & 8 != 0 { if x > 127 { 255 } else { 0 } } else { x };
            r | x << (8 * i)
        })
    }),
    ("bfe", Out::W, "and.b32 %x1, %rb, 31; and.b32 %x2, %rc, 31; bfe.u32 %q, %ra, %x1, %x2;", |a, b, c| {
        ((a as u32 as u64) >> (b & 31)) & ((1 << (c & 31)) - 1)
    }),
    ("bfes", Out::W, "bfe.s32 %q, %ra, 4, 8;", |a, _, _| ((a >> 4) as u8 as i8) as i32 as u32 as u64),
    ("bfes beyond the word", Out::W, "bfe.s32 %q, %ra, 28, 12;", |a, _, _| (a as i32 >> 28) as u32 as u64),
    ("bfe64", Out::L, "bfe.u64 %o, %a, 10, 20;", |a, _, _| (a >> 10) & 0xfffff),
    ("bfes64", Out::L, "bfe.s64 %o, %a, 56, 20;", |a, _, _| ((a as i64) >> 56) as u64),
    ("bfi", Out::W, "bfi.b32 %q, %ra, %rb, 8, 12;", |a, b, _| (b as u32 & !0xfff00 | (a as u32 & 0xfff) << 8) as u64),
    ("bfi64", Out::L, "bfi.b64 %o, %a, %b, 60, 20;", |a, b, _| b & !(15 << 60) | a << 60),
    ("brev", Out::W, "brev.b32 %q, %ra;", |a, _, _| (a as u32).reverse_bits() as u64),
    ("brev64", Out::L, "brev.b64 %o, %a;", |a, _, _| a.reverse_bits()),
    ("clz", Out::W, "clz.b32 %q, %ra;", |a, _, _| (a as u32).leading_zeros() as u64),
    ("clz64", Out::W, "clz.b64 %q, %a;", |a, _, _| a.leading_zeros() as u64),
    ("popc", Out::W, "popc.b32 %q, %ra;", |a, _, _| (a as u32).count_ones() as u64),
    ("popc64", Out::W, "popc.b64 %q, %a;", |a, _, _| a.count_ones() as u64),
    ("bfind", Out::W, "bfind.u32 %q, %ra;", |a, _, _| (31u32.wrapping_sub((a as u32).leading_zeros())) as u64),
    ("bfinds", Out::W, "bfind.s32 %q, %ra;", |a, _, _| {
        let v = a as i32;
        let v = if v < 0 { !v } else { v } as u32;
        31u32.wrapping_sub(v.leading_zeros()) as u64
    }),
    ("bfindsh", Out::W, "bfind.shiftamt.u64 %q, %a;", |a, _, _| if a == 0 { 0xffff_ffff } else { a.leading_zeros() as u64 }),
    ("sad", Out::W, "sad.s32 %q, %ra, %rb, %rc;", |a, b, c| (c as u32).wrapping_add((a as i32).abs_diff(b as i32)) as u64),
    ("sadu", Out::W, "sad.u32 %q, %ra, %rb, %rc;", |a, b, c| (c as u32).wrapping_add((a as u32).abs_diff(b as u32)) as u64),
    ("lop3 of three that differ", Out::W, "lop3.b32 %q, %ra, %rb, %rc, 0xb0;", |a, b, c| (a & (!b | c)) as u32 as u64),
    ("lop3", Out::W, "lop3.b32 %q, %ra, %rb, %rc, 0x96;", |a, b, c| (a ^ b ^ c) as u32 as u64),
    ("lop3maj", Out::W, "lop3.b32 %q, %ra, %rb, %rc, 0xE8;", |a, b, c| (a & b | b & c | a & c) as u32 as u64),
    ("dp4a", Out::W, "dp4a.u32.s32 %q, %ra, %rb, %rc;", |a, b, c| {
        (0..4).fold(c as u32, |s, i| s.wrapping_add(((a >> (8 * i)) as u8 as i32 * (b >> (8 * i)) as i8 as i32) as u32)) as u64
    }),
    ("dp2a", Out::W, "dp2a.hi.s32.u32 %q, %ra, %rb, %rc;", |a, b, c| {
        (0..2).fold(c as u32, |s, i| s.wrapping_add(((a >> (16 * i)) as i16 as i32 * (b >> (16 + 8 * i)) as u8 as i32) as u32)) as u64
    }),
    ("szext", Out::W, "szext.clamp.s32 %q, %ra, 5;", |a, _, _| ((a as i32) << 27 >> 27) as u32 as u64),
    ("bmsk", Out::W, "bmsk.clamp.b32 %q, 4, 8;", |_, _, _| 0xff0),
    ("carry", Out::L, "{ .reg .b32 l, h; shr.u64 %t1, %a, 32; shr.u64 %t2, %b, 32; cvt.u32.u64 %x1, %t1; cvt.u32.u64 %x2, %t2;
        add.cc.u32 l, %ra, %rb; addc.u32 h, %x1, %x2; mov.b64 %o, {l, h}; }", |a, b, _| a.wrapping_add(b)),
    ("borrow", Out::L, "{ .reg .b32 l, h; mov.b64 {%x1, %x2}, %a; mov.b64 {%x3, %x4}, %b;
        sub.cc.u32 l, %x1, %x3; subc.u32 h, %x2, %x4; mov.b64 %o, {l, h}; }", |a, b, _| a.wrapping_sub(b)),
    ("borrow_as_carry", Out::W, "sub.cc.u32 %x1, %ra, %rb; addc.u32 %q, 0, 0;", |a, b, _| (a as u32 >= b as u32) as u64),
    ("borrow128", Out::L, "sub.cc.u64 %t1, %a, %b; subc.cc.u64 %t2, %c, 5; subc.u64 %o, 0, 0;", |a, b, c| {
        let (l, r) = ((c as u128) << 64 | a as u128, 5u128 << 64 | b as u128);
        if l < r { u64::MAX } else { 0 }
    }),
    ("carry128", Out::L, "add.cc.u64 %t1, %a, %b; addc.u64 %o, 0, 0;", |a, b, _| a.overflowing_add(b).1 as u64),
    ("madcc", Out::L, "{ .reg .u32 r0, r1; mad.lo.cc.u32 r0, %ra, %rb, %rc; madc.hi.u32 r1, %ra, %rb, 0; mov.b64 %o, {r0, r1}; }", |a, b, c| {
        (a as u32 as u64 * b as u32 as u64).wrapping_add(c as u32 as u64)
    }),
    ("selp", Out::L, "setp.lt.s64 %p, %a, %b; selp.b64 %o, %a, %c, %p;", |a, b, c| if (a as i64) < b as i64 { a } else { c }),
    ("slct", Out::W, "slct.u32.s32 %q, %ra, %rb, %rc;", |a, b, c| (if c as i32 >= 0 { a } else { b }) as u32 as u64),
    ("set", Out::W, "set.lt.u32.s32 %q, %ra, %rb;", |a, b, _| if (a as i32) < b as i32 { 0xffff_ffff } else { 0 }),
    ("setp_and", Out::P, "setp.gt.u32 %p2, %rc, 100; setp.lt.and.s32 %p, %ra, %rb, !%p2;", |a, b, c| {
        ((a as i32) < b as i32 && (c as u32) <= 100) as u64
    }),
    ("setp_q", Out::P, "setp.ge.u64 %p2|%p, %a, %b;", |a, b, _| (a < b) as u64),
    ("setp16", Out::P, "setp.lt.s16 %p, %ha, %hb;", |a, b, _| ((a as i16) < b as i16) as u64),
    ("setp_hi", Out::P, "setp.hi.u32 %p, %ra, %rb;", |a, b, _| (a as u32 > b as u32) as u64),
    ("predops", Out::P, "setp.lt.s32 %pp0, %ra, 0; setp.gt.s32 %pp1, %rb, 0; xor.pred %pp2, %pp0, %pp1; not.pred %pp3, %pp2; and.pred %p2, %pp3, %pp0; or.pred %p, %p2, %pp2;", |a, b, _| {
        let (x, y) = ((a as i32) < 0, b as i32 > 0);
        (if x ^ y { true } else { x }) as u64
    }),
    ("guard", Out::W, "setp.lt.s32 %p, %ra, 0; mov.b32 %q, %rb; @%p add.s32 %q, %q, 1; @!%p add.s32 %q, %q, 2;", |a, b, _| {
        (b as u32).wrapping_add(if (a as i32) < 0 { 1 } else { 2 }) as u64
    }),
    ("cvt_s8", Out::W, "cvt.s32.s8 %q, %ra;", |a, _, _| a as i8 as i32 as u32 as u64),
    ("cvt_u8", Out::W, "cvt.u32.u8 %q, %ra;", |a, _, _| a as u8 as u64),
    ("cvt_s16", Out::L, "cvt.s64.s16 %o, %ha;", |a, _, _| a as i16 as i64 as u64),
    ("cvt_s32s64", Out::L, "cvt.s64.s32 %o, %ra;", |a, _, _| a as i32 as i64 as u64),
    ("cvt_n8", Out::W, "cvt.s8.s32 %q, %ra;", |a, _, _| a as i8 as i32 as u32 as u64),
    ("cvt_u16s8", Out::H, "cvt.u16.s8 %h, %ha;", |a, _, _| a as i8 as i16 as u16 as u64),
    ("cvt_sat", Out::W, "cvt.sat.s8.s32 %q, %ra;", |a, _, _| (a as i32).clamp(-128, 127) as u32 as u64),
    ("cvt_satu", Out::W, "cvt.sat.u8.s32 %q, %ra;", |a, _, _| (a as i32).clamp(0, 255) as u32 as u64),
    ("cvt_sat64", Out::W, "cvt.sat.s32.s64 %q, %a;", |a, _, _| (a as i64).clamp(i32::MIN as i64, i32::MAX as i64) as u32 as u64),
    ("i2f", Out::W, "cvt.rn.f32.s32 %q, %ra;", |a, _, _| (a as i32 as f32).to_bits() as u64),
    ("u2f", Out::W, "cvt.rn.f32.u64 %q, %a;", |a, _, _| (a as f32).to_bits() as u64),
    ("i2d", Out::L, "cvt.rn.f64.s64 %o, %a;", |a, _, _| (a as i64 as f64).to_bits()),
    ("u2d", Out::L, "cvt.rn.f64.u64 %o, %a;", |a, _, _| (a as f64).to_bits()),
    ("u32d", Out::L, "cvt.rn.f64.u32 %o, %ra;", |a, _, _| (a as u32 as f64).to_bits()),
    ("i2f_rz", Out::W, "cvt.rz.f32.s32 %q, %ra;", |a, _, _| {
        let v = a as i32;
        let f = v as f32;
        let f = if (f as i64).abs() > (v as i64).abs() { if f > 0.0 { f.next_down() } else { f.next_up() } } else { f };
        f.to_bits() as u64
    }),
    ("i2f_rp", Out::W, "cvt.rp.f32.u32 %q, %ra;", |a, _, _| {
        let f = a as u32 as f32;
        (if (f as u64) < a as u32 as u64 { f.next_up() } else { f }).to_bits() as u64
    }),
    ("pack16", Out::L, "mov.b64 {%y1, %y2, %y3, %y4}, %a; mov.b64 %o, {%y4, %y3, %y2, %y1};", |a, _, _| {
        (a & 0xffff) << 48 | (a >> 16 & 0xffff) << 32 | (a >> 32 & 0xffff) << 16 | a >> 48
    }),
    ("pack32", Out::L, "mov.b64 {%x1, _}, %a; mov.b64 {_, %x2}, %b; mov.b64 %o, {%x2, %x1};", |a, b, _| b >> 32 | a << 32),
    ("fns", Out::W, "fns.b32 %q, %ra, 0, 2;", |a, _, _| {
        let m = a as u32;
        let m2 = m & m.wrapping_sub(1);
        (if m2 == 0 { u32::MAX } else { m2.trailing_zeros() }) as u64
    }),
    ("fns downwards", Out::W, "fns.b32 %q, %ra, 31, -1;", |a, _, _| (31u32.wrapping_sub((a as u32).leading_zeros())) as u64),
];

#[test]
fn integers() {
    check(INT, [int_inputs(4096, 1), int_inputs(4096, 2), int_inputs(4096, 3)], |_, _| false);
}

fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}
fn b(v: f32) -> u64 {
    if v.is_nan() { 0x7fff_ffff } else { v.to_bits() as u64 }
}
fn ftz(v: f32) -> f32 {
    if v.is_subnormal() { 0f32.copysign(v) } else { v }
}
fn fmin(a: f32, b: f32) -> f32 {
    if b.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b }
}
/// The exact sum in a wide format, rounded toward zero, by bits.
fn rz(exact: f64) -> f32 {
    let r = exact as f32;
    if r.is_nan() || exact.is_infinite() {
        return r;
    }
    if r.is_infinite() {
        return f32::MAX.copysign(r);
    }
    if (r as f64).abs() > exact.abs() { f32::from_bits(r.to_bits() - 1) } else { r }
}

const F32: &[Case] = &[
    ("add", Out::W, "add.rn.f32 %q, %ra, %rb;", |x, y, _| b(f(x) + f(y))),
    ("add_imm", Out::W, "add.f32 %q, %ra, 0f40490FDB;", |x, _, _| b(f(x) + std::f32::consts::PI)),
    ("sub_ftz", Out::W, "sub.ftz.f32 %q, %ra, %rb;", |x, y, _| b(ftz(ftz(f(x)) - ftz(f(y))))),
    ("mul", Out::W, "mul.f32 %q, %ra, %rb;", |x, y, _| b(f(x) * f(y))),
    ("mul_ftz", Out::W, "mul.rn.ftz.f32 %q, %ra, %rb;", |x, y, _| b(ftz(ftz(f(x)) * ftz(f(y))))),
    ("mul_rz", Out::W, "mul.rz.f32 %q, %ra, %rb;", |x, y, _| b(rz(f(x) as f64 * f(y) as f64))),
    ("fma", Out::W, "fma.rn.f32 %q, %ra, %rb, %rc;", |x, y, z| b(f(x).mul_add(f(y), f(z)))),
    ("fma_sat", Out::W, "fma.rn.sat.f32 %q, %ra, %rb, %rc;", |x, y, z| {
        let v = f(x).mul_add(f(y), f(z));
        (if v.is_nan() || v <= 0.0 { 0.0f32 } else { v.min(1.0) }).to_bits() as u64
    }),
    ("div", Out::W, "div.rn.f32 %q, %ra, %rb;", |x, y, _| b(f(x) / f(y))),
    ("div_full", Out::W, "div.full.f32 %q, %ra, %rb;", |x, y, _| b(f(x) / f(y))),
    ("min", Out::W, "min.f32 %q, %ra, %rb;", |x, y, _| b(fmin(f(x), f(y)))),
    ("max", Out::W, "max.f32 %q, %ra, %rb;", |x, y, _| b(-fmin(-f(x), -f(y)))),
    ("min_nan", Out::W, "min.NaN.f32 %q, %ra, %rb;", |x, y, _| {
        if f(x).is_nan() || f(y).is_nan() { 0x7fff_ffff } else { b(fmin(f(x), f(y))) }
    }),
    ("abs", Out::W, "abs.f32 %q, %ra;", |x, _, _| x & 0x7fff_ffff),
    ("neg", Out::W, "neg.f32 %q, %ra;", |x, _, _| x & 0xffff_ffff ^ 0x8000_0000),
    ("copysign", Out::W, "copysign.f32 %q, %ra, %rb;", |x, y, _| y & 0x7fff_ffff | x & 0x8000_0000),
    ("sqrt", Out::W, "sqrt.rn.f32 %q, %ra;", |x, _, _| b(f(x).sqrt())),
    ("rcp", Out::W, "rcp.rn.f32 %q, %ra;", |x, _, _| b(1.0 / f(x))),
    ("ex2", Out::W, "ex2.approx.f32 %q, %ra;", |x, _, _| b((f(x) as f64).exp2() as f32)),
    ("lg2", Out::W, "lg2.approx.f32 %q, %ra;", |x, _, _| b((f(x) as f64).log2() as f32)),
    ("rsqrt", Out::W, "rsqrt.approx.f32 %q, %ra;", |x, _, _| b((1.0 / (f(x) as f64).sqrt()) as f32)),
    ("sin", Out::W, "sin.approx.f32 %q, %ra;", |x, _, _| b((f(x) as f64).sin() as f32)),
    ("cos", Out::W, "cos.approx.f32 %q, %ra;", |x, _, _| b((f(x) as f64).cos() as f32)),
    ("tanh", Out::W, "tanh.approx.f32 %q, %ra;", |x, _, _| b((f(x) as f64).tanh() as f32)),
    ("lt", Out::P, "setp.lt.f32 %p, %ra, %rb;", |x, y, _| (f(x) < f(y)) as u64),
    ("ltu", Out::P, "setp.ltu.f32 %p, %ra, %rb;", |x, y, _| {
        (f(x) < f(y) || f(x).is_nan() || f(y).is_nan()) as u64
    }),
    ("ne", Out::P, "setp.ne.f32 %p, %ra, %rb;", |x, y, _| {
        (f(x) != f(y) && !f(x).is_nan() && !f(y).is_nan()) as u64
    }),
    ("neu", Out::P, "setp.neu.f32 %p, %ra, %rb;", |x, y, _| (f(x) != f(y)) as u64),
    ("equ", Out::P, "setp.equ.f32 %p, %ra, %rb;", |x, y, _| {
        (f(x) == f(y) || f(x).is_nan() || f(y).is_nan()) as u64
    }),
    ("nan", Out::P, "setp.nan.f32 %p, %ra, %rb;", |x, y, _| (f(x).is_nan() || f(y).is_nan()) as u64),
    ("num", Out::P, "setp.num.f32 %p, %ra, %rb;", |x, y, _| (!f(x).is_nan() && !f(y).is_nan()) as u64),
    ("gt_ftz", Out::P, "setp.gt.ftz.f32 %p, %ra, 0f00000000;", |x, _, _| (ftz(f(x)) > 0.0) as u64),
    ("finite", Out::P, "testp.finite.f32 %p, %ra;", |x, _, _| f(x).is_finite() as u64),
    ("infinite", Out::P, "testp.infinite.f32 %p, %ra;", |x, _, _| f(x).is_infinite() as u64),
    ("f2i_rzi", Out::W, "cvt.rzi.s32.f32 %q, %ra;", |x, _, _| f(x) as i32 as u32 as u64),
    ("f2u_rzi", Out::W, "cvt.rzi.u32.f32 %q, %ra;", |x, _, _| f(x) as u32 as u64),
    ("f2i_rni", Out::W, "cvt.rni.s32.f32 %q, %ra;", |x, _, _| f(x).round_ties_even() as i32 as u32 as u64),
    ("f2i_rmi", Out::W, "cvt.rmi.s32.f32 %q, %ra;", |x, _, _| f(x).floor() as i32 as u32 as u64),
    ("f2i_rpi", Out::L, "cvt.rpi.s64.f32 %o, %ra;", |x, _, _| {
        if f(x).is_nan() { 1 << 63 } else { f(x).ceil() as i64 as u64 }
    }),
    (
        "f2u64",
        Out::L,
        "cvt.rzi.u64.f32 %o, %ra;",
        |x, _, _| if f(x).is_nan() { 1 << 63 } else { f(x) as u64 },
    ),
    ("f2s16", Out::H, "cvt.rzi.s16.f32 %h, %ra;", |x, _, _| f(x) as i16 as u16 as u64),
    ("f2u8", Out::W, "cvt.rzi.u8.f32 %q, %ra;", |x, _, _| f(x) as u8 as u64),
    ("f2d", Out::L, "cvt.f64.f32 %o, %ra;", |x, _, _| (f(x) as f64).to_bits()),
    ("rni", Out::W, "cvt.rni.f32.f32 %q, %ra;", |x, _, _| b(f(x).round_ties_even())),
    ("floor", Out::W, "cvt.rmi.f32.f32 %q, %ra;", |x, _, _| b(f(x).floor())),
    ("sat", Out::W, "cvt.sat.f32.f32 %q, %ra;", |x, _, _| {
        (if f(x).is_nan() || f(x) <= 0.0 { 0.0f32 } else { f(x).min(1.0) }).to_bits() as u64
    }),
    ("bf16", Out::H, "cvt.rn.bf16.f32 %h, %ra;", |x, _, _| {
        if f(x).is_nan() {
            return 0x7fff;
        }
        let v = x as u32;
        ((v + 0x7fff + (v >> 16 & 1)) >> 16) as u64
    }),
    ("bf16back", Out::W, "cvt.rz.bf16.f32 %h, %ra; cvt.f32.bf16 %q, %h;", |x, _, _| {
        if f(x).is_nan() { 0x7fff_ffff } else { x & 0xffff_0000 }
    }),
    (
        "f16x2",
        Out::W,
        "cvt.rn.f16x2.f32 %x1, %ra, %rb; cvt.rn.f16.f32 %y1, %ra; cvt.rn.f16.f32 %y2, %rb; mov.b32 %x2, {%y2, %y1}; xor.b32 %q, %x1, %x2;",
        |_, _, _| 0,
    ),
    ("f16back", Out::W, "cvt.rn.f16.f32 %h, %ra; cvt.f32.f16 %q, %h;", |x, _, _| {
        let v = f(x) as f64;
        if v.is_nan() {
            return 0x7fff_ffff;
        }
        if v == 0.0 || v.is_infinite() {
            return x & 0xffff_ffff;
        }
        let e = v.abs().log2().floor().max(-14.0) as i32;
        let e = if v.abs() < 2f64.powi(e) && e > -14 { e - 1 } else { e };
        let q = 2f64.powi(e - 10);
        let r = (v / q).round_ties_even() * q;
        b(if r.abs() >= 65520.0 { f32::INFINITY.copysign(r as f32) } else { (r as f32).copysign(f(x)) })
    }),
];

#[test]
fn floats32() {
    // NaN payloads of f64 results are not compared.
    check(F32, [f32_inputs(4096, 11), f32_inputs(4096, 12), f32_inputs(4096, 13)], |x, y| {
        f64::from_bits(x).is_nan() && f64::from_bits(y).is_nan()
    });
}

fn g(v: u64) -> f64 {
    f64::from_bits(v)
}
fn gmin(a: f64, b: f64) -> f64 {
    if b.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

const F64: &[Case] = &[
    ("add", Out::L, "add.rn.f64 %o, %a, %b;", |x, y, _| (g(x) + g(y)).to_bits()),
    ("sub", Out::L, "sub.f64 %o, %a, 0d3FF0000000000000;", |x, _, _| (g(x) - 1.0).to_bits()),
    ("mul", Out::L, "mul.f64 %o, %a, %b;", |x, y, _| (g(x) * g(y)).to_bits()),
    ("fma", Out::L, "fma.rn.f64 %o, %a, %b, %c;", |x, y, z| g(x).mul_add(g(y), g(z)).to_bits()),
    ("div", Out::L, "div.rn.f64 %o, %a, %b;", |x, y, _| (g(x) / g(y)).to_bits()),
    ("sqrt", Out::L, "sqrt.rn.f64 %o, %a;", |x, _, _| g(x).sqrt().to_bits()),
    ("rcp", Out::L, "rcp.rn.f64 %o, %a;", |x, _, _| (1.0 / g(x)).to_bits()),
    ("min", Out::L, "min.f64 %o, %a, %b;", |x, y, _| gmin(g(x), g(y)).to_bits()),
    ("max", Out::L, "max.f64 %o, %a, %b;", |x, y, _| (-gmin(-g(x), -g(y))).to_bits()),
    ("abs", Out::L, "abs.f64 %o, %a;", |x, _, _| x & !(1 << 63)),
    ("neg", Out::L, "neg.f64 %o, %a;", |x, _, _| x ^ 1 << 63),
    ("copysign", Out::L, "copysign.f64 %o, %a, %b;", |x, y, _| y & !(1 << 63) | x & 1 << 63),
    ("le", Out::P, "setp.le.f64 %p, %a, %b;", |x, y, _| (g(x) <= g(y)) as u64),
    ("geu", Out::P, "setp.geu.f64 %p, %a, %b;", |x, y, _| {
        g(x).partial_cmp(&g(y)).is_none_or(|o| o.is_ge()) as u64
    }),
    ("d2f", Out::W, "cvt.rn.f32.f64 %q, %a;", |x, _, _| b(g(x) as f32)),
    ("d2f_rz", Out::W, "cvt.rz.f32.f64 %q, %a;", |x, _, _| b(rz(g(x)))),
    ("d2i", Out::W, "cvt.rzi.s32.f64 %q, %a;", |x, _, _| {
        if g(x).is_nan() { 0x8000_0000 } else { g(x) as i32 as u32 as u64 }
    }),
    ("d2l", Out::L, "cvt.rni.s64.f64 %o, %a;", |x, _, _| {
        if g(x).is_nan() { 1 << 63 } else { g(x).round_ties_even() as i64 as u64 }
    }),
    ("d2ul", Out::L, "cvt.rzi.u64.f64 %o, %a;", |x, _, _| if g(x).is_nan() { 1 << 63 } else { g(x) as u64 }),
    ("ceil", Out::L, "cvt.rpi.f64.f64 %o, %a;", |x, _, _| g(x).ceil().to_bits()),
    // Rounding up is minus rounding down of the negated values.
    (
        "add_rp_rm",
        Out::L,
        "add.rp.f64 %t1, %a, %b; neg.f64 %t2, %a; neg.f64 %t3, %b; add.rm.f64 %t4, %t2, %t3; neg.f64 %t4, %t4; sub.f64 %t5, %t4, %t1; setp.eq.f64 %p, %t4, %t1; setp.nan.f64 %p2, %t1, %t1; or.pred %p, %p, %p2; selp.b64 %o, 1, 0, %p;",
        |_, _, _| 1,
    ),
    (
        "mul_bounds",
        Out::L,
        "mul.rm.f64 %t1, %a, %b; mul.rp.f64 %t2, %a, %b; mul.rn.f64 %t3, %a, %b; setp.le.f64 %p, %t1, %t3; setp.le.and.f64 %p, %t3, %t2, %p; setp.nan.f64 %p2, %t3, %t3; or.pred %p, %p, %p2; selp.b64 %o, 1, 0, %p;",
        |_, _, _| 1,
    ),
];

#[test]
fn floats64() {
    check(F64, [f64_inputs(4096, 21), f64_inputs(4096, 22), f64_inputs(4096, 23)], |x, y| {
        g(x).is_nan() && g(y).is_nan()
    });
}

const HALF: &[Case] = &[
    // Sums and products of halves are exact in f64.
    (
        "add",
        Out::L,
        "cvt.rn.f16.f32 %y1, %ra; cvt.rn.f16.f32 %y2, %rb; add.f16 %y3, %y1, %y2; cvt.f64.f16 %t1, %y1; cvt.f64.f16 %t2, %y2; add.f64 %t3, %t1, %t2; cvt.rn.f16.f64 %y4, %t3; xor.b16 %h, %y3, %y4; cvt.u64.u16 %o, %h;",
        |_, _, _| 0,
    ),
    (
        "mulx2",
        Out::W,
        "cvt.rn.f16x2.f32 %x1, %ra, %rb; cvt.rn.f16x2.f32 %x2, %rb, %rc; mul.f16x2 %x3, %x1, %x2; mov.b32 {%y1, %y2}, %x1; mov.b32 {%y3, %y4}, %x2; mul.f16 %y5, %y1, %y3; mul.f16 %y6, %y2, %y4; mov.b32 %x4, {%y5, %y6}; xor.b32 %q, %x3, %x4;",
        |_, _, _| 0,
    ),
    (
        "fma_is_exact",
        Out::P,
        "cvt.rn.bf16.f32 %y1, %ra; mov.b16 %y2, 0x3F80; fma.rn.bf16 %y3, %y1, %y2, %y2; cvt.f32.bf16 %x1, %y1; add.f32 %x2, %x1, 0f3F800000; cvt.rn.bf16.f32 %y4, %x2; setp.eq.s16 %p, %y3, %y4; setp.nan.f32 %p2, %ra, %ra; or.pred %p, %p, %p2;",
        |_, _, _| 1,
    ),
    ("neg", Out::H, "neg.f16 %h, %ha;", |a, _, _| a & 0xffff ^ 0x8000),
    ("cmp", Out::P, "cvt.rn.f16.f32 %y1, %ra; setp.gt.f16 %p, %y1, %hb;", |_, _, _| 2),
];

#[test]
fn halves() {
    let cases: Vec<Case> = HALF.iter().filter(|c| c.0 != "cmp").copied().collect();
    check(&cases, [f32_inputs(4096, 31), f32_inputs(4096, 32), f32_inputs(4096, 33)], |_, _| false);
}

/// With the path of `ptxas` in `CUDA_EMU_PTXAS`, checks that the PTX of these tests is valid.
#[test]
fn valid_ptx() {
    let Some(ptxas) = std::env::var("CUDA_EMU_PTXAS").ok().filter(|s| !s.is_empty()) else { return };
    for (i, set) in [INT, F32, F64, HALF].iter().enumerate() {
        let p = std::env::temp_dir().join(format!("cuda-emu-alu-{i}-{}.ptx", std::process::id()));
        std::fs::write(&p, module_text(set)).unwrap();
        let o = std::process::Command::new(&ptxas)
            .args(["-arch=sm_90", "-o", "/dev/null"])
            .arg(&p)
            .output()
            .unwrap();
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    }
}
