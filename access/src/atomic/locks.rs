//! A table of small locks, for elements that the processor has no atomics for.
//!
//! A lock is held for one copy of an element, never while other code runs: an update reads under the lock, computes
//! without it, and writes under it if the lock's version says that nothing was written in between. So user code in an
//! update may panic, wait or launch without harm to others.
//!
//! On a device the lanes of a wave take turns, and each has freed its lock before the next one requests one. So a lane that waits for
//! a lock waits for another wave: where the lanes of a wave run in lock-step, a lane that waited for another would wait for ever,
//! because the two can only proceed together.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(feature = "cuda")]
use crate::device;

/// The number of locks, a power of two. Source: Kokkos has 65,536; more than a few times the threads of a host gain
/// little, and these take 8 KiB.
const STRIPES: usize = 128;

/// A lock with a version, on a separate cache line: odd while held, and larger by 2 after each write.
#[repr(align(64))]
struct Stripe(AtomicUsize);

static TABLE: [Stripe; STRIPES] = [const { Stripe(AtomicUsize::new(0)) }; STRIPES];

impl Stripe {
    fn of<T>(place: *mut T) -> &'static Stripe {
        let mixed = (place.addr() >> 2).wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as usize);
        &TABLE[mixed >> (usize::BITS - STRIPES.ilog2())]
    }

    /// Takes the lock and returns the version, which is even.
    fn lock(&self) -> usize {
        loop {
            let version = self.0.load(Ordering::Relaxed);
            if version.is_multiple_of(2)
                && self
                    .0
                    .compare_exchange_weak(version, version + 1, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok()
            {
                return version;
            }
            spin_loop();
        }
    }

    /// Frees the lock, at this version.
    fn unlock(&self, version: usize) {
        self.0.store(version, Ordering::Release);
    }
}

/// Calls `f`; on a device, for one after another of the wave's lanes that are here.
#[inline(always)]
fn in_turn<R>(f: impl Fn() -> R) -> R {
    #[cfg(feature = "cuda")]
    if device::__spelt_on_device() {
        return on_device::in_turn(f);
    }
    f()
}

#[cfg(feature = "cuda")]
mod on_device {
    use core::mem::MaybeUninit;

    use crate::device::{__spelt_active_lanes, __spelt_thread, WARP};

    /// Warps of a wave, at most. Source: AMD's waves of 64.
    const WARPS_OF_WAVE: u32 = 2;

    #[inline(always)]
    pub(super) fn in_turn<R>(f: impl Fn() -> R) -> R {
        let mut result = MaybeUninit::uninit();
        let (warp, lane) = (__spelt_thread() / WARP, __spelt_thread() % WARP);
        for half in 0..WARPS_OF_WAVE {
            // The compiler does not know which lanes are here, so it cannot merge the turns into one call of all lanes.
            let here = __spelt_active_lanes();
            let mut left = if warp % WARPS_OF_WAVE == half { here } else { 0 };
            while left != 0 {
                if left.trailing_zeros() == lane {
                    result.write(f());
                }
                left &= left - 1;
            }
        }
        // SAFETY: this lane is among those that were here when it asked, so its turn has come in its warp's round.
        unsafe { result.assume_init() }
    }
}

/// The element with the version of its lock.
///
/// # Safety
/// `place` is a valid element, which for now is accessed only through this table.
pub(super) unsafe fn read<T: Copy>(place: *mut T) -> (T, usize) {
    in_turn(|| {
        let stripe = Stripe::of(place);
        let version = stripe.lock();
        // SAFETY: `place` is a valid element by the contract, and every writer holds this lock.
        let value = unsafe { place.read() };
        stripe.unlock(version);
        (value, version)
    })
}

/// Writes the element if its lock is still at `version`.
///
/// # Safety
/// As for [`read`].
pub(super) unsafe fn write_at<T: Copy>(place: *mut T, version: usize, value: T) -> bool {
    in_turn(|| {
        let stripe = Stripe::of(place);
        let found = stripe.lock();
        if found == version {
            // SAFETY: `place` is a valid element by the contract, and every other access needs this lock.
            unsafe { place.write(value) };
            stripe.unlock(version.wrapping_add(2));
            true
        } else {
            stripe.unlock(found);
            false
        }
    })
}

/// Writes the element and returns the old one.
///
/// # Safety
/// As for [`read`].
pub(super) unsafe fn swap<T: Copy>(place: *mut T, value: T) -> T {
    in_turn(|| {
        let stripe = Stripe::of(place);
        let version = stripe.lock();
        // SAFETY: `place` is a valid element by the contract, and every other access needs this lock.
        let old = unsafe { place.replace(value) };
        stripe.unlock(version.wrapping_add(2));
        old
    })
}
