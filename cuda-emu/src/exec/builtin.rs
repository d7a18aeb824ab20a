//! Functions that a kernel calls and the driver provides: `printf`, `malloc`, `free`, a failed assertion.

use super::machine::Machine;
use super::report::{E_ASSERT, E_LAUNCH_FAILED, Run};
use super::resolve::Cache;
use super::running::Running;
use crate::ir::{Builtin, CallSite};
use crate::mem::Kind;
use std::io::Write as _;

impl Machine<'_> {
    /// A call of such a function by each lane of `act`.
    ///
    /// # Safety
    /// The site must be one of the running function, whose registers have not moved.
    pub(super) unsafe fn builtin(
        &mut self,
        at: &mut Running,
        builtin: Builtin,
        s: &CallSite,
        act: u32,
    ) -> Run<()> {
        lanes!(act, l, {
            // SAFETY: arguments are operands of the running function, so they are rows of its frame or its constants.
            let args = s.args.iter().map(|(r, _)| unsafe { (*at.source(*r)).0[l] }).collect::<Vec<u64>>();
            let result = self.run_builtin(at, builtin, &args, l)?;
            if let (Some(v), Some((_, d))) = (result, s.rets.first()) {
                // SAFETY: the result belongs to the running function, so it is a row of its frame.
                unsafe { (*at.result(*d)).0[l] = v };
            }
        });
        if self.mem.generation != self.generation {
            // Ranges that were valid may no longer be.
            self.generation = self.mem.generation;
            self.caches.iter_mut().for_each(|c| c.fill(Cache::default()));
        }
        Ok(())
    }

    /// A call by one lane, with as many arguments as the function has: its result, if it has one.
    fn run_builtin(
        &mut self,
        at: &mut Running,
        builtin: Builtin,
        args: &[u64],
        l: usize,
    ) -> Run<Option<u64>> {
        match builtin {
            Builtin::Printf => {
                let f = self.text(at, l, args[0])?;
                let (text, n) = self.format(at, l, &f, args[1])?;
                let mut o = std::io::stdout().lock();
                let _ = o.write_all(text.as_bytes());
                let _ = o.flush();
                Ok(Some(n))
            }
            Builtin::Malloc if args[0] == 0 => Ok(Some(0)),
            Builtin::Malloc => Ok(Some(self.mem.alloc(args[0], Kind::Heap).unwrap_or(0))),
            Builtin::Free => {
                let p = args[0];
                if p != 0 {
                    if self.mem.map.get(&p).is_none_or(|a| a.kind != Kind::Heap) {
                        let what = format!("free of 0x{p:x}, which is not a block of the device heap");
                        return Err(self.fault_at(at, l, E_LAUNCH_FAILED, &what));
                    }
                    self.mem.free(p);
                }
                Ok(None)
            }
            Builtin::AssertFail => {
                let msg = self.text(at, l, args[0])?;
                let file = self.text(at, l, args[1])?;
                let function = self.text(at, l, args[3])?;
                let what = format!("{file}:{}: {function}: assertion `{msg}` failed", args[2] as u32);
                Err(self.fault_at(at, l, E_ASSERT, &what))
            }
        }
    }

    /// Reads memory by a generic address.
    pub(super) fn read(&mut self, at: &mut Running, lane: usize, a: u64, len: u64) -> Run<Vec<u8>> {
        let mut v = Vec::with_capacity(len as usize);
        for i in 0..len {
            let p = self.window(at, lane, a + i, 1, "read")?;
            // SAFETY: `window` gave a pointer to one byte, and nothing has moved since.
            v.push(unsafe { *p });
        }
        Ok(v)
    }

    /// Reads a text up to its zero, by a generic address.
    pub(super) fn text(&mut self, at: &mut Running, lane: usize, a: u64) -> Run<String> {
        let mut v = Vec::new();
        loop {
            let c = self.read(at, lane, a + v.len() as u64, 1)?[0];
            if c == 0 || v.len() > 1 << 16 {
                return Ok(String::from_utf8_lossy(&v).into_owned());
            }
            v.push(c);
        }
    }
}
