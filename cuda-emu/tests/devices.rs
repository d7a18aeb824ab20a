//! Several devices: each has its own contexts, addresses, streams and failures.
#[macro_use]
mod common;
use common::driver::{H, with_emulator};
use std::ffi::{CString, c_char, c_int};

const NULL: H = std::ptr::null_mut();

/// `double` doubles each of 32 words; `trap` fails.
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
.visible .entry trap() { trap; }
";

/// A device with its primary context, which is made current for each call.
struct Device {
    number: c_int,
    context: H,
    stream: H,
    module: H,
}

impl Device {
    fn new(number: c_int) -> Device {
        let mut context = NULL;
        assert_eq!(call!(cuDevicePrimaryCtxRetain(&mut context => *mut H, number => c_int)), 0);
        assert_eq!(call!(cuCtxSetCurrent(context => H)), 0);
        let (mut stream, mut module) = (NULL, NULL);
        assert_eq!(call!(cuStreamCreate(&mut stream => *mut H, 1 => u32)), 0);
        let text = CString::new(PTX).unwrap();
        assert_eq!(call!(cuModuleLoadData(&mut module => *mut H, text.as_ptr() => *const c_char)), 0);
        Device { number, context, stream, module }
    }

    fn bind(&self) {
        assert_eq!(call!(cuCtxSetCurrent(self.context => H)), 0);
    }

    fn function(&self, name: &str) -> H {
        self.bind();
        let (name, mut f) = (CString::new(name).unwrap(), NULL);
        assert_eq!(
            call!(cuModuleGetFunction(&mut f => *mut H, self.module => H, name.as_ptr() => *const c_char)),
            0
        );
        f
    }

    fn words(&self, value: u32) -> u64 {
        self.bind();
        let mut p = 0;
        assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, 128 => usize)), 0);
        assert_eq!(self.fill(p, value), 0);
        p
    }

    fn fill(&self, p: u64, value: u32) -> c_int {
        self.bind();
        call!(cuMemsetD32Async(p => u64, value => u32, 32 => usize, self.stream => H))
    }

    fn start(&self, f: H, stream: H, mut p: u64) -> c_int {
        self.bind();
        let (mut params, none) = ([&mut p as *mut u64 as H], std::ptr::null_mut());
        call!(cuLaunchKernel(
            f => H, 1 => u32, 1 => u32, 1 => u32, 32 => u32, 1 => u32, 1 => u32,
            0 => u32, stream => H, params.as_mut_ptr() => *mut H, none => *mut H
        ))
    }

    /// Doubles the words.
    fn double(&self, p: u64) -> c_int {
        self.start(self.function("double"), self.stream, p)
    }

    fn read(&self, p: u64) -> u32 {
        self.bind();
        let mut words = [0u32; 32];
        assert_eq!(call!(cuStreamSynchronize(self.stream => H)), 0);
        assert_eq!(call!(cuMemcpyDtoH_v2(words.as_mut_ptr() => *mut u32, p => u64, 128 => usize)), 0);
        assert_eq!(words, [words[0]; 32]);
        words[0]
    }
}

fn devices(n: c_int) -> Vec<Device> {
    assert_eq!(call!(cuInit(0 => u32)), 0);
    let mut count = 0;
    assert_eq!((call!(cuDeviceGetCount(&mut count => *mut c_int)), count), (0, n));
    (0..n).map(Device::new).collect()
}

fn copy_peer(to: (&Device, u64), from: (&Device, u64), stream: H) -> c_int {
    call!(cuMemcpyPeerAsync(
        to.1 => u64, to.0.context => H, from.1 => u64, from.0.context => H, 128 => usize, stream => H
    ))
}

#[test]
fn each_device_has_its_own_context_and_addresses() {
    with_emulator(
        "each_device_has_its_own_context_and_addresses",
        &[("SPELT_EMULATOR_DEVICES", "3")],
        || {
            let all = devices(3);
            let mut wrong = 0;
            assert_eq!(call!(cuDeviceGet(&mut wrong => *mut c_int, 3 => c_int)), 101);
            let mut ranges = Vec::new();
            for device in &all {
                let p = device.words(21);
                let (mut current, mut ordinal, mut context) = (-1, -1, 0u64);
                assert_eq!(call!(cuCtxGetDevice(&mut current => *mut c_int)), 0);
                assert_eq!(call!(cuPointerGetAttribute(&mut ordinal => *mut c_int, 9 => c_int, p => u64)), 0);
                assert_eq!(call!(cuPointerGetAttribute(&mut context => *mut u64, 1 => c_int, p => u64)), 0);
                assert_eq!(
                    (current, ordinal, context),
                    (device.number, device.number, device.context as u64)
                );
                assert_eq!((device.double(p), device.read(p)), (0, 42));
                ranges.push(p);
            }
            // Devices are far apart, so that no offset leads from one to another.
            assert!(ranges.windows(2).all(|pair| pair[1] - pair[0] >= 1 << 30), "{ranges:x?}");
            let (mut bus, mut found) = ([0u8; 16], -1);
            assert_eq!(call!(cuDeviceGetPCIBusId(bus.as_mut_ptr() => *mut u8, 16 => c_int, 2 => c_int)), 0);
            assert_eq!(call!(cuDeviceGetByPCIBusId(&mut found => *mut c_int, bus.as_ptr() => *const u8)), 0);
            assert_eq!(found, 2);
        },
    );
}

#[test]
fn memory_of_another_device_is_not_reached() {
    with_emulator("memory_of_another_device_is_not_reached", &[("SPELT_EMULATOR_DEVICES", "2")], || {
        let all = devices(2);
        let [zero, one] = &all[..] else { unreachable!() };
        let there = one.words(21);
        assert_eq!(zero.fill(there, 1), 1, "a fill");
        assert_eq!(
            zero.start(zero.function("double"), one.stream, zero.words(1)),
            400,
            "another device's stream"
        );
        assert_eq!(
            zero.start(one.function("double"), zero.stream, zero.words(1)),
            400,
            "another device's kernel"
        );
        // All devices reach pinned memory.
        let mut pinned: *mut u32 = std::ptr::null_mut();
        assert_eq!(call!(cuMemHostAlloc(&mut pinned => *mut *mut u32, 128 => usize, 3 => u32)), 0);
        assert_eq!((zero.fill(pinned as u64, 5), one.double(pinned as u64)), (0, 0));
        // SAFETY: the memory is allocated, and no kernel runs.
        assert_eq!(unsafe { pinned.read() }, 10);
        assert_eq!(zero.double(there), 700);
        // The failure is the first device's only.
        assert_eq!(call!(cuCtxSynchronize()), 700);
        assert_eq!((one.double(there), one.read(there)), (0, 42));
        // What remains of one device's context goes away with it alone.
        assert_eq!(call!(cuDevicePrimaryCtxReset_v2(0 => c_int)), 0);
        assert_eq!((one.double(there), one.read(there)), (0, 84));
        zero.bind();
        assert_eq!(call!(cuCtxSynchronize()), 0);
    });
}

#[test]
fn each_device_has_as_much_memory() {
    let variables = [("SPELT_EMULATOR_DEVICES", "2"), ("CUDA_EMU_MEM", "1M")];
    with_emulator("each_device_has_as_much_memory", &variables, || {
        for device in devices(2) {
            device.bind();
            let (mut p, mut q) = (0u64, 0u64);
            assert_eq!(call!(cuMemAlloc_v2(&mut p => *mut u64, 900 << 10 => usize)), 0, "{}", device.number);
            assert_eq!(call!(cuMemAlloc_v2(&mut q => *mut u64, 900 << 10 => usize)), 2, "{}", device.number);
        }
    });
}

#[test]
fn copies_between_devices_name_their_contexts() {
    with_emulator("copies_between_devices_name_their_contexts", &[("SPELT_EMULATOR_DEVICES", "3")], || {
        let all = devices(3);
        let p: Vec<u64> = (1..).zip(&all).map(|(value, device)| device.words(value)).collect();
        assert_eq!(copy_peer((&all[2], p[2]), (&all[1], p[1]), all[2].stream), 0);
        assert_eq!((all[2].read(p[2]), all[1].read(p[1]), all[0].read(p[0])), (2, 2, 1));
        assert_eq!(copy_peer((&all[2], p[2]), (&all[0], p[1]), all[2].stream), 1, "the source's context");
        assert_eq!(copy_peer((&all[0], p[2]), (&all[1], p[1]), all[2].stream), 1, "the target's context");
        assert_eq!(all[2].read(p[2]), 2);
    });
}

/// The words of device 1 after they were doubled there, copied to device 0, which waits for `dependency`.
fn doubled_and_copied(all: &[Device], seed: u64, dependency: impl Fn(&Device, &Device)) -> u32 {
    let [zero, one] = all else { unreachable!() };
    let (to, from) = (zero.words(0), one.words(21));
    let _settled = (zero.read(to), one.read(from));
    call!(cuEmuDefer(1 => c_int, seed => u64));
    assert_eq!(one.double(from), 0);
    dependency(zero, one);
    zero.bind();
    assert_eq!(copy_peer((zero, to), (one, from), zero.stream), 0);
    let got = zero.read(to);
    call!(cuEmuDefer(0 => c_int, 0 => u64));
    got
}

#[test]
fn streams_of_two_devices_are_ordered_by_events_only() {
    let name = "streams_of_two_devices_are_ordered_by_events_only";
    with_emulator(name, &[("SPELT_EMULATOR_DEVICES", "2")], || {
        let all = devices(2);
        let wrong = (0..50).filter(|seed| doubled_and_copied(&all, *seed, |_, _| {}) != 42).count();
        assert!((1..50).contains(&wrong), "{wrong} of 50");
        for seed in 0..50 {
            let by_event = doubled_and_copied(&all, seed, |zero, one| {
                let mut event = NULL;
                one.bind();
                assert_eq!(call!(cuEventCreate(&mut event => *mut H, 0 => u32)), 0);
                assert_eq!(call!(cuEventRecord(event => H, zero.stream => H)), 400, "another device's event");
                assert_eq!(call!(cuEventRecord(event => H, one.stream => H)), 0);
                zero.bind();
                assert_eq!(call!(cuStreamWaitEvent(zero.stream => H, event => H, 0 => u32)), 0);
            });
            let by_host = doubled_and_copied(&all, seed, |_, one| {
                one.bind();
                assert_eq!(call!(cuCtxSynchronize()), 0);
            });
            assert_eq!((by_event, by_host), (42, 42), "seed {seed}");
        }
        // A wait for one device is none for the other.
        let wrong = (0..50).filter(|seed| {
            doubled_and_copied(&all, *seed, |zero, _| {
                zero.bind();
                assert_eq!(call!(cuCtxSynchronize()), 0);
            }) != 42
        });
        assert!(wrong.count() > 0);
    });
}
