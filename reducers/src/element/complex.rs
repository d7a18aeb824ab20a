//! Elements among `num-complex`'s numbers: they add and multiply, but have no order.

use num_complex::Complex;

use super::{ProdElement, SumElement};

macro_rules! complex {
    ($($float:ident)*) => {$(
        impl SumElement for Complex<$float> {
            const ZERO: Self = Complex::new(0.0, 0.0);

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }

        impl ProdElement for Complex<$float> {
            const ONE: Self = Complex::new(1.0, 0.0);

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
    )*};
}

complex! { f32 f64 }
