//! Copies between Views.

use spelt_access::{Element, Layout, MAX_RANK, RawView};

use super::memory_space::{CopyStream, HostAccessible, HostSpace, MemorySpace};
use super::{ReadView, View, ViewMut, ViewRef, WriteView};
use crate::device::{FOR_KERNELS_ALONE, left_out};
use crate::isa::{self, Work};
use crate::tools::{self, BegunCopy, BegunFill, CopyEvent, FillEvent};
use crate::{Error, ErrorKind, Result};

/// Side of the square blocks of a copy that changes which index runs fastest. Unit: bytes. Source: one cache line;
/// measured against 128 and 256 on a 2-core Xeon, transposing 512 to 4096 squared f64: fastest or equal throughout.
const BLOCK_BYTES: usize = 64;

/// Shorter rows gain nothing from wider vectors. Unit: bytes. Source: half a page, which two vectors of 16 bytes in each cycle fill in
/// 64 cycles.
const LONG_ROW: usize = 2048;

/// A memory space to which data can be copied from the space `S`.
///
/// Every space can be copied to from the host and from itself, and the host from every space: generic code needs no bound
/// for these copies.
///
/// # Examples
/// ```
/// use spelt_core::{CopyFrom, HostSpace, MemorySpace, View, deep_copy};
/// fn copied<M: MemorySpace + CopyFrom<HostSpace>>(to: &mut View<i32, 1, M>, from: &View<i32, 1>) -> spelt_core::Result<()> {
///     deep_copy(to, from)
/// }
/// let (mut to, from) = (View::zeros("to", [2])?, View::from_vec("from", [2], vec![1, 2])?);
/// copied(&mut to, &from)?;
/// assert_eq!(to, from);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "there is no way to copy from `{S}` to `{Self}`")]
pub trait CopyFrom<S> {
    /// Copies all elements, for [`deep_copy`]. On a device the work runs on `stream`, if that is one of this device.
    ///
    /// # Errors
    /// [`ErrorKind::Extents`] if the extents differ; any error that the device reports.
    #[doc(hidden)]
    fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, Self, L1>,
        from: ViewRef<'_, T, R, S, L2>,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()>
    where
        Self: MemorySpace,
        S: MemorySpace;
}

impl<M: MemorySpace> CopyFrom<M> for HostSpace {
    fn copy_elements<T: Element, const R: usize, L1: Layout, L2: Layout>(
        to: ViewMut<'_, T, R, Self, L1>,
        from: ViewRef<'_, T, R, M, L2>,
        stream: Option<CopyStream<'_>>,
    ) -> Result<()> {
        M::copy_to_host(to, from, stream)
    }
}

/// Copies every element of `from` to the same index of `to`, regardless of the layouts.
///
/// Both may be Views, subviews or borrowed slices. They cannot overlap, because the destination is borrowed
/// exclusively. The calling thread copies memory that the host reaches;
/// [`space.deep_copy`](crate::ExecutionSpace::deep_copy) takes all threads of a space.
///
/// A copy from a device, or within one, is work of the instance that last wrote the source; a copy from the host to a device, of the instance
/// that last wrote the target. So it begins after all that this instance has launched. For a copy beside its kernels, call
/// [`space.deep_copy`](crate::ExecutionSpace::deep_copy) of another instance.
///
/// # Errors
/// [`ErrorKind::Extents`] if the extents differ; nothing is copied then.
///
/// # Complexity
/// O(len); `size_bytes` bytes are read and as many written. Equal dense layouts need one `memcpy`; if the layouts
/// differ in the fastest index, square blocks are copied so that both sides use whole cache lines.
///
/// # Examples
/// ```
/// use spelt_core::{Left, View, deep_copy, subview::All};
/// let a = View::from_fn("a", [2, 3], |[i, j]| 10 * i + j)?;
/// let mut b = View::<usize, 2, _, _>::zeros_in(Left, "b", [2, 3])?;
/// deep_copy(&mut b, &a)?;
/// assert_eq!(b.as_slice(), Some(&[0, 10, 1, 11, 2, 12][..]));
/// let mut row = [0; 3];
/// deep_copy(&mut spelt_core::ViewMut::from(&mut row[..]), &b.subview((1, All)))?;
/// assert_eq!(row, [10, 11, 12]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn deep_copy<T, const R: usize, M1, M2, L1, L2>(
    to: &mut impl WriteView<T, R, M1, L1>,
    from: &impl ReadView<T, R, M2, L2>,
) -> Result<()>
where
    T: Element,
    M1: MemorySpace + CopyFrom<M2>,
    M2: MemorySpace,
    L1: Layout,
    L2: Layout,
{
    copy_all(to.write(), from.read(), None)
}

/// Copies all elements, and tells the tools of the copy.
pub(crate) fn copy_all<T, const R: usize, M1, M2, L1, L2>(
    to: ViewMut<'_, T, R, M1, L1>,
    from: ViewRef<'_, T, R, M2, L2>,
    stream: Option<CopyStream<'_>>,
) -> Result<()>
where
    T: Element,
    M1: MemorySpace + CopyFrom<M2>,
    M2: MemorySpace,
    L1: Layout,
    L2: Layout,
{
    if FOR_KERNELS_ALONE {
        return left_out();
    }
    let _begun = begin_copy(&to, &from);
    M1::copy_elements(to, from, stream)
}

/// Tells the tools that a copy begins, if there are any; it ends where the result is dropped.
pub(crate) fn begin_copy<T, const R: usize, M1, M2, L1, L2>(
    to: &ViewMut<'_, T, R, M1, L1>,
    from: &ViewRef<'_, T, R, M2, L2>,
) -> Option<BegunCopy>
where
    T: Element,
    M1: MemorySpace,
    M2: MemorySpace,
    L1: Layout,
    L2: Layout,
{
    tools::is_heard().then(|| {
        tools::begin_copy(CopyEvent {
            to_label: to.label(),
            to_memory: M1::NAME,
            to_address: to.raw().pointer().addr(),
            from_label: from.label(),
            from_memory: M2::NAME,
            from_address: from.raw().pointer().addr(),
            bytes: (from.len() as u64).saturating_mul(size_of::<T>() as u64),
        })
    })
}

/// Tells the tools that a View is filled, if there are any; it ends where the result is dropped.
pub(crate) fn filling<T, const R: usize, M, L>(
    view: &ViewRef<'_, T, R, M, L>,
    is_new: bool,
) -> Option<BegunFill>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    tools::is_heard().then(|| {
        let bytes = (view.len() as u64).saturating_mul(size_of::<T>() as u64);
        let (label, memory, address) = (view.label(), M::NAME, view.raw().pointer().addr());
        tools::begin_fill(FillEvent { label, memory, address, bytes, is_new })
    })
}

/// Checks that two Views have equal extents, on which all copies rely.
pub(crate) fn check_extents<T, const R: usize, M1, M2, L1, L2>(
    to: &ViewMut<'_, T, R, M1, L1>,
    from: &ViewRef<'_, T, R, M2, L2>,
) -> Result<()>
where
    T: Element,
    M1: MemorySpace,
    M2: MemorySpace,
    L1: Layout,
    L2: Layout,
{
    if to.extents() == from.extents() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Extents,
        format!(
            "view `{}` of extents {:?} cannot be copied to view `{}` of extents {:?}: they must be equal",
            from.label(),
            from.extents(),
            to.label(),
            to.extents()
        ),
    ))
}

/// Copies between memory spaces that the host reaches.
///
/// # Errors
/// [`ErrorKind::Extents`] if the extents differ.
pub(crate) fn copy_on_host<T, const R: usize, M1, M2, L1, L2>(
    mut to: ViewMut<'_, T, R, M1, L1>,
    from: ViewRef<'_, T, R, M2, L2>,
) -> Result<()>
where
    T: Element,
    M1: HostAccessible,
    M2: HostAccessible,
    L1: Layout,
    L2: Layout,
{
    check_extents(&to, &from)?;
    // SAFETY: the elements are initialised, and `to` is borrowed exclusively, so the memory of the two is disjoint; the host may
    // touch both for as long as the borrows last, as no work of a device on such memory outlives the call that started it.
    unsafe { copy_raw(to.raw_mut(), from.raw()) };
    Ok(())
}

/// Sets every element of a View to `value`, in any memory space: the scalar form of [`deep_copy`].
///
/// On the host it is the same as `fill`; [`space.fill`](crate::ExecutionSpace::fill) takes all threads of a space.
///
/// # Errors
/// Any error that a device reports; none on the host.
///
/// # Complexity
/// O(len); `size_bytes` bytes are written.
///
/// # Examples
/// ```
/// let mut v = spelt_core::View::<f64, 1>::zeros("v", [2])?;
/// spelt_core::deep_copy_scalar(&mut v, 1.5)?;
/// assert_eq!(v.to_vec(), [1.5, 1.5]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn deep_copy_scalar<T, const R: usize, M, L>(to: &mut impl WriteView<T, R, M, L>, value: T) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    let to = to.write();
    let _fill = filling(&to.view(), false);
    M::fill_elements(to, value, None)
}

/// Copies the elements at the indices that both Views have (all of them if the extents are equal).
///
/// # Safety
/// Both are host memory: `from`'s elements in the common box are initialised, `to`'s may be written, and no place of
/// one is a place of the other.
pub(crate) unsafe fn copy_raw<T: Element, const R: usize, L1: Layout, L2: Layout>(
    to: RawView<T, R, L1>,
    from: RawView<T, R, L2>,
) {
    let extents: [usize; R] = core::array::from_fn(|d| to.extents()[d].min(from.extents()[d]));
    if extents.contains(&0) || size_of::<T>() == 0 {
        return;
    }
    let (lines, count) = merged(extents, to.strides(), from.strides());
    // SAFETY: each offset is that of an index in the common box, in both Views.
    unsafe { copy_lines(to.pointer(), from.pointer(), &lines[..count]) }
}

/// Owned copies, the same for all three kinds of View.
macro_rules! copies {
    () => {
        /// A copy that owns its memory on the host, dense, in the same layout and under the same label.
        ///
        /// It is Kokkos's `create_mirror_view_and_copy`, except that it always copies: if the host can access the
        /// memory, [`view`](Self::view) is a mirror at no cost.
        ///
        /// # Errors
        /// [`ErrorKind::OutOfMemory`] if there is not enough memory.
        ///
        /// # Complexity
        /// O(len); `size_bytes` bytes are read and as many written.
        ///
        /// # Examples
        /// ```
        /// use spelt_core::View;
        /// let a = View::from_fn("a", [4], |[i]| i)?;
        /// let b = a.subview(1..3).to_host()?;
        /// assert_eq!(b.as_slice(), Some(&[1, 2][..]));
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        pub fn to_host(&self) -> Result<View<T, R, HostSpace, L>> {
            self.to_layout(L::default())
        }

        /// A copy that owns its memory on the host in the layout `K`, under the same label.
        ///
        /// # Errors
        /// As [`to_host`](Self::to_host).
        ///
        /// # Complexity
        /// As [`to_host`](Self::to_host).
        ///
        /// # Examples
        /// ```
        /// use spelt_core::{Left, View};
        /// let right = View::from_fn("v", [2, 2], |[i, j]| 10 * i + j)?;
        /// let left = right.to_layout(Left)?;
        /// assert_eq!(left.as_slice(), Some(&[0, 10, 1, 11][..]));
        /// assert_eq!(left.to_vec(), right.to_vec());
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        pub fn to_layout<K: Layout>(&self, _layout: K) -> Result<View<T, R, HostSpace, K>> {
            // SAFETY: every element is copied before the View is returned; on an error it is dropped unread.
            let mut copy = unsafe { View::<T, R, HostSpace, K>::uninit(self.label(), self.extents())? };
            $crate::view::copy_all(copy.view_mut(), self.view(), None)?;
            Ok(copy)
        }

        /// A View on the host with the same extents, layout and label, all zero: Kokkos's `create_mirror`.
        ///
        /// # Errors
        /// As [`to_host`](Self::to_host).
        ///
        /// # Examples
        /// ```
        /// let v = spelt_core::View::from_fn("v", [2, 3], |[i, j]| i + j)?;
        /// let mirror = v.host_mirror()?;
        /// assert_eq!((mirror.label(), mirror.extents()), ("v", [2, 3]));
        /// assert!(mirror.iter().all(|&element| element == 0));
        /// # Ok::<(), spelt_core::Error>(())
        /// ```
        pub fn host_mirror(&self) -> Result<View<T, R, HostSpace, L>> {
            View::<T, R, HostSpace, L>::zeros_in(L::default(), self.label(), self.extents())
        }
    };
}

/// One loop of a copy: the number of steps, and the stride on either side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loop {
    pub(crate) count: usize,
    pub(crate) to: usize,
    pub(crate) from: usize,
}

/// The loops over these extents, the destination's largest stride first, with loops that continue each other merged.
pub(crate) fn merged<const R: usize>(
    extents: [usize; R],
    to: [usize; R],
    from: [usize; R],
) -> ([Loop; MAX_RANK], usize) {
    let mut loops = [Loop::default(); MAX_RANK];
    let mut count = 0;
    for dimension in 0..R {
        if extents[dimension] > 1 {
            loops[count] = Loop { count: extents[dimension], to: to[dimension], from: from[dimension] };
            count += 1;
        }
    }
    loops[..count].sort_by_key(|line| core::cmp::Reverse(line.to));
    let mut kept = 0;
    for at in 0..count {
        let line = loops[at];
        let outer = loops[kept.max(1) - 1];
        let continues = kept > 0
            && outer.to == line.to.wrapping_mul(line.count)
            && outer.from == line.from.wrapping_mul(line.count);
        if continues {
            loops[kept - 1] = Loop { count: outer.count * line.count, ..line };
        } else {
            loops[kept] = line;
            kept += 1;
        }
    }
    (loops, kept)
}

/// Runs the loops, which end with the one of the destination's smallest stride.
///
/// # Safety
/// Every offset that the loops reach is that of an element, initialised at `from` and writable at `to`, and the two
/// memories are disjoint.
pub(crate) unsafe fn copy_lines<T: Copy>(to: *mut T, from: *const T, loops: &[Loop]) {
    match *loops {
        // SAFETY: rank 0, or extents of 1: the first element is all.
        [] => unsafe { to.write(from.read()) },
        // SAFETY: the loop reaches `count` neighbours on both sides, which are elements of disjoint memories.
        [line] if line.to == 1 && line.from == 1 => unsafe { to.copy_from_nonoverlapping(from, line.count) },
        [line] => {
            for step in 0..line.count {
                // SAFETY: the step is below the loop's count, so both offsets are ones that the loops reach.
                unsafe { to.add(step * line.to).write(from.add(step * line.from).read()) }
            }
        }
        _ => {
            let last = loops.len() - 1;
            let fast = (0..=last).min_by_key(|&at| (loops[at].from, last - at)).unwrap_or(last);
            if last == 1 && fast == 0 {
                // SAFETY: `loops` are these two, so `copy_blocks` reaches the same offsets.
                return unsafe { copy_blocks(to, from, loops[0], loops[1]) };
            }
            // Peel the first loop that is neither side's fastest; with two loops that agree, the outer one.
            let peel = usize::from(fast == 0);
            let mut inner = [Loop::default(); MAX_RANK];
            inner[..peel].copy_from_slice(&loops[..peel]);
            inner[peel..last].copy_from_slice(&loops[peel + 1..]);
            for step in 0..loops[peel].count {
                // SAFETY: the step is below the peeled loop's count, so the other loops' offsets from here are
                // offsets that all of them reach.
                unsafe {
                    let (to, from) = (to.add(step * loops[peel].to), from.add(step * loops[peel].from));
                    copy_lines(to, from, &inner[..last]);
                }
            }
        }
    }
}

/// Sets neighbours to `value`. Long rows take the widest vectors of the processor.
#[inline]
pub(super) fn fill_row<T: Copy>(row: &mut [T], value: T) {
    if size_of_val(row) < LONG_ROW {
        return row.fill(value);
    }
    isa::dispatch(Fill { row, value });
}

/// A fill of neighbours.
struct Fill<'a, T> {
    row: &'a mut [T],
    value: T,
}

impl<T: Copy> Work for Fill<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.row.fill(self.value);
    }
}

/// Writes `value` along loops, which end with the one of the smallest stride.
///
/// # Safety
/// Every offset that the loops reach is that of an element, which may be written.
pub(crate) unsafe fn fill_lines<T: Copy>(to: *mut T, value: T, loops: &[Loop]) {
    match *loops {
        // SAFETY: rank 0, or extents of 1: the first element is all.
        [] => unsafe { to.write(value) },
        [line] if line.to == 1 => {
            // SAFETY: the loop reaches `count` neighbours, which are elements.
            fill_row(unsafe { core::slice::from_raw_parts_mut(to, line.count) }, value);
        }
        [line] => {
            for step in 0..line.count {
                // SAFETY: the step is below the loop's count, so the offset is one that the loop reaches.
                unsafe { to.add(step * line.to).write(value) }
            }
        }
        [outer, ref inner @ ..] => {
            for step in 0..outer.count {
                // SAFETY: the step is below the loop's count, so the other loops' offsets from here are offsets that all of them
                // reach.
                unsafe { fill_lines(to.add(step * outer.to), value, inner) }
            }
        }
    }
}

/// Copies two dimensions of which the source runs fastest along `source` and the destination along `target`.
///
/// The longer one is halved until both are short: blocks fit every cache and the page table's, regardless of their sizes
/// (Frigo, Leiserson, Prokop, Ramachandran: Cache-Oblivious Algorithms, 1999).
///
/// # Safety
/// As [`copy_lines`].
unsafe fn copy_blocks<T: Copy>(to: *mut T, from: *const T, source: Loop, target: Loop) {
    let side = (BLOCK_BYTES / size_of::<T>()).max(1);
    if source.count > side || target.count > side {
        let along_source = source.count > target.count;
        let whole = if along_source { source } else { target };
        // A multiple of the side, so that blocks start where lines do.
        let half = (whole.count / 2).next_multiple_of(side).min(whole.count - 1);
        let (low, high) = (Loop { count: half, ..whole }, Loop { count: whole.count - half, ..whole });
        // SAFETY: the two halves are the caller's loops.
        return unsafe {
            let (next_to, next_from) = (to.add(half * whole.to), from.add(half * whole.from));
            if along_source {
                copy_blocks(to, from, low, target);
                copy_blocks(next_to, next_from, high, target);
            } else {
                copy_blocks(to, from, source, low);
                copy_blocks(next_to, next_from, source, high);
            }
        };
    }
    for i in 0..source.count {
        for j in 0..target.count {
            // SAFETY: `i` and `j` are below the two counts, so both offsets are ones that the loops reach.
            unsafe {
                let value = from.add(i * source.from + j * target.from).read();
                to.add(i * source.to + j * target.to).write(value);
            }
        }
    }
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> View<T, R, M, L> {
    copies!();
}
impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewRef<'a, T, R, M, L> {
    copies!();
}
impl<'a, T: Element, const R: usize, M: MemorySpace, L: Layout> ViewMut<'a, T, R, M, L> {
    copies!();
}
