//! The plan of a copy between host and device: the calls of the driver that it takes.

use spelt_access::MAX_RANK;

use super::driver::{self, Address, Fault, Lines, MemoryKind, RawStream};
use crate::view::{Loop, merged};

/// The maximum number of the driver's calls for one copy; beyond it the host rearranges the elements, if that takes fewer. Unit: calls.
/// Source: a call costs a few microseconds, in which a host moves some 10 KiB; not measured.
pub(super) const MAX_CALLS: usize = 32;

/// Lines shorter than this are gathered by a kernel, not by the driver. Unit: bytes. Source: the copy engines of a GPU take
/// line by line; not measured.
const SHORT_LINE: usize = 1 << 10;

/// The longest distance between lines that the driver takes. Unit: bytes. Source: `CU_DEVICE_ATTRIBUTE_MAX_PITCH` of all
/// devices so far.
const MAX_PITCH: usize = i32::MAX as usize;

/// One side of a copy: the address of the first element, and the kind of memory.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) address: Address,
    pub(super) kind: MemoryKind,
}

/// The plan of a copy: lines of bytes, in rows that one call copies, and loops around the calls.
pub(super) struct Plan {
    width: usize,
    rows: Loop,
    outer: [Loop; MAX_RANK],
    outer_count: usize,
}

impl Plan {
    /// The plan for these loops, in elements, over elements of `size` bytes.
    fn new(loops: &[Loop], size: usize) -> Self {
        let bytes = |line: &Loop| Loop {
            count: line.count,
            to: line.to.saturating_mul(size),
            from: line.from.saturating_mul(size),
        };
        let mut rest = loops;
        let mut width = size;
        if let [outer @ .., last] = rest
            && (last.to, last.from) == (1, 1)
        {
            width *= last.count;
            rest = outer;
        }
        let mut rows = Loop { count: 1, to: width, from: width };
        if let [outer @ .., last] = rest {
            let last = bytes(last);
            let fits = |pitch| (width..=MAX_PITCH).contains(&pitch);
            if fits(last.to) && fits(last.from) {
                rows = last;
                rest = outer;
            }
        }
        let mut plan = Self { width, rows, outer: [Loop::default(); MAX_RANK], outer_count: rest.len() };
        for (kept, line) in plan.outer.iter_mut().zip(rest) {
            *kept = bytes(line);
        }
        plan
    }

    /// The number of calls that it takes.
    pub(super) fn calls(&self) -> usize {
        self.outer[..self.outer_count].iter().map(|line| line.count).product()
    }

    /// Whether one line of bytes on each side is everything.
    fn is_one_line(&self) -> bool {
        self.calls() == 1 && self.rows.count == 1
    }

    /// Whether it suits the driver: one call, with long lines.
    pub(super) fn is_simple(&self) -> bool {
        self.calls() == 1 && (self.rows.count == 1 || self.width >= SHORT_LINE)
    }

    /// # Safety
    /// All lines lie in memory of the two sides, which meets the conditions of [`driver::copy`].
    pub(super) unsafe fn run(&self, to: Side, from: Side, stream: RawStream) -> Result<(), Fault> {
        // SAFETY: all lines that the loops reach from these two sides lie in their memories, as the contract of `run`
        // says.
        unsafe { self.run_loops(&self.outer[..self.outer_count], to, from, stream) }
    }

    /// # Safety
    /// As for [`run`](Self::run), from these places on.
    unsafe fn run_loops(&self, loops: &[Loop], to: Side, from: Side, stream: RawStream) -> Result<(), Fault> {
        if let [first, inner @ ..] = loops {
            for step in 0..first.count {
                let at = |side: Side, distance: usize| Side {
                    address: side.address + (step * distance) as Address,
                    ..side
                };
                // SAFETY: the step is below the loop's count, so the lines from these places on are some of those that
                // lie in the two memories.
                unsafe { self.run_loops(inner, at(to, first.to), at(from, first.from), stream)? };
            }
            return Ok(());
        }
        if self.rows.count == 1 {
            // SAFETY: the loops have reached one row of `width` bytes, which lies in both memories.
            return unsafe { driver::copy(to.address, from.address, self.width, stream) };
        }
        let lines = |side: Side, pitch| Lines { address: side.address, pitch, kind: side.kind };
        let (to, from) = (lines(to, self.rows.to), lines(from, self.rows.from));
        // SAFETY: the loops have reached `rows.count` rows of `width` bytes, which lie in both memories.
        unsafe { driver::copy_lines(to, from, self.width, self.rows.count, stream) }
    }
}

/// The plan for a copy between Views of these strides.
pub(super) fn plan<T, const R: usize>(extents: [usize; R], to: [usize; R], from: [usize; R]) -> Plan {
    let (loops, count) = merged(extents, to, from);
    Plan::new(&loops[..count], size_of::<T>())
}

/// Whether a copy between these strides is one line of bytes on each side.
pub(super) fn is_one_line<T, const R: usize>(extents: [usize; R], to: [usize; R], from: [usize; R]) -> bool {
    plan::<T, R>(extents, to, from).is_one_line()
}

/// The strides of a dense buffer whose elements have the order of `strides`.
pub(super) fn dense_like<const R: usize>(extents: [usize; R], strides: [usize; R]) -> [usize; R] {
    let mut order: [usize; R] = core::array::from_fn(|dimension| dimension);
    order.sort_by_key(|&dimension| strides[dimension]);
    let mut dense = [0; R];
    let mut next = 1;
    for dimension in order {
        dense[dimension] = next;
        next *= extents[dimension];
    }
    dense
}

/// The address of memory of the host, for the driver.
pub(super) fn address<T>(pointer: *mut T) -> Address {
    pointer.expose_provenance() as Address
}

/// Whether a copy between a host and a device goes through a dense buffer on the host: the driver would need many calls, and fewer then.
pub(super) fn stages<T, const R: usize>(extents: [usize; R], host: [usize; R], device: [usize; R]) -> bool {
    let direct = plan::<T, R>(extents, device, host).calls();
    direct > MAX_CALLS && plan::<T, R>(extents, device, dense_like(extents, device)).calls() < direct
}
