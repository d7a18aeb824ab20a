//! Partitions: all elements, those of one kind before those of another.

use rayon::iter::Either;
use rayon::prelude::*;
use spelt::algorithms::{partition, partition_flagged, partition_three_way};
use spelt::prelude::*;

use super::{Found, SIZES, all_same, fraction, random, words};
use crate::cases::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::setup::{Setup, slice};

pub(super) const CASE: Case = Case {
    name: "partition",
    hypothesis: "f32 without a pattern, in two halves, by a predicate or by flags, or in thirds. Every element is \
        written, to a place that is chosen without a branch, so no guess is wrong: half of the time of the standard \
        library's partition on two threads, and less of rayon's, which collects lists of vectors and copies them. All \
        are stable.",
    size: "n",
    variants: &[
        Variant { name: "halves", width: 1, sizes: SIZES, race: halves },
        Variant { name: "flagged", width: 1, sizes: SIZES, race: flagged },
        Variant { name: "thirds", width: 1, sizes: SIZES, race: thirds },
    ],
};

struct Data {
    x: View<f32, 1>,
    flags: View<bool, 1>,
}

/// Three parts, in one piece or in several, and where the second and the third part begin.
struct Parts {
    pieces: Vec<Found<f32>>,
    begins: [usize; 2],
}

impl Parts {
    fn together(parts: View<f32, 1>, begins: [usize; 2]) -> Self {
        Self { pieces: vec![Found::View(parts)], begins }
    }

    fn apart(parts: [Vec<f32>; 3]) -> Self {
        let begins = [parts[0].len(), parts[0].len() + parts[1].len()];
        Self { pieces: parts.into_iter().map(Found::Vec).collect(), begins }
    }

    fn all(&self) -> Vec<f32> {
        self.pieces.iter().flat_map(|piece| piece.iter().copied()).collect()
    }
}

fn low(x: &f32) -> bool {
    *x < 0.5
}

fn first_third(x: &f32) -> bool {
    *x < 1.0 / 3.0
}

fn second_third(x: &f32) -> bool {
    *x < 2.0 / 3.0
}

/// An empty line-up; `plain` returns the correct result.
fn lineup(
    setup: &Setup,
    n: usize,
    flags: usize,
    plain: impl Fn(&Data) -> [Vec<f32>; 3],
) -> Result<Lineup<Data, Parts>, String> {
    let data = Data {
        x: setup.view("x", [n], |[i]| fraction(i))?,
        flags: setup.view("flags", [flags], |[i]| random(i + n).is_multiple_of(2))?,
    };
    let want = Parts::apart(plain(&data));
    let all = want.all();
    let work = Work { bytes: 2 * n * size_of::<f32>() + flags, elements: n };
    Ok(Lineup::new(data, work, move |_, found: &Parts| {
        all_same("beginning", &found.begins, &want.begins)?;
        all_same("element", &found.all(), &all)
    }))
}

fn read(lineup: Lineup<Data, Parts>, setup: &Setup) -> Made {
    Ok(Box::new(lineup.with_read(&setup.limit, |limit, data| {
        core::hint::black_box(limit.read(slice(&data.x)));
        core::hint::black_box(limit.read(words(slice(&data.flags))));
        Parts::apart(Default::default())
    })))
}

fn halves(setup: &Setup, n: usize) -> Made {
    let plain = |data: &Data| {
        let (yes, no) = slice(&data.x).iter().copied().partition(low);
        [yes, no, Vec::new()]
    };
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, 0, plain)?
        .with("Spelt", move |data| {
            let (parts, begin) = partition(&threads, &data.x, low).expect("there is memory");
            Parts::together(parts, [begin, n])
        })
        .with("plain", move |data| Parts::apart(plain(data)))
        .with("rayon", |data| {
            let (yes, no) = slice(&data.x).par_iter().copied().partition(low);
            Parts::apart([yes, no, Vec::new()])
        });
    read(lineup, setup)
}

fn flagged(setup: &Setup, n: usize) -> Made {
    let plain = |data: &Data| {
        let (mut set, mut others) = (Vec::new(), Vec::new());
        for (x, flag) in slice(&data.x).iter().zip(slice(&data.flags)) {
            if *flag { set.push(*x) } else { others.push(*x) }
        }
        [set, others, Vec::new()]
    };
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, n, plain)?
        .with("Spelt", move |data| {
            let (parts, begin) = partition_flagged(&threads, &data.x, &data.flags).expect("there is memory");
            Parts::together(parts, [begin, n])
        })
        .with("plain", move |data| Parts::apart(plain(data)))
        .with("rayon", |data| {
            let flagged = slice(&data.x).par_iter().zip(slice(&data.flags));
            let side = |(x, flag): (&f32, &bool)| if *flag { Either::Left(*x) } else { Either::Right(*x) };
            let (set, others) = flagged.partition_map(side);
            Parts::apart([set, others, Vec::new()])
        });
    read(lineup, setup)
}

fn thirds(setup: &Setup, n: usize) -> Made {
    let plain = |data: &Data| {
        let mut parts: [Vec<f32>; 3] = Default::default();
        for x in slice(&data.x) {
            let part = if first_third(x) { 0 } else { 1 + usize::from(!second_third(x)) };
            parts[part].push(*x);
        }
        parts
    };
    let threads = setup.space.clone();
    let lineup = lineup(setup, n, 0, plain)?
        .with("Spelt", move |data| {
            let (parts, begins) =
                partition_three_way(&threads, &data.x, first_third, second_third).expect("there is memory");
            Parts::together(parts, begins)
        })
        .with("plain", move |data| Parts::apart(plain(data)))
        .with("rayon", |data| {
            let (first, others): (Vec<f32>, Vec<f32>) =
                slice(&data.x).par_iter().copied().partition(first_third);
            let (second, third) = others.into_par_iter().partition(second_third);
            Parts::apart([first, second, third])
        });
    read(lineup, setup)
}
