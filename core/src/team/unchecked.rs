//! Collectives of a team whose calls are not compared on a device: sums to which the lanes of a warp add in their order, and a barrier.

use core::slice::from_mut;

use super::Team;
use super::mode::Mode;
use crate::device::host_only;

/// The lanes that add together: those of a warp, and as many threads of a host.
const TOGETHER: usize = 32;

impl<'k, V, K> Team<'k, V, K> {
    /// Adds one to a sum for each of 32 neighbouring lanes, in their order; the sum has the lane's `number`, of `BITS` bits. Each lane gets the
    /// sum before its own one.
    ///
    /// For each number `add` runs on one lane: it gets the number of lanes with that number, adds it to the sum, and returns the sum before.
    /// So places in scratch that are as many as there are numbers can hold the sums. Earlier memory accesses of the 32 lanes come before later
    /// ones, as at a barrier of theirs.
    ///
    /// It is for this project's algorithms: on a device nothing compares the lanes' calls.
    ///
    /// # Safety
    /// All lanes of the team make this call together, equally often, with numbers below 2^`BITS`. On a device the team has one lane for each
    /// thread, and a multiple of 32.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn ordered_add<const BITS: u32>(&mut self, number: u32, add: impl FnOnce(u32) -> u32) -> u32 {
        match &mut self.mode {
            Mode::Alone => add(1),
            #[cfg(feature = "cuda")]
            // SAFETY: all lanes make this call, with numbers of `BITS` bits, and warps are whole, as this function asks.
            Mode::Device(member) => unsafe { member.ordered_add::<BITS>(number, add) },
            Mode::Gang(gang) => {
                // SAFETY: only the host has gangs.
                unsafe { host_only() };
                let (rank, mut number) = (self.rank, number);
                let first = rank - rank % TOGETHER;
                let (before, count, last) =
                    gang.gather(("ordered_add", 0), rank, from_mut(&mut number), |members| {
                        let (mut before, mut count, mut last) = (0, 0, rank);
                        let own = members[rank].read(|numbers: &[u32]| numbers[0]);
                        for (member, lent) in members.iter().enumerate().skip(first).take(TOGETHER) {
                            if lent.read(|numbers: &[u32]| numbers[0]) == own {
                                before += u32::from(member < rank);
                                (count, last) = (count + 1, member);
                            }
                        }
                        (before, count, last)
                    });
                let mut sum = if last == rank { add(count) } else { 0 };
                let sum = gang.gather(("ordered_add", 1), rank, from_mut(&mut sum), |members| {
                    members[last].read(|sums: &[u32]| sums[0])
                });
                sum + before
            }
        }
    }

    /// Waits until all threads of the team are here: a [`barrier`](Self::barrier) that is a single instruction of a device.
    ///
    /// It is for this project's algorithms: nothing compares the threads' calls there.
    ///
    /// # Safety
    /// All lanes of the team make this call together, and on a device they are more than a warp.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    pub unsafe fn barrier_unchecked(&mut self) {
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            // SAFETY: all lanes make this call, and are more than a warp, as this function asks.
            Mode::Device(member) => unsafe { member.barrier_unchecked() },
            _ => {
                // SAFETY: this is not a device.
                unsafe { host_only() };
                self.barrier();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ExecutionSpace, Threads, View, parallel_for};

    /// The sums that four threads get in three rows, in which they have other numbers each time.
    #[test]
    fn sums_grow_in_the_order_of_threads() {
        let space = Threads::builder().num_threads(4).build().expect("threads");
        let mut found = View::<[u32; 12], 1>::zeros("found", [1]).expect("memory");
        parallel_for("sums", space.team(1, 4).scratch(64, 0), &mut found, |team, mut found| {
            assert_eq!(team.team_size(), 4);
            // SAFETY: the threads use places of their own, and those of sums one at a time; they meet before one reads all.
            let sums = unsafe {
                team.with_distinct_scratch(
                    15,
                    |_| 0_u32,
                    |team, mut words| {
                        let (words, thread) = (words.as_mut_ptr(), team.team_rank());
                        for row in 0..3 {
                            let sum = words.add(thread * row % 3);
                            let before = team.ordered_add::<2>((thread * row % 3) as u32, |count| {
                                let before = sum.read();
                                sum.write(before + count);
                                before
                            });
                            words.add(3 + 4 * row + thread).write(before);
                        }
                        team.barrier_unchecked();
                        words.add(3).cast::<[u32; 12]>().read()
                    },
                )
            };
            team.single(|w| found[w] = sums);
        })
        .expect("a launch");
        assert_eq!(found[0], [0, 1, 2, 3, 4, 0, 0, 5, 6, 1, 1, 7]);
    }
}
