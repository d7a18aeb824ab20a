//! The twin that compiles: what makes witnesses, accessors and unwritten Views is unsafe, hidden or not.
use spelt::{ExecutionSpace, KernelArg, NestedIdx};
use spelt::prelude::*;

pub(crate) fn main() {
    let space = Serial::new();
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let mut argument = &mut y;
    // SAFETY: nothing else uses the View, and the index is in bounds.
    unsafe {
        let (raw, _held) = KernelArg::lower(&mut argument);
        let mut access = <&mut View<f64, 1> as KernelArg>::access(&raw, 0);
        access[spelt::Idx::<1>::new([3])] = 1.0;
        let _ = NestedIdx::<2>::new([3, 3]);
        let _ = space.uninit_in::<f64, 1, _>(Right, "unwritten", [4]).unwrap().assume_init();
        let _ = space.unmanaged("over", [4], y.raw_mut().pointer()).unwrap();
        let _ = y.distinct();
    }
}
