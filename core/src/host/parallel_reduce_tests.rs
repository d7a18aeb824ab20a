//! Tests of the distribution of reductions over threads.

use std::sync::Mutex;
use std::time::Instant;

use spelt_order::body::Late;
use spelt_order::cursor::{Line, Place};
use spelt_order::{canonical, if_vector_loops};
use spelt_policies::Schedule;
use spelt_reducers::{Reducer, Sum};

use super::Readiness;
use super::contest::tests::decide;
use super::history::History;
use super::kernel::{InPart, OnSpan};
use super::opening::tests::{Two, UNITS};
use super::parallel_reduce::{Sharing, reduce};
use super::step::Step;
use super::{HostThreads, chunks::BREAK_EVEN_OF_SUMS};
use crate::Serial;
use crate::names::Names;

/// Iterations of 20 ns, which note their order.
#[derive(Clone, Copy)]
struct Noted<'a>(&'a Mutex<Vec<usize>>);

impl InPart for Noted<'_> {
    fn in_part(self, _part: usize) -> Self {
        self
    }
}

impl OnSpan<Line> for Noted<'_> {}

impl<'v> Late<(Line, usize, &'v mut usize)> for Noted<'_> {
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut usize)) {
        let begun = Instant::now();
        while begun.elapsed().as_nanos() < 20 {}
        let [index] = place.at(distance);
        self.0.lock().unwrap().push(index);
        *value += index;
    }
}

/// The order of the iterations of the last of three reductions of two tiles.
fn order(space: &impl HostThreads, chunk: Option<usize>) -> Vec<usize> {
    let (n, order) = (4000, Mutex::new(Vec::new()));
    let sharing = Sharing::of_iterations(chunk, Schedule::Static, None);
    for _ in 0..3 {
        order.lock().unwrap().clear();
        let (names, place) = (Names::new("order", &()), |index| Line { index });
        let sum = reduce(space, n, &sharing, &names, &Sum::<usize>::new(), place, Noted(&order));
        assert_eq!(sum.ok(), Some(n * (n - 1) / 2));
    }
    order.into_inner().unwrap()
}

#[test]
fn reductions_that_last_are_distributed_in_whole_tiles_where_others_are_awake() {
    let whole = order(&Serial::new(), None);
    assert_eq!(order(&Two(Readiness::Awake), None), whole);
    // In lanes.
    assert_ne!(order(&Two(Readiness::Awake), Some(1)), whole);
}

/// Sums of indices.
#[derive(Clone, Copy)]
struct Indices;

impl InPart for Indices {
    fn in_part(self, _part: usize) -> Self {
        self
    }
}

impl OnSpan<Line> for Indices {}

impl<'v> Late<(Line, usize, &'v mut usize)> for Indices {
    fn call(&mut self, (place, distance, value): (Line, usize, &'v mut usize)) {
        *value += place.index + distance;
    }
}

/// The units of a reduction.
fn units(n: usize, chunk: Option<usize>) -> usize {
    UNITS.set(0);
    let sharing = Sharing::of_iterations(chunk, Schedule::Static, None);
    let (names, place) = (Names::new("units", &()), |index| Line { index });
    let sum = reduce(&Two(Readiness::Awake), n, &sharing, &names, &Sum::<usize>::new(), place, Indices);
    assert_eq!(sum.ok(), Some(n * (n - 1) / 2));
    UNITS.get()
}

#[test]
fn reductions_stay_on_the_caller_where_that_is_faster() {
    let history = || {
        if_vector_loops! {{
            History::of::<Indices>()
        } else {
            History::of_function(<Indices as Step<(Line, usize, &mut usize)>>::step as *const ())
        }}
    };
    let tile_len = canonical::tile_len(canonical::lanes(<Sum<usize> as Reducer>::LANE_BYTES));
    // As many iterations as have a contest, and twice as many, which have their own.
    let n = BREAK_EVEN_OF_SUMS;
    assert_eq!(units(n, None), n.div_ceil(tile_len), "its time is unknown");
    decide(history(), n, true);
    assert_eq!(units(n, None), 0);
    assert_eq!(units(n, Some(tile_len)), n.div_ceil(tile_len), "the program's choice has no contest");
    decide(history(), 2 * n, false);
    assert!((2..n.div_ceil(tile_len)).contains(&units(2 * n, None)), "a short launch has few units");
}
