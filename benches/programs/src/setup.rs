//! The space and the peers of a run.

use std::path::PathBuf;
use std::rc::Rc;

use spelt::prelude::*;
use spelt::{AnyHost, Element};
use spelt_harness::{Clock, Lineup, Work};

use crate::peer::{Build, Peer, Source};

/// The threads of every contender, and the clock.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The number of threads.
    pub threads: usize,
    /// The space: chosen at run time, as in a program.
    pub space: AnyHost,
    /// Of one thread, the processor's time, so that other work on the machine disturbs less.
    pub clock: Clock,
    /// Where Kokkos is installed, if it is a peer.
    pub kokkos: Option<PathBuf>,
}

/// The side that a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Spelt, in any form.
    Spelt,
    /// C++.
    Peer,
}

impl Setup {
    /// Starts the threads.
    ///
    /// # Errors
    /// If they cannot be started.
    pub fn new(threads: usize, kokkos: Option<PathBuf>) -> Result<Self, String> {
        let space =
            Threads::builder().num_threads(threads).build().map_err(|error| error.to_string())?.into();
        let clock = if threads == 1 { Clock::Processor } else { Clock::Elapsed };
        Ok(Self { threads, space, clock, kokkos })
    }

    /// A race of `spelt` and the peers of `source`, which `call` calls. `check` is as in [`Lineup::new`].
    ///
    /// # Errors
    /// If the peers cannot be compiled.
    pub fn race<D: 'static>(
        &self,
        data: D,
        work: Work,
        spelt: impl Fn(&AnyHost, &mut D) -> spelt::Result<()> + 'static,
        source: Source,
        call: impl Fn(&Peer, &mut D) + Copy + 'static,
        check: impl Fn(&D) -> Result<(), String> + 'static,
    ) -> Result<Lineup<D, ()>, String> {
        self.race_with_own_checks(data, work, spelt, source, call, move |data, _| check(data))
    }

    /// The same, where `check` also takes the side that the result comes from: C++ may lose digits that Spelt keeps.
    ///
    /// # Errors
    /// If the peers cannot be compiled.
    pub fn race_with_own_checks<D: 'static>(
        &self,
        data: D,
        work: Work,
        spelt: impl Fn(&AnyHost, &mut D) -> spelt::Result<()> + 'static,
        source: Source,
        call: impl Fn(&Peer, &mut D) + Copy + 'static,
        check: impl Fn(&D, Side) -> Result<(), String> + 'static,
    ) -> Result<Lineup<D, ()>, String> {
        let peer = |build| Peer::new(source, build, self.threads);
        let (exact, fast) = (peer(Build::Exact)?, peer(Build::Fast)?);
        let kokkos = self.kokkos.as_ref().map(|root| peer(Build::Kokkos(root))).transpose()?;
        let space = self.space.clone();
        let check = Rc::new(check);
        let of_peer = || {
            let check = check.clone();
            move |data: &D, (): &()| check(data, Side::Peer)
        };
        let (of_exact, of_fast, of_kokkos) = (of_peer(), of_peer(), of_peer());
        let lineup = Lineup::new(data, work, move |data, ()| check(data, Side::Spelt))
            .clock(self.clock)
            .with("Spelt", move |data| spelt(&space, data).expect("the launches fit the Views"))
            .with_checked("C++", move |data| call(&exact, data), of_exact)
            .with_checked("C++ fast-math", move |data| call(&fast, data), of_fast);
        Ok(match kokkos {
            Some(kokkos) => lineup.with_checked("Kokkos", move |data| call(&kokkos, data), of_kokkos),
            None => lineup,
        })
    }

    /// A View, its pages first touched by the threads that will read it.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn view<T: Element, const R: usize>(
        &self,
        label: &str,
        extents: [usize; R],
        f: impl Fn([usize; R]) -> T + Sync,
    ) -> Result<View<T, R>, String> {
        self.space.view_from_fn(label, extents, f).map_err(|error| error.to_string())
    }
}

/// All elements of a View that is dense.
///
/// # Panics
/// If it is not.
#[inline]
pub fn slice<T: Element, const R: usize>(view: &View<T, R>) -> &[T] {
    view.as_slice().expect("owned Views are dense")
}

/// All elements of a View that is dense, to write.
///
/// # Panics
/// If it is not.
#[inline]
pub fn slice_mut<T: Element, const R: usize>(view: &mut View<T, R>) -> &mut [T] {
    view.as_mut_slice().expect("owned Views are dense")
}
