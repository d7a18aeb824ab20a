//! One piece of scratch that has several arrays.

/// Words of scratch that arrays are cut from, one after another.
pub(super) struct Room(*mut u8);

impl Room {
    /// The words of scratch.
    #[inline(always)]
    pub(super) fn new(words: *mut u64) -> Self {
        Self(words.cast())
    }

    /// The next array, of `len` elements.
    ///
    /// # Safety
    /// The words have room for it: [`bytes_of`] for each array.
    #[inline(always)]
    pub(super) unsafe fn cut<T>(&mut self, len: usize) -> *mut T {
        let beyond = self.0.addr() % align_of::<T>();
        let start =
            if align_of::<T>() <= align_of::<u64>() || beyond == 0 { 0 } else { align_of::<T>() - beyond };
        // SAFETY: there is room for the elements behind the next place that is aligned, as this function asks.
        unsafe {
            let start = self.0.add(start);
            self.0 = start.add(rounded(len * size_of::<T>()));
            start.cast()
        }
    }
}

const fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(size_of::<u64>())
}

/// The bytes that an array takes at most.
pub(super) const fn bytes_of<T>(len: usize) -> usize {
    let before = if align_of::<T>() <= align_of::<u64>() { 0 } else { align_of::<T>() };
    rounded(len.saturating_mul(size_of::<T>()).saturating_add(before))
}
