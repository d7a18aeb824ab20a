//! A piece of one tile of a reduction, whose lanes continue from their values.

use core::mem::MaybeUninit;

use spelt_order::canonical;
use spelt_reducers::Reducer;

use crate::index_space::IndexSpace;
use crate::intrinsics::__spelt_thread;

/// A piece of a tile.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The iterations of the tile.
    pub len: usize,
    /// The first iteration of the piece, counted from that of the tile.
    pub first: usize,
    /// One past the last.
    pub end: usize,
    /// The number of lanes that have values already.
    pub begun: usize,
}

/// Runs the piece, a lane on each thread of the launch's only block, and stores the values of the lanes that have an iteration here.
///
/// # Safety
/// The launch has one block of at least [`canonical::MAX_LANES`] threads, and `lanes` is memory for that many values that only it uses. The
/// first `begun` are written. `indices` begins with the piece's first iteration, has the others, and was made for the stride of `R`'s lanes.
/// `body` may be called once for each.
#[inline(always)]
pub unsafe fn continue_lanes<R, S, F>(
    reducer: &R,
    indices: &S,
    piece: &Piece,
    lanes: *mut MaybeUninit<R::Value>,
    body: &F,
) where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    // The match is on a constant: one arm is compiled.
    // SAFETY: `continue_lane` has the contract of this function, and each arm has the number of lanes for which `indices` was made.
    unsafe {
        match const { canonical::lanes(R::LANE_BYTES) } {
            32 => continue_lane::<32, R, S, F>(reducer, indices, piece, lanes, body),
            16 => continue_lane::<16, R, S, F>(reducer, indices, piece, lanes, body),
            8 => continue_lane::<8, R, S, F>(reducer, indices, piece, lanes, body),
            4 => continue_lane::<4, R, S, F>(reducer, indices, piece, lanes, body),
            2 => continue_lane::<2, R, S, F>(reducer, indices, piece, lanes, body),
            _ => continue_lane::<1, R, S, F>(reducer, indices, piece, lanes, body),
        }
    }
}

/// The lane of this thread.
///
/// # Safety
/// As for [`continue_lanes`].
#[inline(always)]
unsafe fn continue_lane<const W: usize, R, S, F>(
    reducer: &R,
    indices: &S,
    piece: &Piece,
    lanes: *mut MaybeUninit<R::Value>,
    body: &F,
) where
    R: Reducer,
    S: IndexSpace,
    F: Fn(S::Index, &mut R::Value),
{
    let lane = __spelt_thread() as usize;
    if lane >= W {
        return;
    }
    let (first, count) = if R::COMMUTATIVE {
        // The first iteration of the lane at or after the piece's first; `W` is a power of two.
        let first = piece.first + (lane.wrapping_sub(piece.first) & (W - 1));
        (first, piece.end.saturating_sub(first).div_ceil(W))
    } else {
        let run = canonical::run_len(piece.len, W);
        let first = (lane * run).max(piece.first);
        (first, ((lane + 1) * run).min(piece.end).saturating_sub(first))
    };
    if count == 0 {
        return;
    }
    let mut value = if lane < piece.begun {
        // SAFETY: the first `begun` values are written, and only this thread uses that of its lane.
        unsafe { lanes.add(lane).read().assume_init() }
    } else {
        reducer.init()
    };
    let mut place = indices.start(first - piece.first);
    for _ in 0..count {
        body(indices.index(&place), &mut value);
        if R::COMMUTATIVE {
            indices.step::<W>(&mut place);
        } else {
            indices.step::<1>(&mut place);
        }
    }
    // SAFETY: there is room for a value of each lane, and only this thread uses that of its lane.
    unsafe { lanes.add(lane).write(MaybeUninit::new(value)) }
}
