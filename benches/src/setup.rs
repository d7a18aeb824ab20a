//! The spaces and pools that the contenders run on.

use std::path::Path;
use std::rc::Rc;

use spelt::prelude::*;

use crate::kokkos::{Kokkos, Peer};
use crate::limit::Limit;

/// The number of threads of every contender.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The number of threads.
    pub threads: usize,
    /// Spelt's own pool.
    pub space: Threads,
    /// The hand-written limit, where there is one for this processor.
    pub limit: Option<Rc<Limit>>,
    /// The peer in C++.
    pub kokkos: Option<Rc<Kokkos>>,
}

impl Setup {
    /// Starts the threads; builds the Kokkos peer if `kokkos` names an installation.
    ///
    /// # Errors
    /// If threads cannot be had or the peer cannot be built.
    pub fn new(threads: Option<usize>, kokkos: Option<&Path>) -> Result<Self, String> {
        let available = std::thread::available_parallelism().map_or(1, |cores| cores.get());
        let threads = threads.unwrap_or(available);
        let space = Threads::builder().num_threads(threads).build().map_err(|error| error.to_string())?;
        let kokkos = kokkos.map(|root| Kokkos::build(root, threads).map(Rc::new)).transpose()?;
        // Fails where the pool was started before, which a second setup in one process may do: that pool is as good.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        Ok(Self { threads, space, limit: Limit::new(threads).map(Rc::new), kokkos })
    }

    /// The Kokkos peer for one case.
    #[must_use]
    pub fn peer(&self, case: impl Into<String>, element: &str, n: usize) -> Option<Peer> {
        self.kokkos.as_ref().map(|kokkos| kokkos.peer(format!("{} {element} {n}", case.into())))
    }

    /// A View, its pages first touched by the threads that will read it.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn view<T: spelt::Element, const R: usize>(
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
pub fn slice<T: spelt::Element, const R: usize>(view: &View<T, R>) -> &[T] {
    view.as_slice().expect("owned Views are dense")
}

/// All elements of a View that is dense, to write.
///
/// # Panics
/// If it is not.
#[inline]
pub fn slice_mut<T: spelt::Element, const R: usize>(view: &mut View<T, R>) -> &mut [T] {
    view.as_mut_slice().expect("owned Views are dense")
}
