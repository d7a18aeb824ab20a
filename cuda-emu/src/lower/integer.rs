//! Arithmetic of integers.

use super::Lower;
use super::modifiers::{Mods, pick};
use crate::ir::A;
use crate::ptx::{Inst, Res, Ty};

impl<'m, 'a> Lower<'m, 'a> {
    /// Arithmetic, of integers or of floating point numbers.
    pub(super) fn arith(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let t = m.ty()?;
        if t.float() { self.float(name, t, i, m) } else { self.integer(name, t, i, m) }
    }

    fn integer(&mut self, name: &str, t: Ty, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        let cc = m.take("cc");
        let hi = m.take("hi");
        let wide = m.take("wide");
        m.take("lo");
        let sat = m.take("sat");
        let relu = m.take("relu");
        m.done()?;
        if relu {
            return m.bad();
        }
        let bits = t.size() * 8;
        let s = t.signed();
        let unary = matches!(name, "abs" | "neg");
        let tern = matches!(name, "mad" | "madc");
        let n = if unary {
            2
        } else if tern {
            4
        } else {
            3
        };
        self.argn(i, n, n)?;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = if unary { a } else { self.src(&g[2], t)? };
        let c = if tern { self.src(&g[3], if wide { wider(t) } else { t })? } else { a };
        let carry_in = matches!(name, "addc" | "subc" | "madc");
        if cc || carry_in {
            if bits < 32 || sat || wide {
                return m.bad();
            }
            let k = match name {
                "add" | "addc" => 0,
                "sub" | "subc" => 1,
                _ if hi => 3,
                _ => 2,
            };
            let x =
                k | ((bits == 64) as u32) << 4 | (carry_in as u32) << 5 | (cc as u32) << 6 | (s as u32) << 7;
            self.alu(A::Carry, d, a, b, c, x);
            return Ok(());
        }
        let x2 = matches!(t, Ty::U16x2 | Ty::S16x2);
        if sat && !(bits == 32 && !x2 && matches!(name, "add" | "sub" | "mad")) {
            return m.bad();
        }
        let Some(f) = operation(name, t, wide, hi, sat) else { return m.bad() };
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    /// `sad`: a sum of absolute differences.
    pub(super) fn sad(&mut self, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let t = m.ty()?;
        m.done()?;
        let f = match t {
            Ty::U16 => A::SadU16,
            Ty::S16 => A::SadS16,
            Ty::U32 => A::SadU32,
            Ty::S32 => A::SadS32,
            Ty::U64 => A::SadU64,
            Ty::S64 => A::SadS64,
            _ => return m.bad(),
        };
        let (d, a, b, c) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?, self.src(&g[3], t)?);
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    /// `mul24`, `mad24`.
    pub(super) fn mul24(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        let t = m.ty()?;
        let hi = m.take("hi");
        m.take("lo");
        m.done()?;
        let k = (hi as usize) * 2 + t.signed() as usize;
        let mad = name == "mad24";
        self.argn(i, 3 + mad as usize, 3 + mad as usize)?;
        let f = if mad {
            [A::Mad24LoU, A::Mad24LoS, A::Mad24HiU, A::Mad24HiS][k]
        } else {
            [A::Mul24LoU, A::Mul24LoS, A::Mul24HiU, A::Mul24HiS][k]
        };
        let (d, a, b) = (self.d(&g[0])?, self.src(&g[1], t)?, self.src(&g[2], t)?);
        let c = if mad { self.src(&g[3], t)? } else { a };
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    /// `dp4a`, `dp2a`: dot products of bytes.
    pub(super) fn dot(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let g = &i.args;
        self.argn(i, 4, 4)?;
        let bt = m.ty()?;
        let at = m.ty()?;
        let hi = m.take("hi");
        m.take("lo");
        m.done()?;
        let x = at.signed() as u32 | (bt.signed() as u32) << 1 | (hi as u32) << 2;
        let (d, a, b, c) =
            (self.d(&g[0])?, self.src(&g[1], Ty::B32)?, self.src(&g[2], Ty::B32)?, self.src(&g[3], Ty::B32)?);
        self.alu(if name == "dp4a" { A::Dp4a } else { A::Dp2a }, d, a, b, c, x);
        Ok(())
    }
}

/// The type of twice as many bits.
fn wider(t: Ty) -> Ty {
    match t {
        Ty::U16 => Ty::U32,
        Ty::S16 => Ty::S32,
        Ty::U32 => Ty::U64,
        Ty::S32 => Ty::S64,
        x => x,
    }
}

/// The operation of a name, for values of a type: with a result of twice the bits, of the high ones, or saturated.
fn operation(name: &str, t: Ty, wide: bool, hi: bool, sat: bool) -> Option<A> {
    let bits = t.size() * 8;
    let s = t.signed();
    let x2 = matches!(t, Ty::U16x2 | Ty::S16x2);
    Some(match name {
        "add" if x2 => A::AddX2,
        "min" if x2 => [A::MinUX2, A::MinSX2][(t == Ty::S16x2) as usize],
        "max" if x2 => [A::MaxUX2, A::MaxSX2][(t == Ty::S16x2) as usize],
        _ if x2 || bits == 8 => return None,
        "add" if sat => A::AddSat32,
        "sub" if sat => A::SubSat32,
        "add" => pick(bits, A::Add16, A::Add32, A::Add64),
        "sub" => pick(bits, A::Sub16, A::Sub32, A::Sub64),
        "mul" if wide => match t {
            Ty::U16 => A::MulWU16,
            Ty::S16 => A::MulWS16,
            Ty::U32 => A::MulWU32,
            Ty::S32 => A::MulWS32,
            _ => return None,
        },
        "mul" if hi && s => pick(bits, A::MulHiS16, A::MulHiS32, A::MulHiS64),
        "mul" if hi => pick(bits, A::MulHiU16, A::MulHiU32, A::MulHiU64),
        "mul" => pick(bits, A::Mul16, A::Mul32, A::Mul64),
        "mad" if wide => match t {
            Ty::U16 => A::MadWU16,
            Ty::S16 => A::MadWS16,
            Ty::U32 => A::MadWU32,
            Ty::S32 => A::MadWS32,
            _ => return None,
        },
        "mad" if sat && hi && s => A::MadHiSatS32,
        "mad" if sat => return None,
        "mad" if hi && s => pick(bits, A::MadHiS16, A::MadHiS32, A::MadHiS64),
        "mad" if hi => pick(bits, A::MadHiU16, A::MadHiU32, A::MadHiU64),
        "mad" => pick(bits, A::Mad16, A::Mad32, A::Mad64),
        "div" if s => pick(bits, A::DivS16, A::DivS32, A::DivS64),
        "div" => pick(bits, A::DivU16, A::DivU32, A::DivU64),
        "rem" if s => pick(bits, A::RemS16, A::RemS32, A::RemS64),
        "rem" => pick(bits, A::RemU16, A::RemU32, A::RemU64),
        "min" if s => pick(bits, A::MinS16, A::MinS32, A::MinS64),
        "min" => pick(bits, A::MinU16, A::MinU32, A::MinU64),
        "max" if s => pick(bits, A::MaxS16, A::MaxS32, A::MaxS64),
        "max" => pick(bits, A::MaxU16, A::MaxU32, A::MaxU64),
        "abs" => pick(bits, A::Abs16, A::Abs32, A::Abs64),
        "neg" => pick(bits, A::Neg16, A::Neg32, A::Neg64),
        _ => return None,
    })
}
