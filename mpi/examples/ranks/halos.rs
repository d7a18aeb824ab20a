//! Halos whose messages are long.

use spelt_core::reducers::Sum;
use spelt_core::{Between, Result, Serial, parallel_for, parallel_map_reduce};
use spelt_mpi::{Communicator, Mpi};

/// Halos of long rows, fetched by a launch, and by an exchange during which the ranks make other calls.
pub(crate) fn long_rows(ranks: &Communicator) -> Result<()> {
    type Rows = (Between<-1, 1>, Between<0, 0>);
    let (rows, columns) = (3 * ranks.size() + 2, 20_000);
    let space = Mpi::new(ranks, Serial::new());
    let element = move |i: usize, j: usize| (7 * i + j) as u64;
    let mut x = space.view_from_fn("x", [rows, columns], |[i, j]| element(i, j))?;
    let mut z = space.view_from_fn("z", [rows, columns], |[i, j]| element(i, j))?;
    let mut y = space.zeros::<u64, 2>("y", [rows, columns])?;
    let cells = || space.md_range([1..rows - 1, 0..columns]);
    let mut exchange = space.start_exchange("rows", x.halo_of::<Rows>())?;
    let (inner, rim) = (exchange.inner(cells()), exchange.rim(cells()));
    let sum = parallel_map_reduce(
        "sum",
        cells(),
        z.halo_of::<Rows>(),
        |i, z| z.at(i, [1, 0]) - z.at(i, [-1, 0]),
        Sum::<u64>::new(),
    )?;
    assert_eq!(sum, 14 * ((rows - 2) * columns) as u64);
    parallel_for("inner", inner, (exchange.halos(), &mut y), |i, (x, mut y)| {
        y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]);
    })?;
    exchange.finish()?;
    parallel_for("rim", rim, (x.halo_of::<Rows>(), &mut y), |i, (x, mut y)| {
        y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]);
    })?;
    let wrong = parallel_map_reduce(
        "wrong",
        cells(),
        &y,
        move |at, y| {
            let [i, j] = at.index();
            y[at].abs_diff(element(i - 1, j) + element(i + 1, j))
        },
        Sum::<u64>::new(),
    )?;
    assert_eq!(wrong, 0);
    Ok(())
}
