//! The driver API as programs see it: through the shared library.

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard};

/// A handle of the driver's.
pub(crate) type H = *mut c_void;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// The shared library that was built with this test.
pub(crate) fn library() -> std::path::PathBuf {
    let exe = std::env::current_exe().unwrap();
    let dir = exe.parent().unwrap();
    [dir.join("libcuda_emu.so"), dir.join("../libcuda_emu.so")]
        .into_iter()
        .find(|p| p.exists())
        .expect("shared library")
}

/// Runs a test in a separate process, with these variables, and with the emulator in place of the driver.
pub(crate) fn with_emulator(name: &str, variables: &[(&str, &str)], test: fn()) {
    // Set for the process in which the loader finds the emulator.
    const CHILD: &str = "CUDA_EMU_TEST_CHILD";
    if std::env::var(CHILD).as_deref() == Ok(name) {
        return test();
    }
    let dir = std::env::temp_dir().join(format!("cuda-emu-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    for file in ["libcuda.so", "libcuda.so.1"] {
        std::fs::copy(library(), dir.join(file)).unwrap();
    }
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads", "1"])
        .env(CHILD, name)
        .env("LD_LIBRARY_PATH", &dir)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let out = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && out.contains("1 passed"), "{out}");
}

pub(crate) fn sym(name: &str) -> H {
    static LIB: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let lib = *LIB.get_or_init(|| {
        let c = CString::new(library().to_str().unwrap()).unwrap();
        // SAFETY: the name is a C string; the library has no code that runs when it is opened.
        unsafe { dlopen(c.as_ptr(), 2) as usize }
    });
    assert!(lib != 0);
    let c = CString::new(name).unwrap();
    // SAFETY: the library was opened, and the name is a C string.
    let f = unsafe { dlsym(lib as H, c.as_ptr()) };
    assert!(!f.is_null(), "{name}");
    f
}

/// Calls a function of the driver's: each argument with its type.
macro_rules! call {
    ($name:ident ( $($a:expr => $t:ty),* )) => {{
        let f = crate::common::driver::sym(stringify!($name));
        // SAFETY: the test calls the function of this name with the types that cuda.h gives it.
        let f: unsafe extern "C" fn($($t),*) -> std::ffi::c_int = unsafe { std::mem::transmute(f) };
        // SAFETY: the pointers that the test passes are valid for the function's reads and writes.
        unsafe { f($($a),*) }
    }};
}

/// The driver, for one test at a time: its state belongs to the process. The context is fresh.
pub(crate) struct Session {
    _alone: MutexGuard<'static, ()>,
}

impl Session {
    pub(crate) fn new() -> Session {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
        let mut c: H = std::ptr::null_mut();
        assert_eq!(call!(cuInit(0 => u32)), 0);
        assert_eq!(call!(cuDevicePrimaryCtxRetain(&mut c => *mut H, 0 => c_int)), 0);
        assert_eq!(call!(cuCtxSetCurrent(c => H)), 0);
        Session { _alone: alone }
    }

    /// Begins the deferred mode, or ends it.
    pub(crate) fn defer(&self, seed: Option<u64>) {
        assert_eq!(call!(cuEmuDefer(seed.is_some() as c_int => c_int, seed.unwrap_or(0) => u64)), 0);
    }

    pub(crate) fn module(&self, ptx: &str) -> H {
        let c = CString::new(ptx).unwrap();
        let mut m: H = std::ptr::null_mut();
        assert_eq!(call!(cuModuleLoadData(&mut m => *mut H, c.as_ptr() => *const c_char)), 0);
        m
    }

    pub(crate) fn function(&self, module: H, name: &str) -> H {
        let c = CString::new(name).unwrap();
        let mut f: H = std::ptr::null_mut();
        let r = call!(cuModuleGetFunction(&mut f => *mut H, module => H, c.as_ptr() => *const c_char));
        assert_eq!(r, 0, "{name}");
        f
    }

    /// A stream that does not take part in the order of the default stream.
    pub(crate) fn stream(&self) -> H {
        let mut s: H = std::ptr::null_mut();
        assert_eq!(call!(cuStreamCreate(&mut s => *mut H, 1 => u32)), 0);
        s
    }

    pub(crate) fn event(&self) -> H {
        let mut e: H = std::ptr::null_mut();
        assert_eq!(call!(cuEventCreate(&mut e => *mut H, 0 => u32)), 0);
        e
    }

    pub(crate) fn alloc(&self, bytes: usize) -> u64 {
        let mut p = 0u64;
        assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, bytes => usize)), 0);
        p
    }

    /// Launches one block of `threads` threads with parameters of 8 bytes each.
    pub(crate) fn launch(&self, f: H, s: H, threads: u32, params: &mut [u64]) -> c_int {
        let mut p: Vec<H> = params.iter_mut().map(|x| x as *mut u64 as H).collect();
        let none: *mut H = std::ptr::null_mut();
        call!(cuLaunchKernel(
            f => H, 1 => u32, 1 => u32, 1 => u32, threads => u32, 1 => u32, 1 => u32,
            0 => u32, s => H, p.as_mut_ptr() => *mut H, none => *mut H
        ))
    }

    pub(crate) fn synchronise(&self, s: H) -> c_int {
        call!(cuStreamSynchronize(s => H))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        call!(cuEmuDefer(0 => c_int, 0 => u64));
        call!(cuDevicePrimaryCtxReset_v2(0 => c_int));
        call!(cuDevicePrimaryCtxRelease_v2(0 => c_int));
    }
}
