//! Blocks: how they begin, and which of their warps runs next.

use super::bit;
use super::lockstep::Wave;
use super::machine::Machine;
use super::report::{E_LAUNCH_TIMEOUT, Fault, Run};
use super::warp::{Slice, Warp};
use crate::alu::ZERO_ROW;

/// A barrier of a block.
#[derive(Clone, Copy, Default)]
pub(super) struct Bar {
    pub(super) arrived: u32,
    pub(super) count: u32,
    pub(super) all: bool,
    pub(super) any: bool,
    pub(super) popc: u32,
}

/// A block that is resident.
pub(super) struct Block {
    pub(super) id: u64,
    pub(super) ctaid: [u32; 3],
    pub(super) warps: Vec<Warp>,
    /// In lock-step mode, the waves that the warps make up.
    pub(super) waves: Vec<Wave>,
    pub(super) shared: Vec<u8>,
    pub(super) bars: [Bar; 17],
    pub(super) live: u32,
    pub(super) exited: bool,
    pub(super) next_warp: usize,
}

impl Machine<'_> {
    pub(super) fn new_block(&mut self, id: u64, old: Option<Block>) -> Block {
        let code = &self.prog.funcs[self.kernel];
        let g = self.grid;
        let ctaid = [
            (id % g[0] as u64) as u32,
            (id / g[0] as u64 % g[1] as u64) as u32,
            (id / (g[0] as u64 * g[1] as u64)) as u32,
        ];
        let nw = self.nthreads.div_ceil(32);
        let mut pool: Vec<Warp> = Vec::new();
        let mut shared = Vec::new();
        if let Some(o) = old {
            pool = o.warps;
            shared = o.shared;
        }
        shared.clear();
        shared.resize(self.shared_end as usize + 16, self.cfg.fill.unwrap_or(0));
        let mut warps = Vec::with_capacity(nw as usize);
        for i in 0..nw {
            let n = (self.nthreads - i * 32).min(32);
            let mask = if n == 32 { u32::MAX } else { (1 << n) - 1 };
            let (mut regs, mut local) = (Vec::new(), Vec::new());
            if let Some(o) = pool.pop() {
                regs = o.regs;
                local = o.local;
            }
            regs.clear();
            regs.resize(code.rows as usize, ZERO_ROW);
            let per = code.local_size;
            local.clear();
            local.resize(per as usize * 32, self.cfg.fill.unwrap_or(0));
            warps.push(Warp {
                regs,
                pc: [0; 32],
                fp: [0; 32],
                func: [self.kernel as u32; 32],
                stack: std::array::from_fn(|_| Vec::new()),
                ready: mask,
                alive: mask,
                at_bar: 0,
                bar: [0; 32],
                at_warp: 0,
                wmask: [0; 32],
                yielded: 0,
                local,
                local_per: per,
                spin: 0,
                ran: 0,
                tid0: i * 32,
            });
        }
        if let Some(c) = &mut self.checks {
            c.new_block(id);
        }
        let waves = if self.wave == 0 { 0 } else { warps.len().div_ceil(self.wave) };
        Block {
            id,
            ctaid,
            waves: (0..waves).map(|_| Wave::new()).collect(),
            warps,
            shared,
            bars: [Bar { all: true, ..Bar::default() }; 17],
            live: self.nthreads,
            exited: false,
            next_warp: 0,
        }
    }

    /// The instructions that a warp runs in one turn.
    pub(super) fn budget(&mut self) -> i64 {
        if self.random {
            1 + (self.rand() % self.cfg.slice.min(256) as u64) as i64
        } else {
            self.cfg.slice as i64
        }
    }

    #[cold]
    pub(super) fn deadlock(&self, b: &Block) -> Box<Fault> {
        let mut s = String::from("deadlock: no thread of the block can continue");
        self.waits(b, &mut s);
        self.fault(E_LAUNCH_TIMEOUT, s)
    }

    /// Aborts a warp that does not end.
    #[inline]
    pub(super) fn bounded(&self, b: &Block, wi: usize) -> Run<()> {
        let (ran, most) = (b.warps[wi].ran, self.cfg.instructions);
        if ran <= most || most == 0 || b.warps[wi].alive == 0 {
            return Ok(());
        }
        let mut s = format!(
            "no end: warp {wi} of a block has run {ran} instructions, and the limit is {most} (CUDA_EMU_INSTRUCTIONS)"
        );
        self.waits(b, &mut s);
        Err(self.fault(E_LAUNCH_TIMEOUT, s))
    }

    /// Runs a block for its share of time. True when all it did was to poll.
    pub(super) fn run_block(&mut self, b: &mut Block) -> Run<bool> {
        let n = b.warps.len();
        let mut slices = if self.random { 1 + self.rand() as usize % (2 * n) } else { 16 * n.max(4) };
        let mut idle = 0; // warps in a row that did nothing useful
        let mut blocked = 0;
        let mut useful = false;
        while b.live > 0 && slices > 0 {
            let wi = if self.random { self.rand() as usize % n } else { b.next_warp % n };
            b.next_warp = (wi + 1) % n;
            if b.warps[wi].ready == 0 {
                blocked += 1;
                if blocked >= n && b.warps.iter().all(|w| w.ready == 0) {
                    return Err(self.deadlock(b));
                }
                continue;
            }
            blocked = 0;
            slices -= 1;
            let budget = self.budget();
            let before = self.progress;
            let slice = self.run_warp::<false>(b, wi, budget)?;
            self.bounded(b, wi)?;
            match slice {
                Slice::Spun if self.progress == before => {
                    idle += 1;
                    let ready = b.warps.iter().filter(|w| w.ready != 0).count();
                    if idle >= ready {
                        return Ok(!useful);
                    }
                }
                _ => {
                    idle = 0;
                    useful = true;
                }
            }
        }
        Ok(!useful)
    }

    /// Chooses the lanes of a warp that run next: deepest call first, then the lowest position.
    #[inline]
    pub(super) fn pick(&mut self, w: &mut Warp) -> Option<(u32, u32)> {
        let mut cand = w.ready & !w.yielded;
        if cand == 0 {
            w.yielded = 0;
            cand = w.ready;
            if cand == 0 {
                return None;
            }
        }
        let mut best = cand.trailing_zeros() as usize;
        if self.random {
            let k = (self.rand() % 32) as u32;
            best = ((cand.rotate_right(k).trailing_zeros() + k) % 32) as usize;
        } else {
            let key = |l: usize| (w.stack[l].len() as u64) << 32 | u64::from(u32::MAX - w.pc[l]);
            let mut first = key(best);
            lanes!(cand & (cand - 1), l, {
                let this = key(l);
                if this > first {
                    (first, best) = (this, l);
                }
            });
        }
        let (pc, fp, func) = (w.pc[best], w.fp[best], w.func[best]);
        let mut mask = 0;
        let mut stop = u32::MAX;
        lanes!(w.ready, l, {
            if w.fp[l] == fp && w.func[l] == func {
                if w.pc[l] == pc {
                    mask |= bit(l);
                } else if w.pc[l] > pc {
                    stop = stop.min(w.pc[l]);
                }
            }
        });
        Some((mask, stop))
    }
}

/// Gives each lane of a warp more local memory.
pub(super) fn grow_local(w: &mut Warp, need: u32, fill: u8) {
    let per = need.next_power_of_two().max(256);
    let old = w.local_per as usize;
    let mut v = vec![fill; per as usize * 32];
    for l in 0..32 {
        v[l * per as usize..l * per as usize + old].copy_from_slice(&w.local[l * old..(l + 1) * old]);
    }
    w.local = v;
    w.local_per = per;
}
