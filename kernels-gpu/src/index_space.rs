//! The iterations of a reduction or scan: from a number to an index, then in steps.
//!
//! There are also places beyond the last iteration; their indices are unspecified.

/// A linearised index space on a device.
pub trait IndexSpace: Copy {
    /// A place in it.
    type Place: Copy;
    /// The type of an iteration's index.
    type Index;

    /// The place with `offset` others before it.
    fn start(&self, offset: usize) -> Self::Place;

    /// The index there.
    fn index(&self, place: &Self::Place) -> Self::Index;

    /// Steps by `BY`, which is 1 or the stride that the index space was made for.
    fn step<const BY: usize>(&self, place: &mut Self::Place);
}

/// A range.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IndexRange {
    /// The first index.
    pub first: usize,
}

impl IndexSpace for IndexRange {
    type Place = usize;
    type Index = [usize; 1];
    #[inline(always)]
    fn start(&self, offset: usize) -> usize {
        self.first.wrapping_add(offset)
    }
    #[inline(always)]
    fn index(&self, place: &usize) -> [usize; 1] {
        [*place]
    }
    #[inline(always)]
    fn step<const BY: usize>(&self, place: &mut usize) {
        *place = place.wrapping_add(BY);
    }
}

/// A box, the last index fastest.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IndexBox<const N: usize> {
    lower: [usize; N],
    extents: [usize; N],
    /// The stride, in the digits of the places.
    stride: [usize; N],
}

impl<const N: usize> IndexBox<N> {
    /// The box `lower..upper` to be walked in steps of `stride`, or of 1.
    #[must_use]
    pub fn new(lower: [usize; N], upper: [usize; N], stride: usize) -> Self {
        let extents = core::array::from_fn(|d| upper[d] - lower[d]);
        let mut indices = Self { lower, extents, stride: [0; N] };
        if !extents.contains(&0) {
            indices.stride = indices.start(stride);
        }
        indices
    }
}

impl<const N: usize> IndexSpace for IndexBox<N> {
    /// The index from the lower corner on.
    type Place = [usize; N];
    type Index = [usize; N];
    #[inline(always)]
    fn start(&self, mut offset: usize) -> [usize; N] {
        let mut place = [0; N];
        let mut dimension = N;
        // The slowest dimension takes the rest: a stride may be longer than the box.
        while dimension > 1 {
            dimension -= 1;
            let extent = self.extents[dimension];
            place[dimension] = offset % extent;
            offset /= extent;
        }
        place[0] = offset;
        place
    }
    #[inline(always)]
    fn index(&self, place: &[usize; N]) -> [usize; N] {
        core::array::from_fn(|d| self.lower[d] + place[d])
    }
    #[inline(always)]
    fn step<const BY: usize>(&self, place: &mut [usize; N]) {
        // Digit by digit, with a carry of at most 1: the same few instructions for all extents.
        let mut carry = if BY == 1 { 1 } else { 0 };
        let mut dimension = N;
        while dimension > 0 {
            dimension -= 1;
            let digit = place[dimension] + carry + if BY == 1 { 0 } else { self.stride[dimension] };
            let over = dimension > 0 && digit >= self.extents[dimension];
            place[dimension] = if over { digit - self.extents[dimension] } else { digit };
            carry = usize::from(over);
        }
    }
}

/// An index space from one of its places on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Onward<S> {
    /// The index space.
    pub indices: S,
    /// The number of places before the first.
    pub first: usize,
}

impl<S: IndexSpace> IndexSpace for Onward<S> {
    type Place = S::Place;
    type Index = S::Index;
    #[inline(always)]
    fn start(&self, offset: usize) -> S::Place {
        self.indices.start(self.first.wrapping_add(offset))
    }
    #[inline(always)]
    fn index(&self, place: &S::Place) -> S::Index {
        self.indices.index(place)
    }
    #[inline(always)]
    fn step<const BY: usize>(&self, place: &mut S::Place) {
        self.indices.step::<BY>(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_where_counting_goes() {
        let (lower, upper) = ([2, 0, 5], [4, 3, 12]);
        let indices = IndexBox::new(lower, upper, 32);
        for first in 0..10 {
            let (mut by_one, mut by_stride) = (indices.start(first), indices.start(first));
            for _ in 0..32 {
                indices.step::<1>(&mut by_one);
            }
            indices.step::<32>(&mut by_stride);
            assert_eq!(by_one, by_stride);
            if first + 32 < 42 {
                assert_eq!(
                    indices.index(&by_one),
                    spelt_order::cursor::Boxed::new(lower, upper, first + 32).index
                );
            }
        }
        let narrow = IndexBox::new([0, 0], [100, 1], 32);
        let mut place = narrow.start(3);
        narrow.step::<32>(&mut place);
        assert_eq!(narrow.index(&place), [35, 0]);
    }
}
