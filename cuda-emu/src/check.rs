//! Optional checks of memory accesses: data races and reads of unwritten memory.
//!
//! Races are found with vector clocks. Each warp has a clock that advances with
//! each synchronisation, and knows the time up to which it has synchronised with
//! each other warp of its block. Across blocks there is one clock for each block.
//! Accesses that are atomic, volatile or have an order synchronise through the
//! address they access; the accesses that they order count as ordered.

use crate::ir::SHARED_BASE;
use crate::mem::{self, Mem};
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
}

/// The number of reads of a word that are kept, so that those of many threads do not take too much memory.
const MAX_READS: usize = 128;

/// One access of one thread.
pub(crate) struct Event {
    pub(crate) shared: bool,
    pub(crate) addr: u64,
    pub(crate) size: u64,
    pub(crate) kind: Access,
    /// Volatile, or with an order.
    pub(crate) strong: bool,
    /// It writes the value that is already there.
    pub(crate) same: bool,
    pub(crate) block: u64,
    pub(crate) warp: usize,
    pub(crate) tid: u32,
    pub(crate) line: u32,
}

/// Two accesses of one word that nothing orders.
struct Race {
    other: Acc,
    what: &'static str,
    addr: u64,
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
    /// For each warp, its knowledge of the clocks of all warps.
    vc: Vec<Vec<u32>>,
    /// Clocks given by the threads that have arrived at each barrier.
    bars: Vec<Option<(Vec<u32>, Vec<usize>)>>,
    /// Clocks attached to addresses of shared memory.
    sync: HashMap<u64, Vec<u32>>,
    shared: Vec<Rec>,
    init: Vec<bool>,
    /// Clock of the block and its knowledge of other blocks.
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

    /// All warps of a block are considered synchronised.
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
    pub(crate) fn access(&mut self, mem: &mut Mem, e: &Event) -> Option<String> {
        let unwritten = if self.initcheck { self.initialised(mem, e)? } else { None };
        if self.race == 0 || (!e.shared && self.race < 2) {
            return unwritten;
        }
        let is_strong = e.strong || e.kind == Access::Atomic;
        if is_strong {
            self.synchronise(e)?;
        }
        let b = self.blocks.get(&e.block)?;
        let (wclk, bclk) = (b.vc[e.warp][e.warp], b.clk);
        let me = Acc { block: e.block, tid: e.tid, wclk, bclk, mask: 0, strong: is_strong, line: e.line };
        let words = words(e.addr, e.size);
        let race = if e.same { None } else { self.conflict(e, &me, &words) };
        self.record(e, me, &words)?;
        unwritten.or_else(|| Some(self.describe(mem, e, &race?)))
    }

    /// Records writes, and reports a read of unwritten memory. Does nothing if the block has ended.
    fn initialised(&mut self, mem: &mut Mem, e: &Event) -> Option<Option<String>> {
        let b = self.blocks.get_mut(&e.block)?;
        let (addr, size) = (e.addr, e.size);
        let mut report = None;
        if e.shared {
            let r = addr as usize..(addr + size) as usize;
            // A copy of a structure reads the padding between its fields too, byte by byte where it is not a whole word:
            // it suffices that a part of what is read was written, or for bytes a part of the word around them.
            let near =
                if size < 4 { (r.start & !7)..((r.end + 7) & !7).min(b.init.len()) } else { r.clone() };
            if e.kind != Access::Write && !b.init[near].contains(&true) {
                report = Some(format!(
                    "read of shared memory that was not written: {size} bytes at offset {}",
                    addr - SHARED_BASE as u64
                ));
            }
            b.init[r].fill(true);
        } else {
            if e.kind != Access::Write && !mem.is_init(addr, size) {
                let a = mem
                    .find(addr)
                    .map(|a| format!("offset {} of {}", addr - a.base, mem::name(a)))
                    .unwrap_or_default();
                report = Some(format!(
                    "read of global memory that was not written: {size} bytes at 0x{addr:x}, {a}"
                ));
            }
            mem.mark_init(addr, size);
        }
        Some(report)
    }

    /// An access that orders others: it acquires, then releases.
    fn synchronise(&mut self, e: &Event) -> Option<()> {
        let (b, w, word) = (self.blocks.get_mut(&e.block)?, e.warp, e.addr & !3);
        let (acquires, releases) = (e.kind != Access::Write, e.kind != Access::Read);
        if e.shared {
            let clock = b.sync.entry(word).or_insert_with(|| vec![0; self.warps]);
            if acquires {
                join(&mut b.vc[w], clock);
            }
            if releases {
                join(clock, &b.vc[w]);
                b.vc[w][w] += 1;
            }
            return Some(());
        }
        let of_blocks = self.gsync.entry(word).or_default();
        let of_warps = self.gsync_warp.entry((e.block, word)).or_insert_with(|| vec![0; self.warps]);
        if acquires {
            for (k, v) in of_blocks.iter() {
                let x = b.knows.entry(*k).or_insert(0);
                *x = (*x).max(*v);
            }
            join(&mut b.vc[w], of_warps);
        }
        if releases {
            for (k, v) in &b.knows {
                let x = of_blocks.entry(*k).or_insert(0);
                *x = (*x).max(*v);
            }
            of_blocks.insert(e.block, b.clk);
            b.clk += 1;
            join(of_warps, &b.vc[w]);
            b.vc[w][w] += 1;
        }
        Some(())
    }

    /// The last access of the first word with any that races with this one.
    fn conflict(&self, e: &Event, me: &Acc, words: &[(u64, u8)]) -> Option<Race> {
        let b = self.blocks.get(&e.block)?;
        let ordered = |p: &Acc| {
            if p.block != e.block {
                return b.knows.get(&p.block).copied().unwrap_or(0) >= p.bclk;
            }
            if p.tid == e.tid {
                return true;
            }
            let pw = p.tid as usize / 32;
            if pw == e.warp { p.wclk < me.wclk } else { b.vc[e.warp][pw] >= p.wclk }
        };
        for (addr, mask) in words {
            let rec = if e.shared { b.shared.get(*addr as usize / 4) } else { self.global.get(addr) };
            let Some(rec) = rec else { continue };
            let races = |p: &&Acc| p.mask & mask != 0 && !(p.strong && me.strong) && !ordered(p);
            let (write, read) = (rec.writes.iter().rfind(races), rec.reads.iter().rfind(races));
            let hit = match e.kind {
                Access::Read => write.map(|p| (p, "read after write")),
                _ => read.map(|p| (p, "write after read")).or(write.map(|p| (p, "write after write"))),
            };
            if let Some((other, what)) = hit {
                return Some(Race { other: *other, what, addr: *addr });
            }
        }
        None
    }

    /// Keeps an access for those that come after it.
    fn record(&mut self, e: &Event, me: Acc, words: &[(u64, u8)]) -> Option<()> {
        let b = self.blocks.get_mut(&e.block)?;
        for (addr, mask) in words {
            let (addr, mask) = (*addr, *mask);
            let rec = if e.shared {
                &mut b.shared[addr as usize / 4]
            } else {
                self.global.entry(addr).or_default()
            };
            let me = Acc { mask, ..me };
            if e.kind == Access::Read {
                match rec.reads.iter_mut().find(|p| p.block == e.block && p.mask == mask && p.tid == e.tid) {
                    Some(p) => *p = me,
                    None => {
                        if rec.reads.len() > MAX_READS {
                            rec.reads.remove(0);
                        }
                        rec.reads.push(me);
                    }
                }
            } else if !e.same {
                rec.writes.retain(|p| p.mask & !mask != 0);
                rec.reads.retain(|p| p.mask & !mask != 0);
                rec.writes.push(me);
            }
        }
        Some(())
    }

    fn describe(&self, mem: &Mem, e: &Event, race: &Race) -> String {
        let a = race.addr;
        let place = if e.shared {
            format!("shared memory at offset {}", a as i64 - SHARED_BASE as i64)
        } else {
            let n = mem
                .find(a)
                .map(|x| format!(" (offset {} of {})", a - x.base, mem::name(x)))
                .unwrap_or_default();
            format!("global memory at 0x{a:x}{n}")
        };
        let other = &race.other;
        format!(
            "data race ({}) in {place}\n  with block #{} thread {}, @line{}",
            race.what,
            other.block,
            self.thread(other.tid),
            other.line
        )
    }
}

/// The words of 4 bytes that an access touches, each with a mask of its bytes.
fn words(addr: u64, size: u64) -> Vec<(u64, u8)> {
    let mut words = Vec::with_capacity(4);
    let mut a = addr & !3;
    while a < addr + size {
        let lo = addr.max(a) - a;
        let hi = (addr + size).min(a + 4) - a;
        words.push((a, ((1u8 << (hi - lo)) - 1) << lo));
        a += 4;
    }
    words
}

fn join(a: &mut [u32], b: &[u32]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = (*x).max(*y);
    }
}
