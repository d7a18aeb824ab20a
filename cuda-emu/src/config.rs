//! Settings, read from the environment: empty is unset, and an invalid value is an error.

use std::ffi::OsString;
use std::ops::RangeInclusive;

/// The report that each launch prints on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Nothing.
    None,
    /// A line for people.
    Line,
    /// A line of JSON.
    Json,
}

/// The checks of a device, and the way it runs kernels; [`Config::from_env`] lists the variables.
#[derive(Debug, Clone)]
pub struct Config {
    /// Bytes of device memory that can actually be allocated.
    pub mem_limit: u64,
    /// Blocks that are resident at once.
    pub resident: u32,
    /// Makes the order of blocks, warps and lanes random.
    pub seed: Option<u64>,
    /// Whether an access outside allocations is an error.
    pub memcheck: bool,
    /// Whether a misaligned access is an error.
    pub aligncheck: bool,
    /// 0: off, 1: divergent barriers, 2: also threads that exited before a barrier.
    pub synccheck: u32,
    /// Whether a read of memory that was never written is an error.
    pub initcheck: bool,
    /// 0: off, 1: shared memory, 2: also global memory.
    pub racecheck: u32,
    /// Whether memory that was not freed is reported at exit.
    pub leakcheck: bool,
    /// Whether the memory accesses of launches are counted.
    pub stats: bool,
    /// The report that each launch prints.
    pub report: Report,
    /// The seed of the deferred mode: work runs when the program synchronises, in an order that streams allow.
    pub defer: Option<u64>,
    /// Seconds without any change of memory before a launch is aborted (0: never).
    pub watchdog: u64,
    /// Byte that new device memory is filled with.
    pub fill: Option<u8>,
    /// Instructions that a warp runs before the next one has its turn.
    pub slice: u32,
    /// Bytes of local memory that a thread can have.
    pub stack: u32,
    /// Instructions after which a warp that has not ended is aborted (0: never).
    pub instructions: u64,
    /// Threads of a wave in lock-step mode, 32 or 64; 0: each thread progresses on its own.
    pub lockstep: u32,
    /// Registers that a thread of each kernel takes where the program sets no lower limit: they limit the threads of a block
    /// (0: none).
    pub registers: u32,
    /// Devices that the driver finds, each with its own contexts and addresses.
    pub devices: u32,
}

/// The most that [`Config::devices`] can be. Unit: devices. Source: the largest machines of NVIDIA's have as many.
const MAX_DEVICES: u32 = 16;

/// The most that [`Config::stack`] can be. Unit: bytes.
pub(crate) const MAX_STACK: u32 = 64 << 20;

impl Default for Config {
    fn default() -> Config {
        Config {
            mem_limit: 2 << 30,
            resident: 264,
            seed: None,
            memcheck: true,
            aligncheck: true,
            synccheck: 1,
            initcheck: false,
            racecheck: 0,
            leakcheck: false,
            stats: false,
            report: Report::None,
            defer: None,
            watchdog: 60,
            fill: Some(0xff),
            slice: 2048,
            stack: 512 << 10,
            instructions: 4 << 30,
            lockstep: 0,
            registers: 0,
            devices: 1,
        }
    }
}

/// A number with an optional suffix K, M or G.
pub(crate) fn size(s: &str) -> Option<u64> {
    let s = s.trim();
    let (n, m) = match s.as_bytes().last()? | 32 {
        b'k' => (&s[..s.len() - 1], 1u64 << 10),
        b'm' => (&s[..s.len() - 1], 1 << 20),
        b'g' => (&s[..s.len() - 1], 1 << 30),
        _ => (s, 1),
    };
    n.trim().parse::<u64>().ok().and_then(|v| v.checked_mul(m))
}

/// The words for a switch.
const FLAG: [(&str, bool); 8] = [
    ("0", false),
    ("1", true),
    ("off", false),
    ("on", true),
    ("no", false),
    ("yes", true),
    ("false", false),
    ("true", true),
];

/// The words that switch a setting off.
const OFF: [&str; 3] = ["off", "no", "false"];

/// Variables, by name, and their values.
struct Variables<F>(F);

impl<F: Fn(&str) -> Option<OsString>> Variables<F> {
    /// The value of a variable, trimmed and in lower case; `None` if it is empty.
    fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = (self.0)(name) else { return Ok(None) };
        match value.to_str().map(str::trim) {
            Some("") => Ok(None),
            Some(text) => Ok(Some(text.to_ascii_lowercase())),
            None => Err(wrong(name, &value.to_string_lossy(), "it is not text: set it again")),
        }
    }

    fn number(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, String> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match size(&text) {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => {
                let (from, to) = range.into_inner();
                Err(wrong(name, &text, &format!("give a number from {from} to {to}, such as 64 or 2K")))
            }
        }
    }

    fn number32(&self, name: &str, range: RangeInclusive<u32>, default: u32) -> Result<u32, String> {
        let (from, to) = range.into_inner();
        let number = self.number(name, u64::from(from)..=u64::from(to))?;
        Ok(number.and_then(|number| u32::try_from(number).ok()).unwrap_or(default))
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, String> {
        let Some(text) = self.text(name)? else { return Ok(default) };
        let word = FLAG.into_iter().find(|(word, _)| *word == text);
        word.map(|(_, on)| on).ok_or_else(|| wrong(name, &text, "choose 0 or 1"))
    }

    /// 0 to 2, or a word for 0 or 1.
    fn level(&self, name: &str, default: u32) -> Result<u32, String> {
        match self.text(name)?.as_deref() {
            None => Ok(default),
            Some("2") => Ok(2),
            Some(text) => match FLAG.into_iter().find(|(word, _)| *word == text) {
                Some((_, on)) => Ok(u32::from(on)),
                None => Err(wrong(name, text, "choose 0, 1 or 2")),
            },
        }
    }

    /// A number, or a word for no number.
    fn number_or_off(
        &self,
        name: &str,
        range: RangeInclusive<u64>,
        default: Option<u64>,
    ) -> Result<Option<u64>, String> {
        match self.text(name)? {
            None => Ok(default),
            Some(text) if OFF.contains(&text.as_str()) => Ok(None),
            Some(_) => self.number(name, range).map_err(|error| error.replacen("give", "give `off`, or", 1)),
        }
    }

    fn stats(&self, name: &str) -> Result<(bool, Report), String> {
        match self.text(name)?.as_deref() {
            None => Ok((false, Report::None)),
            Some("count") => Ok((true, Report::None)),
            Some("json") => Ok((true, Report::Json)),
            Some(text) => match FLAG.into_iter().find(|(word, _)| *word == text) {
                Some((_, true)) => Ok((true, Report::Line)),
                Some((_, false)) => Ok((false, Report::None)),
                None => Err(wrong(name, text, "choose 0, 1, json or count")),
            },
        }
    }

    fn config(&self) -> Result<Config, String> {
        let d = Config::default();
        let any = 0..=u64::MAX;
        let (stats, report) = self.stats("CUDA_EMU_STATS")?;
        Ok(Config {
            mem_limit: self.number("CUDA_EMU_MEM", any.clone())?.unwrap_or(d.mem_limit),
            resident: self.number32("CUDA_EMU_BLOCKS", 1..=u32::MAX, d.resident)?,
            seed: self.number_or_off("CUDA_EMU_SEED", any.clone(), d.seed)?,
            memcheck: self.flag("CUDA_EMU_MEMCHECK", d.memcheck)?,
            aligncheck: self.flag("CUDA_EMU_ALIGNCHECK", d.aligncheck)?,
            synccheck: self.level("CUDA_EMU_SYNCCHECK", d.synccheck)?,
            initcheck: self.flag("CUDA_EMU_INITCHECK", d.initcheck)?,
            racecheck: self.level("CUDA_EMU_RACECHECK", d.racecheck)?,
            leakcheck: self.flag("CUDA_EMU_LEAKCHECK", d.leakcheck)?,
            stats,
            report,
            defer: self.number_or_off("CUDA_EMU_DEFER", any.clone(), d.defer)?,
            watchdog: self.number("CUDA_EMU_WATCHDOG", any.clone())?.unwrap_or(d.watchdog),
            fill: self
                .number_or_off("CUDA_EMU_FILL", 0..=0xff, d.fill.map(u64::from))?
                .and_then(|byte| u8::try_from(byte).ok()),
            slice: self.number32("CUDA_EMU_SLICE", 1..=1 << 24, d.slice)?,
            stack: self.number32("CUDA_EMU_STACK", 1024..=MAX_STACK, d.stack)?,
            instructions: self.number("CUDA_EMU_INSTRUCTIONS", any)?.unwrap_or(d.instructions),
            lockstep: match self.text("CUDA_EMU_LOCKSTEP")?.as_deref() {
                None => d.lockstep,
                Some("0" | "off" | "no" | "false") => 0,
                Some("32") => 32,
                Some("64") => 64,
                Some(text) => return Err(wrong("CUDA_EMU_LOCKSTEP", text, "choose 0, 32 or 64")),
            },
            registers: self.number32("CUDA_EMU_REGISTERS", 0..=255, d.registers)?,
            devices: self.number32("SPELT_EMULATOR_DEVICES", 1..=MAX_DEVICES, d.devices)?,
        })
    }
}

/// The words for a variable with an invalid value.
fn wrong(name: &str, value: &str, what_to_do: &str) -> String {
    format!("{name} is `{value}`: {what_to_do}, or leave it unset")
}

impl Config {
    /// Settings from the variables `CUDA_EMU_*` and `SPELT_EMULATOR_DEVICES`; unset or empty ones have their defaults. White space around a value is ignored,
    /// and words are not case-sensitive.
    ///
    /// # Errors
    /// If a variable has an invalid value, with the variable, the value and the choices.
    pub fn from_env() -> Result<Config, String> {
        Variables(|name: &str| std::env::var_os(name)).config()
    }
}

#[cfg(test)]
mod tests {
    use super::{Config, Report, Variables};
    use std::ffi::OsString;

    fn with(name: &str, value: &str) -> Result<Config, String> {
        Variables(|asked: &str| (asked == name).then(|| OsString::from(value))).config()
    }

    #[test]
    fn empty_is_unset() {
        for value in ["", " ", "\t\n"] {
            for name in
                ["CUDA_EMU_MEM", "CUDA_EMU_FILL", "CUDA_EMU_DEFER", "CUDA_EMU_STATS", "CUDA_EMU_LOCKSTEP"]
            {
                let config = with(name, value).unwrap();
                assert_eq!(format!("{config:?}"), format!("{:?}", Config::default()), "{name}={value:?}");
            }
        }
    }

    #[test]
    fn white_space_and_case_say_nothing() {
        assert_eq!(with("CUDA_EMU_MEM", " 24m ").unwrap().mem_limit, 24 << 20);
        assert!(with("CUDA_EMU_INITCHECK", " True\n").unwrap().initcheck);
        assert!(!with("CUDA_EMU_MEMCHECK", "OFF").unwrap().memcheck);
        assert_eq!(with("CUDA_EMU_RACECHECK", " 2").unwrap().racecheck, 2);
        assert_eq!(with("CUDA_EMU_FILL", " Off ").unwrap().fill, None);
        assert_eq!(with("CUDA_EMU_FILL", "\t0").unwrap().fill, Some(0));
        assert_eq!(with("CUDA_EMU_LOCKSTEP", " 64").unwrap().lockstep, 64);
        assert_eq!(with("CUDA_EMU_DEFER", "3 ").unwrap().defer, Some(3));
        assert_eq!(with("SPELT_EMULATOR_DEVICES", " 2").unwrap().devices, 2);
        let json = with("CUDA_EMU_STATS", " JSON").unwrap();
        assert_eq!((json.stats, json.report), (true, Report::Json));
        let count = with("CUDA_EMU_STATS", "count").unwrap();
        assert_eq!((count.stats, count.report), (true, Report::None));
        assert_eq!(with("CUDA_EMU_STATS", "on").unwrap().report, Report::Line);
        assert!(!with("CUDA_EMU_STATS", "0").unwrap().stats);
    }

    #[test]
    fn what_says_nothing_is_an_error() {
        for (name, value, words) in [
            ("CUDA_EMU_MEM", "much", "give a number from 0 to 18446744073709551615"),
            ("CUDA_EMU_MEM", "18446744073709551616", "give a number"),
            ("CUDA_EMU_MEM", "99999999999g", "give a number"),
            ("CUDA_EMU_BLOCKS", "0", "from 1 to 4294967295"),
            ("CUDA_EMU_BLOCKS", "4294967296", "from 1 to 4294967295"),
            ("CUDA_EMU_SEED", "-1", "give `off`, or a number"),
            ("CUDA_EMU_MEMCHECK", "2", "choose 0 or 1"),
            ("CUDA_EMU_ALIGNCHECK", "maybe", "choose 0 or 1"),
            ("CUDA_EMU_SYNCCHECK", "3", "choose 0, 1 or 2"),
            ("CUDA_EMU_RACECHECK", "4294967298", "choose 0, 1 or 2"),
            ("CUDA_EMU_WATCHDOG", "1.5", "give a number"),
            ("CUDA_EMU_FILL", "256", "give `off`, or a number from 0 to 255"),
            ("CUDA_EMU_SLICE", "0", "from 1 to 16777216"),
            ("CUDA_EMU_STACK", "1", "from 1024 to 67108864"),
            ("CUDA_EMU_INSTRUCTIONS", "nan", "give a number"),
            ("CUDA_EMU_LOCKSTEP", "16", "choose 0, 32 or 64"),
            ("CUDA_EMU_STATS", "yaml", "choose 0, 1, json or count"),
            ("CUDA_EMU_DEFER", "seed", "give `off`, or a number"),
            ("SPELT_EMULATOR_DEVICES", "0", "give a number from 1 to 16"),
            ("SPELT_EMULATOR_DEVICES", "17", "give a number from 1 to 16"),
        ] {
            let error = with(name, value).unwrap_err();
            assert!(error.starts_with(&format!("{name} is `{value}`: ")), "{error}");
            assert!(error.contains(words) && error.ends_with(", or leave it unset"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        use std::os::unix::ffi::OsStringExt;
        let name = |asked: &str| (asked == "CUDA_EMU_SEED").then(|| OsString::from_vec(vec![0xff]));
        let error = Variables(name).config().unwrap_err();
        assert!(error.starts_with("CUDA_EMU_SEED is `\u{fffd}`: it is not text"), "{error}");
    }
}
