//! Finding kernels: a kernel is a function that calls the marker `__spelt_entry`.

use memchr::memmem;

use crate::Error;
use crate::llvm::{Call, Context, Function, Llvm, Module};
use crate::symbol::ptx_name;

/// The marker. Its arguments are the size and the alignment of the kernel's parameters, as constants.
const MARKER: &str = "__spelt_entry";

/// A kernel of a crate.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) symbol: String,
    pub(crate) size: u64,
    pub(crate) alignment: u64,
    /// Whether it is the closure of a launch on a host, which is examined as if it were a kernel.
    pub(crate) is_on_host: bool,
}

impl Entry {
    /// The kernel's name in PTX. If the compiler made the symbol, it ends in the size and alignment of the kernel's parameters:
    /// a host whose build has laid them out differently does not find it. A symbol chosen by its author stays.
    pub(crate) fn name(&self) -> String {
        let Self { symbol, size, alignment, .. } = self;
        let name = ptx_name(symbol);
        let mangled = rustc_demangle::try_demangle(symbol).is_ok();
        if mangled { format!("{name}${size}_{alignment}") } else { name }
    }
}

/// Parses the bitcode of a crate: as a whole if it may have kernels, because the code around kernels describes them; otherwise each body
/// is parsed when something links it.
pub(crate) fn parse<'c>(context: &'c Context, name: &str, bitcode: &[u8]) -> Result<Module<'c>, Error> {
    // The names of symbols are plain text at the end of bitcode. Asking LLVM would parse all debug information twice.
    let names_marker = memmem::rfind(bitcode, MARKER.as_bytes()).is_some();
    if names_marker {
        Module::parse(context, name, bitcode)
    } else {
        Module::parse_lazily(context, name, bitcode)
    }
}

/// The kernels of a crate, whose markers are removed.
pub(crate) fn take(module: &Module<'_>) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for (call, function) in markers(module) {
        let arguments = call.arguments();
        let number = |place: usize| arguments.get(place).and_then(|value| value.as_integer());
        let (Some(size), Some(alignment)) = (number(0), number(1)) else {
            return Err(Error::Llvm(format!(
                "`{}` does not call `{MARKER}` with constants",
                crate::symbol::readable(function.name())
            )));
        };
        entries.push(Entry { symbol: function.name().to_owned(), size, alignment, is_on_host: false });
        // SAFETY: the marker returns nothing, and only the list had its handle.
        unsafe { call.erase() };
    }
    Ok(entries)
}

/// The symbols that a crate defines for others.
pub(crate) fn defined<'m>(module: &'m Module<'_>) -> Vec<&'m str> {
    let functions = module.functions().into_iter().map(|function| *function);
    let values = functions.chain(module.globals().into_iter().map(|global| *global)).chain(module.aliases());
    values.filter(|value| !value.is_declaration() && !value.is_internal()).map(|value| value.name()).collect()
}

fn markers<'m>(module: &'m Module<'_>) -> Vec<(Call<'m>, Function<'m>)> {
    let Some(marker) = module.function(MARKER) else { return Vec::new() };
    let calls = marker.users().into_iter().filter_map(|user| user.as_instruction()?.as_call());
    calls.filter_map(|call| Some((call, call.function()?))).collect()
}

/// Whether there is a kernel in this bitcode.
///
/// # Errors
/// [`Error::Llvm`] if this LLVM cannot read it as bitcode.
pub fn has_kernels(llvm: &Llvm, bitcode: &[u8]) -> Result<bool, Error> {
    let context = Context::new(llvm);
    let module = Module::parse_lazily(&context, "bitcode", bitcode)?;
    match module.function(MARKER) {
        None => Ok(false),
        // No crate declares it without calling it.
        Some(marker) if marker.is_declaration() => Ok(true),
        // The crate with the marker itself: only its bodies show whether it has kernels.
        Some(_) => Ok(!markers(&Module::parse(&context, "bitcode", bitcode)?).is_empty()),
    }
}
