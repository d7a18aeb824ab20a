//! A tool of Kokkos beside devices: in a separate process with two of them, where the emulator was asked for.

#[path = "../tools/kokkos/compiled.rs"]
#[allow(dead_code, reason = "the tests of tools use all of it")]
mod compiled;

use spelt_core::tools::{mark, region};
use spelt_core::{Cuda, ExecutionSpace, deep_copy};

/// The program.
#[test]
#[ignore = "the child of the other test"]
fn child() {
    let [first, second] = [0, 1].map(|device| Cuda::new(device).expect("a device"));
    let instance = first.instance().expect("a stream");
    let _region = region("outer");
    let mut x = first.zeros::<f64, 1>("x", [3]).expect("memory");
    first.fill(&mut x, 2.0).expect("a fill");
    let mut y = second.zeros::<f64, 1>("y", [3]).expect("memory");
    deep_copy(&mut y, &x).expect("equal extents");
    for space in [first, second, instance] {
        space.fence().expect("no failure");
    }
    assert_eq!(y.to_host().expect("a copy").to_vec(), [2.0; 3]);
}

#[test]
fn memories_devices_and_streams_have_kokkos_s_names() {
    if crate::space().is_none() || std::env::var_os("SPELT_EMULATOR").is_none() {
        return;
    }
    for defer in ["off", "1"] {
        let mut child = compiled::program("kokkos_tools::child", &compiled::library("tool", &[]));
        child.env("SPELT_EMULATOR_DEVICES", "2").env("CUDA_EMU_DEFER", defer);
        let output = child.output().expect("the child");
        let wanted = [
            "push outer",
            "allocate Cuda x pointer 24",
            "for Spelt::View::initialization [x] on 2.0.1: 0",
            "end for 0",
            "copy to Cuda x pointer from Host Scalar null 24",
            "end copy",
            "allocate Cuda y pointer 24",
            "for Spelt::View::initialization [y] on 2.0.1: 1",
            "end for 1",
            "copy to Cuda y pointer from Cuda x pointer 24",
            "end copy",
            "fence Spelt::fence on 2.0.1: 2",
            "end fence 2",
            "fence Spelt::fence on 2.1.2: 3",
            "end fence 3",
            "fence Spelt::fence on 2.0.3: 4",
            "end fence 4",
            "allocate Host y pointer 24",
            "copy to Host y pointer from Cuda y pointer 24",
            "end copy",
            "deallocate Host y pointer 24",
            "deallocate Cuda y pointer 24",
            "deallocate Cuda x pointer 24",
            "pop",
            "finalize",
        ];
        assert_eq!(compiled::calls_of_tool(&output)[4..], wanted, "{defer}");
    }
}

/// The program: work of two devices and of a second stream, a mark, and a region.
#[test]
#[ignore = "the child of the other test"]
fn work_under_way() {
    let _under_way = crate::fills_on_three_streams();
    mark("given");
    drop(region("outer"));
}

/// The emulator queues work until the program waits for it, and names each kernel when it runs.
#[test]
fn all_devices_are_waited_for_where_the_interface_says_so() {
    if crate::space().is_none() || std::env::var_os("SPELT_EMULATOR").is_none() {
        return;
    }
    let kernels = ["kernel"; 3];
    // A library that needs fences gets one before regions, and not before marks. One that needs none waits by itself, or not at all.
    for (conditions, wanted) in [
        (&[][..], [&["event given"][..], &kernels, &["push outer", "pop"]].concat()),
        (
            &["unfenced", "fences"],
            [&["event given"][..], &kernels, &["fenced", "push outer", "pop"]].concat(),
        ),
        (&["unfenced"], vec!["event given", "push outer", "pop"]),
    ] {
        let mut child =
            compiled::program("kokkos_tools::work_under_way", &compiled::library("tool", conditions));
        child.env("SPELT_EMULATOR_DEVICES", "2").env("CUDA_EMU_DEFER", "1").env("CUDA_EMU_STATS", "1");
        let output = child.output().expect("the child");
        assert!(output.status.success(), "{output:?}");
        let lines = compiled::lines(&output, &["tool", "cuda-emu"]);
        let from = lines.iter().position(|line| line == "tool: event given").expect("the mark");
        let told: Vec<_> = lines[from..]
            .iter()
            .map(|line| line.strip_prefix("tool: ").unwrap_or("kernel"))
            .take(wanted.len())
            .collect();
        assert_eq!(told, wanted, "{lines:#?}");
    }
}
