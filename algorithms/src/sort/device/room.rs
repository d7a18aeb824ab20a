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
    pub(super) unsafe fn cut<T>(&mut self, len: usize) -> Cut<T> {
        let beyond = self.0.addr() % align_of::<T>();
        let start =
            if align_of::<T>() <= align_of::<u64>() || beyond == 0 { 0 } else { align_of::<T>() - beyond };
        // SAFETY: there is room for the elements behind the next place that is aligned, as this function asks.
        unsafe {
            let start = self.0.add(start);
            self.0 = start.add(rounded(len * size_of::<T>()));
            Cut::new(start.cast(), len)
        }
    }
}

/// An array in scratch, which the threads of a team share. Debug builds check each place.
#[derive(Debug)]
pub(super) struct Cut<T> {
    start: *mut T,
    #[cfg(debug_assertions)]
    len: usize,
}

impl<T> Clone for Cut<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Cut<T> {}

impl<T> Cut<T> {
    #[inline(always)]
    fn new(start: *mut T, len: usize) -> Self {
        #[cfg(not(debug_assertions))]
        let _ = len;
        Self {
            start,
            #[cfg(debug_assertions)]
            len,
        }
    }

    /// The `len` elements from this place on.
    ///
    /// # Safety
    /// They exist.
    #[inline(always)]
    pub(super) unsafe fn part(self, first: usize, len: usize) -> Self {
        #[cfg(debug_assertions)]
        assert!(first <= self.len && len <= self.len - first, "{len} of {} from {first} on", self.len);
        // SAFETY: they exist, as this function asks.
        Self::new(unsafe { self.start.add(first) }, len)
    }

    #[inline(always)]
    unsafe fn at(self, place: usize) -> *mut T {
        #[cfg(debug_assertions)]
        assert!(place < self.len, "place {place} of {}", self.len);
        // SAFETY: the place exists, as this function asks.
        unsafe { self.start.add(place) }
    }

    /// The address of the element at this place.
    ///
    /// # Safety
    /// It exists.
    #[inline(always)]
    pub(super) unsafe fn address(self, place: usize) -> *mut T {
        // SAFETY: the place exists, as this function asks.
        unsafe { self.at(place) }
    }

    /// The element at this place.
    ///
    /// # Safety
    /// It exists, and no other thread writes it between the team's meetings before and after this call.
    #[inline(always)]
    pub(super) unsafe fn get(self, place: usize) -> T
    where
        T: Copy,
    {
        // SAFETY: as this function asks.
        unsafe { self.at(place).read() }
    }

    /// Sets the element at this place.
    ///
    /// # Safety
    /// It exists, and no other thread uses it between the team's meetings before and after this call.
    #[inline(always)]
    pub(super) unsafe fn set(self, place: usize, value: T) {
        // SAFETY: as this function asks.
        unsafe { self.at(place).write(value) };
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
