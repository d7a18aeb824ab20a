//! Functions that never return: panics become calls of the handlers `__spelt_panic_*`, which report and trap.

use std::collections::HashSet;

use crate::llvm::{Builder, Function, Module, Place, Value};
use crate::symbol;

/// The handlers that device crates define. Those of panics take the caller's location behind their own parameters.
const FORMAT: &str = "__spelt_panic_fmt";
const BOUNDS: &str = "__spelt_panic_bounds";
const MESSAGE: &str = "__spelt_panic_message";

/// The end of a kernel where there is no handler; intrinsics.ll has its body.
pub(crate) const TRAP: &str = "__spelt_trap";

/// Functions that get a body, which reports through a handler with the same parameters.
const VIEWS: [(&str, &str); 3] = [
    ("spelt_access::failure::out_of_bounds", "__spelt_view_bounds"),
    ("spelt_access::failure::out_of_slab", "__spelt_view_slab"),
    ("spelt_access::failure::beyond_halo", "__spelt_view_halo"),
];

/// Texts of `core::panicking::panic_const`, by the function's name.
const CONSTANT_TEXTS: [(&str, &str); 17] = [
    ("panic_const_add_overflow", "attempt to add with overflow"),
    ("panic_const_sub_overflow", "attempt to subtract with overflow"),
    ("panic_const_mul_overflow", "attempt to multiply with overflow"),
    ("panic_const_div_overflow", "attempt to divide with overflow"),
    ("panic_const_rem_overflow", "attempt to calculate the remainder with overflow"),
    ("panic_const_neg_overflow", "attempt to negate with overflow"),
    ("panic_const_shr_overflow", "attempt to shift right with overflow"),
    ("panic_const_shl_overflow", "attempt to shift left with overflow"),
    ("panic_const_div_by_zero", "attempt to divide by zero"),
    ("panic_const_rem_by_zero", "attempt to calculate the remainder with a divisor of zero"),
    ("unwrap_failed", "called `Option::unwrap()` on a `None` value"),
    ("unreachable_unchecked", "unreachable code was reached"),
    ("panic_explicit", "explicit panic"),
    ("panic_cannot_unwind", "panic in a function that cannot unwind"),
    ("panic_misaligned_pointer_dereference", "an access through a pointer that is not aligned for its type"),
    ("panic_null_pointer_dereference", "an access through a null pointer"),
    ("panic_invalid_enum_construction", "a value that is not a variant of its enum"),
];

/// Functions of core whose first two parameters are the message.
const WITH_TEXT: [&str; 7] = [
    "core::panicking::panic",
    "core::panicking::panic_str_2015",
    "core::panicking::panic_nounwind",
    "core::panicking::panic_nounwind_nobacktrace",
    "core::panicking::unreachable_display",
    "core::option::expect_failed",
    "core::result::unwrap_failed",
];

/// Functions of core that do not get the location of their caller.
const WITHOUT_LOCATION: [&str; 4] = [
    "core::panicking::panic_nounwind",
    "core::panicking::panic_nounwind_nobacktrace",
    "core::panicking::panic_cannot_unwind",
    "core::panicking::panic_in_cleanup",
];

/// The report that replaces a function.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Report {
    Format,
    Bounds,
    /// The message is in the first two arguments.
    Given,
    /// `assert_eq!` or `assert_ne!`, as the first argument says.
    Comparison,
    Text(String),
    /// A handler with the function's own parameters.
    View(&'static str),
}

impl Report {
    /// The handler without which the function keeps its own body.
    fn handler(&self) -> Option<&'static str> {
        if let Self::View(handler) = self { Some(handler) } else { None }
    }
}

/// The report of a function that never returns, if it is one of those that panic.
fn report(path: &str) -> Option<Report> {
    match path {
        "core::panicking::panic_fmt" | "core::panicking::panic_nounwind_fmt" => return Some(Report::Format),
        "core::panicking::panic_bounds_check" => return Some(Report::Bounds),
        "core::panicking::assert_failed" | "core::panicking::assert_failed_inner" => {
            return Some(Report::Comparison);
        }
        path if WITH_TEXT.contains(&path) => return Some(Report::Given),
        _ => {}
    }
    if let Some((_, handler)) = VIEWS.iter().find(|(known, _)| *known == path) {
        return Some(Report::View(handler));
    }
    // Functions of other crates that never return have bodies, which panic in one of these ways.
    let of_core =
        path.starts_with("core::") || path.starts_with("alloc::") && !path.contains("handle_alloc_error");
    let of_std = path == "std::panicking::begin_panic" || path == "std::rt::begin_panic";
    if !(of_core || of_std) {
        return None;
    }
    let name = path.rsplit("::").next().unwrap_or(path);
    let text = CONSTANT_TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    Some(Report::Text(text.unwrap_or_else(|| format!("panicked in {path}"))))
}

/// Gives declared functions that panic a body that reports.
pub(crate) fn retarget(module: &Module<'_>, handlers: &HashSet<String>) {
    for function in module.functions() {
        if function.is_declaration() && !function.users().is_empty() {
            replace(module, function, handlers);
        }
    }
}

/// Defines in `module` the functions that panic and that `offered`, which is to be linked next, defines: so theirs, which
/// format messages and unwind, stay out.
pub(crate) fn shield(module: &Module<'_>, offered: &Module<'_>, handlers: &HashSet<String>) {
    for function in offered.functions() {
        if function.is_declaration()
            || module.function(function.name()).is_some_and(|known| !known.is_declaration())
        {
            continue;
        }
        replace(module, function, handlers);
    }
}

/// Defines `function`, which may be another module's, in `module`, if it is one that panics.
fn replace(module: &Module<'_>, function: Function<'_>, handlers: &HashSet<String>) {
    if function.is_intrinsic() || !function.has_attribute(Place::Function, "noreturn") {
        return;
    }
    let path = symbol::path(function.name());
    if let Some(report) = report(&path)
        && report.handler().is_none_or(|handler| handlers.contains(handler))
    {
        let function = module
            .function(function.name())
            .unwrap_or_else(|| module.declare_like(function.name(), function));
        write_body(module, function, &report, &path, handlers);
    }
}

fn write_body<'m>(
    module: &'m Module<'_>,
    function: Function<'m>,
    report: &Report,
    path: &str,
    handlers: &HashSet<String>,
) {
    for attribute in ["noinline", "minsize", "optsize"] {
        function.remove_attribute(Place::Function, attribute);
    }
    function.set_linkage(crate::llvm::Linkage::External);
    let builder = Builder::body(function);
    let name = match report {
        Report::Format => FORMAT,
        Report::Bounds => BOUNDS,
        Report::View(handler) => handler,
        _ => MESSAGE,
    };
    if handlers.contains(name)
        && let Some(arguments) = arguments(module, &builder, function, report, path)
    {
        let handler = module.function(name).unwrap_or_else(|| module.declare(name, &arguments));
        builder.call(handler, &arguments);
    } else if let Some(trap) = module.function(TRAP) {
        builder.call(trap, &[]);
    }
    builder.unreachable();
}

/// The arguments of the handler; `None` if the function's parameters are not the expected ones.
fn arguments<'m>(
    module: &'m Module<'_>,
    builder: &Builder<'m>,
    function: Function<'m>,
    report: &Report,
    path: &str,
) -> Option<Vec<Value<'m>>> {
    let parameters = function.parameters();
    let location = match parameters.last() {
        Some(last) if last.value_type().is_pointer() && !WITHOUT_LOCATION.contains(&path) => *last,
        _ => unknown_location(module, builder),
    };
    let text = |text: &str| {
        let constant = module.add_constant("spelt_message", builder.string(text), 1);
        [constant, builder.integer(64, text.len() as u64)]
    };
    let [start, length] = match report {
        Report::Format => {
            // A flag that asks for a backtrace may lie between them.
            if let [template, arguments, .., location] = parameters[..]
                && arguments.value_type().is_pointer()
            {
                return Some(vec![template, literal_only(builder, arguments), location]);
            }
            return Some(parameters);
        }
        Report::Bounds | Report::View(_) => return Some(parameters),
        Report::Given => match parameters[..] {
            [start, length, ..]
                if start.value_type().is_pointer() && length.value_type().integer_bits().is_some() =>
            {
                [start, length]
            }
            // `unreachable_display`, whose message is a value of any type.
            _ => text("internal error: entered unreachable code"),
        },
        Report::Comparison => {
            let kind = *parameters.first()?;
            kind.value_type().integer_bits()?;
            let unequal = builder.lowest_bit(kind);
            let [equal, unequal_text] =
                ["assertion `left == right` failed", "assertion `left != right` failed"].map(text);
            [builder.select(unequal, unequal_text[0], equal[0]), equal[1]]
        }
        Report::Text(message) => text(message),
    };
    Some(vec![start, length, location])
}

/// `fmt::Arguments` is a template and a pointer to values; a literal message has its length in the pointer's place, marked
/// by the lowest bit. Handlers read literals only. Values are dropped here (an empty literal replaces them), so that the
/// code that formats them is dropped too.
fn literal_only<'m>(builder: &Builder<'m>, arguments: Value<'m>) -> Value<'m> {
    let is_literal = builder.lowest_bit(builder.pointer_to_integer(arguments));
    let empty_literal = builder.integer_to_pointer(builder.integer(64, 1));
    builder.select(is_literal, arguments, empty_literal)
}

/// A `core::panic::Location` for functions that get none: file, line and column, as rustc lays them out.
fn unknown_location<'m>(module: &'m Module<'_>, builder: &Builder<'m>) -> Value<'m> {
    const NAME: &str = "<unknown>";
    let file = module.add_constant("spelt_file", builder.string(NAME), 1);
    let fields =
        [file, builder.integer(64, NAME.len() as u64), builder.integer(32, 0), builder.integer(32, 0)];
    module.add_constant("spelt_location", builder.structure(&fields), 8)
}
