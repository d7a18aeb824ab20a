//! Addresses: from one state space to another.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{A, LOCAL_WIN, Op, SHARED_WIN};
use crate::ptx::{Inst, Res, Space, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// `cvta`: between generic addresses and those of a space.
    pub(super) fn cvta(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let to = m.take("to");
        let sp = self.space(&mut m)?;
        let t = m.ty()?;
        m.done()?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let win = match sp {
            Space::Shared => SHARED_WIN,
            Space::Local => LOCAL_WIN,
            _ => 0,
        };
        if win == 0 {
            self.alu(A::Mov, d, a, a, a, 0);
        } else {
            self.emit(Op::Cvta { to, win, d, a });
        }
        Ok(())
    }

    /// `isspacep`: whether an address is in a space.
    pub(super) fn isspacep(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let space = self.space(&mut m)?;
        m.done()?;
        let p = self.pdst(&g[0])?;
        let a = self.src(&g[1], Ty::B64)?;
        self.emit(Op::IsSpace { space, p, a });
        Ok(())
    }
}
