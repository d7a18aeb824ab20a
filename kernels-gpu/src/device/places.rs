//! Where the iterations of a launch are: from their number in the linearised order to their index.

use super::intrinsics::WARP;

/// The index space of a launch, as its kernel gets it: the last index is the fastest.
pub trait Places {
    /// What the closure's witness is made of.
    type Index;
    /// A place, which can be stepped.
    type Place: Copy;

    /// The place of the iteration with this number. Beyond the last it is some place.
    fn at(&self, number: usize) -> Self::Place;
    /// The index of a place.
    fn index(&self, place: Self::Place) -> Self::Index;
    /// Steps to the next iteration.
    fn step(&self, place: &mut Self::Place);
    /// Steps to the iteration that is a warp's width further on.
    fn stride(&self, place: &mut Self::Place);
}

/// A one-dimensional range.
#[derive(Clone, Copy, Debug)]
pub struct RangePlaces {
    /// The first index.
    pub start: usize,
}

impl Places for RangePlaces {
    type Index = [usize; 1];
    type Place = usize;
    #[inline(always)]
    fn at(&self, number: usize) -> usize {
        self.start.wrapping_add(number)
    }
    #[inline(always)]
    fn index(&self, place: usize) -> [usize; 1] {
        [place]
    }
    #[inline(always)]
    fn step(&self, place: &mut usize) {
        *place = place.wrapping_add(1);
    }
    #[inline(always)]
    fn stride(&self, place: &mut usize) {
        *place = place.wrapping_add(WARP as usize);
    }
}

/// A box of indices that is not empty.
#[derive(Clone, Copy, Debug)]
pub struct BoxPlaces<const N: usize> {
    lower: [usize; N],
    extents: [usize; N],
    /// A warp's width as a number with the extents as its bases.
    stride: [usize; N],
}

impl<const N: usize> BoxPlaces<N> {
    /// The box `lower..upper`.
    #[must_use]
    pub fn new(lower: [usize; N], upper: [usize; N]) -> Self {
        let extents = core::array::from_fn(|dimension| upper[dimension] - lower[dimension]);
        Self { lower, extents, stride: digits(&extents, WARP as usize) }
    }
}

/// The digits of a number whose bases are `extents`, the last one the lowest. What is beyond the first is left out.
#[inline(always)]
fn digits<const N: usize>(extents: &[usize; N], mut number: usize) -> [usize; N] {
    let mut digits = [0; N];
    let mut dimension = N;
    while dimension > 0 {
        dimension -= 1;
        digits[dimension] = number % extents[dimension];
        number /= extents[dimension];
    }
    digits
}

// The loops count by hand: what iterators keep for arrays would lie in the local memory of a device.
impl<const N: usize> Places for BoxPlaces<N> {
    type Index = [usize; N];
    /// The index less the lower one.
    type Place = [usize; N];
    #[inline(always)]
    fn at(&self, number: usize) -> [usize; N] {
        digits(&self.extents, number)
    }
    #[inline(always)]
    fn index(&self, place: [usize; N]) -> [usize; N] {
        let mut index = place;
        let mut dimension = 0;
        while dimension < N {
            index[dimension] += self.lower[dimension];
            dimension += 1;
        }
        index
    }
    #[inline(always)]
    fn step(&self, place: &mut [usize; N]) {
        let mut carry = 1;
        let mut dimension = N;
        while dimension > 0 {
            dimension -= 1;
            let digit = place[dimension] + carry;
            carry = usize::from(digit == self.extents[dimension]);
            place[dimension] = if carry == 1 { 0 } else { digit };
        }
    }
    #[inline(always)]
    fn stride(&self, place: &mut [usize; N]) {
        let mut carry = 0;
        let mut dimension = N;
        while dimension > 0 {
            dimension -= 1;
            let digit = place[dimension] + self.stride[dimension] + carry;
            carry = usize::from(digit >= self.extents[dimension]);
            place[dimension] = if carry == 1 { digit - self.extents[dimension] } else { digit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_strides_arrive_where_numbers_are() {
        for upper in [[5, 7, 9], [2, 1, 3], [40, 3, 33], [1, 1, 1], [2, 200, 1]] {
            let places = BoxPlaces::new([1, 0, 2], [upper[0] + 1, upper[1], upper[2] + 2]);
            let count: usize = upper.iter().product();
            for number in 0..count {
                let index = places.index(places.at(number));
                let wanted =
                    [1 + number / (upper[1] * upper[2]), number / upper[2] % upper[1], 2 + number % upper[2]];
                assert_eq!(index, wanted, "{number} in {upper:?}");
                let mut place = places.at(number);
                places.step(&mut place);
                assert_eq!(place, places.at(number + 1), "after {number} in {upper:?}");
                let mut place = places.at(number);
                places.stride(&mut place);
                assert_eq!(place, places.at(number + 32), "32 after {number} in {upper:?}");
            }
        }
    }
}
