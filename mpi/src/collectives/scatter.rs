//! Bytes from one rank, other ones to each.

use spelt_core::{Error, ErrorKind, Result};

use super::{bundle, span};
use crate::Communicator;
use crate::envelope::Operation;

impl Communicator {
    /// The row of this rank, of the rows that the rank `root` has; those of the others are ignored.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast). If `root` has another number of rows than there are ranks, on all ranks.
    ///
    /// # Complexity
    /// As [`gather`](Self::gather).
    ///
    /// # Examples
    /// ```
    /// use spelt_mpi::LocalWorld;
    /// let found = LocalWorld::new(3).run(|ranks| ranks.scatter("rows", 1, vec![vec![], vec![7], vec![7, 7]]));
    /// let lengths: Vec<usize> = found.into_iter().map(|row| row.unwrap().unwrap().len()).collect();
    /// assert_eq!(lengths, [0, 1, 2]);
    /// ```
    pub fn scatter(&self, label: &str, root: usize, rows: Vec<Vec<u8>>) -> Result<Vec<u8>> {
        let call = self.collective(Operation::Scatter, label, root);
        self.check_root(&call, root)?;
        let (place, size) = (self.place_from(root), self.size());
        let span = span(place, size);
        let mut rows = match place {
            0 => rows,
            _ => bundle::unpack(&self.take(&call, self.expect(self.rank_at(root, place - span))?)?)?,
        };
        let whole = if place == 0 { size } else { span.min(size - place) };
        // The others have to hear of it too: they get no rows.
        let fits = rows.len() == whole;
        if place == 0 && fits {
            rows.rotate_left(root);
        }
        let mut posted = Vec::new();
        let mut distance = span / 2;
        while distance > 0 {
            if place + distance < size {
                let theirs = if fits { rows.split_off(distance) } else { Vec::new() };
                posted.push(self.post(
                    &call,
                    self.rank_at(root, place + distance),
                    &bundle::pack(theirs.iter()),
                )?);
            }
            distance /= 2;
        }
        posted.into_iter().try_for_each(|posted| self.finish(&call, posted))?;
        rows.into_iter().next().filter(|_| fits).ok_or_else(|| {
            Error::new(
                ErrorKind::Communication,
                format!("{call}: the root must have a row for each of the {size} ranks"),
            )
        })
    }
}
