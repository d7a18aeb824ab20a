//! Comparisons.

use super::*;

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
}
