//! The iterations of each thread in `parallel_for` over a range.
//!
//! A block runs consecutive iterations, and its threads take turns at them, so that neighbouring threads access neighbouring elements
//! each time. The distance between two iterations of a thread is a constant: their elements lie at constant offsets from the
//! first one's, as far as the compiler writes the loop out.

use crate::tuning::FOR_THREADS;

/// A range cut into strips, one for each block of up to [`FOR_THREADS`] threads.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strips {
    first: usize,
    len: usize,
    /// Iterations of a strip: as many as threads, or several for each of [`FOR_THREADS`].
    strip: u32,
}

/// The iterations of one thread: `first`, and every [`FOR_THREADS`]th after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// The first iteration.
    pub first: usize,
    /// The number of iterations.
    pub count: u32,
}

impl Strips {
    /// The `len` iterations from `first` on, of which each thread runs up to `each`, at least 1. Blocks have `threads` threads if `each` is 1,
    /// otherwise [`FOR_THREADS`].
    #[must_use]
    pub const fn new(first: usize, len: usize, each: u32, threads: u32) -> Self {
        Self { first, len, strip: if each == 1 { threads } else { each * FOR_THREADS } }
    }

    /// The threads of a block.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        if self.strip < FOR_THREADS { self.strip } else { FOR_THREADS }
    }

    /// The number of strips.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.len.div_ceil(self.strip as usize)
    }

    /// The iterations of thread `thread`, below [`threads`](Self::threads), of block `block`, below [`blocks`](Self::blocks).
    #[inline(always)]
    #[must_use]
    pub fn turns(&self, block: u32, thread: u32) -> Turns {
        let start = block as usize * self.strip as usize;
        let left = self.len - start;
        let here = if left < self.strip as usize { left as u32 } else { self.strip };
        Turns {
            // A thread without an iteration may lie beyond the largest number.
            first: (self.first + start).wrapping_add(thread as usize),
            count: (here + (FOR_THREADS - 1 - thread)) / FOR_THREADS,
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn every_iteration_has_one_turn() {
        for (each, threads) in [(1, 32), (1, 128), (1, 256), (2, 32), (3, 256), (8, 64)] {
            for len in [1, 255, 256, 257, 511, 512, 513, 2047, 2048, 2049, 5000] {
                let strips = Strips::new(70, len, each, threads);
                assert_eq!(strips.threads(), if each == 1 { threads } else { FOR_THREADS });
                let mut turns = vec![0; 70 + len];
                for block in 0..strips.blocks() as u32 {
                    for thread in 0..strips.threads() {
                        let Turns { first, count } = strips.turns(block, thread);
                        assert!(count <= each);
                        (0..count as usize).for_each(|turn| turns[first + turn * FOR_THREADS as usize] += 1);
                    }
                }
                assert!(turns[..70].iter().all(|&turns| turns == 0), "{each} {threads} {len}");
                assert!(turns[70..].iter().all(|&turns| turns == 1), "{each} {threads} {len}");
            }
        }
    }

    #[test]
    fn the_largest_launch_has_room() {
        let most = crate::tuning::MAX_BLOCKS as usize * (8 * FOR_THREADS) as usize;
        let strips = Strips::new(usize::MAX - most, most, 8, FOR_THREADS);
        assert_eq!(strips.blocks(), crate::tuning::MAX_BLOCKS as usize);
        let last = strips.turns(crate::tuning::MAX_BLOCKS - 1, FOR_THREADS - 1);
        assert_eq!(last, Turns { first: usize::MAX - 7 * FOR_THREADS as usize - 1, count: 8 });
    }
}
