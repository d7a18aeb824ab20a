//! Kernels that LLVM compiled from `ptx/llvm.ll`.
mod common;
use common::{Rng, int_inputs};
use cuda_emu::{Config, Device, Module};

fn new(cfg: Config) -> (Device, Module) {
    let mut d = Device::new(cfg);
    let m = d.load(include_str!("ptx/llvm.ptx")).unwrap_or_else(|e| panic!("{e}"));
    (d, m)
}

#[test]
fn struct_by_value() {
    let (mut d, m) = new(Config::default());
    let a: Vec<f64> = (0..100).map(|i| i as f64 * 0.25).collect();
    let (pa, po) = (d.upload(&a), d.alloc(8));
    let mut b = Vec::new();
    b.extend(pa.to_le_bytes());
    b.extend(100u64.to_le_bytes());
    b.extend(po.to_le_bytes());
    b.extend(0.5f64.to_le_bytes());
    b.extend(0u32.to_le_bytes());
    b.extend([3i16, -2, 7].iter().flat_map(|x| x.to_le_bytes()));
    d.launch_bytes(&m, "by_value", 1, 128, 1024, &b).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: f64 = (0..100).map(|i| a[i] * [3.0, -2.0, 7.0][i % 3] + 0.5).sum();
    assert_eq!(d.download::<f64>(po, 1)[0], want);
}

#[test]
fn integers() {
    let (mut d, m) = new(Config::default());
    let a = int_inputs(256, 42);
    let (pa, po) = (d.upload(&a), d.alloc(256 * 128));
    d.launch(&m, "integers", 1, 256, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<u64> = d.download(po, 256 * 16);
    for (t, &x) in a.iter().enumerate() {
        let (lo, hi) = (x as u32, (x >> 32) as u32);
        let k = [11u64, 22, 33, 44][lo as usize & 3];
        let want = [
            ((x as u128 * x as u128) >> 70) as u64,
            (lo << 7 | hi >> 25) as u64,
            x.rotate_right(13),
            (lo as i32).overflowing_add(hi as i32).1 as u64,
            (lo.reverse_bits() ^ hi.swap_bytes()) as u64,
            x.count_ones() as u64 * 100 + (x as u16).trailing_zeros() as u64,
            (x as i64 / 1000003).wrapping_add((lo % 97) as i64) as u64,
            (x as i64).wrapping_abs() as u64 ^ lo.saturating_add(hi) as u64,
            if t & 1 == 0 { k + 1 } else { k * 2 },
            (x as i8 as i64 as u64).wrapping_add(((x as i8 >> 2) as u8 as u64) << 32),
        ];
        assert_eq!(got[t * 16..t * 16 + 10], want, "input {x:x}");
    }
}

#[test]
fn floats() {
    let (mut d, m) = new(Config::default());
    let mut r = Rng(3);
    let a: Vec<f32> = (0..1024)
        .map(|i| if i % 50 == 49 { f32::NAN } else { (r.next() as i64 >> 40) as f32 / 4096.0 })
        .collect();
    let (pa, po) = (d.upload(&a), d.alloc(256 * 64));
    d.launch(&m, "floats", 1, 256, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let got: Vec<f64> = d.download(po, 256 * 8);
    for t in 0..256 {
        let v = &a[4 * t..4 * t + 4];
        let g = &got[8 * t..8 * t + 8];
        assert_eq!(g[0], v[0] as i32 as f64);
        let mn = if v[2].is_nan() || v[3].is_nan() { f32::NAN } else { v[2].min(v[3]) } as f64;
        assert!(g[2] == mn || (g[2].is_nan() && mn.is_nan()));
        let mx = (v[1] as f64).max(v[2] as f64);
        assert!(g[3] == mx || (g[3].is_nan() && mx.is_nan()));
        assert_eq!(g[4], v[2] as u8 as f64);
        let q = v[0] / v[1];
        let w = if q <= v[3] {
            1.0
        } else if q.is_nan() || v[3].is_nan() {
            2.0
        } else {
            0.0
        };
        assert_eq!(g[6], w);
        if v.iter().all(|x| !x.is_nan()) {
            // Halves are close to the exact values.
            let e = v[0] as f64 * v[1] as f64 + v[2] as f64;
            let scale = (v[0] as f64 * v[1] as f64).abs() + v[2].abs() as f64 + 1e-3;
            assert!(e.abs() > 60000.0 || (g[1] - e).abs() <= 2e-3 * scale, "{} {e}", g[1]);
            let e = v[0] as f64 + v[3] as f64;
            assert!((g[5] - e).abs() <= 0.012 * (v[0].abs() + v[3].abs() + 1e-3) as f64);
        }
    }
}

#[test]
fn atomics() {
    for seed in [None, Some(4), Some(9)] {
        let (mut d, m) = new(Config { seed, ..Config::default() });
        let mut init = [0u64; 10];
        init[5] = u32::MAX as u64;
        let p = d.upload(&init);
        d.launch(&m, "atomics", 2, 64, 0, &[p]).unwrap_or_else(|e| panic!("{}", e.msg));
        let g: Vec<u64> = d.download(p, 10);
        assert_eq!(g[0], 2 * 63 * 64 / 2);
        assert_eq!(g[1], (2 * 63 * 64 / 2) & 0xff);
        assert_eq!(g[2], 63);
        assert_eq!(f32::from_bits(g[3] as u32), 192.0);
        assert_eq!(f64::from_bits(g[4]), 64.0);
        assert_eq!(g[6], 0x5800); // 128 as a half
        assert_eq!(f32::from_bits(g[7] as u32), 63.0);
        assert_eq!(g[8], 77);
        assert_eq!(g[9], 128 % 10);
    }
}

#[test]
fn release_and_acquire() {
    for cfg in [
        Config::default(),
        Config { racecheck: 2, ..Config::default() },
        Config { seed: Some(2), ..Config::default() },
    ] {
        let (mut d, m) = new(cfg);
        let (pf, pd, po) = (d.upload(&[0u32]), d.upload(&[0u32]), d.alloc(4));
        d.launch(&m, "message", 2, 1, 0, &[pf, pd, po]).unwrap_or_else(|e| panic!("{}", e.msg));
        assert_eq!(d.download::<u32>(po, 1)[0], 1234);
    }
}

#[test]
fn shuffles_and_stack() {
    let (mut d, m) = new(Config::default());
    let a: Vec<i32> = (0..64).map(|i| i * i).collect();
    let (pa, po) = (d.upload(&a), d.alloc(256));
    d.launch(&m, "shuffle_sum", 1, 64, 0, &[pa, po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: Vec<i32> = (0..64).map(|i| a[i / 32 * 32..i / 32 * 32 + 32].iter().sum()).collect();
    assert_eq!(d.download::<i32>(po, 64), want);
    d.launch(&m, "stack", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
    let want: Vec<i32> = (0..64).map(|t| (t & 7) * t + b"hello"[t as usize % 5] as i32).collect();
    assert_eq!(d.download::<i32>(po, 64), want);
}

#[test]
fn trap() {
    let (mut d, m) = new(Config::default());
    d.launch(&m, "traps", 1, 64, 0, &[64]).unwrap();
    let e = d.launch(&m, "traps", 1, 64, 0, &[33]).unwrap_err();
    assert_eq!(e.code, 715);
    assert!(e.msg.contains("trap") && e.msg.contains("thread (33,0,0)"), "{}", e.msg);
}
