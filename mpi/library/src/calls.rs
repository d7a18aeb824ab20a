//! The functions of MPI that Spelt calls, looked up by name.

use core::ffi::{c_char, c_int, c_void};

use crate::abi::Constants;
use crate::failure::Failure;
use crate::memory_kinds::MemoryKinds;

/// An opened shared library. It is never closed: MPI's libraries leave handlers and threads in the process.
#[derive(Debug)]
pub(crate) struct Symbols {
    name: String,
    #[cfg(unix)]
    library: core::mem::ManuallyDrop<libloading::os::unix::Library>,
}

impl Symbols {
    #[cfg(unix)]
    pub(crate) fn open(name: &str) -> Result<Self, Failure> {
        use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
        // SAFETY: the file is the MPI library of this machine or the one that the user names. Its initialisers are as trusted as those
        // of any shared library that the program is linked with. Open MPI's plugins need its symbols to be global.
        let library = unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) };
        let library =
            library.map_err(|error| Failure(format!("{name} cannot be opened: {}", reason(&error))))?;
        Ok(Self { name: name.to_owned(), library: core::mem::ManuallyDrop::new(library) })
    }

    #[cfg(not(unix))]
    pub(crate) fn open(name: &str) -> Result<Self, Failure> {
        Err(Failure(format!("{name} cannot be opened: MPI is opened on Unix systems only")))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address of a function or variable of the library.
    pub(crate) fn address(&self, symbol: &str) -> Result<*mut c_void, Failure> {
        let missing = || Failure(format!("{} has no {symbol}: it is not a library of MPI", self.name));
        #[cfg(unix)]
        {
            // SAFETY: the type names no type of the symbol's; only its address is taken.
            let found = unsafe { self.library.get::<*mut c_void>(symbol.as_bytes()) };
            found
                .map(libloading::os::unix::Symbol::into_raw)
                .ok()
                .filter(|address| !address.is_null())
                .ok_or_else(missing)
        }
        #[cfg(not(unix))]
        Err(missing())
    }
}

/// The loader's own sentence.
#[cfg(unix)]
fn reason(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { desc } => format!("{desc:?}").trim_matches('"').to_owned(),
        other => other.to_string(),
    }
}

macro_rules! calls {
    ($($field:ident = $symbol:literal: fn($($argument:ty),*);)*) => {
        /// Pointers to MPI's functions, for handles of type `H`, with the interface's constants.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Calls<H> {
            pub(crate) constants: Constants<H>,
            pub(crate) memory_kinds: Option<MemoryKinds<H>>,
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl<H: Copy> Calls<H> {
            /// # Safety
            /// The library's handles have type `H`.
            pub(crate) unsafe fn load(symbols: &Symbols, constants: Constants<H>) -> Result<Self, Failure> {
                Ok(Self {
                    constants,
                    // SAFETY: the library's handles have type `H` by this function's contract.
                    memory_kinds: unsafe { MemoryKinds::of(symbols) },
                    $($field: {
                        let address = symbols.address($symbol)?;
                        // SAFETY: the function has this signature in every version of the MPI standard since 3.0, with handles of
                        // type `H` by this function's contract; the address is not null, and the library is never closed.
                        unsafe { core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> c_int>(address) }
                    },)*
                })
            }
        }
    };
}

calls! {
    init_thread = "MPI_Init_thread": fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    initialized = "MPI_Initialized": fn(*mut c_int);
    finalized = "MPI_Finalized": fn(*mut c_int);
    finalize = "MPI_Finalize": fn();
    abort = "MPI_Abort": fn(H, c_int);
    get_library_version = "MPI_Get_library_version": fn(*mut c_char, *mut c_int);
    error_string = "MPI_Error_string": fn(c_int, *mut c_char, *mut c_int);
    comm_dup = "MPI_Comm_dup": fn(H, *mut H);
    comm_free = "MPI_Comm_free": fn(*mut H);
    comm_rank = "MPI_Comm_rank": fn(H, *mut c_int);
    comm_size = "MPI_Comm_size": fn(H, *mut c_int);
    comm_split_type = "MPI_Comm_split_type": fn(H, c_int, c_int, H, *mut H);
    comm_set_errhandler = "MPI_Comm_set_errhandler": fn(H, H);
    isend = "MPI_Isend": fn(*const c_void, c_int, H, c_int, c_int, H, *mut H);
    irecv = "MPI_Irecv": fn(*mut c_void, c_int, H, c_int, c_int, H, *mut H);
    test = "MPI_Test": fn(*mut H, *mut c_int, *mut c_void);
}
