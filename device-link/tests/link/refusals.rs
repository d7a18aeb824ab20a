//! Code that a device cannot run is an error of the link, with its reason and its line.

use crate::compile::{PROFILES, linked, refused};

/// A crate whose function `run` has this body; the body begins on line 2.
fn run(body: &str) -> String {
    format!("pub fn run(view: Raw<f64>, alpha: f64, text: &'static str, f: fn(f64) -> f64) {{\n{body}\n}}\n")
}

/// The message is this one, in debug and in release.
#[track_caller]
fn refuses(body: &str, expected: &str) {
    for profile in PROFILES {
        let message = refused(&run(body), profile);
        assert!(message == expected, "{profile:?}:\n{message}\n---- expected:\n{expected}");
    }
}

const ADDRESS: &str = "   |\n   = note: an address of the host's memory means nothing on a device";

#[test]
fn capture_by_reference() {
    refuses(
        "launch(\"scale\", view, |i, v| v.set(i, alpha * v.get(i)));",
        "error: kernel `scale` captures `alpha` by reference: write `move |..|` or pass it in the argument tuple
  --> kernels.rs:2
   |
   = note: a reference is an address of the host's memory, which a device cannot read",
    );
}

#[test]
fn captured_fields_by_reference() {
    refuses(
        "let point = (1.0, [2.0, alpha]);\nlaunch(\"scale\", view, |i, v| v.set(i, point.1[i % 2]));",
        "error: kernel `scale` captures `point.1` by reference: write `move |..|` or pass it in the argument tuple
  --> kernels.rs:3
   |
   = note: a reference is an address of the host's memory, which a device cannot read",
    );
}

#[test]
fn captured_atomics() {
    refuses(
        "let counter = core::sync::atomic::AtomicU32::new(0);
launch(\"k\", view, move |i, v| v.set(i, counter.fetch_add(1, core::sync::atomic::Ordering::Relaxed) as f64));",
        "error: kernel `k` captures `counter`, which holds a cell or an atomic (`UnsafeCell<u32>`): pass a View with `.atomic()`
  --> kernels.rs:3
   |
   = note: on a device each thread would change its own copy",
    );
}

#[test]
fn captured_addresses() {
    let cases = [
        ("text", "v.set(i, text.len() as f64)", "`text`, which is a reference (`&str`)"),
        ("f", "v.set(i, f(1.0))", "`f`, which is a function pointer (`fn(f64) -> f64`)"),
        ("Some(&alpha)", "v.set(i, x.map_or(0.0, |x: &f64| *x))", "`x`, which holds a reference (`&f64`)"),
        ("&raw const alpha", "v.set(i, x as usize as f64)", "`x`, which is a pointer (`*const f64`)"),
        (
            "if alpha > 0.0 { Ok(&alpha) } else { Err(alpha) }",
            "v.set(i, match x { Ok(y) => *y, Err(y) => y })",
            "`x`, which holds a reference (`&f64`)",
        ),
        ("[[(1u8, &alpha)]; 3]", "v.set(i, *x[i % 3][0].1)", "`x`, which holds a reference (`&f64`)"),
        (
            "core::ptr::NonNull::from(&alpha)",
            "v.set(i, x.addr().get() as f64)",
            "`x`, which is a pointer (`NonNull<f64>`)",
        ),
        (
            "&(move || alpha) as &dyn Fn() -> f64",
            "v.set(i, x())",
            "`x`, which is a trait object (`&dyn core::ops::function::Fn<(), Output=f64>`)",
        ),
        ("|y: f64| y + alpha", "v.set(i, x(1.0))", "`x`, which holds a reference (`&f64`)"),
        (
            "std::rc::Weak::<f64>::new(); let x = &x",
            "v.set(i, x.strong_count() as f64)",
            "`x`, which is a reference (`&alloc::rc::Weak<f64, alloc::alloc::Global>`)",
        ),
    ];
    for (value, body, expected) in cases {
        let value = if value == "text" || value == "f" { "alpha".to_owned() } else { value.to_owned() };
        let expected = format!(
            "error: kernel `k` captures {expected}: pass its data in the argument tuple\n  --> kernels.rs:3\n{ADDRESS}"
        );
        refuses(&format!("let x = {value};\nlaunch(\"k\", view, move |i, v| {{ {body} }});"), &expected);
    }
}

#[test]
fn addresses_in_what_a_pointer_leads_to() {
    refuses(
        "let views: Raw<Option<&f64>> = unsafe { core::mem::zeroed() };\nlaunch(\"k\", views, |i, v| v.set(i, v.get(0)));",
        "error: kernel `k` gets a reference (`&f64`) in `__0`, which means nothing on a device
  --> kernels.rs:3
   |
   = help: pass the data in the argument tuple",
    );
}

#[test]
fn a_closure_behind_a_reference() {
    refuses(
        "let closure = move |i, v: Raw<f64>| v.set(i, alpha);\nlaunch(\"k\", view, &closure);",
        "error: kernel `k` gets a reference (`&kernels::run::{closure_env#0}`) in `closure`, which means nothing on a device
   |
   = help: pass the data in the argument tuple",
    );
}

#[test]
fn allocation() {
    refuses(
        "launch(\"sums\", view, |i, v| {\nlet sums: Vec<f64> = (0..i).map(|k| v.get(k)).collect();\nv.set(i, sums[i / 2]); });",
        "error: kernel `sums` allocates memory, which a device cannot
  --> kernels.rs:3:47
   |
   = note: through `<core::iter::adapters::map::Map<core::ops::range::Range<usize>, kernels::run::{closure#0}::{closure#0}> as core::iter::traits::iterator::Iterator>::collect`
   = help: use arrays of fixed size, or pass a View in the argument tuple as room to work in",
    );
}

#[test]
fn input_and_output() {
    refuses(
        "launch(\"print\", view, |i, v| {\nprintln!(\"{i} {}\", v.length); });",
        "error: kernel `print` does input or output (`std::io::stdio::_print`), which a device cannot
  --> kernels.rs:3:1
   |
   = help: write into a View, and print it on the host",
    );
}

#[test]
fn thread_locals() {
    refuses(
        "thread_local!(static LAST: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) });
launch(\"last\", view, |i, v| {\nv.set(i, LAST.replace(v.get(i))); });",
        "error: kernel `last` uses the thread-local `kernels::run::LAST`, which a device does not have
  --> kernels.rs:4:15
   |
   = note: through `<std::thread::local::LocalKey<core::cell::Cell<f64>>>::replace`
   = help: pass the value in the argument tuple",
    );
}

/// Mutable statics: each with a kernel's use of it.
#[test]
fn statics_that_can_change() {
    let cases = [
        ("static COUNT: AtomicU64 = AtomicU64::new(0);", "COUNT.fetch_add(1, Relaxed);"),
        ("static COUNT: AtomicU64 = AtomicU64::new(7);", "v.set(i, COUNT.load(Relaxed) as f64);"),
        (
            "static COUNT: [(u8, AtomicU64); 3] = [const { (1, AtomicU64::new(0)) }; 3];",
            "COUNT[i % 3].1.store(1, Relaxed);",
        ),
        ("static mut COUNT: f64 = 1.5;", "v.set(i, unsafe { COUNT });"),
        ("static mut COUNT: f64 = 1.5;", "unsafe { COUNT = 1.0 };"),
        ("static COUNT: OnceLock<f64> = OnceLock::new();", "v.set(i, *COUNT.get().unwrap_or(&0.0));"),
        ("static COUNT: Mutex<f64> = Mutex::new(1.5);", "if let Ok(x) = COUNT.try_lock() { v.set(i, *x) }"),
        // Statics behind a constant, and statics without a name.
        (
            "static COUNT: AtomicU64 = AtomicU64::new(0); static TABLE: [(u8, &AtomicU64); 1] = [(1, &COUNT)];",
            "TABLE[i % 1].1.fetch_add(1, Relaxed);",
        ),
        ("static mut COUNT: &mut [f64] = &mut [1.5];", "unsafe { COUNT[i % 1] = 2.0 };"),
    ];
    for (item, body) in cases {
        static_refused(item, body, "kernels::run::COUNT");
    }
}

/// A static that a kernel reaches through other functions only.
#[test]
fn statics_behind_functions() {
    let module = "mod inner {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        static COUNT: AtomicU64 = AtomicU64::new(0);
        pub trait Count { fn count(&self) { COUNT.fetch_add(1, Relaxed); } }
        impl Count for f64 {}
        pub fn generic<C: Count>(c: C) { c.count() }
        pub fn table() -> [fn(f64); 2] { [|c| c.count(), generic] }
    }
    use inner::*;";
    for body in ["generic(1.0);", "table()[i % 2](1.0);", "(&1.0 as &dyn Count).count();"] {
        static_refused(module, body, "kernels::run::inner::COUNT");
    }
}

#[track_caller]
fn static_refused(item: &str, body: &str, name: &str) {
    let text = format!(
        "use std::sync::{{Mutex, OnceLock, atomic::{{AtomicU64, Ordering::Relaxed}}}};
{item} launch(\"k\", view, |i, v| {{
{body} }});"
    );
    let line = 3 + item.lines().count();
    let expected = format!(
        "error: kernel `k` uses the static `{name}`, which can change: a device has another object of that name\n  --> kernels.rs:"
    );
    for profile in PROFILES {
        let message = refused(&run(&text), profile);
        assert!(message.starts_with(&expected), "{profile:?}:\n{message}\n---- expected:\n{expected}");
        assert!(message.contains("pass its value in the argument tuple, or a View"), "{message}");
        let own = format!("kernels.rs:{line}:");
        assert!(item.contains("mod inner") || message.contains(&own), "{profile:?}: not {own}:\n{message}");
    }
}

/// A static that is used only in unreachable code is not used: it is neither refused nor kept.
#[test]
fn statics_behind_a_test_that_is_always_false() {
    let text = run("use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
static COUNT: AtomicU64 = AtomicU64::new(0);
fn counts() -> bool { false }
launch(\"k\", view, |i, v| { if counts() { COUNT.fetch_add(1, Relaxed); } v.set(i, 1.0) });");
    for profile in PROFILES {
        let output = linked(&text, profile);
        assert!(!output.ptx.contains("COUNT"), "{profile:?}: {}", output.ptx);
    }
}

/// Constants may be anywhere, cells in them too: each use has its own.
#[test]
fn statics_that_cannot_change() {
    let text = run("use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
static TABLE: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
static NAMES: &[(&str, &[f64])] = &[(\"a\", &[1.0, 2.0]), (\"b\", &TABLE)];
const ZERO: AtomicU64 = AtomicU64::new(0);
static HOST: AtomicU64 = AtomicU64::new(0);
HOST.fetch_add(1, Relaxed);
launch(\"k\", view, |i, v| {
    let count = ZERO;
    count.fetch_add(i as u64, Relaxed);
    v.set(i, TABLE[i % 4] + NAMES[i % 2].1[i % 2] + count.load(Relaxed) as f64);
});");
    for profile in PROFILES {
        let output = linked(&text, profile);
        assert!(!output.ptx.contains("HOST"), "{profile:?}: {}", output.ptx);
    }
}

#[test]
fn what_works_on_the_host_only() {
    refuses(
        "launch(\"time\", view, |i, v| {\n_ = std::time::Instant::now();\nv.set(i, 1.0); });",
        "error: kernel `time` calls `<std::time::Instant>::now`, which works on the host only
  --> kernels.rs:3:5
   |
   = help: do it on the host, and pass the result in the argument tuple",
    );
}

#[test]
fn functions_of_c() {
    refuses(
        "unsafe extern \"C\" { fn device_sum(x: f64) -> f64; fn printf(format: *const i8, ...) -> i32; }
launch(\"sum\", view, |i, v| {\nv.set(i, unsafe { device_sum(v.get(i)) });\nunsafe { printf(c\"%d\".as_ptr(), 1) }; });",
        "error: kernel `sum` calls `device_sum`, which has no body that could run on a device
  --> kernels.rs:4:19
   |
   = help: a kernel can call Rust functions whose bitcode is there; functions of C are not

error: kernel `sum` calls the variadic function `printf`, which a device cannot
  --> kernels.rs:5:10
   |
   = help: call a function with fixed parameters, written in Rust",
    );
}

#[test]
#[cfg(target_arch = "x86_64")]
fn instructions_of_the_host() {
    refuses(
        "launch(\"crc\", view, |i, v| {\nv.set(i, unsafe { std::arch::x86_64::_mm_crc32_u8(3, i as u8) } as f64); });",
        "error: kernel `crc` uses `llvm.x86.sse42.crc32.32.8`, an instruction of the host's processor
  --> kernels.rs:3:19
   |
   = note: through `core::core_arch::x86::sse42::_mm_crc32_u8`
   = help: use portable code: compile the dependency without its features for this processor",
    );
    refuses(
        "launch(\"asm\", view, |i, v| {\nlet x: u64; unsafe { std::arch::asm!(\"rdtsc\", out(\"rax\") x, out(\"rdx\") _) };\nv.set(i, x as f64); });",
        "error: kernel `asm` contains inline assembly, which is the host's
  --> kernels.rs:3:22
   |
   = help: write it in Rust",
    );
}

#[test]
fn mathematics_that_no_crate_defines() {
    refuses(
        "launch(\"exp\", view, |i, v| {\nv.set(i, v.get(i).exp().tan()); });",
        "error: kernel `exp` calls the mathematical function `exp`, which no device crate defines
  --> kernels.rs:3:19
   |
   = note: through `<f64>::exp`
   = help: turn on the feature `cuda` of spelt

error: kernel `exp` calls the mathematical function `tan`, which no device crate defines
  --> kernels.rs:3:25
   |
   = note: through `<f64>::tan`
   = help: turn on the feature `cuda` of spelt",
    );
}

#[test]
fn recursion_is_a_warning() {
    let text = run(
        "fn gcd(a: usize, b: usize) -> usize { if b < 2 { a } else { gcd(b, a % b) + gcd(b / 2, b / 3) } }
launch(\"gcd\", view, |i, v| v.set(i, gcd(i, 12) as f64));",
    );
    for profile in PROFILES {
        let output = linked(&text, profile);
        let warnings: Vec<_> = output.warnings.iter().map(ToString::to_string).collect();
        let expected = "warning: kernel `gcd` is recursive: `kernels::run::gcd` -> `kernels::run::gcd`
  --> kernels.rs:2
   |
   = note: a device's stack is small: a deep recursion overflows it, which ends the kernel with an error
   = help: use a loop, or keep the depth low";
        assert_eq!(warnings, [expected], "{profile:?}");
    }
}

#[test]
fn recursion_through_another_function_is_one_warning() {
    // Hofstadter's sequences: too much for LLVM to make one function of them.
    let text = run(
        "fn female(n: usize) -> usize { if n == 0 { 1 } else { n - male(female(n - 1)) + female(n / 3) * male(n / 5) } }
fn male(n: usize) -> usize { if n == 0 { 0 } else { n - female(male(n - 1)) + male(n / 2) * female(n / 7) } }
launch(\"sequence\", view, |i, v| v.set(i, (female(i) * male(i + 1)) as f64));",
    );
    for profile in PROFILES {
        let output = linked(&text, profile);
        let warnings: Vec<_> = output.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 1, "{profile:?}: {warnings:?}");
        for name in ["`kernels::run::female`", "`kernels::run::male`"] {
            assert!(warnings[0].contains(name), "{profile:?}: no {name} in {warnings:?}");
        }
    }
}
