//! The peers in C++: compiled by g++ where this program lies, and loaded into it.

use std::ffi::{c_int, c_long, c_void};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::Library;
use spelt_harness::machine;

/// The options of the C++ in both forms. Source: the goals of this suite.
const OPTIONS: [&str; 5] = ["-std=c++20", "-O3", "-march=native", "-fopenmp", "-fPIC"];

/// How a peer is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// As the standard has it.
    Exact,
    /// With `-ffast-math`: sums in any order, and functions of vectors.
    Fast,
}

/// A function in C++, `void name(void *const *arrays, const long *numbers)`.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Never closed: OpenMP's threads, which wait in its code, would be left without it.
    library: &'static Library,
    function: unsafe extern "C" fn(*const *mut c_void, *const c_long),
    threads: c_int,
}

/// Every source gets it.
const PRELUDE: &str =
    "#include <omp.h>\nextern \"C\" void set_threads(int threads) { omp_set_num_threads(threads); }\n";

impl Peer {
    /// Compiles `source`, unless that has been done by the same compiler for the same processor, and loads its function `name`, which
    /// will run on this number of threads.
    ///
    /// # Errors
    /// With the compiler's output if it fails.
    pub fn new(name: &str, source: &str, arithmetic: Arithmetic, threads: usize) -> Result<Self, String> {
        let folder = std::env::current_exe().map_err(|error| error.to_string())?;
        let folder = folder.parent().ok_or("this program lies nowhere")?.join("programs");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let stem = match arithmetic {
            Arithmetic::Exact => name.to_owned(),
            Arithmetic::Fast => format!("{name}-fast"),
        };
        let (file, library) = (folder.join(format!("{stem}.cpp")), folder.join(format!("lib{stem}.so")));
        let text = text(source, arithmetic, compiler()?, &machine::processor());
        if !library.exists() || !fs::read_to_string(&file).is_ok_and(|old| old == text) {
            // Renamed when it is whole: another process loads the old one or the new one.
            static COMPILED: AtomicUsize = AtomicUsize::new(0);
            let number = COMPILED.fetch_add(1, Ordering::Relaxed);
            let own = folder.join(format!("{stem}-{}-{number}.cpp", std::process::id()));
            let built = own.with_extension("so");
            fs::write(&own, text).map_err(|error| format!("{}: {error}", own.display()))?;
            let compiled = compile(&own, &built, arithmetic).and_then(|()| {
                // The library first: without its source it is compiled again.
                [(&built, &library), (&own, &file)].into_iter().try_for_each(|(from, to)| {
                    fs::rename(from, to).map_err(|error| format!("{}: {error}", to.display()))
                })
            });
            // Those that are there.
            [own.with_extension("o"), built, own].iter().for_each(|left| drop(fs::remove_file(left)));
            compiled?;
        }
        // SAFETY: it was compiled from a source of this crate, whose only initialisers are those of OpenMP.
        let library = unsafe { Library::new(&library) }.map_err(|error| error.to_string())?;
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the sources of this crate define their function with this signature.
        let function = *unsafe { library.get(name.as_bytes()) }.map_err(|error| error.to_string())?;
        Ok(Self { library, function, threads: threads as c_int })
    }

    /// Calls the function.
    ///
    /// # Safety
    /// The arrays have the elements that the source reads and writes with these numbers.
    ///
    /// # Panics
    /// If the prelude was not compiled, which `new` does.
    pub unsafe fn call(&self, arrays: &[*mut c_void], numbers: &[usize]) {
        let mut longs = [0 as c_long; 8];
        longs.iter_mut().zip(numbers).for_each(|(long, number)| *long = *number as c_long);
        // SAFETY: the prelude defines it with this signature, and the function follows this function's contract.
        unsafe {
            let set: libloading::Symbol<'_, unsafe extern "C" fn(c_int)> =
                self.library.get(b"set_threads").expect("the prelude has it");
            set(self.threads);
            (self.function)(arrays.as_ptr(), longs.as_ptr());
        }
    }
}

/// The text that is compiled: its head names all that the code depends on, so that another text is another library.
#[must_use]
pub fn text(source: &str, arithmetic: Arithmetic, compiler: &str, processor: &str) -> String {
    let options = options(arithmetic).join(" ");
    // A backslash at the end of a line would continue the comment.
    let [compiler, processor] = [compiler, processor].map(|name| name.replace(['\n', '\\'], " "));
    format!("// {compiler}; {options}; {processor}\n{PRELUDE}{source}")
}

fn options(arithmetic: Arithmetic) -> Vec<&'static str> {
    let fast = (arithmetic == Arithmetic::Fast).then_some("-ffast-math");
    OPTIONS.into_iter().chain(fast).collect()
}

/// The first line of `g++ --version`.
fn compiler() -> Result<&'static str, String> {
    static VERSION: OnceLock<Result<String, String>> = OnceLock::new();
    let version = VERSION.get_or_init(|| {
        let output = Command::new("g++").arg("--version").output().map_err(not_run)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().unwrap_or_default().to_owned())
    });
    version.as_deref().map_err(Clone::clone)
}

fn not_run(error: std::io::Error) -> String {
    format!("g++ cannot be run: {error}: install it")
}

fn compile(source: &Path, library: &Path, arithmetic: Arithmetic) -> Result<(), String> {
    let object = source.with_extension("o");
    let mut compiler = Command::new("g++");
    compiler.args(options(arithmetic)).args([
        "-c".as_ref(),
        source.as_os_str(),
        "-o".as_ref(),
        object.as_os_str(),
    ]);
    // Linked without -ffast-math, with which GCC adds code that makes the whole process flush small numbers to zero.
    let mut linker = Command::new("g++");
    linker.args(["-shared", "-fopenmp"]).args([object.as_os_str(), "-o".as_ref(), library.as_os_str()]);
    for command in [&mut compiler, &mut linker] {
        let output = command.output().map_err(not_run)?;
        if !output.status.success() {
            return Err(format!("g++ failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    Ok(())
}

/// The address of elements that a peer writes.
#[must_use]
pub fn out<T>(elements: &mut [T]) -> *mut c_void {
    elements.as_mut_ptr().cast()
}

/// The address of elements that a peer only reads.
#[must_use]
pub fn read<T>(elements: &[T]) -> *mut c_void {
    elements.as_ptr().cast_mut().cast()
}
