//! Clocks: what is ordered before an access.

use super::history::History;
use super::{Access, Event};
use rustc_hash::FxHashMap;

pub(super) struct BlockClock {
    /// For each warp, its knowledge of the clocks of all warps.
    pub(super) vc: Vec<Vec<u32>>,
    /// Clocks given by the threads that have arrived at each barrier.
    pub(super) bars: Vec<Option<(Vec<u32>, Vec<usize>)>>,
    /// Clocks attached to addresses of shared memory.
    pub(super) sync: FxHashMap<u64, Vec<u32>>,
    pub(super) shared: Vec<History>,
    pub(super) init: Vec<bool>,
    /// Clock of the block and its knowledge of other blocks.
    pub(super) clk: u32,
    pub(super) knows: FxHashMap<u64, u32>,
}

/// Clocks attached to addresses of global memory, those of blocks and those of warps inside a block.
#[derive(Default)]
pub(super) struct Clocks {
    of_blocks: FxHashMap<u64, FxHashMap<u64, u32>>,
    of_warps: FxHashMap<(u64, u64), Vec<u32>>,
}

impl Clocks {
    /// An access that orders others: it acquires, then releases.
    pub(super) fn synchronise(&mut self, b: &mut BlockClock, e: &Event, addr: u64) {
        let (w, word) = (e.warp, addr & !3);
        let (acquires, releases) = (e.kind != Access::Write, e.kind != Access::Read);
        let warps = b.vc.len();
        if e.shared {
            let clock = b.sync.entry(word).or_insert_with(|| vec![0; warps]);
            if acquires {
                join(&mut b.vc[w], clock);
            }
            if releases {
                join(clock, &b.vc[w]);
                b.vc[w][w] += 1;
            }
            return;
        }
        let of_blocks = self.of_blocks.entry(word).or_default();
        let of_warps = self.of_warps.entry((e.block, word)).or_insert_with(|| vec![0; warps]);
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
    }
}

pub(super) fn join(a: &mut [u32], b: &[u32]) {
    for (x, y) in a.iter_mut().zip(b) {
        *x = (*x).max(*y);
    }
}
