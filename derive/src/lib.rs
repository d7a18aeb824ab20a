//! Derives Spelt's plain-data marker, `Element`.
//!
//! Programs use it through the facade, which exports trait and derive under one name.
//!
//! # What this crate does not do
//! It defines no trait: `spelt-access` has `Element` and says what it promises. In the reading order this crate stands
//! beside the Views.

mod discriminant;
mod element;

use proc_macro::TokenStream;

/// Makes a struct or an enum an `Element`: what a View may hold and a kernel may take by value.
///
/// Each field must be an `Element`, which the compiler tests when all macros and attributes are expanded; the type must be
/// `Copy` as well. An enum needs an integer `repr` and a variant of discriminant 0, because a View starts with all bytes
/// zero; of an enum with parameters that is tested where a View of it is made, unless its discriminants are literals.
/// Unions are refused: nobody can tell which of their fields is valid. Type parameters become `Element`s; lifetime
/// parameters are refused, because a reference is no plain data.
///
/// Lengths of arrays are literals, names, and simple expressions of them: a longer one goes into a constant, and its name here.
///
/// The trait is named `::spelt::Element` unless `#[element(crate = "path")]` says where else the crate is.
///
/// The generated `unsafe impl` allows itself under `#![deny(unsafe_code)]`; under `forbid` it cannot.
///
/// ```ignore
/// #[derive(Clone, Copy, Element)]
/// struct Particle { position: [f64; 3], charge: f32 }
///
/// #[derive(Clone, Copy, Element)]
/// #[repr(u8)]
/// enum Cell { Empty, Fluid { pressure: f32 }, Wall }
/// ```
#[proc_macro_derive(Element, attributes(element))]
pub fn derive_element(input: TokenStream) -> TokenStream {
    let code = element::parse(input.into()).and_then(|input| element::expand(&input));
    code.unwrap_or_else(|error| error.into_compile_error()).into()
}
