//! Which functions are kernels, and the PTX they become.

use spelt_device_link::{Error, Options, has_kernels, link};

use crate::compile::{Folder, LLVM, PROFILES, Profile, compile, input, kernels_with, linked};
use crate::run::{Launch, failure, on_device, on_host};

const AXPY: &str = "#![no_std]
pub fn axpy(view: Raw<f64>, alpha: f64) {
    launch(\"axpy\", view, move |i, view| view.set(i, view.get(i) + alpha * view.get(i)));
}";

#[test]
fn a_closure_becomes_a_kernel() {
    for profile in PROFILES {
        let output = linked(AXPY, profile);
        let ptx = &output.ptx;
        assert_eq!(output.kernels.len(), 1);
        let kernel = &output.kernels[0];
        let place = (kernel.label.as_deref(), kernel.file.as_deref(), kernel.line);
        assert_eq!(place, (Some("axpy"), Some("kernels.rs"), 3));
        assert_eq!(ptx.matches(".entry").count(), 1, "{ptx}");
        assert!(ptx.contains(&format!(".visible .entry {}(", kernel.symbol)), "{ptx}");
        assert!(ptx.contains(".visible .global .align 8 .u64 spelt_failure"), "{ptx}");
        assert!(!ptx.contains(".noreturn"), "{ptx}");
        assert!(ptx.contains(".target sm_80") && ptx.contains(".version 7.0"), "{ptx}");
        // The launch's number, the View, alpha: 32 bytes by value.
        assert!(ptx.contains(".param .align 8 .b8") && ptx.contains("_param_0[32]"), "{ptx}");
        // No contraction to fma.
        assert!(
            ptx.contains("mul.rn.f64") && ptx.contains("add.rn.f64") && !ptx.contains("fma"),
            "{profile:?} {ptx}"
        );
        // Debug builds check for overflow.
        assert_eq!(ptx.contains("trap"), profile == Profile::Debug, "{ptx}");
        assert!(output.ir.contains("ptx_kernel void @"), "{}", output.ir);
    }
}

#[test]
fn links_repeat() {
    let [first, second] = [linked(AXPY, Profile::Release), linked(AXPY, Profile::Release)];
    assert_eq!(first.ptx, second.ptx);
}

#[test]
fn architectures_and_versions_are_those_asked_for() {
    let folder = Folder::new();
    let input = input(&folder.0, AXPY, Profile::Release);
    for (arch, version, target) in [
        ("sm_70", None, ".version 6.3\n.target sm_70"),
        ("sm_75", None, ".version 6.3\n.target sm_75"),
        ("sm_90", None, ".version 7.8\n.target sm_90"),
        ("sm_90a", None, ".version 8.0\n.target sm_90a"),
        ("sm_120", None, ".version 8.7\n.target sm_120"),
        ("sm_80", Some(75), ".version 7.5\n.target sm_80"),
    ] {
        let mut options = Options::new(LLVM.clone());
        (options.arch, options.ptx_version) = (arch.parse().unwrap(), version);
        let ptx = link(&input, &options).unwrap().ptx;
        assert!(ptx.contains(target), "{arch}: {ptx}");
    }
}

/// A lock is taken before and freed after the accesses that it guards, for other threads of the device and for the host: atomics of wide
/// elements rest on it.
#[test]
fn locks_guard_plain_accesses() {
    let text = "pub fn all(view: Raw<u64>) {
    launch(\"lock\", view, |i, v| {
        use core::sync::atomic::{AtomicU64, Ordering::*};
        let lock = unsafe { AtomicU64::from_ptr(v.start) };
        while lock.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {}
        v.set(1, v.get(1) * 3);
        lock.store(0, Release);
    });
}";
    for profile in PROFILES {
        let ptx = linked(text, profile).ptx;
        let after = |start: usize, what: &str| {
            start + ptx[start..].find(what).unwrap_or_else(|| panic!("no `{what}` after {start}: {ptx}"))
        };
        let taken = after(0, "atom.acquire.sys");
        let used = after(after(taken, "mul.lo.s64"), "st.");
        assert!(used < after(taken, "st.release.sys"), "{profile:?} {ptx}");
    }
}

/// Loads of memory that nothing writes say so, at whatever address; volatile loads and those of other memory do not.
#[test]
fn loads_of_unwritten_memory_are_marked() {
    let text = "unsafe extern \"C\" { fn __spelt_unwritten(pointer: *mut u8) -> *mut u8; }
pub fn all(view: Raw<f64>) {
    launch(\"sum\", view, |i, v| unsafe {
        let x: *const f64 = __spelt_unwritten(v.start.cast()).cast();
        let sum = v.get(i + 2000) + *x.add(i + 4000) + *x.add(i * i) + x.add(7).read_volatile();
        v.set(i, sum);
    });
}";
    for profile in PROFILES {
        let ptx = linked(text, profile).ptx;
        // Without the functions that it calls, which report failures.
        let (_, kernel) = ptx.split_once(".visible .entry").expect("a kernel");
        let (kernel, _) = kernel.split_once("\n}").expect("its end");
        let loads = |what: &str| kernel.matches(what).count();
        assert_eq!(loads("ld.global.nc.b64") + loads("ld.global.nc.f64"), 2, "{profile:?} {ptx}");
        assert_eq!(loads("ld.volatile.global"), 1, "{profile:?} {ptx}");
        assert_eq!(loads("ld.global.b64") + loads("ld.global.f64"), 1, "{profile:?} {ptx}");
        assert!(!ptx.contains("unwritten") && !ptx.contains("strip"), "{profile:?} {ptx}");
    }
}

/// A fence for signal handlers is nothing on a device: it does not keep the loads around it apart. A fence for other threads does.
#[test]
fn fences_of_the_thread_are_dropped() {
    let text = "pub fn all(view: Raw<f64>) {
    use core::sync::atomic::{Ordering::*, compiler_fence, fence};
    launch(\"signal\", view, |i, v| {
        let first = v.get(i);
        compiler_fence(Release);
        compiler_fence(SeqCst);
        v.set(i + 1, first * v.get(i));
    });
    launch(\"threads\", view, |i, v| {
        let first = v.get(i);
        fence(SeqCst);
        v.set(i + 1, first * v.get(i));
    });
}";
    for profile in PROFILES {
        let ptx = linked(text, profile).ptx;
        let entries = ptx.split(".visible .entry ").skip(1).map(|entry| entry.split("\n}").next().unwrap());
        let mut loads: Vec<_> =
            entries.map(|entry| (entry.matches("ld.global").count(), entry.contains("fence."))).collect();
        loads.sort();
        assert_eq!(loads, [(1, false), (2, true)], "{profile:?}: {ptx}");
    }
}

/// Barriers and shuffles are not duplicated, though the code around them invites it.
#[test]
fn barriers_stay_as_many_as_they_are() {
    let text = "pub fn all(view: Raw<f64>, n: usize) {
    launch(\"barriers\", view, move |i, v| {
        let shared = __spelt_shared().cast::<f64>();
        if i < n { unsafe { *shared.add(i) = v.get(i) } } else { unsafe { *shared.add(i) = 0.0 } }
        __spelt_barrier();
        let mut step = n / 2;
        while step > 0 {
            if i < step { unsafe { *shared.add(i) += *shared.add(i + step) } }
            __spelt_barrier();
            step /= 2;
        }
        let low = if i == 0 { 1 } else { 2 };
        let moved = __spelt_shuffle(!0, core::mem::MaybeUninit::new(low), i as u32 ^ 1);
        __spelt_warp_barrier(!0);
        if unsafe { moved.assume_init() } == 1 { v.set(i, unsafe { *shared }) }
        let lanes = __spelt_alike(!0, u32::from(i % 3 == 0));
        if lanes & 1 == 0 { __spelt_fence() }
    });
}";
    for profile in PROFILES {
        let ptx = linked(text, profile).ptx;
        let expected = [
            ("barrier.sync", 2),
            ("shfl.sync", 1),
            ("bar.warp.sync", 1),
            ("vote.sync.ballot", 1),
            ("membar.gl", 1),
        ];
        for (instruction, count) in expected {
            let found = ptx.lines().filter(|line| line.trim_start().starts_with(instruction)).count();
            assert_eq!(found, count, "{profile:?} {instruction}: {ptx}");
        }
    }
}

/// Threads that agree are those of the mask, also where its threads are not all of the warp.
#[test]
fn threads_outside_the_mask_agree_with_none() {
    let text = "pub fn all() {
    let mut v = [0u32; 32];
    let view = Raw { start: v.as_mut_ptr(), length: 32 };
    launch(\"alike\", view, move |i, v| if i < 8 { v.set(i, __spelt_alike(0xFF, i as u32 % 4)) });
}";
    for profile in PROFILES {
        let after = on_device(&linked(text, profile), &on_host(text, profile)[0]).expect("a launch");
        let (words, _) = after.as_chunks::<4>();
        for (i, word) in words.iter().enumerate() {
            let wanted = if i >= 8 {
                0
            } else if i % 4 == 0 {
                0x11
            } else {
                0xEE
            };
            assert_eq!(u32::from_le_bytes(*word), wanted, "{profile:?}: thread {i}");
        }
    }
}

/// Each failure, the handler that reports it (as `device.rs` numbers them), and its message.
#[test]
fn panics_report_and_trap() {
    type Case<'a> = (&'a str, u64, Result<&'a str, [u64; 2]>);
    let cases: &[Case<'_>] = &[
        ("if i == 7 { panic!(\"a literal\") }", 1, Ok("a literal")),
        ("if i == 7 { panic!(\"with {i}\") }", 1, Ok("")),
        ("assert!(i != 7);", 2, Ok("assertion failed: i != 7")),
        ("assert_eq!(i / 8, i / 7);", 2, Ok("assertion `left == right` failed")),
        ("assert_ne!(i, 7);", 2, Ok("assertion `left != right` failed")),
        ("let table = [1, 2, 3]; v.set(i, table[i - i % 7 + i / 7 * 5]);", 3, Err([12, 3])),
        ("v.set(i, (1 << 31) / (7 - i.min(7)) as u32);", 2, Ok("attempt to divide by zero")),
        (
            "v.set(i, [1, 2].get(i / 7 + 1).copied().unwrap());",
            2,
            Ok("called `Option::unwrap()` on a `None` value"),
        ),
        ("v.set(i, [1, 2].get(i / 7 + 1).copied().expect(\"two of them\"));", 2, Ok("two of them")),
        ("v.set(i, u8::try_from(i + 249).expect(\"a byte\") as u32);", 2, Ok("a byte")),
        ("if i == 7 { unreachable!() }", 2, Ok("internal error: entered unreachable code")),
        (
            "let s = &[1u32, 2, 3][..3 - i / 7 + i / 7 * 2]; v.set(i, s[0]);",
            2,
            Ok("panicked in core::slice::index::slice_index_fail"),
        ),
    ];
    for profile in PROFILES {
        for (body, kind, expected) in cases {
            let text = format!(
                "pub fn all() {{\nlet mut v = [0u32; 8];\nlet view = Raw {{ start: v.as_mut_ptr(), length: 8 }};\n\
                 launch(\"k\", view, |i, v: Raw<u32>| {{ v.set(i, 1);\n{body}\n}}); }}"
            );
            let output = linked(&text, profile);
            let (words, message) = failure(&output, "k", 8);
            assert_eq!((words[0], words[1]), (*kind, 5), "{profile:?} {body}: {words:?} {message}");
            match expected {
                Ok(text) => assert_eq!(message, *text, "{profile:?} {body}"),
                Err(values) => assert_eq!(words[2..], *values, "{profile:?} {body}"),
            }
        }
    }
}

/// `unreachable!` of the edition 2018 has a message of any type; other crates' code has it also in programs without it.
#[test]
fn messages_that_are_values_keep_the_words_before_them() {
    let text = "#![feature(panic_internals)]\npub fn all() {\nlet mut v = [0u32; 8];
let view = Raw { start: v.as_mut_ptr(), length: 8 };
launch(\"k\", view, |i, v: Raw<u32>| if i == 7 { core::panicking::unreachable_display(&\"odd\") }); }";
    let (words, message) = failure(&linked(text, Profile::Debug), "k", 8);
    assert_eq!((words[0], words[1]), (2, 5), "{words:?}");
    assert_eq!(message, "internal error: entered unreachable code");
}

/// Checks that the compiler makes in debug builds only.
#[test]
fn misuse_of_unsafe_code_is_named_in_debug_builds() {
    let cases = [
        ("let p = unsafe { v.start.byte_add(i / 7) }; unsafe { *p = 3 };", 2, "not aligned for its type"),
        (
            "let p = unsafe { v.start.byte_add(i / 7) }; v.set(0, unsafe { p.read_volatile() });",
            1,
            "requires that the pointer argument is aligned",
        ),
        (
            "v.set(i, unsafe { *[1, 2].get_unchecked(i / 7 * 5) });",
            1,
            "requires that the index is within the slice",
        ),
    ];
    for (body, kind, expected) in cases {
        let text = format!(
            "pub fn all() {{\nlet mut v = [0u32; 9];\nlet view = Raw {{ start: v.as_mut_ptr(), length: 8 }};\n\
             launch(\"k\", view, |i, v: Raw<u32>| {{ v.set(i, 1);\n{body}\n}}); }}"
        );
        let (words, message) = failure(&linked(&text, Profile::Debug), "k", 8);
        assert_eq!((words[0], words[1]), (kind, 5), "{body}: {words:?} {message}");
        assert!(message.contains(expected), "{body}: {message}");
    }
}

#[test]
fn overflow_is_checked_as_the_profile_says() {
    let text = "pub fn all() {\nlet mut v = [0u32; 8];\nlet view = Raw { start: v.as_mut_ptr(), length: 8 };
launch(\"k\", view, |i, v: Raw<u32>| v.set(i, v.get(i) + (i as u32 + u32::MAX - 6))); }";
    let (words, message) = failure(&linked(text, Profile::Debug), "k", 8);
    assert_eq!((words[0], message.as_str()), (2, "attempt to add with overflow"));
    assert!(!linked(text, Profile::Release).ptx.contains("trap"));
}

#[test]
fn mathematics_goes_to_the_crate_that_defines_it() {
    let functions = "#[unsafe(no_mangle)] pub extern \"C\" fn __spelt_math_exp(x: f64) -> f64 { x + 1.0 }
        #[unsafe(no_mangle)] pub extern \"C\" fn __spelt_math_sinf(x: f32) -> f32 { x + 2.0 }
        #[unsafe(no_mangle)] pub extern \"C\" fn __spelt_math_hypot(x: f64, y: f64) -> f64 { x - y }
        #[unsafe(no_mangle)] pub extern \"C\" fn __spelt_math_hypotf(x: f32, y: f32) -> f32 { y - x }
        #[unsafe(no_mangle)] pub extern \"C\" fn __spelt_math_fmod(x: f64, y: f64) -> f64 { x + 3.0 * y }";
    let body = "v.set(i, x.exp() + (x as f32).sin() as f64 * 100.0 + x.hypot(3.0) * 1000.0 + (x as f32).hypot(3.0) as f64 * 1e4 + x % 2.0)";
    let text = format!(
        "{functions}\npub fn all() {{ let mut v: Vec<f64> = vec![0.5; 8]; let view = Raw {{ start: v.as_mut_ptr(), length: 8 }};
        launch(\"k\", view, |i, v: Raw<f64>| {{ let x = v.get(i); {body} }}) }}"
    );
    for profile in PROFILES {
        let launch: Vec<Launch> = on_host(&text, profile);
        let found =
            on_device(&linked(&text, profile), &launch[0]).unwrap_or_else(|fault| panic!("{}", fault.msg));
        let expected =
            (0.5 + 1.0) + (0.5 + 2.0) * 100.0 + (0.5 - 3.0) * 1000.0 + (3.0 - 0.5) * 1e4 + (0.5 + 6.0);
        assert_eq!(found, f64::to_le_bytes(expected).repeat(8), "{profile:?}");
    }
}

#[test]
fn the_same_input_gives_the_same_text() {
    // Functions of several members of an archive: divisions and conversions of 128 bits.
    let text = "pub fn all(view: Raw<f64>) { launch(\"k\", view, |i, v| {
        let x = v.get(i);
        let h = (x as u128).wrapping_mul(i as u128 + 0x9E3779B97F4A7C15F39CC0605CEDC834);
        v.set(i, (h / (i as u128 + 3)) as f64 + (h % (i as u128 + 5)) as f64 + (x as i128 / (i as i128 - 7)) as f64)
    }) }";
    let folder = Folder::new();
    let input = input(&folder.0, text, Profile::Debug);
    let mut options = Options::new(LLVM.clone());
    options.ir = true;
    let first = link(&input, &options).unwrap();
    for round in 1..8 {
        let output = link(&input, &options).unwrap();
        assert!(output.ptx == first.ptx && output.ir == first.ir, "the texts of round {round} differ");
    }
}

#[test]
fn functions_of_other_crates_come_from_their_rlibs() {
    let folder = Folder::new();
    let library =
        "#[inline(never)] pub fn thrice(x: u32) -> u32 { let mut y = x; for _ in 0..2 { y = twice(y) } y }
        #[inline(never)] fn twice(x: u32) -> u32 { x.wrapping_mul(2) ^ TABLE[x as usize % 3] }
        static TABLE: [u32; 3] = [5, 7, 11];";
    let text =
        "pub fn all(view: Raw<u32>) { launch(\"k\", view, |i, v| v.set(i, library::thrice(i as u32))); }";
    for profile in PROFILES {
        for (embed, links) in [("-Cembed-bitcode=yes", true), ("-Cembed-bitcode=no", false)] {
            let arguments = ["--crate-type=lib", "--emit=link", embed];
            compile(&folder.0, "library", library, profile, &arguments);
            let rlib = folder.0.join("liblibrary.rlib");
            let external = format!("--extern=library={}", rlib.display());
            let mut input = input(&folder.0, AXPY, profile);
            input.crates[1] = kernels_with(&folder.0, text, profile, &[&external]);
            input.archives.push(rlib.clone());
            match link(&input, &Options::new(LLVM.clone())) {
                Ok(output) => assert!(links && output.ptx.contains(".entry")),
                Err(Error::Diagnostics(errors)) => {
                    let text = errors[0].to_string();
                    assert!(
                        !links
                            && text.contains("`library::thrice`")
                            && text.contains("compiled without bitcode"),
                        "{text}"
                    );
                    assert!(text.contains("liblibrary.rlib"), "{text}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn code_behind_a_branch_of_the_host_is_not_even_read() {
    let folder = Folder::new();
    for profile in PROFILES {
        let arguments = ["--crate-type=lib", "--emit=link", "-Cembed-bitcode=yes"];
        let library = "#[inline(never)] pub fn allocate(x: u32) -> u32 { vec![x; 3].len() as u32 }";
        compile(&folder.0, "library", library, profile, &arguments);
        let rlib = folder.0.join("liblibrary.rlib");
        let external = format!("--extern=library={}", rlib.display());
        // Reading the library's bitcode fails.
        let mut damaged = std::fs::read(&rlib).unwrap();
        for start in 0..damaged.len() - 8 {
            if damaged[start..].starts_with(b"BC\xC0\xDE") {
                damaged[start + 4..start + 8].fill(0xff);
            }
        }
        let links = |condition: &str| {
            let text = format!(
                "unsafe extern \"C\" {{ fn __spelt_on_device() -> bool; }}
                pub fn all(view: Raw<u32>) {{
                    launch(\"k\", view, |i, v| {{
                        if i > 5 {{
                            if {condition} {{ unsafe {{ core::hint::unreachable_unchecked() }} }}
                            v.set(i, library::allocate(i as u32));
                        }}
                    }});
                }}"
            );
            std::fs::write(&rlib, &damaged).unwrap();
            let mut input = input(&folder.0, AXPY, profile);
            input.crates[1] = kernels_with(&folder.0, &text, profile, &[&external]);
            input.archives.push(rlib.clone());
            link(&input, &Options::new(LLVM.clone()))
        };
        links("unsafe { __spelt_on_device() }").unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        let error = links("i == 7").unwrap_err().to_string();
        assert!(error.contains("bitcode"), "{error}");
    }
}

#[test]
fn bitcode_with_and_without_kernels_is_told_apart() {
    let folder = Folder::new();
    for profile in PROFILES {
        let with = input(&folder.0, AXPY, profile);
        let [device_side, kernels] = [0, 1].map(|place: usize| std::fs::read(&with.crates[place]).unwrap());
        assert!(!has_kernels(&LLVM, &device_side).unwrap());
        assert!(has_kernels(&LLVM, &kernels).unwrap());
        let without = input(&folder.0, "pub fn nothing() {}", profile);
        assert!(!has_kernels(&LLVM, &std::fs::read(&without.crates[1]).unwrap()).unwrap());
    }
    let error = has_kernels(&LLVM, b"no bitcode").unwrap_err().to_string();
    assert!(error.contains("cannot read the bitcode"), "{error}");
}
