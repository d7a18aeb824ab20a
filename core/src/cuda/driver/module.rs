//! Modules of device code, and the kernels in them.

use core::ffi::{CStr, c_uint, c_void};
use core::ptr;

use cudarc::driver::sys;

use super::{Address, Fault, Outcome, RawFunction, RawModule, check};

/// Compiles PTX for the current context's device, with at most `registers` for a thread, if given; an error has the compiler's
/// messages.
pub(in crate::cuda) fn load_module(ptx: &CStr, registers: Option<u32>) -> Result<RawModule, (Fault, String)> {
    let mut log = vec![0_u8; 16 << 10];
    let mut options = [
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        sys::CUjit_option::CU_JIT_MAX_REGISTERS,
    ];
    let mut values = [
        log.as_mut_ptr().cast::<c_void>(),
        ptr::without_provenance_mut(log.len()),
        ptr::without_provenance_mut(registers.unwrap_or(0) as usize),
    ];
    let mut module = ptr::null_mut();
    // SAFETY: the text ends with a NUL, each option that is counted has its value, and the buffer has the length given.
    let loaded = check(unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            ptx.as_ptr().cast(),
            options.len() as c_uint - c_uint::from(registers.is_none()),
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    });
    loaded.map(|()| module).map_err(|fault| {
        let said = CStr::from_bytes_until_nul(&log).map(|text| text.to_string_lossy().trim().to_owned());
        (fault, said.unwrap_or_default())
    })
}

/// # Safety
/// The module lives and is no longer used.
pub(in crate::cuda) unsafe fn unload_module(module: RawModule) -> Outcome {
    // SAFETY: the module lives and nothing uses it or its functions afterwards, as the contract asks: it is unloaded
    // once.
    check(unsafe { sys::cuModuleUnload(module) })
}

/// # Safety
/// The module lives.
pub(in crate::cuda) unsafe fn module_function(module: RawModule, name: &CStr) -> Outcome<RawFunction> {
    let mut function = ptr::null_mut();
    // SAFETY: the module lives, as the contract asks; the name ends with a zero, and the driver writes one handle.
    check(unsafe { sys::cuModuleGetFunction(&mut function, module, name.as_ptr()) })?;
    Ok(function)
}

/// The most threads that a block of a kernel can have, given the registers and the memory that its code takes.
///
/// # Safety
/// Its module lives.
pub(in crate::cuda) unsafe fn max_threads(function: RawFunction) -> Outcome<u32> {
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let mut threads = 0;
    // SAFETY: the function's module lives, as the contract asks, so the handle is valid; the driver writes a number.
    check(unsafe { sys::cuFuncGetAttribute(&mut threads, attribute, function) })?;
    Ok(threads.unsigned_abs())
}

/// The address and size of a global variable.
///
/// # Safety
/// The module lives.
pub(in crate::cuda) unsafe fn module_global(module: RawModule, name: &CStr) -> Outcome<(Address, usize)> {
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: the module lives, as the contract asks; the name ends with a zero, and the driver writes an address and a
    // size.
    check(unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr()) })?;
    Ok((address, bytes))
}

/// Permits launches of `function` up to `bytes` of dynamic shared memory.
///
/// # Safety
/// Its module lives.
pub(in crate::cuda) unsafe fn allow_shared_memory(function: RawFunction, bytes: u32) -> Outcome {
    let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: the function's module lives, as the contract asks, so the handle is valid; the driver checks the number.
    check(unsafe { sys::cuFuncSetAttribute(function, attribute, i32::try_from(bytes).unwrap_or(i32::MAX)) })
}
