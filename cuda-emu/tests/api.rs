//! The driver's functions other than launches: attributes, memory of each kind, limits, errors.
#[macro_use]
mod common;
use common::HEAD;
use common::driver::{H, Session, with_emulator};
use std::ffi::{CStr, CString, c_char, c_int};

const NULL: H = std::ptr::null_mut();

fn kernel(params: usize) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 8 .u64 slot;\n\
         .visible .entry last(.param .align 8 .b8 p[{params}], .param .u64 to) {{\n\
         .reg .b64 %d<3>; .shared .align 4 .b8 s[1000];\n\
         ld.param.u64 %d1, [p+{}]; ld.param.u64 %d2, [to]; st.global.u64 [%d2], %d1; ret;\n}}\n",
        params - 8
    )
}

#[test]
fn the_device_says_what_it_is() {
    let _d = Session::new();
    let mut name = [0u8; 64];
    assert_eq!(call!(cuDeviceGetName(name.as_mut_ptr() => *mut u8, 64 => c_int, 0 => c_int)), 0);
    assert_eq!(CStr::from_bytes_until_nul(&name).unwrap(), c"cuda-emu (sm_90)");
    let mut bytes = 0usize;
    assert_eq!(call!(cuDeviceTotalMem_v2(&mut bytes => *mut usize, 0 => c_int)), 0);
    assert!(bytes > 64 << 30);
    let mut text: *const c_char = std::ptr::null();
    assert_eq!(call!(cuGetErrorString(715 => c_int, &mut text => *mut *const c_char)), 0);
    // SAFETY: the driver gave a text that lives as long as the library.
    assert_eq!(unsafe { CStr::from_ptr(text) }, c"an illegal instruction was encountered");
    assert_eq!(call!(cuGetErrorName(12345 => c_int, &mut text => *mut *const c_char)), 1);
    assert!(text.is_null());
}

#[test]
fn parameters_have_the_classic_limit() {
    let d = Session::new();
    let f = d.function(d.module(&kernel(4088)), "last");
    let to = d.alloc(8);
    let mut p = vec![0u64; 511];
    p[510] = 0x1234_5678_9abc_def0;
    let mut to_arg = to;
    let mut params = [p.as_mut_ptr() as H, &mut to_arg as *mut u64 as H];
    let none: *mut H = std::ptr::null_mut();
    let r = call!(cuLaunchKernel(
        f => H, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32,
        0 => u32, NULL => H, params.as_mut_ptr() => *mut H, none => *mut H
    ));
    // The launch has its own copy.
    p[510] = 0;
    let mut got = 0u64;
    assert_eq!((r, call!(cuMemcpyDtoH_v2(&mut got => *mut u64, to => u64, 8 => usize))), (0, 0));
    assert_eq!(got, 0x1234_5678_9abc_def0);

    let text = CString::new(kernel(4096)).unwrap();
    let (mut m, mut log) = (NULL, [0u8; 256]);
    let (options, values) = ([5i32, 6], [log.as_mut_ptr() as H, 256 as H]);
    let r = call!(cuModuleLoadDataEx(
        &mut m => *mut H, text.as_ptr() => *const c_char, 2 => u32,
        options.as_ptr() => *const c_int, values.as_ptr() => *const H
    ));
    let log = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert_eq!(r, 218);
    assert!(log.contains("'last' take 4104 bytes, at most 4096"), "{log}");
}

#[test]
fn functions_have_attributes() {
    let d = Session::new();
    let f = d.function(d.module(&kernel(8)), "last");
    let get = |a: c_int| {
        let mut v = -1;
        assert_eq!(call!(cuFuncGetAttribute(&mut v => *mut c_int, a => c_int, f => H)), 0);
        v
    };
    assert_eq!((get(0), get(1), get(3), get(8)), (1024, 1000, 0, (48 << 10) - 1000));
    assert_eq!(call!(cuFuncSetAttribute(f => H, 8 => c_int, 227 << 10 => c_int)), 1, "with what is static");
    assert_eq!(call!(cuFuncSetAttribute(f => H, 8 => c_int, 200 << 10 => c_int)), 0);
    assert_eq!(get(8), 200 << 10);
    let mut blocks = 0;
    let r = call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &mut blocks => *mut c_int, f => H, 256 => c_int, 200 << 10 => usize
    ));
    assert_eq!((r, blocks), (0, 1));
}

#[test]
fn pinned_memory_has_a_place_on_the_device() {
    let d = Session::new();
    let mut p: *mut u64 = std::ptr::null_mut();
    // Portable and mapped.
    assert_eq!(call!(cuMemHostAlloc(&mut p => *mut *mut u64, 64 => usize, 3 => u32)), 0);
    let (mut flags, mut address, mut kind) = (0u32, 0u64, 0u32);
    assert_eq!(call!(cuMemHostGetFlags(&mut flags => *mut u32, p => *mut u64)), 0);
    assert_eq!(call!(cuMemHostGetDevicePointer_v2(&mut address => *mut u64, p => *mut u64, 0 => u32)), 0);
    assert_eq!(call!(cuPointerGetAttribute(&mut kind => *mut u32, 2 => c_int, address => u64)), 0);
    assert_eq!((flags, kind), (3, 1));
    let f = d.function(d.module(&kernel(8)), "last");
    assert_eq!(d.launch(f, NULL, 1, &mut [99, address]), 0);
    assert_eq!(call!(cuCtxSynchronize()), 0);
    // SAFETY: the memory is allocated, and no kernel runs.
    assert_eq!(unsafe { p.read() }, 99);
    assert_eq!(call!(cuMemFreeHost(p => *mut u64)), 0);
    assert_eq!(call!(cuMemFreeHost(p => *mut u64)), 1);
    assert_eq!(d.launch(f, NULL, 1, &mut [99, address]), 700, "freed");
}

#[test]
fn variables_are_set_by_the_host() {
    let d = Session::new();
    let m = d.module(&kernel(8));
    let (mut p, mut n, mut got) = (0u64, 0usize, 0u64);
    let name = c"slot".as_ptr();
    assert_eq!(
        call!(cuModuleGetGlobal_v2(&mut p => *mut u64, &mut n => *mut usize, m => H, name => *const c_char)),
        0
    );
    assert_eq!(n, 8);
    assert_eq!(call!(cuMemcpyHtoD_v2(p => u64, &77u64 => *const u64, 8 => usize)), 0);
    assert_eq!(call!(cuMemcpyDtoH_v2(&mut got => *mut u64, p => u64, 8 => usize)), 0);
    assert_eq!(got, 77);
    // Neither beyond the end, nor before the beginning.
    for (to, bytes) in [(p, 9usize), (p + 4, 8), (p - 4, 8)] {
        assert_eq!(call!(cuMemcpyHtoD_v2(to => u64, &[0u64; 2] => *const [u64; 2], bytes => usize)), 1);
    }
    assert_eq!(call!(cuMemcpyDtoH_v2(&mut got => *mut u64, p => u64, 8 => usize)), 0);
    assert_eq!(got, 77);
}

#[test]
fn a_copy_of_what_nobody_wrote_is_not_written() {
    let check = || {
        let d = Session::new();
        let read = d.function(
            d.module(&format!(
                "{HEAD}.visible .entry read(.param .u64 from) {{ .reg .b64 %p, %v;
  ld.param.u64 %p, [from]; ld.global.u64 %v, [%p]; ret; }}"
            )),
            "read",
        );
        let (from, to) = (d.alloc(16), d.alloc(16));
        assert_eq!(call!(cuMemsetD8_v2(from + 8 => u64, 1 => u8, 8 => usize)), 0);
        assert_eq!(call!(cuMemsetD8_v2(to => u64, 1 => u8, 16 => usize)), 0);
        assert_eq!(call!(cuMemcpyDtoD_v2(to => u64, from => u64, 16 => usize)), 0);
        assert_eq!(d.launch(read, NULL, 1, &mut [to + 8]), 0);
        assert_ne!(d.launch(read, NULL, 1, &mut [to]), 0);
    };
    let name = "a_copy_of_what_nobody_wrote_is_not_written";
    with_emulator(name, &[("CUDA_EMU_INITCHECK", "1")], check);
}

#[test]
fn pools_keep_their_attributes() {
    let _d = Session::new();
    let (mut pool, mut own, mut v) = (NULL, NULL, 0u64);
    assert_eq!(call!(cuDeviceGetDefaultMemPool(&mut pool => *mut H, 0 => c_int)), 0);
    assert_eq!(call!(cuMemPoolSetAttribute(pool => H, 4 => c_int, &u64::MAX => *const u64)), 0);
    assert_eq!(call!(cuMemPoolGetAttribute(pool => H, 4 => c_int, &mut v => *mut u64)), 0);
    assert_eq!(v, u64::MAX);
    assert_eq!(call!(cuMemPoolCreate(&mut own => *mut H, NULL => H)), 0);
    let mut p = 0u64;
    assert_eq!(call!(cuMemAllocFromPoolAsync(&mut p => *mut u64, 64 => usize, own => H, NULL => H)), 0);
    assert_eq!(call!(cuMemFreeAsync(p => u64, NULL => H)), 0);
    assert_eq!(call!(cuMemFreeAsync(p => u64, NULL => H)), 1);
    assert_eq!(call!(cuMemPoolDestroy(own => H)), 0);
    assert_eq!(call!(cuMemAllocFromPoolAsync(&mut p => *mut u64, 64 => usize, own => H, NULL => H)), 1);
}

#[test]
fn rows_are_copied_and_filled() {
    let d = Session::new();
    let (p, s) = (d.alloc(64), d.stream());
    assert_eq!(call!(cuMemsetD8Async(p => u64, 1 => u8, 64 => usize, s => H)), 0);
    assert_eq!(
        call!(cuMemsetD2D16Async(p + 2 => u64, 16 => usize, 0x0202 => u16, 2 => usize, 3 => usize, s => H)),
        0
    );
    // `CUDA_MEMCPY2D`, as words: 6 bytes of 4 rows, to the host.
    let mut rows = [[0u8; 6]; 4];
    let c = [0, 0, 2, 0, p, 0, 16, 0, 0, 1, rows.as_mut_ptr() as u64, 0, 0, 6, 6, 4u64];
    assert_eq!(call!(cuMemcpy2DAsync_v2(c.as_ptr() => *const u64, s => H)), 0);
    assert_eq!(d.synchronise(s), 0);
    assert_eq!(rows, [[1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 2, 2], [1; 6]]);
    let narrow = [0, 0, 2, 0, p, 0, 4, 0, 0, 1, rows.as_mut_ptr() as u64, 0, 0, 6, 6, 4u64];
    assert_eq!(call!(cuMemcpy2DAsync_v2(narrow.as_ptr() => *const u64, s => H)), 1);
    assert_eq!(call!(cuMemsetD16Async(p + 1 => u64, 1 => u16, 1 => usize, s => H)), 1);
}

#[test]
fn what_a_context_had_goes_with_it() {
    let d = Session::new();
    let (p, s) = (d.alloc(64), d.stream());
    assert_eq!(call!(cuDevicePrimaryCtxRelease_v2(0 => c_int)), 0);
    assert_eq!(call!(cuCtxSynchronize()), 201);
    let mut c = NULL;
    assert_eq!(call!(cuDevicePrimaryCtxRetain(&mut c => *mut H, 0 => c_int)), 0);
    assert_eq!(call!(cuMemFree_v2(p => u64)), 1);
    assert_eq!(d.synchronise(s), 400);
}
