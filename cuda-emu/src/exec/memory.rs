//! Loads and stores: from the addresses of lanes to memory of the host.

use super::*;

impl Machine<'_> {
    /// Host pointers of the memory that the lanes access.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    #[inline(always)]
    pub(super) unsafe fn resolve(
        &mut self,
        space: Space,
        size: u64,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        base: *const Row,
        off: i64,
        func: u32,
        pc: u32,
        what: &str,
        out: &mut [*mut u8; 32],
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; lanes are below 32, and what leaves an allocation
        // or a window goes to the checked functions.
        unsafe {
            let base = &(*base).0;
            match space {
                Space::Global | Space::Const | Space::Generic => {
                    let cache: *mut Cache =
                        self.caches.get_unchecked_mut(func as usize).as_mut_ptr().add(pc as usize);
                    let mut c = *cache;
                    let am = size - 1;
                    if act == u32::MAX && all_in(base, off, c.lo, c.end.wrapping_sub(size), am, c.delta, out)
                    {
                        return Ok(());
                    }
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a >= c.lo && a.wrapping_add(size) <= c.end && a & am == 0 {
                            out[l] = a.wrapping_add(c.delta) as *mut u8;
                        } else if a >> WIN_SHIFT >= 8 && a >> WIN_SHIFT < 0x10 && space == Space::Generic {
                            out[l] = self.window(a, size, b, w, l, func, pc, what)?;
                        } else {
                            out[l] = self.global_slow(a, size, b, w, l, func, pc, what)?;
                            c = *cache;
                        }
                    });
                }
                Space::Shared => {
                    let p = (&mut (*b).shared).as_mut_ptr();
                    let end = self.shared_end as u64;
                    if act == u32::MAX
                        && all_in(
                            base,
                            off,
                            SHARED_BASE as u64,
                            end.wrapping_sub(size),
                            size - 1,
                            p as u64,
                            out,
                        )
                    {
                        return Ok(());
                    }
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a >= SHARED_BASE as u64 && a.wrapping_add(size) <= end && a & (size - 1) == 0 {
                            out[l] = p.add(a as usize);
                        } else {
                            out[l] =
                                self.window(SHARED_WIN.wrapping_add(a), size, b, w, l, func, pc, what)?;
                        }
                    });
                }
                Space::Local => {
                    let p = (&mut (*w).local).as_mut_ptr();
                    let per = (*w).local_per as u64;
                    lanes!(act, l, {
                        let a = base[l].wrapping_add(off as u64);
                        if a.wrapping_add(size) <= per && a <= per && a & (size - 1) == 0 {
                            out[l] = p.add(l * per as usize + a as usize);
                        } else {
                            out[l] = self.window(LOCAL_WIN.wrapping_add(a), size, b, w, l, func, pc, what)?;
                        }
                    });
                }
                Space::Param => lanes!(act, l, {
                    let a = base[l].wrapping_add(off as u64);
                    out[l] = self.window(a, size, b, w, l, func, pc, what)?;
                }),
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp.
    #[cold]
    pub(super) unsafe fn global_slow(
        &mut self,
        a: u64,
        size: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
        what: &str,
    ) -> Run<*mut u8> {
        if a & (size - 1) != 0 && self.cfg.aligncheck {
            return Err(self.fault_at(
                E_MISALIGNED,
                &format!("misaligned {what} of {size} bytes at address 0x{a:x}"),
                b,
                w,
                lane,
                func,
                pc,
            ));
        }
        if let Some(al) = self.mem.find(a)
            && a - al.base + size <= al.size
        {
            if what != "read" && matches!(al.kind, Kind::Const(_)) && self.cfg.memcheck {
                let what = format!("{what} of {size} bytes of constant memory at address 0x{a:x}");
                return Err(self.fault_at(E_ILLEGAL_ADDRESS, &what, b, w, lane, func, pc));
            }
            let c =
                Cache { lo: al.base, end: al.base + al.size, delta: (al.host as u64).wrapping_sub(al.base) };
            self.caches[func as usize][pc as usize] = c;
            return Ok(a.wrapping_add(c.delta) as *mut u8);
        }
        if !self.cfg.memcheck {
            self.sink = [0; 8];
            return Ok(self.sink.as_mut_ptr() as *mut u8);
        }
        let d = self.mem.describe(a, size);
        Err(self.fault_at(
            E_ILLEGAL_ADDRESS,
            &format!("invalid {what} of {size} bytes at address 0x{a:x}: {d}"),
            b,
            w,
            lane,
            func,
            pc,
        ))
    }

    /// Addresses in the windows of shared, local and parameter memory.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn window(
        &mut self,
        a: u64,
        size: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
        what: &str,
    ) -> Run<*mut u8> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; each address is returned after it was
        // compared with the end of its window.
        unsafe {
            let o = a & ((1 << WIN_SHIFT) - 1);
            let mis = a & (size - 1) != 0 && self.cfg.aligncheck;
            let (name, len) = match a >> WIN_SHIFT {
                0x8 => {
                    if !mis && o >= SHARED_BASE as u64 && o + size <= self.shared_end as u64 {
                        return Ok((&mut (*b).shared).as_mut_ptr().add(o as usize));
                    }
                    ("shared", self.shared_end as u64 - SHARED_BASE as u64)
                }
                0x9 => {
                    let per = (*w).local_per as u64;
                    if !mis && o + size <= per {
                        return Ok((&mut (*w).local).as_mut_ptr().add(lane * per as usize + o as usize));
                    }
                    ("local", per)
                }
                0xa => {
                    if !mis && o + size <= self.params.len() as u64 {
                        return Ok(self.params.as_mut_ptr().add(o as usize));
                    }
                    ("parameter", self.params.len() as u64)
                }
                0xb => {
                    let (row, byte) = (o >> 3, o & 7);
                    if !mis && byte + size <= 8 && (row as usize) < (*w).regs.len() {
                        return Ok((&mut (&mut (*w).regs)[row as usize].0[lane] as *mut u64 as *mut u8)
                            .add(byte as usize));
                    }
                    ("function parameter", 0)
                }
                _ => return self.global_slow(a, size, b, w, lane, func, pc, what),
            };
            if mis {
                return Err(self.fault_at(
                    E_MISALIGNED,
                    &format!("misaligned {what} of {size} bytes at {name} address 0x{o:x}"),
                    b,
                    w,
                    lane,
                    func,
                    pc,
                ));
            }
            if !self.cfg.memcheck {
                self.sink = [0; 8];
                return Ok(self.sink.as_mut_ptr() as *mut u8);
            }
            let at = if name == "shared" {
                format!("offset {}", o as i64 - SHARED_BASE as i64)
            } else {
                format!("offset {o}")
            };
            Err(self.fault_at(
                E_ILLEGAL_ADDRESS,
                &format!("invalid {what} of {size} bytes in {name} memory at {at}: there are {len} bytes"),
                b,
                w,
                lane,
                func,
                pc,
            ))
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn load(
        &mut self,
        m: &MemOp,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        fr: *mut Row,
        base: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = (m.n as u64) << m.lg;
            if m.flags & MF_STRONG != 0 {
                (*w).spin += 1;
            }
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "read", &mut p)?;
            if self.hooks {
                self.hook(m.space, size, act, b, wi, base, m.off, &p, Access::Read, m.flags, None, func, pc)?;
            }
            for k in 0..m.n as usize {
                let d = &mut (*fr.add(m.r[k] as usize)).0;
                if act == u32::MAX && m.lg >= 2 {
                    if m.lg == 2 {
                        for l in 0..32 {
                            d[l] = (p[l] as *const u32).add(k).read_unaligned() as u64;
                        }
                    } else {
                        for l in 0..32 {
                            d[l] = (p[l] as *const u64).add(k).read_unaligned();
                        }
                    }
                    if m.sext == 0 || m.sext >= m.dbits {
                        continue;
                    }
                }
                match m.lg {
                    0 => lanes!(act, l, { d[l] = *p[l].add(k) as u64 }),
                    1 => lanes!(act, l, { d[l] = (p[l] as *const u16).add(k).read_unaligned() as u64 }),
                    2 => lanes!(act, l, { d[l] = (p[l] as *const u32).add(k).read_unaligned() as u64 }),
                    _ => lanes!(act, l, { d[l] = (p[l] as *const u64).add(k).read_unaligned() }),
                }
                if m.sext != 0 && m.sext < m.dbits {
                    let s = 64 - m.sext as u32;
                    let mk = if m.dbits >= 64 { u64::MAX } else { (1u64 << m.dbits) - 1 };
                    lanes!(act, l, { d[l] = ((d[l] << s) as i64 >> s) as u64 & mk });
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn store(
        &mut self,
        m: &MemOp,
        v: [*const Row; 4],
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        base: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes of `act` pointers to
        // the whole access.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let size = (m.n as u64) << m.lg;
            self.resolve(m.space, size, act, b, w, base, m.off, func, pc, "write", &mut p)?;
            if self.hooks {
                let v0 = if m.n == 1 { Some((v[0], m.lg)) } else { None };
                self.hook(m.space, size, act, b, wi, base, m.off, &p, Access::Write, m.flags, v0, func, pc)?;
            }
            if m.space != Space::Local {
                self.progress += 1;
                (*w).spin = 0;
            }
            for (k, v) in v.iter().enumerate().take(m.n as usize) {
                let s = &(**v).0;
                match m.lg {
                    0 => lanes!(act, l, { *p[l].add(k) = s[l] as u8 }),
                    1 => lanes!(act, l, { (p[l] as *mut u16).add(k).write_unaligned(s[l] as u16) }),
                    2 => lanes!(act, l, { (p[l] as *mut u32).add(k).write_unaligned(s[l] as u32) }),
                    _ => lanes!(act, l, { (p[l] as *mut u64).add(k).write_unaligned(s[l]) }),
                }
            }
            Ok(())
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn cp_async(
        &mut self,
        dst: &MemOp,
        src: &MemOp,
        size: u32,
        n: *const Row,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        wi: usize,
        dbase: *const Row,
        sbase: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `resolve` gave the lanes pointers to `size` bytes.
        // Shared and global memory do not overlap.
        unsafe {
            let mut p = [std::ptr::null_mut::<u8>(); 32];
            let mut q = [std::ptr::null_mut::<u8>(); 32];
            self.resolve(Space::Shared, size as u64, act, b, w, dbase, dst.off, func, pc, "write", &mut p)?;
            // Lanes that copy nothing do not touch the source.
            let mut some = act;
            if !n.is_null() {
                lanes!(act, l, {
                    if (*n).0[l] as u32 == 0 {
                        some &= !bit(l);
                    }
                });
            }
            self.resolve(Space::Global, size as u64, some, b, w, sbase, src.off, func, pc, "read", &mut q)?;
            if self.hooks {
                self.hook(
                    Space::Global,
                    size as u64,
                    some,
                    b,
                    wi,
                    sbase,
                    src.off,
                    &q,
                    Access::Read,
                    0,
                    None,
                    func,
                    pc,
                )?;
                self.hook(
                    Space::Shared,
                    size as u64,
                    act,
                    b,
                    wi,
                    dbase,
                    dst.off,
                    &p,
                    Access::Write,
                    0,
                    None,
                    func,
                    pc,
                )?;
            }
            lanes!(act, l, {
                let k = if n.is_null() { size } else { ((*n).0[l] as u32).min(size) };
                if k > 0 {
                    std::ptr::copy_nonoverlapping(q[l], p[l], k as usize);
                }
                std::ptr::write_bytes(p[l].add(k as usize), 0, (size - k) as usize);
            });
            self.progress += 1;
            Ok(())
        }
    }
}

/// Whether all addresses are from `lo` to `hi` and aligned; fills in the pointers.
/// Written without branches, for the compiler to use vector instructions.
#[inline(always)]
fn all_in(
    base: &[u64; 32],
    off: i64,
    lo: u64,
    hi: u64,
    am: u64,
    delta: u64,
    out: &mut [*mut u8; 32],
) -> bool {
    let (mut range, mut low) = (0u64, 0u64);
    for l in 0..32 {
        let a = base[l].wrapping_add(off as u64);
        range |= a.wrapping_sub(lo) | hi.wrapping_sub(a);
        low |= a;
        out[l] = a.wrapping_add(delta) as *mut u8;
    }
    range >> 63 == 0 && low & am == 0 && hi >> 63 == 0
}
