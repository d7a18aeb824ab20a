//! The graph of references: functions, through instructions and through constants.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::llvm::{Function, Global, Instruction, Value};

/// A function or global that an instruction refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Referred<'m> {
    Function(Function<'m>),
    Global(Global<'m>),
}

/// The functions and globals that an instruction names, also inside constants: tables of trait objects and the like.
pub(crate) fn referred(instruction: Instruction<'_>) -> Vec<Referred<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut queue: Vec<Value<'_>> = instruction.operands().collect();
    while let Some(value) = queue.pop() {
        if !value.is_constant() || !seen.insert(value) {
            continue;
        }
        if let Some(function) = value.as_function() {
            found.push(Referred::Function(function));
        } else if let Some(global) = value.as_global() {
            found.push(Referred::Global(global));
            queue.extend(global.initializer());
        } else {
            queue.extend(value.operands());
        }
    }
    found
}

/// The functions that a kernel reaches, each with the instruction that led to it.
#[derive(Debug)]
pub(crate) struct Reach<'m> {
    /// In the order of distance.
    pub(crate) functions: Vec<Function<'m>>,
    through: HashMap<Function<'m>, Instruction<'m>>,
}

impl<'m> Reach<'m> {
    pub(crate) fn of(kernel: Function<'m>) -> Self {
        let mut reach = Self { functions: Vec::new(), through: HashMap::new() };
        let mut seen = HashSet::from([kernel]);
        let mut queue = VecDeque::from([kernel]);
        while let Some(function) = queue.pop_front() {
            reach.functions.push(function);
            for instruction in function.instructions() {
                for referred in referred(instruction) {
                    if let Referred::Function(callee) = referred
                        && !callee.is_declaration()
                        && seen.insert(callee)
                    {
                        reach.through.insert(callee, instruction);
                        queue.push_back(callee);
                    }
                }
            }
        }
        reach
    }

    /// The instructions from `last` up to the kernel: `last`, the call of its function, the call of that call's function, ..
    pub(crate) fn way(&self, last: Instruction<'m>) -> Vec<Instruction<'m>> {
        let mut way = vec![last];
        while let Some(next) =
            way.last().and_then(|last| last.function()).and_then(|caller| self.through.get(&caller))
        {
            way.push(*next);
        }
        way
    }
}
