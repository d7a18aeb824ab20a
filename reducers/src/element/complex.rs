//! Elements among `num-complex`'s numbers: they add and multiply, but have no order.

use num_complex::Complex;

use super::{ProdElement, SumElement};

macro_rules! complex {
    ($($float:ident)*) => {$(
        impl SumElement for Complex<$float> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            const NEUTRAL: Option<Self> = Some(Complex::new(-0.0, -0.0));

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[inline(always)]
            fn adds_nothing(self) -> bool {
                self.re.adds_nothing() & self.im.adds_nothing()
            }
        }

        impl ProdElement for Complex<$float> {
            // None is neutral: 1 times an infinite number has a NaN.
            const ONE: Self = Complex::new(1.0, 0.0);

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
        }
    )*};
}

complex! { f32 f64 }
