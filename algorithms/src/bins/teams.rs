//! Few bins on a device, for reducers whose joins may come in any order: bins for each lane in scratch, which is shared memory.
//!
//! A lane joins every 32nd contribution of its team, so that loads are of neighbours, into a column of bins that only it writes: without
//! atomics, without waiting for others, and each lane in its own bank. Only 32 lanes do, because scratch has no room for more columns; where
//! there is room for more threads, all of them make the columns, and join these at the end. A second launch joins the bins of the teams, a
//! warp for each bin; a single team needs none. A regrouping and reordering of joins changes no bit for these reducers.

use spelt_core::reducers::Reducer;
use spelt_core::{
    Element, ExecutionSpace, Layout, MemorySpace, Result, Right, ScratchColumn, TeamSize, View, ViewMut,
    parallel_for, unrolled,
};

use super::{Begin, Contributions};
use crate::dense::Dense;
use crate::unwritten::room_on_device;

/// Threads of a team that have bins. Unit: threads. Source: a warp, whose lanes wait for no other.
const LANES: usize = 32;

/// Threads of each of up to this number of teams. Unit: teams, threads. Source: a multiprocessor has registers for some 400 threads of this kernel,
/// and those of an H200 are 132.
const THREADS: [(usize, usize); 2] = [(132, 256), (3 * 132, 128)];

/// Threads of each team of a larger number of them. Unit: threads. Source: six teams of a multiprocessor have 384.
const FEW_THREADS: usize = 64;

/// The size of bins up to which each lane has some. Unit: bytes. Source: the bins of a team's lanes then take 64 KiB, so that three
/// teams fit on a multiprocessor with 228 KiB of shared memory, and six with bins half as large, as 256 of `u32`.
const MAX_BYTES: usize = 2048;

/// The minimum number of contributions of a lane. Unit: contributions. Source: estimated: a lane makes and joins some hundred bins.
const EACH: usize = 64;

/// The number of teams that run at a time. Unit: teams. Source: six, with bins of 1 KiB, for each of the 132 multiprocessors of an
/// H200.
const AT_A_TIME: usize = 792;

/// The number of contributions of a lane from which more teams than run at a time pay: the counts of a lane then are few beside its
/// contributions, and a late multiprocessor has less left. Unit: contributions. Source: estimated.
const MANY: usize = 1 << 14;

/// The maximum number of teams. Unit: teams. Source: their bins stay a small part of the contributions that they have joined.
const MAX_TEAMS: usize = 4096;

/// Contributions that a lane loads before it joins them. Unit: contributions. Source: 200 lanes of a multiprocessor then have 25 KiB under
/// way, which memory needs for its full rate if a load takes 0.8 us.
const LOADED: usize = 32;

/// Contributions that a team loads at a time.
const BLOCK: usize = LOADED * LANES;

/// Contributions whose bins are read before the first is written. Unit: contributions. Source: measured on an H100: 10^8 samples in 256 bins
/// take 181 us with four, and 302 with two, as six warps do not hide the 30 cycles of a read.
const TOGETHER: usize = 4;

/// Threads of a team that joins the values of one bin. Unit: threads. Source: a warp, which has no barrier of a block.
const JOINERS: usize = 32;

/// Whether bins of this type and number are few enough.
pub(super) fn fit<T>(len: usize) -> bool {
    size_of::<T>() > 0 && len <= MAX_BYTES / size_of::<T>()
}

/// The number of teams for `n` contributions.
fn teams(n: usize) -> usize {
    let one_round = (n / (LANES * EACH)).min(AT_A_TIME);
    (n / (LANES * MANY)).min(MAX_TEAMS).max(one_round).max(1)
}

/// The threads of each of this number of teams.
fn threads(teams: usize) -> usize {
    THREADS.iter().find(|(most, _)| teams <= *most).map_or(FEW_THREADS, |(_, threads)| *threads)
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
        mut bins: ViewMut<'_, T, 1, M, L>,
        reducer: R,
        (neutral, begin): (T, Begin),
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
        L: Layout,
    {
        let (n, len) = (self.keys.len(), bins.len());
        let teams = teams(n);
        if teams == 1
            && begin == Begin::Neutral
            && let Ok(bins) = bins.view_mut().try_into_layout::<Right>()
        {
            return self.in_teams_apart(space, (bins, len), reducer, neutral);
        }
        // SAFETY: the next launch writes all bins of all teams, and reads none.
        let mut joined = unsafe { room_on_device(space, "bins of teams", [teams * len])? };
        self.in_teams_apart(space, (joined.view_mut(), len), reducer, neutral)?;
        join(space, &joined, bins, (teams, len, 1), reducer, (neutral, begin))
    }

    /// Gives the `t`th block of `len` bins in `joined` the joined contributions of team `t`.
    fn in_teams_apart<S, T, R>(
        self,
        space: &S,
        (mut joined, len): (ViewMut<'_, T, 1, M>, usize),
        reducer: R,
        neutral: T,
    ) -> Result<()>
    where
        S: ExecutionSpace<Memory = M>,
        T: Element,
        F: Fn(V) -> T + Copy + Sync,
        R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
    {
        let Self { keys, values, bin, lift } = self;
        let (keys, values) = (Dense::of(space, keys)?, Dense::of(space, values)?);
        let (keys, values) = (keys.view(), values.view());
        let (n, teams) = (keys.len().min(values.len()), joined.len() / len);
        let each = n.div_ceil(teams);
        // Places as `u32`, which a device computes in half of the instructions; the last one is for what has no bin.
        let past = len as u32;
        parallel_for(
            "bins of teams",
            space
                .team(teams, TeamSize::AtMost(threads(teams)))
                .scratch((len + 1) * LANES * size_of::<T>(), 0),
            (keys.lookup(), values.lookup(), joined.by_blocks_mut(len).nested()),
            move |team, (keys, values, mut joined)| {
                let first = n.min(team.league_rank() * each);
                let mine = first..n.min(first + each);
                let (keys, values) = (&keys.as_slice()[mine.clone()], &values.as_slice()[mine]);
                let (key_blocks, last_keys) = keys.as_chunks::<BLOCK>();
                let (value_blocks, last_values) = values.as_chunks::<BLOCK>();
                let place = |key| u32::try_from(bin(key)).unwrap_or(u32::MAX).min(past);
                team.with_scratch_mut(
                    [past as usize + 1, LANES],
                    |_| neutral,
                    |team, mut copies| {
                        copies.write_columns(team, 0..LANES, |lane, copy, _| {
                            let load = |block: usize| {
                                let (keys, values) = (&key_blocks[block], &value_blocks[block]);
                                let mut loaded = [(keys[lane % LANES], values[lane % LANES]); LOADED];
                                unrolled::<LOADED>(|k| {
                                    let place = k * LANES + lane % LANES;
                                    loaded[k] = (keys[place], values[place]);
                                });
                                loaded
                            };
                            let mut join = |loaded: [(I, V); LOADED]| {
                                unrolled::<{ LOADED / TOGETHER }>(|k| {
                                    let some: [_; TOGETHER] = core::array::from_fn(|j| {
                                        let (key, value) = loaded[k * TOGETHER + j];
                                        (place(key), lift(value))
                                    });
                                    join_some(&reducer, neutral, copy, some);
                                });
                            };
                            if !key_blocks.is_empty() {
                                let mut now = load(0);
                                for block in 1..key_blocks.len() {
                                    // The next ones are on their way while these are joined.
                                    let next = load(block);
                                    join(now);
                                    now = next;
                                }
                                join(now);
                            }
                            if let Some(last) = last_keys.len().checked_sub(1) {
                                // All are loaded together too: those beyond the last one are the last one, and go to no bin.
                                let number = |k| k * LANES + lane;
                                let load = |k: usize| {
                                    (last_keys[last.min(number(k))], last_values[last.min(number(k))])
                                };
                                let mut loaded = [load(0); LOADED];
                                unrolled::<LOADED>(|k| loaded[k] = load(k));
                                unrolled::<LOADED>(|k| {
                                    let (key, value) = loaded[k];
                                    let place = if number(k) <= last { place(key) } else { past };
                                    join_some(&reducer, neutral, copy, [(place, lift(value))]);
                                });
                            }
                        });
                        team.parallel_for(team.thread_range(past as usize), |rj| {
                            let bin = rj.inner();
                            let Some(row) = copies.row(bin).first_chunk::<LANES>() else { return };
                            let mut sum = row[bin % LANES];
                            // Each lane begins with another column, and so with another bank.
                            unrolled::<{ LANES - 1 }>(|k| {
                                reducer.join(&mut sum, &row[(bin as u32 + k as u32 + 1) as usize % LANES]);
                            });
                            joined[rj] = sum;
                        });
                    },
                );
            },
        )
    }
}

/// Joins values to places of a column: all of these are read before the first is written. Values of one place join one after the other.
#[inline(always)]
fn join_some<T, R, const N: usize>(
    reducer: &R,
    neutral: T,
    column: &mut ScratchColumn<'_, T>,
    some: [(u32, T); N],
) where
    T: Element,
    R: Reducer<Value = T>,
{
    let mut joined = some.map(|(place, _)| column.get(place as usize).unwrap_or(neutral));
    for k in 0..N {
        for before in 0..k {
            // The last one before it has all of those before that.
            if some[before].0 == some[k].0 {
                joined[k] = joined[before];
            }
        }
        reducer.join(&mut joined[k], &some[k].1);
    }
    for k in 0..N {
        column.set(some[k].0 as usize, joined[k]);
    }
}

/// A reducer whose values begin as neutral, and are not finished.
#[derive(Clone, Copy)]
struct FromNeutral<R: Reducer> {
    reducer: R,
    neutral: R::Value,
}

impl<T: Element, R: Reducer<Value = T>> Reducer for FromNeutral<R> {
    type Value = T;
    type Output = T;

    #[inline(always)]
    fn init(&self) -> T {
        self.neutral
    }
    #[inline(always)]
    fn join(&self, into: &mut T, from: &T) {
        self.reducer.join(into, from);
    }
    #[inline(always)]
    fn finish(&self, value: T) -> T {
        value
    }
}

/// Joins the values of several copies to each bin, in any order: a team for each bin.
///
/// Copy `c` of bin `b` lies at `c * of_copy + b * of_bin` of `joined`, for `(copies, of_copy, of_bin)`.
pub(super) fn join<S, T, R, L>(
    space: &S,
    joined: &View<T, 1, S::Memory>,
    bins: ViewMut<'_, T, 1, S::Memory, L>,
    (copies, of_copy, of_bin): (usize, usize, usize),
    reducer: R,
    (neutral, begin): (T, Begin),
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    R: Reducer<Value = T, Output = T> + Copy + Send + Sync,
    L: Layout,
{
    let all = FromNeutral { reducer, neutral };
    parallel_for(
        "bins of all teams",
        space.team(bins.len(), TeamSize::AtMost(JOINERS)),
        (joined.lookup(), bins),
        move |team, (joined, mut bins)| {
            let first = team.league_rank() * of_bin;
            let sum = team.parallel_reduce(
                team.thread_range(copies),
                |copy, sum| reducer.join(sum, &joined[first + copy.inner() * of_copy]),
                all,
            );
            team.single(|w| {
                if begin == Begin::Neutral {
                    bins[w] = sum;
                } else if !reducer.is_neutral(&sum) {
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

    use super::{LANES, LOADED, MAX_BYTES, fit, teams, threads};
    use crate::bins::{Begin, Contributions};

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
        all()
            .in_teams(&Serial::new(), bins.view_mut(), reducer, (neutral, Begin::AsTheyAre))
            .expect("memory");
        assert_eq!(bins.to_vec(), wanted, "{n} into {len}");
        // The values before do not count.
        let (mut replaced, mut zeros) = (bins, View::zeros("bins", [len]).expect("memory"));
        all().in_teams(&Serial::new(), replaced.view_mut(), Sum::new(), (0, Begin::Neutral)).expect("memory");
        all().in_teams(&Serial::new(), zeros.view_mut(), Sum::new(), (0, Begin::AsTheyAre)).expect("memory");
        assert_eq!(replaced.to_vec(), zeros.to_vec(), "{n} into {len}, replaced");
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
        assert_eq!([0, 2048, 5000, 10_000_000, 100_000_000, 1 << 40].map(teams), [1, 1, 2, 792, 792, 4096]);
        assert_eq!([1, 132, 133, 396, 397, 4096].map(threads), [256, 256, 128, 128, 64, 64]);
        assert!(fit::<u32>(MAX_BYTES / 4) && !fit::<u32>(MAX_BYTES / 4 + 1) && !fit::<()>(1));
    }
}
