//! Objects of several types in one View, whose methods a kernel calls.
//!
//! In C++ an object holds the address of its table of functions, so that a kernel of the device must construct it there. An element of a
//! View is plain data, without addresses: an enum, which holds one of the types and a number that says which. A kernel calls the trait's
//! method on the enum, or borrows what is in it as `&dyn Foo`.
//!
//! The same program as Kokkos's exercise virtualfunction:
//! ```text
//! cargo run --release --example virtualfunction -- -space threads
//! ```
#![deny(unsafe_code)] // `forbid` rejects the impl that `#[derive(Element)]` writes.

mod common;

use std::process::ExitCode;

use spelt::prelude::*;
use spelt::{Error, ErrorKind};

use common::say;

trait Foo {
    fn value(&self) -> i32;
}

#[derive(Clone, Copy, Element)]
struct Foo1 {
    val: i32,
}

#[derive(Clone, Copy, Element)]
struct Foo2 {
    val: i32,
}

impl Foo for Foo1 {
    fn value(&self) -> i32 {
        self.val
    }
}

impl Foo for Foo2 {
    fn value(&self) -> i32 {
        self.val
    }
}

/// An object of either type.
#[derive(Clone, Copy, Element)]
#[repr(u32)]
enum Object {
    Foo1(Foo1),
    Foo2(Foo2),
}

impl Object {
    fn as_foo(&self) -> &dyn Foo {
        match self {
            Object::Foo1(object) => object,
            Object::Foo2(object) => object,
        }
    }
}

impl Foo for Object {
    fn value(&self) -> i32 {
        match self {
            Object::Foo1(object) => object.value(),
            Object::Foo2(object) => object.value(),
        }
    }
}

fn main() -> ExitCode {
    let choice = common::space("Values of two objects of different types");
    common::exit_code(with_space!(choice, |space| run(&space)))
}

fn run<S: ExecutionSpace>(space: &S) -> spelt::Result<()> {
    // Nothing can read the objects before this launch has made them, and nothing needs to destroy them.
    let objects = space.uninit("objects", [2])?;
    let objects = parallel_fill("CreateObjects", space.range(0..2), objects, (), |i, ()| match i.get() {
        0 => Object::Foo1(Foo1 { val: 1 }),
        _ => Object::Foo2(Foo2 { val: 2 }),
    })?;

    let mut values = [0; 2];
    for (k, value) in values.iter_mut().enumerate() {
        *value = parallel_map_reduce(
            "CheckValues",
            space.range(k..k + 1),
            &objects,
            |i, objects| objects[i].value(),
            Sum::<i32>::new(),
        )?;
    }
    let [value_1, value_2] = values;
    say!("Values: {value_1} {value_2}\n");

    // The same calls through a table of functions, which the compiler has made for the device.
    let sum = parallel_map_reduce(
        "CheckDyn",
        space.range(0..2),
        &objects,
        |i, objects| objects[i].as_foo().value(),
        Sum::<i32>::new(),
    )?;
    if sum != value_1 + value_2 {
        let message = format!("the sum by `dyn` is {sum}, not {}", value_1 + value_2);
        return Err(Error::new(ErrorKind::Extents, message));
    }
    Ok(())
}
