//! The mesh of the exercise: a strip with one quadrilateral on each rank.

use spelt::Result;
use spelt::mpi::Mpi;
use spelt::prelude::*;

/// The four values of this rank's nodes: each quadrilateral sends 1 to each of its corners.
///
/// A rank has the two nodes to the left of its quadrilateral, at indices 0 and 3; those to the right, at indices 1 and 2, only if it is the
/// last one. The values of others are 0.
pub(crate) fn values<S: ExecutionSpace + 'static>(space: &Mpi<'_, S>, repeats: usize) -> Result<[f64; 4]> {
    let (ranks, local) = (space.ranks(), space.local());
    let (rank, count) = (ranks.rank(), ranks.size());
    let cuts: Vec<usize> = (0..count).map(|rank| 2 * rank).chain([2 * count + 2]).collect();
    let plan = ranks.plan("corners", local, &cuts, &corners(rank, count))?;
    let contributions = local.view_from_fn("contributions", [4], |_| 1.0)?;
    let mut found = Vec::new();
    for _ in 0..repeats {
        let mut values = local.zeros("values", [plan.rows()])?;
        plan.back("contributions", (&contributions, &mut values, Sum::<f64>::new()))?;
        found = values.to_host()?.to_vec();
    }
    Ok(match found[..] {
        [lower, upper] => [lower, 0.0, 0.0, upper],
        _ => core::array::from_fn(|index| found.get(index).copied().unwrap_or(0.0)),
    })
}

/// The nodes of a rank's quadrilateral, counter-clockwise, of those of all ranks one after the other.
fn corners(rank: usize, ranks: usize) -> [usize; 4] {
    // The last rank has four nodes, and its upper left one is the last.
    let left =
        |rank: usize| if rank + 1 == ranks { [2 * rank, 2 * rank + 3] } else { [2 * rank, 2 * rank + 1] };
    let [lower, upper] = left(rank);
    let [right, upper_right] = if rank + 1 == ranks { [lower + 1, lower + 2] } else { left(rank + 1) };
    [lower, right, upper_right, upper]
}
