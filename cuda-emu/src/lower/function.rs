//! A function, from its tree to its code.

use super::room::param_rows;
use super::{Local, Lower, ModuleSyms, PARAM_LIMIT, rows_of};
use crate::ir::operands;
use crate::ir::{Code, LOCAL_BASE, NOPRED, Op, SHARED_BASE};
use crate::ptx::{Func, Res, err};
use std::collections::HashMap;

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
        local_size: LOCAL_BASE,
        shared_top: m.shared_common,
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
            let row = l.fixed_rows(param_rows(p)?);
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
    crate::flow::mark_copies(&mut ins, &mut l.sites, &l.is_regrow);
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
    operands::check(&mut code)?;
    Ok(code)
}
