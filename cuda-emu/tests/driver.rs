//! The driver API as programs see it: through the shared library.
#[macro_use]
mod common;
use common::driver::{H, library, sym};
use std::ffi::{CStr, CString, c_char, c_int};

const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 total;
.visible .entry add(.param .u64 p, .param .u32 n, .param .align 2 .b8 s[6]) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .reg .b16 %h; .reg .pred %q;
  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u16 %h, [s+4];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
  setp.ge.u32 %q, %r2, %r1; @%q bra END;
  mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3]; cvt.u32.u16 %r6, %h; add.u32 %r5, %r5, %r6; st.global.u32 [%d3], %r5;
  atom.global.add.u32 %r7, [total], %r5;
END: ret;
}
";

fn load(text: &str, log: &mut [u8]) -> (c_int, H) {
    let c = CString::new(text).unwrap();
    let mut m: H = std::ptr::null_mut();
    let opts = [5i32, 6];
    let vals = [log.as_mut_ptr() as H, log.len() as H];
    let r = call!(cuModuleLoadDataEx(&mut m => *mut H, c.as_ptr() => *const c_char, 2 => u32, opts.as_ptr() => *const c_int, vals.as_ptr() => *const H));
    (r, m)
}

/// One test: the state of the library belongs to the process.
#[test]
fn driver() {
    let mut v = 0i32;
    assert_eq!(call!(cuDeviceGetCount(&mut v => *mut c_int)), 3); // not initialised
    assert_eq!(call!(cuInit(0 => u32)), 0);
    assert_eq!((call!(cuDriverGetVersion(&mut v => *mut c_int)), v), (0, 12090));
    let attr = |a: c_int| {
        let mut v = 0i32;
        assert_eq!(call!(cuDeviceGetAttribute(&mut v => *mut c_int, a => c_int, 0 => c_int)), 0);
        v
    };
    assert_eq!(
        (attr(75), attr(76), attr(16), attr(10), attr(97), attr(8), attr(1)),
        (9, 0, 132, 32, 232448, 49152, 1024)
    );
    let mut p = 0u64;
    assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, 16 => usize)), 201); // no context
    let mut c: H = std::ptr::null_mut();
    assert_eq!(call!(cuDevicePrimaryCtxRetain(&mut c => *mut H, 0 => c_int)), 0);
    assert_eq!(call!(cuCtxSetCurrent(c => H)), 0);

    // Errors of a module are in the log.
    let mut log = [1u8; 512];
    let (r, _) = load(&PTX.replace("mad.lo.u32", "mad.mid.u32"), &mut log);
    assert_eq!(r, 218);
    let text = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(text.contains("line 9") && text.contains("mad.mid.u32"), "{text}");
    let (r, m) = load(PTX, &mut log);
    assert_eq!((r, log[0]), (0, 0));

    let mut f: H = std::ptr::null_mut();
    assert_eq!(call!(cuModuleGetFunction(&mut f => *mut H, m => H, c"none".as_ptr() => *const c_char)), 500);
    assert_eq!(call!(cuModuleGetFunction(&mut f => *mut H, m => H, c"add".as_ptr() => *const c_char)), 0);

    // Memory: set, copy, launch, read back.
    assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, 400 => usize)), 0);
    assert_eq!(call!(cuMemsetD32_v2(p => u64, 7 => u32, 100 => usize)), 0);
    assert_eq!(call!(cuMemsetD8_v2(p => u64, 1 => u8, 4 => usize)), 0);
    assert_eq!(call!(cuMemsetD32_v2(p => u64, 7 => u32, 101 => usize)), 1);
    let (mut n, mut s) = (100u32, [0u16, 0, 5]);
    let mut params = [&mut p as *mut u64 as H, &mut n as *mut u32 as H, s.as_mut_ptr() as H];
    let launch = |f: H, params: *mut H, grid: u32, block: u32, shared: u32| {
        let z: *mut H = std::ptr::null_mut();
        call!(cuLaunchKernel(f => H, grid => u32, 1 => u32, 1 => u32, block => u32, 1 => u32, 1 => u32, shared => u32, std::ptr::null_mut() => H, params => *mut H, z => *mut H))
    };
    assert_eq!(launch(f, params.as_mut_ptr(), 2, 64, 0), 0);
    let mut host = [0u32; 100];
    assert_eq!(call!(cuMemcpyDtoH_v2(host.as_mut_ptr() => *mut u32, p => u64, 400 => usize)), 0);
    assert_eq!((host[0], host[1], host[99]), (0x0101_0106, 12, 12));
    let (mut gp, mut gn) = (0u64, 0usize);
    assert_eq!(
        call!(cuModuleGetGlobal_v2(&mut gp => *mut u64, &mut gn => *mut usize, m => H, c"total".as_ptr() => *const c_char)),
        0
    );
    let mut total = 0u32;
    assert_eq!(call!(cuMemcpy(&mut total as *mut u32 as u64 => u64, gp => u64, 4 => usize)), 0);
    assert_eq!((gn, total), (4, host.iter().sum()));

    // Limits of launches.
    assert_eq!(launch(f, params.as_mut_ptr(), 1, 1025, 0), 1);
    assert_eq!(launch(f, params.as_mut_ptr(), 0, 64, 0), 1);
    assert_eq!(launch(f, params.as_mut_ptr(), 1, 64, 60000), 1);
    assert_eq!(call!(cuFuncSetAttribute(f => H, 8 => c_int, 60000 => c_int)), 0);
    n = 0;
    params[1] = &mut n as *mut u32 as H;
    assert_eq!(launch(f, params.as_mut_ptr(), 1, 64, 60000), 0);
    let mut blocks = 0i32;
    assert_eq!(
        call!(cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks => *mut c_int, f => H, 1024 => c_int, 0 => usize)),
        0
    );
    assert_eq!(blocks, 2);

    // Managed memory has one address.
    let mut q = 0u64;
    assert_eq!(call!(cuMemAllocManaged(&mut q => *mut u64, 16 => usize, 1 => u32)), 0);
    // SAFETY: the host may write managed memory while no kernel runs.
    unsafe { (q as *mut u32).write(40) };
    n = 1;
    params[0] = &mut q as *mut u64 as H;
    params[1] = &mut n as *mut u32 as H;
    assert_eq!(launch(f, params.as_mut_ptr(), 1, 32, 0), 0);
    // SAFETY: the kernel has ended.
    assert_eq!(unsafe { (q as *const u32).read() }, 45);
    let mut is = 0u32;
    assert_eq!(call!(cuPointerGetAttribute(&mut is => *mut u32, 8 => c_int, q => u64)), 0);
    assert_eq!(is, 1);

    // Streams and events.
    let (mut st, mut e1, mut e2): (H, H, H) =
        (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
    assert_eq!(call!(cuStreamCreate(&mut st => *mut H, 1 => u32)), 0);
    assert_eq!(call!(cuEventCreate(&mut e1 => *mut H, 0 => u32)), 0);
    assert_eq!(call!(cuEventCreate(&mut e2 => *mut H, 0 => u32)), 0);
    assert_eq!(call!(cuEventRecord(e1 => H, st => H)), 0);
    assert_eq!(call!(cuStreamWaitEvent(st => H, e1 => H, 0 => u32)), 0);
    assert_eq!(call!(cuEventRecord(e2 => H, st => H)), 0);
    let mut ms = -1f32;
    assert_eq!(call!(cuEventElapsedTime(&mut ms => *mut f32, e1 => H, e2 => H)), 0);
    assert!(ms >= 0.0);
    assert_eq!(call!(cuStreamSynchronize(st => H)), 0);
    assert_eq!(call!(cuStreamDestroy_v2(st => H)), 0);
    assert_eq!(call!(cuStreamSynchronize(st => H)), 400);

    // Found by name.
    let mut fp: H = std::ptr::null_mut();
    let mut status = 9i32;
    let r = call!(cuGetProcAddress_v2(c"cuMemAlloc".as_ptr() => *const c_char, &mut fp => *mut H, 12090 => c_int, 0 => u64, &mut status => *mut c_int));
    assert_eq!((r, status), (0, 0));
    assert_eq!(fp, sym("cuMemAlloc_v2"));
    // Not there.
    assert_eq!(call!(cuGraphCreate(&mut fp => *mut H, 0 => u32)), 801);

    // Frees: twice is an error. An error of a kernel stays.
    assert_eq!(call!(cuMemFree_v2(q => u64)), 0);
    assert_eq!(call!(cuMemFree_v2(q => u64)), 1);
    n = 101;
    params[0] = &mut p as *mut u64 as H;
    params[1] = &mut n as *mut u32 as H;
    assert_eq!(launch(f, params.as_mut_ptr(), 2, 64, 0), 700);
    assert_eq!(call!(cuCtxSynchronize()), 700);
    assert_eq!(call!(cuMemFree_v2(p => u64)), 700);
    let mut name: *const c_char = std::ptr::null();
    assert_eq!(call!(cuGetErrorName(700 => c_int, &mut name => *mut *const c_char)), 0);
    // SAFETY: the driver gave a name that lives as long as the library.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_eq!(call!(cuDevicePrimaryCtxReset_v2(0 => c_int)), 0);
    assert_eq!(call!(cuCtxSynchronize()), 0);
}

/// With the path of `nvcc` in `CUDA_EMU_NVCC`: the algorithms of CUB, compiled
/// with a small runtime library on top of the driver API. Takes a minute.
#[test]
fn cub_algorithms() {
    let Some(nvcc) = std::env::var("CUDA_EMU_NVCC").ok().filter(|s| !s.is_empty()) else { return };
    let dir = std::env::temp_dir().join(format!("cuda-emu-cub-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cub");
    let run = |c: &mut std::process::Command| {
        let o = c.current_dir(&dir).output().unwrap();
        assert!(
            o.status.success(),
            "{}{}",
            String::from_utf8_lossy(&o.stdout),
            String::from_utf8_lossy(&o.stderr)
        );
        String::from_utf8_lossy(&o.stdout).into_owned()
    };
    let include = std::path::Path::new(&nvcc).parent().unwrap().join("../include");
    run(std::process::Command::new(&nvcc)
        .args([
            "-std=c++20",
            "--extended-lambda",
            "-arch=compute_90",
            "-code=compute_90",
            "--no-compress",
            "-cudart",
            "none",
            "-w",
            "-c",
        ])
        .arg(format!("{src}/algorithms.cu"))
        .args(["-o", "algorithms.o"]));
    std::fs::copy(library(), dir.join("libcuda.so.1")).unwrap();
    run(std::process::Command::new("g++")
        .arg("-O1")
        .arg(format!("-I{}", include.display()))
        .arg(format!("{src}/runtime.cpp"))
        .args(["algorithms.o", "-o", "algorithms", "-L.", "-l:libcuda.so.1"]));
    for seed in ["", "1", "2"] {
        let out = run(std::process::Command::new(dir.join("algorithms"))
            .env("LD_LIBRARY_PATH", &dir)
            .env("CUDA_EMU_SEED", seed));
        assert!(out.lines().count() == 10 && out.lines().all(|l| l.contains("ok")), "{out}");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
