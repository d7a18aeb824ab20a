//! Colours of heights and of other quantities.

/// Colours from the lowest to the highest ground, at equal distances.
const TINTS: [[f64; 3]; 6] = [
    [74.0, 128.0, 92.0],
    [139.0, 175.0, 112.0],
    [219.0, 212.0, 152.0],
    [205.0, 164.0, 108.0],
    [158.0, 112.0, 82.0],
    [244.0, 240.0, 236.0],
];

/// From `a` to `b`, as `part` goes from 0 to 1.
#[inline(always)]
pub(crate) fn mix(a: f64, b: f64, part: f64) -> f64 {
    a + (b - a) * part
}

/// The colour of ground at this height.
#[inline(always)]
pub(crate) fn tint(height: f64, min: f64, max: f64) -> [f64; 3] {
    ramp(&TINTS, (height - min) / (max - min).max(1.0))
}

/// The colour at a part, from 0 to 1, of the way from the first of these colours to the last, which are at equal distances.
#[inline(always)]
pub(crate) fn ramp<const N: usize>(colours: &[[f64; 3]; N], part: f64) -> [f64; 3] {
    let last = N - 1;
    let place = part.clamp(0.0, 1.0) * last as f64;
    let below = (place as usize).min(last - 1);
    let part = place - below as f64;
    [0, 1, 2].map(|colour| mix(colours[below][colour], colours[below + 1][colour], part))
}
