//! Instructions that compilers seldom emit, and errors in modules.
mod common;
use common::{HEAD, Rng, device, load};
use cuda_emu::{Config, Device, Fault};

/// A kernel with one pointer parameter in %p, its thread in %t and a slot for each thread in %o.
fn kernel(body: &str) -> String {
    format!(
        ".extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 pp) {{
  .reg .b64 %p, %o, %a<8>; .reg .b32 %t, %l, %r<16>; .reg .pred %q<6>; .reg .b16 %h<4>; .reg .b128 %w<4>;
  ld.param.u64 %p, [pp]; mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mad.wide.u32 %o, %t, 8, %p;
  {body}
  ret;
}}"
    )
}

fn run_on(d: &mut Device, body: &str, threads: u32, init: &[u64]) -> Vec<u64> {
    let m = load(d, &kernel(body));
    let p = d.upload(init);
    d.launch(&m, "k", 1, threads, 1024, &[p]).unwrap_or_else(|e| panic!("{}", e.msg));
    d.download(p, init.len())
}

fn run(body: &str, threads: u32, init: &[u64]) -> Vec<u64> {
    let mut out = Vec::new();
    for seed in [None, Some(1), Some(2), Some(3)] {
        let got = run_on(&mut Device::new(Config { seed, ..Config::default() }), body, threads, init);
        if seed.is_some() {
            assert_eq!(got, out, "seed {seed:?}");
        }
        out = got;
    }
    out
}

fn fails(body: &str, threads: u32) -> Fault {
    let mut d = device();
    let m = load(&mut d, &kernel(body));
    let p = d.upload(&[0u64; 8]);
    d.launch(&m, "k", 1, threads, 1024, &[p]).expect_err("the launch fails")
}

#[test]
fn named_barriers() {
    // The first warp produces, the second consumes.
    let body = "
  mov.u32 %r1, dyn; mad.lo.u32 %r2, %l, 4, %r1;
  setp.lt.u32 %q1, %t, 32;
  @%q1 bra PRODUCE;
  bar.sync 1, 64;
  ld.shared.u32 %r3, [%r2]; cvt.u64.u32 %a1, %r3; st.global.u64 [%o], %a1;
  bra DONE;
PRODUCE:
  mul.lo.u32 %r3, %l, 3; st.shared.u32 [%r2], %r3;
  bar.arrive 1, 64;
DONE:";
    let got = run(body, 64, &[7; 64]);
    assert!((0..32).all(|i| got[i] == 7 && got[32 + i] == 3 * i as u64));
    let mut d = Device::new(Config { racecheck: 1, ..Config::default() });
    assert_eq!(run_on(&mut d, body, 64, &[7; 64]), got);
}

#[test]
fn reductions_at_barriers() {
    let body = "
  setp.gt.u32 %q1, %t, 9;
  barrier.cta.red.popc.u32 %r1, 0, %q1;
  bar.red.and.pred %q2, 2, !%q1;
  bar.red.or.pred %q3, 0, 96, %q1;
  selp.u32 %r2, 1000, 0, %q2; selp.u32 %r3, 2000, 0, %q3;
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; cvt.u64.u32 %a1, %r1; st.global.u64 [%o], %a1;";
    assert_eq!(run(body, 96, &[0; 96]), vec![2086; 96]);
}

#[test]
fn asynchronous_copies() {
    let body = "
  mov.u32 %r1, dyn; mad.lo.u32 %r2, %t, 16, %r1;
  cvt.u64.u32 %a3, %t; shl.b64 %a3, %a3, 4; add.s64 %a1, %p, %a3;
  setp.eq.u32 %q1, %t, 3; selp.b32 %r5, 4, 16, %q1;
  cp.async.cg.shared.global [%r2], [%a1], 16, %r5;
  cp.async.commit_group; cp.async.wait_group 0;
  bar.sync 0;
  ld.shared.v2.u64 {%a4, %a5}, [%r2]; add.s64 %a4, %a4, %a5; bar.sync 0; st.global.u64 [%o], %a4;";
    let init: Vec<u64> = (0..32).map(|i| i + (i << 32)).collect();
    let got = run(body, 16, &init);
    for t in 0..16u64 {
        let sum = 4 * t + 1;
        assert_eq!(got[t as usize], if t == 3 { 6 } else { sum + (sum << 32) });
    }
}

#[test]
fn mbarriers() {
    let body = "
  .shared .align 8 .b64 mb; .shared .b32 sum;
  mov.u32 %r1, mb; setp.ne.u32 %q1, %t, 0;
  @%q1 bra GO;
  mbarrier.init.shared::cta.b64 [%r1], 64; st.shared.u32 [sum], 0;
GO:
  bar.sync 0;
  atom.shared.add.u32 %r2, [sum], %t;
  mbarrier.arrive.shared::cta.b64 %a1, [%r1];
WAIT:
  mbarrier.try_wait.shared::cta.b64 %q2, [%r1], %a1;
  @!%q2 bra WAIT;
  ld.shared.u32 %r3, [sum];
  mbarrier.arrive.shared::cta.b64 %a1, [%r1];
WAIT2:
  mbarrier.test_wait.parity.shared::cta.b64 %q2, [%r1], 1;
  @!%q2 bra WAIT2;
  cvt.u64.u32 %a2, %r3; st.global.u64 [%o], %a2;";
    assert_eq!(run(body, 64, &[0; 64]), vec![2016; 64]);
}

#[test]
fn mbarriers_count_arrivals_and_bytes() {
    let start = "
  .shared .align 8 .b64 mb; mov.u32 %r1, mb; setp.ne.u32 %q1, %t, 0; @%q1 bra GO;
  mbarrier.init.shared::cta.b64 [%r1], 2;
GO: bar.sync 0;";
    // A wait with the first phase's parity ends when both have arrived and the bytes are there, and not before.
    let body = format!(
        "{start} @%q1 bra WAIT;
  mbarrier.arrive.expect_tx.shared::cta.b64 %a1, [%r1], 16;
  mbarrier.arrive.shared::cta.b64 %a1, [%r1];
  mbarrier.test_wait.parity.shared::cta.b64 %q2, [%r1], 0; selp.u64 %a2, 1, 0, %q2; st.global.u64 [%p+8], %a2;
  st.global.u64 [%p], 5; mbarrier.complete_tx.shared::cta.b64 [%r1], 16;
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %q2, [%r1], 0; @!%q2 bra WAIT;
  ld.global.u64 %a3, [%p]; add.u64 %a3, %a3, %a2; @%q1 st.global.u64 [%p+16], %a3;"
    );
    assert_eq!(run(&body, 2, &[0, 9, 0]), [5, 0, 5]);
    let body = format!("{start} mbarrier.arrive.shared::cta.b64 %a1, [%r1], 3;");
    let e = fails(&body, 1);
    assert!(e.code == 719 && e.msg.contains("more arrivals at an mbarrier than it expects"), "{}", e.msg);
}

#[test]
fn wide_and_packed_atomics() {
    let body = "
  mov.b64 %a1, 5; mov.b64 %a2, 6; mov.b128 %w0, {%a1, %a2};
  mov.b64 %a3, 50; mov.b64 %a4, 60; mov.b128 %w1, {%a3, %a4};
  setp.eq.u32 %q1, %t, 0;
  @%q1 atom.global.cas.b128 %w2, [%p], %w0, %w1;
  mov.b64 %a1, 50; mov.b128 %w0, {%a1, %a2}; @%q1 atom.global.cas.b128 %w2, [%p], %w0, %w0;
  mov.b32 %r1, 0x3C003800; red.global.add.noftz.f16x2 [%p+16], %r1;
  mov.b16 %h1, 1; mov.b16 %h2, 2;
  @%q1 atom.global.cas.b16 %h3, [%p+24], %h1, %h2;
  mov.b32 %r2, 0f3F800000; mov.b32 %r3, 0f40000000;
  red.global.add.v2.f32 [%p+32], {%r2, %r3};
  @%q1 ld.global.b128 %w3, [%p]; @%q1 mov.b128 {%a5, %a6}, %w3; @%q1 st.global.v2.b64 [%p+48], {%a5, %a6};";
    let got = run(body, 4, &[5, 6, 0, 0xffff_0001, 0, 0, 0, 0]);
    assert_eq!(got[..2], [50, 60]);
    assert_eq!(got[2], 0x4400_4000);
    assert_eq!(got[3], 0xffff_0002);
    assert_eq!(got[4], (8f32.to_bits() as u64) << 32 | 4f32.to_bits() as u64);
    assert_eq!(got[6..8], [50, 60]);
}

#[test]
fn address_spaces() {
    let body = "
  .local .align 8 .b8 loc[16];
  mov.u64 %a1, loc; cvta.local.u64 %a2, %a1; mov.u32 %r1, dyn; cvt.u64.u32 %a3, %r1; cvta.shared.u64 %a4, %a3;
  isspacep.local %q1, %a2; isspacep.shared %q2, %a4; isspacep.global %q3, %p; isspacep.shared %q4, %p;
  st.u64 [%a2], 11; st.u64 [%a4+8], 22; ld.local.u64 %a5, [loc]; ld.shared.u64 %a6, [%r1+8];
  selp.u32 %r2, 1, 0, %q1; selp.u32 %r3, 2, 0, %q2; selp.u32 %r4, 4, 0, %q3; selp.u32 %r5, 8, 0, %q4;
  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; cvt.u64.u32 %a7, %r2;
  mad.lo.u64 %a7, %a7, 100, %a5; mad.lo.u64 %a7, %a7, 100, %a6; cvta.to.shared.u64 %a4, %a4; cvt.u32.u64 %r6, %a4;
  setp.eq.u32 %q5, %r6, %r1; @%q5 st.global.u64 [%o], %a7;";
    assert_eq!(run(body, 1, &[0]), [71122]);
}

#[test]
fn no_local_variable_is_at_a_null_pointer() {
    let body = "
  .local .align 8 .b8 loc[16];
  mov.u64 %a1, loc; mov.u64 %a2, 0; cvta.to.local.u64 %a3, %a2; setp.ne.u64 %q1, %a1, %a3;
  selp.u64 %a4, 1, 0, %q1; st.global.u64 [%o], %a4;";
    assert_eq!(run(body, 1, &[0]), [1]);
}

#[test]
fn scopes_and_jumps() {
    // The same names in two scopes, and a jump table.
    let body = "
  mov.u32 %r1, 0;
  { .reg .b32 x; .reg .pred p; mov.u32 x, %t;
  LOOP: add.u32 %r1, %r1, x; sub.u32 x, x, 1; setp.gt.s32 p, x, 0; @p bra LOOP; }
  { .reg .b32 x; .reg .pred p; mov.u32 x, 2;
  LOOP: add.u32 %r1, %r1, 100; sub.u32 x, x, 1; setp.gt.s32 p, x, 0; @p bra LOOP; }
  and.b32 %r2, %t, 3;
  ts: .branchtargets A, B, C, D;
  brx.idx %r2, ts;
  A: add.u32 %r1, %r1, 1000; bra E;
  B: add.u32 %r1, %r1, 2000; bra E;
  C: add.u32 %r1, %r1, 3000;
  D: add.u32 %r1, %r1, 4000;
  E: cvt.u64.u32 %a1, %r1; st.global.u64 [%o], %a1;";
    let got = run(body, 40, &[0; 40]);
    for t in 0..40u64 {
        let tri = if t == 0 { 0 } else { t * (t + 1) / 2 };
        assert_eq!(got[t as usize], tri + 200 + [1000, 2000, 7000, 4000][t as usize % 4]);
    }
}

#[test]
fn jumps_beyond_their_table_are_refused() {
    let body = "add.u32 %r1, %t, 1; ts: .branchtargets A, B; brx.idx %r1, ts; A: st.global.u64 [%o], 1; B:";
    run(body, 1, &[0]);
    let e = fails(body, 2);
    assert!(e.code == 718 && e.msg.contains("branch index 2 out of range (2 targets)"), "{}", e.msg);
}

#[test]
fn lanes_meet_again_behind_a_branch() {
    let body = "
  and.b32 %r1, %t, 3; setp.eq.u32 %q1, %r1, 0; @%q1 bra A;
  add.u32 %r2, %t, 5; bra B;
A: add.u32 %r2, %t, 7;
B: activemask.b32 %r3; popc.b32 %r3, %r3; cvt.u64.u32 %a1, %r3; st.global.u64 [%o], %a1;";
    let got = run_on(&mut Device::new(Config::default()), body, 32, &[0; 32]);
    assert_eq!(got, [32; 32]);
}

#[test]
fn elect_and_masks() {
    let body = "
  elect.sync %r1|%q1, 0xffffffff; selp.u32 %r2, 100, 0, %q1; add.u32 %r1, %r1, %r2;
  mov.u32 %r3, %lanemask_lt; popc.b32 %r3, %r3; add.u32 %r1, %r1, %r3;
  shfl.sync.up.b32 %r4|%q2, %l, 1, 0, 0xffffffff; selp.u32 %r5, 1000, 0, %q2; add.u32 %r1, %r1, %r5;
  shfl.sync.idx.b32 %r6, %l, 1, 0x181f, 0xffffffff; mad.lo.u32 %r1, %r6, 10000, %r1;
  vote.sync.uni.pred %q3, %q2, 0xffffffff; selp.u32 %r7, 7000000, 0, %q3; add.u32 %r1, %r1, %r7;
  cvt.u64.u32 %a1, %r1; st.global.u64 [%o], %a1;";
    let got = run(body, 32, &[0; 32]);
    for l in 0..32u64 {
        let want = if l == 0 { 100 } else { 0 } + l + if l > 0 { 1000 } else { 0 } + 10000 * (l / 8 * 8 + 1);
        assert_eq!(got[l as usize], want);
    }
}

#[test]
fn predicates_guard_stores_and_exits() {
    let body = "setp.ge.u32 %q1, %t, 5; @%q1 exit; setp.eq.u32 %q2, %t, 2; mov.u64 %a1, 9; @!%q2 st.global.u64 [%o], %a1;";
    assert_eq!(run(body, 8, &[0; 8]), [9, 9, 0, 9, 9, 0, 0, 0]);
}

#[test]
fn errors_name_the_line() {
    let bad = |text: &str| Device::new(Config::default()).load(text).map(|_| ()).unwrap_err();
    let e =
        bad(&format!("{HEAD}.visible .entry k() {{\n  .reg .b32 %r<2>;\n  wgmma.fence.sync.aligned;\n}}"));
    assert_eq!(e.line, 6);
    assert!(e.msg.contains("unsupported instruction 'wgmma.fence.sync.aligned'"), "{e}");
    let e = bad(&format!("{HEAD}.visible .entry k() {{\n  .reg .b32 %r<2>;\n  add.s32 %r0, %r1, %r2;\n}}"));
    assert!(e.msg.contains("%r2"), "{e}");
    let e = bad(&format!("{HEAD}.visible .entry k() {{\n  bra NOWHERE;\n}}"));
    assert!(e.msg.contains("NOWHERE"), "{e}");
    let e = bad(&format!("{HEAD}.visible .entry k() {{\n  ld.global.foo.u32 %r0, [0];\n}}"));
    assert!(e.msg.contains(".foo"), "{e}");
    let e = bad(&format!("{HEAD}.func other();\n.visible .entry k() {{\n  call other, ();\n}}"));
    assert!(e.msg.contains("unknown function 'other'"), "{e}");
    let e = bad(&format!("{HEAD}.visible .entry k() {{\n  mov.u32"));
    assert!(e.line >= 5, "{e}");
    assert!(bad("this is not ptx").line == 1);
    let e = bad(&format!(
        "{HEAD}.visible .entry k(.param .u64 a) {{\n .reg .b64 %x; shfl.up.b32 %x, %x, 1, 0; ret;\n}}"
    ));
    assert!(e.msg.contains("without .sync"), "{e}");
}

#[test]
fn garbage_does_not_panic() {
    let text = include_str!("ptx/kernels.ptx");
    let mut r = Rng(17);
    let mut d = Device::new(Config::default());
    for _ in 0..150 {
        let mut b = text.as_bytes()[..4000 + r.next() as usize % 20000].to_vec();
        for _ in 0..3 {
            let i = r.next() as usize % b.len();
            b[i] = b" ;,{}[]()%.0a:-"[r.next() as usize % 15];
        }
        let _ = d.load(&String::from_utf8_lossy(&b));
    }
}

#[test]
fn stack_overflow_is_reported() {
    let mut d = Device::new(Config::default());
    let m = load(
        &mut d,
        ".func (.param .b32 r) f(.param .b32 x) { .reg .b32 %r<3>; ld.param.b32 %r1, [x]; { .param .b32 a; st.param.b32 [a], %r1; .param .b32 b; call (b), f, (a); ld.param.b32 %r2, [b]; } add.u32 %r2, %r2, 1; st.param.b32 [r], %r2; ret; }
.visible .entry k(.param .u64 p) { .reg .b32 %r<3>; { .param .b32 a; st.param.b32 [a], 1; .param .b32 b; call (b), f, (a); ld.param.b32 %r2, [b]; } ret; }",
    );
    let e = d.launch(&m, "k", 1, 32, 0, &[0]).unwrap_err();
    assert!(e.msg.contains("stack overflow"), "{}", e.msg);
}
