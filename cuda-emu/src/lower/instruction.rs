//! Instructions, by name; those with much to say are in files of their own.

use super::*;

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn inst(&mut self, i: &Inst<'a>) -> Res<()> {
        let mut it = i.op.split('.');
        let name = it.next().unwrap_or("");
        let mut m = Mods { v: it.collect(), op: i.op, line: i.line };
        let g = &i.args;
        match name {
            "ld" | "ldu" => self.load(i, m),
            "st" => self.store(i, m),
            "mov" => self.mov(i, m),
            "add" | "sub" | "addc" | "subc" | "mul" | "mad" | "madc" | "fma" | "div" | "rem" | "min"
            | "max" | "abs" | "neg" | "sqrt" | "rsqrt" | "rcp" | "ex2" | "lg2" | "sin" | "cos" | "tanh"
            | "copysign" => self.arith(name, i, m),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" => self.logic(name, i, m),
            "shf" => {
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
                let (d, a, b, c) = (
                    self.d(&g[0])?,
                    self.src(&g[1], Ty::B32)?,
                    self.src(&g[2], Ty::B32)?,
                    self.src(&g[3], Ty::B32)?,
                );
                self.alu(f, d, a, b, c, 0);
                Ok(())
            }
            "prmt" => {
                self.argn(i, 4, 4)?;
                m.take("b32");
                let mode = m.one(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]).map_or(0, |x| x as u32 + 1);
                m.done()?;
                let (d, a, b, c) = (
                    self.d(&g[0])?,
                    self.src(&g[1], Ty::B32)?,
                    self.src(&g[2], Ty::B32)?,
                    self.src(&g[3], Ty::B32)?,
                );
                self.alu(A::Prmt, d, a, b, c, mode);
                Ok(())
            }
            "bfe" => {
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
                let (d, a, b, c) = (
                    self.d(&g[0])?,
                    self.src(&g[1], t)?,
                    self.src(&g[2], Ty::B32)?,
                    self.src(&g[3], Ty::B32)?,
                );
                self.alu(f, d, a, b, c, 0);
                Ok(())
            }
            "bfi" => {
                self.argn(i, 5, 5)?;
                let t = m.ty()?;
                m.done()?;
                let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?);
                let (c, e) = (self.src(&g[3], Ty::B32)?, self.src(&g[4], Ty::B32)?);
                self.emit(Op::Bfi { w64: t.size() == 8, d, a, b, c, e });
                Ok(())
            }
            "brev" | "clz" | "popc" => {
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
            "bfind" => {
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
            "sad" => {
                self.argn(i, 4, 4)?;
                let t = m.ty()?;
                m.done()?;
                let f = match t {
                    Ty::U16 => A::SadU16,
                    Ty::S16 => A::SadS16,
                    Ty::U32 => A::SadU32,
                    Ty::S32 => A::SadS32,
                    Ty::U64 => A::SadU64,
                    Ty::S64 => A::SadS64,
                    _ => return m.bad(),
                };
                let (d, a, b, c) =
                    (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?, self.src(&g[3], t)?);
                self.alu(f, d, a, b, c, 0);
                Ok(())
            }
            "mul24" | "mad24" => {
                let t = m.ty()?;
                let hi = m.take("hi");
                m.take("lo");
                m.done()?;
                let k = (hi as usize) * 2 + t.signed() as usize;
                let mad = name == "mad24";
                self.argn(i, 3 + mad as usize, 3 + mad as usize)?;
                let f = if mad {
                    [A::Mad24LoU, A::Mad24LoS, A::Mad24HiU, A::Mad24HiS][k]
                } else {
                    [A::Mul24LoU, A::Mul24LoS, A::Mul24HiU, A::Mul24HiS][k]
                };
                let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?);
                let c = if mad { self.src(&g[3], t)? } else { a };
                self.alu(f, d, a, b, c, 0);
                Ok(())
            }
            "lop3" => {
                // lop3.b32 d, a, b, c, lut;  lop3.or.b32 d|p, a, b, c, lut, q;
                let boolop = m.one(&["and", "or"]);
                m.take("b32");
                m.done()?;
                let (dn, pn) = match &g[0] {
                    Arg::Pair(d, p) => (*d, Some(*p)),
                    Arg::Id(d) => (*d, None),
                    _ => return self.err("bad destination"),
                };
                self.argn(i, 5, 6)?;
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
            "dp4a" | "dp2a" => {
                self.argn(i, 4, 4)?;
                let bt = m.ty()?;
                let at = m.ty()?;
                let hi = m.take("hi");
                m.take("lo");
                m.done()?;
                let x = at.signed() as u32 | (bt.signed() as u32) << 1 | (hi as u32) << 2;
                let (d, a, b, c) = (
                    self.d(&g[0])?,
                    self.src(&g[1], Ty::B32)?,
                    self.src(&g[2], Ty::B32)?,
                    self.src(&g[3], Ty::B32)?,
                );
                self.alu(if name == "dp4a" { A::Dp4a } else { A::Dp2a }, d, a, b, c, x);
                Ok(())
            }
            "szext" => {
                self.argn(i, 3, 3)?;
                let t = m.ty()?;
                let wrap = m.take("wrap");
                m.take("clamp");
                m.done()?;
                let f =
                    [A::SzextU, A::SzextS, A::SzextWU, A::SzextWS][wrap as usize * 2 + t.signed() as usize];
                let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], Ty::B32)?);
                self.alu(f, d, a, b, b, 0);
                Ok(())
            }
            "bmsk" => {
                self.argn(i, 3, 3)?;
                let wrap = m.take("wrap");
                m.take("clamp");
                m.take("b32");
                m.done()?;
                let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?);
                self.alu(if wrap { A::BmskW } else { A::BmskC }, d, a, b, b, 0);
                Ok(())
            }
            "fns" => {
                self.argn(i, 4, 4)?;
                m.take("b32");
                m.done()?;
                let (d, a, b, c) = (
                    self.d(&g[0])?,
                    self.src(&g[1], Ty::B32)?,
                    self.src(&g[2], Ty::B32)?,
                    self.src(&g[3], Ty::B32)?,
                );
                self.alu(A::Fns, d, a, b, c, 0);
                Ok(())
            }
            "cvt" => self.cvt(i, m),
            "cvta" => {
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
            "isspacep" => {
                self.argn(i, 2, 2)?;
                let space = self.space(&mut m)?;
                m.done()?;
                let p = self.pdst(&g[0])?;
                let a = self.src(&g[1], Ty::B64)?;
                self.emit(Op::IsSpace { space, p, a });
                Ok(())
            }
            "setp" => self.setp(i, m),
            "set" => {
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
            "selp" => {
                self.argn(i, 4, 4)?;
                let t = m.ty()?;
                m.done()?;
                let d = self.d(&g[0])?;
                let (a, b, p) = (self.src(&g[1], t)?, self.src(&g[2], t)?, self.psrc(&g[3])?);
                self.emit(Op::Selp { d, a, b, p });
                Ok(())
            }
            "slct" => {
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
            "testp" => {
                self.argn(i, 2, 2)?;
                let t = m.ty()?;
                let cmp = match m.one(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"])
                {
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
            "bra" => {
                self.argn(i, 1, 1)?;
                m.take("uni");
                m.done()?;
                let Arg::Id(n) = g[0] else { return self.err("bad branch target") };
                let target = self.label(n)?;
                self.emit(Op::Bra { target });
                Ok(())
            }
            "brx" => {
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
            "call" => self.call(i),
            "ret" => {
                self.emit(if self.entry { Op::Exit } else { Op::Ret });
                Ok(())
            }
            "exit" => {
                self.emit(Op::Exit);
                Ok(())
            }
            "trap" => {
                self.emit(Op::Trap);
                Ok(())
            }
            "brkpt" => {
                self.emit(Op::Brkpt);
                Ok(())
            }
            "bar" | "barrier" => self.bar(i, m),
            "atom" | "red" => self.atom(name == "red", i, m),
            "shfl" => {
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
                let (a, b, c) =
                    (self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
                let mask = self.src(&g[4], Ty::B32)?;
                self.emit(Op::Shfl { kind, d, p, a, b, c, mask });
                Ok(())
            }
            "vote" => {
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
                let (d, pd) = if kind == VoteKind::Ballot {
                    (self.d(&g[0])?, NOPRED)
                } else {
                    (NOREG, self.pdst(&g[0])?)
                };
                self.emit(Op::Vote { kind, d, pd, p, mask });
                Ok(())
            }
            "match" => {
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
            "redux" => {
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
            "elect" => {
                self.argn(i, 2, 2)?;
                let (d, p) = self.pair(&g[0])?;
                let mask = self.src(&g[1], Ty::B32)?;
                self.emit(Op::Elect { d, p, mask });
                Ok(())
            }
            "activemask" => {
                self.argn(i, 1, 1)?;
                let d = self.d(&g[0])?;
                self.emit(Op::Activemask { d });
                Ok(())
            }
            "membar" | "fence" => {
                self.emit(Op::Fence);
                Ok(())
            }
            "nanosleep" => {
                self.emit(Op::Yield);
                Ok(())
            }
            "cp" => self.cp(i, m),
            "mbarrier" => self.mbarrier(i, m),
            "prefetch" | "prefetchu" | "pmevent" | "griddepcontrol" | "setmaxnreg" | "applypriority"
            | "discard" => {
                self.emit(Op::Nop);
                Ok(())
            }
            "createpolicy" => {
                let d = self.d(&g[0])?;
                let z = self.konst(0);
                self.alu(A::Mov, d, z, z, z, 0);
                Ok(())
            }
            _ => m.bad(),
        }
    }
}
