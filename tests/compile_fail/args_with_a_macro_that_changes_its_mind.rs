//! A macro in the place of a type may mean a shared reference for the field, and a mutable one for the accessor.
use spelt::prelude::*;
use spelt_test_attributes::shared_then_mutable;

#[derive(KernelArgs)]
struct Fields<'a> {
    y: shared_then_mutable!('a),
}

fn main() {
    let y = View::<f64, 1>::zeros("y", [4]).unwrap();
    parallel_for("k", Serial::new().range(0..4), Fields { y: &y }, |i, mut f| f.y[i] = 1.0).unwrap();
}
