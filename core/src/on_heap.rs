//! Running values that are too large for the stack.
//!
//! The engines of reductions and scans keep values in arrays in their frames: the lanes of a tile, the levels of a tree of
//! tiles, the tiles of a chunk. For large values they run with [`OnHeap`] instead of the reducer, whose values are boxes.

use spelt_order::body::{ReduceBody, ScanBody};
use spelt_reducers::Reducer;

/// Values up to this size are stored in the frames of launches. Unit: bytes. Source: a tile of larger ones has one lane (see
/// `canonical`), so a box for each costs little beside its iterations; and the frames of a scan, which has some 250 values in
/// them, stay below a tenth of the 2 MiB that a thread has by default.
const MAX_IN_FRAMES: usize = 512;

/// Whether values of this type are stored on the heap.
pub(crate) const fn is_large<V>() -> bool {
    size_of::<V>() > MAX_IN_FRAMES
}

/// A reducer with its values on the heap: the same joins, in the same order.
pub(crate) struct OnHeap<'r, R>(pub(crate) &'r R);

impl<R: Reducer> Reducer for OnHeap<'_, R> {
    type Value = Box<R::Value>;
    type Output = R::Output;

    const COMMUTATIVE: bool = R::COMMUTATIVE;
    const EXACT: bool = R::EXACT;
    const REORDERABLE: bool = R::REORDERABLE;
    const LANE_BYTES: usize = R::LANE_BYTES;

    // Not inlined: the value is on the stack for a moment, in a frame that is gone when the value is used.
    #[inline(never)]
    fn init(&self) -> Box<R::Value> {
        Box::new(self.0.init())
    }

    fn join(&self, into: &mut Box<R::Value>, from: &Box<R::Value>) {
        self.0.join(into, from);
    }

    // As for `init`.
    #[inline(never)]
    fn finish(&self, value: Box<R::Value>) -> R::Output {
        self.0.finish(*value)
    }
}

/// A body of values that are boxes here.
pub(crate) struct IntoBoxes<'b, B>(pub(crate) &'b mut B);

impl<C, V, B: ReduceBody<C, V>> ReduceBody<C, Box<V>> for IntoBoxes<'_, B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut Box<V>) {
        self.0.run(place, distance, &mut **value);
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.0.enter();
    }
}

impl<C, V, B: ScanBody<C, V>> ScanBody<C, Box<V>> for IntoBoxes<'_, B> {
    #[inline(always)]
    fn run(&mut self, place: C, distance: usize, value: &mut Box<V>, last: bool) {
        self.0.run(place, distance, &mut **value, last);
    }

    #[inline(always)]
    fn enter(&mut self) {
        self.0.enter();
    }
}

/// Makes a value and finishes it.
#[inline(always)]
pub(crate) fn finished<R: Reducer>(reducer: &R, value: impl FnOnce() -> R::Value) -> R::Output {
    reducer.finish(value())
}

/// Evaluates an expression that works with values of a type; if the values are large, in a separate stack frame.
///
/// One function holds the variants for large and small values, and those for a device, which has no heap; its frame would have
/// room for the locals of all of them. A separate frame exists only while it is called. For values that are not large, this is
/// just the expression.
macro_rules! apart {
    ($value:ty, $body:expr) => {
        if const { $crate::on_heap::is_large::<$value>() } {
            $crate::on_heap::in_a_frame_of_its_own(|| $body)
        } else {
            $body
        }
    };
}
pub(crate) use apart;

#[inline(never)]
pub(crate) fn in_a_frame_of_its_own<T>(body: impl FnOnce() -> T) -> T {
    body()
}
