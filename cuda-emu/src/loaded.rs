//! The emulated driver that a process has loaded, for its tests.

use crate::driver::{LaunchStatistics, STATISTICS_VERSION};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// The emulated driver that this process has loaded as `libcuda.so.1`, in whatever way.
///
/// A test asks it for the counters of a launch:
///
/// ```no_run
/// let driver = cuda_emu::Loaded::find().expect("the driver of this process is the emulator");
/// driver.count(true);
/// // .. a launch by this thread ..
/// let launch = driver.launch(0).unwrap();
/// assert_eq!((launch.load_sectors, launch.bank_conflicts), (32, 0), "{}", launch.kernel());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    statistics: unsafe extern "C" fn(*mut LaunchStatistics, usize, c_uint) -> c_int,
    count: unsafe extern "C" fn(c_int) -> c_int,
    defer: unsafe extern "C" fn(c_int, u64) -> c_int,
}

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// `RTLD_NOW | RTLD_NOLOAD`: only a library that is loaded already.
const IF_LOADED: c_int = 2 | 4;

/// `CUDA_ERROR_NOT_SUPPORTED`.
const NOT_SUPPORTED: i32 = 801;

impl Loaded {
    /// The emulator, if this process has loaded it. It must have been initialised before its functions are called.
    pub fn find() -> Option<Loaded> {
        // SAFETY: the name is a C string, and only a library that is already loaded is opened.
        let library = unsafe { dlopen(c"libcuda.so.1".as_ptr(), IF_LOADED) };
        let symbol = |name: &CStr| {
            // SAFETY: the library is loaded, and the handle just taken keeps it so.
            let p = if library.is_null() { library } else { unsafe { dlsym(library, name.as_ptr()) } };
            (!p.is_null()).then_some(p)
        };
        let statistics = symbol(c"cuEmuLaunchStatistics")?;
        let count = symbol(c"cuEmuCount")?;
        let defer = symbol(c"cuEmuDefer")?;
        // SAFETY: no other library has functions of these names, and these are their types.
        unsafe {
            Some(Loaded {
                statistics: std::mem::transmute::<
                    *mut c_void,
                    unsafe extern "C" fn(*mut LaunchStatistics, usize, c_uint) -> c_int,
                >(statistics),
                count: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int) -> c_int>(count),
                defer: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, u64) -> c_int>(defer),
            })
        }
    }

    /// Statistics of one of this thread's launches: the last one for 0, the one before for 1. Only the last 4096 launches of
    /// the process are remembered.
    ///
    /// # Errors
    /// The code that `CUresult` has for it: 500 if there is no such launch, 600 if it has not run yet, 801 if the library
    /// is older than this crate, the kernel's error if it failed.
    pub fn launch(&self, back: u32) -> Result<LaunchStatistics, i32> {
        let mut s = LaunchStatistics::default();
        // SAFETY: the size is that of the value, whose fields are plain numbers.
        match unsafe { (self.statistics)(&mut s, std::mem::size_of::<LaunchStatistics>(), back) } {
            0 if s.version >= STATISTICS_VERSION => Ok(s),
            0 => Err(NOT_SUPPORTED),
            code => Err(code),
        }
    }

    /// Starts to count the memory accesses of launches, or stops. With `CUDA_EMU_STATS` they are counted from the start.
    ///
    /// # Panics
    /// If the driver was not initialised.
    pub fn count(&self, on: bool) {
        // SAFETY: the function takes a number.
        let code = unsafe { (self.count)(on as c_int) };
        assert_eq!(code, 0, "the driver must be initialised (cuInit) before launches are counted");
    }

    /// Begins the deferred mode with a seed, or ends it, as `CUDA_EMU_DEFER` does from the start. Waiting work runs first.
    ///
    /// # Panics
    /// If the driver was not initialised, or another thread uses it.
    pub fn defer(&self, seed: Option<u64>) {
        // SAFETY: the function takes numbers.
        let code = unsafe { (self.defer)(seed.is_some() as c_int, seed.unwrap_or(0)) };
        assert_eq!(code, 0, "the driver must be initialised (cuInit) and idle to change its mode");
    }
}
