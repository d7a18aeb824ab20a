//! Scratch memory of a team and of its threads.

use core::mem::ManuallyDrop;

use spelt_access::Element;
#[cfg(feature = "cuda")]
use spelt_kernels_gpu::team::Call;

use super::Team;
use super::mode::{Gang, Mode};
use crate::arena::{Buffer, bytes_of};
use crate::device::host_only;

/// The scratch that a team uses at the moment.
pub(super) struct Scratch {
    /// Bytes in use of the team's part and of the thread's.
    team: usize,
    thread: usize,
    /// The buffer of the last `scratch_fill`, on the host, which stays filled until the next one.
    filled: ManuallyDrop<Option<Buffer>>,
}

impl Drop for Scratch {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(buffer) = self.filled.take() {
            // SAFETY: on a device there is no buffer.
            unsafe { host_only() };
            buffer.give_back();
        }
    }
}

impl Scratch {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { team: 0, thread: 0, filled: ManuallyDrop::new(None) }
    }

    /// Leaves the buffer to member 0 of the team, which holds it last and keeps it.
    pub(super) fn leave(&mut self, rank: usize) {
        if rank > 0 {
            *self.filled = None;
        }
    }
}

impl<'k, V, K> Team<'k, V, K> {
    /// Fills scratch memory of the team with `fill(0)`, .., `fill(len - 1)`, distributed over its threads, and passes it
    /// read-only to `body` on all threads; it is free again when `body` returns.
    ///
    /// Within `body` the team may loop, reduce, and take more scratch.
    ///
    /// # Panics
    /// If the policy's scratch per team is too small; if the team's threads do not all make this call with the same `len`.
    ///
    /// # Examples
    /// ```
    /// use spelt_core::{AUTO, ExecutionSpace, Serial, View, parallel_for, reducers::Sum};
    /// let space = Serial::new();
    /// let mut y = View::<f64, 1>::zeros("y", [2])?;
    /// parallel_for("scratch", space.team(2, AUTO).scratch(4 * 8, 0), &mut y, |team, mut y| {
    ///     let row = team.league_rank();
    ///     let sum = team.with_scratch(4, |k| (row + k) as f64, |team, squares| {
    ///         team.parallel_reduce(team.vector_range(4), |j, sum| *sum += squares[j] * squares[j], Sum::<f64>::new())
    ///     });
    ///     team.single(|w| y[w] = sum);
    /// })?;
    /// assert_eq!(y.as_slice(), Some(&[14.0, 30.0][..]));
    /// # Ok::<(), spelt_core::Error>(())
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn with_scratch<T: Element, O>(
        &mut self,
        len: usize,
        fill: impl FnMut(usize) -> T,
        body: impl FnOnce(&mut Self, &[T]) -> O,
    ) -> O {
        self.with_filled_scratch(len, fill, |team, place| {
            // SAFETY: all threads have filled their parts of the `len` elements and met; none writes them before all have met again,
            // after `body`.
            body(team, unsafe { core::slice::from_raw_parts(place, len) })
        })
    }

    /// The bytes of the team's scratch in use.
    #[inline(always)]
    pub(super) fn scratch_in_use(&self) -> usize {
        self.scratch.team
    }

    /// [`with_scratch`](Self::with_scratch) that passes a pointer to the filled elements, which only `body` on the team's threads uses
    /// until all of them have met after it.
    #[inline(always)]
    #[track_caller]
    pub(super) fn with_filled_scratch<T: Element, O>(
        &mut self,
        len: usize,
        fill: impl FnMut(usize) -> T,
        body: impl FnOnce(&mut Self, *mut T) -> O,
    ) -> O {
        let bytes = self.reserve::<T>(len);
        let result = match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let (place, token) = member.fill(Call::new::<T>("with_scratch", len as u64), len, fill);
                let result = body(self, place);
                self.meet::<T>("end of with_scratch", len);
                if let Mode::Device(member) = &mut self.mode {
                    member.release(token);
                }
                result
            }
            _ => {
                // SAFETY: this is not a device.
                unsafe { host_only() };
                self.with_buffer(len, fill, body)
            }
        };
        self.give_back(bytes);
        result
    }

    /// [`with_filled_scratch`](Self::with_filled_scratch) on the host.
    #[track_caller]
    pub(super) fn with_buffer<T: Element, O>(
        &mut self,
        len: usize,
        fill: impl FnMut(usize) -> T,
        body: impl FnOnce(&mut Self, *mut T) -> O,
    ) -> O {
        let Mode::Gang(gang) = &mut self.mode else {
            let buffer = Buffer::filled(len, fill);
            let result = body(self, buffer.places::<T>(len).cast());
            buffer.give_back();
            return result;
        };
        let buffer = gang.fill(self.rank, self.size, len, fill);
        // The buffer lives as long as one member holds it.
        let result = body(self, buffer.places::<T>(len).cast());
        // Member 0 holds the buffer last, and keeps it.
        let last = (self.rank == 0).then_some(buffer);
        self.meet::<T>("with_scratch", len);
        if let Some(buffer) = last {
            buffer.give_back();
        }
        result
    }

    /// Fills scratch memory of the team as [`with_scratch`](Self::with_scratch) does, and returns it, read-only, until
    /// the next call that the team makes together.
    ///
    /// # Panics
    /// As [`with_scratch`](Self::with_scratch).
    #[inline(always)]
    #[track_caller]
    pub fn scratch_fill<T: Element>(&mut self, len: usize, fill: impl FnMut(usize) -> T) -> &[T] {
        let bytes = self.reserve::<T>(len);
        self.give_back(bytes);
        match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let (place, token) = member.fill(Call::new::<T>("scratch", len as u64), len, fill);
                member.release(token);
                // SAFETY: all lanes have filled their parts of the `len` elements and met; no lane writes them before all have
                // met again, for which the slice, which borrows the team, must be gone.
                unsafe { core::slice::from_raw_parts(place, len) }
            }
            _ => {
                // SAFETY: this is not a device.
                unsafe { host_only() };
                self.fill_buffer(len, fill)
            }
        }
    }

    /// [`scratch_fill`](Self::scratch_fill) on the host.
    #[track_caller]
    fn fill_buffer<T: Element>(&mut self, len: usize, fill: impl FnMut(usize) -> T) -> &[T] {
        let filled = match &mut self.mode {
            Mode::Gang(gang) => {
                self.scratch.leave(self.rank);
                gang.fill(self.rank, self.size, len, fill)
            }
            _ => Buffer::filled(len, fill),
        };
        if let Some(last) = self.scratch.filled.take() {
            last.give_back();
        }
        let buffer = self.scratch.filled.insert(filled);
        // SAFETY: the `len` elements are written; the buffer is neither written nor dropped while `self` is borrowed.
        unsafe { core::slice::from_raw_parts(buffer.places::<T>(len).cast(), len) }
    }

    /// Passes `len` elements of this thread's own scratch memory, all zero, to `body`.
    ///
    /// # Panics
    /// If the policy's scratch per thread is too small.
    #[inline(always)]
    #[track_caller]
    pub fn with_thread_scratch<T: Element, O>(
        &mut self,
        len: usize,
        body: impl FnOnce(&mut Self, &mut [T]) -> O,
    ) -> O {
        const { T::ZERO_IS_A_VALUE };
        let bytes = bytes_of::<T>(len);
        let limit = self.context.scratch_per_thread;
        if bytes > limit - self.scratch.thread {
            self.too_much("thread", bytes, self.scratch.thread, limit);
        }
        self.scratch.thread += bytes;
        let result = match &mut self.mode {
            #[cfg(feature = "cuda")]
            Mode::Device(member) => {
                let (place, token) = member.own::<T>(len);
                // SAFETY: there is room for `len`, all zero bytes are a value of plain data, and only this lane uses the
                // place until it is returned, after `body`.
                let elements = unsafe {
                    place.write_bytes(0, len);
                    core::slice::from_raw_parts_mut(place, len)
                };
                let result = body(self, elements);
                if let Mode::Device(member) = &mut self.mode {
                    member.release_own(token);
                }
                result
            }
            _ => {
                // SAFETY: this is not a device.
                unsafe { host_only() };
                // SAFETY: plain data, which `Element` is, is valid with all bytes zero.
                let buffer = Buffer::filled::<T>(len, |_| unsafe { core::mem::zeroed() });
                // SAFETY: `filled` wrote `len` elements, only this thread uses the buffer, which lives until after `body`.
                let elements =
                    unsafe { core::slice::from_raw_parts_mut(buffer.places::<T>(len).cast(), len) };
                let result = body(self, elements);
                buffer.give_back();
                result
            }
        };
        self.scratch.thread -= bytes;
        result
    }

    /// Takes `len` elements from the team's scratch and returns their bytes.
    #[inline(always)]
    #[track_caller]
    pub(super) fn reserve<T>(&mut self, len: usize) -> usize {
        let bytes = bytes_of::<T>(len);
        let limit = self.context.scratch_per_team;
        if bytes > limit - self.scratch.team {
            self.too_much("team", bytes, self.scratch.team, limit);
        }
        self.scratch.team += bytes;
        bytes
    }

    /// Gives back bytes that [`reserve`](Self::reserve) took.
    #[inline(always)]
    pub(super) fn give_back(&mut self, bytes: usize) {
        self.scratch.team -= bytes;
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn too_much(&self, whose: &str, bytes: usize, used: usize, limit: usize) -> ! {
        let Some(names) = self.context.names else {
            panic!(
                "more scratch is requested than there is: ask for more with `.scratch(bytes per team, bytes per thread)` on \
                 the policy"
            )
        };
        // SAFETY: only the host has names.
        unsafe { host_only() };
        panic!(
            "kernel `{}`: {bytes} bytes of {whose} scratch are requested, {used} of {limit} are in use: ask for more with \
             `.scratch(bytes per team, bytes per thread)` on the policy",
            names.label()
        )
    }
}

impl Gang<'_> {
    /// A buffer that all members fill: element `k` by member `k % size`.
    #[track_caller]
    fn fill<T: Element>(
        &mut self,
        rank: usize,
        size: usize,
        len: usize,
        mut fill: impl FnMut(usize) -> T,
    ) -> Buffer {
        let mine = (rank == 0).then(|| Buffer::take_scratch(bytes_of::<T>(len)));
        // Lengths are compared before the buffer is used: a member with a larger length would write beyond it.
        self.meet_for::<T>("scratch", len);
        let buffer = self.share("scratch", 0, mine);
        let places = buffer.places::<T>(len);
        for place in (rank..len).step_by(size) {
            let value = fill(place);
            // SAFETY: the buffer has room for `len`, no other member writes this place, and all read after they meet.
            unsafe { (*places.add(place)).write(value) };
        }
        // A separate kind: a member that caught a panic of `fill` and called again must not count as one that has filled its part.
        self.meet_for::<T>("filled scratch", len);
        buffer
    }
}
