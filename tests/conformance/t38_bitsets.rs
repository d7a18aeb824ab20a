//! Sets of bits, against lists of booleans.

use spelt::containers::Bitset;
use spelt::prelude::*;
use spelt::{ErrorKind, MemorySpace};

use crate::spaces::every;
use crate::t37_maps::allocations;

/// Lengths around those of words.
const LENGTHS: [usize; 8] = [0, 1, 63, 64, 65, 128, 200, 1000];

fn to_bools<M: MemorySpace>(bits: &Bitset<M>) -> Vec<bool> {
    let bits = bits.to_host().expect("memory");
    (0..bits.len()).map(|i| bits.test(i)).collect()
}

fn check<S: ExecutionSpace>(space: &S, bits: &Bitset<S::Memory>, wanted: &[bool]) {
    assert_eq!(to_bools(bits), wanted);
    let places: Vec<usize> = (0..wanted.len()).filter(|&i| wanted[i]).collect();
    assert_eq!(bits.count(space).expect("nothing fails"), places.len());
    assert_eq!(bits.positions(space).expect("memory").to_host().expect("memory").to_vec(), places);
    assert_eq!(bits.to_host().expect("memory").iter().collect::<Vec<_>>(), places);
}

every! { on_every_setting:
    fn bits_are_set_and_reset_by_any_iteration(space, setting) {
        for len in LENGTHS {
            let mut bits = Bitset::new(space, "bits", len).expect("memory");
            let mut wanted = vec![false; len];
            check(space, &bits, &wanted);
            let n = 3 * len;
            parallel_for("set", setting.range(space, 0..n), bits.sets(), move |i, bits| {
                if i.get() % 4 < 2 {
                    bits.set(i.get() * 7 % len);
                }
            }).expect("covered");
            (0..n).filter(|i| i % 4 < 2).for_each(|i| wanted[i * 7 % len] = true);
            check(space, &bits, &wanted);
            parallel_for("reset", setting.range(space, 0..n), bits.resets(), move |i, bits| {
                if i.get() % 5 == 3 {
                    bits.reset((i.get() * 3 % len) as u32);
                }
            }).expect("covered");
            (0..n).filter(|i| i % 5 == 3).for_each(|i| wanted[i * 3 % len] = false);
            check(space, &bits, &wanted);
            let mut found = space.zeros::<(bool, usize, usize), 1>("found", [len]).expect("memory");
            parallel_for("test", setting.range(space, 0..len), (&bits, &mut found), move |i, (bits, mut found)| {
                assert_eq!(bits.len(), len);
                let next = [bits.next_set(i.get()), bits.next_unset(i.get())].map(|next| next.unwrap_or(usize::MAX));
                found[i] = (bits.test(i), next[0], next[1]);
            }).expect("covered");
            let found = found.to_host().expect("memory");
            for i in 0..len {
                let next = |bit: bool| (i..len).find(|&j| wanted[j] == bit).unwrap_or(usize::MAX);
                assert_eq!(found[i], (wanted[i], next(true), next(false)), "bit {i} of {len}");
            }
        }
    }
}

every! { on_every_space:
    fn whole_sets_are_joined(space, _setting) {
        for len in LENGTHS {
            let of = |modulus: usize| {
                let mut bits = Bitset::new(space, "bits", len).expect("memory");
                parallel_for("set", space.range(0..len), bits.sets(), move |i, bits| {
                    if i.get() % modulus == 0 {
                        bits.set(i);
                    }
                }).expect("covered");
                bits
            };
            let wanted = |f: &dyn Fn(usize) -> bool| (0..len).map(f).collect::<Vec<_>>();
            let (mut a, b) = (of(2), of(3));
            a.union_with(space, &b).expect("lengths");
            check(space, &a, &wanted(&|i| i % 2 == 0 || i % 3 == 0));
            let mut a = of(2);
            a.intersect_with(space, &b).expect("lengths");
            check(space, &a, &wanted(&|i| i % 6 == 0));
            let mut a = of(2);
            a.subtract(space, &b).expect("lengths");
            check(space, &a, &wanted(&|i| i % 2 == 0 && i % 3 != 0));
            a.fill(space, true).expect("nothing fails");
            check(space, &a, &wanted(&|_| true));
            a.fill(space, false).expect("nothing fails");
            check(space, &a, &wanted(&|_| false));
            let copy = b.to_host().expect("memory").to_space(space).expect("memory");
            check(space, &copy, &wanted(&|i| i % 3 == 0));
        }
        let (mut a, b) = (Bitset::new(space, "a", 100).expect("memory"), Bitset::new(space, "b", 101).expect("memory"));
        for error in [a.union_with(space, &b), a.intersect_with(space, &b), a.subtract(space, &b)] {
            let error = error.expect_err("lengths");
            assert_eq!(error.kind(), ErrorKind::Extents);
            assert_eq!(error.to_string(), "bitset `a` has 100 bits, but bitset `b` has 101: the lengths must be equal");
        }
    }
}

/// The text of a panic.
fn panic_of(run: impl FnOnce()) -> String {
    let payload =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it is out of bounds");
    *payload.downcast::<String>().expect("a text")
}

every! { on_every_host_space:
    fn arguments_describe_their_words(space, _setting) {
        let mut bits = Bitset::new(space, "bits", 100).expect("memory");
        assert_eq!(allocations(&&bits), [("bits".into(), false)]);
        assert_eq!(allocations(&bits.sets()), [("bits".into(), true)]);
        assert_eq!(allocations(&bits.resets()), [("bits".into(), true)]);
    }

    fn bits_beyond_the_length_are_refused(space, _setting) {
        // Within the last word, in none, and below 0.
        for (index, shown) in [(100_i64, "100"), (128, "128"), (-1, "-1"), (i64::MAX, "9223372036854775807")] {
            let mut bits = Bitset::new(space, "bits", 100).expect("memory");
            let one = || space.range(0..1);
            let text = panic_of(|| parallel_for("k", one(), &bits, |_, bits| assert!(!bits.test(index))).expect("a panic"));
            assert_eq!(text, format!("index [{shown}] is out of bounds of view `bits` with extents [100] in kernel `k`"));
            let text = panic_of(|| parallel_for("k", one(), bits.sets(), |_, bits| bits.set(index)).expect("a panic"));
            assert_eq!(text, format!("index [{shown}] is out of bounds of view `bits`.sets() with extents [100] in kernel `k`"));
            let text = panic_of(|| parallel_for("k", one(), bits.resets(), |_, bits| bits.reset(index)).expect("a panic"));
            assert_eq!(text, format!("index [{shown}] is out of bounds of view `bits`.resets() with extents [100] in kernel `k`"));
            assert_eq!(bits.count(space).expect("nothing fails"), 0);
        }
    }
}

#[test]
fn bits_on_the_host_are_checked() {
    let mut bits = Bitset::new(&Serial::new(), "bits", 100).expect("memory");
    let wanted = "index 100 is out of bounds of bitset `bits` with 100 bits";
    assert_eq!(panic_of(|| bits.set(100)), wanted);
    assert_eq!(panic_of(|| bits.reset(100)), wanted);
    assert_eq!(panic_of(|| assert!(bits.test(100))), wanted);
    bits.set(99);
    assert_eq!((bits.next_set(0), bits.next_unset(99), bits.next_set(100)), (Some(99), None, None));
    bits.reset(99);
    assert_eq!(bits.iter().next(), None);
}
