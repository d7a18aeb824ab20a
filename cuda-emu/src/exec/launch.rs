//! A launch from its parameters to its result.

use super::account::Stats;
use super::machine::Machine;
use super::report::{E_OUT_OF_RESOURCES, Fault};
use super::resolve::Cache;
use crate::alu::Row;
use crate::check::Checks;
use crate::config::Config;
use crate::ir::{Code, Program, SHARED_BASE};
use crate::joins;
use crate::mem::{Kind, Mem};
use std::fmt::Write as _;
use std::time::Instant;

/// Host memory that the state of resident blocks may take.
const HOST_MEM: u64 = 4 << 30;

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

/// Checks whether a thread can have the local memory that a kernel requires.
pub(crate) fn fits(code: &Code, cfg: &Config) -> Result<(), Fault> {
    if code.local_size <= cfg.stack {
        return Ok(());
    }
    let msg = format!(
        "kernel {} needs {} bytes of local memory, and a thread has at most {} (CUDA_EMU_STACK)",
        code.name, code.local_size, cfg.stack
    );
    Err(Fault { code: E_OUT_OF_RESOURCES, msg })
}

/// Runs a kernel to its end.
pub(crate) fn launch(l: Launch, mem: &mut Mem, cfg: &Config) -> Result<Stats, Fault> {
    let code = l.prog.funcs[l.kernel].clone();
    let total = l.grid.iter().map(|x| *x as u64).product::<u64>();
    let cooperative = l.cooperative;
    let env = if cooperative { grid_workspace(mem) } else { 0 };
    let mut m = Machine::new(l, mem, cfg, env);
    // Resident blocks take memory of the host: at most a few GiB.
    let per_block = m.nthreads.div_ceil(32) as u64
        * (code.rows as u64 * 256 + code.local_size as u64 * 32 + 4096)
        + m.shared_end as u64;
    let fit = (HOST_MEM / per_block).clamp(4, u32::MAX as u64) as u32;
    let mut r = m.run(total, if cooperative { u32::MAX } else { cfg.resident.min(fit) });
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

/// The memory that barriers of the whole grid use, or 0 where there is none left.
fn grid_workspace(mem: &mut Mem) -> u64 {
    let env = mem.alloc(4096, Kind::Internal).unwrap_or(0);
    if let Some(p) = mem.range(env, 4) {
        // First word: size of the workspace, as the runtime sets it.
        // SAFETY: the range has four bytes, and an allocation is aligned.
        unsafe { *(p as *mut u32) = 4096 };
    }
    env
}

impl<'a> Machine<'a> {
    /// The machine of a launch.
    fn new(l: Launch<'a>, mem: &'a mut Mem, cfg: &'a Config, env: u64) -> Machine<'a> {
        let code = &l.prog.funcs[l.kernel];
        let nthreads = l.block.iter().product::<u32>();
        let dyn_base = (SHARED_BASE + code.static_shared).next_multiple_of(l.prog.dyn_align.max(16));
        let shared_end = if l.shared > 0 { dyn_base + l.shared } else { SHARED_BASE + code.static_shared };
        let (alu, cmp) = crate::alu::select();
        // Other kernels of the module are not used.
        let used = || l.prog.funcs.iter().enumerate().map(|(i, f)| (!f.entry || i == l.kernel).then_some(f));
        let wave = cfg.lockstep as usize / 32;
        let in_step = |of: &dyn Fn(&Code) -> Vec<u32>| -> Vec<Vec<u32>> {
            if wave == 0 { vec![] } else { used().map(|f| f.map_or(vec![], |f| of(f))).collect() }
        };
        let warps = nthreads.div_ceil(32) as usize;
        let checks = (cfg.racecheck > 0 || cfg.initcheck)
            .then(|| Checks::new(cfg.racecheck, cfg.initcheck, shared_end, warps, l.block));
        let seed = cfg.seed.unwrap_or(0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Machine {
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
            rng: seed ^ l.grid_id.wrapping_mul(0xd134_2543_de82_ef95) | 1,
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
        }
    }
}
