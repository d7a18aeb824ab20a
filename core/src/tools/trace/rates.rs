//! The counters of rates: as many for a place as intervals of it overlap.

use std::collections::HashMap;

/// The counters of each place.
///
/// A counter shows one interval at a time, so intervals that overlap, of threads or streams that work at the same time, have different ones. A
/// counter that is free serves the next interval, whichever thread it is of: threads that come and go need no more of them.
#[derive(Debug, Default)]
pub(super) struct Rates {
    /// The time from which each counter of a place is free. Unit: ns.
    free_ns: HashMap<String, Vec<u64>>,
}

impl Rates {
    /// The counter that shows an interval of `place`: its number among those of the place, from 0 on.
    ///
    /// The time is linear in the number of intervals that overlap.
    pub(super) fn counter(&mut self, place: &str, begin_ns: u64, end_ns: u64) -> usize {
        // No memory is allocated for a place that is known.
        if !self.free_ns.contains_key(place) {
            self.free_ns.insert(place.to_owned(), Vec::new());
        }
        let free_ns = self.free_ns.get_mut(place).expect("it has just been inserted");
        let number = free_ns.iter().position(|free_ns| *free_ns <= begin_ns).unwrap_or_else(|| {
            free_ns.push(end_ns);
            free_ns.len() - 1
        });
        free_ns[number] = end_ns;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::Rates;

    #[test]
    fn intervals_that_overlap_have_counters_of_their_own() {
        let mut rates = Rates::default();
        assert_eq!(rates.counter("Threads", 10, 20), 0);
        // The next may begin where the last ended.
        assert_eq!(rates.counter("Threads", 20, 30), 0);
        // Longer ones come later, when they end.
        assert_eq!(rates.counter("Threads", 0, 40), 1);
        assert_eq!(rates.counter("Threads", 29, 50), 2);
        assert_eq!(rates.counter("Serial", 29, 50), 0);
        assert_eq!(rates.counter("Threads", 30, 60), 0);
        assert_eq!(rates.counter("Threads", 40, 70), 1);
    }
}
