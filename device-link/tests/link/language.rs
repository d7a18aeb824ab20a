//! The language that kernels are written in: everything that needs no host.

use crate::compile::{PROFILES, linked};
use crate::run::{on_device, on_host};

/// Kernels, each with one part of the language. `i` is the place, `view` the View.
const KERNELS: &[(&str, &str)] = &[
    ("captured array", "let table = [1.0, 2.0, 3.0]; k(move |i, v: Raw<f64>| v.set(i, table[i % 3]))"),
    (
        "enum and match",
        "let s = [Shape::Circle(1.0), Shape::Rect { w: 2.0, h: 3.0 }]; k(move |i, v: Raw<f64>| v.set(i, s[i % 2].area()))",
    ),
    ("static table", "k(|i, v: Raw<f64>| v.set(i, TABLE[i % 5]))"),
    (
        "iterators",
        "k(|i, v: Raw<f64>| v.set(i, (0..i % 17).filter(|k| k % 3 != 0).map(|k| k as f64).sum::<f64>()))",
    ),
    (
        "zip and rev",
        "k(|i, v: Raw<u32>| { let a = [i as u32; 7]; v.set(i, a.iter().rev().zip(a.iter().skip(1)).map(|(a, b)| a ^ b).max().unwrap_or(3)) })",
    ),
    (
        "sort and search",
        "k(|i, v: Raw<u32>| { let mut t = [i * 7 % 13, i * 5 % 11, i % 19, i % 23]; t.sort_unstable(); v.set(i, t[2] as u32 + t.binary_search(&3).unwrap_or(9) as u32) })",
    ),
    (
        "strings",
        "k(|i, v: Raw<u32>| v.set(i, b\"performance\".iter().position(|&q| q == b'a' + (i % 26) as u8).map_or(99, |p| p as u32)))",
    ),
    (
        "comparison of slices",
        "k(|i, v: Raw<u32>| { let a = [i as u8; 20]; v.set(i, (a[..i % 20] == *b\"hello hello hello hello\".get(..i % 20).unwrap()) as u32) })",
    ),
    ("dyn", "k(|i, v: Raw<f64>| v.set(i, pick(i)(v.get(i))))"),
    (
        "u128",
        "k(|i, v: Raw<u64>| { let h = (i as u128).wrapping_mul(0x9E3779B97F4A7C15F39CC0605CEDC834); v.set(i, (h >> 64) as u64 ^ (h / (i as u128 + 3)) as u64 ^ (h % 1000) as u64 ^ h.leading_zeros() as u64) })",
    ),
    (
        "i128 and floats",
        "k(|i, v: Raw<f64>| v.set(i, (i as i128 * -3) as f64 + (v.get(i) as u128 as f64) + (v.get(i) as i128 >> 3) as f64 + (v.get(i) as f32 as u128 as f32) as f64))",
    ),
    (
        "bits",
        "k(|i, v: Raw<u64>| v.set(i, i.count_ones() as u64 ^ (i as u64).rotate_left(3) ^ (i as u64).swap_bytes() ^ (i as u64).reverse_bits() ^ (i as u64).trailing_zeros() as u64))",
    ),
    (
        "saturating and checked",
        "k(|i, v: Raw<i32>| v.set(i, (i as i32).saturating_mul(1 << 26).saturating_add(7) ^ (i as i32).checked_mul(1 << 26).unwrap_or(5) ^ (i as i32).overflowing_sub(i32::MAX).0.wrapping_neg() % 7))",
    ),
    (
        "narrow integers",
        "k(|i, v: Raw<i8>| v.set(i, (v.get(i) as i16).rem_euclid(7) as i8 ^ (i as u8).saturating_add(200) as i8))",
    ),
    (
        "division",
        "k(|i, v: Raw<i64>| v.set(i, (100000 / (i + 1)) as i64 + (i as i64 - 1500).div_euclid(7) + v.get(i) / (i as i64 + 1)))",
    ),
    (
        "float to integer",
        "k(|i, v: Raw<f64>| v.set(i, v.get(i) as i32 as f64 + v.get(i) as u8 as f64 + v.get(i) as i64 as f64 + (v.get(i) as f32) as u64 as f64))",
    ),
    (
        "rounding",
        "k(|i, v: Raw<f64>| { let x = v.get(i); v.set(i, x.floor() + x.ceil() + x.round() + x.trunc() + x.round_ties_even() + x.fract() + x.abs().copysign(-1.0) + x.signum()) })",
    ),
    (
        "rounding f32",
        "k(|i, v: Raw<f32>| { let x = v.get(i); v.set(i, x.floor() + x.ceil() + x.round() + x.trunc() + x.round_ties_even() + x.fract() + x.abs().copysign(-1.0)) })",
    ),
    (
        "min, max, clamp",
        "k(|i, v: Raw<f64>| { let x = v.get(i); v.set(i, x.min(1.0).max(-1.0).clamp(-0.5, 0.5) + (x as f32).min(1.0).max(0.5) as f64) })",
    ),
    (
        "sqrt and fma",
        "k(|i, v: Raw<f64>| { let x = v.get(i); v.set(i, x.sqrt() + x.mul_add(2.0, 1.0) + ((x as f32).sqrt() + (x as f32).mul_add(2.0, 1.0)) as f64) })",
    ),
    (
        "powi",
        "k(|i, v: Raw<f64>| v.set(i, v.get(i).powi(i as i32 % 9 - 4) + v.get(i).powi(3) + (v.get(i) as f32).powi(i as i32) as f64))",
    ),
    (
        "total order",
        "k(|i, v: Raw<f64>| v.set(i, if v.get(i).total_cmp(&1.0).is_lt() { f64::from_bits(i as u64) } else { 1.0 }))",
    ),
    (
        "atomics",
        "k(|i, v: Raw<u64>| { use core::sync::atomic::{AtomicU32, AtomicU64, AtomicBool, AtomicU8, AtomicI16, Ordering::*, fence};
            let p = unsafe { v.start.add(i) };
            let a = unsafe { AtomicU32::from_ptr(p.cast()) };
            let mut r = a.fetch_add(1, Relaxed); r ^= a.fetch_max(3, AcqRel); r ^= a.fetch_xor(5, SeqCst); fence(SeqCst);
            r ^= a.compare_exchange(1, 2, AcqRel, Acquire).unwrap_or_else(|x| x ^ 7); r ^= a.swap(9, Acquire); a.store(11, Release);
            let b = unsafe { AtomicU64::from_ptr(p) };
            r ^= b.fetch_min(1 << 40, Relaxed) as u32; r ^= b.fetch_nand(0x1234567, Relaxed) as u32; r ^= b.fetch_sub(3, AcqRel) as u32;
            let d = unsafe { AtomicU8::from_ptr(p.cast::<u8>().add(5)) };
            r ^= d.fetch_add(3, AcqRel) as u32; r ^= d.fetch_max(100, SeqCst) as u32;
            let e = unsafe { AtomicI16::from_ptr(p.cast::<i16>().add(3)) };
            r ^= e.fetch_sub(3, AcqRel) as u32; r ^= e.compare_exchange(5, 6, AcqRel, Relaxed).is_ok() as u32;
            let c = unsafe { AtomicBool::from_ptr({ *p.cast::<u8>().add(4) &= 1; p.cast::<bool>().add(4) }) };
            r ^= c.swap(true, AcqRel) as u32; r ^= c.fetch_not(Relaxed) as u32;
            v.set(i, b.load(Acquire) ^ r as u64); })",
    ),
    (
        "options and results",
        "k(|i, v: Raw<u32>| { let o = [1u32, 2, 3].get(i).copied().ok_or(i as u32); v.set(i, match o { Ok(n) => n, Err(e) if e > 7 => 7, Err(e) => e }) })",
    ),
    (
        "question mark",
        "fn third(a: &[u32]) -> Option<u32> { let n = a.get(2)?; n.checked_sub(1) } k(|i, v: Raw<u32>| v.set(i, third(&[1, 2, i as u32]).unwrap_or_default()))",
    ),
    (
        "two-dimensional arrays",
        "k(|i, v: Raw<f32>| { let mut a = [[0.0f32; 4]; 4]; for (r, row) in a.iter_mut().enumerate() { for (c, x) in row.iter_mut().enumerate() { *x = (r * c + i) as f32 } } v.set(i, a[i % 4][(i / 4) % 4]) })",
    ),
    (
        "structs and generics",
        "k(|i, v: Raw<f64>| { let p = Pair { a: v.get(i), b: 2.0 }; v.set(i, p.total() + Pair { a: 1u8, b: 2u8 }.total() as f64) })",
    ),
    (
        "chars",
        "k(|i, v: Raw<u32>| v.set(i, \"h\u{e9}llo\".chars().nth(i % 5).map_or(0, |c| c as u32) + char::from_digit((i % 10) as u32, 10).unwrap() as u32))",
    ),
    (
        "labelled loops",
        "k(|i, v: Raw<u32>| { let mut n = 0; 'outer: for a in 0..i { for b in 0..a { if a * b > 50 { break 'outer } if b == 5 { continue 'outer } n += 1 } } v.set(i, n) })",
    ),
    ("black box", "k(|i, v: Raw<u32>| v.set(i, core::hint::black_box(i as u32) + 1))"),
    (
        "swap and copy",
        "k(|i, v: Raw<u32>| { let mut a = [1u32, 2, 3, i as u32]; a.swap(0, 3); a.copy_within(1.., 0); a.reverse(); a.rotate_left(i % 4); v.set(i, a[0] + a.len() as u32) })",
    ),
    (
        "large copies",
        "let big = [3u8; 200]; k(move |i, v: Raw<u8>| { let mut b = big; b[i % 200] = 4; let c = b; v.set(i, c.iter().fold(0u8, |a, x| a.wrapping_add(*x))) })",
    ),
    (
        "captured functions by name",
        "let f = (f64::abs, |x: f64| x - 2.0); k(move |i, v: Raw<f64>| v.set(i, f.0(f.1(v.get(i)))))",
    ),
    (
        "function pointers",
        "k(|i, v: Raw<f64>| { let f: [fn(f64) -> f64; 2] = [|x| x * 2.0, |x| x + 1.0]; v.set(i, f[i % 2](v.get(i))) })",
    ),
    (
        "i64 to f32",
        "k(|i, v: Raw<f32>| v.set(i, i as f32 + (i as i64 - 7) as f32 + f32::from_bits(i as u32)))",
    ),
    ("duration", "k(|i, v: Raw<u64>| v.set(i, core::time::Duration::from_millis(i as u64 * 3).as_secs()))"),
    (
        "wrapping type",
        "k(|i, v: Raw<u32>| { let w = core::num::Wrapping(i as u32) * core::num::Wrapping(0x9e3779b9); v.set(i, w.0.isqrt() + (w.0 | 1).ilog2().pow(2)) })",
    ),
    (
        "read and write unaligned",
        "k(|i, v: Raw<u64>| unsafe { let p = v.start.add(i).cast::<u8>().add(3).cast::<u32>(); p.write_unaligned(p.read_unaligned() ^ 1) })",
    ),
    (
        "volatile",
        "k(|i, v: Raw<u64>| unsafe { let p = v.start.add(i); p.write_volatile(p.read_volatile() + 1) })",
    ),
];

const ITEMS: &str = "
static TABLE: [f64; 5] = [1.0, 2.5, 3.5, -1.0, 7.0];
#[derive(Clone, Copy)] enum Shape { Circle(f64), Rect { w: f64, h: f64 } }
impl Shape { fn area(&self) -> f64 { match *self { Shape::Circle(r) => 3.0 * r * r, Shape::Rect { w, h } => w * h } } }
fn pick(i: usize) -> &'static dyn Fn(f64) -> f64 { if i % 2 == 0 { &|x| x * 2.0 } else { &|x| x + 1.0 } }
trait Total { type Out; fn total(&self) -> Self::Out; }
struct Pair<T> { a: T, b: T }
impl<T: Copy + core::ops::Add<Output = T>> Total for Pair<T> { type Out = T; fn total(&self) -> T { self.a + self.b } }
trait Seed: Copy { fn seed(n: usize) -> Self; }
macro_rules! seeds { ($($t:ty = $n:ident $e:expr;)*) => { $(impl Seed for $t { fn seed($n: usize) -> $t { $e } })* } }
seeds! { f64 = n n as f64 * 0.37 - 17.0; f32 = n n as f32 * 0.37 - 17.0; u64 = n (n as u64).wrapping_mul(0x9e3779b97f4a7c15); i64 = n n as i64 * -7919;
    u32 = n n as u32 * 7919; i32 = n n as i32 * -7919; u8 = n n as u8; i8 = n n as i8; }
fn k<T: Seed, F: Fn(usize, Raw<T>) + Copy>(label: &str, f: F) {
    let mut values: Vec<T> = (0..100).map(T::seed).collect();
    launch(label, Raw { start: values.as_mut_ptr(), length: values.len() }, f)
}
";

/// One crate with all kernels, labelled by their numbers. With std, as programs have it: rounding is not in core.
fn text(kernels: &[(&str, &str)]) -> String {
    let function = |(number, (_, body)): (usize, &(&str, &str))| {
        let body = body
            .replace("k(|", &format!("k(\"{number}\", |"))
            .replace("k(move", &format!("k(\"{number}\", move"));
        format!("pub fn kernel_{number}() {{ {body} }}\n")
    };
    let functions: String = kernels.iter().enumerate().map(function).collect();
    let calls: String = (0..kernels.len()).map(|number| format!("kernel_{number}();")).collect();
    format!("{ITEMS}{functions}pub fn all() {{ {calls} }}")
}

#[test]
fn all_of_the_language_gives_the_bits_of_the_host() {
    for profile in PROFILES {
        let text = text(KERNELS);
        let output = linked(&text, profile);
        assert_eq!(output.kernels.len(), KERNELS.len());
        assert!(output.warnings.is_empty(), "{:?}", output.warnings);
        let launches = on_host(&text, profile);
        assert_eq!(launches.len(), KERNELS.len());
        for launch in &launches {
            let (name, _) = KERNELS[launch.label.parse::<usize>().unwrap()];
            let found = on_device(&output, launch)
                .unwrap_or_else(|fault| panic!("{profile:?} {name}: {}", fault.msg));
            assert_eq!(found, launch.after, "{profile:?} {name}");
        }
    }
}
