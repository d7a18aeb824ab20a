#![doc = include_str!("../README.md")]

mod calls;
mod loops;
mod name;
mod program;

pub use calls::{Call, Kind, calls};
pub use iced_x86::Instruction;
pub use loops::{
    Loop, calls_a_function, has_masked_access, is_constant, is_on_stack, loops, stores, text, uses_zmm,
};
pub use name::is_of_user;
pub use program::{Frame, Function, Place, Program};
