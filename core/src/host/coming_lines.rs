//! The lines of memory that a scan is about to read and write, fetched into the caches beforehand.
//!
//! A scan joins the values of a block of rows through memory. A processor finishes its stores in order, so the stores of these joins wait
//! behind those to results whose lines are still on their way; when its buffer of stores is full, nothing else proceeds. Stores to lines
//! that have been fetched do not wait. Nor is anything read while a block is joined, so what is read gains a little too.

use spelt_access::{Covers, Description};
use spelt_order::body::ScanBody;
use spelt_order::cursor::Cursor;

use crate::names::Names;

/// Scans of fewer iterations fetch nothing. Unit: iterations. Source: the results of `f64` are then 2 MiB, a second-level cache, in which
/// fetches cost 1 to 4 % and gain nothing (docs/benchmarks/scans.md).
const LONG: usize = 1 << 18;

/// The distance between what is fetched and the block that is next. Unit: bytes. Source: measured with the sums of 10^7 `f64`: 2 to 8 KiB
/// are equally good, 16 KiB take a tenth more (docs/benchmarks/scans.md).
const AHEAD: usize = 4096;

/// A line of the caches. Unit: bytes.
const LINE: usize = 64;

/// The largest elements that are fetched: a closure may use a small part of larger ones. Unit: bytes.
const LARGEST: usize = 16;

/// The most Views that are fetched.
const MOST: usize = 4;

/// A View of contiguous elements, one for each index.
#[derive(Clone, Copy)]
struct Elements {
    address: usize,
    element_bytes: usize,
}

/// The Views of a launch whose elements it uses one after another.
pub(super) struct ComingLines {
    views: [Elements; MOST],
    count: usize,
}

impl ComingLines {
    /// Those of a scan of `n` iterations.
    #[inline(always)]
    pub(super) fn of(names: &Names<'_>, n: usize) -> Self {
        if cfg!(target_arch = "x86_64") && n >= LONG {
            Self::find(names)
        } else {
            Self { views: [Elements { address: 0, element_bytes: 0 }; MOST], count: 0 }
        }
    }

    #[cold]
    #[inline(never)]
    fn find(names: &Names<'_>) -> Self {
        let mut found = Self { views: [Elements { address: 0, element_bytes: 0 }; MOST], count: 0 };
        names.visit(&mut |view| {
            let Description { address, covers, strides, element_bytes, .. } = view;
            let contiguous = covers == Covers::Rank(1) && strides[0] == 1 && view.origin.is_none();
            if contiguous
                && (1..=LARGEST).contains(&element_bytes)
                && let Some(place) = found.views.get_mut(found.count)
            {
                *place = Elements { address, element_bytes };
                found.count += 1;
            }
        });
        found
    }

    /// Fetches the lines of `count` elements, [`AHEAD`] of those at `index`.
    #[inline(always)]
    fn fetch(&self, index: usize, count: usize) {
        for view in self.views.iter().take(self.count) {
            let first = index.wrapping_mul(view.element_bytes).wrapping_add(view.address).wrapping_add(AHEAD);
            for offset in (0..count * view.element_bytes).step_by(LINE) {
                prefetch(first.wrapping_add(offset));
            }
        }
    }
}

/// Fetches the line of an address, which may be any.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch changes nothing but caches, and does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::without_provenance(address)) };
    }
}

/// A scan's iteration, before which its lines are fetched.
pub(super) struct Fetching<'a, B> {
    pub(super) body: B,
    pub(super) lines: &'a ComingLines,
}

impl<C: Cursor, V, B: ScanBody<C, V>> ScanBody<C, V> for Fetching<'_, B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut V, last: bool) {
        self.body.run(place, distance, value, last);
    }

    #[inline(always)]
    fn fetch(&mut self, place: C, count: usize) {
        // The key of a place on a line is its index.
        if C::LINE {
            self.lines.fetch(place.key(), count);
        }
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.body.enter();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::ExecutionSpace;
    use crate::reducers::Sum;
    use crate::view::{View, ViewRef};
    use crate::{Element, Serial, Stride, parallel_scan};

    /// The addresses and sizes that a scan of `n` iterations over these arguments fetches.
    fn found<A: spelt_access::KernelArgs>(args: A, n: usize) -> Vec<(usize, usize)> {
        let lines = ComingLines::of(&Names::new("scan", &args), n);
        lines.views[..lines.count].iter().map(|view| (view.address, view.element_bytes)).collect()
    }

    /// The address of the first element.
    fn start<T: Element>(view: &View<T, 1>) -> usize {
        view.as_slice().expect("contiguous").as_ptr() as usize
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn contiguous_views_of_small_elements_are_fetched() {
        let mut y = View::<f32, 1>::zeros("y", [6]).expect("memory");
        let (x, large) =
            (View::<f64, 1>::zeros("x", [6]), View::<[f64; 3], 1>::from_fn("l", [6], |_| [0.0; 3]));
        let (x, large) = (x.expect("memory"), large.expect("memory"));
        let (x_at, y_at) = (start(&x), start(&y));
        assert_eq!(found((&x, &large, 2.5, &mut y), LONG), [(x_at, 8), (y_at, 4)]);
        assert_eq!(found((&x, &mut y), LONG - 1), [], "a short scan");
        let numbers = [0.0; 6];
        let every_second = ViewRef::<f64, 1, _, Stride>::from_strided([3], [2], &numbers).expect("strides");
        // Not element after element; and no more than there is room for.
        assert_eq!(found((x.lookup(), every_second), LONG), []);
        assert_eq!(found([&x; MOST + 1], LONG), [(x_at, 8); MOST]);
    }

    /// Fetches change no value; those of the last blocks are beyond the Views' end.
    #[test]
    fn a_long_scan_has_its_values() {
        let n = LONG + 77;
        let x = View::<f64, 1>::from_fn("x", [n], |[i]| (i % 7) as f64).expect("memory");
        let mut y = View::<f64, 1>::zeros("y", [n]).expect("memory");
        let sum: f64 = parallel_scan(
            "scan",
            Serial::new().range(0..n),
            (&x, &mut y),
            |i, sum, last, (x, mut y)| {
                *sum += x[i];
                if last {
                    y[i] = *sum;
                }
            },
            Sum::new(),
        )
        .expect("the Views cover the range");
        let mut wanted = 0.0;
        for i in 0..n {
            wanted += (i % 7) as f64;
            assert_eq!(y[[i]], wanted, "{i}");
        }
        assert_eq!(sum, wanted);
    }
}
