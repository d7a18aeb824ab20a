//! Arithmetic: a row of lanes at once.

use super::machine::Machine;
use super::running::Running;
use crate::alu::Args;
use crate::ir::{A, R};
use crate::num;

impl Machine<'_> {
    /// Executes an arithmetic instruction on a row of lanes.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn arithmetic(
        &self,
        at: &mut Running,
        f: A,
        d: R,
        [a, b, c]: [R; 3],
        x: u32,
        act: u32,
    ) {
        // SAFETY: the operands belong to the running function, as its carry does, so they are rows of its frame or its
        // constants. `alu::select` has checked that this processor has the features of its version of the operations.
        unsafe {
            let sources = [at.source(a), at.source(b), at.source(c)];
            let args = Args::new(at.result(d), sources, at.carry(), act, x);
            (self.alu)(f, &args);
        }
    }

    /// `bfi`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn insert_bits(
        &self,
        at: &mut Running,
        w64: bool,
        d: R,
        [a, b, c, e]: [R; 4],
        act: u32,
    ) {
        let (bits, all) = if w64 { (64, u64::MAX) } else { (32, 0xffff_ffff) };
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants.
        unsafe {
            let (d, a, b, c, e) = (at.result(d), at.source(a), at.source(b), at.source(c), at.source(e));
            lanes!(act, l, {
                (*d).0[l] = num::bfi((*a).0[l], (*b).0[l], (*c).0[l], (*e).0[l], bits) & all;
            });
        }
    }
}
