//! The array, and the exchange between its halves.

use spelt::Result;
use spelt::algorithms::scatter;
use spelt::mpi::{DistributedView, Mpi, Plan};
use spelt::prelude::*;

use crate::c_random::CRandom;

/// An array in two halves, divided among ranks. On two ranks each has one half, and the other rank is its partner.
pub(crate) struct Exchange<'a, S: ExecutionSpace> {
    data: DistributedView<f64, 1, S::Memory>,
    /// From which ranks the elements come.
    plan: Plan<'a, S>,
    /// The places of the elements that this rank receives, counted from its first one.
    places: View<usize, 1, S::Memory>,
    /// These elements.
    buffer: View<f64, 1, S::Memory>,
}

impl<'a, S: ExecutionSpace + 'static> Exchange<'a, S> {
    /// Twice `size` elements, of which those that `list` has in each half come from the other.
    pub(crate) fn new(space: &'a Mpi<'_, S>, size: usize, list: &[usize]) -> Result<Self> {
        let data = space.view_from_fn("data", [2 * size], move |[row]| start(row, size))?;
        let own = data.own_rows();
        let both = list.iter().flat_map(|row| [*row, size + row]);
        let own_places: Vec<usize> = both.filter(|row| own.contains(row)).collect();
        let wanted: Vec<usize> = own_places.iter().map(|row| (row + size) % (2 * size)).collect();
        let local = space.local();
        let plan = space.ranks().plan("partners", local, data.partition().cuts(), &wanted)?;
        let places = local.view_from_fn("places", [wanted.len()], |[i]| own_places[i] - own.start)?;
        let buffer = local.zeros("buffer", [wanted.len()])?;
        Ok(Self { data, plan, places, buffer })
    }

    /// Packs, sends, receives and unpacks.
    pub(crate) fn run(&mut self, space: &Mpi<'_, S>) -> Result<()> {
        self.plan.forward("exchange", (&self.data.own().as_view(), &mut self.buffer))?;
        scatter(space.local(), &self.buffer, &self.places, &mut self.data.own_mut().as_view_mut())
    }

    /// The sum of all elements.
    pub(crate) fn sum(&self, space: &Mpi<'_, S>) -> Result<f64> {
        let all = space.range(0..self.data.extents()[0]);
        parallel_map_reduce("sum", all, &self.data, move |i, data| data[i], Sum::<f64>::new())
    }

    /// All elements, on rank 0.
    pub(crate) fn gather(&self, space: &Mpi<'_, S>) -> Result<Option<View<f64, 1>>> {
        space.gather("data", &self.data, 0)
    }
}

/// The element of this row at the start: a hill in the first half, and a lower one upside down in the second.
pub(crate) fn start(row: usize, size: usize) -> f64 {
    let place = (row % size) as f64 / size as f64;
    let hill = 4.0 * place * (1.0 - place);
    if row < size { hill } else { -0.5 * hill }
}

/// Random indices below `size`, which may repeat: the same on all ranks, and with seed 1 those of the exercise where the C library is GNU's.
pub(crate) fn list(size: usize, count: usize, seed: u32) -> Vec<usize> {
    let mut random = CRandom::new(seed);
    (0..count).map(|_| random.next() as usize % size).collect()
}
