//! Files that all ranks write and read together, each its rows.

mod beside;
mod checkpoint;
mod npy;
mod vtk;

pub use checkpoint::Checkpoint;
pub use vtk::{CellField, Grid, VtkElement};
