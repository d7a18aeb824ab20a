//! The entries, in the form that the device linker requires: only the compilation for a device has this file.

use crate::kernels::{self, CopyParameters, FillParameters, TransposeParameters};

unsafe extern "C" {
    /// Marks the function that calls it as a kernel entry with one parameter by reference, of this size and alignment.
    safe fn __spelt_entry(params_bytes: usize, params_align: usize);
}

macro_rules! entries {
    ($($name:ident = $kernel:ident<$word:ty>($parameters:ty);)*) => {$(
        /// # Safety
        /// As the kernel.
        // SAFETY: the prefix `spelt_stock_` keeps the name apart from any other.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(parameters: &$parameters) {
            __spelt_entry(const { size_of::<$parameters>() }, const { align_of::<$parameters>() });
            // SAFETY: only a launch calls this, with parameters and a grid that meet the kernel's conditions.
            unsafe { kernels::$kernel::<$word>(parameters) }
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
