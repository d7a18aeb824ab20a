//! The peers in C++, with OpenMP or Kokkos: compiled by g++ where this program lies, and loaded into it.

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
pub enum Build<'a> {
    /// With OpenMP, and the arithmetic of the standard.
    Exact,
    /// With OpenMP and `-ffast-math`: sums in any order, and functions of vectors.
    Fast,
    /// With the Kokkos that is installed in this folder, and the arithmetic of the standard.
    Kokkos(&'a Path),
}

/// A program in C++.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The name of its function.
    pub name: &'static str,
    /// With OpenMP.
    pub openmp: &'static str,
    /// With Kokkos.
    pub kokkos: &'static str,
}

/// A function in C++, `void name(void *const *arrays, const long *numbers)`.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Never closed: the threads that wait in its code would be left without it.
    library: &'static Library,
    function: unsafe extern "C" fn(*const *mut c_void, *const c_long),
    threads: c_int,
}

/// Every source with OpenMP gets it.
const PRELUDE: &str =
    "#include <omp.h>\nextern \"C\" void set_threads(int threads) { omp_set_num_threads(threads); }\n";

/// Every source with Kokkos gets it.
const KOKKOS_PRELUDE: &str = r#"#include <Kokkos_Core.hpp>
template <class Data>
using Array = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using Member = Kokkos::TeamPolicy<>::member_type;
extern "C" void set_threads(int threads) {
    if (!Kokkos::is_initialized())
        Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(threads).set_disable_warnings(true));
}
"#;

impl Peer {
    /// Compiles a source, unless that has been done by the same compiler for the same processor, and loads its function, which will run on
    /// this number of threads.
    ///
    /// # Errors
    /// With the compiler's output if it fails; if there is no such Kokkos.
    pub fn new(source: Source, build: Build<'_>, threads: usize) -> Result<Self, String> {
        let folder = std::env::current_exe().map_err(|error| error.to_string())?;
        let folder = folder.parent().ok_or("this program lies nowhere")?.join("programs");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let name = source.name;
        let (stem, code) = match build {
            Build::Exact => (name.to_owned(), source.openmp),
            Build::Fast => (format!("{name}-fast"), source.openmp),
            // A Kokkos keeps the number of threads with which it began: each library has its own.
            Build::Kokkos(_) => (format!("{name}-kokkos-{threads}"), source.kokkos),
        };
        let (file, library) = (folder.join(format!("{stem}.cpp")), folder.join(format!("lib{stem}.so")));
        let text = text(code, build, compiler()?, &machine::processor());
        if !library.exists() || !fs::read_to_string(&file).is_ok_and(|old| old == text) {
            // Renamed when it is whole: another process loads the old one or the new one.
            static COMPILED: AtomicUsize = AtomicUsize::new(0);
            let number = COMPILED.fetch_add(1, Ordering::Relaxed);
            let own = folder.join(format!("{stem}-{}-{number}.cpp", std::process::id()));
            let built = own.with_extension("so");
            fs::write(&own, text).map_err(|error| format!("{}: {error}", own.display()))?;
            let compiled = compile(&own, &built, build).and_then(|()| {
                // The library first: without its source it is compiled again.
                [(&built, &library), (&own, &file)].into_iter().try_for_each(|(from, to)| {
                    fs::rename(from, to).map_err(|error| format!("{}: {error}", to.display()))
                })
            });
            // Those that are there.
            [own.with_extension("o"), built, own].iter().for_each(|left| drop(fs::remove_file(left)));
            compiled?;
        }
        // SAFETY: it was compiled from a source of this crate, whose only initialisers are those of OpenMP and Kokkos.
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
pub fn text(source: &str, build: Build<'_>, compiler: &str, processor: &str) -> String {
    let options = options(build).join(" ");
    // A backslash at the end of a line would continue the comment.
    let [compiler, processor, options] =
        [compiler, processor, &options].map(|name| name.replace(['\n', '\\'], " "));
    let prelude = if matches!(build, Build::Kokkos(_)) { KOKKOS_PRELUDE } else { PRELUDE };
    format!("// {compiler}; {options}; {processor}\n{prelude}{source}")
}

fn options(build: Build<'_>) -> Vec<String> {
    let own = match build {
        Build::Exact => vec![],
        Build::Fast => vec!["-ffast-math".to_owned()],
        Build::Kokkos(root) => vec![format!("-I{}", root.join("include").display())],
    };
    OPTIONS.into_iter().map(str::to_owned).chain(own).collect()
}

/// The libraries of a Kokkos.
fn libraries(build: Build<'_>) -> Result<Vec<String>, String> {
    let Build::Kokkos(root) = build else { return Ok(vec![]) };
    let folder = ["lib", "lib64"].map(|name| root.join(name)).into_iter().find(|folder| folder.exists());
    let folder = folder
        .ok_or_else(|| format!("no Kokkos in {}: it has no lib", root.display()))?
        .display()
        .to_string();
    Ok(vec![
        format!("-L{folder}"),
        format!("-Wl,-rpath,{folder}"),
        "-lkokkoscore".to_owned(),
        "-ldl".to_owned(),
    ])
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

fn compile(source: &Path, library: &Path, build: Build<'_>) -> Result<(), String> {
    let object = source.with_extension("o");
    let mut compiler = Command::new("g++");
    compiler.args(options(build)).arg("-c").arg(source).arg("-o").arg(&object);
    // Linked without -ffast-math, with which GCC adds code that makes the whole process flush small numbers to zero.
    let mut linker = Command::new("g++");
    linker.args(["-shared", "-fopenmp"]).arg(&object).arg("-o").arg(library).args(libraries(build)?);
    for command in [&mut compiler, &mut linker] {
        let output = command.output().map_err(not_run)?;
        if output.status.success() {
            continue;
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let remedy = match build {
            Build::Kokkos(root) if text.contains("-fPIC") => format!(
                "\nthe library of the Kokkos in {} cannot be loaded: build it with -DCMAKE_POSITION_INDEPENDENT_CODE=ON",
                root.display()
            ),
            _ => String::new(),
        };
        return Err(format!("g++ failed:\n{text}{remedy}"));
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
