//! What the CUDA driver says of itself and of the GPUs.

use std::ffi::{CStr, c_char, c_int};

use anyhow::{Context, Result, bail};
use libloading::Library;

use crate::emulator::DRIVER;

/// A driver that could be opened.
#[derive(Debug)]
pub(crate) struct Driver {
    /// The highest version of CUDA that it supports: major and minor.
    pub(crate) version: (c_int, c_int),
    pub(crate) devices: Vec<Device>,
}

/// A GPU.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// Major and minor.
    pub(crate) capability: (c_int, c_int),
    pub(crate) memory_bytes: usize,
}

/// Whether programs will find a driver.
pub(crate) fn is_present() -> bool {
    open().is_ok()
}

fn open() -> Result<Library> {
    // SAFETY: opening the driver runs its constructors, which ask nothing of the process.
    unsafe { Library::new(DRIVER) }.with_context(|| format!("{DRIVER} cannot be opened"))
}

/// Compute capability, major. Source: `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` of cuda.h.
const CAPABILITY_MAJOR: c_int = 75;
/// The same, minor.
const CAPABILITY_MINOR: c_int = 76;

/// What a function of the driver returns where there is no GPU. Source: `CUDA_ERROR_NO_DEVICE` of cuda.h.
const NO_DEVICE: c_int = 100;

/// Asks the driver for its version and its GPUs.
pub(crate) fn query() -> Result<Driver> {
    let library = open()?;
    type Init = unsafe extern "C" fn(c_int) -> c_int;
    type Number = unsafe extern "C" fn(*mut c_int) -> c_int;
    type Get = unsafe extern "C" fn(*mut c_int, c_int) -> c_int;
    type Name = unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int;
    type Attribute = unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int;
    type Memory = unsafe extern "C" fn(*mut usize, c_int) -> c_int;
    // SAFETY: these are the types that cuda.h gives the functions, where devices are numbers of type `int`.
    let (init, version_of, count_of, device_of, name_of, attribute_of, memory_of) = unsafe {
        (
            library.get::<Init>(b"cuInit\0")?,
            library.get::<Number>(b"cuDriverGetVersion\0")?,
            library.get::<Number>(b"cuDeviceGetCount\0")?,
            library.get::<Get>(b"cuDeviceGet\0")?,
            library.get::<Name>(b"cuDeviceGetName\0")?,
            library.get::<Attribute>(b"cuDeviceGetAttribute\0")?,
            library.get::<Memory>(b"cuDeviceTotalMem_v2\0")?,
        )
    };
    let (mut version, mut count) = (0, 0);
    // SAFETY: each pointer is to a live variable of the type that the function writes.
    unsafe {
        check("cuDriverGetVersion", version_of(&raw mut version))?;
        match init(0) {
            NO_DEVICE => {}
            code => {
                check("cuInit", code)?;
                check("cuDeviceGetCount", count_of(&raw mut count))?;
            }
        }
    }
    let mut devices = Vec::new();
    for number in 0..count {
        let (mut device, mut major, mut minor, mut memory_bytes) = (0, 0, 0, 0);
        let mut name = [0; 256];
        // SAFETY: as above; the driver writes at most as many characters as it is told, ended by 0.
        unsafe {
            check("cuDeviceGet", device_of(&raw mut device, number))?;
            check("cuDeviceGetName", name_of(name.as_mut_ptr(), 255, device))?;
            check("cuDeviceGetAttribute", attribute_of(&raw mut major, CAPABILITY_MAJOR, device))?;
            check("cuDeviceGetAttribute", attribute_of(&raw mut minor, CAPABILITY_MINOR, device))?;
            check("cuDeviceTotalMem", memory_of(&raw mut memory_bytes, device))?;
        }
        // SAFETY: the last character is 0 whatever the driver wrote.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        devices.push(Device { name, capability: (major, minor), memory_bytes });
    }
    // Source: cuda.h, `CUDA_VERSION` is 1000 * major + 10 * minor.
    Ok(Driver { version: (version / 1000, version % 1000 / 10), devices })
}

fn check(function: &str, code: c_int) -> Result<()> {
    if code != 0 {
        bail!("{function} of the driver failed with code {code}");
    }
    Ok(())
}
