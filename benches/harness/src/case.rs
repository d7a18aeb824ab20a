//! Something that is measured.

use crate::lineup::Race;

/// A race, or the reason why there is none.
pub type Made = Result<Box<dyn Race>, String>;

/// Something that is measured, with the spaces and peers of `S`.
#[derive(Debug)]
pub struct Case<S: 'static> {
    /// Its name for the command line.
    pub name: &'static str,
    /// The expectation and its reason, written before the measurement.
    pub hypothesis: &'static str,
    /// The name of the size in tables.
    pub size: &'static str,
    /// The element types, or shapes.
    pub variants: &'static [Variant<S>],
}

/// A case in one element type, or shape.
#[derive(Debug)]
pub struct Variant<S> {
    /// Its name in tables.
    pub name: &'static str,
    /// Elements for each of the sizes, for suites that choose sizes by their elements.
    pub width: usize,
    /// The sizes that are measured unless others are asked for.
    pub sizes: &'static [usize],
    /// Makes the data and the contenders.
    pub race: fn(&S, usize) -> Made,
}

impl<S> Variant<S> {
    /// A variant whose size is its number of elements.
    #[must_use]
    pub const fn new(name: &'static str, sizes: &'static [usize], race: fn(&S, usize) -> Made) -> Self {
        Self { name, width: 1, sizes, race }
    }
}

// Derived, they would require `S: Clone` and `S: Copy`.
impl<S> Clone for Case<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Case<S> {}

impl<S> Clone for Variant<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Variant<S> {}
