//! From the syntax tree to the compact form: names, operands, control flow.

use crate::ir::*;
use crate::num;
use crate::ptx::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Where a module-level symbol is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sym {
    /// Absolute address in global memory (global and constant variables).
    Addr(u64),
    /// Shared memory of the whole module (address).
    Shared(u32),
    DynShared,
    Func(u32),
    Builtin(Builtin),
}

/// Unit: bytes. Source: the limit of drivers before 12.1, and of all devices before sm_70.
const PARAM_LIMIT: u64 = 4096;

#[derive(Debug, Clone)]
enum Local<'a> {
    Reg { row: R, ty: Ty },
    Range { row: R, count: u32, ty: Ty },
    PRange { p: u32, count: u32 },
    Pred(u32),
    Label(u32),
    Param { row: R, size: u64 },
    KParam { off: u32 },
    OnStack(u32),
    Shared(u32),
    DynShared,
    Addr(u64),
    Targets(Vec<&'a str>),
    Proto(Proto<'a>),
}

pub(crate) struct ModuleSyms<'a> {
    pub syms: HashMap<&'a str, Sym>,
    /// Functions by index, for calls.
    pub funcs: Vec<FuncSig>,
    /// Function-level variables in global or constant space: address by (function, name).
    pub statics: HashMap<(usize, &'a str), u64>,
    pub shared_common: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct FuncSig {
    pub ret_rows: Vec<u32>,
    pub param_rows: Vec<u32>,
}

pub(crate) fn rows_of(size: u64) -> u32 {
    size.div_ceil(8).max(1) as u32
}

struct Lower<'m, 'a> {
    m: &'m ModuleSyms<'a>,
    fidx: usize,
    entry: bool,
    scopes: Vec<HashMap<&'a str, Local<'a>>>,
    ins: Vec<Ins>,
    guard: P,
    line: u32,
    rows: R,
    npred: u32,
    consts: Vec<u64>,
    cmap: HashMap<u64, R>,
    /// Position of each label in `ins`.
    labels: Vec<u32>,
    sites: Vec<CallSite>,
    local_size: u32,
    shared_top: u32,
    dyn_align: u32,
    lb_row: R,
    cc_row: R,
    sink: R,
    is_regrow: Vec<bool>,
}

struct Mods<'a> {
    v: Vec<&'a str>,
    op: &'a str,
    line: u32,
}

impl<'a> Mods<'a> {
    fn take(&mut self, s: &str) -> bool {
        match self.v.iter().position(|x| *x == s) {
            Some(i) => {
                self.v.remove(i);
                true
            }
            None => false,
        }
    }
    fn take_prefix(&mut self, s: &str) {
        self.v.retain(|x| !x.starts_with(s));
    }
    fn one(&mut self, t: &[&str]) -> Option<usize> {
        for (i, s) in t.iter().enumerate() {
            if self.take(s) {
                return Some(i);
            }
        }
        None
    }
    /// The type at the end.
    fn ty(&mut self) -> Res<Ty> {
        match self.v.last().and_then(|s| Ty::parse(s)) {
            Some(t) => {
                self.v.pop();
                Ok(t)
            }
            None => self.bad(),
        }
    }
    fn bad<T>(&self) -> Res<T> {
        err(self.line, format!("unsupported instruction '{}'", self.op))
    }
    fn done(&self) -> Res<()> {
        match self.v.first() {
            None => Ok(()),
            Some(s) => err(self.line, format!("unsupported modifier '.{s}' in '{}'", self.op)),
        }
    }
    fn rnd(&mut self) -> u32 {
        match self.one(&["rn", "rz", "rm", "rp", "rna"]) {
            Some(i) => i as u32,
            None => RN,
        }
    }
}

fn pick<T: Copy>(bits: u32, a16: T, a32: T, a64: T) -> T {
    match bits {
        16 => a16,
        32 => a32,
        _ => a64,
    }
}

impl<'m, 'a> Lower<'m, 'a> {
    fn err<T>(&self, m: impl Into<String>) -> Res<T> {
        err(self.line, m)
    }

    fn new_row(&mut self) -> R {
        self.rows += 1;
        self.is_regrow.push(true);
        self.rows - 1
    }
    fn fixed_rows(&mut self, n: u32) -> R {
        let r = self.rows;
        self.rows += n as R;
        self.is_regrow.resize(self.rows as usize, false);
        r
    }
    fn new_pred(&mut self) -> u32 {
        self.npred += 1;
        self.npred - 1
    }
    fn konst(&mut self, v: u64) -> R {
        if let Some(r) = self.cmap.get(&v) {
            return *r;
        }
        let r = !(self.consts.len() as R);
        self.consts.push(v);
        self.cmap.insert(v, r);
        r
    }
    fn emit(&mut self, op: Op) {
        self.ins.push(Ins { op, guard: self.guard, line: self.line });
    }
    fn alu(&mut self, f: A, d: R, a: R, b: R, c: R, x: u32) {
        self.emit(Op::Alu { f, d, a, b, c, x });
    }

    fn lookup(&self, name: &str) -> Option<Local<'a>> {
        for s in self.scopes.iter().rev() {
            if let Some(l) = s.get(name) {
                return Some(l.clone());
            }
            let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let (p, n) = name.split_at(name.len() - digits);
                let n: u32 = n.parse().unwrap_or(u32::MAX);
                match s.get(p) {
                    Some(Local::Range { row, count, ty }) if n < *count => {
                        return Some(Local::Reg {
                            row: row + n as R * if *ty == Ty::B128 { 2 } else { 1 },
                            ty: *ty,
                        });
                    }
                    Some(Local::PRange { p, count }) if n < *count => return Some(Local::Pred(p + n)),
                    _ => {}
                }
            }
        }
        None
    }

    fn reg(&self, name: &str) -> Res<(R, Ty)> {
        if name == "_" {
            return Ok((self.sink, Ty::B64));
        }
        match self.lookup(name) {
            Some(Local::Reg { row, ty }) => Ok((row, ty)),
            _ => self.err(format!("'{name}' is not a register")),
        }
    }
    fn dst(&self, a: &Arg<'a>) -> Res<(R, Ty)> {
        match a {
            Arg::Id(n) => self.reg(n),
            _ => self.err("destination is not a register"),
        }
    }
    fn d(&self, a: &Arg<'a>) -> Res<R> {
        Ok(self.dst(a)?.0)
    }
    fn pred_d(&self, name: &str) -> Res<P> {
        if name == "_" {
            return Ok(NOPRED);
        }
        match self.lookup(name) {
            Some(Local::Pred(p)) => Ok(p),
            _ => self.err(format!("'{name}' is not a predicate")),
        }
    }
    fn pdst(&self, a: &Arg<'a>) -> Res<P> {
        match a {
            Arg::Id(n) => self.pred_d(n),
            _ => self.err("destination is not a predicate"),
        }
    }
    /// Predicate source. Predicate 0 of each frame is always false.
    fn psrc(&self, a: &Arg<'a>) -> Res<P> {
        match a {
            Arg::Id(n) => self.pred_d(n),
            Arg::Not(n) => Ok(self.pred_d(n)? ^ PNEG),
            Arg::Int(0) => Ok(0),
            Arg::Int(_) => Ok(PNEG),
            _ => self.err("operand is not a predicate"),
        }
    }

    fn imm(&self, a: &Arg<'a>, ty: Ty) -> Option<u64> {
        let cut = |v: u64, n: u32| if n >= 8 { v } else { v & ((1u64 << (8 * n)) - 1) };
        Some(match (a, ty) {
            (Arg::Int(v), _) => cut(*v, ty.size()),
            (Arg::F32(v), Ty::F64) => (f32::from_bits(*v) as f64).to_bits(),
            (Arg::F32(v), _) => *v as u64,
            (Arg::F64(v), Ty::F32) => (f64::from_bits(*v) as f32).to_bits() as u64,
            (Arg::F64(v), _) => cut(*v, ty.size()),
            _ => return None,
        })
    }

    fn src(&mut self, a: &Arg<'a>, ty: Ty) -> Res<R> {
        if let Some(v) = self.imm(a, ty) {
            return Ok(self.konst(v));
        }
        match a {
            Arg::Id(n) => self.src_name(n, 0),
            Arg::IdOff(n, o) => self.src_name(n, *o),
            _ => self.err("unsupported operand"),
        }
    }

    fn src_name(&mut self, n: &'a str, off: i64) -> Res<R> {
        if let Some(Local::Reg { row, .. }) = self.lookup(n) {
            return Ok(row);
        }
        if n.starts_with('%') {
            let which = sreg(n);
            let Some(which) = which else {
                return self.err(format!("unknown register '{n}'"));
            };
            let r = self.new_row();
            self.emit(Op::Sreg { d: r, which });
            return Ok(r);
        }
        if n == "WARP_SZ" {
            return Ok(self.konst(32));
        }
        self.address_of(n, off)
    }

    /// Row with the address of a variable, parameter or function.
    fn address_of(&mut self, n: &'a str, off: i64) -> Res<R> {
        match self.lookup(n) {
            Some(Local::KParam { off: o }) => return Ok(self.konst(KPARAM_WIN + o as u64 + off as u64)),
            Some(Local::Param { row, .. }) => {
                let d = self.new_row();
                self.emit(Op::FnParamAddr { d, row, byte: off as u32 });
                return Ok(d);
            }
            Some(Local::OnStack(o)) => {
                let d = self.new_row();
                let k = self.konst((o as i64 + off) as u64);
                self.alu(A::Add64, d, self.lb_row, k, k, 0);
                return Ok(d);
            }
            Some(Local::Shared(o)) => return Ok(self.konst((o as i64 + off) as u64)),
            Some(Local::Addr(o)) => return Ok(self.konst(o.wrapping_add(off as u64))),
            Some(Local::DynShared) => return self.dyn_base(off),
            Some(_) => return self.err(format!("'{n}' cannot be used as a value")),
            None => {}
        }
        match self.m.syms.get(n) {
            Some(Sym::Addr(a)) => Ok(self.konst(a.wrapping_add(off as u64))),
            Some(Sym::Shared(o)) => Ok(self.konst((*o as i64 + off) as u64)),
            Some(Sym::DynShared) => self.dyn_base(off),
            Some(Sym::Func(i)) => Ok(self.konst(FUNC_WIN + *i as u64 * 16)),
            Some(Sym::Builtin(_)) => {
                self.err(format!("the address of built-in function '{n}' cannot be taken"))
            }
            None => self.err(format!("unknown name '{n}'")),
        }
    }

    fn dyn_base(&mut self, off: i64) -> Res<R> {
        let d = self.new_row();
        self.emit(Op::Sreg { d, which: Sreg::DynBase });
        if off != 0 {
            let k = self.konst(off as u64);
            self.alu(A::Add64, d, d, k, k, 0);
        }
        Ok(d)
    }

    /// Base row and offset of an address operand.
    fn addr(&mut self, a: &Arg<'a>) -> Res<(R, i64)> {
        match a {
            Arg::AddrAbs(v) => Ok((self.konst(*v), 0)),
            Arg::Addr(n, off) => {
                if let Some(Local::Reg { row, .. }) = self.lookup(n) {
                    return Ok((row, *off));
                }
                if let Some(Local::OnStack(o)) = self.lookup(n) {
                    return Ok((self.lb_row, o as i64 + off));
                }
                Ok((self.address_of(n, *off)?, 0))
            }
            _ => self.err("operand is not an address"),
        }
    }

    fn declare(&mut self, v: &Var<'a>) -> Res<()> {
        let l = match v.space {
            Space::Param => Local::Param { row: self.fixed_rows(rows_of(v.size)), size: v.size },
            Space::Local => {
                let al = v.align.max(1);
                self.local_size = self.local_size.next_multiple_of(al);
                let o = self.local_size;
                self.local_size += v.size as u32;
                Local::OnStack(o)
            }
            Space::Shared => {
                if v.is_extern || v.size == 0 {
                    self.dyn_align = self.dyn_align.max(v.align);
                    Local::DynShared
                } else {
                    self.shared_top = self.shared_top.next_multiple_of(v.align.max(1));
                    let o = self.shared_top;
                    self.shared_top += v.size as u32;
                    Local::Shared(o)
                }
            }
            _ => match self.m.statics.get(&(self.fidx, v.name)) {
                Some(a) => Local::Addr(*a),
                None => return err(v.line, "variable in this state space cannot be declared here"),
            },
        };
        self.scopes.last_mut().unwrap().insert(v.name, l);
        Ok(())
    }

    fn block(&mut self, b: &[Stmt<'a>]) -> Res<()> {
        self.scopes.push(HashMap::new());
        for s in b {
            match s {
                Stmt::Label(n) => {
                    let id = self.labels.len() as u32;
                    self.labels.push(u32::MAX);
                    self.scopes.last_mut().unwrap().insert(n, Local::Label(id));
                }
                Stmt::Targets(n, v) => {
                    self.scopes.last_mut().unwrap().insert(n, Local::Targets(v.clone()));
                }
                Stmt::Proto(n, p) => {
                    self.scopes.last_mut().unwrap().insert(n, Local::Proto(p.clone()));
                }
                _ => {}
            }
        }
        for s in b {
            match s {
                Stmt::Reg { ty, name, count } => {
                    let l = match (ty, count) {
                        (Ty::Pred, None) => Local::Pred(self.new_pred()),
                        (Ty::Pred, Some(n)) => {
                            let p = self.npred;
                            self.npred += n;
                            Local::PRange { p, count: *n }
                        }
                        (_, None) if *ty != Ty::B128 => Local::Reg { row: self.new_row(), ty: *ty },
                        _ => {
                            let n = count.unwrap_or(1);
                            let wide = *ty == Ty::B128;
                            let row = if wide { self.fixed_rows(2 * n) } else { self.rows };
                            if !wide {
                                self.rows += n as R;
                                self.is_regrow.resize(self.rows as usize, true);
                            }
                            if count.is_none() {
                                Local::Reg { row, ty: *ty }
                            } else {
                                Local::Range { row, count: n, ty: *ty }
                            }
                        }
                    };
                    self.scopes.last_mut().unwrap().insert(name, l);
                }
                Stmt::Var(v) => self.declare(v)?,
                Stmt::Label(n) => {
                    if let Some(Local::Label(id)) = self.scopes.last().unwrap().get(n) {
                        self.labels[*id as usize] = self.ins.len() as u32;
                    }
                }
                Stmt::Block(b) => self.block(b)?,
                Stmt::Inst(i) => {
                    self.line = i.line;
                    self.guard = match i.guard {
                        None => NOPRED,
                        Some((neg, n)) => self.pred_d(n)? ^ if neg { PNEG } else { 0 },
                    };
                    self.inst(i)?;
                }
                _ => {}
            }
        }
        self.scopes.pop();
        Ok(())
    }

    fn label(&self, n: &str) -> Res<u32> {
        match self.lookup(n) {
            Some(Local::Label(id)) => Ok(id),
            _ => self.err(format!("unknown label '{n}'")),
        }
    }

    fn argn(&self, i: &Inst<'a>, lo: usize, hi: usize) -> Res<()> {
        if i.args.len() < lo || i.args.len() > hi {
            return self.err(format!("wrong number of operands for '{}'", i.op));
        }
        Ok(())
    }

    fn inst(&mut self, i: &Inst<'a>) -> Res<()> {
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

    fn pair(&self, a: &Arg<'a>) -> Res<(R, P)> {
        match a {
            Arg::Pair(d, p) => Ok((self.reg(d)?.0, self.pred_d(p)?)),
            Arg::Id(d) => Ok((self.reg(d)?.0, NOPRED)),
            _ => self.err("bad destination"),
        }
    }

    fn space(&self, m: &mut Mods<'a>) -> Res<Space> {
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

    fn mem_flags(&self, m: &mut Mods<'a>) -> u8 {
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
        for s in [
            "weak", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "sys", "gpu", "cta", "cluster", "mmio",
            "unified",
        ] {
            m.take(s);
        }
        m.take_prefix("L1::");
        m.take_prefix("L2::");
        f
    }

    /// Registers of a possibly vector operand, with 128-bit ones as pairs of rows.
    fn elems(&mut self, a: &Arg<'a>, ty: Ty, store: bool) -> Res<Vec<(R, Ty)>> {
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

    fn load(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn param_field(&self, off: i64, ty: Ty, size: u64) -> Res<()> {
        if off < 0 || off as u64 + ty.size() as u64 > size || off % 8 + ty.size() as i64 > 8 {
            return self.err("parameter access out of range or not aligned");
        }
        Ok(())
    }

    fn vecn(&self, m: &mut Mods<'a>) -> u32 {
        match m.one(&["v2", "v4", "v8"]) {
            Some(i) => 2 << i,
            None => 1,
        }
    }

    fn store(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn mov(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn arith(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let t = m.ty()?;
        let g = &i.args;
        if t.float() {
            return self.farith(name, t, i, m);
        }
        let cc = m.take("cc");
        let hi = m.take("hi");
        let wide = m.take("wide");
        m.take("lo");
        let sat = m.take("sat");
        let relu = m.take("relu");
        m.done()?;
        if relu {
            return m.bad();
        }
        let bits = t.size() * 8;
        let s = t.signed();
        let unary = matches!(name, "abs" | "neg");
        let tern = matches!(name, "mad" | "madc");
        let n = if unary {
            2
        } else if tern {
            4
        } else {
            3
        };
        self.argn(i, n, n)?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = if unary { a } else { self.src(&g[2], t)? };
        let wt = match t {
            Ty::U16 => Ty::U32,
            Ty::S16 => Ty::S32,
            Ty::U32 => Ty::U64,
            Ty::S32 => Ty::S64,
            x => x,
        };
        let c = if tern { self.src(&g[3], if wide { wt } else { t })? } else { a };
        let carry_in = matches!(name, "addc" | "subc" | "madc");
        if cc || carry_in {
            if bits < 32 || sat || wide {
                return m.bad();
            }
            let k = match name {
                "add" | "addc" => 0,
                "sub" | "subc" => 1,
                _ if hi => 3,
                _ => 2,
            };
            let x =
                k | ((bits == 64) as u32) << 4 | (carry_in as u32) << 5 | (cc as u32) << 6 | (s as u32) << 7;
            self.alu(A::Carry, d, a, b, c, x);
            return Ok(());
        }
        let x2 = matches!(t, Ty::U16x2 | Ty::S16x2);
        if sat && !(bits == 32 && !x2 && matches!(name, "add" | "sub" | "mad")) {
            return m.bad();
        }
        let f = match name {
            "add" if x2 => A::AddX2,
            "min" if x2 => [A::MinUX2, A::MinSX2][(t == Ty::S16x2) as usize],
            "max" if x2 => [A::MaxUX2, A::MaxSX2][(t == Ty::S16x2) as usize],
            _ if x2 || bits == 8 => return m.bad(),
            "add" if sat => A::AddSat32,
            "sub" if sat => A::SubSat32,
            "add" => pick(bits, A::Add16, A::Add32, A::Add64),
            "sub" => pick(bits, A::Sub16, A::Sub32, A::Sub64),
            "mul" if wide => match t {
                Ty::U16 => A::MulWU16,
                Ty::S16 => A::MulWS16,
                Ty::U32 => A::MulWU32,
                Ty::S32 => A::MulWS32,
                _ => return m.bad(),
            },
            "mul" if hi && s => pick(bits, A::MulHiS16, A::MulHiS32, A::MulHiS64),
            "mul" if hi => pick(bits, A::MulHiU16, A::MulHiU32, A::MulHiU64),
            "mul" => pick(bits, A::Mul16, A::Mul32, A::Mul64),
            "mad" if wide => match t {
                Ty::U16 => A::MadWU16,
                Ty::S16 => A::MadWS16,
                Ty::U32 => A::MadWU32,
                Ty::S32 => A::MadWS32,
                _ => return m.bad(),
            },
            "mad" if sat && hi && s => A::MadHiSatS32,
            "mad" if sat => return m.bad(),
            "mad" if hi && s => pick(bits, A::MadHiS16, A::MadHiS32, A::MadHiS64),
            "mad" if hi => pick(bits, A::MadHiU16, A::MadHiU32, A::MadHiU64),
            "mad" => pick(bits, A::Mad16, A::Mad32, A::Mad64),
            "div" if s => pick(bits, A::DivS16, A::DivS32, A::DivS64),
            "div" => pick(bits, A::DivU16, A::DivU32, A::DivU64),
            "rem" if s => pick(bits, A::RemS16, A::RemS32, A::RemS64),
            "rem" => pick(bits, A::RemU16, A::RemU32, A::RemU64),
            "min" if s => pick(bits, A::MinS16, A::MinS32, A::MinS64),
            "min" => pick(bits, A::MinU16, A::MinU32, A::MinU64),
            "max" if s => pick(bits, A::MaxS16, A::MaxS32, A::MaxS64),
            "max" => pick(bits, A::MaxU16, A::MaxU32, A::MaxU64),
            "abs" => pick(bits, A::Abs16, A::Abs32, A::Abs64),
            "neg" => pick(bits, A::Neg16, A::Neg32, A::Neg64),
            _ => return m.bad(),
        };
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    fn farith(&mut self, name: &str, t: Ty, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        let rnd = m.rnd();
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let nan = m.take("NaN");
        let xors = m.take("xorsign");
        let xabs = m.take("abs");
        let relu = m.take("relu");
        m.take("noftz");
        let approx = m.take("approx");
        m.take("full");
        let mixed = m.v.iter().any(|s| Ty::parse(s).is_some());
        if mixed || t == Ty::F32x2 || xors != xabs {
            return m.bad();
        }
        m.done()?;
        let k = match name {
            "add" => FK::Add,
            "sub" => FK::Sub,
            "mul" => FK::Mul,
            "fma" | "mad" => FK::Fma,
            "div" => FK::Div,
            "min" if g.len() == 4 => FK::Min3,
            "max" if g.len() == 4 => FK::Max3,
            "min" => FK::Min,
            "max" => FK::Max,
            "abs" => FK::Abs,
            "neg" => FK::Neg,
            "sqrt" => FK::Sqrt,
            "rsqrt" => FK::Rsqrt,
            "rcp" => FK::Rcp,
            "ex2" => FK::Ex2,
            "lg2" => FK::Lg2,
            "sin" => FK::Sin,
            "cos" => FK::Cos,
            "tanh" => FK::Tanh,
            "copysign" => FK::Copysign,
            _ => return m.bad(),
        };
        let n = match k {
            FK::Fma | FK::Min3 | FK::Max3 => 3,
            FK::Add | FK::Sub | FK::Mul | FK::Div | FK::Min | FK::Max | FK::Copysign => 2,
            _ => 1,
        };
        self.argn(i, n + 1, n + 1)?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = if n > 1 { self.src(&g[2], t)? } else { a };
        let c = if n > 2 { self.src(&g[3], t)? } else { a };
        let rnd = if approx { RN } else { rnd };
        let plain = rnd == RN && !ftz && !sat && !nan && !xors && !relu;
        let mut x = k as u32 | rnd << FX_RND;
        for (on, bit) in [(ftz, FX_FTZ), (sat, FX_SAT), (nan, FX_NAN), (xors, FX_XORSIGN), (relu, FX_RELU)] {
            if on {
                x |= bit;
            }
        }
        let f = match t {
            Ty::F32 => match k {
                FK::Add if plain => A::FAdd32,
                FK::Sub if plain => A::FSub32,
                FK::Mul if plain => A::FMul32,
                FK::Fma if plain => A::FFma32,
                FK::Div if plain => A::FDiv32,
                FK::Neg if plain => A::FNeg32,
                FK::Abs if plain => A::FAbs32,
                FK::Min if plain => A::FMin32,
                FK::Max if plain => A::FMax32,
                _ => A::F32,
            },
            Ty::F64 => {
                if sat || relu {
                    return m.bad();
                }
                match k {
                    FK::Add if plain => A::FAdd64,
                    FK::Sub if plain => A::FSub64,
                    FK::Mul if plain => A::FMul64,
                    FK::Fma if plain => A::FFma64,
                    FK::Div if plain => A::FDiv64,
                    FK::Neg if plain => A::FNeg64,
                    FK::Abs if plain => A::FAbs64,
                    FK::Min if plain => A::FMin64,
                    FK::Max if plain => A::FMax64,
                    _ => A::F64,
                }
            }
            _ => {
                if matches!(k, FK::Min3 | FK::Max3 | FK::Copysign | FK::Div) {
                    return m.bad();
                }
                if matches!(t, Ty::BF16 | Ty::BF16x2) {
                    x |= FX_BF16;
                }
                if matches!(t, Ty::F16x2 | Ty::BF16x2) {
                    x |= FX_X2;
                }
                A::Half
            }
        };
        self.alu(f, d, a, b, c, x);
        Ok(())
    }

    fn logic(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn cvt(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn setp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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
    fn compare(&mut self, m: &mut Mods<'a>, t: Ty, a: &Arg<'a>, b: &Arg<'a>, p: P, q: P, c: P) -> Res<()> {
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

    fn call(&mut self, i: &Inst<'a>) -> Res<()> {
        let mut g: Vec<&Arg<'a>> = i.args.iter().collect();
        let rets: Vec<Arg<'a>> = match g.first() {
            Some(Arg::List(v)) => {
                let v = v.clone();
                g.remove(0);
                v
            }
            _ => vec![],
        };
        let Some(Arg::Id(target)) = g.first().copied() else {
            return self.err("bad call target");
        };
        let args: Vec<Arg<'a>> = match g.get(1) {
            Some(Arg::List(v)) => v.clone(),
            _ => vec![],
        };
        let proto = match g.last() {
            Some(Arg::Id(n)) => match self.lookup(n) {
                Some(Local::Proto(p)) => Some(p),
                _ => None,
            },
            _ => None,
        };
        let mut site = CallSite { callee: None, builtin: None, reg: NOREG, args: vec![], rets: vec![] };
        let (rr, pr): (Vec<u32>, Vec<u32>);
        if let Some(Local::Reg { row, .. }) = self.lookup(target) {
            site.reg = row;
            let Some(p) = proto else {
                return self.err("indirect call without a prototype");
            };
            rr = p.rets.iter().map(|v| rows_of(v.size)).collect();
            pr = p.params.iter().map(|v| rows_of(v.size)).collect();
        } else {
            match self.m.syms.get(target) {
                Some(Sym::Func(f)) => {
                    site.callee = Some(*f);
                    let s = &self.m.funcs[*f as usize];
                    rr = s.ret_rows.clone();
                    pr = s.param_rows.clone();
                }
                Some(Sym::Builtin(b)) => {
                    site.builtin = Some(*b);
                    (rr, pr) = match b {
                        Builtin::Printf => (vec![1], vec![1, 1]),
                        Builtin::Malloc => (vec![1], vec![1]),
                        Builtin::Free => (vec![], vec![1]),
                        Builtin::AssertFail => (vec![], vec![1; 5]),
                    };
                }
                _ => return self.err(format!("call of unknown function '{target}'")),
            }
        }
        if rets.len() > rr.len() || args.len() != pr.len() {
            return self.err(format!("call of '{target}' with the wrong number of arguments"));
        }
        let mut row = 0i32;
        for (k, n) in rr.iter().enumerate() {
            if let Some(a) = rets.get(k) {
                let d = match a {
                    Arg::Id(n) => match self.lookup(n) {
                        Some(Local::Param { row, .. }) => row,
                        _ => self.reg(n)?.0,
                    },
                    _ => return self.err("bad return operand"),
                };
                for j in 0..*n as i32 {
                    site.rets.push((row + j, d + j));
                }
            }
            row += *n as i32;
        }
        for (k, n) in pr.iter().enumerate() {
            let s = match &args[k] {
                Arg::Id(n) => match self.lookup(n) {
                    Some(Local::Param { row, .. }) => row,
                    _ => self.src(&args[k], Ty::B64)?,
                },
                a => self.src(a, Ty::B64)?,
            };
            for j in 0..*n as i32 {
                site.args.push((s + j, row + j));
            }
            row += *n as i32;
        }
        let builtin = site.builtin.is_some();
        let id = self.sites.len() as u32;
        self.sites.push(site);
        self.emit(Op::Call { site: id });
        if !builtin {
            self.emit(Op::CallRet { site: id });
        }
        Ok(())
    }

    fn bar(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn atom(&mut self, red: bool, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn cp(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

    fn mbarrier(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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

fn sreg(n: &str) -> Option<Sreg> {
    Some(match n {
        "%tid.x" | "%tid" => Sreg::TidX,
        "%tid.y" => Sreg::TidY,
        "%tid.z" => Sreg::TidZ,
        "%ntid.x" | "%ntid" => Sreg::NtidX,
        "%ntid.y" => Sreg::NtidY,
        "%ntid.z" => Sreg::NtidZ,
        "%ctaid.x" | "%ctaid" | "%clusterid.x" => Sreg::CtaidX,
        "%ctaid.y" | "%clusterid.y" => Sreg::CtaidY,
        "%ctaid.z" | "%clusterid.z" => Sreg::CtaidZ,
        "%nctaid.x" | "%nctaid" | "%nclusterid.x" => Sreg::NctaidX,
        "%nctaid.y" | "%nclusterid.y" => Sreg::NctaidY,
        "%nctaid.z" | "%nclusterid.z" => Sreg::NctaidZ,
        "%laneid" => Sreg::LaneId,
        "%warpid" => Sreg::WarpId,
        "%nwarpid" => Sreg::NWarpId,
        "%smid" => Sreg::SmId,
        "%nsmid" => Sreg::NSmId,
        "%gridid" => Sreg::GridId,
        "%lanemask_lt" => Sreg::LtMask,
        "%lanemask_le" => Sreg::LeMask,
        "%lanemask_gt" => Sreg::GtMask,
        "%lanemask_ge" => Sreg::GeMask,
        "%lanemask_eq" => Sreg::EqMask,
        "%clock" => Sreg::Clock,
        "%clock_hi" => Sreg::ClockHi,
        "%clock64" => Sreg::Clock64,
        "%globaltimer" => Sreg::GlobalTimer,
        "%globaltimer_lo" => Sreg::GlobalTimerLo,
        "%globaltimer_hi" => Sreg::GlobalTimerHi,
        "%dynamic_smem_size" => Sreg::DynSize,
        "%total_smem_size" | "%aggr_smem_size" => Sreg::TotalSize,
        "%envreg1" => Sreg::Env1,
        "%envreg2" => Sreg::Env2,
        "%cluster_ctarank"
        | "%cluster_ctaid.x"
        | "%cluster_ctaid.y"
        | "%cluster_ctaid.z"
        | "%is_explicit_cluster" => Sreg::Zero,
        "%cluster_nctarank" | "%cluster_nctaid.x" | "%cluster_nctaid.y" | "%cluster_nctaid.z" => Sreg::One,
        "WARP_SZ" => Sreg::WarpSize,
        _ if n.starts_with("%envreg") || n.starts_with("%pm") => Sreg::Zero,
        _ => return None,
    })
}

/// Lowers one function with a body.
pub(crate) fn function<'a>(f: &Func<'a>, fidx: usize, m: &ModuleSyms<'a>, dyn_align: &mut u32) -> Res<Code> {
    let mut l = Lower {
        m,
        fidx,
        entry: f.entry,
        scopes: vec![HashMap::new()],
        ins: vec![],
        guard: NOPRED,
        line: f.line,
        rows: 0,
        npred: 1,
        consts: vec![],
        cmap: HashMap::new(),
        labels: vec![],
        sites: vec![],
        local_size: 0,
        shared_top: SHARED_BASE + m.shared_common,
        dyn_align: *dyn_align,
        lb_row: 0,
        cc_row: 0,
        sink: 0,
        is_regrow: vec![],
    };
    let mut code =
        Code { name: f.name.to_string(), entry: f.entry, max_threads: f.max_threads, ..Code::default() };
    if f.entry {
        let mut off = 0u32;
        for p in &f.params {
            off = off.next_multiple_of(p.align.max(1));
            let end = p.size.saturating_add(off as u64);
            if end > PARAM_LIMIT {
                let what = format!(
                    "parameters of kernel '{}' take {end} bytes, at most {PARAM_LIMIT} are allowed",
                    f.name
                );
                return err(p.line, what);
            }
            l.scopes[0].insert(p.name, Local::KParam { off });
            code.params.push((off, p.size as u32));
            off = end as u32;
        }
        code.param_size = off;
    } else {
        // Return values first, then parameters: fixed for all callers.
        for p in f.rets.iter().chain(&f.params) {
            let row = l.fixed_rows(rows_of(p.size));
            l.scopes[0].insert(p.name, Local::Param { row, size: p.size });
        }
        code.ret_rows = f.rets.iter().map(|v| rows_of(v.size)).sum();
        code.param_rows = f.params.iter().map(|v| rows_of(v.size)).sum();
        // Parameters declared as registers keep their name as one.
        for p in f.rets.iter().chain(&f.params) {
            if p.name.starts_with('%')
                && let Some(Local::Param { row, .. }) = l.scopes[0].get(p.name).cloned()
            {
                l.scopes[0].insert(p.name, Local::Reg { row, ty: p.ty });
            }
        }
    }
    l.lb_row = l.fixed_rows(1);
    l.cc_row = l.fixed_rows(1);
    l.sink = l.fixed_rows(2);
    if let Some(b) = &f.body {
        l.block(b)?;
    }
    l.guard = NOPRED;
    l.emit(if f.entry { Op::Exit } else { Op::Ret });
    let mut ins = crate::flow::arrange(l.ins, &l.labels);
    let nregs = l.rows as u32;
    let rows = crate::flow::compact_rows(&mut ins, &mut l.sites, &l.is_regrow);
    // Predicates follow the rows.
    let pred0 = rows * 64;
    crate::flow::shift_preds(&mut ins, pred0);
    code.pred0 = pred0;
    code.rows = rows + l.npred.div_ceil(64);
    code.ins = ins;
    code.cc_row = l.cc_row;
    code.lb_row = l.lb_row;
    code.local_size = l.local_size.next_multiple_of(16);
    code.consts = l.consts;
    code.sites = l.sites;
    code.static_shared = l.shared_top - SHARED_BASE;
    code.nregs = nregs;
    *dyn_align = l.dyn_align;
    Ok(code)
}

/// Lowers all functions. `place` gives the address of each global variable.
pub(crate) fn module<'a>(
    ast: &Ast<'a>,
    src: &str,
    mut place: impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<(Program, HashMap<&'a str, Sym>)> {
    let mut syms: HashMap<&'a str, Sym> = HashMap::new();
    let mut dyn_align = 16;
    // Which function-like scopes name a shared variable: kernels of their own get
    // their own layout; what device functions use is common to all kernels.
    let mut statics = HashMap::new();
    for v in &ast.vars {
        match v.space {
            Space::Global | Space::Const => {
                if v.is_extern {
                    if !syms.contains_key(v.name) {
                        return err(
                            v.line,
                            format!("external variable '{}' is not defined in this module", v.name),
                        );
                    }
                    continue;
                }
                if syms.contains_key(v.name) {
                    continue;
                }
                syms.insert(v.name, Sym::Addr(place(v)?));
            }
            _ => {}
        }
    }
    // Functions: a definition takes the place of its declarations.
    let mut order: Vec<usize> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (k, f) in ast.funcs.iter().enumerate() {
        match by_name.get(f.name) {
            Some(i) => {
                if f.body.is_some() {
                    order[*i] = k;
                }
            }
            None => {
                by_name.insert(f.name, order.len());
                order.push(k);
            }
        }
    }
    let mut sigs = Vec::new();
    for (idx, k) in order.iter().enumerate() {
        let f = &ast.funcs[*k];
        sigs.push(FuncSig {
            ret_rows: f.rets.iter().map(|v| rows_of(v.size)).collect(),
            param_rows: f.params.iter().map(|v| rows_of(v.size)).collect(),
        });
        let s = if f.body.is_none() {
            match f.name {
                "vprintf" => Sym::Builtin(Builtin::Printf),
                "malloc" => Sym::Builtin(Builtin::Malloc),
                "free" => Sym::Builtin(Builtin::Free),
                "__assertfail" => Sym::Builtin(Builtin::AssertFail),
                _ => match ast.aliases.iter().find(|a| a.0 == f.name).and_then(|a| by_name.get(a.1)) {
                    Some(i) => Sym::Func(*i as u32),
                    None => continue,
                },
            }
        } else {
            Sym::Func(idx as u32)
        };
        syms.insert(f.name, s);
        if let Some(b) = &f.body {
            static_vars(b, idx, &mut statics, &mut place)?;
        }
    }
    // Shared variables of the module.
    let used = shared_use(ast, &order);
    let mut common = 0u32;
    let mut private: HashMap<usize, Vec<&Var<'a>>> = HashMap::new();
    for v in ast.vars.iter().filter(|v| v.space == Space::Shared) {
        if v.is_extern || v.size == 0 {
            dyn_align = dyn_align.max(v.align);
            syms.insert(v.name, Sym::DynShared);
            continue;
        }
        if syms.contains_key(v.name) {
            continue;
        }
        match used.get(v.name) {
            // Used by one kernel only.
            Some(Some(k)) => private.entry(*k).or_default().push(v),
            None => {}
            Some(None) => {
                common = common.next_multiple_of(v.align.max(1));
                syms.insert(v.name, Sym::Shared(SHARED_BASE + common));
                common += v.size as u32;
            }
        }
    }
    // Shared variables of device functions are common too.
    let mut ms = ModuleSyms { syms, funcs: sigs, statics, shared_common: common };
    let mut funcs: Vec<Option<Code>> = order.iter().map(|_| None).collect();
    let mut devs: Vec<usize> = (0..order.len()).collect();
    devs.sort_by_key(|i| ast.funcs[order[*i]].entry);
    for idx in devs {
        let f = &ast.funcs[order[idx]];
        if f.body.is_none() {
            funcs[idx] = Some(Code { name: f.name.to_string(), ..Code::default() });
            continue;
        }
        let saved = ms.shared_common;
        if let Some(list) = private.get(&idx) {
            for v in list {
                ms.shared_common = ms.shared_common.next_multiple_of(v.align.max(1));
                ms.syms.insert(v.name, Sym::Shared(SHARED_BASE + ms.shared_common));
                ms.shared_common += v.size as u32;
            }
        }
        let c = function(f, idx, &ms, &mut dyn_align)?;
        if f.entry {
            ms.shared_common = saved;
        } else {
            ms.shared_common = c.static_shared;
        }
        funcs[idx] = Some(c);
    }
    let mut prog = Program {
        funcs: funcs.into_iter().map(|f| Arc::new(f.unwrap_or_default())).collect(),
        dyn_align,
        source: src.lines().map(String::from).collect(),
    };
    prog.source.shrink_to_fit();
    Ok((prog, ms.syms))
}

fn static_vars<'a>(
    b: &[Stmt<'a>],
    idx: usize,
    out: &mut HashMap<(usize, &'a str), u64>,
    place: &mut impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<()> {
    for s in b {
        match s {
            Stmt::Var(v) if matches!(v.space, Space::Global | Space::Const) => {
                out.insert((idx, v.name), place(v)?);
            }
            Stmt::Block(b) => static_vars(b, idx, out, place)?,
            _ => {}
        }
    }
    Ok(())
}

/// For each shared variable: the one kernel that names it, or `None` for more.
fn shared_use<'a>(ast: &Ast<'a>, order: &[usize]) -> HashMap<&'a str, Option<usize>> {
    fn names<'a>(a: &Arg<'a>, f: &mut impl FnMut(&'a str)) {
        match a {
            Arg::Id(n) | Arg::IdOff(n, _) | Arg::Addr(n, _) => f(n),
            Arg::Vec(v) | Arg::List(v) => v.iter().for_each(|x| names(x, f)),
            _ => {}
        }
    }
    fn walk<'a>(b: &[Stmt<'a>], f: &mut impl FnMut(&'a str)) {
        for s in b {
            match s {
                Stmt::Inst(i) => i.args.iter().for_each(|a| names(a, f)),
                Stmt::Block(b) => walk(b, f),
                _ => {}
            }
        }
    }
    let shared: std::collections::HashSet<&str> =
        ast.vars.iter().filter(|v| v.space == Space::Shared).map(|v| v.name).collect();
    let mut out: HashMap<&'a str, Option<usize>> = HashMap::new();
    for (idx, k) in order.iter().enumerate() {
        let fun = &ast.funcs[*k];
        if let Some(b) = &fun.body {
            walk(b, &mut |n| {
                if shared.contains(n) {
                    out.entry(n)
                        .and_modify(|u| {
                            if *u != Some(idx) {
                                *u = None;
                            }
                        })
                        .or_insert(if fun.entry { Some(idx) } else { None });
                }
            });
        }
    }
    out
}
