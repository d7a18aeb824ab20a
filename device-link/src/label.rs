//! The label of a kernel's launch: a literal that the host passes, with the kernel's type, down to the entry.

use std::collections::{HashSet, VecDeque};

use crate::llvm::{Function, Module, Value};

/// Calls between the launch that a program writes and the function that names the entry.
const DEPTH: usize = 12;

/// The label of `entry`: functions that refer to it are generic over its closure, and so are their callers, up to the
/// program's own function; the first call on the way that passes a literal first passes the label.
pub(crate) fn find(module: &Module<'_>, entry: &str) -> Option<String> {
    let mut seen: HashSet<Function<'_>> = HashSet::new();
    let mut queue: VecDeque<(Function<'_>, usize)> = VecDeque::from([(module.function(entry)?, 0)]);
    while let Some((function, depth)) = queue.pop_front() {
        for instruction in instructions_with(*function) {
            if let Some(call) = instruction.as_call()
                && call.callee() == Some(*function)
                && let Some(label) = literal(&call.arguments())
            {
                return Some(label);
            }
            let Some(caller) = instruction.function() else { continue };
            if depth < DEPTH && seen.insert(caller) {
                queue.push_back((caller, depth + 1));
            }
        }
    }
    None
}

/// The instructions that have `value` as an operand, directly or inside a constant.
fn instructions_with<'m>(value: Value<'m>) -> Vec<crate::llvm::Instruction<'m>> {
    let mut found = Vec::new();
    for user in value.users() {
        match user.as_instruction() {
            Some(instruction) => found.push(instruction),
            None if user.as_global().is_none() => found.extend(instructions_with(user)),
            None => {}
        }
    }
    found
}

/// The first arguments that are a literal text: others may come before them, such as a pointer to where the result goes, or
/// the policy if the compiler has inlined the function whose first argument was the label.
fn literal(arguments: &[Value<'_>]) -> Option<String> {
    (0..arguments.len()).find_map(|skipped| match arguments.get(skipped..)? {
        [start, length, ..] => {
            let length = usize::try_from(length.as_integer()?).ok()?;
            let bytes = start.as_global()?.bytes()?;
            let text = core::str::from_utf8(bytes.get(..length)?).ok()?;
            Some(text.to_owned())
        }
        _ => None,
    })
}
