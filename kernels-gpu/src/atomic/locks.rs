//! A table of small locks, for elements that the processor has no atomics for.
//!
//! A lock is held for one copy of an element, never while other code runs: an update reads under the lock, computes
//! without it, and writes under it if the lock's version says that nothing was written in between. So user code in an
//! update may panic, wait or launch without harm to others.

use core::hint::spin_loop;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The number of locks, a power of two. Source: Kokkos has 65,536; more than a few times the threads of a host gain
/// little, and these take 8 KiB.
const STRIPES: usize = 128;

/// A lock with a version, on a cache line of its own: odd while held, and larger by 2 after each write.
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

/// The element with the version of its lock.
///
/// # Safety
/// `place` is a valid element, which everybody reaches through this table for now.
pub(super) unsafe fn read<T: Copy>(place: *mut T) -> (T, usize) {
    let stripe = Stripe::of(place);
    let version = stripe.lock();
    // SAFETY: valid as the caller promises; writers hold this lock.
    let value = unsafe { place.read() };
    stripe.unlock(version);
    (value, version)
}

/// Writes the element if its lock is still at `version`.
///
/// # Safety
/// As for [`read`].
pub(super) unsafe fn write_at<T: Copy>(place: *mut T, version: usize, value: T) -> bool {
    let stripe = Stripe::of(place);
    let found = stripe.lock();
    if found == version {
        // SAFETY: valid as the caller promises; everybody else needs this lock.
        unsafe { place.write(value) };
        stripe.unlock(version.wrapping_add(2));
        true
    } else {
        stripe.unlock(found);
        false
    }
}

/// Writes the element and returns the old one.
///
/// # Safety
/// As for [`read`].
pub(super) unsafe fn swap<T: Copy>(place: *mut T, value: T) -> T {
    let stripe = Stripe::of(place);
    let version = stripe.lock();
    // SAFETY: valid as the caller promises; everybody else needs this lock.
    let old = unsafe { place.replace(value) };
    stripe.unlock(version.wrapping_add(2));
    old
}
