//! A device with the stock kernels in it, and boxes in its memory.

use cuda_emu::{Config, Device, Module, Stats};
use spelt_stock::{CopyBox, FillBox, Kind, Launch, PTX};

/// The emulated device with every check on.
pub(crate) struct Machine {
    pub(crate) device: Device,
    module: Module,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self::with(Config { initcheck: true, racecheck: 2, seed: Some(1), ..Config::default() })
    }

    pub(crate) fn with(config: Config) -> Self {
        let mut device = Device::new(config);
        let module = device.load(PTX).expect("the stock kernels load");
        Self { device, module }
    }

    /// Runs one launch as a driver would.
    pub(crate) fn launch(&mut self, launch: &Launch) -> Result<Stats, String> {
        let (pointer, bytes) = (launch.parameters.pointer(), launch.parameters.bytes());
        let mut parameters = vec![0_u8; bytes];
        // SAFETY: the pointer is that of this many bytes, and the padding between them is copied, not looked at.
        unsafe { core::ptr::copy_nonoverlapping(pointer, parameters.as_mut_ptr(), bytes) };
        let kernel = launch.kernel.to_str().expect("names are ASCII");
        self.device
            .launch_bytes(
                &self.module,
                kernel,
                launch.blocks,
                launch.threads,
                launch.shared_bytes,
                &parameters,
            )
            .map_err(|fault| format!("{kernel}: {fault:?}"))
    }

    /// Runs the copy, by a call of the driver if the plan says so, and returns the statistics of each launch.
    pub(crate) fn copy(&mut self, copy: &CopyBox<'_>) -> Vec<Stats> {
        let mut all = Vec::new();
        match copy.kind() {
            Kind::Nothing => {}
            Kind::Contiguous(bytes) => {
                let data = self.device.download::<u8>(copy.from, bytes);
                self.device.write(copy.to, &data);
            }
            Kind::Kernels => {
                let done = copy.launch(|launch| self.launch(launch).map(|stats| all.push(stats)));
                done.unwrap_or_else(|fault| panic!("{copy:?}: {fault}"));
            }
        }
        all
    }

    /// Does the fill.
    pub(crate) fn fill(&mut self, fill: &FillBox<'_>) -> Vec<Stats> {
        let mut all = Vec::new();
        let done = fill.launch(|launch| self.launch(launch).map(|stats| all.push(stats)));
        done.unwrap_or_else(|fault| panic!("{fill:?}: {fault}"));
        all
    }
}

/// The strides of a dense box whose dimensions run in this order, the slowest first, each `pad` longer than its extent.
pub(crate) fn strides(extents: &[usize], order: &[usize], pad: usize) -> (Vec<usize>, usize) {
    let mut strides = vec![0; extents.len()];
    let mut step = 1;
    for &dimension in order.iter().rev() {
        strides[dimension] = step;
        step *= extents[dimension] + pad;
    }
    (strides, step)
}

/// The offset of each index, the last dimension the fastest.
pub(crate) fn offsets(extents: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0];
    for (&extent, &stride) in extents.iter().zip(strides) {
        offsets = offsets.iter().flat_map(|&at| (0..extent).map(move |step| at + step * stride)).collect();
    }
    offsets
}

/// Bytes of which neighbours and rows differ.
pub(crate) fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 41) as u8).collect()
}
