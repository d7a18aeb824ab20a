//! Loads, stores, atomics and copies.

use super::modifiers::Mods;
use super::{Local, Lower};
use crate::ir::{A, At, AtomOp, MF_ACQ, MF_CONSTANT, MF_REL, MF_STRONG, MemOp, NOREG, Op, R};
use crate::ptx::{Arg, Inst, Res, Space, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn space(&self, m: &mut Mods<'a>) -> Res<Space> {
        let mut sp = Space::Generic;
        let mut bad = None;
        m.v.retain(|s| {
            let x = match *s {
                "global" => Space::Global,
                "shared" | "shared::cta" => Space::Shared,
                "local" => Space::Local,
                "const" => Space::Const,
                "param" | "param::entry" | "param::func" => Space::Param,
                "shared::cluster" => Space::Shared,
                _ => {
                    if s.starts_with("const[") {
                        bad = Some(*s);
                    }
                    return true;
                }
            };
            sp = x;
            false
        });
        match bad {
            Some(s) => self.err(format!("unsupported state space {s}")),
            None => Ok(sp),
        }
    }

    pub(super) fn mem_flags(&self, m: &mut Mods<'a>) -> u8 {
        let mut f = 0;
        for s in ["volatile", "relaxed"] {
            if m.take(s) {
                f |= MF_STRONG;
            }
        }
        if m.take("acquire") {
            f |= MF_STRONG | MF_ACQ;
        }
        if m.take("release") {
            f |= MF_STRONG | MF_REL;
        }
        if m.take("acq_rel") {
            f |= MF_STRONG | MF_ACQ | MF_REL;
        }
        if m.take("nc") {
            f |= MF_CONSTANT;
        }
        for s in [
            "weak", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "sys", "gpu", "cta", "cluster", "mmio",
            "unified",
        ] {
            m.take(s);
        }
        m.take_prefix("L1::");
        m.take_prefix("L2::");
        f
    }

    /// Registers of a possibly vector operand, with 128-bit ones as pairs of rows.
    pub(super) fn elems(&mut self, a: &Arg<'a>, ty: Ty, store: bool) -> Res<Vec<(R, Ty)>> {
        let list: Vec<&Arg<'a>> = match a {
            Arg::Vec(v) => v.iter().collect(),
            x => vec![x],
        };
        let mut out = Vec::new();
        for x in list {
            if ty == Ty::B128 {
                let (r, _) = self.dst(x)?;
                out.push((r, Ty::B64));
                out.push((r + 1, Ty::B64));
            } else if store {
                out.push((self.src(x, ty)?, ty));
            } else {
                out.push(self.dst(x)?);
            }
        }
        Ok(out)
    }

    pub(super) fn load(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        self.argn(i, 2, 3)?;
        let flags = self.mem_flags(&mut m);
        let space = self.space(&mut m)?;
        let n = self.vecn(&mut m);
        let ty = m.ty()?;
        m.done()?;
        let regs = self.elems(&i.args[0], ty, false)?;
        let want = n * if ty == Ty::B128 { 2 } else { 1 };
        if regs.len() != want as usize {
            return self.err("number of registers does not fit the vector length");
        }
        let ety = if ty == Ty::B128 { Ty::B64 } else { ty };
        if let (Space::Param, Arg::Addr(n, off)) = (space, &i.args[1])
            && let Some(Local::Param { row, size }) = self.lookup(n)
        {
            for (k, (d, dt)) in regs.iter().enumerate() {
                let o = off + (k as u32 * ety.size()) as i64;
                self.param_field(*off + (k as i64 * ety.size() as i64), ety, size)?;
                let x = ((o as u32 % 8) * 8) | ((ety.size() * 8) << 8) | (dt.size() * 8) << 16;
                let f = if ety.signed() { A::ExtractS } else { A::ExtractU };
                let src = row + (o / 8) as R;
                if ety.size() == 8 {
                    self.alu(A::Mov, *d, src, src, src, 0);
                } else {
                    self.alu(f, *d, src, src, src, x);
                }
            }
            return Ok(());
        }
        let (base, off) = self.addr(&i.args[1])?;
        for (k, c) in regs.chunks(4).enumerate() {
            let mut r = [self.sink; 4];
            for (j, x) in c.iter().enumerate() {
                r[j] = x.0;
            }
            let sext = if ety.signed() { ety.size() as u8 * 8 } else { 0 };
            self.emit(Op::Ld(Box::new(MemOp {
                space,
                lg: ety.size().trailing_zeros() as u8,
                sext,
                dbits: (c[0].1.size() * 8).min(64) as u8,
                n: c.len() as u8,
                flags,
                base,
                off: off + k as i64 * 4 * ety.size() as i64,
                r,
            })));
        }
        Ok(())
    }

    pub(super) fn param_field(&self, off: i64, ty: Ty, size: u64) -> Res<()> {
        if off < 0 || off as u64 + ty.size() as u64 > size || off % 8 + ty.size() as i64 > 8 {
            return self.err("parameter access out of range or not aligned");
        }
        Ok(())
    }

    pub(super) fn vecn(&self, m: &mut Mods<'a>) -> u32 {
        match m.one(&["v2", "v4", "v8"]) {
            Some(i) => 2 << i,
            None => 1,
        }
    }

    pub(super) fn store(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        if m.v.first().is_some_and(|s| *s == "async" || *s == "bulk") {
            return m.bad();
        }
        self.argn(i, 2, 3)?;
        let flags = self.mem_flags(&mut m);
        let space = self.space(&mut m)?;
        let n = self.vecn(&mut m);
        let ty = m.ty()?;
        m.done()?;
        let regs = self.elems(&i.args[1], ty, true)?;
        let want = n * if ty == Ty::B128 { 2 } else { 1 };
        if regs.len() != want as usize {
            return self.err("number of registers does not fit the vector length");
        }
        let ety = if ty == Ty::B128 { Ty::B64 } else { ty };
        if let (Space::Param, Arg::Addr(n, off)) = (space, &i.args[0])
            && let Some(Local::Param { row, size }) = self.lookup(n)
        {
            for (k, (r, _)) in regs.iter().enumerate() {
                let o = off + k as i64 * ety.size() as i64;
                self.param_field(o, ety, size)?;
                let x = ((o as u32 % 8) * 8) | ((ety.size() * 8) << 8);
                let d = row + (o / 8) as R;
                if ety.size() == 8 {
                    self.alu(A::Mov, d, *r, *r, *r, 0);
                } else {
                    self.alu(A::Insert, d, *r, *r, d, x);
                }
            }
            return Ok(());
        }
        if space == Space::Const {
            return self.err("store to constant memory");
        }
        let (base, off) = self.addr(&i.args[0])?;
        for (k, c) in regs.chunks(4).enumerate() {
            let mut r = [self.sink; 4];
            for (j, x) in c.iter().enumerate() {
                r[j] = x.0;
            }
            self.emit(Op::St(Box::new(MemOp {
                space,
                lg: ety.size().trailing_zeros() as u8,
                sext: 0,
                dbits: 64,
                n: c.len() as u8,
                flags,
                base,
                off: off + k as i64 * 4 * ety.size() as i64,
                r,
            })));
        }
        Ok(())
    }

    pub(super) fn atom(&mut self, red: bool, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        if m.v.first() == Some(&"async") {
            return m.bad();
        }
        let g = &i.args;
        // `.cta` is a scope, `.and` and so on are operations.
        let flags = self.mem_flags(&mut m) | MF_STRONG;
        let space = self.space(&mut m)?;
        let n = self.vecn(&mut m);
        m.take("noftz");
        let ty = m.ty()?;
        let op = match m.one(&["add", "and", "or", "xor", "exch", "cas", "min", "max", "inc", "dec", "sub"]) {
            Some(0) => At::Add,
            Some(1) => At::And,
            Some(2) => At::Or,
            Some(3) => At::Xor,
            Some(4) => At::Exch,
            Some(5) => At::Cas,
            Some(6) => At::Min,
            Some(7) => At::Max,
            Some(8) => At::Inc,
            Some(9) => At::Dec,
            Some(_) => At::Sub,
            None => return m.bad(),
        };
        m.done()?;
        let ok = match op {
            At::And | At::Or | At::Xor => !ty.float() && ty.size() >= 4,
            At::Exch => ty.size() >= 4,
            At::Cas => ty.size() >= 2,
            At::Inc | At::Dec => ty == Ty::U32,
            At::Add | At::Sub => ty != Ty::B128 && ty.size() >= 2 && ty != Ty::F32x2,
            At::Min | At::Max => !matches!(ty, Ty::B128 | Ty::F32x2 | Ty::F32 | Ty::F64) && ty.size() >= 2,
        };
        if !ok {
            return m.bad();
        }
        let k = if red { 0 } else { 1 };
        let need = k + 2 + (op == At::Cas) as usize;
        self.argn(i, need, need + 1)?;
        let (base, off) = self.addr(&g[k])?;
        let wide = ty == Ty::B128;
        let list = |a: &Arg<'a>| match a {
            Arg::Vec(v) => v.clone(),
            x => vec![x.clone()],
        };
        let bs = list(&g[k + 1]);
        let ds = if red { vec![] } else { list(&g[0]) };
        if bs.len() != n as usize {
            return self.err("number of registers does not fit the vector length");
        }
        for (j, b) in bs.iter().enumerate() {
            let d = if red { self.sink } else { self.d(&ds[j])? };
            let b = if wide { self.d(b)? } else { self.src(b, ty)? };
            let c = match op {
                At::Cas if wide => self.d(&g[k + 2])?,
                At::Cas => self.src(&g[k + 2], ty)?,
                _ => b,
            };
            self.emit(Op::Atom(Box::new(AtomOp {
                op,
                ty,
                space,
                flags,
                d,
                base,
                off: off + j as i64 * ty.size() as i64,
                b,
                c,
            })));
        }
        Ok(())
    }

    pub(super) fn cp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        if !m.take("async") || m.v.first().is_some_and(|s| matches!(*s, "bulk" | "mbarrier" | "reduce")) {
            return m.bad();
        }
        if m.take("commit_group") || m.take("wait_group") || m.take("wait_all") {
            m.done()?;
            self.emit(Op::Nop);
            return Ok(());
        }
        let g = &i.args;
        self.argn(i, 3, 5)?;
        m.take("ca");
        m.take("cg");
        m.take_prefix("L2::");
        if !(m.take("shared") || m.take("shared::cta")) || !m.take("global") {
            return m.bad();
        }
        m.done()?;
        let Arg::Int(size) = g[2] else { return self.err("the size of cp.async must be a constant") };
        if !matches!(size, 4 | 8 | 16) {
            return self.err("bad size of cp.async");
        }
        let srcsize = match g.get(3) {
            Some(a @ (Arg::Int(_) | Arg::Id(_))) => match a {
                Arg::Id(n) if matches!(self.lookup(n), Some(Local::Pred(_))) => {
                    let p = self.psrc(a)?;
                    let (z, s) = (self.konst(0), self.konst(size));
                    let d = self.new_row();
                    self.emit(Op::Selp { d, a: z, b: s, p });
                    d
                }
                _ => self.src(a, Ty::B32)?,
            },
            _ => NOREG,
        };
        let (db, doff) = self.addr(&g[0])?;
        let (sb, soff) = self.addr(&g[1])?;
        let mk = |space, base, off| {
            Box::new(MemOp {
                space,
                lg: size.trailing_zeros() as u8,
                sext: 0,
                dbits: 64,
                n: 1,
                flags: 0,
                base,
                off,
                r: [0; 4],
            })
        };
        self.emit(Op::CpAsync {
            dst: mk(Space::Shared, db, doff),
            src: mk(Space::Global, sb, soff),
            size: size as u32,
            srcsize,
        });
        Ok(())
    }
}
