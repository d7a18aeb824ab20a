//! Collectives of a team for this project's algorithms: scratch that is known to be in shared memory, and three whose calls are not compared on a
//! device: sums to which the lanes of a warp add in their order, a barrier, and one of a warp.

use core::slice::from_mut;

#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Call;

use super::Team;
use super::mode::Mode;
use crate::device::host_only;

/// The lanes that add together: those of a warp, and as many threads of a host.
const TOGETHER: usize = 32;

impl<'k, V, K> Team<'k, V, K> {
    /// Passes `len` words of scratch of the team, of which the first `zeros` are 0, to `body`; they are free again when it returns. On a device the
    /// words after the first `zeros` may be uninitialised. They are in shared memory there, and the compiler knows it, so that its instructions are
    /// those of shared memory alone.
    ///
    /// It is for this project's algorithms: on a device the team meets only at the beginning.
    ///
    /// # Panics
    /// If the policy's scratch per team is too small; if a device has too little shared memory for it; if `zeros` exceeds `len`.
    ///
    /// # Safety
    /// All lanes of the team make this call together, with the same `len` and `zeros`, and call the same collectives in `body`.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    pub unsafe fn with_shared_words<O>(
        &mut self,
        len: usize,
        zeros: usize,
        body: impl FnOnce(&mut Self, *mut u64) -> O,
    ) -> O {
        assert!(zeros <= len, "{zeros} of {len} words are to be 0");
        let bytes = self.reserve::<u64>(len);
        let result = match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let call = Call::new::<u64>("with_shared_words", len as u64);
                // SAFETY: all lanes make this call, with the same numbers, and take and return the same scratch in `body`, as this function asks;
                // `zeros` has been compared.
                let (place, token) = unsafe { member.shared_words(call, len, zeros) };
                let result = body(self, place);
                if let Mode::Device(member) = &mut self.mode {
                    member.release(token);
                }
                result
            }
            _ => {
                // SAFETY: this is not a device.
                unsafe { host_only() };
                // All of them are 0, as a host's memory is not to be uninitialised.
                self.with_buffer(len, |_| 0, body)
            }
        };
        self.give_back(bytes);
        result
    }

    /// Adds one to a sum for each of 32 neighbouring lanes, in their order; each lane names its sum. Each lane gets the sum before its own one.
    /// Lanes with the same `number`, of `BITS` bits, have the same sum.
    ///
    /// Earlier memory accesses of the 32 lanes come before later ones, as at a barrier of theirs.
    ///
    /// It is for this project's algorithms: on a device nothing compares the lanes' calls.
    ///
    /// # Safety
    /// All lanes of the team make this call together, equally often, with numbers below 2^`BITS`. On a device the team has one lane for each
    /// thread, and a multiple of 32. There is a sum at each place, which only these 32 lanes use; lanes with other numbers have other places.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn ordered_add<const BITS: u32>(&mut self, number: u32, sum: *mut u32) -> u32 {
        // SAFETY: one thread at a time calls this with a sum, which is there, as this function asks.
        let add = |count| unsafe {
            let before = sum.read();
            sum.write(before.wrapping_add(count));
            before
        };
        match &mut self.mode {
            Mode::Alone(_) => add(1),
            #[cfg(feature = "cuda")]
            // SAFETY: all lanes make this call, with numbers of `BITS` bits and sums, and warps are whole, as this function asks.
            Mode::Device(member) => unsafe { member.ordered_add::<BITS>(number, sum) },
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

    /// Waits until 32 neighbouring lanes are here: a [`barrier_unchecked`](Self::barrier_unchecked) of a warp.
    ///
    /// It is for this project's algorithms: nothing compares the lanes' calls there.
    ///
    /// # Safety
    /// All lanes of the team make this call together, equally often; on a device the team has one lane for each thread, and a multiple of 32.
    #[doc(hidden)]
    #[inline(always)]
    #[track_caller]
    pub unsafe fn warp_barrier_unchecked(&mut self) {
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            // SAFETY: all lanes make this call, and warps are whole, as this function asks.
            Mode::Device(member) => unsafe { member.warp_barrier_unchecked() },
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
                            let number = thread * row % 3;
                            let before = team.ordered_add::<2>(number as u32, words.add(number));
                            words.add(3 + 4 * row + thread).write(before);
                        }
                        team.warp_barrier_unchecked();
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
