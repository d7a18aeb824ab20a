//! Copies and fills of host memory by the threads of a space.

use spelt_access::{Element, Layout, MAX_RANK};

use crate::Result;
use crate::host::HostThreads;
use crate::launch::ExecutionSpace;
use crate::memory::ALIGNMENT;
use crate::patterns::parallel_for;
use crate::view::{Loop, MemorySpace, ViewMut, ViewRef, check_extents, copy_lines, fill_lines, merged};

/// Parts for each thread, so that a late or slow thread costs at most an eighth.
const PARTS_PER_THREAD: usize = 8;

/// Whether the caller should write these elements alone, without a launch.
#[inline]
pub(super) fn is_short<T>(space: &impl HostThreads, extents: &[usize]) -> bool {
    // A View's elements can be counted.
    extents.iter().product::<usize>() * size_of::<T>() < space.min_copy_bytes() || space.threads() == 1
}

/// Copies between memories that the host reaches, of at least one element.
pub(super) fn copy<S, T, const R: usize, M1, M2, L1, L2>(
    space: &S,
    mut to: ViewMut<'_, T, R, M1, L1>,
    from: ViewRef<'_, T, R, M2, L2>,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    M1: MemorySpace,
    M2: MemorySpace,
    L1: Layout,
    L2: Layout,
{
    const { assert!(M1::HOST_ACCESSIBLE && M2::HOST_ACCESSIBLE) };
    check_extents(&to, &from)?;
    let (target, source) = (to.raw_mut(), from.raw());
    let (loops, count) = merged(target.extents(), target.strides(), source.strides());
    in_parts::<T, S>(space, to.label(), &loops[..count], |loops, at, source_at| {
        // SAFETY: the offsets that the loops reach are those of indices of both Views. The source is initialised, and the target is
        // borrowed exclusively, so the two are disjoint; no other part has these indices. The host reaches both memories.
        unsafe { copy_lines(target.pointer().add(at), source.pointer().add(source_at), loops) }
    })
}

/// Fills memory that the host reaches, of at least one element.
pub(super) fn fill<S, T, const R: usize, M, L>(
    space: &S,
    mut to: ViewMut<'_, T, R, M, L>,
    value: T,
) -> Result<()>
where
    S: ExecutionSpace,
    T: Element,
    M: MemorySpace,
    L: Layout,
{
    const { assert!(M::HOST_ACCESSIBLE) };
    let target = to.raw_mut();
    let (loops, count) = merged(target.extents(), target.strides(), target.strides());
    in_parts::<T, S>(space, to.label(), &loops[..count], |loops, at, _| {
        // SAFETY: the offsets that the loops reach are those of indices of the View, which is borrowed exclusively; no other part has
        // these indices. The host reaches the memory.
        unsafe { fill_lines(target.pointer().add(at), value, loops) }
    })
}

/// Calls `part(loops, offset of the target, offset of the source)` for parts of the loops, which together are the whole.
fn in_parts<T, S: ExecutionSpace>(
    space: &S,
    label: &str,
    loops: &[Loop],
    part: impl Fn(&[Loop], usize, usize) + Sync,
) -> Result<()> {
    // The outermost of the longest: the last maximum counts.
    let Some(longest) = (0..loops.len()).rev().max_by_key(|&at| loops[at].count) else {
        part(loops, 0, 0);
        return Ok(());
    };
    let whole = loops[longest];
    // Parts of a dimension that is contiguous on one side end with a cache line.
    let line = if whole.to == 1 || whole.from == 1 { (ALIGNMENT / size_of::<T>()).max(1) } else { 1 };
    let len = whole.count.div_ceil(space.threads() * PARTS_PER_THREAD).next_multiple_of(line);
    parallel_for(label, space.range(0..whole.count.div_ceil(len)).chunk(1), (), |number, ()| {
        let first = number.get() * len;
        let mut mine = [Loop::default(); MAX_RANK];
        let mine = &mut mine[..loops.len()];
        mine.copy_from_slice(loops);
        mine[longest].count = len.min(whole.count - first);
        part(mine, first * whole.to, first * whole.from);
    })
}

#[cfg(all(test, feature = "threads", not(spelt_loom)))]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::Threads;

    /// The offsets of all elements, with the number of parts.
    fn offsets(loops: &[Loop]) -> (Vec<(usize, usize)>, usize) {
        let space = Threads::builder().num_threads(2).build().expect("two threads");
        let found = Mutex::new((Vec::new(), 0));
        in_parts::<f64, _>(&space, "parts", loops, |loops, to, from| {
            let mut offsets = vec![(to, from)];
            for line in loops {
                let steps =
                    |(to, from)| (0..line.count).map(move |k| (to + k * line.to, from + k * line.from));
                offsets = offsets.into_iter().flat_map(steps).collect();
            }
            let mut found = found.lock().expect("no part panics");
            found.0.extend(offsets);
            found.1 += 1;
        })
        .expect("the launch is valid");
        let (mut offsets, parts) = found.into_inner().expect("no part panics");
        offsets.sort_unstable();
        (offsets, parts)
    }

    #[test]
    fn parts_are_the_whole() {
        let row = Loop { count: 1001, to: 1, from: 2 };
        let (found, parts) = offsets(&[row]);
        assert_eq!(found, (0..1001).map(|k| (k, 2 * k)).collect::<Vec<_>>());
        assert_eq!(parts, 16);
        // Few steps, in the longest loop.
        let loops = [7, 9, 8].map(|count| Loop { count, to: 10_usize.pow(10 - count as u32), from: 5 });
        let (found, parts) = offsets(&loops);
        let mut expected = Vec::new();
        for (a, b, c) in (0..7 * 9 * 8).map(|k| (k / 72, k / 8 % 9, k % 8)) {
            expected.push((1000 * a + 10 * b + 100 * c, 5 * (a + b + c)));
        }
        expected.sort_unstable();
        assert_eq!((found, parts), (expected, 9));
        assert_eq!(offsets(&[]), (vec![(0, 0)], 1));
    }
}
