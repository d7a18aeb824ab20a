//! The deferred mode: an order that the program did not ask for fails some seed, one that it asked for holds for all.
#[macro_use]
mod common;
use common::driver::{H, Session, with_emulator};
use std::ffi::c_int;

const NULL: H = std::ptr::null_mut();

/// `double` doubles each of 32 words, `copy` copies them.
const PTX: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry double(.param .u64 p) {
  .reg .b32 %r<3>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3]; shl.b32 %r2, %r2, 1; st.global.u32 [%d3], %r2;
  ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from) {
  .reg .b32 %r<3>; .reg .b64 %d<6>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4;
  add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;
  ld.global.u32 %r2, [%d5]; st.global.u32 [%d4], %r2;
  ret;
}
.visible .entry trap() { trap; }
";

fn seeds() -> impl Iterator<Item = u64> {
    0..50
}

fn fill(p: u64, v: u32, s: H) {
    assert_eq!(call!(cuMemsetD32Async(p => u64, v => u32, 32 => usize, s => H)), 0);
}

fn read(p: u64) -> Vec<u32> {
    let mut v = vec![0u32; 32];
    assert_eq!(call!(cuMemcpyDtoH_v2(v.as_mut_ptr() => *mut u32, p => u64, 128 => usize)), 0);
    v
}

fn pinned(words: usize) -> *mut u32 {
    let mut p: *mut u32 = std::ptr::null_mut();
    assert_eq!(call!(cuMemHostAlloc(&mut p => *mut *mut u32, 4 * words => usize, 0 => u32)), 0);
    p
}

/// A kernel of one stream writes the input of a kernel of another stream; `dependency` orders them, or not.
fn two_streams(seed: u64, dependency: impl Fn(&Session, H, H)) -> Vec<u32> {
    let d = Session::new();
    let m = d.module(PTX);
    let (double, copy) = (d.function(m, "double"), d.function(m, "copy"));
    let (p, q) = (d.alloc(128), d.alloc(128));
    let (a, b) = (d.stream(), d.stream());
    fill(p, 21, a);
    assert_eq!(d.synchronise(a), 0);
    d.defer(Some(seed));
    assert_eq!(d.launch(double, a, 32, &mut [p]), 0);
    dependency(&d, a, b);
    assert_eq!(d.launch(copy, b, 32, &mut [q, p]), 0);
    assert_eq!(d.synchronise(b), 0);
    assert_eq!(call!(cuCtxSynchronize()), 0);
    read(q)
}

#[test]
fn without_a_dependency_some_seed_fails() {
    let right = seeds().filter(|s| two_streams(*s, |_, _, _| {}) == [42; 32]).count();
    assert!(right < seeds().count(), "each seed ran the streams in the order that was meant");
    assert!(right > 0, "no seed ran the streams in the order of the calls: not each order is tried");
}

#[test]
fn an_event_orders_streams_for_each_seed() {
    for seed in seeds() {
        let got = two_streams(seed, |d, a, b| {
            let e = d.event();
            assert_eq!(call!(cuEventRecord(e => H, a => H)), 0);
            assert_eq!(call!(cuStreamWaitEvent(b => H, e => H, 0 => u32)), 0);
        });
        assert_eq!(got, [42; 32], "seed {seed}");
    }
}

#[test]
fn an_event_waited_for_too_early_orders_nothing() {
    let wrong = seeds().filter(|s| {
        let got = two_streams(*s, |d, a, b| {
            let e = d.event();
            assert_eq!(call!(cuStreamWaitEvent(b => H, e => H, 0 => u32)), 0);
            assert_eq!(call!(cuEventRecord(e => H, a => H)), 0);
        });
        got != [42; 32]
    });
    assert!(wrong.count() > 0);
}

#[test]
fn host_waits_order_streams() {
    for seed in seeds() {
        let by_event = two_streams(seed, |d, a, _| {
            let e = d.event();
            assert_eq!(call!(cuEventRecord(e => H, a => H)), 0);
            assert_eq!(call!(cuEventSynchronize(e => H)), 0);
            assert_eq!(call!(cuEventQuery(e => H)), 0);
        });
        let by_query = two_streams(seed, |_, a, _| {
            assert_eq!(call!(cuStreamQuery(a => H)), 0, "a single kernel is done after one look");
        });
        assert_eq!((by_event, by_query), (vec![42; 32], vec![42; 32]), "seed {seed}");
    }
}

#[test]
fn the_default_stream_orders_blocking_streams_only() {
    let run = |seed: u64, flags: u32| {
        let d = Session::new();
        let m = d.module(PTX);
        let double = d.function(m, "double");
        let mut s: H = NULL;
        assert_eq!(call!(cuStreamCreate(&mut s => *mut H, flags => u32)), 0);
        let p = d.alloc(128);
        d.defer(Some(seed));
        fill(p, 1, s);
        assert_eq!(d.launch(double, NULL, 32, &mut [p]), 0);
        assert_eq!(call!(cuMemsetD32Async(p => u64, 5 => u32, 16 => usize, s => H)), 0);
        assert_eq!(d.launch(double, NULL, 32, &mut [p]), 0);
        assert_eq!(call!(cuCtxSynchronize()), 0);
        let v = read(p);
        (v[0], v[31])
    };
    assert!(seeds().all(|s| run(s, 0) == (10, 4)));
    assert!(!seeds().all(|s| run(s, 1) == (10, 4)));
}

#[test]
fn host_memory_is_read_as_cuda_says() {
    for seed in seeds() {
        let d = Session::new();
        d.defer(Some(seed));
        let (s, p) = (d.stream(), d.alloc(128));
        // Ordinary memory is staged by the call; pinned memory is read when the copy runs.
        let mut ordinary = [1u32; 16];
        let fixed = pinned(16);
        // SAFETY: 16 words were allocated, and no copy is given yet.
        unsafe { std::slice::from_raw_parts_mut(fixed, 16) }.fill(2);
        assert_eq!(
            call!(cuMemcpyHtoDAsync_v2(p => u64, ordinary.as_ptr() => *const u32, 64 => usize, s => H)),
            0
        );
        assert_eq!(call!(cuMemcpyHtoDAsync_v2(p + 64 => u64, fixed => *const u32, 64 => usize, s => H)), 0);
        ordinary.fill(3);
        // SAFETY: 16 words were allocated; the copy has not run and reads them only in a later call, as nothing was
        // waited for.
        unsafe { std::slice::from_raw_parts_mut(fixed, 16) }.fill(4);
        // A copy to ordinary memory waits for its stream; one to pinned memory does not.
        let back = pinned(16);
        // SAFETY: 16 words were allocated, and no copy to them is given yet.
        unsafe { back.write(9) };
        assert_eq!(call!(cuMemcpyDtoHAsync_v2(back => *mut u32, p => u64, 64 => usize, s => H)), 0);
        // SAFETY: 16 words were allocated; the copy to them runs in a later call of this thread, if it has not run.
        assert_eq!(unsafe { back.read() }, 9, "seed {seed}");
        let mut now = vec![0u32; 32];
        assert_eq!(
            call!(cuMemcpyDtoHAsync_v2(now.as_mut_ptr() => *mut u32, p => u64, 128 => usize, s => H)),
            0
        );
        assert_eq!((now[0], now[15], now[16], now[31]), (1, 1, 4, 4), "seed {seed}");
        // SAFETY: the copy before in the same stream has run.
        assert_eq!(unsafe { back.read() }, 1, "seed {seed}");
    }
}

#[test]
fn rows_and_planes_are_copied_in_order() {
    // `CUDA_MEMCPY3D`, as words.
    let copy = |to: u64, from: u64, pitch: u64| -> [u64; 25] {
        let side = |at: u64, pitch: u64, height: u64| [0, 0, 0, 0, 2, 0, at, 0, 0, pitch, height];
        let mut w = [0; 25];
        w[..11].copy_from_slice(&side(from, pitch, 2));
        w[11..22].copy_from_slice(&side(to, 4, 2));
        w[22..].copy_from_slice(&[4, 2, 2]);
        w
    };
    for defer in [None, Some(1), Some(2)] {
        let d = Session::new();
        d.defer(defer);
        let (s, p, q) = (d.stream(), d.alloc(128), d.alloc(128));
        let words: Vec<u32> = (0..32).collect();
        assert_eq!(
            call!(cuMemcpyHtoDAsync_v2(p => u64, words.as_ptr() => *const u32, 128 => usize, s => H)),
            0
        );
        let c = copy(q, p + 4, 32);
        assert_eq!(call!(cuMemcpy3DAsync_v2(c.as_ptr() => *const u64, s => H)), 0);
        assert_eq!(d.synchronise(s), 0);
        assert_eq!(read(q)[..4], [1, 9, 17, 25]);
        // The last row is not inside the allocation.
        let c = copy(q, p + 124, 32);
        assert_eq!(call!(cuMemcpy3DAsync_v2(c.as_ptr() => *const u64, s => H)), 1);
    }
}

#[test]
fn memory_of_a_pool_lives_in_the_order_of_its_stream() {
    let allocate = |s: H| {
        let mut p = 0u64;
        assert_eq!(call!(cuMemAllocAsync(&mut p => *mut u64, 128 => usize, s => H)), 0);
        p
    };
    // Used in another stream: before it is allocated, or after it is freed, for some seeds.
    let unordered = |seed: u64, wait: bool| {
        let d = Session::new();
        let m = d.module(PTX);
        let double = d.function(m, "double");
        d.defer(Some(seed));
        let (a, b) = (d.stream(), d.stream());
        let p = allocate(a);
        fill(p, 1, a);
        let (ready, used) = (d.event(), d.event());
        assert_eq!(call!(cuEventRecord(ready => H, a => H)), 0);
        if wait {
            assert_eq!(call!(cuStreamWaitEvent(b => H, ready => H, 0 => u32)), 0);
        }
        assert_eq!(d.launch(double, b, 32, &mut [p]), 0);
        assert_eq!(call!(cuEventRecord(used => H, b => H)), 0);
        if wait {
            assert_eq!(call!(cuStreamWaitEvent(a => H, used => H, 0 => u32)), 0);
        }
        assert_eq!(call!(cuMemFreeAsync(p => u64, a => H)), 0);
        d.synchronise(b).max(call!(cuCtxSynchronize()))
    };
    assert!(seeds().all(|s| unordered(s, true) == 0));
    let codes: Vec<c_int> = seeds().map(|s| unordered(s, false)).collect();
    assert!(codes.contains(&700) && codes.iter().all(|c| matches!(c, 0 | 700)), "{codes:?}");
}

#[test]
fn freed_memory_is_found_in_its_own_stream() {
    for seed in seeds() {
        let d = Session::new();
        d.defer(Some(seed));
        let s = d.stream();
        let mut p = 0u64;
        assert_eq!(call!(cuMemAllocAsync(&mut p => *mut u64, 128 => usize, s => H)), 0);
        assert_eq!(call!(cuMemFreeAsync(p => u64, s => H)), 0);
        fill(p, 1, s);
        assert_eq!(d.synchronise(s), 700);
    }
}

#[test]
fn memory_that_waits_to_be_freed_can_be_had() {
    with_emulator("memory_that_waits_to_be_freed_can_be_had", &[("CUDA_EMU_MEM", "1M")], || {
        let d = Session::new();
        d.defer(Some(3));
        let s = d.stream();
        let mut p = 0u64;
        for _ in 0..8 {
            assert_eq!(call!(cuMemAllocAsync(&mut p => *mut u64, 600 << 10 => usize, s => H)), 0);
            assert_eq!(call!(cuMemFreeAsync(p => u64, s => H)), 0);
        }
        assert_eq!(call!(cuMemAllocAsync(&mut p => *mut u64, 600 << 10 => usize, s => H)), 0);
        assert_eq!(
            call!(cuMemAllocAsync(&mut p => *mut u64, 600 << 10 => usize, s => H)),
            2,
            "what is in use"
        );
        assert_eq!(d.synchronise(s), 0);
    });
}

#[test]
fn errors_come_with_the_synchronisation_and_stay() {
    for seed in seeds() {
        let d = Session::new();
        let m = d.module(PTX);
        let trap = d.function(m, "trap");
        let host = pinned(1);
        d.defer(Some(seed));
        let (a, b) = (d.stream(), d.stream());
        // SAFETY: the memory was just allocated.
        unsafe { host.write(7) };
        assert_eq!(d.launch(trap, a, 32, &mut []), 0);
        assert_eq!(d.launch(trap, b, 32, &mut []), 0);
        assert_eq!(d.synchronise(a), 715);
        assert_eq!(d.synchronise(b), 715);
        let (mut p, mut word) = (0u64, 0u32);
        assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, 4 => usize)), 715);
        assert_eq!(call!(cuMemcpyDtoH_v2(&mut word => *mut u32, p => u64, 4 => usize)), 715);
        // SAFETY: pinned memory lives until the context is reset.
        assert_eq!(unsafe { host.read() }, 7);
        assert_eq!(call!(cuDevicePrimaryCtxReset_v2(0 => c_int)), 0);
        assert_eq!(call!(cuCtxSynchronize()), 0);
    }
}

/// Counts the work that ran before it, in the order of its stream.
unsafe extern "C" fn note(data: H) {
    // SAFETY: the test passes a pointer to words that outlive the synchronisation.
    let (seen, word) = unsafe { *(data as *const (*mut u32, *const u32)) };
    // SAFETY: both words outlive the synchronisation; the thread that synchronises calls this, and looks only
    // afterwards.
    unsafe { seen.write(word.read()) };
}

#[test]
fn functions_of_the_host_run_in_order() {
    for defer in [None, Some(5), Some(6)] {
        let d = Session::new();
        d.defer(defer);
        let (s, p, word) = (d.stream(), d.alloc(128), pinned(1));
        let mut seen = 0u32;
        let mut data = (&mut seen as *mut u32, word as *const u32);
        fill(p, 77, s);
        assert_eq!(call!(cuMemcpyDtoHAsync_v2(word => *mut u32, p => u64, 4 => usize, s => H)), 0);
        let f: unsafe extern "C" fn(H) = note;
        let data = &mut data as *mut (*mut u32, *const u32) as H;
        assert_eq!(call!(cuLaunchHostFunc(s => H, f => unsafe extern "C" fn(H), data => H)), 0);
        fill(p, 78, s);
        assert_eq!(call!(cuMemcpyDtoHAsync_v2(word => *mut u32, p => u64, 4 => usize, s => H)), 0);
        assert_eq!(d.synchronise(s), 0);
        // SAFETY: the stream has ended.
        assert_eq!((seen, unsafe { word.read() }), (77, 78));
    }
}

#[test]
fn time_passes_between_events_that_were_reached() {
    let d = Session::new();
    d.defer(Some(1));
    let (s, a, b) = (d.stream(), d.event(), d.event());
    let mut ms = -1f32;
    let elapsed = |ms: &mut f32| call!(cuEventElapsedTime(ms => *mut f32, a => H, b => H));
    assert_eq!(elapsed(&mut ms), 400, "never recorded");
    assert_eq!(call!(cuEventRecord(a => H, s => H)), 0);
    assert_eq!(call!(cuEventRecord(b => H, s => H)), 0);
    assert_eq!(elapsed(&mut ms), 600, "not reached");
    assert_eq!(d.synchronise(s), 0);
    assert_eq!(elapsed(&mut ms), 0);
    assert!(ms >= 0.0);
}

#[test]
fn a_queue_that_is_full_makes_the_host_wait() {
    let d = Session::new();
    let m = d.module(PTX);
    let double = d.function(m, "double");
    let p = d.alloc(128);
    d.defer(Some(9));
    let s = d.stream();
    fill(p, 1, s);
    for i in 0..5000 {
        assert_eq!(d.launch(double, s, 32, &mut [p]), 0);
        if i % 31 == 30 {
            fill(p, 1, s);
        }
    }
    assert_eq!(d.synchronise(s), 0);
    assert_eq!(read(p), [1 << (5000 % 31); 32]);
}

/// Several threads, each with its stream, that synchronise at the same time.
#[test]
fn threads_share_the_device() {
    let d = Session::new();
    let m = d.module(PTX) as usize;
    d.defer(Some(4));
    std::thread::scope(|scope| {
        for t in 0..4u32 {
            let d = &d;
            scope.spawn(move || {
                assert_eq!(call!(cuCtxSetCurrent(0x1000 as H => H)), 0);
                let double = d.function(m as H, "double");
                let (s, p) = (d.stream(), d.alloc(128));
                for i in 0..20 {
                    fill(p, t + i, s);
                    assert_eq!(d.launch(double, s, 32, &mut [p]), 0);
                    let mut v = vec![0u32; 32];
                    let r = call!(cuMemcpyDtoHAsync_v2(
                        v.as_mut_ptr() => *mut u32, p => u64, 128 => usize, s => H
                    ));
                    assert_eq!((r, v), (0, vec![2 * (t + i); 32]));
                }
            });
        }
    });
}
