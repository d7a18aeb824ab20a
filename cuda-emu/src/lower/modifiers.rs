//! The modifiers of an instruction, which follow its name after dots.

use crate::ir::RN;
use crate::ptx::{Res, Ty, err};

pub(super) struct Mods<'a> {
    pub(super) v: Vec<&'a str>,
    pub(super) op: &'a str,
    pub(super) line: u32,
}

impl<'a> Mods<'a> {
    pub(super) fn take(&mut self, s: &str) -> bool {
        match self.v.iter().position(|x| *x == s) {
            Some(i) => {
                self.v.remove(i);
                true
            }
            None => false,
        }
    }
    pub(super) fn take_prefix(&mut self, s: &str) {
        self.v.retain(|x| !x.starts_with(s));
    }
    pub(super) fn one(&mut self, t: &[&str]) -> Option<usize> {
        for (i, s) in t.iter().enumerate() {
            if self.take(s) {
                return Some(i);
            }
        }
        None
    }
    /// The type at the end.
    pub(super) fn ty(&mut self) -> Res<Ty> {
        match self.v.last().and_then(|s| Ty::parse(s)) {
            Some(t) => {
                self.v.pop();
                Ok(t)
            }
            None => self.bad(),
        }
    }
    pub(super) fn bad<T>(&self) -> Res<T> {
        err(self.line, format!("unsupported instruction '{}'", self.op))
    }
    pub(super) fn done(&self) -> Res<()> {
        match self.v.first() {
            None => Ok(()),
            Some(s) => err(self.line, format!("unsupported modifier '.{s}' in '{}'", self.op)),
        }
    }
    pub(super) fn rnd(&mut self) -> u32 {
        match self.one(&["rn", "rz", "rm", "rp", "rna"]) {
            Some(i) => i as u32,
            None => RN,
        }
    }
}

pub(super) fn pick<T: Copy>(bits: u32, a16: T, a32: T, a64: T) -> T {
    match bits {
        16 => a16,
        32 => a32,
        _ => a64,
    }
}
