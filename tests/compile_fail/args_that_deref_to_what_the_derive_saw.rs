//! A field that turns into a View by `Deref` may turn into another View each time.
use core::ops::{Deref, DerefMut};

use spelt::prelude::*;
use spelt_test_attributes::becomes;

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
#[becomes(struct Fields<'a> { y: Changing<'a> })]
struct Fields<'a> {
    y: &'a mut View<f64, 1>,
}

fn main() {}
