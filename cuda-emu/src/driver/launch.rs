//! Launches of kernels.

use super::api::{Handle, OK};
use super::error::{
    COOPERATIVE_LAUNCH_TOO_LARGE, INVALID_HANDLE, INVALID_VALUE, LAUNCH_OUT_OF_RESOURCES, NOT_SUPPORTED,
    error_name,
};
use super::function::{SHARED_OPTIN, SHARED_PER_BLOCK};
use super::queue::enter_own;
use super::state::State;
use super::statistics::print;
use super::work::Work;
use crate::exec::{self, Launch};
use crate::ir::{Code, Program};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// Multiprocessors of the device.
pub(super) const SMS: u32 = 132;

/// A launch that was found to be valid, with a copy of its parameters.
pub(super) struct Kernel {
    prog: Arc<Program>,
    index: usize,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: Vec<u8>,
    cooperative: bool,
    /// Its place in the history of launches.
    number: u64,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <<<{:?}, {:?}>>>", self.prog.funcs[self.index].name, self.grid, self.block)
    }
}

/// The settings of a launch apart from the kernel and its parameters.
struct Shape {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    cooperative: bool,
}

impl State {
    /// Checks whether the device can run a launch.
    fn check(&self, f: Handle, s: &Shape) -> Result<(), i32> {
        let (fun, c) = self.code(f)?;
        let threads = s.block.iter().map(|x| *x as u64).product::<u64>();
        let bad = |why: String| {
            eprintln!("cuda-emu: launch of {} refused: {why}", c.name);
            Err(INVALID_VALUE)
        };
        if threads == 0 || s.grid.contains(&0) {
            return bad(format!("empty grid or block {:?} {:?}", s.grid, s.block));
        }
        let max = if c.max_threads > 0 { c.max_threads.min(1024) } else { 1024 } as u64;
        if threads > max || s.block[2] > 64 {
            return bad(format!("{threads} threads in a block, at most {max} are allowed"));
        }
        let max = self.max_threads(f)?;
        if threads > max.into() {
            eprintln!(
                "cuda-emu: launch of {} refused: {threads} threads in a block, the registers (CUDA_EMU_REGISTERS) allow {max}",
                c.name
            );
            return Err(LAUNCH_OUT_OF_RESOURCES);
        }
        if let Err(f) = exec::fits(c, &self.cfg) {
            eprintln!("cuda-emu: {}", f.msg);
            return Err(f.code);
        }
        if s.grid[0] > i32::MAX as u32 || s.grid[1] > 65535 || s.grid[2] > 65535 {
            return bad(format!("grid {:?} is too large", s.grid));
        }
        let allowed = fun.max_dynamic.max(SHARED_PER_BLOCK.saturating_sub(c.static_shared));
        if s.shared > allowed || c.static_shared + s.shared > SHARED_OPTIN {
            return bad(format!(
                "{} bytes of dynamic shared memory, {allowed} are allowed (raise it with cuFuncSetAttribute)",
                s.shared
            ));
        }
        if s.cooperative {
            let total = s.grid.iter().map(|x| *x as u64).product::<u64>();
            let fit = self.occupancy(f, threads as u32, s.shared).unwrap_or(0) as u64 * SMS as u64;
            if total > fit {
                eprintln!(
                    "cuda-emu: cooperative launch of {}: {total} blocks, {fit} can be resident",
                    c.name
                );
                return Err(COOPERATIVE_LAUNCH_TOO_LARGE);
            }
        }
        Ok(())
    }

    /// Runs a kernel. An error ends the context.
    pub(super) fn run_kernel(&mut self, k: Kernel) -> i32 {
        self.launches += 1;
        let launch = Launch {
            prog: &k.prog,
            kernel: k.index,
            grid: k.grid,
            block: k.block,
            shared: k.shared,
            params: k.params,
            cooperative: k.cooperative,
            grid_id: self.launches,
        };
        let name = &k.prog.funcs[k.index].name;
        match exec::launch(launch, &mut self.mem, &self.cfg) {
            Ok(s) => {
                print(self.cfg.report, name, k.grid, k.block, &s);
                self.history.ended(k.number, Ok(s));
                OK
            }
            Err(f) => {
                eprintln!("cuda-emu: {} ({})", f.msg, error_name(f.code).unwrap_or("?"));
                self.history.ended(k.number, Err(f.code));
                self.devices[self.device].sticky = f.code;
                f.code
            }
        }
    }
}

/// The parameters of a launch, laid out as the kernel reads them.
///
/// # Safety
/// There must be a pointer for each parameter, or the buffer that `extra` describes.
unsafe fn params(c: &Code, kp: *mut *mut c_void, extra: *mut *mut c_void) -> Result<Vec<u8>, i32> {
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

/// # Safety
/// The parameters must be as [`params`] asks for.
unsafe fn start(
    f: Handle,
    s: Shape,
    stream: Handle,
    kp: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<i32, i32> {
    let (mut g, stream) = enter_own(stream)?;
    let (fun, c) = g.code(f)?;
    if g.modules[&fun.module].device != g.device {
        return Err(INVALID_HANDLE);
    }
    // SAFETY: the caller gives the parameters of this kernel.
    let params = unsafe { params(c, kp, extra)? };
    let (prog, index) = (g.modules[&fun.module].prog.clone(), fun.index);
    g.check(f, &s)?;
    let number = g.history.begin(&prog.funcs[index].name);
    let Shape { grid, block, shared, cooperative } = s;
    let kernel = Kernel { prog, index, grid, block, shared, params, cooperative, number };
    g.submit(stream, None, Work::Launch(Box::new(kernel)))?;
    Ok(OK)
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Debug)]
struct LaunchAttribute {
    id: c_int,
    pad: [u8; 4],
    value: [u64; 8],
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: Handle,
    attrs: *const LaunchAttribute,
    num: c_uint,
}

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE` and `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const COOPERATIVE: c_int = 2;
const CLUSTER: c_int = 4;

api! {
    cuLaunchKernel [cuLaunchKernel_ptsz] (
        f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, s: Handle, kp: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        start(f, Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared, cooperative: false }, s, kp, extra)?
    }
    cuLaunchKernelEx [cuLaunchKernelEx_ptsz] (
        cfg: *const LaunchConfig, f: Handle, kp: *mut *mut c_void, extra: *mut *mut c_void,
    ) {
        let c = cfg.as_ref().ok_or(INVALID_VALUE)?;
        let mut cooperative = false;
        for i in 0..c.num as usize {
            let a = &*c.attrs.add(i);
            let v = *(a.value.as_ptr() as *const [u32; 3]);
            match a.id {
                COOPERATIVE => cooperative = v[0] != 0,
                CLUSTER if v.iter().any(|n| *n > 1) => {
                    eprintln!("cuda-emu: thread block clusters are not supported");
                    return Err(NOT_SUPPORTED);
                }
                _ => {}
            }
        }
        start(f, Shape { grid: c.grid, block: c.block, shared: c.shared, cooperative }, c.stream, kp, extra)?
    }
    cuLaunchCooperativeKernel [cuLaunchCooperativeKernel_ptsz] (
        f: Handle, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint,
        shared: c_uint, s: Handle, kp: *mut *mut c_void,
    ) {
        let shape = Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared, cooperative: true };
        start(f, shape, s, kp, std::ptr::null_mut())?
    }
}
