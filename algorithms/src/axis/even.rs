//! The distribution of a few nodes of one block over threads.

use core::ops::Range;

use super::columns::MIN_COLUMNS;

/// The nodes for each thread above which none is cut for threads to have as much as others. Unit: nodes. Source: a thread that has one more is
/// late by an eighth then.
const MAX_WHOLE: usize = 8;

/// The units of a launch over the nodes of one block. The last nodes, which would be one more for some threads than for others, are cut into
/// pieces of their columns, as many for each thread.
#[derive(Clone, Copy)]
pub(super) struct Even {
    threads: usize,
    /// The nodes of each thread that are not cut.
    whole: usize,
    /// The pieces of each thread, and those of a node.
    cut: usize,
    pieces: usize,
}

impl Even {
    /// `None` if nothing has to be cut, or pieces would have few columns.
    pub(super) fn new(nodes: usize, threads: usize, columns: usize) -> Option<Self> {
        let (whole, late) = (nodes / threads, nodes % threads);
        // The pieces of all late nodes are as many for each thread.
        let pieces = (1..=columns / MIN_COLUMNS).find(|pieces| (late * pieces).is_multiple_of(threads))?;
        (0 < whole && whole <= MAX_WHOLE && late > 0).then(|| Self {
            threads,
            whole,
            cut: late * pieces / threads,
            pieces,
        })
    }

    /// The number of units: as many for each thread, in this order.
    pub(super) fn count(self) -> usize {
        self.threads * (self.whole + self.cut)
    }

    /// The node of a unit, and its piece if the node is cut.
    pub(super) fn get(self, unit: usize) -> (usize, Option<usize>) {
        let (thread, number) = (unit / (self.whole + self.cut), unit % (self.whole + self.cut));
        match number.checked_sub(self.whole) {
            None => (thread * self.whole + number, None),
            Some(number) => {
                let piece = thread * self.cut + number;
                (self.threads * self.whole + piece / self.pieces, Some(piece % self.pieces))
            }
        }
    }

    /// The columns of a piece, of so many.
    pub(super) fn columns(self, piece: usize, columns: usize) -> Range<usize> {
        columns * piece / self.pieces..columns * (piece + 1) / self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::{Even, MAX_WHOLE};

    #[test]
    fn each_thread_has_as_much_and_each_column_is_reduced_once() {
        for (threads, nodes, columns) in
            [(2, 5, 1000), (2, 3, 129), (3, 4, 200), (3, 5, 1000), (4, 6, 130), (6, 16, 192)]
        {
            let even = Even::new(nodes, threads, columns).expect("uneven, with columns enough");
            let of_thread = even.count() / threads;
            let mut seen = vec![vec![0; columns]; nodes];
            let mut shares = vec![0; threads];
            for unit in 0..even.count() {
                let (node, piece) = even.get(unit);
                let columns = piece.map_or(0..columns, |piece| even.columns(piece, columns));
                shares[unit / of_thread] += columns.len();
                seen[node][columns].iter_mut().for_each(|seen| *seen += 1);
            }
            assert!(
                seen.iter().flatten().all(|&seen| seen == 1),
                "{nodes} nodes of {columns} columns for {threads}"
            );
            let most = nodes * columns / threads + nodes;
            assert!(shares.iter().all(|&share| share <= most), "{shares:?}");
        }
        // Even as it is, fewer nodes than threads, many nodes, and few columns.
        for (threads, nodes, columns) in
            [(2, 4, 1000), (2, 1, 1000), (2, 2 * MAX_WHOLE + 3, 1000), (2, 5, 100), (3, 4, 128), (1, 5, 1000)]
        {
            assert!(
                Even::new(nodes, threads, columns).is_none(),
                "{nodes} nodes of {columns} columns for {threads}"
            );
        }
    }
}
