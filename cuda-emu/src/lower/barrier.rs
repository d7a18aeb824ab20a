//! Barriers, of blocks and in shared memory.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{BarKind, MbarKind, NOPRED, NOREG, Op, P, R};
use crate::ptx::{Arg, Inst, Res, Space, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn bar(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        if m.take("warp") {
            m.take("sync");
            m.done()?;
            self.argn(i, 1, 1)?;
            let mask = self.src(&g[0], Ty::B32)?;
            self.emit(Op::BarWarp { mask });
            return Ok(());
        }
        let z = self.konst(0);
        if m.take("cluster") {
            // A cluster is always one block here.
            for s in ["release", "relaxed", "acquire", "aligned"] {
                m.take(s);
            }
            if m.take("arrive") {
                self.emit(Op::Fence);
            } else if m.take("wait") {
                let id = self.konst(16);
                self.emit(Op::Bar {
                    kind: BarKind::Sync,
                    aligned: false,
                    id,
                    cnt: NOREG,
                    d: NOREG,
                    pd: NOPRED,
                    p: 0,
                });
            } else {
                return m.bad();
            }
            return m.done();
        }
        m.take("cta");
        // `bar` is `barrier.cta.aligned`
        let aligned = m.take("aligned") || i.op.starts_with("bar.");
        let (kind, d, pd, rest): (BarKind, R, P, &[Arg<'a>]) = if m.take("sync") {
            (BarKind::Sync, NOREG, NOPRED, &g[..])
        } else if m.take("arrive") {
            (BarKind::Arrive, NOREG, NOPRED, &g[..])
        } else if m.take("red") {
            if g.len() < 3 {
                return self.err("wrong number of operands");
            }
            match m.one(&["popc", "and", "or"]) {
                Some(0) => (BarKind::Popc, self.d(&g[0])?, NOPRED, &g[1..]),
                Some(1) => (BarKind::And, NOREG, self.pdst(&g[0])?, &g[1..]),
                Some(_) => (BarKind::Or, NOREG, self.pdst(&g[0])?, &g[1..]),
                None => return m.bad(),
            }
        } else {
            return m.bad();
        };
        m.take("pred");
        m.take("u32");
        m.done()?;
        let red = matches!(kind, BarKind::And | BarKind::Or | BarKind::Popc);
        let p = if red { self.psrc(&rest[rest.len() - 1])? } else { 0 };
        let rest = if red { &rest[..rest.len() - 1] } else { rest };
        if rest.is_empty() || rest.len() > 2 {
            return self.err("wrong number of operands");
        }
        let id = self.src(&rest[0], Ty::B32)?;
        let cnt = if rest.len() > 1 { self.src(&rest[1], Ty::B32)? } else { NOREG };
        let _ = z;
        self.emit(Op::Bar { kind, aligned, id, cnt, d, pd, p });
        Ok(())
    }

    pub(super) fn mbarrier(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        let kind = m.v.first().copied().unwrap_or("");
        m.v.remove(0);
        for s in ["b64", "relaxed", "acquire", "release", "cta", "cluster"] {
            m.take(s);
        }
        let space = if m.take("shared") || m.take("shared::cta") || m.take("shared::cluster") {
            Space::Shared
        } else {
            Space::Generic
        };
        let nocomplete = m.take("noComplete");
        let expect = m.take("expect_tx");
        let parity = m.take("parity");
        m.done()?;
        let z = self.konst(0);
        let one = self.konst(1);
        if kind == "pending_count" {
            self.argn(i, 2, 2)?;
            let d = self.d(&g[0])?;
            let a = self.src(&g[1], Ty::B64)?;
            self.emit(Op::Mbar { kind: MbarKind::PendingCount, d, p: NOPRED, base: z, off: 0, a, space });
            return Ok(());
        }
        // The address is the first address operand.
        let Some(ai) = g.iter().position(|a| matches!(a, Arg::Addr(..) | Arg::AddrAbs(_))) else {
            return m.bad();
        };
        let (base, off) = self.addr(&g[ai])?;
        let (mut d, mut p) = (self.sink, NOPRED);
        if ai == 1 {
            match kind {
                "test_wait" | "try_wait" => p = self.pdst(&g[0])?,
                _ => d = self.d(&g[0])?,
            }
        }
        let a = match g.get(ai + 1) {
            Some(a) => self.src(a, if kind.ends_with("wait") && !parity { Ty::B64 } else { Ty::B32 })?,
            None => one,
        };
        let kind = match kind {
            "init" => MbarKind::Init,
            "inval" => MbarKind::Inval,
            "arrive" if expect => MbarKind::ArriveExpectTx,
            "arrive" if nocomplete => MbarKind::ArriveNoComplete,
            "arrive" => MbarKind::Arrive,
            "arrive_drop" if !expect => MbarKind::ArriveDrop,
            "expect_tx" => MbarKind::ExpectTx,
            "complete_tx" => MbarKind::CompleteTx,
            "test_wait" => [MbarKind::Test, MbarKind::TestParity][parity as usize],
            "try_wait" => [MbarKind::TryWait, MbarKind::TryWaitParity][parity as usize],
            _ => return m.bad(),
        };
        self.emit(Op::Mbar { kind, d, p, base, off, a, space });
        Ok(())
    }
}
