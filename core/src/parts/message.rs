//! Elements of any type in the bytes of a message.

use spelt_access::{Element, Layout, RawView, Right};

use super::Portable;
use crate::view::{MemorySpace, View, ViewMut, checked_count};

impl<M: MemorySpace> View<u8, 1, M> {
    /// The bytes from `at` on as elements of these extents; `None` if they do not all lie in the View, the first is not aligned for them, or
    /// the elements have [another form](Portable::FORM) in messages.
    ///
    /// Work of a device that writes the elements is work that writes this View.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::View;
    /// let mut bytes = View::<u8, 1>::zeros("message", [20])?;
    /// bytes.elements_mut::<u32, 2>(8, [1, 3]).expect("12 bytes").fill(1);
    /// assert_eq!(bytes.to_vec()[7..16], [0, 1, 0, 0, 0, 1, 0, 0, 0]);
    /// assert!(bytes.elements_mut::<u32, 2>(12, [1, 3]).is_none());
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn elements_mut<T: Element + Portable, const R: usize>(
        &mut self,
        at: usize,
        extents: [usize; R],
    ) -> Option<ViewMut<'_, T, R, M>> {
        let len = checked_count::<T>(self.label(), &extents).ok()? * size_of::<T>();
        let end = at.checked_add(len).filter(|end| *end <= self.len());
        let pointer = self.raw_mut().pointer().wrapping_add(at).cast::<T>();
        if end.is_none() || !pointer.addr().is_multiple_of(align_of::<T>()) || !const { T::FORM.is_memory() }
        {
            return None;
        }
        let raw = RawView::new(pointer, extents, Right::strides(extents));
        // SAFETY: the elements lie within the View, which is borrowed exclusively and whose bytes are initialised; the pointer is that of the
        // View and aligned, and any bytes are elements of this form. The strides are those of `Right`.
        Some(unsafe { ViewMut::new(raw, self.label(), self.owner()) })
    }
}

#[cfg(test)]
mod tests {
    use crate::View;

    #[test]
    fn elements_lie_within_the_bytes() {
        let mut bytes = View::<u8, 1>::zeros("bytes", [16]).expect("memory");
        let mut len = |at, extents: [usize; 2]| {
            bytes.elements_mut::<u16, 2>(at, extents).map(|elements| elements.len())
        };
        assert_eq!(len(0, [2, 4]), Some(8));
        assert_eq!(len(2, [7, 1]), Some(7));
        assert_eq!(len(16, [0, 3]), Some(0));
        for (at, extents) in [
            (1, [1, 1]),
            (2, [2, 4]),
            (16, [1, 1]),
            (18, [0, 3]),
            (0, [3, 3]),
            (usize::MAX - 1, [1, 1]),
            (0, [usize::MAX, 2]),
            (2, [1 << 62, 2]),
        ] {
            assert_eq!(len(at, extents), None, "{at} {extents:?}");
        }
        assert!(bytes.elements_mut::<bool, 1>(0, [3]).is_none(), "not all bytes are values");
        assert!(bytes.elements_mut::<usize, 1>(0, [1]).is_none(), "messages have 64 bits everywhere");
    }

    #[test]
    fn they_are_those_bytes() {
        let mut bytes = View::<u8, 1>::zeros("bytes", [16]).expect("memory");
        let mut elements = bytes.elements_mut::<u16, 2>(4, [2, 3]).expect("12 bytes");
        elements[[1, 0]] = 0x0201;
        assert_eq!(bytes.to_vec(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0]);
    }
}
