//! Factors of a small dense matrix and triangular solves, by a team in its scratch memory.

use spelt::{ScratchView, Team};

/// Replaces a matrix by its factors L, whose diagonal of ones is not kept, and U.
pub(crate) fn factorize<'k, V, K>(team: &mut Team<'k, V, K>, matrix: &mut ScratchView<'k, '_, f64, 2>) {
    let n = matrix.extent(0);
    for k in 0..n {
        matrix.write(team, [k + 1..n, k..k + 1], |_, element, rest| *element /= rest[[k, k]]);
        matrix.write(team, [k + 1..n, k + 1..n], |[i, j], element, rest| {
            *element -= rest[[i, k]] * rest[[k, j]]
        });
    }
}

/// Which of the factors.
#[derive(Clone, Copy)]
pub(crate) enum Triangle {
    Lower,
    Upper,
}

/// Solves L X = B or U X = B; the rows of `columns` are the columns of B, and become those of X. No column needs another one.
pub(crate) fn solve<'k, V, K>(
    team: &mut Team<'k, V, K>,
    triangle: Triangle,
    factors: &ScratchView<'k, '_, f64, 2>,
    columns: &mut ScratchView<'k, '_, f64, 2>,
) {
    let n = factors.extent(0);
    columns.write_rows(team, n, |_, column, _| match triangle {
        Triangle::Lower => {
            for i in 0..n {
                for k in 0..i {
                    column[i] -= factors[[i, k]] * column[k];
                }
            }
        }
        Triangle::Upper => {
            for i in (0..n).rev() {
                for k in i + 1..n {
                    column[i] -= factors[[i, k]] * column[k];
                }
                column[i] /= factors[[i, i]];
            }
        }
    });
}
