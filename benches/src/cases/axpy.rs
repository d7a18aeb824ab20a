//! `y += 2 x`.

use ndarray::{ArrayView1, ArrayViewMut1};
use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_OF_STREAMS, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "axpy",
    hypothesis: "As triad, but what is written is read first, so no store can be saved: level with the best peer and \
        with the limit wherever memory decides, ahead below the break-even size.",
    size: "n",
    variants: &[Variant { name: "f64", width: 1, sizes: SIZES_OF_STREAMS, race: race::<f64> }],
};

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::new(setup, n, 0, n)?;
    let space = setup.space.clone();
    let work = Work { bytes: 3 * n * size_of::<T>(), elements: n };
    let check = |data: &Vectors<T>, _: &()| {
        for (i, y) in data.y().iter().enumerate() {
            near(&format!("y[{i}]"), *y, 1.0 + 2.0 * data.x()[i].wide(), 4)?;
        }
        Ok(())
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(1))
        .with("Spelt", move |data| {
            let range = space.range(0..data.x.len());
            let args = (T::small(2), &data.x, &mut data.y);
            parallel_for("axpy", range, args, |i, (a, x, mut y)| y[i] += a * x[i])
                .expect("the Views cover the range");
        })
        .with("plain", |data| {
            let (y, x, _) = data.split();
            y.iter_mut().zip(x).for_each(|(y, x)| *y += T::small(2) * *x);
        })
        .with("rayon", |data| {
            let (y, x, _) = data.split();
            y.par_iter_mut().zip(x).for_each(|(y, x)| *y += T::small(2) * *x);
        })
        .with("ndarray", |data| {
            let (y, x, _) = data.split();
            ArrayViewMut1::from(y).zip_mut_with(&ArrayView1::from(x), |y, x| *y += T::small(2) * *x);
        })
        .with_limit(&setup.limit, |limit, data| {
            let (y, x, _) = data.split();
            limit.axpy(y, T::small(2), x);
        })
        .with_remote("Kokkos", setup.peer("axpy", T::NAME, n));
    Ok(Box::new(lineup))
}
