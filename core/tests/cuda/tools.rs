//! The events of memory, fills, copies and fences of a device.

use spelt_core::{ExecutionSpace, HostSpace, View};

use crate::lines::Lines;
use crate::space;

#[test]
fn memory_fills_copies_and_fences_are_told() {
    let Some(space) = space() else { return };
    let lines = Lines::installed();
    let mut x = space.zeros::<f64, 1>("x", [1000]).expect("memory");
    space.fill(&mut x, 2.0).expect("a fill");
    let mut y = View::<f64, 1, HostSpace>::zeros("y", [1000]).expect("memory");
    space.deep_copy(&mut y, &x).expect("equal extents");
    space.fence().expect("nothing has failed");
    assert_eq!(y[999], 2.0);
    drop(x);
    let wanted = [
        "allocate x CudaSpace 8000",
        "initialise x CudaSpace 8000",
        "end fill x of line 2",
        "fill x CudaSpace 8000",
        "end fill x of line 4",
        "allocate y HostSpace 8000",
        "copy x CudaSpace y HostSpace 8000",
        "end copy y of line 7",
        "fence Cuda",
        "end fence of line 9",
        "release x CudaSpace 8000",
    ];
    assert_eq!(lines.take(), wanted);
}
