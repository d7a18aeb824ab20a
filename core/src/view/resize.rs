//! Other extents for a View that owns host memory.

use spelt_access::{Element, Layout};

use super::View;
use super::copy::copy_raw;
use super::memory_space::HostSpace;
use crate::Result;

impl<T: Element, const R: usize, L: Layout> View<T, R, HostSpace, L> {
    /// Changes the extents and keeps the elements at indices that both have; new ones are zero.
    ///
    /// Equal extents change nothing. The label stays.
    ///
    /// # Errors
    /// As [`View::zeros`]; the View is unchanged then.
    ///
    /// # Complexity
    /// O(old and new len); for a while both memories are held.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut v = View::from_fn("v", [2, 2], |[i, j]| 1 + 10 * i + j)?;
    /// v.resize([3, 1])?;
    /// assert_eq!(v.to_vec(), [1, 11, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn resize(&mut self, extents: [usize; R]) -> Result<()> {
        if extents == self.extents() {
            return Ok(());
        }
        let mut resized = Self::zeros_in(L::default(), self.label(), extents)?;
        // SAFETY: both are separate host memory; the elements in the common box are initialised.
        unsafe { copy_raw(resized.raw_mut(), self.raw()) };
        *self = resized;
        Ok(())
    }

    /// Changes the extents and makes every element zero.
    ///
    /// The memory is used again where the extents stay the same. The label stays.
    ///
    /// # Errors
    /// As [`View::zeros`]; the View is unchanged then.
    ///
    /// # Complexity
    /// O(1), but for pages that the system must zero; O(len) where the memory is used again.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut v = View::from_fn("v", [3], |[i]| i + 1)?;
    /// v.realloc([2])?;
    /// assert_eq!(v.to_vec(), [0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn realloc(&mut self, extents: [usize; R]) -> Result<()> {
        if extents == self.extents() {
            // SAFETY: the View is dense, `self` is borrowed exclusively, and `Element`s may be all zero bytes.
            unsafe { self.raw.pointer().write_bytes(0, self.len()) };
        } else {
            *self = Self::zeros_in(L::default(), self.label(), extents)?;
        }
        Ok(())
    }
}
