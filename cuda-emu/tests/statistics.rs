//! Statistics of launches, as a program's tests read them.
#[macro_use]
mod common;
use common::driver::{H, Session};
use cuda_emu::Loaded;

/// 64 threads read 64 words that are `step` words apart, put them into shared memory `step` words apart, and write them.
const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry move(.param .u64 to, .param .u64 from, .param .u64 step) {
  .reg .b32 %r<6>; .reg .b64 %d<8>; .shared .align 4 .b8 s[8192]; .reg .pred %p;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [step];
  mov.u32 %r2, %tid.x; mul.lo.u32 %r3, %r2, %r1; mul.wide.u32 %d3, %r3, 4; mul.wide.u32 %d4, %r2, 4;
  add.s64 %d2, %d2, %d3; add.s64 %d1, %d1, %d4;
  ld.global.u32 %r4, [%d2];
  cvt.u32.u64 %r5, %d3; mov.u32 %r3, s; add.u32 %r5, %r5, %r3; st.shared.u32 [%r5], %r4;
  bar.sync 0;
  ld.shared.u32 %r4, [%r5];
  st.global.u32 [%d1], %r4;
  setp.eq.u32 %p, %r2, 0;
  @%p atom.global.add.u32 %r4, [%d1], 1;
  ret;
}
.visible .entry trap() { trap; }
";

#[test]
fn launches_are_counted() {
    let d = Session::new();
    let m = d.module(PTX);
    let (f, trap) = (d.function(m, "move"), d.function(m, "trap"));
    let (p, q) = (d.alloc(256), d.alloc(8192));
    assert_eq!(call!(cuMemsetD32_v2(q => u64, 6 => u32, 2048 => usize)), 0);
    let s = d.stream();
    let driver = Loaded::find().expect("the test has opened the emulator");
    assert_eq!(driver.launch(0), Err(500), "this thread has launched nothing");
    driver.count(true);

    assert_eq!(d.launch(f, s, 64, &mut [p, q, 1]), 0);
    let near = driver.launch(0).unwrap();
    assert_eq!((near.version, near.kernel().as_str()), (1, "move"));
    assert_eq!((near.load_bytes, near.load_requests, near.load_sectors), (256, 2, 8));
    // The atomic of one thread, too.
    assert_eq!((near.store_bytes, near.store_requests, near.store_sectors, near.atomics), (260, 3, 9, 1));
    assert_eq!((near.shared_bytes, near.shared_requests, near.bank_conflicts), (512, 4, 0));
    assert_eq!((near.barriers, near.local_bytes), (2, 0));
    assert_eq!(near.instructions, 64 * 20);
    assert_eq!(near.group_instructions, 2 * 20);

    assert_eq!(d.launch(f, s, 64, &mut [p, q, 32]), 0);
    let far = driver.launch(0).unwrap();
    assert_eq!((far.load_bytes, far.load_requests, far.load_sectors), (256, 2, 64));
    assert_eq!((far.shared_requests, far.bank_conflicts), (4, 4 * 31));
    assert_eq!(driver.launch(1), Ok(near));
    std::thread::scope(|s| {
        s.spawn(|| assert_eq!(driver.launch(0), Err(500), "another thread")).join().unwrap()
    });

    // Not before it has run.
    driver.defer(Some(1));
    assert_eq!(d.launch(f, s, 64, &mut [p, q, 1]), 0);
    assert_eq!(driver.launch(0), Err(600));
    assert_eq!(d.synchronise(s), 0);
    assert_eq!(driver.launch(0).unwrap().load_sectors, 8);
    driver.defer(None);

    // An older caller knows fewer fields: no more is written than it has.
    let mut head = [[0u32; 2]; 2];
    let r = call!(cuEmuLaunchStatistics(head.as_mut_ptr() as H => H, 8 => usize, 0 => u32));
    assert_eq!((r, head), (0, [[1, 4], [0, 0]]));

    driver.count(false);
    assert_eq!(d.launch(f, s, 64, &mut [p, q, 1]), 0);
    let s0 = driver.launch(0).unwrap();
    assert_eq!((s0.instructions, s0.load_bytes), (64 * 20, 0));
    assert_eq!(d.launch(trap, s, 32, &mut []), 715);
    assert_eq!(driver.launch(0), Err(715));
}
