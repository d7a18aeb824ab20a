//! `y = a + b + ..` with more and more Views in one kernel.

use ndarray::{ArrayView1, ArrayViewMut1, Zip};
use rayon::prelude::*;
use spelt::prelude::*;

use super::{Case, Made, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::Number;
use crate::setup::{Setup, slice, slice_mut};

const SIZES: &[usize] = &[1_000, 100_000, 10_000_000];

pub(super) const CASE: Case = Case {
    name: "views",
    hypothesis: "Each View costs its bytes and nothing else: arguments are read once per unit, not once per element, \
        and the loop has no checks; level with slices of the same length at 1, 2, 4 and 6 inputs.",
    size: "n",
    variants: &[
        Variant { name: "1 input", width: 1, sizes: SIZES, race: one },
        Variant { name: "2 inputs", width: 1, sizes: SIZES, race: two },
        Variant { name: "4 inputs", width: 1, sizes: SIZES, race: four },
        Variant { name: "6 inputs", width: 1, sizes: SIZES, race: six },
    ],
};

struct Inputs<const K: usize> {
    inputs: [View<f64, 1>; K],
    y: View<f64, 1>,
}

impl<const K: usize> Inputs<K> {
    fn lineup(setup: &Setup, n: usize) -> Result<Lineup<Self, ()>, String> {
        let inputs: Result<Vec<_>, String> =
            (0..K).map(|k| setup.view("input", [n], move |[i]| f64::element(i + 77 * k))).collect();
        let inputs = inputs?.try_into().map_err(|_| "as many Views as asked for")?;
        let data = Self { inputs, y: setup.view("y", [n], |_| 0.0)? };
        let work = Work { bytes: (K + 1) * n * size_of::<f64>(), elements: n };
        let check = |data: &Self, (): &()| {
            for (i, y) in slice(&data.y).iter().enumerate() {
                // In the order of the kernels, so equal to the last bit.
                let want = data.inputs[1..].iter().fold(data.inputs[0][i], |sum, input| sum + input[i]);
                crate::numbers::same(&format!("y[{i}]"), *y, want)?;
            }
            Ok(())
        };
        Ok(Lineup::new(data, work, check).reset(|data| slice_mut(&mut data.y).fill(-1.0)))
    }
}

/// The contenders that every number of inputs has.
macro_rules! race {
    ($name:ident, $count:literal, $first:ident $($more:ident)*) => {
        fn $name(setup: &Setup, n: usize) -> Made {
            let space = setup.space.clone();
            let lineup = Inputs::<$count>::lineup(setup, n)?
                .with("Spelt", move |data| {
                    let [$first, $($more),*] = &data.inputs;
                    let args = ($first, $($more,)* &mut data.y);
                    parallel_for("views", space.range(0..$first.len()), args, |i, ($first, $($more,)* mut y)| {
                        y[i] = $first[i] $(+ $more[i])*;
                    })
                    .expect("the Views cover the range");
                })
                .with("plain", |data| {
                    let [$first, $($more),*] = data.inputs.each_ref().map(slice);
                    let y = slice_mut(&mut data.y);
                    // Cut to one length, so that the loop needs no checks.
                    let _n = y.len();
                    $(let $more = &$more[.._n];)*
                    for (_i, (y, $first)) in y.iter_mut().zip($first).enumerate() {
                        *y = *$first $(+ $more[_i])*;
                    }
                })
                .with("rayon", |data| {
                    let [$first, $($more),*] = data.inputs.each_ref().map(slice);
                    let y = slice_mut(&mut data.y);
                    y.par_iter_mut().zip($first).enumerate().for_each(|(_i, (y, $first))| {
                        *y = *$first $(+ $more[_i])*;
                    });
                });
            Ok(Box::new($name::more(lineup)))
        }
    };
}
race!(one, 1, a);
race!(two, 2, a b);
race!(four, 4, a b c d);
race!(six, 6, a b c d e f);

/// ndarray's Zip, which takes six arrays at most, the output among them.
macro_rules! zip {
    ($name:ident, $count:literal $(, $array:ident)*) => {
        mod $name {
            use super::*;
            pub(super) fn more(lineup: Lineup<Inputs<$count>, ()>) -> Lineup<Inputs<$count>, ()> {
                lineup.with("ndarray", |data| {
                    let [$($array),*] = data.inputs.each_ref().map(|input| ArrayView1::from(slice(input)));
                    let y = Zip::from(ArrayViewMut1::from(slice_mut(&mut data.y)));
                    y$(.and($array))*.for_each(|y, $($array),*| *y = sum!($($array)*));
                })
            }
        }
    };
}
macro_rules! sum {
    ($first:ident $($more:ident)*) => { *$first $(+ *$more)* };
}
zip!(one, 1, a);
zip!(two, 2, a, b);
zip!(four, 4, a, b, c, d);
mod six {
    pub(super) use core::convert::identity as more;
}
