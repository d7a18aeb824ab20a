//! One block's partial results for some of the bins.

use spelt_core::Element;
use spelt_core::reducers::Reducer;

/// Joined contributions for neighbouring bins, separate from the bins' values.
///
/// A bin without contributions keeps its bits. So no identity is joined, because it need not be neutral to the last bit: values
/// begin as [neutral](Reducer::neutral) ones or, if the reducer has none, with a flag that says that there is no value yet.
pub(super) struct Partial<'a, T, R> {
    values: &'a mut [T],
    /// As many as values, or none.
    started: &'a mut [bool],
    reducer: R,
}

/// The number of flags for this number of values.
pub(super) fn flags_for<R: Reducer>(reducer: &R, values: usize) -> usize {
    if reducer.neutral().is_none() { values } else { 0 }
}

impl<'a, T: Element, R: Reducer<Value = T>> Partial<'a, T, R> {
    /// Nothing yet, in this memory.
    #[inline(always)]
    pub(super) fn begin(values: &'a mut [T], started: &'a mut [bool], reducer: R) -> Self {
        match reducer.neutral() {
            Some(neutral) => values.fill(neutral),
            None => started.fill(false),
        }
        Self { values, started, reducer }
    }

    /// Nothing yet, in memory that is zero: often that is the neutral value.
    #[inline(always)]
    pub(super) fn begin_in_zeros(values: &'a mut [T], started: &'a mut [bool], reducer: R) -> Self {
        match values.first() {
            Some(zero) if reducer.neutral().is_some() && reducer.is_neutral(zero) => {
                Self { values, started, reducer }
            }
            _ => Self::begin(values, started, reducer),
        }
    }

    /// Joins a value for bin `bin`; ignores numbers that are not bins.
    #[inline(always)]
    pub(super) fn join(&mut self, bin: usize, value: T) {
        let Some(into) = self.values.get_mut(bin) else { return };
        if self.reducer.neutral().is_none()
            && let Some(started) = self.started.get_mut(bin)
            && !*started
        {
            (*into, *started) = (value, true);
        } else {
            self.reducer.join(into, &value);
        }
    }

    /// The joined values of these bins, in order; `None` for a bin without one.
    #[inline(always)]
    pub(super) fn values(&self) -> impl Iterator<Item = Option<T>> {
        let started = |bin: usize| self.started.get(bin).copied();
        self.values.iter().enumerate().map(move |(bin, value)| found(&self.reducer, *value, || started(bin)))
    }
}

/// A value that a block has for a bin, if it has one; `started` reads its flag, if there are flags.
#[inline(always)]
pub(super) fn found<R: Reducer>(
    reducer: &R,
    value: R::Value,
    started: impl FnOnce() -> Option<bool>,
) -> Option<R::Value> {
    let nothing =
        if reducer.neutral().is_some() { reducer.is_neutral(&value) } else { started() == Some(false) };
    (!nothing).then_some(value)
}
