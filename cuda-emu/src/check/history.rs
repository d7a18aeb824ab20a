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
#[derive(Default)]
pub(super) struct History {
    pub(super) writes: SmallVec<[Acc; 1]>,
    pub(super) reads: SmallVec<[Acc; 1]>,
    /// A bit for each read that is kept, by a hash of its thread: most words are read by other threads each time, and these are not
    /// looked for among the reads.
    threads: [u64; 2],
    /// The place behind the read that was found last: threads that read a word again mostly do so in the same order.
    next: u8,
    /// The oldest read, where as many are kept as may be.
    oldest: u8,
}

impl History {
    pub(super) fn read(&mut self, me: Acc) {
        let hash = (u64::from(me.tid) ^ me.block.wrapping_mul(37)) % 128;
        let (word, bit) = (hash as usize / 64, 1 << (hash % 64));
        if self.threads[word] & bit != 0
            && let Some(place) = self.place(&me)
        {
            let p = &mut self.reads[place];
            *p = Acc { constant: me.constant || p.constant, ..me };
            self.next = ((place + 1) % self.reads.len()) as u8;
            return;
        }
        self.threads[word] |= bit;
        if self.reads.len() < MAX_READS {
            self.reads.push(me);
        } else {
            self.reads[self.oldest as usize] = me;
            self.oldest = (self.oldest + 1) % MAX_READS as u8;
        }
    }

    /// The place of an earlier read of the same bytes by the same thread.
    fn place(&self, me: &Acc) -> Option<usize> {
        let again = |p: &Acc| p.tid == me.tid && p.block == me.block && p.mask == me.mask;
        let next = usize::from(self.next);
        if self.reads.get(next).is_some_and(again) { Some(next) } else { self.reads.iter().position(again) }
    }

    pub(super) fn write(&mut self, me: Acc) {
        self.writes.retain(|p| p.mask & !me.mask != 0);
        self.reads.retain(|p| p.mask & !me.mask != 0);
        if self.reads.is_empty() {
            self.threads = [0; 2];
        }
        self.oldest = 0;
        self.writes.push(me);
    }
}

/// The histories of the words of global memory, in pages.
#[derive(Default)]
pub(super) struct Words {
    pages: Vec<Box<[History]>>,
    places: FxHashMap<u64, usize>,
    /// The number of the page that was accessed last, plus one, and its place.
    last: (u64, usize),
}

impl Words {
    #[inline]
    pub(super) fn get_mut(&mut self, word: u64) -> &mut History {
        let page = word / PAGE as u64;
        if self.last.0 != page + 1 {
            self.last = (page + 1, self.place(page));
        }
        &mut self.pages[self.last.1][word as usize % PAGE]
    }

    /// The place of a page, which is made if there is none.
    fn place(&mut self, page: u64) -> usize {
        *self.places.entry(page).or_insert_with(|| {
            self.pages.push(empty(PAGE).into());
            self.pages.len() - 1
        })
    }
}

/// Histories of words that nothing has accessed. (`vec!` would clone each of them, which takes several times as long.)
pub(super) fn empty(words: usize) -> Vec<History> {
    std::iter::repeat_with(History::default).take(words).collect()
}

/// The words of 4 bytes that an access touches, by their numbers, each with a mask of its bytes.
pub(super) fn words(addr: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    (addr / 4..(addr + size).div_ceil(4)).map(move |word| {
        let low = addr.max(word * 4) - word * 4;
        let high = (addr + size).min(word * 4 + 4) - word * 4;
        (word, ((1_u8 << (high - low)) - 1) << low)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(tid: u32, wclk: u32) -> Acc {
        Acc { block: 3, tid, wclk, bclk: 1, mask: 15, strong: false, constant: false, line: 0 }
    }

    #[test]
    fn a_thread_that_reads_again_is_kept_once() {
        let mut word = History::default();
        // In order, and against it.
        for time in 0..3 {
            for tid in 0..100 {
                word.read(access(if time == 1 { 99 - tid } else { tid }, time));
            }
        }
        assert_eq!(word.reads.len(), 100);
        assert!(word.reads.iter().all(|read| read.wclk == 2));
    }

    #[test]
    fn other_bytes_and_other_blocks_are_other_reads() {
        let mut word = History::default();
        word.read(access(7, 0));
        word.read(Acc { mask: 1, ..access(7, 0) });
        word.read(Acc { block: 4, ..access(7, 0) });
        assert_eq!(word.reads.len(), 3);
    }

    #[test]
    fn the_oldest_reads_make_room() {
        let mut word = History::default();
        (0..300).for_each(|tid| word.read(access(tid, 0)));
        let mut kept: Vec<u32> = word.reads.iter().map(|read| read.tid).collect();
        kept.sort_unstable();
        assert_eq!(kept, (300 - MAX_READS as u32..300).collect::<Vec<_>>());
    }

    #[test]
    fn a_write_ends_the_reads_of_its_bytes() {
        let mut word = History::default();
        word.read(Acc { mask: 1, ..access(1, 0) });
        word.read(Acc { mask: 2, ..access(2, 0) });
        word.write(Acc { mask: 1, ..access(3, 0) });
        assert_eq!(word.reads.iter().map(|read| read.tid).collect::<Vec<_>>(), [2]);
        word.write(access(3, 1));
        assert_eq!((word.reads.len(), word.writes.len()), (0, 1));
        word.read(access(1, 2));
        assert_eq!(word.reads.len(), 1);
    }

    #[test]
    fn pages_keep_their_words() {
        let mut words = Words::default();
        for word in [0, PAGE as u64, 5, 1 << 60] {
            words.get_mut(word).write(access(word as u32 % 1000, 1));
        }
        let mut kept =
            |word: u64| words.get_mut(word).writes.iter().map(|write| write.tid).collect::<Vec<_>>();
        assert_eq!((kept(0), kept(PAGE as u64), kept(5)), (vec![0], vec![PAGE as u32 % 1000], vec![5]));
        assert_eq!((kept(1 << 60).len(), kept(6).len()), (1, 0));
    }
}
