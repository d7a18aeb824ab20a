//! A user's items may have any names, those of the derive's own helpers included.
use spelt::prelude::*;

const START: u8 = 0;
const DISCRIMINANTS: &[u8] = &[0, 0, 0];

#[derive(Clone, Copy)]
struct Pick<const N: usize>(&'static u8);

// SAFETY: never used; it stands for any type of which some instances are elements.
unsafe impl Element for Pick<2> {}
impl spelt::Scalar for Pick<2> {}

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Holds {
    Nothing = START,
    Picked(Pick<{ DISCRIMINANTS.len() }>),
}

fn main() {
    let v = View::from_fn("v", [4], |[i]| if i == 0 { Holds::Nothing } else { Holds::Picked(Pick(&7)) });
    assert!(v.is_ok());
}
