//! The forecasts of `SPELT_TOOLS=cost`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use spelt_core::{AnyHost, ExecutionSpace, Serial, Threads, View, parallel_for};

/// The variable that makes the child's Views larger than the caches.
const ABOVE_CACHES: &str = "SPELT_TEST_ABOVE_CACHES";

/// Launches of two iterations, each of which sleeps, so that none is too short for other threads.
///
/// Where `ABOVE_CACHES` is set, there is a View larger than all caches, whose pages nothing touches.
#[test]
#[ignore = "the child of the other test"]
fn child() {
    let is_above = std::env::var_os(ABOVE_CACHES).is_some();
    let _large = is_above.then(|| View::<u8, 1>::zeros("large", [4 << 30]).expect("addresses"));
    let mut x = View::<f64, 1>::zeros("x", [1000]).expect("memory");
    let two = Threads::builder().num_threads(2).build().expect("threads");
    for (label, space) in [("one", AnyHost::from(Serial::new())), ("two", two.into())] {
        parallel_for(label, space.range(0..2), x.partial_mut(), |i, mut x| {
            std::thread::sleep(Duration::from_micros(100));
            x[i] = 1.0;
        })
        .expect("covered");
    }
    parallel_for("short", Serial::new().range(0..1), (), |_, ()| {}).expect("no Views");
}

/// The launches of the child where the memory has these rates.
fn launches(rates: &str, is_above_caches: bool) -> Vec<Value> {
    // A comma would end the file's name.
    let rate = rates.replace(',', "-");
    let name = format!("spelt-forecast-{rate}-{is_above_caches}-{}.json", std::process::id());
    let file = std::env::temp_dir().join(name);
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "forecast::child", "--ignored", "--test-threads=1"]);
    child.env("SPELT_TOOLS", format!("cost:{}", file.display())).env("SPELT_TOOLS_PEAK", rates);
    if is_above_caches {
        child.env(ABOVE_CACHES, "1");
    }
    let output = child.output().expect("the child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let text = std::fs::read_to_string(&file).expect("a file");
    std::fs::remove_file(&file).expect("the file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    document["launches"].as_array().expect("an array").clone()
}

#[test]
fn forecasts_follow_from_the_time_on_one_thread_and_the_rates() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as f64;
    let number =
        |launch: &Value, name: &str| launch[name].as_f64().unwrap_or_else(|| panic!("`{name}`: {launch}"));
    // All Views exceed caches of unknown size.
    let knows_caches = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache/index0/size").exists();
    // The launches have 8000 bytes. They are a limit where the Views exceed the caches, unless one thread is too fast for its memory.
    let [slow, slower] = ["10,0.001", "0.00001,0.001"];
    for (rates, is_above_caches, limit_ns) in [(slow, true, 8e6), (slower, true, 0.0), (slow, false, 0.0)] {
        if !is_above_caches && !knows_caches {
            continue;
        }
        let launches = launches(rates, is_above_caches);
        let of = |label: &str| launches.iter().find(|launch| launch["label"] == label).expect("a launch");
        let [one, two, short] = ["one", "two", "short"].map(of);
        assert_eq!(["work", "span", "bytes"].map(|name| number(one, name)), [2.0, 1.0, 8000.0]);
        let mean_ns = number(one, "mean_ns");
        assert!(mean_ns >= 200_000.0);
        // Two iterations are work for two threads, after the caller's first 20 us.
        let shared_ns = 20_000.0 + (mean_ns - 20_000.0) / processors.min(2.0);
        assert_eq!(number(one, "forecast_ns"), shared_ns.max(limit_ns), "{rates}, {is_above_caches}");
        assert!(two["forecast_ns"].is_null(), "it has run on two threads");
        assert_eq!(number(short, "forecast_ns"), number(short, "mean_ns"));
    }
    assert!(
        launches("10", false).iter().all(|launch| launch["forecast_ns"].is_null()),
        "one rate is not enough"
    );
}
