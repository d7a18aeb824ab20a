//! The file of choices: text, a line for each.

use core::fmt::Write as _;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use spelt_policies::Schedule;

use super::choice::Choice;
use super::key::Key;
use crate::isa::Level;
use crate::tools::Pattern;
use crate::tools::replace::replace;

/// The first line, by which the file is known.
const FIRST: &str = "# spelt tuning 1";

/// Notes for a reader of the file.
const COMMENT: &str = "\
# The fastest settings of launches, as tried by SPELT_TUNE: chunk, schedule, tiles of the last two dimensions, and the level of instructions
# (isa). A setting that is missing is the default. No result depends on them. Never tuned, because results may: the size of teams, team_reduce and team_scan. Sums of floats
# by atomic operations differ from run to run, tuned or not. Devices, launches on one thread, leagues of teams of several threads, and
# launches of fewer than 8192 iterations (reductions: 20480; leagues: two teams for each thread) are not tuned either; of scans the chunk is.
# What a program sets itself is never changed. Remove a line, or the file, to have it tried again.
";

/// The rank of a league.
const TEAMS: &str = "teams";

/// A choice, and the median time of its launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) choice: Choice,
    /// That of the shortest launch of the class. Unit: ns.
    pub(super) median: u64,
}

/// Reads a file: nothing, if there is none.
///
/// # Errors
/// If it cannot be read, or a line is damaged, with the line.
pub(super) fn read(file: &Path) -> Result<BTreeMap<Key, Settled>, String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(format!("it cannot be read: {error}")),
    };
    let mut lines = text.lines();
    if lines.next() != Some(FIRST) {
        return Err(format!("its first line is not `{FIRST}`"));
    }
    let mut all = BTreeMap::new();
    for (place, line) in
        lines.enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
    {
        let (key, settled) = parse(line).ok_or_else(|| format!("line {} is damaged: `{line}`", place + 2))?;
        all.insert(key, settled);
    }
    Ok(all)
}

/// Replaces the file: readers see the old one or the new one.
pub(super) fn write<'a>(file: &Path, all: impl Iterator<Item = (&'a Key, &'a Settled)>) -> io::Result<()> {
    let mut text = format!("{FIRST}\n{COMMENT}");
    all.for_each(|(key, settled)| line(&mut text, key, settled));
    replace(file, &text)
}

fn line(text: &mut String, key: &Key, Settled { choice, median }: &Settled) {
    let Key { label, pattern, rank, space, threads, size } = key;
    let space = escaped(space);
    let rank = rank.map_or_else(|| TEAMS.to_owned(), |rank| rank.to_string());
    _ = write!(text, "{} rank={rank} space={space} threads={threads} size={size}", pattern.name());
    if let Some(chunk) = choice.chunk {
        _ = write!(text, " chunk={chunk}");
    }
    if let Some(schedule) = choice.schedule {
        let name = if schedule == Schedule::Dynamic { "dynamic" } else { "static" };
        _ = write!(text, " schedule={name}");
    }
    if let Some([rows, columns]) = choice.tile {
        _ = write!(text, " tile={rows},{columns}");
    }
    if let Some((name, _)) = Level::NAMED.iter().find(|(_, level)| Some(*level) == choice.level) {
        _ = write!(text, " isa={name}");
    }
    _ = writeln!(text, " median_ns={median} label={}", escaped(label));
}

fn parse(line: &str) -> Option<(Key, Settled)> {
    let mut words = line.split(' ');
    let pattern = match words.next()? {
        "for" => Pattern::For,
        "reduce" => Pattern::Reduce,
        "scan" => Pattern::Scan,
        _ => return None,
    };
    let mut members = BTreeMap::new();
    for word in words {
        let (name, value) = word.split_once('=')?;
        let is_known =
            ["rank", "space", "threads", "size", "chunk", "schedule", "tile", "isa", "median_ns", "label"]
                .contains(&name);
        if !is_known || members.insert(name, value).is_some() {
            return None;
        }
    }
    let above_zero = |value: &str| value.parse::<usize>().ok().filter(|value| *value > 0);
    let chunk = match members.get("chunk") {
        None => None,
        Some(value) => Some(above_zero(value)?),
    };
    let schedule = match members.get("schedule") {
        None => None,
        Some(&"dynamic") => Some(Schedule::Dynamic),
        Some(&"static") => Some(Schedule::Static),
        Some(_) => return None,
    };
    let tile = match members.get("tile") {
        None => None,
        Some(value) => {
            let (rows, columns) = value.split_once(',')?;
            Some([above_zero(rows)?, above_zero(columns)?])
        }
    };
    let level = match members.get("isa") {
        None => None,
        Some(value) => Some(Level::NAMED.iter().find(|(name, _)| name == value)?.1),
    };
    let key = Key {
        label: plain(members.get("label")?)?,
        pattern,
        rank: match *members.get("rank")? {
            TEAMS => None,
            rank => Some(above_zero(rank)?),
        },
        space: plain(members.get("space")?)?,
        threads: above_zero(members.get("threads")?)?,
        size: members.get("size")?.parse().ok()?,
    };
    let median = members.get("median_ns")?.parse().ok()?;
    Some((key, Settled { choice: Choice { chunk, schedule, tile, level }, median }))
}

/// A name as one word.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            ' ' => text.push_str("\\s"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            _ => text.push(character),
        }
    }
    text
}

/// The name that a word stands for.
fn plain(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        name.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                's' => ' ',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(label: &str) -> Key {
        let (label, space) = (label.to_owned(), "Threads".to_owned());
        Key { label, pattern: Pattern::For, rank: Some(2), space, threads: 4, size: 20 }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = std::env::temp_dir().join(format!("spelt-tuning-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("choices");
        assert_eq!(read(&file), Ok(BTreeMap::new()));
        let mut all = BTreeMap::new();
        for (number, label) in ["", "axpy", "a b\\s=#\n\r", "# x", "ß  "].into_iter().enumerate() {
            let choice = Choice {
                chunk: (number % 2 == 0).then_some(64),
                schedule: [None, Some(Schedule::Static), Some(Schedule::Dynamic)][number % 3],
                tile: (number > 2).then_some([8, number]),
                level: [None, Some(Level::Avx2), Some(Level::Baseline), Some(Level::Avx512)][number % 4],
            };
            all.insert(key(label), Settled { choice, median: number as u64 });
        }
        all.insert(
            Key { pattern: Pattern::Reduce, ..key("axpy") },
            Settled { choice: Choice::default(), median: 1 },
        );
        for pattern in [Pattern::For, Pattern::Reduce, Pattern::Scan] {
            let choice = Choice { chunk: Some(2), ..Choice::default() };
            all.insert(Key { pattern, rank: None, ..key("axpy") }, Settled { choice, median: 2 });
        }
        for _ in 0..2 {
            write(&file, all.iter()).expect("written");
            assert_eq!(read(&file).as_ref(), Ok(&all));
        }
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        fs::remove_dir_all(&folder).expect("removed");
        assert!(write(&file, all.iter()).is_err());
    }

    #[test]
    fn damage_is_named_with_its_line() {
        let file = std::env::temp_dir().join(format!("spelt-damaged-{}", std::process::id()));
        let good = "for rank=1 space=Threads threads=2 size=13 chunk=64 schedule=dynamic tile=8,64 isa=avx2 median_ns=5 label=axpy";
        assert!(parse(good).is_some());
        let wrong = [
            ("for ", "scans "),
            ("rank=1", "rank=0"),
            ("rank=1", "rank=team"),
            ("rank=1 ", ""),
            ("rank=1", "rank=1 rank=2"),
            ("size=13", "size=-1"),
            ("chunk=64", "chunk=0"),
            ("chunk=64", "chunks=64"),
            ("dynamic", "guided"),
            ("8,64", "8"),
            ("8,64", "8,0"),
            ("isa=avx2", "isa=avx3"),
            ("median_ns=5", "median_ns="),
            ("axpy", "a\\b"),
            ("axpy", "axpy\\"),
            (" label=axpy", ""),
        ];
        for (right, wrong) in wrong {
            let line = good.replacen(right, wrong, 1);
            assert_ne!(line, good);
            fs::write(&file, format!("{FIRST}\n{COMMENT}\n{good}\n{line}\n")).expect("written");
            assert_eq!(read(&file), Err(format!("line 9 is damaged: `{line}`")));
        }
        for text in ["", "# spelt tuning 2\n", "\0\0\0"] {
            fs::write(&file, text).expect("written");
            assert_eq!(read(&file), Err(format!("its first line is not `{FIRST}`")));
        }
        fs::write(&file, [0xff, 0xfe]).expect("written");
        assert!(read(&file).expect_err("no text").starts_with("it cannot be read"));
        fs::remove_file(&file).expect("removed");
    }
}
