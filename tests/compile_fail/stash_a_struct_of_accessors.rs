//! A struct of accessors does not leave its iteration, nor take the witness of another launch.
use std::sync::Mutex;

use spelt::prelude::*;

#[derive(KernelArgs)]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
}

fn main() {
    let (mut y, mut z) = (View::<f64, 1>::zeros("y", [4]).unwrap(), View::<f64, 1>::zeros("z", [4]).unwrap());
    let space = Serial::new();
    let kept = Mutex::new(None);
    parallel_for("keep", space.range(0..4), Fields { y: &mut y }, |_, f| *kept.lock().unwrap() = Some(f)).unwrap();

    parallel_for("outer", space.range(0..4), Fields { y: &mut y }, |_, f| {
        let f = Mutex::new(f);
        parallel_for("inner", space.range(0..4), (), |j, ()| f.lock().unwrap().y[j] = 1.0).unwrap();
    })
    .unwrap();

    parallel_for("two", space.range(0..4), [&mut y, &mut z], |i, [mut a, _]| {
        let (one, two) = (&mut a[i], &mut a[i]);
        core::mem::swap(one, two);
    })
    .unwrap();
}
