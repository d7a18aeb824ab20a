//! Reductions: eight accumulators, enough to hide four cycles of latency at two instructions a cycle.

use super::level::Kernel;
use super::vector::{Vector, Wide};
use super::{GRAIN, Limit};

/// Elements whose extremes are found before their locations are searched for. Unit: elements. Source: estimated; a block
/// and the search in the best one at the end are both small beside a launch, and the block is in the first cache.
const BLOCK: usize = 2048;

/// An operation that also joins two running values.
trait Step<V: Vector> {
    /// # Safety
    /// The processor has the instructions of `V`.
    unsafe fn vectors(a: V, b: V) -> V;
    fn items(a: V::Item, b: V::Item) -> V::Item;
}

struct Least;
struct Most;

impl<V: Vector> Step<V> for Least {
    #[inline(always)]
    unsafe fn vectors(a: V, b: V) -> V {
        // SAFETY: the processor has the instructions of `V`, as `Step::vectors` asks.
        unsafe { a.min(b) }
    }
    #[inline(always)]
    fn items(a: V::Item, b: V::Item) -> V::Item {
        if b < a { b } else { a }
    }
}

impl<V: Vector> Step<V> for Most {
    #[inline(always)]
    unsafe fn vectors(a: V, b: V) -> V {
        // SAFETY: the processor has the instructions of `V`, as `Step::vectors` asks.
        unsafe { a.max(b) }
    }
    #[inline(always)]
    fn items(a: V::Item, b: V::Item) -> V::Item {
        if b > a { b } else { a }
    }
}

/// The lanes, and one more item, folded one after the other.
///
/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn lanes<V: Vector>(vector: V, join: impl Fn(V::Item, V::Item) -> V::Item) -> V::Item {
    let mut items = [V::ZERO; 16];
    assert!(V::LANES <= 16);
    // SAFETY: there are at least as many items as lanes.
    unsafe { vector.store(items.as_mut_ptr()) };
    let (first, rest) = (items[0], &items[1..V::LANES]);
    rest.iter().fold(first, |joined, item| join(joined, *item))
}

/// The least or largest of `x`, which is not empty.
///
/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn extreme<V: Vector, S: Step<V>>(x: &[V::Item]) -> V::Item {
    // SAFETY: every load is of `LANES` items inside `x`, which holds that many whole vectors.
    unsafe {
        let mut all = [V::splat(x[0]); 8];
        let (step, blocks) = (8 * V::LANES, x.len() / (8 * V::LANES));
        for block in 0..blocks {
            for (lane, value) in all.iter_mut().enumerate() {
                *value = S::vectors(*value, V::load(x.as_ptr().add(block * step + lane * V::LANES)));
            }
        }
        let joined = all[1..].iter().fold(all[0], |joined, value| S::vectors(joined, *value));
        let rest = x[blocks * step..].chunks_exact(V::LANES);
        let end = rest.remainder();
        let joined = rest.fold(joined, |joined, chunk| S::vectors(joined, V::load(chunk.as_ptr())));
        end.iter().fold(lanes(joined, S::items), |joined, item| S::items(joined, *item))
    }
}

/// Both extremes at once: one load serves two operations.
///
/// # Safety
/// The processor has the instructions of `V`.
#[inline(always)]
unsafe fn extremes<V: Vector>(x: &[V::Item]) -> (V::Item, V::Item) {
    // SAFETY: every load is of `LANES` items inside `x`, which holds that many whole vectors.
    unsafe {
        let (mut low, mut high) = ([V::splat(x[0]); 4], [V::splat(x[0]); 4]);
        let (step, blocks) = (4 * V::LANES, x.len() / (4 * V::LANES));
        for block in 0..blocks {
            for lane in 0..4 {
                let value = V::load(x.as_ptr().add(block * step + lane * V::LANES));
                (low[lane], high[lane]) = (low[lane].min(value), high[lane].max(value));
            }
        }
        let vectors = x.len() / V::LANES;
        for vector in 4 * blocks..vectors {
            let value = V::load(x.as_ptr().add(vector * V::LANES));
            (low[vector % 4], high[vector % 4]) = (low[vector % 4].min(value), high[vector % 4].max(value));
        }
        let low = lanes(low[0].min(low[1]).min(low[2].min(low[3])), <Least as Step<V>>::items);
        let high = lanes(high[0].max(high[1]).max(high[2].max(high[3])), <Most as Step<V>>::items);
        x[vectors * V::LANES..].iter().fold((low, high), |(low, high), item| {
            (<Least as Step<V>>::items(low, *item), <Most as Step<V>>::items(high, *item))
        })
    }
}

struct Sum<'a, T>(&'a [T]);
struct Dot<'a, T>(&'a [T], &'a [T]);
struct Min<'a, T>(&'a [T]);
struct MinLoc<'a, T>(&'a [T]);
struct MinMaxLoc<'a, T>(&'a [T]);
struct Read<'a, T>(&'a [T]);

impl<T: Wide + core::ops::Add<Output = T>> Kernel<T> for Sum<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        let x = self.0;
        let (step, blocks, vectors) = (8 * V::LANES, x.len() / (8 * V::LANES), x.len() / V::LANES);
        // SAFETY: the loads are of whole vectors inside `x`.
        let all = unsafe {
            let mut all = [V::splat(V::ZERO); 8];
            for block in 0..blocks {
                for (lane, value) in all.iter_mut().enumerate() {
                    *value = value.add(V::load(x.as_ptr().add(block * step + lane * V::LANES)));
                }
            }
            for vector in 8 * blocks..vectors {
                all[vector % 8] = all[vector % 8].add(V::load(x.as_ptr().add(vector * V::LANES)));
            }
            let all = [all[0].add(all[1]), all[2].add(all[3]), all[4].add(all[5]), all[6].add(all[7])];
            lanes(all[0].add(all[1]).add(all[2].add(all[3])), |a, b| a + b)
        };
        x[vectors * V::LANES..].iter().fold(all, |sum, item| sum + *item)
    }
}

impl<T: Wide + core::ops::Add<Output = T> + core::ops::Mul<Output = T>> Kernel<T> for Dot<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        let (x, w) = (self.0, &self.1[..self.0.len()]);
        let (step, blocks, vectors) = (8 * V::LANES, x.len() / (8 * V::LANES), x.len() / V::LANES);
        // SAFETY: the loads are of whole vectors inside `x` and `w`, which are equally long.
        let all = unsafe {
            let mut all = [V::splat(V::ZERO); 8];
            for block in 0..blocks {
                for (lane, value) in all.iter_mut().enumerate() {
                    let at = block * step + lane * V::LANES;
                    *value = value.plus_product(V::load(x.as_ptr().add(at)), V::load(w.as_ptr().add(at)));
                }
            }
            for vector in 8 * blocks..vectors {
                let (x, w) = (x.as_ptr().add(vector * V::LANES), w.as_ptr().add(vector * V::LANES));
                all[vector % 8] = all[vector % 8].plus_product(V::load(x), V::load(w));
            }
            let all = [all[0].add(all[1]), all[2].add(all[3]), all[4].add(all[5]), all[6].add(all[7])];
            lanes(all[0].add(all[1]).add(all[2].add(all[3])), |a, b| a + b)
        };
        let done = vectors * V::LANES;
        x[done..].iter().zip(&w[done..]).fold(all, |sum, (x, w)| sum + *x * *w)
    }
}

impl<T: Wide> Kernel<T> for Min<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        // SAFETY: the processor has the instructions of `V`, as `Kernel::run` asks.
        unsafe { extreme::<V, Least>(self.0) }
    }
}

impl<T: Wide> Kernel<T> for MinLoc<'_, T> {
    type Output = (T, usize);
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> (T, usize) {
        let x = self.0;
        let (mut best, mut start) = (x[0], 0);
        for (number, block) in x.chunks(BLOCK).enumerate() {
            // SAFETY: the processor has the instructions of `V`, as `Kernel::run` asks.
            let least = unsafe { extreme::<V, Least>(block) };
            (best, start) = if least < best { (least, number * BLOCK) } else { (best, start) };
        }
        (best, start + place(&x[start..], best))
    }
}

impl<T: Wide> Kernel<T> for MinMaxLoc<'_, T> {
    type Output = [(T, usize); 2];
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> [(T, usize); 2] {
        let x = self.0;
        let (mut low, mut high) = ((x[0], 0), (x[0], 0));
        for (number, block) in x.chunks(BLOCK).enumerate() {
            // SAFETY: the processor has the instructions of `V`, as `Kernel::run` asks.
            let (least, most) = unsafe { extremes::<V>(block) };
            low = if least < low.0 { (least, number * BLOCK) } else { low };
            high = if most > high.0 { (most, number * BLOCK) } else { high };
        }
        [low, high].map(|(value, start)| (value, start + place(&x[start..], value)))
    }
}

/// The first location of `value`: chunks are compared without a branch inside, so that the comparison vectorises.
#[inline(always)]
fn place<T: PartialEq>(x: &[T], value: T) -> usize {
    const CHUNK: usize = 64;
    let within = |chunk: &[T]| chunk.iter().fold(false, |found, item| found | (*item == value));
    let start = x.chunks_exact(CHUNK).take_while(|chunk| !within(chunk)).count() * CHUNK;
    start + x[start..].iter().position(|item| *item == value).unwrap_or(0)
}

impl<T: Wide> Kernel<T> for Read<'_, T> {
    type Output = T;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = T>>(self) -> T {
        let x = self.0;
        let (step, blocks) = (8 * V::LANES, x.len() / (8 * V::LANES));
        // SAFETY: the loads are of whole blocks inside `x`.
        unsafe {
            let mut all = [V::splat(V::ZERO); 8];
            for block in 0..blocks {
                for (lane, value) in all.iter_mut().enumerate() {
                    *value = value.or(V::load(x.as_ptr().add(block * step + lane * V::LANES)));
                }
            }
            lanes(
                all[1..].iter().fold(all[0], |joined, value| joined.or(*value)),
                |a, b| if b > a { b } else { a },
            )
        }
    }
}

impl Limit {
    /// The sum of `x`.
    pub fn sum<T: Wide + core::ops::Add<Output = T>>(&self, x: &[T]) -> T {
        self.gather(x.len(), |part| self.level.run(Sum(&x[part])), |a, b| a + b)
    }

    /// The sum of products.
    pub fn dot<T: Wide + core::ops::Add<Output = T> + core::ops::Mul<Output = T>>(
        &self,
        x: &[T],
        w: &[T],
    ) -> T {
        self.gather(x.len(), |part| self.level.run(Dot(&x[part.clone()], &w[part])), |a, b| a + b)
    }

    /// The least of `x`, which is not empty.
    pub fn min<T: Wide>(&self, x: &[T]) -> T {
        // A share without elements repeats a value of another share.
        let own = |part: core::ops::Range<usize>| if part.is_empty() { &x[..1] } else { &x[part] };
        self.gather(x.len(), |part| self.level.run(Min(own(part))), |a, b| if b < a { b } else { a })
    }

    /// The least of `x`, which is not empty, and its first location.
    pub fn minloc<T: Wide>(&self, x: &[T]) -> (T, usize) {
        let own = |part: core::ops::Range<usize>| {
            let part = if part.is_empty() { 0..1 } else { part };
            let (value, at) = self.level.run(MinLoc(&x[part.clone()]));
            (value, part.start + at)
        };
        self.gather(x.len(), own, |a, b| if b.0 < a.0 { b } else { a })
    }

    /// The least and the largest of `x`, which is not empty, each with its first location.
    pub fn minmaxloc<T: Wide>(&self, x: &[T]) -> [(T, usize); 2] {
        let own = |part: core::ops::Range<usize>| {
            let part = if part.is_empty() { 0..1 } else { part };
            self.level.run(MinMaxLoc(&x[part.clone()])).map(|(value, at)| (value, part.start + at))
        };
        self.gather(x.len(), own, |a, b| {
            [if b[0].0 < a[0].0 { b[0] } else { a[0] }, if b[1].0 > a[1].0 { b[1] } else { a[1] }]
        })
    }

    /// Reads every byte, and returns a value that depends on all of them except the last few.
    pub fn read<T: Wide>(&self, x: &[T]) -> T {
        debug_assert!(GRAIN.is_power_of_two());
        self.gather(x.len(), |part| self.level.run(Read(&x[part])), |a, b| if b > a { b } else { a })
    }

    /// The sum of each row of `columns` numbers.
    pub fn rows<T: Wide + core::ops::Add<Output = T>>(&self, x: &[T], columns: usize, y: &mut [T]) {
        let to = super::stream::Shared::new(y);
        self.share_rows(x.len(), columns, |rows| {
            for row in rows {
                let sum = self.level.run(Sum(&x[row * columns..(row + 1) * columns]));
                // SAFETY: threads have different rows, all of which `y` has: `share_rows` counts whole rows of `x`,
                // and the assertion in `part` checks the rest.
                unsafe { to.part(row..row + 1)[0] = sum };
            }
        });
    }
}
