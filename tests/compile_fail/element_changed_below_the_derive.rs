//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(Clone, Copy, Element)]
#[becomes(struct OtherType { a: &'static u8 })]
struct OtherType {
    a: u8,
}

#[derive(Clone, Copy, Element)]
#[becomes(struct MoreFields { a: u8, b: &'static u8 })]
struct MoreFields {
    a: u8,
}

#[derive(Clone, Copy, Element)]
#[becomes(union Union { a: u8, b: &'static u8 })]
struct Union {
    a: u8,
}

#[derive(Clone, Copy)]
struct Pointer {
    a: &'static u8,
}

#[derive(Element)]
#[becomes(type Alias = Pointer;)]
struct Alias {
    a: u8,
}

#[derive(Clone, Copy, Element)]
#[becomes(#[repr(u8)] enum MoreVariants { A, B(&'static u8) })]
#[repr(u8)]
enum MoreVariants {
    A,
}

fn main() {}
