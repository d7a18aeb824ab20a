//! `HaloExchange`.

use core::cell::RefCell;
use core::fmt;
use std::rc::Rc;

use spelt_core::{Error, ErrorKind, ExecutionSpace, KernelArgs, Result};

use super::checks::check_halos;
use super::exchange::Exchange;
use super::policy::Distributed;
use super::some_rows::SomeRows;
use super::world::Mpi;
use crate::communicator::Communicator;
use crate::ongoing::Ongoing;
use crate::transport::Channel;
use crate::wire::{Call, Kind};

impl<S: ExecutionSpace + 'static> Mpi<'_, S> {
    /// Fetches the rows of other ranks that these halos read, as far as those that are here are old: launches that read the same halos then
    /// send nothing, until the Views are written. All ranks call it.
    ///
    /// No launch needs it. It is for programs that know a better time for messages: one message to each neighbour for Views that several
    /// launches read.
    ///
    /// # Errors
    /// [`ErrorKind::Policy`] on all ranks if an argument is not the halo of a distributed View, or a ring has fewer rows than a halo reaches
    /// over; if a rank makes another call, or a transfer fails.
    ///
    /// # Complexity
    /// One message to each neighbour, for all Views together.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let sent = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let mut u = space.view_from_fn("u", [8, 3], |[i, j]| (i * j) as f64)?;
    ///     let mut v = space.view_from_fn("v", [8, 3], |[i, j]| (i + j) as f64)?;
    ///     let mut w = space.zeros::<f64, 2>("w", [8, 3])?;
    ///     space.exchange("ghosts", (u.halo::<1>(), v.halo::<1>()))?;
    ///     let before = ranks.sent();
    ///     let inner = || space.md_range([1..7, 1..2]);
    ///     parallel_for("u", inner(), (u.halo::<1>(), &mut w), |i, (u, mut w)| w[i] += u.at(i, [1, 0]))?;
    ///     parallel_for("v", inner(), (v.halo::<1>(), &mut w), |i, (v, mut w)| w[i] += v.at(i, [1, 0]))?;
    ///     Ok(ranks.sent().messages - before.messages)
    /// });
    /// assert_eq!(sent.into_iter().collect::<spelt_core::Result<Vec<_>>>()?, [0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn exchange<A: KernelArgs>(&self, label: &str, mut halos: A) -> Result<()> {
        let checked = check_halos(label, self.ranks(), &mut halos)?;
        self.ranks().collective(Kind::Halo, checked.hash, label, |ongoing| {
            Exchange::start(ongoing, &mut halos)?.finish(ongoing, &mut halos)
        })
    }

    /// Starts [`exchange`](Self::exchange), and returns while messages travel; [`HaloExchange::finish`] ends it. All ranks call it.
    ///
    /// Meanwhile ranks may make any other calls, among them launches over the [inner](HaloExchange::inner) rows of these Views, which need no row
    /// of another rank. A launch that reads a halo does all of this by itself, so this is for work on other Views, or for parts of a step that
    /// are not one launch.
    ///
    /// The Views are borrowed until `finish`: no safe code writes what is on its way.
    /// ```compile_fail,E0499
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let mut u = space.zeros::<f64, 1>("u", [8])?;
    /// let exchange = space.start_exchange("ghosts", u.halo::<1>())?;
    /// u.own_mut()[0] = 1.0;
    /// exchange.finish()?;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`exchange`](Self::exchange); [`ErrorKind::Policy`] on all ranks if another exchange is under way: one exchange takes the halos
    /// of several Views.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let wholes = InProcess::new(3).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let mut u = space.view_from_fn("u", [9, 2], |[i, _]| (i * i) as f64)?;
    ///     let mut y = space.zeros::<f64, 2>("y", [9, 2])?;
    ///     let cells = || space.md_range([1..8, 1..2]);
    ///     let slope = |u: [f64; 2]| (u[1] - u[0]) / 2.0;
    ///
    ///     let mut exchange = space.start_exchange("ghosts", u.halo_of::<Rows>())?;
    ///     let (inner, rim) = (exchange.inner(cells()), exchange.rim(cells()));
    ///     parallel_for("inner", inner, (exchange.halos(), &mut y), move |i, (u, mut y)| {
    ///         y[i] = slope([u.at(i, [-1, 0]), u.at(i, [1, 0])]);
    ///     })?;
    ///     exchange.finish()?;
    ///     parallel_for("rim", rim, (u.halo_of::<Rows>(), &mut y), move |i, (u, mut y)| {
    ///         y[i] = slope([u.at(i, [-1, 0]), u.at(i, [1, 0])]);
    ///     })?;
    ///     space.gather("y", &y, 0)
    /// });
    /// # type Rows = (spelt_core::Between<-1, 1>, spelt_core::Between<0, 0>);
    /// let y = wholes.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert!((1..8).all(|i| y[[i, 1]] == 2.0 * i as f64));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn start_exchange<A: KernelArgs>(&self, label: &str, mut halos: A) -> Result<HaloExchange<'_, A>> {
        let ranks: &Communicator = self.ranks();
        if ranks.exchanging.get() {
            let message = format!(
                "`{label}`: another exchange is under way, or was never finished: finish it first, or give all halos to one exchange"
            );
            return Err(Error::new(ErrorKind::Policy, message));
        }
        let checked = check_halos(label, ranks, &mut halos)?;
        let call = ranks.next_call(Kind::Halo, checked.hash, label);
        let under_way = ranks.ongoing(Channel::Halos, call.clone(), |ongoing| {
            let exchange = Exchange::start(ongoing, &mut halos)?;
            Ok(UnderWay { messages: ongoing.take(), exchange })
        })?;
        ranks.exchanging.set(true);
        let under_way = Rc::new(RefCell::new(Some(under_way)));
        Ok(HaloExchange { ranks, call, halos, reach: checked.reach, under_way })
    }
}

/// The messages of an exchange, and what they bring.
pub(crate) struct UnderWay<'c> {
    pub(crate) messages: Ongoing<'c>,
    exchange: Exchange,
}

/// An exchange of halos that is under way, which borrows their Views.
///
/// [`Mpi::start_exchange`](crate::Mpi::start_exchange) starts it. Dropped without [`finish`](Self::finish), it waits for its messages and leaves
/// the rows of other ranks as they were: old.
///
/// # Examples
/// A function between start and end:
/// ```
/// use spelt_core::{HostSpace, KernelArgs, RangePolicy, Result, Serial, parallel_for};
/// use spelt_mpi::{Distributed, DistributedHalo, DistributedView, HaloExchange};
/// type Around = spelt_core::Around<1>;
/// fn inner<'c>(
///     exchange: &mut HaloExchange<'c, DistributedHalo<'_, f64, 1, Around, HostSpace>>,
///     rows: Distributed<'c, RangePolicy<&Serial>>,
///     y: &mut DistributedView<f64, 1>,
/// ) -> Result<()> {
///     let inner = exchange.inner(rows);
///     parallel_for("inner", inner, (exchange.halos(), y), |i, (x, mut y)| y[i] = x.at(i, [1]) - x.at(i, [-1]))
/// }
/// ```
#[must_use = "an exchange brings its rows when it is finished"]
pub struct HaloExchange<'c, A: KernelArgs> {
    ranks: &'c Communicator,
    call: Call,
    halos: A,
    reach: [usize; 2],
    /// `None` when it has ended.
    under_way: Rc<RefCell<Option<UnderWay<'c>>>>,
}

impl<'c, A: KernelArgs> HaloExchange<'c, A> {
    /// The halos, to read in a launch over [`inner`](Self::inner) rows. A launch over other rows returns an error on all ranks.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let mut x = space.zeros::<f64, 1>("x", [4])?;
    /// let mut exchange = space.start_exchange("ghosts", x.halo::<1>())?;
    /// let all = parallel_for("all", space.range(1..3), exchange.halos(), |i, x| assert_eq!(x[i], 0.0));
    /// assert!(all.expect_err("under way").to_string().contains("`inner(policy)`"));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn halos(&mut self) -> HalosUnderWay<'_, A> {
        HalosUnderWay(&mut self.halos)
    }

    /// The indices of `policy` in the rows that need no row of another rank, within the reach of these halos.
    ///
    /// A launch over them looks after the messages between pieces of its work.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let filled = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let (mut x, mut y) = (space.zeros::<f64, 2>("x", [8, 1])?, space.zeros::<u32, 2>("y", [8, 1])?);
    ///     let exchange = space.start_exchange("ghosts", x.halo_of::<Below>())?;
    ///     parallel_for("fill", exchange.inner(space.md_range([1..8, 0..1])), &mut y, |i, mut y| y[i] = 1)?;
    ///     exchange.finish()?;
    ///     space.gather("y", &y, 0)
    /// });
    /// # type Below = (spelt_core::Between<-1, 0>, spelt_core::Between<0, 0>);
    /// let y = filled.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert_eq!(y.to_vec(), [0, 1, 1, 1, 0, 1, 1, 1]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn inner<P>(&self, policy: Distributed<'c, P>) -> SomeRows<'c, P> {
        SomeRows::inner(policy, self.reach, Rc::clone(&self.under_way))
    }

    /// The indices of `policy` in the other rows: for a launch that reads the halos after [`finish`](Self::finish).
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, parallel_for};
    /// use spelt_mpi::{InProcess, Mpi};
    /// let filled = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let (mut x, mut y) = (space.zeros::<f64, 2>("x", [8, 1])?, space.zeros::<u32, 2>("y", [8, 1])?);
    ///     let exchange = space.start_exchange("ghosts", x.halo_of::<Below>())?;
    ///     let rim = exchange.rim(space.md_range([1..8, 0..1]));
    ///     exchange.finish()?;
    ///     parallel_for("fill", rim, &mut y, |i, mut y| y[i] = 1)?;
    ///     space.gather("y", &y, 0)
    /// });
    /// # type Below = (spelt_core::Between<-1, 0>, spelt_core::Between<0, 0>);
    /// let y = filled.into_iter().next().expect("rank 0")?.expect("the root");
    /// assert_eq!(y.to_vec(), [0, 0, 0, 0, 1, 0, 0, 0]);
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn rim<P>(&self, policy: Distributed<'c, P>) -> SomeRows<'c, P> {
        SomeRows::rim(policy, self.reach)
    }

    /// Looks after the messages: whether all have come, so that [`finish`](Self::finish) waits for none. A rank may call it at any time,
    /// or never.
    ///
    /// Messages make progress only in calls of the ranks, so long work on the host between start and end calls it now and then. Launches
    /// over [`inner`](Self::inner) rows do.
    ///
    /// # Errors
    /// If a rank has started another exchange, or a transfer fails.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{InProcess, Mpi};
    /// let results = InProcess::new(2).run(|ranks| {
    ///     let space = Mpi::new(ranks, Serial::new());
    ///     let mut x = space.zeros::<f64, 2>("x", [8, 3])?;
    ///     let mut exchange = space.start_exchange("ghosts", x.halo::<1>())?;
    ///     while !exchange.has_come()? {
    ///         std::thread::yield_now();
    ///     }
    ///     exchange.finish()
    /// });
    /// assert!(results.iter().all(Result::is_ok));
    /// ```
    pub fn has_come(&mut self) -> Result<bool> {
        let mut under_way = self.under_way.borrow_mut();
        let Some(UnderWay { messages, .. }) = &mut *under_way else { return Ok(true) };
        self.ranks.untold(Channel::Halos, self.call.clone(), |_| {
            messages.poll_all().map(|[have_come, _]| have_come)
        })
    }

    /// Waits for the messages, and puts the rows where kernels read them. All ranks call it.
    ///
    /// # Errors
    /// If a rank has started another exchange, or a transfer fails.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::Serial;
    /// use spelt_mpi::{Communicator, Mpi};
    /// let ranks = Communicator::alone();
    /// let space = Mpi::new(&ranks, Serial::new());
    /// let mut x = space.zeros::<f64, 1>("x", [4])?;
    /// space.start_exchange("ghosts", x.halo::<1>())?.finish()?;
    /// x.own_mut()[2] = 1.0;
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn finish(mut self) -> Result<()> {
        self.end(|ongoing, exchange, halos| exchange.finish(ongoing, halos))
    }

    /// Goes on with the messages where the call has left them, and ends it.
    fn end(&mut self, f: impl FnOnce(&mut Ongoing<'c>, Exchange, &mut A) -> Result<()>) -> Result<()> {
        let Some(UnderWay { messages, exchange }) = self.under_way.borrow_mut().take() else { return Ok(()) };
        self.ranks.exchanging.set(false);
        self.ranks.ongoing(Channel::Halos, self.call.clone(), |ongoing| {
            *ongoing = messages;
            f(ongoing, exchange, &mut self.halos)
        })
    }
}

impl<A: KernelArgs> Drop for HaloExchange<'_, A> {
    fn drop(&mut self) {
        // After a panic the ranks are in different places: the next exchange is an error.
        if !std::thread::panicking() {
            // Later calls return the error.
            let _ = self.end(|ongoing, _, _| ongoing.arrived().map(drop));
        }
    }
}

impl<A: KernelArgs> fmt::Debug for HaloExchange<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HaloExchange").field("call", &self.call).finish_non_exhaustive()
    }
}

/// The halos of an exchange that is under way, as an argument of a launch over its inner rows.
///
/// The kernel gets the accessor of each halo, in the same tuple.
///
/// # Examples
/// ```
/// use spelt_core::{Serial, parallel_for};
/// use spelt_mpi::{InProcess, Mpi};
/// type Rows = (spelt_core::Between<-1, 1>, spelt_core::Between<0, 0>);
/// let results = InProcess::new(2).run(|ranks| {
///     let space = Mpi::new(ranks, Serial::new());
///     let mut u = space.view_from_fn("u", [9, 1], |[i, _]| i as f64)?;
///     let mut v = space.view_from_fn("v", [9, 1], |[i, _]| 2.0 * i as f64)?;
///     let mut exchange = space.start_exchange("ghosts", (u.halo_of::<Rows>(), v.halo_of::<Rows>()))?;
///     let inner = exchange.inner(space.md_range([1..8, 0..1]));
///     parallel_for("inner", inner, exchange.halos(), |i, (u, v)| assert_eq!(v.at(i, [1, 0]), 2.0 * u.at(i, [1, 0])))?;
///     exchange.finish()
/// });
/// assert!(results.iter().all(Result::is_ok));
/// ```
#[must_use = "an adapter does nothing until a launch takes it"]
pub struct HalosUnderWay<'e, A>(pub(crate) &'e mut A);

impl<A> fmt::Debug for HalosUnderWay<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HalosUnderWay").finish_non_exhaustive()
    }
}
