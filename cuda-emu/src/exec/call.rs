//! Calls: frames are rows that follow those of the caller.

use super::block::grow_local;
use super::machine::Machine;
use super::report::{E_HARDWARE_STACK, E_INVALID_PC, Run};
use super::running::Running;
use super::warp::{Frame, Next};
use crate::alu::{Row, ZERO_ROW};
use crate::ir::{CallSite, Code, FUNC_WIN, R};

/// Rows that the frames of a warp may take together.
const MAX_ROWS: usize = 1 << 17;

impl<'a> Machine<'a> {
    /// `call`, of one function or of several where lanes have different addresses.
    ///
    /// # Safety
    /// The call must be an instruction of the running function, whose registers have not moved.
    pub(super) unsafe fn call<const IN_STEP: bool>(
        &mut self,
        at: &mut Running<'a, '_>,
        site: u32,
        act: u32,
    ) -> Run<Next> {
        self.may_part::<IN_STEP>(at);
        let s = &at.code.sites[site as usize];
        if let Some(builtin) = s.builtin {
            // SAFETY: the operands of the site belong to the running function, whose registers have not moved.
            unsafe { self.builtin(at, builtin, s, act)? };
            return Ok(Next::Following);
        }
        at.place(at.mask & !act, at.pc + 1);
        let mut todo = act;
        while todo != 0 {
            let l0 = todo.trailing_zeros() as usize;
            let (callee, lanes) = match s.callee {
                Some(c) => (c, todo),
                // SAFETY: the register of the site is an operand of the running function; if an earlier round let the
                // registers move, it took `at` to where they are.
                None => unsafe { self.callee_of(at, s.reg, todo)? },
            };
            todo &= !lanes;
            let called: &Code = &self.prog.funcs[callee as usize];
            let rows = (called.ret_rows + called.param_rows) as usize;
            if s.callee.is_none() && (rows != s.rets.len() + s.args.len() || rows < s.rows as usize) {
                let what = format!("call of {} through a pointer with another signature", called.name);
                return Err(self.fault_at(at, l0, E_INVALID_PC, &what));
            }
            self.make_room(at, called, l0)?;
            // SAFETY: the operands of the site belong to the running function, and `at` is where its registers are, with
            // the rows of the callee behind. Those that the site names are among them: `ir::operands` has compared them for a
            // call by name, and the lines above do for one by address.
            let top = unsafe { at.enter(s, called, callee, lanes) };
            self.grow_stack(at, top, l0)?;
        }
        Ok(Next::Placed)
    }

    /// The function whose address the first lane of `todo` has, and the lanes that have it too.
    ///
    /// # Safety
    /// `reg` must be an operand of an instruction of the running function, whose registers have not moved.
    unsafe fn callee_of(&self, at: &Running, reg: R, todo: u32) -> Run<(u32, u32)> {
        // SAFETY: the operand belongs to the running function, so it is a row of its frame; it is not written meanwhile.
        let addresses: &Row = unsafe { &*at.source(reg) };
        let l0 = todo.trailing_zeros() as usize;
        let t = addresses.0[l0];
        let k = t.wrapping_sub(FUNC_WIN) / 16;
        let function =
            self.prog.funcs.get(k as usize).filter(|f| t & 15 == 0 && !f.ins.is_empty() && !f.entry);
        if function.is_none() {
            let what = format!("call of 0x{t:x}, which is not a function");
            return Err(self.fault_at(at, l0, E_INVALID_PC, &what));
        }
        let mut same = 0;
        lanes!(todo, l, {
            if addresses.0[l] == t {
                same |= 1 << l;
            }
        });
        Ok((k as u32, same))
    }

    /// Extends the registers to the end of a callee's frame at least.
    #[inline(always)]
    fn make_room(&self, at: &mut Running, called: &Code, l0: usize) -> Run<()> {
        let need = (at.fp + at.code.rows + called.rows) as usize;
        if need > MAX_ROWS {
            let what = format!("call stack overflow ({} calls deep)", at.warp().stack[l0].len());
            return Err(self.fault_at(at, l0, E_HARDWARE_STACK, &what));
        }
        if at.warp().regs.len() < need {
            at.warp().regs.resize(need, ZERO_ROW);
            at.registers_moved();
        }
        Ok(())
    }

    /// Gives the lanes of a warp local memory up to `top`.
    #[inline(always)]
    fn grow_stack(&self, at: &mut Running, top: u64, l0: usize) -> Run<()> {
        if top <= at.warp().local_per as u64 {
            return Ok(());
        }
        if top > self.cfg.stack as u64 {
            let what = format!("stack overflow: more than {} bytes of local memory", self.cfg.stack);
            return Err(self.fault_at(at, l0, E_HARDWARE_STACK, &what));
        }
        grow_local(at.warp(), top as u32, self.cfg.fill.unwrap_or(0));
        Ok(())
    }
}

impl Running<'_, '_> {
    /// Puts lanes at the start of a function, with their arguments; returns the end of the local memory that it takes.
    ///
    /// # Safety
    /// The site must be one of the running function, the registers must have the rows of the callee behind those of the
    /// frame and not have moved, and the rows of the callee that the site names must be among those.
    #[inline(always)]
    unsafe fn enter(&mut self, s: &CallSite, called: &Code, callee: u32, lanes: u32) -> u64 {
        let mut top = 0;
        // SAFETY: the sources belong to the running function, so they are rows of its frame or its constants. The others are
        // rows of the callee: those that the site names, and `lb_row`.
        unsafe {
            let callee_frame = self.behind();
            for (src, dst) in &s.args {
                let (src, dst) = (self.source(*src), callee_frame.add(*dst as usize));
                lanes!(lanes, l, { (*dst).0[l] = (*src).0[l] });
            }
            let (begin, called_begin) =
                (self.result(self.code.lb_row), callee_frame.add(called.lb_row as usize));
            let frame = Frame { pc: self.pc + 1, fp: self.fp, func: self.func };
            let (fp, local) = (self.fp + self.code.rows, self.code.local_size as u64);
            let w = self.warp();
            lanes!(lanes, l, {
                let lb = (*begin).0[l] + local;
                (*called_begin).0[l] = lb;
                top = top.max(lb + called.local_size as u64);
                w.stack[l].push(frame);
                w.pc[l] = 0;
                w.fp[l] = fp;
                w.func[l] = callee;
            });
        }
        top
    }

    /// Copies the results of a callee into the rows of the caller.
    ///
    /// # Safety
    /// The site must be one of the running function, whose registers have not moved.
    #[inline]
    pub(super) unsafe fn take_results(&mut self, site: u32, act: u32) {
        let s = &self.code.sites[site as usize];
        let end = (self.fp + self.code.rows) as usize + s.rows as usize;
        assert!(end <= self.warp().regs.len(), "the registers have the rows of a callee that has returned");
        // SAFETY: the results belong to the running function, so they are rows of its frame. The sources follow the frame,
        // and the assertion says that the registers have them.
        unsafe {
            let callee_frame = self.behind();
            for (src, dst) in &s.rets {
                let (src, dst) = (callee_frame.add(*src as usize), self.result(*dst));
                lanes!(act, l, { (*dst).0[l] = (*src).0[l] });
            }
        }
    }
}
