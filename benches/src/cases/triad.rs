//! The triad of STREAM: `y = x + 3 w`.

use ndarray::{ArrayView1, ArrayViewMut1, Zip};
use rayon::prelude::*;
use spelt::prelude::*;

use super::vectors::Vectors;
use super::{Case, Made, SIZES_OF_STREAMS, Variant};
use crate::lineup::{Lineup, Work};
use crate::numbers::{Number, near};
use crate::setup::Setup;

pub(super) const CASE: Case = Case {
    name: "triad",
    hypothesis: "Witnesses need no bounds checks, so the closure becomes an ordinary loop: level with the \
        best peer, and below the break-even size without waking anybody, ahead of it. From 320 MB on the limit writes \
        past the caches, and so reads 24 bytes where stores through them read 32.",
    size: "n",
    variants: &[Variant { name: "f64", width: 1, sizes: SIZES_OF_STREAMS, race: race::<f64> }],
};

fn triad<T: Number>(space: &impl ExecutionSpace<Memory = spelt::HostSpace>, data: &mut Vectors<T>) {
    let range = space.range(0..data.x.len());
    let args = (T::small(3), &data.x, &data.w, &mut data.y);
    parallel_for("triad", range, args, |i, (a, x, w, mut y)| y[i] = x[i] + a * w[i])
        .expect("the Views cover the range");
}

fn race<T: Number>(setup: &Setup, n: usize) -> Made {
    let data = Vectors::<T>::new(setup, n, n, n)?;
    let threads = setup.space.clone();
    let work = Work { bytes: 3 * n * size_of::<T>(), elements: n };
    let check = |data: &Vectors<T>, _: &()| {
        for (i, y) in data.y().iter().enumerate() {
            near(&format!("y[{i}]"), *y, data.x()[i].wide() + 3.0 * data.w()[i].wide(), 4)?;
        }
        Ok(())
    };
    let lineup = Lineup::new(data, work, check)
        .reset(|data| data.fill(0))
        .with("Spelt", move |data| triad(&threads, data))
        .with("Spelt Serial", |data| triad(&Serial, data))
        .with("plain", |data| {
            let (y, x, w) = data.split();
            y.iter_mut().zip(x).zip(w).for_each(|((y, x), w)| *y = *x + T::small(3) * *w);
        })
        .with("rayon", |data| {
            let (y, x, w) = data.split();
            y.par_iter_mut().zip(x).zip(w).for_each(|((y, x), w)| *y = *x + T::small(3) * *w);
        })
        .with("ndarray", |data| {
            let (y, x, w) = data.split();
            Zip::from(ArrayViewMut1::from(y))
                .and(ArrayView1::from(x))
                .and(ArrayView1::from(w))
                .for_each(|y, x, w| *y = *x + T::small(3) * *w);
        })
        .with_limit(&setup.limit, |limit, data| {
            let (y, x, w) = data.split();
            limit.triad(y, x, T::small(3), w);
        })
        .with_remote("Kokkos", setup.peer("triad", T::NAME, n));
    Ok(Box::new(lineup))
}
