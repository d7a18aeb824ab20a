//! Blocks with more threads than the registers of a kernel allow: its code is compiled again with fewer.

use std::process::Command;

use crate::device;

/// On an emulator a thread of each kernel takes as many registers as a thread can have. On a GPU, those that the code takes.
#[test]
fn large_blocks_run_kernels_that_take_many_registers() {
    if device().is_none() {
        return;
    }
    let mut again = Command::new(std::env::current_exe().expect("the path of this test program"));
    let again =
        again.args(["--exact", "vectors::threads_where_nothing_is_written"]).env("CUDA_EMU_REGISTERS", "255");
    let output = again.output().expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
