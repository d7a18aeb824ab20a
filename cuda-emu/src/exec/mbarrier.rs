//! Barriers that are objects in shared memory.

use super::*;

impl Machine<'_> {
    /// Operations on mbarrier objects: 64-bit words in shared memory. Bits 0-19:
    /// arrivals still expected; 20-39: arrivals of each phase; 40-60: bytes
    /// expected (signed); 63: parity of the phase.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn mbar(
        &mut self,
        kind: MbarKind,
        space: Space,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        base: *const Row,
        off: i64,
        a: *const Row,
        d: *mut Row,
        res: &mut u32,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // 8 bytes each.
        unsafe {
            if kind == MbarKind::PendingCount {
                lanes!(act, l, { (*d).0[l] = (*a).0[l] & 0xf_ffff });
                return Ok(());
            }
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            self.resolve(space, 8, act, b, w, base, off, func, pc, "mbarrier access", &mut p)?;
            let bid = (*b).id;
            lanes!(act, l, {
                let q = p[l] as *mut u64;
                let v = *q;
                let mut pend = (v & 0xf_ffff) as i64;
                let mut count = (v >> 20) & 0xf_ffff;
                let mut tx = ((v << 3) as i64 >> 43) as i64;
                let mut phase = v >> 63;
                let x = (*a).0[l];
                let mut store = true;
                match kind {
                    MbarKind::Init => {
                        pend = (x & 0xf_ffff) as i64;
                        count = x & 0xf_ffff;
                        tx = 0;
                        phase = 0;
                    }
                    MbarKind::Inval => {
                        pend = 0;
                        count = 0;
                        tx = 0;
                        phase = 0;
                    }
                    MbarKind::Arrive | MbarKind::ArriveNoComplete => {
                        (*d).0[l] = v;
                        pend -= (x as u32).max(1) as i64;
                    }
                    MbarKind::ArriveDrop => {
                        (*d).0[l] = v;
                        pend -= (x as u32).max(1) as i64;
                        count -= (x as u32).max(1) as u64;
                    }
                    MbarKind::ExpectTx => tx += x as u32 as i64,
                    MbarKind::CompleteTx => tx -= x as u32 as i64,
                    MbarKind::ArriveExpectTx => {
                        (*d).0[l] = v;
                        tx += x as u32 as i64;
                        pend -= 1;
                    }
                    MbarKind::Test | MbarKind::TryWait => {
                        store = false;
                        if x >> 63 != phase {
                            *res |= bit(l);
                        }
                    }
                    _ => {
                        store = false;
                        if x & 1 != phase {
                            *res |= bit(l);
                        }
                    }
                }
                if store {
                    if pend < 0 {
                        return Err(self.fault_at(
                            E_LAUNCH_FAILED,
                            "more arrivals at an mbarrier than it expects",
                            b,
                            w,
                            l,
                            func,
                            pc,
                        ));
                    }
                    if pend == 0 && tx == 0 && !matches!(kind, MbarKind::Init | MbarKind::Inval) {
                        phase ^= 1;
                        pend = count as i64;
                    }
                    *q = (pend as u64 & 0xf_ffff)
                        | (count & 0xf_ffff) << 20
                        | ((tx as u64) & 0x1f_ffff) << 40
                        | phase << 63;
                    self.progress += 1;
                    (*w).spin = 0;
                } else {
                    (*w).spin += 1;
                }
            });
            if let Some(c) = &mut self.checks {
                c.block_sync(bid);
            }
            Ok(())
        }
    }
}
