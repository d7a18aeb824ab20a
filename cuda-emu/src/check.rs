//! Optional checks of memory accesses: data races and reads of unwritten memory.
//!
//! Races are found with clocks. Each warp has a clock that goes on with each
//! synchronisation, and knows up to which time of each other warp of its block it
//! has synchronised. Across blocks the same is done with one clock for a block.
//! Accesses that are atomic, volatile or have an order synchronise through the
//! address they access; what they order is taken to be ordered.

use crate::mem::Mem;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
}

#[derive(Clone, Copy)]
struct Acc {
    block: u64,
    tid: u32,
    wclk: u32,
    bclk: u32,
    mask: u8,
    strong: bool,
    line: u32,
}

#[derive(Clone, Default)]
struct Rec {
    writes: Vec<Acc>,
    reads: Vec<Acc>,
}

#[derive(Clone)]
struct BlockClock {
    /// For each warp: what it knows of the clocks of all.
    vc: Vec<Vec<u32>>,
    /// Clocks given by those who came to each barrier.
    bars: Vec<Option<(Vec<u32>, Vec<usize>)>>,
    /// Clocks attached to addresses of shared memory.
    sync: HashMap<u64, Vec<u32>>,
    shared: Vec<Rec>,
    init: Vec<bool>,
    /// Clock of the block and what it knows of other blocks.
    clk: u32,
    knows: HashMap<u64, u32>,
}

pub(crate) struct Checks {
    race: u32,
    initcheck: bool,
    shared: u32,
    warps: usize,
    dim: [u32; 3],
    blocks: HashMap<u64, BlockClock>,
    global: HashMap<u64, Rec>,
    /// Clocks attached to addresses of global memory, and intra-block ones.
    gsync: HashMap<u64, HashMap<u64, u32>>,
    gsync_warp: HashMap<(u64, u64), Vec<u32>>,
    pub errors: u64,
    pub first: Option<String>,
}

impl Checks {
    pub(crate) fn new(race: u32, initcheck: bool, shared: u32, warps: usize, dim: [u32; 3]) -> Checks {
        Checks {
            race,
            initcheck,
            shared,
            warps,
            dim,
            blocks: HashMap::new(),
            global: HashMap::new(),
            gsync: HashMap::new(),
            gsync_warp: HashMap::new(),
            errors: 0,
            first: None,
        }
    }

    pub(crate) fn new_block(&mut self, id: u64) {
        let n = self.warps;
        let mut vc = vec![vec![0; n]; n];
        for (i, v) in vc.iter_mut().enumerate() {
            v[i] = 1;
        }
        let words = if self.race > 0 { self.shared as usize / 4 + 4 } else { 0 };
        self.blocks.insert(
            id,
            BlockClock {
                vc,
                bars: vec![None; 17],
                sync: HashMap::new(),
                shared: vec![Rec::default(); words],
                init: vec![false; if self.initcheck { self.shared as usize + 16 } else { 0 }],
                clk: 1,
                knows: HashMap::new(),
            },
        );
    }

    pub(crate) fn end_block(&mut self, id: u64) {
        self.blocks.remove(&id);
    }

    pub(crate) fn warp_sync(&mut self, block: u64, w: usize) {
        if let Some(b) = self.blocks.get_mut(&block) {
            b.vc[w][w] += 1;
        }
    }

    /// All warps of a block are taken to be synchronised.
    pub(crate) fn block_sync(&mut self, block: u64) {
        if let Some(b) = self.blocks.get_mut(&block) {
            let mut j = vec![0; b.vc.len()];
            for v in &b.vc {
                join(&mut j, v);
            }
            for (i, v) in b.vc.iter_mut().enumerate() {
                v.copy_from_slice(&j);
                v[i] += 1;
            }
        }
    }

    pub(crate) fn bar_arrive(&mut self, block: u64, id: usize, w: usize) {
        if let Some(b) = self.blocks.get_mut(&block) {
            let v = b.vc[w].clone();
            let e = b.bars[id].get_or_insert_with(|| (vec![0; v.len()], Vec::new()));
            join(&mut e.0, &v);
            if !e.1.contains(&w) {
                e.1.push(w);
            }
        }
    }

    pub(crate) fn bar_complete(&mut self, block: u64, id: usize) {
        if let Some(b) = self.blocks.get_mut(&block)
            && let Some((j, ws)) = b.bars[id].take()
        {
            for w in ws {
                join(&mut b.vc[w], &j);
                b.vc[w][w] += 1;
            }
        }
    }

    fn thread(&self, tid: u32) -> String {
        let d = self.dim;
        format!("({},{},{})", tid % d[0], tid / d[0] % d[1], tid / (d[0] * d[1]))
    }

    /// Records an access; returns a report when it is an error.
    #[expect(clippy::too_many_arguments, reason = "all of one access")]
    pub(crate) fn access(
        &mut self,
        mem: &mut Mem,
        shared: bool,
        addr: u64,
        size: u64,
        kind: Access,
        strong: bool,
        same: bool,
        block: u64,
        w: usize,
        tid: u32,
        line: u32,
    ) -> Option<String> {
        let mut report = None;
        if self.initcheck {
            let b = self.blocks.get_mut(&block)?;
            if shared {
                let r = addr as usize..(addr + size) as usize;
                // A copy of a structure reads the padding between its fields too, byte by byte where it is not a whole word:
                // what counts is that something was written into what is read, or for bytes into the word around them.
                let near =
                    if size < 4 { (r.start & !7)..((r.end + 7) & !7).min(b.init.len()) } else { r.clone() };
                if kind != Access::Write && !b.init[near].contains(&true) {
                    report = Some(format!(
                        "read of shared memory that was not written: {size} bytes at offset {}",
                        addr - crate::ir::SHARED_BASE as u64
                    ));
                }
                b.init[r].fill(true);
            } else {
                if kind != Access::Write && !mem.is_init(addr, size) {
                    let a = mem
                        .find(addr)
                        .map(|a| format!("offset {} of {}", addr - a.base, crate::mem::name(a)))
                        .unwrap_or_default();
                    report = Some(format!(
                        "read of global memory that was not written: {size} bytes at 0x{addr:x}, {a}"
                    ));
                }
                mem.mark_init(addr, size);
            }
        }
        if self.race == 0 || (!shared && self.race < 2) {
            return report;
        }
        let b = self.blocks.get_mut(&block)?;
        if strong || kind == Access::Atomic {
            // Acquire, then release.
            if shared {
                let e = b.sync.entry(addr & !3).or_insert_with(|| vec![0; self.warps]);
                if kind != Access::Write {
                    let e2 = e.clone();
                    join(&mut b.vc[w], &e2);
                }
                if kind != Access::Read {
                    join(e, &b.vc[w].clone());
                    b.vc[w][w] += 1;
                }
            } else {
                let e = self.gsync.entry(addr & !3).or_default();
                let ew = self.gsync_warp.entry((block, addr & !3)).or_insert_with(|| vec![0; self.warps]);
                if kind != Access::Write {
                    for (k, v) in e.iter() {
                        let x = b.knows.entry(*k).or_insert(0);
                        *x = (*x).max(*v);
                    }
                    join(&mut b.vc[w], ew);
                }
                if kind != Access::Read {
                    for (k, v) in &b.knows {
                        let x = e.entry(*k).or_insert(0);
                        *x = (*x).max(*v);
                    }
                    e.insert(block, b.clk);
                    b.clk += 1;
                    join(ew, &b.vc[w].clone());
                    b.vc[w][w] += 1;
                }
            }
        }
        let b = &self.blocks[&block];
        let (wclk, bclk) = (b.vc[w][w], b.clk);
        let ordered = |p: &Acc| {
            if p.block != block {
                return b.knows.get(&p.block).copied().unwrap_or(0) >= p.bclk;
            }
            if p.tid == tid {
                return true;
            }
            let pw = p.tid as usize / 32;
            if pw == w { p.wclk < wclk } else { b.vc[w][pw] >= p.wclk }
        };
        let is_strong = strong || kind == Access::Atomic;
        let mut hit: Option<(Acc, &'static str, u64)> = None;
        let mut put: Vec<(u64, u8)> = Vec::with_capacity(4);
        let mut a = addr & !3;
        while a < addr + size {
            let lo = addr.max(a) - a;
            let hi = (addr + size).min(a + 4) - a;
            put.push((a, ((1u8 << (hi - lo)) - 1) << lo));
            a += 4;
        }
        for (a, mask) in &put {
            let rec = if shared { b.shared.get(*a as usize / 4) } else { self.global.get(a) };
            let Some(rec) = rec else { continue };
            if hit.is_some() || same {
                continue;
            }
            for p in &rec.writes {
                if p.mask & mask != 0 && !(p.strong && is_strong) && !ordered(p) {
                    hit = Some((
                        *p,
                        if kind == Access::Read { "read after write" } else { "write after write" },
                        *a,
                    ));
                }
            }
            if kind != Access::Read {
                for p in &rec.reads {
                    if p.mask & mask != 0 && !(p.strong && is_strong) && !ordered(p) {
                        hit = Some((*p, "write after read", *a));
                    }
                }
            }
        }
        for (a, mask) in put {
            let b = self.blocks.get_mut(&block)?;
            let rec = if shared { &mut b.shared[a as usize / 4] } else { self.global.entry(a).or_default() };
            let me = Acc { block, tid, wclk, bclk, mask, strong: is_strong, line };
            if kind == Access::Read {
                // One entry for each thread of a warp would be too much: the last one of each warp and block.
                match rec
                    .reads
                    .iter_mut()
                    .find(|p| p.block == block && p.tid / 32 == tid / 32 && p.mask == mask && p.tid == tid)
                {
                    Some(p) => *p = me,
                    None => {
                        if rec.reads.len() > 128 {
                            rec.reads.remove(0);
                        }
                        rec.reads.push(me);
                    }
                }
            } else if !same {
                rec.writes.retain(|p| p.mask & !mask != 0);
                rec.reads.retain(|p| p.mask & !mask != 0);
                rec.writes.push(me);
            }
        }
        if let Some((p, what, a)) = hit
            && report.is_none()
        {
            let place = if shared {
                format!("shared memory at offset {}", a as i64 - crate::ir::SHARED_BASE as i64)
            } else {
                let n = mem
                    .find(a)
                    .map(|x| format!(" (offset {} of {})", a - x.base, crate::mem::name(x)))
                    .unwrap_or_default();
                format!("global memory at 0x{a:x}{n}")
            };
            report = Some(format!(
                "data race ({what}) in {place}\n  with block #{} thread {}, @line{}",
                p.block,
                self.thread(p.tid),
                p.line
            ));
        }
        report
    }
}

fn join(a: &mut [u32], b: &[u32]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = (*x).max(*y);
    }
}
