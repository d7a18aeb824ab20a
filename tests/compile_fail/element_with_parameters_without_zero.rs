//! Whether zero bytes are a value of an enum with parameters is known where the parameters are.
use spelt::prelude::*;

const START: u8 = 1;

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Held<T> {
    One(T) = START,
    Two,
}

// Without these a check that makes no program would not find it: `core/src/view/compile_fail.rs` has the same without.
const _: () = <Held<f64> as Element>::ZERO_IS_A_VALUE;

fn main() {
    let v = View::from_fn("v", [4], |[i]| if i == 0 { Held::One(1.5) } else { Held::Two });
    assert!(v.is_ok());
}
