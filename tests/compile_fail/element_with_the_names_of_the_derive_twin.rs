//! A user's items may have any names, those of the derive's own helpers included.
use spelt::prelude::*;

const START: u8 = 0;
const DISCRIMINANTS: &[u8] = &[0, 0, 0];

#[derive(Clone, Copy)]
struct Pick<const N: usize>(u8);

// SAFETY: a byte.
unsafe impl Element for Pick<3> {}
impl spelt::Scalar for Pick<3> {}

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Holds {
    Nothing = START,
    Picked(Pick<{ DISCRIMINANTS.len() }>),
}

pub(crate) fn main() {
    let v = View::from_fn("v", [4], |[i]| if i == 0 { Holds::Nothing } else { Holds::Picked(Pick(7)) });
    assert!(v.is_ok());
}
