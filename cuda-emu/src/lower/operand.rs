//! Operands: registers, constants, addresses.

use super::special::sreg;
use super::{Local, Lower, Sym};
use crate::ir::{A, FUNC_WIN, Ins, KPARAM_WIN, NOPRED, Op, P, PNEG, R, Sreg};
use crate::ptx::{Arg, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn new_row(&mut self) -> R {
        self.rows += 1;
        self.is_regrow.push(true);
        self.rows - 1
    }

    pub(super) fn fixed_rows(&mut self, n: u32) -> R {
        let r = self.rows;
        self.rows += n as R;
        self.is_regrow.resize(self.rows as usize, false);
        r
    }

    pub(super) fn new_pred(&mut self) -> u32 {
        self.npred += 1;
        self.npred - 1
    }

    pub(super) fn konst(&mut self, v: u64) -> R {
        if let Some(r) = self.cmap.get(&v) {
            return *r;
        }
        let r = !(self.consts.len() as R);
        self.consts.push(v);
        self.cmap.insert(v, r);
        r
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.ins.push(Ins { op, guard: self.guard, line: self.line });
    }

    pub(super) fn alu(&mut self, f: A, d: R, a: R, b: R, c: R, x: u32) {
        self.emit(Op::Alu { f, d, a, b, c, x });
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Local<'a>> {
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

    pub(super) fn reg(&self, name: &str) -> Res<(R, Ty)> {
        if name == "_" {
            return Ok((self.sink, Ty::B64));
        }
        match self.lookup(name) {
            Some(Local::Reg { row, ty }) => Ok((row, ty)),
            _ => self.err(format!("'{name}' is not a register")),
        }
    }

    pub(super) fn dst(&self, a: &Arg<'a>) -> Res<(R, Ty)> {
        match a {
            Arg::Id(n) => self.reg(n),
            _ => self.err("destination is not a register"),
        }
    }

    pub(super) fn d(&self, a: &Arg<'a>) -> Res<R> {
        Ok(self.dst(a)?.0)
    }

    pub(super) fn pred_d(&self, name: &str) -> Res<P> {
        if name == "_" {
            return Ok(NOPRED);
        }
        match self.lookup(name) {
            Some(Local::Pred(p)) => Ok(p),
            _ => self.err(format!("'{name}' is not a predicate")),
        }
    }

    /// A predicate that is read.
    pub(super) fn pred_named(&self, name: &str) -> Res<P> {
        if name == "_" {
            return self.err("'_' can be written only");
        }
        self.pred_d(name)
    }

    pub(super) fn pdst(&self, a: &Arg<'a>) -> Res<P> {
        match a {
            Arg::Id(n) => self.pred_d(n),
            _ => self.err("destination is not a predicate"),
        }
    }

    /// Predicate source. Predicate 0 of each frame is always false.
    pub(super) fn psrc(&self, a: &Arg<'a>) -> Res<P> {
        match a {
            Arg::Id(n) => self.pred_named(n),
            Arg::Not(n) => Ok(self.pred_named(n)? ^ PNEG),
            Arg::Int(0) => Ok(0),
            Arg::Int(_) => Ok(PNEG),
            _ => self.err("operand is not a predicate"),
        }
    }

    pub(super) fn imm(&self, a: &Arg<'a>, ty: Ty) -> Option<u64> {
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

    pub(super) fn src(&mut self, a: &Arg<'a>, ty: Ty) -> Res<R> {
        if let Some(v) = self.imm(a, ty) {
            return Ok(self.konst(v));
        }
        match a {
            Arg::Id(n) => self.src_name(n, 0),
            Arg::IdOff(n, o) => self.src_name(n, *o),
            _ => self.err("unsupported operand"),
        }
    }

    pub(super) fn src_name(&mut self, n: &'a str, off: i64) -> Res<R> {
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
    pub(super) fn address_of(&mut self, n: &'a str, off: i64) -> Res<R> {
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

    pub(super) fn dyn_base(&mut self, off: i64) -> Res<R> {
        let d = self.new_row();
        self.emit(Op::Sreg { d, which: Sreg::DynBase });
        if off != 0 {
            let k = self.konst(off as u64);
            self.alu(A::Add64, d, d, k, k, 0);
        }
        Ok(d)
    }

    /// Base row and offset of an address operand.
    pub(super) fn addr(&mut self, a: &Arg<'a>) -> Res<(R, i64)> {
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
}
