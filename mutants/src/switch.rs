
// What follows was appended by `mutants`.
#[cfg(not(spelt_device))]
#[allow(dead_code)]
pub(crate) mod mutant {
    extern crate std;
    use core::sync::atomic::{AtomicU32, Ordering};

    static CHOSEN: AtomicU32 = AtomicU32::new(u32::MAX);
    static REACHED: AtomicU32 = AtomicU32::new(0);

    /// The device linker gives it another body, and finds it by its name, so it must not be inlined.
    #[unsafe(export_name = "__spelt_mutant_CRATE")]
    #[inline(never)]
    pub(crate) extern "C" fn active(number: u32) -> bool {
        chosen() == number && reached()
    }

    #[inline(always)]
    pub(crate) fn chosen() -> u32 {
        match CHOSEN.load(Ordering::Relaxed) {
            u32::MAX => ask(),
            chosen => chosen,
        }
    }

    #[cold]
    #[inline(never)]
    fn ask() -> u32 {
        let text = std::env::var("SPELT_MUTANT").unwrap_or_default();
        let chosen = text.parse().unwrap_or(0);
        CHOSEN.store(chosen, Ordering::Relaxed);
        chosen
    }

    #[cold]
    #[inline(never)]
    fn reached() -> bool {
        if REACHED.swap(1, Ordering::Relaxed) == 0 {
            if let Some(path) = std::env::var_os("SPELT_MUTANT_REACHED") {
                let _ = std::fs::write(path, "");
            }
        }
        true
    }
}
// Kernels that are compiled for a device alone.
#[cfg(spelt_device)]
#[allow(dead_code)]
pub(crate) mod mutant {
    #[inline(always)]
    pub(crate) fn active(number: u32) -> bool {
        unsafe extern "C" {
            #[link_name = "__spelt_mutant_CRATE"]
            fn active(number: u32) -> bool;
        }
        // SAFETY: it reads a register.
        unsafe { active(number) }
    }
}
