//! Initialisation of the library, its entry points by name, and the device.

use super::api::{OK, h, out, text};
use super::error::{INVALID_VALUE, NOT_FOUND, NOT_SUPPORTED};
use super::function::{SHARED_OPTIN, SHARED_PER_BLOCK, SHARED_PER_SM};
use super::launch::SMS;
use super::state::{self, STATE, State, lock};
use crate::config::Config;
use std::ffi::{c_char, c_int, c_uint, c_void};

const VERSION: c_int = 12090;
pub(super) const TOTAL_MEM: u64 = 85_520_809_984;

unsafe extern "C" fn at_exit() {
    if let Ok(g) = lock() {
        g.report_leaks(|_| true);
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

/// `CU_DEVICE_ATTRIBUTE_PCI_BUS_ID`.
const PCI_BUS: c_int = 33;

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
        15 | 19 | 31 | 32 | 41 => 1,
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

api! {
    cuInit [] (_flags: c_uint) {
        let mut g = STATE.lock().unwrap_or_else(|e| e.into_inner());
        if g.is_none() {
            let cfg = Config::from_env().map_err(|error| {
                eprintln!("cuda-emu: {error}");
                INVALID_VALUE
            })?;
            if cfg.leakcheck {
                atexit(at_exit);
            }
            *g = Some(Box::new(State::new(cfg)));
        }
        OK
    }
    cuDriverGetVersion [] (v: *mut c_int) {
        out(v, VERSION)?;
        OK
    }
    cuGetProcAddress_v2 [cuGetProcAddress_v2_ptsz] (
        name: *const c_char, pfn: *mut *mut c_void, _version: c_int, _flags: u64, status: *mut c_int,
    ) {
        let n = text(name)?;
        let mut info = DlInfo { fname: std::ptr::null(), fbase: h(0), sname: std::ptr::null(), saddr: h(0) };
        let mut f = h(0);
        if dladdr(cuInit as *const c_void, &mut info) != 0 && !info.fname.is_null() {
            // RTLD_NOW | RTLD_NOLOAD: the library this code is in.
            let lib = dlopen(info.fname, 2 | 4);
            for suffix in ["_v2", ""] {
                let s = format!("{n}{suffix}\0");
                // Newer forms of these take different arguments from those that callers of the plain name pass.
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
        out(d, state::ordinal(&*lock()?, ordinal)? as c_int)?; OK
    }
    cuDeviceGetCount [] (n: *mut c_int) {
        out(n, lock()?.devices.len() as c_int)?;
        OK
    }
    cuDeviceGetName [] (name: *mut c_char, len: c_int, d: c_int) {
        state::ordinal(&*lock()?, d)?;
        let s = b"cuda-emu (sm_90)";
        if name.is_null() || len <= 0 { return Err(INVALID_VALUE); }
        let n = s.len().min(len as usize - 1);
        std::ptr::copy_nonoverlapping(s.as_ptr(), name as *mut u8, n);
        *name.add(n) = 0;
        OK
    }
    cuDeviceGetUuid [cuDeviceGetUuid_v2] (u: *mut [u8; 16], d: c_int) {
        let mut uuid = *b"cuda-emu-device0";
        uuid[15] = b'0' + state::ordinal(&*lock()?, d)? as u8;
        out(u, uuid)?;
        OK
    }
    cuDeviceGetLuid [] (_l: *mut c_char, _m: *mut c_uint, _d: c_int) { NOT_SUPPORTED }
    cuDeviceTotalMem_v2 [] (n: *mut usize, d: c_int) {
        state::ordinal(&*lock()?, d)?;
        out(n, TOTAL_MEM as usize)?; OK
    }
    cuDeviceGetAttribute [] (v: *mut c_int, a: c_int, d: c_int) {
        let d = state::ordinal(&*lock()?, d)? as c_int;
        out(v, if a == PCI_BUS { d + 1 } else { attribute(a) })?; OK
    }
    cuDeviceComputeCapability [] (major: *mut c_int, minor: *mut c_int, _d: c_int) {
        out(major, 9)?;
        out(minor, 0)?;
        OK
    }
    cuDeviceGetPCIBusId [] (s: *mut c_char, len: c_int, d: c_int) {
        let t = format!("0000:{:02x}:00.0\0", state::ordinal(&*lock()?, d)? + 1);
        if s.is_null() || (len as usize) < t.len() { return Err(INVALID_VALUE); }
        std::ptr::copy_nonoverlapping(t.as_ptr(), s as *mut u8, t.len());
        OK
    }
    cuDeviceGetByPCIBusId [] (d: *mut c_int, s: *const c_char) {
        let number = text(s)?.split(':').nth(1).and_then(|bus| c_int::from_str_radix(bus, 16).ok());
        let number = number.ok_or(INVALID_VALUE)? - 1;
        out(d, state::ordinal(&*lock()?, number)? as c_int)?;
        OK
    }
    cuDeviceCanAccessPeer [] (v: *mut c_int, _a: c_int, _b: c_int) {
        out(v, 0)?;
        OK
    }
    cuDeviceGetP2PAttribute [] (v: *mut c_int, _k: c_int, _a: c_int, _b: c_int) {
        out(v, 0)?;
        OK
    }
}
