//! `cargo spelt report`: pictures of what `SPELT_TOOLS` wrote.
//!
//! | file | concept |
//! |---|---|
//! | `summary.rs`, `trace.rs` | the two kinds of files |
//! | `ranks.rs` | summaries of several ranks or runs |
//! | `bars.rs`, `steps.rs` | the two kinds of pictures |
//! | `canvas.rs` | text, colours, `.svg` and `.png` |
//! | `units.rs` | numbers with units, and the marks of axes |

mod bars;
mod canvas;
mod ranks;
mod steps;
mod summary;
mod trace;
mod units;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use self::bars::{Bars, Row};
use self::ranks::Kind;
use self::steps::Steps;
use self::summary::{Launches, Summary};
use self::units::{MEMORY, RATE, SMALL_RATE, TIME, digits, with_unit};
use crate::output;

/// The files that can be drawn, for messages.
const WANTED: &str =
    "expected the JSON of a summary (SPELT_TOOLS=summary:FILE.json) or a trace (SPELT_TOOLS=trace:FILE)";

/// Draws the files, and prints the names of the pictures. Several files are those of ranks or runs, which are compared.
pub(crate) fn run(files: &[PathBuf], output: Option<&Path>, peak: Option<f64>) -> Result<ExitCode> {
    const NO_RATES: &str =
        "--peak is the limit of the rates that the picture of one summary shows: leave it out";
    let [file] = files else {
        ensure!(peak.is_none(), "{NO_RATES} for several files");
        return compared(files, output);
    };
    let text = read(file)?;
    ensure!(peak.is_none() || !is_trace(&text), "{NO_RATES} for a trace");
    let drawn =
        pictures(&text, &file_name(file), peak).with_context(|| format!("{}: {WANTED}", file.display()))?;
    save(drawn, &name(file, output)?)
}

/// Compares the summaries of ranks or runs, as a table and a picture.
fn compared(files: &[PathBuf], output: Option<&Path>) -> Result<ExitCode> {
    let summary = |file: &PathBuf| {
        let summary = serde_json::from_str(&read(file)?).context("it is no JSON");
        let summary = summary.and_then(|document| Summary::read(&document));
        let wanted = "of several files, each must be the JSON of the summary of a rank or run";
        Ok((file_name(file), summary.with_context(|| format!("{}: {wanted}", file.display()))?))
    };
    let ranks: Vec<_> = files.iter().map(summary).collect::<Result<_>>()?;
    let balances = ranks::balances(&ranks);
    output::print(&ranks::table(&balances))?;
    let first = files.first().map_or(Path::new("summary"), PathBuf::as_path);
    let (kind, name) = (Kind::of(&ranks), name(first, output)?);
    save(vec![(kind.name(), Drawn::Bars(ranks::bars(&balances, kind, ranks.len())))], &name)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn file_name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Writes the pictures under `name`, and prints their names.
fn save(drawn: Vec<(&str, Drawn)>, name: &Path) -> Result<ExitCode> {
    for (kind, picture) in &drawn {
        let mut name = name.to_owned().into_os_string();
        name.push(format!("-{kind}"));
        let files = match picture {
            Drawn::Bars(bars) => canvas::save(bars, Path::new(&name))?,
            Drawn::Steps(steps) => canvas::save(steps, Path::new(&name))?,
        };
        for file in files {
            output::print(&format!("{}\n", file.display()))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The beginning of the pictures' names. A folder, which ends with a slash, is made.
fn name(file: &Path, output: Option<&Path>) -> Result<PathBuf> {
    let Some(output) = output else { return Ok(file.with_extension("")) };
    if output.to_string_lossy().ends_with(std::path::is_separator) {
        fs::create_dir_all(output)
            .with_context(|| format!("cannot create the folder {}", output.display()))?;
    }
    if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        bail!("there is no folder {}: make it, or end `--output` with a slash", folder.display());
    }
    let is_folder = output.is_dir();
    Ok(if is_folder { output.join(file.file_stem().unwrap_or_default()) } else { output.to_owned() })
}

/// A picture.
#[derive(Debug)]
enum Drawn {
    Bars(Bars),
    Steps(Steps),
}

/// Whether the text of a file is that of a trace, which is an array.
fn is_trace(text: &str) -> bool {
    text.trim_start().starts_with('[')
}

/// The pictures of a file, each with the end of its name.
fn pictures(text: &str, file: &str, peak: Option<f64>) -> Result<Vec<(&'static str, Drawn)>> {
    if is_trace(text) {
        let document = trace::complete(text);
        let events: Vec<Value> = serde_json::from_str(&document).context("it is no JSON")?;
        let (series, length) = trace::memory(&events)?;
        let title = "Memory in use by Views".to_owned();
        return Ok(vec![(
            "memory",
            Drawn::Steps(Steps { title, subtitle: file.to_owned(), series, length }),
        )]);
    }
    let document: Value = serde_json::from_str(text).context("it is no JSON")?;
    if !document.is_object() {
        bail!("it is neither an object nor an array");
    }
    let mut summary = Summary::read(&document)?;
    summary.peak = peak.or(summary.peak);
    // A rate that is given is compared with all, those in caches too.
    summary.launches.iter_mut().for_each(|row| row.is_compared |= peak.is_some());
    let mut pictures = vec![("time", Drawn::Bars(time(&summary, file)))];
    pictures.extend(rates(&summary, file).map(|bars| ("rates", Drawn::Bars(bars))));
    pictures.extend(memory(&summary, file).map(|bars| ("memory", Drawn::Bars(bars))));
    Ok(pictures)
}

/// The names of rows: labels, with pattern and space where a label has several.
fn names(rows: &[&Launches]) -> Vec<String> {
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *labels.entry(&row.label).or_default() += 1;
    }
    let name = |row: &&Launches| match labels[row.label.as_str()] {
        1 => row.label.clone(),
        _ => format!("{} ({}, {})", row.label, row.pattern, row.space),
    };
    rows.iter().map(name).collect()
}

fn calls(number: u64) -> String {
    if number == 1 { "1 call".to_owned() } else { format!("{number} calls") }
}

/// A share of something. Unit: percent.
fn percent(share: f64) -> String {
    if 0.0 < share && share < 0.1 { "< 0.1 %".to_owned() } else { format!("{share:.1} %") }
}

/// A rate in GB/s, or in a smaller unit below a tenth.
fn rate(value: f64) -> String {
    if 0.0 < value && value < 0.1 { with_unit(value, SMALL_RATE) } else { format!("{} GB/s", digits(value)) }
}

/// The time of each label, the longest first.
fn time(summary: &Summary, file: &str) -> Bars {
    let mut launches: Vec<&Launches> = summary.launches.iter().collect();
    launches.sort_by_key(|launches| core::cmp::Reverse(launches.total_ns));
    let share = |ns: u64| 100.0 * ns as f64 / summary.run_ns.max(1) as f64;
    let rows = launches.iter().zip(names(&launches)).map(|(row, name)| Row {
        name,
        value: row.total_ns as f64,
        note: format!(
            "{}, {}, {}",
            with_unit(row.total_ns as f64, TIME),
            percent(share(row.total_ns)),
            calls(row.calls)
        ),
    });
    let [run, inside] = [summary.run_ns, summary.launches_ns].map(|ns| with_unit(ns as f64, TIME));
    Bars {
        title: "Time by label".to_owned(),
        subtitle: format!("{file}: {run}, {inside} of it in launches ({:.1} %)", share(summary.launches_ns)),
        rows: rows.collect(),
        units: TIME,
        axis: "total time",
        limit: None,
    }
}

/// The rate of each label, those with the longest time first, against the limit. `None` if no launch has Views and took time.
fn rates(summary: &Summary, file: &str) -> Option<Bars> {
    let has_rate = |launches: &&Launches| launches.bytes > 0 && launches.total_ns > 0;
    let mut launches: Vec<&Launches> = summary.launches.iter().filter(has_rate).collect();
    launches.sort_by_key(|launches| core::cmp::Reverse(launches.total_ns));
    let row = |(row, name): (&&Launches, String)| {
        // Bytes in a nanosecond.
        let value = row.bytes as f64 / row.total_ns as f64;
        let peak = summary.peak.filter(|_| row.is_compared);
        let of_peak = peak.map_or_else(String::new, |peak| format!(", {}", percent(100.0 * value / peak)));
        let note = format!("{}{of_peak}, {}", rate(value), with_unit(row.total_ns as f64, TIME));
        Row { name, value, note }
    };
    let rows: Vec<Row> = launches.iter().zip(names(&launches)).map(row).collect();
    let limit = summary.peak.map(|peak| (peak, format!("the memory's limit: {} GB/s", digits(peak))));
    let missing = match limit {
        None => "; for the limit, set SPELT_TOOLS_PEAK or --peak",
        Some(_) if launches.iter().any(|row| !row.is_compared) => "; without %: in caches",
        Some(_) => "",
    };
    (!rows.is_empty()).then(|| Bars {
        title: "Rate of memory by label, those that take longest first".to_owned(),
        subtitle: format!("{file}: the size of a launch's Views, each counted once, over its time{missing}"),
        rows,
        units: RATE,
        axis: "rate",
        limit,
    })
}

/// The most memory of each label. `None` if the summary has none.
fn memory(summary: &Summary, file: &str) -> Option<Bars> {
    let mut memory: Vec<_> = summary.memory.iter().collect();
    memory.sort_by_key(|memory| core::cmp::Reverse(memory.high_water_bytes));
    let rows: Vec<Row> = memory
        .iter()
        .map(|row| Row {
            name: row.label.clone(),
            value: row.high_water_bytes as f64,
            note: format!("{}, {}", with_unit(row.high_water_bytes as f64, MEMORY), row.memory),
        })
        .collect();
    (!rows.is_empty()).then(|| Bars {
        title: "Memory by label".to_owned(),
        subtitle: format!("{file}: the most that the Views of a label have had at once"),
        rows,
        units: MEMORY,
        axis: "memory",
        limit: None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{Drawn, name, percent, pictures, rate};

    fn summary() -> String {
        let row = |label: &str, pattern: &str, total_ns: u64, bytes: u64| {
            json!({"label": label, "pattern": pattern, "space": "Serial", "calls": 2, "total_ns": total_ns,
                   "read_bytes": bytes, "written_bytes": bytes})
        };
        let launches = [row("a", "for", 100, 500), row("b", "for", 300, 0), row("a", "reduce", 200, 100)];
        json!({"run_ns": 1000, "launches_ns": 600, "peak_gb_per_s": 40.0, "launches": launches,
               "memory": [{"label": "x", "memory": "HostSpace", "high_water_bytes": 2048}]})
        .to_string()
    }

    fn bars(text: &str, peak: Option<f64>, kind: &str) -> super::Bars {
        let drawn = pictures(text, "s.json", peak).unwrap();
        match drawn.into_iter().find(|(name, _)| *name == kind) {
            Some((_, Drawn::Bars(bars))) => bars,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_summary_becomes_bars() {
        let time = bars(&summary(), None, "time");
        let rows: Vec<_> =
            time.rows.iter().map(|row| (row.name.as_str(), row.value, row.note.as_str())).collect();
        let wanted = [
            ("b", 300.0, "300 ns, 30.0 %, 2 calls"),
            ("a (reduce, Serial)", 200.0, "200 ns, 20.0 %, 2 calls"),
            ("a (for, Serial)", 100.0, "100 ns, 10.0 %, 2 calls"),
        ];
        assert_eq!(rows, wanted);
        assert_eq!(time.subtitle, "s.json: 1.00 us, 600 ns of it in launches (60.0 %)");
        let rates = bars(&summary(), None, "rates");
        let values: Vec<_> = rates.rows.iter().map(|row| row.value).collect();
        assert_eq!(values, [1.0, 10.0], "`b` has no Views");
        assert_eq!(rates.rows[1].note, "10.0 GB/s, 25.0 %, 100 ns");
        assert_eq!(rates.limit, Some((40.0, "the memory's limit: 40.0 GB/s".to_owned())));
        assert_eq!(bars(&summary(), Some(20.0), "rates").limit.unwrap().0, 20.0, "the option comes first");
        let memory = bars(&summary(), None, "memory");
        assert_eq!(memory.rows[0].note, "2.05 kB, HostSpace");
    }

    #[test]
    fn small_numbers_are_not_shown_as_none() {
        assert_eq!(
            [0.0, 0.00004, 0.0123, 0.0999, 0.1, 31.0].map(rate),
            ["0 GB/s", "40.0 kB/s", "12.3 MB/s", "99.9 MB/s", "0.10 GB/s", "31.0 GB/s"]
        );
        assert_eq!([0.0, 0.02, 0.1, 99.96].map(percent), ["0.0 %", "< 0.1 %", "0.1 %", "100.0 %"]);
    }

    #[test]
    fn rates_in_caches_have_no_part_of_the_limit() {
        let mut document: serde_json::Value = serde_json::from_str(&summary()).unwrap();
        document["launches"][0]["percent_of_peak"] = json!(null);
        let notes = |peak| {
            let rates = bars(&document.to_string(), peak, "rates");
            let notes: Vec<_> = rates.rows.into_iter().map(|row| row.note).collect();
            (notes, rates.subtitle.contains("without %: in caches"))
        };
        let note = |text: &str| text.to_owned();
        assert_eq!(notes(None), (vec![note("1.00 GB/s, 2.5 %, 200 ns"), note("10.0 GB/s, 100 ns")], true));
        assert_eq!(notes(Some(20.0)).0[1], "10.0 GB/s, 50.0 %, 100 ns");
    }

    #[test]
    fn pictures_that_would_be_empty_are_not_drawn() {
        let text = json!({"run_ns": 0, "launches_ns": 0, "launches": []}).to_string();
        let kinds: Vec<_> =
            pictures(&text, "s.json", None).unwrap().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["time"]);
    }

    #[test]
    fn pictures_are_named_after_the_file_or_as_asked() {
        let folder = tempfile::tempdir().unwrap();
        let name = |output: Option<&Path>| name(Path::new("a/s.json"), output).unwrap();
        assert_eq!(name(None), Path::new("a/s"));
        assert_eq!(name(Some(folder.path())), folder.path().join("s"));
        let [there, missing] = ["c.d", "none/c.d"].map(|name| folder.path().join(name));
        assert_eq!(name(Some(&there)), there);
        assert_eq!(name(Some(Path::new("c.d"))), Path::new("c.d"));
        let error = super::name(Path::new("a/s.json"), Some(&missing)).unwrap_err().to_string();
        assert!(error.starts_with("there is no folder ") && error.contains("none: make it"), "{error}");
    }
}
