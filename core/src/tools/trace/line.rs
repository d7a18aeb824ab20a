//! One event of the Trace Event Format, as JSON.

use core::fmt;

use crate::tools::quoted::quoted;

/// The phase of an event, with the members that only this phase has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Begin,
    End,
    /// A part of a row that is known as a whole. Unit: ns.
    Complete {
        duration_ns: u64,
    },
    /// A point in time on a row.
    Instant,
    /// The value of a counter from now on.
    Counter,
    /// A fact about a process or row.
    Metadata,
}

/// An event; its `Display` is its JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// The kind of thing: viewers filter by it. Must need no quotation.
    pub(super) category: &'static str,
    pub(super) phase: Phase,
    pub(super) ns: u64,
    pub(super) pid: u32,
    pub(super) row: u32,
    /// Members of the event's own object, as JSON.
    pub(super) args: &'a str,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, category, phase, ns, pid, row, args } = self;
        write!(f, "{{\"name\":{},\"cat\":\"{category}\",\"ph\":", quoted(name))?;
        match phase {
            Phase::Begin => write!(f, "\"B\"")?,
            Phase::End => write!(f, "\"E\"")?,
            Phase::Complete { duration_ns } => {
                write!(f, "\"X\",\"dur\":{}", Microseconds(*duration_ns))?;
            }
            Phase::Instant => write!(f, "\"i\",\"s\":\"t\"")?,
            Phase::Counter => write!(f, "\"C\"")?,
            Phase::Metadata => write!(f, "\"M\"")?,
        }
        write!(f, ",\"ts\":{},\"pid\":{pid},\"tid\":{row}", Microseconds(*ns))?;
        // Viewers show an empty object.
        if args.is_empty() { write!(f, "}}") } else { write!(f, ",\"args\":{{{args}}}}}") }
    }
}

/// A time in nanoseconds; its `Display` is in microseconds, exactly.
struct Microseconds(u64);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Phase};

    #[test]
    fn lines_have_the_members_of_their_phase() {
        let line = |phase| {
            let line = Line {
                name: "a \"b\"\n",
                category: "for",
                phase,
                ns: 1_002_003,
                pid: 4,
                row: 5,
                args: "\"n\":1",
            };
            line.to_string()
        };
        let text = |members: &str| {
            format!(
                "{{\"name\":\"a \\\"b\\\"\\u000a\",\"cat\":\"for\",{members},\"ts\":1002.003,\"pid\":4,\"tid\":5,\"args\":{{\"n\":1}}}}"
            )
        };
        assert_eq!(line(Phase::Begin), text("\"ph\":\"B\""));
        assert_eq!(line(Phase::End), text("\"ph\":\"E\""));
        assert_eq!(line(Phase::Complete { duration_ns: 7 }), text("\"ph\":\"X\",\"dur\":0.007"));
        assert_eq!(line(Phase::Instant), text("\"ph\":\"i\",\"s\":\"t\""));
        assert_eq!(line(Phase::Counter), text("\"ph\":\"C\""));
        let bare = Line { name: "a", category: "b", phase: Phase::Begin, ns: 0, pid: 0, row: 0, args: "" };
        assert!(bare.to_string().ends_with("\"tid\":0}"));
    }
}
