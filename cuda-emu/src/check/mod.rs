//! Optional checks of memory accesses: data races and reads of unwritten memory.
//!
//! Races are found with vector clocks. Each warp has a clock that advances with
//! each synchronisation, and knows the time up to which it has synchronised with
//! each other warp of its block. Across blocks there is one clock for each block.
//! Accesses that are atomic, volatile or have an order synchronise through the
//! address they access; the accesses that they order count as ordered.
//! Nothing orders a load of constant memory (`ld.global.nc`) and a write of the same
//! launch, even of the same thread: the load may be answered by another cache.

mod clocks;
mod history;

use crate::ir::SHARED_BASE;
use crate::mem::{self, Mem};
use clocks::{BlockClock, Clocks, join};
use history::{Acc, Words, empty, words};
use rustc_hash::FxHashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Atomic,
}

/// An instruction of a group: what the accesses of its threads have in common.
pub(crate) struct Event {
    pub(crate) shared: bool,
    pub(crate) size: u64,
    pub(crate) kind: Access,
    /// Volatile, or with an order.
    pub(crate) strong: bool,
    /// It reads values that only go back to memory.
    pub(crate) copies: bool,
    /// It reads memory that nothing writes while the kernel runs.
    pub(crate) constant: bool,
    pub(crate) block: u64,
    pub(crate) warp: usize,
    pub(crate) line: u32,
}

/// The access of one thread.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) lane: usize,
    pub(crate) addr: u64,
    pub(crate) tid: u32,
    /// It writes the value that is already there.
    pub(crate) same: bool,
}

/// Two accesses of one word that nothing orders.
struct Race {
    other: Acc,
    what: &'static str,
    addr: u64,
}

pub(crate) struct Checks {
    race: u32,
    initcheck: bool,
    shared: u32,
    warps: usize,
    dim: [u32; 3],
    blocks: FxHashMap<u64, BlockClock>,
    global: Words,
    clocks: Clocks,
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
            clocks: Clocks::default(),
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
                shared: empty(words),
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

    /// Records the accesses of a group, and counts those that are errors; returns the lane and the report of the first, unless there
    /// has been one before. Does nothing if the block has ended.
    ///
    /// A launch with checks spends most of its time here, so block, page and allocation are looked for once for as many lanes as
    /// share them.
    pub(crate) fn accesses(
        &mut self,
        mem: &mut Mem,
        e: &Event,
        parts: impl Iterator<Item = Part>,
    ) -> Option<(usize, String)> {
        let b = self.blocks.get_mut(&e.block)?;
        let looks_for_races = self.race > 0 && (e.shared || self.race > 1);
        let is_strong = e.strong || e.kind == Access::Atomic;
        let (mut allocation, mut first) = (None::<&mut mem::Alloc>, None);
        for part in parts {
            let written = if !self.initcheck {
                true
            } else if e.shared {
                touch_shared(&mut b.init, e, part.addr)
            } else {
                if !allocation.as_ref().is_some_and(|a| a.holds(part.addr)) {
                    allocation = mem.find_mut(part.addr);
                }
                allocation.as_mut().is_none_or(|a| a.touch(part.addr, e.size)) || e.kind == Access::Write
            };
            let mut race = None;
            if looks_for_races {
                if is_strong {
                    self.clocks.synchronise(b, e, part.addr);
                }
                race = find_race(b, &mut self.global, e, &part, is_strong);
            }
            if written && race.is_none() {
                continue;
            }
            self.errors += 1;
            if self.first.is_none() && first.is_none() {
                first = Some((part, written, race));
            }
        }
        let (part, written, race) = first?;
        let report = match race {
            Some(race) if written => self.describe(mem, e, &race),
            _ => unwritten(mem, e, part.addr),
        };
        Some((part.lane, report))
    }

    #[cold]
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

/// Records that shared memory is written from now on, and says whether the access was of memory that was written before, as far as it
/// reads.
fn touch_shared(init: &mut [bool], e: &Event, addr: u64) -> bool {
    let r = addr as usize..(addr + e.size) as usize;
    // A copy of a structure reads the padding between its fields too, in words or bytes: it suffices that a part was written of what is
    // read, or of the eight bytes around it where they are bytes or only copied.
    let near = if e.size < 4 || e.size == 4 && e.copies {
        (r.start & !7)..((r.end + 7) & !7).min(init.len())
    } else {
        r.clone()
    };
    let written = e.kind == Access::Write || init[near].contains(&true);
    init[r].fill(true);
    written
}

/// The report of a read of memory that was not written.
#[cold]
fn unwritten(mem: &Mem, e: &Event, addr: u64) -> String {
    let size = e.size;
    if e.shared {
        let offset = addr - SHARED_BASE as u64;
        return format!("read of shared memory that was not written: {size} bytes at offset {offset}");
    }
    let a =
        mem.find(addr).map(|a| format!("offset {} of {}", addr - a.base, mem::name(a))).unwrap_or_default();
    format!("read of global memory that was not written: {size} bytes at 0x{addr:x}, {a}")
}

/// Keeps an access for those that come after it; returns the last access of the first word with any that races with this one.
fn find_race(
    b: &mut BlockClock,
    global: &mut Words,
    e: &Event,
    part: &Part,
    is_strong: bool,
) -> Option<Race> {
    let BlockClock { vc, clk, knows, shared, .. } = b;
    let vc = &vc[e.warp];
    let me = Acc {
        block: e.block,
        tid: part.tid,
        wclk: vc[e.warp],
        bclk: *clk,
        mask: 0,
        strong: is_strong,
        constant: e.constant,
        line: e.line,
    };
    let ordered = |p: &Acc| {
        if p.block != me.block {
            return knows.get(&p.block).copied().unwrap_or(0) >= p.bclk;
        }
        if p.tid == me.tid {
            return true;
        }
        let pw = p.tid as usize / 32;
        if pw == e.warp { p.wclk < me.wclk } else { vc[pw] >= p.wclk }
    };
    if part.same && e.kind != Access::Read {
        return None;
    }
    let mut race = None;
    for (word, mask) in words(part.addr, e.size) {
        let history = if e.shared { &mut shared[word as usize] } else { global.get_mut(word) };
        let unordered = |p: &Acc| !(p.strong && me.strong || ordered(p));
        let races = |p: &&Acc| p.mask & mask != 0 && (p.constant || me.constant || unordered(p));
        let write = |what| history.writes.iter().rfind(races).map(|p| (p, what));
        if race.is_none() {
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
            race = hit.map(|(other, what)| Race { other: *other, what, addr: word * 4 });
        }
        let me = Acc { mask, ..me };
        if e.kind == Access::Read {
            history.read(me);
        } else {
            history.write(me);
        }
    }
    race
}
