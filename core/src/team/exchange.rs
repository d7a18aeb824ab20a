//! Values that members of a gang lend one another, between two meetings.
//!
//! A value stays in its member's frame, so that a collective allocates nothing. A member may leave at any time by a panic, also one of
//! another member's `clone` or `join`; so the others read under a lock, which the lender takes when its loan ends.

use core::any::TypeId;
use core::slice;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::threads::gang::Abandoned;

/// The loan of one member.
#[derive(Default)]
pub(crate) struct Exchange {
    lent: Mutex<Option<Lent>>,
}

/// Values of a known type.
struct Lent {
    values: TypeId,
    first: *mut (),
    len: usize,
}

// SAFETY: `lend` takes values that may be used on another thread, and the lock lets one thread at a time use them.
unsafe impl Send for Lent {}

impl Exchange {
    /// Runs `body`, during which the other members may read `values`. Lends nothing where there are none.
    pub(super) fn lend<T: Send + 'static, O>(&self, values: &mut [T], body: impl FnOnce() -> O) -> O {
        struct End<'e>(&'e Exchange);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                *self.0.lent() = None;
            }
        }
        if values.is_empty() {
            return body();
        }
        let (first, len) = (values.as_mut_ptr().cast(), values.len());
        *self.lent() = Some(Lent { values: TypeId::of::<T>(), first, len });
        // Dropped before the borrow of `values` ends, and after `body` has returned or panicked.
        let _end = End(self);
        body()
    }

    /// Calls `read` with the values that are lent.
    ///
    /// # Panics
    /// If there are none of this type; after a meeting of all members that is because their member has panicked since.
    pub(super) fn read<T: Send + 'static, O>(&self, read: impl FnOnce(&[T]) -> O) -> O {
        let lent = self.lent();
        let Some(lent) = lent.as_ref().filter(|lent| lent.values == TypeId::of::<T>()) else {
            // Without the panic hook: that member has reported the cause.
            resume_unwind(Box::new(Abandoned))
        };
        // SAFETY: `lend` borrows these `len` values of this type exclusively until it has taken the lock, which is held here.
        read(unsafe { slice::from_raw_parts(lent.first.cast::<T>(), lent.len) })
    }

    fn lent(&self) -> MutexGuard<'_, Option<Lent>> {
        // A `clone` or a `join` panicked in `read`, which changes nothing here.
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn values_are_lent_until_the_loan_ends() {
        let exchange = Exchange::default();
        let sum = || exchange.read(|values: &[u32]| values.iter().sum::<u32>());
        assert_eq!(exchange.lend(&mut [1_u32, 2], sum), 3);
        // None are lent now, of this type or another.
        assert!(catch_unwind(AssertUnwindSafe(sum)).is_err());
        exchange.lend(&mut [1_u64, 2], || assert!(catch_unwind(AssertUnwindSafe(sum)).is_err()));
        assert!(exchange.lend(&mut [0_u32; 0], || catch_unwind(AssertUnwindSafe(sum))).is_err());
    }

    #[test]
    fn a_loan_ends_in_a_panic_too() {
        let exchange = Exchange::default();
        let read = || exchange.read(|values: &[String]| values[0].clone());
        let lent =
            catch_unwind(AssertUnwindSafe(|| exchange.lend(&mut [String::from("a")], || panic!("leaves"))));
        assert!(lent.is_err() && catch_unwind(AssertUnwindSafe(read)).is_err());
        // A reader that panics has the lock.
        exchange.lend(&mut [String::from("b")], || {
            let fails = || exchange.read(|_: &[String]| panic!("clone"));
            assert!(catch_unwind(AssertUnwindSafe(fails)).is_err());
            assert_eq!(read(), "b");
        });
    }

    /// The lender leaves while others read.
    #[test]
    fn a_loan_ends_after_those_who_read() {
        let exchange = Exchange::default();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let read = || exchange.read(|values: &[Vec<usize>]| values[0].clone());
                    for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
                        if let Ok(values) = catch_unwind(AssertUnwindSafe(read)) {
                            assert!(values.iter().enumerate().all(|(place, &value)| place == value));
                        }
                    }
                });
            }
            for len in 0..if cfg!(miri) { 20 } else { 2000 } {
                exchange.lend(&mut [(0..len % 50).collect::<Vec<_>>()], || std::hint::black_box(()));
            }
        });
    }
}
