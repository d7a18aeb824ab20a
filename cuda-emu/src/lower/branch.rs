//! Branches.

use super::modifiers::Mods;
use super::{Local, Lower};
use crate::ir::Op;
use crate::ptx::{Arg, Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// `bra`.
    pub(super) fn bra(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 1, 1)?;
        m.take("uni");
        m.done()?;
        let Arg::Id(n) = g[0] else { return self.err("bad branch target") };
        let target = self.label(n)?;
        self.emit(Op::Bra { target });
        Ok(())
    }

    /// `brx.idx`: a branch by an index.
    pub(super) fn brx(&mut self, i: &Inst<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 2, 2)?;
        let a = self.src(&g[0], Ty::U32)?;
        let Arg::Id(n) = g[1] else { return self.err("bad branch target list") };
        let Some(Local::Targets(v)) = self.lookup(n) else {
            return self.err(format!("unknown target list '{n}'"));
        };
        let targets = v.iter().map(|n| self.label(n)).collect::<Res<Box<[u32]>>>()?;
        self.emit(Op::Brx { targets, a });
        Ok(())
    }
}
