//! The rows of streams in `SPELT_TOOLS=trace:FILE`: in a separate process with two devices, where the emulator was asked for.

#[path = "../tools/schema.rs"]
#[allow(dead_code, reason = "the tests of tools use all of it")]
mod schema;

use spelt_core::{ExecutionSpace, deep_copy};

/// The program: fills by kernels on three streams, and a copy from device to device.
#[test]
#[ignore = "the child of the other test"]
fn child() {
    let (spaces, views) = crate::fills_on_three_streams();
    eprintln!("all are given");
    let mut y = spaces[1].zeros::<f64, 1>("y", [1000]).expect("memory");
    deep_copy(&mut y, &views[1]).expect("equal extents");
    assert_eq!(y.to_host().expect("a copy").to_vec(), [0.1; 1000]);
}

#[test]
fn streams_have_rows_and_nothing_waits_for_them() {
    if crate::space().is_none() || std::env::var_os("SPELT_EMULATOR").is_none() {
        return;
    }
    let file = std::env::temp_dir().join(format!("spelt-device-trace-{}.json", std::process::id()));
    let mut child = std::process::Command::new(std::env::current_exe().expect("this program"));
    child.args(["--exact", "trace::child", "--ignored", "--nocapture", "--test-threads=1"]);
    child.env("SPELT_TOOLS", format!("trace:{}", file.display())).env_remove("KOKKOS_TOOLS_LIBS");
    // The emulator queues work until the program waits for it, and names each kernel when it runs.
    child.env("SPELT_EMULATOR_DEVICES", "2").env("CUDA_EMU_DEFER", "1").env("CUDA_EMU_STATS", "1");
    let output = child.output().expect("the child");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{output:?}");
    let (before, after) = text.split_once("all are given").expect("the child says so");
    assert!(
        !before.contains("cuda-emu: ") && after.contains("cuda-emu: "),
        "no kernel is waited for: {text}"
    );

    let trace = schema::Trace::read(&std::fs::read_to_string(&file).expect("a file"));
    std::fs::remove_file(&file).expect("the file");
    assert!(trace.is_closed && trace.unfinished == 0);
    let rows = |name: &str| {
        let named = trace.names.iter().filter(|(_, row)| *row == name).map(|(row, _)| &trace.rows[row]);
        named.flatten().filter(|slice| slice.category == "device").collect::<Vec<_>>()
    };
    let streams = ["device 0, stream 1", "device 1, stream 2", "device 0, stream 3"].map(rows);
    let fills = |slices: &[&schema::Slice]| slices.iter().filter(|slice| slice.name.contains("fill")).count();
    assert!(streams.iter().all(|slices| fills(slices) >= 1), "{streams:#?}");
    let is_copy = |slice: &&&schema::Slice| slice.name.contains("copy of `x`");
    assert_eq!(streams[0].iter().filter(is_copy).count(), 1, "{streams:#?}");
    // A stream does one thing after the other.
    for slices in &streams {
        assert!(slices.windows(2).all(|pair| pair[0].end <= pair[1].begin), "{slices:#?}");
    }
}
