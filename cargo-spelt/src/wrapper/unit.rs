//! The crate that a command line compiles.

use std::path::PathBuf;

use super::arguments::Arguments;
use super::record;

/// A crate that rustc is to generate code for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) name: String,
    /// Whether an rlib is made.
    pub(crate) is_library: bool,
    /// Whether something is linked: a program, a test, or a dynamic or static library.
    pub(crate) is_linked: bool,
    /// Whether cargo only checks it and makes no code.
    pub(crate) is_checked: bool,
    /// Whether it is a harness of tests or benchmarks.
    pub(crate) is_harness: bool,
    pub(crate) folder: PathBuf,
    /// The crates that it depends on directly: rlibs, their metadata, or dynamic libraries.
    pub(crate) externs: Vec<PathBuf>,
    /// The list of the files that it is made of, for cargo.
    pub(crate) dep_info: Option<PathBuf>,
    /// Whether cargo wants messages in JSON.
    pub(crate) wants_json: bool,
    /// The target, where it is not the host.
    pub(crate) target: Option<String>,
    /// The suffix of file names in the folder.
    extra: String,
    /// The hash that distinguishes this crate from others of the same name.
    metadata: String,
}

impl Unit {
    /// `None` if no code is generated, or none that could run kernels. With `check`, units that are only checked count too.
    pub(crate) fn of(arguments: &Arguments, check: bool) -> Option<Self> {
        let name = arguments.values("--crate-name").last()?.to_owned();
        let emitted: Vec<&str> = arguments.values("--emit").flat_map(|kinds| kinds.split(',')).collect();
        let folder = PathBuf::from(arguments.values("--out-dir").last()?);
        let is_question = arguments.values("--print").next().is_some() || arguments.has_word("-");
        // The name that cargo gives the crates of build scripts.
        let is_checked = check && emitted.contains(&"metadata") && !emitted.contains(&"link");
        if is_question || !(is_checked || emitted.contains(&"link")) || name.starts_with("build_script_") {
            return None;
        }
        let is_harness = arguments.has_word("--test");
        let types: Vec<&str> = arguments.values("--crate-type").flat_map(|types| types.split(',')).collect();
        if types.contains(&"proc-macro") && !is_harness {
            return None;
        }
        let is_library = !is_harness && types.iter().any(|its| matches!(*its, "lib" | "rlib"));
        let is_linked = is_harness
            || types.is_empty()
            || types.iter().any(|its| matches!(*its, "bin" | "cdylib" | "dylib" | "staticlib"));
        let externs = arguments.values("--extern").filter_map(|value| value.split_once('='));
        let externs = externs.map(|(_, path)| PathBuf::from(path)).collect();
        let extra = arguments.codegen("extra-filename").unwrap_or_default().to_owned();
        let dep_info = emitted.iter().find_map(|kind| match kind.split_once('=') {
            Some(("dep-info", path)) => Some(path.into()),
            None if *kind == "dep-info" => Some(folder.join(format!("{name}{extra}.d"))),
            _ => None,
        });
        let wants_json = arguments.values("--error-format").last() == Some("json");
        let metadata = arguments.codegen("metadata").unwrap_or_default().to_owned();
        let target = arguments.values("--target").last().map(str::to_owned);
        Some(Self {
            target,
            name,
            is_library,
            is_linked,
            is_checked,
            is_harness,
            folder,
            externs,
            dep_info,
            wants_json,
            extra,
            metadata,
        })
    }

    /// Where the rlib goes.
    pub(crate) fn rlib(&self) -> PathBuf {
        self.folder.join(format!("lib{}{}.rlib", self.name, self.extra))
    }

    /// The name of the program among all that are built in one target folder.
    pub(crate) fn program_name(&self) -> String {
        format!("{}-{}", self.name, self.metadata)
    }

    /// Whether this is a library of Spelt's own.
    pub(crate) fn is_part_of_spelt(&self) -> bool {
        self.is_library && is_of_spelt(&self.name)
    }

    /// Whether this crate may hold kernels, or code of them: it is of Spelt, or depends on a crate that may.
    pub(crate) fn may_hold_kernels(&self) -> bool {
        is_of_spelt(&self.name) || self.externs.iter().any(|path| record::is_device_crate(path))
    }
}

fn is_of_spelt(name: &str) -> bool {
    // The device link is for the host: it would be the one crate of this name in a build script.
    name == "spelt" || (name.starts_with("spelt_") && name != "spelt_device_link")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use super::*;

    fn unit(line: &str) -> Option<Unit> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Unit::of(&Arguments::parse(&words).unwrap(), false)
    }

    #[test]
    fn programs_and_libraries_are_told_apart() {
        let library =
            unit("--crate-name spelt_a --crate-type lib --emit=dep-info,metadata,link --out-dir d -C extra-filename=-1")
                .unwrap();
        assert!(library.is_library && !library.is_linked && library.may_hold_kernels());
        assert_eq!(library.rlib(), Path::new("d/libspelt_a-1.rlib"));
        assert_eq!(library.dep_info.as_deref(), Some(Path::new("d/spelt_a-1.d")));
        let program = unit("--crate-name a --crate-type bin --emit=dep-info,link --out-dir d").unwrap();
        assert!(!program.is_library && program.is_linked && !program.may_hold_kernels());
        let test = unit("--crate-name a --test --emit=dep-info,link --out-dir d").unwrap();
        assert!(test.is_harness && test.is_linked && !test.is_library);
        let both =
            unit("--crate-name a --crate-type lib --crate-type cdylib --emit=link --out-dir d").unwrap();
        assert!(both.is_library && both.is_linked);
    }

    #[test]
    fn units_that_are_only_checked_count_where_kernels_are_checked() {
        let line = "--crate-name a --crate-type bin --emit=dep-info,metadata --out-dir d";
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let arguments = Arguments::parse(&words).unwrap();
        assert_eq!(Unit::of(&arguments, false), None);
        assert!(Unit::of(&arguments, true).is_some_and(|unit| unit.is_checked && unit.is_linked));
        assert!(!unit(&line.replace("metadata", "metadata,link")).unwrap().is_checked);
    }

    #[test]
    fn what_runs_on_the_host_alone_is_left_alone() {
        for line in [
            "--crate-name a --crate-type proc-macro --emit=dep-info,link --out-dir d",
            "--crate-name build_script_build --crate-type bin --emit=dep-info,link --out-dir d",
            "--crate-name a --crate-type lib --emit=dep-info,metadata --out-dir d",
            "--crate-name ___ - --print=file-names --crate-type bin --out-dir d --emit=link",
            "-vV",
        ] {
            assert_eq!(unit(line), None, "{line}");
        }
    }
}
