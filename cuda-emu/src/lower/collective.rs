//! Operations among the lanes of a warp.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{NOPRED, NOREG, Op, ShflKind, VoteKind};
use crate::ptx::{Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// `shfl.sync`.
    pub(super) fn shfl(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        if !m.take("sync") {
            return self.err("shfl without .sync is not supported (removed from sm_70 on)");
        }
        self.argn(i, 5, 5)?;
        m.take("b32");
        let kind = match m.one(&["up", "down", "bfly", "idx"]) {
            Some(0) => ShflKind::Up,
            Some(1) => ShflKind::Down,
            Some(2) => ShflKind::Bfly,
            Some(3) => ShflKind::Idx,
            _ => return m.bad(),
        };
        m.done()?;
        let (d, p) = self.pair(&g[0])?;
        let (a, b, c) = (self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        let mask = self.src(&g[4], Ty::B32)?;
        self.emit(Op::Shfl { kind, d, p, a, b, c, mask });
        Ok(())
    }

    /// `vote.sync`.
    pub(super) fn vote(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        if !m.take("sync") {
            return self.err("vote without .sync is not supported (removed from sm_70 on)");
        }
        self.argn(i, 3, 3)?;
        m.take("pred");
        m.take("b32");
        let kind = match m.one(&["all", "any", "uni", "ballot"]) {
            Some(0) => VoteKind::All,
            Some(1) => VoteKind::Any,
            Some(2) => VoteKind::Uni,
            Some(3) => VoteKind::Ballot,
            _ => return m.bad(),
        };
        m.done()?;
        let p = self.psrc(&g[1])?;
        let mask = self.src(&g[2], Ty::B32)?;
        let (d, pd) =
            if kind == VoteKind::Ballot { (self.d(&g[0])?, NOPRED) } else { (NOREG, self.pdst(&g[0])?) };
        self.emit(Op::Vote { kind, d, pd, p, mask });
        Ok(())
    }

    /// `match.sync`.
    pub(super) fn match_sync(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 3, 3)?;
        m.take("sync");
        let all = m.take("all");
        m.take("any");
        let t = m.ty()?;
        m.done()?;
        let (d, p) = self.pair(&g[0])?;
        let a = self.src(&g[1], t)?;
        let mask = self.src(&g[2], Ty::B32)?;
        self.emit(Op::Match { all, w64: t.size() == 8, d, p, a, mask });
        Ok(())
    }

    /// `redux.sync`.
    pub(super) fn redux(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 3, 3)?;
        m.take("sync");
        let t = m.ty()?;
        let op = match m.one(&["add", "min", "max", "and", "or", "xor"]) {
            Some(1) if t == Ty::S32 => 6,
            Some(2) if t == Ty::S32 => 7,
            Some(x) if !t.float() => x as u8,
            _ => return m.bad(),
        };
        m.done()?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let mask = self.src(&g[2], Ty::B32)?;
        self.emit(Op::Redux { op, d, a, mask });
        Ok(())
    }

    /// `elect.sync`.
    pub(super) fn elect(&mut self, i: &Inst<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let (d, p) = self.pair(&g[0])?;
        let mask = self.src(&g[1], Ty::B32)?;
        self.emit(Op::Elect { d, p, mask });
        Ok(())
    }

    /// `activemask`.
    pub(super) fn activemask(&mut self, i: &Inst<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 1, 1)?;
        let d = self.d(&g[0])?;
        self.emit(Op::Activemask { d });
        Ok(())
    }
}
