//! Queries of the CUDA driver about itself and about the GPUs.
//!
//! Opening a damaged library may end the process. So a library that may be damaged is queried by [`query_apart`], which opens it in
//! a separate process.

use std::ffi::{CStr, OsStr, OsString, c_char, c_int};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, anyhow, bail};
use libloading::Library;
use serde_json::{Value, json};

use crate::emulator::DRIVER;
use crate::output;

/// A driver that could be opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Driver {
    /// The highest version of CUDA that it supports: major and minor.
    pub(crate) version: (c_int, c_int),
    pub(crate) devices: Vec<Device>,
}

/// A GPU.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) name: String,
    /// Major and minor.
    pub(crate) capability: (c_int, c_int),
    pub(crate) memory_bytes: usize,
}

/// Whether programs will find a driver.
pub(crate) fn is_present() -> bool {
    open(OsStr::new(DRIVER)).is_ok()
}

fn open(library: &OsStr) -> Result<Library> {
    // SAFETY: opening the driver runs its constructors, which have no requirements on the process.
    unsafe { Library::new(library) }
        .with_context(|| format!("{} cannot be opened", library.to_string_lossy()))
}

/// With this as its first argument, the program opens the library that the second one names, and prints its findings.
const QUESTION: &str = "__spelt-query-driver";

/// Queries a driver by its name or path, in a separate process.
///
/// # Errors
/// The error of [`query`], or the exit status of the process that opened the library.
pub(crate) fn query_apart(library: &OsStr) -> Result<Driver> {
    let this = std::env::current_exe().context("the path of this executable is unknown")?;
    let output = Command::new(this)
        .arg(QUESTION)
        .arg(library)
        .output()
        .context("cannot start a process to open the driver")?;
    if !output.status.success() {
        bail!("{} ends the process that opens it ({})", library.to_string_lossy(), output.status);
    }
    match serde_json::from_slice(&output.stdout).context("the driver wrote to standard output")? {
        Value::String(error) => Err(anyhow!(error)),
        value => Driver::from_json(&value).context("the driver's answer is invalid"),
    }
}

/// The other side of [`query_apart`]: `None` if this process was not started by it.
pub(crate) fn answer(arguments: &[OsString]) -> Option<Result<ExitCode>> {
    let [question, library] = arguments else { return None };
    (question == QUESTION).then(|| {
        let answer = match query(library) {
            Ok(driver) => driver.to_json(),
            Err(error) => Value::from(format!("{error:#}")),
        };
        output::print(&answer.to_string())?;
        Ok(ExitCode::SUCCESS)
    })
}

impl Driver {
    fn to_json(&self) -> Value {
        let device = |device: &Device| {
            json!([device.name, device.capability.0, device.capability.1, device.memory_bytes])
        };
        json!([self.version.0, self.version.1, self.devices.iter().map(device).collect::<Vec<_>>()])
    }

    fn from_json(value: &Value) -> Option<Self> {
        let number = |value: &Value| c_int::try_from(value.as_i64()?).ok();
        let device = |value: &Value| {
            Some(Device {
                name: value[0].as_str()?.to_owned(),
                capability: (number(&value[1])?, number(&value[2])?),
                memory_bytes: usize::try_from(value[3].as_u64()?).ok()?,
            })
        };
        let devices = value[2].as_array()?.iter().map(device).collect::<Option<_>>()?;
        Some(Self { version: (number(&value[0])?, number(&value[1])?), devices })
    }
}

/// Compute capability, major. Source: `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` of cuda.h.
const CAPABILITY_MAJOR: c_int = 75;
/// The same, minor.
const CAPABILITY_MINOR: c_int = 76;

/// The result of a function of the driver if there is no GPU. Source: `CUDA_ERROR_NO_DEVICE` of cuda.h.
const NO_DEVICE: c_int = 100;

/// Asks the driver of this name or path for its version and its GPUs.
pub(crate) fn query(library: &OsStr) -> Result<Driver> {
    let library = open(library)?;
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
        // SAFETY: each pointer is to a live variable of the type that the function writes; of the name the driver
        // writes at most as many characters as it is told, ended by 0.
        unsafe {
            check("cuDeviceGet", device_of(&raw mut device, number))?;
            check("cuDeviceGetName", name_of(name.as_mut_ptr(), 255, device))?;
            check("cuDeviceGetAttribute", attribute_of(&raw mut major, CAPABILITY_MAJOR, device))?;
            check("cuDeviceGetAttribute", attribute_of(&raw mut minor, CAPABILITY_MINOR, device))?;
            check("cuDeviceTotalMem", memory_of(&raw mut memory_bytes, device))?;
        }
        // SAFETY: the last character is 0, because the driver never writes it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_cross_the_processes() {
        let device = Device { name: "a \"b\"".into(), capability: (9, 0), memory_bytes: usize::MAX };
        let driver = Driver { version: (13, 1), devices: vec![device] };
        assert_eq!(Driver::from_json(&driver.to_json()), Some(driver));
    }
}
