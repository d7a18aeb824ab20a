//! The rows of other ranks that a launch reads: which rank has them, and their way here.

use core::ops::Range;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use spelt_core::{Divided, Error, ErrorKind, KernelArgs, Result};

use super::Partition;
use super::device_rows::{Filling, Place, Rest};
use super::storage::{Held, ghosts};
use crate::message::{Arrived, Room};
use crate::ongoing::Ongoing;

/// Neighbouring rows of one rank that another one holds copies of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    owner: usize,
    /// Their numbers.
    rows: Range<usize>,
    /// The number under which the copies' holder has the first one: below 0, or above the View's, where a border is periodic.
    place: isize,
}

/// The rows around those of `rank` within this reach.
fn pieces(partition: &Partition, rank: usize, reach: [usize; 2], periodic: bool) -> Vec<Piece> {
    let own = partition.rows(rank);
    let [below, above] = ghosts(partition, rank, reach, periodic).map(usize::cast_signed);
    let (start, end) = (own.start.cast_signed(), own.end.cast_signed());
    let mut pieces = Vec::new();
    for side in [start - below..start, end..end + above] {
        let mut place = side.start;
        while place < side.end {
            let row = place.rem_euclid(partition.len().cast_signed()).cast_unsigned();
            let owner = partition.owner(row);
            let count = (partition.rows(owner).end - row).min((side.end - place).cast_unsigned());
            pieces.push(Piece { owner, rows: row..row + count, place });
            place += count.cast_signed();
        }
    }
    pieces
}

/// The rows of `rank` of which other ranks, and itself across a periodic border, hold copies: with each rank, ascending.
fn wanted(
    partition: &Partition,
    rank: usize,
    reach: [usize; 2],
    periodic: bool,
) -> Vec<(usize, Range<usize>)> {
    if partition.rows(rank).is_empty() {
        return Vec::new();
    }
    // A rank whose rows below reach into the own ones begins within that reach above them, and the reverse.
    let mut holders: Vec<usize> = pieces(partition, rank, [reach[1], reach[0]], periodic)
        .into_iter()
        .map(|piece| piece.owner)
        .collect();
    holders.sort_unstable();
    holders.dedup();
    holders
        .into_iter()
        .flat_map(|holder| {
            let of_holder = pieces(partition, holder, reach, periodic).into_iter();
            of_holder.filter(|piece| piece.owner == rank).map(move |piece| (holder, piece.rows))
        })
        .collect()
}

/// Messages on their way between this rank and its neighbours.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The rows for this rank itself, across a periodic border.
    own: Option<Arrived>,
    /// The other ranks whose messages come, in the order of their receives.
    from: Vec<usize>,
}

/// The places of the messages to each rank and from each.
type Places = [BTreeMap<usize, Place>; 2];

impl Exchange {
    /// Sends the rows that other ranks want of all Views whose copies are old, in one message to each, and starts to receive theirs.
    ///
    /// # Errors
    /// If there is no memory for the copies, or a transfer fails.
    pub(crate) fn start<A: KernelArgs>(ongoing: &mut Ongoing<'_>, args: &mut A) -> Result<Self> {
        let places = if ongoing.takes_device_memory() { places(args)? } else { Places::default() };
        let place = |side: usize, rank| places[side].get(&rank).copied().unwrap_or_default();
        // Receives first, so that messages find the memory for them.
        let mut from = BTreeMap::new();
        let mut own_rank = 0;
        each_old(args, |held| {
            held.make_room()?;
            own_rank = held.rank;
            for piece in pieces(&held.partition, held.rank, held.reach(), held.periodic) {
                if piece.owner != held.rank {
                    let bytes = held.rows.bytes(piece.rows.len());
                    match from.entry(piece.owner) {
                        Entry::Vacant(entry) => {
                            let block = place(1, piece.owner).block(&*held.rows)?;
                            entry.insert(
                                block.map_or_else(|| bytes.map_or(Room::None, Room::Host), Room::Device),
                            );
                        }
                        Entry::Occupied(entry) => entry.into_mut().add(bytes),
                    }
                }
            }
            Ok(())
        })?;
        let ranks = from.keys().copied().collect();
        for (rank, room) in from {
            ongoing.post(rank, room)?;
        }
        let mut messages = BTreeMap::<usize, Filling>::new();
        each_old(args, |held| {
            let rows = &*held.rows;
            for (holder, range) in wanted(&held.partition, held.rank, held.reach(), held.periodic) {
                let message = match messages.entry(holder) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let buffer = || ongoing.buffers().empty(rows.bytes(range.len()).unwrap_or_default());
                        entry.insert(Filling::new(place(0, holder).block(rows)?, buffer))
                    }
                };
                ongoing.count_staged(message.append(rows, held.places_of(&range))?);
            }
            Ok(())
        })?;
        let own = messages.remove(&own_rank).map(Arrived::from);
        for (rank, message) in messages {
            ongoing.send(rank, message)?;
        }
        Ok(Self { own, from: ranks })
    }

    /// Waits for the messages, and puts the rows where the kernel reads them.
    ///
    /// # Errors
    /// If a transfer fails, or a message has other elements.
    pub(crate) fn finish<A: KernelArgs>(self, ongoing: &mut Ongoing<'_>, args: &mut A) -> Result<()> {
        let received = ongoing.arrived()?;
        let mut messages: BTreeMap<usize, Rest<'_>> =
            self.from.iter().copied().zip(received.iter().map(Rest::of)).collect();
        let mut own = self.own.as_ref().map_or(Rest::Host(&[]), Rest::of);
        each_old(args, |held| {
            let reach = held.reach();
            for piece in pieces(&held.partition, held.rank, reach, held.periodic) {
                let place = (piece.place - held.first_row()).cast_unsigned();
                let message = match messages.get_mut(&piece.owner) {
                    Some(message) if piece.owner != held.rank => message,
                    _ => &mut own,
                };
                ongoing.count_staged(message.take(&mut *held.rows, place..place + piece.rows.len())?);
            }
            held.current = [0, 1].map(|side| held.current[side].max(reach[side]));
            Ok(())
        })?;
        if let Some((rank, rest)) = messages.iter().find(|(_, rest)| rest.len() > 0) {
            let message = format!(
                "rank {rank} sent {} bytes more than the rows have: all ranks must have the same types",
                rest.len()
            );
            return Err(Error::new(ErrorKind::Communication, message));
        }
        for message in received.into_iter().chain(self.own) {
            if let Arrived::Host(bytes) = message {
                ongoing.buffers().keep(bytes);
            }
        }
        Ok(())
    }
}

/// The places of the messages, where these may lie in the memory of devices.
fn places<A: KernelArgs>(args: &mut A) -> Result<Places> {
    let mut places = Places::default();
    each_old(args, |held| {
        let reach = held.reach();
        let sent = wanted(&held.partition, held.rank, reach, held.periodic);
        let received = pieces(&held.partition, held.rank, reach, held.periodic);
        let received = received.into_iter().map(|piece| (piece.owner, piece.rows));
        let mut add = |side: usize, rank, rows: Range<usize>| {
            let place: &mut Place = places[side].entry(rank).or_default();
            *place = place.with(held.rows.device_rows(rows.len()));
        };
        sent.into_iter().for_each(|(rank, rows)| add(0, rank, rows));
        received.for_each(|(rank, rows)| add(1, rank, rows));
        Ok(())
    })?;
    Ok(places)
}

/// Calls `f` with each View of which the kernel would read old copies.
fn each_old<A: KernelArgs>(args: &mut A, mut f: impl FnMut(&mut Held) -> Result<()>) -> Result<()> {
    let mut result = Ok(());
    A::divided(args, &mut |divided| {
        if let Divided::Exclusive(view, _) = divided
            && let Some(held) = view.downcast_mut::<Held>()
            && result.is_ok()
            && held.is_old()
        {
            result = f(held);
        }
    });
    result
}

#[cfg(test)]
mod tests {
    use super::{Partition, pieces, wanted};

    #[test]
    fn each_wanted_row_is_sent_once() {
        let partitions = [&[0, 3, 3, 4, 9, 9][..], &[0, 10], &[0, 0, 0, 7], &[0, 1, 2, 3, 4], &[0, 0]];
        for cuts in partitions {
            let partition = Partition::from_cuts(cuts).expect("ascending");
            let n = partition.len();
            for (reach, periodic) in [[0, 0], [1, 1], [2, 1], [0, 3], [4, 4]]
                .into_iter()
                .flat_map(|reach| [(reach, false), (reach, true)])
            {
                if periodic && reach.iter().any(|reach| *reach > n) {
                    continue;
                }
                let mut received = Vec::new();
                let mut sent = Vec::new();
                for rank in 0..partition.ranks() {
                    let own = partition.rows(rank);
                    let pieces = pieces(&partition, rank, reach, periodic);
                    let rows: Vec<usize> = pieces.iter().flat_map(|piece| piece.rows.clone()).collect();
                    let expected: Vec<usize> = (0..reach[0])
                        .rev()
                        .map(|back| own.start as isize - 1 - back as isize)
                        .chain((0..reach[1]).map(|on| (own.end + on) as isize))
                        .filter(|row| !own.is_empty() && (periodic || (0..n as isize).contains(row)))
                        .map(|row| row.rem_euclid(n as isize) as usize)
                        .collect();
                    assert_eq!(rows, expected, "{cuts:?} {reach:?} {periodic} rank {rank}");
                    received.extend(pieces.into_iter().map(|piece| (piece.owner, rank, piece.rows)));
                    sent.extend(
                        wanted(&partition, rank, reach, periodic)
                            .into_iter()
                            .map(|(to, rows)| (rank, to, rows)),
                    );
                }
                let by_ranks = |list: &mut Vec<(usize, usize, core::ops::Range<usize>)>| {
                    list.sort_by_key(|(from, to, _)| (*from, *to));
                };
                by_ranks(&mut received);
                by_ranks(&mut sent);
                assert_eq!(sent, received, "{cuts:?} {reach:?} {periodic}");
            }
        }
    }
}
