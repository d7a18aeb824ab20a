//! Code that a kernel still reaches after optimisation and that a device cannot run.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::graph::{Reach, Referred, referred};
use crate::llvm::{Function, Instruction};
use crate::{Diagnostic, math, place, resolve, statics, symbol};

/// Why something cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Cause {
    Allocation,
    InputOutput(String),
    HostOnly(String),
    ThreadLocal(String),
    Static(String),
    Variadic(String),
    HostIntrinsic(String),
    Assembly,
    Mathematics(String),
    Unresolved(String),
}

/// The errors of a kernel, with the lines where debug information is there. `without_bitcode`: rlibs that could not supply
/// a function.
pub(crate) fn errors(kernel: &str, reach: &Reach<'_>, without_bitcode: &HashSet<PathBuf>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for function in &reach.functions {
        for instruction in function.instructions() {
            for cause in causes(instruction) {
                if seen.insert(cause.key()) {
                    found.push(diagnostic(kernel, &cause, &reach.way(instruction), without_bitcode));
                }
            }
        }
    }
    found
}

/// The assembly in the bodies of `__spelt_alike` and `__spelt_here`.
const OWN_ASSEMBLY: [&str; 3] = ["setp.ne.b32 $0, $1, 0;", "@!$2 not.b32 $0, $0;", "mov.b32 $0, $1;"];

fn causes(instruction: Instruction<'_>) -> Vec<Cause> {
    let mut causes = Vec::new();
    if let Some(call) = instruction.as_call()
        && let Some(text) = call.callee().and_then(|callee| callee.as_assembly())
        && !text.is_empty()
        && !OWN_ASSEMBLY.contains(&text)
    {
        causes.push(Cause::Assembly);
    }
    for referred in referred(instruction) {
        match referred {
            Referred::Function(function) if function.is_declaration() => causes.extend(of_function(function)),
            Referred::Function(_) => {}
            Referred::Global(global) if global.is_thread_local() => {
                // `thread_local!` puts it into a closure in a constant of the name that the program gives.
                let name = symbol::readable(global.name());
                causes.push(Cause::ThreadLocal(name.split("::{").next().unwrap_or(&name).to_owned()));
            }
            Referred::Global(global) if global.is_declaration() && global.name() != "spelt_shared" => {
                causes.push(Cause::Unresolved(symbol::readable(global.name())));
            }
            Referred::Global(global) if !statics::may_be_another(global) => {
                causes.push(Cause::Static(symbol::path(global.name())));
            }
            Referred::Global(_) => {}
        }
    }
    causes
}

fn of_function(function: Function<'_>) -> Option<Cause> {
    let name = function.name();
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        let host = ["x86.", "aarch64.", "arm."].iter().any(|prefix| intrinsic.starts_with(prefix));
        return match () {
            () if host => Some(Cause::HostIntrinsic(name.to_owned())),
            () if intrinsic.starts_with("threadlocal.") => None,
            () => math::unsupported(name).map(Cause::Mathematics),
        };
    }
    let readable = symbol::readable(name);
    let last = readable.rsplit("::").next().unwrap_or(&readable);
    Some(match () {
        () if last.starts_with("__rust_") && last.contains("alloc") => Cause::Allocation,
        () if readable.contains("handle_alloc_error") => Cause::Allocation,
        () if ["malloc", "calloc", "realloc", "free", "posix_memalign", "aligned_alloc"].contains(&name) => {
            Cause::Allocation
        }
        () if ["std::io::", "std::fs::", "std::net::"].iter().any(|part| readable.contains(part)) => {
            Cause::InputOutput(readable)
        }
        () if resolve::is_host_only(&readable) => Cause::HostOnly(readable),
        () if name.starts_with(math::PREFIX) => {
            Cause::Mathematics(name.trim_start_matches(math::PREFIX).to_owned())
        }
        () if math::is_of_c(name) => Cause::Mathematics(name.to_owned()),
        () if function.is_variadic() => Cause::Variadic(readable),
        () => Cause::Unresolved(readable),
    })
}

impl Cause {
    /// Equal for causes that a kernel reports only once.
    fn key(&self) -> Self {
        match self {
            Self::InputOutput(_) => Self::InputOutput(String::new()),
            other => other.clone(),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Allocation => "allocates memory, which a device cannot".to_owned(),
            Self::InputOutput(name) => format!("does input or output (`{name}`), which a device cannot"),
            Self::HostOnly(name) => format!("calls `{name}`, which works on the host only"),
            Self::ThreadLocal(name) => {
                format!("uses the thread-local `{name}`, which a device does not have")
            }
            Self::Static(name) => {
                format!(
                    "uses the static `{name}`, which can change: a device has another object of that name"
                )
            }
            Self::Variadic(name) => format!("calls the variadic function `{name}`, which a device cannot"),
            Self::HostIntrinsic(name) => format!("uses `{name}`, an instruction of the host's processor"),
            Self::Assembly => "contains inline assembly, which is the host's".to_owned(),
            Self::Mathematics(name) => {
                format!("calls the mathematical function `{name}`, which no device crate defines")
            }
            Self::Unresolved(name) => format!("calls `{name}`, which has no body that could run on a device"),
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::Allocation => {
                "use arrays of fixed size, or pass a View in the argument tuple as room to work in"
            }
            Self::InputOutput(_) => "write into a View, and print it on the host",
            Self::HostOnly(_) => "do it on the host, and pass the result in the argument tuple",
            Self::ThreadLocal(_) => "pass the value in the argument tuple",
            Self::Static(_) => {
                "pass its value in the argument tuple, or a View, with `.atomic()` where threads change it; make it a \
                 `const` if it never changes"
            }
            Self::Variadic(_) => "call a function with fixed parameters, written in Rust",
            Self::HostIntrinsic(_) => {
                "use portable code: compile the dependency without its features for this processor"
            }
            Self::Assembly => "write it in Rust",
            Self::Mathematics(_) => "turn on the feature `cuda` of spelt",
            Self::Unresolved(_) => {
                "a kernel can call Rust functions whose bitcode is there; functions of C are not"
            }
        }
    }
}

fn diagnostic(
    kernel: &str,
    cause: &Cause,
    way: &[Instruction<'_>],
    without_bitcode: &HashSet<PathBuf>,
) -> Diagnostic {
    let frames: Vec<_> = way.iter().flat_map(|instruction| place::frames(*instruction)).collect();
    let own = frames.iter().position(|frame| !frame.is_library);
    let mut diagnostic = Diagnostic::error(kernel, cause.message())
        .at(own.or(if frames.is_empty() { None } else { Some(0) }).map(|number| frames[number].place()))
        .help(cause.help());
    if let Some(inner) = own.and_then(|number| number.checked_sub(1))
        && !frames[inner].symbol.is_empty()
    {
        diagnostic = diagnostic.note(format!("through `{}`", symbol::path(&frames[inner].symbol)));
    }
    if matches!(cause, Cause::Unresolved(_)) && !without_bitcode.is_empty() {
        let mut rlibs: Vec<_> = without_bitcode.iter().map(|path| path.display().to_string()).collect();
        rlibs.sort();
        let note = format!("compiled without bitcode (`-Cembed-bitcode=yes` adds it): {}", rlibs.join(", "));
        diagnostic = diagnostic.note(note);
    }
    diagnostic
}
