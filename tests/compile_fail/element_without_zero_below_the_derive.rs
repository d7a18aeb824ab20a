//! An attribute below the derive may put another type in the place of the one that the derive saw.
use spelt::prelude::*;
use spelt_test_attributes::becomes;

#[derive(Clone, Copy, Element)]
#[becomes(#[repr(u8)] enum One { A = 1 })]
#[repr(u8)]
enum One {
    A,
}

#[derive(Clone, Copy, Element)]
#[becomes(#[repr(i8)] enum Around { A = 1, B = -1 })]
#[repr(i8)]
enum Around {
    A,
    B,
}

fn main() {}
