//! Barriers of a block, and the end of threads.

use super::*;

impl Machine<'_> {
    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    pub(super) unsafe fn exit_lanes(&mut self, b: *mut Block, wi: usize, act: u32) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; no other reference to the block is in use.
        unsafe {
            let w = &mut (&mut (*b).warps)[wi];
            w.alive &= !act;
            w.ready &= !act;
            w.yielded &= !act;
            // Who waits for lanes that are gone looks again.
            w.ready |= w.at_warp;
            w.at_warp = 0;
            (*b).live -= act.count_ones();
            (*b).exited = true;
            self.progress += 1;
            let live = if self.wave == 0 { (*b).live } else { self.live_waves(&*b) };
            if live > 0 {
                for id in 0..(*b).bars.len() {
                    let bar = (*b).bars[id];
                    if bar.count == 0 && bar.arrived > 0 && bar.arrived >= live {
                        self.complete(b, id)?;
                    }
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    pub(super) unsafe fn barrier(
        &mut self,
        b: *mut Block,
        wi: usize,
        act: u32,
        kind: BarKind,
        id: *const Row,
        cnt: *const Row,
        pv: u32,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; no other reference to the block is in use.
        unsafe {
            self.stats.barriers += 1;
            let mut todo = act;
            while todo != 0 {
                let l0 = todo.trailing_zeros() as usize;
                let n = (*id).0[l0] as usize;
                let c = if cnt.is_null() { 0 } else { (*cnt).0[l0] as u32 };
                let mut g = 0;
                lanes!(todo, l, {
                    if (*id).0[l] as usize == n && (cnt.is_null() || (*cnt).0[l] as u32 == c) {
                        g |= bit(l);
                    }
                });
                todo &= !g;
                let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
                if n > 16 {
                    return Err(self.fault_at(
                        E_ILLEGAL_INSTRUCTION,
                        &format!("barrier {n} does not exist"),
                        b,
                        w,
                        l0,
                        func,
                        pc,
                    ));
                }
                // In lock-step mode waves are counted, whole ones, whichever lanes of them come.
                let wave = 32 * self.wave as u32;
                let (live, came) = match wave {
                    0 => ((*b).live, g.count_ones()),
                    _ => (self.live_waves(&*b), u32::from(self.comes_last(&*b, wi))),
                };
                let bar = &mut (*b).bars[n];
                bar.count = c;
                bar.arrived += came;
                bar.popc += (g & pv).count_ones();
                bar.all &= g & !pv == 0;
                bar.any |= g & pv != 0;
                if kind == BarKind::Arrive {
                    lanes!(g, l, { (*w).pc[l] = pc + 1 });
                } else {
                    (*w).ready &= !g;
                    (*w).at_bar |= g;
                    lanes!(g, l, { (*w).bar[l] = n as u8 });
                }
                let need = match (c, wave) {
                    (0, _) => live,
                    (_, 0) => c,
                    _ => c.div_ceil(wave),
                };
                if bar.arrived > need {
                    let m = format!(
                        "barrier {n}: {} {} came to a barrier for {need}",
                        bar.arrived,
                        if wave == 0 { "threads" } else { "waves" }
                    );
                    return Err(self.fault_at(E_LAUNCH_FAILED, &m, b, w, l0, func, pc));
                }
                if let Some(ch) = &mut self.checks {
                    ch.bar_arrive((*b).id, n, wi);
                }
                if bar.arrived == need {
                    self.complete(b, n)?;
                }
            }
            Ok(())
        }
    }

    /// All threads have come to a barrier: they go on.
    ///
    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    pub(super) unsafe fn complete(&mut self, b: *mut Block, id: usize) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; frames of lanes are inside the rows of their warp.
        unsafe {
            let bar = (*b).bars[id];
            if self.cfg.synccheck >= 2 && (*b).exited && bar.count == 0 {
                let mut s = String::from("barrier while threads of the block have exited");
                self.waits(&*b, &mut s);
                return Err(self.fault(E_LAUNCH_FAILED, s));
            }
            for wi in 0..(*b).warps.len() {
                let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
                let mut here = 0;
                lanes!((*w).at_bar, l, {
                    if (*w).bar[l] as usize == id {
                        here |= bit(l);
                    }
                });
                if here == 0 {
                    continue;
                }
                let l0 = here.trailing_zeros() as usize;
                let mut split = None;
                lanes!(here, l, {
                    if (*w).pc[l] != (*w).pc[l0] || (*w).func[l] != (*w).func[l0] {
                        split = Some(l);
                    }
                });
                let f = &self.prog.funcs[(*w).func[l0] as usize];
                let aligned = matches!(f.ins[(*w).pc[l0] as usize].op, Op::Bar { aligned: true, .. });
                if let Some(l) = split
                    && aligned
                    && self.cfg.synccheck > 0
                {
                    let mut s = String::from(
                        "divergent barrier: threads of one warp wait at different barrier instructions",
                    );
                    let _ = write!(s, "\n  {}", self.place(&*b, &*w, l0, (*w).func[l0], (*w).pc[l0]));
                    let _ = write!(s, "\n  {}", self.place(&*b, &*w, l, (*w).func[l], (*w).pc[l]));
                    return Err(self.fault(E_LAUNCH_FAILED, s));
                }
                lanes!(here, l, {
                    let prog = self.prog;
                    let f = &prog.funcs[(*w).func[l] as usize];
                    let fr = (&mut (*w).regs).as_mut_ptr().add((*w).fp[l] as usize);
                    if let Op::Bar { kind, d, pd, .. } = &f.ins[(*w).pc[l] as usize].op {
                        match kind {
                            BarKind::Popc => (*fr.add(*d as usize)).0[l] = bar.popc as u64,
                            BarKind::And | BarKind::Or => {
                                let v = if *kind == BarKind::And { bar.all } else { bar.any };
                                let q = (fr as *mut u32).add(*pd as usize);
                                *q = (*q & !bit(l)) | (v as u32) << l;
                            }
                            _ => {}
                        }
                    }
                    (*w).pc[l] += 1;
                });
                (*w).at_bar &= !here;
                (*w).ready |= here;
                (*w).spin = 0;
            }
            (*b).bars[id] = Bar { all: true, ..Bar::default() };
            if let Some(c) = &mut self.checks {
                c.bar_complete((*b).id, id);
            }
            self.progress += 1;
            Ok(())
        }
    }
}
