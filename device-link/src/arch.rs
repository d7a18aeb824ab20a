//! GPU architectures and the PTX versions that know them.

use core::fmt;
use core::str::FromStr;

use crate::Error;

/// Architectures, with the PTX version that introduced them, as major * 10 + minor. Source: PTX ISA, release notes table.
const KNOWN: [(u32, u32); 13] = [
    (70, 60),
    (72, 61),
    (75, 63),
    (80, 70),
    (86, 71),
    (87, 74),
    (89, 78),
    (90, 78),
    (100, 86),
    (101, 86),
    (103, 88),
    (120, 87),
    (121, 88),
];

/// The least PTX version that is asked for: the first with everything that LLVM emits for all of `sm_70` upwards.
const MIN_PTX: u32 = 63;

/// A GPU architecture that kernels are compiled for: `sm_70` or later.
///
/// PTX for an architecture runs on all later ones too.
///
/// # Examples
/// ```
/// # use spelt_device_link::Arch;
/// let arch: Arch = "sm_90".parse().unwrap();
/// assert_eq!(arch.to_string(), "sm_90");
/// assert!("sm_35".parse::<Arch>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arch {
    number: u32,
    specific: Option<char>,
    ptx: u32,
}

impl Arch {
    /// The least PTX version with this architecture that is asked for by default, as major * 10 + minor.
    pub fn ptx_version(self) -> u32 {
        self.ptx
    }
}

impl Default for Arch {
    /// `sm_80`.
    fn default() -> Self {
        Self { number: 80, specific: None, ptx: 70 }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number)?;
        self.specific.map_or(Ok(()), |letter| write!(f, "{letter}"))
    }
}

impl FromStr for Arch {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let unknown = || {
            let known: Vec<_> = KNOWN.iter().map(|(number, _)| format!("sm_{number}")).collect();
            Error::Options(format!("there is no architecture `{name}`: choose one of {}", known.join(", ")))
        };
        let rest = name.strip_prefix("sm_").ok_or_else(unknown)?;
        // `a`: with features that only this architecture has. Introduced by PTX 8.0, for sm_90.
        let (digits, specific) = match rest.strip_suffix('a') {
            Some(digits) => (digits, Some('a')),
            None => (rest, None),
        };
        let number: u32 = digits.parse().map_err(|_| unknown())?;
        let (_, ptx) = *KNOWN.iter().find(|(known, _)| *known == number).ok_or_else(unknown)?;
        let ptx = match specific {
            Some(_) if number < 90 => return Err(unknown()),
            Some(_) => ptx.max(80),
            None => ptx.max(MIN_PTX),
        };
        Ok(Self { number, specific, ptx })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for (number, _) in KNOWN {
            let name = format!("sm_{number}");
            assert_eq!(name.parse::<Arch>().unwrap().to_string(), name);
        }
        assert_eq!("sm_90a".parse::<Arch>().unwrap().to_string(), "sm_90a");
        assert_eq!("sm_80".parse::<Arch>().unwrap(), Arch::default());
    }

    #[test]
    fn versions_suit_the_architecture() {
        let version = |name: &str| name.parse::<Arch>().unwrap().ptx_version();
        assert_eq!(
            [version("sm_70"), version("sm_80"), version("sm_90"), version("sm_90a")],
            [63, 70, 78, 80]
        );
    }

    #[test]
    fn unknown_names_say_what_is_known() {
        for name in ["sm_60", "sm_80a", "80", "sm_", "sm_8o"] {
            let error = name.parse::<Arch>().unwrap_err().to_string();
            assert!(
                error.contains(&format!("no architecture `{name}`")) && error.contains("sm_70, sm_72"),
                "{error}"
            );
        }
    }
}
