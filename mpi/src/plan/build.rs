//! A plan, from the indices that each rank wants.

use std::collections::BTreeMap;

use spelt_core::{Error, ErrorKind, ExecutionSpace, Portable, Result, View, deep_copy};

use super::{Indices, Lists, Peer, Plan};
use crate::communicator::Communicator;
use crate::device_memory::Blocks;
use crate::reduction::hash_of_cuts;
use crate::schedules;
use crate::views::elements::Between;
use crate::wire::Kind;

/// Rows of one owner for one rank.
#[derive(Debug, Default)]
struct Wish {
    /// The ghosts of the rank that wants them.
    ghosts: Vec<usize>,
    /// The row of each of these ghosts, counted from the owner's first.
    rows: Vec<usize>,
}

/// The wishes of one rank by owner, or those to one rank by asker.
type Wishes = BTreeMap<usize, Wish>;

impl Communicator {
    /// Makes a [`Plan`] for arrays whose rows are divided among the ranks: rank r has those from `cuts[r]` to `cuts[r + 1]`. This rank wants the
    /// rows `wanted`, in this order, as its ghosts. Launches of the plan run on `space`.
    ///
    /// All ranks give the same cuts, one more than there are ranks, from 0 to the number of rows; each gives its own list, which may be
    /// empty, repeat indices, and name rows of its own.
    ///
    /// # Errors
    /// If the cuts do not ascend from 0, an index is not below the last one, there is no memory, a rank makes another call (with other cuts, too), or a
    /// transfer fails.
    ///
    /// # Complexity
    /// log2 P messages for each of P ranks, in log2 P steps; each index travels through up to log2 P ranks (as by [`Communicator::deliver`]). Sorting
    /// takes O(n log n) for n indices wanted, and for those that others want of this rank.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{Serial, View};
    /// use spelt_mpi::InProcess;
    /// let rows = InProcess::new(2).run(|ranks| {
    ///     let space = Serial::new();
    ///     let plan = ranks.plan("reversed", &space, &[0, 1, 3], &[2, 1, 0])?;
    ///     let own = View::from_fn("own", [plan.rows()], |[i]| ["a", "b", "c"][ranks.rank() + i].as_bytes()[0])?;
    ///     let mut reversed = View::zeros("reversed", [3])?;
    ///     plan.forward("reversed", (&own, &mut reversed))?;
    ///     Ok::<Vec<u8>, spelt_core::Error>(reversed.to_vec())
    /// });
    /// for rows in rows {
    ///     assert_eq!(rows?, b"cba");
    /// }
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    pub fn plan<'c, S: ExecutionSpace>(
        &'c self,
        label: &str,
        space: &'c S,
        cuts: &[usize],
        wanted: &[usize],
    ) -> Result<Plan<'c, S>> {
        let n = self.check_cuts(label, cuts)?;
        if let Some(index) = wanted.iter().find(|index| **index >= n) {
            let message =
                format!("`{label}`: rank {} wants row {index}, but there are {n} rows", self.rank());
            return Err(Error::new(ErrorKind::Extents, message));
        }
        let (rank, place) = (self.rank(), [self.rank(), self.size()]);
        let (rows, ghosts) = (cuts[rank + 1] - cuts[rank], wanted.len());
        self.collective(Kind::Plan, hash_of_cuts(cuts), label, |ongoing| {
            let own_wishes = by_owner(cuts, wanted);
            let away = own_wishes.iter().filter(|(owner, _)| **owner != rank);
            let pieces = away.map(|(owner, wish)| (*owner, to_bytes(&wish.rows))).collect();
            let mut wishes_of_others = Wishes::new();
            for (from, bytes) in schedules::deliver(ongoing, place, pieces)? {
                let rows = from_bytes(&bytes, Between { label, from, to: rank }, rows)?;
                wishes_of_others.insert(from, Wish { ghosts: Vec::new(), rows });
            }
            let (targets, offsets, contributions) = joins(rank, ghosts, &own_wishes, &wishes_of_others);
            let list = |name, numbers: Vec<usize>| indices(space, name, numbers);
            let lists = Lists {
                sent: list(
                    "sent",
                    wishes_of_others.values().flat_map(|wish| distinct(&wish.rows)).collect(),
                )?,
                sources: list("sources", sources(rank, [rows, ghosts], &own_wishes))?,
                returned: list("returned", returned(rank, &own_wishes))?,
                targets: list("targets", targets)?,
                offsets: list("offsets", offsets)?,
                contributions: list("contributions", contributions)?,
            };
            let [owners, askers] = [&own_wishes, &wishes_of_others].map(|wishes| peers(rank, wishes));
            Ok(Plan {
                ranks: self,
                space,
                number: ongoing.number() as usize,
                rows,
                ghosts,
                owners,
                askers,
                lists,
                blocks: Blocks::default(),
            })
        })
    }
}

/// The indices that this rank wants, by the ranks that have them.
fn by_owner(cuts: &[usize], wanted: &[usize]) -> Wishes {
    let mut wishes = Wishes::new();
    for (ghost, index) in wanted.iter().enumerate() {
        // The last cut that is not above the index: ranks before it with the same cut have no rows.
        let owner = cuts.partition_point(|cut| cut <= index) - 1;
        let wish = wishes.entry(owner).or_default();
        wish.ghosts.push(ghost);
        wish.rows.push(index - cuts[owner]);
    }
    wishes
}

/// The other ranks among these, and the rows in messages with them.
fn peers(rank: usize, wishes: &Wishes) -> Vec<Peer> {
    let others = wishes.iter().filter(|(other, _)| **other != rank);
    others
        .map(|(other, wish)| Peer {
            rank: *other,
            forward: distinct(&wish.rows).len(),
            back: wish.rows.len(),
        })
        .collect()
}

/// The rows of a list, ascending, each once: those of a message forward.
fn distinct(rows: &[usize]) -> Vec<usize> {
    let mut rows = rows.to_vec();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The place of each ghost's row: own rows first, then those of the messages forward.
fn sources(rank: usize, [rows, ghosts]: [usize; 2], wishes: &Wishes) -> Vec<usize> {
    let (mut sources, mut first) = (vec![0; ghosts], rows);
    for (owner, wish) in wishes {
        if *owner == rank {
            wish.ghosts.iter().zip(&wish.rows).for_each(|(ghost, row)| sources[*ghost] = *row);
            continue;
        }
        let sent = distinct(&wish.rows);
        for (ghost, row) in wish.ghosts.iter().zip(&wish.rows) {
            sources[*ghost] = first + sent.partition_point(|other| other < row);
        }
        first += sent.len();
    }
    sources
}

/// The ghosts of the messages back.
fn returned(rank: usize, wishes: &Wishes) -> Vec<usize> {
    wishes.iter().filter(|(owner, _)| **owner != rank).flat_map(|(_, wish)| &wish.ghosts).copied().collect()
}

/// The own rows that ghosts are joined to, the first contribution of each, and the places of the contributions: own ghosts first, then those of
/// the messages back.
fn joins(rank: usize, ghosts: usize, own: &Wishes, others: &Wishes) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
    let mut joins = Vec::new();
    let mut first = ghosts;
    let own_ghosts = |joins: &mut Vec<(usize, usize)>| {
        let wish = own.get(&rank).into_iter();
        joins.extend(wish.flat_map(|wish| wish.rows.iter().copied().zip(wish.ghosts.iter().copied())));
    };
    for (_, wish) in others.range(..rank) {
        joins.extend(wish.rows.iter().copied().zip(first..));
        first += wish.rows.len();
    }
    own_ghosts(&mut joins);
    for (_, wish) in others.range(rank..) {
        joins.extend(wish.rows.iter().copied().zip(first..));
        first += wish.rows.len();
    }
    // Stable: the contributions of a row stay in the order of the ranks and of their lists.
    joins.sort_by_key(|(row, _)| *row);
    let (mut targets, mut offsets) = (Vec::new(), Vec::new());
    for (number, (row, _)) in joins.iter().enumerate() {
        if targets.last() != Some(row) {
            targets.push(*row);
            offsets.push(number);
        }
    }
    offsets.push(joins.len());
    (targets, offsets, joins.into_iter().map(|(_, place)| place).collect())
}

/// A list in the memory of a space.
fn indices<S: ExecutionSpace>(space: &S, name: &str, numbers: Vec<usize>) -> Result<Indices<S>> {
    let mut list = space.zeros(format!("plan: {name}"), [numbers.len()])?;
    deep_copy(&mut list, &View::from_vec(name, [numbers.len()], numbers)?)?;
    Ok(list)
}

fn to_bytes(rows: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 * rows.len());
    usize::write_slice(rows, &mut bytes);
    bytes
}

/// The wanted rows of a message, all below `rows`.
fn from_bytes(mut bytes: &[u8], between: Between<'_>, rows: usize) -> Result<Vec<usize>> {
    let mut list = vec![0; bytes.len() / 8];
    between.elements(&mut list, &mut bytes)?;
    between.end(bytes)?;
    match list.iter().find(|row| **row >= rows) {
        None => Ok(list),
        Some(row) => {
            let Between { label, from, to } = between;
            let message = format!("`{label}`: rank {from} wants row {row} of rank {to}, which has {rows}");
            Err(Error::new(ErrorKind::Communication, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{by_owner, joins, returned, sources};

    #[test]
    fn owners_of_empty_shares_have_no_rows() {
        let wishes = by_owner(&[0, 0, 3, 3, 4, 4], &[3, 0, 2, 3]);
        assert_eq!(wishes.keys().copied().collect::<Vec<_>>(), [1, 3]);
        assert_eq!((&wishes[&1].ghosts[..], &wishes[&1].rows[..]), (&[1, 2][..], &[0, 2][..]));
        assert_eq!((&wishes[&3].ghosts[..], &wishes[&3].rows[..]), (&[0, 3][..], &[0, 0][..]));
    }

    #[test]
    fn places_of_rows_and_ghosts() {
        // Rank 1 has the rows 2 and 3.
        let own = by_owner(&[0, 2, 4, 6], &[5, 3, 0, 5, 1, 3]);
        assert_eq!(sources(1, [2, 6], &own), [4, 1, 2, 4, 3, 1]);
        assert_eq!(returned(1, &own), [2, 4, 0, 3]);
        let others = [(0, vec![1, 1]), (2, vec![0, 1])];
        let others =
            others.into_iter().map(|(rank, rows)| (rank, super::Wish { ghosts: vec![], rows })).collect();
        let (targets, offsets, contributions) = joins(1, 6, &own, &others);
        assert_eq!((targets, offsets), (vec![0, 1], vec![0, 1, 6]));
        assert_eq!(contributions, [8, 6, 7, 1, 5, 9]);
    }
}
