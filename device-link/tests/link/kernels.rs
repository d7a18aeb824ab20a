//! What kernels are, and what becomes of them.

use crate::compile::{PROFILES, Profile, linked};

const AXPY: &str = "#![no_std]
pub fn axpy(view: Raw<f64>, alpha: f64) {
    launch(\"axpy\", view, move |i, view| view.set(i, view.get(i) + alpha * view.get(i)));
}";

#[test]
fn a_closure_becomes_a_kernel() {
    for profile in PROFILES {
        let output = linked(AXPY, profile);
        let ptx = &output.ptx;
        assert_eq!(output.kernels.len(), 1);
        let kernel = &output.kernels[0];
        assert_eq!(kernel.label.as_deref(), Some("axpy"));
        assert_eq!(ptx.matches(".entry").count(), 1, "{ptx}");
        assert!(ptx.contains(&format!(".visible .entry {}(", kernel.symbol)), "{ptx}");
        assert!(ptx.contains(".target sm_80") && ptx.contains(".version 7.0"), "{ptx}");
        // The parameter: launch number, View, alpha.
        assert!(ptx.contains(".param .align 8 .b8"), "{ptx}");
        // No contraction to fma.
        assert!(
            ptx.contains("mul.rn.f64") && ptx.contains("add.rn.f64") && !ptx.contains("fma"),
            "{profile:?} {ptx}"
        );
        // Debug builds check for overflow.
        assert_eq!(ptx.contains("trap"), profile == Profile::Debug, "{ptx}");
    }
}
