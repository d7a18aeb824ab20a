//! Barriers of a block, and the end of threads.

use super::bit;
use super::block::{Bar, Block};
use super::machine::Machine;
use super::report::{E_ILLEGAL_INSTRUCTION, E_LAUNCH_FAILED, Run};
use super::running::Running;
use super::warp::{Next, Warp};
use crate::alu::Row;
use crate::ir::{BarKind, NOPRED, NOREG, Op, P, R};
use std::fmt::Write as _;

/// Lanes of a group that arrive at one barrier of the block, for the same number of threads.
struct Arrival {
    lanes: u32,
    barrier: usize,
    count: u32,
}

impl Machine<'_> {
    /// Ends threads, and completes barriers that waited for no other thread.
    pub(super) fn exit_lanes(&mut self, b: &mut Block, wi: usize, act: u32) -> Run<()> {
        let w = &mut b.warps[wi];
        w.alive &= !act;
        w.ready &= !act;
        w.yielded &= !act;
        // Lanes that wait for ended lanes check again.
        w.ready |= w.at_warp;
        w.at_warp = 0;
        b.live -= act.count_ones();
        b.exited = true;
        self.progress += 1;
        let live = if self.wave == 0 { b.live } else { self.live_waves(b) };
        if live > 0 {
            for id in 0..b.bars.len() {
                let bar = b.bars[id];
                if bar.count == 0 && bar.arrived > 0 && bar.arrived >= live {
                    self.complete(b, id)?;
                }
            }
        }
        Ok(())
    }

    /// `barrier`: `sync`, `arrive` and `red`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    pub(super) unsafe fn barrier<const IN_STEP: bool>(
        &mut self,
        at: &mut Running,
        kind: BarKind,
        id: R,
        cnt: R,
        p: P,
        act: u32,
    ) -> Run<Next> {
        self.may_part::<IN_STEP>(at);
        at.split(act);
        // SAFETY: the operands belong to the running function, so they are predicates and rows of its frame, or its
        // constants. Nothing writes to rows before `complete`, which is called when both have been read for the last time.
        let (id, cnt, holds) =
            unsafe { (*at.source(id), (cnt != NOREG).then(|| *at.source(cnt)), at.predicate(p)) };
        self.stats.barriers += 1;
        let mut todo = act;
        while todo != 0 {
            let arrival = Arrival::of(&id, cnt.as_ref(), todo);
            todo &= !arrival.lanes;
            self.arrive(at, kind, &arrival, holds)?;
        }
        Ok(Next::Placed)
    }

    /// Counts lanes that arrive at a barrier, and completes it if they were the last.
    fn arrive(&mut self, at: &mut Running, kind: BarKind, arrival: &Arrival, holds: u32) -> Run<()> {
        let Arrival { lanes: g, barrier: n, count: c } = *arrival;
        let l0 = g.trailing_zeros() as usize;
        if n > 16 {
            let what = format!("barrier {n} does not exist");
            return Err(self.fault_at(at, l0, E_ILLEGAL_INSTRUCTION, &what));
        }
        // In lock-step mode whole waves are counted, no matter which of their lanes arrive.
        let wave = 32 * self.wave as u32;
        let (live, came) = match wave {
            0 => (at.block.live, g.count_ones()),
            _ => (self.live_waves(at.block), u32::from(self.comes_last(at.block, at.wi))),
        };
        let bar = &mut at.block.bars[n];
        bar.count = c;
        bar.arrived += came;
        bar.popc += (g & holds).count_ones();
        bar.all &= g & !holds == 0;
        bar.any |= g & holds != 0;
        let arrived = bar.arrived;
        if kind == BarKind::Arrive {
            at.place(g, at.pc + 1);
        } else {
            let w = at.warp();
            w.ready &= !g;
            w.at_bar |= g;
            lanes!(g, l, { w.bar[l] = n as u8 });
        }
        let need = match (c, wave) {
            (0, _) => live,
            (_, 0) => c,
            _ => c.div_ceil(wave),
        };
        if arrived > need {
            let who = if wave == 0 { "threads" } else { "waves" };
            let what = format!("barrier {n}: {arrived} {who} arrived at a barrier for {need}");
            return Err(self.fault_at(at, l0, E_LAUNCH_FAILED, &what));
        }
        if let Some(ch) = &mut self.checks {
            ch.bar_arrive(at.block.id, n, at.wi);
        }
        if arrived == need {
            self.complete(at.block, n)?;
        }
        Ok(())
    }

    /// All threads have arrived at a barrier: they continue.
    fn complete(&mut self, b: &mut Block, id: usize) -> Run<()> {
        let bar = b.bars[id];
        if self.cfg.synccheck >= 2 && b.exited && bar.count == 0 {
            let mut s = String::from("barrier while threads of the block have exited");
            self.waits(b, &mut s);
            return Err(self.fault(E_LAUNCH_FAILED, s));
        }
        for wi in 0..b.warps.len() {
            let w = &b.warps[wi];
            let mut here = 0;
            lanes!(w.at_bar, l, {
                if w.bar[l] as usize == id {
                    here |= bit(l);
                }
            });
            if here == 0 {
                continue;
            }
            self.came_together(b, w, here)?;
            let w = &mut b.warps[wi];
            self.release(w, here, &bar);
        }
        b.bars[id] = Bar { all: true, ..Bar::default() };
        if let Some(c) = &mut self.checks {
            c.bar_complete(b.id, id);
        }
        self.progress += 1;
        Ok(())
    }

    /// Refuses lanes of one warp at different instructions, where a barrier is for whole warps.
    fn came_together(&self, b: &Block, w: &Warp, here: u32) -> Run<()> {
        let l0 = here.trailing_zeros() as usize;
        let mut split = None;
        lanes!(here, l, {
            if w.pc[l] != w.pc[l0] || w.func[l] != w.func[l0] {
                split = Some(l);
            }
        });
        let f = &self.prog.funcs[w.func[l0] as usize];
        let aligned = matches!(f.ins[w.pc[l0] as usize].op, Op::Bar { aligned: true, .. });
        if let Some(l) = split
            && aligned
            && self.cfg.synccheck > 0
        {
            let mut s =
                String::from("divergent barrier: threads of one warp wait at different barrier instructions");
            let _ = write!(s, "\n  {}", self.place(b, w, l0, w.func[l0], w.pc[l0]));
            let _ = write!(s, "\n  {}", self.place(b, w, l, w.func[l], w.pc[l]));
            return Err(self.fault(E_LAUNCH_FAILED, s));
        }
        Ok(())
    }

    /// Releases the lanes that wait at a barrier, with its result.
    fn release(&self, w: &mut Warp, here: u32, bar: &Bar) {
        lanes!(here, l, {
            let f = &self.prog.funcs[w.func[l] as usize];
            let fp = w.fp[l] as usize;
            match &f.ins[w.pc[l] as usize].op {
                Op::Bar { kind: BarKind::Popc, d, .. } => w.regs[fp + *d as usize].0[l] = bar.popc as u64,
                Op::Bar { kind: BarKind::And, pd, .. } => set_predicate_of_lane(w, fp, *pd, l, bar.all),
                Op::Bar { kind: BarKind::Or, pd, .. } => set_predicate_of_lane(w, fp, *pd, l, bar.any),
                _ => {}
            }
            w.pc[l] += 1;
        });
        w.at_bar &= !here;
        w.ready |= here;
        w.spin = 0;
    }
}

impl Arrival {
    /// The first of `todo`, and those that arrive at the same barrier for the same number of threads.
    fn of(id: &Row, cnt: Option<&Row>, todo: u32) -> Arrival {
        let count_of = |l: usize| cnt.map_or(0, |c| c.0[l] as u32);
        let l0 = todo.trailing_zeros() as usize;
        let (barrier, count) = (id.0[l0] as usize, count_of(l0));
        let mut lanes = 0;
        lanes!(todo, l, {
            if id.0[l] as usize == barrier && count_of(l) == count {
                lanes |= bit(l);
            }
        });
        Arrival { lanes, barrier, count }
    }
}

/// Sets a predicate of a frame for one lane, if there is one.
fn set_predicate_of_lane(w: &mut Warp, fp: usize, p: P, l: usize, holds: bool) {
    if p == NOPRED {
        return;
    }
    // A row has the words of 64 predicates.
    let words = &mut w.regs[fp + p as usize / 64];
    // SAFETY: the remainder is below 64, the number of 32-bit words in a row, and any bits are a word.
    let word = unsafe { &mut *std::ptr::from_mut(words).cast::<u32>().add(p as usize % 64) };
    *word = (*word & !bit(l)) | u32::from(holds) << l;
}
