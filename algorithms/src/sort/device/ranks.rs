//! The ranks of a team's keys by a digit.
//!
//! Warps rank their keys one row after another: the lanes whose keys have the same digit find one another by ballots, and the last of them
//! adds their number to the warp's sum for this digit. Then the sums of earlier warps are added up, and those of smaller digits.

use core::array::from_fn;

use spelt_core::Team;

use super::digits::{BITS, DIGITS};
use super::room::Cut;
use super::steps::step_unchecked;
use super::tiles::LANES;

/// The keys of a thread among those that its team has at a time: a warp has neighbouring ones, in rows of one for each lane.
#[derive(Clone, Copy)]
pub(super) struct Thread {
    /// The number of its warp.
    warp: u32,
    /// The number of its lane.
    lane: u32,
    /// The lanes of its warp: fewer than usual where the team has not as many threads, on a host.
    lanes: u32,
}

impl Thread {
    /// The calling thread; `IS_DEVICE` if it is one of a device, where warps are whole.
    #[inline(always)]
    pub(super) fn of<const IS_DEVICE: bool>(team: &Team<'_>) -> Self {
        const ALL: u32 = LANES as u32;
        let (rank, size) = (team.team_rank() as u32, team.team_size() as u32);
        let (warp, lane) = (rank / ALL, rank % ALL);
        let lanes = if IS_DEVICE { ALL } else { ALL.min(size - warp * ALL) };
        Self { warp, lane, lanes }
    }

    /// The place of its key in the first row, where the threads have `each` keys.
    #[inline(always)]
    pub(super) fn first(self, each: u32) -> u32 {
        self.warp * (LANES as u32 * each) + self.lane
    }

    /// The distance of its key in row `k` from that in the first one.
    #[inline(always)]
    pub(super) fn row(self, k: usize) -> u32 {
        k as u32 * self.lanes
    }
}

/// The sums of the digits of a team's keys, in scratch: those of each warp, and then the ranks of its first keys.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    of_warps: Cut<u32>,
    warps: usize,
}

/// The numbers that [`Sums`] of a team with this number of warps need.
pub(super) const fn sums_len(warps: usize) -> usize {
    warps * DIGITS
}

/// Neighbouring digits whose numbers are added up first: the square root of their number.
const GROUP: usize = 1 << (BITS / 2);

/// The number of groups of digits.
pub(super) const GROUPS: usize = DIGITS / GROUP;

/// Turns the numbers of all digits into the sums over smaller digits, by sums of [`GROUPS`]; `each` gets every digit with its sum, on a thread of its
/// own. The team meets at the end.
///
/// # Safety
/// All threads of the team make this call together, after they have met; on a device they are more than a warp. There is a number for each digit, and
/// room for the groups' sums.
#[inline(always)]
pub(super) unsafe fn add_smaller(
    team: &mut Team<'_>,
    numbers: Cut<u32>,
    groups: Cut<u32>,
    mut each: impl FnMut(usize, u32),
) {
    // SAFETY: there are numbers and sums, as this function asks; in each step a thread writes those of its own digits or groups, and reads others that
    // were written before the team met.
    unsafe {
        step_unchecked(team, GROUPS, |group| {
            let own = numbers.part(group * GROUP, GROUP);
            let counts: [u32; GROUP] = from_fn(|k| own.get(k));
            let mut sum = 0;
            for (k, count) in counts.into_iter().enumerate() {
                own.set(k, sum);
                sum += count;
            }
            groups.set(group, sum);
        });
        step_unchecked(team, DIGITS, |digit| {
            let mut sum = numbers.get(digit);
            // Few at a time, for the sake of registers.
            for group in 0..digit / GROUP {
                sum += groups.get(group);
            }
            each(digit, sum);
        });
    }
}

impl Sums {
    /// The sums of a team with this number of warps.
    ///
    /// # Safety
    /// There are [`sums_len`] numbers.
    #[inline(always)]
    pub(super) unsafe fn new(numbers: Cut<u32>, warps: usize) -> Self {
        // SAFETY: the numbers are there, as this function asks.
        Self { of_warps: unsafe { numbers.part(0, sums_len(warps)) }, warps }
    }

    /// The rank of the thread's key in the next row among the keys of its warp with the same digit.
    ///
    /// # Safety
    /// All threads of the team make this call together, row by row, after the warps' sums have been cleared, with a digit; on a device the team
    /// has whole warps.
    #[inline(always)]
    pub(super) unsafe fn rank(self, team: &mut Team<'_>, thread: Thread, digit: u32) -> u32 {
        // SAFETY: the warp has a sum for each digit. The lanes make the call together, and warps are whole, as this function asks; a digit has
        // `BITS` bits.
        unsafe {
            let sum = self.of_warps.address((thread.warp * DIGITS as u32 + digit) as usize);
            team.ordered_add::<BITS>(digit, sum)
        }
    }

    /// Turns the warps' sums into the ranks of their first keys with each digit; the team meets before and after. `numbers` and `groups` are for
    /// [`add_smaller`].
    ///
    /// # Safety
    /// As [`add_smaller`].
    #[inline(always)]
    pub(super) unsafe fn join(self, team: &mut Team<'_>, numbers: Cut<u32>, groups: Cut<u32>) {
        // SAFETY: there is a sum for each warp and digit, and a thread uses those of its own digits.
        unsafe {
            team.barrier_unchecked();
            step_unchecked(team, DIGITS, |digit| {
                let mut all = 0;
                for warp in 0..self.warps {
                    all += self.of_warps.get(warp * DIGITS + digit);
                }
                numbers.set(digit, all);
            });
            add_smaller(team, numbers, groups, |digit, first| {
                self.spread(digit, first);
            });
        }
    }

    /// Turns the warps' sums into the ranks of their first keys with each digit, from those of the team's first ones on, which become the ranks after
    /// its last ones; the team meets before and after.
    ///
    /// # Safety
    /// All threads of the team make this call together; on a device they are more than a warp. There is a first rank for each digit.
    #[inline(always)]
    pub(super) unsafe fn advance(self, team: &mut Team<'_>, firsts: Cut<u32>) {
        // SAFETY: there is a sum for each warp and digit, and a rank; a thread uses those of its own digits.
        unsafe {
            team.barrier_unchecked();
            step_unchecked(team, DIGITS, |digit| firsts.set(digit, self.spread(digit, firsts.get(digit))));
        }
    }

    /// Turns the warps' sums of a digit into the ranks of their first keys, from `first` on; returns the rank after the last one.
    ///
    /// # Safety
    /// No other thread uses those of this digit, which is one.
    #[inline(always)]
    unsafe fn spread(self, digit: usize, mut first: u32) -> u32 {
        // SAFETY: there is a sum for each warp and digit.
        unsafe {
            for warp in 0..self.warps {
                let sum = warp * DIGITS + digit;
                let count = self.of_warps.get(sum);
                self.of_warps.set(sum, first);
                first += count;
            }
        }
        first
    }

    /// The rank among the team's keys of a key of the thread with this digit, from its rank in the warp.
    ///
    /// # Safety
    /// The sums are joined, and the digit is one.
    #[inline(always)]
    pub(super) unsafe fn in_team(self, thread: Thread, digit: u32, in_warp: u32) -> u32 {
        // SAFETY: there is a sum for each warp and digit.
        let first = unsafe { self.of_warps.get((thread.warp * DIGITS as u32 + digit) as usize) };
        first.wrapping_add(in_warp)
    }

    /// Clears the sums of the thread's warp, of whose lanes each clears some; they meet before and after.
    ///
    /// # Safety
    /// All threads of the team make this call together, equally often; on a device the team has whole warps.
    #[inline(always)]
    pub(super) unsafe fn clear_own(self, team: &mut Team<'_>, thread: Thread) {
        // SAFETY: each sum is one lane's, and other warps do not use it. All lanes meet, as this function asks.
        unsafe {
            team.warp_barrier_unchecked();
            let mut digit = thread.lane as usize;
            while digit < DIGITS {
                self.of_warps.set(thread.warp as usize * DIGITS + digit, 0);
                digit += thread.lanes as usize;
            }
            team.warp_barrier_unchecked();
        }
    }

    /// Clears the sums of the warps, each thread some of them.
    ///
    /// # Safety
    /// No thread uses them between the team's meetings before and after this call.
    #[inline(always)]
    pub(super) unsafe fn clear(self, team: &Team<'_>) {
        let mut number = team.team_rank();
        while number < self.warps * DIGITS {
            // SAFETY: each number is one thread's.
            unsafe { self.of_warps.set(number, 0) };
            number += team.team_size();
        }
    }
}
