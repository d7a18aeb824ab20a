//! Warps: groups of their lanes take turns, and run one instruction after the other.

use super::block::Block;
use super::lockstep::Turn;
use super::machine::Machine;
use super::report::Run;
use super::running::Running;
use crate::alu::Row;
use crate::ir::{Ins, NOPRED, Op};

pub(super) struct Warp {
    pub(super) regs: Vec<Row>,
    pub(super) pc: [u32; 32],
    pub(super) fp: [u32; 32],
    pub(super) func: [u32; 32],
    pub(super) stack: [Vec<Frame>; 32],
    pub(super) ready: u32,
    pub(super) alive: u32,
    /// Lanes that wait at a barrier of the block, and which.
    pub(super) at_bar: u32,
    pub(super) bar: [u8; 32],
    /// Lanes that wait for other lanes, and for which.
    pub(super) at_warp: u32,
    pub(super) wmask: [u32; 32],
    /// Lanes that had their turn while others of the warp are ready.
    pub(super) yielded: u32,
    pub(super) local: Vec<u8>,
    pub(super) local_per: u32,
    pub(super) spin: u32,
    /// Instructions so far.
    pub(super) ran: u64,
    pub(super) tid0: u32,
}

/// Where a call returns to.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) pc: u32,
    pub(super) fp: u32,
    pub(super) func: u32,
}

/// How a warp's time ended.
pub(super) enum Slice {
    /// Used its time.
    Ran,
    /// Waits for something that others must do: by polling.
    Spun,
    /// No thread is ready.
    Blocked,
}

/// Where the lanes that ran an instruction are after it.
pub(super) enum Next {
    /// At the one that follows.
    Following,
    /// At another position, all of them.
    At(u32),
    /// They have been placed, and a group is chosen again.
    Placed,
    /// They have been placed, and wait for something that others must do: by polling.
    Spun,
}

impl<'a> Machine<'a> {
    /// Runs a warp for a number of instructions.
    pub(super) fn run_warp<const IN_STEP: bool>(
        &mut self,
        b: &mut Block,
        wi: usize,
        mut budget: i64,
    ) -> Run<Slice> {
        b.warps[wi].spin = 0;
        while budget > 0 {
            let (mask, stop, most) = if IN_STEP {
                match self.pick_in_step(b, wi) {
                    Turn::Run(mask, stop, most) => (mask, stop, most),
                    Turn::Other => return Ok(Slice::Ran),
                    Turn::Blocked => return Ok(Slice::Blocked),
                }
            } else {
                let Some((mask, stop)) = self.pick(&mut b.warps[wi]) else { return Ok(Slice::Blocked) };
                (mask, stop, i64::MAX)
            };
            // In lock-step the others cannot run, no matter what this group does.
            let others = if IN_STEP { 0 } else { b.warps[wi].ready & !mask };
            // When others wait at a position, stop there; a short slice when they are behind.
            let turn = if others == 0 { budget.min(most) } else { budget.min(self.cfg.slice as i64) };
            let mut at = Running::new(self, b, wi, mask, others);
            let (ran, spun) = self.run_group::<IN_STEP>(&mut at, stop, turn)?;
            self.stats.warp_instructions += ran as u64;
            self.stats.instructions += ran as u64 * u64::from(mask.count_ones());
            b.warps[wi].ran += ran as u64;
            if spun {
                return Ok(Slice::Spun);
            }
            budget -= ran;
        }
        Ok(Slice::Ran)
    }

    /// Runs a group until it reaches `stop`, is placed elsewhere, or has run `turn` instructions: the number it ran, and
    /// whether it polls.
    fn run_group<const IN_STEP: bool>(
        &mut self,
        at: &mut Running<'a, '_>,
        stop: u32,
        turn: i64,
    ) -> Run<(i64, bool)> {
        at.clear_first_predicate();
        let ins = at.code.ins.as_ptr();
        let (mut left, mut pc) = (turn, at.pc);
        loop {
            if left <= 0 || (if IN_STEP { pc == stop } else { pc >= stop }) {
                at.place(at.mask, pc);
                if left <= 0 && at.others != 0 {
                    at.warp().yielded |= at.mask;
                }
                return Ok((turn - left, false));
            }
            left -= 1;
            // SAFETY: `ir::operands` has found all targets of branches inside the code, and that it does not run past its end.
            let i: &Ins = unsafe { &*ins.add(pc as usize) };
            // SAFETY: the guard belongs to an instruction of the running function, and instructions that may move registers end the group.
            let act = if i.guard == NOPRED { at.mask } else { at.mask & unsafe { at.predicate(i.guard) } };
            if act == 0 {
                pc += 1;
                continue;
            }
            at.pc = pc;
            let clock = (turn - left) as u64;
            // SAFETY: `i` is an instruction of the running function, and instructions that may move registers end the group.
            match unsafe { self.step::<IN_STEP>(at, &i.op, act, clock)? } {
                Next::Following => pc += 1,
                Next::At(target) => pc = target,
                Next::Placed => return Ok((turn - left, false)),
                Next::Spun => return Ok((turn - left, true)),
            }
        }
    }

    /// Runs an instruction for the lanes of `act`, the `clock`-th of this turn.
    ///
    /// # Safety
    /// The instruction must be one of the running function, and the registers must not have moved since `at` was made.
    #[inline(always)]
    unsafe fn step<const IN_STEP: bool>(
        &mut self,
        at: &mut Running<'a, '_>,
        op: &Op,
        act: u32,
        clock: u64,
    ) -> Run<Next> {
        // SAFETY: the operands that are passed on belong to `op`, an instruction of the running function, and the registers
        // have not moved: that is all that these functions ask for.
        unsafe {
            match op {
                Op::Alu { f, d, a, b, c, x } => self.arithmetic(at, *f, *d, [*a, *b, *c], *x, act),
                Op::Bfi { w64, d, a, b, c, e } => self.insert_bits(at, *w64, *d, [*a, *b, *c, *e], act),
                Op::Selp { d, a, b, p } => at.select(*d, *a, *b, *p, act),
                Op::Setp { .. } => self.compare(at, op, act),
                Op::Pred { kind, d, a, b } => at.combine(*kind, *d, *a, *b, act),
                Op::Sreg { d, which } => {
                    let clock = self.stats.instructions + clock * u64::from(at.mask.count_ones());
                    self.special(at, *which, *d, act, clock);
                }
                Op::Activemask { d } => at.active_mask(*d, act),
                Op::IsSpace { space, p, a } => self.is_in_space(at, *space, *p, *a, act),
                Op::Cvta { to, win, d, a } => at.convert_address(*to, *win, *d, *a, act),
                Op::FnParamAddr { d, row, byte } => at.parameter_address(*d, *row, *byte, act),
                Op::Ld(m) => self.load(at, m, act)?,
                Op::St(m) => self.store(at, m, act)?,
                Op::CpAsync { dst, src, size, srcsize } => self.copy(at, dst, src, *size, *srcsize, act)?,
                Op::Atom(m) => self.atomic(at, m, act)?,
                Op::Mbar { kind, d, p, base, off, a, space } => {
                    self.mbarrier(at, *kind, (*d, *p), (*space, *base, *off), *a, act)?;
                }
                Op::Bra { target } => return Ok(self.branch::<IN_STEP>(at, *target, act)),
                Op::Brx { targets, a } => return self.branch_indexed::<IN_STEP>(at, targets, *a, act),
                Op::Call { site } => return self.call::<IN_STEP>(at, *site, act),
                Op::CallRet { site } => at.take_results(*site, act),
                Op::Ret => return Ok(self.ret::<IN_STEP>(at, act)),
                Op::Exit => return self.exit(at, act),
                Op::Trap => return self.trap::<IN_STEP>(at, act),
                Op::Bar { kind, id, cnt, p, .. } => {
                    return self.barrier::<IN_STEP>(at, *kind, *id, *cnt, *p, act);
                }
                Op::Shfl { mask, .. }
                | Op::Vote { mask, .. }
                | Op::Match { mask, .. }
                | Op::Redux { mask, .. }
                | Op::Elect { mask, .. }
                | Op::BarWarp { mask } => return self.collective::<IN_STEP>(at, op, *mask, act),
                Op::Yield => return Ok(at.give_way()),
                Op::Brkpt | Op::Fence | Op::Nop => {}
            }
        }
        Ok(Next::Following)
    }
}
