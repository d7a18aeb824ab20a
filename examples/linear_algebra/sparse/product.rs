//! The product of two sparse matrices (F. Gustavson, Two fast algorithms for sparse matrices, 1978), in two phases: first the columns of
//! each row, then the values.

use spelt::Result;
use spelt::containers::Csr;
use spelt::prelude::*;

use super::Matrix;

/// The columns of each row of the product of two square matrices with these columns, ascending.
pub(crate) fn symbolic<S: ExecutionSpace>(
    space: &S,
    a: &Csr<u32, S::Memory>,
    b: &Csr<u32, S::Memory>,
) -> Result<Csr<u32, S::Memory>> {
    let rows = || space.range(0..a.rows());
    // Each row has room for the columns of all rows of B that its elements meet.
    let room = space.uninit("room", [a.rows()])?;
    let room = parallel_fill("room", rows(), room, (a.by_rows(), b.by_rows()), move |i, (a, b)| {
        a[i].iter().map(|&k| b.get(k as usize).map_or(0, <[u32]>::len)).sum::<usize>()
    })?;
    let mut found = Csr::<u32, _>::from_counts(space, "found", &room)?;
    let mut counts = space.zeros::<u32, 1>("counts", [a.rows()])?;
    let args = (a.by_rows(), b.by_rows(), found.by_rows_mut(), &mut counts);
    parallel_for("spgemm symbolic", rows(), args, move |i, (a, b, mut found, mut counts)| {
        let (found, mut len) = (&mut found[i], 0);
        for &k in &a[i] {
            for &j in b.get(k as usize).unwrap_or_default() {
                if let Err(place) = found[..len].binary_search(&j) {
                    for later in (place..len).rev() {
                        found[later + 1] = found[later];
                    }
                    found[place] = j;
                    len += 1;
                }
            }
        }
        counts[i] = len as u32;
    })?;
    let mut columns = Csr::from_counts(space, "columns", &counts)?;
    parallel_for(
        "columns",
        rows(),
        (found.by_rows(), columns.by_rows_mut()),
        move |i, (found, mut columns)| {
            for (column, found) in columns[i].iter_mut().zip(&found[i]) {
                *column = *found;
            }
        },
    )?;
    Ok(columns)
}

/// The product of `a` and `b`, whose columns [`symbolic`] has found.
pub(crate) fn numeric<S: ExecutionSpace>(
    space: &S,
    a: &Matrix<S::Memory>,
    b: &Matrix<S::Memory>,
    columns: Csr<u32, S::Memory>,
) -> Result<Matrix<S::Memory>> {
    let mut values = space.zeros::<f64, 1>("values", [columns.len()])?;
    let args = (
        (a.columns.by_rows(), a.values.by_segments(a.columns.offsets())),
        (b.columns.by_rows(), b.values.by_segments(b.columns.offsets())),
        (columns.by_rows(), values.by_segments_mut(columns.offsets())),
    );
    parallel_for(
        "spgemm numeric",
        space.range(0..a.rows()),
        args,
        move |i, (a, b, (columns, mut values))| {
            for (&k, a_ik) in a.0[i].iter().zip(&a.1[i]) {
                let row =
                    b.0.get(k as usize)
                        .unwrap_or_default()
                        .iter()
                        .zip(b.1.get(k as usize).unwrap_or_default());
                for (j, b_kj) in row {
                    if let Ok(place) = columns[i].binary_search(j) {
                        values[i][place] += a_ik * b_kj;
                    }
                }
            }
        },
    )?;
    Ok(Matrix { columns, values })
}
