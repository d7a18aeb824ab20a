//! Modules and libraries: PTX that is loaded.

use super::api::{Handle, OK, h, out, text};
use super::error::{
    FILE_NOT_FOUND, INVALID_HANDLE, INVALID_PTX, INVALID_VALUE, NO_BINARY_FOR_GPU, NOT_FOUND, OUT_OF_MEMORY,
};
use super::queue::synchronise_all;
use super::state::{State, ctx, lock};
use crate::module::Module;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// # Safety
/// `image` must be null or an image of a module.
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
        Err(e) if e.out_of_memory => Err((OUT_OF_MEMORY, e.to_string())),
        Err(e) => Err((INVALID_PTX, e.to_string())),
    }
}

/// # Safety
/// `image` must be null or an image of a module, with `n` options and their values.
unsafe fn load_jit(
    image: *const c_void,
    n: c_uint,
    opts: *const c_int,
    vals: *const *mut c_void,
) -> Result<u64, i32> {
    let mut g = ctx()?;
    // SAFETY: the caller gives an image.
    let mut r = unsafe { load(&mut g, image) };
    if matches!(r, Err((OUT_OF_MEMORY, _))) {
        // Waiting work may free some memory, as for an allocation.
        drop(g);
        g = synchronise_all()?;
        // SAFETY: `image` is null or an image of a module, as the contract asks, and stays the caller's while the call
        // lasts.
        r = unsafe { load(&mut g, image) };
    }
    // SAFETY: the caller gives `n` options.
    let opt = |k: c_int| (0..n as usize).find(|i| unsafe { *opts.add(*i) } == k);
    // The limit to a thread's registers.
    if let (Ok(id), Some(registers)) = (&r, opt(0)) {
        // SAFETY: the caller gives a value for each option.
        let limit = unsafe { *vals.add(registers) } as usize as u32;
        if let Some(module) = g.modules.get_mut(id) {
            module.max_registers = limit;
        }
    }
    // Log buffers: options 3 and 4 for information, 5 and 6 for errors.
    for (buf, size, is_err) in [(3, 4, false), (5, 6, true)] {
        if let (Some(b), Some(s)) = (opt(buf), opt(size)) {
            // SAFETY: the caller gives a value for each option.
            let p = unsafe { *vals.add(b) } as *mut u8;
            // SAFETY: there is a value for each option, as the contract asks, and `s` is the place of one of the
            // options.
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
                    // The used size is returned in place of the size.
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

api! {
    cuModuleLoadData [] (m: *mut Handle, image: *const c_void) {
        let id = load_jit(image, 0, std::ptr::null(), std::ptr::null())?;
        out(m, h(id))?; OK
    }
    cuModuleLoadDataEx [] (
        m: *mut Handle, image: *const c_void, n: c_uint, opts: *const c_int, vals: *const *mut c_void,
    ) {
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
        // Waiting kernels may still read its variables.
        let _ = synchronise_all();
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
    cuModuleGetLoadingMode [] (m: *mut c_int) {
        out(m, 1)?;
        OK
    }
    cuLibraryLoadData [] (
        l: *mut Handle, image: *const c_void, opts: *const c_int, vals: *const *mut c_void, n: c_uint,
        _lo: *mut c_int, _lv: *mut *mut c_void, _ln: c_uint,
    ) {
        let id = load_jit(image, n, opts, vals)?;
        out(l, h(id))?; OK
    }
    cuLibraryLoadFromFile [] (
        l: *mut Handle, name: *const c_char, opts: *const c_int, vals: *const *mut c_void, n: c_uint,
        _lo: *mut c_int, _lv: *mut *mut c_void, _ln: c_uint,
    ) {
        let mut b = std::fs::read(text(name)?).map_err(|_| FILE_NOT_FOUND)?;
        b.push(0);
        let id = load_jit(b.as_ptr() as *const c_void, n, opts, vals)?;
        out(l, h(id))?; OK
    }
    cuLibraryUnload [] (l: Handle) { cuModuleUnload(l) }
    cuLibraryGetKernel [] (k: *mut Handle, l: Handle, name: *const c_char) { cuModuleGetFunction(k, l, name) }
    cuLibraryGetKernelCount [] (n: *mut c_uint, l: Handle) { cuModuleGetFunctionCount(n, l) }
    cuLibraryEnumerateKernels [] (k: *mut Handle, n: c_uint, l: Handle) {
        cuModuleEnumerateFunctions(k, n, l)
    }
    cuLibraryGetModule [] (m: *mut Handle, l: Handle) {
        let _g = ctx()?;
        out(m, l)?;
        OK
    }
    cuLibraryGetGlobal [] (p: *mut u64, n: *mut usize, l: Handle, name: *const c_char) {
        cuModuleGetGlobal_v2(p, n, l, name)
    }
    cuLibraryGetManaged [] (p: *mut u64, n: *mut usize, l: Handle, name: *const c_char) {
        cuModuleGetGlobal_v2(p, n, l, name)
    }
}
