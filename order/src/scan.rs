//! The scan of one tile, run by one thread of the host.
//!
//! A tile is scanned in blocks of rows. The closure runs on an identity for each iteration of the block; these contributions join,
//! row by row, to the value before each iteration; then it runs again, on that value. So if the value before the tile is known, a
//! scan reads memory once: the second calls find the block in the first-level cache.

use spelt_reducers::Reducer;

use crate::body::ScanBody;
use crate::canonical;
use crate::cursor::Cursor;
use crate::if_vector_loops;
use crate::row::{Part, Row, joined};
use crate::sum_rows::{Avx512, values_before};

/// Evaluates an expression for `count` places, line by line, and steps over them.
///
/// A closure around the body would be a function with the user's closure in it, which is inlined only if it is short.
macro_rules! each_place {
    ($place:ident, $count:expr, |$distance:ident, $number:ident| $run:expr) => {{
        let count = $count;
        let mut done = 0;
        while done < count {
            let along = $place.line().min(count - done);
            for $distance in 0..along {
                let $number = done + $distance;
                $run
            }
            $place.advance(along);
            done += along;
        }
    }};
}
pub(crate) use each_place;

/// The work of a pass over a tile.
#[derive(Debug)]
pub enum Goal<'v, V> {
    /// Find the total of the tile.
    Total,
    /// Find the total, and run each iteration on the value before it, given that before the tile, if there is one.
    Values(Option<&'v V>),
}

impl<V> Clone for Goal<'_, V> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for Goal<'_, V> {}

/// Scans a tile of `len` iterations from `start` on, at most a whole tile, and returns its total; `None` if it is empty. With `avx512`, rows of some reducers are
/// joined by these instructions, to the same bits.
#[inline(always)]
pub fn scan_tile<R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    goal: Goal<'_, R::Value>,
    avx512: Option<Avx512>,
    body: &mut B,
) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    scan_tile_from(reducer, start, len, None, goal, avx512, body)
}

/// [`scan_tile`] from a row on, given the joined value of the rows before it; returns that of all rows.
#[inline(always)]
pub(crate) fn scan_tile_from<R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    rows: Option<R::Value>,
    goal: Goal<'_, R::Value>,
    avx512: Option<Avx512>,
    body: &mut B,
) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    // A constant, for the reason of `of_lanes`.
    let scan = const {
        match canonical::scan_lanes::<R>() {
            32 => scan_rows::<R, C, B, 32, { 32 * BLOCK }>,
            16 => scan_rows::<R, C, B, 16, { 16 * BLOCK }>,
            8 => scan_rows::<R, C, B, 8, { 8 * BLOCK }>,
            4 => scan_rows::<R, C, B, 4, { 4 * BLOCK }>,
            2 => scan_rows::<R, C, B, 2, { 2 * BLOCK }>,
            _ => scan_singly::<R, C, B>,
        }
    };
    scan(reducer, start, len, rows, goal, avx512, body)
}

/// Rows that are scanned together. Unit: rows. Source: the loops over their iterations check once that the arguments do not
/// overlap, and then are vector code; the values, 1 KiB of `f64`, stay in the first-level cache. While a block is joined, no element is
/// fetched from memory, so blocks are short; in cache, 4 rows take 2 % more than 8 with AVX-512 and 7 % with AVX2. A number that is not
/// constant, 4 or 8 by the length, takes 19 % more at 10^3 and 46 % at 10^5 (docs/benchmarks/scans.md).
const BLOCK: usize = 4;

/// Lanes of a row whose joins come before those of others, in a loop of their own. Unit: lanes. Source: measured with sums of `f64` on
/// an Intel Xeon: groups of 4 take 2 to 12 % more, of 2 15 to 54 %, and of 16 2 to 15 % (docs/benchmarks/scans.md).
const GROUP: usize = 8;

/// [`scan_tile_from`] in rows of `W` lanes, blocks of rows of `N` iterations together.
#[inline(always)]
fn scan_rows<R, C, B, const W: usize, const N: usize>(
    reducer: &R,
    start: C,
    len: usize,
    rows: Option<R::Value>,
    goal: Goal<'_, R::Value>,
    avx512: Option<Avx512>,
    body: &mut B,
) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    let mut total = rows;
    let mut place = start;
    let mut left = len;
    while left > 0 {
        let count = N.min(left);
        let mut values = Row::<R, N>::new();
        let mut again = place;
        if let Goal::Values(_) = goal {
            body.fetch(place, count);
        }
        each_place!(place, count, |distance, number| {
            let mut value = reducer.init();
            body.run(place, distance, &mut value, false);
            values.put(number, value);
        });
        // A total has few joins: in one piece of code with its row they are fastest. Short rows are of large values.
        let grouped = const { W > GROUP } && matches!(goal, Goal::Values(_));
        let mut first = 0;
        // SAFETY: the first `count` values exist; each is taken once, and replaced if it is used again.
        unsafe {
            let in_registers = if_vector_loops! {{
                match (avx512, goal) {
                    (Some(avx512), Goal::Values(prefix)) if W == canonical::MAX_LANES => {
                        let lanes = values.first(count - count % W);
                        lanes.and_then(|lanes| {
                            let of_f64 = values_before::<f64, R>(reducer, lanes, prefix, total.as_ref(), avx512);
                            of_f64.or_else(|| values_before::<f32, R>(reducer, lanes, prefix, total.as_ref(), avx512))
                        })
                    }
                    _ => None,
                }
            } else {
                let _ = avx512;
                None
            }};
            if let Some(rows) = in_registers {
                (total, first) = (rows, count - count % W);
            } else if grouped {
                values.join_within_groups::<GROUP>(reducer, count - count % W);
            }
            while count - first >= W {
                let mut row = Row::<R, W>::taken(&values, first);
                if grouped {
                    row.join_groups::<GROUP>(reducer);
                } else {
                    row.join_all(reducer);
                }
                if let Goal::Values(prefix) = goal {
                    let base = base(reducer, prefix, total.as_ref());
                    row.starts(reducer, base.as_ref(), base.as_ref(), &mut values, first);
                }
                total = Some(joined(reducer, total.as_ref(), row.take(W - 1)));
                first += W;
            }
            let rest = count - first;
            if rest > 0 {
                let base = match goal {
                    Goal::Total => None,
                    Goal::Values(prefix) => base(reducer, prefix, total.as_ref()),
                };
                let part = Part::new(reducer, base.as_ref(), first, rest).run(&mut values);
                if let Some(part) = part {
                    total = Some(joined(reducer, total.as_ref(), part));
                }
            }
        }
        if let Goal::Values(_) = goal {
            each_place!(again, count, |distance, number| {
                // SAFETY: the first `count` values exist, and each is taken once.
                let mut value = unsafe { values.take(number) };
                body.run(again, distance, &mut value, true);
            });
        }
        left -= count;
    }
    total
}

/// The value before a row: that before the tile, joined with the rows so far.
#[inline(always)]
pub(crate) fn base<R>(reducer: &R, prefix: Option<&R::Value>, rows: Option<&R::Value>) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone,
{
    match rows {
        None => prefix.cloned(),
        Some(rows) => Some(joined(reducer, prefix, rows.clone())),
    }
}

/// [`scan_tile_from`] in rows of one lane, for values of any type.
#[inline(always)]
fn scan_singly<R, C, B>(
    reducer: &R,
    start: C,
    len: usize,
    rows: Option<R::Value>,
    goal: Goal<'_, R::Value>,
    _avx512: Option<Avx512>,
    body: &mut B,
) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone,
    C: Cursor,
    B: ScanBody<C, R::Value>,
{
    let mut total = rows;
    let mut place = start;
    each_place!(place, len, |distance, _number| {
        let mut contribution = reducer.init();
        body.run(place, distance, &mut contribution, false);
        if let Goal::Values(prefix) = goal {
            let mut value = base(reducer, prefix, total.as_ref()).unwrap_or_else(|| reducer.init());
            body.run(place, distance, &mut value, true);
        }
        total = Some(joined(reducer, total.as_ref(), contribution));
    });
    total
}

/// Runs a tile in index order from `value` on: the second pass where the reducer is exact.
#[inline(always)]
pub fn scan_in_order<C, V, B>(start: C, len: usize, value: &mut V, body: &mut B)
where
    C: Cursor,
    B: ScanBody<C, V>,
{
    let mut place = start;
    each_place!(place, len, |distance, _number| body.run(place, distance, value, true));
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use spelt_reducers::{Sum, custom};

    use super::*;
    use crate::cursor::{Boxed, Line};
    use crate::pending_nodes::PendingNodes;
    use crate::tile::join_pairwise;

    /// The values that iterations leave behind and the total, by the rules of the order and nothing else.
    fn expected<R>(
        reducer: &R,
        n: usize,
        contribute: impl Fn(usize, &mut R::Value),
    ) -> (Vec<R::Value>, Option<R::Value>)
    where
        R: Reducer,
        R::Value: Clone,
    {
        let pairwise = |values: &[R::Value]| {
            (!values.is_empty())
                .then(|| join_pairwise(reducer, values.len(), &mut |number| values[number].clone()))
        };
        let in_order = |parts: &[&Option<R::Value>]| {
            parts.iter().copied().flatten().cloned().reduce(|mut left, right| {
                reducer.join(&mut left, &right);
                left
            })
        };
        let width = canonical::scan_lanes::<R>();
        let (mut values, mut tiles) = (Vec::new(), PendingNodes::<R::Value>::new());
        for tile in (0..n).step_by(canonical::tile_len(width)) {
            let mut rows = None;
            for row in (tile..n.min(tile + canonical::tile_len(width))).step_by(width) {
                let mut lanes = Vec::new();
                for i in row..n.min(row + width) {
                    let before = [&tiles.prefix(reducer), &rows, &pairwise(&lanes)];
                    let mut value = in_order(&before).unwrap_or_else(|| reducer.init());
                    contribute(i, &mut value);
                    values.push(value);
                    let mut alone = reducer.init();
                    contribute(i, &mut alone);
                    lanes.push(alone);
                }
                rows = in_order(&[&rows, &pairwise(&lanes)]);
            }
            tiles.push(reducer, rows.expect("no tile is empty"), 1);
        }
        (values, tiles.join(reducer))
    }

    /// All tiles, each for its total first if `twice`.
    fn scanned<R, C>(
        reducer: &R,
        n: usize,
        place: impl Fn(usize) -> C,
        twice: bool,
        avx512: Option<Avx512>,
        mut body: impl FnMut(C, usize, &mut R::Value, bool),
    ) -> Option<R::Value>
    where
        R: Reducer,
        R::Value: Clone + PartialEq + core::fmt::Debug,
        C: Cursor,
    {
        let mut tiles = PendingNodes::<R::Value>::new();
        let tile_len = canonical::tile_len(canonical::scan_lanes::<R>());
        for first in (0..n).step_by(tile_len) {
            let len = tile_len.min(n - first);
            let prefix = tiles.prefix(reducer);
            if twice {
                scan_tile(reducer, place(first), len, Goal::Total, None, &mut body);
            }
            let total =
                scan_tile(reducer, place(first), len, Goal::Values(prefix.as_ref()), avx512, &mut body);
            tiles.push(reducer, total.expect("no tile is empty"), 1);
        }
        tiles.join(reducer)
    }

    /// Lengths around the borders of lanes, rows, blocks of rows and tiles.
    fn lengths() -> impl Iterator<Item = usize> {
        let near = |n: usize| n - 1..=n + 1;
        let borders = [32, 64, 32 * BLOCK, 64 * BLOCK, 2048, 4096, 3 * 2048 + 500];
        (0..20).chain(borders.into_iter().flat_map(near))
    }

    fn rough(i: usize) -> f64 {
        ((i * 7919) % 1009) as f64 / 7.0 - 60.0
    }

    /// Compares sums that begin with `reducer`'s identity with those of the order. `number` makes one of an `f64`.
    fn check_sums<T, R>(
        reducer: &R,
        number: impl Fn(f64) -> T,
        bits: impl Fn(T) -> u64 + Copy,
        avx512: Option<Avx512>,
    ) where
        T: Copy + core::ops::AddAssign + PartialEq + core::fmt::Debug,
        R: Reducer<Value = T>,
    {
        let specials = [-0.0, 0.0, f64::INFINITY, f64::NAN];
        for (special, n) in lengths().flat_map(|n| (0..=specials.len()).map(move |special| (special, n))) {
            // All values -0.0; zeros of both signs; an infinity or NaN among others; others alone.
            let input = |i: usize| {
                number(match specials.get(special) {
                    Some(zero) if *zero == 0.0 && special == 0 => *zero,
                    Some(zero) if *zero == 0.0 => [0.0, -0.0][i % 2],
                    Some(other) if i % 97 == 41 => *other,
                    _ => rough(i),
                })
            };
            let (values, total) = expected(reducer, n, |i, sum| *sum += input(i));
            for twice in [false, true] {
                let mut found = std::vec![number(f64::MAX); n];
                let sum = scanned(
                    reducer,
                    n,
                    |index| Line { index },
                    twice,
                    avx512,
                    |place, distance, sum, last| {
                        *sum += input(place.index + distance);
                        if last {
                            found[place.index + distance] = *sum;
                        }
                    },
                );
                assert_eq!(sum.map(bits), total.map(bits), "{special} {n} {twice}");
                let same = found.iter().zip(&values).all(|(found, value)| bits(*found) == bits(*value));
                assert!(same, "{special} {n} {twice}");
            }
        }
    }

    #[test]
    fn sums_have_the_bits_of_the_order() {
        let adds = custom(-0.0, |into: &mut f64, from: &f64| *into += from);
        check_sums(&adds, |number| number, f64::to_bits, None);
        check_sums(&Sum::<f64>::new(), |number| number, f64::to_bits, None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn sums_in_registers_have_the_bits_of_the_order() {
        if let Some(avx512) = Avx512::of_this_processor() {
            check_sums(&Sum::<f64>::new(), |number| number, f64::to_bits, Some(avx512));
            check_sums(
                &Sum::<f32>::new(),
                |number| number as f32,
                |number| number.to_bits().into(),
                Some(avx512),
            );
            // Of another reducer, the joins are its own.
            let others = custom(0.5, |into: &mut f64, from: &f64| *into += from + 1.0);
            check_sums(&others, |number| number, f64::to_bits, Some(avx512));
        }
    }

    /// Compares the values before iterations whose contributions are assigned, in registers and otherwise.
    #[cfg(target_arch = "x86_64")]
    fn check_assigned<T: Copy + PartialEq + core::fmt::Debug>(
        reducer: &impl Reducer<Value = T>,
        contribution: impl Fn(usize) -> T,
        bits: impl Fn(T) -> u64,
    ) {
        let Some(avx512) = Avx512::of_this_processor() else { return };
        for n in lengths() {
            let before = |avx512| {
                let mut before = Vec::new();
                scanned(
                    reducer,
                    n,
                    |index| Line { index },
                    false,
                    avx512,
                    |place, distance, sum, last| {
                        if last {
                            before.push(bits(*sum));
                        }
                        *sum = contribution(place.index + distance);
                    },
                );
                before
            };
            assert_eq!(before(Some(avx512)), before(None), "{n}");
        }
    }

    /// A signalling NaN with a payload, and zeros of both signs, are moved as they are.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn values_in_registers_that_are_not_joined_keep_their_bits() {
        let contribution = |nan, i: usize| match i {
            0 => nan,
            _ if i.is_multiple_of(32) => -0.0,
            _ => 0.0,
        };
        check_assigned(
            &Sum::<f64>::new(),
            |i| contribution(f64::from_bits(0x7ff4_0000_0000_0123), i),
            f64::to_bits,
        );
        check_assigned(
            &Sum::<f32>::new(),
            |i| if i == 0 { f32::from_bits(0x7fa0_0123) } else { contribution(0.0, i) as f32 },
            |number| number.to_bits().into(),
        );
    }

    #[test]
    fn boxes_have_the_bits_of_their_linearised_indices() {
        let reducer = Sum::<f64>::new();
        for [rows, columns] in [[1, 1], [700, 3], [3, 700], [5, 31], [40, 33], [9, 300], [2, 2048]] {
            let (values, total) = expected(&reducer, rows * columns, |i, sum| *sum += rough(i));
            let mut found = Vec::new();
            let place = |offset| Boxed::new([0, 0], [rows, columns], offset);
            let sum = scanned(&reducer, rows * columns, place, false, None, |place, distance, sum, last| {
                *sum += rough(place.index[0] * columns + place.index[1] + distance);
                if last {
                    found.push(*sum);
                }
            });
            assert_eq!(sum, total, "{rows} rows of {columns}");
            assert_eq!(found, values, "{rows} rows of {columns}");
        }
    }

    /// A closure in place whose first calls write too: they write what they contribute, so that the last call finds the same.
    #[test]
    fn closures_in_place_may_ignore_that_a_call_is_not_the_last() {
        let reducer = Sum::<f64>::new();
        for n in lengths() {
            let (values, total) = expected(&reducer, n, |i, sum| *sum += rough(i));
            let mut found: Vec<f64> = (0..n).map(rough).collect();
            let sum = scanned(
                &reducer,
                n,
                |index| Line { index },
                true,
                None,
                |place, distance, sum, _| {
                    *sum += found[place.index + distance];
                    found[place.index + distance] = *sum;
                },
            );
            assert_eq!(sum, total, "{n}");
            assert_eq!(found, values, "{n}");
        }
    }

    #[test]
    fn values_that_own_something_scan_one_by_one() {
        let reducer = custom(Vec::new(), |into: &mut Vec<usize>, from: &Vec<usize>| into.extend(from))
            .non_commutative();
        let n = 150;
        let (values, total) = expected(&reducer, n, |i, list| list.push(i));
        let mut found = Vec::new();
        let lists = scanned(
            &reducer,
            n,
            |index| Line { index },
            true,
            None,
            |place, distance, list, last| {
                list.push(place.index + distance);
                if last {
                    found.push(list.clone());
                }
            },
        );
        assert!(values.iter().enumerate().all(|(i, list)| list.iter().copied().eq(0..=i)));
        assert_eq!(found, values);
        assert_eq!(lists, total);
    }
}
