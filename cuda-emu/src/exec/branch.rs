//! Branches, and the end of threads.

use super::machine::Machine;
use super::report::{E_ILLEGAL_INSTRUCTION, E_INVALID_PC, Run};
use super::running::Running;
use super::warp::Next;
use crate::ir::R;

/// The number of accesses without effect after which a thread counts as polling.
const POLLS: u32 = 16;

impl Machine<'_> {
    /// Notes that lanes may part at this instruction.
    #[inline(always)]
    pub(super) fn may_part<const IN_STEP: bool>(&self, at: &mut Running) {
        if IN_STEP {
            at.block.waves[at.wi / self.wave].last = (at.func, at.pc);
        }
    }

    /// `bra`.
    #[inline(always)]
    pub(super) fn branch<const IN_STEP: bool>(&self, at: &mut Running, target: u32, act: u32) -> Next {
        self.may_part::<IN_STEP>(at);
        let back = target <= at.pc;
        if act == at.mask {
            if back && at.others == 0 && at.warp().spin > POLLS {
                at.place(at.mask, target);
                return Next::Spun;
            }
            return Next::At(target);
        }
        at.place(act, target);
        at.place(at.mask & !act, at.pc + 1);
        if back && !IN_STEP && at.warp().spin > POLLS {
            // Polling lanes let the others of the warp go first.
            let w = at.warp();
            w.yielded |= act;
            w.spin = 0;
        }
        Next::Placed
    }

    /// `brx.idx`.
    ///
    /// # Safety
    /// The operand must be that of an instruction of the running function, whose registers have not moved.
    pub(super) unsafe fn branch_indexed<const IN_STEP: bool>(
        &self,
        at: &mut Running,
        targets: &[u32],
        a: R,
        act: u32,
    ) -> Run<Next> {
        self.may_part::<IN_STEP>(at);
        at.place(at.mask & !act, at.pc + 1);
        // SAFETY: the operand belongs to the running function, so it is a row of its frame or its constants.
        let a = unsafe { at.source(a) };
        lanes!(act, l, {
            // SAFETY: `a` is a row, and `l` is below 32, its slots.
            let t = unsafe { (*a).0[l] } as u32 as usize;
            match targets.get(t) {
                Some(t) => at.place(1 << l, *t),
                None => {
                    let what = format!("branch index {t} out of range ({} targets)", targets.len());
                    return Err(self.fault_at(at, l, E_INVALID_PC, &what));
                }
            }
        });
        Ok(Next::Placed)
    }

    /// `ret` of a device function.
    pub(super) fn ret<const IN_STEP: bool>(&self, at: &mut Running, act: u32) -> Next {
        self.may_part::<IN_STEP>(at);
        at.place(at.mask & !act, at.pc + 1);
        let w = at.warp();
        lanes!(act, l, {
            if let Some(f) = w.stack[l].pop() {
                w.pc[l] = f.pc;
                w.fp[l] = f.fp;
                w.func[l] = f.func;
            }
        });
        Next::Placed
    }

    /// `exit`, and `ret` of a kernel.
    pub(super) fn exit(&mut self, at: &mut Running, act: u32) -> Run<Next> {
        at.place(at.mask & !act, at.pc + 1);
        self.exit_lanes(at.block, at.wi, act)?;
        Ok(Next::Placed)
    }

    /// `trap`.
    #[cold]
    pub(super) fn trap<const IN_STEP: bool>(&mut self, at: &mut Running, act: u32) -> Run<Next> {
        let lane = act.trailing_zeros() as usize;
        let fault = self.fault_at(at, lane, E_ILLEGAL_INSTRUCTION, "trap executed");
        if !IN_STEP {
            return Err(fault);
        }
        self.trap_in_step(at.block, at.wi, fault)?;
        Ok(Next::Placed)
    }
}

impl Running<'_, '_> {
    /// `nanosleep`: the other lanes of the warp go first, or the other warps.
    pub(super) fn give_way(&mut self) -> Next {
        self.place(self.mask, self.pc + 1);
        if self.others == 0 {
            return Next::Spun;
        }
        self.warp().yielded |= self.mask;
        Next::Placed
    }
}
