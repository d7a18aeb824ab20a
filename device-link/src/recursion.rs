//! Functions that call themselves: they run as deep as the device's stack allows.

use std::collections::HashMap;

use crate::graph::Reach;
use crate::llvm::{Function, Module};
use crate::{Diagnostic, place, symbol};

/// Where the functions that may call themselves begin, by symbol. Taken while there is debug information.
pub(crate) type Places = HashMap<String, (String, u32, u32)>;

pub(crate) fn places(module: &Module<'_>) -> Places {
    let mut places = Places::new();
    for function in module.functions() {
        if !function.is_declaration()
            && let Some(place) = place::of_function(function)
        {
            places.insert(function.name().to_owned(), place);
        }
    }
    places
}

/// A warning for each cycle of calls that `kernel` reaches.
pub(crate) fn warnings(name: &str, reach: &Reach<'_>, places: &Places) -> Vec<Diagnostic> {
    let mut search = Search::default();
    for function in &reach.functions {
        if !search.number.contains_key(function) {
            search.visit(*function);
        }
    }
    let warning = |cycle: &Vec<Function<'_>>| {
        let names: Vec<_> =
            cycle.iter().map(|function| format!("`{}`", symbol::readable(function.name()))).collect();
        Diagnostic::warning(name, format!("is recursive: {} -> {}", names.join(" -> "), names[0]))
            .note("a device's stack is small: a deep recursion overflows it, which ends the kernel with an error".to_owned())
            .help("use a loop, or keep the depth low")
            .at(cycle.iter().find_map(|function| places.get(function.name()).cloned()))
    };
    // The handlers of panics may fail in debug builds; a second failure ends the kernel without a report.
    let is_handler = |function: &Function<'_>| function.name().starts_with("__spelt_");
    search.cycles.iter().filter(|cycle| !cycle.iter().any(is_handler)).map(warning).collect()
}

/// Tarjan's strongly connected components (R. Tarjan, Depth-first search and linear graph algorithms, 1972).
#[derive(Default)]
struct Search<'m> {
    number: HashMap<Function<'m>, usize>,
    stack: Vec<Function<'m>>,
    cycles: Vec<Vec<Function<'m>>>,
}

impl<'m> Search<'m> {
    /// Returns the least number that the function's calls lead back to.
    fn visit(&mut self, function: Function<'m>) -> usize {
        let own = self.number.len();
        self.number.insert(function, own);
        self.stack.push(function);
        let mut least = own;
        let mut calls_itself = false;
        for callee in callees(function) {
            calls_itself |= callee == function;
            match self.number.get(&callee) {
                None => least = least.min(self.visit(callee)),
                Some(number) if self.stack.contains(&callee) => least = least.min(*number),
                Some(_) => {}
            }
        }
        if least == own {
            let start = self.stack.iter().position(|entry| *entry == function).expect("it was pushed");
            let component = self.stack.split_off(start);
            if component.len() > 1 || calls_itself {
                self.cycles.push(component);
            }
        }
        least
    }
}

/// The functions that are called by name.
fn callees(function: Function<'_>) -> Vec<Function<'_>> {
    let calls = function.instructions().into_iter().filter_map(|instruction| instruction.as_call());
    let direct = calls.filter_map(|call| call.callee()?.as_function());
    direct.filter(|callee| !callee.is_declaration()).collect()
}
