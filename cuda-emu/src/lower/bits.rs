//! Logic, shifts and fields of bits.

use super::Lower;
use super::modifiers::{Mods, pick};
use crate::ir::{A, CT, Cmp, NOPRED, Op};
use crate::ptx::{Arg, Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// `and`, `or`, `xor`, `not`, `cnot`, `shl`, `shr`: of values, or of predicates.
    pub(super) fn logic(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let t = m.ty()?;
        m.done()?;
        let g = &i.args;
        let unary = matches!(name, "not" | "cnot");
        let n = if unary { 2 } else { 3 };
        self.argn(i, n, n)?;
        if t == Ty::Pred {
            let d = self.pdst(&g[0])?;
            let a = self.psrc(&g[1])?;
            let (kind, b) = match name {
                "and" => (1, self.psrc(&g[2])?),
                "or" => (2, self.psrc(&g[2])?),
                "xor" => (3, self.psrc(&g[2])?),
                "not" => (4, a),
                _ => return m.bad(),
            };
            self.emit(Op::Pred { kind, d, a, b });
            return Ok(());
        }
        let bits = t.size() * 8;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = match name {
            "not" | "cnot" => a,
            "shl" | "shr" => self.src(&g[2], Ty::B32)?,
            _ => self.src(&g[2], t)?,
        };
        let f = match name {
            "and" => A::And,
            "or" => A::Or,
            "xor" => A::Xor,
            "not" => pick(bits, A::Not16, A::Not32, A::Not64),
            "cnot" => pick(bits, A::Cnot16, A::Cnot32, A::Cnot64),
            "shl" => pick(bits, A::Shl16, A::Shl32, A::Shl64),
            _ if t.signed() => pick(bits, A::ShrS16, A::ShrS32, A::ShrS64),
            _ => pick(bits, A::ShrU16, A::ShrU32, A::ShrU64),
        };
        self.alu(f, d, a, b, b, 0);
        Ok(())
    }

    /// `shf`: a shift of two words.
    pub(super) fn shf(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let left = m.take("l");
        m.take("r");
        let clamp = m.take("clamp");
        m.take("wrap");
        m.take("b32");
        m.done()?;
        let f = match (left, clamp) {
            (true, true) => A::ShfLC,
            (true, false) => A::ShfLW,
            (false, true) => A::ShfRC,
            (false, false) => A::ShfRW,
        };
        let (d, a, b, c) =
            (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    /// `prmt`: bytes of two words.
    pub(super) fn prmt(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        m.take("b32");
        let mode = m.one(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]).map_or(0, |x| x as u32 + 1);
        m.done()?;
        let (d, a, b, c) =
            (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        self.alu(A::Prmt, d, a, b, c, mode);
        Ok(())
    }

    /// `bfe`: a field of bits.
    pub(super) fn bfe(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let t = m.ty()?;
        m.done()?;
        let f = match t {
            Ty::U32 => A::BfeU32,
            Ty::S32 => A::BfeS32,
            Ty::U64 => A::BfeU64,
            Ty::S64 => A::BfeS64,
            _ => return m.bad(),
        };
        let (d, a, b, c) =
            (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    /// `bfi`: a field of bits into another value.
    pub(super) fn bfi(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 5, 5)?;
        let t = m.ty()?;
        m.done()?;
        let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?);
        let (c, e) = (self.src(&g[3], Ty::B32)?, self.src(&g[4], Ty::B32)?);
        self.emit(Op::Bfi { w64: t.size() == 8, d, a, b, c, e });
        Ok(())
    }

    /// `brev`, `clz`, `popc`.
    pub(super) fn count_bits(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let t = m.ty()?;
        m.done()?;
        let w = t.size() == 8;
        let f = match name {
            "brev" => [A::Brev32, A::Brev64],
            "clz" => [A::Clz32, A::Clz64],
            _ => [A::Popc32, A::Popc64],
        }[w as usize];
        let (d, a) = (self.d(&g[0])?, self.src(&g[1], t)?);
        self.alu(f, d, a, a, a, 0);
        Ok(())
    }

    /// `bfind`: the highest bit.
    pub(super) fn bfind(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let t = m.ty()?;
        let sa = m.take("shiftamt");
        m.done()?;
        let f = match t {
            Ty::U32 => A::BfindU32,
            Ty::S32 => A::BfindS32,
            Ty::U64 => A::BfindU64,
            Ty::S64 => A::BfindS64,
            _ => return m.bad(),
        };
        let (d, a) = (self.d(&g[0])?, self.src(&g[1], t)?);
        self.alu(f, d, a, a, a, sa as u32);
        Ok(())
    }

    /// `lop3`: any function of three bits, and whether a bit of the result is set.
    pub(super) fn lop3(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        self.argn(i, 5, 6)?;
        let g = &i.args;
        // lop3.b32 d, a, b, c, lut;  lop3.or.b32 d|p, a, b, c, lut, q;
        let boolop = m.one(&["and", "or"]);
        m.take("b32");
        m.done()?;
        let (dn, pn) = match &g[0] {
            Arg::Pair(d, p) => (*d, Some(*p)),
            Arg::Id(d) => (*d, None),
            _ => return self.err("bad destination"),
        };
        if pn.is_some() {
            self.argn(i, 6, 6)?;
        }
        let Arg::Int(lut) = g[4] else { return self.err("the table of lop3 must be a constant") };
        let (d, a, b, c) = (
            self.reg(dn)?.0,
            self.src(&g[1], Ty::B32)?,
            self.src(&g[2], Ty::B32)?,
            self.src(&g[3], Ty::B32)?,
        );
        self.alu(A::Lop3, d, a, b, c, lut as u32 & 0xff);
        if let Some(p) = pn {
            let p = self.pred_d(p)?;
            let q = self.psrc(&g[5])?;
            let z = self.konst(0);
            let comb = if boolop == Some(0) { 1 } else { 2 };
            self.emit(Op::Setp {
                ct: CT::U32,
                cmp: Cmp::Ne,
                ftz: false,
                comb,
                a: d,
                b: z,
                p,
                q: NOPRED,
                c: q,
            });
        }
        Ok(())
    }

    /// `szext`: a value of a given number of bits, extended.
    pub(super) fn szext(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 3, 3)?;
        let t = m.ty()?;
        let wrap = m.take("wrap");
        m.take("clamp");
        m.done()?;
        let f = [A::SzextU, A::SzextS, A::SzextWU, A::SzextWS][wrap as usize * 2 + t.signed() as usize];
        let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], Ty::B32)?);
        self.alu(f, d, a, b, b, 0);
        Ok(())
    }

    /// `bmsk`: a mask of a given number of bits.
    pub(super) fn bmsk(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 3, 3)?;
        let wrap = m.take("wrap");
        m.take("clamp");
        m.take("b32");
        m.done()?;
        let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?);
        self.alu(if wrap { A::BmskW } else { A::BmskC }, d, a, b, b, 0);
        Ok(())
    }

    /// `fns`: the n-th bit that is set.
    pub(super) fn fns(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        m.take("b32");
        m.done()?;
        let (d, a, b, c) =
            (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        self.alu(A::Fns, d, a, b, c, 0);
        Ok(())
    }
}
