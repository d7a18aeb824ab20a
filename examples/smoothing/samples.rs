//! Scattered places, with heights that are noisy.

use fastrand::Rng;

use super::terrain::Terrain;

/// The seed of the random numbers, which are the same in every run.
const SEED: u64 = 17;

/// The largest noise, up and down. Unit: metres.
const NOISE: f32 = 150.0;

/// A place. Unit: kilometres to the east and to the south of the corner.
pub(crate) type Place = [f32; 2];

/// Places with their heights, noisy and true. Unit: metres.
pub(crate) struct Samples {
    pub(crate) places: Vec<Place>,
    pub(crate) noisy: Vec<f32>,
    pub(crate) truth: Vec<f32>,
}

impl Samples {
    /// Samples of a terrain at places that are equally likely everywhere.
    pub(crate) fn of(terrain: &Terrain, count: usize) -> Self {
        let [rows, columns] = terrain.heights.extents();
        let [height, width] = terrain.cell_metres().map(|metres| metres as f32 / 1000.0);
        let mut rng = Rng::with_seed(SEED);
        let mut samples = Self { places: Vec::new(), noisy: Vec::new(), truth: Vec::new() };
        for _ in 0..count {
            let [row, column] = [rng.usize(0..rows), rng.usize(0..columns)];
            let [down, right] = [row as f32 + rng.f32(), column as f32 + rng.f32()];
            let truth = f32::from(terrain.heights[[row, column]]);
            samples.places.push([right * width, down * height]);
            samples.noisy.push(truth + NOISE * (rng.f32() - rng.f32()));
            samples.truth.push(truth);
        }
        samples
    }

    /// The same samples in another order: first that at `order[0]`, and so on.
    pub(crate) fn in_order(&self, order: &[usize]) -> Self {
        Self {
            places: order.iter().map(|&i| self.places[i]).collect(),
            noisy: order.iter().map(|&i| self.noisy[i]).collect(),
            truth: order.iter().map(|&i| self.truth[i]).collect(),
        }
    }
}
