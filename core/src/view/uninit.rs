//! Views that have not been written.

use core::fmt;

use spelt_access::{Element, Layout, RawView, Right};

use super::View;
use super::memory_space::{HostSpace, MemorySpace};

/// A View whose elements have not been written: Kokkos's `view_alloc(WithoutInitializing, label)`.
///
/// [`ExecutionSpace::uninit`](crate::ExecutionSpace::uninit) makes one. [`parallel_fill`](crate::parallel_fill()) turns it into a
/// [`View`]; nothing can be read before. So the memory is written once rather than twice, and on hosts its pages lie near the threads that
/// fill it. Dropping it frees the memory.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, parallel_fill};
/// let space = Serial::new();
/// let squares = space.uninit::<u64, 1>("squares", [4])?;
/// assert_eq!((squares.label(), squares.extents()), ("squares", [4]));
/// let squares = parallel_fill("square", space.range(0..4), squares, (), |i, ()| (i.get() * i.get()) as u64)?;
/// assert_eq!(squares.to_vec(), [0, 1, 4, 9]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[must_use = "dropping it frees the memory: pass it to `parallel_fill`"]
pub struct UninitView<T: Element, const R: usize, M: MemorySpace = HostSpace, L: Layout = Right> {
    /// Nothing reads its elements before `assume_init`.
    view: View<T, R, M, L>,
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> UninitView<T, R, M, L> {
    /// The View of memory whose elements may be uninitialised.
    pub(crate) fn new(view: View<T, R, M, L>) -> Self {
        Self { view }
    }

    /// The label: the View's name in messages.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().uninit::<f64, 1>("y", [3])?.label(), "y");
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn label(&self) -> &str {
        self.view.label()
    }

    /// The number of indices in each dimension.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// assert_eq!(Serial::new().uninit::<f64, 2>("y", [3, 4])?.extents(), [3, 4]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn extents(&self) -> [usize; R] {
        self.view.extents()
    }

    /// Pointer, extents and strides, for code that writes the elements by other means and then calls
    /// [`assume_init`](Self::assume_init).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let mut y = Serial::new().uninit::<f64, 2>("y", [3, 4])?;
    /// assert_eq!(y.raw_mut().strides(), [4, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[must_use]
    pub fn raw_mut(&mut self) -> RawView<T, R, L> {
        self.view.raw_mut()
    }

    /// The View, after other code has written its elements.
    ///
    /// # Safety
    /// Every element is a valid value of `T` before anything reads the View, and before the caller passes it on. On a device, the work
    /// that writes the elements has ended.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{ExecutionSpace, Serial};
    /// let mut y = Serial::new().uninit::<u32, 1>("y", [3])?;
    /// let raw = y.raw_mut();
    /// for i in 0..3 {
    ///     // SAFETY: the index is in bounds, and nothing else uses the memory.
    ///     unsafe { raw.at([i]).write(7) };
    /// }
    /// // SAFETY: the loop has written all three elements.
    /// let y = unsafe { y.assume_init() };
    /// assert_eq!(y.to_vec(), [7, 7, 7]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub unsafe fn assume_init(self) -> View<T, R, M, L> {
        self.view
    }

    /// The View inside, to describe it or to take its pointer.
    pub(crate) fn inner_mut(&mut self) -> &mut View<T, R, M, L> {
        &mut self.view
    }
}

impl<T: Element, const R: usize, L: Layout> UninitView<T, R, HostSpace, L> {
    /// Host memory for a View with these extents.
    ///
    /// # Errors
    /// As [`View::zeros`].
    pub(crate) fn allocate(label: impl Into<String>, extents: [usize; R]) -> crate::Result<Self> {
        // SAFETY: the `UninitView` lets nothing read the elements before they are written.
        Ok(Self::new(unsafe { View::uninit(label, extents)? }))
    }
}

impl<T: Element, const R: usize, M: MemorySpace, L: Layout> fmt::Debug for UninitView<T, R, M, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UninitView")
            .field("label", &self.label())
            .field("extents", &self.extents())
            .finish_non_exhaustive()
    }
}
