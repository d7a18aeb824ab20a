//! The pairs of a few rows: the loop that does the work.

use core::array;

use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;
use spelt_core::{DistinctAccess, Element, Layout, LookupAccess, serial_reduce};

use super::sieve::{self, Sieved};
use super::tree::{Cut, Tree};
use crate::large_values::is_large;
use crate::words::Words;

/// Rows that a thread of the host takes at once, one in each lane of a register. Unit: rows. Source: measured, Gaussian sums of f32 in
/// three dimensions with AVX-512, ns a pair and thread: 16 rows 0.87, 32 rows 0.85.
const MANY: usize = 16;

/// Rows that it takes of the remaining ones: the lanes of the smallest registers.
const FEW: usize = 4;

/// The largest value that is kept in arrays. Unit: bytes. Source: estimated: 33 levels of 16 such values take 132 KiB of stack.
const MAX_BYTES: usize = 256;

/// The number of rows that a thread of the host takes of `left` rows that keep the same pairs: the largest for which there is a loop.
pub(super) const fn rows_of<R: Reducer>(left: usize) -> usize {
    match left {
        _ if size_of::<R::Value>() > MAX_BYTES => 1,
        MANY.. => MANY,
        FEW.. => FEW,
        _ => 1,
    }
}

/// The first row of unit `k`, and its number of rows, if `m` rows are cut by [`rows_of`].
#[inline(always)]
pub(super) fn unit<R: Reducer>(m: usize, k: usize) -> (usize, usize) {
    let (most, next) = (rows_of::<R>(MANY), rows_of::<R>(FEW));
    let (many, few) = (m / most, m % most / next);
    if k < many {
        (k * most, most)
    } else if k < many + few {
        (many * most + (k - many) * next, next)
    } else {
        (many * most + few * next + (k - many - few), 1)
    }
}

/// The number of units of `m` rows.
pub(super) fn units<R: Reducer>(m: usize) -> usize {
    let (most, next) = (rows_of::<R>(MANY), rows_of::<R>(FEW));
    m / most + m % most / next + m % most % next
}

/// A place among the indices that a row is paired with.
pub(super) trait Place: Copy {
    /// The index here.
    fn index(self) -> usize;
    /// Steps by `distance` indices; the place is unspecified if there are not that many more.
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
/// `y(j)` is element `j`, and `f(row, j, value, y)` contributes a pair. The loop over the rows becomes vector code: it has
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
    #[expect(clippy::needless_range_loop, reason = "the form that was measured to become vector code")]
    #[inline(always)]
    fn run(self) -> [R::Value; B] {
        if const { sieve::is_used::<R, Y>(B) }
            && let Some(values) = R::by_sieve(Sieved(&self))
        {
            return values;
        }
        let Self { reducer, n, mut place, y, f } = self;
        let mut tree = Tree::<R::Value, B>::new();
        let mut left = n;
        while left > 0 {
            let len = left.min(Cut::<R>::TILE);
            for k in 0..Cut::<R>::LEAVES {
                let leaf = Cut::<R>::leaf(len, k);
                let mut values = None;
                if leaf.count > 0 {
                    let mut place = place;
                    place.advance(leaf.first);
                    values = Some(if const { Words::<R::Value, B>::COPIES } {
                        let mut running = Words::<R::Value, B>::new(|_| reducer.init());
                        for _ in 0..leaf.count {
                            let j = place.index();
                            let y = y(j);
                            for row in 0..B {
                                let mut value = running.get(row);
                                f(row, j, &mut value, y);
                                running.put(row, value);
                            }
                            place.advance(leaf.step);
                        }
                        array::from_fn(|row| running.get(row))
                    } else {
                        let mut running: [R::Value; B] = array::from_fn(|_| reducer.init());
                        for _ in 0..leaf.count {
                            let j = place.index();
                            let y = y(j);
                            for row in 0..B {
                                f(row, j, &mut running[row], y);
                            }
                            place.advance(leaf.step);
                        }
                        running
                    });
                }
                tree.push(reducer, values);
            }
            place.advance(len);
            left -= len;
        }
        tree.finish(reducer)
    }
}

/// The parameters of a kernel on a host: its Views, and the operation on the pairs.
pub(super) struct HostRows<'a, 'k, X, Y, O, LX: Layout, LY: Layout, LA: Layout, R, F> {
    pub(super) x: &'a LookupAccess<'k, X, 1, LX>,
    pub(super) y: &'a LookupAccess<'k, Y, 1, LY>,
    pub(super) a: &'a mut DistinctAccess<'k, O, 1, LA>,
    pub(super) f: &'a F,
    pub(super) reducer: &'a R,
}

impl<X, Y, LX, LY, LA, R, F> HostRows<'_, '_, X, Y, R::Output, LX, LY, LA, R, F>
where
    X: Element,
    Y: Element,
    LX: Layout,
    LY: Layout,
    LA: Layout,
    R: Reducer,
    F: Fn([usize; 2], &mut R::Value, (X, Y)),
{
    /// Reduces `rows` rows (a result of [`rows_of`]) from `first` on, each over the `n` indices from `place` on.
    #[inline(always)]
    pub(super) fn reduce(self, (first, rows): (usize, usize), n: usize, place: impl Place) {
        if const { is_large::<R::Value>() } {
            return self.reduce_large(first, n, place);
        }
        match rows {
            MANY if const { rows_of::<R>(MANY) == MANY } => self.reduce_each::<MANY>(first, n, place),
            FEW if const { rows_of::<R>(FEW) == FEW } => self.reduce_each::<FEW>(first, n, place),
            _ => self.reduce_each::<1>(first, n, place),
        }
    }

    /// Reduces row `row` to a value that is too large for arrays.
    fn reduce_large(self, row: usize, n: usize, place: impl Place) {
        let Self { x, y, a, f, reducer } = self;
        let x = x[row];
        // Most pairs follow the one before.
        let (mut walked, mut walker) = (0, place);
        let pair = |k, value: &mut R::Value| {
            if k < walked {
                (walked, walker) = (0, place);
            }
            walker.advance(k - walked);
            walked = k;
            let j = walker.index();
            f([row, j], value, (x, y[j]));
        };
        a[row] = serial_reduce(n, pair, reducer);
    }

    #[inline(always)]
    fn reduce_each<const B: usize>(self, first: usize, n: usize, place: impl Place) {
        let Self { x, y, a, f, reducer } = self;
        let values: [_; B] = if const { Words::<X, B>::COPIES } {
            let x = Words::<X, B>::new(|row| x[first + row]);
            let f = |row, j, value: &mut R::Value, y| f([first + row, j], value, (x.get(row), y));
            dispatch(Rows { reducer, n, place, y: |j| y[j], f })
        } else {
            let x: [X; B] = array::from_fn(|row| x[first + row]);
            let f = |row, j, value: &mut R::Value, y| f([first + row, j], value, (x[row], y));
            dispatch(Rows { reducer, n, place, y: |j| y[j], f })
        };
        for (row, value) in values.into_iter().enumerate() {
            a[first + row] = reducer.finish(value);
        }
    }
}
