//! A kernel that C and Fortran call: a dynamic library with one function, y = y + a * x.
//!
//! The function takes the arrays of its caller. On a host the kernel works in them; on a device they are copied. Nothing unwinds into the
//! caller: an error or a panic is a message on standard error and a status.
//!
//! As Kokkos's exercise fortran/simple_vector_add, whose arrays Kokkos allocates. `main.f90` and `main.c` call it:
//! ```text
//! cargo build --release --example spelt_axpy
//! gfortran examples/fortran/main.f90 -o axpy -L target/release/examples -l spelt_axpy -Wl,-rpath,$PWD/target/release/examples
//! SPELT_SPACE=threads ./axpy
//! ```

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use spelt::prelude::*;
use spelt::{AnyHost, Error, ErrorKind, Result};

/// `y[i] += a * x[i]` for `i < n`, on the space that the variable `SPELT_SPACE` names. The first call makes the space.
///
/// Returns 0; 1 after an error, for which `y` is unchanged; 2 after a panic, which is a bug.
///
/// # Safety
/// If `n` is not 0, `x` points to `n` numbers and `y` to `n` numbers that nothing else reads or writes during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn spelt_axpy(n: usize, a: f64, x: *const f64, y: *mut f64) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(|| {
        if n == 0 {
            return Ok(());
        }
        check(n, x, y)?;
        // SAFETY: both pointers are to `n` numbers, by the contract of this function, and `check` has found that they are not null, are
        // aligned and do not overlap; nothing else uses `y`.
        let (x, y) = unsafe { (core::slice::from_raw_parts(x, n), core::slice::from_raw_parts_mut(y, n)) };
        axpy(a, x, y)
    }));
    // The message may be lost, the status is not.
    match result {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            let _ = writeln!(io::stderr(), "spelt_axpy: {error}");
            1
        }
        // Its message is on standard error already. A payload may panic when it is dropped.
        Err(payload) => {
            core::mem::forget(payload);
            2
        }
    }
}

/// An error for arguments that a caller in another language may get wrong.
fn check(n: usize, x: *const f64, y: *const f64) -> Result<()> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Extents, message));
    let Some(bytes) = n.checked_mul(size_of::<f64>()).filter(|bytes| isize::try_from(*bytes).is_ok()) else {
        return wrong(format!("no arrays have {n} elements: give their number"));
    };
    for (name, array) in [("x", x), ("y", y)] {
        if array.is_null() || !array.is_aligned() {
            return wrong(format!("{name} is at {array:p}: give the address of {n} numbers"));
        }
    }
    if x.addr().abs_diff(y.addr()) < bytes {
        return wrong(format!("x at {x:p} and y at {y:p} overlap: give arrays of {bytes} bytes that do not"));
    }
    Ok(())
}

/// The space of all calls.
enum Space {
    Host(AnyHost),
    #[cfg(feature = "cuda")]
    Device(Box<spelt::Cuda>),
}

fn axpy(a: f64, x: &[f64], y: &mut [f64]) -> Result<()> {
    static SPACE: OnceLock<Space> = OnceLock::new();
    let space = match SPACE.get() {
        Some(space) => space,
        None => {
            // If other threads make one at the same time, one of them is kept.
            let space = choose()?;
            SPACE.get_or_init(|| space)
        }
    };
    match space {
        Space::Host(space) => run(space, a, x.into(), y.into()),
        #[cfg(feature = "cuda")]
        Space::Device(space) => {
            let space = &**space;
            let there = ViewRef::from(x).to_space(space)?;
            let mut result = ViewRef::from(&*y).to_space(space)?;
            run(space, a, there.view(), result.view_mut())?;
            deep_copy(&mut ViewMut::from(y), &result)
        }
    }
}

fn choose() -> Result<Space> {
    match SpaceChoice::from_env()? {
        #[cfg(feature = "cuda")]
        SpaceChoice::Cuda(device) => Ok(Space::Device(Box::new(spelt::Cuda::new(device)?))),
        host => Ok(Space::Host(host.on_host()?)),
    }
}

fn run<S: ExecutionSpace>(
    space: &S,
    a: f64,
    x: ViewRef<'_, f64, 1, S::Memory>,
    y: ViewMut<'_, f64, 1, S::Memory>,
) -> Result<()> {
    parallel_for("axpy", space.range(0..x.len()), (a, x, y), move |i, (a, x, mut y)| y[i] += a * x[i])
}
