//! Modules and launches that are refused because of their size, and kernels that do not end.
#[macro_use]
mod common;
use common::driver::{H, Session, with_emulator};
use common::{HEAD, device, load};
use cuda_emu::{Config, Device};
use std::ffi::{CString, c_char};

fn refused(text: &str) -> String {
    let mut d = Device::new(Config { mem_limit: 1 << 20, ..Config::default() });
    d.load(&format!("{HEAD}{text}")).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn variables_of_4_gib_are_refused() {
    // A size that is truncated to 32 bits is 16 here.
    for size in ["4294967312", "18446744073709551615", "4294967296][4294967297"] {
        for (space, name) in [("local", "local"), ("shared", "static shared")] {
            let e = refused(&format!(".visible .entry k() {{ .{space} .align 4 .b8 x[{size}]; ret; }}"));
            assert!(e.contains("line 4") && e.contains("'x'") && e.contains(name), "{e}");
        }
        // Of the module: used by one kernel, and by two.
        let one = ".entry k() { .reg .b32 %r; mov.u32 %r, x; ret; }";
        for kernels in [one.to_string(), format!("{one} {}", one.replace("k()", "l()"))] {
            let e = refused(&format!(".shared .align 4 .b8 x[{size}];\n{kernels}"));
            assert!(e.contains("static shared") && e.contains("does not fit"), "{e}");
        }
        let e = refused(&format!(".func f(.param .align 4 .b8 x[{size}]) {{ ret; }}"));
        assert!(e.contains("parameter 'x'"), "{e}");
        let e = refused(&format!(".global .align 4 .b8 x[{size}];"));
        assert!(e.contains("no memory for variable 'x'"), "{e}");
    }
    // Each fits, all together do not.
    let many: String = (0..5).map(|i| format!(".shared .b8 x{i}[10000]; ")).collect();
    let e = refused(&format!(".entry k() {{ {many} ret; }}"));
    assert!(e.contains("'x4' of 10000 bytes") && e.contains("40000 are taken"), "{e}");
    let e = refused(".entry k() { .reg .b32 %r<4294967295>; ret; }");
    assert!(e.contains("registers"), "{e}");
    for align in ["3", "4294967300", "2147483648"] {
        let e = refused(&format!(".entry k() {{ .shared .align {align} .b8 x[8]; ret; }}"));
        assert!(e.contains("alignment of 'x'"), "{e}");
    }
    // The largest variables that fit.
    let mut d = device();
    load(&mut d, ".entry k() { .shared .b8 x[49152]; .local .b8 y[524000]; ret; }");
}

#[test]
fn local_memory_beyond_the_stack_is_refused_at_the_launch() {
    let mut d = Device::new(Config { stack: 4096, ..Config::default() });
    let m = load(&mut d, ".entry k() { .local .b8 y[8192]; ret; }");
    let e = d.launch(&m, "k", 1, 32, 0, &[]).unwrap_err();
    assert!(e.code == 701 && e.msg.contains("local memory") && e.msg.contains("4096"), "{}", e.msg);
}

#[test]
fn a_kernel_that_writes_for_ever_is_given_up() {
    for lockstep in [0, 32, 64] {
        let mut d = Device::new(Config { instructions: 100_000, lockstep, ..Config::default() });
        let m = load(
            &mut d,
            ".entry k(.param .u64 pp) { .reg .b64 %p, %a; ld.param.u64 %p, [pp]; mov.u64 %a, 0;
LOOP: add.u64 %a, %a, 1; st.global.u64 [%p], %a; bra LOOP; }",
        );
        let p = d.upload(&[0u64]);
        let e = d.launch(&m, "k", 3, 64, 0, &[p]).unwrap_err();
        assert_eq!(e.code, 702, "{}", e.msg);
        let words = ["no end", "kernel k <<<(3,1,1)", "CUDA_EMU_INSTRUCTIONS", "block (", "in k, ptx line 5"];
        assert!(words.iter().all(|w| e.msg.contains(w)), "{}", e.msg);
        // Kernels that end are not hurt, however many warps there are.
        let m = load(
            &mut d,
            ".entry k() { .reg .b32 %a; .reg .pred %q; mov.u32 %a, 0;
LOOP: add.u32 %a, %a, 1; setp.lt.u32 %q, %a, 20000; @%q bra LOOP; ret; }",
        );
        d.launch(&m, "k", 8, 64, 0, &[]).unwrap_or_else(|e| panic!("{}", e.msg));
    }
}

#[test]
fn a_kernel_that_writes_is_not_given_up_for_waiting() {
    let mut d = Device::new(Config { watchdog: 1, ..Config::default() });
    let m = load(
        &mut d,
        ".entry k(.param .u64 pp) { .reg .b64 %p, %a, %b; .reg .pred %q; ld.param.u64 %p, [pp]; mov.u64 %a, %globaltimer;
LOOP: mov.u64 %b, %globaltimer; sub.u64 %b, %b, %a; st.global.u64 [%p], %b; setp.lt.u64 %q, %b, 1200000000; @%q bra LOOP; ret; }",
    );
    let p = d.upload(&[0u64]);
    d.launch(&m, "k", 1, 1, 0, &[p]).unwrap_or_else(|e| panic!("{}", e.msg));
}

#[test]
fn loads_extend_the_sign_of_every_width() {
    let mut d = device();
    let mut text = String::from(HEAD);
    let mut cases = Vec::new();
    for (space, width, to) in [
        ("global", 8, 16),
        ("global", 8, 32),
        ("global", 8, 64),
        ("global", 16, 32),
        ("global", 16, 64),
        ("global", 32, 64),
        ("shared", 8, 32),
        ("shared", 16, 32),
        ("shared", 16, 64),
        ("shared", 32, 64),
    ] {
        for signed in [false, true] {
            let name = format!("k{}", cases.len());
            let kind = if signed { "s" } else { "u" };
            // Threads beyond the first warp take the way of single lanes.
            let copy = if space == "shared" {
                format!(
                    "mov.u32 %s, sh; shl.b32 %i, %t, 3; add.u32 %s, %s, %i; ld.global.u64 %v, [%a]; st.shared.u64 [%s], %v; ld.shared.{kind}{width} %d, [%s];"
                )
            } else {
                format!("ld.global.{kind}{width} %d, [%a];")
            };
            let widen = if to == 64 { "mov.u64 %v, %d;".into() } else { format!("cvt.u64.u{to} %v, %d;") };
            text += &format!(
                ".entry {name}(.param .u64 pp) {{ .shared .align 8 .b8 sh[512];
  .reg .b64 %p, %a, %v; .reg .b32 %t, %s, %i; .reg .b{to} %d;
  ld.param.u64 %p, [pp]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 8, %p; {copy} {widen} st.global.u64 [%a], %v; ret; }}\n"
            );
            cases.push((name, width, to, signed));
        }
    }
    let m = d.load(&text).unwrap_or_else(|e| panic!("{e}"));
    let input: Vec<u64> =
        (0..40u64).map(|i| i.wrapping_mul(0x9e37_79b9_97f4_a7c5) ^ 0x80 << (i % 40)).collect();
    for (name, width, to, signed) in cases {
        let p = d.upload(&input);
        d.launch(&m, &name, 1, 40, 0, &[p]).unwrap_or_else(|e| panic!("{}", e.msg));
        let want = input.iter().map(|x| {
            let low = x << (64 - width);
            let wide = if signed { (low as i64 >> (64 - width)) as u64 } else { low >> (64 - width) };
            wide & (u64::MAX >> (64 - to))
        });
        assert_eq!(
            d.download::<u64>(p, 40),
            want.collect::<Vec<_>>(),
            "{width} to {to} bits, signed: {signed}"
        );
    }
}

#[test]
fn parameters_are_read_within_their_bounds() {
    let kernel = |access: &str| {
        format!(
            ".entry k(.param .u64 pp, .param .u32 n) {{ .reg .b64 %p, %a; .reg .b32 %r; ld.param.u64 %p, [pp]; {access} st.global.u32 [%p], %r; ret; }}"
        )
    };
    let run = |access: &str| {
        let mut d = device();
        let m = load(&mut d, &kernel(access));
        let p = d.upload(&[0u32]);
        d.launch(&m, "k", 1, 32, 0, &[p, 77]).map(|_| d.download::<u32>(p, 1)[0])
    };
    assert_eq!(run("ld.param.u32 %r, [pp+8];").unwrap(), 77);
    assert_eq!(run("mov.b64 %a, n; ld.param.u32 %r, [%a];").unwrap(), 77);
    for access in [
        "ld.param.u32 %r, [pp+12];",
        "ld.param.u32 %r, [n+4];",
        "mov.b64 %a, n; ld.param.u32 %r, [%a+4];",
        // They begin within the parameters.
        "ld.param.u64 %a, [pp+8]; cvt.u32.u64 %r, %a;",
        "mov.b64 %a, pp; ld.param.u64 %a, [%a+8]; cvt.u32.u64 %r, %a;",
    ] {
        let e = run(access).unwrap_err();
        assert!(
            e.code == 700 && e.msg.contains("parameter memory") && e.msg.contains("12 bytes"),
            "{}",
            e.msg
        );
    }
    // Of functions: found when the module is loaded.
    for (access, error) in [
        ("ld.param.b32 %r, [x+4];", true),
        ("ld.param.b64 %d, [x];", true),
        ("ld.param.b32 %r, [x+-4];", true),
        ("st.param.b32 [y+4], %r;", true),
        ("ld.param.b32 %r, [x]; st.param.b32 [y], %r;", false),
    ] {
        let r = device().load(&format!(
            "{HEAD}.func (.param .b32 y) f(.param .b32 x) {{ .reg .b32 %r; .reg .b64 %d; {access} ret; }}"
        ));
        match r {
            Err(e) => assert!(error && e.msg.contains("parameter access out of range"), "{access}: {e}"),
            Ok(_) => assert!(!error, "{access}"),
        }
    }
}

#[test]
fn memory_is_accessed_within_its_bounds_by_whole_words() {
    // One thread: requests of single lanes are handled in other code than those of a whole warp.
    let run = |threads: u32, access: &str| {
        let mut d = device();
        let m = load(
            &mut d,
            &format!(
                ".entry k(.param .u64 pp) {{ .shared .align 8 .b8 sh[64]; .local .align 8 .b8 loc[16];
  .reg .b64 %p, %v; .reg .b32 %s; ld.param.u64 %p, [pp]; mov.u32 %s, sh; {access} ret; }}"
            ),
        );
        let p = d.upload(&[0u32; 3]);
        d.launch(&m, "k", 1, threads, 0, &[p]).map(|_| ()).map_err(|e| (e.code, e.msg))
    };
    for threads in [1, 32] {
        for access in ["st.shared.u64 [%s+56], 1;", "st.global.u64 [%p], 1;", "st.local.u64 [loc+8], 1;"] {
            run(threads, access).unwrap_or_else(|e| panic!("{access} by {threads}: {}", e.1));
        }
        for (access, code, words) in [
            ("ld.shared.u64 %v, [%s+4];", 716, "misaligned read of 8 bytes at shared address"),
            ("ld.shared.u64 %v, [%s+64];", 700, "8 bytes in shared memory at offset 64"),
            ("ld.global.u64 %v, [%p+8];", 700, "invalid read of 8 bytes"),
            ("ld.local.u64 %v, [loc+4];", 716, "misaligned read of 8 bytes at local address"),
            // The next thread's memory begins at one of these.
            ("ld.local.u64 %v, [loc+16];", 700, "8 bytes in local memory at offset"),
            ("ld.local.u64 %v, [loc+24];", 700, "8 bytes in local memory at offset"),
            ("ld.local.u64 %v, [loc+32];", 700, "8 bytes in local memory at offset"),
        ] {
            let e = run(threads, access).expect_err(access);
            assert!(e.0 == code && e.1.contains(words), "{access} by {threads}: {}", e.1);
        }
    }
}

#[test]
fn constant_memory_is_not_written() {
    let kernel = |write: &str| {
        format!(".const .align 8 .u64 c[2] = {{5, 6}};
.entry k(.param .u64 pp) {{ .reg .b64 %p, %a, %v; ld.param.u64 %p, [pp]; ld.const.u64 %v, [c+8]; {write} st.global.u64 [%p], %v; ret; }}")
    };
    let e = device().load(&format!("{HEAD}{}", kernel("st.const.u64 [c], %v;"))).map(|_| ()).unwrap_err();
    assert!(e.msg.contains("store to constant memory"), "{e}");
    let run = |write: &str| {
        let mut d = device();
        let m = load(&mut d, &kernel(write));
        let p = d.upload(&[0u64]);
        d.launch(&m, "k", 1, 32, 0, &[p])
            .map(|_| (d.download::<u64>(p, 1)[0], d.download::<u64>(m.global("c").unwrap().0, 2)))
    };
    assert_eq!(run("").unwrap(), (6, vec![5, 6]));
    // By a generic address, plainly and atomically.
    for write in [
        "mov.u64 %a, c; cvta.const.u64 %a, %a; st.u64 [%a], %v;",
        "mov.u64 %a, c; cvta.const.u64 %a, %a; atom.add.u64 %v, [%a], 1;",
    ] {
        let e = run(write).unwrap_err();
        assert!(e.code == 700 && e.msg.contains("constant memory"), "{}", e.msg);
    }
}

/// The driver does not start, so that a check that was not made is never taken for passed.
#[test]
fn a_variable_that_says_nothing_is_an_error() {
    with_emulator("a_variable_that_says_nothing_is_an_error", &[("CUDA_EMU_RACECHECK", "3")], || {
        assert_eq!(call!(cuInit(0 => u32)), 1);
        assert_eq!(call!(cuInit(0 => u32)), 1);
        let mut count = 0;
        assert_ne!(call!(cuDeviceGetCount(&mut count => *mut std::ffi::c_int)), 0);
    });
}

#[test]
fn memory_is_short_where_the_limit_says_so() {
    with_emulator("memory_is_short_where_the_limit_says_so", &[("CUDA_EMU_MEM", " 256m ")], || {
        let s = Session::new();
        let free = || {
            let (mut free, mut total) = (0, 0);
            let r = call!(cuMemGetInfo_v2(&mut free => *mut usize, &mut total => *mut usize));
            assert_eq!((r, total >= free), (0, true));
            free
        };
        assert_eq!(free(), 256 << 20);
        s.alloc(1 << 20);
        assert_eq!(free(), 255 << 20);
        let load = |text: &str| {
            let c = CString::new(format!("{HEAD}{text}")).unwrap();
            let mut m: H = std::ptr::null_mut();
            call!(cuModuleLoadData(&mut m => *mut H, c.as_ptr() => *const c_char))
        };
        // Not enough memory, nonsense, and a size that fits.
        let codes = [load(".global .b8 x[268000000];"), load(".global .b7 x;"), load(".global .b8 x[1000];")];
        assert_eq!(codes, [2, 218, 0]);
        assert_eq!(free(), (255 << 20) - 1000);
    });
}
