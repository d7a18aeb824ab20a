//! Errors and warnings about kernels, in rustc's manner.

use core::fmt;

/// The severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// There is no PTX.
    Error,
    /// The kernel runs, with a limit that its author should know.
    Warning,
}

/// An error or a warning about a kernel.
///
/// Its text has the form of rustc's messages: the error, its place, the reason, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub level: Level,
    /// The problem.
    pub message: String,
    /// The kernel: its label, or its closure, or its symbol.
    pub kernel: String,
    /// The source file, where known.
    pub file: Option<String>,
    /// The line in it, from 1; 0 where unknown.
    pub line: u32,
    /// The column in it, from 1; 0 where unknown.
    pub column: u32,
    /// Facts.
    pub notes: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn error(kernel: &str, message: String) -> Self {
        Self {
            level: Level::Error,
            message,
            kernel: kernel.to_owned(),
            file: None,
            line: 0,
            column: 0,
            notes: Vec::new(),
            help: None,
        }
    }

    pub(crate) fn warning(kernel: &str, message: String) -> Self {
        Self { level: Level::Warning, ..Self::error(kernel, message) }
    }

    pub(crate) fn at(mut self, place: Option<(String, u32, u32)>) -> Self {
        if let Some((file, line, column)) = place {
            (self.file, self.line, self.column) = (Some(file), line, column);
        }
        self
    }

    pub(crate) fn note(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    pub(crate) fn help(mut self, help: &str) -> Self {
        self.help = Some(help.to_owned());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{level}: kernel `{}` {}", self.kernel, self.message)?;
        if let Some(file) = &self.file {
            write!(f, "\n  --> {file}")?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
            }
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        if !self.notes.is_empty() || self.help.is_some() {
            f.write_str("\n   |")?;
        }
        for note in &self.notes {
            write!(f, "\n   = note: {note}")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n   = help: {help}")?;
        }
        Ok(())
    }
}
