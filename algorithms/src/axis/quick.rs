//! Quicker ways to the same results.

use spelt_core::reducers::Reducer;
use spelt_core::{Element, ExecutionSpace, Result, ViewRef};

/// The rows of a tile whose columns are reduced together.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    /// The number of rows.
    pub(super) len: usize,
    pub(super) columns: usize,
    /// The lanes of the canonical order, of which these are taken: `first`, and every `step`th from there.
    pub(super) lanes: usize,
    pub(super) first: usize,
    pub(super) step: usize,
}

/// A quicker way to reduce on a host, with the same result.
pub(super) trait Quick<T, R: Reducer>: Copy + Sync {
    /// Whether a contribution takes about as long as the load of its element.
    const CHEAP: bool = false;

    /// Whether a row that lies in order in memory is searched.
    const SEARCHES: bool = false;

    /// The result of such a row, on the calling thread; `None` if there is no quicker way.
    #[inline(always)]
    fn search(self, _row: &[T]) -> Option<R::Output> {
        None
    }

    /// The same, on a space of the host.
    fn search_on<S: ExecutionSpace>(
        self,
        _space: &S,
        _row: ViewRef<'_, T, 1, S::Memory>,
    ) -> Result<Option<R::Output>>
    where
        T: Element,
    {
        Ok(None)
    }

    /// A value for each column of the panel, whose rows are `row(0)`, `row(1)`, ..; `None` if there is no quicker way, or a row is not
    /// contiguous.
    #[inline(always)]
    fn columns<'a>(self, _panel: Panel, _row: impl Fn(usize) -> Option<&'a [T]>) -> Option<Vec<R::Value>>
    where
        T: 'a,
    {
        None
    }
}

/// There is none.
impl<T, R: Reducer> Quick<T, R> for () {}

/// There is none, and contributions are cheap.
#[derive(Clone, Copy)]
pub(super) struct Cheap;

impl<T, R: Reducer> Quick<T, R> for Cheap {
    const CHEAP: bool = true;
}
