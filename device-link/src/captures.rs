//! The proof, from the types in the debug information, that kernel parameters contain no addresses of the host.
//!
//! Everything that a launch copies to a device is in the type of its entry's parameter. That type is walked as a whole:
//! members, variants of enums, unions, arrays, closures in closures. References, function pointers and trait objects are
//! refused wherever they are; raw pointers outside Spelt's own types, which hold addresses of the device. So are types
//! behind those: a reducer's value returns to the host, where an address of the device is meaningless too.

use std::collections::{HashMap, HashSet};

use crate::Diagnostic;
use crate::llvm::{Function, Metadata, MetadataKind, Module};
use crate::place;

/// Crates whose types may hold raw pointers: accessors and Views, memory of kernels, parameters of kernels.
const TRUSTED: [&str; 3] = ["spelt_access", "spelt_kernels_gpu", "spelt_core"];

/// DWARF's tags.
mod tag {
    pub(super) const ARRAY: u16 = 0x01;
    pub(super) const ENUMERATION: u16 = 0x04;
    pub(super) const POINTER: u16 = 0x0f;
    pub(super) const STRUCTURE: u16 = 0x13;
    pub(super) const TYPEDEF: u16 = 0x16;
    pub(super) const UNION: u16 = 0x17;
    pub(super) const BASE: u16 = 0x24;
    pub(super) const VARIANT_PART: u16 = 0x33;
}

/// The reason why a type was rejected: the names of the members on the way, outermost first, each with its closure if it belongs to
/// one.
#[derive(Debug)]
struct Finding {
    kind: Kind,
    type_name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reference,
    Pointer,
    FunctionPointer,
    TraitObject,
    Cell,
    Incomplete,
}

#[derive(Default)]
struct Walk<'m> {
    path: Vec<Step<'m>>,
    /// Types without a finding, each with whether it was in one of Spelt's own, and behind one of their pointers.
    clean: HashSet<(Metadata<'m>, bool, bool)>,
    /// Captures, or other members, that were reported already.
    reported: HashSet<(Metadata<'m>, &'m str)>,
    /// Whether the walk is behind a pointer of Spelt's own, so in memory that all threads share.
    shared: bool,
}

#[derive(Clone, Copy, Debug)]
struct Step<'m> {
    owner: Metadata<'m>,
    member: &'m str,
}

/// The parts of `entry`'s parameter that a device must not get, as errors.
///
/// `closure`: the subprogram of the closure that the entry runs.
pub(crate) fn check(entry: Function<'_>, closure: Option<Metadata<'_>>, kernel: &str) -> Vec<Diagnostic> {
    let place = closure.and_then(place::of_subprogram);
    let found = match parameter_structure(entry) {
        Some(parameters) => all(parameters, kernel).into_iter().map(|(found, _)| found).collect(),
        None => vec![incomplete(kernel)],
    };
    found.into_iter().map(|found| found.at(place.clone())).collect()
}

/// The captures, as errors, of a closure of type `environment` that is launched on a host.
pub(crate) fn check_on_host(environment: Metadata<'_>, kernel: &str) -> Vec<Diagnostic> {
    let note = |(found, kind)| match kind {
        Kind::Reference => Diagnostic::note(
            found,
            "a host can, but its loop may read the value again in each iteration, which is slower".to_owned(),
        ),
        _ => found,
    };
    all(environment, kernel).into_iter().map(note).collect()
}

fn incomplete(kernel: &str) -> Diagnostic {
    Diagnostic::error(
        kernel,
        "has no full debug information, so what it captures cannot be checked".to_owned(),
    )
    .help("compile the crate for the device with `-Cdebuginfo=2`")
}

/// The parts of `structure` that a device must not get.
fn all(structure: Metadata<'_>, kernel: &str) -> Vec<(Diagnostic, Kind)> {
    let mut walk = Walk::default();
    let mut found = Vec::new();
    while let Some(finding) = walk.structure(structure, true) {
        if finding.kind == Kind::Incomplete {
            let note = format!("the type `{}` is not described", finding.type_name);
            found.push((incomplete(kernel).note(note), finding.kind));
            break;
        }
        found.push((walk.describe(&finding, kernel), finding.kind));
        let is_capture = |step: &&Step<'_>| step.owner.name().is_some_and(is_closure);
        let Some(step) = walk.path.iter().rfind(is_capture).or(walk.path.last()) else { break };
        walk.reported.insert((step.owner, step.member));
        walk.path.clear();
        walk.shared = false;
    }
    found
}

/// The struct that the entry's only parameter refers to.
fn parameter_structure(entry: Function<'_>) -> Option<Metadata<'_>> {
    let reference = entry.subprogram()?.parameter_types().into_iter().next()??;
    (reference.is(MetadataKind::DerivedType) && reference.tag() == tag::POINTER)
        .then(|| reference.base_type())?
}

impl<'m> Walk<'m> {
    /// Walks the members of a struct, union, or a part with variants. `follow`: through raw pointers too, as for the
    /// parameters of a kernel that lie in device memory.
    fn structure(&mut self, structure: Metadata<'m>, follow: bool) -> Option<Finding> {
        if structure.is_type_declaration() {
            return Some(finding(Kind::Incomplete, structure));
        }
        let trusted = is_trusted(structure);
        for member in structure.elements() {
            if !member.is(MetadataKind::DerivedType) {
                // A part with variants is a type itself.
                let nested = self.of_type(Some(member), structure, trusted);
                if nested.is_some() {
                    return nested;
                }
                continue;
            }
            // A function by its name (`f64::abs`) is described as a pointer to it, but has no bytes.
            if member.size_in_bits() == 0 || self.reported.contains(&(structure, member.name().unwrap_or("")))
            {
                continue;
            }
            self.path.push(Step { owner: structure, member: member.name().unwrap_or("") });
            let mut base = member.base_type();
            if follow && trusted {
                base = base.map(|base| pointee_structure(base).unwrap_or(base));
            }
            let found = self.of_type(base, structure, trusted);
            if found.is_some() {
                return found;
            }
            self.path.pop();
        }
        None
    }

    fn of_type(&mut self, kind: Option<Metadata<'m>>, owner: Metadata<'m>, trusted: bool) -> Option<Finding> {
        let Some(kind) = kind else { return Some(finding(Kind::Incomplete, owner)) };
        if self.clean.contains(&(kind, trusted, self.shared)) {
            return None;
        }
        let name = kind.name().unwrap_or("");
        let found = if kind.is(MetadataKind::BasicType) {
            None
        } else if kind.is(MetadataKind::SubroutineType) {
            Some(finding(Kind::FunctionPointer, kind))
        } else {
            match kind.tag() {
                tag::BASE | tag::ENUMERATION => None,
                tag::POINTER => match pointer(kind, name, trusted) {
                    None => return self.pointee(kind),
                    found => found,
                },
                // Slices, strings, trait objects: a pointer with a length or a table.
                tag::STRUCTURE if name.starts_with(['&', '*']) => pointer(kind, name, trusted),
                tag::STRUCTURE if is_pointer_of_core(kind) => pointer(kind, "*", trusted),
                // Each thread would have its own copy to change.
                tag::STRUCTURE if is_cell(kind) && !self.shared => Some(finding(Kind::Cell, kind)),
                tag::STRUCTURE | tag::UNION | tag::VARIANT_PART => {
                    // Variants belong to the type around them.
                    let found = self.structure(kind, false);
                    match found {
                        None => None,
                        found => return found,
                    }
                }
                tag::ARRAY | tag::TYPEDEF => return self.of_type(kind.base_type(), owner, trusted),
                _ => Some(finding(Kind::Incomplete, kind)),
            }
        };
        if found.is_none() {
            self.clean.insert((kind, trusted, self.shared));
        }
        found
    }

    /// The target of one of Spelt's own pointers: for example values that the host gets back, in which an address would be the
    /// device's.
    fn pointee(&mut self, kind: Metadata<'m>) -> Option<Finding> {
        // Once, also where types lead back to themselves.
        if !self.clean.insert((kind, true, true)) {
            return None;
        }
        let shared = core::mem::replace(&mut self.shared, true);
        let found = self.of_type(Some(kind.base_type()?), kind, false);
        self.shared = shared;
        found
    }

    fn describe(&self, finding: &Finding, kernel: &str) -> Diagnostic {
        let type_name = &finding.type_name;
        let what = match finding.kind {
            Kind::Reference => format!("a reference (`{type_name}`)"),
            Kind::FunctionPointer => format!("a function pointer (`{type_name}`)"),
            Kind::TraitObject => format!("a trait object (`{type_name}`)"),
            Kind::Cell => format!("a cell or an atomic (`{type_name}`)"),
            Kind::Pointer | Kind::Incomplete => format!("a pointer (`{type_name}`)"),
        };
        let captured = self.path.iter().position(|step| step.owner.name().is_some_and(is_closure));
        let Some(place) = captured else {
            let member = self.path.last().map_or("", |step| step.member);
            return Diagnostic::error(
                kernel,
                format!("gets {what} in `{member}`, which means nothing on a device"),
            )
            .help("pass the data in the argument tuple");
        };
        let member = self.path[place].member;
        if let Some(variable) = member.strip_prefix("_ref__") {
            // `_ref__point__x`: only a field was captured.
            let variable = variable.replace("__", ".");
            return Diagnostic::error(
                kernel,
                format!(
                    "captures `{variable}` by reference: write `move |..|` or pass it in the argument tuple"
                ),
            )
            .note("a reference is an address of the host's memory, which a device cannot read".to_owned());
        }
        if finding.kind == Kind::Cell {
            return Diagnostic::error(
                kernel,
                format!("captures `{member}`, which holds {what}: pass a View with `.atomic()`"),
            )
            .note("on a device each thread would change its own copy".to_owned());
        }
        let last = self.path.len() - 1;
        let inside = if place == last { "is" } else { "holds" };
        Diagnostic::error(
            kernel,
            format!("captures `{member}`, which {inside} {what}: pass its data in the argument tuple"),
        )
        .note("an address of the host's memory means nothing on a device".to_owned())
    }
}

fn finding(kind: Kind, of: Metadata<'_>) -> Finding {
    Finding { kind, type_name: of.name().unwrap_or("unnamed").to_owned() }
}

fn pointer(kind: Metadata<'_>, name: &str, trusted: bool) -> Option<Finding> {
    let to_function = kind.is(MetadataKind::DerivedType)
        && kind.base_type().is_some_and(|base| base.is(MetadataKind::SubroutineType));
    let what = match name {
        _ if to_function => Kind::FunctionPointer,
        name if name.contains("dyn ") => Kind::TraitObject,
        name if name.starts_with('*') && trusted => return None,
        name if name.starts_with('*') => Kind::Pointer,
        _ => Kind::Reference,
    };
    Some(finding(what, kind))
}

/// Of a raw pointer to a struct: that struct.
fn pointee_structure(kind: Metadata<'_>) -> Option<Metadata<'_>> {
    let is_raw = kind.is(MetadataKind::DerivedType)
        && kind.tag() == tag::POINTER
        && kind.name().is_some_and(|name| name.starts_with('*'));
    let base = is_raw.then(|| kind.base_type())??;
    (base.is(MetadataKind::CompositeType) && base.tag() == tag::STRUCTURE).then_some(base)
}

fn is_trusted(structure: Metadata<'_>) -> bool {
    place::crate_of(structure).is_some_and(|name| TRUSTED.contains(&name))
}

/// `NonNull` and `Unique` are raw pointers by another name.
fn is_pointer_of_core(structure: Metadata<'_>) -> bool {
    let name = structure.name().unwrap_or("");
    (name.starts_with("NonNull<") || name.starts_with("Unique<"))
        && place::crate_of(structure) == Some("core")
}

fn is_cell(structure: Metadata<'_>) -> bool {
    structure.name().is_some_and(|name| name.starts_with("UnsafeCell<"))
        && place::crate_of(structure) == Some("core")
}

pub(crate) fn is_closure(type_name: &str) -> bool {
    type_name.starts_with("{closure_env#")
}

/// The type of the closure that a kernel runs: the first closure in its parameter.
pub(crate) fn environment(entry: Function<'_>) -> Option<Metadata<'_>> {
    first_closure(parameter_structure(entry)?, &mut HashSet::new())
}

/// The subprograms of a module's closures, by scope and number.
pub(crate) struct Closures<'m>(HashMap<(Metadata<'m>, &'m str), Metadata<'m>>);

impl<'m> Closures<'m> {
    pub(crate) fn of(module: &'m Module<'_>) -> Self {
        let mut closures = HashMap::new();
        for subprogram in module.functions().into_iter().filter_map(Function::subprogram) {
            if let Some(key) = key(subprogram, "{closure#") {
                closures.entry(key).or_insert(subprogram);
            }
        }
        Self(closures)
    }

    /// The program's closure that a kernel runs: the subprogram of the first closure type in its parameter.
    pub(crate) fn closure(&self, entry: Function<'m>) -> Option<Metadata<'m>> {
        // `{closure_env#0}<f64>` is the type of `{closure#0}<f64>`.
        let found = key(environment(entry)?, "{closure_env#")?;
        let is_it = |subprogram: &Metadata<'m>| key(*subprogram, "{closure#") == Some(found);
        self.0.get(&found).copied().or_else(|| place::inlined_subprograms(entry).into_iter().find(is_it))
    }
}

/// The scope of a closure or its type, and its number there.
fn key<'m>(closure: Metadata<'m>, prefix: &str) -> Option<(Metadata<'m>, &'m str)> {
    let number = closure.name()?.strip_prefix(prefix)?.split('}').next()?;
    Some((closure.scope()?, number))
}

/// A closure, the closures that it captures by value, and so on.
pub(crate) fn closures(environment: Metadata<'_>) -> Vec<Metadata<'_>> {
    let (mut found, mut seen) = (vec![environment], HashSet::from([environment]));
    let mut next = 0;
    while let Some(structure) = found.get(next).copied() {
        next += 1;
        for member in structure.elements() {
            let base = member.is(MetadataKind::DerivedType).then(|| member.base_type()).flatten();
            let composite = base.filter(|base| base.is(MetadataKind::CompositeType));
            found.extend(composite.and_then(|base| first_closure(base, &mut seen)));
        }
    }
    found
}

fn first_closure<'m>(structure: Metadata<'m>, seen: &mut HashSet<Metadata<'m>>) -> Option<Metadata<'m>> {
    if structure.name().is_some_and(is_closure) {
        return Some(structure);
    }
    if !seen.insert(structure) {
        return None;
    }
    structure.elements().into_iter().find_map(|member| {
        let base = if member.is(MetadataKind::DerivedType) { member.base_type()? } else { member };
        let base = pointee_structure(base).unwrap_or(base);
        base.is(MetadataKind::CompositeType).then(|| first_closure(base, seen))?
    })
}
