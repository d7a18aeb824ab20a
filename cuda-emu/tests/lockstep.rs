//! Lock-step mode: the lanes of a wave have one position between them.
mod common;
use common::HEAD;
use cuda_emu::{Config, Device, Fault, Stats};

const PTX: &str = include_str!("ptx/kernels.ptx");

fn in_step(lockstep: u32) -> Config {
    Config { lockstep, watchdog: 1, ..Config::default() }
}

/// A kernel with one pointer parameter in %p, its thread in %t and a slot for each thread in %o.
fn kernel(body: &str) -> String {
    format!(
        "{HEAD}.extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 pp) {{
  .reg .b64 %p, %o, %a<8>; .reg .b32 %t, %l, %r<16>; .reg .pred %q<6>;
  ld.param.u64 %p, [pp]; mov.u32 %t, %tid.x; mov.u32 %l, %laneid; mad.wide.u32 %o, %t, 8, %p;
  {body}
  ret;
}}"
    )
}

/// Runs a kernel of `threads` threads over as many words, which are 0.
fn run(cfg: Config, body: &str, threads: u32) -> (Result<Stats, Fault>, Vec<u64>) {
    let mut d = Device::new(cfg);
    let m = d.load(&kernel(body)).unwrap_or_else(|e| panic!("{e}"));
    let p = d.upload(&vec![0u64; threads as usize]);
    let r = d.launch(&m, "k", 1, threads, 1024, &[p]);
    (r, d.download(p, threads as usize))
}

fn fails(cfg: Config, body: &str, threads: u32) -> Fault {
    run(cfg, body, threads).0.expect_err("the launch fails")
}

/// Each lane takes a lock, and frees it after the loop in which it waited for it.
const LOCK: &str = "
TRY:
  atom.global.cas.b64 %a1, [%p], 0, 1; setp.ne.u64 %q1, %a1, 0;
  @%q1 bra TRY;
  st.global.u64 [%p], 0;";

#[test]
fn a_lane_that_waits_for_another_of_its_wave_hangs() {
    assert!(run(Config { watchdog: 1, ..Config::default() }, LOCK, 32).0.is_ok());
    // One lane of each wave takes it: none is starved.
    let one = format!("setp.ne.u32 %q2, %l, 0; @%q2 ret; {LOCK}");
    assert!(run(in_step(32), &one, 256).0.is_ok());
    for wave in [32, 64] {
        let e = fails(in_step(wave), LOCK, 32);
        assert_eq!(e.code, 702, "{}", e.msg);
        assert!(e.msg.contains("no progress") && e.msg.contains("kernel k"), "{}", e.msg);
        assert!(e.msg.contains("held until lanes of their wave come, in k, ptx line"), "{}", e.msg);
    }
    // Waves of 64: the lane that frees the lock is in the same wave.
    assert_eq!(fails(in_step(64), &one, 256).code, 702);
}

#[test]
fn lanes_take_turns_where_one_finishes_before_the_next_begins() {
    // Warps of even number first, then the others: a wave may be two of them.
    let turns = "
  mov.u32 %r5, 0; shr.u32 %r6, %t, 5; and.b32 %r6, %r6, 1;
HALF:
  activemask.b32 %r1; setp.ne.u32 %q4, %r5, %r6; @%q4 bra OTHER;
TURN:
  brev.b32 %r2, %r1; bfind.shiftamt.u32 %r3, %r2; setp.ne.u32 %q1, %r3, %l;
  @%q1 bra NEXT;
TRY:
  atom.global.cas.b64 %a1, [%p+8], 0, 1; setp.ne.u64 %q2, %a1, 0; @%q2 bra TRY;
  ld.volatile.global.u64 %a2, [%p]; add.u64 %a2, %a2, 1; st.volatile.global.u64 [%p], %a2;
  atom.global.exch.b64 %a1, [%p+8], 0;
NEXT:
  sub.u32 %r4, %r1, 1; and.b32 %r1, %r1, %r4; setp.ne.u32 %q3, %r1, 0; @%q3 bra TURN;
OTHER:
  add.u32 %r5, %r5, 1; setp.lt.u32 %q5, %r5, 2; @%q5 bra HALF;";
    for lockstep in [0, 32, 64] {
        for seed in [None, Some(1), Some(2)] {
            let (r, v) = run(Config { seed, ..in_step(lockstep) }, turns, 192);
            assert!(r.is_ok(), "{lockstep} {seed:?}: {}", r.unwrap_err().msg);
            assert_eq!(v[..2], [192, 0], "{lockstep} {seed:?}");
        }
    }
}

#[test]
fn lanes_meet_again_after_branches_loops_and_calls() {
    // Each lane goes through its number of rounds, and on odd ones through a function that returns early; then all shuffle.
    let text = format!(
        "{HEAD}.func (.param .b32 r) f(.param .b32 x) {{
  .reg .b32 %r<3>; .reg .pred %q; ld.param.b32 %r1, [x]; setp.gt.u32 %q, %r1, 20;
  @%q bra LARGE;
  add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret;
LARGE:
  add.u32 %r1, %r1, 2; st.param.b32 [r], %r1; ret;
}}
{}",
        kernel(
            "
  mov.u32 %r1, 0; mov.u32 %r2, %l;
LOOP:
  setp.eq.u32 %q1, %r2, 0; @%q1 bra OUT;
  and.b32 %r3, %r2, 1; setp.eq.u32 %q2, %r3, 0; @%q2 bra EVEN;
  { .param .b32 a; st.param.b32 [a], %r2; .param .b32 b; call (b), f, (a); ld.param.b32 %r4, [b]; }
  add.u32 %r1, %r1, %r4; bra NEXT;
EVEN:
  add.u32 %r1, %r1, 100;
NEXT:
  sub.u32 %r2, %r2, 1; bra LOOP;
OUT:
  shfl.sync.bfly.b32 %r5, %r1, 1, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
  cvt.u64.u32 %a1, %r5; st.global.u64 [%o], %a1;"
        )
        .trim_start_matches(HEAD)
    );
    let sum = |l: u64| {
        (1..=l)
            .map(|x| {
                if x % 2 == 0 {
                    100
                } else if x > 20 {
                    x + 2
                } else {
                    x + 1
                }
            })
            .sum::<u64>()
    };
    for lockstep in [0, 32, 64] {
        for seed in [None, Some(1), Some(2), Some(3)] {
            let mut d = Device::new(Config { seed, ..in_step(lockstep) });
            let m = d.load(&text).unwrap_or_else(|e| panic!("{e}"));
            let p = d.upload(&[0u64; 96]);
            d.launch(&m, "k", 1, 96, 0, &[p]).unwrap_or_else(|e| panic!("{lockstep} {seed:?}: {}", e.msg));
            let got = d.download::<u64>(p, 96);
            assert!((0..96).all(|t| got[t] == sum((t as u64 % 32) ^ 1)), "{lockstep} {seed:?}: {got:?}");
        }
    }
}

#[test]
fn paths_that_end_in_a_failure_are_no_reason_to_part() {
    // As LLVM writes it: the failure is a call that does not return, and an `exit` after it, behind the end of the kernel.
    let text = format!(
        "{HEAD}.func fails(.param .b32 x) .noreturn {{ trap; exit; }}
.func panic(.param .b32 x) .noreturn {{ {{ .param .b32 a; st.param.b32 [a], 1; call.uni fails, (a); }} exit; }}
{}",
        kernel(
            "
  setp.eq.u32 %q1, %l, 3; @%q1 bra JOIN;
  setp.eq.u32 %q2, %l, 77; @%q2 bra PANIC;
  mov.u64 %a1, 5; st.global.u64 [%o], %a1;
JOIN:
  shfl.sync.bfly.b32 %r5, %l, 1, 31, 0xffffffff;
  cvt.u64.u32 %a1, %r5; st.global.u64 [%o], %a1; ret;
PANIC:
  { .param .b32 a; st.param.b32 [a], 1; call.uni panic, (a); }
  exit;"
        )
        .trim_start_matches(HEAD)
    );
    for lockstep in [32, 64] {
        let mut d = Device::new(in_step(lockstep));
        let m = d.load(&text).unwrap_or_else(|e| panic!("{e}"));
        let p = d.upload(&[0u64; 32]);
        d.launch(&m, "k", 1, 32, 0, &[p]).unwrap_or_else(|e| panic!("{lockstep}: {}", e.msg));
        assert!(d.download::<u64>(p, 32).iter().enumerate().all(|(l, x)| *x == l as u64 ^ 1));
    }
}

#[test]
fn collectives_of_lanes_that_parted_are_errors() {
    // Half of the lanes come from elsewhere: independent lanes wait for each other at the shuffle, in lock-step they cannot.
    let shuffle = "
  setp.lt.u32 %q1, %l, 16; @%q1 bra LOW;
  shfl.sync.idx.b32 %r1, %l, 0, 31, 0xffffffff; bra END;
LOW:
  shfl.sync.idx.b32 %r1, %l, 16, 31, 0xffffffff;
END:";
    for wave in [32, 64] {
        let e = fails(in_step(wave), shuffle, 32);
        assert!(e.msg.contains("are not here") && e.msg.contains("shfl.sync.idx"), "{}", e.msg);
    }
    // The hardware continues; the launch fails when it has ended, or by the kernel's own report.
    let barrier = "
  setp.lt.u32 %q1, %l, 16; @%q1 bra LOW;
  bar.warp.sync 0xffffffff; mov.u64 %a1, 1; bra END;
LOW:
  bar.warp.sync 0xffffffff; mov.u64 %a1, 2;
END:
  st.global.u64 [%o], %a1;";
    assert!(run(Config::default(), barrier, 32).0.is_ok());
    let (r, v) = run(in_step(32), barrier, 32);
    let e = r.unwrap_err();
    assert!(e.code == 719 && e.msg.contains("are not here") && e.msg.contains("bar.warp.sync"), "{}", e.msg);
    assert!((0..32).all(|l| v[l] == if l < 16 { 2 } else { 1 }));
    assert!(run(Config { synccheck: 0, ..in_step(32) }, barrier, 32).0.is_ok());
    let e = fails(in_step(32), &format!("{barrier} setp.eq.u32 %q2, %l, 0; @%q2 trap;"), 32);
    assert_eq!(e.code, 715, "{}", e.msg);
}

#[test]
fn groups_of_a_warp_have_their_own_collectives() {
    let body = "
  and.b32 %r1, %l, 24; mov.u32 %r2, 255; shl.b32 %r2, %r2, %r1;
  shfl.sync.idx.b32 %r3, %l, %r1, 31, %r2;
  setp.gt.u32 %q1, %l, 12; vote.sync.ballot.b32 %r4, %q1, %r2;
  mad.lo.u32 %r3, %r4, 100, %r3; cvt.u64.u32 %a1, %r3; st.global.u64 [%o], %a1;";
    for lockstep in [0, 32, 64] {
        let (r, v) = run(in_step(lockstep), body, 32);
        assert!(r.is_ok(), "{lockstep}: {}", r.unwrap_err().msg);
        for l in 0..32u64 {
            let above = [0, 0b11100000 << 8, 0xff << 16, 0xff << 24][l as usize / 8];
            assert_eq!(v[l as usize], (above * 100 + l / 8 * 8) & 0xffff_ffff, "{lockstep} {l}");
        }
    }
}

#[test]
fn barriers_count_waves() {
    // Lanes 0 to 15 of each warp reach a barrier alone; then all do.
    let body = "
  setp.ge.u32 %q1, %l, 16; @%q1 bra ALL;
  barrier.sync 0;
ALL:
  st.shared.u32 [dyn], %t;
  barrier.sync 0;
  mov.u64 %a1, 7; st.global.u64 [%o], %a1;";
    for (wave, threads) in [(32, 96), (64, 96), (64, 128), (64, 32)] {
        let (r, v) = run(in_step(wave), body, threads);
        assert!(r.is_ok(), "{wave} {threads}: {}", r.unwrap_err().msg);
        assert_eq!(v, vec![7; threads as usize]);
    }
    // Barriers with a number of threads, in several waves.
    let named = "
  mov.u32 %r1, dyn; mad.lo.u32 %r2, %l, 4, %r1; setp.lt.u32 %q1, %t, 64; @%q1 bra PRODUCE;
  bar.sync 1, 128; ld.shared.u32 %r3, [%r2]; cvt.u64.u32 %a1, %r3; st.global.u64 [%o], %a1; bra DONE;
PRODUCE:
  mul.lo.u32 %r3, %l, 3; st.shared.u32 [%r2], %r3; bar.arrive 1, 128;
DONE:";
    for wave in [32, 64] {
        let (r, v) = run(in_step(wave), named, 128);
        assert!(r.is_ok(), "{wave}: {}", r.unwrap_err().msg);
        assert!((64..128).all(|t| v[t] == 3 * (t as u64 % 32)));
    }
}

#[test]
fn a_trap_ends_its_wave_and_no_other() {
    let body = "
  setp.eq.u32 %q1, %t, 5; @%q1 trap;
  barrier.sync 0;
  mov.u64 %a1, 7; st.global.u64 [%o], %a1;";
    let written = |lockstep: u32| {
        let (r, v) = run(in_step(lockstep), body, 160);
        let e = r.unwrap_err();
        assert!(e.code == 715 && e.msg.contains("thread (5,0,0)"), "{}", e.msg);
        v.iter().filter(|x| **x == 7).count()
    };
    assert_eq!((written(0), written(32), written(64)), (0, 128, 96));
    // A lane that waits for it hangs, and the report names the earlier trap.
    let waits = "
  setp.eq.u32 %q1, %t, 5; @%q1 trap;
  setp.ne.u32 %q2, %t, 64; @%q2 bra END;
WAIT: ld.volatile.global.u64 %a1, [%p]; setp.eq.u64 %q3, %a1, 0; @%q3 bra WAIT;
END:";
    let e = fails(in_step(32), waits, 128);
    assert!(e.code == 702 && e.msg.contains("no progress") && e.msg.contains("trap executed"), "{}", e.msg);
}

#[test]
fn waves_of_64_are_two_warps_that_issue_together() {
    // The lower warp waits for a value that the upper one writes further down.
    let body = "
  setp.ge.u32 %q1, %t, 32; @%q1 bra WRITE;
WAIT: ld.volatile.global.u64 %a1, [%p]; setp.eq.u64 %q2, %a1, 0; @%q2 bra WAIT;
  bra END;
WRITE:
  mov.u64 %a1, 1; st.volatile.global.u64 [%p], %a1;
END:";
    assert!(run(in_step(32), body, 64).0.is_ok());
    assert_eq!(fails(in_step(64), body, 64).code, 702);
}

#[test]
fn kernels_that_nvcc_compiled_run_in_step() {
    for lockstep in [32, 64] {
        for seed in [None, Some(1), Some(2)] {
            let mut d = Device::new(Config { seed, racecheck: 2, initcheck: true, ..in_step(lockstep) });
            let m = d.load(PTX).unwrap_or_else(|e| panic!("{e}"));
            let a: Vec<i32> = (0..3000).map(|i| i % 17 - 5).collect();
            let (pa, po) = (d.upload(&a), d.alloc(12 * 4));
            d.launch(&m, "block_sum", 12, 256, 0, &[pa, po, 3000]).unwrap_or_else(|e| panic!("{}", e.msg));
            let want: Vec<i32> = a.chunks(256).map(|c| c.iter().sum()).collect();
            assert_eq!(d.download::<i32>(po, 12), want);
            let po = d.alloc(4 * 64);
            d.launch(&m, "recursion", 1, 64, 0, &[po]).unwrap_or_else(|e| panic!("{}", e.msg));
            fn fib(n: i32) -> i32 {
                if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
            }
            assert_eq!(d.download::<i32>(po, 64), (0..64).map(|i| fib(i % 16)).collect::<Vec<_>>());
        }
    }
}
