//! The text that `printf` prints.

use super::machine::Machine;
use super::report::Run;
use super::running::Running;
use std::fmt::Write as _;
use std::str::Chars;

/// One conversion of a format: flags, width and precision, and its letter.
struct Conversion {
    spec: String,
    /// The number of letters `l` in it; 2 for `z`, `t` and `j`.
    long: u32,
    letter: char,
}

impl Conversion {
    /// Whether its argument has 8 bytes.
    fn is_wide(&self) -> bool {
        self.long > 0 || matches!(self.letter, 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' | 's' | 'p')
    }
}

impl Machine<'_> {
    /// The text, and the number of printed arguments. They are in memory, each aligned to its size.
    pub(super) fn format(
        &mut self,
        at: &mut Running,
        lane: usize,
        f: &str,
        mut args: u64,
    ) -> Run<(String, u64)> {
        let mut out = String::new();
        let mut n = 0u64;
        let mut rest = f.chars();
        while let Some(c) = rest.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let conversion = self.conversion(at, lane, &mut rest, &mut args)?;
            if conversion.letter == '%' {
                out.push('%');
                continue;
            }
            n += 1;
            let u = self.argument(at, lane, &mut args, conversion.is_wide())?;
            match conversion.letter {
                's' => {
                    let t = self.text(at, lane, u)?;
                    out.push_str(&host_format(&conversion.spec, 's', HostArg::Str(&t)));
                }
                _ => conversion.print(u, &mut out),
            }
        }
        Ok((out, n))
    }

    /// The rest of a conversion, after its `%`.
    fn conversion(
        &mut self,
        at: &mut Running,
        lane: usize,
        rest: &mut Chars,
        args: &mut u64,
    ) -> Run<Conversion> {
        let mut conversion = Conversion { spec: String::from("%"), long: 0, letter: '%' };
        for c in rest {
            match c {
                'l' => conversion.long += 1,
                'z' | 't' | 'j' => conversion.long = 2,
                'h' => {}
                '*' => {
                    let width = self.argument(at, lane, args, false)?;
                    let _ = write!(conversion.spec, "{}", width as i32);
                }
                '0'..='9' | '.' | '-' | '+' | ' ' | '#' => conversion.spec.push(c),
                _ => {
                    conversion.letter = c;
                    break;
                }
            }
        }
        Ok(conversion)
    }

    /// The next argument, of 8 bytes or 4.
    fn argument(&mut self, at: &mut Running, lane: usize, args: &mut u64, wide: bool) -> Run<u64> {
        let size = if wide { 8 } else { 4 };
        *args = args.next_multiple_of(size);
        let mut bytes = self.read(at, lane, *args, size)?;
        *args += size;
        bytes.resize(8, 0);
        Ok(bytes.iter().rev().fold(0, |v, byte| v << 8 | u64::from(*byte)))
    }
}

impl Conversion {
    /// Prints an argument that is not a string.
    fn print(&self, u: u64, out: &mut String) {
        match self.letter {
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => {
                out.push_str(&host_format(&self.spec, self.letter, HostArg::F64(f64::from_bits(u))));
            }
            'd' | 'i' if !self.is_wide() => {
                let extended = u as u32 as i32 as i64 as u64;
                out.push_str(&host_format(&self.spec, self.letter, HostArg::Int(extended)));
            }
            'c' => out.push((u as u8) as char),
            'p' => {
                let _ = write!(out, "0x{u:x}");
            }
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                out.push_str(&host_format(&self.spec, self.letter, HostArg::Int(u)));
            }
            _ => {
                out.push_str(&self.spec);
                out.push(self.letter);
            }
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
