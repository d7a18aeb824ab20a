//! What each memory access is counted as, and checked for.

use super::*;

impl Machine<'_> {
    /// Checks and counts of one memory access.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    #[inline(never)]
    pub(super) unsafe fn hook(
        &mut self,
        space: Space,
        size: u64,
        act: u32,
        b: *mut Block,
        wi: usize,
        base: *const Row,
        off: i64,
        ptrs: &[*mut u8; 32],
        kind: Access,
        flags: u8,
        value: Option<(*const Row, u8)>,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; the pointers come from `resolve`.
        unsafe {
            let mut glob: Vec<(usize, u64)> = Vec::with_capacity(32);
            let mut shar: Vec<(usize, u64)> = Vec::with_capacity(32);
            lanes!(act, l, {
                let a = (*base).0[l].wrapping_add(off as u64);
                match space {
                    Space::Global => glob.push((l, a)),
                    Space::Shared => shar.push((l, a)),
                    Space::Generic => match a >> WIN_SHIFT {
                        0x8 => shar.push((l, a - SHARED_WIN)),
                        0x9..0x10 => self.stats.local_bytes += size,
                        _ => glob.push((l, a)),
                    },
                    Space::Local => self.stats.local_bytes += size,
                    _ => {}
                }
            });
            if !glob.is_empty() {
                let mut sec: Vec<u64> = Vec::with_capacity(64);
                for (_, a) in &glob {
                    for s in a / 32..=(a + size - 1) / 32 {
                        sec.push(s);
                    }
                }
                sec.sort_unstable();
                sec.dedup();
                let n = size * glob.len() as u64;
                if kind == Access::Read {
                    self.stats.load_bytes += n;
                    self.stats.load_requests += 1;
                    self.stats.load_sectors += sec.len() as u64;
                } else {
                    self.stats.store_bytes += n;
                    self.stats.store_requests += 1;
                    self.stats.store_sectors += sec.len() as u64;
                }
            }
            if !shar.is_empty() {
                self.stats.shared_requests += 1;
                self.stats.shared_bytes += size * shar.len() as u64;
                // Wide accesses are done for a part of the warp at a time.
                let part = match size {
                    16 => 8,
                    8 => 16,
                    _ => 32,
                };
                for c in shar.chunks(part) {
                    let mut words: Vec<u64> =
                        c.iter().flat_map(|(_, a)| a / 4..=(a + size - 1) / 4).collect();
                    words.sort_unstable();
                    words.dedup();
                    let mut bank = [0u32; 32];
                    for w in words {
                        bank[(w % 32) as usize] += 1;
                    }
                    self.stats.bank_conflicts += (*bank.iter().max().unwrap() as u64).saturating_sub(1);
                }
            }
            if self.checks.is_none() {
                return Ok(());
            }
            let strong = flags & MF_STRONG != 0;
            let line = self.prog.funcs[func as usize].ins[pc as usize].line;
            for (is_shared, list) in [(false, &glob), (true, &shar)] {
                for (l, a) in list {
                    // Writing what is already there harms nobody.
                    let same = match value {
                        Some((v, lg)) => {
                            let v = (*v).0[*l].to_le_bytes();
                            std::slice::from_raw_parts(ptrs[*l], 1 << lg) == &v[..1 << lg]
                        }
                        None => false,
                    };
                    let tid = (&(*b).warps)[wi].tid0 + *l as u32;
                    let c = self.checks.as_mut().unwrap();
                    let msg =
                        c.access(self.mem, is_shared, *a, size, kind, strong, same, (*b).id, wi, tid, line);
                    if let Some(m) = msg {
                        let first = c.errors == 0;
                        c.errors += 1;
                        if first || c.errors <= 10 {
                            let mut text = String::new();
                            for (i, part) in m.split("@line").enumerate() {
                                if i > 0 {
                                    let n: u32 = part
                                        .split(|c: char| !c.is_ascii_digit())
                                        .next()
                                        .and_then(|s| s.parse().ok())
                                        .unwrap_or(0);
                                    let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
                                    let _ = write!(text, "ptx line {n}: {}{rest}", self.prog.line_text(n));
                                } else {
                                    text.push_str(part);
                                }
                            }
                            let place = self.place(&*b, &(&(*b).warps)[wi], *l, func, pc);
                            let text = format!("{text}\n  {place}");
                            let c = self.checks.as_mut().unwrap();
                            if c.first.is_none() {
                                c.first = Some(text);
                            }
                        }
                    }
                }
            }
            Ok(())
        }
    }
}
