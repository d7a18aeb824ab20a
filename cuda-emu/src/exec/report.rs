//! Reports of failed launches: the event and its place.

use super::block::Block;
use super::machine::Machine;
use super::running::Running;
use super::warp::Warp;
use super::{bit, tid3};
use std::fmt::Write as _;

// Error codes of the driver API.
pub(crate) const E_ILLEGAL_ADDRESS: i32 = 700;
pub(super) const E_OUT_OF_RESOURCES: i32 = 701;
pub(super) const E_LAUNCH_TIMEOUT: i32 = 702;
pub(super) const E_ASSERT: i32 = 710;
pub(super) const E_HARDWARE_STACK: i32 = 714;
pub(super) const E_ILLEGAL_INSTRUCTION: i32 = 715;
pub(super) const E_MISALIGNED: i32 = 716;
pub(super) const E_INVALID_PC: i32 = 718;
pub(super) const E_LAUNCH_FAILED: i32 = 719;

/// A launch that failed: the error code and the report.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The error code, as `CUresult` has it.
    pub code: i32,
    /// The error, its place and its kernel.
    pub msg: String,
}

pub(super) type Run<T> = Result<T, Box<Fault>>;

impl Machine<'_> {
    pub(super) fn fault(&self, code: i32, msg: String) -> Box<Fault> {
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

    /// A fault of one thread of the running group, with its place.
    #[cold]
    pub(super) fn fault_at(&self, at: &Running, lane: usize, code: i32, what: &str) -> Box<Fault> {
        let place = self.place(at.block, &at.block.warps[at.wi], lane, at.func, at.pc);
        self.fault(code, format!("{what}\n  {place}"))
    }

    /// Where a thread is, for reports.
    pub(super) fn place(&self, b: &Block, w: &Warp, lane: usize, func: u32, pc: u32) -> String {
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
    pub(super) fn waits(&self, b: &Block, out: &mut String) {
        let mut groups: Vec<(u32, u32, &str, u32, u32, u32)> = Vec::new(); // func, pc, what, count, first, warps
        for (wi, w) in b.warps.iter().enumerate() {
            let held = if self.wave == 0 { 0 } else { self.held(b, wi) };
            lanes!(w.alive, l, {
                let what = if held & bit(l) != 0 {
                    "held until lanes of their wave come"
                } else if w.at_bar & bit(l) != 0 {
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
}
