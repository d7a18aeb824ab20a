//! Offsets of segments, checked once.

use spelt_access::RawSegments;

use super::memory_space::{HostSpace, MemorySpace};
use super::{View, ViewRef};
use crate::{Error, ErrorKind, Result};

/// The offsets of segments: segment `s` has the indices from offset `s` to before offset `s + 1`, and may have none.
///
/// There is one more offset than segments, and no offset is below the one before it: the row map of a sparse matrix, Kokkos's
/// `StaticCrsGraph::row_map`. They are checked once, here, and cannot change afterwards, so launches over
/// [`by_segments`](View::by_segments) and [`by_segments_mut`](View::by_segments_mut) only compare the last one with the View.
/// To change them, take the View back and check it again. Functions that read a View, such as [`deep_copy`](crate::deep_copy()), read
/// them as one.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Offsets, Serial, View, parallel_for};
/// let space = Serial::new();
/// let offsets = Offsets::new(View::from_vec("offsets", [4], vec![0, 1, 4, 4])?)?;
/// let mut y = View::from_vec("y", [4], vec![7, 3, 1, 2])?;
/// let segments = space.range(0..offsets.segments());
/// parallel_for("sort segments", segments, y.by_segments_mut(&offsets), |s, mut y| y[s].sort_unstable())?;
/// assert_eq!(y.to_vec(), [7, 1, 2, 3]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Offsets<M: MemorySpace = HostSpace> {
    /// Read only, so the checks hold as long as this lives.
    view: View<usize, 1, M>,
    end: usize,
    /// As far as a check has found it.
    shape: Option<SegmentShape>,
}

/// The findings of a check of offsets, besides their order.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentShape {
    /// The first offset, or 0 if there are none.
    pub first: usize,
    /// The last one, or 0 if there are none.
    pub end: usize,
    /// The number of indices in the longest segment.
    pub longest: usize,
}

impl<M: MemorySpace> Offsets<M> {
    /// Checks `offsets`, in the memory of any space. An empty View has no segments.
    ///
    /// # Errors
    /// [`ErrorKind::Format`] if an offset is below the one before it; for offsets that the host cannot access, the errors of
    /// [`to_host`](View::to_host).
    ///
    /// # Complexity
    /// Work O(segments) on the calling thread; offsets in the memory of a device are copied to the host once.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ErrorKind, Offsets, View};
    /// let falling = View::from_vec("offsets", [4], vec![0, 5, 2, 7])?;
    /// assert_eq!(Offsets::new(falling).unwrap_err().kind(), ErrorKind::Format);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn new(offsets: View<usize, 1, M>) -> Result<Self> {
        let shape = if const { M::HOST_ACCESSIBLE } {
            // SAFETY: the host may access this memory; an owned View of rank 1 is contiguous, and borrowed here.
            let slice = unsafe { core::slice::from_raw_parts(offsets.raw().pointer(), offsets.len()) };
            shape(offsets.label(), slice)?
        } else {
            let copy = offsets.to_host()?;
            shape(offsets.label(), copy.as_slice().unwrap_or_default())?
        };
        Ok(Self { view: offsets, end: shape.end, shape: Some(shape) })
    }

    /// Takes `offsets` without a check: for code that has computed them, such as sums of counts, in memory that the host does not reach.
    ///
    /// # Safety
    /// No offset is below the one before it, and `end` is the last one, or 0 if there are none. On a device, work that is still writing
    /// them counts as done: later uses of the View wait for it.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Offsets, View};
    /// let sums = View::from_fn("offsets", [4], |[s]| s * (s + 1) / 2)?;
    /// // SAFETY: triangular numbers ascend, and the last one is 6.
    /// let offsets = unsafe { Offsets::new_unchecked(sums, 6) };
    /// assert_eq!((offsets.segments(), offsets.end()), (3, 6));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub unsafe fn new_unchecked(offsets: View<usize, 1, M>, end: usize) -> Self {
        Self { view: offsets, end, shape: None }
    }

    /// The findings of the check, if there was one.
    #[inline]
    pub(crate) fn shape(&self) -> Option<SegmentShape> {
        self.shape
    }

    /// The number of segments: one less than the number of offsets, or 0.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Offsets, View};
    /// assert_eq!(Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?.segments(), 2);
    /// assert_eq!(Offsets::new(View::from_vec("none", [0], vec![])?)?.segments(), 0);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn segments(&self) -> usize {
        self.view.len().saturating_sub(1)
    }

    /// The last offset, or 0 if there are none: a View of at least this extent contains all segments.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Offsets, View};
    /// assert_eq!(Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?.end(), 4);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn end(&self) -> usize {
        self.end
    }

    /// The offsets, to read.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Offsets, View};
    /// let offsets = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?;
    /// assert_eq!(offsets.view().to_vec(), [0, 1, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn view(&self) -> ViewRef<'_, usize, 1, M> {
        self.view.view()
    }

    /// The View of the offsets, which may then be changed.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Offsets, View};
    /// let mut view = Offsets::new(View::from_vec("offsets", [3], vec![0, 1, 4])?)?.into_view();
    /// view[1] = 2;
    /// assert_eq!(Offsets::new(view)?.view().to_vec(), [0, 2, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn into_view(self) -> View<usize, 1, M> {
        self.view
    }

    /// The segments of a View of this extent: none if the offsets end beyond it.
    #[inline]
    pub(crate) fn segments_of(&self, extent: usize) -> RawSegments {
        let count = if self.end <= extent { self.segments() } else { 0 };
        // SAFETY: there are `segments + 1` offsets, or none, checked by `new`; nothing writes them while `self` is borrowed, and the
        // segments are used only then.
        unsafe { RawSegments::new(self.view.raw().pointer(), count) }
    }
}

/// The shape of offsets that do not decrease.
///
/// # Errors
/// If they decrease.
fn shape(label: &str, offsets: &[usize]) -> Result<SegmentShape> {
    if offsets.is_sorted() {
        let longest = offsets.windows(2).map(|pair| pair[1] - pair[0]).max();
        return Ok(SegmentShape {
            first: offsets.first().copied().unwrap_or(0),
            end: offsets.last().copied().unwrap_or(0),
            longest: longest.unwrap_or(0),
        });
    }
    let first = offsets.windows(2).position(|pair| pair[0] > pair[1]).unwrap_or(0);
    Err(Error::new(
        ErrorKind::Format,
        format!(
            "offsets in view `{label}`: offset {} at position {} is below offset {} at position {first}: offsets must not \
             decrease",
            offsets[first + 1],
            first + 1,
            offsets[first]
        ),
    ))
}
