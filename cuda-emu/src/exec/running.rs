//! The lanes of a warp that run together, and the frame that they run in.
//!
//! Operands are numbers of rows and predicates. They are followed without a check, because two others were made before:
//! `ir::operands` looks at each operand of a function when its module is loaded, and `Running::new` at the frame, each time
//! that a group begins to run.

use super::block::Block;
use super::machine::Machine;
use super::warp::Warp;
use crate::alu::Row;
use crate::ir::{Code, NOPRED, P, PNEG, R};

/// Lanes of a warp that are at one position of one frame. They run together until they part, wait or have had their turn.
pub(super) struct Running<'a, 'b> {
    pub(super) block: &'b mut Block,
    /// The number of the warp in its block.
    pub(super) wi: usize,
    pub(super) mask: u32,
    /// Lanes of the warp that are ready and elsewhere.
    pub(super) others: u32,
    pub(super) func: u32,
    pub(super) pc: u32,
    /// The first row of the frame.
    pub(super) fp: u32,
    pub(super) code: &'a Code,
    /// `code.rows` rows in the warp's registers. They are reached through this pointer alone, until a call lets them move.
    frame: *mut Row,
    /// The row of the carry, in the frame.
    carry: *mut Row,
    /// `code.consts.len()` rows, which belong to the launch and do not change.
    constants: *const Row,
}

impl<'a, 'b> Running<'a, 'b> {
    /// The lanes of `mask`, at the position of the first of them.
    #[inline(always)]
    pub(super) fn new(
        machine: &Machine<'a>,
        block: &'b mut Block,
        wi: usize,
        mask: u32,
        others: u32,
    ) -> Self {
        let w = &mut block.warps[wi];
        let lane = mask.trailing_zeros() as usize;
        let (func, pc, fp) = (w.func[lane], w.pc[lane], w.fp[lane]);
        let prog = machine.prog;
        let code: &Code = &prog.funcs[func as usize];
        let constants = &machine.consts[func as usize];
        assert_eq!(constants.len(), code.consts.len(), "the function is not another kernel");
        let (frame, constants) = (frame(w, fp, code), constants.as_ptr());
        let carry = frame.wrapping_add(code.cc_row as usize);
        Running { block, wi, mask, others, func, pc, fp, code, frame, carry, constants }
    }

    /// The warp of these lanes.
    #[inline(always)]
    pub(super) fn warp(&mut self) -> &mut Warp {
        &mut self.block.warps[self.wi]
    }

    /// Takes the frame to where the registers of the warp are now.
    pub(super) fn registers_moved(&mut self) {
        self.frame = frame(&mut self.block.warps[self.wi], self.fp, self.code);
        self.carry = self.frame.wrapping_add(self.code.cc_row as usize);
    }

    /// Puts lanes at a position of the function.
    #[inline(always)]
    pub(super) fn place(&mut self, lanes: u32, pc: u32) {
        let w = self.warp();
        lanes!(lanes, l, { w.pc[l] = pc });
    }

    /// Lets the lanes for which the guard of a waiting instruction is off go past it.
    #[inline(always)]
    pub(super) fn split(&mut self, act: u32) {
        if act != self.mask {
            self.place(self.mask & !act, self.pc + 1);
        }
        self.place(act, self.pc);
    }

    /// The row of the carry, which `ir::operands` has found in the frame.
    #[inline(always)]
    pub(super) fn carry(&self) -> *mut Row {
        self.carry
    }

    /// The row after the frame, where that of a callee begins.
    pub(super) fn behind(&self) -> *mut Row {
        self.frame.wrapping_add(self.code.rows as usize)
    }

    /// The row of an operand that is read.
    ///
    /// # Safety
    /// `r` must be an operand of an instruction of the running function, and the registers must not have moved since this
    /// value was made.
    #[inline(always)]
    pub(super) unsafe fn source(&self, r: R) -> *const Row {
        // SAFETY: `ir::operands` has found operands from 0 on below `code.rows`, which the frame has, and the others among
        // the constants.
        unsafe { if r >= 0 { self.frame.add(r as usize) } else { self.constants.add((!r) as usize) } }
    }

    /// The row of an operand that is written.
    ///
    /// # Safety
    /// `r` must be a result of an instruction of the running function, and the registers must not have moved since this
    /// value was made.
    #[inline(always)]
    pub(super) unsafe fn result(&self, r: R) -> *mut Row {
        // SAFETY: `ir::operands` has found results from 0 on and below `code.rows`, which the frame has.
        unsafe { self.frame.add(r as usize) }
    }

    /// The lanes for which a predicate holds.
    ///
    /// # Safety
    /// `p` must be a predicate that an instruction of the running function reads, and the registers must not have moved
    /// since this value was made.
    #[inline(always)]
    pub(super) unsafe fn predicate(&self, p: P) -> u32 {
        // SAFETY: `ir::operands` has found predicates that are read below `64 * code.rows`, the 32-bit words of the frame.
        let v = unsafe { *self.frame.cast::<u32>().add((p & !PNEG) as usize) };
        if p & PNEG != 0 { !v } else { v }
    }

    /// Sets a predicate for the lanes of `act`, if there is one.
    ///
    /// # Safety
    /// `p` must be a predicate that an instruction of the running function writes, and the registers must not have moved
    /// since this value was made.
    #[inline(always)]
    pub(super) unsafe fn set_predicate(&mut self, p: P, bits: u32, act: u32) {
        if p != NOPRED {
            // SAFETY: `ir::operands` has found predicates that are written below `64 * code.rows`, the 32-bit words of the
            // frame, or none.
            let q = unsafe { &mut *self.frame.cast::<u32>().add(p as usize) };
            *q = (*q & !act) | (bits & act);
        }
    }

    /// Sets the predicate that is false in each frame.
    #[inline(always)]
    pub(super) fn clear_first_predicate(&mut self) {
        // SAFETY: `ir::operands` has found predicate 0 below `64 * code.rows`, and no row has moved yet.
        unsafe { self.set_predicate(self.code.pred0, 0, u32::MAX) }
    }
}

/// The start of a frame.
#[inline(always)]
fn frame(w: &mut Warp, fp: u32, code: &Code) -> *mut Row {
    assert!(fp as usize + code.rows as usize <= w.regs.len(), "the frame ends inside the registers");
    // SAFETY: the assertion says that the registers have row `fp`, and as many more as the function has.
    unsafe { w.regs.as_mut_ptr().add(fp as usize) }
}
