//! Lock-step mode: the lanes of a wave have one position between them.
//!
//! Where lanes diverge, one group runs until it reaches the point where all paths meet, then the next; the others are held
//! meanwhile, no matter what the group waits for. Hardware that keeps a stack of masks for a wave works in this way: NVIDIA's
//! before Volta, and AMD's. A wave is one warp, or two that issue each instruction together.

use super::bit;
use super::block::Block;
use super::machine::Machine;
use super::report::{Fault, Run};
use super::warp::{Slice, Warp};
use crate::ir::{NOPRED, Op};
use crate::joins::END;

/// Where a group stops: at a position of a function this many calls deep, or outside that function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stop {
    depth: usize,
    pc: u32,
}

/// Lanes of each warp of the wave that run until they reach `stop`.
struct Group {
    lanes: [u32; 2],
    stop: Stop,
}

/// The lanes of a wave.
pub(super) struct Wave {
    /// The groups; the last one runs. The first one is all lanes.
    groups: Vec<Group>,
    /// Lanes of the running group that have not issued the present stretch of instructions.
    pending: [u32; 2],
    /// The last instruction at which lanes may have parted: function, position, and calls deep.
    pub(super) last: (u32, u32),
    depth: usize,
}

impl Wave {
    pub(super) fn new() -> Wave {
        let all = Group { lanes: [u32::MAX; 2], stop: Stop { depth: 0, pc: END } };
        Wave { groups: vec![all], pending: [0; 2], last: (0, 0), depth: 0 }
    }
}

/// The next action of a warp.
pub(super) enum Turn {
    /// These lanes run up to a position, for at most this number of instructions.
    Run(u32, u32, i64),
    /// The other warp of the wave is behind.
    Other,
    /// Lanes of the running group wait, or the wave has ended.
    Blocked,
}

impl Machine<'_> {
    /// The first warp of a wave of the block, and the one after its last.
    fn warps_of(&self, b: &Block, wave: usize) -> (usize, usize) {
        let first = wave * self.wave;
        (first, (first + self.wave).min(b.warps.len()))
    }

    /// The waves of a block that have not ended.
    pub(super) fn live_waves(&self, b: &Block) -> u32 {
        b.warps.chunks(self.wave).filter(|w| w.iter().any(|w| w.alive != 0)).count() as u32
    }

    /// Whether this warp is the last of its wave to reach an instruction.
    pub(super) fn comes_last(&self, b: &Block, wi: usize) -> bool {
        b.waves[wi / self.wave].pending == [0; 2]
    }

    /// Lanes of a warp that are not in the running group of their wave.
    pub(super) fn held(&self, b: &Block, wi: usize) -> u32 {
        let wave = &b.waves[wi / self.wave];
        let Some(top) = wave.groups.last() else { return 0 };
        !top.lanes[wi % self.wave] | arrived(&b.warps[wi], u32::MAX, top.stop)
    }

    /// Chooses the next action of a warp.
    pub(super) fn pick_in_step(&mut self, b: &mut Block, wi: usize) -> Turn {
        let number = wi / self.wave;
        let (first, end) = self.warps_of(b, number);
        let half = wi - first;
        loop {
            let (wave, warps) = (&mut b.waves[number], &b.warps[first..end]);
            if wave.pending != [0; 2] {
                let mask = std::mem::take(&mut wave.pending[half]) & warps[half].alive;
                if mask == 0 {
                    if wave.pending == [0; 2] {
                        continue;
                    }
                    return Turn::Other;
                }
                let w = &warps[half];
                let lane = mask.trailing_zeros() as usize;
                let stop = wave.groups[wave.groups.len() - 1].stop;
                wave.depth = w.stack[lane].len();
                let stop = if stop.depth == wave.depth { stop.pc } else { END };
                let most = if self.wave == 1 {
                    i64::MAX
                } else {
                    i64::from(self.stretches[w.func[lane] as usize][w.pc[lane] as usize])
                };
                return Turn::Run(mask, stop, most);
            }
            let Some(top) = wave.groups.last() else { return Turn::Blocked };
            let mut rest = [0; 2];
            let mut waits = false;
            for (h, w) in warps.iter().enumerate() {
                let here = top.lanes[h] & w.alive;
                rest[h] = here & !arrived(w, here, top.stop);
                waits |= rest[h] & !w.ready != 0;
            }
            if rest == [0; 2] {
                if wave.groups.len() == 1 {
                    return Turn::Blocked;
                }
                wave.groups.pop();
                continue;
            }
            if waits {
                return Turn::Blocked;
            }
            if together(warps, rest) {
                wave.pending = rest;
                continue;
            }
            let mut places = places(warps, rest);
            let (func, pc) = wave.last;
            let stop = Stop { depth: wave.depth, pc: self.joins[func as usize][pc as usize] };
            // Lanes that only have to end go first, as no other lane waits for them; otherwise the lowest position.
            places.sort_by_key(|p| {
                let i = &self.prog.funcs[p.func as usize].ins[p.pc as usize];
                (!(matches!(i.op, Op::Exit) && i.guard == NOPRED), std::cmp::Reverse(p.depth), p.pc)
            });
            if wave.groups.len() > 1 && top.stop == stop {
                wave.groups.pop();
            }
            if self.random {
                let k = self.rand() as usize % places.len();
                places.rotate_left(k);
            }
            let wave = &mut b.waves[number];
            wave.groups.extend(places.iter().rev().map(|p| Group { lanes: p.lanes, stop }));
        }
    }

    /// A trap ends its wave; the others continue.
    pub(super) fn trap_in_step(&mut self, b: &mut Block, wi: usize, fault: Box<Fault>) -> Run<()> {
        self.trapped.get_or_insert(fault);
        let number = wi / self.wave;
        b.waves[number].pending = [0; 2];
        let (first, end) = self.warps_of(b, number);
        for wi in first..end {
            let w = &mut b.warps[wi];
            w.at_bar = 0;
            let alive = w.alive;
            self.exit_lanes(b, wi, alive)?;
        }
        Ok(())
    }

    /// Runs a wave for a number of instructions.
    fn run_wave(&mut self, b: &mut Block, wave: usize, budget: i64) -> Run<Slice> {
        let (first, end) = self.warps_of(b, wave);
        if end - first == 1 && self.wave == 1 {
            return self.run_warp::<true>(b, first, budget);
        }
        let begin = self.stats.warp_instructions;
        loop {
            let (mut blocked, mut spun) = (true, false);
            for wi in first..end {
                match self.run_warp::<true>(b, wi, i64::MAX)? {
                    Slice::Blocked => {}
                    Slice::Spun => (blocked, spun) = (false, true),
                    Slice::Ran => blocked = false,
                }
            }
            if blocked {
                return Ok(Slice::Blocked);
            }
            if spun {
                return Ok(Slice::Spun);
            }
            if self.stats.warp_instructions - begin >= budget as u64 {
                return Ok(Slice::Ran);
            }
        }
    }

    /// Runs a block for its share of time. True when all it did was to poll.
    pub(super) fn run_block_in_step(&mut self, b: &mut Block) -> Run<bool> {
        let n = b.waves.len();
        let mut slices = if self.random { 1 + self.rand() as usize % (2 * n) } else { 16 * n.max(4) };
        let (mut blocked, mut idle, mut useful) = (0, 0, false);
        while b.live > 0 && slices > 0 {
            // A blocked wave is followed by its neighbour, not by a random one, so that every wave has its turn.
            let wave = if self.random && blocked == 0 { self.rand() as usize % n } else { b.next_warp % n };
            b.next_warp = (wave + 1) % n;
            let (before, ran) = (self.progress, self.stats.warp_instructions);
            let budget = self.budget();
            match self.run_wave(b, wave, budget)? {
                Slice::Blocked if self.stats.warp_instructions == ran => {
                    blocked += 1;
                    if blocked >= n {
                        return if b.live == 0 { Ok(false) } else { Err(self.deadlock(b)) };
                    }
                    continue;
                }
                Slice::Spun if self.progress == before => {
                    idle += 1;
                    if idle >= n {
                        return Ok(!useful);
                    }
                }
                _ => {
                    idle = 0;
                    useful = true;
                }
            }
            blocked = 0;
            slices -= 1;
            let (first, end) = self.warps_of(b, wave);
            for wi in first..end {
                self.bounded(b, wi)?;
            }
        }
        Ok(!useful)
    }
}

/// The lanes among `lanes` that have reached `stop`, or have left its function.
fn arrived(w: &Warp, lanes: u32, stop: Stop) -> u32 {
    let mut there = 0;
    lanes!(lanes, l, {
        let depth = w.stack[l].len();
        if depth < stop.depth || depth == stop.depth && w.pc[l] == stop.pc {
            there |= bit(l);
        }
    });
    there
}

/// Whether lanes are all at one place.
fn together(warps: &[Warp], lanes: [u32; 2]) -> bool {
    let mut first = None;
    let mut same = true;
    for (h, w) in warps.iter().enumerate() {
        lanes!(lanes[h], l, {
            let here = (w.stack[l].len(), w.func[l], w.pc[l]);
            same &= *first.get_or_insert(here) == here;
        });
    }
    same
}

/// Lanes that are at one place.
struct Place {
    depth: usize,
    func: u32,
    pc: u32,
    lanes: [u32; 2],
}

fn places(warps: &[Warp], lanes: [u32; 2]) -> Vec<Place> {
    let mut v: Vec<Place> = Vec::new();
    for (h, w) in warps.iter().enumerate() {
        lanes!(lanes[h], l, {
            let (depth, func, pc) = (w.stack[l].len(), w.func[l], w.pc[l]);
            match v.iter_mut().find(|p| (p.depth, p.func, p.pc) == (depth, func, pc)) {
                Some(p) => p.lanes[h] |= bit(l),
                None => {
                    let mut lanes = [0; 2];
                    lanes[h] = bit(l);
                    v.push(Place { depth, func, pc, lanes });
                }
            }
        });
    }
    v
}
