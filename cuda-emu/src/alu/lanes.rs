//! A function applied to each lane of rows.

/// One register of a warp: a slot for each lane.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(crate) struct Row(pub [u64; 32]);

pub(crate) const ZERO_ROW: Row = Row([0; 32]);

/// The rows of an operation, some of which may be the same.
pub(crate) struct Args {
    d: *mut Row,
    a: *const Row,
    b: *const Row,
    c: *const Row,
    cc: *mut Row,
    mask: u32,
    pub(super) x: u32,
}

impl Args {
    /// The result, three sources, the carry, the active lanes, and a further input of the operation.
    ///
    /// # Safety
    /// The pointers must point to rows that nothing else accesses while this value is in use.
    #[inline(always)]
    pub(crate) unsafe fn new(
        d: *mut Row,
        [a, b, c]: [*const Row; 3],
        cc: *mut Row,
        mask: u32,
        x: u32,
    ) -> Args {
        Args { d, a, b, c, cc, mask, x }
    }

    /// Writes the lanes that are on.
    #[inline(always)]
    fn put(&self, r: &[u64; 32]) {
        // SAFETY: `new` was given a row that nothing else accesses, and this is the only reference that is made to it.
        let d = unsafe { &mut (*self.d).0 };
        if self.mask == u32::MAX {
            *d = *r;
        } else {
            for l in 0..32 {
                let keep = ((self.mask >> l) & 1) as u64;
                let m = keep.wrapping_neg();
                d[l] = (r[l] & m) | (d[l] & !m);
            }
        }
    }
}

// All lanes are computed, also those that are off: the functions given to the next three must not trap or have other
// effects.

#[inline(always)]
pub(super) fn un(p: &Args, f: impl Fn(u64) -> u64) {
    // SAFETY: `Args::new` was given a row that nothing else accesses; it is copied.
    let a = unsafe { (*p.a).0 };
    let mut r = [0u64; 32];
    for l in 0..32 {
        r[l] = f(a[l]);
    }
    p.put(&r);
}

#[inline(always)]
pub(super) fn bi(p: &Args, f: impl Fn(u64, u64) -> u64) {
    // SAFETY: `Args::new` was given rows that nothing else accesses; they are copied.
    let (a, b) = unsafe { ((*p.a).0, (*p.b).0) };
    let mut r = [0u64; 32];
    for l in 0..32 {
        r[l] = f(a[l], b[l]);
    }
    p.put(&r);
}

#[inline(always)]
pub(super) fn tri(p: &Args, f: impl Fn(u64, u64, u64) -> u64) {
    // SAFETY: `Args::new` was given rows that nothing else accesses; they are copied.
    let (a, b, c) = unsafe { ((*p.a).0, (*p.b).0, (*p.c).0) };
    let mut r = [0u64; 32];
    for l in 0..32 {
        r[l] = f(a[l], b[l], c[l]);
    }
    p.put(&r);
}

/// Only the lanes that are on, for costly functions.
#[inline(always)]
pub(super) fn each(p: &Args, f: impl Fn(u64, u64, u64) -> u64) {
    let mut m = p.mask;
    while m != 0 {
        let l = m.trailing_zeros() as usize;
        m &= m - 1;
        // SAFETY: `Args::new` was given rows that nothing else accesses; `l` is below 32, and no reference to a row is kept.
        unsafe { (*p.d).0[l] = f((*p.a).0[l], (*p.b).0[l], (*p.c).0[l]) };
    }
}

/// The same for a function that also takes the carry, and may give another.
pub(super) fn each_with_carry(p: &Args, f: impl Fn(u64, u64, u64, u64) -> (u64, Option<u64>)) {
    let mut m = p.mask;
    while m != 0 {
        let l = m.trailing_zeros() as usize;
        m &= m - 1;
        // SAFETY: `Args::new` was given rows that nothing else accesses; `l` is below 32, and no reference to a row is kept.
        unsafe {
            let (v, carry) = f((*p.a).0[l], (*p.b).0[l], (*p.c).0[l], (*p.cc).0[l]);
            (*p.d).0[l] = v;
            if let Some(carry) = carry {
                (*p.cc).0[l] = carry;
            }
        }
    }
}
