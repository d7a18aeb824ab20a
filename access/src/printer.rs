//! The accessor of a `Printer`: lines from any iteration, of which the first are kept.
//!
//! The buffer is a View of places that are sorted by their lines, empty ones last. A line takes the
//! first place with a later line and moves that line to the next place in the same way, until a place was empty or the buffer ends. A
//! place only ever changes to an earlier line, so
//!
//! - the places stay sorted at all times, and a search for the first later line can skip those before it;
//! - every line that is not in a place has passed it while an earlier line was there, in whatever order lines arrive.
//!
//! So the lines that are left are the first ones of all, on every space. Two equal lines meet at a place, and one of them is omitted: the
//! threads of a team, or a pattern that calls its closure again, may report the same line.

use core::fmt;

use crate::access::Brand;
use crate::{AtomicAccess, Element, RawView, Right, Witness};

/// A place of the buffer: the index of a line, its number among those of the accessor that reported it, from 1, and the value.
/// A place with number 0 is empty.
#[doc(hidden)]
pub type Line<T, const R: usize> = ([usize; R], u32, T);

/// Reports lines to a `Printer`.
///
/// # Examples
/// ```
/// # use spelt_access::{Idx, PrinterAccess, RawView, Right};
/// # let mut lines = [([0], 0, 0.0); 3];
/// # let raw = RawView::<_, 1, Right>::new(lines.as_mut_ptr(), [3], [1]);
/// # // SAFETY: nothing else uses the lines.
/// # let (i, mut print) = unsafe { (Idx::<1>::new([7]), PrinterAccess::new(raw)) };
/// // In the iteration with index 7, for a printer of two lines:
/// print.line(i, 2.5);
/// # assert_eq!(lines[0], ([7], 1, 2.5));
/// ```
pub struct PrinterAccess<'k, T, const R: usize> {
    /// The last place tells that a line was dropped.
    lines: RawView<Line<T, R>, 1, Right>,
    /// The number of lines that this accessor has reported.
    number: u32,
    brand: Brand<'k, T>,
}

impl<T, const R: usize> fmt::Debug for PrinterAccess<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrinterAccess { .. }")
    }
}

impl<'k, T: Element, const R: usize> PrinterAccess<'k, T, R> {
    /// The accessor of the buffer `lines`, which has at least one place.
    ///
    /// # Safety
    /// While the launch branded `'k` runs, only this accessor and those of other iterations access the buffer.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn new(lines: RawView<Line<T, R>, 1, Right>) -> Self {
        Self { lines, number: 0, brand: core::marker::PhantomData }
    }

    /// Reports a line at the index of a witness. Lines of one iteration keep their order.
    ///
    /// # Complexity
    /// A search among the lines that are kept, then two short locks for each later one.
    ///
    /// # Examples
    /// ```
    /// # use spelt_access::{Idx, PrinterAccess, RawView, Right};
    /// # let mut lines = [([0], 0, 'z'); 3];
    /// # let raw = RawView::<_, 1, Right>::new(lines.as_mut_ptr(), [3], [1]);
    /// # // SAFETY: nothing else uses the lines.
    /// # let (i, mut print) = unsafe { (Idx::<1>::new([7]), PrinterAccess::new(raw)) };
    /// // In the iteration with index 7, for a printer of two lines:
    /// print.line(i, 'a');
    /// print.line(i, 'b');
    /// # assert_eq!(lines[..2], [([7], 1, 'a'), ([7], 2, 'b')]);
    /// ```
    #[inline(always)]
    pub fn line(&mut self, i: impl Witness<'k, R>, value: T) {
        self.number = self.number.saturating_add(1);
        // SAFETY: only atomic accessors reach the buffer while the launch runs, by the contract of `new`.
        insert(unsafe { AtomicAccess::new(self.lines) }, (i.position(), self.number, value));
    }
}

/// Whether `line` comes before the line of a place, which may be empty.
#[inline(always)]
fn is_before<T, const R: usize>(line: &Line<T, R>, place: &Line<T, R>) -> bool {
    place.1 == 0 || key(line) < key(place)
}

#[inline(always)]
fn key<T, const R: usize>(line: &Line<T, R>) -> ([usize; R], u32) {
    (line.0, line.1)
}

/// Puts a line into its place; not inlined, so that a kernel that rarely prints is not burdened.
#[inline(never)]
fn insert<T: Element, const R: usize>(lines: AtomicAccess<'_, Line<T, R>, 1>, mut line: Line<T, R>) {
    let room = lines.extent(0) - 1;
    let (mut place, mut end) = (0, room);
    while place < end {
        let middle = place + (end - place) / 2;
        let found = lines.load(middle);
        if found.1 != 0 && key(&found) < key(&line) {
            place = middle + 1;
        } else {
            end = middle;
        }
    }
    while place < room {
        match lines.try_update(place, |found| is_before(&line, &found).then_some(line)) {
            Ok((_, 0, _)) => return,
            Ok(later) => line = later,
            Err(found) if key(&found) == key(&line) => return,
            Err(_) => {}
        }
        place += 1;
    }
    if lines.load(room).1 == 0 {
        lines.store(room, line);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::*;

    /// The keys that are left of these, reported by several threads at once, and whether one was dropped.
    fn kept(room: usize, reports: &[Vec<(usize, u32)>]) -> (Vec<(usize, u32)>, bool) {
        let mut lines = std::vec![([0], 0, 0_u64); room + 1];
        let raw = RawView::<Line<u64, 1>, 1, Right>::new(lines.as_mut_ptr(), [room + 1], [1]);
        std::thread::scope(|scope| {
            for reports in reports {
                scope.spawn(move || {
                    for &(index, number) in reports {
                        // SAFETY: the threads use the lines by this accessor only.
                        let lines = unsafe { AtomicAccess::new(raw) };
                        insert(lines, ([index], number, 1000 * index as u64 + u64::from(number)));
                    }
                });
            }
        });
        let dropped = lines.pop().is_some_and(|last| last.1 != 0);
        lines.retain(|line| line.1 != 0);
        assert!(
            lines.iter().all(|line| line.2 == 1000 * line.0[0] as u64 + u64::from(line.1)),
            "a torn line"
        );
        (lines.into_iter().map(|line| (line.0[0], line.1)).collect(), dropped)
    }

    #[test]
    fn the_first_lines_are_left_in_every_order() {
        let mut seed = 7_u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for round in 0..if cfg!(miri) { 3 } else { 100 } {
            let (room, indices) = ([0, 1, 2, 7, 16][round % 5], 1 + random(20));
            // Each line comes from at least one thread, and sometimes from several.
            let reports: Vec<Vec<_>> =
                (0..3).map(|_| (0..30).map(|_| (random(indices), 1 + random(2) as u32)).collect()).collect();
            let mut expected: Vec<_> = reports.concat();
            expected.sort_unstable();
            expected.dedup();
            let dropped = expected.len() > room;
            expected.truncate(room);
            assert_eq!(kept(room, &reports), (expected, dropped), "{reports:?}");
        }
    }
}
