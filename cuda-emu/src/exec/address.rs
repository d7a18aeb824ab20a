//! Addresses: from one state space to another, and of parameters.

use super::bit;
use super::machine::Machine;
use super::running::Running;
use crate::alu::Row;
use crate::ir::{FPARAM_WIN, P, R, WIN_SHIFT};
use crate::mem::Kind;
use crate::ptx::Space;

impl Running<'_, '_> {
    /// `cvta`: between generic addresses and those of a window.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn convert_address(&mut self, to: bool, win: u64, d: R, a: R, act: u32) {
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants.
        unsafe {
            let (a, d) = (self.source(a), self.result(d));
            lanes!(act, l, {
                let x = (*a).0[l];
                // A null pointer is null in all spaces, as an address before the window.
                (*d).0[l] = if to { x.wrapping_sub(win) } else { x.wrapping_add(win) };
                if to && x < win {
                    (*d).0[l] = x & 0xffff_ffff;
                }
            });
        }
    }

    /// The address of a parameter of a device function, which is in rows of the frame.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn parameter_address(&mut self, d: R, row: R, byte: u32, act: u32) {
        let v = FPARAM_WIN + (self.fp as u64 + row as u64) * 8 + byte as u64;
        // SAFETY: the result belongs to the running function, so it is a row of its frame.
        unsafe {
            let d = self.result(d);
            lanes!(act, l, { (*d).0[l] = v });
        }
    }
}

impl Machine<'_> {
    /// `isspacep`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn is_in_space(&self, at: &mut Running, space: Space, p: P, a: R, act: u32) {
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants; the row is not written while it is borrowed.
        unsafe {
            let there = self.lanes_in(space, &*at.source(a), act);
            at.set_predicate(p, there, act);
        }
    }

    /// The lanes whose generic address is in a state space.
    fn lanes_in(&self, space: Space, addresses: &Row, act: u32) -> u32 {
        let mut there = 0;
        lanes!(act, l, {
            let x = addresses.0[l];
            let s = match x >> WIN_SHIFT {
                0x8 => Space::Shared,
                0x9 => Space::Local,
                0xa => Space::Param,
                _ => match self.mem.find(x) {
                    Some(al) if matches!(al.kind, Kind::Const(_)) => Space::Const,
                    _ => Space::Global,
                },
            };
            if s == space || (space == Space::Global && s == Space::Const) {
                there |= bit(l);
            }
        });
        there
    }
}
