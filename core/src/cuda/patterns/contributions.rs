//! The contributions of a launch to scattered Views, where their order matters: the bits are those of a host.
//!
//! Kernels keep them in device memory, in the order of arrival. When they have run, the host reads how many there are, and further kernels
//! sort them and join them to the View.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use spelt_access::{Contribution, Contributions, Element, KernelArgs, Layout, RawScatter, ScatterVisitor};
use spelt_kernels_gpu::contributions::{Entries, Parts, Step, fold_part, join_parts};
use spelt_kernels_gpu::intrinsics::{__spelt_block, __spelt_thread};
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::tuning::{FOR_THREADS, MAX_BLOCKS};
use spelt_reducers::Reducer;

use crate::cuda::{Cuda, DeviceBuffer, Launch, Use, Uses, driver};
use crate::described::Described;
use crate::device::FOR_KERNELS_ALONE;
use crate::{Error, ErrorKind, Result};

/// Contributions of an iteration for which there is room by default. Unit: contributions. Source: a sum over the neighbours of a particle,
/// or over the nodes of a cell and their components, makes fewer.
const EACH: usize = 64;

/// The least room by default. Unit: contributions. Source: a negligible part of a device's memory.
const LEAST_ROOM: usize = 1 << 16;

/// The share of the device's memory that room takes by default.
const SHARE: usize = 8;

/// The most room. Unit: contributions. Source: those of a part are counted in 32 bits.
const MAX_ROOM: usize = u32::MAX as usize;

/// The distance of the first entry from the number of entries. Unit: bytes. Source: the alignment of buffers.
const HEAD: usize = 256;

/// The thread's number in the launch.
#[inline(always)]
fn thread() -> usize {
    __spelt_block() as usize * FOR_THREADS as usize + __spelt_thread() as usize
}

/// The kernel of one step of the sort.
struct Sort<T>(PhantomData<T>);

#[repr(C)]
struct SortParams<T> {
    entries: Entries<T>,
    step: Step,
}

// SAFETY: the pairs of a step are disjoint.
unsafe impl<T: Element> Kernel for Sort<T> {
    type Params = SortParams<T>;

    /// # Safety
    /// The entries are written, and only this launch uses them.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        // SAFETY: each thread has a different pair, and by the contract the entries are written and this launch's.
        unsafe { params.entries.sort(&params.step, thread()) }
    }
}

/// The kernel that joins the contributions of each part.
struct FoldParts<T, Op>(PhantomData<(T, Op)>);

#[repr(C)]
struct FoldParams<T, Op> {
    entries: Entries<T>,
    parts: Parts,
    op: Op,
}

// SAFETY: each thread writes the entry of its number, and only reads those that no other thread writes.
unsafe impl<T: Element, Op: Reducer<Value = T> + Sync> Kernel for FoldParts<T, Op> {
    type Params = FoldParams<T, Op>;

    /// # Safety
    /// The entries are sorted, and only this launch uses them.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        // SAFETY: each thread has a different number, and by the contract the entries are sorted and this launch's.
        unsafe { fold_part(&params.entries, &params.parts, &params.op, thread()) }
    }
}

/// The kernel that joins the parts to the View.
struct JoinParts<T, Op>(PhantomData<(T, Op)>);

#[repr(C)]
struct JoinParams<T, Op> {
    entries: Entries<T>,
    target: *mut T,
    op: Op,
}

// SAFETY: each element belongs to the thread of its first entry.
unsafe impl<T: Element, Op: Reducer<Value = T> + Sync> Kernel for JoinParts<T, Op> {
    type Params = JoinParams<T, Op>;

    /// # Safety
    /// [`FoldParts`] has run over the entries; the target has every element that they name, and only this launch uses both.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        // SAFETY: each thread has a different number, and the contract is that of this function.
        unsafe { join_parts(&params.entries, params.target, &params.op, thread()) }
    }
}

/// The room for the contributions to one View.
struct Log {
    buffer: DeviceBuffer,
    room: usize,
    /// The View's address, by which messages find it.
    view: usize,
}

/// The contributions of one launch.
pub(super) struct Kept<'a> {
    space: &'a Cuda,
    label: &'a str,
    logs: Vec<Log>,
}

impl<'a> Kept<'a> {
    /// Room for the contributions of a launch of `iterations` iterations, in the arguments' raw forms. Where no order of contributions
    /// changes a bit, none is needed.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`].
    pub(super) fn begin<A: KernelArgs>(
        space: &'a Cuda,
        label: &'a str,
        args: &A,
        raw: &mut A::Raw,
        iterations: usize,
    ) -> Result<Self> {
        let mut kept = Self { space, label, logs: Vec::new() };
        A::scattered(
            raw,
            &mut Begin { kept: &mut kept, iterations, view: &|address| view_at(args, address) },
        )?;
        Ok(kept)
    }

    /// Joins them to the Views, when the kernels of the launch have been started.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if there were more contributions than there was room; then no View has changed. Those of the kernels.
    ///
    /// # Safety
    /// `raw` has the room of these contributions. The launch has passed each iteration's number as its part; `parts` cuts these numbers.
    pub(super) unsafe fn join<A: KernelArgs>(self, raw: &mut A::Raw, args: &A, parts: Parts) -> Result<()> {
        if self.logs.is_empty() && !FOR_KERNELS_ALONE {
            return Ok(());
        }
        let uses = &Uses::of(args);
        let counts = self.logs.iter().map(|log| self.count(log, args)).collect::<Result<Vec<_>>>()?;
        A::scattered(raw, &mut Join { kept: &self, counts: &mut counts.into_iter(), uses, parts })
    }

    /// The number of contributions in a log.
    fn count<A: KernelArgs>(&self, log: &Log, args: &A) -> Result<usize> {
        let mut count = [const { MaybeUninit::uninit() }];
        // SAFETY: the buffer begins with this number, which `begin` and the kernels have written.
        unsafe { self.space.copy_to_host(log.buffer.pointer().cast::<u64>().cast_const(), &mut count) }
            .map_err(|error| if error.kernel().is_some() { error } else { error.in_kernel(self.label) })?;
        // SAFETY: the copy has written it.
        let count = unsafe { count[0].assume_init() };
        if count <= log.room as u64 {
            return Ok(count as usize);
        }
        let message = lack(&view_at(args, log.view), count, log.room);
        Err(Error::new(ErrorKind::OutOfMemory, message).in_kernel(self.label))
    }

    /// Starts a kernel of `threads` threads, of which there are at most [`MAX_ROOM`].
    ///
    /// # Safety
    /// As for [`Cuda::launch`], with this number of threads, and some without work.
    unsafe fn launch<K: Kernel>(&self, threads: usize, uses: &[Use<'_>], params: K::Params) -> Result<()> {
        const { assert!(MAX_ROOM / FOR_THREADS as usize <= MAX_BLOCKS as usize) };
        let blocks = threads.div_ceil(FOR_THREADS as usize) as u32;
        let launch = Launch { label: self.label, blocks, threads: FOR_THREADS, shared_bytes: 0, uses };
        // SAFETY: by the contract.
        unsafe { self.space.launch::<K>(&launch, params) }
    }
}

/// The label of the argument's View at `address`.
fn view_at<A: KernelArgs>(args: &A, address: usize) -> String {
    let mut view = String::new();
    Described::new(args).visit(&mut |argument| {
        if argument.address == address {
            view = argument.label.to_owned();
        }
    });
    view
}

/// The message for a View with too little room.
fn lack(view: &str, count: u64, room: usize) -> String {
    let remedy = match usize::try_from(count) {
        Ok(count) if count <= MAX_ROOM => format!("ask for it by `.room_for({count})`"),
        _ => "launch fewer iterations at a time".to_owned(),
    };
    format!(
        "view `{view}`.scatter(): the kernel made {count} contributions, and the device had room for {room}: {remedy}, or ask for \
         `.atomic()`. The view is as it was before the launch"
    )
}

/// The message for a View that gets no room, not even for `room` contributions, by an error of the allocation.
fn no_room(view: &str, room: usize, error: &Error) -> String {
    format!(
        "view `{view}`.scatter(): no room for {room} contributions ({error}): ask for less by `.room_for(..)` if the kernel makes fewer, \
         launch fewer iterations at a time, or ask for `.atomic()`"
    )
}

/// The least and the best room for the contributions of `iterations` iterations: as much as was asked for, or else at most `share`, the
/// contributions that fit in a device's share. Unit: contributions.
fn rooms(asked: usize, iterations: usize, share: usize) -> (usize, usize) {
    if asked > 0 {
        return (asked.min(MAX_ROOM), asked.min(MAX_ROOM));
    }
    let most = share.clamp(1, MAX_ROOM);
    (iterations.min(most), iterations.saturating_mul(EACH).max(LEAST_ROOM).min(most))
}

/// Makes room.
struct Begin<'k, 'a> {
    kept: &'k mut Kept<'a>,
    iterations: usize,
    /// The label of the View at an address.
    view: &'k dyn Fn(usize) -> String,
}

impl Begin<'_, '_> {
    /// Room for entries of `bytes` bytes each, for the View at `view`: the best that there is memory for.
    fn room(&self, asked: usize, bytes: usize, view: usize) -> Result<(DeviceBuffer, usize)> {
        let share = driver::memory_info().map_or(usize::MAX, |(_, total)| total / SHARE / bytes);
        let (least, mut room) = rooms(asked, self.iterations, share);
        loop {
            match self.kept.space.scratch(room.saturating_mul(bytes).saturating_add(HEAD)) {
                Ok(buffer) => return Ok((buffer, room)),
                Err(error) if error.kind() != ErrorKind::OutOfMemory => return Err(error),
                Err(error) if room <= least => {
                    return Err(Error::new(
                        ErrorKind::OutOfMemory,
                        no_room(&(self.view)(view), room, &error),
                    ));
                }
                Err(_) => room = (room / 2).max(least),
            }
        }
    }
}

impl ScatterVisitor for Begin<'_, '_> {
    type Error = Error;

    fn visit<T, const R: usize, L, Op>(&mut self, raw: &mut RawScatter<T, R, L, Op>) -> Result<()>
    where
        T: Element,
        L: Layout,
        Op: Reducer<Value = T> + Copy + Send + Sync,
    {
        const { assert!(align_of::<Contribution<T>>() <= HEAD, "entries are aligned to 256 bytes") };
        if const { RawScatter::<T, R, L, Op>::IN_ANY_ORDER }
            || !raw.in_order
            || self.iterations == 0
            || raw.target.is_empty()
        {
            return Ok(());
        }
        let Kept { space, label, .. } = *self.kept;
        let in_kernel = |error: Error| error.in_kernel(label);
        space.context().bind().map_err(in_kernel)?;
        let view = raw.target.pointer() as usize;
        let (buffer, room) = self.room(raw.room, size_of::<Contribution<T>>(), view).map_err(in_kernel)?;
        let count = buffer.pointer().cast::<u64>();
        // SAFETY: the buffer begins with room for the number, and is this launch's.
        unsafe { space.copy_to_device(&[0], count) }.map_err(in_kernel)?;
        raw.kept = Contributions { entries: buffer.pointer().wrapping_add(HEAD).cast(), count, room };
        self.kept.logs.push(Log { buffer, room, view });
        Ok(())
    }
}

/// Joins contributions to their Views.
struct Join<'k, 'a, C> {
    kept: &'k Kept<'a>,
    /// The numbers of contributions, in the order of the Views.
    counts: &'k mut C,
    uses: &'k [Use<'k>],
    parts: Parts,
}

impl<C: Iterator<Item = usize>> ScatterVisitor for Join<'_, '_, C> {
    type Error = Error;

    fn visit<T, const R: usize, L, Op>(&mut self, raw: &mut RawScatter<T, R, L, Op>) -> Result<()>
    where
        T: Element,
        L: Layout,
        Op: Reducer<Value = T> + Copy + Send + Sync,
    {
        if const { RawScatter::<T, R, L, Op>::IN_ANY_ORDER } || raw.kept.room == 0 {
            return Ok(());
        }
        let Some(count) = self.counts.next().filter(|&count| count > 0) else { return Ok(()) };
        let (kept, op, parts) = (self.kept, raw.op, self.parts);
        let entries = Entries { first: raw.kept.entries, count };
        for step in Step::all(count) {
            // SAFETY: the kernel has written this number of entries, in memory of this launch.
            unsafe { kept.launch::<Sort<T>>(step.pairs(count), &[], SortParams { entries, step })? };
        }
        // SAFETY: the entries are sorted, in memory of this launch.
        unsafe { kept.launch::<FoldParts<T, Op>>(count, &[], FoldParams { entries, parts, op })? };
        let params = JoinParams { entries, target: raw.target.pointer(), op };
        // SAFETY: the parts are joined; the entries name elements of the View, which `uses` describes as written.
        unsafe { kept.launch::<JoinParts<T, Op>>(count, self.uses, params) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_as_asked_for_or_within_the_share() {
        assert_eq!(rooms(0, 10_000, 1 << 28), (10_000, 640_000));
        assert_eq!(rooms(0, 9, 1 << 28), (9, LEAST_ROOM));
        assert_eq!(rooms(0, 100_000, 200_000), (100_000, 200_000));
        // Fewer than one for each iteration.
        assert_eq!(rooms(0, 1_000_000_000, 1 << 28), (1 << 28, 1 << 28));
        assert_eq!(rooms(0, usize::MAX, usize::MAX), (MAX_ROOM, MAX_ROOM));
        // Kernels would take 0 for no room at all, and contribute atomically.
        assert_eq!(rooms(0, 9, 0), (1, 1));
        assert_eq!(rooms(7, 1_000_000_000, 1 << 28), (7, 7));
        assert_eq!(rooms(1 << 30, 9, 100), (1 << 30, 1 << 30));
        assert_eq!(rooms(usize::MAX, 9, 100), (MAX_ROOM, MAX_ROOM));
    }

    #[test]
    fn no_room_at_all_names_the_remedies() {
        let text = no_room("x", 7, &Error::new(ErrorKind::OutOfMemory, "40 bytes are free"));
        for part in ["`x`.scatter(): no room for 7", "(40 bytes are free)", "`.room_for(..)`", "`.atomic()`"]
        {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn too_little_room_names_a_remedy_that_there_is() {
        let text = |count| lack("x", count, 10);
        assert!(text(11).contains(
            "made 11 contributions, and the device had room for 10: ask for it by `.room_for(11)`, or"
        ));
        assert!(text(MAX_ROOM as u64).contains("`.room_for(4294967295)`, or"));
        assert!(
            text(MAX_ROOM as u64 + 1)
                .contains("room for 10: launch fewer iterations at a time, or ask for `.atomic()`")
        );
    }
}
