//! Facts about the build, for reports of benchmarks and bugs.

use core::fmt;

use spelt_core::ExecutionSpace;

/// Facts about the program's build, for reports of benchmarks and bugs.
///
/// `Display` writes a line for each fact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildInfo {
    /// Spelt's version.
    pub version: &'static str,
    /// The compiler's version line.
    pub rustc: &'static str,
    /// The target triple.
    pub target: &'static str,
    /// `release` or `debug`; for a profile of the program's own, the one that it inherits from.
    pub profile: &'static str,
    /// The profile's `opt-level`.
    pub opt_level: &'static str,
    /// The enabled features of `spelt`, sorted.
    pub features: Vec<&'static str>,
    /// The instruction levels that kernels on host threads are compiled for. The processor and `SPELT_ISA` choose one at run time.
    pub instruction_levels: &'static [&'static str],
    /// The GPU architecture and the PTX version of the program's device code; `None` if plain cargo built the program, or
    /// without the feature `cuda`.
    pub device_code: Option<DeviceCodeInfo>,
}

/// The target of a program's device code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceCodeInfo {
    /// As in `sm_80`.
    pub architecture: String,
    /// As in `7.0`.
    pub ptx_version: String,
}

/// Returns the facts of this build.
///
/// # Examples
/// ```
/// let info = spelt::build_info();
/// assert!(info.target.contains('-'));
/// assert!(info.rustc.starts_with("rustc 1."));
/// println!("{info}");
/// ```
pub fn build_info() -> BuildInfo {
    BuildInfo {
        version: env!("CARGO_PKG_VERSION"),
        rustc: env!("SPELT_BUILD_RUSTC"),
        target: env!("SPELT_BUILD_TARGET"),
        profile: env!("SPELT_BUILD_PROFILE"),
        opt_level: env!("SPELT_BUILD_OPT_LEVEL"),
        features: env!("SPELT_BUILD_FEATURES").split_whitespace().collect(),
        instruction_levels: spelt_core::isa::compiled_levels(),
        device_code: device_code(),
    }
}

#[cfg(feature = "cuda")]
fn device_code() -> Option<DeviceCodeInfo> {
    let (architecture, ptx_version) = spelt_core::Cuda::device_code_target()?;
    Some(DeviceCodeInfo { architecture, ptx_version })
}

#[cfg(not(feature = "cuda"))]
fn device_code() -> Option<DeviceCodeInfo> {
    None
}

/// Prints the facts of the build, then the configuration of `space`, to standard output. With the feature `mpi`, the ranks and the
/// library of MPI follow.
///
/// [`ExecutionSpace::print_configuration`] prints only the latter.
///
/// # Examples
/// ```
/// let space = spelt::Serial::new();
/// spelt::print_configuration(&space);
/// ```
pub fn print_configuration<S: ExecutionSpace>(space: &S) {
    println!("{}", configuration(space));
}

/// The lines of [`print_configuration`].
fn configuration<S: ExecutionSpace>(space: &S) -> String {
    let lines = format!("{}\n{}", build_info(), space.configuration());
    #[cfg(feature = "mpi")]
    let lines = format!("{lines}\n{}", spelt_mpi::configuration());
    lines
}

impl fmt::Display for BuildInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        writeln!(f, "Spelt {}", self.version)?;
        writeln!(f, "  compiler: {}", self.rustc)?;
        writeln!(f, "  target: {}", self.target)?;
        writeln!(f, "  profile: {}, opt-level {}", self.profile, self.opt_level)?;
        writeln!(f, "  features: {}", list(&self.features))?;
        writeln!(f, "  instruction levels: {}", list(self.instruction_levels))?;
        match &self.device_code {
            Some(code) => write!(f, "  device code: PTX {} for {}", code.ptx_version, code.architecture),
            None => write!(f, "  device code: none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{build_info, configuration};
    use crate::ExecutionSpace;

    #[test]
    fn the_configuration_ends_with_the_ranks() {
        let space = crate::Serial::new();
        let lines = configuration(&space);
        let rest = lines.strip_prefix(&build_info().to_string()).expect("the build first");
        let rest = rest.strip_prefix(&format!("\n{}", space.configuration())).expect("then the space");
        let ranks = "\nranks: not opened yet (spelt::mpi::run or Communicator::init opens them)";
        assert_eq!(rest, if cfg!(feature = "mpi") { ranks } else { "" });
    }
}
