//! The launches that share a choice.

use super::choice::{Choice, Shape};
use crate::tools::Pattern;
use crate::tools::event::LaunchEvent;

/// Launches that are tuned together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) label: String,
    pub(super) pattern: Pattern,
    pub(super) rank: usize,
    pub(super) space: String,
    pub(super) threads: usize,
    /// The logarithm to base 2 of the number of iterations, rounded down.
    pub(super) size: u32,
}

/// Launches of fewer iterations begin on the caller, where there is nothing to choose. Unit: iterations.
const LEAST: usize = 8192;

/// The same for reductions.
const LEAST_OF_REDUCTIONS: usize = 20_480;

impl Key {
    /// That of a launch, unless it is left as it is.
    pub(super) fn of(launch: &LaunchEvent<'_>) -> Option<(Self, Shape)> {
        let shape = launch
            .shape
            .copied()
            .filter(|shape| shape.threads > 1 && (shape.unset.chunk || shape.unset.schedule))?;
        let least = match launch.pattern {
            Pattern::For => LEAST,
            Pattern::Reduce => LEAST_OF_REDUCTIONS,
            Pattern::Scan => return None,
        };
        if launch.iterations < least {
            return None;
        }
        let key = Self {
            label: launch.label.to_owned(),
            pattern: launch.pattern,
            rank: shape.rank,
            space: launch.space.to_owned(),
            threads: shape.threads,
            size: launch.iterations.ilog2(),
        };
        Some((key, shape))
    }
}

/// The candidates for such launches; the first is the default.
pub(super) fn candidates(pattern: Pattern, shape: &Shape, iterations: usize) -> Vec<Choice> {
    let mut chunks = vec![None];
    if shape.unset.chunk {
        // The default gives each thread 16 of them.
        for per_thread in [1, 4, 64] {
            chunks.push(Some(iterations.div_ceil(shape.threads * per_thread).next_multiple_of(64)));
        }
        chunks.dedup();
    }
    let mut choices: Vec<_> = chunks.into_iter().map(|chunk| Choice { chunk, ..Choice::default() }).collect();
    if pattern == Pattern::For && shape.unset.chunk && shape.rank >= 2 {
        let plane = [shape.extents[shape.rank - 2], shape.extents[shape.rank - 1]];
        let tiles = [[8, 64], [64, 64], [32, 256]]
            .into_iter()
            .filter(|tile| tile[0] < plane[0] && tile[1] < plane[1]);
        choices.extend(tiles.map(|tile| Choice { tile: Some(tile), ..Choice::default() }));
    }
    if shape.unset.schedule {
        let dynamic =
            |choice: &Choice| Choice { schedule: Some(spelt_policies::Schedule::Dynamic), ..*choice };
        let with_dynamic: Vec<_> = choices.iter().map(dynamic).collect();
        choices.extend(with_dynamic);
    }
    choices
}
