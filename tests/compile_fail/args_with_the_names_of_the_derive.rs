//! A user's items may have any names: the derive's paths mean what they say, or nothing compiles.
use spelt::prelude::*;

mod evil {
    pub use spelt::{KernelArgs, Shortage};

    /// Descriptions that say nothing.
    pub struct Description<'a>(&'a ());
}

#[derive(KernelArgs)]
#[kernel_args(crate = "evil")]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
}

fn main() {
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", Serial::new().range(0..40), Fields { y: &mut y }, |i, mut f| f.y[i] = 1.0).unwrap();
}
