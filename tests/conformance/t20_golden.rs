//! The bits themselves. A change to one of them is a deliberate act: it changes what programs compute, so it is listed in
//! the changelog, with its reason, and here.

use spelt::ExecutionSpace;
use spelt::prelude::*;

use crate::equal::{Bits, rough};
use crate::spaces::every;

const N: usize = 10_007;

/// Folds the words of a result into one.
fn fold(value: &impl Bits) -> u64 {
    value
        .bits()
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x100_0000_01B3).rotate_left(17))
}

/// Every result with its name.
pub(crate) fn all<S: ExecutionSpace>(space: &S) -> Vec<(&'static str, u64)> {
    let x = space.view_from_fn("x", [N], |[i]| rough(i)).expect("memory");
    let y = space.view_from_fn("y", [N], |[i]| rough(i + 5) as f32).expect("memory");
    let range = || space.range(0..N);
    let sum = parallel_map_reduce("sum", range(), &x, |i, x| x[i], Sum::<f64>::new()).expect("covered");
    let short = parallel_map_reduce("short", range(), &y, |i, y| y[i], Sum::<f32>::new()).expect("covered");
    let dot =
        parallel_map_reduce("dot", range(), (&x, &y), |i, (x, y)| x[i] * f64::from(y[i]), Sum::<f64>::new())
            .expect("covered");
    let prod = parallel_map_reduce("prod", range(), &x, |i, x| 1.0 + x[i] / 1e9, Prod::<f64>::new())
        .expect("covered");
    let pair = parallel_reduce(
        "pair",
        range(),
        (&x, &y),
        |i, (a, b), (x, y)| {
            *a += x[i];
            *b += f64::from(y[i]);
        },
        (Sum::<f64>::new(), Sum::<f64>::new()),
    )
    .expect("covered");
    let triple = parallel_reduce(
        "triple",
        range(),
        &x,
        |i, bins, x| bins[i.get() % 3] += x[i],
        Elementwise::<_, 3>::new(Sum::<f64>::new()),
    )
    .expect("covered");
    let wide = parallel_reduce(
        "wide",
        range(),
        &x,
        |i, bins, x| bins[i.get() % 40] += x[i],
        Elementwise::<_, 40>::new(Sum::<f64>::new()),
    )
    .expect("covered");
    let in_order = parallel_map_reduce("in order", range(), &x, |i, x| x[i], InOrder::new(Sum::<f64>::new()))
        .expect("covered");
    let square = parallel_reduce(
        "box",
        space.md_range([0..77, 0..129]),
        &x,
        |i, sum, x| {
            let [row, column] = i.get();
            *sum += x[row * 129 + column];
        },
        Sum::<f64>::new(),
    )
    .expect("covered");
    let mut prefixes = space.zeros::<f64, 1>("prefixes", [N]).expect("memory");
    let total = parallel_scan(
        "scan",
        range(),
        (&x, &mut prefixes),
        |i, sum, last, (x, mut prefixes)| {
            *sum += x[i];
            if last {
                prefixes[i] = *sum
            }
        },
        Sum::<f64>::new(),
    )
    .expect("covered");
    let best = parallel_reduce(
        "best",
        range(),
        &x,
        |i, best, x| best.update(x[i], i.get()),
        MinMaxLoc::<f64>::new(),
    )
    .expect("covered");
    vec![
        ("sum", sum.to_bits()),
        ("short sum", u64::from(short.to_bits())),
        ("dot", dot.to_bits()),
        ("prod", prod.to_bits()),
        ("pair", fold(&pair)),
        ("triple", fold(&triple)),
        ("wide", fold(&wide)),
        ("in order", in_order.to_bits()),
        ("box", square.to_bits()),
        ("total", total.to_bits()),
        ("prefixes", fold(&prefixes.to_host().expect("memory").to_vec())),
        ("best", fold(&best)),
    ]
}

/// The digests of the bits below by the number of their order: ranks whose numbers are equal trust that their bits are. A change to the bits
/// raises the number and appends its digest; a digest never changes. (1 had other scans.)
const DIGESTS: &[(u32, u64)] = &[(2, 0xA58D_D20A_700C_D50A)];

/// The bits, as they have been from the first version on; those of scans since their order changed to rows.
const BITS: &[(&str, u64)] = &[
    ("sum", 0x41E4_3AF3_2944_EE3F),
    ("short sum", 0x0000_0000_4F21_D184),
    ("dot", 0x4223_E334_4970_5F4B),
    ("prod", 0xB978_4535_7937_E40A),
    ("pair", 0x4293_3E4B_67D9_06B0),
    ("triple", 0xE0B8_FC5B_6D51_214E),
    ("wide", 0xB2F0_BE60_25B6_BBA9),
    ("in order", 0x41E4_3AF3_2944_EE44),
    ("box", 0x41E2_95A7_0CFA_0CC8),
    ("total", 0x41E4_3AF3_2944_EE49),
    ("prefixes", 0xCB96_8E56_87EB_F218),
    ("best", 0x93E3_4986_49C0_A449),
];

/// As above, for hosts alone.
const COLUMNS: u64 = 0x3851_53F6_8E1D_7635;

every! { on_every_space:
    fn the_bits_are_those_of_old(space, _setting) {
        let found = all(space);
        for (name, bits) in &found {
            println!("    (\"{name}\", 0x{bits:016x}),");
        }
        assert_eq!(found, BITS);
    }
}

#[test]
fn other_bits_have_another_number() {
    let all: Vec<u64> = BITS.iter().map(|(_, bits)| *bits).chain([COLUMNS]).collect();
    let digest = fold(&all);
    println!("    ({}, 0x{digest:016x}),", spelt::canonical::NUMBER);
    assert_eq!(
        DIGESTS.last(),
        Some(&(spelt::canonical::NUMBER, digest)),
        "raise `canonical::NUMBER`, and append this to DIGESTS"
    );
    assert!(DIGESTS.windows(2).all(|pair| pair[0].0 < pair[1].0), "each number has one digest");
}

every! { on_every_host_space:
    fn the_bits_of_columns_are_those_of_old(space, _setting) {
        let x = space.view_from_fn("x", [N], |[i]| rough(i)).expect("memory");
        let columns = parallel_reduce("columns", space.range(0..N), &x, |i, bins, x| bins[i.get() % 5] += x[i],
            Columns::new(Sum::<f64>::new(), 5)).expect("covered");
        assert_eq!(fold(&columns), COLUMNS);
    }
}
