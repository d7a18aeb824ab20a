//! Optional checks of memory accesses: data races and reads of unwritten memory.
//!
//! Races are found with vector clocks. Each warp has a clock that advances with
//! each synchronisation, and knows the time up to which it has synchronised with
//! each other warp of its block. Across blocks there is one clock for each block.
//! Accesses that are atomic, volatile or have an order synchronise through the
//! address they access; the accesses that they order count as ordered.
//! Nothing orders a load of constant memory (`ld.global.nc`) and a write of the same
//! launch, even of the same thread: the load may be answered by another cache.

mod history;

use crate::ir::SHARED_BASE;
use crate::mem::{self, Mem};
use history::{Acc, History, Words, words};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
}

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
    /// It reads values that only go back to memory.
    pub(crate) copies: bool,
    /// It reads memory that nothing writes while the kernel runs.
    pub(crate) constant: bool,
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

#[derive(Clone)]
struct BlockClock {
    /// For each warp, its knowledge of the clocks of all warps.
    vc: Vec<Vec<u32>>,
    /// Clocks given by the threads that have arrived at each barrier.
    bars: Vec<Option<(Vec<u32>, Vec<usize>)>>,
    /// Clocks attached to addresses of shared memory.
    sync: FxHashMap<u64, Vec<u32>>,
    shared: Vec<History>,
    init: Vec<bool>,
    /// Clock of the block and its knowledge of other blocks.
    clk: u32,
    knows: FxHashMap<u64, u32>,
}

pub(crate) struct Checks {
    race: u32,
    initcheck: bool,
    shared: u32,
    warps: usize,
    dim: [u32; 3],
    blocks: FxHashMap<u64, BlockClock>,
    global: Words,
    /// Clocks attached to addresses of global memory, and intra-block ones.
    gsync: FxHashMap<u64, FxHashMap<u64, u32>>,
    gsync_warp: FxHashMap<(u64, u64), Vec<u32>>,
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
            blocks: FxHashMap::default(),
            global: Words::default(),
            gsync: FxHashMap::default(),
            gsync_warp: FxHashMap::default(),
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
                sync: FxHashMap::default(),
                shared: vec![History::default(); words],
                init: vec![false; if self.initcheck { self.shared as usize + 16 } else { 0 }],
                clk: 1,
                knows: FxHashMap::default(),
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
        let me = Acc {
            block: e.block,
            tid: e.tid,
            wclk,
            bclk,
            mask: 0,
            strong: is_strong,
            constant: e.constant,
            line: e.line,
        };
        let race = if e.same { None } else { self.conflict(e, &me) };
        self.record(e, me)?;
        unwritten.or_else(|| Some(self.describe(mem, e, &race?)))
    }

    /// Records writes, and reports a read of unwritten memory. Does nothing if the block has ended.
    fn initialised(&mut self, mem: &mut Mem, e: &Event) -> Option<Option<String>> {
        let b = self.blocks.get_mut(&e.block)?;
        let (addr, size) = (e.addr, e.size);
        let mut report = None;
        if e.shared {
            let r = addr as usize..(addr + size) as usize;
            // A copy of a structure reads the padding between its fields too, in words or bytes: it suffices that a part
            // was written of what is read, or of the eight bytes around it where they are bytes or only copied.
            let near = if size < 4 || size == 4 && e.copies {
                (r.start & !7)..((r.end + 7) & !7).min(b.init.len())
            } else {
                r.clone()
            };
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
    fn conflict(&self, e: &Event, me: &Acc) -> Option<Race> {
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
        for (word, mask) in words(e.addr, e.size) {
            let history = if e.shared { b.shared.get(word as usize) } else { self.global.get(word) };
            let Some(history) = history else { continue };
            let unordered = |p: &Acc| !(p.strong && me.strong || ordered(p));
            let races = |p: &&Acc| p.mask & mask != 0 && (p.constant || me.constant || unordered(p));
            let write = |what| history.writes.iter().rfind(races).map(|p| (p, what));
            let hit = match e.kind {
                Access::Read if me.constant => write("read by ld.global.nc after write"),
                Access::Read => write("read after write"),
                _ => history
                    .reads
                    .iter()
                    .rfind(races)
                    .map(|p| {
                        (p, if p.constant { "write after read by ld.global.nc" } else { "write after read" })
                    })
                    .or_else(|| write("write after write")),
            };
            if let Some((other, what)) = hit {
                return Some(Race { other: *other, what, addr: word * 4 });
            }
        }
        None
    }

    /// Keeps an access for those that come after it.
    fn record(&mut self, e: &Event, me: Acc) -> Option<()> {
        if e.kind != Access::Read && e.same {
            return Some(());
        }
        let b = self.blocks.get_mut(&e.block)?;
        for (word, mask) in words(e.addr, e.size) {
            let history = if e.shared { &mut b.shared[word as usize] } else { self.global.get_mut(word) };
            let me = Acc { mask, ..me };
            if e.kind == Access::Read {
                history.read(me);
            } else {
                history.write(me);
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

fn join(a: &mut [u32], b: &[u32]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = (*x).max(*y);
    }
}
