//! Launches that succeed.

use core::mem::MaybeUninit;

use spelt_kernels_gpu::kernel::Symbol;

use super::kernels::{Add, Follow, Shared, Store, Total};
use super::{over, space, start};
use crate::cuda::stream::Mark;
use crate::cuda::{Cuda, CudaSpace, Launch, Uses};
use crate::subview::Steps;
use crate::{ErrorKind, ExecutionSpace, MemorySpace, Result, Timer, View, deep_copy, deep_copy_scalar};

fn add<M: MemorySpace>(space: &Cuda, label: &str, view: &mut View<u32, 1, M>, value: u32) -> Result<()> {
    let (target, count) = (start(view.raw_mut()), view.len());
    let args = (&mut *view,);
    let uses = Uses::of(&args);
    // SAFETY: the kernel writes the elements of the View, which is described.
    unsafe { space.launch::<Add>(&over(label, count, &uses), Add { target, count: count as u64, value }) }
}

fn follow(space: &Cuda, to: &mut View<u32, 1, CudaSpace>, from: &View<u32, 1, CudaSpace>) -> Result<()> {
    let (target, source, count) = (start(to.raw_mut()), start(from.raw()), to.len());
    let args = (to, from);
    let uses = Uses::of(&args);
    let params = Follow { target, source, count: count as u64 };
    // SAFETY: the kernel writes one View and reads the other, of the same length; both are described.
    unsafe { space.launch::<Follow>(&over("follow", count, &uses), params) }
}

#[test]
fn kernels_run_in_the_order_of_their_launches() {
    let Some(space) = space() else { return };
    let mut view = space.view_from_fn("v", [1000], |[i]| i as u32).unwrap();
    for value in 1..=4 {
        add(&space, "add in order", &mut view, value).unwrap();
    }
    let host = view.to_host().unwrap();
    assert!(host.iter().enumerate().all(|(i, &element)| element == i as u32 + 10));
    space.fence().unwrap();
    // Other tests share the context, so only this one uses the label.
    assert!(space.context().notes().labels().iter().all(|label| *label != "add in order"));
}

#[test]
fn copies_and_fills_are_work_of_their_instance() {
    let Some(first) = space() else { return };
    let second = first.instance().unwrap();
    let writer = |view: &View<u32, 1, CudaSpace>| view.view().owner().unwrap().stream_for(None).number();
    let x = first.view_from_fn("x", [300], |[i]| i as u32).unwrap();
    let mut y = first.zeros::<u32, 1>("y", [300]).unwrap();
    second.deep_copy(&mut y, &x).unwrap();
    assert_eq!(writer(&y), second.stream.number());
    let copy = Mark { stream: second.stream.clone(), ticket: second.stream.next_ticket() - 1 };
    assert!(!copy.is_over(), "between Views of the device it returns before its end");
    first.fill(&mut y, 7).unwrap();
    assert_eq!(writer(&y), first.stream.number());
    second.fill(&mut y.subview_mut((0..300).step(2)), 0x0102_0304).unwrap();
    assert_eq!(writer(&y), second.stream.number());
    deep_copy(&mut y, &x).unwrap();
    assert_eq!(writer(&y), first.stream.number(), "without an instance, that of the source");
    // A copy to the host waits for the writer's work on the View, and not for what it launched later.
    let (mut z, mut host) = (first.zeros::<u32, 1>("z", [300]).unwrap(), View::zeros("host", [300]).unwrap());
    add(&first, "later", &mut z, 1).unwrap();
    let later = Mark { stream: first.stream.clone(), ticket: first.stream.next_ticket() - 1 };
    second.deep_copy(&mut host, &x).unwrap();
    assert!(host.iter().copied().eq(0..300) && !later.is_over());
    second.deep_copy(&mut y, &host).unwrap();
    assert!(!later.is_over());
    deep_copy(&mut host, &x).unwrap();
    assert!(later.is_over(), "without an instance it waits for the writer");
}

#[test]
fn dropping_a_view_of_memory_that_others_own_waits() {
    let Some(space) = space() else { return };
    let mut owner = space.zeros::<u32, 1>("owner", [300]).unwrap();
    let mut other = space.zeros::<u32, 1>("other", [300]).unwrap();
    space.fence().unwrap();
    let last = || Mark { stream: space.stream.clone(), ticket: space.stream.next_ticket() - 1 };
    for reads in [false, true] {
        // SAFETY: the owner's numbers are initialised, and are not used before the View is dropped.
        let mut y = unsafe { space.unmanaged::<u32, 1>("y", [300], owner.raw_mut().pointer()) }.unwrap();
        if reads {
            follow(&space, &mut other, &y).unwrap();
        } else {
            add(&space, "add", &mut y, 5).unwrap();
        }
        let last = last();
        assert!(!last.is_over());
        drop(y);
        assert!(last.is_over(), "reads: {reads}");
    }
    assert!(owner.to_host().unwrap().iter().all(|&element| element == 5));
}

#[test]
fn instances_wait_for_one_another_without_a_fence() {
    let Some(first) = space() else { return };
    let second = first.instance().unwrap();
    let mut x = first.view_from_fn("x", [300], |[i]| i as u32).unwrap();
    let mut y = first.zeros::<u32, 1>("y", [300]).unwrap();
    let mut expected: Vec<u32> = (0..300).collect();
    for round in 0..20 {
        add(&first, "write x", &mut x, round).unwrap();
        // Reads the other stream's output; then the other stream overwrites this one's input.
        follow(&second, &mut y, &x).unwrap();
        follow(&first, &mut x, &y).unwrap();
        let mut copy = second.zeros::<u32, 1>("copy", [300]).unwrap();
        deep_copy(&mut copy, &x).unwrap();
        drop(x);
        x = copy;
        for element in &mut expected {
            *element =
                element.wrapping_add(round).wrapping_mul(3).wrapping_add(1).wrapping_mul(3).wrapping_add(1);
        }
    }
    assert_eq!(x.to_host().unwrap().to_vec(), expected);
}

#[test]
fn the_host_overwrites_what_has_been_read() {
    let Some(first) = space() else { return };
    let second = first.instance().unwrap();
    let ones = View::from_fn("ones", [200], |_| 1_u32).unwrap();
    let mut x = first.zeros::<u32, 1>("x", [200]).unwrap();
    for _ in 0..10 {
        let mut y = second.zeros::<u32, 1>("y", [200]).unwrap();
        let mut z = first.zeros::<u32, 1>("z", [200]).unwrap();
        deep_copy_scalar(&mut x, 5).unwrap();
        follow(&second, &mut y, &x).unwrap();
        deep_copy(&mut x, &ones).unwrap();
        follow(&second, &mut z, &x).unwrap();
        deep_copy_scalar(&mut x, 7).unwrap();
        assert_eq!((y.to_host().unwrap()[199], z.to_host().unwrap()[199]), (16, 4));
    }
}

#[test]
fn timers_wait_for_the_work_of_their_space() {
    let Some(space) = space() else { return };
    let mut x = space.zeros::<u32, 1>("x", [300]).unwrap();
    let mut launch = || {
        add(&space, "add", &mut x, 1).unwrap();
        let mark = Mark { stream: space.stream.clone(), ticket: space.stream.next_ticket() - 1 };
        assert!(!mark.is_over(), "a launch returns before it is known to have ended");
        mark
    };
    let before = launch();
    let mut timer = Timer::new(&space).unwrap();
    assert!(before.is_over(), "it starts after the work before it");
    let counted = launch();
    timer.elapsed().unwrap();
    assert!(counted.is_over(), "it counts the work launched since");
    let counted = launch();
    timer.seconds().unwrap();
    assert!(counted.is_over(), "it counts the work launched since");
    let not_counted = launch();
    timer.reset().unwrap();
    assert!(not_counted.is_over(), "it starts again after the work before it");
}

#[test]
fn views_outlive_the_instance_that_made_them() {
    let Some(first) = space() else { return };
    let second = first.instance().unwrap();
    let mut x = second.view_from_fn("x", [100], |[i]| i as u32).unwrap();
    add(&second, "add", &mut x, 5).unwrap();
    drop(second);
    add(&first, "add", &mut x, 6).unwrap();
    assert_eq!(x.to_host().unwrap()[99], 110);
}

#[test]
fn launches_with_memory_that_the_host_reaches_have_ended_when_they_return() {
    let Some(space) = space() else { return };
    let mut pinned = space.pinned_from_fn("pinned", [100], |[i]| i as u32).unwrap();
    add(&space, "pinned", &mut pinned, 7).unwrap();
    assert_eq!(pinned.as_slice().unwrap()[99], 106);
    let mut managed = space.managed_from_fn("managed", [100], |[i]| i as u32).unwrap();
    add(&space, "managed", &mut managed, 8).unwrap();
    assert_eq!(managed.as_slice().unwrap()[99], 107);
    let last = Mark { stream: space.stream.clone(), ticket: space.stream.next_ticket() - 1 };
    assert!(last.is_over());
}

#[test]
fn parameters_beyond_the_limit_go_through_memory() {
    let Some(space) = space() else { return };
    let total = space.scratch(8).unwrap();
    let data = core::array::from_fn(|i| (i * i) as u64);
    let launch = Launch { label: "total", blocks: 1, threads: 1, shared_bytes: 0, uses: &[] };
    // SAFETY: the kernel writes one word, which is scratch of this space.
    unsafe { space.launch::<Total>(&launch, Total { total: total.pointer().cast(), data }) }.unwrap();
    let mut sum = [MaybeUninit::uninit()];
    // SAFETY: the launch above has written the word.
    unsafe { space.copy_to_host(total.pointer().cast::<u64>().cast_const(), &mut sum) }.unwrap();
    // SAFETY: the copy has written it.
    assert_eq!(unsafe { sum[0].assume_init() }, (0..1024_u64).map(|i| i * i).sum::<u64>());
}

#[test]
fn blocks_get_more_shared_memory_than_comes_unasked() {
    let Some(space) = space() else { return };
    let mut target = space.zeros::<u32, 1>("target", [1]).unwrap();
    let most = space.context().facts().shared_bytes;
    let mut run = |bytes: u32| {
        let pointer = start(target.raw_mut());
        let args = (&mut target,);
        let uses = Uses::of(&args);
        let launch = Launch { label: "shared", blocks: 1, threads: 1, shared_bytes: bytes, uses: &uses };
        // SAFETY: the kernel writes one element, which is described, and uses the shared memory of the launch.
        unsafe { space.launch::<Shared>(&launch, Shared { target: pointer, bytes }) }
    };
    run(1024).unwrap();
    run(most).unwrap();
    let error = run(most + 1024).unwrap_err();
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::Policy, Some("shared")));
    assert!(error.to_string().contains(&most.to_string()), "{error}");
    assert_eq!(target.to_host().unwrap()[0], most);
}

#[test]
fn a_launch_that_is_refused_breaks_nothing() {
    let Some(space) = space() else { return };
    let mut view = space.zeros::<u32, 1>("v", [1]).unwrap();
    let target = start(view.raw_mut());
    let args = (&mut view,);
    let uses = Uses::of(&args);
    let launch = Launch { label: "too many", blocks: 1, threads: 4096, shared_bytes: 0, uses: &uses };
    // SAFETY: the kernel writes one element, which is described.
    let error = unsafe { space.launch::<Store>(&launch, Store { target }) }.unwrap_err();
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::Policy, Some("too many")));
    assert!(error.to_string().contains("1 blocks of 4096 threads"), "{error}");
    let none = Launch { label: "none", blocks: 0, threads: 64, shared_bytes: 0, uses: &uses };
    // SAFETY: no block runs, and the target that the kernel would write is described.
    unsafe { space.launch::<Store>(&none, Store { target }) }.unwrap();
    assert_eq!(view.to_host().unwrap()[0], 0);
}

#[test]
fn kernels_that_the_code_lacks_are_named() {
    let Some(space) = space() else { return };
    let launch = Launch { label: "elsewhere", blocks: 1, threads: 1, shared_bytes: 0, uses: &[] };
    let mut header = spelt_kernels_gpu::kernel::Header { launch: 0 };
    let symbol = Symbol { name: c"no.such.kernel", bytes: 4, align: 4 };
    // SAFETY: there is no such kernel, so none runs.
    let error = unsafe { space.start(symbol, &launch, (&raw mut header).cast()) }.unwrap_err();
    assert_eq!((error.kind(), error.kernel()), (ErrorKind::DeviceCode, Some("elsewhere")));
    let text = error.to_string();
    assert!(text.contains("no_such_kernel") && text.contains("cargo spelt"), "{text}");
}
