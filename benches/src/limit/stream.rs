//! Kernels that write arrays.

use core::marker::PhantomData;
use core::ops::Range;

use super::level::Kernel;
use super::vector::{Vector, Wide};
use super::{ALONE, Limit};

/// Outputs of at least this size go past the caches, so memory that is overwritten is not read. Unit: bytes. Source:
/// estimated; it pays once an array no longer stays in the last cache until it is used again.
const PAST_CACHES: usize = 256 << 20;

/// A slice whose parts threads write.
pub(super) struct Shared<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: it only gives access through `part`, whose callers promise that parts do not overlap.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// # Safety
    /// No two parts that are in use at the same time overlap.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the contract says which parts are whose")]
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len);
        // SAFETY: inside the slice by the assertion, and not used elsewhere by the contract.
        unsafe { core::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

/// `y = x + a w`, where `ADD` is false; `y += a x` where it is true, without `w`.
struct Triad<'a, T, const ADD: bool> {
    x: &'a [T],
    w: &'a [T],
    y: &'a mut [T],
    a: T,
    past_caches: bool,
}

impl<T: Wide, const ADD: bool> Kernel<T> for Triad<'_, T, ADD>
where
    T: core::ops::Add<Output = T> + core::ops::Mul<Output = T>,
{
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) {
        let Self { x, w, y, a, past_caches } = self;
        let n = y.len();
        let (x, w) = (&x[..n], &w[..n]);
        let vectors = n / V::LANES;
        let streams = past_caches && (y.as_ptr() as usize).is_multiple_of(V::LANES * size_of::<T>());
        let factor;
        // SAFETY: vectors inside the three slices, which are equally long; streamed only where `y` is aligned.
        unsafe {
            factor = V::splat(a);
            macro_rules! vectors {
                ($number:expr, $put:ident) => {{
                    let at = $number * V::LANES;
                    let (x, w) = (V::load(x.as_ptr().add(at)), w.as_ptr().add(at));
                    let sum = if ADD {
                        V::load(y.as_ptr().add(at)).plus_product(x, factor)
                    } else {
                        x.plus_product(V::load(w), factor)
                    };
                    sum.$put(y.as_mut_ptr().add(at));
                }};
            }
            let whole = vectors / 4 * 4;
            if streams {
                (0..vectors).for_each(|number| vectors!(number, stream));
            } else {
                let mut number = 0;
                while number < whole {
                    vectors!(number, store);
                    vectors!(number + 1, store);
                    vectors!(number + 2, store);
                    vectors!(number + 3, store);
                    number += 4;
                }
                (whole..vectors).for_each(|number| vectors!(number, store));
            }
        }
        for at in vectors * V::LANES..n {
            y[at] = if ADD { y[at] + a * x[at] } else { x[at] + a * w[at] };
        }
    }
}

/// The five-point stencil on the rows `1..rows - 1` of `a`, whose rows are as long as those of `y`.
struct Stencil<'a, T> {
    above: &'a [T],
    row: &'a [T],
    below: &'a [T],
    y: &'a mut [T],
    four: T,
}

impl<T> Kernel<T> for Stencil<'_, T>
where
    T: Wide + core::ops::Add<Output = T> + core::ops::Sub<Output = T> + core::ops::Mul<Output = T>,
{
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) {
        let Self { above, row, below, y, four } = self;
        let n = y.len();
        let (above, row, below) = (&above[..n], &row[..n], &below[..n]);
        let inner = n - 2;
        let vectors = inner / V::LANES;
        // SAFETY: each load and store is of `LANES` items from `1 + at` on, shifted by one at most, below `n`.
        unsafe {
            let four = V::splat(four);
            for number in 0..vectors {
                let at = 1 + number * V::LANES;
                let sum = V::load(above.as_ptr().add(at)).add(V::load(below.as_ptr().add(at)));
                let sides = V::load(row.as_ptr().add(at - 1)).add(V::load(row.as_ptr().add(at + 1)));
                let centre = V::load(row.as_ptr().add(at)).mul(four);
                sum.add(sides).sub(centre).store(y.as_mut_ptr().add(at));
            }
        }
        for at in 1 + vectors * V::LANES..n - 1 {
            y[at] = above[at] + below[at] + (row[at - 1] + row[at + 1]) - four * row[at];
        }
    }
}

impl Limit {
    /// `y = x + a w`.
    pub fn triad<T>(&self, y: &mut [T], x: &[T], a: T, w: &[T])
    where
        T: Wide + core::ops::Add<Output = T> + core::ops::Mul<Output = T>,
    {
        let past_caches = size_of_val(y) >= PAST_CACHES;
        let (n, to) = (y.len(), Shared::new(y));
        self.share(n, |_, part| {
            // SAFETY: threads have different parts.
            let y = unsafe { to.part(part.clone()) };
            self.level.run(Triad::<T, false> { x: &x[part.clone()], w: &w[part], y, a, past_caches });
        });
    }

    /// `y += a x`.
    pub fn axpy<T>(&self, y: &mut [T], a: T, x: &[T])
    where
        T: Wide + core::ops::Add<Output = T> + core::ops::Mul<Output = T>,
    {
        let (n, to) = (y.len(), Shared::new(y));
        self.share(n, |_, part| {
            // SAFETY: threads have different parts.
            let y = unsafe { to.part(part.clone()) };
            self.level.run(Triad::<T, true> { x: &x[part.clone()], w: &x[part], y, a, past_caches: false });
        });
    }

    /// The five-point stencil of the square `a` on its interior.
    pub fn stencil<T>(&self, y: &mut [T], a: &[T], side: usize, four: T)
    where
        T: Wide + core::ops::Add<Output = T> + core::ops::Sub<Output = T> + core::ops::Mul<Output = T>,
    {
        let to = Shared::new(y);
        self.share_rows(side * side, side, |rows| {
            for row in rows.start.max(1)..rows.end.min(side - 1) {
                let at = |row: usize| &a[row * side..(row + 1) * side];
                // SAFETY: threads have different rows.
                let y = unsafe { to.part(row * side..(row + 1) * side) };
                self.level.run(Stencil { above: at(row - 1), row: at(row), below: at(row + 1), y, four });
            }
        });
    }

    /// Calls `part` for each thread's share of the rows of `n` elements.
    pub(super) fn share_rows(&self, n: usize, columns: usize, part: impl Fn(Range<usize>) + Sync) {
        let (rows, threads) = (n / columns, self.crew.threads());
        if n < ALONE || threads == 1 {
            part(0..rows);
            return;
        }
        let length = rows.div_ceil(threads);
        self.crew.run(&|thread| part((thread * length).min(rows)..((thread + 1) * length).min(rows)));
    }

    /// Wakes all threads without any work.
    pub fn empty(&self) {
        self.crew.run(&|_| ());
    }
}
