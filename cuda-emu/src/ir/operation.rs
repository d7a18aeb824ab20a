//! Operations that a row of lanes does at once.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum A {
    Mov,
    // d = a | b << x
    Pack,
    // x = shift | bits << 8 ; zero or sign extended (x bits 16.. = destination bits)
    ExtractU,
    ExtractS,
    // d = (c & !field) | (a field) << shift
    Insert,
    Add16,
    Add32,
    Add64,
    Sub16,
    Sub32,
    Sub64,
    AddSat32,
    SubSat32,
    AddX2,
    MinUX2,
    MinSX2,
    MaxUX2,
    MaxSX2,
    Mul16,
    Mul32,
    Mul64,
    MulHiU16,
    MulHiS16,
    MulHiU32,
    MulHiS32,
    MulHiU64,
    MulHiS64,
    MulWU16,
    MulWS16,
    MulWU32,
    MulWS32,
    Mad16,
    Mad32,
    Mad64,
    MadHiU16,
    MadHiS16,
    MadHiU32,
    MadHiS32,
    MadHiU64,
    MadHiS64,
    MadHiSatS32,
    MadWU16,
    MadWS16,
    MadWU32,
    MadWS32,
    Mul24LoU,
    Mul24LoS,
    Mul24HiU,
    Mul24HiS,
    Mad24LoU,
    Mad24LoS,
    Mad24HiU,
    Mad24HiS,
    DivU16,
    DivS16,
    DivU32,
    DivS32,
    DivU64,
    DivS64,
    RemU16,
    RemS16,
    RemU32,
    RemS32,
    RemU64,
    RemS64,
    MinU16,
    MinS16,
    MinU32,
    MinS32,
    MinU64,
    MinS64,
    MaxU16,
    MaxS16,
    MaxU32,
    MaxS32,
    MaxU64,
    MaxS64,
    Abs16,
    Abs32,
    Abs64,
    Neg16,
    Neg32,
    Neg64,
    And,
    Or,
    Xor,
    Not16,
    Not32,
    Not64,
    Cnot16,
    Cnot32,
    Cnot64,
    Shl16,
    Shl32,
    Shl64,
    ShrU16,
    ShrU32,
    ShrU64,
    ShrS16,
    ShrS32,
    ShrS64,
    ShfLW,
    ShfLC,
    ShfRW,
    ShfRC,
    // x = mode
    Prmt,
    BfeU32,
    BfeS32,
    BfeU64,
    BfeS64,
    Brev32,
    Brev64,
    Clz32,
    Clz64,
    Popc32,
    Popc64,
    // x = 1: shift amount
    BfindU32,
    BfindS32,
    BfindU64,
    BfindS64,
    SadU16,
    SadS16,
    SadU32,
    SadS32,
    SadU64,
    SadS64,
    // x = table
    Lop3,
    // x bit 0: a signed, bit 1: b signed, bit 2: high half (dp2a)
    Dp4a,
    Dp2a,
    SzextU,
    SzextS,
    SzextWU,
    SzextWS,
    BmskC,
    BmskW,
    Fns,
    // x = kind (see `carry`)
    Carry,
    FAdd32,
    FSub32,
    FMul32,
    FFma32,
    FDiv32,
    FNeg32,
    FAbs32,
    FMin32,
    FMax32,
    FAdd64,
    FSub64,
    FMul64,
    FFma64,
    FDiv64,
    FNeg64,
    FAbs64,
    FMin64,
    FMax64,
    // x = packed `FOp`
    F32,
    F64,
    Half,
    // x = packed conversion
    Cvt,
    CvtInt,
    CvtF32F64,
    CvtF64F32,
    CvtS32F32,
    CvtU32F32,
    CvtS32F64,
    CvtU32F64,
    CvtS64F64,
    CvtU64F64,
    // two f32 to a packed pair; x: format | rounding | relu
    CvtPack,
    // d = c >= 0 ? a : b
    SlctS32,
    SlctF32,
}

/// Kinds of floating point operations in the general path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FK {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Min,
    Max,
    Abs,
    Neg,
    Sqrt,
    Rsqrt,
    Rcp,
    Ex2,
    Lg2,
    Sin,
    Cos,
    Tanh,
    Copysign,
    Min3,
    Max3,
}

impl FK {
    pub(crate) fn from(x: u32) -> FK {
        const T: [FK; 20] = [
            FK::Add,
            FK::Sub,
            FK::Mul,
            FK::Fma,
            FK::Div,
            FK::Min,
            FK::Max,
            FK::Abs,
            FK::Neg,
            FK::Sqrt,
            FK::Rsqrt,
            FK::Rcp,
            FK::Ex2,
            FK::Lg2,
            FK::Sin,
            FK::Cos,
            FK::Tanh,
            FK::Copysign,
            FK::Min3,
            FK::Max3,
        ];
        T[(x & 0xff) as usize]
    }
}

// Bits of the aux word of floating point operations.
pub(crate) const FX_RND: u32 = 8; // 4 bits
pub(crate) const FX_FTZ: u32 = 1 << 12;

pub(crate) const FX_SAT: u32 = 1 << 13;

pub(crate) const FX_NAN: u32 = 1 << 14;

pub(crate) const FX_XORSIGN: u32 = 1 << 15;

pub(crate) const FX_RELU: u32 = 1 << 16;

pub(crate) const FX_BF16: u32 = 1 << 17;

pub(crate) const FX_X2: u32 = 1 << 18;

/// Rounding modes.
pub(crate) const RN: u32 = 0;

pub(crate) const RZ: u32 = 1;

pub(crate) const RM: u32 = 2;

pub(crate) const RP: u32 = 3;

pub(crate) const RNA: u32 = 4;

/// Added for rounding to an integer (rni, rzi, ...).
pub(crate) const RINT: u32 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CT {
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    BF16,
    F32,
    F64,
    // testp: the comparison is the test
    Test32,
    Test64,
    // both halves of a packed pair; second result for the high half
    F16x2,
    BF16x2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Equ,
    Neu,
    Ltu,
    Leu,
    Gtu,
    Geu,
    Num,
    Nan,
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}
