//! The launches that share a choice.

use super::choice::{Choice, Shape};
use crate::tools::Pattern;
use crate::tools::event::LaunchEvent;

/// Launches that are tuned together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) label: String,
    pub(super) pattern: Pattern,
    /// The number of dimensions; `None` of a league.
    pub(super) rank: Option<usize>,
    pub(super) space: String,
    pub(super) threads: usize,
    /// The logarithm to base 2 of the number of iterations, rounded down.
    pub(super) size: u32,
}

/// Launches of fewer iterations begin on the caller or, by a contest that tuning switches off, on all threads, and scans stay on the caller: there is
/// nothing to choose. Unit: iterations.
const LEAST: usize = 8192;

/// The same for reductions.
const LEAST_OF_REDUCTIONS: usize = 20_480;

/// The fewest teams for each thread of a league that is tuned: with one, there is no order in which they can be taken. Unit: teams.
const LEAST_TEAMS: usize = 2;

/// The chunks of scans that are tried: they take 1 to 32 tiles of the canonical order at a time. Unit: iterations.
const OF_SCANS: [usize; 5] = [2048, 8192, 16_384, 32_768, 65_536];

impl Key {
    /// That of a launch, unless it is left as it is.
    pub(super) fn of(launch: &LaunchEvent<'_>) -> Option<(Self, Shape)> {
        let shape =
            launch.shape.copied().filter(|shape| shape.threads > 1 && has_choice(launch.pattern, shape))?;
        let least = match launch.pattern {
            Pattern::For | Pattern::Reduce if shape.is_league => LEAST_TEAMS * shape.threads,
            Pattern::For | Pattern::Scan => LEAST,
            Pattern::Reduce => LEAST_OF_REDUCTIONS,
        };
        if launch.iterations < least {
            return None;
        }
        let key = Self {
            label: launch.label.to_owned(),
            pattern: launch.pattern,
            rank: (!shape.is_league).then_some(shape.rank),
            space: launch.space.to_owned(),
            threads: shape.threads,
            size: launch.iterations.ilog2(),
        };
        Some((key, shape))
    }
}

/// Whether the program has left a setting open.
fn has_choice(pattern: Pattern, shape: &Shape) -> bool {
    shape.unset.chunk || has_schedule(pattern, shape)
}

/// Whether the schedule is open. The chunks of a scan wait for one another, so threads take them in their order.
fn has_schedule(pattern: Pattern, shape: &Shape) -> bool {
    shape.unset.schedule && pattern != Pattern::Scan
}

/// The candidates for such launches; the first is the default.
pub(super) fn candidates(pattern: Pattern, shape: &Shape, iterations: usize) -> Vec<Choice> {
    let mut chunks = vec![None];
    if shape.unset.chunk {
        if pattern == Pattern::Scan {
            let most = iterations.div_ceil(shape.threads);
            chunks.extend(OF_SCANS.into_iter().filter(|chunk| *chunk <= most).map(Some));
        } else {
            // The default gives each thread 16 of them.
            let of = |per_thread| shape.rounded(iterations.div_ceil(shape.threads * per_thread));
            chunks.extend([1, 4, 64].map(|per_thread| Some(of(per_thread))));
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
    if has_schedule(pattern, shape) {
        let dynamic =
            |choice: &Choice| Choice { schedule: Some(spelt_policies::Schedule::Dynamic), ..*choice };
        let with_dynamic: Vec<_> = choices.iter().map(dynamic).collect();
        choices.extend(with_dynamic);
    }
    choices
}
