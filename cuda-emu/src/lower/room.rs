//! Room for variables whose size a device limits: sizes come from the text, and are checked before they are added up.

use super::rows_of;
use crate::config::MAX_STACK;
use crate::ir::{LOCAL_BASE, SHARED_BASE};
use crate::ptx::{Res, Var, err};

/// A state space in which variables follow one another.
pub(super) struct Room {
    name: &'static str,
    base: u32,
    /// Unit: bytes.
    limit: u32,
}

/// Local memory of a thread.
pub(super) const LOCAL: Room = Room { name: "local", base: LOCAL_BASE, limit: MAX_STACK };

/// Shared memory of a block whose size is not the launch's.
pub(super) const SHARED: Room = Room { name: "static shared", base: SHARED_BASE, limit: 48 << 10 };

/// Unit: bytes. Source: such parameters lie in registers, of which all calls together have as many.
const MAX_FUNCTION_PARAM: u64 = 1 << 20;

/// Unit: bytes. Source: far more than any device asks for.
const MAX_ALIGNMENT: u32 = 1 << 16;

/// The alignment of a variable.
pub(super) fn alignment(v: &Var) -> Res<u32> {
    let align = v.align.max(1);
    if !align.is_power_of_two() || align > MAX_ALIGNMENT {
        let what = format!("alignment of '{}': {align} is not a power of two up to {MAX_ALIGNMENT}", v.name);
        return err(v.line, what);
    }
    Ok(align)
}

/// The rows of a parameter of a device function.
pub(super) fn param_rows(v: &Var) -> Res<u32> {
    if v.size > MAX_FUNCTION_PARAM {
        let what = format!(
            "parameter '{}' takes {} bytes, at most {MAX_FUNCTION_PARAM} are allowed",
            v.name, v.size
        );
        return err(v.line, what);
    }
    Ok(rows_of(v.size))
}

impl Room {
    /// The address of a variable that is placed at `top` or after it; `top` is its end then.
    pub(super) fn place(&self, v: &Var, top: &mut u32) -> Res<u32> {
        let at = u64::from(*top).next_multiple_of(u64::from(alignment(v)?));
        let end = at.saturating_add(v.size);
        if end > u64::from(self.base + self.limit) {
            let what = format!(
                "variable '{}' of {} bytes does not fit: there are at most {} bytes of {} memory, and {} are taken",
                v.name,
                v.size,
                self.limit,
                self.name,
                *top - self.base
            );
            return err(v.line, what);
        }
        *top = end as u32;
        Ok(at as u32)
    }
}
