//! Derives Spelt's plain-data marker, `Element`.
//!
//! Programs use it through the facade, which exports trait and derive under one name.
//!
//! # Scope
//! The trait `Element` and its contract are in `spelt-access`.

mod discriminant;
mod element;

use proc_macro::TokenStream;

/// Makes a struct or an enum an `Element`, which a View may hold and a kernel may take by value.
///
/// Each field must be an `Element`, which the compiler tests when all macros and attributes are expanded; the type must also be
/// `Copy`. An enum needs an integer `repr` and a variant of discriminant 0, because a View starts with all bytes
/// zero; for an enum with parameters this is tested where a View of it is made, unless its discriminants are literals.
/// Unions are rejected, because it is unknown which of their fields is valid. Type parameters become `Element`s; lifetime
/// parameters are rejected, because a reference is not plain data.
///
/// Lengths of arrays are literals, names, and simple expressions of them; define a constant for a more complex one.
///
/// The trait is `::spelt::Element` unless `#[element(crate = "path")]` gives another path of the crate.
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
