//! A macro names a field's type, with the type's parameters in scope.
use spelt::prelude::*;

const N: usize = 0;

macro_rules! field {
    () => {
        Pick<N>
    };
}

#[derive(Clone, Copy)]
struct Pick<const N: usize>(&'static u8);

// SAFETY: never used; it stands for any type of which some instances are elements.
unsafe impl Element for Pick<0> {}
impl spelt::Scalar for Pick<0> {}

#[derive(Element)]
struct Holds<const N: usize>(field!());

impl<const N: usize> Clone for Holds<N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const N: usize> Copy for Holds<N> {}

fn main() {
    let _ = View::from_fn("v", [4], |_| Holds::<1>(Pick(&7)));
}
