//! Moves and conversions.

use super::Lower;
use super::modifiers::{Mods, pick};
use super::special::sreg;
use crate::ir::{A, FX_BF16, FX_RELU, FX_RND, FX_SAT, NOPRED, Op, P, R, RINT, RN};
use crate::num;
use crate::ptx::{Arg, Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn pair(&self, a: &Arg<'a>) -> Res<(R, P)> {
        match a {
            Arg::Pair(d, p) => Ok((self.reg(d)?.0, self.pred_d(p)?)),
            Arg::Id(d) => Ok((self.reg(d)?.0, NOPRED)),
            _ => self.err("bad destination"),
        }
    }

    pub(super) fn mov(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        self.argn(i, 2, 2)?;
        let t = m.ty()?;
        m.done()?;
        let g = &i.args;
        if t == Ty::Pred {
            let d = self.pdst(&g[0])?;
            let a = self.psrc(&g[1])?;
            self.emit(Op::Pred { kind: 0, d, a, b: a });
            return Ok(());
        }
        match (&g[0], &g[1]) {
            (Arg::Vec(dv), src) => {
                if t == Ty::B128 {
                    let (s, _) = self.dst(src)?;
                    for (k, d) in dv.iter().enumerate() {
                        let d = self.d(d)?;
                        let s = s + k as R;
                        self.alu(A::Mov, d, s, s, s, 0);
                    }
                    return Ok(());
                }
                let s = self.src(src, t)?;
                let bits = t.size() * 8 / dv.len() as u32;
                for (k, d) in dv.iter().enumerate() {
                    if let Arg::Id("_") = d {
                        continue;
                    }
                    let (d, dt) = self.dst(d)?;
                    self.alu(
                        A::ExtractU,
                        d,
                        s,
                        s,
                        s,
                        (k as u32 * bits) | (bits << 8) | (dt.size() * 8) << 16,
                    );
                }
            }
            (_, Arg::Vec(sv)) => {
                let (d, _) = self.dst(&g[0])?;
                if t == Ty::B128 {
                    let a = self.src(&sv[0], Ty::B64)?;
                    let b = self.src(&sv[1], Ty::B64)?;
                    self.alu(A::Mov, d, a, a, a, 0);
                    self.alu(A::Mov, d + 1, b, b, b, 0);
                    return Ok(());
                }
                let bits = t.size() * 8 / sv.len() as u32;
                let et = pick(bits, Ty::B16, Ty::B32, Ty::B8);
                let mut acc = self.src(&sv[0], et)?;
                for (k, s) in sv.iter().enumerate().skip(1) {
                    let b = self.src(s, et)?;
                    let to = if k + 1 == sv.len() { d } else { self.new_row() };
                    self.alu(A::Pack, to, acc, b, b, (k as u32 * bits) | (bits << 8));
                    acc = to;
                }
            }
            _ => {
                let (d, _) = self.dst(&g[0])?;
                if t == Ty::B128 {
                    let (s, _) = self.dst(&g[1])?;
                    self.alu(A::Mov, d, s, s, s, 0);
                    self.alu(A::Mov, d + 1, s + 1, s + 1, s + 1, 0);
                    return Ok(());
                }
                if let Arg::Id(n) = g[1]
                    && n.starts_with('%')
                    && self.lookup(n).is_none()
                    && let Some(which) = sreg(n)
                {
                    self.emit(Op::Sreg { d, which });
                    return Ok(());
                }
                let s = self.src(&g[1], t)?;
                self.alu(A::Mov, d, s, s, s, 0);
            }
        }
        Ok(())
    }

    pub(super) fn cvt(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        if m.take("pack") {
            return m.bad();
        }
        // The types are the last two modifiers that are types.
        let at = m.ty()?;
        let tf32 = m.v.last() == Some(&"tf32");
        let dt = if tf32 {
            m.v.pop();
            Ty::B32
        } else {
            match m.ty() {
                Ok(t) => t,
                Err(_) => return m.bad(),
            }
        };
        let ftz = m.take("ftz");
        let satf = m.take("satfinite");
        let sat = m.take("sat") || (satf && !matches!(dt, Ty::F16x2 | Ty::BF16x2));
        let relu = m.take("relu");
        let (rnd, rint) = match m.one(&["rni", "rzi", "rmi", "rpi"]) {
            Some(k) => (k as u32, true),
            None => (m.rnd(), false),
        };
        m.done()?;
        if matches!(dt, Ty::F16x2 | Ty::BF16x2) {
            self.argn(i, 3, 3)?;
            if at != Ty::F32 {
                return m.bad();
            }
            let d = self.d(&g[0])?;
            let (a, b) = (self.src(&g[1], at)?, self.src(&g[2], at)?);
            let mut x = rnd << FX_RND;
            for (on, bit) in [(dt == Ty::BF16x2, FX_BF16), (relu, FX_RELU), (satf, FX_SAT)] {
                if on {
                    x |= bit;
                }
            }
            self.alu(A::CvtPack, d, a, b, b, x);
            return Ok(());
        }
        self.argn(i, 2, 2)?;
        let (d, rt) = self.dst(&g[0])?;
        let a = self.src(&g[1], at)?;
        let dbits = (rt.size() * 8).min(64);
        if !at.float() && !dt.float() && !sat && !tf32 {
            let (ab, db) = (at.size() * 8, dt.size() * 8);
            // The value is cut to the narrower type, and extended by the sign of the type it is cut to.
            let (from, signed) = if db <= ab { (db, dt.signed()) } else { (ab, at.signed()) };
            let to = if dt.signed() { dbits.max(db) } else { db };
            self.alu(A::CvtInt, d, a, a, a, from | (signed as u32) << 8 | to.min(dbits) << 16);
            return Ok(());
        }
        let simple = !sat && !ftz && !relu && !rint && !tf32;
        let f = match (dt, at) {
            (Ty::F64, Ty::F32) if simple => Some(A::CvtF32F64),
            (Ty::F32, Ty::F64) if simple && rnd == RN => Some(A::CvtF64F32),
            (Ty::F32, Ty::S32) if simple && rnd == RN => Some(A::CvtS32F32),
            (Ty::F32, Ty::U32) if simple && rnd == RN => Some(A::CvtU32F32),
            (Ty::F64, Ty::S32) if simple => Some(A::CvtS32F64),
            (Ty::F64, Ty::U32) if simple => Some(A::CvtU32F64),
            (Ty::F64, Ty::S64) if simple && rnd == RN => Some(A::CvtS64F64),
            (Ty::F64, Ty::U64) if simple && rnd == RN => Some(A::CvtU64F64),
            _ => None,
        };
        if let Some(f) = f {
            self.alu(f, d, a, a, a, 0);
            return Ok(());
        }
        let mut x = num::cvt_code(dt, at, rnd | if rint { RINT } else { 0 });
        for (on, bit) in [(sat, num::CX_SAT), (ftz, num::CX_FTZ), (relu, num::CX_RELU), (tf32, num::CX_TF32)]
        {
            if on {
                x |= bit;
            }
        }
        // Width of the destination register, in units of 8 bits.
        x |= (dbits / 8) << 24;
        self.alu(A::Cvt, d, a, a, a, x);
        Ok(())
    }
}
