//! The canonical order for one reduction that one thread runs, for any value: a single one, or a block of columns.

use spelt_core::canonical::{lanes, run_len, tile_len};
use spelt_core::isa::{Work, dispatch};
use spelt_core::reducers::Reducer;

/// Levels of a tree of tiles. Unit: levels. Source: tiles have 64 iterations at least, and 2^46 take longer than any program runs.
const LEVELS: usize = 40;

/// The source of contributions.
pub(super) trait Source<V> {
    /// Contributes iteration `first + j` to `values[j]`, for each of them.
    fn across(&mut self, first: usize, values: &mut [V]);
    /// Contributes the iterations from `first` on, of which there are `len`, to all `W` values, several times each, as long as they are
    /// neighbours; returns how many: a multiple of `W`, and perhaps none.
    fn across_rows<const W: usize>(&mut self, first: usize, len: usize, values: &mut [V; W]) -> usize;
    /// Contributes `len` iterations from `first` on to one value.
    fn along(&mut self, first: usize, len: usize, value: &mut V);
}

/// Reduces `n` iterations to a value that is not finished yet, to the bits of `parallel_reduce` over a range.
#[inline(always)]
pub(super) fn reduce<R: Reducer>(reducer: &R, n: usize, source: &mut impl Source<R::Value>) -> R::Value {
    dispatch(Reduction { reducer, n, source })
}

/// One reduction: a separate type, because the kernels around it are too long to be compiled for each processor.
struct Reduction<'a, R, S> {
    reducer: &'a R,
    n: usize,
    source: &'a mut S,
}

impl<R: Reducer, S: Source<R::Value>> Work for Reduction<'_, R, S> {
    type Output = R::Value;

    #[inline(always)]
    fn run(self) -> R::Value {
        let Self { reducer, n, source } = self;
        // The match is on a constant: one arm is compiled.
        match const { lanes(R::LANE_BYTES) } {
            32 => reduce_of::<32, R>(reducer, n, source),
            16 => reduce_of::<16, R>(reducer, n, source),
            8 => reduce_of::<8, R>(reducer, n, source),
            4 => reduce_of::<4, R>(reducer, n, source),
            2 => reduce_of::<2, R>(reducer, n, source),
            _ => reduce_of::<1, R>(reducer, n, source),
        }
    }
}

#[inline(always)]
fn reduce_of<const W: usize, R: Reducer>(
    reducer: &R,
    n: usize,
    source: &mut impl Source<R::Value>,
) -> R::Value {
    // Lanes without iterations do not join, so fewer of them give the same tree with less initialisation.
    if W > 4 && n <= 4 {
        return reduce_tile::<4, R>(reducer, 0, n, source);
    }
    if n <= tile_len(W) {
        return reduce_tile::<W, R>(reducer, 0, n, source);
    }
    // A binary counter: level `b` holds the joined value of 2^b tiles, if the number of tiles so far has that bit.
    let mut blocks: [Option<R::Value>; LEVELS] = [const { None }; LEVELS];
    let mut first = 0;
    while first < n {
        let len = tile_len(W).min(n - first);
        let mut value = reduce_tile::<W, R>(reducer, first, len, source);
        let mut level = 0;
        while let Some(mut left) = blocks[level].take() {
            reducer.join(&mut left, &value);
            value = left;
            level += 1;
        }
        blocks[level] = Some(value);
        first += len;
    }
    let mut joined: Option<R::Value> = None;
    for block in &mut blocks {
        if let Some(mut left) = block.take() {
            if let Some(right) = &joined {
                reducer.join(&mut left, right);
            }
            joined = Some(left);
        }
    }
    match joined {
        Some(value) => value,
        None => reducer.init(),
    }
}

/// Aligned to cache lines, so that no vector lies in two of them.
#[repr(align(64))]
struct Aligned<T>(T);

#[inline(always)]
fn reduce_tile<const W: usize, R: Reducer>(
    reducer: &R,
    first: usize,
    len: usize,
    source: &mut impl Source<R::Value>,
) -> R::Value {
    let mut aligned = Aligned::<[R::Value; W]>(core::array::from_fn(|_| reducer.init()));
    let values = &mut aligned.0;
    if R::COMMUTATIVE {
        let mut done = 0;
        while done + W <= len {
            done += match source.across_rows::<W>(first + done, len - done, values) {
                0 => {
                    source.across(first + done, values);
                    W
                }
                taken => taken,
            };
        }
        if done < len {
            source.across(first + done, &mut values[..len - done]);
        }
        let mut half = W / 2;
        while half > 0 {
            let (left, right) = values.split_at_mut(half);
            let pairs = half.min(len.saturating_sub(half));
            for (into, from) in left[..pairs].iter_mut().zip(&right[..pairs]) {
                reducer.join(into, from);
            }
            half /= 2;
        }
    } else if len > 0 {
        let run = run_len(len, W);
        let runs = len.div_ceil(run);
        for (number, value) in values[..runs].iter_mut().enumerate() {
            let start = number * run;
            source.along(first + start, run.min(len - start), value);
        }
        let mut step = 1;
        while step < runs {
            let mut place = 0;
            while place + step < runs {
                let (left, right) = values.split_at_mut(place + step);
                reducer.join(&mut left[place], &right[0]);
                place += 2 * step;
            }
            step *= 2;
        }
    }
    core::mem::replace(&mut values[0], reducer.init())
}
