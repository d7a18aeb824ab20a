//! A user's items may have any names: the derive's paths mean what they say, or nothing compiles.
#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case)]
use spelt::prelude::*;

type bool = u8;
type usize = u8;
struct Option;
struct Result;
struct Self_;
trait FnMut {}
fn Ok(_: ()) -> Option {
    Option
}
fn spelt_same() {}
fn spelt_args() {}
struct SpeltMember0;

#[derive(KernelArgs)]
struct Fields<'k, 'borrow, 'visited, SpeltMember1: Element> {
    r#type: &'k View<SpeltMember1, 1>,
    spelt_args: &'borrow mut View<SpeltMember1, 1>,
    args: (&'visited View<f64, 1>, SpeltMember1),
}

pub(crate) fn main() {
    let (x, mut y) = (View::from_fn("x", [4], |[i]| i as f32).unwrap(), View::<f32, 1>::zeros("y", [4]).unwrap());
    let z = View::<f64, 1>::zeros("z", [4]).unwrap();
    let mut fields = Fields { r#type: &x, spelt_args: &mut y, args: (&z, 2.0) };
    for _ in 0..2 {
        parallel_for("k", Serial::new().range(0..4), &mut fields, |i, mut f| {
            f.spelt_args[i] += f.r#type[i] * f.args.1 + f.args.0[i] as f32;
        })
        .unwrap();
    }
    assert_eq!(y.to_vec(), [0.0, 4.0, 8.0, 12.0]);
}
