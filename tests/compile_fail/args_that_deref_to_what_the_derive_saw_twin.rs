//! A field that turns into a View by `Deref` may turn into another View each time.
use core::ops::{Deref, DerefMut};

use spelt::prelude::*;

struct Changing<'a> {
    views: [&'a mut View<f64, 1>; 2],
    turn: usize,
}

impl<'a> Deref for Changing<'a> {
    type Target = &'a mut View<f64, 1>;
    fn deref(&self) -> &&'a mut View<f64, 1> {
        &self.views[0]
    }
}

impl DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.turn += 1;
        &mut self.views[self.turn % 2]
    }
}

#[derive(KernelArgs)]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
}

pub(crate) fn main() {
    let (mut y, mut z) = (View::<f64, 1>::zeros("y", [4]).unwrap(), View::<f64, 1>::zeros("z", [2]).unwrap());
    let mut changing = Changing { views: [&mut y, &mut z], turn: 0 };
    let fields = Fields { y: &mut **changing };
    parallel_for("k", Serial::new().range(0..2), fields, |i, mut f| f.y[i] = 1.0).unwrap();
    assert_eq!(z.to_vec(), [1.0; 2]);
}
