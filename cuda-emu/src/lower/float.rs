//! Arithmetic of floating point numbers.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{A, FK, FX_BF16, FX_FTZ, FX_NAN, FX_RELU, FX_RND, FX_SAT, FX_X2, FX_XORSIGN, RN};
use crate::ptx::{Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// Arithmetic of floating point numbers, and functions of them.
    pub(super) fn float(&mut self, name: &str, t: Ty, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        let rnd = m.rnd();
        let ftz = m.take("ftz");
        let sat = m.take("sat");
        let nan = m.take("NaN");
        let xors = m.take("xorsign");
        let xabs = m.take("abs");
        let relu = m.take("relu");
        m.take("noftz");
        let approx = m.take("approx");
        m.take("full");
        let mixed = m.v.iter().any(|s| Ty::parse(s).is_some());
        if mixed || t == Ty::F32x2 || xors != xabs {
            return m.bad();
        }
        m.done()?;
        let Some(k) = kind(name, g.len()) else { return m.bad() };
        let n = match k {
            FK::Fma | FK::Min3 | FK::Max3 => 3,
            FK::Add | FK::Sub | FK::Mul | FK::Div | FK::Min | FK::Max | FK::Copysign => 2,
            _ => 1,
        };
        self.argn(i, n + 1, n + 1)?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = if n > 1 { self.src(&g[2], t)? } else { a };
        let c = if n > 2 { self.src(&g[3], t)? } else { a };
        let rnd = if approx { RN } else { rnd };
        let plain = rnd == RN && !ftz && !sat && !nan && !xors && !relu;
        let mut x = k as u32 | rnd << FX_RND;
        for (on, bit) in [(ftz, FX_FTZ), (sat, FX_SAT), (nan, FX_NAN), (xors, FX_XORSIGN), (relu, FX_RELU)] {
            if on {
                x |= bit;
            }
        }
        let plain_or = |exact: fn(FK) -> Option<A>, general: A| {
            if plain { exact(k).unwrap_or(general) } else { general }
        };
        let f = match t {
            Ty::F32 => plain_or(plain32, A::F32),
            Ty::F64 if sat || relu => return m.bad(),
            Ty::F64 => plain_or(plain64, A::F64),
            _ => {
                if matches!(k, FK::Min3 | FK::Max3 | FK::Copysign | FK::Div) {
                    return m.bad();
                }
                if matches!(t, Ty::BF16 | Ty::BF16x2) {
                    x |= FX_BF16;
                }
                if matches!(t, Ty::F16x2 | Ty::BF16x2) {
                    x |= FX_X2;
                }
                A::Half
            }
        };
        self.alu(f, d, a, b, c, x);
        Ok(())
    }
}

/// The operation of a name, by its number of operands.
fn kind(name: &str, operands: usize) -> Option<FK> {
    Some(match name {
        "add" => FK::Add,
        "sub" => FK::Sub,
        "mul" => FK::Mul,
        "fma" | "mad" => FK::Fma,
        "div" => FK::Div,
        "min" if operands == 4 => FK::Min3,
        "max" if operands == 4 => FK::Max3,
        "min" => FK::Min,
        "max" => FK::Max,
        "abs" => FK::Abs,
        "neg" => FK::Neg,
        "sqrt" => FK::Sqrt,
        "rsqrt" => FK::Rsqrt,
        "rcp" => FK::Rcp,
        "ex2" => FK::Ex2,
        "lg2" => FK::Lg2,
        "sin" => FK::Sin,
        "cos" => FK::Cos,
        "tanh" => FK::Tanh,
        "copysign" => FK::Copysign,
        _ => return None,
    })
}

/// The operation that rounds to nearest and does nothing else.
fn plain32(k: FK) -> Option<A> {
    Some(match k {
        FK::Add => A::FAdd32,
        FK::Sub => A::FSub32,
        FK::Mul => A::FMul32,
        FK::Fma => A::FFma32,
        FK::Div => A::FDiv32,
        FK::Neg => A::FNeg32,
        FK::Abs => A::FAbs32,
        FK::Min => A::FMin32,
        FK::Max => A::FMax32,
        _ => return None,
    })
}

/// The operation that rounds to nearest and does nothing else.
fn plain64(k: FK) -> Option<A> {
    Some(match k {
        FK::Add => A::FAdd64,
        FK::Sub => A::FSub64,
        FK::Mul => A::FMul64,
        FK::Fma => A::FFma64,
        FK::Div => A::FDiv64,
        FK::Neg => A::FNeg64,
        FK::Abs => A::FAbs64,
        FK::Min => A::FMin64,
        FK::Max => A::FMax64,
        _ => return None,
    })
}
