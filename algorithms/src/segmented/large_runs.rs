//! The runs of values too large for a stack: running values lie elsewhere, and are changed where they are.

use core::slice::{from_mut, from_ref};

use spelt_core::reducers::Reducer;
use spelt_core::{Element, with_scratch};

use super::runs::RUN;

/// The value at the end of a block, given the place of the last beginning in it, before which nothing counts.
pub(super) fn end_of_large_block<R>(reducer: &R, values: &[R::Value], last: Option<usize>, end: &mut R::Value)
where
    R: Reducer,
    R::Value: Element,
{
    with_scratch(
        2,
        |_| reducer.init(),
        |room| {
            let [identity, of_run] = room else { return };
            copy(identity, end);
            let mut from = 0;
            if let Some(last) = last {
                from = values.len().min((last / RUN + 1) * RUN);
                values[last..from].iter().for_each(|element| reducer.join(end, element));
            }
            for run in values[from..].chunks(RUN) {
                copy(identity, of_run);
                run.iter().for_each(|element| reducer.join(of_run, element));
                reducer.join(end, of_run);
            }
        },
    );
}

/// Scans a block into `out`, whose elements it takes if `IN_PLACE`, and otherwise `values`, given the value before, if there is one.
pub(super) fn scan_large_block<const INCLUSIVE: bool, const IN_PLACE: bool, R>(
    reducer: &R,
    before: Option<&R::Value>,
    values: &[R::Value],
    flags: &[bool],
    out: &mut [R::Value],
) where
    R: Reducer,
    R::Value: Element,
{
    with_scratch(
        4,
        |_| reducer.init(),
        |room| {
            let [identity, before_run, value, element] = room else { return };
            if let Some(before) = before {
                copy(before, before_run);
            }
            for (run, (out, flags)) in out.chunks_mut(RUN).zip(flags.chunks(RUN)).enumerate() {
                copy(identity, value);
                let mut begun = false;
                for (k, (out, &begins)) in out.iter_mut().zip(flags).enumerate() {
                    if begins {
                        copy(identity, value);
                        begun = true;
                    }
                    // Read first, because the prefix overwrites it.
                    copy(if IN_PLACE { out } else { &values[run * RUN + k] }, element);
                    if INCLUSIVE {
                        reducer.join(value, element);
                    }
                    if begun {
                        copy(value, out);
                    } else {
                        copy(before_run, out);
                        reducer.join(out, value);
                    }
                    if !INCLUSIVE {
                        reducer.join(value, element);
                    }
                }
                if begun {
                    copy(value, before_run);
                } else {
                    reducer.join(before_run, value);
                }
            }
        },
    );
}

/// Copies a value without a place on the stack, which an assignment has in a debug build.
fn copy<V: Copy>(from: &V, to: &mut V) {
    from_mut(to).copy_from_slice(from_ref(from));
}
