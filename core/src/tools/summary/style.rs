//! The width and the colours of the place where a table is printed.

use std::io::IsTerminal;

/// A table's width and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Unit: characters. `None` if lines may have any length.
    pub(super) width: Option<usize>,
    pub(super) is_coloured: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    Plain,
    Heading,
    /// A tenth of the time and more.
    Warm,
    /// A third of the time and more.
    Hot,
}

impl Style {
    /// That of files.
    pub(super) const FILE: Self = Self { width: None, is_coloured: false };

    /// That of standard error: as wide as its terminal, or as `COLUMNS` says; coloured in a terminal, unless `NO_COLOR` is set.
    pub(super) fn of_standard_error() -> Self {
        Self::of(std::io::stderr().is_terminal(), terminal_width(), |name| std::env::var(name).ok())
    }

    fn of(is_terminal: bool, terminal: Option<usize>, variable: impl Fn(&str) -> Option<String>) -> Self {
        let columns =
            variable("COLUMNS").and_then(|text| text.trim().parse().ok()).filter(|&width| width > 0);
        let is_set = |name| variable(name).is_some_and(|text| !text.is_empty());
        let is_dumb = variable("TERM").is_some_and(|name| name == "dumb");
        let width = columns.or(if is_terminal { terminal } else { None });
        Self { width, is_coloured: is_terminal && !is_dumb && !is_set("NO_COLOR") }
    }

    pub(super) fn painted(self, line: &str, colour: Colour) -> String {
        let code = match colour {
            _ if !self.is_coloured => return line.to_owned(),
            Colour::Plain => return line.to_owned(),
            Colour::Heading => "1",
            Colour::Warm => "33",
            Colour::Hot => "31",
        };
        format!("\u{1b}[{code}m{line}\u{1b}[0m")
    }
}

/// The width of standard error's terminal. Unit: characters.
fn terminal_width() -> Option<usize> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the request writes one `winsize`, to which the pointer leads.
        let status = unsafe { libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) };
        (status == 0 && size.ws_col > 0).then(|| size.ws_col.into())
    }
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    None
}

#[cfg(test)]
mod tests {
    use super::{Colour, Style};

    fn of(is_terminal: bool, variables: &[(&str, &str)]) -> Style {
        Style::of(is_terminal, Some(120), |name| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn terminals_have_a_width_and_colours() {
        let style = |width, is_coloured| Style { width, is_coloured };
        assert_eq!(of(false, &[]), Style::FILE);
        assert_eq!(of(false, &[("COLUMNS", "80")]), style(Some(80), false));
        assert_eq!(of(true, &[("COLUMNS", "none"), ("NO_COLOR", "")]), style(Some(120), true));
        assert_eq!(of(true, &[("COLUMNS", "0"), ("NO_COLOR", "1")]), style(Some(120), false));
        assert_eq!(of(true, &[("TERM", "dumb")]), style(Some(120), false));
    }

    #[test]
    fn only_coloured_lines_have_codes() {
        let coloured = of(true, &[]);
        assert_eq!(coloured.painted("x", Colour::Hot), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(coloured.painted("x", Colour::Plain), "x");
        assert_eq!(Style::FILE.painted("x", Colour::Heading), "x");
    }
}
