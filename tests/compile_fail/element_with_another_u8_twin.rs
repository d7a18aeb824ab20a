//! Only the compiler decides what `u8` means in a `repr`, even if another type has that name.
use spelt::prelude::*;

#[allow(non_camel_case_types)]
type u8 = i8;

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Sign {
    Minus = !0 >> 4 ^ 0xf,
}

pub(crate) fn main() {
    let signs = View::<Sign, 1>::zeros("signs", [4]).unwrap();
    assert!(matches!(signs[0], Sign::Minus));
    let _: u8 = -1;
}
