//! Calls.

use super::{Local, Lower, Sym, rows_of};
use crate::ir::{Builtin, CallSite, NOREG, Op};
use crate::ptx::{Arg, Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn call(&mut self, i: &Inst<'a>) -> Res<()> {
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
        let mut site =
            CallSite { callee: None, builtin: None, reg: NOREG, args: vec![], rets: vec![], rows: 0 };
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
        site.rows = row as u32;
        let builtin = site.builtin.is_some();
        let id = self.sites.len() as u32;
        self.sites.push(site);
        self.emit(Op::Call { site: id });
        if !builtin {
            self.emit(Op::CallRet { site: id });
        }
        Ok(())
    }
}
