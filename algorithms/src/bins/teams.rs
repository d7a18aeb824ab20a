//! Few bins on a device, for reducers whose joins may come in any order: bins for each lane in scratch, which is shared memory.
//!
//! A lane joins every 32nd contribution of its team, so that loads are of neighbours, into bins that only it writes: without atomics, and
//! without waiting for others. Then the team joins the bins of its lanes, and a second launch those of the teams, a team for each bin. A
//! regrouping and reordering of joins changes no bit for these reducers.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, Layout, MemorySpace, Result, TeamSize, View, ViewMut, parallel_for,
};

use super::Contributions;

/// Threads of a team, each with bins. Unit: threads. Source: a warp, whose lanes wait for no other.
const LANES: usize = 32;

/// The size of bins up to which each lane has some. Unit: bytes. Source: the bins of a team's lanes then take 64 KiB, so that three
/// teams fit on a multiprocessor with 228 KiB of shared memory, and six with bins half as large, as 256 of `u32`.
const MAX_BYTES: usize = 2048;

/// The minimum number of contributions of a lane. Unit: contributions. Source: estimated: a lane makes and joins some hundred bins.
const EACH: usize = 64;

/// The number of teams that run at a time. Unit: teams. Source: six, with bins of 1 KiB, for each of the 132 multiprocessors of an
/// H200.
const AT_A_TIME: usize = 792;

/// The number of contributions of a lane from which more teams than run at a time pay. Unit: contributions. Source: joining them takes several
/// times as long as making and joining a lane's bins.
const MANY: usize = 1024;

/// The maximum number of teams. Unit: teams. Source: their bins stay a small part of the contributions that they have joined.
const MAX_TEAMS: usize = 4096;

/// Contributions that a lane loads before it joins them. Unit: contributions. Source: 200 lanes of a multiprocessor then have enough loads in
/// flight.
const LOADED: usize = 16;

/// Threads of a team that joins the values of one bin. Unit: threads. Source: a value of each of `MAX_TEAMS` teams is 32 loads for each.
const JOINERS: usize = 128;

/// Whether bins of this type and number are few enough.
pub(super) fn fit<T>(len: usize) -> bool {
    size_of::<T>() > 0 && len <= MAX_BYTES / size_of::<T>()
}

/// The number of teams for `n` contributions.
fn teams(n: usize) -> usize {
    let one_round = (n / (LANES * EACH)).min(AT_A_TIME);
    (n / (LANES * MANY)).min(MAX_TEAMS).max(one_round).max(1)
}

impl<I, V, M, LK, LV, B, F> Contributions<'_, I, V, M, LK, LV, B, F>
where
    I: Element,
    V: Element,
    M: MemorySpace,
    LK: Layout,
    LV: Layout,
    B: Fn(I) -> usize + Copy + Sync,
{
    /// Joins all contributions, for a reducer whose joins may come in any order, and its neutral value.
    pub(super) fn in_teams<S, T, R, L>(
        self,
        space: &S,
        bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
        neutral: T,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let Self { keys, values, bin, lift } = self;
        let (n, len) = (keys.len(), bins.len());
        let teams = teams(n);
        let each = n.div_ceil(teams);
        // An odd distance, so that the same bin of 32 lanes lies in different banks of shared memory.
        let pitch = len | 1;
        let mut joined = space.zeros::<T, 2>("bins of teams", [len, teams])?;
        parallel_for(
            "bins of teams",
            space.team(teams, TeamSize::AtMost(LANES)).scratch(LANES * pitch * size_of::<T>(), 0),
            (keys.lookup(), values.lookup(), joined.transposed_mut()),
            move |team, (keys, values, mut joined)| {
                let first = team.league_rank() * each;
                let past = keys.extent(0).min(values.extent(0)).min(first + each);
                team.with_scratch_mut(
                    [LANES, pitch],
                    |_| neutral,
                    |team, mut copies| {
                        copies.write_rows(team, 0..LANES, |lane, copy, _| {
                            let mut join = |key, value| {
                                if let Some(into) = copy.get_mut(bin(key)) {
                                    reducer.join(into, &lift(value));
                                }
                            };
                            let load = |i| -> [_; LOADED] {
                                core::array::from_fn(|k| (keys[i + k * LANES], values[i + k * LANES]))
                            };
                            let is_whole = |i| i + (LOADED - 1) * LANES < past;
                            let mut i = first + lane;
                            let mut loaded = is_whole(i).then(|| load(i));
                            while let Some(now) = loaded {
                                i += LOADED * LANES;
                                // The next ones are on their way while these are joined.
                                loaded = is_whole(i).then(|| load(i));
                                now.into_iter().for_each(|(key, value)| join(key, value));
                            }
                            while i < past {
                                join(keys[i], values[i]);
                                i += LANES;
                            }
                        });
                        team.parallel_for(team.thread_range(len), |rj| {
                            let bin = rj.inner();
                            let mut sum = copies[[0, bin]];
                            for lane in 1..LANES {
                                reducer.join(&mut sum, &copies[[lane, bin]]);
                            }
                            joined[rj] = sum;
                        });
                    },
                );
            },
        )?;
        join(space, &joined, bins, reducer, neutral)
    }
}

/// Joins the values of each row to its bin, in any order: a team for each bin.
pub(super) fn join<S, T, R, L>(
    space: &S,
    joined: &View<T, 2, S::Memory>,
    bins: ViewMut<'_, T, 1, S::Memory, L>,
    reducer: R,
    neutral: T,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T> + Copy + Sync,
    L: Layout,
{
    parallel_for(
        "bins of all teams",
        space.team(bins.len(), TeamSize::AtMost(JOINERS)).scratch(JOINERS * size_of::<T>(), 0),
        (joined.lookup(), bins),
        move |team, (joined, mut bins)| {
            let bin = team.league_rank();
            let mine = |[lane]: [usize; 1]| {
                let mut sum = neutral;
                for of_team in (lane..joined.extent(1)).step_by(JOINERS) {
                    reducer.join(&mut sum, &joined[[bin, of_team]]);
                }
                sum
            };
            let sum = team.with_scratch_mut([JOINERS], mine, |team, mut sums| {
                let mut stride = JOINERS / 2;
                while stride > 0 {
                    sums.write_pairs(team, stride, |i, a, b| {
                        if i < stride {
                            reducer.join(a, b);
                        }
                    });
                    stride /= 2;
                }
                sums[0]
            });
            team.single(|w| {
                if !reducer.is_neutral(&sum) {
                    let mut value = bins[w];
                    reducer.join(&mut value, &sum);
                    bins[w] = value;
                }
            });
        },
    )
}

#[cfg(test)]
mod tests {
    use spelt_core::reducers::{Max, Reducer, Sum};
    use spelt_core::{Serial, View};

    use super::{LANES, LOADED, MAX_BYTES, fit, teams};
    use crate::bins::Contributions;

    fn check<R: Reducer<Value = u32, Output = u32> + Copy + Send + Sync>(n: usize, len: usize, reducer: R) {
        let keys = View::from_fn("keys", [n], |[i]| i * i % (len + 2)).expect("memory");
        let values =
            View::from_fn("values", [n], |[i]| (i as u32).wrapping_mul(0x9E37_79B9)).expect("memory");
        let mut wanted: Vec<u32> = (0..len as u32).collect();
        for i in 0..n {
            if let Some(into) = wanted.get_mut(keys[i]) {
                reducer.join(into, &values[i]);
            }
        }
        let mut bins = View::from_fn("bins", [len], |[k]| k as u32).expect("memory");
        let all = || Contributions {
            keys: keys.view(),
            values: values.view(),
            bin: |key| key,
            lift: |value: u32| value,
        };
        let neutral = reducer.neutral().expect("it has one");
        all().in_teams(&Serial::new(), bins.view_mut(), reducer, neutral).expect("memory");
        assert_eq!(bins.to_vec(), wanted, "{n} into {len}");
        let mut bins = View::from_fn("bins", [len], |[k]| k as u32).expect("memory");
        all().atomically(&Serial::new(), bins.view_mut(), reducer).expect("memory");
        assert_eq!(bins.to_vec(), wanted, "{n} into {len}, atomically");
    }

    #[test]
    fn bins_have_all_contributions() {
        let whole = LANES * LOADED;
        for n in [1, 31, 33, whole - 1, whole, whole + 1, 3 * whole + 5, 2 * 2048 - 1, 3 * 2048 + 1] {
            for len in [1, 2, 7, 32, 256] {
                check(n, len, Sum::new());
                check(n, len, Max::new());
            }
        }
    }

    #[test]
    fn teams_are_some_for_each_contribution() {
        assert_eq!([0, 2048, 5000, 10_000_000, 100_000_000, 1 << 40].map(teams), [1, 1, 2, 792, 3051, 4096]);
        assert!(fit::<u32>(MAX_BYTES / 4) && !fit::<u32>(MAX_BYTES / 4 + 1) && !fit::<()>(1));
    }
}
