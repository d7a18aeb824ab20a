//! The stock kernels as rust-cuda compiles them: the same files, with rust-cuda's intrinsics and entries.
#![cfg_attr(target_os = "cuda", no_std, feature(register_attr), register_attr(nvvm_internal))]
#![allow(dead_code, unused_unsafe, improper_ctypes_definitions)]

mod kernels;

use cuda_std::kernel;
use kernels::{CopyParameters, FillParameters, TransposeParameters};

macro_rules! entries {
    ($($name:ident = $body:ident<$word:ty>($parameters:ty);)*) => {$(
        /// # Safety
        /// As the kernel.
        #[kernel]
        pub unsafe fn $name(parameters: $parameters) {
            kernels::$body::<$word>(&parameters)
        }
    )*};
}

entries! {
    spelt_stock_copy_1 = copy<u8>(CopyParameters);
    spelt_stock_copy_2 = copy<u16>(CopyParameters);
    spelt_stock_copy_4 = copy<u32>(CopyParameters);
    spelt_stock_copy_8 = copy<u64>(CopyParameters);
    spelt_stock_copy_16 = copy<u128>(CopyParameters);
    spelt_stock_fill_1 = fill<u8>(FillParameters);
    spelt_stock_fill_2 = fill<u16>(FillParameters);
    spelt_stock_fill_4 = fill<u32>(FillParameters);
    spelt_stock_fill_8 = fill<u64>(FillParameters);
    spelt_stock_fill_16 = fill<u128>(FillParameters);
    spelt_stock_transpose_1 = transpose<u8>(TransposeParameters);
    spelt_stock_transpose_2 = transpose<u16>(TransposeParameters);
    spelt_stock_transpose_4 = transpose<u32>(TransposeParameters);
    spelt_stock_transpose_8 = transpose<u64>(TransposeParameters);
    spelt_stock_transpose_16 = transpose<u128>(TransposeParameters);
}
