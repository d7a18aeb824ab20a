//! Where functions come from: the crates, and the archives behind them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use crate::Error;
use crate::archive::{Archive, Member};

/// A file with bitcode that may define something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// A crate, by number.
    Crate(usize),
    /// A member of an archive, by the archive's number.
    Member(usize, Member),
}

/// The crates and archives of a link.
#[derive(Debug)]
pub(crate) struct Sources {
    crates: Vec<(PathBuf, Vec<u8>)>,
    defined: HashMap<String, usize>,
    paths: Vec<PathBuf>,
    archives: Vec<Archive>,
    /// Members that were compiled without bitcode.
    pub(crate) without_bitcode: HashSet<PathBuf>,
}

impl Sources {
    pub(crate) fn read(crates: &[PathBuf], archives: &[PathBuf]) -> Result<Self, Error> {
        let read = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
            Ok((path.clone(), bytes))
        };
        let crates = crates.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self {
            crates,
            defined: HashMap::new(),
            paths: archives.to_vec(),
            archives: Vec::new(),
            without_bitcode: HashSet::new(),
        })
    }

    pub(crate) fn crates(&self) -> usize {
        self.crates.len()
    }

    /// Name and bitcode of a crate.
    pub(crate) fn crate_bitcode(&self, number: usize) -> (String, &[u8]) {
        let (path, bytes) = &self.crates[number];
        (path.display().to_string(), bytes)
    }

    /// Notes that crate `number` defines `symbol`. The first crate that does is asked for it.
    pub(crate) fn defines(&mut self, symbol: &str, number: usize) {
        if !self.defined.contains_key(symbol) {
            self.defined.insert(symbol.to_owned(), number);
        }
    }

    /// Whether one of the crates defines `symbol`.
    pub(crate) fn in_crates(&self, symbol: &str) -> bool {
        self.defined.contains_key(symbol)
    }

    /// Whether crate `number` is the first that defines one of these symbols.
    pub(crate) fn any_first_in<'s>(&self, mut symbols: impl Iterator<Item = &'s str>, number: usize) -> bool {
        symbols.any(|symbol| self.defined.get(symbol) == Some(&number))
    }

    /// The symbols of the crates that start with `prefix`.
    pub(crate) fn names_with_prefix(&self, prefix: &str) -> HashSet<String> {
        self.defined.keys().filter(|symbol| symbol.starts_with(prefix)).cloned().collect()
    }

    /// The source that defines each of these symbols, if any does, in the order of crates and archives. Archives are opened if a symbol is not in a crate.
    pub(crate) fn find(&mut self, symbols: &HashSet<String>) -> Result<BTreeSet<Source>, Error> {
        let mut found = BTreeSet::new();
        let mut missing: HashSet<&[u8]> = HashSet::new();
        for symbol in symbols {
            match self.defined.get(symbol) {
                Some(number) => _ = found.insert(Source::Crate(*number)),
                None => _ = missing.insert(symbol.as_bytes()),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        if self.archives.is_empty() {
            self.archives = self.paths.iter().map(|path| Archive::open(path)).collect::<Result<_, _>>()?;
        }
        for (number, archive) in self.archives.iter().enumerate() {
            archive.each_symbol(|symbol, member| {
                if missing.remove(symbol) {
                    found.insert(Source::Member(number, member));
                }
            })?;
        }
        Ok(found)
    }

    /// Name and bitcode of a source; `None` if it was compiled without bitcode.
    pub(crate) fn bitcode(&mut self, source: Source) -> Result<Option<(String, Vec<u8>)>, Error> {
        match source {
            Source::Crate(number) => {
                let (path, bytes) = &self.crates[number];
                Ok(Some((path.display().to_string(), bytes.clone())))
            }
            Source::Member(number, member) => {
                let archive = &self.archives[number];
                let name = archive.path().display().to_string();
                let bitcode = archive.bitcode(member)?;
                if bitcode.is_none() {
                    self.without_bitcode.insert(archive.path().to_path_buf());
                }
                Ok(bitcode.map(|bytes| (name, bytes)))
            }
        }
    }
}
