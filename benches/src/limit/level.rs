//! The vector instruction sets that a kernel is compiled for.

use super::vector::{Vector, Wide};

/// An instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// 256 bits.
    Avx2,
    /// 512 bits.
    Avx512,
}

/// An algorithm over any vector. `run` must be `#[inline(always)]`: it takes the instruction set of its caller.
pub(super) trait Kernel<T> {
    type Output;
    /// # Safety
    /// The processor has the instructions of `V`.
    unsafe fn run<V: Vector<Item = T>>(self) -> Self::Output;
}

impl Level {
    /// The best that this processor has, or `None`.
    #[must_use]
    pub fn of_this_processor() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                return Some(Self::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                return Some(Self::Avx2);
            }
        }
        None
    }

    #[inline(always)]
    pub(super) fn run<T: Wide, K: Kernel<T>>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        match self {
            // SAFETY: a level comes from `of_this_processor`, which has seen the features.
            Self::Avx512 => unsafe { avx512(kernel) },
            // SAFETY: a level comes from `of_this_processor`, which has seen AVX2 and FMA.
            Self::Avx2 => unsafe { avx2(kernel) },
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = kernel;
            unreachable!("no level exists here")
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx512<T: Wide, K: Kernel<T>>(kernel: K) -> K::Output {
    // SAFETY: this function's features are those of the vector.
    unsafe { kernel.run::<T::Vector>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn avx2<T: Wide, K: Kernel<T>>(kernel: K) -> K::Output {
    // SAFETY: this function's features are those of the vector.
    unsafe { kernel.run::<<T::Vector as super::vector::Narrow>::Vector>() }
}
