//! The place of an instruction or a function in the source.

use crate::llvm::{Function, Instruction, Location, Metadata, MetadataKind};

/// A line of the source, in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// The function.
    pub(crate) symbol: String,
    /// Whether it belongs to the standard library or to Spelt, not to the program.
    pub(crate) is_library: bool,
}

impl Frame {
    pub(crate) fn place(&self) -> (String, u32, u32) {
        (self.file.clone(), self.line, self.column)
    }
}

/// The lines of an instruction: its own first, then those of the calls through which it was inlined.
pub(crate) fn frames(instruction: Instruction<'_>) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut location = instruction.location();
    while let Some(here) = location {
        frames.extend(frame(here));
        location = here.inlined_at();
    }
    frames
}

fn frame(location: Location<'_>) -> Option<Frame> {
    let scope = location.scope()?;
    let (_, file) = scope.file()?;
    let subprogram = enclosing_subprogram(scope)?;
    // Line 0: instructions that optimisation merged from several lines.
    (location.line() > 0).then(|| Frame {
        file: file.to_owned(),
        line: location.line(),
        column: location.column(),
        symbol: subprogram.linkage_name().unwrap_or_default().to_owned(),
        is_library: is_library(subprogram) || is_of_std(file),
    })
}

fn enclosing_subprogram(mut scope: Metadata<'_>) -> Option<Metadata<'_>> {
    while !scope.is(MetadataKind::Subprogram) {
        scope = scope.scope()?;
    }
    Some(scope)
}

/// The crate that a scope or type is part of.
pub(crate) fn crate_of(scope: Metadata<'_>) -> Option<&str> {
    let mut outermost = None;
    let mut next = Some(scope);
    while let Some(here) = next {
        if here.is(MetadataKind::Namespace) {
            outermost = here.name();
        }
        next = here.scope();
    }
    outermost
}

/// Whether the file is std's: macros of std expand in functions of the program.
fn is_of_std(file: &str) -> bool {
    ["core", "alloc", "std"].iter().any(|name| file.contains(&format!("library/{name}/src/")))
}

pub(crate) fn is_library(scope: Metadata<'_>) -> bool {
    match crate_of(scope) {
        Some(name) => {
            matches!(name, "core" | "alloc" | "std" | "compiler_builtins" | "spelt")
                || name.starts_with("spelt_")
        }
        None => false,
    }
}

/// Where a function begins.
pub(crate) fn of_function(function: Function<'_>) -> Option<(String, u32, u32)> {
    of_subprogram(function.subprogram()?)
}

/// Where a function begins, from its entry in the debug information.
pub(crate) fn of_subprogram(subprogram: Metadata<'_>) -> Option<(String, u32, u32)> {
    let (_, file) = subprogram.file()?;
    Some((file.to_owned(), subprogram.subprogram_line(), 0))
}

/// The functions that were inlined into this one.
pub(crate) fn inlined_subprograms(function: Function<'_>) -> Vec<Metadata<'_>> {
    let mut found = Vec::new();
    for instruction in function.instructions() {
        let mut location = instruction.location();
        while let Some(here) = location {
            found.extend(here.scope().and_then(enclosing_subprogram));
            location = here.inlined_at();
        }
    }
    found
}
