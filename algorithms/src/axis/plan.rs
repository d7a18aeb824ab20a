//! The kept and the reduced axes, after merging neighbours in memory.

use arrayvec::ArrayVec;
use spelt_core::{Error, ErrorKind, MAX_RANK, Result};

/// One for each axis, at most. On the stack: sums of a small View take longer to plan than to add if it takes memory from the system.
type PerAxis<T> = ArrayVec<T, MAX_RANK>;

/// A View of any rank as one of rank 6: the reduced dimensions first, in the order of the axes, then dimensions of extent 1,
/// then the kept ones, the smallest stride last.
#[derive(Debug)]
pub(super) struct Plan {
    /// The axes of the input in each dimension.
    pub(super) from: [PerAxis<usize>; 6],
    /// The axes of the output in each dimension; those that are reduced have none.
    pub(super) to: [PerAxis<usize>; 6],
    /// The reduced dimensions.
    pub(super) reduced: Reduced,
}

/// The reduced dimensions: the first `rank` of a View of rank 6.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduced {
    pub(super) extents: [usize; 6],
    pub(super) rank: usize,
    /// The product of the extents.
    pub(super) count: usize,
}

impl Reduced {
    /// Puts position `k` into the reduced dimensions of `index`.
    #[inline(always)]
    pub(super) fn place(&self, mut k: usize, index: &mut [usize; 6]) {
        let mut dimension = self.rank;
        while dimension > 1 {
            dimension -= 1;
            index[dimension] = k % self.extents[dimension];
            k /= self.extents[dimension];
        }
        if self.rank > 0 {
            index[0] = k;
        }
    }
}

/// The index with this number in a box of these extents, the last component fastest.
#[inline(always)]
pub(super) fn index_of(mut number: usize, extents: [usize; 6]) -> [usize; 6] {
    let mut index = [0; 6];
    for dimension in (0..6).rev() {
        let extent = extents[dimension];
        if number < extent {
            index[dimension] = number;
            break;
        }
        // Most dimensions have one index, and a division takes a device as long as a row of numbers.
        if extent > 1 {
            index[dimension] = number % extent;
            number /= extent;
        }
    }
    index
}

/// An axis, with its extent, and its strides in input and output.
#[derive(Clone, Copy)]
struct Axis {
    from: usize,
    to: Option<usize>,
    extent: usize,
    strides: (usize, usize),
}

/// Checks axes and extents, and plans.
///
/// # Errors
/// `Extents` if an axis is out of range or named twice, if more than six groups of axes are apart in memory, or if the output's extents are neither the input's with 1 in place of
/// the reduced ones, nor those of the other axes.
pub(super) fn plan(
    (input, extents, strides): (&str, &[usize], &[usize]),
    axes: &[usize],
    (output, out_extents, out_strides): (&str, &[usize], &[usize]),
) -> Result<Plan> {
    let rank = extents.len();
    let fail = |what: String| Err(Error::new(ErrorKind::Extents, what));
    for (number, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return fail(format!(
                "cannot reduce view `{input}` of rank {rank} along axis {axis}: axes are counted from 0 to below the rank"
            ));
        }
        if axes[..number].contains(&axis) {
            return fail(format!(
                "cannot reduce view `{input}` along the axes {axes:?}: axis {axis} is named twice"
            ));
        }
    }
    let is_reduced = |axis: usize| axes.contains(&axis);
    let kept: PerAxis<usize> =
        extents.iter().enumerate().map(|(axis, &extent)| if is_reduced(axis) { 1 } else { extent }).collect();
    let dropped: PerAxis<usize> =
        (0..rank).filter(|&axis| !is_reduced(axis)).map(|axis| extents[axis]).collect();
    let keeps = out_extents == kept.as_slice();
    if !keeps && out_extents != dropped.as_slice() {
        return fail(format!(
            "view `{input}` of extents {extents:?} reduced along the axes {axes:?} has the extents {kept:?} or {dropped:?}, but \
             the output `{output}` has {out_extents:?}"
        ));
    }
    let mut outs = 0..;
    let (mut reduced, mut others) = (PerAxis::<Axis>::new(), PerAxis::<Axis>::new());
    for axis in 0..rank {
        let to = if keeps || !is_reduced(axis) { outs.next() } else { None };
        let out_stride = to.map_or(0, |to| out_strides[to]);
        let axis = Axis { from: axis, to, extent: extents[axis], strides: (strides[axis], out_stride) };
        if axis.extent == 1 {
            continue;
        }
        if is_reduced(axis.from) { reduced.push(Axis { to: None, ..axis }) } else { others.push(axis) }
    }
    // Outputs are computed one by one, so that any order of them is right, and the best is that of the memory.
    others.sort_by_key(|axis| core::cmp::Reverse(axis.strides.0));
    // Axes that follow one another in the memory of input and output are one dimension.
    let groups = |axes| <[Axis]>::chunk_by(axes, follows);
    let (reduced_groups, other_groups) = (groups(&reduced).count(), groups(&others).count());
    if reduced_groups + other_groups > 6 {
        return fail(format!(
            "cannot reduce view `{input}` of extents {extents:?} along the axes {axes:?}: {} axes are apart in memory, and at most 6 \
             may be; reduce neighbouring axes first",
            reduced_groups + other_groups
        ));
    }
    let mut plan = Plan {
        from: Default::default(),
        to: Default::default(),
        reduced: Reduced {
            extents: [1; 6],
            rank: reduced_groups,
            count: axes.iter().map(|&axis| extents[axis]).product(),
        },
    };
    for (dimension, group) in groups(&reduced).enumerate() {
        plan.from[dimension] = group.iter().map(|axis| axis.from).collect();
        plan.reduced.extents[dimension] = group.iter().map(|axis| axis.extent).product();
    }
    for (dimension, group) in (6 - other_groups..).zip(groups(&others)) {
        plan.from[dimension] = group.iter().map(|axis| axis.from).collect();
        plan.to[dimension] = group.iter().filter_map(|axis| axis.to).collect();
    }
    Ok(plan)
}

/// Whether an axis lies directly within another one.
fn follows(outer: &Axis, inner: &Axis) -> bool {
    let next = |stride: usize| stride.wrapping_mul(inner.extent);
    outer.strides.0 == next(inner.strides.0)
        && (inner.to.is_none() || outer.strides.1 == next(inner.strides.1))
}
