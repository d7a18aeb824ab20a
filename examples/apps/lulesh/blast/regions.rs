//! Regions of material: elements that are computed together, at different cost.
//!
//! All regions hold the same gas, so they change no result. They make the work uneven and the accesses indirect, as in codes
//! with several materials.

use std::ops::Range;

use fastrand::Rng;
use spelt::prelude::*;
use spelt::{MemorySpace, Result};

/// The number of regions and their cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// The number of regions.
    pub(crate) regions: usize,
    /// Region `r` gets elements in proportion to `(r + 1)^balance`.
    pub(crate) balance: u32,
    /// The equation of state is solved this many more times in half of the regions, ten times as often in the last ones.
    pub(crate) cost: usize,
}

/// The elements of all regions.
pub(crate) struct Regions<M: MemorySpace> {
    /// The elements, region after region.
    pub(crate) order: View<u32, 1, M>,
    /// The place of each element in `order`.
    pub(crate) place: View<u32, 1, M>,
    /// The part of `order` that is a region, and how often its equation of state is solved.
    pub(crate) parts: Vec<(Range<usize>, usize)>,
}

impl<M: MemorySpace> Regions<M> {
    /// Distributes the elements over regions, by random runs of neighbours.
    pub(crate) fn new<S: ExecutionSpace<Memory = M>>(
        space: &S,
        elements: usize,
        costs: Costs,
    ) -> Result<Self> {
        let mut members = vec![Vec::new(); costs.regions];
        let mut random = Random::new(costs);
        let (mut element, mut last) = (0, None);
        while element < elements {
            let region = random.region(last);
            let end = elements.min(element + random.run());
            members[region].extend(element as u32..end as u32);
            (element, last) = (end, Some(region));
        }
        let order = members.concat();
        let mut place = vec![0; elements];
        for (at, &element) in order.iter().enumerate() {
            place[element as usize] = at as u32;
        }
        let mut end = 0;
        let parts = members.iter().enumerate().map(|(region, members)| {
            let start = end;
            end += members.len();
            (start..end, costs.repetitions(region))
        });
        Ok(Self {
            parts: parts.filter(|(part, _)| !part.is_empty()).collect(),
            order: space.view_from_fn("region order", [elements], |[i]| order[i])?,
            place: space.view_from_fn("region place", [elements], |[i]| place[i])?,
        })
    }
}

impl Costs {
    /// How often the equation of state of a region is solved: once in half of the regions, most often in one of twenty.
    fn repetitions(&self, region: usize) -> usize {
        if region < self.regions / 2 {
            1
        } else if region < self.regions - (self.regions + 15) / 20 {
            1 + self.cost
        } else {
            10 * (1 + self.cost)
        }
    }
}

/// The lengths of runs: of a thousand, this many have a length in this range.
const RUNS: [(u32, Range<usize>); 7] =
    [(773, 1..16), (164, 16..32), (33, 32..64), (4, 64..128), (4, 128..256), (3, 256..512), (19, 512..2049)];

/// Random regions and lengths of runs.
struct Random {
    rng: Rng,
    /// The sums of the regions' weights up to each of them.
    weights: Vec<u64>,
}

impl Random {
    fn new(costs: Costs) -> Self {
        let weights = (1..=costs.regions as u64).scan(0, |sum, number| {
            *sum += number.pow(costs.balance);
            Some(*sum)
        });
        Self { rng: Rng::with_seed(0), weights: weights.collect() }
    }

    /// A region other than `last`, if there is another.
    fn region(&mut self, last: Option<usize>) -> usize {
        let all = self.weights[self.weights.len() - 1];
        loop {
            let at = self.rng.u64(0..all);
            let region = self.weights.partition_point(|&sum| sum <= at);
            if self.weights.len() == 1 || Some(region) != last {
                return region;
            }
        }
    }

    /// The length of a run.
    fn run(&mut self) -> usize {
        let mut at = self.rng.u32(0..1000);
        for (share, lengths) in RUNS {
            if at < share {
                return self.rng.usize(lengths);
            }
            at -= share;
        }
        1
    }
}
