//! Data of the flat cases: two inputs and an output, as in the Kokkos peer.

use spelt::View;

use crate::numbers::Number;
use crate::setup::{Setup, slice, slice_mut};

pub(super) struct Vectors<T: Number> {
    pub(super) x: View<T, 1>,
    pub(super) w: View<T, 1>,
    pub(super) y: View<T, 1>,
}

impl<T: Number> Vectors<T> {
    /// Only `x`; the others are empty.
    pub(super) fn one(setup: &Setup, n: usize) -> Result<Self, String> {
        Self::new(setup, n, 0, 0)
    }

    /// `x` and `w`.
    pub(super) fn two(setup: &Setup, n: usize) -> Result<Self, String> {
        Self::new(setup, n, n, 0)
    }

    /// `x` and `w` of these lengths, and `y`, which is zero.
    pub(super) fn new(setup: &Setup, x: usize, w: usize, y: usize) -> Result<Self, String> {
        Ok(Self {
            x: setup.view("x", [x], |[i]| T::element(i + 1))?,
            w: setup.view("w", [w], |[i]| T::element(i + 77))?,
            y: setup.view("y", [y], |_| T::small(0))?,
        })
    }

    pub(super) fn x(&self) -> &[T] {
        slice(&self.x)
    }

    pub(super) fn w(&self) -> &[T] {
        slice(&self.w)
    }

    pub(super) fn y(&self) -> &[T] {
        slice(&self.y)
    }

    /// `y` to write, `x` and `w` to read.
    pub(super) fn split(&mut self) -> (&mut [T], &[T], &[T]) {
        (slice_mut(&mut self.y), slice(&self.x), slice(&self.w))
    }

    /// Sets `y`.
    pub(super) fn fill(&mut self, value: u8) {
        slice_mut(&mut self.y).fill(T::small(value));
    }
}
