//! One event of the Trace Event Format, as JSON.
//!
//! It is appended without `write!`, with which a launch took 17,000 instructions more than without a tool, in place of 10,000.

use crate::tools::quoted::push_quoted;

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

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// The kind of thing: viewers filter by it. Must need no quotation.
    pub(super) category: &'static str,
    pub(super) phase: Phase,
    pub(super) ns: u64,
    pub(super) pid: u32,
    pub(super) row: u32,
    pub(super) args: &'a Args,
}

impl Line<'_> {
    /// Appends the event as an object of JSON.
    pub(super) fn append(&self, text: &mut String) {
        text.push_str("{\"name\":");
        push_quoted(text, self.name);
        text.push_str(",\"cat\":\"");
        text.push_str(self.category);
        text.push_str("\",\"ph\":");
        text.push_str(match self.phase {
            Phase::Begin => "\"B\"",
            Phase::End => "\"E\"",
            Phase::Complete { .. } => "\"X\",\"dur\":",
            Phase::Instant => "\"i\",\"s\":\"t\"",
            Phase::Counter => "\"C\"",
            Phase::Metadata => "\"M\"",
        });
        if let Phase::Complete { duration_ns } = self.phase {
            push_thousandths(text, duration_ns);
        }
        text.push_str(",\"ts\":");
        push_thousandths(text, self.ns);
        text.push_str(",\"pid\":");
        push_number(text, self.pid.into());
        text.push_str(",\"tid\":");
        push_number(text, self.row.into());
        // Viewers show an empty object.
        if !self.args.0.is_empty() {
            text.push_str(",\"args\":{");
            text.push_str(&self.args.0);
            text.push('}');
        }
        text.push('}');
    }
}

/// As much as the members of most events take. Unit: bytes.
const USUAL: usize = 128;

/// Members of the event's own object.
#[derive(Debug, Default)]
pub(super) struct Args(String);

impl Args {
    /// Adds a member, whose name needs no quotation.
    fn name(&mut self, name: &str) {
        if self.0.is_empty() {
            self.0.reserve(USUAL);
        }
        self.0.push_str(if self.0.is_empty() { "\"" } else { ",\"" });
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    pub(super) fn text(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        push_quoted(&mut self.0, value);
        self
    }

    pub(super) fn number(mut self, name: &str, value: u64) -> Self {
        self.name(name);
        push_number(&mut self.0, value);
        self
    }

    /// A number, given in thousandths.
    pub(super) fn thousandths(mut self, name: &str, value: u64) -> Self {
        self.name(name);
        push_thousandths(&mut self.0, value);
        self
    }

    pub(super) fn flag(mut self, name: &str, value: bool) -> Self {
        self.name(name);
        self.0.push_str(if value { "true" } else { "false" });
        self
    }
}

fn push_number(text: &mut String, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.push_str(core::str::from_utf8(&digits[first..]).expect("digits"));
}

/// Appends a thousandth of the number, exactly: nanoseconds as microseconds.
fn push_thousandths(text: &mut String, number: u64) {
    push_number(text, number / 1000);
    text.push('.');
    let rest = number % 1000;
    for digit in [rest / 100, rest / 10 % 10, rest % 10] {
        text.push(char::from(b'0' + digit as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, Line, Phase};

    fn json(line: &Line<'_>) -> String {
        let mut text = String::new();
        line.append(&mut text);
        text
    }

    #[test]
    fn lines_have_the_members_of_their_phase() {
        let args = &Args::default().number("n", 1);
        let line = |phase| {
            json(&Line { name: "a \"b\"\n", category: "for", phase, ns: 1_002_003, pid: 4, row: 5, args })
        };
        let text = |members: &str| {
            let name = r#""name":"a \"b\"\u000a""#;
            format!(
                "{{{name},\"cat\":\"for\",{members},\"ts\":1002.003,\"pid\":4,\"tid\":5,\"args\":{{\"n\":1}}}}"
            )
        };
        assert_eq!(line(Phase::Begin), text("\"ph\":\"B\""));
        assert_eq!(line(Phase::End), text("\"ph\":\"E\""));
        assert_eq!(line(Phase::Complete { duration_ns: 7 }), text("\"ph\":\"X\",\"dur\":0.007"));
        assert_eq!(line(Phase::Instant), text("\"ph\":\"i\",\"s\":\"t\""));
        assert_eq!(line(Phase::Counter), text("\"ph\":\"C\""));
        let args = &Args::default();
        let bare = Line { name: "a", category: "b", phase: Phase::Begin, ns: 0, pid: 0, row: 0, args };
        assert!(json(&bare).ends_with("\"ts\":0.000,\"pid\":0,\"tid\":0}"));
    }

    #[test]
    fn members_of_all_kinds() {
        let args =
            Args::default().text("a", "\"").number("b", u64::MAX).thousandths("c", 1_090).flag("d", true);
        assert_eq!(args.0, format!("\"a\":\"\\\"\",\"b\":{},\"c\":1.090,\"d\":true", u64::MAX));
        assert_eq!(Args::default().number("a", 0).flag("b", false).0, "\"a\":0,\"b\":false");
    }
}
