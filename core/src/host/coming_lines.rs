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
/// fetches cost 1 to 4 % and gain nothing (docs/benchmarks.md).
const LONG: usize = 1 << 18;

/// The distance between what is fetched and the block that is next. Unit: bytes. Source: measured with the sums of 10^7 `f64`; 64 and
/// 2048 bytes take up to 7 % more, 16 KiB 8 to 9 % (docs/benchmarks.md).
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
