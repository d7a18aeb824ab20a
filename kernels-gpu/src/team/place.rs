//! The place of a lane in its team, and the lanes that work together from there.

use super::shape::PlacedTeams;
use crate::crew::Crew;
use crate::intrinsics::{__spelt_here, WARP};

/// One lane's place in its team and in its warp.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The number of the lane in the team.
    pub(super) lane: u32,
    /// Threads of the team.
    pub(super) threads: u32,
    /// The binary logarithm of the lanes of a thread.
    vector_log2: u32,
    /// The team's first lane in its warp; 0 for a team of more than a warp.
    pub(super) begin: u32,
    /// The lanes of the warp that belong to the team.
    pub(super) mask: u32,
    pub(super) in_warp: bool,
    pub(super) owned: bool,
    /// Whether threads have one lane each, and those of a warp are a power of two.
    even: bool,
}

/// The threads that share the iterations of a loop, and this thread's place among them.
#[derive(Clone, Copy)]
pub(super) struct Sharers {
    /// This one's number.
    pub(super) rank: u32,
    /// Their number.
    pub(super) count: u32,
    /// The binary logarithm of the lanes of each.
    pub(super) width_log2: u32,
}

impl Place {
    /// The place of the block's thread with number `thread`, and the number of its team in the block; `None` if it is beyond the teams.
    #[inline(always)]
    pub(super) fn new(teams: &PlacedTeams, thread: u32) -> Option<(Self, u32)> {
        // A team is a power of two of lanes of a warp, or the only one of its block.
        let (team, lane) = (thread >> teams.pitch_log2, thread & ((1 << teams.pitch_log2) - 1));
        let shape = &teams.shape;
        if team >= shape.teams || lane >= teams.lanes {
            return None;
        }
        let begin = (thread - lane) % WARP;
        let place = Self {
            lane,
            threads: shape.threads,
            vector_log2: teams.vector_log2,
            begin,
            mask: teams.mask << begin,
            in_warp: teams.in_warp,
            owned: shape.owned,
            even: teams.even,
        };
        Some((place, team))
    }

    /// The same place, hidden from the compiler: what follows from it is computed behind this call, where it is needed, and not in front of
    /// the loop over teams, whether it is needed or not.
    #[inline(always)]
    pub(super) fn here(self) -> Self {
        Self {
            lane: __spelt_here(self.lane),
            threads: __spelt_here(self.threads),
            vector_log2: __spelt_here(self.vector_log2),
            begin: __spelt_here(self.begin),
            ..self
        }
    }

    /// The lanes of the team.
    #[inline(always)]
    pub(super) fn lanes(self) -> u32 {
        self.threads << self.vector_log2
    }

    /// Whether threads have several lanes.
    #[inline(always)]
    pub(super) fn has_vectors(self) -> bool {
        self.vector_log2 > 0
    }

    /// The number of the first lane of a thread.
    #[inline(always)]
    pub(super) fn first_lane(self, thread: u32) -> u32 {
        thread << self.vector_log2
    }

    /// The number of this lane's thread.
    #[inline(always)]
    pub(super) fn number(self) -> u32 {
        self.lane >> self.vector_log2
    }

    /// The lanes of this lane's thread.
    #[inline(always)]
    pub(super) fn thread(self) -> Crew {
        let before = self.first_lane(self.number());
        Crew::new((self.begin + before) % WARP, 0, self.vector_log2, self.lane - before)
    }

    /// The threads of the team, or its lanes for a `flat` loop.
    #[inline(always)]
    pub(super) fn sharers(self, flat: bool) -> Sharers {
        if flat {
            Sharers { rank: self.lane, count: self.lanes(), width_log2: 0 }
        } else {
            Sharers { rank: self.number(), count: self.threads, width_log2: self.vector_log2 }
        }
    }

    /// The lanes of the warp that share the iterations of a loop; for a team in one warp, the largest power of two of them.
    #[inline(always)]
    pub(super) fn crew(self, sharers: Sharers) -> Crew {
        let size_log2 = if self.in_warp {
            u32::BITS - 1 - sharers.count.leading_zeros()
        } else {
            WARP.trailing_zeros() - sharers.width_log2
        };
        Crew::new(self.begin, sharers.width_log2, size_log2, self.lane % WARP)
    }

    /// The threads of this lane's warp that belong to the team, if there is one for each lane of a tile, of which there are `lanes`, or for each
    /// `few` of them.
    #[inline(always)]
    pub(super) fn even_crew(self, lanes: u32, few: u32) -> Option<Crew> {
        let size = self.threads.min(WARP);
        // A part of a warp that is a tile of its own has to be found.
        let even = self.even && (size == lanes || self.in_warp && size * few == lanes);
        even.then(|| Crew::of_lanes(self.mask, self.begin, size, self.lane % WARP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::TeamShape;

    fn placed(threads: u32, vector: u32, teams: u32) -> PlacedTeams {
        PlacedTeams::new(TeamShape {
            threads,
            vector,
            teams,
            owned: false,
            scratch: [0, 0],
            global_scratch: core::ptr::null_mut(),
        })
    }

    #[test]
    fn each_lane_of_each_team_is_one_thread() {
        for (threads, vector, teams) in
            [(1, 1, 64), (3, 2, 16), (8, 1, 16), (4, 8, 3), (32, 1, 2), (33, 1, 1), (16, 4, 1), (256, 1, 1)]
        {
            let placed = placed(threads, vector, teams);
            let shape = placed.shape;
            let mut all = (0..teams).flat_map(|team| (0..threads * vector).map(move |lane| (team, lane)));
            for thread in 0..shape.block_lanes() {
                let Some((place, team)) = Place::new(&placed, thread) else { continue };
                assert_eq!(thread, team * shape.pitch() + place.lane);
                assert_eq!((place.lanes(), place.number()), (threads * vector, place.lane / vector));
                assert!(
                    place.mask >> (thread % WARP) & 1 == 1,
                    "{shape:?}: thread {thread} is not in the mask"
                );
                assert_eq!(place.mask.count_ones(), shape.lanes().min(WARP));
                assert_eq!(place.begin, if shape.in_warp() { thread % WARP - place.lane } else { 0 });
                assert_eq!(all.next(), Some((team, place.lane)));
            }
            assert_eq!(all.next(), None, "{shape:?}");
        }
    }

    #[test]
    fn even_crews_have_a_lane_for_each_of_a_tile_or_for_few() {
        let sizes = |threads, vector, lanes, few| {
            let placed = placed(threads, vector, 1);
            let (place, _) = Place::new(&placed, threads * vector - 1).expect("the last lane");
            let crew = place.even_crew(lanes, few)?;
            assert_eq!(crew.rank(), (threads - 1) % WARP);
            Some(crew.size())
        };
        assert_eq!(sizes(32, 1, 32, 4), Some(32));
        assert_eq!(sizes(8, 1, 32, 4), Some(8));
        assert_eq!(sizes(8, 1, 32, 1), None);
        assert_eq!(sizes(16, 1, 32, 4), None);
        assert_eq!(sizes(16, 1, 16, 4), Some(16));
        assert_eq!(sizes(256, 1, 32, 4), Some(32));
        assert_eq!(sizes(256, 1, 16, 4), None);
        assert_eq!(sizes(33, 1, 32, 4), None);
        assert_eq!(sizes(8, 4, 32, 4), None);
        assert_eq!(sizes(24, 1, 24, 4), None);
    }
}
