//! Special registers, and the mask of the lanes that run.

use super::machine::Machine;
use super::running::Running;
use super::tid3;
use crate::ir::{R, SHARED_BASE, Sreg};

impl Machine<'_> {
    /// A special register, such as `%tid.x`; `clock` is the number of instructions so far.
    ///
    /// # Safety
    /// The result must be that of an instruction of the running function, whose registers have not moved.
    pub(super) unsafe fn special(&self, at: &mut Running, which: Sreg, d: R, act: u32, clock: u64) {
        let (b, tid0) = (&*at.block, at.block.warps[at.wi].tid0);
        let t = |l: usize, k: usize| tid3(tid0 + l as u32, self.block)[k] as u64;
        let uni: u64 = match which {
            Sreg::TidX
            | Sreg::TidY
            | Sreg::TidZ
            | Sreg::LaneId
            | Sreg::LtMask
            | Sreg::LeMask
            | Sreg::GtMask
            | Sreg::GeMask
            | Sreg::EqMask => 0,
            Sreg::NtidX => self.block[0] as u64,
            Sreg::NtidY => self.block[1] as u64,
            Sreg::NtidZ => self.block[2] as u64,
            Sreg::CtaidX => b.ctaid[0] as u64,
            Sreg::CtaidY => b.ctaid[1] as u64,
            Sreg::CtaidZ => b.ctaid[2] as u64,
            Sreg::NctaidX => self.grid[0] as u64,
            Sreg::NctaidY => self.grid[1] as u64,
            Sreg::NctaidZ => self.grid[2] as u64,
            Sreg::WarpId => at.wi as u64,
            Sreg::NWarpId => 64,
            Sreg::SmId => b.id % 132,
            Sreg::NSmId => 132,
            Sreg::GridId => self.grid_id,
            Sreg::Clock => clock & 0xffff_ffff,
            Sreg::ClockHi => clock >> 32,
            Sreg::Clock64 => clock,
            Sreg::GlobalTimer => self.start.elapsed().as_nanos() as u64,
            Sreg::GlobalTimerLo => self.start.elapsed().as_nanos() as u64 & 0xffff_ffff,
            Sreg::GlobalTimerHi => self.start.elapsed().as_nanos() as u64 >> 32,
            Sreg::DynSize => self.dyn_size as u64,
            Sreg::TotalSize => (self.shared_end - SHARED_BASE) as u64,
            Sreg::Zero => 0,
            Sreg::One => 1,
            Sreg::Env1 => self.env >> 32,
            Sreg::Env2 => self.env & 0xffff_ffff,
            Sreg::DynBase => self.dyn_base as u64,
            Sreg::WarpSize => 32,
        };
        // SAFETY: the result belongs to the running function, so it is a row of its frame.
        let d = unsafe { at.result(d) };
        lanes!(act, l, {
            let v = match which {
                Sreg::TidX => t(l, 0),
                Sreg::TidY => t(l, 1),
                Sreg::TidZ => t(l, 2),
                Sreg::LaneId => l as u64,
                Sreg::LtMask => (1u64 << l) - 1,
                Sreg::LeMask => (2u64 << l) - 1,
                Sreg::GtMask => 0xffff_ffff & !((2u64 << l) - 1),
                Sreg::GeMask => 0xffff_ffff & !((1u64 << l) - 1),
                Sreg::EqMask => 1u64 << l,
                _ => uni,
            };
            // SAFETY: `d` is a row, and `l` is below 32, its slots.
            unsafe { (*d).0[l] = v };
        });
    }
}

impl Running<'_, '_> {
    /// `activemask`.
    ///
    /// # Safety
    /// The result must be that of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    pub(super) unsafe fn active_mask(&mut self, d: R, act: u32) {
        // SAFETY: the result belongs to the running function, so it is a row of its frame.
        unsafe {
            let d = self.result(d);
            lanes!(act, l, { (*d).0[l] = act as u64 });
        }
    }
}
