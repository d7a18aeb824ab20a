//! Code that the tests share.
#![allow(dead_code, reason = "each test uses a part of it")]

#[macro_use]
pub(crate) mod driver;

use cuda_emu::{Config, Device, Module};

pub(crate) const HEAD: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// A small generator, the same on each run.
pub(crate) struct Rng(pub(crate) u64);
impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Out {
    H, // 16 bits in %h
    W, // 32 bits in %q
    L, // 64 bits in %o
    P, // predicate %p
}

/// A kernel that computes one value for each thread from three 64-bit inputs.
/// Registers: %a %b %c (64 bits), %ra %rb %rc (low 32), %ha %hb %hc (low 16).
pub(crate) fn map_kernel(name: &str, out: Out, body: &str) -> String {
    let fin = match out {
        Out::H => "cvt.u64.u16 %o, %h;",
        Out::W => "cvt.u64.u32 %o, %q;",
        Out::L => "",
        Out::P => "selp.b64 %o, 1, 0, %p;",
    };
    format!(
        ".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po) {{
  .reg .b64 %a, %b, %c, %o, %t<8>, %ad<5>; .reg .b32 %ra, %rb, %rc, %q, %x<8>; .reg .b16 %ha, %hb, %hc, %h, %y<8>; .reg .pred %p, %p2, %pp<4>;
  ld.param.u64 %ad0, [pa]; ld.param.u64 %ad1, [pb]; ld.param.u64 %ad2, [pc]; ld.param.u64 %ad3, [po];
  mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.s32 %x0, %x0, %x1, %x2;
  mul.wide.u32 %ad4, %x0, 8;
  add.s64 %ad0, %ad0, %ad4; add.s64 %ad1, %ad1, %ad4; add.s64 %ad2, %ad2, %ad4; add.s64 %ad3, %ad3, %ad4;
  ld.global.b64 %a, [%ad0]; ld.global.b64 %b, [%ad1]; ld.global.b64 %c, [%ad2];
  cvt.u32.u64 %ra, %a; cvt.u32.u64 %rb, %b; cvt.u32.u64 %rc, %c;
  cvt.u16.u64 %ha, %a; cvt.u16.u64 %hb, %b; cvt.u16.u64 %hc, %c;
  {body}
  {fin}
  st.global.b64 [%ad3], %o;
  ret;
}}
"
    )
}

pub(crate) type Case = (&'static str, Out, &'static str, fn(u64, u64, u64) -> u64);

/// Values that show the edges of integer types.
pub(crate) fn int_inputs(n: usize, seed: u64) -> Vec<u64> {
    let edge = [
        0u64,
        1,
        2,
        3,
        5,
        31,
        32,
        33,
        63,
        64,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x1_0000_0000,
        i64::MAX as u64,
        i64::MIN as u64,
        u64::MAX,
        0x0101_0101_8080_8080,
    ];
    let mut r = Rng(seed | 1);
    (0..n)
        .map(|_| {
            if r.next().is_multiple_of(3) {
                edge[r.next() as usize % edge.len()]
            } else {
                r.next() >> (r.next() % 40)
            }
        })
        .collect()
}

/// The low 32 bits as f32 of all kinds.
pub(crate) fn f32_inputs(n: usize, seed: u64) -> Vec<u64> {
    let edge = [
        0.0f32,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-40,
        -1e-42,
        1e-45,
        16777216.0,
        2147483648.0,
        -2147483648.0,
        4294967296.0,
        9.3e18,
        65504.0,
        1e5,
        6e-8,
    ];
    let mut r = Rng(seed | 1);
    (0..n)
        .map(|_| match r.next() % 4 {
            0 => edge[r.next() as usize % edge.len()].to_bits() as u64,
            1 => r.next() as u32 as u64,
            _ => ((r.next() as i64 as f64 / (1u64 << 50) as f64) as f32).to_bits() as u64,
        })
        .collect()
}

pub(crate) fn f64_inputs(n: usize, seed: u64) -> Vec<u64> {
    let edge = [
        0.0f64,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -3.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        1e-310,
        4294967296.0,
        9.3e18,
        -9.3e18,
        1e300,
        3.4e38,
        3.5e38,
        1e-40,
    ];
    let mut r = Rng(seed | 1);
    (0..n)
        .map(|_| match r.next() % 4 {
            0 => edge[r.next() as usize % edge.len()].to_bits(),
            1 => r.next(),
            _ => (r.next() as i64 as f64 / (1u64 << 50) as f64).to_bits(),
        })
        .collect()
}

pub(crate) fn module_text(cases: &[Case]) -> String {
    let mut s = String::from(HEAD);
    for (i, c) in cases.iter().enumerate() {
        s += &map_kernel(&format!("k{i}"), c.1, c.2);
    }
    s
}

/// Runs all cases on the inputs and compares with the host.
pub(crate) fn check(cases: &[Case], inputs: [Vec<u64>; 3], same: fn(u64, u64) -> bool) {
    let mut d = Device::new(Config::default());
    let m = d.load(&module_text(cases)).unwrap_or_else(|e| panic!("{e}"));
    let n = inputs[0].len();
    let [pa, pb, pc] = [d.upload(&inputs[0]), d.upload(&inputs[1]), d.upload(&inputs[2])];
    let po = d.alloc(n * 8);
    let mut bad = String::new();
    for (i, c) in cases.iter().enumerate() {
        d.launch(&m, &format!("k{i}"), (n / 64) as u32, 64, 0, &[pa, pb, pc, po])
            .unwrap_or_else(|e| panic!("{}: {}", c.0, e.msg));
        let out: Vec<u64> = d.download(po, n);
        for k in 0..n {
            let want = (c.3)(inputs[0][k], inputs[1][k], inputs[2][k]);
            if out[k] != want && !same(out[k], want) {
                bad += &format!(
                    "{} ({}): inputs {:x} {:x} {:x}: got {:x}, expected {:x}\n",
                    c.0, c.2, inputs[0][k], inputs[1][k], inputs[2][k], out[k], want
                );
                break;
            }
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
}

pub(crate) fn device() -> Device {
    Device::new(Config::default())
}

pub(crate) fn load(d: &mut Device, body: &str) -> Module {
    d.load(&format!("{HEAD}{body}")).unwrap_or_else(|e| panic!("{e}"))
}
