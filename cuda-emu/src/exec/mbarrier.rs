//! Barriers that are objects in shared memory.

use super::machine::Machine;
use super::report::{E_LAUNCH_FAILED, Run};
use super::resolve::{NOWHERE, Request};
use super::running::Running;
use crate::ir::{MbarKind, P, R};
use crate::ptx::Space;

/// An mbarrier, unpacked. It is a word of 64 bits in memory: bits 0-19 are the arrivals still expected, 20-39 those of each
/// phase, 40-60 the bytes expected (signed), 63 the parity of the phase.
#[derive(Clone, Copy)]
struct Phase {
    pending: i64,
    count: u64,
    bytes: i64,
    parity: u64,
}

/// The effect of an operation on the object and on the lane.
enum Outcome {
    /// The object is written.
    Changed,
    /// The object is written, and the lane gets its old value.
    Token,
    /// Nothing is written: whether the phase has ended.
    Tested(bool),
}

impl Phase {
    fn unpack(v: u64) -> Phase {
        Phase {
            pending: (v & 0xf_ffff) as i64,
            count: (v >> 20) & 0xf_ffff,
            bytes: (v << 3) as i64 >> 43,
            parity: v >> 63,
        }
    }

    fn pack(&self) -> u64 {
        (self.pending as u64 & 0xf_ffff)
            | (self.count & 0xf_ffff) << 20
            | ((self.bytes as u64) & 0x1f_ffff) << 40
            | self.parity << 63
    }

    /// One operation of one lane, whose operand is `x`.
    fn apply(&mut self, kind: MbarKind, x: u64) -> Outcome {
        let arrivals = (x as u32).max(1) as i64;
        match kind {
            MbarKind::Init => {
                let expected = x & 0xf_ffff;
                *self = Phase { pending: expected as i64, count: expected, bytes: 0, parity: 0 };
            }
            MbarKind::Inval => *self = Phase::unpack(0),
            MbarKind::Arrive | MbarKind::ArriveNoComplete => {
                self.pending -= arrivals;
                return Outcome::Token;
            }
            MbarKind::ArriveDrop => {
                self.pending -= arrivals;
                self.count = self.count.wrapping_sub(arrivals as u64);
                return Outcome::Token;
            }
            MbarKind::ExpectTx => self.bytes += x as u32 as i64,
            MbarKind::CompleteTx => self.bytes -= x as u32 as i64,
            MbarKind::ArriveExpectTx => {
                self.bytes += x as u32 as i64;
                self.pending -= 1;
                return Outcome::Token;
            }
            MbarKind::Test | MbarKind::TryWait => return Outcome::Tested(x >> 63 != self.parity),
            MbarKind::TestParity | MbarKind::TryWaitParity => return Outcome::Tested(x & 1 != self.parity),
            MbarKind::PendingCount => {}
        }
        Outcome::Changed
    }

    /// The phase ends when no arrivals and no bytes are expected any more.
    fn end(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.parity ^= 1;
            self.pending = self.count as i64;
        }
    }
}

impl Machine<'_> {
    /// `mbarrier`.
    ///
    /// # Safety
    /// The operands must be those of an instruction of the running function, whose registers have not moved.
    pub(super) unsafe fn mbarrier(
        &mut self,
        at: &mut Running,
        kind: MbarKind,
        (d, p): (R, P),
        (space, base, off): (Space, R, i64),
        a: R,
        act: u32,
    ) -> Run<()> {
        let mut done = 0;
        // SAFETY: the operands belong to the running function, so they are rows and predicates of its frame, or its
        // constants. `resolve` gave the lanes of `act` pointers to 8 bytes each, which nothing moves before they are used.
        unsafe {
            let (base, a, d) = (at.source(base), at.source(a), at.result(d));
            if kind == MbarKind::PendingCount {
                lanes!(act, l, { (*d).0[l] = (*a).0[l] & 0xf_ffff });
                return Ok(());
            }
            let mut ptrs = NOWHERE;
            let request = Request { space, size: 8, base, off, flags: 0, what: "mbarrier access" };
            self.resolve(at, act, &request, &mut ptrs)?;
            lanes!(act, l, {
                let q = ptrs[l] as *mut u64;
                let v = q.read_unaligned();
                let mut phase = Phase::unpack(v);
                match phase.apply(kind, (*a).0[l]) {
                    Outcome::Tested(over) => {
                        done |= u32::from(over) << l;
                        at.warp().spin += 1;
                        continue;
                    }
                    Outcome::Token => (*d).0[l] = v,
                    Outcome::Changed => {}
                }
                if phase.pending < 0 {
                    let what = "more arrivals at an mbarrier than it expects";
                    return Err(self.fault_at(at, l, E_LAUNCH_FAILED, what));
                }
                if !matches!(kind, MbarKind::Init | MbarKind::Inval) {
                    phase.end();
                }
                q.write_unaligned(phase.pack());
                self.progress += 1;
                at.warp().spin = 0;
            });
            at.set_predicate(p, done, act);
        }
        if let Some(c) = &mut self.checks {
            c.block_sync(at.block.id);
        }
        Ok(())
    }
}
