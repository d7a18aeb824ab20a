//! Runs kernels.
//!
//! Each thread has its own position and call stack. The threads of a warp that
//! are at the same position in the same frame are run together, one instruction
//! for all of them; which such group of a warp runs is decided anew whenever the
//! group splits, meets others, waits or has used its slice of time. Blocks are
//! resident together up to a limit and take turns.

#![expect(
    clippy::too_many_arguments,
    reason = "the parts of one machine: a struct of them would be built for each instruction"
)]
#![expect(
    clippy::needless_borrow,
    reason = "where a raw pointer is followed, the reference that this makes is to be seen"
)]

/// Does something for each lane of a mask.
macro_rules! lanes {
    ($mask:expr, $l:ident, $b:block) => {{
        let mut m_ = $mask;
        while m_ != 0 {
            let $l = m_.trailing_zeros() as usize;
            m_ &= m_ - 1;
            $b
        }
    }};
}

mod account;
mod atomic;
mod barrier;
mod block;
mod builtin;
mod group;
mod lockstep;
mod mbarrier;
mod memory;
mod report;
mod special;
mod warp;

use crate::alu::{AluFn, Args, CmpFn, Row, ZERO_ROW};
use crate::check::{Access, Checks};
use crate::config::Config;
use crate::ir::*;
use crate::joins;
use crate::mem::{Kind, Mem};
use crate::num;
use crate::ptx::{Space, Ty};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

// Error codes of the driver API.
pub(crate) const E_ILLEGAL_ADDRESS: i32 = 700;
pub(crate) const E_OUT_OF_RESOURCES: i32 = 701;
pub(crate) const E_LAUNCH_TIMEOUT: i32 = 702;
pub(crate) const E_ASSERT: i32 = 710;
pub(crate) const E_HARDWARE_STACK: i32 = 714;
pub(crate) const E_ILLEGAL_INSTRUCTION: i32 = 715;
pub(crate) const E_MISALIGNED: i32 = 716;
pub(crate) const E_INVALID_PC: i32 = 718;
pub(crate) const E_LAUNCH_FAILED: i32 = 719;

/// Host memory that the state of resident blocks may take.
const HOST_MEM: u64 = 4 << 30;

/// A launch that failed: the error code and the report.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The error code, as `CUresult` has it.
    pub code: i32,
    /// What happened, where, and in which kernel.
    pub msg: String,
}

type Run<T> = Result<T, Box<Fault>>;

/// What a launch did. Counters of memory need [`Config::stats`] or a check that looks at accesses.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    /// Instructions, counted for each thread.
    pub instructions: u64,
    /// Instructions, counted once for each group that ran them together.
    pub warp_instructions: u64,
    /// Bytes that threads read from global memory.
    pub load_bytes: u64,
    /// Reads of global memory, counted once for each group.
    pub load_requests: u64,
    /// Sectors of 32 bytes that these reads touched.
    pub load_sectors: u64,
    /// Bytes that threads wrote to global memory, atomics included.
    pub store_bytes: u64,
    /// Writes of global memory, counted once for each group.
    pub store_requests: u64,
    /// Sectors of 32 bytes that these writes touched.
    pub store_sectors: u64,
    /// Accesses of shared memory, counted once for each group.
    pub shared_requests: u64,
    /// Bytes that threads read from and wrote to shared memory.
    pub shared_bytes: u64,
    /// Passes over shared memory beyond the first of each request.
    pub bank_conflicts: u64,
    /// Atomic operations, counted for each thread.
    pub atomics: u64,
    /// Arrivals of groups at barriers of the block.
    pub barriers: u64,
    /// Bytes read from and written to local memory.
    pub local_bytes: u64,
    /// Time on the host.
    pub seconds: f64,
}

#[derive(Clone, Copy, Default)]
struct Cache {
    lo: u64,
    end: u64,
    delta: u64,
}

#[derive(Clone, Copy)]
struct Frame {
    pc: u32,
    fp: u32,
    func: u32,
}

pub(crate) struct Warp {
    regs: Vec<Row>,
    pc: [u32; 32],
    fp: [u32; 32],
    func: [u32; 32],
    stack: [Vec<Frame>; 32],
    ready: u32,
    alive: u32,
    /// Lanes that wait at a barrier of the block, and which.
    at_bar: u32,
    bar: [u8; 32],
    /// Lanes that wait for other lanes, and for which.
    at_warp: u32,
    wmask: [u32; 32],
    /// Lanes that had their turn while others of the warp are ready.
    yielded: u32,
    local: Vec<u8>,
    local_per: u32,
    spin: u32,
    /// Instructions so far.
    ran: u64,
    tid0: u32,
}

#[derive(Clone, Copy, Default)]
struct Bar {
    arrived: u32,
    count: u32,
    all: bool,
    any: bool,
    popc: u32,
}

pub(crate) struct Block {
    pub id: u64,
    pub ctaid: [u32; 3],
    warps: Vec<Warp>,
    /// In lock-step mode, the waves that the warps make up.
    waves: Vec<lockstep::Wave>,
    shared: Vec<u8>,
    bars: [Bar; 17],
    live: u32,
    exited: bool,
    next_warp: usize,
}

/// A kernel launch.
pub(crate) struct Launch<'a> {
    pub prog: &'a Program,
    pub kernel: usize,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub params: Vec<u8>,
    pub cooperative: bool,
    pub grid_id: u64,
}

struct Machine<'a> {
    prog: &'a Program,
    mem: &'a mut Mem,
    cfg: &'a Config,
    kernel: usize,
    grid: [u32; 3],
    block: [u32; 3],
    nthreads: u32,
    dyn_base: u32,
    dyn_size: u32,
    shared_end: u32,
    params: Vec<u8>,
    consts: Vec<Vec<Row>>,
    caches: Vec<Vec<Cache>>,
    generation: u64,
    alu: AluFn,
    cmp: CmpFn,
    stats: Stats,
    hooks: bool,
    checks: Option<Checks>,
    progress: u64,
    rng: u64,
    random: bool,
    grid_id: u64,
    env: u64,
    start: Instant,
    sink: [u64; 8],
    /// Warps of a wave in lock-step mode, or 0.
    wave: usize,
    /// In lock-step mode, for each position of each function: where lanes that part there meet, and how far it is to where
    /// they may.
    joins: Vec<Vec<u32>>,
    stretches: Vec<Vec<u32>>,
    /// In lock-step mode, the first trap.
    trapped: Option<Box<Fault>>,
    /// In lock-step mode, the first operation of a warp to which not all lanes came together.
    apart: Option<Box<Fault>>,
}

enum Slice {
    /// Used its time.
    Ran,
    /// Waits for something that others must do: by polling.
    Spun,
    /// No thread is ready.
    Blocked,
}

#[inline(always)]
fn bit(l: usize) -> u32 {
    1 << l
}

fn tid3(t: u32, b: [u32; 3]) -> [u32; 3] {
    [t % b[0], t / b[0] % b[1], t / (b[0] * b[1])]
}

/// Looks whether a thread can have the local memory that a kernel wants.
pub(crate) fn fits(code: &Code, cfg: &Config) -> Result<(), Fault> {
    if code.local_size <= cfg.stack {
        return Ok(());
    }
    let msg = format!(
        "kernel {} wants {} bytes of local memory, and a thread has at most {} (CUDA_EMU_STACK)",
        code.name, code.local_size, cfg.stack
    );
    Err(Fault { code: E_OUT_OF_RESOURCES, msg })
}

/// Runs a kernel to its end.
pub(crate) fn launch(l: Launch, mem: &mut Mem, cfg: &Config) -> Result<Stats, Fault> {
    let code = l.prog.funcs[l.kernel].clone();
    let total = l.grid.iter().map(|x| *x as u64).product::<u64>();
    let nthreads = l.block.iter().product::<u32>();
    let dyn_base = (SHARED_BASE + code.static_shared).next_multiple_of(l.prog.dyn_align.max(16));
    let shared_end = if l.shared > 0 { dyn_base + l.shared } else { SHARED_BASE + code.static_shared };
    let (alu, cmp) = crate::alu::select();
    let bytes_init = cfg.initcheck;
    // Other kernels of the module are not used.
    let used = || l.prog.funcs.iter().enumerate().map(|(i, f)| (!f.entry || i == l.kernel).then_some(f));
    let wave = cfg.lockstep as usize / 32;
    let in_step = |of: &dyn Fn(&Code) -> Vec<u32>| -> Vec<Vec<u32>> {
        if wave == 0 { vec![] } else { used().map(|f| f.map_or(vec![], |f| of(f))).collect() }
    };
    let mut env = 0;
    if l.cooperative {
        env = mem.alloc(4096, Kind::Internal).unwrap_or(0);
        if let Some(p) = mem.range(env, 4) {
            // First word: size of the workspace, as the runtime sets it.
            // SAFETY: the range has four bytes, and an allocation is aligned.
            unsafe { *(p as *mut u32) = 4096 };
        }
    }
    let checks = (cfg.racecheck > 0 || bytes_init)
        .then(|| Checks::new(cfg.racecheck, bytes_init, shared_end, nthreads.div_ceil(32) as usize, l.block));
    let mut m = Machine {
        prog: l.prog,
        cfg,
        kernel: l.kernel,
        grid: l.grid,
        block: l.block,
        nthreads,
        dyn_base,
        dyn_size: l.shared,
        shared_end,
        params: l.params,
        consts: used()
            .map(|f| f.map_or(vec![], |f| f.consts.iter().map(|c| Row([*c; 32])).collect()))
            .collect(),
        caches: used().map(|f| f.map_or(vec![], |f| vec![Cache::default(); f.ins.len()])).collect(),
        generation: mem.generation,
        alu,
        cmp,
        stats: Stats::default(),
        hooks: cfg.stats || checks.is_some(),
        checks,
        progress: 0,
        rng: cfg.seed.unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ l.grid_id.wrapping_mul(0xd134_2543_de82_ef95)
            | 1,
        random: cfg.seed.is_some(),
        grid_id: l.grid_id,
        env,
        start: Instant::now(),
        sink: [0; 8],
        wave,
        joins: in_step(&|f| {
            joins::joins(f, &|callee| {
                l.prog.funcs.get(callee as usize).is_some_and(|f| joins::never_returns(f))
            })
        }),
        stretches: in_step(&|f| joins::stretches(&f.ins)),
        trapped: None,
        apart: None,
        mem,
    };
    // Blocks that are resident take memory of the host: not more than some GiB.
    let per_block = nthreads.div_ceil(32) as u64
        * (code.rows as u64 * 256 + code.local_size as u64 * 32 + 4096)
        + shared_end as u64;
    let fit = (HOST_MEM / per_block).clamp(4, u32::MAX as u64) as u32;
    let mut r = m.run(total, if l.cooperative { u32::MAX } else { cfg.resident.min(fit) });
    match (m.trapped.take().or(m.apart.take()), &mut r) {
        (Some(first), Ok(())) => r = Err(first),
        (Some(first), Err(f)) => {
            let _ =
                write!(f.msg, "\n  Before that, something failed without ending the launch: {}", first.msg);
        }
        (None, _) => {}
    }
    m.stats.seconds = m.start.elapsed().as_secs_f64();
    let stats = m.stats.clone();
    if env != 0 {
        mem.free(env);
    }
    match r {
        Ok(()) => Ok(stats),
        Err(f) => Err(*f),
    }
}

impl<'a> Machine<'a> {
    fn rand(&mut self) -> u64 {
        self.rng ^= self.rng << 13;
        self.rng ^= self.rng >> 7;
        self.rng ^= self.rng << 17;
        self.rng.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn run(&mut self, total: u64, limit: u32) -> Run<()> {
        let mut ring: VecDeque<Block> = VecDeque::new();
        let mut next = 0u64;
        let mut last = (self.progress, Instant::now());
        let mut all_spun = true;
        let mut spins = 0u64;
        let mut turn_new = true;
        let mut pool: Vec<Block> = Vec::new();
        while next < total || !ring.is_empty() {
            let room = ring.len() < limit as usize && next < total;
            let take_new =
                room && (ring.is_empty() || if self.random { self.rand() & 1 == 0 } else { turn_new });
            turn_new = !turn_new;
            let mut b = if take_new {
                next += 1;
                self.new_block(next - 1, pool.pop())
            } else {
                if self.random {
                    let k = self.rand() as usize % ring.len();
                    ring.swap(0, k);
                }
                ring.pop_front().unwrap()
            };
            let spun = if self.wave == 0 { self.run_block(&mut b)? } else { self.run_block_in_step(&mut b)? };
            if b.live == 0 {
                self.progress += 1;
                if let Some(c) = &mut self.checks {
                    c.end_block(b.id);
                }
                if pool.len() < 4 {
                    pool.push(b);
                }
            } else {
                ring.push_back(b);
            }
            if self.progress != last.0 {
                last = (self.progress, Instant::now());
                all_spun = true;
                spins = 0;
                continue;
            }
            all_spun &= spun;
            spins += 1;
            let idle = last.1.elapsed();
            let wait = if all_spun
                && spins > 4 * ring.len() as u64 + 16
                && !(ring.len() < limit as usize && next < total)
            {
                self.cfg.watchdog.min(3)
            } else {
                self.cfg.watchdog
            };
            if self.cfg.watchdog != 0 && idle > Duration::from_secs(wait) {
                let mut s = format!(
                    "no progress: no thread changed memory for {} s ({} of {} blocks resident, {} not started)",
                    idle.as_secs(),
                    ring.len(),
                    total,
                    total - next
                );
                for b in ring.iter().take(4) {
                    self.waits(b, &mut s);
                }
                if ring.len() > 4 {
                    let _ = write!(s, "\n  and {} more blocks", ring.len() - 4);
                }
                return Err(self.fault(E_LAUNCH_TIMEOUT, s));
            }
        }
        if let Some(c) = &self.checks
            && c.errors > 0
            && let Some(msg) = &c.first
        {
            let msg = format!("{msg}\n  ({} such errors in this launch)", c.errors);
            return Err(self.fault(E_LAUNCH_FAILED, msg));
        }
        Ok(())
    }
}
