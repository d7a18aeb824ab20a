//! Every field of a derived struct is an argument.
use spelt::prelude::*;

#[derive(KernelArgs)]
struct Fields<'a> {
    name: String,
    y: &'a mut View<f64, 1>,
}

#[derive(KernelArgs)]
struct Shared<'a> {
    y: &'a Inner<'a>,
}

#[derive(KernelArgs)]
struct Inner<'a> {
    y: &'a mut View<f64, 1>,
}

fn main() {}
