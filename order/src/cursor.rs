//! Places in an index space, for loops on the host.

/// A place in a linearised index space, which can be stepped.
pub trait Cursor: Copy {
    /// Whether all places lie on one line.
    const LINE: bool;
    /// The number of places from this one on, inclusive, that lie on one line: [`Place::at`] has their indices.
    fn line(&self) -> usize;
    /// Steps by `distance` places, at most [`line`](Cursor::line); also beyond the last place, which has no index.
    fn advance(&mut self, distance: usize);
    /// The length of each whole line.
    fn extent(&self) -> usize;
    /// A number that depends only on the index, and grows by 1 along a line: on a device it determines the thread of a team that
    /// has the index.
    fn key(&self) -> usize;
}

/// The place in a one-dimensional range.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The index here.
    pub index: usize,
}

impl Cursor for Line {
    const LINE: bool = true;
    #[inline(always)]
    fn line(&self) -> usize {
        usize::MAX
    }
    #[inline(always)]
    fn advance(&mut self, distance: usize) {
        self.index += distance;
    }
    #[inline(always)]
    fn extent(&self) -> usize {
        usize::MAX
    }
    #[inline(always)]
    fn key(&self) -> usize {
        self.index
    }
}

/// The place in a box of indices, last index fastest.
#[derive(Clone, Copy, Debug)]
pub struct Boxed<const R: usize> {
    /// The index here.
    pub index: [usize; R],
    lower: [usize; R],
    upper: [usize; R],
}

impl<const R: usize> Boxed<R> {
    /// The place with `offset` others before it in the box `lower..upper`, which is not empty.
    #[must_use]
    pub fn new(lower: [usize; R], upper: [usize; R], mut offset: usize) -> Self {
        let mut index = lower;
        for dimension in (0..R).rev() {
            let extent = upper[dimension] - lower[dimension];
            index[dimension] += offset % extent;
            offset /= extent;
        }
        Self { index, lower, upper }
    }
}

impl<const R: usize> Cursor for Boxed<R> {
    const LINE: bool = false;
    #[inline(always)]
    fn line(&self) -> usize {
        self.upper[R - 1] - self.index[R - 1]
    }
    #[inline(always)]
    fn advance(&mut self, distance: usize) {
        let mut dimension = R - 1;
        self.index[dimension] += distance;
        while dimension > 0 && self.index[dimension] >= self.upper[dimension] {
            self.index[dimension] = self.lower[dimension];
            dimension -= 1;
            self.index[dimension] += 1;
        }
    }
    #[inline(always)]
    fn extent(&self) -> usize {
        self.upper[R - 1] - self.lower[R - 1]
    }
    /// Powers of 5 are odd and differ modulo 32, so columns and small boxes are distributed as well as lines are.
    #[inline(always)]
    fn key(&self) -> usize {
        self.index.iter().fold(0, |key: usize, index| key.wrapping_mul(5).wrapping_add(*index))
    }
}

/// Steps by any number of places.
#[inline(always)]
pub fn skip<C: Cursor>(place: &mut C, mut distance: usize) {
    while distance > 0 {
        let along = place.line().min(distance);
        place.advance(along);
        distance -= along;
    }
}

/// A place that has an index of `N` components.
pub trait Place<const N: usize>: Cursor {
    /// The index `distance` places further along this line.
    fn at(&self, distance: usize) -> [usize; N];
}

impl Place<1> for Line {
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; 1] {
        [self.index + distance]
    }
}

impl<const R: usize> Place<R> for Boxed<R> {
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; R] {
        let mut index = self.index;
        index[R - 1] += distance;
        index
    }
}

/// The place in a box of indices, first index fastest: one in the box with its dimensions reversed.
#[derive(Clone, Copy, Debug)]
pub struct Reversed<const R: usize>(pub Boxed<R>);

impl<const R: usize> Cursor for Reversed<R> {
    const LINE: bool = false;
    #[inline(always)]
    fn line(&self) -> usize {
        self.0.line()
    }
    #[inline(always)]
    fn advance(&mut self, distance: usize) {
        self.0.advance(distance);
    }
    #[inline(always)]
    fn extent(&self) -> usize {
        self.0.extent()
    }
    #[inline(always)]
    fn key(&self) -> usize {
        self.0.key()
    }
}

impl<const R: usize> Place<R> for Reversed<R> {
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; R] {
        let mut index: [usize; R] = core::array::from_fn(|d| self.0.index[R - 1 - d]);
        index[0] += distance;
        index
    }
}
