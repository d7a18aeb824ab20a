//! The rows that a rank holds of a distributed View: its own, and copies of its neighbours'.

use core::any::{Any, TypeId};
use core::fmt;
use core::ops::Range;
use std::rc::Rc;

use spelt_core::{
    Description, Element, Error, ErrorKind, HostSpace, MemorySpace, OffsetView, Portable, Result, ViewMut,
    ViewRef, deep_copy,
};

use super::Partition;
use super::device_rows::DeviceRows;
use super::staging::Staging;
use crate::device_memory::DeviceMemory;
use crate::wire::Hash;

/// The facts of a distributed View that do not depend on its type, and its elements.
pub(crate) struct Held {
    /// Shared, so that a launch keeps it without a copy.
    pub(crate) label: Rc<str>,
    pub(crate) partition: Partition,
    pub(crate) rank: usize,
    /// The extents of the whole View.
    pub(crate) extents: Vec<usize>,
    /// Whether the row after the last is the first.
    pub(crate) periodic: bool,
    /// The numbers of rows of other ranks for which there is memory here: below and above the own ones.
    pub(crate) room: [usize; 2],
    /// The reach within which all ranks have copies of the rows as they are now. At the ends of the View there are fewer.
    pub(crate) current: [usize; 2],
    /// The number of the last launch over all ranks that wrote it, or found it written: the same on all ranks, and different for Views that
    /// different launches wrote.
    version: u64,
    /// Whether it has been borrowed to write since the last launch over all ranks that borrowed it exclusively.
    written: bool,
    /// The access that the launch under way needs.
    pub(crate) access: Access,
    /// The type of the elements.
    elements: &'static str,
    pub(crate) rows: Box<dyn Storage>,
}

/// The access of a kernel to a distributed View.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// At the witness, of this rank. Policies of another rank have it in this dimension, if any.
    Read(Indexed),
    /// As `Read`, to write.
    Write(Indexed),
    /// Up to these numbers of places below and above the witness in each dimension.
    Halo(Reach),
    /// As `Halo`, of a View whose rows are on their way.
    UnderWay(Reach),
}

/// The numbers of places that a halo reaches over below and above a witness, in each dimension. Without memory of its own: a launch asks for it
/// some ten times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    sides: [[usize; 2]; MAX_RANK],
    rank: usize,
}

impl Reach {
    /// Those of all dimensions, by their numbers.
    pub(crate) fn new(rank: usize, side: impl Fn(usize) -> [usize; 2]) -> Self {
        let mut sides = [[0; 2]; MAX_RANK];
        sides[..rank].iter_mut().enumerate().for_each(|(dimension, sides)| *sides = side(dimension));
        Self { sides, rank }
    }
}

impl core::ops::Deref for Reach {
    type Target = [[usize; 2]];
    fn deref(&self) -> &[[usize; 2]] {
        &self.sides[..self.rank]
    }
}

/// The dimensions by which a witness indexes a View.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Indexed {
    /// All, if it has as many.
    All,
    /// The first, with the first component of a witness of any rank.
    Rows,
}

/// The most dimensions of a View.
pub(crate) const MAX_RANK: usize = Description::SCALAR.extents.len();

impl Held {
    /// A View of which nothing has been written.
    pub(crate) fn new<T: Element + Portable, const R: usize, M: MemorySpace>(
        label: &str,
        partition: Partition,
        rank: usize,
        extents: [usize; R],
        rows: Local<T, R, M>,
    ) -> Self {
        Self {
            label: label.into(),
            partition,
            rank,
            extents: extents.to_vec(),
            periodic: false,
            room: [0, 0],
            current: [0, 0],
            version: 0,
            written: false,
            access: Access::Read(Indexed::All),
            elements: core::any::type_name::<T>(),
            rows: Box::new(rows),
        }
    }

    /// The rows of this rank.
    pub(crate) fn own(&self) -> Range<usize> {
        self.partition.rows(self.rank)
    }

    /// The numbers of rows below and above the own ones that a halo of this reach touches: none where the View ends.
    pub(crate) fn ghosts(&self, reach: [usize; 2]) -> [usize; 2] {
        ghosts(&self.partition, self.rank, reach, self.periodic)
    }

    /// The reach of the launch under way in the rows.
    pub(crate) fn reach(&self) -> [usize; 2] {
        match &self.access {
            Access::Halo(reach) | Access::UnderWay(reach) => reach[0],
            Access::Read(_) | Access::Write(_) => [0, 0],
        }
    }

    /// Whether the launch under way would read rows of other ranks that are old. All ranks know this of each other: `current` is that of
    /// the View, before it is cut at its ends.
    pub(crate) fn is_old(&self) -> bool {
        let (reach, current) = (self.reach(), self.current);
        reach[0] > current[0] || reach[1] > current[1]
    }

    /// Makes room for the reach of the launch under way.
    pub(crate) fn make_room(&mut self) -> Result<()> {
        let needed = self.ghosts(self.reach());
        let wanted = [0, 1].map(|side| self.room[side].max(needed[side]));
        if wanted != self.room {
            // A `usize` that counts rows of a View fits into `isize`.
            let first = self.own().start.cast_signed() - wanted[0].cast_signed();
            self.rows.resize(&self.label, self.room, wanted, first)?;
            self.room = wanted;
        }
        Ok(())
    }

    /// The first row with memory, which is negative below a periodic border.
    pub(crate) fn first_row(&self) -> isize {
        self.own().start.cast_signed() - self.room[0].cast_signed()
    }

    /// Rows of this rank, counted from the first one with memory.
    pub(crate) fn places_of(&self, rows: &Range<usize>) -> Range<usize> {
        let first = self.first_row();
        let place = |row: usize| (row.cast_signed() - first).cast_unsigned();
        place(rows.start)..place(rows.end)
    }

    /// Somebody writes the own rows: copies of them are old.
    pub(crate) fn touch(&mut self) {
        self.current = [0, 0];
        self.written = true;
    }

    /// The launch over all ranks with this number borrows the View exclusively.
    pub(crate) fn launch(&mut self, number: u64) {
        let writes = matches!(self.access, Access::Write(_));
        if writes || self.written {
            self.version = number;
        }
        self.written = false;
        if writes {
            self.touch();
        }
    }

    /// Adds what all ranks know of this View and of the launch's access to it, as messages tell one another.
    pub(crate) fn facts(&self, access: &Access, facts: Hash) -> Hash {
        let [below, above] = self.current;
        let flags = [self.periodic, self.written].map(usize::from);
        let facts = facts.text(&self.label).text(self.elements).number(self.version);
        let facts = facts.numbers([flags[0], flags[1], below, above, self.extents.len()]);
        let facts = facts.numbers(self.extents.iter().copied());
        match access {
            Access::Read(_) => facts.number(0),
            Access::Write(_) => facts.number(1),
            Access::Halo(reach) => facts.number(2).numbers(reach.iter().flatten().copied()),
            Access::UnderWay(reach) => facts.number(3).numbers(reach.iter().flatten().copied()),
        }
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("label", &self.label).field("rows", &self.own()).finish_non_exhaustive()
    }
}

/// The numbers of rows below and above those of `rank` that a halo of this reach touches.
pub(crate) fn ghosts(partition: &Partition, rank: usize, reach: [usize; 2], periodic: bool) -> [usize; 2] {
    let own = partition.rows(rank);
    match (own.is_empty(), periodic) {
        (true, _) => [0, 0],
        (false, true) => reach,
        (false, false) => [reach[0].min(own.start), reach[1].min(partition.len() - own.end)],
    }
}

/// The memory of the rows, of any type of element.
pub(crate) trait Storage: Any {
    /// Moves all rows into new memory with at least as many rows of other ranks on both sides; the first one with memory is then `first`.
    fn resize(&mut self, label: &str, old: [usize; 2], new: [usize; 2], first: isize) -> Result<()>;
    /// Appends the elements of rows, counted from the first one with memory.
    fn pack(&self, rows: Range<usize>, bytes: &mut Vec<u8>) -> Result<()>;
    /// Replaces the elements of rows by the first ones in `bytes`.
    fn unpack(&mut self, rows: Range<usize>, bytes: &mut &[u8]) -> Result<()>;
    /// The bytes of this number of rows in a message, if their elements have the form there that they have in memory.
    fn bytes(&self, count: usize) -> Option<usize>;
    /// Whether the host cannot reach the elements.
    fn is_on_device(&self) -> bool;
    /// This number of rows in a message in the memory of a device; `None` if they are not there, or have another form in messages.
    fn device_rows(&self, count: usize) -> Option<DeviceRows>;
    /// A block of the memory of the rows for a message, which nothing uses; `None` if there is no memory for it.
    fn block(&self, len: usize) -> Result<Option<Rc<dyn DeviceMemory>>>;
    /// Copies rows, counted as by `pack`, into a message in the same memory, to where `at` is.
    fn pack_on_device(&self, rows: Range<usize>, to: &dyn DeviceMemory, at: usize) -> Result<()>;
    /// Replaces rows by those of such a message at `at`.
    fn unpack_on_device(&mut self, rows: Range<usize>, from: &dyn DeviceMemory, at: usize) -> Result<()>;
}

/// The memory of the rows.
pub(crate) struct Local<T: Element, const R: usize, M: MemorySpace> {
    /// Indices are those of the whole View.
    pub(crate) view: OffsetView<T, R, M>,
    pub(crate) staging: Box<dyn Staging<T, R, M>>,
}

impl<T: Element + Portable, const R: usize, M: MemorySpace> Storage for Local<T, R, M> {
    fn resize(&mut self, label: &str, old: [usize; 2], new: [usize; 2], first: isize) -> Result<()> {
        let mut extents = self.view.as_view().extents();
        // Copies of one side may be current when there is room for more on the other.
        let kept = new[0] - old[0]..new[0] - old[0] + extents[0];
        extents[0] = kept.end + new[1] - old[1];
        let mut wider = self.staging.zeros(label, extents)?;
        deep_copy(&mut rows_mut(wider.view_mut(), kept), &self.view.as_view())?;
        let mut origin = self.view.origin();
        origin[0] = first;
        self.view = wider.with_origin(origin)?;
        Ok(())
    }

    fn pack(&self, range: Range<usize>, bytes: &mut Vec<u8>) -> Result<()> {
        let on_host = (&self.view as &dyn Any).downcast_ref::<OffsetView<T, R, HostSpace>>();
        match on_host.map(|view| rows(view.as_view(), range.clone())).as_ref().and_then(ViewRef::as_slice) {
            Some(slice) => T::write_slice(slice, bytes),
            None => {
                let rows = rows(self.view.as_view(), range);
                self.staging.read(rows, &mut |elements| T::write_slice(elements, bytes))?;
            }
        }
        Ok(())
    }

    fn unpack(&mut self, range: Range<usize>, bytes: &mut &[u8]) -> Result<()> {
        let few = || {
            let message = format!(
                "a message has too few bytes for the rows {range:?} of a View, or other elements: all ranks must have the \
                                   same types"
            );
            Error::new(ErrorKind::Communication, message)
        };
        let on_host = (&mut self.view as &mut dyn Any).downcast_mut::<OffsetView<T, R, HostSpace>>();
        if let Some(view) = on_host {
            let mut target = rows_mut(view.as_view_mut(), range.clone());
            return T::read_slice(target.as_mut_slice().unwrap_or_default(), bytes).ok_or_else(few);
        }
        let target = rows_mut(self.view.as_view_mut(), range.clone());
        self.staging.write(target, &mut |elements| T::read_slice(elements, bytes))?.ok_or_else(few)
    }

    fn bytes(&self, count: usize) -> Option<usize> {
        let row: usize = self.view.as_view().extents()[1..].iter().product();
        const { T::FORM.is_memory() }.then(|| count * row * size_of::<T>())
    }

    fn is_on_device(&self) -> bool {
        const { !M::HOST_ACCESSIBLE }
    }

    fn device_rows(&self, count: usize) -> Option<DeviceRows> {
        if const { M::HOST_ACCESSIBLE } {
            return None;
        }
        let bytes = self.bytes(count)?;
        Some(DeviceRows { memory: TypeId::of::<M>(), bytes, alignment: align_of::<T>() })
    }

    fn block(&self, len: usize) -> Result<Option<Rc<dyn DeviceMemory>>> {
        self.staging.block(len)
    }

    fn pack_on_device(&self, range: Range<usize>, to: &dyn DeviceMemory, at: usize) -> Result<()> {
        self.staging.pack(rows(self.view.as_view(), range), to, at)
    }

    fn unpack_on_device(&mut self, range: Range<usize>, from: &dyn DeviceMemory, at: usize) -> Result<()> {
        self.staging.unpack(rows_mut(self.view.as_view_mut(), range), from, at)
    }
}

/// Some rows of a View, which are contiguous.
pub(crate) fn rows<T: Element, const R: usize, M: MemorySpace>(
    view: ViewRef<'_, T, R, M>,
    rows: Range<usize>,
) -> ViewRef<'_, T, R, M> {
    view.split_outer_at(rows.end).0.split_outer_at(rows.start).1
}

/// As [`rows`], to write.
pub(crate) fn rows_mut<T: Element, const R: usize, M: MemorySpace>(
    view: ViewMut<'_, T, R, M>,
    rows: Range<usize>,
) -> ViewMut<'_, T, R, M> {
    view.split_outer_at(rows.end).0.split_outer_at(rows.start).1
}
