//! `spelt-stock-rust-cuda-builder KERNELS PTX`: compiles the package in the folder `KERNELS` by rust-cuda to the file `PTX`.

use cuda_builder::{CudaBuilder, NvvmArch};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let (kernels, ptx) = match (arguments.next(), arguments.next()) {
        (Some(kernels), Some(ptx)) => (kernels, ptx),
        _ => {
            eprintln!("usage: spelt-stock-rust-cuda-builder KERNELS PTX");
            std::process::exit(2);
        }
    };
    let builder = CudaBuilder::new(kernels).arch(NvvmArch::Compute70).copy_to(std::path::PathBuf::from(ptx));
    if let Err(error) = builder.build_args(&["--locked"]).build() {
        eprintln!("rust-cuda: {}", error);
        std::process::exit(1);
    }
}
