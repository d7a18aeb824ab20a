//! A struct of accessors does not leave its iteration, nor take the witness of another launch.
use std::sync::Mutex;

use spelt::prelude::*;

#[derive(KernelArgs)]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
}

pub(crate) fn main() {
    let (mut y, mut z) = (View::<f64, 1>::zeros("y", [4]).unwrap(), View::<f64, 1>::zeros("z", [4]).unwrap());
    let space = Serial::new();
    let kept = Mutex::new(None);
    parallel_for("keep", space.range(0..4), Fields { y: &mut y }, |i, f| *kept.lock().unwrap() = Some(f.y[i])).unwrap();

    parallel_for("outer", space.range(0..4), Fields { y: &mut y }, |i, f| {
        let f = Mutex::new(f);
        parallel_for("inner", space.range(0..4), (), |_, ()| f.lock().unwrap().y[i] = 1.0).unwrap();
    })
    .unwrap();

    parallel_for("two", space.range(0..4), [&mut y, &mut z], |i, [mut a, mut b]| {
        let (one, two) = (&mut a[i], &mut b[i]);
        core::mem::swap(one, two);
    })
    .unwrap();
    assert_eq!((kept.into_inner().unwrap(), z.to_vec()), (Some(0.0), vec![1.0; 4]));
}
