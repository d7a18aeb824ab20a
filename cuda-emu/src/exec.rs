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

use crate::alu::{AluFn, Args, CmpFn, Row, ZERO_ROW};
use crate::check::{Access, Checks};
use crate::config::Config;
use crate::ir::*;
use crate::mem::{Kind, Mem};
use crate::num;
use crate::ptx::{Space, Ty};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

// Error codes of the driver API.
pub(crate) const E_ILLEGAL_ADDRESS: i32 = 700;
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

fn tid3(t: u32, b: [u32; 3]) -> [u32; 3] {
    [t % b[0], t / b[0] % b[1], t / (b[0] * b[1])]
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
        mem,
    };
    // Blocks that are resident take memory of the host: not more than some GiB.
    let per_block = nthreads.div_ceil(32) as u64
        * (code.rows as u64 * 256 + code.local_size as u64 * 32 + 4096)
        + shared_end as u64;
    let fit = (HOST_MEM / per_block).clamp(4, u32::MAX as u64) as u32;
    let r = m.run(total, if l.cooperative { u32::MAX } else { cfg.resident.min(fit) });
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
            let spun = self.run_block(&mut b)?;
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

    fn fault(&self, code: i32, msg: String) -> Box<Fault> {
        let k = &self.prog.funcs[self.kernel];
        let g = self.grid;
        let b = self.block;
        Box::new(Fault {
            code,
            msg: format!(
                "kernel {} <<<({},{},{}), ({},{},{})>>>: {}",
                k.name, g[0], g[1], g[2], b[0], b[1], b[2], msg
            ),
        })
    }

    /// A fault of one thread, with its place.
    #[cold]
    fn fault_at(
        &self,
        code: i32,
        what: &str,
        b: *const Block,
        w: *const Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Box<Fault> {
        // SAFETY: the callers pass the running block and warp.
        let place = unsafe { self.place(&*b, &*w, lane, func, pc) };
        self.fault(code, format!("{what}\n  {place}"))
    }

    fn place(&self, b: &Block, w: &Warp, lane: usize, func: u32, pc: u32) -> String {
        let t = tid3(w.tid0 + lane as u32, self.block);
        let c = b.ctaid;
        let f = &self.prog.funcs[func as usize];
        let line = f.ins[pc as usize].line;
        let mut s = format!(
            "at block ({},{},{}) thread ({},{},{}), in {}, ptx line {}: {}",
            c[0],
            c[1],
            c[2],
            t[0],
            t[1],
            t[2],
            f.name,
            line,
            self.prog.line_text(line)
        );
        for fr in w.stack[lane].iter().rev().take(8) {
            let f = &self.prog.funcs[fr.func as usize];
            let _ = write!(
                s,
                "\n  called from {}, ptx line {}",
                f.name,
                f.ins[fr.pc.saturating_sub(1) as usize].line
            );
        }
        s
    }

    /// Where the threads of a block are, for reports.
    fn waits(&self, b: &Block, out: &mut String) {
        let mut groups: Vec<(u32, u32, &str, u32, u32, u32)> = Vec::new(); // func, pc, what, count, first, warps
        for w in &b.warps {
            lanes!(w.alive, l, {
                let what = if w.at_bar & bit(l) != 0 {
                    "waiting at the barrier"
                } else if w.at_warp & bit(l) != 0 {
                    "waiting for lanes of the warp"
                } else {
                    "running"
                };
                let t = w.tid0 + l as u32;
                match groups.iter_mut().find(|g| g.0 == w.func[l] && g.1 == w.pc[l] && g.2 == what) {
                    Some(g) => g.3 += 1,
                    None => groups.push((w.func[l], w.pc[l], what, 1, t, 0)),
                }
            });
        }
        let c = b.ctaid;
        for g in groups.iter().take(8) {
            let f = &self.prog.funcs[g.0 as usize];
            let line = f.ins[g.1 as usize].line;
            let t = tid3(g.4, self.block);
            let _ = write!(
                out,
                "\n  block ({},{},{}): {} threads (first: ({},{},{})) {}, in {}, ptx line {}: {}",
                c[0],
                c[1],
                c[2],
                g.3,
                t[0],
                t[1],
                t[2],
                g.2,
                f.name,
                line,
                self.prog.line_text(line)
            );
        }
        if groups.len() > 8 {
            let _ = write!(out, "\n  and {} more places", groups.len() - 8);
        }
        if b.exited {
            let _ = write!(out, "\n  ({} threads of this block have exited)", self.nthreads - b.live);
        }
    }

    fn new_block(&mut self, id: u64, old: Option<Block>) -> Block {
        let code = &self.prog.funcs[self.kernel];
        let g = self.grid;
        let ctaid = [
            (id % g[0] as u64) as u32,
            (id / g[0] as u64 % g[1] as u64) as u32,
            (id / (g[0] as u64 * g[1] as u64)) as u32,
        ];
        let nw = self.nthreads.div_ceil(32);
        let mut pool: Vec<Warp> = Vec::new();
        let mut shared = Vec::new();
        if let Some(o) = old {
            pool = o.warps;
            shared = o.shared;
        }
        shared.clear();
        shared.resize(self.shared_end as usize + 16, self.cfg.fill.unwrap_or(0));
        let mut warps = Vec::with_capacity(nw as usize);
        for i in 0..nw {
            let n = (self.nthreads - i * 32).min(32);
            let mask = if n == 32 { u32::MAX } else { (1 << n) - 1 };
            let (mut regs, mut local) = (Vec::new(), Vec::new());
            if let Some(o) = pool.pop() {
                regs = o.regs;
                local = o.local;
            }
            regs.clear();
            regs.resize(code.rows as usize, ZERO_ROW);
            let per = code.local_size;
            local.clear();
            local.resize(per as usize * 32, self.cfg.fill.unwrap_or(0));
            warps.push(Warp {
                regs,
                pc: [0; 32],
                fp: [0; 32],
                func: [self.kernel as u32; 32],
                stack: std::array::from_fn(|_| Vec::new()),
                ready: mask,
                alive: mask,
                at_bar: 0,
                bar: [0; 32],
                at_warp: 0,
                wmask: [0; 32],
                yielded: 0,
                local,
                local_per: per,
                spin: 0,
                tid0: i * 32,
            });
        }
        if let Some(c) = &mut self.checks {
            c.new_block(id);
        }
        Block {
            id,
            ctaid,
            warps,
            shared,
            bars: [Bar { all: true, ..Bar::default() }; 17],
            live: self.nthreads,
            exited: false,
            next_warp: 0,
        }
    }

    /// Runs a block for its share of time. True when all it did was to poll.
    fn run_block(&mut self, b: &mut Block) -> Run<bool> {
        let n = b.warps.len();
        let mut slices = if self.random { 1 + self.rand() as usize % (2 * n) } else { 16 * n.max(4) };
        let mut idle = 0; // warps in a row that did nothing useful
        let mut blocked = 0;
        let mut useful = false;
        while b.live > 0 && slices > 0 {
            let wi = if self.random { self.rand() as usize % n } else { b.next_warp % n };
            b.next_warp = (wi + 1) % n;
            if b.warps[wi].ready == 0 {
                blocked += 1;
                if blocked >= n && b.warps.iter().all(|w| w.ready == 0) {
                    let mut s = String::from("deadlock: no thread of the block can go on");
                    self.waits(b, &mut s);
                    return Err(self.fault(E_LAUNCH_TIMEOUT, s));
                }
                continue;
            }
            blocked = 0;
            slices -= 1;
            let budget = if self.random {
                1 + (self.rand() % self.cfg.slice.min(256) as u64) as i64
            } else {
                self.cfg.slice as i64
            };
            let before = self.progress;
            let bp: *mut Block = b;
            // SAFETY: the pointer is that of an exclusive reference, which is not used until the call returns.
            match unsafe { self.run_warp(bp, wi, budget)? } {
                Slice::Spun if self.progress == before => {
                    idle += 1;
                    let ready = b.warps.iter().filter(|w| w.ready != 0).count();
                    if idle >= ready {
                        return Ok(!useful);
                    }
                }
                _ => {
                    idle = 0;
                    useful = true;
                }
            }
        }
        Ok(!useful)
    }

    /// Chooses the lanes of a warp that run next: deepest call first, then the lowest position.
    #[inline]
    fn pick(&mut self, w: &mut Warp) -> Option<(u32, u32)> {
        let mut cand = w.ready & !w.yielded;
        if cand == 0 {
            w.yielded = 0;
            cand = w.ready;
            if cand == 0 {
                return None;
            }
        }
        let mut best = cand.trailing_zeros() as usize;
        if self.random {
            let k = (self.rand() % 32) as u32;
            best = ((cand.rotate_right(k).trailing_zeros() + k) % 32) as usize;
        } else {
            lanes!(cand, l, {
                let key = (w.stack[l].len(), u32::MAX - w.pc[l]);
                if key > (w.stack[best].len(), u32::MAX - w.pc[best]) {
                    best = l;
                }
            });
        }
        let (pc, fp, func) = (w.pc[best], w.fp[best], w.func[best]);
        let mut mask = 0;
        let mut stop = u32::MAX;
        lanes!(w.ready, l, {
            if w.fp[l] == fp && w.func[l] == func {
                if w.pc[l] == pc {
                    mask |= bit(l);
                } else if w.pc[l] > pc {
                    stop = stop.min(w.pc[l]);
                }
            }
        });
        Some((mask, stop))
    }

    /// Runs a warp for a number of instructions.
    ///
    /// # Safety
    /// `b` must be valid and not in use elsewhere.
    unsafe fn run_warp(&mut self, b: *mut Block, wi: usize, mut budget: i64) -> Run<Slice> {
        // SAFETY: the caller says that the block is valid and not in use. Registers of an instruction are inside the frame of
        // its function, positions inside its code, constants inside its table: `lower` has made them so.
        unsafe {
            let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
            (*w).spin = 0;
            'pick: loop {
                if budget <= 0 {
                    return Ok(Slice::Ran);
                }
                let Some((mask, stop)) = self.pick(&mut *w) else { return Ok(Slice::Blocked) };
                let lane0 = mask.trailing_zeros() as usize;
                let mut pc = (*w).pc[lane0];
                let fp = (*w).fp[lane0];
                let func = (*w).func[lane0];
                let others = (*w).ready & !mask;
                let prog = self.prog;
                let code: &Code = prog.funcs.get_unchecked(func as usize);
                let ins = code.ins.as_ptr();
                let fr: *mut Row = (&mut (*w).regs).as_mut_ptr().add(fp as usize);
                let kr: *const Row = self.consts[func as usize].as_ptr();
                let pf = fr as *mut u32;
                *pf.add(code.pred0 as usize) = 0; // the predicate that is always false
                let cc = fr.add(code.cc_row as usize);
                let width = mask.count_ones() as u64;
                // When others wait at a position, stop there; a short slice when they are behind.
                let mut turn: i64 = if others == 0 { budget } else { budget.min(self.cfg.slice as i64) };
                let turn0 = turn;
                let mut icount = 0u64;
                macro_rules! row {
                    ($r:expr) => {{
                        let r: R = $r;
                        if r >= 0 { fr.add(r as usize) as *const Row } else { kr.add((!r) as usize) }
                    }};
                }
                macro_rules! pred {
                    ($p:expr) => {{
                        let p: P = $p;
                        let v = *pf.add((p & !PNEG) as usize);
                        if p & PNEG != 0 { !v } else { v }
                    }};
                }
                macro_rules! setp {
                    ($p:expr, $bits:expr, $act:expr) => {{
                        let p: P = $p;
                        if p != NOPRED {
                            let q = pf.add(p as usize);
                            *q = (*q & !$act) | ($bits & $act);
                        }
                    }};
                }
                // Puts the lanes at a position and ends this turn.
                macro_rules! save {
                    ($m:expr, $pc:expr) => {{
                        let at = $pc;
                        lanes!($m, l, { (*w).pc[l] = at });
                    }};
                }
                macro_rules! account {
                    () => {{
                        self.stats.warp_instructions += (turn0 - turn) as u64;
                        self.stats.instructions += icount;
                    }};
                }
                macro_rules! repick {
                    () => {{
                        account!();
                        budget -= turn0 - turn;
                        continue 'pick;
                    }};
                }
                macro_rules! fail {
                    ($e:expr) => {{
                        account!();
                        save!(mask, pc);
                        return Err($e);
                    }};
                }
                macro_rules! tri {
                    ($e:expr) => {
                        match $e {
                            Ok(v) => v,
                            Err(e) => fail!(e),
                        }
                    };
                }
                macro_rules! fault {
                    ($code:expr, $lane:expr, $($a:tt)*) => {
                        fail!(self.fault_at($code, &format!($($a)*), b, w, $lane, func, pc))
                    };
                }
                // Lanes for which the guard of a waiting instruction is off go on.
                macro_rules! split {
                    ($act:expr) => {{
                        if $act != mask {
                            save!(mask & !$act, pc + 1);
                            save!($act, pc);
                        }
                    }};
                }
                loop {
                    if turn <= 0 || pc >= stop {
                        save!(mask, pc);
                        if turn <= 0 && others != 0 {
                            (*w).yielded |= mask;
                        }
                        repick!();
                    }
                    turn -= 1;
                    icount += width;
                    let i: &Ins = &*ins.add(pc as usize);
                    let act = if i.guard == NOPRED { mask } else { mask & pred!(i.guard) };
                    if act == 0 {
                        pc += 1;
                        continue;
                    }
                    match &i.op {
                        Op::Alu { f, d, a, b: rb, c, x } => {
                            let args = Args {
                                d: fr.add(*d as usize),
                                a: row!(*a),
                                b: row!(*rb),
                                c: row!(*c),
                                mask: act,
                                x: *x,
                                cc,
                            };
                            (self.alu)(*f, &args);
                        }
                        Op::Bfi { w64, d, a, b: rb, c, e } => {
                            let (a, rb, c, e) = (row!(*a), row!(*rb), row!(*c), row!(*e));
                            let bits = if *w64 { 64 } else { 32 };
                            lanes!(act, l, {
                                (*fr.add(*d as usize)).0[l] =
                                    num::bfi((*a).0[l], (*rb).0[l], (*c).0[l], (*e).0[l], bits)
                                        & if *w64 { u64::MAX } else { 0xffff_ffff };
                            });
                        }
                        Op::Selp { d, a, b: rb, p } => {
                            let p = pred!(*p);
                            let (a, rb, d) = ((*row!(*a)).0, (*row!(*rb)).0, fr.add(*d as usize));
                            if act == u32::MAX {
                                let mut r = [0u64; 32];
                                for l in 0..32 {
                                    r[l] = if p >> l & 1 == 1 { a[l] } else { rb[l] };
                                }
                                (*d).0 = r;
                            } else {
                                lanes!(act, l, { (*d).0[l] = if p >> l & 1 == 1 { a[l] } else { rb[l] } });
                            }
                        }
                        Op::Setp { ct, cmp, ftz, comb, a, b: rb, p, q, c } => {
                            let v = (self.cmp)(*ct, *cmp, *ftz, row!(*a), row!(*rb));
                            if matches!(ct, CT::F16x2 | CT::BF16x2) {
                                // one result for each half
                                let (mut ah, mut bh) = (ZERO_ROW, ZERO_ROW);
                                for l in 0..32 {
                                    ah.0[l] = (*row!(*a)).0[l] >> 16;
                                    bh.0[l] = (*row!(*rb)).0[l] >> 16;
                                }
                                let h = (self.cmp)(*ct, *cmp, *ftz, &ah, &bh);
                                setp!(*p, v, act);
                                setp!(*q, h, act);
                            } else if *comb == 0 {
                                setp!(*p, v, act);
                                setp!(*q, !v, act);
                            } else {
                                let c = pred!(*c);
                                let f = |v: u32| match comb {
                                    1 => v & c,
                                    2 => v | c,
                                    _ => v ^ c,
                                };
                                setp!(*p, f(v), act);
                                setp!(*q, f(!v), act);
                            }
                        }
                        Op::Pred { kind, d, a, b: rb } => {
                            let a = pred!(*a);
                            let v = match kind {
                                0 => a,
                                1 => a & pred!(*rb),
                                2 => a | pred!(*rb),
                                3 => a ^ pred!(*rb),
                                _ => !a,
                            };
                            setp!(*d, v, act);
                        }
                        Op::Sreg { d, which } => {
                            let extra = self.stats.instructions + icount;
                            self.sreg(*which, &*b, &*w, wi, fr.add(*d as usize), act, extra);
                        }
                        Op::Ld(m) => tri!(self.load(m, act, b, w, wi, fr, row!(m.base), func, pc)),
                        Op::St(m) => {
                            let v = [row!(m.r[0]), row!(m.r[1]), row!(m.r[2]), row!(m.r[3])];
                            tri!(self.store(m, v, act, b, w, wi, row!(m.base), func, pc))
                        }
                        Op::CpAsync { dst, src, size, srcsize } => {
                            let n = if *srcsize == NOREG { std::ptr::null() } else { row!(*srcsize) };
                            tri!(self.cp_async(
                                dst,
                                src,
                                *size,
                                n,
                                act,
                                b,
                                w,
                                wi,
                                row!(dst.base),
                                row!(src.base),
                                func,
                                pc
                            ))
                        }
                        Op::Atom(m) => {
                            tri!(self.atom(
                                m,
                                act,
                                b,
                                w,
                                wi,
                                fr,
                                row!(m.base),
                                row!(m.b),
                                row!(m.c),
                                func,
                                pc
                            ))
                        }
                        Op::Bra { target } => {
                            if act == mask {
                                let back = *target <= pc;
                                pc = *target;
                                if back && (*w).spin > 16 && others == 0 {
                                    save!(mask, pc);
                                    account!();
                                    return Ok(Slice::Spun);
                                }
                                continue;
                            }
                            save!(act, *target);
                            save!(mask & !act, pc + 1);
                            if *target <= pc && (*w).spin > 16 {
                                // Lanes that poll let the others of the warp go first.
                                (*w).yielded |= act;
                                (*w).spin = 0;
                            }
                            repick!();
                        }
                        Op::Brx { targets, a } => {
                            let a = row!(*a);
                            save!(mask & !act, pc + 1);
                            lanes!(act, l, {
                                let t = (*a).0[l] as u32 as usize;
                                match targets.get(t) {
                                    Some(t) => (*w).pc[l] = *t,
                                    None => fault!(
                                        E_INVALID_PC,
                                        l,
                                        "branch index {} out of range ({} targets)",
                                        t,
                                        targets.len()
                                    ),
                                }
                            });
                            repick!();
                        }
                        Op::Call { site } => {
                            let s = code.sites.get_unchecked(*site as usize);
                            if let Some(bi) = s.builtin {
                                tri!(self.builtin(bi, s, act, b, w, fr, kr, func, pc));
                                pc += 1;
                                continue;
                            }
                            save!(mask & !act, pc + 1);
                            let mut todo = act;
                            while todo != 0 {
                                let l0 = todo.trailing_zeros() as usize;
                                let (callee, m) = match s.callee {
                                    Some(c) => (c, todo),
                                    None => {
                                        let rg = row!(s.reg);
                                        let t = (*rg).0[l0];
                                        let k = t.wrapping_sub(FUNC_WIN) / 16;
                                        let ok = t & 15 == 0
                                            && (k as usize) < prog.funcs.len()
                                            && !prog.funcs[k as usize].ins.is_empty()
                                            && !prog.funcs[k as usize].entry;
                                        if !ok {
                                            fault!(
                                                E_INVALID_PC,
                                                l0,
                                                "call of 0x{:x}, which is not a function",
                                                t
                                            );
                                        }
                                        let mut m = 0;
                                        lanes!(todo, l, {
                                            if (*rg).0[l] == t {
                                                m |= bit(l);
                                            }
                                        });
                                        (k as u32, m)
                                    }
                                };
                                todo &= !m;
                                let cal: &Code = &prog.funcs[callee as usize];
                                if s.callee.is_none()
                                    && (cal.ret_rows + cal.param_rows) as usize != s.rets.len() + s.args.len()
                                {
                                    fault!(
                                        E_INVALID_PC,
                                        l0,
                                        "call of {} through a pointer with another signature",
                                        cal.name
                                    );
                                }
                                let nfp = fp + code.rows;
                                let need = (nfp + cal.rows) as usize;
                                if need > 1 << 17 {
                                    fault!(
                                        E_HARDWARE_STACK,
                                        l0,
                                        "call stack overflow ({} calls deep)",
                                        (*w).stack[l0].len()
                                    );
                                }
                                if (*w).regs.len() < need {
                                    // Rows move: all pointers into them are stale from here on.
                                    (*w).regs.resize(need, ZERO_ROW);
                                }
                                let fr2 = (&mut (*w).regs).as_mut_ptr().add(fp as usize);
                                let nf = fr2.add(code.rows as usize);
                                for (src, dst) in &s.args {
                                    let src: *const Row = if *src >= 0 {
                                        fr2.add(*src as usize)
                                    } else {
                                        kr.add((!*src) as usize)
                                    };
                                    lanes!(m, l, { (*nf.add(*dst as usize)).0[l] = (*src).0[l] });
                                }
                                let mut top = 0;
                                lanes!(m, l, {
                                    let lb = (*fr2.add(code.lb_row as usize)).0[l] + code.local_size as u64;
                                    (*nf.add(cal.lb_row as usize)).0[l] = lb;
                                    top = top.max(lb + cal.local_size as u64);
                                    (*w).stack[l].push(Frame { pc: pc + 1, fp, func });
                                    (*w).pc[l] = 0;
                                    (*w).fp[l] = nfp;
                                    (*w).func[l] = callee;
                                });
                                if top > (*w).local_per as u64 {
                                    if top > self.cfg.stack as u64 {
                                        fault!(
                                            E_HARDWARE_STACK,
                                            l0,
                                            "stack overflow: more than {} bytes of local memory",
                                            self.cfg.stack
                                        );
                                    }
                                    grow_local(&mut *w, top as u32, self.cfg.fill.unwrap_or(0));
                                }
                                if todo != 0 && fr2 != fr {
                                    // The next group needs fresh pointers.
                                    save!(todo, pc);
                                    todo = 0;
                                }
                            }
                            repick!();
                        }
                        Op::CallRet { site } => {
                            let s = code.sites.get_unchecked(*site as usize);
                            let nf = fr.add(code.rows as usize);
                            for (src, dst) in &s.rets {
                                let d = fr.add(*dst as usize);
                                lanes!(act, l, { (*d).0[l] = (*nf.add(*src as usize)).0[l] });
                            }
                        }
                        Op::Ret => {
                            save!(mask & !act, pc + 1);
                            lanes!(act, l, {
                                if let Some(f) = (*w).stack[l].pop() {
                                    (*w).pc[l] = f.pc;
                                    (*w).fp[l] = f.fp;
                                    (*w).func[l] = f.func;
                                }
                            });
                            repick!();
                        }
                        Op::Exit => {
                            save!(mask & !act, pc + 1);
                            self.exit_lanes(b, wi, act)?;
                            repick!();
                        }
                        Op::Trap => {
                            fault!(E_ILLEGAL_INSTRUCTION, act.trailing_zeros() as usize, "trap executed")
                        }
                        Op::Brkpt => {}
                        Op::Bar { kind, aligned: _, id, cnt, d: _, pd: _, p } => {
                            split!(act);
                            save!(act, pc);
                            let idr = row!(*id);
                            let cr = if *cnt == NOREG { std::ptr::null() } else { row!(*cnt) };
                            let pv = pred!(*p);
                            self.barrier(b, wi, act, *kind, idr, cr, pv, func, pc)?;
                            repick!();
                        }
                        Op::Shfl { mask: mr, .. }
                        | Op::Vote { mask: mr, .. }
                        | Op::Match { mask: mr, .. }
                        | Op::Redux { mask: mr, .. }
                        | Op::Elect { mask: mr, .. }
                        | Op::BarWarp { mask: mr } => {
                            let mrow = row!(*mr);
                            let all = (*w).alive;
                            // Common case: all members are here.
                            let mm = (*mrow).0[act.trailing_zeros() as usize] as u32;
                            let mut same = true;
                            lanes!(act, l, { same &= (*mrow).0[l] as u32 == mm });
                            if same && act == mask && mm & all == act {
                                self.warp_op(&i.op, act, fr, kr, pf);
                                if let Some(c) = &mut self.checks {
                                    c.warp_sync((*b).id, wi);
                                }
                                pc += 1;
                                continue;
                            }
                            split!(act);
                            save!(act, pc);
                            // Lanes with the same mask as the first one; the others come back.
                            let mut grp = 0;
                            lanes!(act, l, {
                                if (*mrow).0[l] as u32 == mm {
                                    grp |= bit(l);
                                }
                            });
                            if mm & grp != grp {
                                let l = (grp & !mm).trailing_zeros() as usize;
                                fault!(
                                    E_ILLEGAL_INSTRUCTION,
                                    l,
                                    "the thread (lane {l}) is not in its own member mask 0x{mm:08x}"
                                );
                            }
                            let barw = matches!(i.op, Op::BarWarp { .. });
                            let mut present = grp;
                            lanes!((*w).at_warp, l, {
                                let here = (*w).pc[l] == pc && (*w).fp[l] == fp && (*w).func[l] == func;
                                let other = barw && {
                                    let f = &prog.funcs[(*w).func[l] as usize];
                                    matches!(f.ins[(*w).pc[l] as usize].op, Op::BarWarp { .. })
                                };
                                if (here || other) && (*w).wmask[l] == mm {
                                    present |= bit(l);
                                }
                            });
                            if mm & all & !present != 0 {
                                lanes!(grp, l, { (*w).wmask[l] = mm });
                                (*w).at_warp |= grp;
                                (*w).ready &= !grp;
                                repick!();
                            }
                            (*w).at_warp &= !present;
                            (*w).ready |= present;
                            if !barw {
                                self.warp_op(&i.op, present, fr, kr, pf);
                            }
                            if let Some(c) = &mut self.checks {
                                c.warp_sync((*b).id, wi);
                            }
                            lanes!(present, l, { (*w).pc[l] += 1 });
                            repick!();
                        }
                        Op::Activemask { d } => {
                            let d = fr.add(*d as usize);
                            lanes!(act, l, { (*d).0[l] = act as u64 });
                        }
                        Op::Fence => {}
                        Op::Yield => {
                            save!(mask, pc + 1);
                            if others != 0 {
                                (*w).yielded |= mask;
                                repick!();
                            }
                            account!();
                            return Ok(Slice::Spun);
                        }
                        Op::Nop => {}
                        Op::IsSpace { space, p, a } => {
                            let a = row!(*a);
                            let mut v = 0;
                            lanes!(act, l, {
                                let x = (*a).0[l];
                                let s = match x >> WIN_SHIFT {
                                    0x8 => Space::Shared,
                                    0x9 => Space::Local,
                                    0xa => Space::Param,
                                    _ => match self.mem.find(x) {
                                        Some(al) if matches!(al.kind, Kind::Const(_)) => Space::Const,
                                        _ => Space::Global,
                                    },
                                };
                                if s == *space || (*space == Space::Global && s == Space::Const) {
                                    v |= bit(l);
                                }
                            });
                            setp!(*p, v, act);
                        }
                        Op::Cvta { to, win, d, a } => {
                            let (a, d) = (row!(*a), fr.add(*d as usize));
                            lanes!(act, l, {
                                let x = (*a).0[l];
                                // A null pointer is null in all spaces, as an address before the window.
                                (*d).0[l] = if *to { x.wrapping_sub(*win) } else { x.wrapping_add(*win) };
                                if *to && x < *win {
                                    (*d).0[l] = x & 0xffff_ffff;
                                }
                            });
                        }
                        Op::FnParamAddr { d, row, byte } => {
                            let d = fr.add(*d as usize);
                            let v = FPARAM_WIN + (fp as u64 + *row as u64) * 8 + *byte as u64;
                            lanes!(act, l, { (*d).0[l] = v });
                        }
                        Op::Mbar { kind, d, p, base, off, a, space } => {
                            let (base, a, d) = (row!(*base), row!(*a), fr.add(*d as usize));
                            let mut res = 0u32;
                            tri!(self.mbar(*kind, *space, act, b, w, base, *off, a, d, &mut res, func, pc));
                            setp!(*p, res, act);
                        }
                    }
                    pc += 1;
                }
            }
        }
    }

    fn sreg(&self, which: Sreg, b: &Block, w: &Warp, wi: usize, d: *mut Row, act: u32, clock: u64) {
        let t = |l: usize, k: usize| tid3(w.tid0 + l as u32, self.block)[k] as u64;
        let uni: u64 = match which {
            Sreg::TidX
            | Sreg::TidY
            | Sreg::TidZ
            | Sreg::LaneId
            | Sreg::LtMask
            | Sreg::LeMask
            | Sreg::GtMask
            | Sreg::GeMask
            | Sreg::EqMask => 0,
            Sreg::NtidX => self.block[0] as u64,
            Sreg::NtidY => self.block[1] as u64,
            Sreg::NtidZ => self.block[2] as u64,
            Sreg::CtaidX => b.ctaid[0] as u64,
            Sreg::CtaidY => b.ctaid[1] as u64,
            Sreg::CtaidZ => b.ctaid[2] as u64,
            Sreg::NctaidX => self.grid[0] as u64,
            Sreg::NctaidY => self.grid[1] as u64,
            Sreg::NctaidZ => self.grid[2] as u64,
            Sreg::WarpId => wi as u64,
            Sreg::NWarpId => 64,
            Sreg::SmId => b.id % 132,
            Sreg::NSmId => 132,
            Sreg::GridId => self.grid_id,
            Sreg::Clock => clock & 0xffff_ffff,
            Sreg::ClockHi => clock >> 32,
            Sreg::Clock64 => clock,
            Sreg::GlobalTimer => self.start.elapsed().as_nanos() as u64,
            Sreg::GlobalTimerLo => self.start.elapsed().as_nanos() as u64 & 0xffff_ffff,
            Sreg::GlobalTimerHi => self.start.elapsed().as_nanos() as u64 >> 32,
            Sreg::DynSize => self.dyn_size as u64,
            Sreg::TotalSize => (self.shared_end - SHARED_BASE) as u64,
            Sreg::Zero => 0,
            Sreg::One => 1,
            Sreg::Env1 => self.env >> 32,
            Sreg::Env2 => self.env & 0xffff_ffff,
            Sreg::DynBase => self.dyn_base as u64,
            Sreg::WarpSize => 32,
        };
        lanes!(act, l, {
            let v = match which {
                Sreg::TidX => t(l, 0),
                Sreg::TidY => t(l, 1),
                Sreg::TidZ => t(l, 2),
                Sreg::LaneId => l as u64,
                Sreg::LtMask => (1u64 << l) - 1,
                Sreg::LeMask => (2u64 << l) - 1,
                Sreg::GtMask => 0xffff_ffff & !((2u64 << l) - 1),
                Sreg::GeMask => 0xffff_ffff & !((1u64 << l) - 1),
                Sreg::EqMask => 1u64 << l,
                _ => uni,
            };
            // SAFETY: the caller passes a row of the frame.
            unsafe { (*d).0[l] = v };
        });
    }

    /// Host pointers of the memory that the lanes access.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    #[inline(always)]
    unsafe fn resolve(
        &mut self,
        space: Space,
        size: u64,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        base: *const Row,
        off: i64,
        func: u32,
        pc: u32,
        what: &str,
        out: &mut [*mut u8; 32],
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; lanes are below 32, and what leaves an allocation
        // or a window goes to the checked functions.
        unsafe {
            let base = &(*base).0;
            match space {
                Space::Global | Space::Const | Space::Generic => {
                    let cache: *mut Cache =
                        self.caches.get_unchecked_mut(func as usize).as_mut_ptr().add(pc as usize);
                    let mut c = *cache;
                    let am = size - 1;
                    if act == u32::MAX && all_in(base, off, c.lo, c.end.wrapping_sub(size), am, c.delta, out)
                    {
                        return Ok(());
                    }
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a >= c.lo && a.wrapping_add(size) <= c.end && a & am == 0 {
                            out[l] = a.wrapping_add(c.delta) as *mut u8;
                        } else if a >> WIN_SHIFT >= 8 && a >> WIN_SHIFT < 0x10 && space == Space::Generic {
                            out[l] = self.window(a, size, b, w, l, func, pc, what)?;
                        } else {
                            out[l] = self.global_slow(a, size, b, w, l, func, pc, what)?;
                            c = *cache;
                        }
                    });
                }
                Space::Shared => {
                    let p = (&mut (*b).shared).as_mut_ptr();
                    let end = self.shared_end as u64;
                    if act == u32::MAX
                        && all_in(
                            base,
                            off,
                            SHARED_BASE as u64,
                            end.wrapping_sub(size),
                            size - 1,
                            p as u64,
                            out,
                        )
                    {
                        return Ok(());
                    }
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a >= SHARED_BASE as u64 && a.wrapping_add(size) <= end && a & (size - 1) == 0 {
                            out[l] = p.add(a as usize);
                        } else {
                            out[l] =
                                self.window(SHARED_WIN.wrapping_add(a), size, b, w, l, func, pc, what)?;
                        }
                    });
                }
                Space::Local => {
                    let p = (&mut (*w).local).as_mut_ptr();
                    let per = (*w).local_per as u64;
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a.wrapping_add(size) <= per && a <= per && a & (size - 1) == 0 {
                            out[l] = p.add(l * per as usize + a as usize);
                        } else {
                            out[l] = self.window(LOCAL_WIN.wrapping_add(a), size, b, w, l, func, pc, what)?;
                        }
                    });
                }
                Space::Param => lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    out[l] = self.window(a, size, b, w, l, func, pc, what)?;
                }),
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp.
    #[cold]
    unsafe fn global_slow(
        &mut self,
        a: u64,
        size: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
        what: &str,
    ) -> Run<*mut u8> {
        if a & (size - 1) != 0 && self.cfg.aligncheck {
            return Err(self.fault_at(
                E_MISALIGNED,
                &format!("misaligned {what} of {size} bytes at address 0x{a:x}"),
                b,
                w,
                lane,
                func,
                pc,
            ));
        }
        if let Some(al) = self.mem.find(a)
            && a - al.base + size <= al.size
        {
            let c =
                Cache { lo: al.base, end: al.base + al.size, delta: (al.host as u64).wrapping_sub(al.base) };
            self.caches[func as usize][pc as usize] = c;
            return Ok(a.wrapping_add(c.delta) as *mut u8);
        }
        if !self.cfg.memcheck {
            self.sink = [0; 8];
            return Ok(self.sink.as_mut_ptr() as *mut u8);
        }
        let d = self.mem.describe(a, size);
        Err(self.fault_at(
            E_ILLEGAL_ADDRESS,
            &format!("invalid {what} of {size} bytes at address 0x{a:x}: {d}"),
            b,
            w,
            lane,
            func,
            pc,
        ))
    }

    /// Addresses in the windows of shared, local and parameter memory.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn window(
        &mut self,
        a: u64,
        size: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
        what: &str,
    ) -> Run<*mut u8> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; each address is returned after it was
        // compared with the end of its window.
        unsafe {
            let o = a & ((1 << WIN_SHIFT) - 1);
            let mis = a & (size - 1) != 0 && self.cfg.aligncheck;
            let (name, len) = match a >> WIN_SHIFT {
                0x8 => {
                    if !mis && o >= SHARED_BASE as u64 && o + size <= self.shared_end as u64 {
                        return Ok((&mut (*b).shared).as_mut_ptr().add(o as usize));
                    }
                    ("shared", self.shared_end as u64 - SHARED_BASE as u64)
                }
                0x9 => {
                    let per = (*w).local_per as u64;
                    if !mis && o + size <= per {
                        return Ok((&mut (*w).local).as_mut_ptr().add(lane * per as usize + o as usize));
                    }
                    ("local", per)
                }
                0xa => {
                    if !mis && o + size <= self.params.len() as u64 {
                        return Ok(self.params.as_mut_ptr().add(o as usize));
                    }
                    ("parameter", self.params.len() as u64)
                }
                0xb => {
                    let (row, byte) = (o >> 3, o & 7);
                    if !mis && byte + size <= 8 && (row as usize) < (*w).regs.len() {
                        return Ok((&mut (&mut (*w).regs)[row as usize].0[lane] as *mut u64 as *mut u8)
                            .add(byte as usize));
                    }
                    ("function parameter", 0)
                }
                _ => return self.global_slow(a, size, b, w, lane, func, pc, what),
            };
            if mis {
                return Err(self.fault_at(
                    E_MISALIGNED,
                    &format!("misaligned {what} of {size} bytes at {name} address 0x{o:x}"),
                    b,
                    w,
                    lane,
                    func,
                    pc,
                ));
            }
            if !self.cfg.memcheck {
                self.sink = [0; 8];
                return Ok(self.sink.as_mut_ptr() as *mut u8);
            }
            let at = if name == "shared" {
                format!("offset {}", o as i64 - SHARED_BASE as i64)
            } else {
                format!("offset {o}")
            };
            Err(self.fault_at(
                E_ILLEGAL_ADDRESS,
                &format!("invalid {what} of {size} bytes in {name} memory at {at}: there are {len} bytes"),
                b,
                w,
                lane,
                func,
                pc,
            ))
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn load(
        &mut self,
        m: &MemOp,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        fr: *mut Row,
        base: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = (m.n as u64) << m.lg;
            if m.flags & MF_STRONG != 0 {
                (*w).spin += 1;
            }
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "read", &mut p)?;
            if self.hooks {
                self.hook(m.space, size, act, b, wi, base, m.off, &p, Access::Read, m.flags, None, func, pc)?;
            }
            for k in 0..m.n as usize {
                let d = &mut (*fr.add(m.r[k] as usize)).0;
                if act == u32::MAX && m.lg >= 2 {
                    if m.lg == 2 {
                        for l in 0..32 {
                            d[l] = (p[l] as *const u32).add(k).read_unaligned() as u64;
                        }
                    } else {
                        for l in 0..32 {
                            d[l] = (p[l] as *const u64).add(k).read_unaligned();
                        }
                    }
                    if m.sext == 0 || m.sext >= m.dbits {
                        continue;
                    }
                }
                match m.lg {
                    0 => lanes!(act, l, { d[l] = *p[l].add(k) as u64 }),
                    1 => lanes!(act, l, { d[l] = (p[l] as *const u16).add(k).read_unaligned() as u64 }),
                    2 => lanes!(act, l, { d[l] = (p[l] as *const u32).add(k).read_unaligned() as u64 }),
                    _ => lanes!(act, l, { d[l] = (p[l] as *const u64).add(k).read_unaligned() }),
                }
                if m.sext != 0 && m.sext < m.dbits {
                    let s = 64 - m.sext as u32;
                    let mk = if m.dbits >= 64 { u64::MAX } else { (1u64 << m.dbits) - 1 };
                    lanes!(act, l, { d[l] = ((d[l] << s) as i64 >> s) as u64 & mk });
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn store(
        &mut self,
        m: &MemOp,
        v: [*const Row; 4],
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        base: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = (m.n as u64) << m.lg;
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "write", &mut p)?;
            if self.hooks {
                let v0 = if m.n == 1 { Some((v[0], m.lg)) } else { None };
                self.hook(m.space, size, act, b, wi, base, m.off, &p, Access::Write, m.flags, v0, func, pc)?;
            }
            if m.space != Space::Local {
                self.progress += 1;
                (*w).spin = 0;
            }
            for (k, v) in v.iter().enumerate().take(m.n as usize) {
                let s = &(**v).0;
                match m.lg {
                    0 => lanes!(act, l, { *p[l].add(k) = s[l] as u8 }),
                    1 => lanes!(act, l, { (p[l] as *mut u16).add(k).write_unaligned(s[l] as u16) }),
                    2 => lanes!(act, l, { (p[l] as *mut u32).add(k).write_unaligned(s[l] as u32) }),
                    _ => lanes!(act, l, { (p[l] as *mut u64).add(k).write_unaligned(s[l]) }),
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn cp_async(
        &mut self,
        dst: &MemOp,
        src: &MemOp,
        size: u32,
        n: *const Row,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        dbase: *const Row,
        sbase: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes pointers to `size` bytes.
        // Shared and global memory do not overlap.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let mut q = [std::ptr::null_mut::<u8>(); 32];
            self.resolve(Space::Shared, size as u64, act, b, w, dbase, dst.off, func, pc, "write", &mut p)?;
            // Lanes that copy nothing do not touch the source.
            let mut some = act;
            if !n.is_null() {
                lanes!(act, l, {
                    if (*n).0[l] as u32 == 0 {
                        some &= !bit(l);
                    }
                });
            }
            self.resolve(Space::Global, size as u64, some, b, w, sbase, src.off, func, pc, "read", &mut q)?;
            if self.hooks {
                self.hook(
                    Space::Global,
                    size as u64,
                    some,
                    b,
                    wi,
                    sbase,
                    src.off,
                    &q,
                    Access::Read,
                    0,
                    None,
                    func,
                    pc,
                )?;
                self.hook(
                    Space::Shared,
                    size as u64,
                    act,
                    b,
                    wi,
                    dbase,
                    dst.off,
                    &p,
                    Access::Write,
                    0,
                    None,
                    func,
                    pc,
                )?;
            }
            lanes!(act, l, {
                let k = if n.is_null() { size } else { ((*n).0[l] as u32).min(size) };
                if k > 0 {
                    std::ptr::copy_nonoverlapping(q[l], p[l], k as usize);
                }
                std::ptr::write_bytes(p[l].add(k as usize), 0, (size - k) as usize);
            });
            self.progress += 1;
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn atom(
        &mut self,
        m: &AtomOp,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        fr: *mut Row,
        base: *const Row,
        rb: *const Row,
        rc: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = m.ty.size() as u64;
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "atomic access", &mut p)?;
            if self.hooks {
                self.hook(
                    m.space,
                    size,
                    act,
                    b,
                    wi,
                    base,
                    m.off,
                    &p,
                    Access::Atomic,
                    m.flags,
                    None,
                    func,
                    pc,
                )?;
                self.stats.atomics += act.count_ones() as u64;
            }
            let d = fr.add(m.d as usize);
            let mut changed = false;
            if size == 16 {
                lanes!(act, l, {
                    let q = p[l] as *mut u64;
                    let (o0, o1) = (*q, *q.add(1));
                    let bv = ((*rb).0[l], (*rb.add(1)).0[l]);
                    if m.op == At::Exch {
                        (*q, *q.add(1)) = bv;
                        changed = true;
                    } else if bv == (o0, o1) {
                        let c = ((*rc).0[l], (*rc.add(1)).0[l]);
                        (*q, *q.add(1)) = c;
                        changed |= c != bv;
                    }
                    (*d).0[l] = o0;
                    (*d.add(1)).0[l] = o1;
                });
            } else {
                lanes!(act, l, {
                    let q = p[l];
                    let old = match size {
                        2 => *(q as *const u16) as u64,
                        4 => *(q as *const u32) as u64,
                        _ => (q as *const u64).read_unaligned(),
                    };
                    let new = atomic(m.op, m.ty, old, (*rb).0[l], (*rc).0[l]);
                    if new != old {
                        changed = true;
                        match size {
                            2 => *(q as *mut u16) = new as u16,
                            4 => *(q as *mut u32) = new as u32,
                            _ => (q as *mut u64).write_unaligned(new),
                        }
                    }
                    (*d).0[l] = old;
                });
            }
            if changed {
                self.progress += 1;
                (*w).spin = 0;
            } else {
                (*w).spin += 1;
            }
            Ok(())
        }
    }

    /// Checks and counts of one memory access.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    #[inline(never)]
    unsafe fn hook(
        &mut self,
        space: Space,
        size: u64,
        act: u32,
        b: *mut Block,
        wi: usize,
        base: *const Row,
        off: i64,
        ptrs: &[*mut u8; 32],
        kind: Access,
        flags: u8,
        value: Option<(*const Row, u8)>,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; the pointers come from `resolve`.
        unsafe {
            let mut glob: Vec<(usize, u64)> = Vec::with_capacity(32);
            let mut shar: Vec<(usize, u64)> = Vec::with_capacity(32);
            lanes!(act, l, {
                let a = (*base).0[l].wrapping_add(off as u64);
                match space {
                    Space::Global => glob.push((l, a)),
                    Space::Shared => shar.push((l, a)),
                    Space::Generic => match a >> WIN_SHIFT {
                        0x8 => shar.push((l, a - SHARED_WIN)),
                        0x9..0x10 => self.stats.local_bytes += size,
                        _ => glob.push((l, a)),
                    },
                    Space::Local => self.stats.local_bytes += size,
                    _ => {}
                }
            });
            if !glob.is_empty() {
                let mut sec: Vec<u64> = Vec::with_capacity(64);
                for (_, a) in &glob {
                    for s in a / 32..=(a + size - 1) / 32 {
                        sec.push(s);
                    }
                }
                sec.sort_unstable();
                sec.dedup();
                let n = size * glob.len() as u64;
                if kind == Access::Read {
                    self.stats.load_bytes += n;
                    self.stats.load_requests += 1;
                    self.stats.load_sectors += sec.len() as u64;
                } else {
                    self.stats.store_bytes += n;
                    self.stats.store_requests += 1;
                    self.stats.store_sectors += sec.len() as u64;
                }
            }
            if !shar.is_empty() {
                self.stats.shared_requests += 1;
                self.stats.shared_bytes += size * shar.len() as u64;
                // Wide accesses are done for a part of the warp at a time.
                let part = match size {
                    16 => 8,
                    8 => 16,
                    _ => 32,
                };
                for c in shar.chunks(part) {
                    let mut words: Vec<u64> =
                        c.iter().flat_map(|(_, a)| a / 4..=(a + size - 1) / 4).collect();
                    words.sort_unstable();
                    words.dedup();
                    let mut bank = [0u32; 32];
                    for w in words {
                        bank[(w % 32) as usize] += 1;
                    }
                    self.stats.bank_conflicts += (*bank.iter().max().unwrap() as u64).saturating_sub(1);
                }
            }
            if self.checks.is_none() {
                return Ok(());
            }
            let strong = flags & MF_STRONG != 0;
            let line = self.prog.funcs[func as usize].ins[pc as usize].line;
            for (is_shared, list) in [(false, &glob), (true, &shar)] {
                for (l, a) in list {
                    // Writing what is already there harms nobody.
                    let same = match value {
                        Some((v, lg)) => {
                            let v = (*v).0[*l].to_le_bytes();
                            std::slice::from_raw_parts(ptrs[*l], 1 << lg) == &v[..1 << lg]
                        }
                        None => false,
                    };
                    let tid = (&(*b).warps)[wi].tid0 + *l as u32;
                    let c = self.checks.as_mut().unwrap();
                    let msg =
                        c.access(self.mem, is_shared, *a, size, kind, strong, same, (*b).id, wi, tid, line);
                    if let Some(m) = msg {
                        let first = c.errors == 0;
                        c.errors += 1;
                        if first || c.errors <= 10 {
                            let mut text = String::new();
                            for (i, part) in m.split("@line").enumerate() {
                                if i > 0 {
                                    let n: u32 = part
                                        .split(|c: char| !c.is_ascii_digit())
                                        .next()
                                        .and_then(|s| s.parse().ok())
                                        .unwrap_or(0);
                                    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
                                    let _ = write!(text, "ptx line {n}: {}{rest}", self.prog.line_text(n));
                                } else {
                                    text.push_str(part);
                                }
                            }
                            let place = self.place(&*b, &(&(*b).warps)[wi], *l, func, pc);
                            let text = format!("{text}\n  {place}");
                            let c = self.checks.as_mut().unwrap();
                            if c.first.is_none() {
                                c.first = Some(text);
                            }
                        }
                    }
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    unsafe fn exit_lanes(&mut self, b: *mut Block, wi: usize, act: u32) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; no other reference to the block is in use.
        unsafe {
            let w = &mut (&mut (*b).warps)[wi];
            w.alive &= !act;
            w.ready &= !act;
            w.yielded &= !act;
            // Who waits for lanes that are gone looks again.
            w.ready |= w.at_warp;
            w.at_warp = 0;
            (*b).live -= act.count_ones();
            (*b).exited = true;
            self.progress += 1;
            if (*b).live > 0 {
                for id in 0..(*b).bars.len() {
                    let bar = (*b).bars[id];
                    if bar.count == 0 && bar.arrived > 0 && bar.arrived >= (*b).live {
                        self.complete(b, id)?;
                    }
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    unsafe fn barrier(
        &mut self,
        b: *mut Block,
        wi: usize,
        act: u32,
        kind: BarKind,
        id: *const Row,
        cnt: *const Row,
        pv: u32,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; no other reference to the block is in use.
        unsafe {
            self.stats.barriers += 1;
            let mut todo = act;
            while todo != 0 {
                let l0 = todo.trailing_zeros() as usize;
                let n = (*id).0[l0] as usize;
                let c = if cnt.is_null() { 0 } else { (*cnt).0[l0] as u32 };
                let mut g = 0;
                lanes!(todo, l, {
                    if (*id).0[l] as usize == n && (cnt.is_null() || (*cnt).0[l] as u32 == c) {
                        g |= bit(l);
                    }
                });
                todo &= !g;
                let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
                if n > 16 {
                    return Err(self.fault_at(
                        E_ILLEGAL_INSTRUCTION,
                        &format!("barrier {n} does not exist"),
                        b,
                        w,
                        l0,
                        func,
                        pc,
                    ));
                }
                let live = (*b).live;
                let bar = &mut (*b).bars[n];
                bar.count = c;
                bar.arrived += g.count_ones();
                bar.popc += (g & pv).count_ones();
                bar.all &= g & !pv == 0;
                bar.any |= g & pv != 0;
                if kind == BarKind::Arrive {
                    lanes!(g, l, { (*w).pc[l] = pc + 1 });
                } else {
                    (*w).ready &= !g;
                    (*w).at_bar |= g;
                    lanes!(g, l, { (*w).bar[l] = n as u8 });
                }
                let need = if c == 0 { live } else { c };
                if bar.arrived > need {
                    let m = format!("barrier {n}: {} threads came to a barrier for {need}", bar.arrived);
                    return Err(self.fault_at(E_LAUNCH_FAILED, &m, b, w, l0, func, pc));
                }
                if let Some(ch) = &mut self.checks {
                    ch.bar_arrive((*b).id, n, wi);
                }
                if bar.arrived == need {
                    self.complete(b, n)?;
                }
            }
            Ok(())
        }
    }

    /// All threads have come to a barrier: they go on.
    ///
    /// # Safety
    /// `b` must be the running block, in use by nobody else.
    unsafe fn complete(&mut self, b: *mut Block, id: usize) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; frames of lanes are inside the rows of their warp.
        unsafe {
            let bar = (*b).bars[id];
            if self.cfg.synccheck >= 2 && (*b).exited && bar.count == 0 {
                let mut s = String::from("barrier while threads of the block have exited");
                self.waits(&*b, &mut s);
                return Err(self.fault(E_LAUNCH_FAILED, s));
            }
            for wi in 0..(*b).warps.len() {
                let w: *mut Warp = (&mut (*b).warps).as_mut_ptr().add(wi);
                let mut here = 0;
                lanes!((*w).at_bar, l, {
                    if (*w).bar[l] as usize == id {
                        here |= bit(l);
                    }
                });
                if here == 0 {
                    continue;
                }
                let l0 = here.trailing_zeros() as usize;
                let mut split = None;
                lanes!(here, l, {
                    if (*w).pc[l] != (*w).pc[l0] || (*w).func[l] != (*w).func[l0] {
                        split = Some(l);
                    }
                });
                let f = &self.prog.funcs[(*w).func[l0] as usize];
                let aligned = matches!(f.ins[(*w).pc[l0] as usize].op, Op::Bar { aligned: true, .. });
                if let Some(l) = split
                    && aligned
                    && self.cfg.synccheck > 0
                {
                    let mut s = String::from(
                        "divergent barrier: threads of one warp wait at different barrier instructions",
                    );
                    let _ = write!(s, "\n  {}", self.place(&*b, &*w, l0, (*w).func[l0], (*w).pc[l0]));
                    let _ = write!(s, "\n  {}", self.place(&*b, &*w, l, (*w).func[l], (*w).pc[l]));
                    return Err(self.fault(E_LAUNCH_FAILED, s));
                }
                lanes!(here, l, {
                    let prog = self.prog;
                    let f = &prog.funcs[(*w).func[l] as usize];
                    let fr = (&mut (*w).regs).as_mut_ptr().add((*w).fp[l] as usize);
                    if let Op::Bar { kind, d, pd, .. } = &f.ins[(*w).pc[l] as usize].op {
                        match kind {
                            BarKind::Popc => (*fr.add(*d as usize)).0[l] = bar.popc as u64,
                            BarKind::And | BarKind::Or => {
                                let v = if *kind == BarKind::And { bar.all } else { bar.any };
                                let q = (fr as *mut u32).add(*pd as usize);
                                *q = (*q & !bit(l)) | (v as u32) << l;
                            }
                            _ => {}
                        }
                    }
                    (*w).pc[l] += 1;
                });
                (*w).at_bar &= !here;
                (*w).ready |= here;
                (*w).spin = 0;
            }
            (*b).bars[id] = Bar { all: true, ..Bar::default() };
            if let Some(c) = &mut self.checks {
                c.bar_complete((*b).id, id);
            }
            self.progress += 1;
            Ok(())
        }
    }

    /// An operation among the lanes of a warp, all of which are present.
    ///
    /// # Safety
    /// The rows must be those of the frame of the running warp.
    unsafe fn warp_op(&mut self, op: &Op, m: u32, fr: *mut Row, kr: *const Row, pf: *mut u32) {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; lanes are below 32.
        unsafe {
            let row =
                |r: R| -> *const Row { if r >= 0 { fr.add(r as usize) } else { kr.add((!r) as usize) } };
            let pred = |p: P| {
                let v = *pf.add((p & !PNEG) as usize);
                if p & PNEG != 0 { !v } else { v }
            };
            let setp = |p: P, bits: u32| {
                if p != NOPRED {
                    let q = pf.add(p as usize);
                    *q = (*q & !m) | (bits & m);
                }
            };
            match op {
                Op::Shfl { kind, d, p, a, b, c, .. } => {
                    let (a, b, c) = ((*row(*a)).0, (*row(*b)).0, (*row(*c)).0);
                    let d = &mut (*fr.add(*d as usize)).0;
                    let mut pv = 0;
                    lanes!(m, l, {
                        let cv = c[l] as u32;
                        let bv = b[l] as u32 & 31;
                        let (clamp, seg) = (cv & 31, (cv >> 8) & 31);
                        let lane = l as u32;
                        let max = (lane & seg) | (clamp & !seg);
                        let min = lane & seg;
                        let (j, ok) = match kind {
                            ShflKind::Up => (lane.wrapping_sub(bv), lane as i32 - bv as i32 >= max as i32),
                            ShflKind::Down => (lane + bv, lane + bv <= max),
                            ShflKind::Bfly => (lane ^ bv, lane ^ bv <= max),
                            ShflKind::Idx => (min | (bv & !seg), (min | (bv & !seg)) <= max),
                        };
                        let j = if ok { j as usize & 31 } else { l };
                        if ok {
                            pv |= bit(l);
                        }
                        // What a lane that takes no part would give is not defined.
                        d[l] = if m >> j & 1 == 1 { a[j] } else { 0 };
                    });
                    setp(*p, pv);
                }
                Op::Vote { kind, d, pd, p, .. } => {
                    let v = pred(*p) & m;
                    match kind {
                        VoteKind::All => setp(*pd, if v == m { m } else { 0 }),
                        VoteKind::Any => setp(*pd, if v != 0 { m } else { 0 }),
                        VoteKind::Uni => setp(*pd, if v == m || v == 0 { m } else { 0 }),
                        VoteKind::Ballot => {
                            let d = fr.add(*d as usize);
                            lanes!(m, l, { (*d).0[l] = v as u64 });
                        }
                    }
                }
                Op::Match { all, w64, d, p, a, .. } => {
                    let a = (*row(*a)).0;
                    let key = |l: usize| if *w64 { a[l] } else { a[l] & 0xffff_ffff };
                    let d = fr.add(*d as usize);
                    if *all {
                        let k = key(m.trailing_zeros() as usize);
                        let mut same = true;
                        lanes!(m, l, { same &= key(l) == k });
                        lanes!(m, l, { (*d).0[l] = if same { m as u64 } else { 0 } });
                        setp(*p, if same { m } else { 0 });
                    } else {
                        lanes!(m, l, {
                            let mut r = 0u32;
                            lanes!(m, j, {
                                if key(j) == key(l) {
                                    r |= bit(j);
                                }
                            });
                            (*d).0[l] = r as u64;
                        });
                    }
                }
                Op::Redux { op, d, a, .. } => {
                    let a = (*row(*a)).0;
                    let mut acc = a[m.trailing_zeros() as usize] as u32;
                    lanes!(m & (m - 1), l, {
                        let v = a[l] as u32;
                        acc = match op {
                            0 => acc.wrapping_add(v),
                            1 => acc.min(v),
                            2 => acc.max(v),
                            3 => acc & v,
                            4 => acc | v,
                            5 => acc ^ v,
                            6 => (acc as i32).min(v as i32) as u32,
                            _ => (acc as i32).max(v as i32) as u32,
                        };
                    });
                    let d = fr.add(*d as usize);
                    lanes!(m, l, { (*d).0[l] = acc as u64 });
                }
                Op::Elect { d, p, .. } => {
                    let first = m.trailing_zeros();
                    let d = fr.add(*d as usize);
                    lanes!(m, l, { (*d).0[l] = first as u64 });
                    setp(*p, 1 << first);
                }
                _ => {}
            }
        }
    }

    /// Operations on mbarrier objects: 64-bit words in shared memory. Bits 0-19:
    /// arrivals still expected; 20-39: arrivals of each phase; 40-60: bytes
    /// expected (signed); 63: parity of the phase.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn mbar(
        &mut self,
        kind: MbarKind,
        space: Space,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        base: *const Row,
        off: i64,
        a: *const Row,
        d: *mut Row,
        res: &mut u32,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // 8 bytes each.
        unsafe {
            if kind == MbarKind::PendingCount {
                lanes!(act, l, { (*d).0[l] = (*a).0[l] & 0xf_ffff });
                return Ok(());
            }
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            self.resolve(space, 8, act, b, w, base, off, func, pc, "mbarrier access", &mut p)?;
            let bid = (*b).id;
            lanes!(act, l, {
                let q = p[l] as *mut u64;
                let v = *q;
                let mut pend = (v & 0xf_ffff) as i64;
                let mut count = (v >> 20) & 0xf_ffff;
                let mut tx = ((v << 3) as i64 >> 43) as i64;
                let mut phase = v >> 63;
                let x = (*a).0[l];
                let mut store = true;
                match kind {
                    MbarKind::Init => {
                        pend = (x & 0xf_ffff) as i64;
                        count = x & 0xf_ffff;
                        tx = 0;
                        phase = 0;
                    }
                    MbarKind::Inval => {
                        pend = 0;
                        count = 0;
                        tx = 0;
                        phase = 0;
                    }
                    MbarKind::Arrive | MbarKind::ArriveNoComplete => {
                        (*d).0[l] = v;
                        pend -= (x as u32).max(1) as i64;
                    }
                    MbarKind::ArriveDrop => {
                        (*d).0[l] = v;
                        pend -= (x as u32).max(1) as i64;
                        count -= (x as u32).max(1) as u64;
                    }
                    MbarKind::ExpectTx => tx += x as u32 as i64,
                    MbarKind::CompleteTx => tx -= x as u32 as i64,
                    MbarKind::ArriveExpectTx => {
                        (*d).0[l] = v;
                        tx += x as u32 as i64;
                        pend -= 1;
                    }
                    MbarKind::Test | MbarKind::TryWait => {
                        store = false;
                        if x >> 63 != phase {
                            *res |= bit(l);
                        }
                    }
                    _ => {
                        store = false;
                        if x & 1 != phase {
                            *res |= bit(l);
                        }
                    }
                }
                if store {
                    if pend < 0 {
                        return Err(self.fault_at(
                            E_LAUNCH_FAILED,
                            "more arrivals at an mbarrier than it expects",
                            b,
                            w,
                            l,
                            func,
                            pc,
                        ));
                    }
                    if pend == 0 && tx == 0 && !matches!(kind, MbarKind::Init | MbarKind::Inval) {
                        phase ^= 1;
                        pend = count as i64;
                    }
                    *q = (pend as u64 & 0xf_ffff)
                        | (count & 0xf_ffff) << 20
                        | ((tx as u64) & 0x1f_ffff) << 40
                        | phase << 63;
                    self.progress += 1;
                    (*w).spin = 0;
                } else {
                    (*w).spin += 1;
                }
            });
            if let Some(c) = &mut self.checks {
                c.block_sync(bid);
            }
            Ok(())
        }
    }

    /// Reads memory by a generic address.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn read(
        &mut self,
        a: u64,
        len: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<Vec<u8>> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `window` gives a pointer to one byte.
        unsafe {
            let mut v = Vec::with_capacity(len as usize);
            for i in 0..len {
                let p = self.window(a + i, 1, b, w, lane, func, pc, "read")?;
                v.push(*p);
            }
            Ok(v)
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn cstr(
        &mut self,
        a: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<String> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; that is what `read` asks for.
        unsafe {
            let mut v = Vec::new();
            loop {
                let c = self.read(a + v.len() as u64, 1, b, w, lane, func, pc)?[0];
                if c == 0 || v.len() > 1 << 16 {
                    return Ok(String::from_utf8_lossy(&v).into_owned());
                }
                v.push(c);
            }
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn builtin(
        &mut self,
        bi: Builtin,
        s: &CallSite,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        fr: *mut Row,
        kr: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; arguments and results of the call are rows
        // of the frame.
        unsafe {
            let arg = |k: usize, l: usize| {
                let r = s.args[k].0;
                let p: *const Row = if r >= 0 { fr.add(r as usize) } else { kr.add((!r) as usize) };
                (*p).0[l]
            };
            let ret = |l: usize, v: u64| {
                if let Some((_, d)) = s.rets.first() {
                    (*fr.add(*d as usize)).0[l] = v;
                }
            };
            lanes!(act, l, {
                match bi {
                    Builtin::Printf => {
                        let f = self.cstr(arg(0, l), b, w, l, func, pc)?;
                        let (text, n) = self.format(&f, arg(1, l), b, w, l, func, pc)?;
                        use std::io::Write;
                        let mut o = std::io::stdout().lock();
                        let _ = o.write_all(text.as_bytes());
                        let _ = o.flush();
                        ret(l, n);
                    }
                    Builtin::Malloc => {
                        let n = arg(0, l);
                        let p = if n == 0 { 0 } else { self.mem.alloc(n, Kind::Heap).unwrap_or(0) };
                        ret(l, p);
                    }
                    Builtin::Free => {
                        let p = arg(0, l);
                        if p != 0 {
                            let heap = self.mem.map.get(&p).is_some_and(|a| a.kind == Kind::Heap);
                            if !heap {
                                let m = format!("free of 0x{p:x}, which is not a block of the device heap");
                                return Err(self.fault_at(E_LAUNCH_FAILED, &m, b, w, l, func, pc));
                            }
                            self.mem.free(p);
                        }
                    }
                    Builtin::AssertFail => {
                        let msg = self.cstr(arg(0, l), b, w, l, func, pc)?;
                        let file = self.cstr(arg(1, l), b, w, l, func, pc)?;
                        let fun = self.cstr(arg(3, l), b, w, l, func, pc)?;
                        let m = format!("{file}:{}: {fun}: assertion `{msg}` failed", arg(2, l) as u32);
                        return Err(self.fault_at(E_ASSERT, &m, b, w, l, func, pc));
                    }
                }
            });
            if self.mem.generation != self.generation {
                // Ranges that were valid may be so no more.
                self.generation = self.mem.generation;
                self.caches.iter_mut().for_each(|c| c.fill(Cache::default()));
            }
            Ok(())
        }
    }

    /// printf: the arguments are in memory, each aligned to its size.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    unsafe fn format(
        &mut self,
        f: &str,
        mut args: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<(String, u64)> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; that is what `read` asks for.
        unsafe {
            let mut out = String::new();
            let mut n = 0u64;
            let mut it = f.char_indices().peekable();
            while let Some((i, c)) = it.next() {
                if c != '%' {
                    out.push(c);
                    continue;
                }
                let mut end = i + 1;
                let mut long = 0;
                let mut conv = '%';
                let mut spec = String::from("%");
                for (j, c) in it.by_ref() {
                    end = j;
                    match c {
                        'l' => long += 1,
                        'z' | 't' | 'j' => long = 2,
                        'h' => {}
                        '*' => {
                            args = args.next_multiple_of(4);
                            let v = self.read(args, 4, b, w, lane, func, pc)?;
                            args += 4;
                            let _ = write!(spec, "{}", i32::from_le_bytes(v.try_into().unwrap()));
                        }
                        '0'..='9' | '.' | '-' | '+' | ' ' | '#' => spec.push(c),
                        _ => {
                            conv = c;
                            break;
                        }
                    }
                }
                let _ = end;
                if conv == '%' {
                    out.push('%');
                    continue;
                }
                n += 1;
                let wide =
                    long > 0 || matches!(conv, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' | 's' | 'p');
                let size = if wide { 8 } else { 4 };
                args = args.next_multiple_of(size);
                let v = self.read(args, size, b, w, lane, func, pc)?;
                args += size;
                let u = if wide {
                    u64::from_le_bytes(v.try_into().unwrap())
                } else {
                    u32::from_le_bytes(v.try_into().unwrap()) as u64
                };
                match conv {
                    's' => {
                        let t = self.cstr(u, b, w, lane, func, pc)?;
                        out.push_str(&host_format(&spec, 's', HostArg::Str(&t)));
                    }
                    'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                        out.push_str(&host_format(&spec, conv, HostArg::F64(f64::from_bits(u))))
                    }
                    'd' | 'i' if !wide => {
                        out.push_str(&host_format(&spec, conv, HostArg::Int(u as u32 as i32 as i64 as u64)))
                    }
                    'c' => out.push((u as u8) as char),
                    'p' => {
                        let _ = write!(out, "0x{u:x}");
                    }
                    'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                        out.push_str(&host_format(&spec, conv, HostArg::Int(u)))
                    }
                    _ => {
                        out.push_str(&spec);
                        out.push(conv);
                    }
                }
            }
            Ok((out, n))
        }
    }
}

/// Whether all addresses are from `lo` to `hi` and aligned; fills in the pointers.
/// Written without branches, for the compiler to use vector instructions.
#[inline(always)]
fn all_in(
    base: &[u64; 32],
    off: i64,
    lo: u64,
    hi: u64,
    am: u64,
    delta: u64,
    out: &mut [*mut u8; 32],
) -> bool {
    let (mut range, mut low) = (0u64, 0u64);
    for l in 0..32 {
        let a = base[l].wrapping_add(off as u64);
        range |= a.wrapping_sub(lo) | hi.wrapping_sub(a);
        low |= a;
        out[l] = a.wrapping_add(delta) as *mut u8;
    }
    range >> 63 == 0 && low & am == 0 && hi >> 63 == 0
}

fn grow_local(w: &mut Warp, need: u32, fill: u8) {
    let per = need.next_power_of_two().max(256);
    let old = w.local_per as usize;
    let mut v = vec![fill; per as usize * 32];
    for l in 0..32 {
        v[l * per as usize..l * per as usize + old].copy_from_slice(&w.local[l * old..(l + 1) * old]);
    }
    w.local = v;
    w.local_per = per;
}

fn atomic(op: At, ty: Ty, old: u64, b: u64, c: u64) -> u64 {
    let (w, m) = match ty.size() {
        2 => (16, 0xffff),
        4 => (32, 0xffff_ffff),
        _ => (64, u64::MAX),
    };
    let sx = |v: u64| ((v << (64 - w)) as i64) >> (64 - w);
    let half = |k: FK| {
        let mut x = k as u32;
        if matches!(ty, Ty::BF16 | Ty::BF16x2) {
            x |= FX_BF16;
        }
        if matches!(ty, Ty::F16x2 | Ty::BF16x2) {
            x |= FX_X2;
        }
        num::op_half(x, old, b, 0)
    };
    let v = match op {
        At::Add => match ty {
            Ty::F32 => num::op32(FK::Add as u32, old as u32, b as u32, 0) as u64,
            Ty::F64 => (f64::from_bits(old) + f64::from_bits(b)).to_bits(),
            Ty::F16 | Ty::BF16 | Ty::F16x2 | Ty::BF16x2 => half(FK::Add),
            _ => old.wrapping_add(b),
        },
        At::Sub => old.wrapping_sub(b),
        At::And => old & b,
        At::Or => old | b,
        At::Xor => old ^ b,
        At::Exch => b,
        At::Cas => {
            if old & m == b & m {
                c
            } else {
                old
            }
        }
        At::Min if ty.float() => half(FK::Min),
        At::Max if ty.float() => half(FK::Max),
        At::Min if ty.signed() => sx(old).min(sx(b)) as u64,
        At::Max if ty.signed() => sx(old).max(sx(b)) as u64,
        At::Min => (old & m).min(b & m),
        At::Max => (old & m).max(b & m),
        At::Inc => {
            if old as u32 >= b as u32 {
                0
            } else {
                old + 1
            }
        }
        At::Dec => {
            if old as u32 == 0 || old as u32 > b as u32 {
                b
            } else {
                old - 1
            }
        }
    };
    v & m
}

enum HostArg<'a> {
    Int(u64),
    F64(f64),
    Str(&'a str),
}

unsafe extern "C" {
    fn snprintf(buf: *mut u8, n: usize, fmt: *const u8, ...) -> i32;
}

fn host_format(spec: &str, conv: char, a: HostArg) -> String {
    let l = if matches!(a, HostArg::Int(_)) { "ll" } else { "" };
    let fmt = format!("{spec}{l}{conv}\0");
    let mut buf = vec![0u8; 1024 + if let HostArg::Str(s) = &a { s.len() } else { 0 }];
    // SAFETY: the format has one conversion, made for the type of the argument, and ends with a zero, as the text does.
    let n = unsafe {
        match a {
            HostArg::Int(v) => snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), v),
            HostArg::F64(v) => snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), v),
            HostArg::Str(s) => {
                let z = format!("{}\0", s.replace('\0', ""));
                snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), z.as_ptr())
            }
        }
    };
    let n = (n.max(0) as usize).min(buf.len() - 1);
    String::from_utf8_lossy(&buf[..n]).into_owned()
}
