//! bitonic-sort: a network that sorts a power of two of numbers.

use spelt::prelude::*;
use spelt_harness::{Made, Work};

use super::comparison::same;
use super::reason::told;
use super::spread::spread;
use super::{Case, Variant};
use crate::peer::out;
use crate::setup::{Setup, slice, slice_mut};

/// The program and its sizes.
pub const CASE: Case = Case {
    name: "bitonic-sort",
    hypothesis: "A stage compares the lower with the upper half of each block: two parts of one View, read and written at the same time. Far \
        pairs are vector code; near ones are in neither: within 1.1.",
    size: "numbers",
    variants: &[Variant::new("u32", &[4096, 1 << 20], race)],
};

/// Sorts a View whose length is a power of two.
///
/// # Errors
/// If it is not.
pub fn sort<S: ExecutionSpace>(space: &S, x: &mut View<u32, 1, S::Memory>) -> spelt::Result<()> {
    let n = x.len();
    let mut width = 2;
    while width <= n {
        let mut far = width / 2;
        while far > 0 {
            let mut blocks = x.split_axis_mut(0, [n / (2 * far), 2 * far])?;
            let (low, high) = blocks.view_mut().split_at(1, far);
            let pairs = space.md_range([0..n / (2 * far), 0..far]);
            parallel_for("bitonic", pairs, (low, high), move |i, (mut low, mut high)| {
                let (least, most) = (low[i].min(high[i]), low[i].max(high[i]));
                let ascends = (i.index()[0] * 2 * far) & width == 0;
                (low[i], high[i]) = if ascends { (least, most) } else { (most, least) };
            })?;
            far /= 2;
        }
        width *= 2;
    }
    Ok(())
}

fn number([i]: [usize; 1]) -> u32 {
    (spread(i) * 1e9) as u32
}

/// The numbers in order.
fn plain(n: usize) -> Vec<u32> {
    let mut numbers: Vec<_> = (0..n).map(|i| number([i])).collect();
    numbers.sort_unstable();
    numbers
}

/// Compares a few numbers with a plain sort.
///
/// # Errors
/// Names the first number that differs.
pub fn check<S: ExecutionSpace>(space: &S) -> Result<(), String> {
    for n in [1, 2, 64] {
        let mut x = space.view_from_fn("x", [n], number).map_err(told)?;
        sort(space, &mut x).map_err(told)?;
        same("x", slice(&x.to_host().map_err(told)?), &plain(n))?;
    }
    Ok(())
}

fn race(setup: &Setup, n: usize) -> Made {
    if !n.is_power_of_two() {
        return Err(format!("the size is {n}: choose a power of two"));
    }
    let x = setup.view("x", [n], number)?;
    let expected = plain(n);
    let lineup = setup.race(
        x,
        Work { bytes: 0, elements: n },
        sort,
        source!("bitonic_sort"),
        move |peer, x| {
            // SAFETY: the source reads and writes n numbers: their partners lie within them, since n is a power of two as checked above.
            unsafe { peer.call(&[out(slice_mut(x))], &[n]) };
        },
        move |x| same("x", slice(x), &expected),
    )?;
    Ok(Box::new(lineup.before(|x| slice_mut(x).iter_mut().enumerate().for_each(|(i, x)| *x = number([i])))))
}
