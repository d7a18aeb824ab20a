//! `derive(Element)`: types that it accepts. The crate's compile-fail tests and those of the derive have those it refuses.

#![deny(unsafe_code)]

use spelt_core::{Element, View};

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
struct Particle {
    position: [f64; 3],
    charge: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
struct Pair<A, B = f32, const N: usize = 2>(A, [B; N], std::marker::PhantomData<A>)
where
    A: PartialEq;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
struct Nothing;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
#[repr(u8)]
enum Cell {
    Wall = 2,
    Empty = 0,
    Fluid { pressure: f32, wet: bool },
}

const FIRST: i16 = -1;

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
#[repr(i16)]
enum Known {
    Minus = FIRST,
    Zero,
}

macro_rules! field {
    () => {
        [T; N]
    };
}

#[derive(Element)]
#[element(crate = "spelt_core")]
struct Macro<T, const N: usize>(field!(), std::marker::PhantomData<Self>);

impl<T: Copy, const N: usize> Clone for Macro<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy, const N: usize> Copy for Macro<T, N> {}

#[derive(Clone, Copy, Element)]
#[element(crate = "spelt_core")]
#[repr(C, packed)]
struct Packed {
    r#type: u8,
    value: f64,
    #[cfg(any())]
    name: &'static str,
}

/// Items that have the names of bindings in the derive's patterns.
#[allow(non_upper_case_globals, non_camel_case_types, dead_code, reason = "such names are the point")]
mod names {
    use spelt_core::Element;

    pub(crate) const value: u8 = 7;
    const spelt_value: &u8 = &7;
    const spelt_field_0: u8 = 7;
    static spelt_field_1: f32 = 7.0;
    struct spelt_field_2;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(crate = "spelt_core")]
    pub(crate) struct Struct(pub(crate) u8, pub(crate) f32, pub(crate) [u8; 2]);

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(crate = "spelt_core")]
    #[repr(u8)]
    pub(crate) enum Enum {
        Nothing = 0,
        One { spelt_field_0: u8 },
        Three(u8, f32, [u8; value as usize]),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[element(crate = "spelt_core")]
    pub(crate) struct Parameter<const spelt_field_0: usize>(pub(crate) [u8; spelt_field_0]);
}

#[test]
fn items_may_have_any_names() {
    let v = View::from_fn("v", [2], |_| names::Struct(1, 2.0, [3, names::value])).unwrap();
    assert_eq!(v[1], names::Struct(1, 2.0, [3, 7]));
    let v = View::<names::Enum, 1>::zeros("v", [2]).unwrap();
    assert_eq!(v[1], names::Enum::Nothing);
    let v = View::from_fn("v", [1], |_| names::Parameter([4; 5])).unwrap();
    assert_eq!(v[0], names::Parameter([4; 5]));
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[element(crate = "spelt_core")]
#[repr(C, i8)]
enum Option<T> {
    Some(T) = 1,
    None = 0,
    #[cfg(any())]
    Reference(&'static T),
}

#[test]
fn fields_are_what_the_compiler_takes_them_for() {
    let v = View::<Macro<Packed, 3>, 1>::zeros("v", [2]).unwrap();
    let Packed { r#type, value } = v[1].0[2];
    assert_eq!((r#type, value), (0, 0.0));
    let v = View::from_fn("v", [2], |[i]| if i == 0 { Option::None } else { Option::Some(1.5) }).unwrap();
    assert_eq!(v.to_vec(), [Option::None, Option::Some(1.5)]);
}

#[test]
fn all_bytes_zero_is_a_value() {
    let particles = View::<Particle, 1>::zeros("p", [2]).unwrap();
    assert_eq!(particles[1], Particle { position: [0.0; 3], charge: 0.0 });
    let cells = View::<Cell, 1>::zeros("c", [2]).unwrap();
    assert_eq!(cells[0], Cell::Empty);
    assert_eq!(View::<Known, 0>::zeros("k", []).unwrap().value(), Known::Zero);
    let pairs = View::<Pair<u8>, 1>::zeros("p", [1]).unwrap();
    assert_eq!(pairs[0], Pair(0, [0.0; 2], std::marker::PhantomData));
    assert_eq!(View::<Nothing, 1>::zeros("n", [1]).unwrap()[0], Nothing);
}

#[test]
fn elements_of_any_kind_are_kept() {
    let cells = View::from_fn("c", [3], |[i]| match i {
        0 => Cell::Wall,
        1 => Cell::Fluid { pressure: 1.5, wet: true },
        _ => Cell::Empty,
    })
    .unwrap();
    assert_eq!(cells.to_vec(), [Cell::Wall, Cell::Fluid { pressure: 1.5, wet: true }, Cell::Empty]);
    assert_eq!(View::from_fn("k", [1], |_| Known::Minus).unwrap()[0], Known::Minus);
}
