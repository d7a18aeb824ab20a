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
    /// The number of lines from this one on, inclusive, whose indices differ from those of this one in one component alone.
    fn lines(&self) -> usize {
        1
    }
    /// Steps by `count` lines, fewer than there [are](Cursor::lines).
    fn advance_lines(&mut self, count: usize) {
        debug_assert_eq!(count, 0, "there is one line");
    }
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
        // Divisions take as long as a short loop.
        if offset == 0 {
            return Self { index, lower, upper };
        }
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
    #[inline(always)]
    fn lines(&self) -> usize {
        if R > 1 { self.upper[R - 2] - self.index[R - 2] } else { 1 }
    }
    #[inline(always)]
    fn advance_lines(&mut self, count: usize) {
        if R > 1 {
            self.index[R - 2] += count;
        }
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
    /// Whether places follow one another in the lexicographic order of their indices.
    const IN_ORDER: bool;
    /// The index `distance` places further along this line.
    fn at(&self, distance: usize) -> [usize; N];
    /// The index `distance` places further along the line that is `line` after this one, fewer than there [are](Cursor::lines).
    #[inline(always)]
    fn at_line(&self, line: usize, distance: usize) -> [usize; N] {
        debug_assert_eq!(line, 0, "there is one line");
        self.at(distance)
    }
}

impl Place<1> for Line {
    const IN_ORDER: bool = true;
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; 1] {
        [self.index + distance]
    }
}

impl<const R: usize> Place<R> for Boxed<R> {
    const IN_ORDER: bool = true;
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; R] {
        let mut index = self.index;
        index[R - 1] += distance;
        index
    }
    #[inline(always)]
    fn at_line(&self, line: usize, distance: usize) -> [usize; R] {
        let mut index = self.at(distance);
        if R > 1 {
            index[R - 2] += line;
        }
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
    fn lines(&self) -> usize {
        self.0.lines()
    }
    #[inline(always)]
    fn advance_lines(&mut self, count: usize) {
        self.0.advance_lines(count);
    }
    #[inline(always)]
    fn key(&self) -> usize {
        self.0.key()
    }
}

impl<const R: usize> Place<R> for Reversed<R> {
    const IN_ORDER: bool = R == 1;
    #[inline(always)]
    fn at(&self, distance: usize) -> [usize; R] {
        let mut index: [usize; R] = core::array::from_fn(|d| self.0.index[R - 1 - d]);
        index[0] += distance;
        index
    }
    #[inline(always)]
    fn at_line(&self, line: usize, distance: usize) -> [usize; R] {
        let mut index = self.at(distance);
        if R > 1 {
            index[1] += line;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::{Boxed, Cursor, Line, Place, Reversed, skip};

    /// Compares the places of the lines from each place on with those that single steps reach.
    fn lines_are_steps<C: Place<N>, const N: usize>(first: C, count: usize) {
        for begin in 0..count {
            let mut place = first;
            skip(&mut place, begin);
            if place.line() != place.extent() {
                continue;
            }
            for line in 0..place.lines() {
                for distance in 0..place.extent() {
                    let mut stepped = place;
                    skip(&mut stepped, line * place.extent() + distance);
                    assert_eq!(place.at_line(line, distance), stepped.at(0), "line {line} from {begin}");
                }
                let mut advanced = place;
                advanced.advance_lines(line);
                assert_eq!(advanced.at(0), place.at_line(line, 0));
            }
            assert!(begin + place.lines() * place.extent() <= count, "lines beyond the end");
        }
    }

    #[test]
    fn lines_of_boxes_are_steps() {
        lines_are_steps(Boxed::new([2], [7], 0), 5);
        lines_are_steps(Boxed::new([1, 2], [4, 7], 0), 15);
        lines_are_steps(Boxed::new([0, 1, 2], [3, 4, 3], 0), 9);
        lines_are_steps(Reversed(Boxed::new([1, 0, 2], [3, 4, 5], 0)), 24);
        lines_are_steps(Boxed::new([0, 3, 0, 1], [2, 5, 3, 3], 0), 24);
    }

    #[test]
    fn a_range_is_one_line() {
        let place = Line { index: 3 };
        assert_eq!((place.lines(), place.at_line(0, 4)), (1, [7]));
    }
}
