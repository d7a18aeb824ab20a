//! Compiles only if the crates below need no `std`: one that pulled it in would bring a second panic handler, which is
//! a duplicate lang item (E0152).
#![no_std]

pub use spelt_access as access;
pub use spelt_kernels_gpu as kernels_gpu;
pub use spelt_order as order;
pub use spelt_policies as policies;
pub use spelt_reducers as reducers;

#[panic_handler]
fn stop(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
