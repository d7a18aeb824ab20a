//! Load, store, exchange and update of any element.

use core::mem::transmute_copy;
use core::sync::atomic::Ordering::Relaxed;

use super::locks;
use crate::Element;

/// Whether the bits of `T` may go through the atomic type `A` of the same size.
pub(super) const fn native<T: Element, A>() -> bool {
    T::NO_PADDING && size_of::<T>() == size_of::<A>() && align_of::<T>() >= align_of::<A>()
}

/// Evaluates to the first expression, with `$atomic` and `$bits` naming the processor's atomic for `$type` and its
/// integer, where there is one, and to the second elsewhere. The match is on constants.
macro_rules! by_width {
    ($type:ty, |$atomic:ident, $bits:ident| $native:expr, $locked:expr) => {
        match size_of::<$type>() {
            #[cfg(target_has_atomic = "8")]
            1 if native::<$type, core::sync::atomic::AtomicU8>() => {
                use core::sync::atomic::AtomicU8 as $atomic;
                type $bits = u8;
                $native
            }
            #[cfg(target_has_atomic = "16")]
            2 if native::<$type, core::sync::atomic::AtomicU16>() => {
                use core::sync::atomic::AtomicU16 as $atomic;
                type $bits = u16;
                $native
            }
            #[cfg(target_has_atomic = "32")]
            4 if native::<$type, core::sync::atomic::AtomicU32>() => {
                use core::sync::atomic::AtomicU32 as $atomic;
                type $bits = u32;
                $native
            }
            #[cfg(target_has_atomic = "64")]
            8 if native::<$type, core::sync::atomic::AtomicU64>() => {
                use core::sync::atomic::AtomicU64 as $atomic;
                type $bits = u64;
                $native
            }
            _ => $locked,
        }
    };
}

/// The element.
///
/// # Safety
/// `place` is a valid element, which for now is accessed only through this module or the atomics that it names.
#[inline(always)]
pub(crate) unsafe fn load<T: Element>(place: *mut T) -> T {
    by_width!(
        T,
        |Atomic, Bits| {
            // SAFETY: `native` compared size and alignment; the element is valid, and every access to it is atomic.
            let bits = unsafe { Atomic::from_ptr(place.cast::<Bits>()) }.load(Relaxed);
            // SAFETY: `native` compared the sizes, and only bits of `T`s are ever stored.
            unsafe { transmute_copy::<Bits, T>(&bits) }
        },
        // SAFETY: `place` is a valid element, and as all accesses to one type make the same choice, it is accessed only
        // through the table of locks.
        unsafe { locks::read(place) }.0
    )
}

/// Replaces the element and returns the old one.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(crate) unsafe fn exchange<T: Element>(place: *mut T, value: T) -> T {
    by_width!(
        T,
        |Atomic, Bits| {
            // SAFETY: `native` says that `T` has the size of `Bits` and no padding.
            let bits = unsafe { transmute_copy::<T, Bits>(&value) };
            // SAFETY: `native` compared size and alignment; the element is valid, and every access to it is atomic.
            let old = unsafe { Atomic::from_ptr(place.cast::<Bits>()) }.swap(bits, Relaxed);
            // SAFETY: `native` compared the sizes, and only bits of `T`s are ever stored.
            unsafe { transmute_copy::<Bits, T>(&old) }
        },
        // SAFETY: `place` is a valid element, and as all accesses to one type make the same choice, it is accessed only
        // through the table of locks.
        unsafe { locks::swap(place, value) }
    )
}

/// Replaces the element.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(crate) unsafe fn store<T: Element>(place: *mut T, value: T) {
    by_width!(
        T,
        |Atomic, Bits| {
            // SAFETY: `native` says that `T` has the size of `Bits` and no padding.
            let bits = unsafe { transmute_copy::<T, Bits>(&value) };
            // SAFETY: `native` compared size and alignment; the element is valid, and every access to it is atomic.
            unsafe { Atomic::from_ptr(place.cast::<Bits>()) }.store(bits, Relaxed);
        },
        {
            // SAFETY: `place` is a valid element, and as all accesses to one type make the same choice, it is accessed only
            // through the table of locks.
            unsafe { locks::swap(place, value) };
        }
    )
}

/// Replaces the element by the result of `f` and returns the old one, or leaves it if `f` returns `None`. `f` is called
/// again whenever another thread was faster.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(crate) unsafe fn try_update<T: Element>(
    place: *mut T,
    mut f: impl FnMut(T) -> Option<T>,
) -> Result<T, T> {
    by_width!(
        T,
        |Atomic, Bits| {
            // SAFETY: `native` compared size and alignment; the element is valid, and every access to it is atomic.
            let atomic = unsafe { Atomic::from_ptr(place.cast::<Bits>()) };
            let mut found = atomic.load(Relaxed);
            loop {
                // SAFETY: `native` compared the sizes, and only bits of `T`s are ever stored.
                let old = unsafe { transmute_copy::<Bits, T>(&found) };
                let Some(new) = f(old) else { return Err(old) };
                // SAFETY: `native` says that `T` has the size of `Bits` and no padding.
                let bits = unsafe { transmute_copy::<T, Bits>(&new) };
                match atomic.compare_exchange_weak(found, bits, Relaxed, Relaxed) {
                    Ok(_) => return Ok(old),
                    Err(other) => found = other,
                }
            }
        },
        loop {
            // SAFETY: `place` is a valid element, and as all accesses to one type make the same choice, it is accessed only
            // through the table of locks.
            let (old, version) = unsafe { locks::read(place) };
            let Some(new) = f(old) else { return Err(old) };
            // SAFETY: the element is the one that was just read through the table of locks.
            if unsafe { locks::write_at(place, version, new) } {
                return Ok(old);
            }
        }
    )
}

/// Replaces the element by the result of `f` and returns the old one.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub(crate) unsafe fn update<T: Element>(place: *mut T, mut f: impl FnMut(T) -> T) -> T {
    // SAFETY: `update` has the contract of `try_update`: a valid element that is accessed only through this module.
    let (Ok(old) | Err(old)) = unsafe { try_update(place, |old| Some(f(old))) };
    old
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicU32, AtomicU64};

    use super::*;

    /// As large as a word of the processor, and aligned like one, with seven bytes of padding after the number.
    #[derive(Clone, Copy)]
    #[repr(C, align(8))]
    struct Padded(u8);
    // SAFETY: an integer, and valid when all bytes are zero.
    unsafe impl Element for Padded {}
    impl crate::Scalar for Padded {}

    #[test]
    fn only_elements_without_padding_are_the_processor_s() {
        assert!(native::<u64, AtomicU64>() && native::<f32, AtomicU32>());
        assert!(!native::<Padded, AtomicU64>(), "an integer of padding is none");
        assert!(!native::<u32, AtomicU64>() && !native::<[u32; 2], AtomicU64>());
    }
}
