//! Naive counterparts of the operations of Views.

use proptest::prelude::ProptestConfig;
use spelt_core::{Element, HostSpace, Layout, ViewRef};

/// How often a property is tried; under Miri, which is some thousand times slower, twice.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let cases = if cfg!(miri) { 2 } else { cases };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// All indices below `extents`, the last dimension fastest.
pub(crate) fn indices<const R: usize>(extents: [usize; R]) -> Vec<[usize; R]> {
    let mut all = vec![[0; R]];
    for (dimension, &extent) in extents.iter().enumerate() {
        all = all
            .iter()
            .flat_map(|&index| {
                (0..extent).map(move |at| {
                    let mut next = index;
                    next[dimension] = at;
                    next
                })
            })
            .collect();
    }
    all
}

/// A number that encodes its index.
pub(crate) fn mark<const R: usize>(index: [usize; R]) -> u64 {
    index.iter().fold(1, |mark, &at| mark * 10 + at as u64)
}

/// The message of the panic in `run`.
pub(crate) fn panic_message(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = std::panic::catch_unwind(run).expect_err("it should have panicked");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => (*payload.downcast::<&str>().expect("a message")).to_owned(),
    }
}

/// Asserts that the View's addresses are all different and lie in `memory`, and that `get` finds just its indices.
pub(crate) fn assert_well_laid<T: Element, const R: usize, L: Layout>(
    view: ViewRef<'_, T, R, HostSpace, L>,
    memory: &[T],
) {
    let mut places: Vec<usize> = indices(view.extents())
        .into_iter()
        .map(|index| std::ptr::from_ref(view.get(index).expect("in bounds")) as usize)
        .collect();
    assert_eq!(places.len(), view.len());
    places.sort_unstable();
    let range = memory.as_ptr_range();
    assert!(places.iter().all(|&place| (range.start as usize..range.end as usize).contains(&place)));
    places.dedup();
    assert_eq!(places.len(), view.len(), "two indices at one place");
    for dimension in 0..R {
        let mut outside = [0; R];
        outside[dimension] = view.extents()[dimension];
        assert!(view.get(outside).is_none());
    }
}
