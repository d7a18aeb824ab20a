//! The stock kernels as compiled, on the emulated device, with all its checks.

mod coalescing;
mod copies;
mod device_code;
mod fills;
mod machine;
mod parts;
