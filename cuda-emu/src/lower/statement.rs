//! Declarations, labels and blocks.

use super::room::{LOCAL, SHARED, alignment, param_rows};
use super::{Local, Lower};
use crate::ir::{NOPRED, PNEG, R};
use crate::ptx::{Inst, Res, Space, Stmt, Ty, Var, err};
use std::collections::HashMap;

/// Unit: registers. Source: far more than compilers name in a function.
const MAX_REGISTERS: u32 = 1 << 20;

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn declare(&mut self, v: &Var<'a>) -> Res<()> {
        let l = match v.space {
            Space::Param => Local::Param { row: self.fixed_rows(param_rows(v)?), size: v.size },
            Space::Local => Local::OnStack(LOCAL.place(v, &mut self.local_size)?),
            Space::Shared => {
                if v.is_extern || v.size == 0 {
                    self.dyn_align = self.dyn_align.max(alignment(v)?);
                    Local::DynShared
                } else {
                    Local::Shared(SHARED.place(v, &mut self.shared_top)?)
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

    pub(super) fn block(&mut self, b: &[Stmt<'a>]) -> Res<()> {
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
                Stmt::Reg { name, count: Some(n), .. } if *n > MAX_REGISTERS => {
                    return self.err(format!("{n} registers '{name}', at most {MAX_REGISTERS} are allowed"));
                }
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
                        Some((neg, n)) => self.pred_named(n)? ^ if neg { PNEG } else { 0 },
                    };
                    self.inst(i)?;
                }
                _ => {}
            }
        }
        self.scopes.pop();
        Ok(())
    }

    pub(super) fn label(&self, n: &str) -> Res<u32> {
        match self.lookup(n) {
            Some(Local::Label(id)) => Ok(id),
            _ => self.err(format!("unknown label '{n}'")),
        }
    }

    pub(super) fn argn(&self, i: &Inst<'a>, lo: usize, hi: usize) -> Res<()> {
        if i.args.len() < lo || i.args.len() > hi {
            return self.err(format!("wrong number of operands for '{}'", i.op));
        }
        Ok(())
    }
}
