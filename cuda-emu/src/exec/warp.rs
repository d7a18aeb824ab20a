//! Warps: the instructions that they run.

use super::block::grow_local;
use super::lockstep::Turn;
use super::*;

impl Machine<'_> {
    /// Runs a warp for a number of instructions.
    ///
    /// # Safety
    /// `b` must be valid and not in use elsewhere.
    pub(super) unsafe fn run_warp<const IN_STEP: bool>(
        &mut self,
        b: *mut Block,
        wi: usize,
        mut budget: i64,
    ) -> Run<Slice> {
        // SAFETY: the caller says that the block is valid and not in use. Registers of an instruction are inside the frame of
        // its function, positions inside its code, constants inside its table: `lower` has made them so.
        unsafe {
            let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
            (*w).spin = 0;
            'pick: loop {
                if budget <= 0 {
                    return Ok(Slice::Ran);
                }
                let (mask, stop, most) = if IN_STEP {
                    match self.pick_in_step(b, wi) {
                        Turn::Run(mask, stop, most) => (mask, stop, most),
                        Turn::Other => return Ok(Slice::Ran),
                        Turn::Blocked => return Ok(Slice::Blocked),
                    }
                } else {
                    let Some((mask, stop)) = self.pick(&mut *w) else { return Ok(Slice::Blocked) };
                    (mask, stop, i64::MAX)
                };
                let lane0 = mask.trailing_zeros() as usize;
                let mut pc = (*w).pc[lane0];
                let fp = (*w).fp[lane0];
                let func = (*w).func[lane0];
                // In lock-step the others cannot run, whatever this group does.
                let others = if IN_STEP { 0 } else { (*w).ready & !mask };
                let prog = self.prog;
                let code: &Code = prog.funcs.get_unchecked(func as usize);
                let ins = code.ins.as_ptr();
                let fr: *mut Row = (&mut (*w).regs).as_mut_ptr().add(fp as usize);
                let kr: *const Row = self.consts[func as usize].as_ptr();
                let pf = fr as *mut u32;
                *pf.add(code.pred0 as usize) = 0; // the predicate that is always false
                let cc = fr.add(code.cc_row as usize);
                let width = mask.count_ones() as u64;
                // When others wait at a position, stop there; a short slice when they are behind.
                let mut turn: i64 =
                    if others == 0 { budget.min(most) } else { budget.min(self.cfg.slice as i64) };
                let turn0 = turn;
                let mut icount = 0u64;
                macro_rules! row {
                    ($r:expr) => {{
                        let r: R = $r;
                        if r >= 0 { fr.add(r as usize) as *const Row } else { kr.add((!r) as usize) }
                    }};
                }
                macro_rules! pred {
                    ($p:expr) => {{
                        let p: P = $p;
                        let v = *pf.add((p & !PNEG) as usize);
                        if p & PNEG != 0 { !v } else { v }
                    }};
                }
                macro_rules! setp {
                    ($p:expr, $bits:expr, $act:expr) => {{
                        let p: P = $p;
                        if p != NOPRED {
                            let q = pf.add(p as usize);
                            *q = (*q & !$act) | ($bits & $act);
                        }
                    }};
                }
                // Puts the lanes at a position and ends this turn.
                macro_rules! save {
                    ($m:expr, $pc:expr) => {{
                        let at = $pc;
                        lanes!($m, l, { (*w).pc[l] = at });
                    }};
                }
                macro_rules! account {
                    () => {{
                        self.stats.warp_instructions += (turn0 - turn) as u64;
                        self.stats.instructions += icount;
                        (*w).ran += (turn0 - turn) as u64;
                    }};
                }
                // Lanes may part at this instruction.
                macro_rules! parts {
                    () => {{
                        if IN_STEP {
                            (&mut (*b).waves)[wi / self.wave].last = (func, pc);
                        }
                    }};
                }
                macro_rules! repick {
                    () => {{
                        account!();
                        budget -= turn0 - turn;
                        continue 'pick;
                    }};
                }
                macro_rules! fail {
                    ($e:expr) => {{
                        account!();
                        save!(mask, pc);
                        return Err($e);
                    }};
                }
                macro_rules! tri {
                    ($e:expr) => {
                        match $e {
                            Ok(v) => v,
                            Err(e) => fail!(e),
                        }
                    };
                }
                macro_rules! fault {
                    ($code:expr, $lane:expr, $($a:tt)*) => {
                        fail!(self.fault_at($code, &format!($($a)*), b, w, $lane, func, pc))
                    };
                }
                // Lanes for which the guard of a waiting instruction is off go on.
                macro_rules! split {
                    ($act:expr) => {{
                        if $act != mask {
                            save!(mask & !$act, pc + 1);
                            save!($act, pc);
                        }
                    }};
                }
                loop {
                    if turn <= 0 || (if IN_STEP { pc == stop } else { pc >= stop }) {
                        save!(mask, pc);
                        if turn <= 0 && others != 0 {
                            (*w).yielded |= mask;
                        }
                        repick!();
                    }
                    turn -= 1;
                    icount += width;
                    let i: &Ins = &*ins.add(pc as usize);
                    let act = if i.guard == NOPRED { mask } else { mask & pred!(i.guard) };
                    if act == 0 {
                        pc += 1;
                        continue;
                    }
                    match &i.op {
                        Op::Alu { f, d, a, b: rb, c, x } => {
                            let args = Args {
                                d: fr.add(*d as usize),
                                a: row!(*a),
                                b: row!(*rb),
                                c: row!(*c),
                                mask: act,
                                x: *x,
                                cc,
                            };
                            (self.alu)(*f, &args);
                        }
                        Op::Bfi { w64, d, a, b: rb, c, e } => {
                            let (a, rb, c, e) = (row!(*a), row!(*rb), row!(*c), row!(*e));
                            let bits = if *w64 { 64 } else { 32 };
                            lanes!(act, l, {
                                (*fr.add(*d as usize)).0[l] =
                                    num::bfi((*a).0[l], (*rb).0[l], (*c).0[l], (*e).0[l], bits)
                                        & if *w64 { u64::MAX } else { 0xffff_ffff };
                            });
                        }
                        Op::Selp { d, a, b: rb, p } => {
                            let p = pred!(*p);
                            let (a, rb, d) = ((*row!(*a)).0, (*row!(*rb)).0, fr.add(*d as usize));
                            if act == u32::MAX {
                                let mut r = [0u64; 32];
                                for l in 0..32 {
                                    r[l] = if p >> l & 1 == 1 { a[l] } else { rb[l] };
                                }
                                (*d).0 = r;
                            } else {
                                lanes!(act, l, { (*d).0[l] = if p >> l & 1 == 1 { a[l] } else { rb[l] } });
                            }
                        }
                        Op::Setp { ct, cmp, ftz, comb, a, b: rb, p, q, c } => {
                            let v = (self.cmp)(*ct, *cmp, *ftz, row!(*a), row!(*rb));
                            if matches!(ct, CT::F16x2 | CT::BF16x2) {
                                // one result for each half
                                let (mut ah, mut bh) = (ZERO_ROW, ZERO_ROW);
                                for l in 0..32 {
                                    ah.0[l] = (*row!(*a)).0[l] >> 16;
                                    bh.0[l] = (*row!(*rb)).0[l] >> 16;
                                }
                                let h = (self.cmp)(*ct, *cmp, *ftz, &ah, &bh);
                                setp!(*p, v, act);
                                setp!(*q, h, act);
                            } else if *comb == 0 {
                                setp!(*p, v, act);
                                setp!(*q, !v, act);
                            } else {
                                let c = pred!(*c);
                                let f = |v: u32| match comb {
                                    1 => v & c,
                                    2 => v | c,
                                    _ => v ^ c,
                                };
                                setp!(*p, f(v), act);
                                setp!(*q, f(!v), act);
                            }
                        }
                        Op::Pred { kind, d, a, b: rb } => {
                            let a = pred!(*a);
                            let v = match kind {
                                0 => a,
                                1 => a & pred!(*rb),
                                2 => a | pred!(*rb),
                                3 => a ^ pred!(*rb),
                                _ => !a,
                            };
                            setp!(*d, v, act);
                        }
                        Op::Sreg { d, which } => {
                            let extra = self.stats.instructions + icount;
                            self.sreg(*which, &*b, &*w, wi, fr.add(*d as usize), act, extra);
                        }
                        Op::Ld(m) => tri!(self.load(m, act, b, w, wi, fr, row!(m.base), func, pc)),
                        Op::St(m) => {
                            let v = [row!(m.r[0]), row!(m.r[1]), row!(m.r[2]), row!(m.r[3])];
                            tri!(self.store(m, v, act, b, w, wi, row!(m.base), func, pc))
                        }
                        Op::CpAsync { dst, src, size, srcsize } => {
                            let n = if *srcsize == NOREG { std::ptr::null() } else { row!(*srcsize) };
                            tri!(self.cp_async(
                                dst,
                                src,
                                *size,
                                n,
                                act,
                                b,
                                w,
                                wi,
                                row!(dst.base),
                                row!(src.base),
                                func,
                                pc
                            ))
                        }
                        Op::Atom(m) => {
                            tri!(self.atom(
                                m,
                                act,
                                b,
                                w,
                                wi,
                                fr,
                                row!(m.base),
                                row!(m.b),
                                row!(m.c),
                                func,
                                pc
                            ))
                        }
                        Op::Bra { target } => {
                            parts!();
                            if act == mask {
                                let back = *target <= pc;
                                pc = *target;
                                if back && (*w).spin > 16 && others == 0 {
                                    save!(mask, pc);
                                    account!();
                                    return Ok(Slice::Spun);
                                }
                                continue;
                            }
                            save!(act, *target);
                            save!(mask & !act, pc + 1);
                            if *target <= pc && (*w).spin > 16 && !IN_STEP {
                                // Lanes that poll let the others of the warp go first.
                                (*w).yielded |= act;
                                (*w).spin = 0;
                            }
                            repick!();
                        }
                        Op::Brx { targets, a } => {
                            parts!();
                            let a = row!(*a);
                            save!(mask & !act, pc + 1);
                            lanes!(act, l, {
                                let t = (*a).0[l] as u32 as usize;
                                match targets.get(t) {
                                    Some(t) => (*w).pc[l] = *t,
                                    None => fault!(
                                        E_INVALID_PC,
                                        l,
                                        "branch index {} out of range ({} targets)",
                                        t,
                                        targets.len()
                                    ),
                                }
                            });
                            repick!();
                        }
                        Op::Call { site } => {
                            parts!();
                            let s = code.sites.get_unchecked(*site as usize);
                            if let Some(bi) = s.builtin {
                                tri!(self.builtin(bi, s, act, b, w, fr, kr, func, pc));
                                pc += 1;
                                continue;
                            }
                            save!(mask & !act, pc + 1);
                            let mut todo = act;
                            while todo != 0 {
                                let l0 = todo.trailing_zeros() as usize;
                                let (callee, m) = match s.callee {
                                    Some(c) => (c, todo),
                                    None => {
                                        let rg = row!(s.reg);
                                        let t = (*rg).0[l0];
                                        let k = t.wrapping_sub(FUNC_WIN) / 16;
                                        let ok = t & 15 == 0
                                            && (k as usize) < prog.funcs.len()
                                            && !prog.funcs[k as usize].ins.is_empty()
                                            && !prog.funcs[k as usize].entry;
                                        if !ok {
                                            fault!(
                                                E_INVALID_PC,
                                                l0,
                                                "call of 0x{:x}, which is not a function",
                                                t
                                            );
                                        }
                                        let mut m = 0;
                                        lanes!(todo, l, {
                                            if (*rg).0[l] == t {
                                                m |= bit(l);
                                            }
                                        });
                                        (k as u32, m)
                                    }
                                };
                                todo &= !m;
                                let cal: &Code = &prog.funcs[callee as usize];
                                if s.callee.is_none()
                                    && (cal.ret_rows + cal.param_rows) as usize != s.rets.len() + s.args.len()
                                {
                                    fault!(
                                        E_INVALID_PC,
                                        l0,
                                        "call of {} through a pointer with another signature",
                                        cal.name
                                    );
                                }
                                let nfp = fp + code.rows;
                                let need = (nfp + cal.rows) as usize;
                                if need > 1 << 17 {
                                    fault!(
                                        E_HARDWARE_STACK,
                                        l0,
                                        "call stack overflow ({} calls deep)",
                                        (*w).stack[l0].len()
                                    );
                                }
                                if (*w).regs.len() < need {
                                    // Rows move: all pointers into them are stale from here on.
                                    (*w).regs.resize(need, ZERO_ROW);
                                }
                                let fr2 = (&mut (*w).regs).as_mut_ptr().add(fp as usize);
                                let nf = fr2.add(code.rows as usize);
                                for (src, dst) in &s.args {
                                    let src: *const Row = if *src >= 0 {
                                        fr2.add(*src as usize)
                                    } else {
                                        kr.add((!*src) as usize)
                                    };
                                    lanes!(m, l, { (*nf.add(*dst as usize)).0[l] = (*src).0[l] });
                                }
                                let mut top = 0;
                                lanes!(m, l, {
                                    let lb = (*fr2.add(code.lb_row as usize)).0[l] + code.local_size as u64;
                                    (*nf.add(cal.lb_row as usize)).0[l] = lb;
                                    top = top.max(lb + cal.local_size as u64);
                                    (*w).stack[l].push(Frame { pc: pc + 1, fp, func });
                                    (*w).pc[l] = 0;
                                    (*w).fp[l] = nfp;
                                    (*w).func[l] = callee;
                                });
                                if top > (*w).local_per as u64 {
                                    if top > self.cfg.stack as u64 {
                                        fault!(
                                            E_HARDWARE_STACK,
                                            l0,
                                            "stack overflow: more than {} bytes of local memory",
                                            self.cfg.stack
                                        );
                                    }
                                    grow_local(&mut *w, top as u32, self.cfg.fill.unwrap_or(0));
                                }
                                if todo != 0 && fr2 != fr {
                                    // The next group needs fresh pointers.
                                    save!(todo, pc);
                                    todo = 0;
                                }
                            }
                            repick!();
                        }
                        Op::CallRet { site } => {
                            let s = code.sites.get_unchecked(*site as usize);
                            let nf = fr.add(code.rows as usize);
                            for (src, dst) in &s.rets {
                                let d = fr.add(*dst as usize);
                                lanes!(act, l, { (*d).0[l] = (*nf.add(*src as usize)).0[l] });
                            }
                        }
                        Op::Ret => {
                            parts!();
                            save!(mask & !act, pc + 1);
                            lanes!(act, l, {
                                if let Some(f) = (*w).stack[l].pop() {
                                    (*w).pc[l] = f.pc;
                                    (*w).fp[l] = f.fp;
                                    (*w).func[l] = f.func;
                                }
                            });
                            repick!();
                        }
                        Op::Exit => {
                            save!(mask & !act, pc + 1);
                            self.exit_lanes(b, wi, act)?;
                            repick!();
                        }
                        Op::Trap => {
                            let lane = act.trailing_zeros() as usize;
                            if IN_STEP {
                                let fault = self.fault_at(
                                    E_ILLEGAL_INSTRUCTION,
                                    "trap executed",
                                    b,
                                    w,
                                    lane,
                                    func,
                                    pc,
                                );
                                self.trap_in_step(b, wi, fault)?;
                                repick!();
                            }
                            fault!(E_ILLEGAL_INSTRUCTION, lane, "trap executed")
                        }
                        Op::Brkpt => {}
                        Op::Bar { kind, aligned: _, id, cnt, d: _, pd: _, p } => {
                            parts!();
                            split!(act);
                            save!(act, pc);
                            let idr = row!(*id);
                            let cr = if *cnt == NOREG { std::ptr::null() } else { row!(*cnt) };
                            let pv = pred!(*p);
                            self.barrier(b, wi, act, *kind, idr, cr, pv, func, pc)?;
                            repick!();
                        }
                        Op::Shfl { mask: mr, .. }
                        | Op::Vote { mask: mr, .. }
                        | Op::Match { mask: mr, .. }
                        | Op::Redux { mask: mr, .. }
                        | Op::Elect { mask: mr, .. }
                        | Op::BarWarp { mask: mr } => {
                            let mrow = row!(*mr);
                            let all = (*w).alive;
                            // Common case: all members are here.
                            let mm = (*mrow).0[act.trailing_zeros() as usize] as u32;
                            let mut same = true;
                            lanes!(act, l, { same &= (*mrow).0[l] as u32 == mm });
                            if same && act == mask && mm & all == act {
                                self.warp_op(&i.op, act, fr, kr, pf);
                                if let Some(c) = &mut self.checks {
                                    c.warp_sync((*b).id, wi);
                                }
                                pc += 1;
                                continue;
                            }
                            if IN_STEP {
                                tri!(self.warp_op_in_step(
                                    &i.op,
                                    mrow,
                                    act,
                                    b,
                                    w,
                                    wi,
                                    (fr, kr, pf),
                                    func,
                                    pc
                                ));
                                pc += 1;
                                continue;
                            }
                            split!(act);
                            save!(act, pc);
                            // Lanes with the same mask as the first one; the others come back.
                            let mut grp = 0;
                            lanes!(act, l, {
                                if (*mrow).0[l] as u32 == mm {
                                    grp |= bit(l);
                                }
                            });
                            if mm & grp != grp {
                                let l = (grp & !mm).trailing_zeros() as usize;
                                fault!(
                                    E_ILLEGAL_INSTRUCTION,
                                    l,
                                    "the thread (lane {l}) is not in its own member mask 0x{mm:08x}"
                                );
                            }
                            let barw = matches!(i.op, Op::BarWarp { .. });
                            let mut present = grp;
                            lanes!((*w).at_warp, l, {
                                let here = (*w).pc[l] == pc && (*w).fp[l] == fp && (*w).func[l] == func;
                                let other = barw && {
                                    let f = &prog.funcs[(*w).func[l] as usize];
                                    matches!(f.ins[(*w).pc[l] as usize].op, Op::BarWarp { .. })
                                };
                                if (here || other) && (*w).wmask[l] == mm {
                                    present |= bit(l);
                                }
                            });
                            if mm & all & !present != 0 {
                                lanes!(grp, l, { (*w).wmask[l] = mm });
                                (*w).at_warp |= grp;
                                (*w).ready &= !grp;
                                repick!();
                            }
                            (*w).at_warp &= !present;
                            (*w).ready |= present;
                            if !barw {
                                self.warp_op(&i.op, present, fr, kr, pf);
                            }
                            if let Some(c) = &mut self.checks {
                                c.warp_sync((*b).id, wi);
                            }
                            lanes!(present, l, { (*w).pc[l] += 1 });
                            repick!();
                        }
                        Op::Activemask { d } => {
                            let d = fr.add(*d as usize);
                            lanes!(act, l, { (*d).0[l] = act as u64 });
                        }
                        Op::Fence => {}
                        Op::Yield => {
                            save!(mask, pc + 1);
                            if others != 0 {
                                (*w).yielded |= mask;
                                repick!();
                            }
                            account!();
                            return Ok(Slice::Spun);
                        }
                        Op::Nop => {}
                        Op::IsSpace { space, p, a } => {
                            let v = self.is_space(*space, &*row!(*a), act);
                            setp!(*p, v, act);
                        }
                        Op::Cvta { to, win, d, a } => {
                            let (a, d) = (row!(*a), fr.add(*d as usize));
                            lanes!(act, l, {
                                let x = (*a).0[l];
                                // A null pointer is null in all spaces, as an address before the window.
                                (*d).0[l] = if *to { x.wrapping_sub(*win) } else { x.wrapping_add(*win) };
                                if *to && x < *win {
                                    (*d).0[l] = x & 0xffff_ffff;
                                }
                            });
                        }
                        Op::FnParamAddr { d, row, byte } => {
                            let d = fr.add(*d as usize);
                            let v = FPARAM_WIN + (fp as u64 + *row as u64) * 8 + *byte as u64;
                            lanes!(act, l, { (*d).0[l] = v });
                        }
                        Op::Mbar { kind, d, p, base, off, a, space } => {
                            let (base, a, d) = (row!(*base), row!(*a), fr.add(*d as usize));
                            let mut res = 0u32;
                            tri!(self.mbar(*kind, *space, act, b, w, base, *off, a, d, &mut res, func, pc));
                            setp!(*p, res, act);
                        }
                    }
                    pc += 1;
                }
            }
        }
    }
}
