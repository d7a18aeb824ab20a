//! Clusters of points, from which block-sparse reductions are made.
//!
//! All of it is on the host: labels give the cluster of each point, an order sorts the points by their labels, and ranges give the place
//! of each cluster in the sorted points.

use core::ops::Range;

use spelt_core::isa::{Work, dispatch};
use spelt_core::{Error, ErrorKind, Result};

use crate::Real;
use crate::room::{collected, filled, room};

/// The largest number of a cell; beyond it, neighbouring cells of a grid have the same number. Unit: cells. Source: the mantissa of `f64`.
const MAX_CELLS: f64 = (1_u64 << 53) as f64;

/// The most cells for each point in a table of all of them. Unit: cells. Source: estimated: a point is sorted in the time in which the table is
/// written and summed for some ten.
const TABLE_PER_POINT: usize = 8;

/// Puts points into the cells of a grid: the label of a point is the rank of its cell among those that hold points.
///
/// Cell `c` of a dimension holds the coordinates from `c size` up to but not including `(c + 1) size`: coordinates are rounded down, also below zero.
/// Cells are ordered as in a dictionary, first dimension first; labels are 0, 1, 2, .. without gaps, and two points have the
/// same label if and only if their cells are the same in all dimensions.
///
/// # Errors
/// [`ErrorKind::Format`] if a size is not above zero, a coordinate is NaN or infinite, or a cell's number is beyond 2^53;
/// [`ErrorKind::OutOfMemory`] if there is not enough memory for the labels.
///
/// # Complexity
/// For n points of a constant dimension, on one thread: work O(n) if a box around all points has at most 8 n cells, otherwise O(n log n).
///
/// # Source
/// KeOps: `grid_cluster`, for up to three dimensions, where two cells that are far from one another may share a label.
///
/// # Examples
/// ```
/// use spelt_algorithms::grid_cluster;
/// let labels = grid_cluster(&[[0.0], [0.1], [0.9], [0.05], [0.5]], [0.2])?;
/// assert_eq!(labels, [0, 0, 2, 0, 1]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn grid_cluster<T: Real, const D: usize>(points: &[[T; D]], size: [T; D]) -> Result<Vec<usize>> {
    for (d, &size) in size.iter().enumerate() {
        let size: f64 = size.into();
        if !(size > 0.0 && size.is_finite()) {
            return malformed(format!(
                "the size of cells in dimension {d} is {size}: give a number above zero"
            ));
        }
    }
    let mut cells = room(points.len(), "cells of points")?;
    dispatch(Cells { points, size, cells: &mut cells })?;
    if let Some(labels) = labels_of_box(&cells) {
        return labels;
    }
    let mut order = collected(0..points.len(), "places of points")?;
    // In place: a stable sort needs extra memory.
    order.sort_unstable_by_key(|&i| cells[i]);
    let mut labels = filled(0, points.len(), "labels of points")?;
    for pair in order.windows(2) {
        labels[pair[1]] = labels[pair[0]] + usize::from(cells[pair[0]] != cells[pair[1]]);
    }
    Ok(labels)
}

/// The cells of points, for a list that has room for them.
struct Cells<'a, T, const D: usize> {
    points: &'a [[T; D]],
    size: [T; D],
    cells: &'a mut Vec<[i64; D]>,
}

impl<T: Real, const D: usize> Work for Cells<'_, T, D> {
    type Output = Result<()>;

    // Compiled for each processor, as the lowest has no instruction that rounds down.
    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { points, size, cells } = self;
        for (i, point) in points.iter().enumerate() {
            let mut cell = [0_i64; D];
            for d in 0..D {
                let coordinate: f64 = point[d].into();
                let number = (coordinate / size[d].into()).floor();
                if number.is_nan() || number.abs() > MAX_CELLS {
                    return malformed(format!(
                        "coordinate {d} of point {i} is {coordinate}, in cell {number}: cells have numbers up to 2^53"
                    ));
                }
                cell[d] = number as i64;
            }
            cells.push(cell);
        }
        Ok(())
    }
}

/// Labels by a table of all cells between the least and the greatest of each dimension; `None` if that is too large.
fn labels_of_box<const D: usize>(cells: &[[i64; D]]) -> Option<Result<Vec<usize>>> {
    let (&(mut low), &(mut high)) = (cells.first()?, cells.first()?);
    for cell in cells {
        for d in 0..D {
            (low[d], high[d]) = (low[d].min(cell[d]), high[d].max(cell[d]));
        }
    }
    let (mut extents, mut all) = ([0; D], 1_usize);
    for d in 0..D {
        // Cells have numbers up to 2^53, so that no difference overflows.
        extents[d] = usize::try_from(high[d] - low[d] + 1).ok()?;
        all = all.checked_mul(extents[d])?;
    }
    if all > cells.len().saturating_mul(TABLE_PER_POINT) {
        return None;
    }
    let number = |cell: &[i64; D]| (0..D).fold(0, |at, d| at * extents[d] + (cell[d] - low[d]) as usize);
    // Without memory for it, the sort needs none.
    let mut table = filled(0_usize, all, "cells of a grid").ok()?;
    cells.iter().for_each(|cell| table[number(cell)] = 1);
    let mut label = 0;
    for place in &mut table {
        (*place, label) = (label, label + *place);
    }
    Some(collected(cells.iter().map(|cell| table[number(cell)]), "labels of points"))
}

/// The order that sorts points by their labels: first the points of cluster 0, then those of 1, and so on.
///
/// It is stable: points of one cluster stay in their order. Element `k` is the index of the point at place `k`, so
/// `order.map(|i| points[i])`, or a gather, sorts the points.
///
/// # Panics
/// If there is no memory for the order.
///
/// # Complexity
/// On one thread: work O(n) for n points if all labels are below n, otherwise O(n log n).
///
/// # Examples
/// ```
/// use spelt_algorithms::cluster_order;
/// assert_eq!(cluster_order(&[1, 0, 2, 0]), [1, 3, 0, 2]);
/// ```
#[must_use]
pub fn cluster_order(labels: &[usize]) -> Vec<usize> {
    let mut order = filled(0, labels.len(), "places of points").unwrap_or_else(|error| panic!("{error}"));
    // Half the memory, where places have 32 bits.
    let counted = match u32::try_from(labels.len()) {
        Ok(_) => order_by_counting::<u32>(labels, &mut order),
        Err(_) => order_by_counting::<u64>(labels, &mut order),
    };
    if counted.is_none() {
        order.iter_mut().enumerate().for_each(|(i, place)| *place = i);
        // In place: a stable sort needs extra memory.
        order.sort_unstable_by_key(|&i| (labels[i], i));
    }
    order
}

/// Sorts by counting; `None`, and `order` as it was, if the counts would be longer than the order, or there is no memory for them.
fn order_by_counting<P: Counter>(labels: &[usize], order: &mut [usize]) -> Option<()> {
    let mut places = Vec::<P>::new();
    let mut rest = labels.iter();
    loop {
        // The labels without a count end this loop, so that the largest need not be looked for before it.
        let counts = places.as_mut_slice();
        let unknown = |&&label: &&usize| counts.get_mut(label).map(P::next).is_none();
        let Some(&label) = rest.find(unknown) else { break };
        let more = label.checked_add(1)?.max(2 * places.len()).min(labels.len());
        if label >= more || places.try_reserve_exact(more - places.len()).is_err() {
            return None;
        }
        places.resize(more, P::default());
        places[label].next();
    }
    place_by_counts(labels, &mut places, order);
    Some(())
}

/// Writes an order from the number of points of each cluster, which becomes the place past its last point.
fn place_by_counts<P: Counter>(labels: &[usize], places: &mut [P], order: &mut [usize]) {
    let mut start = P::default();
    for place in places.iter_mut() {
        (*place, start) = (start, start.plus(*place));
    }
    for (i, &label) in labels.iter().enumerate() {
        order[places[label].next()] = i;
    }
}

/// The number of points of a cluster, and then of the place of its next point in the order.
trait Counter: Copy + Default {
    fn number(self) -> usize;
    /// The number, which is one more afterwards.
    fn next(&mut self) -> usize;
    fn plus(self, other: Self) -> Self;
}

macro_rules! counter {
    ($($T:ty)*) => {$(
        impl Counter for $T {
            #[inline(always)]
            fn number(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn next(&mut self) -> usize {
                let place = *self;
                *self = place.wrapping_add(1);
                place.number()
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
        }
    )*};
}

counter!(u32 u64);

/// The range of each of `count` clusters in points that are sorted by their labels.
///
/// The labels may come in any order; the ranges are those of the sorted points. A cluster without points has an empty range, where its
/// points would be. The ranges cover all points and do not overlap.
///
/// # Errors
/// [`ErrorKind::Extents`] if a label is not below `count`; [`ErrorKind::OutOfMemory`] if there is no room for `count` ranges.
///
/// # Complexity
/// Work O(n + `count`), on one thread.
///
/// # Source
/// KeOps: `cluster_ranges`.
///
/// # Examples
/// ```
/// use spelt_algorithms::cluster_ranges;
/// assert_eq!(cluster_ranges(&[2, 0, 2, 0], 4)?, [0..2, 2..2, 2..4, 4..4]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn cluster_ranges(labels: &[usize], count: usize) -> Result<Vec<Range<usize>>> {
    let mut ranges = filled(0..0, count, "ranges of clusters")?;
    for (i, &label) in labels.iter().enumerate() {
        let Some(range) = ranges.get_mut(label) else { return unknown(i, label, count) };
        range.end += 1;
    }
    let mut start = 0;
    for range in &mut ranges {
        *range = start..start + range.end;
        start = range.end;
    }
    Ok(ranges)
}

/// The results of [`cluster_order`] and [`cluster_ranges`], in less time than by both: the points are counted once.
///
/// # Errors
/// As for [`cluster_ranges`], and [`ErrorKind::OutOfMemory`] if there is no room for the order.
///
/// # Complexity
/// Work O(n + `count`), on one thread.
///
/// # Examples
/// ```
/// use spelt_algorithms::cluster_order_and_ranges;
/// let (order, ranges) = cluster_order_and_ranges(&[2, 0, 2, 0], 4)?;
/// assert_eq!((order, ranges), (vec![1, 3, 0, 2], vec![0..2, 2..2, 2..4, 4..4]));
/// # Ok::<(), spelt_core::Error>(())
/// ```
pub fn cluster_order_and_ranges(labels: &[usize], count: usize) -> Result<(Vec<usize>, Vec<Range<usize>>)> {
    match u32::try_from(labels.len()) {
        Ok(_) => order_and_ranges::<u32>(labels, count),
        Err(_) => order_and_ranges::<u64>(labels, count),
    }
}

fn order_and_ranges<P: Counter>(labels: &[usize], count: usize) -> Result<(Vec<usize>, Vec<Range<usize>>)> {
    let mut ranges = room(count, "ranges of clusters")?;
    let mut places = filled(P::default(), count, "ranges of clusters")?;
    for (i, &label) in labels.iter().enumerate() {
        let Some(place) = places.get_mut(label) else { return unknown(i, label, count) };
        place.next();
    }
    let mut order = filled(0, labels.len(), "places of points")?;
    place_by_counts(labels, &mut places, &mut order);
    let mut start = 0;
    ranges.extend(places.into_iter().map(|end| {
        let range = start..end.number();
        start = range.end;
        range
    }));
    Ok((order, ranges))
}

#[cold]
fn unknown<T>(point: usize, label: usize, count: usize) -> Result<T> {
    Err(Error::new(
        ErrorKind::Extents,
        format!("the label of point {point} is {label}, but there are {count} clusters: labels count from 0"),
    ))
}

/// The weighted mean of the points of each cluster, with the sum of their weights.
///
/// The points are sorted by cluster, as `ranges` says; without weights all are 1. A cluster whose weights sum to zero, such as one
/// without points, has no mean: `None`. Sums are in `f64`, in the order of the points.
///
/// # Errors
/// [`ErrorKind::Extents`] if there are not as many weights as points, or a range goes beyond the points;
/// [`ErrorKind::OutOfMemory`] if there is not enough memory for the means.
///
/// # Complexity
/// Work O(points in ranges), on one thread.
///
/// # Source
/// KeOps: `cluster_ranges_centroids`, where the mean of no points is NaN.
///
/// # Examples
/// ```
/// use spelt_algorithms::cluster_centroids;
/// let means = cluster_centroids(&[[0.0_f32], [4.0], [9.0]], Some(&[3.0, 1.0, 1.0]), &[0..2, 2..2, 2..3])?;
/// assert_eq!(means, [Some(([1.0], 4.0)), None, Some(([9.0], 1.0))]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[expect(clippy::type_complexity, reason = "a list of what may be missing: a mean and its weight")]
pub fn cluster_centroids<T: Real, const D: usize>(
    points: &[[T; D]],
    weights: Option<&[T]>,
    ranges: &[Range<usize>],
) -> Result<Vec<Option<([T; D], T)>>> {
    if let Some(weights) = weights
        && weights.len() != points.len()
    {
        return Err(Error::new(
            ErrorKind::Extents,
            format!("there are {} weights for {} points: give one for each", weights.len(), points.len()),
        ));
    }
    let mean = |(k, range): (usize, &Range<usize>)| {
        let Some(members) = points.get(range.clone()) else {
            return Err(Error::new(
                ErrorKind::Extents,
                format!("the range of cluster {k} is {range:?}, but there are {} points", points.len()),
            ));
        };
        let (mut total, mut sum) = (0.0, [0.0; D]);
        for (i, point) in range.clone().zip(members) {
            let weight: f64 = weights.map_or(1.0, |weights| weights[i].into());
            total += weight;
            for d in 0..D {
                sum[d] += weight * point[d].into();
            }
        }
        Ok((total != 0.0).then(|| (sum.map(|sum| T::nearest(sum / total)), T::nearest(total))))
    };
    let mut means = room(ranges.len(), "means of clusters")?;
    for range in ranges.iter().enumerate() {
        means.push(mean(range)?);
    }
    Ok(means)
}

fn malformed<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Format, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Labels of more points than `u32` counts take 64 bits for a place; few of them have the same results.
    #[test]
    fn places_of_64_bits_have_the_results_of_32() {
        let labels: Vec<usize> = (0..700).map(|i| i * 7919 % 41).collect();
        let (mut narrow, mut wide) = (vec![0; 700], vec![0; 700]);
        order_by_counting::<u32>(&labels, &mut narrow).expect("memory");
        order_by_counting::<u64>(&labels, &mut wide).expect("memory");
        assert_eq!(wide, narrow);
        assert!(wide.is_sorted_by_key(|&i| (labels[i], i)));
        let both = order_and_ranges::<u64>(&labels, 41).expect("labels below 41");
        assert_eq!(both, order_and_ranges::<u32>(&labels, 41).expect("labels below 41"));
        assert_eq!(both.0, wide);
    }
}
