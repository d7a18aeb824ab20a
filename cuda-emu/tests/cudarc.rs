//! The driver as a program sees it that uses it through cudarc, which finds it by its name.

#[macro_use]
mod common;
use common::driver::with_emulator;
use cudarc::driver::{CudaContext, CudaStream, DevicePtr, DevicePtrMut, DriverError, result, sys};
use std::ffi::{CString, c_void};

const PTX: &str = include_str!("ptx/cudarc.ptx");

type Outcome<T> = Result<T, DriverError>;

/// A module, without cudarc's own type for it, which requires NVIDIA's compiler.
fn load(ptx: &str) -> Outcome<sys::CUmodule> {
    let text = CString::new(ptx).unwrap();
    // SAFETY: the image is a text that ends with a zero.
    unsafe { result::module::load_data(text.as_ptr().cast()) }
}

fn function(module: sys::CUmodule, name: &str) -> sys::CUfunction {
    // SAFETY: the module is loaded.
    unsafe { result::module::get_function(module, CString::new(name).unwrap()) }.unwrap()
}

/// Launches `blocks` blocks of 256 threads, with 1024 bytes of shared memory.
fn launch<const N: usize>(
    s: &CudaStream,
    f: sys::CUfunction,
    blocks: usize,
    params: [*mut c_void; N],
) -> Outcome<()> {
    let mut params = params;
    // SAFETY: the callers pass a pointer for each parameter; the emulator checks the kernel's use of them.
    unsafe { result::launch_kernel(f, (blocks as u32, 1, 1), (256, 1, 1), 1024, s.cu_stream(), &mut params) }
}

fn address<T>(x: &mut T) -> *mut c_void {
    (x as *mut T).cast()
}

fn everything() {
    let context = CudaContext::new(0).unwrap();
    assert_eq!(context.name().unwrap(), "cuda-emu (sm_90)");
    assert_eq!(context.compute_capability().unwrap(), (9, 0));
    let stream = context.new_stream().unwrap();
    let module = load(PTX).unwrap();
    let (vadd, block_sum) = (function(module, "vadd"), function(module, "block_sum"));

    let n = 100_000usize;
    let blocks = n.div_ceil(256);
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| 0.5 * i as f32).collect();
    let (da, db) = (stream.clone_htod(&a).unwrap(), stream.clone_htod(&b).unwrap());
    let mut dc = stream.alloc_zeros::<f32>(n).unwrap();
    let mut dsums = stream.alloc_zeros::<f32>(blocks).unwrap();
    let (mut pa, mut pb) = (da.device_ptr(&stream).0, db.device_ptr(&stream).0);
    let (mut pc, mut psums) = (dc.device_ptr_mut(&stream).0, dsums.device_ptr_mut(&stream).0);
    let mut count = n as i32;

    let event = || context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
    let (before, after) = (event(), event());
    before.record(&stream).unwrap();
    let params = [address(&mut pa), address(&mut pb), address(&mut pc), address(&mut count)];
    launch(&stream, vadd, blocks, params).unwrap();
    after.record(&stream).unwrap();
    // Another stream, which waits for the first.
    let other = stream.fork().unwrap();
    let params = [address(&mut pa), address(&mut psums), address(&mut count)];
    launch(&other, block_sum, blocks, params).unwrap();
    stream.join(&other).unwrap();

    let (c, sums) = (stream.clone_dtoh(&dc).unwrap(), stream.clone_dtoh(&dsums).unwrap());
    stream.synchronize().unwrap();
    assert!((0..n).all(|i| c[i] == a[i] + b[i]));
    assert!(before.elapsed_ms(&after).unwrap() >= 0.0);
    let total: f64 = sums.iter().map(|x| *x as f64).sum();
    assert_eq!(total, (n as f64 - 1.0) * n as f64 / 2.0);
    // SAFETY: the function exists.
    let fit = unsafe { result::occupancy::max_active_block_per_multiprocessor(block_sum, 256, 1024) };
    assert_eq!(fit, Ok(8));

    // Pinned memory.
    // SAFETY: the memory is written before it is read.
    let mut pinned = unsafe { context.alloc_pinned::<f32>(n) }.unwrap();
    pinned.as_mut_slice().unwrap().copy_from_slice(&a);
    let from_pinned = stream.clone_htod(&pinned).unwrap();
    assert_eq!(stream.clone_dtoh(&from_pinned).unwrap(), a);

    let invalid = load(&PTX.replace("add.f32", "addd.f32"));
    assert_eq!(invalid, Err(DriverError(sys::CUresult::CUDA_ERROR_INVALID_PTX)));

    // One element more than there is: reported at the latest when the program waits, and the error stays.
    count += 1;
    let params = [address(&mut pa), address(&mut pb), address(&mut pc), address(&mut count)];
    let launched = launch(&stream, vadd, blocks, params);
    let illegal = Err(DriverError(sys::CUresult::CUDA_ERROR_ILLEGAL_ADDRESS));
    let deferred = std::env::var_os("CUDA_EMU_DEFER").is_some();
    assert_eq!(launched, if deferred { Ok(()) } else { illegal });
    assert_eq!(result::ctx::synchronize(), illegal);
    assert_eq!(result::ctx::synchronize(), illegal);
}

#[test]
fn cudarc_runs() {
    with_emulator("cudarc_runs", &[], everything);
}

#[test]
fn cudarc_runs_deferred() {
    with_emulator(
        "cudarc_runs_deferred",
        &[("CUDA_EMU_DEFER", "11"), ("CUDA_EMU_INITCHECK", "1")],
        everything,
    );
}
