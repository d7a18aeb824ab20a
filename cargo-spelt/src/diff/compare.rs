//! The first difference between two launches.

use core::fmt::Write;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::file::{CheckFile, Launch, View};

/// A launch in a sentence.
pub(crate) fn name(launch: &Launch) -> String {
    let Launch { number, pattern, label, space, .. } = launch;
    format!("launch {number}, {pattern} `{label}` on {space}")
}

/// The difference between two launches at the same place, in words; `None` if there is none. The space may differ.
pub(crate) fn difference(
    a_file: &CheckFile,
    a: &Launch,
    b_file: &CheckFile,
    b: &Launch,
) -> Result<Option<String>> {
    let both = |a: &str, b: &str| format!("  {a_file}: {a}\n  {b_file}: {b}\n");
    let (a_name, b_name) = (name(a), name(b));
    if (&a.pattern, &a.label) != (&b.pattern, &b.label) {
        return Ok(Some(format!("the runs launch something else\n{}", both(&a_name, &b_name))));
    }
    let head = format!("{a_name} differs\n");
    let place =
        if a.number == b.number && a.space == b.space { String::new() } else { both(&a_name, &b_name) };
    let differ =
        |what: &str, a: &str, b: &str| Some(format!("{head}{place}  {what} differ:\n{}", both(a, b)));
    if a.iterations != b.iterations {
        return Ok(differ("the numbers of iterations", &a.iterations.to_string(), &b.iterations.to_string()));
    }
    if a.has_failed != b.has_failed {
        let outcome = |launch: &Launch| if launch.has_failed { "it has failed" } else { "it has succeeded" };
        return Ok(differ("the outcomes", outcome(a), outcome(b)));
    }
    let labels = |launch: &Launch| {
        let labels = launch.views.iter().map(|view| format!("`{}` {:?}", view.label, view.extents));
        labels.collect::<Vec<_>>().join(", ")
    };
    let shape = |view: &View| (view.label.clone(), view.extents.clone(), view.origin.clone());
    if !a.views.iter().map(shape).eq(b.views.iter().map(shape)) {
        return Ok(differ("the Views that it has written", &labels(a), &labels(b)));
    }
    for (first, second) in a.views.iter().zip(&b.views) {
        let label = &first.label;
        if first.numbers != second.numbers || first.unread != second.unread {
            let elements = |view: &View| match &view.unread {
                Some(reason) => format!("not read: {reason}"),
                None => view.numbers.iter().map(|number| number.name()).collect::<Vec<_>>().join(", "),
            };
            return Ok(differ(&format!("the elements of `{label}`"), &elements(first), &elements(second)));
        }
        if first.hash != second.hash {
            let text = contents(a_file, a, first, b_file, b, second)?;
            return Ok(Some(format!("{head}{place}{text}")));
        }
    }
    Ok(None)
}

/// The difference between the contents of two Views of one shape.
fn contents(
    a_file: &CheckFile,
    a_launch: &Launch,
    a: &View,
    b_file: &CheckFile,
    b_launch: &Launch,
    b: &View,
) -> Result<String> {
    let (label, size) = (&a.label, a.element_bytes());
    let found = match (&a.contents, &b.contents, &a.file, &b.file) {
        (Some(a), Some(b), ..) => first_difference(&a[..], &b[..], size)?,
        (_, _, Some(a), Some(b)) => first_difference(open(a)?, open(b)?, size)?,
        _ => {
            let (a_number, b_number) = (a_launch.number, b_launch.number);
            let [a_name, b_name] = [a_file, b_file].map(CheckFile::name_for_program);
            return Ok(format!(
                "{}  to find the element, run both again with SPELT_TOOLS=check:{}:{a_number} and \
                 SPELT_TOOLS=check:{}:{b_number}, and compare again\n",
                blocks(a, b),
                a_name.display(),
                b_name.display()
            ));
        }
    };
    let Some((element, a_bytes, b_bytes)) = found else {
        bail!(
            "the contents of `{label}` are the same and their hashes are not: are the files beside {a_file} and {b_file} those of these \
             runs?"
        );
    };
    let mut text = format!("  `{label}` differs first at {:?}", index(a, element));
    let mut offset = 0;
    for (place, number) in a.numbers.iter().enumerate() {
        let bytes = offset..offset + number.bytes();
        offset = bytes.end;
        let (first, second) = (&a_bytes[bytes.clone()], &b_bytes[bytes]);
        if first != second {
            if a.numbers.len() > 1 {
                _ = write!(text, ", in number {place} of the element ({})", number.name());
            }
            _ = write!(text, "\n  {a_file}: {}\n  {b_file}: {}\n", number.text(first), number.text(second));
            break;
        }
    }
    Ok(text)
}

fn open(path: &Path) -> Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(BufReader::new(file))
}

/// An element that differs, with its bytes in both.
type Different = (usize, Vec<u8>, Vec<u8>);

/// The first element that differs.
fn first_difference(mut a: impl Read, mut b: impl Read, size: usize) -> Result<Option<Different>> {
    let (mut first, mut second) = (vec![0; size], vec![0; size]);
    for element in 0.. {
        let is_there = next(&mut a, &mut first)?;
        if is_there != next(&mut b, &mut second)? {
            bail!("the files of the contents have different sizes: are they those of these runs?");
        }
        if !is_there {
            break;
        }
        if first != second {
            return Ok(Some((element, first, second)));
        }
    }
    Ok(None)
}

/// Reads an element; false at the end.
fn next(from: &mut impl Read, element: &mut [u8]) -> Result<bool> {
    match from.read_exact(element) {
        Ok(()) => Ok(!element.is_empty()),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error).context("cannot read the contents"),
    }
}

/// The first block that differs, and how many do.
fn blocks(a: &View, b: &View) -> String {
    let (blocks, size) = (a.blocks.len() / 16, a.block_elements);
    let differ = |block: &usize| {
        a.blocks.get(16 * block..16 * block + 16) != b.blocks.get(16 * block..16 * block + 16)
    };
    let differing: Vec<usize> = (0..blocks).filter(differ).collect();
    let len = a.extents.iter().product::<usize>();
    let Some(first) = differing.first() else { return format!("  `{}` differs\n", a.label) };
    let last = (first * size + size).min(len) - 1;
    format!(
        "  `{}` differs in {} of {blocks} blocks, first between {:?} and {:?}\n",
        a.label,
        differing.len(),
        index(a, first * size),
        index(a, last)
    )
}

/// The index of the `element`-th element, in the order of the indices.
fn index(view: &View, mut element: usize) -> Vec<i64> {
    let mut index = view.origin.to_vec();
    for (place, extent) in index.iter_mut().zip(&view.extents).rev() {
        *place += (element % extent) as i64;
        element /= extent;
    }
    index
}
