//! Scratch of a team that its threads write together.
//!
//! Between the loops that write it, each thread reads any element.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use spelt_access::Element;
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Call;
use spelt_order::cursor::Boxed;
use spelt_policies::checked_len;

use super::mode::Mode;
use super::{Collective, Team};
use crate::device::on_device;

/// An array of team scratch, of rank 1 to 3, that the threads of the team write and read in turn: Kokkos's `ScratchView`.
///
/// [`Team::with_scratch_mut`] makes it. The last index varies fastest. Between loops, every thread reads any element: `s[[i, j]]`,
/// [`row`](Self::row), [`as_slice`](Self::as_slice). The loops [`write`](Self::write), [`write_rows`](Self::write_rows),
/// [`write_columns`](Self::write_columns), [`write_pairs`](Self::write_pairs) and [`write_nested`](Self::write_nested) distribute the
/// elements that they write over all lanes of the team, which meets before and after; [`write_all`](Self::write_all) lends all elements
/// to one lane.
/// The last argument of a body gives access to the elements that its loop does not write, so a factorization needs no second array. A
/// stencil takes two planes:
///
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
/// let space = Serial::new();
/// let mut y = View::<f64, 1>::zeros("y", [1])?;
/// parallel_for("smooth", space.team(1, AUTO).scratch(2 * 8 * 8, 0), &mut y, |team, mut y| {
///     let ends = team.with_scratch_mut([2, 8], |[_, j]| (j * j) as f64, |team, mut s| {
///         for step in 0..4 {
///             let (old, new) = (step % 2, 1 - step % 2);
///             s.write(team, [new..new + 1, 1..7], |[_, j], element, rest| {
///                 *element = (rest[[old, j - 1]] + rest[[old, j + 1]]) / 2.0;
///             });
///         }
///         s[[0, 0]] + s[[0, 7]]
///     });
///     team.single(|w| y[w] = ends);
/// })?;
/// assert_eq!(y[0], 49.0);
/// # Ok::<(), spelt_core::Error>(())
/// ```
///
/// If a body panics and the kernel catches the panic, the array has no elements from then on, because other threads may still write them.
pub struct ScratchView<'k, 's, T, const R: usize> {
    pub(super) part: Part<T, R>,
    /// The bytes of the team's scratch that were in use before. Of two arrays in use that have the same number, all but one are without
    /// elements, or their elements are without bytes.
    pub(super) before: usize,
    team: Brand<'k>,
    /// Of the call that made the array, so that two arrays cannot change places.
    call: Brand<'s>,
}

/// Invariant in `'b`.
type Brand<'b> = PhantomData<fn(&'b ()) -> &'b ()>;

/// The place of an array.
pub(super) struct Part<T, const R: usize> {
    pub(super) start: *mut T,
    pub(super) extents: [usize; R],
}

impl<T, const R: usize> Clone for Part<T, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const R: usize> Copy for Part<T, R> {}
impl<T, const R: usize> fmt::Debug for ScratchView<'_, '_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScratchView").field("extents", &self.part.extents).finish_non_exhaustive()
    }
}

impl<T, const R: usize> Part<T, R> {
    /// The place of an element; `index` is within the extents.
    #[inline(always)]
    pub(super) fn place(&self, index: [usize; R]) -> *mut T {
        let offset = (0..R).fold(0, |offset, d| offset * self.extents[d] + index[d]);
        self.start.wrapping_add(offset)
    }

    #[inline(always)]
    pub(super) fn contains(&self, index: &[usize; R]) -> bool {
        (0..R).all(|d| index[d] < self.extents[d])
    }

    /// The elements of an index of the first dimension.
    #[inline(always)]
    pub(super) fn row_len(&self) -> usize {
        self.extents[1..].iter().product()
    }

    /// The number of the box `lower..upper` of this array: different boxes have different numbers.
    #[inline(always)]
    pub(super) fn number(&self, lower: &[usize; R], upper: &[usize; R]) -> u64 {
        (0..R).fold(0, |number, d| {
            let digits = self.extents[d] as u64 + 1;
            (number * digits + lower[d] as u64) * digits + upper[d] as u64
        })
    }
}

/// Whether 64 bits suffice to give each box of an array its own number.
#[inline(always)]
fn is_numbered<const R: usize>(extents: &[usize; R]) -> bool {
    let digits = |extent: usize| (extent as u64).checked_add(1);
    let total = extents
        .iter()
        .try_fold(1_u64, |total, &extent| total.checked_mul(digits(extent)?)?.checked_mul(digits(extent)?));
    total.is_some()
}

impl<'k, V, K> Team<'k, V, K> {
    /// Fills scratch memory of the team with `fill(index)`, distributed over its threads, and passes it to `body` on all threads as an
    /// array that loops of the team write; it is free again when `body` returns.
    ///
    /// It takes as many bytes of the policy's scratch per team as its elements have. Within `body` the team may loop, reduce, and take
    /// more scratch.
    ///
    /// # Panics
    /// If the policy's scratch per team is too small; if the team's threads do not all make this call with the same extents; if the extents
    /// have more boxes than 64 bits can number, or `T` is aligned to more than 128 bytes.
    ///
    /// # Examples
    /// The product of tiles, read from scratch:
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for};
    /// let space = Serial::new();
    /// let a = View::from_fn("a", [4, 4], |[i, j]| (i + j) as f64)?;
    /// let mut y = View::<f64, 2>::zeros("y", [1, 16])?;
    /// parallel_for("square", space.team(1, AUTO).scratch(16 * 8, 0), (a.lookup(), &mut y), |team, (a, mut y)| {
    ///     team.with_scratch_mut([4, 4], |_| 0.0, |team, mut s| {
    ///         s.write(team, [4, 4], |[i, j], element, _| *element = a[[i, j]]);
    ///         team.parallel_for(team.thread_range(16), |w| {
    ///             let (i, j) = (w.inner() / 4, w.inner() % 4);
    ///             y[w] = (0..4).map(|k| s[[i, k]] * s[[k, j]]).sum();
    ///         });
    ///     });
    /// })?;
    /// assert_eq!(y[[0, 5]], 1.0 + 4.0 + 9.0 + 16.0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn with_scratch_mut<T: Element, const R: usize, O>(
        &mut self,
        extents: [usize; R],
        mut fill: impl FnMut([usize; R]) -> T,
        body: impl for<'s> FnOnce(&mut Self, ScratchView<'k, 's, T, R>) -> O,
    ) -> O {
        const { assert!(R >= 1 && R <= 3, "the rank of scratch is 1 to 3") };
        let Some(len) = checked_len(&extents).filter(|_| is_numbered(&extents)) else { too_large(&extents) };
        let before = self.scratch_in_use();
        // Two extents and the length, which is also compared, determine the third.
        let shape = extents.iter().take(2).fold(0, |shape, &extent| shape << 32 | extent as u64);
        self.meet_in_scratch::<T>("with_scratch_mut", len, [before as u64, shape]);
        let fill = |k: usize| fill(Boxed::new([0; R], extents, k).index);
        self.with_filled_scratch(len, fill, |team, start| {
            body(
                team,
                ScratchView { part: Part { start, extents }, before, team: PhantomData, call: PhantomData },
            )
        })
    }

    /// Meets the other threads of the team, if there are any; all of them give the same numbers.
    #[inline(always)]
    #[track_caller]
    pub(super) fn meet_in_scratch<T: 'static>(
        &mut self,
        kind: &'static str,
        length: usize,
        numbers: [u64; 2],
    ) {
        match &mut self.mode {
            Mode::Alone(_) => {}
            Mode::Gang(gang) => {
                gang.meet.meet(Collective::new::<T>(kind, length as u64).in_scratch(numbers));
            }
            #[cfg(feature = "cuda")]
            Mode::Device(member) => member.meet_with(Call::new::<T>(kind, length as u64), numbers),
        }
    }
}

impl<'k, T: Element, const R: usize> ScratchView<'k, '_, T, R> {
    /// The number of elements in a dimension.
    ///
    /// # Panics
    /// If there is no such dimension.
    #[inline(always)]
    pub fn extent(&self, dimension: usize) -> usize {
        self.part.extents[dimension]
    }

    /// All elements; the last index varies fastest.
    #[inline(always)]
    pub fn as_slice(&self) -> &[T] {
        let len = self.part.extents.iter().product();
        // SAFETY: the array has these elements, all filled, and no thread of the team writes them while `self` is borrowed: a loop
        // over this array borrows it mutably on every thread, and the threads meet at both ends.
        unsafe { core::slice::from_raw_parts(self.part.start, len) }
    }

    /// The elements `[i, ..]`: a row of a matrix, a plane of rank 3.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline(always)]
    #[track_caller]
    pub fn row(&self, i: usize) -> &[T] {
        if i >= self.part.extents[0] {
            outside(&[i], &self.part.extents[..1]);
        }
        let len = self.part.row_len();
        // SAFETY: the array has row `i`, whose elements are filled, and no thread of the team writes them while `self` is borrowed: a
        // loop over this array borrows it mutably on every thread, and the threads meet at both ends.
        unsafe { core::slice::from_raw_parts(self.part.start.wrapping_add(i * len), len) }
    }
}

impl<T: Element, const R: usize> Index<[usize; R]> for ScratchView<'_, '_, T, R> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: [usize; R]) -> &T {
        if !self.part.contains(&index) {
            outside(&index, &self.part.extents);
        }
        // SAFETY: the element is within the array, is filled, and no thread of the team writes it while `self` is borrowed: a loop over
        // this array borrows it mutably on every thread, and the threads meet at both ends.
        unsafe { &*self.part.place(index) }
    }
}

impl<T: Element> Index<usize> for ScratchView<'_, '_, T, 1> {
    type Output = T;
    #[inline(always)]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        &self[[index]]
    }
}

/// The way out of `s[j] = ..`, in the error of the compiler.
const WRITE_BY_LOOPS: &str = "an index does not write scratch, as every thread of the team would write it: use the loop \
                              `s.write(team, ranges, |index, element, rest| *element = ..)`, `s.write_rows` or `s.write_pairs`";

/// Does not compile for any type of elements, and so only where a program indexes scratch to write it: an optimised build evaluates
/// constants that depend on no type in every program.
const fn write_by_loops<T>() {
    assert!(size_of::<T>() > isize::MAX as usize, "{}", WRITE_BY_LOOPS);
}

/// Does not compile: loops write scratch, [`write`](ScratchView::write) and the like, which own the elements that they write.
///
/// The implementation exists for its error, which a build shows where `s[j]` is written: without it, the compiler would ask for one.
///
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, parallel_for};
/// parallel_for("k", Serial::new().team(4, AUTO).scratch(128, 0), (), |team, ()| {
///     team.with_scratch_mut([4], |_| 0, |team, mut s| s.write(team, 3..4, |_, element, _| *element = 1));
/// })?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
/// ```compile_fail,E0080
/// use spelt_core::{AUTO, ExecutionSpace, Serial, parallel_for};
/// parallel_for("k", Serial::new().team(4, AUTO).scratch(128, 0), (), |team, ()| {
///     team.with_scratch_mut([4], |_| 0, |team, mut s| s[3] = 1);
/// })?;
/// # Ok::<(), spelt_core::Error>(())
/// ```
impl<T: Element, const R: usize> IndexMut<[usize; R]> for ScratchView<'_, '_, T, R> {
    fn index_mut(&mut self, _index: [usize; R]) -> &mut T {
        const { write_by_loops::<T>() };
        unreachable!("it does not compile")
    }
}

/// As for `[usize; R]`.
impl<T: Element> IndexMut<usize> for ScratchView<'_, '_, T, 1> {
    fn index_mut(&mut self, _index: usize) -> &mut T {
        const { write_by_loops::<T>() };
        unreachable!("it does not compile")
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn outside(index: &[usize], extents: &[usize]) -> ! {
    if on_device() {
        panic!("the index is beyond the extents of scratch");
    }
    panic!("the index {index:?} is beyond the extents {extents:?} of scratch")
}

#[cold]
#[inline(never)]
#[track_caller]
fn too_large(extents: &[usize]) -> ! {
    if on_device() {
        panic!("scratch of these extents has more boxes than can be numbered: use several arrays");
    }
    panic!("scratch of extents {extents:?} has more boxes than can be numbered: use several arrays")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Part, WRITE_BY_LOOPS, is_numbered};

    #[test]
    fn the_error_of_an_index_that_writes_names_the_loops() {
        for way in ["s.write(team, ", "s.write_rows", "s.write_pairs"] {
            assert!(WRITE_BY_LOOPS.contains(way), "{way}");
        }
    }

    #[test]
    fn boxes_have_numbers_of_their_own() {
        let part = Part { start: core::ptr::null_mut::<u8>(), extents: [2, 3, 1] };
        let mut seen = HashSet::new();
        for lower in boxes() {
            for upper in boxes() {
                assert!(seen.insert(part.number(&lower, &upper)));
            }
        }
        assert_eq!(seen.len(), 12 * 12 * 4);
        assert!(is_numbered(&[1 << 31]) && !is_numbered(&[1 << 32]) && !is_numbered(&[1 << 20, 1 << 12]));
        assert!(!is_numbered(&[0, usize::MAX]));
    }

    /// All corners of the boxes of an array of extents 2, 3 and 1.
    fn boxes() -> Vec<[usize; 3]> {
        (0..24).map(|k| [k / 8, k / 2 % 4, k % 2]).collect()
    }
}
