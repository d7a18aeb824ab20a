//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(KernelArgs)]
#[becomes(struct OtherType<'a> { y: &'a View<f64, 1> })]
struct OtherType<'a> {
    y: &'a mut View<f64, 1>,
}

#[derive(KernelArgs)]
#[becomes(struct MoreFields<'a> { x: &'a View<f64, 1>, y: &'a mut View<f64, 1> })]
struct MoreFields<'a> {
    x: &'a View<f64, 1>,
}

#[derive(KernelArgs)]
#[becomes(struct Behind<'a> { y: Box<&'a mut View<f64, 1>> })]
struct Behind<'a> {
    y: &'a mut View<f64, 1>,
}

#[derive(KernelArgs)]
#[becomes(union Union<'a> { y: &'a View<f64, 1> })]
struct Union<'a> {
    y: &'a View<f64, 1>,
}

struct Pair<'a> {
    x: &'a View<f64, 1>,
    y: &'a mut View<f64, 1>,
}

#[derive(KernelArgs)]
#[becomes(type Alias<'a> = Pair<'a>;)]
struct Alias<'a> {
    y: &'a mut View<f64, 1>,
}

fn main() {}
