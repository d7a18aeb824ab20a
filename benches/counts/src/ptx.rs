//! The program's device code, as text: the instructions of a kernel, whether or not they run.

use std::io;

/// The beginning of the device code that `cargo spelt` puts into a program.
const MARK: &[u8] = b"// cargo-spelt slot ";

/// Bytes of the length that precedes it.
const LENGTH: usize = size_of::<u64>();

/// The PTX of this program, if it has any.
///
/// # Errors
/// If the program's file cannot be read.
pub fn of_this_program() -> io::Result<Option<String>> {
    let bytes = std::fs::read(std::env::current_exe()?)?;
    // The mark is also among the constants of this file; device code has its length before it and a NUL after it.
    let starts = bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK);
    Ok(starts.filter_map(|(start, _)| text_at(&bytes, start)).next())
}

fn text_at(bytes: &[u8], start: usize) -> Option<String> {
    let length = bytes.get(start.checked_sub(LENGTH)?..start)?;
    let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
    let text = bytes.get(start..start.checked_add(length)?)?;
    let text = core::str::from_utf8(text).ok()?;
    text.contains("\n.version ").then(|| text.to_owned())
}

/// The content of one kernel's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// Barriers of the block.
    pub barriers: usize,
    /// Barriers of the warp.
    pub warp_barriers: usize,
    /// Shuffles.
    pub shuffles: usize,
    /// Loads from global memory.
    pub global_loads: usize,
    /// Loads and stores whose memory is not known: each is slower, and may be local.
    pub generic: usize,
    /// Loads and stores of local memory, and its declaration.
    pub local: usize,
    /// Divisions and remainders.
    pub divisions: usize,
    /// Calls.
    pub calls: usize,
}

impl Instructions {
    /// Of the kernel that has `part` in its name, if there is exactly one.
    #[must_use]
    pub fn of(ptx: &str, part: &str) -> Option<Self> {
        let name = |entry: &str| entry.split('(').next().unwrap_or_default().contains(part);
        let mut bodies = ptx.split(".entry ").skip(1).filter(|entry| name(entry));
        let body = bodies.next()?;
        if bodies.next().is_some() {
            return None;
        }
        let mut found = Self::default();
        body[..body.find("\n}")?].lines().for_each(|line| found.add(line));
        Some(found)
    }

    fn add(&mut self, line: &str) {
        let line = line.trim_start();
        // A predicate precedes the instruction.
        let line = match line.strip_prefix('@') {
            Some(guarded) => {
                guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start())
            }
            None => line,
        };
        let name = line.split([' ', '\t', ';']).next().unwrap_or_default();
        let mut parts = name.split('.');
        let operation = parts.next().unwrap_or_default();
        let has = |part: &str| name.split('.').any(|it| it == part);
        match operation {
            "bar" if has("warp") => self.warp_barriers += 1,
            "bar" | "barrier" => self.barriers += 1,
            "shfl" => self.shuffles += 1,
            "div" | "rem" => self.divisions += 1,
            "call" => self.calls += 1,
            "ld" | "ldu" | "st" => {
                let spaces = ["global", "shared", "local", "param", "const"];
                self.generic += usize::from(!spaces.into_iter().any(has));
                self.local += usize::from(has("local"));
                self.global_loads += usize::from(operation != "st" && has("global"));
            }
            "" => self.local += usize::from(has("local")),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_apart() {
        let ptx = "\
.visible .entry k1(
\t.param .u64 k1_param_0
)
{
\t.local .align 8 .b8 \t__local_depot0[8];
\tld.param.b64 \t%rd1, [k1_param_0];
\tld.global.b32 \t%r1, [%rd1];
\t@%p1 bra \t$L__BB0_1;
\t@%p1 st.b32 \t[%rd1], %r1;
\tst.shared.b32 \t[%rd1], %r1;
\tld.local.b32 \t%r1, [%rd1];
\tbarrier.sync \t0;
\tbar.warp.sync \t-1;
\tshfl.sync.down.b32 \t%r2, %r1, 1, 31, -1;
\t@!%p1 div.u32 \t%r2, %r1, %r2;
\tret;
}
.visible .entry other()
{
\tbar.sync 0;
}
";
        let wanted = Instructions {
            barriers: 1,
            warp_barriers: 1,
            shuffles: 1,
            global_loads: 1,
            generic: 1,
            local: 2,
            divisions: 1,
            calls: 0,
        };
        assert_eq!(Instructions::of(ptx, "k1"), Some(wanted));
        assert_eq!(Instructions::of(ptx, "k2"), None);
    }
}
