//! The team, from the view of one of its threads.

use core::cell::OnceCell;
use core::convert::Infallible;
use core::fmt;
use core::marker::PhantomData;
use core::slice::from_mut;

use spelt_access::{Idx, KernelArgs, OwnRows};
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::{Call, join_branches};
use spelt_policies::{IntoRange, Scalar, TeamVectorRange, ThreadMdRange, ThreadRange, VectorRange};
use spelt_reducers::Reducer;

use super::mode::{Gang, Mode};
use super::scratch::Scratch;
use super::{Collective, Context, Exchange};
use crate::device::{HAS_DEVICES, host_only, on_device};
#[cfg(feature = "cuda")]
use crate::on_heap::apart;

/// A team of threads that run the closure for one league index together.
///
/// `V` is the value that the team contributes to an outer reduction (none in a `parallel_for`); `K` says whether its threads have vector lanes.
/// Methods that all threads must call together take `&mut self`; if the threads do not, the kernel panics on every thread. On
/// host spaces a team has one thread by default, and no result depends on its size.
///
/// On a device each lane of each thread runs the closure, and all lanes do the same work outside nested loops. There, a failure
/// of any thread ends the launch with an error instead of a panic.
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
    pub(super) mode: Mode<'k>,
    pub(super) scratch: Scratch,
    pub(super) contribution: Option<V>,
    /// The rows that the arguments cover in this team, if some have parts for each team.
    pub(super) own: &'k OnceCell<OwnRows>,
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
    /// The team of `league_rank`, for member `rank` of `size`. `own` is empty: room for the rows that the arguments cover in this team.
    ///
    /// A reference to them, as each nested loop copies the data that it shares with its team.
    ///
    /// # Safety
    /// In the launch branded `'k`, no other team that may run at the same time has this league rank, except for the
    /// other members of this one.
    #[inline(always)]
    pub(crate) unsafe fn new(
        league_rank: usize,
        (rank, size): (usize, usize),
        context: &'k Context<'k>,
        mode: Mode<'k>,
        join: &'k (dyn Fn(&mut V, &V) + 'k),
        own: &'k OnceCell<OwnRows>,
    ) -> Self {
        Self {
            league_rank,
            rank,
            size,
            context,
            mode,
            scratch: Scratch::new(),
            contribution: None,
            own,
            join,
            kind: PhantomData,
            brand: PhantomData,
        }
    }

    /// The accessors of the launch's arguments in this team, whose nested loops are from now on compared with the team's own parts.
    ///
    /// # Safety
    /// As for [`KernelArgs::access`]; the launch covers the league.
    #[inline(always)]
    pub(crate) unsafe fn access<A: KernelArgs>(&mut self, raw: &A::Raw, part: usize) -> A::Access<'k> {
        if const { A::BY_TEAM } {
            // SAFETY: the launch covers the league, to which this team belongs.
            let (raw, own) = unsafe { A::in_team(raw, self.league_rank) };
            let _ = self.own.set(own);
            // SAFETY: the raw form is that of this team, whose brand is `'k`, with whose own parts nested loops are compared; the launch
            // covers the league, and the borrows live, as this function asks.
            unsafe { A::access(&raw, part) }
        } else {
            // SAFETY: no argument depends on the team; the launch covers the league, and the borrows live, as this function asks.
            unsafe { A::access(raw, part) }
        }
    }

    /// Leaves the kernel, which is a collective on a device.
    #[cfg(feature = "cuda")]
    #[inline(always)]
    pub(crate) fn leave(&mut self) {
        if let Mode::Device(member) = &mut self.mode {
            member.meet(Call::LEAVE);
        }
    }

    /// The team's contribution.
    #[inline(always)]
    pub(crate) fn into_contribution(self) -> Option<V> {
        self.contribution
    }

    /// The contribution of a team whose members have all left the kernel; member 0 has it.
    pub(crate) fn leave_together(mut self) -> Option<V> {
        self.scratch.leave(self.rank);
        self.meet::<()>("end of the kernel", 0);
        self.contribution.take()
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

    /// The number of threads of the team: as the policy asks, or fewer if the launch does not allow that many. On the host it is
    /// 1 for a launch nested in another kernel, with a `.scatter()` argument, or that writes a View of rank 2 or more by nested
    /// witnesses. In the last case, a team on a device has at most the threads of a warp.
    #[inline(always)]
    pub fn team_size(&self) -> usize {
        self.size
    }

    /// The number of vector lanes of a thread.
    #[inline(always)]
    pub fn vector_length(&self) -> usize {
        self.context.vector_length
    }

    /// Indices distributed over the threads of the team.
    #[inline(always)]
    pub fn thread_range(&self, range: impl IntoRange) -> ThreadRange {
        ThreadRange::new(range)
    }

    /// Indices distributed over the vector lanes of a thread.
    #[inline(always)]
    pub fn vector_range(&self, range: impl IntoRange) -> VectorRange {
        VectorRange::new(range)
    }

    /// Indices distributed over all lanes of all threads of the team.
    #[inline(always)]
    pub fn team_vector_range(&self, range: impl IntoRange) -> TeamVectorRange {
        TeamVectorRange::new(range)
    }

    /// A box of indices, of rank 2 to 7, distributed over the threads of the team.
    #[inline(always)]
    pub fn thread_md_range<const N: usize, I: IntoRange>(&self, ranges: [I; N]) -> ThreadMdRange<N> {
        ThreadMdRange::new(ranges)
    }

    /// Waits until all threads of the team have reached this call.
    ///
    /// # Panics
    /// If other threads of the team wait elsewhere, or have left the kernel.
    #[inline(always)]
    #[track_caller]
    pub fn barrier(&mut self) {
        self.meet::<()>("barrier", 0);
    }

    /// Whether this is the one lane of the one thread of the team that does work to be done once.
    #[inline(always)]
    fn leads(&self) -> bool {
        match &self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => member.lane() == 0,
            _ => self.rank == 0,
        }
    }

    /// Runs `body` on one thread of the team, with the witness of the league index; the others do not wait.
    #[inline(always)]
    pub fn single(&mut self, body: impl FnOnce(Idx<'k, 1>)) {
        if self.leads() {
            // SAFETY: rank 0 of the one team with this league rank, and the launch has checked the league.
            body(unsafe { Idx::new([self.league_rank]) });
        }
        #[cfg(feature = "cuda")]
        if on_device() {
            join_branches();
        }
    }

    /// Runs `body` on one thread of the team and gives its result to all: Kokkos's `single` with a value.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn single_broadcast<T: Clone + Send + 'static>(&mut self, body: impl FnOnce(Idx<'k, 1>) -> T) -> T {
        // SAFETY: rank 0 of the one team with this league rank, and the launch has checked the league.
        let value = self.leads().then(|| body(unsafe { Idx::new([self.league_rank]) }));
        self.share("single_broadcast", 0, value)
    }

    /// Broadcasts the value of thread `source` to all threads of the team.
    ///
    /// # Panics
    /// If there is no thread `source`; as [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn broadcast<T: Clone + Send + 'static>(&mut self, value: T, source: usize) -> T {
        #[cfg(feature = "cuda")]
        if let Mode::Device(member) = &mut self.mode {
            assert!(source < self.size, "a broadcast comes from a thread of the team, counted from 0");
            let call = Call::new::<T>("broadcast", source as u64);
            return apart!(T, member.broadcast(call, value, source as u32));
        }
        if source >= self.size {
            no_source(source, self.size);
        }
        self.meet::<T>("broadcast", source);
        self.share("broadcast", source, (self.rank == source).then_some(value))
    }

    /// Joins the values of all threads of the team, in the order of their numbers; all get the result.
    ///
    /// Each thread gives a value, so the result depends on the team size. The result of the nested
    /// [`parallel_reduce`](Self::parallel_reduce) does not.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn team_reduce<R>(&mut self, mut value: R::Value, reducer: &R) -> R::Value
    where
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        match &mut self.mode {
            Mode::Alone(_) => value,
            Mode::Gang(gang) => {
                // SAFETY: only the host has gangs.
                unsafe { host_only() };
                gang.gather(("team_reduce", 0), self.rank, from_mut(&mut value), |all| {
                    join_in_order(reducer, all).expect("a team has a thread")
                })
            }
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let call = Call::new::<R::Value>("team_reduce", 0);
                apart!(R::Value, member.join_threads(call, reducer, value, self.size as u32))
            }
        }
    }

    /// The joined values of the threads with lower numbers; for thread 0, `init()`.
    ///
    /// # Panics
    /// As [`barrier`](Self::barrier).
    #[inline(always)]
    #[track_caller]
    pub fn team_scan<R>(&mut self, mut value: R::Value, reducer: &R) -> R::Value
    where
        R: Reducer,
        R::Value: Clone + Send + 'static,
    {
        match &mut self.mode {
            Mode::Alone(_) => reducer.init(),
            Mode::Gang(gang) => {
                // SAFETY: only the host has gangs.
                unsafe { host_only() };
                gang.gather(("team_scan", 0), self.rank, from_mut(&mut value), |all| {
                    join_in_order(reducer, &all[..self.rank]).unwrap_or_else(|| reducer.init())
                })
            }
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let call = Call::new::<R::Value>("team_scan", 0);
                apart!(R::Value, member.join_threads(call, reducer, value, self.rank as u32))
            }
        }
    }

    /// Gives `value` to the reduction around the team, once per team for any number of calling threads: the value of thread 0 counts.
    /// Further calls join.
    #[inline(always)]
    pub fn contribute(&mut self, value: V) {
        if self.rank == 0 {
            match &mut self.contribution {
                None => self.contribution = Some(value),
                Some(sum) if const { HAS_DEVICES } && on_device() => (self.join)(sum, &value),
                Some(sum) => join_more(self.join, sum, value),
            }
        }
    }

    /// Meets the other threads of the team, if there are any.
    #[inline(always)]
    #[track_caller]
    pub(super) fn meet<T: 'static>(&mut self, kind: &'static str, length: usize) {
        match &mut self.mode {
            Mode::Alone(_) => {}
            Mode::Gang(gang) => gang.meet.meet(Collective::new::<T>(kind, length as u64)),
            #[cfg(feature = "cuda")]
            Mode::Device(member) => member.meet(Call::new::<T>(kind, length as u64)),
        }
    }

    /// Gives all members the value of member `source`, which alone has one; on a device that is lane 0.
    #[inline(always)]
    #[track_caller]
    pub(super) fn share<T: Clone + Send + 'static>(
        &mut self,
        kind: &'static str,
        source: usize,
        value: Option<T>,
    ) -> T {
        match &mut self.mode {
            Mode::Alone(_) => match value {
                Some(value) => value,
                None => unreachable!("the only thread of a team is the one that gives"),
            },
            Mode::Gang(gang) => {
                // SAFETY: only the host has gangs.
                unsafe { host_only() };
                gang.share(kind, source, value)
            }
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let call = Call::new::<T>(kind, 0);
                apart!(
                    T,
                    match member.broadcast(call, value, 0) {
                        Some(value) => value,
                        None => unreachable!("lane 0 gives"),
                    }
                )
            }
        }
    }
}

/// Joins a further contribution of a team. Not inlined: as `join` takes its address, every contribution would be in memory, from where
/// it is slow to copy just after it was stored.
#[cold]
#[inline(never)]
fn join_more<V>(join: &dyn Fn(&mut V, &V), sum: &mut V, value: V) {
    join(sum, &value);
}

#[cold]
#[inline(never)]
#[track_caller]
fn no_source(source: usize, size: usize) -> ! {
    // SAFETY: a device determines it without numbers.
    unsafe { host_only() };
    panic!("broadcast from thread {source} of a team of {size} threads")
}

impl Gang<'_> {
    #[inline(always)]
    #[track_caller]
    pub(super) fn meet_for<T: 'static>(&mut self, kind: &'static str, length: usize) {
        self.meet.meet(Collective::new::<T>(kind, length as u64));
    }

    /// Gives all members the value of member `source`, which alone has one.
    #[track_caller]
    pub(super) fn share<T: Clone + Send + 'static>(
        &mut self,
        kind: &'static str,
        source: usize,
        mut value: Option<T>,
    ) -> T {
        let source = &self.exchanges[source];
        source.lend(value.as_mut_slice(), || {
            self.meet_for::<T>(kind, 0);
            let shared = source.read(|values: &[T]| values[0].clone());
            self.meet_for::<T>(kind, 1);
            shared
        })
    }

    /// Lends `values` to the other members while `body` looks at the loans of all, by number; all members give the same `length`.
    #[track_caller]
    pub(super) fn gather<T: Send + 'static, O>(
        &mut self,
        (kind, length): (&'static str, usize),
        rank: usize,
        values: &mut [T],
        body: impl FnOnce(&[Exchange]) -> O,
    ) -> O {
        let members = self.exchanges;
        members[rank].lend(values, || {
            self.meet_for::<T>(kind, length);
            let output = body(members);
            self.meet_for::<T>("end of an exchange", length);
            output
        })
    }
}

/// The values that these members lend, joined in order; `None` if there are no members.
fn join_in_order<R>(reducer: &R, members: &[Exchange]) -> Option<R::Value>
where
    R: Reducer,
    R::Value: Clone + Send + 'static,
{
    let [first, others @ ..] = members else { return None };
    let mut joined = first.read(|values: &[R::Value]| values[0].clone());
    for member in others {
        member.read(|values| reducer.join(&mut joined, &values[0]));
    }
    Some(joined)
}
