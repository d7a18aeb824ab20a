//! The team, as one of its threads sees it.

use core::any::type_name;
use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;

use spelt_policies::{Idx, IntoRange, Scalar, TeamVectorRange, ThreadMdRange, ThreadRange, VectorRange};
use spelt_reducers::Reducer;

use super::scratch::Scratch;
use super::{Collective, Context, Meet};

/// A team of threads that run the closure for one league index together.
///
/// `V` is the value that the team contributes to an outer reduction (none in a `parallel_for`); `K` says whether its threads have vector lanes.
/// Methods that all threads must call together take `&mut self`; where they do not, the kernel panics on every
/// thread. On host spaces a team has one thread unless asked otherwise, and no result depends on its size.
///
/// # Examples
/// ```
/// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for, reducers::Sum};
/// let space = Serial::new();
/// let a = View::from_fn("a", [3, 4], |[i, j]| (i * j) as f64)?;
/// let mut sums = View::<f64, 1>::zeros("sums", [3])?;
/// parallel_for("rows", space.team(3, AUTO), (&a, &mut sums), |team, (a, mut sums)| {
///     let sum = team.parallel_reduce(team.thread_range(4), |rj, sum| *sum += a[rj], Sum::<f64>::new());
///     team.single(|w| sums[w] = sum);
/// })?;
/// assert_eq!(sums.as_slice(), Some(&[0.0, 6.0, 12.0][..]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub struct Team<'k, V = Infallible, K = Scalar> {
    pub(super) league_rank: usize,
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) context: &'k Context<'k>,
    pub(super) gang: Option<&'k mut (dyn Meet + 'k)>,
    pub(super) scratch: Scratch,
    pub(super) contribution: Option<V>,
    join: &'k (dyn Fn(&mut V, &V) + 'k),
    kind: PhantomData<K>,
    brand: PhantomData<fn(&'k ()) -> &'k ()>,
}

impl<V, K> fmt::Debug for Team<'_, V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team")
            .field("league_rank", &self.league_rank)
            .field("team_rank", &self.rank)
            .field("team_size", &self.size)
            .finish_non_exhaustive()
    }
}

impl<'k, V, K> Team<'k, V, K> {
    /// The team of `league_rank`, seen by its only thread, or by member `rank` of `size` that meet through `gang`.
    ///
    /// # Safety
    /// In the launch branded `'k`, no other team that may run at the same time has this league rank, except for the
    /// other members of this one.
    #[inline(always)]
    pub(crate) unsafe fn new(
        league_rank: usize,
        (rank, size): (usize, usize),
        context: &'k Context<'k>,
        gang: Option<&'k mut (dyn Meet + 'k)>,
        join: &'k (dyn Fn(&mut V, &V) + 'k),
    ) -> Self {
        Self {
            league_rank,
            rank,
            size,
            context,
            gang,
            scratch: Scratch::new(),
            contribution: None,
            join,
            kind: PhantomData,
            brand: PhantomData,
        }
    }

    /// What the team contributed.
    #[inline(always)]
    pub(crate) fn into_contribution(self) -> Option<V> {
        self.contribution
    }

    /// The league index.
    #[inline(always)]
    pub fn league_rank(&self) -> usize {
        self.league_rank
    }

    /// The number of teams.
    #[inline(always)]
    pub fn league_size(&self) -> usize {
        self.context.league_size
    }

    /// The number of this thread in its team.
    #[inline(always)]
    pub fn team_rank(&self) -> usize {
        self.rank
    }

    /// The number of threads of the team: what the policy asks for, or 1 where a launch cannot have more, nested in another
    /// kernel or with a `.scatter()` argument.
    #[inline(always)]
    pub fn team_size(&self) -> usize {
        self.size
    }

    /// The number of vector lanes of a thread.
    #[inline(always)]
    pub fn vector_length(&self) -> usize {
        self.context.vector_length
    }

    /// Indices shared out among the threads of the team.
    #[inline(always)]
    pub fn thread_range(&self, range: impl IntoRange) -> ThreadRange {
        ThreadRange::new(range)
    }

    /// Indices shared out among the vector lanes of a thread.
    #[inline(always)]
    pub fn vector_range(&self, range: impl IntoRange) -> VectorRange {
        VectorRange::new(range)
    }

    /// Indices shared out among all lanes of all threads of the team.
    #[inline(always)]
    pub fn team_vector_range(&self, range: impl IntoRange) -> TeamVectorRange {
        TeamVectorRange::new(range)
    }

    /// A box of indices, of rank 2 to 5, shared out among the threads of the team.
    #[inline(always)]
    pub fn thread_md_range<const N: usize, I: IntoRange>(&self, ranges: [I; N]) -> ThreadMdRange<N> {
        ThreadMdRange::new(ranges)
    }

    /// Waits until all threads of the team have come here.
    ///
    /// # Panics
    /// If other threads of the team wait elsewhere, or have left the kernel.
    #[inline(always)]
    #[track_caller]
    pub fn barrier(&mut self) {
        self.meet::<()>("barrier", 0);
    }

    /// Runs `body` on one thread of the team, with the witness of the league index; the others go on.
    #[inline(always)]
    pub fn single(&mut self, body: impl FnOnce(Idx<'k, 1>)) {
        if self.rank == 0 {
            // SAFETY: rank 0 of the one team with this league rank, and the launch has checked the league.
            body(unsafe { Idx::new([self.league_rank]) });
        }
    }

    /// Runs `body` on one thread of the team and gives its result to all: Kokkos's `single` with a value.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn single_broadcast<T: Clone + Send + 'static>(&mut self, body: impl FnOnce(Idx<'k, 1>) -> T) -> T {
        // SAFETY: as in `single`.
        let value = (self.rank == 0).then(|| body(unsafe { Idx::new([self.league_rank]) }));
        self.share("single_broadcast", value)
    }

    /// The value that thread `source` of the team has, for all its threads.
    ///
    /// # Panics
    /// If there is no thread `source`; as [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn broadcast<T: Clone + Send + 'static>(&mut self, value: T, source: usize) -> T {
        assert!(source < self.size, "broadcast from thread {source} of a team of {} threads", self.size);
        self.meet::<T>("broadcast", source);
        self.share("broadcast", (self.rank == source).then_some(value))
    }

    /// Joins the values of all threads of the team, in the order of their numbers; all get the result.
    ///
    /// Each thread gives a value, so the result depends on the team size: the nested
    /// [`parallel_reduce`](Self::parallel_reduce) does not.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[track_caller]
    pub fn team_reduce<R>(&mut self, value: R::Value, reducer: &R) -> R::Value
    where
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let values = self.gather("team_reduce", value);
        join_in_order(reducer, values.into_iter()).expect("a team has a thread")
    }

    /// The joined values of the threads with lower numbers; for thread 0, `init()`.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[track_caller]
    pub fn team_scan<R>(&mut self, value: R::Value, reducer: &R) -> R::Value
    where
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        let rank = self.rank;
        let values = self.gather("team_scan", value);
        join_in_order(reducer, values.into_iter().take(rank)).unwrap_or_else(|| reducer.init())
    }

    /// Gives `value` to the reduction around the team, once however many threads call it. Further calls join.
    #[inline(always)]
    pub fn contribute(&mut self, value: V) {
        if self.rank == 0 {
            match &mut self.contribution {
                None => self.contribution = Some(value),
                Some(sum) => (self.join)(sum, &value),
            }
        }
    }

    /// Meets the other threads of the team, if there are any.
    #[inline(always)]
    #[track_caller]
    pub(super) fn meet<T: 'static>(&mut self, kind: &'static str, length: usize) {
        if let Some(gang) = &mut self.gang {
            gang.meet(Collective::new::<T>(kind, length as u64));
        }
    }

    /// Gives the value of the one member that has one to all.
    #[inline(always)]
    #[track_caller]
    pub(super) fn share<T: Clone + Send + 'static>(&mut self, kind: &'static str, value: Option<T>) -> T {
        if self.gang.is_none() {
            return value.expect("the only thread of a team is the one that gives");
        }
        if let Some(value) = value {
            *self.context.exchange() = Some(Box::new(value));
        }
        self.meet::<T>(kind, 0);
        let shared = self
            .context
            .exchange()
            .as_ref()
            .and_then(|value| value.downcast_ref::<T>())
            .unwrap_or_else(|| panic!("no `{}` was given in `{kind}`", type_name::<T>()))
            .clone();
        self.meet::<T>(kind, 1);
        shared
    }

    /// The values of all members, by number, for all.
    #[track_caller]
    pub(super) fn gather<T: Clone + Send + 'static>(&mut self, kind: &'static str, value: T) -> Vec<T> {
        if self.gang.is_none() {
            return vec![value];
        }
        let (rank, size) = (self.rank, self.size);
        self.meet::<T>(kind, 0);
        {
            let mut exchange = self.context.exchange();
            if !exchange.as_ref().is_some_and(|values| values.is::<Gathering<T>>()) {
                *exchange = Some(Box::new(Gathering::<T> { values: vec![None; size] }));
            }
            let gathering = exchange.as_mut().and_then(|values| values.downcast_mut::<Gathering<T>>());
            gathering.expect("it was just put there").values[rank] = Some(value);
        }
        self.meet::<T>(kind, 1);
        let values = {
            let exchange = self.context.exchange();
            let gathering = exchange.as_ref().and_then(|values| values.downcast_ref::<Gathering<T>>());
            let values = gathering.expect("all members have put their values there").values.clone();
            values.into_iter().map(|value| value.expect("each member has put its value")).collect()
        };
        self.meet::<T>(kind, 2);
        if rank == 0 {
            *self.context.exchange() = None;
        }
        self.meet::<T>(kind, 3);
        values
    }
}

/// The values that members put down one after the other.
struct Gathering<T> {
    values: Vec<Option<T>>,
}

fn join_in_order<R: Reducer>(reducer: &R, mut values: impl Iterator<Item = R::Value>) -> Option<R::Value> {
    let mut joined = values.next()?;
    for value in values {
        reducer.join(&mut joined, &value);
    }
    Some(joined)
}
