//! The elements of Views as bytes, after a header with their type and extents.

use spelt_core::{
    Element, Error, ErrorKind, Layout, MemorySpace, Portable, Result, Right, View, ViewMut, ViewRef,
    deep_copy,
};

/// Type and extents of the elements in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    type_name: String,
    pub(crate) extents: Vec<usize>,
}

impl Shape {
    pub(crate) fn of<T>(extents: &[usize]) -> Self {
        Self { type_name: core::any::type_name::<T>().to_owned(), extents: extents.to_vec() }
    }

    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        (self.type_name.len() as u32).write(bytes);
        bytes.extend_from_slice(self.type_name.as_bytes());
        (self.extents.len() as u32).write(bytes);
        usize::write_slice(&self.extents, bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let len = u32::read(bytes)? as usize;
        let (name, rest) = bytes.split_at_checked(len)?;
        *bytes = rest;
        let type_name = core::str::from_utf8(name).ok()?.to_owned();
        let extents = (0..u32::read(bytes)?).map(|_| usize::read(bytes)).collect::<Option<_>>()?;
        Some(Self { type_name, extents })
    }

    /// The elements as messages of errors call them.
    fn words(&self) -> String {
        format!("{:?} of {}", self.extents, self.type_name)
    }
}

/// Two ranks and the label of their call, for messages of errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between<'l> {
    pub(crate) label: &'l str,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Between<'_> {
    /// Reads the shape of the next elements.
    ///
    /// # Errors
    /// If the bytes are not those of a View.
    pub(crate) fn shape(self, bytes: &mut &[u8]) -> Result<Shape> {
        Shape::read(bytes).ok_or_else(|| self.damaged())
    }

    /// Reads the shape of the next elements, which is to be `expected`.
    ///
    /// # Errors
    /// If it is another one; the message has both.
    pub(crate) fn same_shape(self, bytes: &mut &[u8], expected: &Shape) -> Result<()> {
        let found = self.shape(bytes)?;
        if found == *expected { Ok(()) } else { Err(self.other_shape(&found, expected)) }
    }

    /// Reads the shape of rows, whose number may be any, and returns this number; type and further extents are to be those of `expected`.
    ///
    /// # Errors
    /// If they are others; the message has both.
    pub(crate) fn same_rows(self, bytes: &mut &[u8], expected: &Shape) -> Result<usize> {
        let found = self.shape(bytes)?;
        match (&*found.extents, &*expected.extents) {
            ([rows, rest @ ..], [_, wanted @ ..])
                if rest == wanted && found.type_name == expected.type_name =>
            {
                Ok(*rows)
            }
            _ => Err(self.other_shape(&found, expected)),
        }
    }

    /// Reads elements in the order of their indices.
    ///
    /// # Errors
    /// If they are too few, or not values of their type.
    pub(crate) fn elements<T: Portable>(self, to: &mut [T], bytes: &mut &[u8]) -> Result<()> {
        T::read_slice(to, bytes).ok_or_else(|| self.damaged())
    }

    /// Says that a message is longer than its elements.
    pub(crate) fn end(self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() { Ok(()) } else { Err(self.damaged()) }
    }

    fn other_shape(self, found: &Shape, expected: &Shape) -> Error {
        let Self { label, from, to } = self;
        let message = format!(
            "`{label}`: the Views of the ranks differ: rank {from} sent {}, where rank {to} has {}: give Views of the same type and extents",
            found.words(),
            expected.words()
        );
        Error::new(ErrorKind::Communication, message)
    }

    fn damaged(self) -> Error {
        let Self { label, from, to } = self;
        let message = format!(
            "`{label}`: rank {from} sent rank {to} bytes that are not the elements of its View: `Portable` must read what it wrote"
        );
        Error::new(ErrorKind::Format, message)
    }
}

/// The elements in the order of the indices, where the host reaches them and they are stored so.
fn in_place<'a, T, const R: usize, M, L>(view: ViewRef<'a, T, R, M, L>) -> Option<&'a [T]>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if M::HOST_ACCESSIBLE
        && let Ok(dense) = view.try_into_layout::<Right>()
        && dense.is_contiguous()
    {
        // SAFETY: the host reaches the memory, as its space says; the View is dense and borrowed, so its `len` elements from the first on
        // are initialised and not written as long as it is.
        return Some(unsafe { core::slice::from_raw_parts(dense.raw().pointer(), dense.len()) });
    }
    None
}

/// Calls `work` with the elements in the order of the indices: in place, or some at a time in memory of the host, which is pinned for a device.
pub(crate) fn with_elements<T, const R: usize, M, L>(
    view: ViewRef<'_, T, R, M, L>,
    mut work: impl FnMut(&[T]),
) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    match in_place(view) {
        Some(elements) => work(elements),
        None => M::read_staged(view, &mut work)?,
    }
    Ok(())
}

/// Calls `work` with places for the elements in the order of the indices, which it writes: in place, or as [`with_elements`] in parts that are copied
/// into the View.
pub(crate) fn write_elements<T, const R: usize, M, L>(
    mut view: ViewMut<'_, T, R, M, L>,
    mut work: impl FnMut(&mut [T]) -> Result<()>,
) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if M::HOST_ACCESSIBLE
        && let Ok(mut dense) = view.view_mut().try_into_layout::<Right>()
        && dense.is_contiguous()
    {
        let (pointer, len) = (dense.raw_mut().pointer(), dense.len());
        // SAFETY: the host reaches the memory, as its space says; the View is dense and borrowed exclusively by `dense`, which is not used
        // while the slice lives.
        return work(unsafe { core::slice::from_raw_parts_mut(pointer, len) });
    }
    M::write_staged(view, &mut work)
}

/// Calls `work` with the View on the host, in the order of the indices: its own elements, or a copy of them.
pub(crate) fn on_host<T, const R: usize, M, L>(
    view: ViewRef<'_, T, R, M, L>,
    work: impl FnOnce(ViewRef<'_, T, R>) -> Result<()>,
) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if let Some(elements) = in_place(view) {
        return work(ViewRef::from_slice(view.extents(), elements)?);
    }
    let mut copy = View::<T, R>::zeros(view.label(), view.extents())?;
    let mut rest = copy.as_mut_slice().expect("a View that owns its memory is dense");
    with_elements(view, |elements| {
        let (now, later) = core::mem::take(&mut rest).split_at_mut(elements.len());
        now.copy_from_slice(elements);
        rest = later;
    })?;
    work(copy.view())
}

/// Replaces all elements by those of a View on the host.
///
/// # Errors
/// If the extents differ.
pub(crate) fn replace<T, const R: usize, M, L>(
    mut view: ViewMut<'_, T, R, M, L>,
    by: &View<T, R>,
) -> Result<()>
where
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    if M::HOST_ACCESSIBLE || view.extents() != by.extents() {
        return deep_copy(&mut view, by);
    }
    let mut rest = by.as_slice().expect("a View that owns its memory is dense");
    write_elements(view, |elements| {
        let (now, later) = rest.split_at(elements.len());
        elements.copy_from_slice(now);
        rest = later;
        Ok(())
    })
}

/// The View as a message: its shape and its elements.
pub(crate) fn message<T, const R: usize, M, L>(view: ViewRef<'_, T, R, M, L>) -> Result<Vec<u8>>
where
    T: Element + Portable,
    M: MemorySpace,
    L: Layout,
{
    let mut bytes = Vec::with_capacity(view.size_bytes() + 64);
    Shape::of::<T>(&view.extents()).write(&mut bytes);
    with_elements(view, |elements| T::write_slice(elements, &mut bytes))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use spelt_core::{Left, View};

    use super::{Between, Shape, message, write_elements};

    const BETWEEN: Between<'_> = Between { label: "here", from: 1, to: 0 };

    #[test]
    fn views_survive_in_any_layout() {
        let left = View::from_fn_in(Left, "left", [2, 3], |[i, j]| (10 * i + j) as u16).expect("memory");
        let bytes = message(left.view()).expect("memory");
        let mut rest = &bytes[..];
        BETWEEN.same_shape(&mut rest, &Shape::of::<u16>(&[2, 3])).expect("the same");
        let mut right = View::<u16, 2>::zeros("right", [2, 3]).expect("memory");
        write_elements(right.view_mut(), |to| BETWEEN.elements(to, &mut rest)).expect("all");
        BETWEEN.end(rest).expect("nothing is left");
        assert_eq!(right.to_vec(), left.to_vec());
    }

    #[test]
    fn other_shapes_are_told() {
        let bytes = message(View::<f32, 2>::zeros("v", [4, 3]).expect("memory").view()).expect("memory");
        for (shape, words) in
            [(Shape::of::<f64>(&[4, 3]), "[4, 3] of f64"), (Shape::of::<f32>(&[4, 2]), "[4, 2] of f32")]
        {
            let error = BETWEEN.same_rows(&mut &bytes[..], &shape).expect_err("another shape").to_string();
            assert!(
                error.contains("rank 1 sent [4, 3] of f32") && error.contains(&format!("rank 0 has {words}")),
                "{error}"
            );
            BETWEEN.same_shape(&mut &bytes[..], &shape).expect_err("another shape");
        }
        assert_eq!(BETWEEN.same_rows(&mut &bytes[..], &Shape::of::<f32>(&[9, 3])).expect("rows"), 4);
        for len in 0..20 {
            BETWEEN.shape(&mut &bytes[..len]).expect_err("cut");
        }
        BETWEEN.elements(&mut [false], &mut &[2][..]).expect_err("not a bool");
        BETWEEN.end(&[0]).expect_err("a byte too many");
    }
}
