//! The algorithms that CUB has too, each with its data.

use spelt::algorithms::{
    Extreme, Ties, filter, histogram, segmented_reduce_by_offsets, sort, sort_by_key, top_k,
};
use spelt::prelude::*;
use spelt::{Offsets, Result};

use super::kernels::{Kernel, Setup, made, rough};

/// The algorithms, by name.
pub(super) fn all<S: ExecutionSpace>() -> Vec<(&'static str, Setup<S>)> {
    vec![
        ("sort u32", sort_u32),
        ("sort i64", sort_i64),
        ("sort by key u32", sort_by_key_u32),
        ("histogram of 256", histogram_of_256),
        ("segments of 100 f64", segments_of_100),
        ("checked segments of 100 f64", checked_segments_of_100),
        ("filter f64", filter_f64),
        ("top 1000 of u32", top_1000),
    ]
}

/// Bins of the histogram.
const BINS: usize = 256;

/// Elements of a segment.
const SEGMENT: usize = 100;

/// Keys without order, all of whose bytes differ. `benches/gpu/peers.cu` sorts the same.
fn mixed(i: usize) -> u64 {
    let x = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

/// Keys as they come, and the place where they are sorted.
type Keys<K, M> = (View<K, 1, M>, View<K, 1, M>);

/// Sorting is in place: each launch copies the keys first, and that is part of its time.
fn sort_u32<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data: Keys<u32, S::Memory> =
        (space.view_from_fn("keys", [n], |[i]| mixed(i) as u32)?, space.zeros("sorted", [n])?);
    let launch = move |(keys, sorted): &mut Keys<u32, S::Memory>| {
        deep_copy(sorted, &*keys)?;
        sort(space, sorted)
    };
    Ok(made("sort u32", n, 8 * n, data, launch, |(_, sorted)| {
        Ok(sorted.to_host()?.iter().map(|&key| key.into()).collect())
    }))
}

/// As [`sort_u32`].
fn sort_i64<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let data: Keys<i64, S::Memory> =
        (space.view_from_fn("keys", [n], |[i]| mixed(i).cast_signed())?, space.zeros("sorted", [n])?);
    let launch = move |(keys, sorted): &mut Keys<i64, S::Memory>| {
        deep_copy(sorted, &*keys)?;
        sort(space, sorted)
    };
    Ok(made("sort i64", n, 16 * n, data, launch, |(_, sorted)| {
        Ok(sorted.to_host()?.iter().map(|key| key.cast_unsigned()).collect())
    }))
}

/// As [`sort_u32`], with the place of each key moved along.
fn sort_by_key_u32<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    let keys: Keys<u32, S::Memory> =
        (space.view_from_fn("keys", [n], |[i]| mixed(i) as u32)?, space.zeros("sorted", [n])?);
    let places: Keys<u32, S::Memory> =
        (space.view_from_fn("places", [n], |[i]| i as u32)?, space.zeros("moved", [n])?);
    type Data<M> = (Keys<u32, M>, Keys<u32, M>);
    let launch = move |((keys, sorted), (places, moved)): &mut Data<S::Memory>| {
        deep_copy(sorted, &*keys)?;
        deep_copy(moved, &*places)?;
        sort_by_key(space, sorted, moved)
    };
    Ok(made("sort by key u32", n, 16 * n, (keys, places), launch, |(_, (_, moved))| {
        Ok(moved.to_host()?.iter().map(|&place| place.into()).collect())
    }))
}

fn histogram_of_256<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    type Data<M> = (View<u32, 1, M>, View<u32, 1, M>);
    let samples = space.view_from_fn("samples", [n], |[i]| (mixed(i) % BINS as u64) as u32)?;
    let data: Data<S::Memory> = (samples, space.zeros("counts", [BINS])?);
    let launch = move |(samples, counts): &mut Data<S::Memory>| histogram(space, &*samples, counts);
    Ok(made("histogram of 256", n, 4 * n, data, launch, |(_, counts)| {
        Ok(counts.to_host()?.iter().map(|&count| count.into()).collect())
    }))
}

/// The limits of segments of [`SEGMENT`] elements.
fn limits<S: ExecutionSpace>(space: &S, n: usize) -> Result<View<usize, 1, S::Memory>> {
    space.view_from_fn("offsets", [n.div_ceil(SEGMENT) + 1], |[s]| n.min(s * SEGMENT))
}

fn segments_of_100<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    type Data<M> = (View<f64, 1, M>, View<usize, 1, M>, View<f64, 1, M>);
    let segments = n.div_ceil(SEGMENT);
    let data: Data<S::Memory> =
        (space.view_from_fn("x", [n], |[i]| rough(i))?, limits(space, n)?, space.zeros("sums", [segments])?);
    let launch = move |(x, offsets, sums): &mut Data<S::Memory>| {
        segmented_reduce_by_offsets(space, &*x, &*offsets, sums, Sum::<f64>::new())
    };
    Ok(made("segments of 100 f64", n, 8 * (n + 2 * segments + 1), data, launch, |(_, _, sums)| {
        Ok(sums.to_host()?.iter().map(|sum| sum.to_bits()).collect())
    }))
}

/// As [`segments_of_100`], with limits that have been checked before, once for all launches: CUB does not check them.
fn checked_segments_of_100<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    type Data<M> = (View<f64, 1, M>, Offsets<M>, View<f64, 1, M>);
    let offsets = Offsets::new(limits(space, n)?)?;
    let segments = offsets.segments();
    let data: Data<S::Memory> =
        (space.view_from_fn("x", [n], |[i]| rough(i))?, offsets, space.zeros("sums", [segments])?);
    let launch = move |(x, offsets, sums): &mut Data<S::Memory>| {
        segmented_reduce_by_offsets(space, &*x, &*offsets, sums, Sum::<f64>::new())
    };
    Ok(made("checked segments of 100 f64", n, 8 * (n + 2 * segments + 1), data, launch, |(_, _, sums)| {
        Ok(sums.to_host()?.iter().map(|sum| sum.to_bits()).collect())
    }))
}

/// Keeps about a half, in no order that a branch could learn.
fn filter_f64<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    type Data<M> = (View<f64, 1, M>, Option<View<f64, 1, M>>);
    let limit = rough(5003);
    let data: Data<S::Memory> =
        (space.view_from_fn("x", [n], |[i]| rough(mixed(i) as usize % 10_007))?, None);
    let launch = move |(x, kept): &mut Data<S::Memory>| {
        *kept = Some(filter(space, &*x, move |x| *x < limit)?);
        Ok(())
    };
    Ok(made("filter f64", n, 12 * n, data, launch, |(_, kept)| {
        let kept = kept.as_ref().map(View::to_host).transpose()?;
        Ok(kept.iter().flat_map(|kept| kept.iter()).map(|x| x.to_bits()).collect())
    }))
}

/// The keys and their places.
fn top_1000<S: ExecutionSpace>(space: &S, n: usize) -> Result<Kernel<'_>> {
    type Best<M> = (View<u32, 1, M>, View<usize, 1, M>);
    type Data<M> = (View<u32, 1, M>, Option<Best<M>>);
    let data: Data<S::Memory> = (space.view_from_fn("keys", [n], |[i]| mixed(i) as u32)?, None);
    let launch = move |(keys, best): &mut Data<S::Memory>| {
        *best = Some(top_k(space, &*keys, 1000, Extreme::Largest, Ties::default())?);
        Ok(())
    };
    Ok(made("top 1000 of u32", n, 4 * n, data, launch, |(_, best)| {
        let Some((best, places)) = best else { return Ok(Vec::new()) };
        let (best, places) = (best.to_host()?, places.to_host()?);
        Ok(best.iter().map(|&key| key.into()).chain(places.iter().map(|&place| place as u64)).collect())
    }))
}
