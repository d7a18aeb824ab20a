//! The lists of mutants: text files, one for each crate.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// A mistake, and the tests that should notice it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mutant {
    /// The list and the name in it: `core/copy-checks-extents`.
    pub(crate) name: String,
    /// The file, from the root of the workspace.
    pub(crate) file: String,
    /// A longer text that is in the file once, where the original is not.
    pub(crate) within: Option<String>,
    /// An expression, or a statement with its semicolon; of a mutant that is built alone, any text.
    pub(crate) original: String,
    pub(crate) mutated: String,
    /// The nearest first.
    pub(crate) tests: Vec<Tests>,
    /// Whether its text cannot be chosen at run time: a constant, a type, an attribute.
    pub(crate) alone: bool,
    /// Whether it runs on a device only.
    pub(crate) on_device: bool,
    /// Whether its tests run with the lanes of a wave in lock-step.
    pub(crate) in_lockstep: bool,
    /// Why no test can notice it.
    pub(crate) equivalent: Option<String>,
}

/// Some tests of one program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Tests {
    /// Whether `cargo gpu` builds the program.
    pub(crate) gpu: bool,
    /// Whether the program finds the emulator in place of the driver.
    pub(crate) emulated: bool,
    /// Packages, features and profile, as cargo takes them.
    pub(crate) package: Vec<String>,
    /// `--lib`, or `--test NAME`.
    pub(crate) target: Vec<String>,
    /// Names of tests, passed to the program itself.
    pub(crate) filter: Vec<String>,
}

impl Mutant {
    /// The number by which the programs under test know it. It stays the same when other mutants are added or removed.
    pub(crate) fn number(&self) -> u32 {
        number(&self.name)
    }

    /// A number that changes with the mutant or its tests.
    pub(crate) fn version(&self) -> u32 {
        let tests = format!("{:?}", self.tests);
        number(&[&*self.original, &*self.mutated, &*self.file, &*tests].join("\n"))
    }

    pub(crate) fn list(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }
}

/// FNV-1a. 0 means no mutant.
fn number(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)).max(1)
}

/// All mutants of the lists in `folder`.
pub(crate) fn read(folder: &Path) -> Result<Vec<Mutant>> {
    let mut paths = std::fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>())
        .with_context(|| format!("cannot read {}", folder.display()))?;
    paths.retain(|path| path.extension().is_some_and(|its| its == "txt"));
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let list = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        all.extend(parse(list, &text).with_context(|| format!("in {}", path.display()))?);
    }
    let mut names = HashSet::new();
    let mut numbers = HashSet::new();
    for mutant in &all {
        if !names.insert(&mutant.name) || !numbers.insert(mutant.number()) {
            bail!("two mutants have the name `{}`, or its number: rename one", mutant.name);
        }
    }
    Ok(all)
}

fn parse(list: &str, text: &str) -> Result<Vec<Mutant>> {
    let mut mutants: Vec<Mutant> = Vec::new();
    let mut file = String::new();
    let mut tests: Vec<Tests> = Vec::new();
    // Whether lines still apply to all mutants that follow, and whether the next `tests:` begins a new list of tests.
    let mut of_all = true;
    let mut own_tests = false;
    let mut fresh = true;
    for (number, line) in text.lines().enumerate() {
        let problem = |what: &str| format!("line {}: {what}: `{line}`", number + 1);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        // Texts of several lines: each line with its own `-` or `+`.
        let part =
            |sign: &str| (line == sign).then_some("").or_else(|| line.strip_prefix(&format!("{sign} ")));
        if let (Some(last), false) = (mutants.last_mut(), of_all) {
            if let Some(part) = part("-") {
                join(&mut last.original, part);
                continue;
            }
            if let Some(part) = part("+") {
                join(&mut last.mutated, part);
                continue;
            }
        }
        let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key, value.trim()));
        match key {
            "file" => {
                value.clone_into(&mut file);
                of_all = true;
                fresh = true;
            }
            "mutant" => {
                of_all = false;
                own_tests = false;
                mutants.push(Mutant {
                    name: format!("{list}/{value}"),
                    file: file.clone(),
                    tests: tests.clone(),
                    ..Mutant::default()
                });
            }
            "tests" => {
                let new = parse_tests(value).with_context(|| problem("tests"))?;
                if of_all {
                    if std::mem::take(&mut fresh) {
                        tests.clear();
                    }
                    tests.push(new);
                } else {
                    let last = mutants.last_mut().expect("a mutant");
                    if !std::mem::replace(&mut own_tests, true) {
                        last.tests.clear();
                    }
                    last.tests.push(new);
                }
            }
            "within" | "alone" | "device" | "lockstep" | "equivalent" if !of_all => {
                let last = mutants.last_mut().expect("a mutant");
                match key {
                    "within" => match &mut last.within {
                        Some(within) => join(within, line["within: ".len()..].trim_end()),
                        None => last.within = Some(line["within: ".len()..].trim_end().to_owned()),
                    },
                    "alone" => last.alone = true,
                    "device" => last.on_device = true,
                    "lockstep" => last.in_lockstep = true,
                    _ => last.equivalent = Some(value.to_owned()),
                }
            }
            _ => bail!(problem("not understood")),
        }
    }
    for mutant in &mutants {
        if mutant.file.is_empty() || mutant.original.is_empty() {
            bail!("`{}` lacks a file or its original text", mutant.name);
        }
        if mutant.tests.is_empty() && mutant.equivalent.is_none() {
            bail!("`{}` lacks tests", mutant.name);
        }
    }
    Ok(mutants)
}

fn join(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn parse_tests(text: &str) -> Result<Tests> {
    let mut tests =
        Tests { gpu: false, emulated: false, package: Vec::new(), target: Vec::new(), filter: Vec::new() };
    let mut words = text.split_whitespace().map(str::to_owned);
    while let Some(word) = words.next() {
        match word.as_str() {
            "gpu" => (tests.gpu, tests.emulated) = (true, true),
            "emulated" => tests.emulated = true,
            "--" => tests.filter = words.by_ref().collect(),
            "-p" | "--features" => {
                let value = words.next().with_context(|| format!("`{word}` requires a value"))?;
                tests.package.extend([word, value]);
            }
            "--release" => tests.package.push(word),
            "--lib" => tests.target.push(word),
            "--test" | "--bin" => {
                let value = words.next().with_context(|| format!("`{word}` requires a value"))?;
                tests.target.extend([word, value]);
            }
            _ => bail!("`{word}` is not understood"),
        }
    }
    if tests.target.is_empty() || tests.package.is_empty() {
        bail!("a package and a target are wanted, such as `-p spelt-core --test views`");
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let text = "\
file: a.rs
tests: -p a --lib -- one
tests: gpu -p a --features b --release --test t

mutant: first
- x < y
+ x <= y

mutant: second
within: let z = x + 1;
tests: -p a --lib
- x + 1
+ x
equivalent: nothing reads z: it is there for looks

file: b.rs
tests: -p b --lib
mutant: third
alone
- one
-
- two
+ three
";
        let mutants = parse("list", text).unwrap();
        assert_eq!(mutants.len(), 3);
        assert_eq!((&*mutants[0].name, mutants[0].tests.len()), ("list/first", 2));
        assert!(mutants[0].tests[1].gpu && mutants[0].tests[1].emulated);
        assert_eq!(mutants[0].tests[0].filter, ["one"]);
        assert_eq!(mutants[1].within.as_deref(), Some("let z = x + 1;"));
        assert_eq!((mutants[1].tests.len(), &*mutants[1].mutated), (1, "x"));
        assert_eq!(mutants[1].equivalent.as_deref(), Some("nothing reads z: it is there for looks"));
        assert_eq!((&*mutants[2].file, &*mutants[2].original), ("b.rs", "one\n\ntwo"));
        assert!(mutants[2].alone && mutants[2].tests.len() == 1);
        for wrong in ["mutant: no-file\n- x\n+ y", "file: a.rs\ntests: --lib", "what: is this"] {
            assert!(parse("list", wrong).is_err(), "{wrong}");
        }
    }
}
