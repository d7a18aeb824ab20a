//! page-rank: an iteration over the links between pages, gathered by the pages that they lead to.

use spelt::Offsets;
use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "page-rank",
    hypothesis: "Each page adds what the pages that link to it share. Random reads decide, with a check of each: within 1.1.",
    size: "pages",
    variants: &[Variant::new("f32", &[2000, 300_000], race)],
};

/// Links to a page, in the mean.
const LINKS: usize = 16;

/// The part of the rank that is passed on.
const DAMPING: f32 = 0.85;

/// The links to each page, and the number of those that leave each.
#[derive(Debug)]
pub struct Graph<M: spelt::MemorySpace> {
    offsets: Offsets<M>,
    sources: View<u32, 1, M>,
    leaving: View<u32, 1, M>,
}

impl<M: spelt::MemorySpace> Graph<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, pages: usize) -> spelt::Result<Self> {
        // 17 links to a page, and 8 to each ninth.
        let first = |page: usize| page * LINKS + page % 9;
        let source = |link: usize| (spread(link) * pages as f64) as u32;
        let links = first(pages);
        // Without memory for all links, there is an error before the vector.
        let sources = space.view_from_fn("sources", [links], |[link]| source(link))?;
        let mut leaving = vec![0; pages];
        (0..links).for_each(|link| leaving[source(link) as usize] += 1);
        Ok(Self {
            offsets: Offsets::new(space.view_from_fn("offsets", [pages + 1], |[page]| first(page))?)?,
            sources,
            leaving: space.view_from_fn("leaving", [pages], |[page]| leaving[page])?,
        })
    }
}

/// The ranks; what each page gives to each of its links, now and in the next iteration; and the changes of the ranks.
#[derive(Debug)]
pub struct Ranks<M: spelt::MemorySpace> {
    rank: View<f32, 1, M>,
    shared: View<f32, 1, M>,
    next_shared: View<f32, 1, M>,
    changes: View<f32, 1, M>,
}

impl<M: spelt::MemorySpace> Ranks<M> {
    fn new<S: ExecutionSpace<Memory = M>>(space: &S, graph: &Graph<M>) -> spelt::Result<Self> {
        let pages = graph.offsets.segments();
        let rank = space.view_from_fn("rank", [pages], move |_| 1.0 / pages as f32)?;
        let mut shared = space.zeros("shared", [pages])?;
        let args = (&rank, &graph.leaving, &mut shared);
        parallel_for("share", space.range(0..pages), args, |page, (rank, leaving, mut shared)| {
            shared[page] = share(rank[page], leaving[page]);
        })?;
        Ok(Self {
            rank,
            shared,
            next_shared: space.zeros("shared", [pages])?,
            changes: space.zeros("changes", [pages])?,
        })
    }
}

/// The part of a rank that each of a page's links gets.
#[inline(always)]
fn share(rank: f32, leaving: u32) -> f32 {
    rank / leaving.max(1) as f32
}

/// One iteration, which returns the largest change of a rank.
///
/// # Errors
/// If the extents differ.
pub fn iterate<S: ExecutionSpace>(
    space: &S,
    graph: &Graph<S::Memory>,
    ranks: &mut Ranks<S::Memory>,
) -> spelt::Result<f32> {
    let (Ranks { rank, shared, next_shared, changes }, pages) = (ranks, graph.offsets.segments());
    // A launch of its own: a reduction would not take the pages, whose loops differ in length, in their order. It writes all that belongs to a
    // page, which then stays with the thread that has the page.
    let links = graph.sources.by_segments(&graph.offsets);
    let args = (links, shared.lookup(), &graph.leaving, rank, &mut *next_shared, &mut *changes);
    let rest = (1.0 - DAMPING) / pages as f32;
    parallel_for(
        "gather",
        space.range(0..pages),
        args,
        move |page, (sources, shared, leaving, mut rank, mut next_shared, mut changes)| {
            let sum: f32 = sources[page].iter().map(|&source| shared[source]).sum();
            let after = rest + DAMPING * sum;
            changes[page] = (after - rank[page]).abs();
            rank[page] = after;
            next_shared[page] = share(after, leaving[page]);
        },
    )?;
    core::mem::swap(shared, next_shared);
    parallel_map_reduce(
        "change",
        space.range(0..pages),
        &*changes,
        |page, changes| changes[page],
        Max::<f32>::new(),
    )
}

/// The same by loops, in `f64`.
fn plain(graph: &Graph<spelt::HostSpace>, rank: &[f32]) -> Vec<f32> {
    let (offsets, pages) = (graph.offsets.view(), rank.len());
    let share = |&source: &u32| {
        let source = source as usize;
        f64::from(rank[source]) / f64::from(graph.leaving[source])
    };
    let page = |page: usize| {
        let sum: f64 = slice(&graph.sources)[offsets[page]..offsets[page + 1]].iter().map(share).sum();
        (f64::from(1.0 - DAMPING) / pages as f64 + f64::from(DAMPING) * sum) as f32
    };
    (0..pages).map(page).collect()
}

/// Compares an iteration on a small graph with the plain loops.
///
/// # Errors
/// Names the first rank that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    let pages = 70;
    let graph = Graph::new(space, pages).map_err(told)?;
    let mut ranks = Ranks::new(space, &graph).map_err(told)?;
    let change = iterate(space, &graph, &mut ranks).map_err(told)?;
    let before = vec![1.0 / pages as f32; pages];
    let expected = plain(&Graph::new(&Serial::new(), pages).map_err(told)?, &before);
    near("rank", slice(&ranks.rank.to_host().map_err(told)?), &expected, 1e-6)?;
    let changes = expected.iter().map(|rank| (rank - before[0]).abs());
    near("the change", &[change], &[changes.fold(0.0, f32::max)], 1e-4)
}

fn race(setup: &Setup, pages: usize) -> Made {
    let graph = Graph::new(&setup.space, pages).map_err(told)?;
    let ranks = Ranks::new(&setup.space, &graph).map_err(told)?;
    let data = (graph, ranks);
    let links = data.0.sources.len();
    let before = vec![1.0 / pages as f32; pages];
    let expected = plain(&data.0, &before);
    let lineup = setup.race(
        data,
        Work { bytes: 8 * links + 24 * pages, elements: links },
        |space, (graph, ranks)| iterate(space, graph, ranks).map(drop),
        source!("page_rank"),
        move |peer, (graph, Ranks { rank, shared, .. })| {
            let offsets = graph.offsets.view();
            let arrays = [
                read(offsets.as_slice().expect("offsets are dense")),
                read(slice(&graph.sources)),
                read(slice(&graph.leaving)),
                out(slice_mut(rank)),
                out(slice_mut(shared)),
            ];
            // SAFETY: the source reads pages + 1 offsets, the links between them and three numbers of each page, and writes two of these.
            unsafe { peer.call(&arrays, &[pages]) };
        },
        move |(_, ranks)| near("rank", slice(&ranks.rank), &expected, 1e-5),
    )?;
    Ok(Box::new(lineup.before(move |(graph, ranks)| {
        slice_mut(&mut ranks.rank).fill(1.0 / pages as f32);
        for (shared, &leaving) in slice_mut(&mut ranks.shared).iter_mut().zip(slice(&graph.leaving)) {
            *shared = share(1.0 / pages as f32, leaving);
        }
    })))
}
