//! What may be chosen for a launch, and what has been.

use std::cell::Cell;

use spelt_access::MAX_RANK;
use spelt_policies::Schedule;

use crate::isa::Level;
use crate::tools::event::Pattern;

/// The settings that a program has left to Spelt.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unset {
    pub(crate) chunk: bool,
    pub(crate) schedule: bool,
}

/// The shape of a launch that may be tuned: of a range, a box without tiles or a league of teams of one thread, on threads of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) unset: Unset,
    /// Whether its iterations are teams.
    pub(crate) is_league: bool,
    pub(crate) rank: usize,
    /// In the first `rank` places.
    pub(crate) extents: [usize; MAX_RANK],
    pub(crate) threads: usize,
}

impl Shape {
    /// The chunk of so many iterations in the steps that such launches have: lines of a cache, or teams.
    pub(super) fn rounded(&self, chunk: usize) -> usize {
        if self.is_league { chunk } else { chunk.next_multiple_of(64) }
    }
}

/// The settings of a launch; `None` is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    /// The iterations that a thread takes at a time.
    pub(super) chunk: Option<usize>,
    pub(super) schedule: Option<Schedule>,
    /// The extents of tiles in the last two dimensions; those before have 1.
    pub(super) tile: Option<[usize; 2]>,
    /// The level of instructions.
    pub(super) level: Option<Level>,
}

/// The settings of the launch that this thread is about to distribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tuned {
    pattern: Pattern,
    iterations: usize,
    pub(crate) chunk: Option<usize>,
    pub(crate) schedule: Option<Schedule>,
    pub(crate) tiles: Option<Tiles>,
    pub(super) level: Option<Level>,
}

thread_local! {
    /// Those of the launch that this thread has begun last and not ended.
    static CURRENT: Cell<Option<Tuned>> = const { Cell::new(None) };
}

impl Tuned {
    /// The choice, as far as it fits the launch: what the program has set stays.
    pub(super) fn new(choice: Choice, shape: &Shape, pattern: Pattern, iterations: usize) -> Self {
        let Shape { unset, rank, extents, threads, .. } = *shape;
        // The choice was made for launches of up to twice the length: each thread gets a chunk.
        let most = shape.rounded(iterations.div_ceil(threads.max(1)));
        let chunk = choice.chunk.filter(|_| unset.chunk).map(|chunk| chunk.min(most));
        let tiles = choice.tile.filter(|_| unset.chunk && rank >= 2);
        Self {
            pattern,
            iterations,
            chunk,
            schedule: choice.schedule.filter(|_| unset.schedule),
            tiles: tiles.map(|tile| Tiles::new(&extents[..rank], tile)),
            level: choice.level,
        }
    }

    /// Makes it this thread's, and returns the one before.
    pub(super) fn replace(tuned: Option<Self>) -> Option<Self> {
        CURRENT.replace(tuned)
    }

    /// That of this thread, if its launch has this pattern and so many iterations.
    pub(super) fn current(pattern: Pattern, iterations: usize) -> Option<Self> {
        CURRENT.get().filter(|tuned| (tuned.pattern, tuned.iterations) == (pattern, iterations))
    }
}

/// The tiles of a box, as runs of iterations in its order. A tile takes whole lines of its own, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tiles {
    /// The number of planes: the indices of all dimensions but the last two.
    planes: usize,
    /// The extents of a plane and of a tile.
    plane: [usize; 2],
    tile: [usize; 2],
}

impl Tiles {
    /// Those of a box of rank 2 or more; a tile has at least one index.
    fn new(extents: &[usize], tile: [usize; 2]) -> Self {
        let (planes, plane) = extents.split_at(extents.len() - 2);
        let plane = [plane[0], plane[1]];
        let tile = core::array::from_fn(|d| tile[d].clamp(1, plane[d].max(1)));
        Self { planes: planes.iter().product(), plane, tile }
    }

    /// The number of tiles.
    pub(crate) fn count(&self) -> usize {
        let [rows, columns] = self.in_plane();
        self.planes * rows * columns
    }

    fn in_plane(&self) -> [usize; 2] {
        core::array::from_fn(|d| self.plane[d].div_ceil(self.tile[d]))
    }

    /// Calls `run(first, count)` for each run of iterations of a tile: together, the tiles have each iteration of the box once.
    pub(crate) fn for_each_run(&self, number: usize, mut run: impl FnMut(usize, usize)) {
        let [rows, columns] = self.in_plane();
        let (plane, in_plane) = (number / (rows * columns), number % (rows * columns));
        let from = [in_plane / columns * self.tile[0], in_plane % columns * self.tile[1]];
        let to: [usize; 2] =
            core::array::from_fn(|d| self.plane[d].min(from[d].saturating_add(self.tile[d])));
        for row in from[0]..to[0] {
            run((plane * self.plane[0] + row) * self.plane[1] + from[1], to[1] - from[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_have_each_iteration_once() {
        for extents in [&[10, 7][..], &[1, 1], &[3, 4, 5], &[2, 3, 9, 8], &[0, 3], &[3, 0]] {
            for tile in [[1, 1], [3, 2], [4, 100], [100, 3], [0, 0]] {
                let tiles = Tiles::new(extents, tile);
                let mut times = vec![0; extents.iter().product()];
                for number in 0..tiles.count() {
                    tiles.for_each_run(number, |first, len| {
                        times[first..first + len].iter_mut().for_each(|times| *times += 1);
                    });
                }
                assert!(times.iter().all(|times| *times == 1), "{extents:?} {tile:?}: {times:?}");
            }
        }
    }

    #[test]
    fn a_tile_is_a_box() {
        let mut runs = Vec::new();
        let tiles = Tiles::new(&[2, 10, 7], [4, 3]);
        // Three by three tiles in each plane: this is the second plane's one in the middle.
        tiles.for_each_run(9 + 4, |first, len| runs.push((first, len)));
        assert_eq!(runs, [4, 5, 6, 7].map(|row| (70 + 7 * row + 3, 3)));
    }

    #[test]
    fn each_thread_has_a_chunk_of_the_shortest_launch_of_a_class() {
        let choice = Choice { chunk: Some(65_536), ..Choice::default() };
        let unset = Unset { chunk: true, schedule: true };
        let chunk = |is_league, iterations| {
            let shape = Shape { unset, is_league, rank: 1, extents: [0; MAX_RANK], threads: 2 };
            Tuned::new(choice, &shape, Pattern::For, iterations).chunk
        };
        let lengths = [65_536, 100_000, 131_071];
        assert_eq!(lengths.map(|n| chunk(false, n)), [32_768, 50_048, 65_536].map(Some));
        assert_eq!(lengths.map(|n| chunk(true, n)), [32_768, 50_000, 65_536].map(Some));
    }

    #[test]
    fn what_the_program_has_set_stays() {
        let tile = Some([2, 2]);
        let choice = Choice { chunk: Some(64), schedule: Some(Schedule::Dynamic), tile, level: None };
        let tuned = |chunk, schedule, rank| {
            let extents = [100, 100, 0, 0, 0, 0, 0, 0];
            let unset = Unset { chunk, schedule };
            let shape = Shape { unset, is_league: false, rank, extents, threads: 2 };
            let tuned = Tuned::new(choice, &shape, Pattern::For, 10_000);
            (tuned.chunk.is_some(), tuned.schedule.is_some(), tuned.tiles.is_some())
        };
        assert_eq!(tuned(true, true, 2), (true, true, true));
        assert_eq!(tuned(true, true, 1), (true, true, false));
        assert_eq!(tuned(false, true, 2), (false, true, false));
        assert_eq!(tuned(true, false, 2), (true, false, true));
    }
}
