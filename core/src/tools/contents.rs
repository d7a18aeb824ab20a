//! The contents of the Views of a launch that has ended.

use core::fmt;

use spelt_access::{Description, Elements, Number};

use super::event::LaunchView;

/// The reason why a tool cannot look at a View.
///
/// # Examples
/// ```
/// use spelt_core::tools::Unreadable;
/// assert_eq!(Unreadable::Failed.to_string(), "the launch has failed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreadable {
    /// The launch has not ended: its kernel may write the View.
    Running,
    /// The launch has failed: a View that it was to fill may not be initialised.
    Failed,
    /// The elements are not made of numbers that are known, as enums with fields, or the View holds lines of a printer.
    Unknown,
    /// The elements could not be copied to the host.
    Memory,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "the launch has not ended",
            Self::Failed => "the launch has failed",
            Self::Unknown => "its elements are not made of numbers",
            Self::Memory => "it could not be copied to the host",
        })
    }
}

/// A copy of a View's elements on the host.
///
/// # Examples
/// ```
/// use spelt_core::tools::{Contents, Number};
/// /// The numbers of a View of `f64`.
/// fn doubles(contents: &Contents) -> Option<Vec<f64>> {
///     if contents.numbers != [Number::F64] {
///         return None;
///     }
///     let (bytes, _) = contents.bytes.as_chunks();
///     Some(bytes.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect())
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The extents.
    pub extents: Vec<usize>,
    /// The first index in each dimension: 0, except of a View with an origin.
    pub origin: Vec<isize>,
    /// The numbers that each element consists of, in the order of its fields.
    pub numbers: Vec<Number>,
    /// The bytes of the numbers of all elements, without padding, in the order of the indices: the last one runs fastest, whatever the
    /// layout is.
    pub bytes: Vec<u8>,
}

impl LaunchView<'_> {
    /// A copy of the elements after the launch, from any memory space: for [`end_launch`](super::Tool::end_launch).
    ///
    /// On a device it waits for the launch.
    ///
    /// # Errors
    /// If the launch has not ended or has failed, the elements are not made of numbers, or they cannot be copied to the host.
    ///
    /// # Complexity
    /// One pass over the View, and memory for all of its numbers.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Mutex;
    /// use spelt_core::{ExecutionSpace, Serial, View, parallel_for};
    /// use spelt_core::tools::{self, LaunchEvent, Tool};
    ///
    /// static WRITTEN: Mutex<Vec<u8>> = Mutex::new(Vec::new());
    /// struct Written;
    /// impl Tool for Written {
    ///     fn end_launch(&self, launch: &LaunchEvent<'_>, _: u64) {
    ///         launch.for_each_view(|view| {
    ///             if let (true, Ok(contents)) = (view.is_written, view.contents()) {
    ///                 *WRITTEN.lock().unwrap() = contents.bytes;
    ///             }
    ///         });
    ///     }
    /// }
    ///
    /// tools::install("written", Written);
    /// let mut x = View::<u8, 1>::zeros("x", [3])?;
    /// parallel_for("count", Serial::new().range(0..3), &mut x, |i, mut x| x[i] = i.get() as u8)?;
    /// assert_eq!(*WRITTEN.lock().unwrap(), [0, 1, 2]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn contents(&self) -> Result<Contents, Unreadable> {
        let numbers = self.numbers()?;
        let mut bytes = Vec::new();
        self.read(|slice| bytes.extend_from_slice(slice))?;
        Ok(Contents { extents: self.extents().to_vec(), origin: self.origin(), numbers, bytes })
    }

    /// Whether there is nothing to compare: it is a name only, or has the lines of a printer.
    pub(super) fn has_no_contents(&self) -> bool {
        self.description.elements.is_none()
    }

    /// The extents.
    pub(super) fn extents(&self) -> &[usize] {
        &self.description.extents[..self.description.rank]
    }

    /// The first index in each dimension.
    pub(super) fn origin(&self) -> Vec<isize> {
        let Description { rank, origin, .. } = self.description;
        origin.map_or_else(|| vec![0; rank], |origin| origin[..rank].to_vec())
    }

    /// The numbers of an element.
    pub(super) fn numbers(&self) -> Result<Vec<Number>, Unreadable> {
        let elements = self.elements()?;
        let mut numbers = Vec::new();
        if !(elements.numbers)(&mut |_, number| numbers.push(number)) {
            return Err(Unreadable::Unknown);
        }
        Ok(numbers)
    }

    /// Calls `visit` with the bytes of all elements, as in [`Contents::bytes`], some whole elements at a time.
    pub(super) fn read(&self, mut visit: impl FnMut(&[u8])) -> Result<(), Unreadable> {
        let elements = self.elements()?;
        if !(elements.numbers)(&mut |_, _| {}) {
            return Err(Unreadable::Unknown);
        }
        // SAFETY: the argument's description gives the way to the elements, so it borrows the View, exclusively if the kernel writes it.
        // The borrow outlives the event. The launch has ended, so its kernel writes no more, and it has succeeded, so that the elements are
        // initialised, also those of a View that it was to fill. Work of a device that still runs is waited for by the copy.
        if unsafe { (elements.read)(&self.description, &mut visit) } {
            Ok(())
        } else {
            Err(Unreadable::Memory)
        }
    }

    /// The way to the elements, where a tool may take it.
    fn elements(&self) -> Result<&'static Elements, Unreadable> {
        match self.description.elements {
            _ if self.outcome.is_none() => Err(Unreadable::Running),
            _ if self.outcome == Some(false) => Err(Unreadable::Failed),
            None => Err(Unreadable::Unknown),
            Some(elements) => Ok(elements),
        }
    }
}
