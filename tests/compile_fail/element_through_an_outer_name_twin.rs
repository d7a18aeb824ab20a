//! A macro names a field's type, with the type's parameters in scope.
use spelt::prelude::*;

macro_rules! field {
    () => {
        Pick<N>
    };
}

#[derive(Clone, Copy)]
struct Pick<const N: usize>(u8);

// SAFETY: a byte.
unsafe impl Element for Pick<1> {}
impl spelt::Scalar for Pick<1> {}

#[derive(Element)]
struct Holds<const N: usize>(field!());

impl<const N: usize> Clone for Holds<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const N: usize> Copy for Holds<N> {}

pub(crate) fn main() {
    let v = View::from_fn("v", [4], |_| Holds::<1>(Pick(7))).unwrap();
    assert_eq!(v[3].0.0, 7);
}
