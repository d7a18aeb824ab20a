//! Derives Spelt's plain-data marker, `Element`, `KernelArgs` for structs of arguments, and `Portable`.
//!
//! Programs use them through the facade, which exports each trait and its derive under one name.
//!
//! # Scope
//! The traits and their contracts are in `spelt-access`, and `Portable` in `spelt-core`.

mod discriminant;
mod element;
mod kernel_args;
mod path;
mod portable;

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
/// # Examples
/// ```standalone_crate
/// # extern crate spelt_core as spelt;
/// # use spelt::{Element, View};
/// # fn main() -> Result<(), spelt::Error> {
/// #[derive(Clone, Copy, Element)]
/// struct Particle { position: [f64; 3], charge: f32 }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Element)]
/// #[repr(u8)]
/// enum Cell { Empty, Fluid { pressure: f32 }, Wall }
///
/// let particles = View::from_fn("particles", [2], |[i]| Particle { position: [0.0; 3], charge: i as f32 })?;
/// let mut cells = View::<Cell, 1>::zeros("cells", [2])?;
/// cells[1] = Cell::Fluid { pressure: particles[1].charge };
/// assert_eq!(cells.to_vec(), [Cell::Empty, Cell::Fluid { pressure: 1.0 }]);
/// # let _ = (Cell::Wall, particles[0].position);
/// # Ok(())
/// # }
/// ```
#[proc_macro_derive(Element, attributes(element))]
pub fn derive_element(input: TokenStream) -> TokenStream {
    let code = element::parse(input.into()).and_then(|input| element::expand(&input));
    code.unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Makes a struct the arguments of a kernel, which receives a struct of accessors with the same field names.
///
/// Each field is an argument: `&View`, `&mut View`, an adapted View, an element, or a tuple, an array or a struct of them. A launch
/// takes the struct, or a mutable reference to it, so that one struct serves many launches. The struct of accessors has the name of this
/// one followed by `Access`, or the name in `#[kernel_args(access = "Name")]`. Functions that a kernel calls take it by that name, with
/// the kernel's lifetime before the struct's own.
///
/// The trait is `::spelt::KernelArgs` unless `#[kernel_args(crate = "path")]` gives another path of the crate.
///
/// The generated `unsafe impl` allows itself under `#![deny(unsafe_code)]`; under `forbid` it cannot.
///
/// # Examples
/// ```standalone_crate
/// # extern crate spelt_core as spelt;
/// # use spelt::{ExecutionSpace, Idx, KernelArgs, Serial, View, parallel_for, parallel_map_reduce, reducers::Sum};
/// #[derive(KernelArgs)]
/// struct Fields<'a> { dt: f64, velocity: &'a View<f64, 1>, position: &'a mut View<f64, 1> }
///
/// fn kinetic<'k>(i: Idx<'k, 1>, f: &FieldsAccess<'k, '_>) -> f64 { 0.5 * f.velocity[i] * f.velocity[i] }
///
/// # fn main() -> Result<(), spelt::Error> {
/// # let (space, n) = (Serial::new(), 8);
/// # let (velocity, mut position) = (View::from_fn("velocity", [n], |_| 2.0)?, View::zeros("position", [n])?);
/// let mut fields = Fields { dt: 0.5, velocity: &velocity, position: &mut position };
/// parallel_for("move", space.range(0..n), &mut fields, |i, mut f| f.position[i] += f.dt * f.velocity[i])?;
/// let energy = parallel_map_reduce("energy", space.range(0..n), fields, |i, f| kinetic(i, &f), Sum::<f64>::new())?;
/// assert_eq!((position[7], energy), (1.0, 16.0));
/// # Ok(())
/// # }
/// ```
#[proc_macro_derive(KernelArgs, attributes(kernel_args))]
pub fn derive_kernel_args(input: TokenStream) -> TokenStream {
    let code = syn::parse(input).and_then(|input| kernel_args::expand(&input));
    code.unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Makes a struct or an enum `Portable`: values go as bytes into messages, files and `Part`s, and come back, on another machine too.
///
/// Each field must be `Portable`, and type parameters become so. The bytes are those of the fields, in the order of their declaration; of an
/// enum first the number of the variant, counted from 0, as a `u32`. So another order of fields or variants is another form.
/// Unions are rejected, because it is unknown which of their fields is valid.
///
/// The trait is `::spelt::Portable` unless `#[portable(crate = "path")]` gives another path of the crate.
///
/// # Examples
/// ```standalone_crate
/// # extern crate spelt_core as spelt;
/// # use spelt::Portable;
/// #[derive(Debug, PartialEq, Portable)]
/// struct Moments<T> { count: u64, mean: T }
///
/// #[derive(Debug, PartialEq, Portable)]
/// enum Cell { Empty, Fluid { pressure: f32 }, Mixed(Moments<f64>, bool) }
///
/// let mut bytes = Vec::new();
/// Cell::Fluid { pressure: 1.5 }.write(&mut bytes);
/// assert_eq!(bytes, [1, 0, 0, 0, 0, 0, 0xc0, 0x3f]);
/// for cell in [Cell::Empty, Cell::Mixed(Moments { count: 3, mean: 0.5 }, true)] {
///     let mut bytes = Vec::new();
///     cell.write(&mut bytes);
///     let mut rest = &bytes[..];
///     assert_eq!((Cell::read(&mut rest), rest), (Some(cell), &[][..]));
/// }
/// assert_eq!(Cell::read(&mut &[3, 0, 0, 0][..]), None);
/// ```
#[proc_macro_derive(Portable, attributes(portable))]
pub fn derive_portable(input: TokenStream) -> TokenStream {
    let code = syn::parse(input).and_then(|input| portable::expand(&input));
    code.unwrap_or_else(|error| error.into_compile_error()).into()
}
