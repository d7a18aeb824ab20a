//! Clusters of places, and which of them are near each other.

use spelt::algorithms::{BlockRanges, cluster_centroids, cluster_order_and_ranges, grid_cluster};
use spelt::prelude::*;
use spelt::{Error, ErrorKind, Result};

use super::samples::Place;

/// The sides of the squares that make clusters. Unit: widths of the Gaussian.
const SQUARE: f32 = 4.0;

/// The distance up to which places are near. Unit: widths of the Gaussian.
const NEAR: f32 = 4.0;

/// The most clusters: the table of their pairs has a byte for each, a gigabyte in all.
const MOST: usize = 1 << 15;

/// An order of places by clusters, and which pairs of places in this order are near.
pub(crate) struct Clusters {
    pub(crate) order: Vec<usize>,
    pub(crate) near: BlockRanges,
}

/// The place of a cluster: no point in it is farther from the centre than the radius.
struct Disc {
    centre: Place,
    radius: f32,
}

impl Clusters {
    /// Clusters for a Gaussian of this width: all pairs that are near are kept, and all that are in clusters with such a pair.
    pub(crate) fn of(places: &[Place], width: f32) -> Result<Self> {
        let labels = grid_cluster(places, [SQUARE * width; 2])?;
        let count = labels.iter().max().map_or(0, |last| last + 1);
        if count > MOST {
            let message = format!(
                "there are {count} clusters, and {MOST} is the most: give a larger --width, or fewer --points"
            );
            return Err(Error::new(ErrorKind::Extents, message));
        }
        let (order, ranges) = cluster_order_and_ranges(&labels, count)?;
        let sorted: Vec<Place> = order.iter().map(|&i| places[i]).collect();
        let centroids = cluster_centroids(&sorted, None, &ranges)?;
        let disc = |k: usize| {
            let centre = centroids[k].map_or([0.0; 2], |(centre, _)| centre);
            let radii = sorted[ranges[k].clone()].iter().map(|&place| distance(place, centre));
            Disc { centre, radius: radii.fold(0.0, f32::max) }
        };
        let discs: Vec<Disc> = (0..count).map(disc).collect();
        let keep = View::from_fn("keep", [count, count], |[k, l]| {
            let between = distance(discs[k].centre, discs[l].centre) - discs[k].radius - discs[l].radius;
            between < NEAR * width
        })?;
        let n = places.len();
        Ok(Self { order, near: BlockRanges::from_matrix(n, n, &ranges, &ranges, &keep)? })
    }
}

fn distance(a: Place, b: Place) -> f32 {
    let (east, south) = (a[0] - b[0], a[1] - b[1]);
    (east * east + south * south).sqrt()
}
