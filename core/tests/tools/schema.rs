//! The Trace Event Format: the members that viewers need, nesting and times. Source: the format's document, "Trace Event Format".

use std::collections::BTreeMap;

use serde_json::Value;

/// A part of a row with a begin and an end. Unit: ns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slice {
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// A slice without its end, and the members of its begin.
type Open<'a> = (Slice, Option<&'a Value>);

/// The rows of a trace.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Value>,
    /// By process and row. Those that have not ended end with the trace.
    pub(crate) rows: BTreeMap<(u64, u64), Vec<Slice>>,
    /// The names of rows.
    pub(crate) names: BTreeMap<(u64, u64), String>,
    /// The number of slices without an end.
    pub(crate) unfinished: usize,
    /// Whether the array has its closing bracket.
    pub(crate) is_closed: bool,
}

/// A time of the format. Unit: ns.
fn ns(event: &Value, member: &str) -> u64 {
    let us = event[member].as_f64().unwrap_or_else(|| panic!("no number `{member}` in {event}"));
    assert!(us >= 0.0, "{event}");
    (us * 1000.0).round() as u64
}

fn text<'a>(event: &'a Value, member: &str) -> &'a str {
    event[member].as_str().unwrap_or_else(|| panic!("no text `{member}` in {event}"))
}

fn number(event: &Value, member: &str) -> u64 {
    event[member].as_u64().unwrap_or_else(|| panic!("no whole number `{member}` in {event}"))
}

impl Trace {
    /// Reads a trace, whose closing bracket may be missing. Panics where it breaks the format.
    pub(crate) fn read(content: &str) -> Self {
        let mut trace = Self::default();
        let complete = content.trim_end().ends_with(']');
        trace.is_closed = complete;
        let content = if complete { content.to_owned() } else { format!("{content}]") };
        let Value::Array(events) = serde_json::from_str(&content).expect("JSON") else { panic!("no array") };
        let mut open: BTreeMap<(u64, u64), Vec<Open<'_>>> = BTreeMap::new();
        let mut latest: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for event in &events {
            let (name, phase) = (text(event, "name").to_owned(), text(event, "ph"));
            let row = (number(event, "pid"), number(event, "tid"));
            let begin = ns(event, "ts");
            assert!(event.get("args").is_none_or(Value::is_object), "{event}");
            let category = text(event, "cat").to_owned();
            if matches!(phase, "B" | "E") {
                let latest = latest.entry(row).or_default();
                assert!(*latest <= begin, "time goes back at {event}");
                *latest = begin;
            }
            match phase {
                "B" => {
                    let slice = Slice { name, category, begin, end: begin };
                    open.entry(row).or_default().push((slice, event.get("args")));
                }
                "E" => {
                    let slice = open.get_mut(&row).and_then(Vec::pop);
                    let (mut slice, args) =
                        slice.unwrap_or_else(|| panic!("an end without a begin: {event}"));
                    // Viewers find the begin by all of them.
                    assert_eq!((&slice.name, &slice.category, args), (&name, &category, event.get("args")));
                    slice.end = begin;
                    trace.rows.entry(row).or_default().push(slice);
                }
                "X" => {
                    let end = begin + ns(event, "dur");
                    trace.rows.entry(row).or_default().push(Slice { name, category, begin, end });
                }
                "C" => {
                    let values = event["args"].as_object().expect("values");
                    assert!(!values.is_empty() && values.values().all(Value::is_number), "{event}");
                }
                "i" => assert!(matches!(text(event, "s"), "g" | "p" | "t"), "{event}"),
                "M" => match name.as_str() {
                    "process_name" => _ = text(&event["args"], "name"),
                    "thread_name" => {
                        let old = trace.names.insert(row, text(&event["args"], "name").to_owned());
                        assert_eq!(old, None, "a row is named twice: {event}");
                    }
                    "process_sort_index" | "thread_sort_index" => _ = number(&event["args"], "sort_index"),
                    _ => panic!("unknown metadata: {event}"),
                },
                _ => panic!("unknown phase: {event}"),
            }
        }
        trace.unfinished = open.values().map(Vec::len).sum();
        drop(open);
        trace.events = events;
        for (row, slices) in &mut trace.rows {
            assert!(trace.names.contains_key(row), "row {row:?} has no name");
            slices.sort_by_key(|slice| (slice.begin, u64::MAX - slice.end));
            check_nesting(slices);
        }
        trace
    }

    /// The slices with this name, on all rows.
    pub(crate) fn named(&self, name: &str) -> Vec<&Slice> {
        self.rows.values().flatten().filter(|slice| slice.name == name).collect()
    }

    /// The values of a counter, in the order of time.
    pub(crate) fn counter(&self, name: &str, value: &str) -> Vec<f64> {
        let events = self.events.iter().filter(|event| event["ph"] == "C" && event["name"] == name);
        let mut values: Vec<_> =
            events.map(|event| (ns(event, "ts"), event["args"][value].as_f64().expect("a number"))).collect();
        values.sort_by_key(|(ns, _)| *ns);
        values.into_iter().map(|(_, value)| value).collect()
    }
}

/// Checks that slices of one row are apart, or one is inside the other. They are sorted by begin, longer ones first.
fn check_nesting(slices: &[Slice]) {
    let mut around: Vec<&Slice> = Vec::new();
    for slice in slices {
        while around.last().is_some_and(|outer| outer.end <= slice.begin) {
            around.pop();
        }
        if let Some(outer) = around.last() {
            assert!(slice.end <= outer.end, "{slice:?} is half in {outer:?}");
        }
        around.push(slice);
    }
}

#[test]
fn broken_traces_are_refused() {
    let row = "\"cat\":\"c\",\"pid\":0,\"tid\":1,\"args\":{}";
    let named = r#"{"name":"thread_name","ph":"M","ts":0,"cat":"c","pid":0,"tid":1,"args":{"name":"main"}}"#;
    let event = |phase: &str, rest: &str| format!("{{\"name\":\"a\",\"ph\":\"{phase}\",{rest},{row}}}");
    let read = |events: &[String]| {
        let content = format!("[{named},{}]", events.join(","));
        std::panic::catch_unwind(|| Trace::read(&content).unfinished).is_ok_and(|unfinished| unfinished == 0)
    };
    let [begin, end] = [event("B", "\"ts\":1"), event("E", "\"ts\":2")];
    assert!(read(&[begin.clone(), end.clone()]));
    assert!(!read(&[end.clone(), begin.clone()]), "an end without a begin");
    assert!(!read(std::slice::from_ref(&begin)), "no end");
    assert!(!read(&[begin.clone(), event("E", "\"ts\":0.5")]), "time goes back");
    assert!(!read(&[begin.clone(), event("X", "\"ts\":1.5,\"dur\":1"), end]), "half inside");
    assert!(!read(&[event("X", "\"ts\":1.5")]), "no duration");
    assert!(!read(&[event("C", "\"ts\":1.5")]), "no value");
}
