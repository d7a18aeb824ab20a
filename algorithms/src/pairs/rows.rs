//! The pairs of a few rows: the loop that does the work.

use core::array;

use spelt_core::isa::Work;
use spelt_core::reducers::Reducer;

use super::tree::{Cut, Tree};

/// Rows that a thread of the host takes at once, one in each lane of a register. Unit: rows. Source: measured, Gaussian sums of f32 in
/// three dimensions with AVX-512, ns a pair and thread: 16 rows 0.87, 32 rows 0.85, one row at a time with the terms in lanes 1.2.
pub(super) const HOST_ROWS: usize = 16;

/// A place among the indices that a row is paired with.
pub(super) trait Place: Copy {
    /// The index here.
    fn index(self) -> usize;
    /// Steps by `distance` indices; stays somewhere where there are not that many more.
    fn advance(&mut self, distance: usize);
}

/// All indices.
impl Place for usize {
    #[inline(always)]
    fn index(self) -> usize {
        self
    }
    #[inline(always)]
    fn advance(&mut self, distance: usize) {
        *self = self.wrapping_add(distance);
    }
}

/// The reduction of `B` rows, each over the `n` indices from `place` on, in the canonical order.
///
/// `y(j)` is element `j`, and `f(row, j, value, y)` contributes a pair. The loop over the rows is the one that becomes vector code: it has
/// a constant length, no closure around the call, and nothing between it and the values.
pub(super) struct Rows<'a, R, P, G, F, const B: usize> {
    pub(super) reducer: &'a R,
    pub(super) n: usize,
    pub(super) place: P,
    pub(super) y: G,
    pub(super) f: F,
}

impl<R, P, Y, G, F, const B: usize> Work for Rows<'_, R, P, G, F, B>
where
    R: Reducer,
    P: Place,
    Y: Copy,
    G: Fn(usize) -> Y,
    F: Fn(usize, usize, &mut R::Value, Y),
{
    type Output = [R::Value; B];
    #[inline(always)]
    fn run(self) -> [R::Value; B] {
        let Self { reducer, n, mut place, y, f } = self;
        let mut tree = Tree::<R::Value, B>::new();
        let mut left = n;
        while left > 0 {
            let len = left.min(Cut::<R>::TILE);
            for k in 0..Cut::<R>::LEAVES {
                let leaf = Cut::<R>::leaf(len, k);
                let mut values = None;
                if leaf.count > 0 {
                    let mut running: [R::Value; B] = array::from_fn(|_| reducer.init());
                    let mut place = place;
                    place.advance(leaf.first);
                    for _ in 0..leaf.count {
                        let j = place.index();
                        let y = y(j);
                        for row in 0..B {
                            f(row, j, &mut running[row], y);
                        }
                        place.advance(leaf.step);
                    }
                    values = Some(running);
                }
                tree.push(reducer, values);
            }
            place.advance(len);
            left -= len;
        }
        tree.finish(reducer)
    }
}
