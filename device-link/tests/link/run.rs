//! Runs kernels on the emulator, and their closures on the host.

use std::process::Command;

use cuda_emu::{Config, Device, Fault};
use spelt_device_link::Output;

use crate::compile::{Folder, Profile, program};

/// The input of a launch, and its results on the host.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) label: String,
    parameters: Vec<u8>,
    before: Vec<u8>,
    pub(crate) after: Vec<u8>,
}

/// Prints the calls of the observer of launches.
const MAIN: &str = "
fn main() {
    fn observe(label: &str, parameters: &[u8], view: &[u8], before: bool) {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!(\"{byte:02x}\")).collect::<String>();
        if before { print!(\"{label} {} {} \", hex(parameters), hex(view)) } else { println!(\"{}\", hex(view)) }
    }
    unsafe { spelt_kernels_gpu::OBSERVER = Some(observe) };
    all();
}";

/// Runs the function `all` of `text` on the host.
pub(crate) fn on_host(text: &str, profile: Profile) -> Vec<Launch> {
    let folder = Folder::new();
    let output = Command::new(program(&folder.0, &format!("{text}\n{MAIN}"), profile)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let launch = |line: &str| {
        let [label, parameters, before, after] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        Launch {
            label: label.to_owned(),
            parameters: bytes(parameters),
            before: bytes(before),
            after: bytes(after),
        }
    };
    String::from_utf8(output.stdout).unwrap().lines().map(launch).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |place| u8::from_str_radix(&hex[place..place + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// Runs a launch on the emulator and returns its View afterwards.
pub(crate) fn on_device(output: &Output, launch: &Launch) -> Result<Vec<u8>, Fault> {
    let mut device = Device::new(Config { initcheck: true, racecheck: 2, ..Config::default() });
    let module = device.load(&output.ptx).unwrap_or_else(|error| panic!("{error:?}"));
    let view = device.upload(&launch.before);
    let mut parameters = launch.parameters.clone();
    // The View's pointer, behind the launch's number.
    parameters[8..16].copy_from_slice(&view.to_le_bytes());
    let kernel = output.kernels.iter().find(|kernel| kernel.label.as_deref() == Some(&launch.label)).unwrap();
    device.launch_bytes(&module, &kernel.symbol, 4u32, 32u32, 0, &parameters)?;
    Ok(device.download(view, launch.before.len()))
}

/// Runs a kernel over a View of numbers, which must fail: the words that the handlers of `device.rs` write, and the message
/// that the last two of them point to.
pub(crate) fn failure(output: &Output, label: &str, length: usize) -> ([u64; 4], String) {
    let mut device = Device::new(Config::default());
    let module = device.load(&output.ptx).unwrap_or_else(|error| panic!("{error:?}"));
    let view = device.upload(&vec![0u32; length]);
    let record = device.upload(&[0u64; 4]);
    let (address, _) = module.global("spelt_failure").unwrap();
    device.write(address, &[record]);
    let kernel = output.kernels.iter().find(|kernel| kernel.label.as_deref() == Some(label)).unwrap();
    // The launch's number, the View, and a closure of no size.
    let parameters: Vec<u8> = [1, view, length as u64].into_iter().flat_map(u64::to_le_bytes).collect();
    let fault = device.launch_bytes(&module, &kernel.symbol, 1u32, 32u32, 0, &parameters).unwrap_err();
    assert_eq!(fault.code, 715, "{}", fault.msg);
    let words: [u64; 4] = device.download(record, 4).try_into().unwrap();
    let is_message = words[0] < 3 && words[3] > 0;
    let message = if is_message { device.download(words[2], words[3] as usize) } else { Vec::new() };
    (words, String::from_utf8(message).unwrap())
}
