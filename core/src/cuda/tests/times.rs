//! Times of work on streams, in a trace of a separate process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::kernels::Add;
use super::{over, space, start};
use crate::cuda::stream::Mark;
use crate::cuda::times::MAX_PENDING;
use crate::cuda::{Cuda, CudaSpace, Uses};
use crate::tools::{self, DeviceWorkEvent, Tool};
use crate::{ExecutionSpace, Result, View};

fn add(space: &Cuda, label: &str, view: &mut View<u32, 1, CudaSpace>) -> Result<()> {
    let (target, count) = (start(view.raw_mut()), view.len());
    let args = (&mut *view,);
    let uses = Uses::of(&args);
    // SAFETY: the kernel writes the elements of the View, which is described.
    unsafe { space.launch::<Add>(&over(label, count, &uses), Add { target, count: count as u64, value: 1 }) }
}

#[test]
#[ignore = "the child of the other test"]
fn child() {
    let first = space().expect("the other test has seen a device");
    let second = first.instance().expect("another stream");
    let mut x = first.zeros::<u32, 1>("x", [300]).expect("memory");
    let mut y = first.zeros::<u32, 1>("y", [300]).expect("memory");
    for label in ["one", "two"] {
        add(&first, label, &mut x).expect("a launch");
    }
    second.deep_copy(&mut y, &x).expect("a copy");
    let last = Mark { stream: first.stream.clone(), ticket: first.stream.next_ticket() - 1 };
    assert!(!last.is_over(), "nothing has waited");
    assert_eq!(y.to_host().expect("a copy")[7], 2);
    // One stream ends before the program, one with it.
    add(&first, "three", &mut x).expect("a launch");
    add(&second, "four", &mut y).expect("a launch");
    drop(last);
    Box::leak(Box::new((second, y)));
}

#[test]
fn a_trace_has_the_work_of_each_stream_in_its_order() {
    let Some(_space) = space() else { return };
    let file = std::env::temp_dir().join(format!("spelt-times-{}.json", std::process::id()));
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--test-threads", "1", "cuda::tests::times::child"])
        .env("SPELT_TOOLS", format!("trace:{}", file.display()))
        // The emulator runs a kernel only when something waits for it.
        .env("CUDA_EMU_DEFER", "3")
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    let content = std::fs::read_to_string(&file).expect("the trace");
    std::fs::remove_file(&file).expect("the trace");
    let events: Vec<serde_json::Value> = serde_json::from_str(&content).expect("JSON");
    let mut rows: BTreeMap<u64, Vec<(u64, u64, &str)>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["cat"] == "device") {
        let ns = |member: &str| (event[member].as_f64().expect("a time") * 1000.0).round() as u64;
        let (row, name) = (event["tid"].as_u64().expect("a row"), event["name"].as_str().expect("a name"));
        assert_eq!(event["ph"], "X");
        rows.entry(row).or_default().push((ns("ts"), ns("ts") + ns("dur"), name));
    }
    let order = |row: &Vec<(u64, u64, &str)>| {
        assert!(row.windows(2).all(|pair| pair[0].1 <= pair[1].0), "pieces of one stream overlap: {row:?}");
        row.iter().map(|(_, _, name)| (*name).to_owned()).collect::<Vec<_>>()
    };
    let mut names: Vec<_> = rows.values().map(order).collect();
    names.sort_by_key(|names| names.len());
    let [second, first] = &names[..] else { panic!("two streams: {rows:?}") };
    assert_eq!(second[..], ["copy of `x`", "copy of `y`", "four"]);
    assert_eq!(
        first.iter().filter(|name| !name.starts_with("zeroing")).collect::<Vec<_>>(),
        ["one", "two", "three"]
    );
    for row in rows.keys() {
        let is_name = |event: &&serde_json::Value| event["name"] == "thread_name" && event["tid"] == *row;
        let name = events.iter().find(is_name).expect("a name")["args"]["name"].as_str().expect("text");
        assert!(name.starts_with("device 0, stream "), "{name}");
    }
    let one = events.iter().find(|event| event["name"] == "one" && event["cat"] == "device").expect("one");
    assert_eq!(one["args"]["bytes"], 1200);
}

/// The pieces of work that a tool has been told of.
static TOLD: AtomicUsize = AtomicUsize::new(0);

struct Told;

impl Tool for Told {
    fn needs_device_times(&self) -> bool {
        true
    }
    fn device_work(&self, _: &DeviceWorkEvent<'_>) {
        TOLD.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "the child of the other test"]
fn child_that_waits_for_nothing() {
    tools::install("told", Told);
    let space = space().expect("the other test has seen a device");
    // Each begins with a piece of work, which makes it zero.
    let mut x = space.zeros::<u32, 1>("x", [300]).expect("memory");
    let mut y = space.zeros::<u32, 1>("y", [300]).expect("memory");
    let mut most = 0;
    for given in 3..16 * MAX_PENDING {
        if given % 3 == 0 { space.deep_copy(&mut y, &x) } else { space.fill(&mut x, given as u32) }
            .expect("work");
        most = most.max(given - TOLD.load(Ordering::Relaxed));
    }
    // Work is left alone until that much waits; then the first of it is waited for.
    assert!(most < MAX_PENDING, "{most}");
    // A GPU may be done sooner.
    assert!(std::env::var_os("SPELT_EMULATOR").is_none() || most == MAX_PENDING - 1, "{most}");
    println!("{} have been told", TOLD.load(Ordering::Relaxed));
}

#[test]
fn fills_and_copies_that_nothing_waits_for_are_told_and_take_no_more_memory() {
    let Some(_space) = space() else { return };
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "--test-threads", "1", "--nocapture"])
        .arg("cuda::tests::times::child_that_waits_for_nothing")
        .env("CUDA_EMU_DEFER", "3")
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("have been told"), "{output:?}");
}
