//! The collectives, over messages between two ranks: each takes a number of rounds that grows with the logarithm of the ranks,
//! except for `all_to_all_v`.

mod all_to_all;
mod barrier;
mod broadcast;
mod bundle;
mod gather;
mod in_order;
mod scatter;

use crate::Communicator;

impl Communicator {
    /// The number of this rank if the root is counted as 0.
    fn place_from(&self, root: usize) -> usize {
        (self.rank() + self.size() - root) % self.size()
    }

    /// The rank at this place from the root.
    fn rank_at(&self, root: usize, place: usize) -> usize {
        (root + place) % self.size()
    }
}

/// The distance from a place in a binomial tree to its parent: its lowest bit; for the root, the first power of two from `size` on.
fn span(place: usize, size: usize) -> usize {
    if place == 0 { size.next_power_of_two() } else { 1 << place.trailing_zeros() }
}
