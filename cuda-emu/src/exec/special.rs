//! Special registers, and which state space an address is in.

use super::*;

impl Machine<'_> {
    pub(super) fn sreg(
        &self,
        which: Sreg,
        b: &Block,
        w: &Warp,
        wi: usize,
        d: *mut Row,
        act: u32,
        clock: u64,
    ) {
        let t = |l: usize, k: usize| tid3(w.tid0 + l as u32, self.block)[k] as u64;
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
            Sreg::WarpId => wi as u64,
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
            // SAFETY: the caller passes a row of the frame.
            unsafe { (*d).0[l] = v };
        });
    }
    /// The lanes whose generic address is in a state space.
    pub(super) fn is_space(&self, space: Space, addresses: &Row, act: u32) -> u32 {
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
