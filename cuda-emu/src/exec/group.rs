//! Operations among the lanes of a warp.

use super::*;

impl Machine<'_> {
    /// An operation among the lanes of a warp, all of which are present.
    ///
    /// # Safety
    /// The rows must be those of the frame of the running warp.
    pub(super) unsafe fn warp_op(&mut self, op: &Op, m: u32, fr: *mut Row, kr: *const Row, pf: *mut u32) {
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
}
