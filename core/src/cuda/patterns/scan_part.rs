//! Parts of scans on a device.
//!
//! Each node of the part is a launch of `parallel_scan`'s kernel over its tiles, of which there are at most two for each level of the tree. The
//! value before a node needs the total of the node on its left, for which the host waits. The closure runs on a device for the pieces of cut
//! tiles too, all iterations at the same time: first for their contributions, which the host joins in the order of a tile, and then on the values
//! before them.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use spelt_access::{Idx, KernelArgs};
use spelt_kernels_gpu::index_space::{IndexSpace, Onward};
use spelt_kernels_gpu::intrinsics::{__spelt_block, __spelt_thread};
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::scan::{Node, ScanShape, Work, scan};
use spelt_order::canonical;
use spelt_order::cursor::{Line, Place};
use spelt_order::cut_scan::scan_piece;
use spelt_order::scan::Goal;
use spelt_reducers::Reducer;

use super::parallel_reduce::{End, Keep, plain};
use super::parallel_scan::{self, Places};
use crate::Result;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::{
    Extension, Indices, NodeRanges, Prepared, ScanPass, ScanState, TilePiece, UNLIMITED, scan_tile_len,
};

/// The threads of a block that runs iterations of a piece. Unit: threads. Source: pieces are short, so that more blocks use more
/// multiprocessors.
const PIECE_THREADS: usize = 64;

/// The kernel of a node.
struct ScanNode<A, R, F, S, const N: usize>(PhantomData<(A, R, F, S)>);

#[repr(C)]
struct NodeParams<D, R: Reducer, F, S> {
    closure: F,
    reducer: R,
    raw: D,
    walk: S,
    n: usize,
    work: Work,
    node: Node<R::Value>,
    end: Keep<R::Value>,
}

// SAFETY: `run` calls the closure, which is `Sync`, once or more for each index, one call after the other.
unsafe impl<A, R, F, S, const N: usize> Kernel for ScanNode<A, R, F, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    S: IndexSpace<Index = [usize; N]>,
{
    type Params = NodeParams<A::Raw, R, F, S>;

    /// # Safety
    /// The launch covers the iterations of the node and meets the conditions of [`scan`]; the arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let NodeParams { closure, reducer, raw, walk, n, work, node, end } = params;
        let body = |index, value: &mut R::Value, last| {
            // SAFETY: each index is visited by one thread, and the launch covers it.
            unsafe { closure(Idx::new(index), value, last, A::access(raw, 0)) }
        };
        // SAFETY: the launch meets the conditions of `scan`, as this function asks; `plain` has refused values with drop glue.
        unsafe { scan(reducer, walk, *n, work, node, &body, |value| end.end(reducer, value)) }
    }
}

/// The kernel of the iterations of a piece of a tile, which leaves their joins to the host.
struct CutTile<A, R, F, S, const N: usize>(PhantomData<(A, R, F, S)>);

#[repr(C)]
struct PieceParams<D, R: Reducer, F, S> {
    closure: F,
    reducer: R,
    raw: D,
    walk: S,
    count: usize,
    /// A value for each iteration: its contribution, which the kernel writes, or that before it in the last pass.
    values: *mut MaybeUninit<R::Value>,
    last: bool,
}

// SAFETY: `run` calls the closure, which is `Sync`, once for each index.
unsafe impl<A, R, F, S, const N: usize> Kernel for CutTile<A, R, F, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    S: IndexSpace<Index = [usize; N]>,
{
    type Params = PieceParams<A::Raw, R, F, S>;

    /// # Safety
    /// The launch has blocks of [`PIECE_THREADS`] threads, one for each of the `count` iterations, which it covers. `values` has room for
    /// their values, which only the launch uses and which are written in the last pass. The arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let PieceParams { closure, reducer, raw, walk, count, values, last } = params;
        let number = __spelt_block() as usize * PIECE_THREADS + __spelt_thread() as usize;
        if number >= *count {
            return;
        }
        let place = values.wrapping_add(number);
        // SAFETY: in the last pass the value is written; it has no drop glue, so it may exist twice.
        let mut value = if *last { unsafe { place.read().assume_init() } } else { reducer.init() };
        // SAFETY: each index is visited by one thread, and the launch covers it.
        unsafe {
            closure(Idx::new(walk.index(&walk.start(number))), &mut value, *last, A::access(raw, 0));
        }
        if !*last {
            // SAFETY: there is room for a value of each iteration, and only this thread uses that of its own.
            unsafe { place.write(MaybeUninit::new(value)) }
        }
    }
}

/// A launch that extends a part.
struct ScanLaunch<'a, A: KernelArgs, I: Indices<N>, R, F, const N: usize> {
    launch: &'a Prepared<'a, A, I, N>,
    closure: F,
    reducer: &'a R,
    pass: ScanPass,
    /// The iteration of the whole that is the policy's iteration `start`.
    first: usize,
    start: usize,
}

impl<A, I, R, F, const N: usize> ScanLaunch<'_, A, I, R, F, N>
where
    A: KernelArgs,
    I: Indices<N, Space = Cuda>,
    R: Reducer + Sync,
    R::Value: Clone,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
{
    fn space(&self) -> &Cuda {
        self.launch.indices.space()
    }

    /// Copies for a kernel.
    fn copies(&self) -> (F, R) {
        // SAFETY: neither has drop glue, and a device gets the copies.
        unsafe { (ptr::read(&self.closure), ptr::read(self.reducer)) }
    }

    /// The policy's indices from an iteration of the whole on.
    fn walk_from(&self, iteration: usize, stride: usize) -> Onward<I::OnDevice> {
        Onward {
            indices: I::on_device(&self.launch.corners, stride),
            first: iteration - self.first + self.start,
        }
    }

    /// Runs the next `count` iterations of a part.
    fn extend(&self, count: usize, state: &mut ScanState<R::Value>) -> Result<()> {
        if R::EXACT {
            let before = state.rows.take();
            let total = self.run_node(self.first, count, before.as_ref())?;
            state.rows = Some(match before {
                Some(mut value) => {
                    self.reducer.join(&mut value, &total);
                    value
                }
                None => total,
            });
        } else {
            let extension = Extension::new(state.n, self.first, count, scan_tile_len::<R>());
            if let Some(head) = extension.head() {
                self.run_piece(&head, state)?;
            }
            for node in NodeRanges::new(extension.whole.clone(), UNLIMITED) {
                let first = node.start * extension.tile_len;
                let n = (node.len() * extension.tile_len).min(extension.n - first);
                let total = self.run_node(first, n, self.prefix(state).as_ref())?;
                state.nodes.push(self.reducer, total, node.len());
            }
            if let Some(tail) = extension.tail() {
                self.run_piece(&tail, state)?;
            }
        }
        state.range.end = self.first + count;
        Ok(())
    }

    /// The value of all tiles so far, if the pass needs it.
    fn prefix(&self, state: &ScanState<R::Value>) -> Option<R::Value> {
        if self.pass == ScanPass::Values { state.nodes.prefix(self.reducer) } else { None }
    }

    /// Runs `n` iterations, a node, on the value before them, and returns their total.
    fn run_node(&self, first: usize, n: usize, before: Option<&R::Value>) -> Result<R::Value> {
        let Prepared { label, args, raw, .. } = *self.launch;
        let (uses, (closure, reducer)) = (Uses::of(args), self.copies());
        let walk = self.walk_from(first, ScanShape::<R>::STRIDE);
        let gives_values = self.pass == ScanPass::Values;
        let before = before.filter(|_| gives_values);
        let mut total = [const { MaybeUninit::uninit() }];
        let params = |work, Places { total, before }: Places<R::Value>| NodeParams {
            closure,
            reducer,
            raw,
            walk,
            n,
            work,
            node: Node { before, gives_values },
            end: Keep { place: total.cast() },
        };
        // SAFETY: coverage is checked and the arguments are described; the kernel has written the total when the copy is made, before
        // the workspace is released.
        unsafe {
            parallel_scan::launch::<R, ScanNode<A, R, F, Onward<I::OnDevice>, N>>(
                self.space(),
                label,
                n,
                &uses,
                before,
                params,
                |space, place| space.copy_to_host(place.cast_const(), &mut total),
            )?;
        }
        let [total] = total;
        // SAFETY: the bytes of a value without drop glue; the device no longer uses the value.
        Ok(unsafe { total.assume_init() })
    }

    /// Continues the tile in which the part ends.
    fn run_piece(&self, piece: &TilePiece, state: &mut ScanState<R::Value>) -> Result<()> {
        let space = self.space();
        let count = piece.next.len();
        let buffer = space.scratch((count * size_of::<R::Value>()).max(1))?;
        let places: *mut MaybeUninit<R::Value> = buffer.pointer().cast();
        let first = piece.number * scan_tile_len::<R>() + piece.next.start;
        self.run_iterations(first, count, places, false)?;
        let mut contributions = Vec::new();
        contributions.resize_with(count, MaybeUninit::<R::Value>::uninit);
        // SAFETY: the kernel has written a value for each iteration.
        unsafe { space.copy_to_host(places.cast::<R::Value>().cast_const(), &mut contributions)? };

        let prefix = self.prefix(state);
        let values = self.pass == ScanPass::Values;
        let goal = if values { Goal::Values(prefix.as_ref()) } else { Goal::Total };
        let mut before = Vec::with_capacity(if values { count } else { 0 });
        let mut begun = state.take_begun(self.reducer);
        let mut body = |place: Line, distance, value: &mut R::Value, last: bool| {
            if last {
                before.push(value.clone());
            } else {
                // SAFETY: the kernel has written the contribution, which has no drop glue.
                *value = unsafe { contributions[place.at(distance)[0]].assume_init_read() };
            }
        };
        scan_piece(
            self.reducer,
            Line { index: 0 },
            piece.len,
            piece.next.clone(),
            goal,
            &mut begun,
            &mut body,
        );
        state.put_begun(
            self.reducer,
            begun,
            piece.next.end % canonical::scan_lanes::<R>(),
            piece.ends_tile(),
        );
        if values {
            // SAFETY: the buffer has room for a value of each iteration, without drop glue.
            unsafe { space.copy_to_device(&before, places.cast::<R::Value>())? };
            self.run_iterations(first, count, places, true)?;
        }
        Ok(())
    }

    /// Runs the iterations of a piece: for their contributions, or on the values before them.
    fn run_iterations(
        &self,
        first: usize,
        count: usize,
        values: *mut MaybeUninit<R::Value>,
        last: bool,
    ) -> Result<()> {
        let Prepared { label, args, raw, .. } = *self.launch;
        let (uses, (closure, reducer)) = (Uses::of(args), self.copies());
        let walk = self.walk_from(first, 1);
        let params = PieceParams { closure, reducer, raw, walk, count, values, last };
        let blocks = count.div_ceil(PIECE_THREADS) as u32;
        let launch = Launch { label, blocks, threads: PIECE_THREADS as u32, shared_bytes: 0, uses: &uses };
        // SAFETY: coverage is checked and the arguments are described; there is a value for each iteration, which only these launches
        // use, and which is written in the last pass.
        unsafe { self.space().launch::<CutTile<A, R, F, Onward<I::OnDevice>, N>>(&launch, params) }
    }
}

/// Runs `iterations` of a prepared launch, which are the next ones of a part.
pub(in crate::cuda) fn run<I, A, F, R, const N: usize>(
    launch: &Prepared<'_, A, I, N>,
    iterations: Range<usize>,
    pass: ScanPass,
    closure: F,
    reducer: &R,
    part: &mut ScanState<R::Value>,
) -> Result<()>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    F: for<'k> Fn(Idx<'k, N>, &mut R::Value, bool, A::Access<'k>) + Sync,
    R: Reducer + Sync,
    R::Value: Clone,
{
    plain::<R, F>();
    let (first, start, count) = (part.range.end, iterations.start, iterations.len());
    // A copy, so that an error leaves the part as it was.
    let mut state = part.clone();
    ScanLaunch { launch, closure, reducer, pass, first, start }
        .extend(count, &mut state)
        .map_err(|error| error.in_kernel(launch.label))?;
    *part = state;
    Ok(())
}
