//! The launches of a file of checks.

use core::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::values::Number;

/// A file that is read launch by launch.
pub(crate) struct CheckFile {
    path: PathBuf,
    /// The rank that wrote it, if a launcher had started the program.
    rank: Option<u64>,
    lines: std::io::Lines<BufReader<File>>,
    /// The number of lines that have been read.
    line: usize,
}

/// A launch, and the Views that it has written.
#[derive(Debug)]
pub(crate) struct Launch {
    pub(crate) number: u64,
    pub(crate) label: String,
    pub(crate) pattern: String,
    pub(crate) space: String,
    pub(crate) iterations: u64,
    pub(crate) has_failed: bool,
    pub(crate) views: Vec<View>,
}

/// A View after a launch.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) label: String,
    pub(crate) extents: Vec<usize>,
    pub(crate) origin: Vec<i64>,
    /// The reason why it could not be read; the following members are empty then.
    pub(crate) unread: Option<String>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) hash: String,
    pub(crate) block_elements: usize,
    /// The hash of each block, in 16 digits.
    pub(crate) blocks: String,
    /// The contents, if they are small.
    pub(crate) contents: Option<Vec<u8>>,
    /// The file of the contents, if they were asked for.
    pub(crate) file: Option<PathBuf>,
}

impl View {
    /// The size of an element. Unit: bytes.
    pub(crate) fn element_bytes(&self) -> usize {
        self.numbers.iter().map(|number| number.bytes()).sum()
    }
}

impl CheckFile {
    /// Opens the file and reads its first line.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let lines = BufReader::new(file).lines();
        let mut file = Self { path: path.to_owned(), rank: None, lines, line: 0 };
        let Ok(first) = file.line() else {
            bail!("{file} is not a file of checks: `SPELT_TOOLS=check:FILE` writes one")
        };
        file.rank = first.as_ref().and_then(|line| line["rank"].as_u64());
        match first.as_ref().map(|line| line["spelt_check"].as_u64()) {
            Some(Some(1)) => Ok(file),
            Some(Some(version)) => bail!("{file} has the form {version} of checks, and this program knows 1"),
            _ => bail!("{file} is not a file of checks: `SPELT_TOOLS=check:FILE` writes one"),
        }
    }

    /// The name that the program was given: without the number of the rank, which each rank adds before the extension.
    pub(crate) fn name_for_program(&self) -> PathBuf {
        let rank = self.rank.map(|rank| rank.to_string());
        let (stem, extension) = (self.path.file_stem(), self.path.extension());
        let without = || match (rank, stem?.to_str()?, extension?.to_str()?) {
            (Some(rank), stem, extension) if rank == extension => Some(stem.to_owned()),
            (Some(rank), stem, extension) => {
                Some(format!("{}.{extension}", stem.strip_suffix(&rank)?.strip_suffix('.')?))
            }
            _ => None,
        };
        without().map_or_else(|| self.path.clone(), |name| self.path.with_file_name(name))
    }

    /// The next launch.
    pub(crate) fn next(&mut self) -> Result<Option<Launch>> {
        let Some(line) = self.line()? else { return Ok(None) };
        let launch = launch(&line, self.path.parent().unwrap_or(Path::new("")));
        launch.map(Some).with_context(|| format!("line {} of {self} is none of a launch", self.line))
    }

    fn line(&mut self) -> Result<Option<Value>> {
        self.line += 1;
        let Some(line) = self.lines.next() else { return Ok(None) };
        let line = line.with_context(|| format!("cannot read {self}"))?;
        let value = serde_json::from_str(&line);
        value.map(Some).with_context(|| format!("line {} of {self} is damaged", self.line))
    }
}

impl fmt::Display for CheckFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

fn text(value: &Value, name: &str) -> Result<String> {
    value[name].as_str().map(str::to_owned).with_context(|| format!("`{name}` is missing"))
}

fn number(value: &Value, name: &str) -> Result<u64> {
    value[name].as_u64().with_context(|| format!("`{name}` is missing"))
}

fn launch(line: &Value, folder: &Path) -> Result<Launch> {
    let views = line["views"].as_array().context("`views` is missing")?;
    Ok(Launch {
        number: number(line, "launch")?,
        label: text(line, "label")?,
        pattern: text(line, "pattern")?,
        space: text(line, "space")?,
        iterations: number(line, "iterations")?,
        has_failed: line["failed"] == true,
        views: views.iter().map(|value| view(value, folder)).collect::<Result<_>>()?,
    })
}

fn view(value: &Value, folder: &Path) -> Result<View> {
    let label = text(value, "label")?;
    let extents = value["extents"].as_array().context("`extents` are missing")?;
    let extents: Vec<usize> = extents
        .iter()
        .map(|extent| {
            extent.as_u64().and_then(|extent| extent.try_into().ok()).context("an extent is damaged")
        })
        .collect::<Result<_>>()?;
    let mut origin = vec![0; extents.len()];
    if let Some(given) = value["origin"].as_array() {
        ensure!(given.len() == origin.len(), "`origin` has another rank than `extents`");
        for (first, given) in origin.iter_mut().zip(given) {
            *first = given.as_i64().context("`origin` is damaged")?;
        }
    }
    let mut view = View {
        label,
        extents,
        origin,
        unread: value["unread"].as_str().map(str::to_owned),
        numbers: Vec::new(),
        hash: String::new(),
        block_elements: 1,
        blocks: String::new(),
        contents: None,
        file: value["file"].as_str().map(|name| folder.join(name)),
    };
    if view.unread.is_some() {
        return Ok(view);
    }
    for name in value["numbers"].as_array().context("`numbers` are missing")? {
        let name = name.as_str().context("`numbers` are damaged")?;
        view.numbers.push(Number::named(name).with_context(|| format!("there are no numbers `{name}`"))?);
    }
    view.hash = text(value, "hash")?;
    if let Some(contents) = value["contents"].as_str() {
        let bytes = bytes(contents).context("`contents` are damaged")?;
        let len = view.extents.iter().try_fold(view.element_bytes(), |len, extent| len.checked_mul(*extent));
        ensure!(len == Some(bytes.len()), "`contents` have another size than the View");
        view.contents = Some(bytes);
    } else {
        view.block_elements = usize::try_from(number(value, "block_elements")?)?;
        view.blocks = text(value, "blocks")?;
        ensure!(view.block_elements > 0 && view.blocks.len().is_multiple_of(16), "`blocks` are damaged");
        ensure!(view.blocks.is_ascii(), "`blocks` are damaged");
    }
    Ok(view)
}

/// The bytes of a text of two digits for each.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| (16 * high + low) as u8).collect();
    rest.is_empty().then_some(bytes)
}
