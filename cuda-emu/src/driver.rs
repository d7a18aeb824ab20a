//! The driver API: C functions with the names and types of `cuda.h`.
//!
//! Everything is done at once and in order, whatever the stream. One lock guards
//! all state, so one launch runs at a time.

#![expect(clippy::too_many_arguments, reason = "names and arguments are those of cuda.h")]

use crate::config::Config;
use crate::exec::{self, Launch, Stats};
use crate::mem::{Kind, Mem};
use crate::module::Module;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

const OK: i32 = 0;
const INVALID_VALUE: i32 = 1;
const OUT_OF_MEMORY: i32 = 2;
const NOT_INITIALIZED: i32 = 3;
const INVALID_DEVICE: i32 = 101;
const INVALID_CONTEXT: i32 = 201;
const NO_BINARY_FOR_GPU: i32 = 209;
const INVALID_PTX: i32 = 218;
const FILE_NOT_FOUND: i32 = 301;
const INVALID_HANDLE: i32 = 400;
const NOT_FOUND: i32 = 500;
const LAUNCH_OUT_OF_RESOURCES: i32 = 701;
const ALREADY_REGISTERED: i32 = 712;
const NOT_REGISTERED: i32 = 713;
const COOPERATIVE_LAUNCH_TOO_LARGE: i32 = 720;
const NOT_SUPPORTED: i32 = 801;
const UNKNOWN: i32 = 999;

const VERSION: c_int = 12090;
const TOTAL_MEM: u64 = 85_520_809_984;
const SHARED_PER_BLOCK: u32 = 48 << 10;
const SHARED_OPTIN: u32 = 227 << 10;
const SHARED_PER_SM: u32 = 228 << 10;
const SMS: u32 = 132;

type Handle = *mut c_void;

struct Func {
    module: u64,
    index: usize,
    max_dynamic: u32,
    carveout: i32,
}

struct Event {
    time: Option<Instant>,
}

struct State {
    cfg: Config,
    mem: Mem,
    /// Contexts that exist; the first one is the primary context of the device.
    contexts: HashMap<u64, u32>,
    primary: u32,
    sticky: i32,
    modules: HashMap<u64, Module>,
    funcs: HashMap<u64, Func>,
    by_name: HashMap<(u64, usize), u64>,
    streams: HashMap<u64, (u32, i32)>,
    events: HashMap<u64, Event>,
    pools: HashMap<u64, u64>,
    limits: HashMap<u32, u64>,
    next: u64,
    launches: u64,
}

const PRIMARY: u64 = 0x1000;
const DEFAULT_POOL: u64 = 0x2000;

static STATE: Mutex<Option<Box<State>>> = Mutex::new(None);

thread_local! {
    static CURRENT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

struct Guard(MutexGuard<'static, Option<Box<State>>>);

impl std::ops::Deref for Guard {
    type Target = State;
    fn deref(&self) -> &State {
        self.0.as_ref().expect("initialised")
    }
}
impl std::ops::DerefMut for Guard {
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().expect("initialised")
    }
}

fn lock() -> Result<Guard, i32> {
    let g = STATE.lock().unwrap_or_else(|e| e.into_inner());
    if g.is_none() { Err(NOT_INITIALIZED) } else { Ok(Guard(g)) }
}

/// State with a current context and no earlier failure.
fn ctx() -> Result<Guard, i32> {
    let g = lock()?;
    let cur = CURRENT.with(|c| c.borrow().last().copied());
    match cur {
        Some(c) if g.contexts.contains_key(&c) || c == PRIMARY && g.primary > 0 => {}
        _ => return Err(INVALID_CONTEXT),
    }
    if g.sticky != 0 { Err(g.sticky) } else { Ok(g) }
}

impl State {
    fn id(&mut self) -> u64 {
        self.next += 16;
        self.next
    }

    /// Host pointer for an address of either side.
    fn ptr(&self, a: u64, n: u64) -> Result<*mut u8, i32> {
        if a == 0 {
            return Err(INVALID_VALUE);
        }
        if self.mem.find(a).is_some() {
            return self.dev(a, n);
        }
        Ok(a as *mut u8)
    }

    /// Host pointer for a range of device memory.
    fn dev(&self, a: u64, n: u64) -> Result<*mut u8, i32> {
        match self.mem.range(a, n) {
            Some(p) => Ok(p),
            None if n == 0 => Ok(std::ptr::null_mut()),
            None => {
                eprintln!(
                    "cuda-emu: invalid device range of {n} bytes at 0x{a:x}: {}",
                    self.mem.describe(a, n)
                );
                Err(INVALID_VALUE)
            }
        }
    }

    unsafe fn copy(&mut self, dst: u64, src: u64, n: u64, ddev: bool, sdev: bool) -> i32 {
        if n == 0 {
            return OK;
        }
        let r = (|| {
            let d = if ddev { self.dev(dst, n)? } else { self.ptr(dst, n)? };
            let s = if sdev { self.dev(src, n)? } else { self.ptr(src, n)? };
            Ok((d, s))
        })();
        match r {
            Ok((d, s)) => {
                // SAFETY: the side on the device was looked up, that on the host is given by the caller for `n` bytes.
                unsafe { std::ptr::copy(s, d, n as usize) };
                self.mem.copy_init(dst, src, n);
                OK
            }
            Err(e) => e,
        }
    }

    unsafe fn set(&mut self, dst: u64, v: &[u8], n: usize) -> i32 {
        if n == 0 {
            return OK;
        }
        if !dst.is_multiple_of(v.len() as u64) {
            return INVALID_VALUE;
        }
        match self.dev(dst, (n * v.len()) as u64) {
            Ok(p) => {
                for i in 0..n {
                    // SAFETY: the range has `n` times the bytes of `v`, and is not part of a slice.
                    unsafe { std::ptr::copy_nonoverlapping(v.as_ptr(), p.add(i * v.len()), v.len()) };
                }
                self.mem.mark_init(dst, (n * v.len()) as u64);
                OK
            }
            Err(e) => e,
        }
    }

    fn new_mem(&mut self, n: usize, kind: Kind) -> Result<u64, i32> {
        if n == 0 {
            return Err(INVALID_VALUE);
        }
        match self.mem.alloc(n as u64, kind) {
            Some(a) => Ok(a),
            None => {
                eprintln!(
                    "cuda-emu: out of memory: {n} bytes asked for, {} of {} in use (CUDA_EMU_MEM)",
                    self.mem.used, self.mem.limit
                );
                Err(OUT_OF_MEMORY)
            }
        }
    }

    fn release(&mut self, a: u64) -> i32 {
        if a == 0 || self.mem.free(a) {
            return OK;
        }
        eprintln!(
            "cuda-emu: free of 0x{a:x}, which does not start an allocation: {}",
            self.mem.describe(a, 1)
        );
        INVALID_VALUE
    }

    fn func(&mut self, module: u64, index: usize) -> u64 {
        if let Some(h) = self.by_name.get(&(module, index)) {
            return *h;
        }
        let h = self.id();
        self.funcs.insert(h, Func { module, index, max_dynamic: 0, carveout: -1 });
        self.by_name.insert((module, index), h);
        h
    }

    fn find(&mut self, module: u64, name: &str) -> Result<u64, i32> {
        let m = self.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let i = m.prog.find(name).ok_or(NOT_FOUND)?;
        Ok(self.func(module, i))
    }

    fn code(&self, f: u64) -> Result<(&Func, &crate::ir::Code), i32> {
        let f = self.funcs.get(&f).ok_or(INVALID_HANDLE)?;
        let m = self.modules.get(&f.module).ok_or(INVALID_HANDLE)?;
        Ok((f, &m.prog.funcs[f.index]))
    }

    fn occupancy(&self, f: u64, threads: u32, dynamic: u32) -> Result<u32, i32> {
        let (_, c) = self.code(f)?;
        if threads == 0 || threads > 1024 {
            return Ok(0);
        }
        let warps = threads.div_ceil(32);
        let regs = regs(c).next_multiple_of(8) * 32 * warps;
        let shared = (c.static_shared + dynamic + 1024).next_multiple_of(128);
        if shared > SHARED_PER_SM {
            return Ok(0);
        }
        Ok((64 / warps).min(32).min(65536 / regs.max(1)).min(SHARED_PER_SM / shared))
    }

    fn launch(
        &mut self,
        f: u64,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: Vec<u8>,
        cooperative: bool,
    ) -> i32 {
        let (fun, c) = match self.code(f) {
            Ok(x) => x,
            Err(e) => return e,
        };
        let threads = block.iter().map(|x| *x as u64).product::<u64>();
        let bad = |why: String| {
            eprintln!("cuda-emu: launch of {} refused: {why}", c.name);
            INVALID_VALUE
        };
        if threads == 0 || grid.contains(&0) {
            return bad(format!("empty grid or block {grid:?} {block:?}"));
        }
        let max = if c.max_threads > 0 { c.max_threads.min(1024) } else { 1024 } as u64;
        if threads > max || block[2] > 64 {
            return bad(format!("{threads} threads in a block, at most {max} are allowed"));
        }
        if grid[0] > i32::MAX as u32 || grid[1] > 65535 || grid[2] > 65535 {
            return bad(format!("grid {grid:?} is too large"));
        }
        let allowed = fun.max_dynamic.max(SHARED_PER_BLOCK.saturating_sub(c.static_shared));
        if shared > allowed || c.static_shared + shared > SHARED_OPTIN {
            return bad(format!(
                "{shared} bytes of dynamic shared memory, {allowed} are allowed (raise it with cuFuncSetAttribute)"
            ));
        }
        let total = grid.iter().map(|x| *x as u64).product::<u64>();
        if cooperative {
            let per = self.occupancy(f, threads as u32, shared).unwrap_or(0) as u64;
            if total > per * SMS as u64 {
                eprintln!(
                    "cuda-emu: cooperative launch of {}: {total} blocks, {} can be resident",
                    c.name,
                    per * SMS as u64
                );
                return COOPERATIVE_LAUNCH_TOO_LARGE;
            }
        }
        let prog = self.modules[&fun.module].prog.clone();
        let index = fun.index;
        self.launches += 1;
        let r = exec::launch(
            Launch {
                prog: &prog,
                kernel: index,
                grid,
                block,
                shared,
                params,
                cooperative,
                grid_id: self.launches,
            },
            &mut self.mem,
            &self.cfg,
        );
        match r {
            Ok(s) => {
                if self.cfg.stats {
                    print_stats(&prog.funcs[index].name, grid, block, &s);
                }
                OK
            }
            Err(f) => {
                eprintln!("cuda-emu: {} ({})", f.msg, error_name(f.code).unwrap_or("?"));
                self.sticky = f.code;
                f.code
            }
        }
    }
}

fn regs(c: &crate::ir::Code) -> u32 {
    (c.rows).clamp(16, 128)
}

fn print_stats(name: &str, g: [u32; 3], b: [u32; 3], s: &Stats) {
    let pct = |bytes: u64, sectors: u64| {
        if sectors == 0 { 100.0 } else { 100.0 * bytes as f64 / (32.0 * sectors as f64) }
    };
    eprintln!(
        "cuda-emu: {name} <<<({},{},{}), ({},{},{})>>> instructions {} (warp {}, {:.1} threads each), \
         loads {} B in {} requests, {} sectors ({:.0}%), stores {} B in {} requests, {} sectors ({:.0}%), \
         shared {} requests, {} bank conflicts, local {} B, atomics {}, barriers {}, {:.3} s, {:.1} M/s",
        g[0],
        g[1],
        g[2],
        b[0],
        b[1],
        b[2],
        s.instructions,
        s.warp_instructions,
        s.instructions as f64 / s.warp_instructions.max(1) as f64,
        s.load_bytes,
        s.load_requests,
        s.load_sectors,
        pct(s.load_bytes, s.load_sectors),
        s.store_bytes,
        s.store_requests,
        s.store_sectors,
        pct(s.store_bytes, s.store_sectors),
        s.shared_requests,
        s.bank_conflicts,
        s.local_bytes,
        s.atomics,
        s.barriers,
        s.seconds,
        s.instructions as f64 / s.seconds.max(1e-9) / 1e6
    );
}

fn run(f: impl FnOnce() -> Result<i32, i32>) -> i32 {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        Ok(Ok(v)) | Ok(Err(v)) => v,
        Err(_) => UNKNOWN,
    }
}

/// Defines functions of the API. Names in brackets are further names of the same function.
macro_rules! api {
    (@fn $name:ident ($($a:ident: $t:ty),* $(,)?) $b:block) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name($($a: $t),*) -> i32 {
            #[allow(unused_unsafe, reason = "not each function of the API has a pointer")]
            // SAFETY: the caller gives pointers as the documentation of the CUDA driver asks for.
            run(move || unsafe { Ok($b) })
        }
    };
    (@alias $name:ident $alias:ident ($($a:ident: $t:ty),* $(,)?)) => {
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $alias($($a: $t),*) -> i32 {
            // SAFETY: the conditions of both names are the same.
            unsafe { $name($($a),*) }
        }
    };
    ($($name:ident [$($alias:ident)*] $args:tt $b:block)*) => {
        $(
            api!(@fn $name $args $b);
            $(api!(@alias $name $alias $args);)*
        )*
    };
}

/// Functions that exist but do nothing of use.
macro_rules! stubs {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            pub(crate) extern "C" fn $name() -> i32 {
                unsupported(stringify!($name))
            }
        )*
    };
}

fn unsupported(name: &str) -> i32 {
    eprintln!("cuda-emu: {name} is not supported");
    NOT_SUPPORTED
}

unsafe fn out<T>(p: *mut T, v: T) -> Result<(), i32> {
    if p.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller says that a pointer that is not null is valid for a write.
    unsafe { p.write(v) };
    Ok(())
}

fn h(v: u64) -> Handle {
    v as Handle
}

unsafe fn text<'a>(p: *const c_char) -> Result<&'a str, i32> {
    if p.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the caller says that a pointer that is not null is to a C string.
    unsafe { CStr::from_ptr(p) }.to_str().map_err(|_| INVALID_VALUE)
}

unsafe extern "C" fn at_exit() {
    if let Ok(g) = lock() {
        let l = g.mem.leaks();
        let total: u64 = l.iter().map(|x| x.2).sum();
        if !l.is_empty() {
            eprintln!("cuda-emu: {} allocations ({total} bytes) were not freed", l.len());
            for (id, base, size) in l.iter().take(20) {
                eprintln!("  #{id}: {size} bytes at 0x{base:x}");
            }
        }
    }
}

unsafe extern "C" {
    fn atexit(f: unsafe extern "C" fn()) -> c_int;
    fn dladdr(addr: *const c_void, info: *mut DlInfo) -> c_int;
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

#[repr(C)]
struct DlInfo {
    fname: *const c_char,
    fbase: *mut c_void,
    sname: *const c_char,
    saddr: *mut c_void,
}

const ERRORS: &[(i32, &CStr, &CStr)] = &[
    (0, c"CUDA_SUCCESS", c"no error"),
    (1, c"CUDA_ERROR_INVALID_VALUE", c"invalid argument"),
    (2, c"CUDA_ERROR_OUT_OF_MEMORY", c"out of memory"),
    (3, c"CUDA_ERROR_NOT_INITIALIZED", c"initialization error"),
    (4, c"CUDA_ERROR_DEINITIALIZED", c"driver shutting down"),
    (100, c"CUDA_ERROR_NO_DEVICE", c"no CUDA-capable device is detected"),
    (101, c"CUDA_ERROR_INVALID_DEVICE", c"invalid device ordinal"),
    (200, c"CUDA_ERROR_INVALID_IMAGE", c"device kernel image is invalid"),
    (201, c"CUDA_ERROR_INVALID_CONTEXT", c"invalid device context"),
    (209, c"CUDA_ERROR_NO_BINARY_FOR_GPU", c"no kernel image is available for execution on the device"),
    (218, c"CUDA_ERROR_INVALID_PTX", c"a PTX JIT compilation failed"),
    (300, c"CUDA_ERROR_INVALID_SOURCE", c"device kernel image is invalid"),
    (301, c"CUDA_ERROR_FILE_NOT_FOUND", c"file not found"),
    (400, c"CUDA_ERROR_INVALID_HANDLE", c"invalid resource handle"),
    (500, c"CUDA_ERROR_NOT_FOUND", c"named symbol not found"),
    (600, c"CUDA_ERROR_NOT_READY", c"device not ready"),
    (700, c"CUDA_ERROR_ILLEGAL_ADDRESS", c"an illegal memory access was encountered"),
    (701, c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", c"too many resources requested for launch"),
    (702, c"CUDA_ERROR_LAUNCH_TIMEOUT", c"the launch timed out and was terminated"),
    (708, c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", c"cannot set while device is active in this process"),
    (709, c"CUDA_ERROR_CONTEXT_IS_DESTROYED", c"context is destroyed"),
    (710, c"CUDA_ERROR_ASSERT", c"device-side assert triggered"),
    (
        712,
        c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
        c"part or all of the requested memory range is already mapped",
    ),
    (
        713,
        c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
        c"pointer does not correspond to a registered memory region",
    ),
    (714, c"CUDA_ERROR_HARDWARE_STACK_ERROR", c"hardware stack error"),
    (715, c"CUDA_ERROR_ILLEGAL_INSTRUCTION", c"an illegal instruction was encountered"),
    (716, c"CUDA_ERROR_MISALIGNED_ADDRESS", c"misaligned address"),
    (717, c"CUDA_ERROR_INVALID_ADDRESS_SPACE", c"operation not supported on global/shared address space"),
    (718, c"CUDA_ERROR_INVALID_PC", c"invalid program counter"),
    (719, c"CUDA_ERROR_LAUNCH_FAILED", c"unspecified launch failure"),
    (720, c"CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", c"too many blocks in cooperative launch"),
    (801, c"CUDA_ERROR_NOT_SUPPORTED", c"operation not supported"),
    (999, c"CUDA_ERROR_UNKNOWN", c"unknown error"),
];

fn error_name(code: i32) -> Option<&'static str> {
    ERRORS.iter().find(|e| e.0 == code).and_then(|e| e.1.to_str().ok())
}

unsafe fn load(g: &mut State, image: *const c_void) -> Result<u64, (i32, String)> {
    if image.is_null() {
        return Err((INVALID_VALUE, String::new()));
    }
    // SAFETY: an image has four bytes at least: a text of PTX has a line `.version`.
    let magic = unsafe { (image as *const u32).read_unaligned() };
    if magic == 0x464c_457f || magic == 0xba55_ed50 || magic == 0x4662_43b1 {
        return Err((NO_BINARY_FOR_GPU, "the image is compiled code; only PTX text can be run".into()));
    }
    // SAFETY: an image that is not compiled code is a text that ends with a zero.
    let Ok(src) = (unsafe { CStr::from_ptr(image as *const c_char) }).to_str() else {
        return Err((INVALID_PTX, "the image is not PTX text".into()));
    };
    match Module::load(src, &mut g.mem) {
        Ok(m) => {
            let id = g.id();
            g.modules.insert(id, m);
            Ok(id)
        }
        Err(e) => Err((INVALID_PTX, e.to_string())),
    }
}

unsafe fn load_jit(
    image: *const c_void,
    n: c_uint,
    opts: *const c_int,
    vals: *const *mut c_void,
) -> Result<u64, i32> {
    let mut g = ctx()?;
    // SAFETY: the caller gives an image.
    let r = unsafe { load(&mut g, image) };
    // SAFETY: the caller gives `n` options.
    let opt = |k: c_int| (0..n as usize).find(|i| unsafe { *opts.add(*i) } == k);
    // Log buffers: options 3 and 4 for information, 5 and 6 for errors.
    for (buf, size, is_err) in [(3, 4, false), (5, 6, true)] {
        if let (Some(b), Some(s)) = (opt(buf), opt(size)) {
            // SAFETY: the caller gives a value for each option.
            let p = unsafe { *vals.add(b) } as *mut u8;
            // SAFETY: as above.
            let cap = unsafe { *vals.add(s) } as usize as u32 as usize;
            let t = match &r {
                Err((_, m)) if is_err => m.as_str(),
                _ => "",
            };
            if !p.is_null() && cap > 0 {
                let k = t.len().min(cap - 1);
                // SAFETY: the buffer has `cap` bytes, as the options say, and `k` is less; the values may be written.
                unsafe {
                    std::ptr::copy_nonoverlapping(t.as_ptr(), p, k);
                    *p.add(k) = 0;
                    // The size used is given back in place of the size.
                    *(vals.add(s) as *mut usize) = k;
                }
            }
        }
    }
    match r {
        Ok(m) => Ok(m),
        Err((c, m)) => {
            eprintln!("cuda-emu: module not loaded: {m}");
            Err(c)
        }
    }
}

unsafe fn params(c: &crate::ir::Code, kp: *mut *mut c_void, extra: *mut *mut c_void) -> Result<Vec<u8>, i32> {
    let mut v = vec![0u8; c.param_size as usize];
    // SAFETY: the caller gives a pointer for each parameter, or the buffer that `extra` describes; offsets and sizes of
    // parameters are inside `v`.
    unsafe {
        if !kp.is_null() {
            for (i, (off, size)) in c.params.iter().enumerate() {
                let p = *kp.add(i) as *const u8;
                if p.is_null() {
                    return Err(INVALID_VALUE);
                }
                std::ptr::copy_nonoverlapping(p, v.as_mut_ptr().add(*off as usize), *size as usize);
            }
        } else if !extra.is_null() {
            let (mut i, mut buf, mut size) = (0, std::ptr::null::<u8>(), 0usize);
            loop {
                match *extra.add(i) as usize {
                    0 => break,
                    1 => buf = *extra.add(i + 1) as *const u8,
                    2 => size = *(*extra.add(i + 1) as *const usize),
                    _ => return Err(INVALID_VALUE),
                }
                i += 2;
            }
            if !buf.is_null() {
                std::ptr::copy_nonoverlapping(buf, v.as_mut_ptr(), size.min(v.len()));
            }
        } else if !c.params.is_empty() {
            return Err(INVALID_VALUE);
        }
    }
    Ok(v)
}

fn stream_ok(g: &State, s: Handle) -> Result<(), i32> {
    let v = s as u64;
    if v <= 2 || g.streams.contains_key(&v) { Ok(()) } else { Err(INVALID_HANDLE) }
}

unsafe fn do_launch(
    f: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    kp: *mut *mut c_void,
    extra: *mut *mut c_void,
    coop: bool,
) -> Result<i32, i32> {
    let mut g = ctx()?;
    stream_ok(&g, stream)?;
    let p = {
        let (_, c) = g.code(f as u64)?;
        // SAFETY: the caller gives the parameters of this kernel.
        unsafe { params(c, kp, extra)? }
    };
    Ok(g.launch(f as u64, grid, block, shared, p, coop))
}

fn attribute(a: c_int) -> c_int {
    match a {
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65535,
        8 => SHARED_PER_BLOCK as i32,
        9 => 65536,
        10 => 32,
        11 => i32::MAX,
        12 | 82 => 65536,
        13 => 1_980_000,
        14 => 512,
        15 | 19 | 31 | 32 | 33 | 41 => 1,
        16 => SMS as i32,
        36 => 2_619_000,
        37 => 5120,
        38 => 50 << 20,
        39 => 2048,
        40 => 3,
        51 => 32,
        75 => 9,
        76 => 0,
        78 | 79 | 80 | 83 | 89 | 90 | 91 | 95 | 96 | 98 | 99 | 115 => 1,
        81 => SHARED_PER_SM as i32,
        87 => 2,
        97 => SHARED_OPTIN as i32,
        106 => 32,
        108 => 128 << 20,
        111 => 1024,
        _ => 0,
    }
}

fn fattr(f: &Func, c: &crate::ir::Code, a: c_int) -> Result<c_int, i32> {
    Ok(match a {
        0 => {
            if c.max_threads > 0 {
                c.max_threads.min(1024) as i32
            } else {
                1024
            }
        }
        1 => c.static_shared as i32,
        2 => 0,
        3 => c.local_size as i32,
        4 => regs(c) as i32,
        5 | 6 => 90,
        7 => 0,
        8 => f.max_dynamic.max(SHARED_PER_BLOCK.saturating_sub(c.static_shared)) as i32,
        9 => f.carveout,
        10..=15 => 0,
        _ => return Err(INVALID_VALUE),
    })
}

fn set_fattr(g: &mut State, f: u64, a: c_int, v: c_int) -> Result<i32, i32> {
    let st = {
        let (_, c) = g.code(f)?;
        c.static_shared
    };
    let f = g.funcs.get_mut(&f).ok_or(INVALID_HANDLE)?;
    match a {
        8 => {
            if v < 0 || v as u32 + st > SHARED_OPTIN {
                return Err(INVALID_VALUE);
            }
            f.max_dynamic = v as u32;
        }
        9 => f.carveout = v,
        10..=15 => {}
        _ => return Err(INVALID_VALUE),
    }
    Ok(OK)
}

type B2D = Option<unsafe extern "C" fn(c_int) -> usize>;

api! {
    cuInit [] (_flags: c_uint) {
        let mut g = STATE.lock().unwrap_or_else(|e| e.into_inner());
        if g.is_none() {
            let cfg = Config::from_env();
            let mem = Mem::new(cfg.mem_limit, cfg.initcheck, cfg.fill);
            if cfg.leakcheck {
                atexit(at_exit);
            }
            *g = Some(Box::new(State {
                cfg,
                mem,
                contexts: HashMap::new(),
                primary: 0,
                sticky: 0,
                modules: HashMap::new(),
                funcs: HashMap::new(),
                by_name: HashMap::new(),
                streams: HashMap::new(),
                events: HashMap::new(),
                pools: HashMap::new(),
                limits: HashMap::new(),
                next: 0x10_0000,
                launches: 0,
            }));
        }
        OK
    }
    cuDriverGetVersion [] (v: *mut c_int) { out(v, VERSION)?; OK }
    cuGetErrorName [] (e: c_int, s: *mut *const c_char) {
        match ERRORS.iter().find(|x| x.0 == e) {
            Some(x) => { out(s, x.1.as_ptr())?; OK }
            None => { out(s, std::ptr::null())?; INVALID_VALUE }
        }
    }
    cuGetErrorString [] (e: c_int, s: *mut *const c_char) {
        match ERRORS.iter().find(|x| x.0 == e) {
            Some(x) => { out(s, x.2.as_ptr())?; OK }
            None => { out(s, std::ptr::null())?; INVALID_VALUE }
        }
    }
    cuGetProcAddress_v2 [cuGetProcAddress_v2_ptsz] (name: *const c_char, pfn: *mut *mut c_void, _version: c_int, _flags: u64, status: *mut c_int) {
        let n = text(name)?;
        let mut info = DlInfo { fname: std::ptr::null(), fbase: h(0), sname: std::ptr::null(), saddr: h(0) };
        let mut f = h(0);
        if dladdr(cuInit as *const c_void, &mut info) != 0 && !info.fname.is_null() {
            // RTLD_NOW | RTLD_NOLOAD: the library this code is in.
            let lib = dlopen(info.fname, 2 | 4);
            for suffix in ["_v2", ""] {
                let s = format!("{n}{suffix}\0");
                // Newer forms of these take other arguments than callers of the plain name expect.
                if suffix == "_v2" && matches!(n, "cuMemAdvise" | "cuMemPrefetchAsync" | "cuGetProcAddress" | "cuGraphInstantiate") && _version < 13000 {
                    continue;
                }
                if !lib.is_null() {
                    f = dlsym(lib, s.as_ptr() as *const c_char);
                }
                if !f.is_null() {
                    break;
                }
            }
        }
        if !status.is_null() {
            *status = if f.is_null() { 1 } else { 0 };
        }
        out(pfn, f)?;
        if f.is_null() { NOT_FOUND } else { OK }
    }
    cuGetProcAddress [] (name: *const c_char, pfn: *mut *mut c_void, version: c_int, flags: u64) {
        cuGetProcAddress_v2(name, pfn, version, flags, std::ptr::null_mut())
    }

    cuDeviceGet [] (d: *mut c_int, ordinal: c_int) {
        let _g = lock()?;
        if ordinal != 0 { return Err(INVALID_DEVICE); }
        out(d, 0)?; OK
    }
    cuDeviceGetCount [] (n: *mut c_int) { let _g = lock()?; out(n, 1)?; OK }
    cuDeviceGetName [] (name: *mut c_char, len: c_int, d: c_int) {
        if d != 0 { return Err(INVALID_DEVICE); }
        let s = b"cuda-emu (sm_90)";
        if name.is_null() || len <= 0 { return Err(INVALID_VALUE); }
        let n = s.len().min(len as usize - 1);
        std::ptr::copy_nonoverlapping(s.as_ptr(), name as *mut u8, n);
        *name.add(n) = 0;
        OK
    }
    cuDeviceGetUuid [cuDeviceGetUuid_v2] (u: *mut [u8; 16], _d: c_int) { out(u, *b"cuda-emu-device0")?; OK }
    cuDeviceGetLuid [] (_l: *mut c_char, _m: *mut c_uint, _d: c_int) { NOT_SUPPORTED }
    cuDeviceTotalMem_v2 [] (n: *mut usize, d: c_int) {
        if d != 0 { return Err(INVALID_DEVICE); }
        out(n, TOTAL_MEM as usize)?; OK
    }
    cuDeviceGetAttribute [] (v: *mut c_int, a: c_int, d: c_int) {
        let _g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        out(v, attribute(a))?; OK
    }
    cuDeviceComputeCapability [] (major: *mut c_int, minor: *mut c_int, _d: c_int) { out(major, 9)?; out(minor, 0)?; OK }
    cuDeviceGetPCIBusId [] (s: *mut c_char, len: c_int, _d: c_int) {
        let t = b"0000:01:00.0\0";
        if s.is_null() || (len as usize) < t.len() { return Err(INVALID_VALUE); }
        std::ptr::copy_nonoverlapping(t.as_ptr(), s as *mut u8, t.len());
        OK
    }
    cuDeviceGetByPCIBusId [] (d: *mut c_int, _s: *const c_char) { out(d, 0)?; OK }
    cuDeviceCanAccessPeer [] (v: *mut c_int, _a: c_int, _b: c_int) { out(v, 0)?; OK }
    cuDeviceGetP2PAttribute [] (v: *mut c_int, _k: c_int, _a: c_int, _b: c_int) { out(v, 0)?; OK }
    cuDeviceGetDefaultMemPool [] (p: *mut Handle, _d: c_int) { out(p, h(DEFAULT_POOL))?; OK }
    cuDeviceGetMemPool [] (p: *mut Handle, _d: c_int) { out(p, h(DEFAULT_POOL))?; OK }
    cuDeviceSetMemPool [] (_d: c_int, _p: Handle) { OK }

    cuDevicePrimaryCtxRetain [] (c: *mut Handle, d: c_int) {
        let mut g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        g.primary += 1;
        out(c, h(PRIMARY))?; OK
    }
    cuDevicePrimaryCtxRelease_v2 [cuDevicePrimaryCtxRelease] (d: c_int) {
        let mut g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        if g.primary == 0 { return Err(INVALID_CONTEXT); }
        g.primary -= 1;
        if g.primary == 0 { g.sticky = 0; }
        OK
    }
    cuDevicePrimaryCtxReset_v2 [cuDevicePrimaryCtxReset] (_d: c_int) {
        let mut g = lock()?;
        g.sticky = 0;
        let all: Vec<u64> = g.mem.map.keys().copied().collect();
        for a in all { g.mem.free(a); }
        g.modules.clear();
        g.funcs.clear();
        g.by_name.clear();
        OK
    }
    cuDevicePrimaryCtxSetFlags_v2 [cuDevicePrimaryCtxSetFlags] (_d: c_int, _f: c_uint) { OK }
    cuDevicePrimaryCtxGetState [] (_d: c_int, flags: *mut c_uint, active: *mut c_int) {
        let g = lock()?;
        out(flags, 0)?;
        out(active, (g.primary > 0) as c_int)?; OK
    }
    cuCtxCreate_v2 [cuCtxCreate] (c: *mut Handle, flags: c_uint, d: c_int) {
        let mut g = lock()?;
        if d != 0 { return Err(INVALID_DEVICE); }
        let id = g.id();
        g.contexts.insert(id, flags);
        CURRENT.with(|s| s.borrow_mut().push(id));
        out(c, h(id))?; OK
    }
    cuCtxCreate_v3 [] (c: *mut Handle, _p: *mut c_void, _n: c_int, flags: c_uint, d: c_int) { cuCtxCreate_v2(c, flags, d) }
    cuCtxCreate_v4 [] (c: *mut Handle, _p: *mut c_void, flags: c_uint, d: c_int) { cuCtxCreate_v2(c, flags, d) }
    cuCtxDestroy_v2 [cuCtxDestroy] (c: Handle) {
        let mut g = lock()?;
        if g.contexts.remove(&(c as u64)).is_none() { return Err(INVALID_CONTEXT); }
        CURRENT.with(|s| { let mut s = s.borrow_mut(); if s.last() == Some(&(c as u64)) { s.pop(); } });
        if g.contexts.is_empty() && g.primary == 0 { g.sticky = 0; }
        OK
    }
    cuCtxSetCurrent [] (c: Handle) {
        let _g = lock()?;
        CURRENT.with(|s| { let mut s = s.borrow_mut(); s.pop(); if !c.is_null() { s.push(c as u64); } });
        OK
    }
    cuCtxGetCurrent [] (c: *mut Handle) {
        let _g = lock()?;
        out(c, h(CURRENT.with(|s| s.borrow().last().copied().unwrap_or(0))))?; OK
    }
    cuCtxPushCurrent_v2 [cuCtxPushCurrent] (c: Handle) { let _g = lock()?; CURRENT.with(|s| s.borrow_mut().push(c as u64)); OK }
    cuCtxPopCurrent_v2 [cuCtxPopCurrent] (c: *mut Handle) {
        let _g = lock()?;
        match CURRENT.with(|s| s.borrow_mut().pop()) {
            Some(v) => { if !c.is_null() { *c = h(v); } OK }
            None => INVALID_CONTEXT,
        }
    }
    cuCtxGetDevice [] (d: *mut c_int) { drop(lock()?); if CURRENT.with(|s| s.borrow().is_empty()) { return Err(INVALID_CONTEXT); } out(d, 0)?; OK }
    cuCtxGetDevice_v2 [] (d: *mut c_int, _c: Handle) { out(d, 0)?; OK }
    cuCtxGetFlags [] (f: *mut c_uint) { let _g = ctx()?; out(f, 0)?; OK }
    cuCtxSetFlags [] (_f: c_uint) { let _g = ctx()?; OK }
    cuCtxGetId [] (_c: Handle, id: *mut u64) { out(id, 1)?; OK }
    cuCtxSynchronize [] () { let _g = ctx()?; OK }
    cuCtxSynchronize_v2 [] (_c: Handle) { let _g = ctx()?; OK }
    cuCtxSetLimit [] (k: c_uint, v: usize) { let mut g = ctx()?; g.limits.insert(k, v as u64); if k == 0 { g.cfg.stack = g.cfg.stack.max(v as u32); } OK }
    cuCtxGetLimit [] (v: *mut usize, k: c_uint) {
        let g = ctx()?;
        let d = match k { 0 => 1024, 1 => 1 << 20, 2 => 8 << 20, _ => 0 };
        out(v, g.limits.get(&k).copied().unwrap_or(d) as usize)?; OK
    }
    cuCtxGetCacheConfig [] (v: *mut c_int) { out(v, 0)?; OK }
    cuCtxSetCacheConfig [] (_v: c_int) { OK }
    cuCtxGetSharedMemConfig [] (v: *mut c_int) { out(v, 1)?; OK }
    cuCtxSetSharedMemConfig [] (_v: c_int) { OK }
    cuCtxGetApiVersion [] (_c: Handle, v: *mut c_uint) { out(v, 3020)?; OK }
    cuCtxGetStreamPriorityRange [] (lo: *mut c_int, hi: *mut c_int) {
        if !lo.is_null() { *lo = 0; }
        if !hi.is_null() { *hi = -5; } OK }
    cuCtxResetPersistingL2Cache [] () { OK }
    cuCtxEnablePeerAccess [] (_c: Handle, _f: c_uint) { NOT_SUPPORTED }
    cuCtxDisablePeerAccess [] (_c: Handle) { NOT_SUPPORTED }

    cuModuleLoadData [] (m: *mut Handle, image: *const c_void) {
        let id = load_jit(image, 0, std::ptr::null(), std::ptr::null())?;
        out(m, h(id))?; OK
    }
    cuModuleLoadDataEx [] (m: *mut Handle, image: *const c_void, n: c_uint, opts: *const c_int, vals: *const *mut c_void) {
        let id = load_jit(image, n, opts, vals)?;
        out(m, h(id))?; OK
    }
    cuModuleLoadFatBinary [] (m: *mut Handle, image: *const c_void) { cuModuleLoadData(m, image) }
    cuModuleLoad [] (m: *mut Handle, name: *const c_char) {
        let mut b = std::fs::read(text(name)?).map_err(|_| FILE_NOT_FOUND)?;
        b.push(0);
        cuModuleLoadData(m, b.as_ptr() as *const c_void)
    }
    cuModuleUnload [] (m: Handle) {
        let mut g = lock()?;
        let Some(x) = g.modules.remove(&(m as u64)) else { return Err(INVALID_HANDLE) };
        x.unload(&mut g.mem);
        let m = m as u64;
        g.funcs.retain(|_, f| f.module != m);
        g.by_name.retain(|k, _| k.0 != m);
        OK
    }
    cuModuleGetFunction [] (f: *mut Handle, m: Handle, name: *const c_char) {
        let mut g = ctx()?;
        let v = g.find(m as u64, text(name)?)?;
        out(f, h(v))?; OK
    }
    cuModuleGetFunctionCount [] (n: *mut c_uint, m: Handle) {
        let g = ctx()?;
        let m = g.modules.get(&(m as u64)).ok_or(INVALID_HANDLE)?;
        out(n, m.kernels().len() as c_uint)?; OK
    }
    cuModuleEnumerateFunctions [] (f: *mut Handle, n: c_uint, m: Handle) {
        let mut g = ctx()?;
        let list: Vec<usize> = {
            let x = g.modules.get(&(m as u64)).ok_or(INVALID_HANDLE)?;
            (0..x.prog.funcs.len()).filter(|i| x.prog.funcs[*i].entry).take(n as usize).collect()
        };
        for (k, i) in list.into_iter().enumerate() { *f.add(k) = h(g.func(m as u64, i)); }
        OK
    }
    cuModuleGetGlobal_v2 [cuModuleGetGlobal] (p: *mut u64, n: *mut usize, m: Handle, name: *const c_char) {
        let g = ctx()?;
        let m = g.modules.get(&(m as u64)).ok_or(INVALID_HANDLE)?;
        let (a, s) = m.global(text(name)?).ok_or(NOT_FOUND)?;
        if !p.is_null() { *p = a; }
        if !n.is_null() { *n = s as usize; }
        OK
    }
    cuModuleGetLoadingMode [] (m: *mut c_int) { out(m, 1)?; OK }

    cuLibraryLoadData [] (l: *mut Handle, image: *const c_void, opts: *const c_int, vals: *const *mut c_void, n: c_uint, _lo: *mut c_int, _lv: *mut *mut c_void, _ln: c_uint) {
        let id = load_jit(image, n, opts, vals)?;
        out(l, h(id))?; OK
    }
    cuLibraryLoadFromFile [] (l: *mut Handle, name: *const c_char, opts: *const c_int, vals: *const *mut c_void, n: c_uint, _lo: *mut c_int, _lv: *mut *mut c_void, _ln: c_uint) {
        let mut b = std::fs::read(text(name)?).map_err(|_| FILE_NOT_FOUND)?;
        b.push(0);
        let id = load_jit(b.as_ptr() as *const c_void, n, opts, vals)?;
        out(l, h(id))?; OK
    }
    cuLibraryUnload [] (l: Handle) { cuModuleUnload(l) }
    cuLibraryGetKernel [] (k: *mut Handle, l: Handle, name: *const c_char) { cuModuleGetFunction(k, l, name) }
    cuLibraryGetKernelCount [] (n: *mut c_uint, l: Handle) { cuModuleGetFunctionCount(n, l) }
    cuLibraryEnumerateKernels [] (k: *mut Handle, n: c_uint, l: Handle) { cuModuleEnumerateFunctions(k, n, l) }
    cuLibraryGetModule [] (m: *mut Handle, l: Handle) { let _g = ctx()?; out(m, l)?; OK }
    cuLibraryGetGlobal [] (p: *mut u64, n: *mut usize, l: Handle, name: *const c_char) { cuModuleGetGlobal_v2(p, n, l, name) }
    cuLibraryGetManaged [] (p: *mut u64, n: *mut usize, l: Handle, name: *const c_char) { cuModuleGetGlobal_v2(p, n, l, name) }
    cuKernelGetFunction [] (f: *mut Handle, k: Handle) { let g = ctx()?; g.code(k as u64)?; out(f, k)?; OK }
    cuKernelGetAttribute [] (v: *mut c_int, a: c_int, k: Handle, _d: c_int) { cuFuncGetAttribute(v, a, k) }
    cuKernelSetAttribute [] (a: c_int, v: c_int, k: Handle, _d: c_int) { cuFuncSetAttribute(k, a, v) }
    cuKernelGetName [] (n: *mut *const c_char, k: Handle) { cuFuncGetName(n, k) }
    cuKernelSetCacheConfig [] (_k: Handle, _c: c_int, _d: c_int) { OK }

    cuFuncGetAttribute [] (v: *mut c_int, a: c_int, f: Handle) {
        let g = ctx()?;
        let (f, c) = g.code(f as u64)?;
        out(v, fattr(f, c, a)?)?; OK
    }
    cuFuncSetAttribute [] (f: Handle, a: c_int, v: c_int) { let mut g = ctx()?; set_fattr(&mut g, f as u64, a, v)? }
    cuFuncSetCacheConfig [] (_f: Handle, _c: c_int) { OK }
    cuFuncSetSharedMemConfig [] (_f: Handle, _c: c_int) { OK }
    cuFuncGetModule [] (m: *mut Handle, f: Handle) { let g = ctx()?; let (f, _) = g.code(f as u64)?; out(m, h(f.module))?; OK }
    cuFuncGetName [] (n: *mut *const c_char, f: Handle) {
        let g = ctx()?;
        let (_, c) = g.code(f as u64)?;
        let s = std::ffi::CString::new(c.name.as_str()).map_err(|_| UNKNOWN)?;
        out(n, s.into_raw() as *const c_char)?; OK
    }
    cuFuncGetParamInfo [] (f: Handle, i: usize, off: *mut usize, size: *mut usize) {
        let g = ctx()?;
        let (_, c) = g.code(f as u64)?;
        let (o, s) = c.params.get(i).ok_or(INVALID_VALUE)?;
        if !off.is_null() { *off = *o as usize; }
        if !size.is_null() { *size = *s as usize; }
        OK
    }
    cuFuncIsLoaded [] (v: *mut c_int, _f: Handle) { out(v, 1)?; OK }
    cuFuncLoad [] (_f: Handle) { OK }
    cuOccupancyMaxActiveBlocksPerMultiprocessor [] (n: *mut c_int, f: Handle, threads: c_int, dynamic: usize) {
        let g = ctx()?;
        out(n, g.occupancy(f as u64, threads.max(0) as u32, dynamic as u32)? as c_int)?; OK
    }
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags [] (n: *mut c_int, f: Handle, threads: c_int, dynamic: usize, _flags: c_uint) {
        cuOccupancyMaxActiveBlocksPerMultiprocessor(n, f, threads, dynamic)
    }
    cuOccupancyMaxPotentialBlockSize [] (grid: *mut c_int, block: *mut c_int, f: Handle, b2d: B2D, dynamic: usize, limit: c_int) {
        let mut best = (0u32, 0u32, 0u32);
        let mut t = if limit > 0 { (limit as u32).min(1024) } else { 1024 };
        { let g = ctx()?; let (_, c) = g.code(f as u64)?; if c.max_threads > 0 { t = t.min(c.max_threads); } }
        while t > 0 {
            let d = match b2d { Some(k) => k(t as c_int), None => dynamic };
            let n = { let g = ctx()?; g.occupancy(f as u64, t, d as u32)? };
            if n * t > best.0 { best = (n * t, t, n); }
            t = (t - 1) / 32 * 32;
        }
        out(grid, (best.2 * SMS) as c_int)?;
        out(block, best.1 as c_int)?;
        OK
    }
    cuOccupancyMaxPotentialBlockSizeWithFlags [] (grid: *mut c_int, block: *mut c_int, f: Handle, b2d: B2D, dynamic: usize, limit: c_int, _flags: c_uint) {
        cuOccupancyMaxPotentialBlockSize(grid, block, f, b2d, dynamic, limit)
    }
    cuOccupancyAvailableDynamicSMemPerBlock [] (n: *mut usize, f: Handle, blocks: c_int, _threads: c_int) {
        let g = ctx()?;
        let (_, c) = g.code(f as u64)?;
        let per = SHARED_PER_SM / (blocks.max(1) as u32);
        out(n, per.saturating_sub(1024 + c.static_shared).min(SHARED_OPTIN - c.static_shared) as usize)?; OK
    }

    cuLaunchKernel [cuLaunchKernel_ptsz] (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, s: Handle, kp: *mut *mut c_void, extra: *mut *mut c_void) {
        do_launch(f, [gx, gy, gz], [bx, by, bz], shared, s, kp, extra, false)?
    }
    cuLaunchKernelEx [cuLaunchKernelEx_ptsz] (cfg: *const LaunchConfig, f: Handle, kp: *mut *mut c_void, extra: *mut *mut c_void) {
        if cfg.is_null() { return Err(INVALID_VALUE); }
        let c = &*cfg;
        let mut coop = false;
        for i in 0..c.num as usize {
            let a = &*c.attrs.add(i);
            let v = *(a.value.as_ptr() as *const u32);
            match a.id {
                2 => coop = v != 0,
                4 => {
                    let d = a.value.as_ptr() as *const u32;
                    if (0..3).any(|k| *d.add(k) > 1) {
                        eprintln!("cuda-emu: thread block clusters are not supported");
                        return Err(NOT_SUPPORTED);
                    }
                }
                _ => {}
            }
        }
        do_launch(f, c.grid, c.block, c.shared, c.stream, kp, extra, coop)?
    }
    cuLaunchCooperativeKernel [cuLaunchCooperativeKernel_ptsz] (f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, s: Handle, kp: *mut *mut c_void) {
        do_launch(f, [gx, gy, gz], [bx, by, bz], shared, s, kp, std::ptr::null_mut(), true)?
    }
    cuLaunchHostFunc [cuLaunchHostFunc_ptsz] (_s: Handle, f: unsafe extern "C" fn(*mut c_void), data: *mut c_void) {
        drop(ctx()?);
        f(data);
        OK
    }

    cuMemAlloc_v2 [cuMemAlloc] (p: *mut u64, n: usize) { let mut g = ctx()?; let a = g.new_mem(n, Kind::Device)?; out(p, a)?; OK }
    cuMemAllocPitch_v2 [] (p: *mut u64, pitch: *mut usize, w: usize, rows: usize, _e: c_uint) {
        let mut g = ctx()?;
        let k = w.next_multiple_of(512);
        let a = g.new_mem(k * rows, Kind::Device)?;
        out(pitch, k)?;
        out(p, a)?; OK
    }
    cuMemFree_v2 [cuMemFree] (p: u64) { let mut g = ctx()?; g.release(p) }
    cuMemAllocAsync [cuMemAllocAsync_ptsz] (p: *mut u64, n: usize, s: Handle) { let mut g = ctx()?; stream_ok(&g, s)?; let a = g.new_mem(n, Kind::Device)?; out(p, a)?; OK }
    cuMemAllocFromPoolAsync [cuMemAllocFromPoolAsync_ptsz] (p: *mut u64, n: usize, _pool: Handle, s: Handle) { cuMemAllocAsync(p, n, s) }
    cuMemFreeAsync [cuMemFreeAsync_ptsz] (p: u64, s: Handle) { let mut g = ctx()?; stream_ok(&g, s)?; g.release(p) }
    cuMemAllocHost_v2 [cuMemAllocHost] (p: *mut *mut c_void, n: usize) { let mut g = ctx()?; let a = g.new_mem(n, Kind::Host)?; out(p, h(a))?; OK }
    cuMemHostAlloc [] (p: *mut *mut c_void, n: usize, _f: c_uint) { let mut g = ctx()?; let a = g.new_mem(n, Kind::Host)?; out(p, h(a))?; OK }
    cuMemFreeHost [] (p: *mut c_void) { let mut g = ctx()?; g.release(p as u64) }
    cuMemHostGetDevicePointer_v2 [cuMemHostGetDevicePointer] (d: *mut u64, p: *mut c_void, _f: c_uint) {
        let g = ctx()?;
        if g.mem.find(p as u64).is_none() { return Err(INVALID_VALUE); }
        out(d, p as u64)?; OK
    }
    cuMemHostGetFlags [] (f: *mut c_uint, _p: *mut c_void) { out(f, 0)?; OK }
    cuMemHostRegister_v2 [cuMemHostRegister] (p: *mut c_void, n: usize, _f: c_uint) {
        let mut g = ctx()?;
        if g.mem.register(p as *mut u8, n as u64) { OK } else { ALREADY_REGISTERED }
    }
    cuMemHostUnregister [] (p: *mut c_void) { let mut g = ctx()?; if g.mem.free(p as u64) { OK } else { NOT_REGISTERED } }
    cuMemAllocManaged [] (p: *mut u64, n: usize, _f: c_uint) { let mut g = ctx()?; let a = g.new_mem(n, Kind::Managed)?; out(p, a)?; OK }
    cuMemGetInfo_v2 [cuMemGetInfo] (free: *mut usize, total: *mut usize) {
        let g = ctx()?;
        out(free, (TOTAL_MEM - g.mem.used.min(TOTAL_MEM)) as usize)?;
        out(total, TOTAL_MEM as usize)?; OK
    }
    cuMemGetAddressRange_v2 [cuMemGetAddressRange] (b: *mut u64, n: *mut usize, p: u64) {
        let g = ctx()?;
        let a = g.mem.find(p).ok_or(NOT_FOUND)?;
        if !b.is_null() { *b = a.base; }
        if !n.is_null() { *n = a.size as usize; }
        OK
    }
    cuMemPrefetchAsync [cuMemPrefetchAsync_ptsz] (_p: u64, _n: usize, _d: c_int, _s: Handle) { OK }
    cuMemPrefetchAsync_v2 [cuMemPrefetchAsync_v2_ptsz] (_p: u64, _n: usize, _loc: u64, _f: c_uint, _s: Handle) { OK }
    cuMemAdvise [] (_p: u64, _n: usize, _a: c_int, _d: c_int) { OK }
    cuMemAdvise_v2 [] (_p: u64, _n: usize, _a: c_int, _loc: u64) { OK }
    cuPointerGetAttribute [] (data: *mut c_void, a: c_int, p: u64) {
        let g = ctx()?;
        if data.is_null() { return Err(INVALID_VALUE); }
        let al = g.mem.find(p).ok_or(INVALID_VALUE)?;
        let host = matches!(al.kind, Kind::Host | Kind::Registered);
        match a {
            1 => *(data as *mut u64) = PRIMARY,
            2 => *(data as *mut u32) = if host { 1 } else { 2 },
            3 => *(data as *mut u64) = p,
            4 => {
                if !host && al.kind != Kind::Managed { return Err(INVALID_VALUE); }
                *(data as *mut u64) = p;
            }
            6 => *(data as *mut u32) = 1,
            7 => *(data as *mut u64) = al.id,
            8 => *(data as *mut u32) = (al.kind == Kind::Managed) as u32,
            9 => *(data as *mut u32) = 0,
            11 => *(data as *mut u64) = al.base,
            12 => *(data as *mut u64) = al.size,
            13 => *(data as *mut u32) = 1,
            _ => return Err(NOT_SUPPORTED),
        }
        OK
    }
    cuPointerGetAttributes [] (n: c_uint, at: *const c_int, data: *const *mut c_void, p: u64) {
        for i in 0..n as usize {
            if cuPointerGetAttribute(*data.add(i), *at.add(i), p) != OK {
                std::ptr::write_bytes(*data.add(i) as *mut u8, 0, 4);
            }
        }
        OK
    }
    cuPointerSetAttribute [] (_v: *const c_void, _a: c_int, _p: u64) { OK }

    cuMemPoolCreate [] (p: *mut Handle, _props: *const c_void) { let mut g = ctx()?; let id = g.id(); g.pools.insert(id, 0); out(p, h(id))?; OK }
    cuMemPoolDestroy [] (p: Handle) { let mut g = ctx()?; g.pools.remove(&(p as u64)); OK }
    cuMemPoolSetAttribute [] (_p: Handle, _a: c_int, _v: *mut c_void) { OK }
    cuMemPoolGetAttribute [] (_p: Handle, a: c_int, v: *mut c_void) {
        let g = ctx()?;
        if v.is_null() { return Err(INVALID_VALUE); }
        match a {
            1..=3 => *(v as *mut c_int) = 1,
            4 => *(v as *mut u64) = 0,
            _ => *(v as *mut u64) = g.mem.used,
        }
        OK
    }
    cuMemPoolTrimTo [] (_p: Handle, _n: usize) { OK }
    cuMemPoolSetAccess [] (_p: Handle, _m: *const c_void, _n: usize) { OK }

    cuMemcpyHtoD_v2 [cuMemcpyHtoD_v2_ptds] (d: u64, s: *const c_void, n: usize) { ctx()?.copy(d, s as u64, n as u64, true, false) }
    cuMemcpyHtoDAsync_v2 [cuMemcpyHtoDAsync_v2_ptsz] (d: u64, s: *const c_void, n: usize, st: Handle) { let mut g = ctx()?; stream_ok(&g, st)?; g.copy(d, s as u64, n as u64, true, false) }
    cuMemcpyDtoH_v2 [cuMemcpyDtoH_v2_ptds] (d: *mut c_void, s: u64, n: usize) { ctx()?.copy(d as u64, s, n as u64, false, true) }
    cuMemcpyDtoHAsync_v2 [cuMemcpyDtoHAsync_v2_ptsz] (d: *mut c_void, s: u64, n: usize, st: Handle) { let mut g = ctx()?; stream_ok(&g, st)?; g.copy(d as u64, s, n as u64, false, true) }
    cuMemcpyDtoD_v2 [cuMemcpyDtoD_v2_ptds] (d: u64, s: u64, n: usize) { ctx()?.copy(d, s, n as u64, true, true) }
    cuMemcpyDtoDAsync_v2 [cuMemcpyDtoDAsync_v2_ptsz] (d: u64, s: u64, n: usize, st: Handle) { let mut g = ctx()?; stream_ok(&g, st)?; g.copy(d, s, n as u64, true, true) }
    cuMemcpy [cuMemcpy_ptds] (d: u64, s: u64, n: usize) { ctx()?.copy(d, s, n as u64, false, false) }
    cuMemcpyAsync [cuMemcpyAsync_ptsz] (d: u64, s: u64, n: usize, st: Handle) { let mut g = ctx()?; stream_ok(&g, st)?; g.copy(d, s, n as u64, false, false) }
    cuMemcpyPeer [cuMemcpyPeer_ptds] (d: u64, _dc: Handle, s: u64, _sc: Handle, n: usize) { ctx()?.copy(d, s, n as u64, true, true) }
    cuMemcpyPeerAsync [cuMemcpyPeerAsync_ptsz] (d: u64, _dc: Handle, s: u64, _sc: Handle, n: usize, _st: Handle) { ctx()?.copy(d, s, n as u64, true, true) }
    cuMemcpy2D_v2 [cuMemcpy2D_v2_ptds cuMemcpy2DUnaligned_v2 cuMemcpy2DUnaligned_v2_ptds] (c: *const Copy2D) {
        if c.is_null() { return Err(INVALID_VALUE); }
        let c = &*c;
        let mut g = ctx()?;
        let side = |ty: u32, host: u64, dev: u64| match ty { 1 => Ok((host, false)), 2 | 4 => Ok((dev, ty == 2)), _ => Err(NOT_SUPPORTED) };
        let (s, sd) = side(c.src_type, c.src_host, c.src_dev)?;
        let (d, dd) = side(c.dst_type, c.dst_host, c.dst_dev)?;
        for y in 0..c.height {
            let sp = s + ((c.src_y + y) * c.src_pitch + c.src_x) as u64;
            let dp = d + ((c.dst_y + y) * c.dst_pitch + c.dst_x) as u64;
            let r = g.copy(dp, sp, c.width as u64, dd, sd);
            if r != OK { return Err(r); }
        }
        OK
    }
    cuMemcpy2DAsync_v2 [cuMemcpy2DAsync_v2_ptsz] (c: *const Copy2D, _s: Handle) { cuMemcpy2D_v2(c) }
    cuMemsetD8_v2 [cuMemsetD8_v2_ptds] (d: u64, v: u8, n: usize) { ctx()?.set(d, &[v], n) }
    cuMemsetD16_v2 [cuMemsetD16_v2_ptds] (d: u64, v: u16, n: usize) { ctx()?.set(d, &v.to_le_bytes(), n) }
    cuMemsetD32_v2 [cuMemsetD32_v2_ptds] (d: u64, v: u32, n: usize) { ctx()?.set(d, &v.to_le_bytes(), n) }
    cuMemsetD8Async [cuMemsetD8Async_ptsz] (d: u64, v: u8, n: usize, s: Handle) { let mut g = ctx()?; stream_ok(&g, s)?; g.set(d, &[v], n) }
    cuMemsetD16Async [cuMemsetD16Async_ptsz] (d: u64, v: u16, n: usize, s: Handle) { let mut g = ctx()?; stream_ok(&g, s)?; g.set(d, &v.to_le_bytes(), n) }
    cuMemsetD32Async [cuMemsetD32Async_ptsz] (d: u64, v: u32, n: usize, s: Handle) { let mut g = ctx()?; stream_ok(&g, s)?; g.set(d, &v.to_le_bytes(), n) }
    cuMemsetD2D8_v2 [cuMemsetD2D8_v2_ptds] (d: u64, pitch: usize, v: u8, w: usize, rows: usize) {
        let mut g = ctx()?;
        for y in 0..rows { let r = g.set(d + (y * pitch) as u64, &[v], w); if r != OK { return Err(r); } }
        OK
    }
    cuMemsetD2D32_v2 [cuMemsetD2D32_v2_ptds] (d: u64, pitch: usize, v: u32, w: usize, rows: usize) {
        let mut g = ctx()?;
        for y in 0..rows { let r = g.set(d + (y * pitch) as u64, &v.to_le_bytes(), w); if r != OK { return Err(r); } }
        OK
    }

    cuStreamCreate [] (s: *mut Handle, f: c_uint) { let mut g = ctx()?; let id = g.id(); g.streams.insert(id, (f, 0)); out(s, h(id))?; OK }
    cuStreamCreateWithPriority [] (s: *mut Handle, f: c_uint, p: c_int) { let mut g = ctx()?; let id = g.id(); g.streams.insert(id, (f, p)); out(s, h(id))?; OK }
    cuStreamDestroy_v2 [cuStreamDestroy] (s: Handle) { let mut g = lock()?; if g.streams.remove(&(s as u64)).is_some() { OK } else { INVALID_HANDLE } }
    cuStreamSynchronize [cuStreamSynchronize_ptsz] (s: Handle) { let g = ctx()?; stream_ok(&g, s)?; OK }
    cuStreamQuery [cuStreamQuery_ptsz] (s: Handle) { let g = ctx()?; stream_ok(&g, s)?; OK }
    cuStreamWaitEvent [cuStreamWaitEvent_ptsz] (s: Handle, e: Handle, _f: c_uint) {
        let g = ctx()?;
        stream_ok(&g, s)?;
        if g.events.contains_key(&(e as u64)) { OK } else { INVALID_HANDLE }
    }
    cuStreamGetFlags [cuStreamGetFlags_ptsz] (s: Handle, f: *mut c_uint) { let g = ctx()?; stream_ok(&g, s)?; out(f, g.streams.get(&(s as u64)).map_or(0, |x| x.0))?; OK }
    cuStreamGetPriority [cuStreamGetPriority_ptsz] (s: Handle, p: *mut c_int) { let g = ctx()?; stream_ok(&g, s)?; out(p, g.streams.get(&(s as u64)).map_or(0, |x| x.1))?; OK }
    cuStreamGetId [cuStreamGetId_ptsz] (s: Handle, id: *mut u64) { out(id, s as u64)?; OK }
    cuStreamGetCtx [cuStreamGetCtx_ptsz] (_s: Handle, c: *mut Handle) { out(c, h(CURRENT.with(|s| s.borrow().last().copied().unwrap_or(0))))?; OK }
    cuStreamGetDevice [] (_s: Handle, d: *mut c_int) { out(d, 0)?; OK }
    cuStreamAddCallback [cuStreamAddCallback_ptsz] (s: Handle, f: unsafe extern "C" fn(Handle, c_int, *mut c_void), data: *mut c_void, _flags: c_uint) {
        drop(ctx()?);
        f(s, OK, data);
        OK
    }
    cuStreamAttachMemAsync [cuStreamAttachMemAsync_ptsz] (_s: Handle, _p: u64, _n: usize, _f: c_uint) { OK }
    cuStreamIsCapturing [cuStreamIsCapturing_ptsz] (_s: Handle, v: *mut c_int) { out(v, 0)?; OK }
    cuThreadExchangeStreamCaptureMode [] (_m: *mut c_int) { OK }

    cuEventCreate [] (e: *mut Handle, _f: c_uint) { let mut g = ctx()?; let id = g.id(); g.events.insert(id, Event { time: None }); out(e, h(id))?; OK }
    cuEventDestroy_v2 [cuEventDestroy] (e: Handle) { let mut g = lock()?; if g.events.remove(&(e as u64)).is_some() { OK } else { INVALID_HANDLE } }
    cuEventRecord [cuEventRecord_ptsz] (e: Handle, s: Handle) {
        let mut g = ctx()?;
        stream_ok(&g, s)?;
        g.events.get_mut(&(e as u64)).ok_or(INVALID_HANDLE)?.time = Some(Instant::now());
        OK
    }
    cuEventRecordWithFlags [cuEventRecordWithFlags_ptsz] (e: Handle, s: Handle, _f: c_uint) { cuEventRecord(e, s) }
    cuEventQuery [] (e: Handle) { let g = ctx()?; if g.events.contains_key(&(e as u64)) { OK } else { INVALID_HANDLE } }
    cuEventSynchronize [] (e: Handle) { let g = ctx()?; if g.events.contains_key(&(e as u64)) { OK } else { INVALID_HANDLE } }
    cuEventElapsedTime [cuEventElapsedTime_v2] (ms: *mut f32, a: Handle, b: Handle) {
        let g = ctx()?;
        let t = |e: Handle| g.events.get(&(e as u64)).and_then(|e| e.time).ok_or(INVALID_HANDLE);
        let (a, b) = (t(a)?, t(b)?);
        let d = if b >= a { (b - a).as_secs_f64() } else { -(a - b).as_secs_f64() };
        out(ms, (d * 1e3) as f32)?; OK
    }
    cuProfilerStart [] () { OK }
    cuProfilerStop [] () { OK }
}

#[repr(C)]
struct LaunchAttribute {
    id: c_int,
    pad: [u8; 4],
    value: [u64; 8],
}

#[repr(C)]
pub(crate) struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attrs: *const LaunchAttribute,
    num: c_uint,
}

#[repr(C)]
pub(crate) struct Copy2D {
    src_x: usize,
    src_y: usize,
    src_type: u32,
    src_host: u64,
    src_dev: u64,
    src_array: u64,
    src_pitch: usize,
    dst_x: usize,
    dst_y: usize,
    dst_type: u32,
    dst_host: u64,
    dst_dev: u64,
    dst_array: u64,
    dst_pitch: usize,
    width: usize,
    height: usize,
}

const _: () = {
    assert!(std::mem::size_of::<Copy2D>() == 128);
    assert!(LAUNCH_OUT_OF_RESOURCES == 701);
};

// The rest of the API.
stubs! {
    cuArray3DCreate_v2 cuArray3DGetDescriptor_v2 cuArrayCreate_v2 cuArrayDestroy cuArrayGetDescriptor_v2
    cuArrayGetMemoryRequirements cuArrayGetPlane cuArrayGetSparseProperties cuCoredumpDeregisterCompleteCallback
    cuCoredumpDeregisterStartCallback cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal
    cuCoredumpRegisterCompleteCallback cuCoredumpRegisterStartCallback cuCoredumpSetAttribute
    cuCoredumpSetAttributeGlobal cuCtxAttach cuCtxDetach cuCtxFromGreenCtx cuCtxGetDevResource cuCtxGetExecAffinity
    cuCtxRecordEvent cuCtxWaitEvent cuDestroyExternalMemory cuDestroyExternalSemaphore cuDevResourceGenerateDesc
    cuDevSmResourceSplit cuDevSmResourceSplitByCount cuDeviceGetCliqueCount cuDeviceGetCliqueInfo
    cuDeviceGetDevResource cuDeviceGetExecAffinitySupport cuDeviceGetFabricClusterUuid cuDeviceGetGraphMemAttribute
    cuDeviceGetHostAtomicCapabilities cuDeviceGetNvSciSyncAttributes cuDeviceGetP2PAtomicCapabilities
    cuDeviceGetProperties cuDeviceGetTexture1DLinearMaxWidth cuDeviceGraphMemTrim cuDeviceRegisterAsyncNotification
    cuDeviceSetGraphMemAttribute cuDeviceUnregisterAsyncNotification cuExternalMemoryGetMappedBuffer
    cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites cuFuncGetParamCount cuFuncSetBlockShape
    cuFuncSetSharedSize cuGetExportTable cuGraphAddBatchMemOpNode cuGraphAddChildGraphNode cuGraphAddDependencies
    cuGraphAddDependencies_v2 cuGraphAddEmptyNode cuGraphAddEventRecordNode cuGraphAddEventWaitNode
    cuGraphAddExternalSemaphoresSignalNode cuGraphAddExternalSemaphoresWaitNode cuGraphAddHostNode
    cuGraphAddKernelNode cuGraphAddKernelNode_v2 cuGraphAddMemAllocNode cuGraphAddMemFreeNode cuGraphAddMemcpyNode
    cuGraphAddMemsetNode cuGraphAddNode cuGraphAddNode_v2 cuGraphAddNode_v3 cuGraphBatchMemOpNodeGetParams
    cuGraphBatchMemOpNodeSetParams cuGraphChildGraphNodeGetGraph cuGraphClone cuGraphConditionalHandleCreate
    cuGraphCreate cuGraphDebugDotPrint cuGraphDestroy cuGraphDestroyNode cuGraphEventRecordNodeGetEvent
    cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent cuGraphEventWaitNodeSetEvent
    cuGraphExecBatchMemOpNodeSetParams cuGraphExecChildGraphNodeSetParams cuGraphExecDestroy
    cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExecGetFlags cuGraphExecGetId cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
    cuGraphExecKernelNodeSetParams_v2 cuGraphExecMemcpyNodeSetParams cuGraphExecMemsetNodeSetParams
    cuGraphExecNodeSetParams cuGraphExecUpdate cuGraphExecUpdate_v2 cuGraphExternalSemaphoresSignalNodeGetParams
    cuGraphExternalSemaphoresSignalNodeSetParams cuGraphExternalSemaphoresWaitNodeGetParams
    cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetEdges cuGraphGetEdges_v2 cuGraphGetId cuGraphGetNodes
    cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithFlags
    cuGraphInstantiateWithParams cuGraphInstantiate_v2 cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetAttribute
    cuGraphKernelNodeGetParams cuGraphKernelNodeGetParams_v2 cuGraphKernelNodeSetAttribute cuGraphKernelNodeSetParams
    cuGraphKernelNodeSetParams_v2 cuGraphLaunch cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams
    cuGraphMemcpyNodeGetParams cuGraphMemcpyNodeSetParams cuGraphMemsetNodeGetParams cuGraphMemsetNodeSetParams
    cuGraphNodeFindInClone cuGraphNodeGetContainingGraph cuGraphNodeGetDependencies cuGraphNodeGetDependencies_v2
    cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2 cuGraphNodeGetEnabled cuGraphNodeGetLocalId
    cuGraphNodeGetParams cuGraphNodeGetToolsId cuGraphNodeGetType cuGraphNodeSetEnabled cuGraphNodeSetParams
    cuGraphNodeSetParams_v2 cuGraphReleaseUserObject cuGraphRemoveDependencies cuGraphRemoveDependencies_v2
    cuGraphRetainUserObject cuGraphUpload cuGraphicsMapResources cuGraphicsResourceGetMappedMipmappedArray
    cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags_v2 cuGraphicsSubResourceGetMappedArray
    cuGraphicsUnmapResources cuGraphicsUnregisterResource cuGreenCtxCreate cuGreenCtxDestroy cuGreenCtxGetDevResource
    cuGreenCtxGetId cuGreenCtxRecordEvent cuGreenCtxStreamCreate cuGreenCtxWaitEvent cuImportExternalMemory
    cuImportExternalSemaphore cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle
    cuIpcOpenMemHandle_v2 cuKernelGetLibrary cuKernelGetParamCount cuKernelGetParamInfo cuLaunch
    cuLaunchCooperativeKernelMultiDevice cuLaunchGrid cuLaunchGridAsync cuLaunchHostFunc_v2
    cuLibraryGetUnifiedFunction cuLinkAddData_v2 cuLinkAddFile_v2 cuLinkComplete cuLinkCreate_v2 cuLinkDestroy
    cuLogicalEndpointAddDevice cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate
    cuLogicalEndpointDestroy cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease
    cuLogicalEndpointIdReserve cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind cuLogsCurrent
    cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback cuLogsUnregisterCallback cuMemAddressFree
    cuMemAddressReserve cuMemBatchDecompressAsync cuMemCreate cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync
    cuMemExportToShareableHandle cuMemGetAccess cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle
    cuMemGetDefaultMemPool cuMemGetHandleForAddressRange cuMemGetLocationInfo cuMemGetMemPool
    cuMemImportFromShareableHandle cuMemMap cuMemMapArrayAsync cuMemPoolExportPointer cuMemPoolExportToShareableHandle
    cuMemPoolGetAccess cuMemPoolImportFromShareableHandle cuMemPoolImportPointer cuMemPrefetchBatchAsync
    cuMemRangeGetAttribute cuMemRangeGetAttributes cuMemRelease cuMemRetainAllocationHandle cuMemSetAccess
    cuMemSetMemPool cuMemUnmap cuMemcpy3DAsync_v2 cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2 cuMemcpy3DPeer
    cuMemcpy3DPeerAsync cuMemcpy3DWithAttributesAsync cuMemcpy3D_v2 cuMemcpyAtoA_v2 cuMemcpyAtoD_v2
    cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyBatchAsync cuMemcpyBatchAsync_v2 cuMemcpyDtoA_v2 cuMemcpyHtoAAsync_v2
    cuMemcpyHtoA_v2 cuMemcpyWithAttributesAsync cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async
    cuMemsetD2D8Async cuMipmappedArrayCreate cuMipmappedArrayDestroy cuMipmappedArrayGetLevel
    cuMipmappedArrayGetMemoryRequirements cuMipmappedArrayGetSparseProperties cuModuleGetSurfRef cuModuleGetTexRef
    cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindAddr_v2 cuMulticastBindMem cuMulticastBindMem_v2
    cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind cuOccupancyMaxActiveClusters
    cuOccupancyMaxPotentialClusterSize cuParamSetSize cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv
    cuProfilerInitialize cuSignalExternalSemaphoresAsync cuStreamBatchMemOp cuStreamBatchMemOp_v2
    cuStreamBeginCaptureToCig cuStreamBeginCaptureToGraph cuStreamBeginCapture_v2 cuStreamBeginRecaptureToGraph
    cuStreamCopyAttributes cuStreamEndCapture cuStreamEndCaptureToCig cuStreamGetAttribute cuStreamGetCaptureInfo
    cuStreamGetCaptureInfo_v2 cuStreamGetCaptureInfo_v3 cuStreamGetCtx_v2 cuStreamGetDevResource cuStreamGetGreenCtx
    cuStreamSetAttribute cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2 cuStreamWaitValue32
    cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWriteValue32 cuStreamWriteValue32_v2
    cuStreamWriteValue64 cuStreamWriteValue64_v2 cuSurfObjectCreate cuSurfObjectDestroy cuSurfObjectGetResourceDesc
    cuSurfRefGetArray cuSurfRefSetArray cuTensorMapEncodeIm2col cuTensorMapEncodeIm2colWide cuTensorMapEncodeTiled
    cuTensorMapReplaceAddress cuTexObjectCreate cuTexObjectDestroy cuTexObjectGetResourceDesc
    cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode
    cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags
    cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
    cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode
    cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
    cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias
    cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray cuUserObjectCreate cuUserObjectRelease cuUserObjectRetain
    cuWaitExternalSemaphoresAsync
}
