//! Sparse matrices in compressed rows, and algorithms on them that several of these programs use.
#![allow(dead_code, unused_imports, reason = "each program uses its part")]

mod by_teams;
mod coloring;
mod factors;
mod gauss_seidel;
mod matrix;
mod product;
mod solve;

pub(crate) use coloring::{Coloring, color, color_by_rows, conflicts, priority};
pub(crate) use factors::{Factors, fill_levels};
pub(crate) use gauss_seidel::{GaussSeidel, Order};
pub(crate) use matrix::{Matrix, dot, norm};
pub(crate) use product::{numeric, symbolic};

/// The most rows of a matrix, which is made on the host. Unit: rows.
pub(crate) const MAX_ROWS: usize = 1_000_000;
