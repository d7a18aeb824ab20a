//! `unrolled`: a loop of constant length in a kernel, written out.

use spelt_order::body::{Inlined, Late};

/// Calls `each` with 0, 1, .. `N - 1`, as a loop that is written out: in each copy the number is a constant.
///
/// Arrays that the closure indexes by it then lie in registers, and factors that are constants for each number, such as those of a stencil's
/// points, are no loads. The compiler itself writes out short loops only: of nineteen populations with some thirty instructions each,
/// accessors, numbers and factors stayed in memory, and a step took 2.3 to 2.6 times as long (docs/benchmarks/programs.md). C++ has `#pragma unroll` for it.
///
/// Of more than 32 calls, the first 32 are written out, and the others are a loop. In a build without optimisation, it is a loop of calls.
///
/// # Guarantee
/// The calls are those of `for k in 0..N { each(k) }`, in this order.
///
/// # Panics
/// If the closure panics.
///
/// # Complexity
/// Work and span O(N). The program contains a copy of the closure for each call.
///
/// # Examples
/// ```
/// use spelt_core::{ExecutionSpace, Serial, View, parallel_for, unrolled};
/// const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.25];
/// let (space, n) = (Serial::new(), 5);
/// let one = |label| View::from_fn(label, [n], |_| 1.0);
/// let fields = [View::from_fn("f", [n], |[i]| i as f64)?, one("g")?, one("h")?];
/// let mut sum = View::<f64, 1>::zeros("sum", [n])?;
/// parallel_for("sum", space.range(0..n), (fields.each_ref(), &mut sum), |i, (fields, mut sum)| {
///     unrolled::<3>(|k| sum[i] += WEIGHTS[k] * fields[k][i]);
/// })?;
/// assert_eq!(sum.to_vec(), [0.75, 1.0, 1.25, 1.5, 1.75]);
/// # Ok::<(), spelt_core::Error>(())
/// ```
#[inline(always)]
pub fn unrolled<const N: usize>(each: impl FnMut(usize)) {
    let mut each = Inlined::new::<usize>(Each(each));
    macro_rules! written_out {
        ($($number:literal)*) => {$(
            if const { $number < N } {
                each.call($number);
            }
        )*};
    }
    written_out!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    for number in 32..N {
        each.call(number);
    }
}

/// The only use of the closure, of which each call gets a copy.
struct Each<F>(F);

impl<F: FnMut(usize)> Late<usize> for Each<F> {
    #[inline(always)]
    fn call(&mut self, number: usize) {
        (self.0)(number);
    }
}

#[cfg(test)]
mod tests {
    use super::unrolled;

    /// The numbers of the calls.
    fn numbers<const N: usize>() -> Vec<usize> {
        let mut numbers = Vec::new();
        unrolled::<N>(|number| numbers.push(number));
        numbers
    }

    #[test]
    fn each_number_once_in_order() {
        assert_eq!(numbers::<0>(), Vec::<usize>::new());
        assert_eq!(numbers::<1>(), [0]);
        assert_eq!(numbers::<19>(), (0..19).collect::<Vec<_>>());
        assert_eq!(numbers::<32>(), (0..32).collect::<Vec<_>>());
        assert_eq!(numbers::<75>(), (0..75).collect::<Vec<_>>());
    }
}
