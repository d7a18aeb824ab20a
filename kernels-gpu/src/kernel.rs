//! Kernel entries, which a launch starts on a device, and their names.

use core::ffi::CStr;

#[cfg(not(spelt_host_pass))]
use crate::intrinsics::{__spelt_entry, __spelt_launch_number};

/// A kernel on a device: one body, one block of parameters.
///
/// # Safety
/// `run` must be sound to call by all threads of a launch at the same time, under the conditions that it states.
pub unsafe trait Kernel {
    /// The parameters, the same for every thread.
    type Params;

    /// The work of each thread.
    ///
    /// # Safety
    /// The conditions of the kernel hold: everything that its parameters point to is valid on the device, and the launch has the
    /// blocks, threads and shared memory that the kernel requires.
    unsafe fn run(params: &Self::Params);
}

/// The header before the parameters of every kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The number of the launch, for failure records.
    pub launch: u32,
}

/// The parameters of an entry, if they fit into a launch.
#[repr(C)]
#[derive(Debug)]
pub struct Near<P> {
    /// The header of every kernel.
    pub header: Header,
    /// The parameters themselves.
    pub params: P,
}

/// The parameters of an entry, if they are in device memory.
#[repr(C)]
#[derive(Debug)]
pub struct Far<P> {
    /// The header of every kernel.
    pub header: Header,
    /// The address of the parameters.
    pub params: *const P,
}

/// The maximum size of parameters that the launch itself passes. Unit: bytes. Source: the CUDA driver's limit of 4096, less the
/// bytes that alignment may take.
pub const MAX_NEAR_BYTES: usize = 4000;

/// Whether the parameters of `K` are passed by [`far_entry`].
#[must_use]
pub const fn is_far<K: Kernel>() -> bool {
    size_of::<Near<K::Params>>() > MAX_NEAR_BYTES
}

/// The entry of a kernel whose parameters the launch itself passes.
///
/// # Safety
/// Only a launch on a device calls it, under the conditions of [`Kernel::run`].
pub unsafe extern "C" fn entry<K: Kernel>(params: &Near<K::Params>) {
    #[cfg(not(spelt_host_pass))]
    {
        __spelt_entry(const { size_of::<Near<K::Params>>() }, const { align_of::<Near<K::Params>>() });
        __spelt_launch_number(params.header.launch);
        // SAFETY: only a launch calls this, and it has kept the conditions of `Kernel::run` for these parameters.
        unsafe { K::run(&params.params) }
    }
    #[cfg(spelt_host_pass)]
    named::<K>(params)
}

/// The entry of a kernel whose parameters are in device memory.
///
/// # Safety
/// As for [`entry`]; the parameters are valid until the launch has finished.
pub unsafe extern "C" fn far_entry<K: Kernel>(params: &Far<K::Params>) {
    #[cfg(not(spelt_host_pass))]
    {
        __spelt_entry(const { size_of::<Far<K::Params>>() }, const { align_of::<Far<K::Params>>() });
        __spelt_launch_number(params.header.launch);
        // SAFETY: only a launch calls this, and it has kept the conditions of `Kernel::run` for the parameters that it
        // wrote to device memory, where they stay until it has finished.
        unsafe { K::run(&*params.params) }
    }
    #[cfg(spelt_host_pass)]
    named::<K>(params)
}

/// The rest of an entry in the host's half of a device build, where nothing but its symbol is asked of it. Kernels never run there, and
/// with their bodies they would be a quarter of the code that is compiled for the host.
///
/// Entries with equal bodies would become one, with one name; so each has the number of its type.
#[cfg(spelt_host_pass)]
fn named<K>(params: impl Copy) {
    core::hint::black_box((number::<K>(), params));
}

/// A number that no other type has; types that differ in lifetimes alone have the same, as they have the same code.
#[cfg(any(spelt_host_pass, test))]
fn number<K>() -> core::any::TypeId {
    use core::any::TypeId;
    use core::marker::PhantomData;
    trait Numbered {
        fn number(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> Numbered for PhantomData<T> {
        fn number(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let kernel: &dyn Numbered = &PhantomData::<K>;
    // SAFETY: the two types differ in a lifetime alone, which bounds nothing in a value without contents.
    unsafe { core::mem::transmute::<&dyn Numbered, &(dyn Numbered + 'static)>(kernel) }.number()
}

/// The name by which an entry is found in device code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name that the linker knows; empty if [`symbol`] does not know this target's assembler.
    pub name: &'static CStr,
    /// The size of the entry's parameter. Unit: bytes.
    pub bytes: usize,
    /// The alignment of the entry's parameter. Unit: bytes.
    pub align: usize,
}

/// The symbol of the entry of `K`.
#[must_use]
pub fn symbol<K: Kernel>() -> Symbol {
    const fn of<P>(name: &'static CStr) -> Symbol {
        Symbol { name, bytes: size_of::<P>(), align: align_of::<P>() }
    }
    if const { is_far::<K>() } {
        of::<Far<K::Params>>(name_of!(far_entry::<K>))
    } else {
        of::<Near<K::Params>>(name_of!(entry::<K>))
    }
}

/// The symbol of a function, as a string of the program: only the assembler knows it.
macro_rules! name_of {
    ($function:expr) => {{
        let name: *const core::ffi::c_char;
        #[cfg(all(unix, not(target_vendor = "apple"), target_arch = "x86_64"))]
        // SAFETY: the section holds the string, which ends in 0, and the code does nothing but take its address.
        unsafe {
            core::arch::asm!(
                ".pushsection .rodata.spelt_symbols, \"a\", @progbits",
                "77: .asciz \"{symbol}\"",
                ".popsection",
                "lea {name}, [rip + 77b]",
                symbol = sym $function,
                name = out(reg) name,
                options(pure, nomem, preserves_flags, nostack),
            );
        }
        #[cfg(all(unix, not(target_vendor = "apple"), target_arch = "aarch64"))]
        // SAFETY: the section holds the string, which ends in 0, and the code does nothing but take its address.
        unsafe {
            core::arch::asm!(
                ".pushsection .rodata.spelt_symbols, \"a\", @progbits",
                "77: .asciz \"{symbol}\"",
                ".popsection",
                "adrp {name}, 77b",
                "add {name}, {name}, :lo12:77b",
                symbol = sym $function,
                name = out(reg) name,
                options(pure, nomem, preserves_flags, nostack),
            );
        }
        #[cfg(not(all(
            unix,
            not(target_vendor = "apple"),
            any(target_arch = "x86_64", target_arch = "aarch64")
        )))]
        {
            name = c"".as_ptr();
        }
        // SAFETY: the string ends in 0 and lives as long as the program.
        unsafe { CStr::from_ptr(name) }
    }};
}
use name_of;

#[cfg(test)]
mod tests {
    use super::*;

    struct Small;
    // SAFETY: it does nothing.
    unsafe impl Kernel for Small {
        type Params = u64;
        unsafe fn run(_params: &u64) {}
    }

    struct Large;
    // SAFETY: it does nothing.
    unsafe impl Kernel for Large {
        type Params = [u8; MAX_NEAR_BYTES];
        unsafe fn run(_params: &Self::Params) {}
    }

    #[test]
    fn each_type_has_its_number() {
        fn of<K>(_: K) -> core::any::TypeId {
            number::<K>()
        }
        let (one, other) = (1, 2);
        let (first, second) = (|| one + other, || one + other);
        assert_ne!(of(first), of(second));
        assert_eq!(of(first), of(first));
        assert_ne!(number::<Small>(), number::<Large>());
    }

    #[test]
    fn symbols_name_the_entry_that_the_size_asks_for() {
        let (small, large) = (symbol::<Small>(), symbol::<Large>());
        assert_eq!((small.bytes, small.align, large.bytes, large.align), (16, 8, 16, 8));
        let (small, large) = (small.name.to_str().unwrap(), large.name.to_str().unwrap());
        assert!(!is_far::<Small>() && is_far::<Large>());
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && cfg!(target_os = "linux") {
            assert!(small.contains("entry") && !small.contains("far_entry"), "{small}");
            assert!(large.contains("far_entry"), "{large}");
        }
    }
}
