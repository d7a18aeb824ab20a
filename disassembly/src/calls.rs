//! The calls of launches' closures that the compiler has left in a program.

use iced_x86::{Instruction, Mnemonic};

use crate::name::{is_body, is_closure_of_algorithm, is_of_user, is_use};
use crate::program::{Function, Place, Program};

/// The use of a closure that was not inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is called.
    Called,
    /// A pointer to it is passed on.
    Pointer,
}

/// A use of a closure by one of Spelt's loops.
#[derive(Clone, Debug)]
pub struct Call<'p> {
    /// The function that holds the closure's code.
    pub closure: &'p Function,
    /// The closure's name in the source: that of `closure`, unless that is Spelt's function around it.
    pub name: String,
    /// The place of the closure in the source.
    pub place: Option<Place>,
    /// The function with the loop.
    pub caller: &'p Function,
    /// The address of the instruction.
    pub address: u64,
    /// How it is used.
    pub kind: Kind,
}

/// All uses of launches' closures that stayed functions of their own, by address.
#[must_use]
pub fn calls(program: &Program) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    for caller in program.functions() {
        for instruction in program.instructions(caller) {
            let Some((target, kind)) = target(&instruction) else { continue };
            let Some(closure) = program.function_at(target).filter(|closure| *closure != caller) else {
                continue;
            };
            if !is_candidate(&closure.name) {
                continue;
            }
            if is_body(&closure.name) || is_used_by_launch(program, instruction.ip(), &closure.name) {
                let (name, place) = source(program, closure);
                found.push(Call { closure, name, place, caller, address: instruction.ip(), kind });
            }
        }
    }
    found
}

/// The address that an instruction goes to, or makes a pointer of.
fn target(instruction: &Instruction) -> Option<(u64, Kind)> {
    if instruction.is_call_near() || instruction.is_jmp_short_or_near() || instruction.is_jcc_short_or_near()
    {
        return Some((instruction.near_branch_target(), Kind::Called));
    }
    let is_pointer = instruction.mnemonic() == Mnemonic::Lea && instruction.is_ip_rel_memory_operand();
    is_pointer.then(|| (instruction.ip_rel_memory_address(), Kind::Pointer))
}

fn is_candidate(name: &str) -> bool {
    is_of_user(name) || is_body(name) || is_closure_of_algorithm(name)
}

/// Whether the instruction that uses `closure` belongs to the function that calls a launch's closure, and not to other code in it.
fn is_used_by_launch(program: &Program, address: u64, closure: &str) -> bool {
    // An algorithm's closure has the user's inside, and closures of its own beside it.
    let is_other = |name: &str| is_of_user(name) || (!is_of_user(closure) && is_closure_of_algorithm(name));
    let frames = program.frames(address);
    frames.iter().take_while(|frame| !is_other(&frame.name)).any(|frame| is_use(&frame.name))
}

/// The name and place of a closure in the source: the user's, if there is one in it.
fn source(program: &Program, closure: &Function) -> (String, Option<Place>) {
    let outermost = |address| program.frames(address).pop().and_then(|frame| frame.place);
    if is_of_user(&closure.name) {
        return (closure.name.clone(), outermost(closure.start));
    }
    let inside = program.instructions(closure).into_iter().find_map(|instruction| {
        program.frames(instruction.ip()).into_iter().rev().find(|frame| is_of_user(&frame.name))
    });
    match inside {
        Some(frame) => (frame.name, frame.place),
        None => (closure.name.clone(), outermost(closure.start)),
    }
}
