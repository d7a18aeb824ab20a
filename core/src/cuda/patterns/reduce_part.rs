//! Parts of reductions on a device.
//!
//! Each node of the part is a launch of `parallel_reduce`'s kernel over its tiles, of which there are at most two for each level of the tree; each
//! piece of a cut tile is a launch of one block. The values are copied to the host together, and join there.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;

use spelt_access::{Idx, KernelArgs};
use spelt_kernels_gpu::index_space::{IndexSpace, Onward};
use spelt_kernels_gpu::kernel::Kernel;
use spelt_kernels_gpu::numbering::Numbering;
use spelt_kernels_gpu::reduce::cut_tile::{Piece, continue_lanes};
use spelt_kernels_gpu::reduce::grid::Partials;
use spelt_order::canonical;
use spelt_reducers::Reducer;

use super::parallel_reduce::{Keep, Ready, plain};
use crate::Result;
use crate::cuda::context::lock;
use crate::cuda::{Cuda, Launch, Uses};
use crate::launch::{
    Contribution, Extension, Indices, NodeRanges, PartState, Prepared, TilePiece, UNLIMITED, put_lanes,
    tile_len,
};

/// The kernel of a piece of a tile.
struct CutTile<A, R, G, S, const N: usize>(PhantomData<(A, R, G, S)>);

#[repr(C)]
struct Params<D, R: Reducer, G, S> {
    body: G,
    reducer: R,
    raw: D,
    walk: S,
    piece: Piece,
    lanes: *mut MaybeUninit<R::Value>,
}

// SAFETY: `run` calls the body, which is `Sync`, once for each index.
unsafe impl<A, R, G, S, const N: usize> Kernel for CutTile<A, R, G, S, N>
where
    A: KernelArgs,
    R: Reducer + Sync,
    G: Contribution<N, A, R>,
    S: IndexSpace<Index = [usize; N]>,
{
    type Params = Params<A::Raw, R, G, S>;

    /// # Safety
    /// The launch covers the iterations of the piece and meets the conditions of [`continue_lanes`]; the arguments' borrows live.
    #[inline(always)]
    unsafe fn run(params: &Self::Params) {
        let Params { body, reducer, raw, walk, piece, lanes } = params;
        let body = |index, value: &mut R::Value| {
            // SAFETY: each index is visited once, and the launch covers it.
            unsafe { body.contribute(reducer, Idx::new(index), value, A::access(raw, 0)) }
        };
        // SAFETY: the launch meets the conditions of `continue_lanes`, as this function asks.
        unsafe { continue_lanes(reducer, walk, piece, *lanes, &body) }
    }
}

/// Runs `iterations` of a prepared launch, which are the next ones of a part.
pub(in crate::cuda) fn run<I, A, G, R, const N: usize>(
    launch: Prepared<'_, A, I, N>,
    iterations: Range<usize>,
    body: G,
    reducer: &R,
    part: &mut PartState<R::Value>,
) -> Result<()>
where
    I: Indices<N, Space = Cuda>,
    A: KernelArgs,
    G: Contribution<N, A, R>,
    R: Reducer + Sync,
{
    plain::<R, G>();
    let Prepared { label, args, raw, .. } = launch;
    let space = launch.indices.space();
    let in_kernel = |error: crate::Error| error.in_kernel(label);
    let lanes = canonical::lanes(R::LANE_BYTES);
    let extension = Extension::new(part.n, part.end, iterations.len(), tile_len::<R>());
    let (head, tail) = (extension.head(), extension.tail());
    let nodes: Vec<_> = NodeRanges::new(extension.whole.clone(), UNLIMITED).collect();
    // The policy's iterations from an iteration of the whole on.
    let walk_from = |iteration: usize| Onward {
        indices: I::on_device(&launch.corners, lanes),
        first: iteration - part.end + iterations.start,
    };
    // SAFETY: body and reducer have no drop glue, and each launch gets a copy.
    let copies = || unsafe { (ptr::read(&body), ptr::read(reducer)) };
    let ready = |node: &Range<usize>| {
        let first = node.start * extension.tile_len;
        let n = (node.len() * extension.tile_len).min(extension.n - first);
        let (body, reducer) = copies();
        Ready {
            space,
            label,
            args,
            raw,
            body,
            reducer,
            walk: walk_from(first),
            numbering: Numbering::NONE,
            n,
        }
    };

    let mut workspace = lock(&space.workspace);
    let shapes = nodes.iter().map(|node| ready(node).shape(&workspace)).collect::<Result<Vec<_>>>()?;
    let blocks = shapes.iter().map(|shape| shape.blocks as usize).max().unwrap_or(0);
    // Places for the lanes of both pieces and the nodes, which are copied to the host, and for the blocks of one node.
    let kept = 2 * lanes + nodes.len();
    let (done, memory) = workspace.of(space, (kept + blocks) * size_of::<R::Value>()).map_err(in_kernel)?;
    let places: *mut MaybeUninit<R::Value> = memory.cast();
    let run_piece = |piece: &TilePiece, begun: usize, lanes| {
        let uses = Uses::of(args);
        let (body, reducer) = copies();
        let walk = walk_from(piece.number * extension.tile_len + piece.next.start);
        let piece = Piece { len: piece.len, first: piece.next.start, end: piece.next.end, begun };
        let params = Params { body, reducer, raw, walk, piece, lanes };
        let launch =
            Launch { label, blocks: 1, threads: canonical::MAX_LANES as u32, shared_bytes: 0, uses: &uses };
        // SAFETY: coverage is checked and the arguments are described; the places are this launch's in the order of the stream, and
        // the lanes that have begun were copied there.
        unsafe { space.launch::<CutTile<A, R, G, Onward<I::OnDevice>, N>>(&launch, params) }
    };
    if let Some(head) = &head {
        // SAFETY: the workspace has room for all lanes, and its values have no drop glue.
        unsafe { space.copy_to_device(&part.lanes, places.cast::<R::Value>()).map_err(in_kernel)? };
        run_piece(head, part.lanes.len(), places)?;
    }
    if let Some(tail) = &tail {
        run_piece(tail, 0, places.wrapping_add(lanes))?;
    }
    for (number, (node, shape)) in nodes.iter().zip(shapes).enumerate() {
        let partials = Partials { values: places.wrapping_add(kept), done };
        let end = Keep { place: places.wrapping_add(2 * lanes + number) };
        // SAFETY: the workspace is aligned, has room, and is this launch's in the order of the stream.
        unsafe { ready(node).launch(shape, partials, end, None)? };
    }
    let mut values: Vec<MaybeUninit<R::Value>> = (0..kept).map(|_| MaybeUninit::uninit()).collect();
    // SAFETY: `kept` values lie there. Those that no launch has written are bytes that nothing reads.
    unsafe { space.copy_to_host(places.cast::<R::Value>().cast_const(), &mut values).map_err(in_kernel)? };
    // Joins are the user's code, and may launch on this space.
    drop(workspace);

    // SAFETY: a launch has written the value, which has no drop glue and is taken once.
    let value = |number: usize| unsafe { values[number].assume_init_read() };
    part.lanes.clear();
    if let Some(head) = &head {
        put_lanes(reducer, part, head, value);
    }
    for (number, node) in nodes.iter().enumerate() {
        part.nodes.push(reducer, value(2 * lanes + number), node.len());
    }
    if let Some(tail) = &tail {
        put_lanes(reducer, part, tail, |lane| value(lanes + lane));
    }
    part.end = extension.iterations.end;
    Ok(())
}
