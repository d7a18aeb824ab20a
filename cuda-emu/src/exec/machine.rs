//! The machine of one launch: it runs blocks in turn, and detects when nothing progresses.

use super::account::Stats;
use super::block::Block;
use super::report::{E_LAUNCH_FAILED, E_LAUNCH_TIMEOUT, Fault, Run};
use super::resolve::Cache;
use crate::alu::{AluFn, CmpFn, Row};
use crate::check::Checks;
use crate::config::Config;
use crate::ir::Program;
use crate::mem::Mem;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

pub(super) struct Machine<'a> {
    pub(super) prog: &'a Program,
    pub(super) mem: &'a mut Mem,
    pub(super) cfg: &'a Config,
    pub(super) kernel: usize,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) nthreads: u32,
    pub(super) dyn_base: u32,
    pub(super) dyn_size: u32,
    pub(super) shared_end: u32,
    pub(super) params: Vec<u8>,
    pub(super) consts: Vec<Vec<Row>>,
    pub(super) caches: Vec<Vec<Cache>>,
    pub(super) generation: u64,
    pub(super) alu: AluFn,
    pub(super) cmp: CmpFn,
    pub(super) stats: Stats,
    pub(super) hooks: bool,
    pub(super) checks: Option<Checks>,
    pub(super) progress: u64,
    pub(super) rng: u64,
    pub(super) random: bool,
    pub(super) grid_id: u64,
    pub(super) env: u64,
    pub(super) start: Instant,
    pub(super) sink: [u64; 8],
    /// Warps of a wave in lock-step mode, or 0.
    pub(super) wave: usize,
    /// In lock-step mode, for each position of each function: where lanes that part there meet, and how far it is to where
    /// they may.
    pub(super) joins: Vec<Vec<u32>>,
    pub(super) stretches: Vec<Vec<u32>>,
    /// In lock-step mode, the first trap.
    pub(super) trapped: Option<Box<Fault>>,
    /// In lock-step mode, the first operation of a warp that not all lanes reached together.
    pub(super) apart: Option<Box<Fault>>,
}

/// The time when memory last changed, and the turns that all blocks have had since.
struct Quiet {
    progress: u64,
    since: Instant,
    turns: u64,
    all_spun: bool,
}

impl Machine<'_> {
    /// The next number of the seed.
    pub(super) fn rand(&mut self) -> u64 {
        self.rng ^= self.rng << 13;
        self.rng ^= self.rng >> 7;
        self.rng ^= self.rng << 17;
        self.rng.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// Runs the blocks of a grid, `limit` of them resident at once.
    pub(super) fn run(&mut self, total: u64, limit: u32) -> Run<()> {
        let mut ring: VecDeque<Block> = VecDeque::new();
        let mut next = 0u64;
        let mut quiet = Quiet { progress: self.progress, since: Instant::now(), turns: 0, all_spun: true };
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
            let room = ring.len() < limit as usize && next < total;
            self.watch(&mut quiet, spun, room, &ring, total, next)?;
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

    /// Aborts a launch that has made no progress for too long: sooner where all blocks poll and no other can begin.
    fn watch(
        &self,
        quiet: &mut Quiet,
        spun: bool,
        room: bool,
        ring: &VecDeque<Block>,
        total: u64,
        begun: u64,
    ) -> Run<()> {
        if self.progress != quiet.progress {
            *quiet = Quiet { progress: self.progress, since: Instant::now(), turns: 0, all_spun: true };
            return Ok(());
        }
        quiet.all_spun &= spun;
        quiet.turns += 1;
        let idle = quiet.since.elapsed();
        let wait = if quiet.all_spun && quiet.turns > 4 * ring.len() as u64 + 16 && !room {
            self.cfg.watchdog.min(3)
        } else {
            self.cfg.watchdog
        };
        if self.cfg.watchdog == 0 || idle <= Duration::from_secs(wait) {
            return Ok(());
        }
        let mut s = format!(
            "no progress: no thread changed memory for {} s ({} of {} blocks resident, {} not started)",
            idle.as_secs(),
            ring.len(),
            total,
            total - begun
        );
        for b in ring.iter().take(4) {
            self.waits(b, &mut s);
        }
        if ring.len() > 4 {
            let _ = write!(s, "\n  and {} more blocks", ring.len() - 4);
        }
        Err(self.fault(E_LAUNCH_TIMEOUT, s))
    }
}
