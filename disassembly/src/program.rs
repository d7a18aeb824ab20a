//! A compiled program: its functions, their instructions, and the source of these.

use std::fmt;
use std::path::Path;
use std::rc::Rc;

use gimli::{EndianRcSlice, LittleEndian};
use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::{Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, SymbolKind};

type Reader = EndianRcSlice<LittleEndian>;

/// An executable for x86-64 with its line tables.
pub struct Program {
    /// By address.
    functions: Vec<Function>,
    /// The executable sections, each with its address.
    code: Vec<(u64, Vec<u8>)>,
    source: addr2line::Context<Reader>,
}

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, demangled.
    pub name: String,
    /// The address of its first instruction.
    pub start: u64,
    /// The number of its bytes.
    pub len: u64,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A function that an instruction was inlined from, or is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its name, demangled.
    pub name: String,
    /// The place in this function, if it is known.
    pub place: Option<Place>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Program {
    /// Reads the executable at `path`.
    ///
    /// # Errors
    /// If it is not an ELF file for x86-64, or has no symbols or no line tables.
    pub fn read(path: &Path) -> Result<Self, String> {
        let data = std::fs::read(path).map_err(|error| error.to_string())?;
        let file = object::File::parse(&*data).map_err(|error| error.to_string())?;
        if (file.format(), file.architecture()) != (BinaryFormat::Elf, Architecture::X86_64) {
            return Err(format!(
                "it is a program for {:?} in the format {:?}: only x86-64 Linux (ELF) is supported",
                file.architecture(),
                file.format()
            ));
        }
        let functions = functions(&file);
        if functions.is_empty() {
            return Err("it has no symbols: build it with `strip = \"none\"`".to_owned());
        }
        if file.section_by_name(".debug_line").is_none() {
            return Err("it has no line tables: build it with `debug = \"limited\"`".to_owned());
        }
        let section = |id: gimli::SectionId| -> Result<Reader, object::Error> {
            let data = match file.section_by_name(id.name()) {
                Some(section) => section.uncompressed_data()?,
                None => Default::default(),
            };
            Ok(EndianRcSlice::new(Rc::from(&*data), LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(section).map_err(|error| error.to_string())?;
        let source = addr2line::Context::from_dwarf(dwarf).map_err(|error| error.to_string())?;
        let mut code = Vec::new();
        for section in file.sections().filter(|section| section.kind() == object::SectionKind::Text) {
            code.push((section.address(), section.data().map_err(|error| error.to_string())?.to_vec()));
        }
        Ok(Self { functions, code, source })
    }

    /// All functions, by address.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The function that begins at `address`.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<&Function> {
        let found = self.functions.binary_search_by_key(&address, |function| function.start).ok()?;
        self.functions.get(found)
    }

    /// The instructions of a function.
    #[must_use]
    pub fn instructions(&self, function: &Function) -> Vec<Instruction> {
        let bytes = self.code.iter().find_map(|(start, bytes)| {
            let from = usize::try_from(function.start.checked_sub(*start)?).ok()?;
            bytes.get(from..from.checked_add(usize::try_from(function.len).ok()?)?)
        });
        let mut decoder =
            Decoder::with_ip(64, bytes.unwrap_or_default(), function.start, DecoderOptions::NONE);
        decoder.iter().collect()
    }

    /// The functions that the instruction at `address` comes from, the innermost first.
    #[must_use]
    pub fn frames(&self, address: u64) -> Vec<Frame> {
        let mut found = Vec::new();
        let Ok(mut frames) = self.source.find_frames(address).skip_all_loads() else { return found };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|function| function.raw_name().ok());
            let name = name.map_or_else(String::new, |name| demangled(name.as_ref()));
            let place = frame
                .location
                .and_then(|place| Some(Place { file: place.file?.to_owned(), line: place.line? }));
            found.push(Frame { name, place });
        }
        // Without inlining, line tables have a function's name without its path.
        if let (Some(outermost), Some(function)) = (found.last_mut(), self.containing(address)) {
            outermost.name.clone_from(&function.name);
        }
        found
    }

    fn containing(&self, address: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.start <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (address - function.start < function.len).then_some(function)
    }
}

fn functions(file: &object::File<'_>) -> Vec<Function> {
    let symbols = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0);
    let mut functions: Vec<Function> = symbols
        .filter_map(|symbol| {
            let name = demangled(symbol.name().ok()?);
            Some(Function { name, start: symbol.address(), len: symbol.size() })
        })
        .collect();
    functions.sort_by(|one, other| (one.start, &one.name).cmp(&(other.start, &other.name)));
    // Equal functions may be one with several names.
    functions.dedup_by_key(|function| function.start);
    functions
}

fn demangled(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}
