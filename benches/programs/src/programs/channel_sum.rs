//! channelSum: the sum and the sum of squares of each channel of images, for a normalisation of batches.

use spelt::algorithms::{norm_squared_axes, reduce_axes, sum_axes};
use spelt::prelude::*;
use spelt::reducers::Elementwise;
use spelt_harness::{Made, Work};

use super::comparison::near;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::{out, read};
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "channel-sum",
    hypothesis: "One reduction along axes. With the channels in the middle (NCHW) lanes add, and C++ adds one number after another \
        unless -ffast-math lets it; with the channels last (NHWC) both add neighbouring channels: level.",
    size: "images",
    variants: &[
        Variant::new("NCHW", &[4, 128], race::<true>),
        Variant::new("NHWC", &[4, 128], race::<false>),
    ],
};

/// Channels of each image.
const CHANNELS: usize = 64;

/// Pixels of each image.
const PIXELS: usize = 14 * 14;

/// The sums of each channel of `x`, whose extents are images, channels, pixels, or images, pixels, channels.
///
/// # Errors
/// If `sums` has another number of channels.
pub fn sums<S: ExecutionSpace>(
    space: &S,
    x: &View<f32, 3, S::Memory>,
    channels_last: bool,
    sums: &mut View<[f32; 2], 1, S::Memory>,
) -> spelt::Result<()> {
    let axes = if channels_last { [0, 1] } else { [0, 2] };
    let reducer = Elementwise::<Sum<f32>, 2>::new(Sum::new());
    let add = |sums: &mut [f32; 2], x: f32, _| {
        sums[0] += x;
        sums[1] += x * x;
    };
    reduce_axes(space, x, axes, sums, add, reducer)
}

/// The same by two named reductions.
///
/// # Errors
/// If a View of sums has another number of channels.
pub fn named_sums<S: ExecutionSpace>(
    space: &S,
    x: &View<f32, 3, S::Memory>,
    channels_last: bool,
    [sums, squares]: [&mut View<f32, 1, S::Memory>; 2],
) -> spelt::Result<()> {
    let axes = if channels_last { [0, 1] } else { [0, 2] };
    sum_axes(space, x, axes, sums)?;
    norm_squared_axes(space, x, axes, squares)
}

/// The same by loops, in `f64`.
fn plain(x: &[f32], [_, second, third]: [usize; 3], channels_last: bool) -> Vec<f64> {
    let mut sums = vec![0.0; 2 * if channels_last { third } else { second }];
    for (place, &x) in x.iter().enumerate() {
        let channel = if channels_last { place % third } else { place / third % second };
        sums[2 * channel] += f64::from(x);
        sums[2 * channel + 1] += f64::from(x).powi(2);
    }
    sums
}

/// A number from -1 to 1.
fn start([i, j, k]: [usize; 3]) -> f32 {
    (2.0 * spread(i * 1009 + j * 131 + k) - 0.9) as f32
}

/// Compares the sums with the plain ones.
fn compare(x: &View<f32, 3>, channels_last: bool, sums: &View<[f32; 2], 1>) -> Result<(), String> {
    let found: Vec<f64> = slice(sums).as_flattened().iter().copied().map(f64::from).collect();
    near("sums", &found, &plain(slice(x), x.extents(), channels_last), 1e-4)
}

/// Compares a few images with the plain loops.
///
/// # Errors
/// Names the first sum that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    for channels_last in [false, true] {
        let extents = if channels_last { [2, 35, 5] } else { [2, 5, 35] };
        let x = space.view_from_fn("x", extents, start).map_err(told)?;
        let mut found = space.zeros("sums", [5]).map_err(told)?;
        sums(space, &x, channels_last, &mut found).map_err(told)?;
        compare(&x.to_host().map_err(told)?, channels_last, &found.to_host().map_err(told)?)?;
        let mut named = [space.zeros("sums", [5]).map_err(told)?, space.zeros("squares", [5]).map_err(told)?];
        named_sums(space, &x, channels_last, named.each_mut()).map_err(told)?;
        let (sums, squares) = (named[0].to_host().map_err(told)?, named[1].to_host().map_err(told)?);
        let found = View::from_fn("sums", [5], |[c]| [sums[c], squares[c]]).map_err(told)?;
        compare(&x.to_host().map_err(told)?, channels_last, &found)?;
    }
    Ok(())
}

fn race<const NCHW: bool>(setup: &Setup, images: usize) -> Made {
    let extents = if NCHW { [images, CHANNELS, PIXELS] } else { [images, PIXELS, CHANNELS] };
    let data = (setup.view("x", extents, start)?, setup.view("sums", [CHANNELS], |_| [0.0_f32; 2])?);
    let elements = images * CHANNELS * PIXELS;
    let lineup = setup.race(
        data,
        Work { bytes: 4 * elements, elements },
        |space, (x, found)| sums(space, x, !NCHW, found),
        source!("channel_sum"),
        move |peer, (x, found)| {
            // SAFETY: the source reads as many floats as these extents have, and writes two for each channel.
            unsafe {
                peer.call(
                    &[read(slice(x)), out(slice_mut(found))],
                    &[images, CHANNELS, PIXELS, usize::from(!NCHW)],
                )
            };
        },
        |(x, found)| compare(x, !NCHW, found),
    )?;
    let (space, mut named) = (
        setup.space.clone(),
        [setup.view("sums", [CHANNELS], |_| 0.0)?, setup.view("squares", [CHANNELS], |_| 0.0)?],
    );
    let lineup = lineup.with_checked(
        "Spelt named",
        move |(x, found)| {
            named_sums(&space, x, !NCHW, named.each_mut()).expect("the launches fit the Views");
            for (c, found) in slice_mut(found).iter_mut().enumerate() {
                *found = [named[0][c], named[1][c]];
            }
        },
        |(x, found), ()| compare(x, !NCHW, found),
    );
    Ok(Box::new(lineup.reset(|(_, found)| slice_mut(found).fill([-1.0; 2]))))
}
