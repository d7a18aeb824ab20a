//! Functions that a kernel calls and the driver has: `printf`, `malloc`, `free`, a failed assertion.

use super::*;

impl Machine<'_> {
    /// Reads memory by a generic address.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn read(
        &mut self,
        a: u64,
        len: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<Vec<u8>> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; `window` gives a pointer to one byte.
        unsafe {
            let mut v = Vec::with_capacity(len as usize);
            for i in 0..len {
                let p = self.window(a + i, 1, b, w, lane, func, pc, "read")?;
                v.push(*p);
            }
            Ok(v)
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn cstr(
        &mut self,
        a: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<String> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; that is what `read` asks for.
        unsafe {
            let mut v = Vec::new();
            loop {
                let c = self.read(a + v.len() as u64, 1, b, w, lane, func, pc)?[0];
                if c == 0 || v.len() > 1 << 16 {
                    return Ok(String::from_utf8_lossy(&v).into_owned());
                }
                v.push(c);
            }
        }
    }

    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn builtin(
        &mut self,
        bi: Builtin,
        s: &CallSite,
        act: u32,
        b: *mut Block,
        w: *mut Warp,
        fr: *mut Row,
        kr: *const Row,
        func: u32,
        pc: u32,
    ) -> Run<()> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; arguments and results of the call are rows
        // of the frame.
        unsafe {
            let arg = |k: usize, l: usize| {
                let r = s.args[k].0;
                let p: *const Row = if r >= 0 { fr.add(r as usize) } else { kr.add((!r) as usize) };
                (*p).0[l]
            };
            let ret = |l: usize, v: u64| {
                if let Some((_, d)) = s.rets.first() {
                    (*fr.add(*d as usize)).0[l] = v;
                }
            };
            lanes!(act, l, {
                match bi {
                    Builtin::Printf => {
                        let f = self.cstr(arg(0, l), b, w, l, func, pc)?;
                        let (text, n) = self.format(&f, arg(1, l), b, w, l, func, pc)?;
                        use std::io::Write;
                        let mut o = std::io::stdout().lock();
                        let _ = o.write_all(text.as_bytes());
                        let _ = o.flush();
                        ret(l, n);
                    }
                    Builtin::Malloc => {
                        let n = arg(0, l);
                        let p = if n == 0 { 0 } else { self.mem.alloc(n, Kind::Heap).unwrap_or(0) };
                        ret(l, p);
                    }
                    Builtin::Free => {
                        let p = arg(0, l);
                        if p != 0 {
                            let heap = self.mem.map.get(&p).is_some_and(|a| a.kind == Kind::Heap);
                            if !heap {
                                let m = format!("free of 0x{p:x}, which is not a block of the device heap");
                                return Err(self.fault_at(E_LAUNCH_FAILED, &m, b, w, l, func, pc));
                            }
                            self.mem.free(p);
                        }
                    }
                    Builtin::AssertFail => {
                        let msg = self.cstr(arg(0, l), b, w, l, func, pc)?;
                        let file = self.cstr(arg(1, l), b, w, l, func, pc)?;
                        let fun = self.cstr(arg(3, l), b, w, l, func, pc)?;
                        let m = format!("{file}:{}: {fun}: assertion `{msg}` failed", arg(2, l) as u32);
                        return Err(self.fault_at(E_ASSERT, &m, b, w, l, func, pc));
                    }
                }
            });
            if self.mem.generation != self.generation {
                // Ranges that were valid may be so no more.
                self.generation = self.mem.generation;
                self.caches.iter_mut().for_each(|c| c.fill(Cache::default()));
            }
            Ok(())
        }
    }

    /// printf: the arguments are in memory, each aligned to its size.
    ///
    /// # Safety
    /// `b` and `w` must be the running block and warp, and the rows those of its frame or constants.
    pub(super) unsafe fn format(
        &mut self,
        f: &str,
        mut args: u64,
        b: *mut Block,
        w: *mut Warp,
        lane: usize,
        func: u32,
        pc: u32,
    ) -> Run<(String, u64)> {
        // SAFETY: block, warp and rows are those of the running warp, as the caller says; that is what `read` asks for.
        unsafe {
            let mut out = String::new();
            let mut n = 0u64;
            let mut it = f.char_indices().peekable();
            while let Some((i, c)) = it.next() {
                if c != '%' {
                    out.push(c);
                    continue;
                }
                let mut end = i + 1;
                let mut long = 0;
                let mut conv = '%';
                let mut spec = String::from("%");
                for (j, c) in it.by_ref() {
                    end = j;
                    match c {
                        'l' => long += 1,
                        'z' | 't' | 'j' => long = 2,
                        'h' => {}
                        '*' => {
                            args = args.next_multiple_of(4);
                            let v = self.read(args, 4, b, w, lane, func, pc)?;
                            args += 4;
                            let _ = write!(spec, "{}", i32::from_le_bytes(v.try_into().unwrap()));
                        }
                        '0'..='9' | '.' | '-' | '+' | ' ' | '#' => spec.push(c),
                        _ => {
                            conv = c;
                            break;
                        }
                    }
                }
                let _ = end;
                if conv == '%' {
                    out.push('%');
                    continue;
                }
                n += 1;
                let wide =
                    long > 0 || matches!(conv, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' | 's' | 'p');
                let size = if wide { 8 } else { 4 };
                args = args.next_multiple_of(size);
                let v = self.read(args, size, b, w, lane, func, pc)?;
                args += size;
                let u = if wide {
                    u64::from_le_bytes(v.try_into().unwrap())
                } else {
                    u32::from_le_bytes(v.try_into().unwrap()) as u64
                };
                match conv {
                    's' => {
                        let t = self.cstr(u, b, w, lane, func, pc)?;
                        out.push_str(&host_format(&spec, 's', HostArg::Str(&t)));
                    }
                    'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                        out.push_str(&host_format(&spec, conv, HostArg::F64(f64::from_bits(u))))
                    }
                    'd' | 'i' if !wide => {
                        out.push_str(&host_format(&spec, conv, HostArg::Int(u as u32 as i32 as i64 as u64)))
                    }
                    'c' => out.push((u as u8) as char),
                    'p' => {
                        let _ = write!(out, "0x{u:x}");
                    }
                    'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                        out.push_str(&host_format(&spec, conv, HostArg::Int(u)))
                    }
                    _ => {
                        out.push_str(&spec);
                        out.push(conv);
                    }
                }
            }
            Ok((out, n))
        }
    }
}

enum HostArg<'a> {
    Int(u64),
    F64(f64),
    Str(&'a str),
}

unsafe extern "C" {
    fn snprintf(buf: *mut u8, n: usize, fmt: *const u8, ...) -> i32;
}

fn host_format(spec: &str, conv: char, a: HostArg) -> String {
    let l = if matches!(a, HostArg::Int(_)) { "ll" } else { "" };
    let fmt = format!("{spec}{l}{conv}\0");
    let mut buf = vec![0u8; 1024 + if let HostArg::Str(s) = &a { s.len() } else { 0 }];
    // SAFETY: the format has one conversion, made for the type of the argument, and ends with a zero, as the text does.
    let n = unsafe {
        match a {
            HostArg::Int(v) => snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), v),
            HostArg::F64(v) => snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), v),
            HostArg::Str(s) => {
                let z = format!("{}\0", s.replace('\0', ""));
                snprintf(buf.as_mut_ptr(), buf.len(), fmt.as_ptr(), z.as_ptr())
            }
        }
    };
    let n = (n.max(0) as usize).min(buf.len() - 1);
    String::from_utf8_lossy(&buf[..n]).into_owned()
}
