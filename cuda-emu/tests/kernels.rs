//! Whole kernels, compiled by nvcc from `ptx/kernels.cu`.
mod common;
use common::{Rng, device};
use cuda_emu::{Config, Device, Module};

const PTX: &str = include_str!("ptx/kernels.ptx");

fn with(cfg: Config) -> (Device, Module) {
    let mut d = Device::new(cfg);
    let m = d.load(PTX).unwrap_or_else(|e| panic!("{e}"));
    (d, m)
}

fn new() -> (Device, Module) {
    with(Config::default())
}

/// Runs a test in the default order and in several random ones.
fn orders(f: impl Fn(Config)) {
    f(Config::default());
    f(Config { racecheck: 2, initcheck: true, ..Config::default() });
    for seed in 1..6 {
        f(Config { seed: Some(seed), resident: 1 + 3 * seed as u32, ..Config::default() });
    }
}

fn ints(n: usize, m: i32) -> Vec<i32> {
    let mut r = Rng(99);
    (0..n).map(|_| (r.next() >> 33) as i32 % m - m / 2).collect()
}

#[test]
fn block_sum() {
    orders(|c| {
        let (mut d, m) = with(c);
        let a = ints(3000, 1000);
        let (pa, po) = (d.upload(&a), d.alloc(12 * 4));
        d.launch(&m, "block_sum", 12, 256, 0, &[pa, po, 3000]).unwrap_or_else(|e| panic!("{}", e.msg));
        let want: Vec<i32> = a.chunks(256).map(|c| c.iter().sum()).collect();
        assert_eq!(d.download::<i32>(po, 12), want);
    });
}

#[test]
fn shared_race_is_found() {
    let (mut d, m) = with(Config { racecheck: 1, ..Config::default() });
    let a = ints(256, 1000);
    let (pa, po) = (d.upload(&a), d.alloc(4));
    let e = d.launch(&m, "block_sum_race", 1, 256, 0, &[pa, po, 256]).unwrap_err();
    assert!(e.msg.contains("data race") && e.msg.contains("shared memory"), "{}", e.msg);
    assert!(e.msg.contains("block_sum_race") && e.msg.contains("ptx line"), "{}", e.msg);
}

#[test]
fn global_race_is_found() {
    let (mut d, m) = with(Config { racecheck: 2, ..Config::default() });
    // Each block reads the output of the block before it.
    let p = d.upload(&(0..1024).collect::<Vec<i32>>());
    let e = d.launch(&m, "copy", 8, 64, 0, &[p, p + 128, 512]).unwrap_err();
    assert!(e.msg.contains("data race") && e.msg.contains("global memory"), "{}", e.msg);
}

#[test]
fn warp_sum_last_block() {
    orders(|c| {
        let (mut d, m) = with(c);
        let a: Vec<f32> = (0..20000).map(|i| (i % 17) as f32).collect();
        let (pa, po, pc, pp) = (d.upload(&a), d.alloc(4), d.upload(&[0u32]), d.alloc(4 * 40));
        d.launch(&m, "warp_sum", 40, 128, 0, &[pa, po, pc, pp, 20000])
            .unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<f32>(po, 1)[0], a.iter().sum::<f32>());
    });
}

#[test]
fn decoupled_lookback() {
    orders(|c| {
        let (mut d, m) = with(c);
        let n = 256 * 60 + 17;
        let a: Vec<u32> = (0..n as u32).map(|i| i % 13).collect();
        let tiles = n / 256 + 1;
        let (pa, po, ps, pt) =
            (d.upload(&a), d.alloc(4 * n), d.upload(&vec![0u64; tiles]), d.upload(&[0u32]));
        d.launch(&m, "scan_lookback", tiles as u32, 256, 0, &[pa, po, ps, pt, n as u64])
            .unwrap_or_else(|e| panic!("{}", e.msg));
        let mut s = 0;
        let want: Vec<u32> = a
            .iter()
            .map(|x| {
                s += x;
                s
            })
            .collect();
        assert_eq!(d.download::<u32>(po, n), want);
    });
}

#[test]
fn histogram() {
    orders(|c| {
        let (mut d, m) = with(c);
        let mut r = Rng(5);
        let a: Vec<u8> = (0..30000).map(|_| (r.next() >> 40) as u8 & (r.next() >> 40) as u8).collect();
        let (pa, pb) = (d.upload(&a), d.upload(&[0u32; 256]));
        d.launch(&m, "histogram", 10, 256, 0, &[pa, pb, 30000]).unwrap_or_else(|e| panic!("{}", e.msg));
        let mut want = vec![0u32; 256];
        a.iter().for_each(|x| want[*x as usize] += 1);
        assert_eq!(d.download::<u32>(pb, 256), want);
    });
}

#[test]
fn grid_barrier() {
    for c in [
        Config::default(),
        Config { racecheck: 2, ..Config::default() },
        Config { seed: Some(3), ..Config::default() },
    ] {
        let (mut d, m) = with(c);
        let (pc, pd, po) = (d.upload(&[0u32]), d.alloc(4 * 64), d.alloc(4 * 64));
        d.launch(&m, "grid_barrier", 64, 64, 0, &[pc, pd, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let want: u32 = (0..64u32).map(|x| x * x).sum();
        assert_eq!(d.download::<u32>(po, 64), vec![want; 64]);
    }
}

#[test]
fn grid_barrier_that_cannot_end() {
    let (mut d, m) = with(Config { resident: 4, watchdog: 1, ..Config::default() });
    let (pc, pd, po) = (d.upload(&[0u32]), d.alloc(4 * 64), d.alloc(4 * 64));
    let e = d.launch(&m, "grid_barrier", 64, 64, 0, &[pc, pd, po]).unwrap_err();
    assert_eq!(e.code, 702);
    assert!(
        e.msg.contains("no progress") && e.msg.contains("grid_barrier") && e.msg.contains("60 not started"),
        "{}",
        e.msg
    );
}

#[test]
fn locks_between_lanes() {
    orders(|c| {
        if c.racecheck > 0 {
            return;
        }
        let (mut d, m) = with(c);
        let (pl, pc) = (d.upload(&[0u32]), d.upload(&[0u32]));
        d.launch(&m, "lane_lock", 3, 64, 0, &[pl, pc, 5]).unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<u32>(pc, 1)[0], 3 * 64 * 5);
    });
}

#[test]
fn lanes_that_wait_for_each_other() {
    orders(|c| {
        let (mut d, m) = with(c);
        let (pf, po) = (d.upload(&[0u32]), d.alloc(4 * 64));
        d.launch(&m, "lane_signal", 1, 64, 0, &[pf, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<u32>(po, 64), (0..64).collect::<Vec<u32>>());
    });
}

#[test]
fn recursion() {
    orders(|c| {
        let (mut d, m) = with(c);
        let po = d.alloc(4 * 64);
        d.launch(&m, "recursion", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
        fn fib(n: i32) -> i32 {
            if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
        }
        assert_eq!(d.download::<i32>(po, 64), (0..64).map(|i| fib(i % 16)).collect::<Vec<_>>());
    });
}

#[test]
fn indirect_calls() {
    orders(|c| {
        let (mut d, m) = with(c);
        let (a, b) = (ints(64, 100), ints(70, 90)[6..].to_vec());
        let (pa, pb, po) = (d.upload(&a), d.upload(&b), d.alloc(256));
        d.launch(&m, "indirect", 1, 64, 0, &[pa, pb, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let want: Vec<i32> = (0..64).map(|i| [a[i] + b[i], a[i] - b[i], a[i] * b[i]][i % 3]).collect();
        assert_eq!(d.download::<i32>(po, 64), want);
        d.launch(&m, "virtual_calls", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let want: Vec<i32> = (0..64).map(|i| if i % 2 == 1 { i + 10 } else { i * 10 }).collect();
        assert_eq!(d.download::<i32>(po, 64), want);
    });
}

/// `struct { double x; int n; short k[3]; }`, as three words.
fn pair(x: f64, n: i32, k: [i16; 3]) -> [u64; 3] {
    [
        x.to_bits(),
        n as u32 as u64 | (k[0] as u16 as u64) << 32 | (k[1] as u16 as u64) << 48,
        k[2] as u16 as u64,
    ]
}

#[test]
fn structs_by_value() {
    let (mut d, m) = new();
    let a: Vec<u64> = (0..32).flat_map(|i| pair(i as f64, 3 * i, [i as i16, 2, -1])).collect();
    let (pa, po) = (d.upload(&a), d.alloc(24 * 32));
    let [x, n, k] = pair(0.5, 7, [10, 20, 30]);
    let b: Vec<u8> = [pa, x, n, k, po].iter().flat_map(|v| v.to_le_bytes()).collect();
    d.launch_bytes(&m, "structs", 1, 32, 0, &b).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<u64> = d.download(po, 3 * 32);
    for (i, g) in got.chunks(3).enumerate() {
        let want = pair(i as f64 * 0.5, 3 * i as i32 - 7, [i as i16 + 30, 22, 9]);
        // The last bytes of a struct are padding.
        assert_eq!([g[0], g[1], g[2] & 0xffff], want);
    }
}

#[test]
fn jump_tables() {
    let (mut d, m) = new();
    let a: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (pa, po) = (d.upload(&a), d.alloc(1024));
    d.launch(&m, "switch_cases", 1, 256, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: Vec<u32> = a
        .iter()
        .map(|&x| match x % 9 {
            0 => x.wrapping_add(1),
            1 => x.wrapping_mul(3),
            2 => x ^ 0x55,
            3 => x >> 3,
            4 => x.count_ones(),
            5 => x.leading_zeros(),
            6 => x.reverse_bits(),
            7 => x.wrapping_sub(100),
            _ => !x,
        })
        .collect();
    assert_eq!(d.download::<u32>(po, 256), want);
}

#[test]
fn constants_and_initialisers() {
    let (mut d, m) = new();
    let po = d.alloc(4 * 32);
    d.launch(&m, "constants", 2, 32, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: Vec<i32> = (0..32).map(|t| [3, -1, 4, 1, -5][t % 5] * 100 + [3, 5, 9][t % 3]).collect();
    assert_eq!(d.download::<i32>(po, 32), want);
    let (a, n) = m.global("counter").unwrap();
    assert_eq!((n, d.download::<i32>(a, 1)[0]), (4, 9));
}

#[test]
fn local_arrays() {
    orders(|c| {
        let (mut d, m) = with(c);
        let a = ints(16 * 64, 500);
        let (pa, po) = (d.upload(&a), d.alloc(4 * 16 * 64));
        d.launch(&m, "local_sort", 1, 64, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let mut want = a.clone();
        want.chunks_mut(16).for_each(|c| c.sort());
        assert_eq!(d.download::<i32>(po, 16 * 64), want);
    });
}

#[test]
fn warp_operations() {
    for c in [
        Config::default(),
        Config { seed: Some(1), ..Config::default() },
        Config { seed: Some(2), ..Config::default() },
    ] {
        let random = c.seed.is_some();
        let (mut d, m) = with(c);
        let a = ints(64, 12);
        let (pa, po) = (d.upload(&a), d.alloc(64 * 32));
        d.launch(&m, "warp_ops", 1, 64, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let got: Vec<u32> = d.download(po, 64 * 8);
        for t in 0..64 {
            let w = &a[t / 32 * 32..t / 32 * 32 + 32];
            let ballot = |f: &dyn Fn(usize) -> bool| (0..32).fold(0u32, |m, l| m | (f(l) as u32) << l);
            let o = &got[t * 8..t * 8 + 8];
            assert_eq!(o[0], ballot(&|l| w[l] > 0));
            assert_eq!(o[1], w.contains(&5) as u32 | 2);
            assert_eq!(o[2], ballot(&|l| w[l] == a[t]));
            assert_eq!(o[3], w.iter().sum::<i32>() as u32);
            assert_eq!(o[4], *w.iter().max().unwrap() as u32);
            let sub: Vec<u32> =
                (0..32).filter(|l| (l % 3 == 0) == (t % 32 % 3 == 0)).map(|l| w[l] as u32).collect();
            if t % 32 % 3 == 0 {
                assert_eq!(o[5], sub.iter().fold(0, |x, y| x ^ y));
                assert_eq!(o[6], w[30] as u32);
                if !random {
                    assert_eq!(o[7], ballot(&|l| l % 3 == 0));
                }
            } else {
                assert_eq!(o[5], *sub.iter().min().unwrap());
                assert_eq!(o[6], ballot(&|l| l % 3 != 0).wrapping_add(1));
            }
        }
    }
}

#[test]
fn block_votes() {
    orders(|c| {
        let (mut d, m) = with(c);
        let a = ints(200, 50);
        let (pa, po) = (d.upload(&a), d.alloc(800));
        d.launch(&m, "block_votes", 1, 200, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        let n = a.iter().filter(|x| **x > 0).count() as i32;
        assert_eq!(d.download::<i32>(po, 200), vec![n * 100 + 1; 200]);
    });
}

#[test]
fn exited_threads_and_barriers() {
    let (mut d, m) = new();
    let po = d.upload(&[0i32; 64]);
    d.launch(&m, "early_exit", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
    assert_eq!(d.download::<i32>(po, 64).iter().sum::<i32>(), 40);
    d.config.synccheck = 2;
    let e = d.launch(&m, "early_exit", 1, 64, 0, &[po]).unwrap_err();
    assert!(e.msg.contains("have exited"), "{}", e.msg);
}

#[test]
fn divergent_barrier_is_found() {
    let (mut d, m) = new();
    let po = d.alloc(256);
    let e = d.launch(&m, "divergent_barrier", 1, 64, 0, &[po]).unwrap_err();
    assert!(e.msg.contains("divergent barrier"), "{}", e.msg);
    assert_eq!(e.code, 719);
}

#[test]
fn deadlock_is_reported() {
    let (mut d, m) = new();
    let po = d.alloc(256);
    let e = d.launch(&m, "deadlock", 1, 64, 0, &[po]).unwrap_err();
    assert!(
        e.msg.contains("deadlock") && e.msg.contains("waiting for lanes") && e.msg.contains("shfl.sync"),
        "{}",
        e.msg
    );
}

#[test]
fn out_of_bounds() {
    let (mut d, m) = new();
    let (pa, po) = (d.upload(&[1i32; 100]), d.alloc(400));
    let e = d.launch(&m, "copy", 1, 128, 0, &[pa, po, 101]).unwrap_err();
    assert_eq!(e.code, 700);
    assert!(
        e.msg.contains("invalid read of 4 bytes") && e.msg.contains("0 bytes after the end of allocation #"),
        "{}",
        e.msg
    );
    assert!(e.msg.contains("thread (100,0,0)") && e.msg.contains("ld.global"), "{}", e.msg);
    let po2 = d.alloc(4 * 50);
    let e = d.launch(&m, "copy", 1, 128, 0, &[pa, po2, 100]).unwrap_err();
    assert!(e.msg.contains("invalid write") && e.msg.contains("thread (50,0,0)"), "{}", e.msg);
    d.free(pa);
    let e = d.launch(&m, "copy", 1, 128, 0, &[pa, po, 100]).unwrap_err();
    assert!(e.msg.contains("which was freed"), "{}", e.msg);
    let e = d.launch(&m, "copy", 1, 128, 0, &[0, po, 100]).unwrap_err();
    assert!(e.msg.contains("null pointer"), "{}", e.msg);
    let e = d.launch(&m, "misaligned", 1, 32, 0, &[po, po2]).unwrap_err();
    assert_eq!(e.code, 716);
    assert!(e.msg.contains("misaligned read of 4 bytes"), "{}", e.msg);
}

#[test]
fn uninitialised_reads() {
    let (mut d, m) = with(Config { initcheck: true, ..Config::default() });
    let (pa, po) = (d.alloc(400), d.alloc(400));
    d.write(pa, &[5i32; 60]);
    d.launch(&m, "copy", 1, 128, 0, &[pa, po, 60]).unwrap_or_else(|e| panic!("{}", e.msg));
    let e = d.launch(&m, "copy", 1, 128, 0, &[pa, po, 61]).unwrap_err();
    assert!(e.msg.contains("was not written") && e.msg.contains("offset 240 of allocation"), "{}", e.msg);
}

/// A structure of a byte and a word is copied with the seven bytes between them, which are uninitialised.
#[test]
fn padding_may_be_read_and_what_is_beyond_may_not() {
    let kernel = |offset: u32| {
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry pad()\n{{\n.reg .b16 %h; .reg .b64 %d;\n\
             .shared .align 8 .b8 s[32];\nmov.b16 %h, 1; mov.b64 %d, 1;\nst.shared.b8 [s], %h; st.shared.b64 [s+8], %d;\n\
             ld.shared.b8 %h, [s+{offset}]; ret;\n}}\n"
        )
    };
    for (offset, refused) in [(0, false), (1, false), (7, false), (15, false), (16, true)] {
        let mut d = Device::new(Config { initcheck: true, ..Config::default() });
        let m = d.load(&kernel(offset)).unwrap_or_else(|e| panic!("{e}"));
        let outcome = d.launch(&m, "pad", 1, 1, 0, &[]);
        assert_eq!(outcome.is_err(), refused, "{offset}: {:?}", outcome.err().map(|e| e.msg));
    }
}

/// A structure of two words and a half is copied in words of 32 bits, of which the last is uninitialised.
#[test]
fn words_of_padding_may_be_copied_and_not_computed_with() {
    let kernel = |offset: u32, with: &str| {
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry pad()\n{{\n.reg .b32 %r<4>; .reg .b64 %d<4>;\n\
             .shared .align 8 .b8 s[64];\nmov.b32 %r1, 1; mov.b64 %d1, 1;\nst.shared.b64 [s], %d1; st.shared.b32 [s+8], %r1;\n\
             ld.shared.b32 %r2, [s+{offset}]; {with} ret;\n}}\n"
        )
    };
    let stores = "st.shared.b32 [s+32], %r2;";
    let packs = "mov.b64 %d2, {%r1, %r2}; or.b64 %d3, %d2, %d1; st.shared.b64 [s+32], %d3;";
    let adds = "add.u32 %r3, %r2, 1; st.shared.b32 [s+32], %r3;";
    for (offset, with, refused) in [
        (8, adds, false),
        (12, stores, false),
        (12, packs, false),
        (12, adds, true),
        (16, stores, true),
        (16, packs, true),
    ] {
        let mut d = Device::new(Config { initcheck: true, ..Config::default() });
        let m = d.load(&kernel(offset, with)).unwrap_or_else(|e| panic!("{e}"));
        let outcome = d.launch(&m, "pad", 1, 1, 0, &[]);
        let message = outcome.err().map(|e| e.msg);
        assert_eq!(
            message.as_ref().is_some_and(|m| m.contains("was not written")),
            refused,
            "{offset} {with}: {message:?}"
        );
    }
}

#[test]
fn dynamic_shared_vectors() {
    let (mut d, m) = new();
    let a: Vec<f32> = (0..256).map(|i| (i % 10) as f32).collect();
    let (pa, po) = (d.upload(&a), d.alloc(256));
    let e = d.launch(&m, "dynamic_shared", 1, 64, 512, &[pa, po]).unwrap_err();
    assert!(e.msg.contains("in shared memory at offset 512"), "{}", e.msg);
    d.launch(&m, "dynamic_shared", 1, 64, 1024, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<f32> = d.download(po, 64);
    for t in 0..64 {
        let v = &a[4 * (63 - t)..];
        assert_eq!(got[t], v[0] + v[1] * 10.0 + v[2] * 100.0 + v[3] * 1000.0);
    }
}

#[test]
fn atomics() {
    orders(|c| {
        let (mut d, m) = with(c);
        let n = 3 * 64u64;
        let (pi, pu) = (d.upload(&[0i32, 0]), d.upload(&[0u32, 0, 0, 0, u32::MAX, 0]));
        let (pl, pf, pd) = (d.upload(&[0u64, 0, 0]), d.upload(&[0f32]), d.upload(&[0f64]));
        d.launch(&m, "atomics", 3, 64, 0, &[pi, pu, pl, pf, pd]).unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<i32>(pi, 2), [-50, 63]);
        let u: Vec<u32> = d.download(pu, 6);
        assert_eq!(u[0] as u64, n % 21);
        assert_eq!((u[1] as u64 + n) % 21, 0);
        assert_eq!((u[2], u[3], u[4], u[5]), (0, u32::MAX, !255, 99));
        assert_eq!(d.download::<u64>(pl, 3), [n << 33, 63 << 40, 3 * n]);
        assert_eq!(
            (d.download::<f32>(pf, 1)[0], d.download::<f64>(pd, 1)[0]),
            (n as f32 / 2.0, n as f64 / 4.0)
        );
    });
}

#[test]
fn device_heap() {
    let (mut d, m) = new();
    let po = d.alloc(256);
    d.launch(&m, "heap", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
    assert_eq!(d.download::<i32>(po, 64), (0..64).map(|i| i * (i + 1) / 2).collect::<Vec<_>>());
}

#[test]
fn device_printf() {
    let (mut d, m) = new();
    d.launch(&m, "prints", 1, 32, 0, &[5]).unwrap_or_else(|e| panic!("{}", e.msg));
}

#[test]
fn coalescing_statistics() {
    let (mut d, m) = with(Config { stats: true, ..Config::default() });
    let (pa, po) = (d.upload(&[1i32; 1024]), d.alloc(128));
    let s = d.launch(&m, "strided", 1, 32, 0, &[pa, po, 1]).unwrap();
    assert_eq!((s.load_requests, s.load_sectors, s.load_bytes, s.store_sectors), (1, 4, 128, 4));
    let s = d.launch(&m, "strided", 1, 32, 0, &[pa, po, 8]).unwrap();
    assert_eq!((s.load_requests, s.load_sectors), (1, 32));
}

#[test]
fn matmul_and_transpose() {
    orders(|c| {
        let (mut d, m) = with(c);
        let n = 64usize;
        let a: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32 - 2.0).collect();
        let (pa, pb, pc) = (d.upload(&a), d.upload(&b), d.alloc(4 * n * n));
        d.launch(&m, "matmul", [4, 4, 1], [16, 16, 1], 0, &[pa, pb, pc, n as u64])
            .unwrap_or_else(|e| panic!("{}", e.msg));
        let got: Vec<f32> = d.download(pc, n * n);
        for y in 0..n {
            for x in 0..n {
                assert_eq!(got[y * n + x], (0..n).map(|k| a[y * n + k] * b[k * n + x]).sum::<f32>());
            }
        }
        d.launch(&m, "transpose", [2, 2, 1], [32, 8, 1], 0, &[pa, pc, n as u64])
            .unwrap_or_else(|e| panic!("{}", e.msg));
        let got: Vec<f32> = d.download(pc, n * n);
        assert!((0..n * n).all(|i| got[i] == a[i % n * n + i / n]));
    });
}

/// With the path of `nvcc` in `CUDA_EMU_NVCC`: functions of its libraries.
#[test]
fn libraries() {
    let Some(nvcc) = std::env::var("CUDA_EMU_NVCC").ok().filter(|s| !s.is_empty()) else { return };
    let out = std::env::temp_dir().join(format!("cuda-emu-math-{}.ptx", std::process::id()));
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx/math.cu");
    let o = std::process::Command::new(&nvcc)
        .args(["-ptx", "-w", "-std=c++17", "-arch=sm_90", src, "-o"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    let mut d = device();
    let m = d.load(&std::fs::read_to_string(&out).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let n = 1000;
    let a: Vec<f64> = (0..n).map(|i| (i as f64 - 500.0) * 1.37).chain([1e10, -3e15, 0.0, 1e-300]).collect();
    let (pa, po) = (d.upload(&a), d.alloc(a.len() * 64));
    d.launch(&m, "math64", 5, 256, 0, &[pa, po, a.len() as u64]).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<f64> = d.download(po, a.len() * 8);
    for (i, x) in a.iter().enumerate() {
        let want = [x.sin(), (x / 100.0).exp(), (x.abs() + 1e-3).ln(), x.abs().powf(0.3), x.abs().sqrt()];
        for (k, w) in want.iter().enumerate() {
            let g = got[i * 8 + k];
            assert!(
                (g - w).abs() <= 4e-16 * w.abs().max(1e-3) * 8.0 || g == *w,
                "{x}: function {k}: {g} {w}"
            );
        }
        assert!(
            (got[i * 8 + 6] - x.atan2(3.0)).abs() < 1e-15
                && (got[i * 8 + 7] - x.cbrt()).abs() <= 1e-15 * x.cbrt().abs()
        );
    }
    let b: Vec<f32> = a.iter().map(|x| *x as f32).take(1000).collect();
    let (pa, po) = (d.upload(&b), d.alloc(b.len() * 32));
    d.launch(&m, "math32", 5, 256, 0, &[pa, po, b.len() as u64]).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<f32> = d.download(po, b.len() * 8);
    for (i, x) in b.iter().enumerate() {
        let y = *x as f64;
        let want = [y.sin(), (y / 100.0).exp(), (y.abs() + 1e-3).ln(), y.abs().powf(0.3), y / 3.7];
        for (k, w) in want.iter().enumerate() {
            let g = got[i * 8 + k] as f64;
            assert!((g - w).abs() <= 1e-6 * w.abs().max(1.0), "{x}: function {k}: {g} {w}");
        }
        assert_eq!(got[i * 8 + 6], x % 3.0);
        assert_eq!(got[i * 8 + 7], x.round_ties_even() + x.floor());
    }

    let x = 0xfedc_ba98_7654_3210u64;
    let po = d.alloc(256);
    d.launch(&m, "wide_integers", 1, 32, 0, &[po, x]).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: Vec<u64> = (0..32u128)
        .map(|t| {
            let v = (x as u128 * x as u128).wrapping_mul(7).wrapping_add(t);
            ((v / 12345678901234567) as u64).wrapping_add((v % 1000003) as u64)
        })
        .collect();
    assert_eq!(d.download::<u64>(po, 32), want);
    for racecheck in [0, 2] {
        d.config.racecheck = racecheck;
        let po = d.alloc(4 * 96);
        d.launch(&m, "block_barrier", 1, 96, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<i32>(po, 96), vec![96; 96]);
        let n = 16 * 128;
        let (pa, po) = (d.upload(&(0..n).collect::<Vec<i32>>()), d.alloc(4 * n as usize));
        let mut b = [pa.to_le_bytes(), po.to_le_bytes()].concat();
        b.extend(5i32.to_le_bytes());
        d.launch_cooperative(&m, "grid_groups", 16, 128, 0, &b).unwrap_or_else(|e| panic!("{}", e.msg));
        let want: Vec<i32> = (0..n)
            .map(|i| (i / 8 * 8..i / 8 * 8 + 8).map(|j| (j + 5) % n + 5).sum::<i32>() * 100 + i % 8 + 1)
            .collect();
        assert_eq!(d.download::<i32>(po, n as usize), want);
    }
}
