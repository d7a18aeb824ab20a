//! The JSON of a summary: `SPELT_TOOLS=summary:FILE.json`.

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// A summary, as far as pictures need it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) run_ns: u64,
    pub(super) launches_ns: u64,
    /// The number among the processes of a launcher.
    pub(super) rank: Option<u64>,
    /// The rate of the machine's memory, if it is known. Unit: GB/s.
    pub(super) peak: Option<f64>,
    pub(super) launches: Vec<Launches>,
    /// Empty if the summary has none.
    pub(super) memory: Vec<Memory>,
}

/// The launches of one label, pattern and space.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Launches {
    pub(super) label: String,
    pub(super) pattern: String,
    pub(super) space: String,
    pub(super) calls: u64,
    pub(super) total_ns: u64,
    /// The bytes that are read and written.
    pub(super) bytes: u64,
    /// Whether the rate compares with the peak: not where the Views fit in caches.
    pub(super) is_compared: bool,
}

/// The most memory that Views of a label have had at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) label: String,
    pub(super) memory: String,
    pub(super) high_water_bytes: u64,
}

impl Summary {
    /// # Errors
    /// The first member that is missing or has another type.
    pub(super) fn read(document: &Value) -> Result<Self> {
        let launches = list(document, "launches")?.iter().enumerate();
        let launches =
            launches.map(|(place, row)| launches_of(row).with_context(|| format!("`launches[{place}]`")));
        let memory = match document.get("memory") {
            None => Vec::new(),
            Some(_) => list(document, "memory")?
                .iter()
                .enumerate()
                .map(|(place, row)| memory_of(row).with_context(|| format!("`memory[{place}]`")))
                .collect::<Result<_>>()?,
        };
        let peak = match document.get("peak_gb_per_s") {
            None | Some(Value::Null) => None,
            Some(peak) => match peak.as_f64().filter(|peak| *peak > 0.0) {
                Some(peak) => Some(peak),
                None => bail!("`peak_gb_per_s` must be a rate above 0 or null, but is {}", short(peak)),
            },
        };
        Ok(Self {
            run_ns: number(document, "run_ns")?,
            launches_ns: number(document, "launches_ns")?,
            rank: document.get("rank").and_then(Value::as_u64),
            peak,
            launches: launches.collect::<Result<_>>()?,
            memory,
        })
    }
}

fn launches_of(row: &Value) -> Result<Launches> {
    Ok(Launches {
        label: text(row, "label")?,
        pattern: text(row, "pattern")?,
        space: text(row, "space")?,
        calls: number(row, "calls")?,
        total_ns: number(row, "total_ns")?,
        bytes: number(row, "read_bytes")?.saturating_add(number(row, "written_bytes")?),
        is_compared: row.get("percent_of_peak").is_none_or(|percent| !percent.is_null()),
    })
}

fn memory_of(row: &Value) -> Result<Memory> {
    Ok(Memory {
        label: text(row, "label")?,
        memory: text(row, "memory")?,
        high_water_bytes: number(row, "high_water_bytes")?,
    })
}

fn member<'a>(object: &'a Value, name: &str) -> Result<&'a Value> {
    object.get(name).with_context(|| format!("there is no member `{name}`"))
}

fn list<'a>(object: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    let value = member(object, name)?;
    value.as_array().with_context(|| format!("`{name}` must be an array, but is {}", short(value)))
}

fn text(object: &Value, name: &str) -> Result<String> {
    let value = member(object, name)?;
    let text = value.as_str().with_context(|| format!("`{name}` must be text, but is {}", short(value)))?;
    Ok(text.to_owned())
}

fn number(object: &Value, name: &str) -> Result<u64> {
    let value = member(object, name)?;
    value.as_u64().with_context(|| format!("`{name}` must be a whole number, but is {}", short(value)))
}

/// The beginning of a value, for messages.
pub(super) fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Memory, Summary};

    #[test]
    fn members_are_read() {
        let mut document = json!({
            "run_ns": 100, "launches_ns": 60, "peak_gb_per_s": 40.5,
            "launches": [{"label": "a", "pattern": "for", "space": "Serial", "calls": 2, "total_ns": 60,
                          "min_ns": 20, "max_ns": 40, "read_bytes": 8, "written_bytes": 16}],
            "copies": [], "regions": [],
            "memory": [{"label": "x", "memory": "HostSpace", "high_water_bytes": 80}],
        });
        let summary = Summary::read(&document).unwrap();
        assert_eq!((summary.run_ns, summary.launches_ns, summary.peak), (100, 60, Some(40.5)));
        assert_eq!((summary.launches[0].bytes, summary.launches[0].calls), (24, 2));
        assert!(summary.launches[0].is_compared && summary.rank.is_none());
        let x = Memory { label: "x".into(), memory: "HostSpace".into(), high_water_bytes: 80 };
        assert_eq!(summary.memory, [x]);
        let object = document.as_object_mut().unwrap();
        object.remove("memory");
        object.insert("peak_gb_per_s".into(), json!(null));
        object.insert("rank".into(), json!(3));
        document["launches"][0]["percent_of_peak"] = json!(null);
        let summary = Summary::read(&document).unwrap();
        assert!(summary.memory.is_empty() && summary.peak.is_none());
        assert_eq!((summary.rank, summary.launches[0].is_compared), (Some(3), false));
    }

    #[test]
    fn the_first_wrong_member_is_named() {
        let message = |document| format!("{:#}", Summary::read(&document).unwrap_err());
        assert_eq!(message(json!({})), "there is no member `launches`");
        assert_eq!(message(json!({"launches": 1})), "`launches` must be an array, but is 1");
        let row = json!({"label": "a", "pattern": "for", "space": "Serial", "calls": -2});
        let wrong = message(json!({"run_ns": 1, "launches_ns": 1, "launches": [row]}));
        assert!(wrong.ends_with("`launches[0]`: `calls` must be a whole number, but is -2"), "{wrong}");
        let long = message(json!({"run_ns": "x".repeat(100), "launches_ns": 1, "launches": []}));
        assert!(long.contains("`run_ns` must be a whole number") && long.len() < 90, "{long}");
        let rate = json!({"run_ns": 1, "launches_ns": 1, "launches": [], "peak_gb_per_s": 0});
        assert!(message(rate).contains("must be a rate above 0"));
    }
}
