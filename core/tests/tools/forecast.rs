//! The forecasts of `SPELT_TOOLS=cost`, in child processes: each is this program, which runs the ignored test `child` alone.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use spelt_core::{AnyHost, ExecutionSpace, Serial, Threads, View, parallel_for};

/// Launches of two iterations, each of which sleeps, so that none is too short for other threads.
#[test]
#[ignore = "the child of the other test"]
fn child() {
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
fn launches(rates: &str) -> Vec<Value> {
    // A comma would end the file's name.
    let name = format!("spelt-forecast-{}-{}.json", rates.replace(',', "-"), std::process::id());
    let file = std::env::temp_dir().join(name);
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "forecast::child", "--ignored", "--test-threads=1"]);
    child.env("SPELT_TOOLS", format!("cost:{}", file.display())).env("SPELT_TOOLS_PEAK", rates);
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
    // 8000 bytes are in the caches of a machine that tells their size, so that the rate of its memory is no limit.
    let cache = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cache/index0/size");
    for (rates, limit_ns) in [("10,10", 800.0), ("10,0.001", 8e6), ("0.00001,0.001", 0.0)] {
        let limit_ns = if cache.is_ok() { 0.0 } else { limit_ns };
        let launches = launches(rates);
        let of = |label: &str| launches.iter().find(|launch| launch["label"] == label).expect("a launch");
        let [one, two, short] = ["one", "two", "short"].map(of);
        assert_eq!(["work", "span", "bytes"].map(|name| number(one, name)), [2.0, 1.0, 8000.0]);
        let mean_ns = number(one, "mean_ns");
        assert!(mean_ns >= 200_000.0);
        // Two iterations are work for two threads, after the caller's first 20 us.
        let shared_ns = 20_000.0 + (mean_ns - 20_000.0) / processors.min(2.0);
        assert_eq!(number(one, "forecast_ns"), shared_ns.max(limit_ns), "{rates}");
        assert!(two["forecast_ns"].is_null(), "it has run on two threads");
        assert_eq!(number(short, "forecast_ns"), number(short, "mean_ns"));
    }
    assert!(launches("10").iter().all(|launch| launch["forecast_ns"].is_null()), "one rate is not enough");
}
