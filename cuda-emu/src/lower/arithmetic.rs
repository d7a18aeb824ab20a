//! Arithmetic and logic.

use super::*;

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn arith(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let t = m.ty()?;
        let g = &i.args;
        if t.float() {
            return self.farith(name, t, i, m);
        }
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
        let wt = match t {
            Ty::U16 => Ty::U32,
            Ty::S16 => Ty::S32,
            Ty::U32 => Ty::U64,
            Ty::S32 => Ty::S64,
            x => x,
        };
        let c = if tern { self.src(&g[3], if wide { wt } else { t })? } else { a };
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
        let f = match name {
            "add" if x2 => A::AddX2,
            "min" if x2 => [A::MinUX2, A::MinSX2][(t == Ty::S16x2) as usize],
            "max" if x2 => [A::MaxUX2, A::MaxSX2][(t == Ty::S16x2) as usize],
            _ if x2 || bits == 8 => return m.bad(),
            "add" if sat => A::AddSat32,
            "sub" if sat => A::SubSat32,
            "add" => pick(bits, A::Add16, A::Add32, A::Add64),
            "sub" => pick(bits, A::Sub16, A::Sub32, A::Sub64),
            "mul" if wide => match t {
                Ty::U16 => A::MulWU16,
                Ty::S16 => A::MulWS16,
                Ty::U32 => A::MulWU32,
                Ty::S32 => A::MulWS32,
                _ => return m.bad(),
            },
            "mul" if hi && s => pick(bits, A::MulHiS16, A::MulHiS32, A::MulHiS64),
            "mul" if hi => pick(bits, A::MulHiU16, A::MulHiU32, A::MulHiU64),
            "mul" => pick(bits, A::Mul16, A::Mul32, A::Mul64),
            "mad" if wide => match t {
                Ty::U16 => A::MadWU16,
                Ty::S16 => A::MadWS16,
                Ty::U32 => A::MadWU32,
                Ty::S32 => A::MadWS32,
                _ => return m.bad(),
            },
            "mad" if sat && hi && s => A::MadHiSatS32,
            "mad" if sat => return m.bad(),
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
            _ => return m.bad(),
        };
        self.alu(f, d, a, b, c, 0);
        Ok(())
    }

    pub(super) fn farith(&mut self, name: &str, t: Ty, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
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
        let k = match name {
            "add" => FK::Add,
            "sub" => FK::Sub,
            "mul" => FK::Mul,
            "fma" | "mad" => FK::Fma,
            "div" => FK::Div,
            "min" if g.len() == 4 => FK::Min3,
            "max" if g.len() == 4 => FK::Max3,
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
            _ => return m.bad(),
        };
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
        let f = match t {
            Ty::F32 => match k {
                FK::Add if plain => A::FAdd32,
                FK::Sub if plain => A::FSub32,
                FK::Mul if plain => A::FMul32,
                FK::Fma if plain => A::FFma32,
                FK::Div if plain => A::FDiv32,
                FK::Neg if plain => A::FNeg32,
                FK::Abs if plain => A::FAbs32,
                FK::Min if plain => A::FMin32,
                FK::Max if plain => A::FMax32,
                _ => A::F32,
            },
            Ty::F64 => {
                if sat || relu {
                    return m.bad();
                }
                match k {
                    FK::Add if plain => A::FAdd64,
                    FK::Sub if plain => A::FSub64,
                    FK::Mul if plain => A::FMul64,
                    FK::Fma if plain => A::FFma64,
                    FK::Div if plain => A::FDiv64,
                    FK::Neg if plain => A::FNeg64,
                    FK::Abs if plain => A::FAbs64,
                    FK::Min if plain => A::FMin64,
                    FK::Max if plain => A::FMax64,
                    _ => A::F64,
                }
            }
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

    pub(super) fn logic(&mut self, name: &str, i: &Inst<'a>, mut m: Mods<'a>) -> Res<()> {
        let t = m.ty()?;
        m.done()?;
        let g = &i.args;
        let unary = matches!(name, "not" | "cnot");
        let n = if unary { 2 } else { 3 };
        self.argn(i, n, n)?;
        if t == Ty::Pred {
            let d = self.pdst(&g[0])?;
            let a = self.psrc(&g[1])?;
            let (kind, b) = match name {
                "and" => (1, self.psrc(&g[2])?),
                "or" => (2, self.psrc(&g[2])?),
                "xor" => (3, self.psrc(&g[2])?),
                "not" => (4, a),
                _ => return m.bad(),
            };
            self.emit(Op::Pred { kind, d, a, b });
            return Ok(());
        }
        let bits = t.size() * 8;
        let d = self.d(&g[0])?;
        let a = self.src(&g[1], t)?;
        let b = match name {
            "not" | "cnot" => a,
            "shl" | "shr" => self.src(&g[2], Ty::B32)?,
            _ => self.src(&g[2], t)?,
        };
        let f = match name {
            "and" => A::And,
            "or" => A::Or,
            "xor" => A::Xor,
            "not" => pick(bits, A::Not16, A::Not32, A::Not64),
            "cnot" => pick(bits, A::Cnot16, A::Cnot32, A::Cnot64),
            "shl" => pick(bits, A::Shl16, A::Shl32, A::Shl64),
            _ if t.signed() => pick(bits, A::ShrS16, A::ShrS32, A::ShrS64),
            _ => pick(bits, A::ShrU16, A::ShrU32, A::ShrU64),
        };
        self.alu(f, d, a, b, b, 0);
        Ok(())
    }
}
