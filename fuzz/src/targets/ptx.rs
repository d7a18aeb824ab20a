//! PTX with a few wrong words: the emulator refuses it, or runs it with all checks to an end or to a fault.

use cuda_emu::{Config, Device};
use fastrand::Rng;

use super::Outcome;
use crate::mutate;

const TEXTS: &[&str] = &[
    // Global memory, special registers, a loop.
    ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b64 %a<6>; .reg .b32 %r<8>; .reg .pred %q<2>; .reg .f32 %f<4>;
  ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, 0;
LOOP:
  mad.wide.u32 %a2, %r2, 4, %a1;
  ld.global.f32 %f1, [%a2]; fma.rn.f32 %f1, %f1, %f1, 0f3F800000; st.global.f32 [%a2], %f1;
  add.u32 %r3, %r3, 1; setp.lt.u32 %q1, %r3, %r1; @%q1 bra LOOP;
  ret;
}",
    // Shared and local memory, a barrier, a shuffle, atomics, a call.
    ".version 8.0
.target sm_90
.address_size 64
.global .align 8 .b8 table[64];
.func (.reg .b32 %out) twice(.reg .b32 %in) { shl.b32 %out, %in, 1; ret; }
.visible .entry k(.param .u64 p, .param .u32 n) {
  .shared .align 8 .b8 s[128]; .local .align 8 .b8 l[16];
  .reg .b64 %a<6>; .reg .b32 %r<8>; .reg .pred %q<2>;
  ld.param.u64 %a1, [p]; mov.u32 %r2, %tid.x; mov.u32 %r3, s; mad.lo.u32 %r3, %r2, 4, %r3;
  st.shared.u32 [%r3], %r2; bar.sync 0; ld.shared.u32 %r4, [%r3];
  shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;
  st.local.u32 [l], %r5; ld.local.u32 %r5, [l+0];
  call (%r6), twice, (%r5);
  atom.global.add.u32 %r7, [%a1+64], %r6;
  mov.u64 %a2, table; cvta.global.u64 %a2, %a2; red.max.u32 [%a2+8], %r6;
  switch: { .reg .b16 %h; cvt.u16.u32 %h, %r6; setp.eq.u16 %q1, %h, 3; }
  @%q1 exit;
  trap;
}",
];

pub(crate) fn case(rng: &mut Rng) -> Outcome {
    let text = *rng.choice(TEXTS).expect("not empty");
    let text = mutate::text(rng, text);
    let mut device = Device::new(Config { mem_limit: 1 << 20, instructions: 20_000, ..Config::default() });
    let Ok(module) = device.load(&text) else { return Outcome::Refused };
    let memory = device.upload(&[1.0_f32; 64]);
    for kernel in module.kernels() {
        if let Err(fault) = device.launch(&module, kernel, 1, 16, 0, &[memory, 3]) {
            assert!(!fault.msg.is_empty());
        }
    }
    Outcome::Accepted
}
