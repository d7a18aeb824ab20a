//! Launches that break the context: each in a separate process.

use spelt_kernels_gpu::failure::Kind;

use super::kernels::{Fail, Store};
use super::{over, space, start};
use crate::cuda::{Cuda, Uses};
use crate::graph::{Graph, when_all};
use crate::launch::Launches;
use crate::reducers::Sum;
use crate::{ErrorKind, ExecutionSpace, MemorySpace, Result, Serial, View, deep_copy, parallel_reduce};

/// Runs the ignored test `name` of this module in a separate process, and returns its output.
fn in_a_process(name: &str) -> String {
    in_a_process_with(name, [])
}

/// [`in_a_process`] with these variables in its environment.
fn in_a_process_with<const N: usize>(name: &str, variables: [(&str, &str); N]) -> String {
    let output = std::process::Command::new(std::env::current_exe().expect("the path of this test program"))
        .envs(variables)
        .args(["--ignored", "--exact", "--nocapture", "--test-threads", "1"])
        .arg(format!("cuda::tests::breaking::{name}"))
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} failed:\n{text}\n{errors}");
    assert!(text.contains("1 passed"), "{name} has not run:\n{text}\n{errors}");
    text
}

fn fail<M: MemorySpace>(
    space: &Cuda,
    label: &str,
    view: &mut View<u32, 1, M>,
    kind: Kind,
    values: [u64; 2],
) -> Result<()> {
    let target = start(view.raw_mut());
    let args = (&mut *view,);
    let uses = Uses::of(&args);
    let params = Fail { target, first: values[0], second: values[1], kind: kind as u32 };
    // SAFETY: the kernel writes an element of the View, which is described.
    unsafe { space.launch::<Fail>(&over(label, 1, &uses), params) }
}

fn store(
    space: &Cuda,
    label: &str,
    view: &mut View<u32, 1, crate::CudaSpace>,
    target: *mut u32,
) -> Result<()> {
    let args = (view,);
    let uses = Uses::of(&args);
    // SAFETY: the address is invalid on purpose: the test checks that the device reports it.
    unsafe { space.launch::<Store>(&over(label, 1, &uses), Store { target }) }
}

/// The error of a launch or of the fence after it: a device may report late.
fn outcome(space: &Cuda, launched: Result<()>) -> crate::Error {
    launched.and_then(|()| space.fence()).expect_err("the kernel fails")
}

/// The common part of all tests here: after `first` the device cannot be used, but the rest of the program can.
fn is_broken(space: &Cuda, view: &View<u32, 1, crate::CudaSpace>, label: &str, first: &crate::Error) {
    assert_eq!((first.kind(), first.kernel()), (ErrorKind::Device, Some(label)), "{first}");
    let later = [
        view.to_host().expect_err("its elements are lost"),
        space.zeros::<u32, 1>("new", [1]).expect_err("no memory there"),
        space.fence().expect_err("nothing to wait for"),
        space.instance().expect_err("no further instance"),
        Cuda::new(0).expect_err("the same device"),
    ];
    for error in later {
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.to_string().contains(label) && error.to_string().contains("another space"), "{error}");
    }
    let serial = Serial::new();
    let sum =
        parallel_reduce("sum", serial.range(0..5), (), |i, sum, ()| *sum += i.get(), Sum::<usize>::new());
    assert_eq!(sum.unwrap(), 10);
}

#[test]
fn panics_are_reported_with_their_kernel() {
    let Some(_space) = space() else { return };
    let said = in_a_process("child_panics");
    assert!(said.contains("said: kernel `boomer`: panicked at k.rs:7:9: boom (block 0, thread "), "{said}");
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_panics() {
    let space = space().expect("the other test has seen a device");
    let mut view = space.zeros::<u32, 1>("v", [4]).unwrap();
    let launched = fail(&space, "boomer", &mut view, Kind::Panic, [0, 0]);
    let error = outcome(&space, launched);
    println!("said: {error}");
    is_broken(&space, &view, "boomer", &error);
}

#[test]
fn a_copy_that_fails_halfway_leaves_zeros() {
    let Some(_space) = space() else { return };
    // With this, the emulator runs a kernel only when something waits for it, like a device that is late.
    in_a_process_with("child_breaks_a_copy", [("CUDA_EMU_DEFER", "3")]);
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_breaks_a_copy() {
    let space = space().expect("the other test has seen a device");
    let mut view = space.zeros::<u32, 1>("v", [4]).unwrap();
    let mut host = View::from_vec("host", [4], vec![7_u32; 4]).unwrap();
    fail(&space, "boomer", &mut view, Kind::Panic, [0, 0]).expect("launches do not wait");
    let error = deep_copy(&mut host, &view).expect_err("the kernel fails");
    assert_eq!(error.kind(), ErrorKind::Device, "{error}");
    assert_eq!(host.as_slice(), Some(&[0; 4][..]));
}

#[test]
fn an_instance_follows_another_also_without_a_common_view() {
    let Some(_space) = space() else { return };
    for seed in ["1", "2", "3", "4"] {
        in_a_process_with("child_follows_another_instance", [("CUDA_EMU_DEFER", seed)]);
        in_a_process_with("child_replays_branches", [("CUDA_EMU_DEFER", seed)]);
    }
}

#[test]
#[ignore = "its work is late; another test runs it"]
fn child_follows_another_instance() {
    let first = space().expect("the other test has seen a device");
    let second = first.instance().unwrap();
    let mut owner = first.zeros::<u32, 1>("owner", [300]).unwrap();
    for _ in 0..10 {
        first.fence().unwrap();
        let pointer = owner.raw_mut().pointer();
        // SAFETY: initialised numbers of the device, which live longer. Each of the two is used after the other's work, in the order of
        // instances, and the owner after both are dropped.
        let (mut one, mut other) = unsafe {
            (
                first.unmanaged("one", [300], pointer).unwrap(),
                second.unmanaged("other", [300], pointer).unwrap(),
            )
        };
        // Neither View knows of the uses of the other one: only the instances have an order.
        first.fill(&mut one, 5).unwrap();
        second.follow(&first).unwrap();
        second.fill(&mut other, 7).unwrap();
        first.follow(&second).unwrap();
        first.fill(&mut one.subview_mut(100..200), 9).unwrap();
        drop((one, other));
        let found = owner.to_host().unwrap();
        assert!(
            found.indexed_iter().all(|([i], &value)| value == if (100..200).contains(&i) { 9 } else { 7 })
        );
    }
}

#[test]
#[ignore = "its work is late; another test runs it"]
fn child_replays_branches() {
    let space = space().expect("the other test has seen a device");
    let mut owner = space.zeros::<u32, 1>("owner", [300]).unwrap();
    let mut graph = Graph::new(&space);
    for _ in 0..10 {
        space.fence().unwrap();
        let pointer = owner.raw_mut().pointer();
        // SAFETY: initialised numbers of the device, which live longer. Each is used after the work of the others, in the order of the graph.
        let view = |label: &str| unsafe { space.unmanaged::<u32, 1>(label, [300], pointer).unwrap() };
        let (mut outside, mut branch, mut both) = (view("outside"), view("branch"), view("both"));
        space.fill(&mut outside, 1).unwrap();
        let replayed = graph.replay(|root| {
            let own = root.then("the space's own instance", |_| Ok(()))?;
            let other = root.then("after the space's work", |instance| instance.fill(&mut branch, 5))?;
            let all = when_all(&[own, other])?;
            all.then("after both", |instance| instance.fill(&mut both.subview_mut(100..200), 9))?;
            other.then("to the end", |instance| instance.fill(&mut branch.subview_mut(0..50), 3))?;
            Ok(())
        });
        replayed.unwrap();
        space.fill(&mut outside.subview_mut(0..20), 4).unwrap();
        drop((outside, branch, both));
        let found = owner.to_host().unwrap().to_vec();
        let wanted = |i| match i {
            0..20 => 4,
            20..50 => 3,
            100..200 => 9,
            _ => 5,
        };
        assert!(found.iter().copied().eq((0..300).map(wanted)), "{found:?}");
    }
}

#[test]
fn indices_out_of_bounds_are_reported_with_label_and_extents() {
    let Some(_space) = space() else { return };
    let said = in_a_process("child_leaves_a_view");
    assert!(
        said.contains("index [9] is out of bounds of view `heights` with extents [4] (block 0"),
        "{said}"
    );
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_leaves_a_view() {
    let space = space().expect("the other test has seen a device");
    let mut view = space.zeros::<u32, 1>("heights", [4]).unwrap();
    let address = start(view.raw_mut()).addr() as u64;
    let launched = fail(&space, "index", &mut view, Kind::ViewBounds, [address, 9]);
    let error = outcome(&space, launched);
    println!("said: {error}");
    is_broken(&space, &view, "index", &error);
}

#[test]
fn invalid_addresses_are_reported_with_their_kernel() {
    let Some(_space) = space() else { return };
    let said = in_a_process("child_accesses_unallocated_memory");
    assert!(said.contains("kernel `stray`: it touched memory that is not allocated"), "{said}");
    let said = in_a_process("child_accesses_a_misaligned_address");
    assert!(
        said.contains("kernel `askew`: it touched memory at an address that its type does not allow"),
        "{said}"
    );
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_accesses_unallocated_memory() {
    let space = space().expect("the other test has seen a device");
    let mut view = space.zeros::<u32, 1>("v", [4]).unwrap();
    let launched = store(&space, "stray", &mut view, core::ptr::without_provenance_mut(4096));
    let error = outcome(&space, launched);
    println!("said: {error}");
    is_broken(&space, &view, "stray", &error);
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_accesses_a_misaligned_address() {
    let space = space().expect("the other test has seen a device");
    let mut view = space.zeros::<u32, 1>("v", [4]).unwrap();
    let askew = start(view.raw_mut()).cast::<u8>().wrapping_add(1).cast();
    let launched = store(&space, "askew", &mut view, askew);
    let error = outcome(&space, launched);
    println!("said: {error}");
    is_broken(&space, &view, "askew", &error);
}

#[test]
fn host_memory_written_by_a_failed_kernel_is_zero() {
    let Some(_space) = space() else { return };
    in_a_process("child_fails_on_pinned_memory");
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_fails_on_pinned_memory() {
    let space = space().expect("the other test has seen a device");
    let mut pinned = space.pinned_from_fn("p", [4], |[i]| 1 + i as u32).unwrap();
    // The launch itself reports it: it waits.
    let error = fail(&space, "pinned", &mut pinned, Kind::Panic, [0, 0]).expect_err("the kernel fails");
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::Device, Some("pinned")));
    assert_eq!(pinned.as_slice(), Some(&[0; 4][..]));
}

#[test]
fn a_failed_device_can_be_used_again_or_says_why_not() {
    let Some(_space) = space() else { return };
    in_a_process("child_starts_again");
}

#[test]
#[ignore = "breaks the device for its process; another test runs it"]
fn child_starts_again() {
    let first = space().expect("the other test has seen a device");
    let mut view = first.zeros::<u32, 1>("v", [4]).unwrap();
    let launched = fail(&first, "boomer", &mut view, Kind::Panic, [0, 0]);
    outcome(&first, launched);
    drop((first, view));
    // The emulator makes a new context. A GPU's driver refuses one to this process.
    match Cuda::new(0) {
        Ok(again) => {
            assert_eq!(again.zeros::<u32, 1>("v", [4]).unwrap().to_host().unwrap().to_vec(), [0; 4]);
        }
        Err(error) => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "{error}");
            assert_eq!(error.kind(), ErrorKind::Device);
            assert!(error.to_string().contains("Start the program again"), "{error}");
        }
    }
}
