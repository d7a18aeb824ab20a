//! Programs that the compiler must refuse, each beside a twin that it accepts.
//!
//! An exclusive part while the View is borrowed otherwise:
//! ```
//! use spelt_core::View;
//! let mut v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! v.subview_mut(0..2).fill(1);
//! v.subview_mut(1..3).fill(2);
//! ```
//! ```compile_fail,E0499
//! use spelt_core::View;
//! let mut v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! let mut a = v.subview_mut(0..2);
//! v.subview_mut(1..3).fill(2);
//! a.fill(1);
//! ```
//! ```compile_fail,E0502
//! use spelt_core::View;
//! let mut v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! let a = v.view();
//! v.fill(2);
//! assert_eq!(a[0], 0);
//! ```
//!
//! Copying a View onto a part of itself:
//! ```
//! use spelt_core::{View, deep_copy};
//! let mut v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! let (mut low, high) = v.view_mut().split_outer_at(2);
//! deep_copy(&mut low, &high).unwrap();
//! ```
//! ```compile_fail,E0502
//! use spelt_core::{View, deep_copy};
//! let mut v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! deep_copy(&mut v.subview_mut(0..2), &v.subview(1..3)).unwrap();
//! ```
//!
//! A View as a handle, or one that outlives its memory:
//! ```
//! use spelt_core::View;
//! let v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! let w = v.to_host().unwrap();
//! ```
//! ```compile_fail,E0599
//! use spelt_core::View;
//! let v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! let w: View<i32, 1> = v.clone();
//! ```
//! ```compile_fail,E0597
//! use spelt_core::{View, ViewRef};
//! let part: ViewRef<'_, i32, 1>;
//! {
//!     let v = View::<i32, 1>::zeros("v", [4]).unwrap();
//!     part = v.subview(1..3);
//! }
//! assert_eq!(part[0], 0);
//! ```
//!
//! Writing through a shared View, a View of an array that somebody else writes, and a copied exclusive View:
//! ```compile_fail,E0594
//! use spelt_core::View;
//! let v = View::<i32, 1>::zeros("v", [4]).unwrap();
//! v.view()[0] = 1;
//! ```
//! ```compile_fail,E0506
//! use spelt_core::ViewRef;
//! let mut numbers = [1, 2, 3];
//! let v = ViewRef::from(&numbers[..]);
//! numbers[0] = 4;
//! assert_eq!(v[0], 1);
//! ```
//! ```compile_fail,E0382
//! use spelt_core::ViewMut;
//! let mut numbers = [1, 2, 3];
//! let v = ViewMut::from(&mut numbers[..]);
//! let (a, b) = (v, v);
//! ```
//!
//! Elements that are not plain data:
//! ```
//! use spelt_core::{Element, View};
//! #[derive(Clone, Copy, Element)]
//! #[element(crate = "spelt_core")]
//! struct Cell { value: f64, neighbours: [u32; 4] }
//! let v = View::<Cell, 1>::zeros("v", [4]).unwrap();
//! ```
//! ```compile_fail,E0277
//! let v = spelt_core::View::<&'static str, 1>::zeros("v", [4]);
//! ```
//! ```compile_fail,E0277
//! let v = spelt_core::View::<std::num::NonZeroU32, 1>::zeros("v", [4]);
//! ```
//! ```compile_fail,E0277
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! struct Cell { value: f64, name: &'static str }
//! ```
//! ```compile_fail,E0277
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! struct Function<T>(T, fn(T) -> T);
//! spelt_core::View::<Function<f64>, 1>::zeros("v", [4]);
//! ```
//! ```compile_fail,E0277
//! #[derive(spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! struct NotCopy(f64);
//! ```
//! ```compile_fail,E0080
//! const START: u8 = 1;
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! #[repr(u8)]
//! enum Never { Zero = START, Two }
//! ```
//! ```compile_fail,E0080
//! const START: u8 = 1;
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! #[repr(u8)]
//! enum Held<T> { One(T) = START, Two }
//! spelt_core::View::<Held<f64>, 1>::zeros("v", [4]);
//! ```
//! ```compile_fail,E0080
//! const START: u8 = 1;
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! #[repr(u8)]
//! enum Held<T> { One(T) = START, Two }
//! spelt_core::View::<(u32, [Held<u8>; 2]), 1>::zeros("v", [4]);
//! ```
//! ```compile_fail
//! #[derive(Clone, Copy, spelt_core::Element)]
//! #[element(crate = "spelt_core")]
//! union Either { a: u32, b: f32 }
//! ```
//!
//! Subviews that do not fit the rank, and ranks above 8:
//! ```compile_fail,E0277
//! let v = spelt_core::View::<f64, 2>::zeros("v", [4, 4]).unwrap();
//! v.subview((1, 2, 3));
//! ```
//! ```compile_fail,E0080
//! let v = spelt_core::View::<f64, 9>::zeros("v", [1; 9]);
//! ```
//!
//! An index on the host of a type, or in a memory, of one's own:
//! ```
//! struct Mine;
//! trait Index<M> {}
//! impl Index<Mine> for u32 {}
//! ```
//! ```compile_fail,E0277
//! struct Mine;
//! use spelt_core::HostIndex as Index;
//! impl Index<Mine, 1> for u32 {}
//! ```
