//! Operations among the lanes of a warp, and the wait for those that they name.

use super::bit;
use super::machine::Machine;
use super::report::{E_ILLEGAL_INSTRUCTION, E_LAUNCH_FAILED, Run};
use super::running::Running;
use super::warp::Next;
use crate::alu::Row;
use crate::ir::{Op, P, R, ShflKind, VoteKind};

/// The lanes of `lanes` whose member mask is that of lane `l0`.
fn alike(members: &Row, lanes: u32, l0: usize) -> u32 {
    let mut same = 0;
    lanes!(lanes, l, {
        if members.0[l] as u32 == members.0[l0] as u32 {
            same |= bit(l);
        }
    });
    same
}

impl<'a> Machine<'a> {
    /// An operation among lanes: at once where all are here, otherwise it waits for those that it names.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved, and `mask` its member mask.
    pub(super) unsafe fn collective<const IN_STEP: bool>(
        &mut self,
        at: &mut Running<'a, '_>,
        op: &Op,
        mask: R,
        act: u32,
    ) -> Run<Next> {
        // SAFETY: the operand belongs to the running function, so it is a row of its frame or its constants.
        let members = unsafe { *at.source(mask) };
        let l0 = act.trailing_zeros() as usize;
        let named = members.0[l0] as u32;
        let same = alike(&members, act, l0);
        let alive = at.warp().alive;
        // Common case: all members are here.
        if same == act && act == at.mask && named & alive == act {
            // SAFETY: `op` is an instruction of the running function, whose registers have not moved.
            unsafe { at.exchange(op, act) };
            self.warps_met(at);
            return Ok(Next::Following);
        }
        if IN_STEP {
            // SAFETY: `op` is an instruction of the running function, whose registers have not moved.
            unsafe { self.collective_in_step(at, op, &members, act)? };
            return Ok(Next::Following);
        }
        at.split(act);
        self.are_members(at, named, same)?;
        let barrier = matches!(op, Op::BarWarp { .. });
        let present = self.present(at, named, same, barrier);
        let w = at.warp();
        if named & alive & !present != 0 {
            lanes!(same, l, { w.wmask[l] = named });
            w.at_warp |= same;
            w.ready &= !same;
            return Ok(Next::Placed);
        }
        w.at_warp &= !present;
        w.ready |= present;
        if !barrier {
            // SAFETY: `op` is an instruction of the running function, whose registers have not moved. All lanes that are
            // present are at it in this frame, since only at a barrier they may be elsewhere.
            unsafe { at.exchange(op, present) };
        }
        self.warps_met(at);
        let w = at.warp();
        lanes!(present, l, { w.pc[l] += 1 });
        Ok(Next::Placed)
    }

    /// In lock-step: with those lanes that are here.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    unsafe fn collective_in_step(
        &mut self,
        at: &mut Running<'a, '_>,
        op: &Op,
        members: &Row,
        act: u32,
    ) -> Run<()> {
        let mut todo = act;
        while todo != 0 {
            let l0 = todo.trailing_zeros() as usize;
            let named = members.0[l0] as u32;
            let group = alike(members, todo, l0);
            todo &= !group;
            self.are_members(at, named, group)?;
            let missing = named & at.warp().alive & !group;
            // The hardware continues with meaningless values, and the kernel may still report the error itself.
            if missing != 0 && self.cfg.synccheck > 0 && self.apart.is_none() {
                let (w, l) = (&at.block.warps[at.wi], missing.trailing_zeros() as usize);
                let what = format!(
                    "lanes 0x{missing:08x} of the member mask 0x{named:08x} are not here, and in lock-step they cannot \
                     come\n  {}\n  another is",
                    self.place(at.block, w, l, w.func[l], w.pc[l])
                );
                self.apart = Some(self.fault_at(at, l0, E_LAUNCH_FAILED, &what));
            }
            if !matches!(op, Op::BarWarp { .. }) {
                // SAFETY: `op` is an instruction of the running function, whose registers have not moved.
                unsafe { at.exchange(op, group) };
            }
        }
        self.warps_met(at);
        Ok(())
    }

    /// Refuses lanes that are not in their own member mask.
    fn are_members(&self, at: &Running, named: u32, lanes: u32) -> Run<()> {
        if lanes & !named == 0 {
            return Ok(());
        }
        let l = (lanes & !named).trailing_zeros() as usize;
        let what = format!("the thread (lane {l}) is not in its own member mask 0x{named:08x}");
        Err(self.fault_at(at, l, E_ILLEGAL_INSTRUCTION, &what))
    }

    /// These lanes, and those that wait for them: at the same instruction, or each at a barrier.
    fn present(&self, at: &mut Running, named: u32, lanes: u32, barrier: bool) -> u32 {
        let (pc, fp, func) = (at.pc, at.fp, at.func);
        let w = at.warp();
        let mut present = lanes;
        lanes!(w.at_warp, l, {
            let here = w.pc[l] == pc && w.fp[l] == fp && w.func[l] == func;
            let other = barrier && {
                let f = &self.prog.funcs[w.func[l] as usize];
                matches!(f.ins[w.pc[l] as usize].op, Op::BarWarp { .. })
            };
            if (here || other) && w.wmask[l] == named {
                present |= bit(l);
            }
        });
        present
    }

    /// Tells the checks that lanes of the warp have met.
    fn warps_met(&mut self, at: &Running) {
        if let Some(c) = &mut self.checks {
            c.warp_sync(at.block.id, at.wi);
        }
    }
}

impl Running<'_, '_> {
    /// An operation among lanes, all of which are here.
    ///
    /// # Safety
    /// The instruction must be one of the running function, whose registers have not moved.
    unsafe fn exchange(&mut self, op: &Op, m: u32) {
        // SAFETY: the operands that are passed on belong to `op`, an instruction of the running function, and the registers
        // have not moved: that is all that these functions ask for.
        unsafe {
            match op {
                Op::Shfl { kind, d, p, a, b, c, .. } => self.shuffle(*kind, *d, *p, [*a, *b, *c], m),
                Op::Vote { kind, d, pd, p, .. } => self.vote(*kind, *d, *pd, *p, m),
                Op::Match { all, w64, d, p, a, .. } => self.match_values(*all, *w64, *d, *p, *a, m),
                Op::Redux { op, d, a, .. } => self.reduce(*op, *d, *a, m),
                Op::Elect { d, p, .. } => self.elect(*d, *p, m),
                _ => {}
            }
        }
    }

    /// `shfl.sync`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    unsafe fn shuffle(&mut self, kind: ShflKind, d: R, p: P, [a, b, c]: [R; 3], m: u32) {
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants. The sources are copied before the result is borrowed.
        unsafe {
            let (a, b, c) = ((*self.source(a)).0, (*self.source(b)).0, (*self.source(c)).0);
            let d = &mut (*self.result(d)).0;
            let mut pv = 0;
            lanes!(m, l, {
                let cv = c[l] as u32;
                let bv = b[l] as u32 & 31;
                let (clamp, seg) = (cv & 31, (cv >> 8) & 31);
                let lane = l as u32;
                let max = (lane & seg) | (clamp & !seg);
                let min = lane & seg;
                let (j, ok) = match kind {
                    ShflKind::Up => (lane.wrapping_sub(bv), lane as i32 - bv as i32 >= max as i32),
                    ShflKind::Down => (lane + bv, lane + bv <= max),
                    ShflKind::Bfly => (lane ^ bv, lane ^ bv <= max),
                    ShflKind::Idx => (min | (bv & !seg), (min | (bv & !seg)) <= max),
                };
                let j = if ok { j as usize & 31 } else { l };
                if ok {
                    pv |= bit(l);
                }
                // The value of a lane that takes no part is undefined.
                d[l] = if m >> j & 1 == 1 { a[j] } else { 0 };
            });
            self.set_predicate(p, pv, m);
        }
    }

    /// `vote.sync`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    unsafe fn vote(&mut self, kind: VoteKind, d: R, pd: P, p: P, m: u32) {
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame; only a
        // ballot has a row for its result, and only a ballot writes one.
        unsafe {
            let v = self.predicate(p) & m;
            match kind {
                VoteKind::All => self.set_predicate(pd, if v == m { m } else { 0 }, m),
                VoteKind::Any => self.set_predicate(pd, if v != 0 { m } else { 0 }, m),
                VoteKind::Uni => self.set_predicate(pd, if v == m || v == 0 { m } else { 0 }, m),
                VoteKind::Ballot => {
                    let d = self.result(d);
                    lanes!(m, l, { (*d).0[l] = v as u64 });
                }
            }
        }
    }

    /// `match.sync`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    unsafe fn match_values(&mut self, all: bool, w64: bool, d: R, p: P, a: R, m: u32) {
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants.
        unsafe {
            let a = (*self.source(a)).0;
            let key = |l: usize| if w64 { a[l] } else { a[l] & 0xffff_ffff };
            let d = self.result(d);
            if all {
                let k = key(m.trailing_zeros() as usize);
                let mut same = true;
                lanes!(m, l, { same &= key(l) == k });
                lanes!(m, l, { (*d).0[l] = if same { m as u64 } else { 0 } });
                self.set_predicate(p, if same { m } else { 0 }, m);
            } else {
                lanes!(m, l, {
                    let mut r = 0u32;
                    lanes!(m, j, {
                        if key(j) == key(l) {
                            r |= bit(j);
                        }
                    });
                    (*d).0[l] = r as u64;
                });
            }
        }
    }

    /// `redux.sync`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    unsafe fn reduce(&mut self, op: u8, d: R, a: R, m: u32) {
        // SAFETY: the operands belong to the running function, so they are rows of its frame or its constants.
        let (a, d) = unsafe { ((*self.source(a)).0, self.result(d)) };
        let mut acc = a[m.trailing_zeros() as usize] as u32;
        lanes!(m & (m - 1), l, {
            let v = a[l] as u32;
            acc = match op {
                0 => acc.wrapping_add(v),
                1 => acc.min(v),
                2 => acc.max(v),
                3 => acc & v,
                4 => acc | v,
                5 => acc ^ v,
                6 => (acc as i32).min(v as i32) as u32,
                _ => (acc as i32).max(v as i32) as u32,
            };
        });
        // SAFETY: `d` is a row, and `l` is below 32, its slots.
        lanes!(m, l, { unsafe { (*d).0[l] = acc as u64 } });
    }

    /// `elect.sync`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    #[inline(always)]
    unsafe fn elect(&mut self, d: R, p: P, m: u32) {
        let first = m.trailing_zeros();
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame.
        unsafe {
            let d = self.result(d);
            lanes!(m, l, { (*d).0[l] = first as u64 });
            self.set_predicate(p, 1 << first, m);
        }
    }
}
