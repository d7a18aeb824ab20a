//! Contributions to a scattered View, joined in the order of a host.
//!
//! Kernels append them to a log in the order of arrival, each with the number of its iteration. Afterwards the log is sorted, and each
//! element gets the contributions of each part of the iterations, joined as a replica of a host joins them.

use core::ptr;

use spelt_access::Contribution;
use spelt_reducers::Reducer;

/// One step of a sorting network: neighbouring blocks of `2 * half` entries, each of which compares entries in pairs.
///
/// All pairs put the smaller entry first. So a log of any length is sorted as the next power of two is, with the largest entries at its
/// end: these would stay where they are, and need not exist.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Half of the entries of a block, a power of two.
    pub half: usize,
    /// Whether the entries of a block are compared from both ends towards the middle, and not at a distance of `half`.
    pub towards_middle: bool,
}

impl Step {
    /// The steps that sort `count` entries: blocks of 2 are merged to blocks of 4, and so on.
    pub fn all(count: usize) -> impl Iterator<Item = Self> {
        let levels = if count < 2 { 0 } else { (count - 1).ilog2() + 1 };
        (0..levels).flat_map(|level| {
            (0..=level).rev().map(move |bit| Self { half: 1 << bit, towards_middle: bit == level })
        })
    }

    /// The number of pairs among `count` entries, those included that lack their second entry.
    #[must_use]
    pub const fn pairs(&self, count: usize) -> usize {
        count.div_ceil(2 * self.half) * self.half
    }

    /// The entries of pair `number`; `None` if the second is beyond the end.
    #[inline(always)]
    #[must_use]
    pub const fn pair(&self, number: usize, count: usize) -> Option<(usize, usize)> {
        let (first, place) = (number / self.half * (2 * self.half), number % self.half);
        let second = first + if self.towards_middle { 2 * self.half - 1 - place } else { self.half + place };
        if second < count { Some((first + place, second)) } else { None }
    }
}

/// A log that is complete.
#[repr(C)]
#[derive(Debug)]
pub struct Entries<T> {
    /// The first entry.
    pub first: *mut Contribution<T>,
    /// The number of entries.
    pub count: usize,
}

impl<T> Clone for Entries<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Entries<T> {}

impl<T: Copy> Entries<T> {
    /// # Safety
    /// The entry exists, and no other thread writes it.
    #[inline(always)]
    unsafe fn key(&self, entry: usize) -> (usize, usize) {
        let entry = self.first.wrapping_add(entry);
        // SAFETY: the entry exists. Other threads may write other fields of it: no reference is made.
        unsafe { (ptr::read(&raw const (*entry).element), ptr::read(&raw const (*entry).number)) }
    }

    /// Reads an entry by its fields, without the padding between them, which is not written.
    ///
    /// # Safety
    /// The entry exists, and no other thread writes it.
    #[inline(always)]
    unsafe fn read(&self, entry: usize) -> Contribution<T> {
        let entry = self.first.wrapping_add(entry);
        // SAFETY: the entry exists, and no other thread writes it.
        unsafe {
            Contribution {
                element: ptr::read(&raw const (*entry).element),
                number: ptr::read(&raw const (*entry).number),
                call: ptr::read(&raw const (*entry).call),
                value: ptr::read(&raw const (*entry).value),
            }
        }
    }

    /// Does pair `number` of a step of the sort.
    ///
    /// # Safety
    /// The entries are written, and no other thread uses those of this pair.
    #[inline(always)]
    pub unsafe fn sort(&self, step: &Step, number: usize) {
        let Some((low, high)) = step.pair(number, self.count) else { return };
        // SAFETY: both entries are among the written ones and differ, and this thread alone uses them.
        unsafe {
            let (a, b) = (self.read(low), self.read(high));
            if (b.element, b.number, b.call) < (a.element, a.number, a.call) {
                self.first.add(low).write(b);
                self.first.add(high).write(a);
            }
        }
    }
}

/// Consecutive numbers of iterations, cut into parts of the same length.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The smallest number.
    pub start: usize,
    /// The numbers of a part, at least 1.
    pub len: usize,
}

impl Parts {
    /// The first number of the part that has `number`.
    #[inline(always)]
    const fn first(&self, number: usize) -> usize {
        number - (number - self.start) % self.len
    }
}

/// Joins the contributions of one part to one element, if entry `number` is the first of them: the entry then has the joined value, and
/// their number in place of the call.
///
/// # Safety
/// The entries are written and sorted; each number below theirs is passed by at most one thread, and meanwhile nothing else uses them.
#[inline(always)]
pub unsafe fn fold_part<T: Copy, Op: Reducer<Value = T>>(
    entries: &Entries<T>,
    parts: &Parts,
    op: &Op,
    number: usize,
) {
    if number >= entries.count {
        return;
    }
    // SAFETY: the entry exists, and no thread writes these fields.
    let (element, iteration) = unsafe { entries.key(number) };
    let first = parts.first(iteration);
    if number > 0 {
        // SAFETY: the entry before it exists too, and no thread writes these fields.
        let (earlier, iteration) = unsafe { entries.key(number - 1) };
        if earlier == element && iteration >= first {
            return;
        }
    }
    let at = |entry: usize| entries.first.wrapping_add(entry);
    // SAFETY: the entry exists, and only this thread uses the values of this part.
    let value = |entry: usize| unsafe { ptr::read(&raw const (*at(entry)).value) };
    let mut joined = value(number);
    if let Some(mut neutral) = op.neutral() {
        op.join(&mut neutral, &joined);
        joined = neutral;
    }
    let mut end = number + 1;
    while end < entries.count {
        // SAFETY: the entry exists, and no thread writes these fields.
        let (other, iteration) = unsafe { entries.key(end) };
        if other != element || iteration - first >= parts.len {
            break;
        }
        op.join(&mut joined, &value(end));
        end += 1;
    }
    // SAFETY: the entry exists; other threads read other fields of it.
    unsafe {
        (&raw mut (*at(number)).value).write(joined);
        (&raw mut (*at(number)).call).write((end - number) as u32);
    }
}

/// Joins the parts of one element to it, if entry `number` is the first one of the element.
///
/// # Safety
/// Earlier launches have called [`fold_part`] for every entry; each number below theirs is passed by at most one thread; `target` has
/// every element that an entry names, and nothing else uses it.
#[inline(always)]
pub unsafe fn join_parts<T: Copy, Op: Reducer<Value = T>>(
    entries: &Entries<T>,
    target: *mut T,
    op: &Op,
    number: usize,
) {
    if number >= entries.count {
        return;
    }
    // SAFETY: the entry exists, and no thread writes entries.
    let (element, _) = unsafe { entries.key(number) };
    // SAFETY: the entry before it exists too, and no thread writes these fields.
    if number > 0 && unsafe { entries.key(number - 1) }.0 == element {
        return;
    }
    let into = target.wrapping_add(element);
    // SAFETY: the entry names an element of the target, and only the thread of its first entry uses it.
    let mut held = unsafe { into.read() };
    let mut entry = number;
    // SAFETY: the entry exists, and no thread writes entries.
    while entry < entries.count && unsafe { entries.key(entry) }.0 == element {
        // SAFETY: the first entry of a part has its value and the number of its contributions.
        let part = unsafe { entries.read(entry) };
        if !op.is_neutral(&part.value) {
            op.join(&mut held, &part.value);
        }
        entry += part.call as usize;
    }
    // SAFETY: the element that was just read.
    unsafe { into.write(held) }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use spelt_reducers::{Sum, custom};
    use std::vec;
    use std::vec::Vec;

    /// Numbers in an order that looks like noise.
    fn mixed(number: usize) -> usize {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)
    }

    /// Contributions of `iterations` iterations, two each, to 5 elements, in a mixed order.
    fn mixed_log(iterations: usize, value: impl Fn(usize, u32) -> f64) -> Vec<Contribution<f64>> {
        let each = |number: usize| {
            [0, 1].map(|call| Contribution { element: number % 5, number, call, value: value(number, call) })
        };
        let mut log: Vec<_> = (0..iterations).flat_map(each).collect();
        log.sort_by_key(|entry| mixed(entry.number * 2 + entry.call as usize));
        log
    }

    /// The elements, 1.0 each, after the log has been joined to them.
    fn joined<Op: Reducer<Value = f64>>(mut log: Vec<Contribution<f64>>, parts: Parts, op: &Op) -> [f64; 5] {
        let entries = Entries { first: log.as_mut_ptr(), count: log.len() };
        let mut target = [1.0; 5];
        for step in Step::all(entries.count) {
            // SAFETY: the entries are written, and one pair runs after the other.
            (0..step.pairs(entries.count)).for_each(|pair| unsafe { entries.sort(&step, pair) });
        }
        for number in 0..entries.count + 3 {
            // SAFETY: the entries are sorted, and each number is passed once.
            unsafe { fold_part(&entries, &parts, op, number) }
        }
        for number in 0..entries.count + 3 {
            // SAFETY: `fold_part` has been called for all of them, and the entries name elements below 5.
            unsafe { join_parts(&entries, target.as_mut_ptr(), op, number) }
        }
        target
    }

    #[test]
    fn networks_sort_logs_of_any_length() {
        for count in (0..70).chain([255, 256, 257, 1000]) {
            let mut log: Vec<_> = (0..count)
                .map(|place| {
                    let key = mixed(place) % 40;
                    Contribution { element: key % 3, number: key / 3, call: place as u32, value: place }
                })
                .collect();
            let key = |entry: &Contribution<usize>| (entry.element, entry.number, entry.call);
            let mut wanted = log.clone();
            wanted.sort_by_key(key);
            let entries = Entries { first: log.as_mut_ptr(), count };
            for step in Step::all(count) {
                let mut used = vec![false; count];
                for pair in 0..step.pairs(count) {
                    if let Some((low, high)) = step.pair(pair, count) {
                        assert!(low < high && !used[low] && !used[high]);
                        (used[low], used[high]) = (true, true);
                    }
                    // SAFETY: the entries are written, and one pair runs after the other.
                    unsafe { entries.sort(&step, pair) }
                }
            }
            assert_eq!(log, wanted, "{count} entries");
        }
    }

    #[test]
    fn parts_fold_in_order_and_join_in_order() {
        let value = |number: usize, call: u32| (mixed(number) % 1000) as f64 * 1e-3 + f64::from(call) * 1e6;
        for (iterations, start, len) in [(0, 0, 1), (1, 0, 7), (100, 0, 7), (100, 0, 1), (100, 0, 1000)] {
            let mut wanted = [1.0; 5];
            for first in (start..iterations).step_by(len) {
                let mut part = [-0.0; 5];
                for number in first..iterations.min(first + len) {
                    [0, 1].into_iter().for_each(|call| part[number % 5] += value(number, call));
                }
                wanted.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
            let found = joined(mixed_log(iterations, value), Parts { start, len }, &Sum::<f64>::new());
            assert_eq!(found.map(f64::to_bits), wanted.map(f64::to_bits), "{iterations} in parts of {len}");
        }
    }

    #[test]
    fn a_part_without_neutral_value_begins_with_its_first_contribution() {
        let average = custom(100.0, |into: &mut f64, from: &f64| *into = (*into + *from) / 2.0);
        let log = mixed_log(3, |number, call| (10 * number + call as usize) as f64);
        // Element 0: the average of 0 and 1, then of 1 and that.
        assert_eq!(joined(log, Parts { start: 0, len: 2 }, &average), [0.75, 5.75, 10.75, 1.0, 1.0]);
    }
}
