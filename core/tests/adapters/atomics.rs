//! `atomic`: every operation against a scalar oracle, and all together against sequential sums.

use spelt_core::{
    AtomicAccess, Element, ExecutionSpace, HostSpace, Left, Serial, View, ViewMut, parallel_for,
};

use crate::{on_all_spaces, panic_text};

/// Runs `op` as the only iteration of a launch on a View of one element; returns its result and the element. There is one launch for each
/// type: the test has over a thousand operations, and compiling a launch takes longer than compiling an operation.
fn once<T: Element + Default>(start: T, op: &(dyn Fn(AtomicAccess<'_, T, 1>) -> T + Sync)) -> (T, T) {
    let mut cell = View::<T, 1>::from_vec("cell", [1], vec![start]).unwrap();
    let mut result = View::<T, 1>::zeros("result", [1]).unwrap();
    let args = (cell.atomic(), &mut result);
    parallel_for("once", Serial::new().range(0..1), args, |i, (cell, mut result)| result[i] = op(cell))
        .unwrap();
    (result[0], cell[0])
}

/// [`once`] with the operation as the body of a closure.
macro_rules! once {
    ($type:ty, $start:expr, |$cell:ident| $op:expr) => {
        once::<$type>($start, &|$cell| $op)
    };
}

/// All three forms of an operation, against the value that it should leave.
macro_rules! forms {
    ($type:ty, $start:expr, $new:expr, $void:ident $before:ident $after:ident ($($value:expr)?)) => {{
        let (start, new): ($type, $type) = ($start, $new);
        let bits = |(a, b): ($type, $type)| (a.to_le_bytes(), b.to_le_bytes());
        assert_eq!(bits(once!($type, start, |c| c.$before(0 $(, $value)?))), bits((start, new)));
        assert_eq!(bits(once!($type, start, |c| c.$after(0 $(, $value)?))), bits((new, new)));
        let void = once!($type, start, |c| { c.$void([0] $(, $value)?); c.load(0) });
        assert_eq!(bits(void), bits((new, new)));
    }};
}

macro_rules! numbers {
    ($type:ty, $a:expr, $b:expr, $plus:expr, $minus:expr, $times:expr, $over:expr, $inc:expr, $dec:expr) => {{
        let (a, b): ($type, $type) = ($a, $b);
        forms!($type, a, $plus, add fetch_add add_fetch (b));
        forms!($type, a, $minus, sub fetch_sub sub_fetch (b));
        forms!($type, a, $times, mul fetch_mul mul_fetch (b));
        forms!($type, a, $over, div fetch_div div_fetch (b));
        forms!($type, a, if b < a { b } else { a }, min fetch_min min_fetch (b));
        forms!($type, a, if b > a { b } else { a }, max fetch_max max_fetch (b));
        forms!($type, a, $inc, inc fetch_inc inc_fetch ());
        forms!($type, a, $dec, dec fetch_dec dec_fetch ());
        assert_eq!(once!($type, a, |c| { c.store(0, b); c.load(0) }), (b, b));
        assert_eq!(once!($type, a, |c| c.exchange(0, b)), (a, b));
        assert_eq!(once!($type, a, |c| c.compare_exchange(0, a, b).unwrap()), (a, b));
        assert_eq!(once!($type, a, |c| c.compare_exchange(0, b, b).map_or_else(|e| e, |_| b)), if a == b { (b, b) } else { (a, a) });
        assert_eq!(once!($type, a, |c| c.fetch_update(0, |_| b)), (a, b));
        assert_eq!(once!($type, a, |c| c.update_fetch(0, |_| b)), (b, b));
        assert_eq!(once!($type, a, |c| c.try_update(0, |_| None).unwrap_err()), (a, a));
    }};
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        for (a, b) in [(7, 3), (<$type>::MAX, 2), (<$type>::MIN, 5), (0, <$type>::MAX), (<$type>::MAX, <$type>::MAX)] {
            numbers!($type, a, b, a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_div(b),
                a.wrapping_add(1), a.wrapping_sub(1));
            forms!($type, a, a.wrapping_rem(b), rem fetch_rem rem_fetch (b));
            forms!($type, a, a & b, and fetch_and and_fetch (b));
            forms!($type, a, a | b, or fetch_or or_fetch (b));
            forms!($type, a, a ^ b, xor fetch_xor xor_fetch (b));
            forms!($type, a, !(a & b), nand fetch_nand nand_fetch (b));
            // By division and multiplication, and by counts about the width: they count modulo the width.
            let width = <$type>::BITS;
            for bits in [0, 1, 3, width - 1, width, width + 1, width + 3, 2 * width + 1, u32::MAX] {
                let (mut left, mut right) = (a, a);
                for _ in 0..bits % width {
                    left = left.wrapping_mul(2);
                    right = right.div_euclid(2);
                }
                forms!($type, a, left, lshift fetch_lshift lshift_fetch (bits));
                forms!($type, a, right, rshift fetch_rshift rshift_fetch (bits));
            }
        }
    )*};
}

#[test]
fn every_operation_of_small_integers() {
    integers!(u8 i8 u16 i16);
}

#[test]
fn every_operation_of_large_integers() {
    integers!(u32 i32 u64 i64 usize isize u128 i128);
}

macro_rules! floats {
    ($($type:ident)*) => {$(
        for (a, b) in [(1.5, -0.25), (-0.0, 0.0), (<$type>::MAX, <$type>::MAX), (<$type>::MIN_POSITIVE, 3.0)] {
            let (a, b): ($type, $type) = (a, b);
            numbers!($type, a, b, a + b, a - b, a * b, a / b, a + 1.0, a - 1.0);
        }
        let nan = <$type>::NAN;
        assert_eq!(once!($type, 1.0, |c| c.min_fetch(0, nan)), (1.0, 1.0));
        assert_eq!(once!($type, nan, |c| c.max_fetch(0, 2.0)), (2.0, 2.0));
        assert!(once!($type, 1.0, |c| c.add_fetch(0, nan)).1.is_nan());
        assert!(once!($type, nan, |c| c.compare_exchange(0, nan, 1.0).unwrap_err()).1.is_nan());
    )*};
}

#[test]
fn every_operation_of_floats() {
    floats!(f32 f64);
}

#[test]
fn division_by_zero_panics_and_leaves_the_element() {
    let mut cell = View::<i64, 1>::from_vec("cell", [1], vec![5]).unwrap();
    for remainder in [false, true] {
        let text = panic_text(|| {
            let _ = parallel_for("div", Serial::new().range(0..1), cell.atomic(), |_, cell| {
                if remainder { cell.rem(0, 0) } else { cell.div(0, 0) }
            });
        });
        assert!(text.contains("zero"), "{text}");
    }
    assert_eq!(cell[0], 5);
}

#[test]
fn many_iterations_lose_no_update() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        macro_rules! sums {
            ($($type:ident)*) => {$(
                let mut sums = View::<$type, 1>::zeros("sums", [7]).unwrap();
                let mut most = View::<$type, 2>::zeros("most", [7, 2]).unwrap();
                parallel_for("sums", space.range(0..20_000), (sums.atomic(), most.atomic()), |i, (sums, most)| {
                    let (bin, value) = (i.get() % 7, (i.get() * 0x9E37_79B9) as $type);
                    sums.add(bin, value);
                    most.max([bin, 0], value);
                    most.xor([bin, 1], value);
                })
                .unwrap();
                for bin in 0..7 {
                    let values = || (bin..20_000).step_by(7).map(|i| (i * 0x9E37_79B9) as $type);
                    assert_eq!(sums[bin], values().fold(0 as $type, |sum, value| sum.wrapping_add(value)));
                    assert_eq!(most[[bin, 0]], values().fold(0, Ord::max));
                    assert_eq!(most[[bin, 1]], values().fold(0, |sum, value| sum ^ value));
                }
            )*};
        }
        sums!(u8 i16 u32 i64 usize u128 i128);
    }
    on_all_spaces!(check);
}

#[test]
fn float_sums_of_whole_numbers_are_exact() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut sum = View::<f64, 0>::zeros("sum", []).unwrap();
        let mut single = View::<f32, 1>::zeros("single", [1]).unwrap();
        parallel_for("sum", space.range(0..30_000), (sum.atomic(), single.atomic()), |i, (sum, single)| {
            sum.add([], i.get() as f64);
            single.inc(0);
        })
        .unwrap();
        assert_eq!((sum.value(), single[0]), (449_985_000.0, 30_000.0));
    }
    on_all_spaces!(check);
}

/// 24 bytes with padding after `small` and before `large`: no processor has an atomic for it.
type Padded = (u8, u64, u16);

#[test]
fn any_element_is_updated_whole() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut cells = View::<Padded, 1>::zeros("cells", [3]).unwrap();
        let mut pairs = View::<(u8, u32), 1>::zeros("pairs", [2]).unwrap();
        let mut flags = View::<bool, 1>::zeros("flags", [2]).unwrap();
        let mut letters = View::<char, 1>::from_vec("letters", [1], vec!['a']).unwrap();
        let mut arrays = View::<[f32; 2], 1>::zeros("arrays", [1]).unwrap();
        let mut nothing = View::<(), 1>::zeros("nothing", [1]).unwrap();
        let args = (
            cells.atomic(),
            pairs.atomic(),
            flags.atomic(),
            letters.atomic(),
            arrays.atomic(),
            nothing.atomic(),
        );
        parallel_for(
            "any",
            space.range(0..20_000),
            args,
            |i, (cells, pairs, flags, letters, arrays, nothing)| {
                let k = i.get();
                cells.update(k % 3, |(a, b, c)| (a.wrapping_add(1), b + k as u64, c.wrapping_add(3)));
                let (a, b) = pairs.update_fetch(k % 2, |(a, b)| (a.wrapping_add(1), b + 1));
                assert_eq!(b as u8, a);
                let (a, b, c) = cells.load(k % 3);
                assert!(c == u16::from(a).wrapping_mul(3) % 256 || b > 0 || c % 3 == 0);
                flags.store(k % 2, true);
                letters.exchange(0, if k % 2 == 0 { 'ä' } else { '漢' });
                arrays.fetch_update(0, |[a, b]| [a + 1.0, b + 2.0]);
                nothing.store(0, ());
            },
        )
        .unwrap();
        for k in 0..3 {
            let count = (k..20_000).step_by(3).count();
            let sum = (k..20_000).step_by(3).sum::<usize>();
            assert_eq!(cells[k], (count as u8, sum as u64, (3 * count) as u16));
        }
        assert_eq!(
            pairs.as_slice(),
            Some(&[(10_000 % 256) as u8, (10_000 % 256) as u8].map(|a| (a, 10_000))[..])
        );
        assert_eq!(flags.as_slice(), Some(&[true, true][..]));
        assert!(['ä', '漢'].contains(&letters[0]));
        assert_eq!(arrays[0], [20_000.0, 40_000.0]);
    }
    on_all_spaces!(check);
}

#[test]
fn compare_exchange_of_any_element_builds_a_lock_free_maximum() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut most = View::<(u64, u64), 1>::zeros("most", [1]).unwrap();
        parallel_for("most", space.range(0..5000), most.atomic(), |i, most| {
            let mine = ((i.get() as u64 * 7919) % 5000, i.get() as u64);
            let mut found = most.load(0);
            while mine > found {
                match most.compare_exchange(0, found, mine) {
                    Ok(_) => break,
                    Err(other) => found = other,
                }
            }
        })
        .unwrap();
        assert_eq!(most[0], (0..5000_u64).map(|i| ((i * 7919) % 5000, i)).max().unwrap());
    }
    on_all_spaces!(check);
}

#[test]
fn a_panic_in_an_update_blocks_nobody() {
    let mut cells = View::<Padded, 1>::zeros("cells", [1]).unwrap();
    let space = crate::threads(3);
    let text = panic_text(|| {
        let _ = parallel_for("panics", space.range(0..100).chunk(1), cells.atomic(), |i, cells| {
            cells.update(0, |old| if i.get() == 17 { panic!("seventeen") } else { (0, old.1 + 1, 0) });
        });
    });
    assert_eq!(text, "seventeen");
    parallel_for("again", space.range(0..100).chunk(1), cells.atomic(), |_, cells| cells.store(0, (1, 2, 3)))
        .unwrap();
    assert_eq!(cells[0], (1, 2, 3));
}

#[test]
fn witnesses_and_layouts_index_too() {
    fn check(space: &impl ExecutionSpace<Memory = HostSpace>) {
        let mut left = View::<i32, 2>::zeros("right", [5, 6]).unwrap();
        let mut right = View::<i32, 2, _, Left>::zeros_in(Left, "left", [5, 6]).unwrap();
        let args = (left.atomic(), right.atomic());
        parallel_for("index", space.md_range([0..5, 0..6]), args, |i, (left, right)| {
            left.add(i, 1);
            right.sub([4 - i.get()[0], 5 - i.get()[1]], 1);
            assert_eq!(left.extent(1), 6);
        })
        .unwrap();
        assert!(left.as_slice().unwrap().iter().all(|&x| x == 1));
        assert!(right.as_slice().unwrap().iter().all(|&x| x == -1));
    }
    on_all_spaces!(check);
}

#[test]
fn borrowed_memory_of_any_alignment_works() {
    let mut words = vec![0_u64; 9];
    let mut view = ViewMut::from_slice([9], &mut words[..]).unwrap();
    let space = crate::threads(2);
    parallel_for("words", space.range(0..9000), view.atomic(), |i, words| words.inc(i.get() % 9)).unwrap();
    assert_eq!(words, [1000; 9]);
}

#[test]
fn out_of_bounds_names_the_view() {
    let mut x = View::<u32, 2>::zeros("x", [2, 3]).unwrap();
    let text = panic_text(|| {
        let _ = parallel_for("k", Serial::new().range(0..9), x.atomic(), |i, x| x.inc([1, i.get()]));
    });
    assert_eq!(text, "index [1, 3] is out of bounds of view `x`.atomic() with extents [2, 3] in kernel `k`");
}
