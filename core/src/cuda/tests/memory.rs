//! Memory of a device that other processes can open.

use super::kernels::Add;
use super::{over, space, start};
use crate::cuda::driver::{self, Address};
use crate::cuda::{Cuda, CudaSpace, Uses};
use crate::{ExecutionSpace, View};

fn is_shareable(view: &mut View<u8, 1, CudaSpace>) -> bool {
    driver::is_shareable(start(view.raw_mut()).addr() as Address).expect("an address of the driver")
}

#[test]
fn memory_of_messages_is_not_of_the_pool() {
    let Some(space) = space() else { return };
    let mut pooled = space.zeros::<u8, 1>("pooled", [300]).expect("memory");
    let mut message = space.message_bytes(300).expect("memory");
    assert!(!is_shareable(&mut pooled) && is_shareable(&mut message));
    assert_eq!(message.to_host().expect("a copy").to_vec(), [0; 300]);
    assert!(space.message_bytes(0).expect("no memory").is_empty());
}

#[test]
fn memory_of_messages_is_freed_after_its_uses() {
    let Some(_space) = space() else { return };
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "cuda::tests::memory::child"])
        // The emulator then has less memory than the Views take one after the other, and runs a kernel only when something waits for it.
        .envs([("CUDA_EMU_MEM", "24M"), ("CUDA_EMU_DEFER", "3")])
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "the child of the other test"]
fn child() {
    let space = space().expect("the other test has seen a device");
    let other: Cuda = space.instance().expect("another stream");
    let mut sums = space.zeros::<u8, 1>("sums", [4 << 20]).expect("memory");
    for value in 1..=8 {
        let mut view = other.message_bytes(4 << 20).expect("memory");
        let (target, count) = (start(view.raw_mut()).cast::<u32>(), view.len() / size_of::<u32>());
        {
            let args = (&mut view,);
            let uses = Uses::of(&args);
            // SAFETY: the kernel writes the bytes of the View as `u32`, for which the driver's memory is aligned; the View is described.
            unsafe {
                space.launch::<Add>(&over("add", count, &uses), Add { target, count: count as u64, value })
            }
            .expect("a launch");
        }
        // The View is dropped while the copy may wait for its turn.
        other.deep_copy(&mut sums, &view).expect("a copy");
        drop(view);
        assert_eq!(sums.subview(28..32).to_host().expect("a copy").to_vec(), value.to_ne_bytes());
    }
}
