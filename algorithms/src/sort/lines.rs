//! Writes to many places in turn, a cache line at a time.

use core::mem::MaybeUninit;
use core::ops::Range;

use spelt_core::{DistinctAccess, Element, Right};

/// A cache line. Unit: bytes.
const LINE: usize = 64;

/// Aligned for every type that fills it.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "written and read through pointers")] [u8; LINE]);

/// A line of elements for each of `N` streams, each of which goes to neighbouring places. An element goes to the slot of its place;
/// where that is the last one of a line in memory, the line is written there, past the caches. So memory is written once and need not
/// be read before, which is most of the cost of a write that misses the caches.
pub(super) struct Lines<'k, T, const N: usize> {
    to: DistinctAccess<'k, T, 1, Right>,
    /// `N` of them, or none.
    lines: Vec<MaybeUninit<Line>>,
}

impl<'k, T: Element, const N: usize> Lines<'k, T, N> {
    /// Elements of a line; 0 for those that do not fill one, or have bytes without a value: they have no lines.
    const EACH: usize = if T::NO_PADDING && size_of::<T>() > 0 && LINE.is_multiple_of(size_of::<T>()) {
        LINE / size_of::<T>()
    } else {
        0
    };

    pub(super) fn new(to: DistinctAccess<'k, T, 1, Right>) -> Self {
        const { assert!(N.is_power_of_two()) };
        Self { to, lines: Vec::new() }
    }

    /// Whether there is memory for the lines.
    pub(super) fn have_room(&mut self) -> bool {
        if Self::EACH > 0 {
            if self.lines.try_reserve_exact(N).is_err() {
                return false;
            }
            self.lines.resize(N, MaybeUninit::uninit());
        }
        true
    }

    /// Writes an element to its place at once.
    #[inline(always)]
    pub(super) fn write(&mut self, place: usize, element: T) {
        if let Some(to) = self.to.get_mut(place) {
            *to = element;
        }
    }

    /// Writes an element to its place, now or with those after it.
    ///
    /// # Safety
    /// There [is room](Self::have_room); each stream's places rise by one from `firsts` on.
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, stream: usize, place: usize, element: T, firsts: &[usize; N]) {
        if Self::EACH == 0 {
            return self.write(place, element);
        }
        // SAFETY: the line is one of `N`, the slot one of `EACH` that fill it.
        unsafe { self.line(stream).add(place % Self::EACH).write(element) };
        if place % Self::EACH == Self::EACH - 1 {
            let first = firsts[stream % N].max(place + 1 - Self::EACH);
            // SAFETY: from `first` on elements were put to this line, and to no other since.
            unsafe { self.line_to_memory(stream, first..place + 1) };
        }
    }

    /// Writes the rest of each stream, which ends at one of `ends`, and makes all writes visible to others.
    ///
    /// # Safety
    /// All elements were [put](Self::put), from `firsts` to `ends`.
    pub(super) unsafe fn finish(&mut self, firsts: &[usize; N], ends: &[usize; N]) {
        for stream in 0..if Self::EACH == 0 { 0 } else { N } {
            let (first, end) = (firsts[stream], ends[stream]);
            // SAFETY: the elements from there to the end were put to this line, and to no other since.
            unsafe { self.line_to_memory(stream, first.max(end - end % Self::EACH)..end) };
        }
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: every x86-64 has the instruction.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }

    /// # Safety
    /// There is room.
    #[inline(always)]
    unsafe fn line(&mut self, stream: usize) -> *mut T {
        // SAFETY: there are `N` lines.
        unsafe { self.lines.as_mut_ptr().add(stream % N).cast() }
    }

    /// # Safety
    /// The line of `stream` has the elements of `places`, which lie in one line.
    #[inline(always)]
    unsafe fn line_to_memory(&mut self, stream: usize, places: Range<usize>) {
        // SAFETY: elements were put to this line, for which there must be room.
        let line = unsafe { self.line(stream) };
        let first = places.start;
        let Some(to) = self.to.slice_mut(places) else { return };
        if to.len() == Self::EACH && to.as_ptr().addr().is_multiple_of(LINE) {
            // SAFETY: both are whole lines and aligned as such; the slots have been written, and elements have no padding.
            unsafe { past_caches(line.cast(), to.as_mut_ptr().cast()) };
            return;
        }
        for (i, to) in to.iter_mut().enumerate() {
            // SAFETY: the slot was written for this place.
            *to = unsafe { line.add((first + i) % Self::EACH).read() };
        }
    }
}

/// Copies a line, past the caches where the processor can: other threads see it after a fence.
///
/// # Safety
/// Both are valid and aligned as lines, and every byte of `from` has a value.
#[inline(always)]
unsafe fn past_caches(from: *const Line, to: *mut Line) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for part in 0..LINE / 16 {
        use core::arch::x86_64::{__m128i, _mm_load_si128, _mm_stream_si128};
        // SAFETY: a quarter of each line, aligned as one; every x86-64 has these instructions.
        unsafe {
            _mm_stream_si128(
                to.cast::<__m128i>().add(part),
                _mm_load_si128(from.cast::<__m128i>().add(part)),
            );
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: both are valid and aligned as lines, by the contract.
    unsafe {
        to.copy_from_nonoverlapping(from, 1);
    }
}
