//! The numbers and names of spaces and memories in Kokkos's interface.

use super::interface::SpaceHandle;

/// The number of a space: 8 bits for its type, 7 for the device, 17 for the instance. Those of a host have instance 1 as in Kokkos, and
/// `Rayon` is a second instance of `Threads`; instance 0 would be all of them.
pub(super) fn device_id(space: &str, device: usize, stream: u64) -> u32 {
    let (kind, instance) = match space {
        "Serial" => (0, 1),
        "Threads" => (6, 1),
        "Rayon" => (6, 2),
        "Cuda" => (2, stream + 1),
        _ => (9, 1),
    };
    // Unit: bits. Those that do not fit are cut off.
    let (device, instance) = (device as u32 & 0x7f, instance as u32 & 0x1_ffff);
    kind << 24 | device << 17 | instance
}

/// The number of the space that fills memory of this name: which threads do it is not told.
pub(super) fn filling_device_id(memory: &str) -> u32 {
    device_id(if memory == "HostSpace" { "Serial" } else { "Cuda" }, 0, 0)
}

/// A memory space by the name that Kokkos has for it, which tools compare.
pub(super) fn memory(name: &str) -> SpaceHandle {
    SpaceHandle::new(match name {
        "HostSpace" => "Host",
        "CudaSpace" => "Cuda",
        "CudaManagedSpace" => "CudaUVM",
        "CudaHostPinnedSpace" => "CudaHostPinned",
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::device_id;

    #[test]
    fn the_bits_of_a_device_id() {
        assert_eq!(device_id("Serial", 0, 0), 1);
        assert_eq!(device_id("Threads", 0, 0), 6 * 0x100_0000 + 1);
        assert_eq!(device_id("Rayon", 0, 0), 6 * 0x100_0000 + 2);
        assert_eq!(device_id("Cuda", 3, 4), 2 * 0x100_0000 + 3 * 0x2_0000 + 5);
        // A device or stream with a larger number changes no other field.
        assert_eq!(device_id("Cuda", 128, 0x1_ffff), 2 * 0x100_0000);
        assert_eq!(device_id("other", 0, 0) >> 24, 9);
    }
}
