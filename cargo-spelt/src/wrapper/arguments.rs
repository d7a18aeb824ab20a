//! rustc's command line, in parts.

use std::ffi::OsString;

/// An argument: an option with or without a value, or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// An option that takes a value, by the name that [`in_full`] gives it.
    Valued(String, String),
    /// Anything else, as it was written.
    Word(String),
}

/// A command line of rustc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arguments(Vec<Argument>);

/// The options that take a value. Source: `rustc --help -v`, 1.95.
const VALUED: &[&str] = &[
    "--allow",
    "--cap-lints",
    "--cfg",
    "--check-cfg",
    "--codegen",
    "--color",
    "--crate-name",
    "--crate-type",
    "--deny",
    "--diagnostic-width",
    "--edition",
    "--emit",
    "--env-set",
    "--error-format",
    "--explain",
    "--extern",
    "--forbid",
    "--force-warn",
    "--json",
    "--out-dir",
    "--print",
    "--remap-path-prefix",
    "--remap-path-scope",
    "--sysroot",
    "--target",
    "--warn",
];

/// The same of one letter, whose value may follow without a space.
const LETTERS: &[&str] = &["-A", "-C", "-D", "-F", "-L", "-W", "-Z", "-l", "-o"];

/// One name for each option that has two.
fn in_full(name: &str) -> &str {
    if name == "--codegen" { "-C" } else { name }
}

impl Arguments {
    /// `None` for arguments that are not UTF-8, or a file of arguments that cannot be read.
    pub(crate) fn parse(words: &[OsString]) -> Option<Self> {
        let mut expanded = Vec::with_capacity(words.len());
        for word in words {
            let word = word.to_str()?;
            // Cargo passes arguments in a file if the command line is too long for the system.
            match word.strip_prefix('@') {
                Some(file) => expanded.extend(std::fs::read_to_string(file).ok()?.lines().map(str::to_owned)),
                None => expanded.push(word.to_owned()),
            }
        }
        let mut arguments = Vec::with_capacity(expanded.len());
        let mut words = expanded.into_iter();
        while let Some(word) = words.next() {
            let letter = LETTERS.iter().find(|letter| word.starts_with(**letter));
            let argument = if VALUED.contains(&word.as_str()) || LETTERS.contains(&word.as_str()) {
                Argument::Valued(in_full(&word).to_owned(), words.next()?)
            } else if let Some((name, value)) = word.split_once('=').filter(|(name, _)| VALUED.contains(name))
            {
                Argument::Valued(in_full(name).to_owned(), value.to_owned())
            } else if let Some(letter) = letter {
                Argument::Valued((*letter).to_owned(), word[letter.len()..].to_owned())
            } else {
                Argument::Word(word)
            };
            arguments.push(argument);
        }
        Some(Self(arguments))
    }

    /// The command line again.
    pub(crate) fn to_words(&self) -> Vec<String> {
        let mut words = Vec::with_capacity(2 * self.0.len());
        for argument in &self.0 {
            match argument {
                Argument::Valued(name, value) if name.starts_with("--") => {
                    words.push(format!("{name}={value}"))
                }
                Argument::Valued(name, value) => words.extend([name.clone(), value.clone()]),
                Argument::Word(word) => words.push(word.clone()),
            }
        }
        words
    }

    pub(crate) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter_map(move |argument| match argument {
            Argument::Valued(its, value) if its == name => Some(value.as_str()),
            _ => None,
        })
    }

    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.0.iter().any(|argument| matches!(argument, Argument::Word(its) if its == word))
    }

    /// The value of `-C name=value`, the last if there are several, as for rustc.
    pub(crate) fn codegen(&self, name: &str) -> Option<&str> {
        let pairs = self.values("-C").filter_map(|value| value.split_once('='));
        pairs.filter(|(its, _)| its.replace('_', "-") == name).last().map(|(_, value)| value)
    }

    /// Whether there is `-C name` or `-C name=value`.
    pub(crate) fn has_codegen(&self, name: &str) -> bool {
        self.values("-C").any(|value| codegen_name(value) == name)
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&Argument) -> bool) {
        self.0.retain(keep);
    }

    pub(crate) fn map_values(&mut self, name: &str, mut change: impl FnMut(&str) -> String) {
        for argument in &mut self.0 {
            if let Argument::Valued(its, value) = argument
                && its == name
            {
                *value = change(value);
            }
        }
    }

    /// Removes `-C name` and `-C name=value`.
    pub(crate) fn remove_codegen(&mut self, names: &[&str]) {
        self.0.retain(|argument| match argument {
            Argument::Valued(option, value) if option == "-C" => {
                !names.contains(&codegen_name(value).as_str())
            }
            _ => true,
        });
    }

    pub(crate) fn push_codegen(&mut self, name: &str, value: &str) {
        self.push("-C", &format!("{name}={value}"));
    }

    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.0.push(Argument::Valued(name.to_owned(), value.to_owned()));
    }
}

/// The name in `name=value`; rustc takes `_` for `-`.
fn codegen_name(value: &str) -> String {
    value.split('=').next().unwrap_or_default().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        Arguments::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn every_spelling_is_understood() {
        let arguments = parse(
            "--crate-name a --edition=2024 src/a.rs -C embed-bitcode=no -Copt_level=3 --codegen metadata=x \
             --codegen=lto -L dependency=d -Ld2 --extern b=libb.rlib --test -g",
        );
        assert_eq!(arguments.values("--crate-name").collect::<Vec<_>>(), ["a"]);
        assert_eq!(arguments.values("-L").collect::<Vec<_>>(), ["dependency=d", "d2"]);
        assert_eq!(arguments.codegen("metadata"), Some("x"));
        assert_eq!(arguments.codegen("opt-level"), Some("3"));
        assert_eq!(parse("-Cmetadata=x -C metadata=y").codegen("metadata"), Some("y"));
        assert!(arguments.has_word("--test") && arguments.has_word("-g") && arguments.has_word("src/a.rs"));
    }

    #[test]
    fn codegen_options_are_removed_by_name() {
        let mut arguments =
            parse("-C embed-bitcode=no -Copt_level=3 --codegen=lto -Clto=thin -C link-args=lto");
        arguments.remove_codegen(&["lto", "opt-level", "link-arg"]);
        arguments.push_codegen("opt-level", "2");
        assert_eq!(
            arguments.to_words(),
            ["-C", "embed-bitcode=no", "-C", "link-args=lto", "-C", "opt-level=2"]
        );
    }

    #[test]
    fn what_was_parsed_means_the_same_again() {
        let arguments = parse("--crate-type bin --emit=dep-info,link -o x -vV - -Zunstable-options");
        let again: Vec<OsString> = arguments.to_words().into_iter().map(OsString::from).collect();
        assert_eq!(Arguments::parse(&again), Some(arguments));
    }
}
