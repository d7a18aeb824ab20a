//! The memory of a trace over time: its counters `memory ..`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The bytes in use of one memory space over time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) name: String,
    /// Seconds since the trace began, and bytes from then on; in the order of time.
    pub(super) points: Vec<(f64, f64)>,
}

/// The text of a trace as an array of events. The format allows that the closing bracket is missing, after a comma too.
pub(super) fn complete(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(']') { text.to_owned() } else { format!("{}]", text.trim_end_matches(',')) }
}

/// The memory of each space, and the length of the trace. Unit: s.
///
/// # Errors
/// If an event has no time, or there are no counters of memory.
pub(super) fn memory(events: &[Value]) -> Result<(Vec<Series>, f64)> {
    let mut spaces: BTreeMap<(u64, String), Vec<(f64, f64)>> = BTreeMap::new();
    let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
    for (place, event) in events.iter().enumerate() {
        let phase = event.get("ph").and_then(Value::as_str);
        let phase = phase.with_context(|| format!("event {place} has no phase `ph`"))?;
        if phase == "M" {
            continue;
        }
        let time = event.get("ts").and_then(Value::as_f64);
        let time = time.with_context(|| format!("event {place} has no time `ts`"))? / 1e6;
        let end = time + event.get("dur").and_then(Value::as_f64).unwrap_or(0.0) / 1e6;
        (first, last) = (first.min(time), last.max(end));
        let name = event.get("name").and_then(Value::as_str).unwrap_or_default();
        if let ("C", Some(space)) = (phase, name.strip_prefix("memory ")) {
            let bytes = event.pointer("/args/bytes").and_then(Value::as_f64);
            let bytes = bytes.with_context(|| format!("event {place}, `{name}`, has no number `bytes`"))?;
            let process = event.get("pid").and_then(Value::as_u64).unwrap_or(0);
            spaces.entry((process, space.to_owned())).or_default().push((time, bytes));
        }
    }
    if spaces.is_empty() {
        bail!("it has no counters of memory: no View was made while it was written");
    }
    let several = spaces.keys().any(|(process, _)| Some(*process) != spaces.keys().next().map(|key| key.0));
    let series = spaces.into_iter().map(|((process, space), mut points)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.iter_mut().for_each(|point| point.0 -= first);
        Series { name: if several { format!("{space}, rank {process}") } else { space }, points }
    });
    Ok((series.collect(), last - first))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{complete, memory};

    fn counter(ts: f64, bytes: u64, pid: u64) -> Value {
        json!({"name": "memory HostSpace", "ph": "C", "ts": ts, "pid": pid, "tid": 0, "args": {"bytes": bytes}})
    }

    #[test]
    fn counters_become_steps() {
        let fact = json!({"name": "process_name", "ph": "M", "ts": 0});
        let slice = json!({"name": "a", "ph": "X", "ts": 3e6, "dur": 2e6});
        let events = [fact, counter(2e6, 20, 0), counter(1e6, 10, 0), slice];
        let (series, length) = memory(&events).unwrap();
        assert_eq!((series[0].name.as_str(), length), ("HostSpace", 4.0));
        assert_eq!(series[0].points, [(0.0, 10.0), (1.0, 20.0)]);
        let (series, _) = memory(&[counter(0.0, 1, 0), counter(0.0, 1, 3)]).unwrap();
        assert_eq!(series[1].name, "HostSpace, rank 3");
    }

    #[test]
    fn a_trace_without_its_end_is_read() {
        for text in ["[\n{},\n{}\n]\n", "[\n{},\n{}", "[\n{},\n{},\n"] {
            let events: Vec<Value> = serde_json::from_str(&complete(text)).unwrap();
            assert_eq!(events.len(), 2, "{text}");
        }
    }

    #[test]
    fn events_that_are_none_are_named() {
        let message = |events: &[Value]| memory(events).unwrap_err().to_string();
        assert_eq!(message(&[json!({"ph": "M"}), json!(3)]), "event 1 has no phase `ph`");
        assert_eq!(message(&[json!({"ph": "B"})]), "event 0 has no time `ts`");
        assert!(message(&[]).contains("no counters of memory"));
    }
}
