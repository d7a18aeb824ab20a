//! The memory of Views: how much was in use at most, by space and by label.

use std::collections::HashMap;

use super::totals::{MAX_ROWS, OTHERS};
use crate::tools::AllocationEvent;

/// Memory in use, and the most that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Level {
    pub(super) allocations: u64,
    pub(super) in_use_bytes: u64,
    pub(super) high_water_bytes: u64,
}

impl Level {
    fn allocate(&mut self, bytes: u64) {
        self.allocations += 1;
        self.in_use_bytes = self.in_use_bytes.saturating_add(bytes);
        self.high_water_bytes = self.high_water_bytes.max(self.in_use_bytes);
    }

    fn release(&mut self, bytes: u64) {
        self.in_use_bytes = self.in_use_bytes.saturating_sub(bytes);
    }
}

/// The levels of memory spaces, and of the labels in each.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub(super) spaces: Vec<(&'static str, Level)>,
    pub(super) labels: HashMap<String, Vec<(&'static str, Level)>>,
}

impl Memory {
    pub(super) fn allocate(&mut self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { memory, bytes, .. } = *allocation;
        level(&mut self.spaces, memory).allocate(bytes);
        if self.labels.len() < MAX_ROWS && !self.labels.contains_key(allocation.label) {
            self.labels.insert(allocation.label.to_owned(), Vec::new());
        }
        level(self.levels(allocation.label), memory).allocate(bytes);
    }

    /// The label is that of the allocation, and so is its row: rows are never removed.
    pub(super) fn release(&mut self, allocation: &AllocationEvent<'_>) {
        let AllocationEvent { memory, bytes, .. } = *allocation;
        level(&mut self.spaces, memory).release(bytes);
        level(self.levels(allocation.label), memory).release(bytes);
    }

    fn levels(&mut self, label: &str) -> &mut Vec<(&'static str, Level)> {
        if self.labels.contains_key(label) {
            return self.labels.get_mut(label).expect("it has just been found");
        }
        self.labels.entry(OTHERS.to_owned()).or_default()
    }
}

fn level<'a>(levels: &'a mut Vec<(&'static str, Level)>, memory: &'static str) -> &'a mut Level {
    let place = levels.iter().position(|level| level.0 == memory).unwrap_or_else(|| {
        levels.push((memory, Level::default()));
        levels.len() - 1
    });
    &mut levels[place].1
}

#[cfg(test)]
mod tests {
    use super::{Level, MAX_ROWS, Memory};
    use crate::tools::AllocationEvent;

    #[test]
    fn the_high_water_is_that_of_all_together() {
        let mut memory = Memory::default();
        let event = |label, memory, bytes| AllocationEvent { label, memory, bytes, address: 8 };
        for (label, space, bytes) in [("x", "A", 10), ("y", "A", 5), ("x", "B", 3), ("x", "A", 2)] {
            memory.allocate(&event(label, space, bytes));
        }
        memory.release(&event("x", "A", 10));
        memory.allocate(&event("x", "A", 9));
        let level = |allocations, in_use_bytes, high_water_bytes| Level {
            allocations,
            in_use_bytes,
            high_water_bytes,
        };
        assert_eq!(memory.spaces, [("A", level(4, 16, 17)), ("B", level(1, 3, 3))]);
        assert_eq!(memory.labels["x"], [("A", level(3, 11, 12)), ("B", level(1, 3, 3))]);
        assert_eq!(memory.labels["y"], [("A", level(1, 5, 5))]);
    }

    #[test]
    fn labels_without_number_have_one_row() {
        let mut memory = Memory::default();
        let events = (0..MAX_ROWS + 10).map(|number| format!("x{number}"));
        let labels: Vec<_> = events.collect();
        let event = |label| AllocationEvent { label, memory: "A", bytes: 1, address: 8 };
        labels.iter().for_each(|label| memory.allocate(&event(label)));
        assert_eq!(memory.labels.len(), MAX_ROWS + 1);
        labels.iter().for_each(|label| memory.release(&event(label)));
        assert!(memory.labels.values().flatten().all(|(_, level)| level.in_use_bytes == 0));
    }
}
