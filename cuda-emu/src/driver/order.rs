//! Which work of the streams runs next, in the deferred mode.
//!
//! A device may run the work of streams in any order that streams and events allow. The seed chooses one of them, again
//! at each synchronisation: only the work that the synchronisation needs, or all that is ready; at random, or by streams with
//! some that always come last.

use super::queue::Item;
use std::collections::{BTreeMap, HashSet};

/// The work that a synchronisation waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// All work of all streams.
    All,
    /// All work of a device's streams.
    Device(usize),
    /// One piece of work, and so the work that must come before it.
    Item(u64),
}

impl Target {
    pub(super) fn pending(self, items: &BTreeMap<u64, Item>) -> bool {
        match self {
            Target::All => !items.is_empty(),
            Target::Device(device) => items.values().any(|item| item.device == device),
            Target::Item(id) => items.contains_key(&id),
        }
    }
}

#[derive(Debug)]
pub(super) struct Order {
    random: u64,
    /// Run only the work that the synchronisation needs: everything else stays undone for as long as possible.
    needed_only: bool,
    /// The ready stream with the greatest weight goes first.
    by_stream: bool,
    weights: u64,
}

impl Order {
    pub(super) fn new(seed: u64) -> Order {
        Order { random: mix(seed) | 1, needed_only: false, by_stream: false, weights: 0 }
    }

    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.random)
    }

    /// A new synchronisation begins.
    pub(super) fn begin(&mut self) {
        let r = self.random();
        self.needed_only = !r.is_multiple_of(4);
        self.by_stream = r & 16 == 0;
        self.weights = r >> 32;
    }

    /// A piece of work that may run now. `None` if all remaining work waits for work that another thread runs.
    pub(super) fn choose(&mut self, items: &BTreeMap<u64, Item>, target: Target) -> Option<u64> {
        let mut needed = HashSet::new();
        if self.needed_only {
            let mut open: Vec<u64> = match target {
                Target::All => Vec::new(),
                Target::Device(device) => {
                    items.iter().filter(|(_, item)| item.device == device).map(|(id, _)| *id).collect()
                }
                Target::Item(id) => vec![id],
            };
            while let Some(id) = open.pop() {
                if let Some(item) = items.get(&id)
                    && needed.insert(id)
                {
                    open.extend(&item.after);
                }
            }
        }
        let ready: Vec<(u64, u64)> = items
            .iter()
            .filter(|(id, i)| !i.running && (needed.is_empty() || needed.contains(id)))
            .filter(|(_, i)| i.after.iter().all(|d| !items.contains_key(d)))
            .map(|(id, i)| (*id, i.stream))
            .collect();
        let r = self.random();
        if r.is_multiple_of(8) {
            self.weights = r >> 32;
        }
        if self.by_stream {
            ready.iter().max_by_key(|(_, stream)| mix(self.weights ^ *stream)).map(|x| x.0)
        } else {
            (!ready.is_empty()).then(|| ready[(r >> 8) as usize % ready.len()].0)
        }
    }
}

/// Splitmix64: a number that looks like chance.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
