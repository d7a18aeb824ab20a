//! Every field of a derived struct is an argument.
use spelt::prelude::*;

#[derive(KernelArgs)]
struct Fields<'a> {
    name: u64,
    y: &'a mut View<f64, 1>,
}

#[derive(KernelArgs)]
struct Exclusive<'a> {
    y: &'a mut Fields<'a>,
}

pub(crate) fn main() {
    let mut y = View::<f64, 1>::zeros("y", [4]).unwrap();
    let mut fields = Fields { name: 3, y: &mut y };
    let outer = Exclusive { y: &mut fields };
    parallel_for("k", Serial::new().range(0..4), outer, |i, mut f| f.y.y[i] = f.y.name as f64).unwrap();
    assert_eq!(y.to_vec(), [3.0; 4]);
}
