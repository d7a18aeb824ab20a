//! Contenders over the same data.

use core::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::clock::Clock;

/// The bytes and the work of one call, for the figures beside the times.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// The minimum number of bytes that one call must read and write; 0 if it is not meaningful.
    pub bytes: usize,
    /// Elements that one call passes over.
    pub elements: usize,
}

/// A contender that could not run to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Its result is wrong: no figure of the race can be trusted.
    Wrong(String),
    /// Its process died, for example for lack of memory: the others can continue without it.
    Died(String),
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (Self::Wrong(reason) | Self::Died(reason)) = self;
        f.write_str(reason)
    }
}

/// Contenders that do the same work on the same data, one at a time.
pub trait Race {
    /// The work of one call.
    fn work(&self) -> Work;
    /// The contenders' names; the first is Spelt.
    fn names(&self) -> Vec<&'static str>;
    /// Leaves all contenders out but the first.
    fn leave_peers_out(&mut self);
    /// Has one contender do the work once and compares the result.
    ///
    /// # Errors
    /// If the result is wrong, or the contender's process died.
    fn check(&mut self, contender: usize) -> Result<(), Fault>;
    /// Nanoseconds per call: the median of `batches` batches of `calls` calls.
    ///
    /// # Errors
    /// If the contender's process died, or its result is wrong.
    fn time(&mut self, contender: usize, calls: usize, batches: usize) -> Result<f64, Fault>;
}

/// A contender in another process, which checks its results itself.
pub trait Remote {
    /// The median of `calls` calls in nanoseconds.
    ///
    /// # Errors
    /// If the process died, or calls its result wrong.
    fn time(&self, calls: usize) -> Result<f64, Fault>;
}

type Call<D, A> = Box<dyn FnMut(&mut D) -> A>;
type Change<D> = Box<dyn Fn(&mut D)>;
type Check<D, A> = Box<dyn Fn(&D, &A) -> Result<(), String>>;

enum Runner<D, A> {
    /// Runs here, with its own check if the lineup's does not apply.
    Here(Call<D, A>, Option<Check<D, A>>),
    /// Runs in another process.
    There(Box<dyn Remote>),
}

/// Contenders as closures over the data `D` that return an answer `A`.
pub struct Lineup<D, A> {
    data: D,
    work: Work,
    reset: Change<D>,
    before: Option<Change<D>>,
    clock: Clock,
    check: Check<D, A>,
    contenders: Vec<(&'static str, Runner<D, A>)>,
}

impl<D, A> core::fmt::Debug for Lineup<D, A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lineup").field("work", &self.work).finish_non_exhaustive()
    }
}

impl<D, A> Lineup<D, A> {
    /// An empty line-up. `check` compares a contender's return value, and the data afterwards, with the expected result.
    pub fn new(data: D, work: Work, check: impl Fn(&D, &A) -> Result<(), String> + 'static) -> Self {
        let (reset, check) = (Box::new(|_: &mut D| ()), Box::new(check));
        Self { data, work, reset, before: None, clock: Clock::Elapsed, check, contenders: Vec::new() }
    }

    /// The preparation of the data before a checked call, so that results of an earlier call are not taken for its own.
    #[must_use]
    pub fn reset(mut self, reset: impl Fn(&mut D) + 'static) -> Self {
        self.reset = Box::new(reset);
        self
    }

    /// The preparation of the data before every call, timed or not, for work that changes its own input. Calls are timed one by
    /// one then, which adds some 25 ns to each.
    #[must_use]
    pub fn before(mut self, before: impl Fn(&mut D) + 'static) -> Self {
        self.before = Some(Box::new(before));
        self
    }

    /// The clock of the race; [`Clock::Elapsed`] unless it is chosen.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// One more contender.
    #[must_use]
    pub fn with(mut self, name: &'static str, call: impl FnMut(&mut D) -> A + 'static) -> Self {
        self.contenders.push((name, Runner::Here(Box::new(call), None)));
        self
    }

    /// A contender whose answer differs from the others'.
    #[must_use]
    pub fn with_checked(
        mut self,
        name: &'static str,
        call: impl FnMut(&mut D) -> A + 'static,
        check: impl Fn(&D, &A) -> Result<(), String> + 'static,
    ) -> Self {
        self.contenders.push((name, Runner::Here(Box::new(call), Some(Box::new(check)))));
        self
    }

    /// The hand-written limit, if there is one for this processor.
    #[must_use]
    pub fn with_limit<L: 'static>(
        self,
        limit: &Option<Rc<L>>,
        mut call: impl FnMut(&L, &mut D) -> A + 'static,
    ) -> Self {
        match limit.clone() {
            Some(limit) => self.with("limit", move |data| call(&limit, data)),
            None => self,
        }
    }

    /// The kernel that only reads the same bytes, for sizes limited by memory; its answer means
    /// nothing.
    #[must_use]
    pub fn with_read<L: 'static>(
        self,
        limit: &Option<Rc<L>>,
        mut call: impl FnMut(&L, &mut D) -> A + 'static,
    ) -> Self {
        match limit.clone() {
            Some(limit) if self.work.bytes >= READ_FROM => {
                self.with_checked("read", move |data| call(&limit, data), |_, _| Ok(()))
            }
            _ => self,
        }
    }

    /// A contender in another process, if there is one.
    #[must_use]
    pub fn with_remote(mut self, name: &'static str, peer: Option<impl Remote + 'static>) -> Self {
        self.contenders.extend(peer.map(|peer| (name, Runner::There(Box::new(peer) as Box<dyn Remote>))));
        self
    }
}

impl<D, A> Race for Lineup<D, A> {
    fn work(&self) -> Work {
        self.work
    }

    fn names(&self) -> Vec<&'static str> {
        self.contenders.iter().map(|(name, _)| *name).collect()
    }

    fn leave_peers_out(&mut self) {
        self.contenders.truncate(1);
    }

    fn check(&mut self, contender: usize) -> Result<(), Fault> {
        match &mut self.contenders[contender].1 {
            Runner::Here(call, own) => {
                (self.reset)(&mut self.data);
                self.before.iter().for_each(|before| before(&mut self.data));
                let answer = call(&mut self.data);
                own.as_ref().unwrap_or(&self.check)(&self.data, &answer).map_err(Fault::Wrong)
            }
            Runner::There(peer) => peer.time(1).map(drop),
        }
    }

    fn time(&mut self, contender: usize, calls: usize, batches: usize) -> Result<f64, Fault> {
        let call = match &mut self.contenders[contender].1 {
            Runner::Here(call, _) => call,
            Runner::There(peer) => return peer.time(calls * batches),
        };
        let (data, clock) = (&mut self.data, self.clock);
        // Untimed calls: since the last round the threads have gone to sleep and others have used the cache.
        let begin = Instant::now();
        for _ in 0..WARM_UP {
            self.before.iter().for_each(|before| before(data));
            black_box(call(black_box(data)));
            if begin.elapsed() > WARM_ENOUGH {
                break;
            }
        }
        let mut times: Vec<f64> = (0..batches)
            .map(|_| {
                let Some(before) = &self.before else {
                    let start = clock.now();
                    for _ in 0..calls {
                        black_box(call(black_box(data)));
                    }
                    return start.elapsed().as_nanos() as f64 / calls as f64;
                };
                let each = (0..calls).map(|_| {
                    before(data);
                    let start = clock.now();
                    black_box(call(black_box(data)));
                    start.elapsed()
                });
                each.sum::<Duration>().as_nanos() as f64 / calls as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        Ok(times[batches / 2])
    }
}

/// Inputs beyond the caches of one core. Unit: bytes.
const READ_FROM: usize = 8 << 20;

/// Untimed calls, as many as the Kokkos peer makes.
const WARM_UP: usize = 3;

/// Threads are awake by then.
const WARM_ENOUGH: Duration = Duration::from_millis(10);
