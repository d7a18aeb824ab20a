//! Moments of neighbouring columns together: mean beside mean and square beside square, as vectors hold them.
//!
//! A lane has as many contributions in each column, so their number is kept once, and a vector is divided by one number. The operations
//! on each number, and their order, are those of [`Moments::update`] and [`Moments::join`].

use core::marker::PhantomData;

use spelt_core::reducers::Reducer;
use spelt_core::with_scratch;

use super::quick::{Panel, Quick};
use crate::{Moments, Real};

/// Neighbouring columns whose moments are in registers while rows are added to them. Unit: columns. Source: eight registers of 512 bits
/// in `f32`, which hide the latency of a division.
const TOGETHER: usize = 64;

/// The same at the end of a row, whose free places are filled with zeros. Unit: columns. Source: a register of 512 bits in `f32`.
const AT_END: usize = 16;

/// Rows that are added to a lane at a time, so that its moments are loaded and stored for all of them once.
const ROWS: usize = 8;

/// The quicker way to moments in `F`.
pub(super) struct ColumnMoments<F>(PhantomData<F>);

impl<F> ColumnMoments<F> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<F> Clone for ColumnMoments<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for ColumnMoments<F> {}

impl<T, F, R> Quick<T, R> for ColumnMoments<F>
where
    T: Copy,
    F: Real + From<T>,
    R: Reducer<Value = Moments<F>>,
{
    #[inline(always)]
    fn columns<'a>(self, panel: Panel, row: impl Fn(usize) -> Option<&'a [T]>) -> Option<Vec<Moments<F>>>
    where
        T: 'a,
    {
        let Panel { len, columns, lanes, first, step } = panel;
        let live = len.min(lanes).saturating_sub(first).div_ceil(step);
        // The number of contributions to a lane.
        let count = |number: usize| (len - (first + number * step)).div_ceil(lanes);
        let pitch = columns.next_multiple_of(AT_END);
        with_scratch(
            2 * live * pitch,
            |_| F::ZERO,
            // Otherwise it would be compiled for the lowest processor, on its own.
            #[inline(always)]
            |numbers| {
                let (means, squares) = numbers.split_at_mut(live * pitch);
                // The next rows of all lanes in turn, as they follow in memory.
                for before in (0..len.div_ceil(lanes)).step_by(ROWS) {
                    let of_lanes = means.chunks_exact_mut(pitch).zip(squares.chunks_exact_mut(pitch));
                    for (number, (means, squares)) in of_lanes.enumerate() {
                        let added = count(number).saturating_sub(before).min(ROWS);
                        let mut rows: [&[T]; ROWS] = [&[]; ROWS];
                        for (next, slice) in rows[..added].iter_mut().enumerate() {
                            *slice = row((before + next) * lanes + first + number * step)?.get(..columns)?;
                        }
                        add(means, squares, before, &rows[..added], columns);
                    }
                }
                let mut half = live.next_power_of_two() / 2;
                while half > 0 {
                    // A lane has the contributions of those that have joined it.
                    let joined = |number: usize| (number..live).step_by(2 * half).map(count).sum();
                    for number in 0..half.min(live - half) {
                        let from = number + half;
                        let counts = (joined(number), joined(from));
                        let split = |numbers| halves(numbers, number * pitch, from * pitch, pitch);
                        join(split(&mut *means), split(&mut *squares), counts);
                    }
                    half /= 2;
                }
                let all = (0..live).map(count).sum::<usize>() as u64;
                let moments = means.iter().zip(&*squares);
                Some(moments.take(columns).map(|(mean, squares)| Moments::of(all, *mean, *squares)).collect())
            },
        )
    }
}

/// Contributes rows to the moments of a lane that has `before` of them.
#[inline(always)]
fn add<T: Copy, F: Real + From<T>>(
    means: &mut [F],
    squares: &mut [F],
    before: usize,
    rows: &[&[T]],
    columns: usize,
) {
    let whole = columns - columns % TOGETHER;
    for start in (0..whole).step_by(TOGETHER) {
        update::<T, F, TOGETHER>(&mut means[start..], &mut squares[start..], before, rows, start);
    }
    for start in (whole..columns).step_by(AT_END) {
        let (means, squares) = (&mut means[start..], &mut squares[start..]);
        if columns - start >= AT_END {
            update::<T, F, AT_END>(means, squares, before, rows, start);
            continue;
        }
        let mut filled = [[F::ZERO; AT_END]; ROWS];
        for (filled, row) in filled.iter_mut().zip(rows) {
            filled.iter_mut().zip(&row[start..]).for_each(|(x, element)| *x = F::from(*element));
        }
        let filled = filled.each_ref().map(<[F; AT_END]>::as_slice);
        update::<F, F, AT_END>(means, squares, before, &filled[..rows.len()], 0);
    }
}

/// Contributes `C` columns of these rows, from `start` on, to the first moments.
#[inline(always)]
fn update<T: Copy, F: Real + From<T>, const C: usize>(
    means: &mut [F],
    squares: &mut [F],
    before: usize,
    rows: &[&[T]],
    start: usize,
) {
    let (Some(into_means), Some(into_squares)) = (means.first_chunk_mut(), squares.first_chunk_mut()) else {
        return;
    };
    // Copies, which stay in registers.
    let (mut means, mut squares): ([F; C], [F; C]) = (*into_means, *into_squares);
    for (number, row) in rows.iter().enumerate() {
        let count = F::from_count((before + number + 1) as u64);
        let Some(row) = row.get(start..).and_then(<[T]>::first_chunk::<C>) else { return };
        for column in 0..C {
            let x = F::from(row[column]);
            let from_old = x - means[column];
            means[column] = means[column] + from_old / count;
            squares[column] = squares[column] + from_old * (x - means[column]);
        }
    }
    (*into_means, *into_squares) = (means, squares);
}

/// `len` numbers from `into` on, and as many from `from` on, which is `len` further at least.
#[inline(always)]
fn halves<F>(numbers: &mut [F], into: usize, from: usize, len: usize) -> (&mut [F], &[F]) {
    let (left, right) = numbers.split_at_mut(from);
    (&mut left[into..][..len], &right[..len])
}

/// Joins moments of these numbers of contributions each, neither of which is 0.
#[inline(always)]
fn join<F: Real>(
    (means, other_means): (&mut [F], &[F]),
    (squares, other_squares): (&mut [F], &[F]),
    (mine, theirs): (usize, usize),
) {
    let share = F::from_count(theirs as u64) / F::from_count((mine + theirs) as u64);
    let weight = F::from_count(mine as u64) * share;
    let others = other_means.iter().zip(other_squares);
    for ((mean, squares), (other_mean, other_squares)) in means.iter_mut().zip(squares).zip(others) {
        let apart = *other_mean - *mean;
        *mean = *mean + apart * share;
        *squares = *squares + *other_squares + apart * apart * weight;
    }
}
