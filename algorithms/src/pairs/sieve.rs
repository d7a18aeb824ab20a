//! Rows of a reducer that drops most contributions: a block of pairs is computed first, and compared together.

use core::array;

use spelt_core::reducers::Reducer;
use spelt_core::reducers::sieve::{Sieve, SieveVisitor};

use super::rows::{Place, Rows};
use crate::words::Words;

/// Pairs of a row that are compared together. Unit: pairs. Source: the lanes of the largest registers.
const BLOCK: usize = 16;

/// Whether `rows` rows of `R` over elements of type `Y` are reduced by the sieve of `R`.
///
/// Loops over elements that are not stored by words are not vector code, and a single row would not repay what it costs to store them.
pub(super) const fn is_used<R: Reducer, Y>(rows: usize) -> bool {
    R::HAS_SIEVE && R::EXACT && R::REORDERABLE && rows > 1 && Words::<Y, BLOCK>::BY_WORDS
}

/// The reduction of some rows by the sieve of their reducer.
pub(super) struct Sieved<'a, 'r, R, P, G, F, const B: usize>(pub(super) &'a Rows<'r, R, P, G, F, B>);

impl<R, P, Y, G, F, const B: usize> SieveVisitor<R> for Sieved<'_, '_, R, P, G, F, B>
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
    fn visit<S: Sieve<R>>(self) -> [R::Value; B] {
        let Rows { reducer, n, mut place, ref y, ref f } = *self.0;
        let mut values: [R::Value; B] = array::from_fn(|_| reducer.init());
        let Some(nothing) = S::only(&reducer.init()) else { return values };
        for _ in 0..n / BLOCK {
            let indices: [usize; BLOCK] = array::from_fn(|_| {
                let j = place.index();
                place.advance(1);
                j
            });
            let block = Words::<Y, BLOCK>::new(|k| y(indices[k]));
            for row in 0..B {
                let (mut keys, mut tags) = ([nothing.0; BLOCK], [nothing.1; BLOCK]);
                // A byte for each: bits of a word would be shifted there one by one.
                let mut flags = [0; BLOCK];
                for k in 0..BLOCK {
                    let mut value = reducer.init();
                    f(row, indices[k], &mut value, block.get(k));
                    (keys[k], tags[k]) = match S::only(&value) {
                        Some(only) => only,
                        None => {
                            reducer.join(&mut values[row], &value);
                            nothing
                        }
                    };
                    flags[k] = u8::from(S::may_keep(&values[row], keys[k]));
                }
                let mut kept = u128::from_le_bytes(flags);
                while kept != 0 {
                    let k = kept.trailing_zeros() as usize / 8;
                    kept &= kept - 1;
                    S::contribute(&mut values[row], keys[k], tags[k]);
                }
            }
        }
        for _ in 0..n % BLOCK {
            let j = place.index();
            let y = y(j);
            for row in 0..B {
                f(row, j, &mut values[row], y);
            }
            place.advance(1);
        }
        values
    }
}
