//! Zero bytes are not a value of a type that holds an enum, at any depth, if they are not a value of the enum.
use spelt::prelude::*;

const START: i8 = 1;

#[derive(Clone, Copy, Element)]
#[repr(i8)]
enum Held<T> {
    One(T) = START,
    Two = -1,
}

#[derive(Clone, Copy, Element)]
struct Holder(Held<u8>);

#[derive(Clone, Copy, Element)]
#[repr(u8)]
enum Choice<T> {
    First(Held<T>),
}

// Without these a check that makes no program would not find it: `core/src/view/compile_fail.rs` has the same without.
const _: () = <[Held<u8>; 2] as Element>::ZERO_IS_A_VALUE;
const _: () = <(u32, Held<u8>) as Element>::ZERO_IS_A_VALUE;
const _: () = <Holder as Element>::ZERO_IS_A_VALUE;
const _: () = <Choice<u8> as Element>::ZERO_IS_A_VALUE;

fn main() {
    let _ = View::<[Held<u8>; 2], 1>::zeros("array", [4]);
    let _ = View::<(u32, Held<u8>), 1>::zeros("tuple", [4]);
    let _ = View::<Holder, 1>::zeros("struct", [4]);
    let _ = View::<Choice<u8>, 1>::zeros("enum", [4]);
}
