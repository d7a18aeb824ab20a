//! The last accesses of each word, with which later ones are compared.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of reads of a word that are kept, so that those of many threads do not take too much memory.
const MAX_READS: usize = 128;

/// Words of a page. Unit: words. Source: neighbours are accessed together, and a page of them is found with one look.
const PAGE: usize = 256;

/// An access of a word.
#[derive(Clone, Copy)]
pub(super) struct Acc {
    pub(super) block: u64,
    pub(super) tid: u32,
    /// The clocks of its warp and of its block.
    pub(super) wclk: u32,
    pub(super) bclk: u32,
    pub(super) mask: u8,
    pub(super) strong: bool,
    /// A read of memory that nothing writes while the kernel runs.
    pub(super) constant: bool,
    pub(super) line: u32,
}

/// The last accesses of a word.
#[derive(Clone, Default)]
pub(super) struct History {
    pub(super) writes: SmallVec<[Acc; 1]>,
    pub(super) reads: SmallVec<[Acc; 1]>,
    /// The oldest read, where as many are kept as may be.
    oldest: u8,
}

impl History {
    pub(super) fn read(&mut self, me: Acc) {
        let again = |p: &&mut Acc| p.tid == me.tid && p.block == me.block && p.mask == me.mask;
        if let Some(p) = self.reads.iter_mut().find(again) {
            *p = Acc { constant: me.constant || p.constant, ..me };
        } else if self.reads.len() < MAX_READS {
            self.reads.push(me);
        } else {
            self.reads[self.oldest as usize] = me;
            self.oldest = (self.oldest + 1) % MAX_READS as u8;
        }
    }

    pub(super) fn write(&mut self, me: Acc) {
        self.writes.retain(|p| p.mask & !me.mask != 0);
        self.reads.retain(|p| p.mask & !me.mask != 0);
        self.oldest = 0;
        self.writes.push(me);
    }
}

/// The histories of the words of global memory, in pages.
#[derive(Default)]
pub(super) struct Words {
    pages: FxHashMap<u64, Box<[History]>>,
}

impl Words {
    pub(super) fn get(&self, word: u64) -> Option<&History> {
        Some(&self.pages.get(&(word / PAGE as u64))?[word as usize % PAGE])
    }

    pub(super) fn get_mut(&mut self, word: u64) -> &mut History {
        let page = || vec![History::default(); PAGE].into();
        &mut self.pages.entry(word / PAGE as u64).or_insert_with(page)[word as usize % PAGE]
    }
}

/// The words of 4 bytes that an access touches, by their numbers, each with a mask of its bytes.
pub(super) fn words(addr: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    (addr / 4..(addr + size).div_ceil(4)).map(move |word| {
        let low = addr.max(word * 4) - word * 4;
        let high = (addr + size).min(word * 4 + 4) - word * 4;
        (word, ((1_u8 << (high - low)) - 1) << low)
    })
}
