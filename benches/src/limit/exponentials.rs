//! Sums of exponentials, by the same polynomial as ours: loops over arrays, which the compiler vectorises.

use super::level::Kernel;
use super::stream::Shared;
use super::vector::Vector;
use super::{Limit, Partial};

/// Running sums: four vectors of 512 bits.
const LANES: usize = 64;

/// Elements whose maximum is found before their exponentials are taken. Unit: elements. Source: estimated; they are in
/// the first cache the second time.
const BLOCK: usize = 4096;

/// The sum of exp(-|x - y|^2) b over the columns y and b.
struct Row<'a> {
    x: [f32; 3],
    columns: [&'a [f32]; 4],
}

impl Kernel<f32> for Row<'_> {
    type Output = f32;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = f32>>(self) -> f32 {
        let Self { x, columns } = self;
        let term = |y: [f32; 4]| {
            let d = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
            let squared = d[2].mul_add(d[2], d[1].mul_add(d[1], d[0] * d[0]));
            (spelt::math::exp(-squared), y[3])
        };
        let blocks = columns.map(|column| column.as_chunks::<LANES>());
        let mut sums = [0.0; LANES];
        for (((y0, y1), y2), b) in blocks[0].0.iter().zip(blocks[1].0).zip(blocks[2].0).zip(blocks[3].0) {
            for lane in 0..LANES {
                let (exp, b) = term([y0[lane], y1[lane], y2[lane], b[lane]]);
                sums[lane] = exp.mul_add(b, sums[lane]);
            }
        }
        let rest = (0..blocks[0].1.len()).map(|at| {
            let (exp, b) = term(blocks.map(|(_, rest)| rest[at]));
            exp * b
        });
        folded(sums) + rest.sum::<f32>()
    }
}

/// The lanes in a tree.
#[inline(always)]
fn folded(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// A maximum, and the sum of the exponentials less it.
#[derive(Clone, Copy)]
struct Exponents {
    max: f32,
    sum: f32,
}

impl Exponents {
    const NONE: Self = Self { max: f32::MIN, sum: 0.0 };

    fn join(self, other: Self) -> Self {
        let max = self.max.max(other.max);
        Self { max, sum: self.sum * (self.max - max).exp() + other.sum * (other.max - max).exp() }
    }
}

impl Partial for Exponents {
    fn into_words(self) -> [u64; 4] {
        [self.max.to_bits().into(), self.sum.to_bits().into(), 0, 0]
    }
    fn from_words([max, sum, ..]: [u64; 4]) -> Self {
        Self { max: f32::from_bits(max as u32), sum: f32::from_bits(sum as u32) }
    }
}

struct LogSumExp<'a>(&'a [f32]);

impl Kernel<f32> for LogSumExp<'_> {
    type Output = Exponents;
    #[inline(always)]
    unsafe fn run<V: Vector<Item = f32>>(self) -> Exponents {
        let mut all = Exponents::NONE;
        for block in self.0.chunks(BLOCK) {
            let (vectors, rest) = block.as_chunks::<LANES>();
            let mut most = [f32::MIN; LANES];
            for x in vectors {
                for lane in 0..LANES {
                    most[lane] = if x[lane] > most[lane] { x[lane] } else { most[lane] };
                }
            }
            let max = most.iter().chain(rest).fold(f32::MIN, |max, x| max.max(*x));
            let mut sums = [0.0; LANES];
            for x in vectors {
                for lane in 0..LANES {
                    sums[lane] += spelt::math::exp(x[lane] - max);
                }
            }
            let rest = rest.iter().map(|x| spelt::math::exp(x - max)).sum::<f32>();
            all = all.join(Exponents { max, sum: folded(sums) + rest });
        }
        all
    }
}

impl Limit {
    /// `a[i]` is the sum of `exp(-|x[i] - y|^2) b` over the columns of y and b, which are equally long.
    pub fn gaussian(&self, x: &[[f32; 3]], columns: [&[f32]; 4], a: &mut [f32]) {
        assert_eq!(x.len(), a.len());
        let length = x.len().div_ceil(self.crew.threads());
        let to = Shared::new(a);
        self.crew.run(&|thread| {
            let rows = (thread * length).min(x.len())..((thread + 1) * length).min(x.len());
            // SAFETY: each thread has its own rows.
            let a = unsafe { to.part(rows.clone()) };
            for (a, x) in a.iter_mut().zip(&x[rows]) {
                *a = self.level.run(Row { x: *x, columns });
            }
        });
    }

    /// The logarithm of the sum of exponentials.
    pub fn log_sum_exp(&self, x: &[f32]) -> f32 {
        let all = self.gather(x.len(), |part| self.level.run(LogSumExp(&x[part])), Exponents::join);
        all.max + all.sum.ln()
    }
}
