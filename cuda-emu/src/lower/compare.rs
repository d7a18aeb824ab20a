//! Comparisons, and choices.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{A, CT, Cmp, NOPRED, Op, P};
use crate::ptx::{Arg, Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn setp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        self.argn(i, 3, 4)?;
        let g = &i.args;
        let t = m.ty()?;
        let (p, q) = match &g[0] {
            Arg::Pair(p, q) => (self.pred_d(p)?, self.pred_d(q)?),
            a => (self.pdst(a)?, NOPRED),
        };
        let c = if g.len() == 4 { self.psrc(&g[3])? } else { NOPRED };
        self.compare(&mut m, t, &g[1], &g[2], p, q, c)
    }

    #[expect(clippy::too_many_arguments, reason = "all of one operand")]
    pub(super) fn compare(
        &mut self,
        m: &mut Mods<'a>,
        t: Ty,
        a: &Arg<'a>,
        b: &Arg<'a>,
        p: P,
        q: P,
        c: P,
    ) -> Res<()> {
        const NAMES: [&str; 18] = [
            "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan", "lo",
            "ls", "hi", "hs",
        ];
        const OPS: [Cmp; 18] = [
            Cmp::Eq,
            Cmp::Ne,
            Cmp::Lt,
            Cmp::Le,
            Cmp::Gt,
            Cmp::Ge,
            Cmp::Equ,
            Cmp::Neu,
            Cmp::Ltu,
            Cmp::Leu,
            Cmp::Gtu,
            Cmp::Geu,
            Cmp::Num,
            Cmp::Nan,
            Cmp::Lt,
            Cmp::Le,
            Cmp::Gt,
            Cmp::Ge,
        ];
        let ftz = m.take("ftz");
        let comb = m.one(&["and", "or", "xor"]).map_or(0, |x| x as u8 + 1);
        let Some(k) = m.one(&NAMES) else { return m.bad() };
        m.done()?;
        let lohi = k >= 14;
        let ct = match t {
            Ty::S16 if !lohi => CT::S16,
            Ty::S32 if !lohi => CT::S32,
            Ty::S64 if !lohi => CT::S64,
            Ty::F16 => CT::F16,
            Ty::BF16 => CT::BF16,
            Ty::F16x2 => CT::F16x2,
            Ty::BF16x2 => CT::BF16x2,
            Ty::F32 => CT::F32,
            Ty::F64 => CT::F64,
            _ => match t.size() {
                2 => CT::U16,
                4 => CT::U32,
                8 => CT::U64,
                _ => return m.bad(),
            },
        };
        if !t.float() && (6..14).contains(&k) {
            return m.bad();
        }
        let (a, b) = (self.src(a, t)?, self.src(b, t)?);
        self.emit(Op::Setp { ct, cmp: OPS[k], ftz, comb, a, b, p, q, c });
        Ok(())
    }

    /// `set`: a comparison whose result is a value.
    pub(super) fn set(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 3, 4)?;
        let at = m.ty()?;
        let dt = m.ty()?;
        let p = self.new_pred();
        let c = if g.len() == 4 { self.psrc(&g[3])? } else { NOPRED };
        self.compare(&mut m, at, &g[1], &g[2], p, NOPRED, c)?;
        let one = match dt {
            Ty::F32 => 0x3f80_0000,
            Ty::F16 => 0x3c00,
            Ty::BF16 => 0x3f80,
            _ => 0xffff_ffff >> if dt.size() == 2 { 16 } else { 0 },
        };
        let (t, f) = (self.konst(one), self.konst(0));
        let d = self.d(&g[0])?;
        self.emit(Op::Selp { d, a: t, b: f, p });
        Ok(())
    }

    /// `selp`: a choice by a predicate.
    pub(super) fn selp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let t = m.ty()?;
        m.done()?;
        let d = self.d(&g[0])?;
        let (a, b, p) = (self.src(&g[1], t)?, self.src(&g[2], t)?, self.psrc(&g[3])?);
        self.emit(Op::Selp { d, a, b, p });
        Ok(())
    }

    /// `slct`: a choice by a sign.
    pub(super) fn slct(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let ct = m.ty()?;
        let dt = m.ty()?;
        m.take("ftz");
        m.done()?;
        let d = self.d(&g[0])?;
        let (a, b, c) = (self.src(&g[1], dt)?, self.src(&g[2], dt)?, self.src(&g[3], ct)?);
        self.alu(if ct == Ty::F32 { A::SlctF32 } else { A::SlctS32 }, d, a, b, c, 0);
        Ok(())
    }

    /// `testp`: the kind of a floating point number.
    pub(super) fn testp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let t = m.ty()?;
        let cmp = match m.one(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"]) {
            Some(0) => Cmp::Finite,
            Some(1) => Cmp::Infinite,
            Some(2) => Cmp::Number,
            Some(3) => Cmp::NotANumber,
            Some(4) => Cmp::Normal,
            Some(5) => Cmp::Subnormal,
            _ => return m.bad(),
        };
        m.done()?;
        let p = self.pdst(&g[0])?;
        let a = self.src(&g[1], t)?;
        let ct = if t == Ty::F64 { CT::Test64 } else { CT::Test32 };
        self.emit(Op::Setp { ct, cmp, ftz: false, comb: 0, a, b: a, p, q: NOPRED, c: NOPRED });
        Ok(())
    }
}
