//! Settings, read from the environment.

/// What each launch prints on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// Nothing.
    None,
    /// A line to read.
    Line,
    /// A line of JSON.
    Json,
}

/// What a device checks and how it runs kernels; [`Config::from_env`] says by which variables.
#[derive(Debug, Clone)]
pub struct Config {
    /// Bytes of device memory that can really be allocated.
    pub mem_limit: u64,
    /// Blocks that are resident at once.
    pub resident: u32,
    /// Makes the order of blocks, warps and lanes random.
    pub seed: Option<u64>,
    /// Whether an access outside of allocations is an error.
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
    /// Whether what launches do with memory is counted.
    pub stats: bool,
    /// What each launch prints.
    pub report: Report,
    /// The seed of the deferred mode: work runs when the program synchronises, in an order that streams allow.
    pub defer: Option<u64>,
    /// Seconds without any change of memory before a launch is given up (0: never).
    pub watchdog: u64,
    /// Byte that new device memory is filled with.
    pub fill: Option<u8>,
    /// Instructions that a warp runs before another one gets its turn.
    pub slice: u32,
    /// Bytes of local memory that a thread can have.
    pub stack: u32,
    /// Instructions after which a warp that has not ended is given up (0: never).
    pub instructions: u64,
    /// Threads of a wave in lock-step mode, 32 or 64; 0: each thread goes its own way.
    pub lockstep: u32,
}

/// The most that [`Config::stack`] can be. Unit: bytes.
pub(crate) const MOST_STACK: u32 = 64 << 20;

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

impl Config {
    /// Settings from the variables `CUDA_EMU_*`; what is not set has its default.
    pub fn from_env() -> Config {
        let d = Config::default();
        let num = |n: &str| -> Option<u64> {
            let v = std::env::var(n).ok()?;
            match v.trim() {
                "" => None,
                "on" | "yes" | "true" => Some(1),
                "off" | "no" | "false" => Some(0),
                s => match size(s) {
                    Some(v) => Some(v),
                    None => {
                        eprintln!("cuda-emu: {n}={s} is not a number; ignored");
                        None
                    }
                },
            }
        };
        let flag = |n: &str, d: bool| num(n).map_or(d, |v| v != 0);
        let stats = std::env::var("CUDA_EMU_STATS").ok();
        let report = match stats.as_deref().map(str::trim) {
            None | Some("" | "count") => Report::None,
            Some("json") => Report::Json,
            Some(_) if flag("CUDA_EMU_STATS", false) => Report::Line,
            Some(_) => Report::None,
        };
        Config {
            mem_limit: num("CUDA_EMU_MEM").unwrap_or(d.mem_limit),
            resident: num("CUDA_EMU_BLOCKS").unwrap_or(d.resident as u64).max(1) as u32,
            seed: num("CUDA_EMU_SEED"),
            memcheck: flag("CUDA_EMU_MEMCHECK", d.memcheck),
            aligncheck: flag("CUDA_EMU_ALIGNCHECK", d.aligncheck),
            synccheck: num("CUDA_EMU_SYNCCHECK").unwrap_or(d.synccheck as u64) as u32,
            initcheck: flag("CUDA_EMU_INITCHECK", d.initcheck),
            racecheck: num("CUDA_EMU_RACECHECK").unwrap_or(0) as u32,
            leakcheck: flag("CUDA_EMU_LEAKCHECK", d.leakcheck),
            stats: report != Report::None || stats.as_deref() == Some("count"),
            report,
            defer: match std::env::var("CUDA_EMU_DEFER").ok().as_deref().map(str::trim) {
                None | Some("off" | "no" | "false") => None,
                Some(_) => num("CUDA_EMU_DEFER"),
            },
            watchdog: num("CUDA_EMU_WATCHDOG").unwrap_or(d.watchdog),
            fill: match std::env::var("CUDA_EMU_FILL").ok().as_deref() {
                Some("off" | "no") => None,
                Some(s) => size(s).map(|v| v as u8).or(d.fill),
                None => d.fill,
            },
            slice: num("CUDA_EMU_SLICE").unwrap_or(d.slice as u64).clamp(1, 1 << 24) as u32,
            stack: num("CUDA_EMU_STACK").unwrap_or(d.stack as u64).clamp(1024, u64::from(MOST_STACK)) as u32,
            instructions: num("CUDA_EMU_INSTRUCTIONS").unwrap_or(d.instructions),
            lockstep: match num("CUDA_EMU_LOCKSTEP") {
                None => d.lockstep,
                Some(wave @ (0 | 32 | 64)) => wave as u32,
                Some(wave) => {
                    eprintln!(
                        "cuda-emu: CUDA_EMU_LOCKSTEP={wave} is no size of a wave: choose 32 or 64, or 0; ignored"
                    );
                    d.lockstep
                }
            },
        }
    }
}
