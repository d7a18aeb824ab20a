//! The compact form that kernels are run from.
//!
//! A register is a *row*: one 64-bit slot for each of the 32 lanes of a warp.
//! Values are kept zero-extended to 64 bits. A predicate is one 32-bit mask,
//! with a bit for each lane. Rows of a function live in its frame.

use crate::ptx::{Space, Ty};
use std::sync::Arc;

/// Register operand: a row of the frame (>= 0) or of the constant pool (`!r`).
pub(crate) type R = i32;
pub(crate) const NOREG: R = i32::MAX;

/// Predicate operand: index (in 32-bit words from the frame start), with the
/// top bit set when negated.
pub(crate) type P = u32;
pub(crate) const NOPRED: P = u32::MAX;
pub(crate) const PNEG: P = 0x8000_0000;

// Windows of the generic address space that are not global memory.
pub(crate) const WIN_SHIFT: u32 = 44;
pub(crate) const SHARED_WIN: u64 = 0x8 << WIN_SHIFT;
pub(crate) const LOCAL_WIN: u64 = 0x9 << WIN_SHIFT;
/// Kernel parameters.
pub(crate) const KPARAM_WIN: u64 = 0xa << WIN_SHIFT;
/// Parameters of device functions whose address was taken.
pub(crate) const FPARAM_WIN: u64 = 0xb << WIN_SHIFT;
/// Addresses of functions.
pub(crate) const FUNC_WIN: u64 = 0xc << WIN_SHIFT;
/// Shared addresses start here, as on the real device.
pub(crate) const SHARED_BASE: u32 = 1024;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Add,
    Sub,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Min,
    Max,
    Inc,
    Dec,
}

pub(crate) const MF_STRONG: u8 = 1; // volatile, relaxed, acquire, release: not a data race
pub(crate) const MF_ACQ: u8 = 2;
pub(crate) const MF_REL: u8 = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) struct MemOp {
    pub space: Space,
    /// log2 of the element size.
    pub lg: u8,
    /// Bits to sign-extend from (0: zero-extend), and the destination width in bits.
    pub sext: u8,
    pub dbits: u8,
    pub n: u8,
    pub flags: u8,
    pub base: R,
    pub off: i64,
    pub r: [R; 4],
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct AtomOp {
    pub op: At,
    pub ty: Ty,
    pub space: Space,
    pub flags: u8,
    pub d: R,
    pub base: R,
    pub off: i64,
    pub b: R,
    pub c: R,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sreg {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    LtMask,
    LeMask,
    GtMask,
    GeMask,
    EqMask,
    Clock,
    ClockHi,
    Clock64,
    GlobalTimer,
    GlobalTimerLo,
    GlobalTimerHi,
    DynSize,
    TotalSize,
    Zero,
    One,
    Env1,
    Env2,
    /// Shared address of the dynamic shared memory.
    DynBase,
    WarpSize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BarKind {
    Sync,
    Arrive,
    And,
    Or,
    Popc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VoteKind {
    All,
    Any,
    Uni,
    Ballot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShflKind {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MbarKind {
    Init,
    Inval,
    Arrive,
    ArriveNoComplete,
    ArriveDrop,
    ExpectTx,
    ArriveExpectTx,
    CompleteTx,
    Test,
    TryWait,
    TestParity,
    TryWaitParity,
    PendingCount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builtin {
    Printf,
    Malloc,
    Free,
    AssertFail,
}

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Alu {
        f: A,
        d: R,
        a: R,
        b: R,
        c: R,
        x: u32,
    },
    /// bfi: insert a into b at position c of length e
    Bfi {
        w64: bool,
        d: R,
        a: R,
        b: R,
        c: R,
        e: R,
    },
    Selp {
        d: R,
        a: R,
        b: R,
        p: P,
    },
    Setp {
        ct: CT,
        cmp: Cmp,
        ftz: bool,
        comb: u8,
        a: R,
        b: R,
        p: P,
        q: P,
        c: P,
    },
    /// kind: 0 mov 1 and 2 or 3 xor 4 not
    Pred {
        kind: u8,
        d: P,
        a: P,
        b: P,
    },
    Sreg {
        d: R,
        which: Sreg,
    },
    Ld(Box<MemOp>),
    St(Box<MemOp>),
    /// Copy between memory spaces (cp.async): bytes, zero filled after the source size.
    CpAsync {
        dst: Box<MemOp>,
        src: Box<MemOp>,
        size: u32,
        srcsize: R,
    },
    Atom(Box<AtomOp>),
    Bra {
        target: u32,
    },
    Brx {
        targets: Box<[u32]>,
        a: R,
    },
    Call {
        site: u32,
    },
    CallRet {
        site: u32,
    },
    Ret,
    Exit,
    Trap,
    Brkpt,
    Bar {
        kind: BarKind,
        aligned: bool,
        id: R,
        cnt: R,
        d: R,
        pd: P,
        p: P,
    },
    Shfl {
        kind: ShflKind,
        d: R,
        p: P,
        a: R,
        b: R,
        c: R,
        mask: R,
    },
    Vote {
        kind: VoteKind,
        d: R,
        pd: P,
        p: P,
        mask: R,
    },
    Match {
        all: bool,
        w64: bool,
        d: R,
        p: P,
        a: R,
        mask: R,
    },
    Redux {
        op: u8,
        d: R,
        a: R,
        mask: R,
    },
    Elect {
        d: R,
        p: P,
        mask: R,
    },
    BarWarp {
        mask: R,
    },
    Activemask {
        d: R,
    },
    /// Memory fence: all memory is always in order here.
    Fence,
    Yield,
    Nop,
    IsSpace {
        space: Space,
        p: P,
        a: R,
    },
    /// Generic address to an address of a window, and back.
    Cvta {
        to: bool,
        win: u64,
        d: R,
        a: R,
    },
    Mbar {
        kind: MbarKind,
        d: R,
        p: P,
        base: R,
        off: i64,
        a: R,
        space: Space,
    },
    FnParamAddr {
        d: R,
        row: i32,
        byte: u32,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Ins {
    pub op: Op,
    /// Guard predicate, or `NOPRED`.
    pub guard: P,
    pub line: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct CallSite {
    pub callee: Option<u32>,
    pub builtin: Option<Builtin>,
    pub reg: R,
    /// Source row, destination row in the callee's frame.
    pub args: Vec<(R, i32)>,
    /// Row in the callee's frame, destination row.
    pub rets: Vec<(i32, R)>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Code {
    pub name: String,
    pub entry: bool,
    pub ins: Vec<Ins>,
    pub rows: u32,
    pub cc_row: i32,
    /// Row with the start of the frame's local memory.
    pub lb_row: i32,
    pub pred0: u32,
    pub local_size: u32,
    /// Constant rows: each value is broadcast to the lanes.
    pub consts: Vec<u64>,
    pub sites: Vec<CallSite>,
    pub param_size: u32,
    pub params: Vec<(u32, u32)>,
    pub static_shared: u32,
    pub max_threads: u32,
    pub ret_rows: u32,
    pub param_rows: u32,
    pub nregs: u32,
}

/// A loaded program: all functions of a module.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub funcs: Vec<Arc<Code>>,
    pub dyn_align: u32,
    pub source: Vec<String>,
}

impl Program {
    pub(crate) fn line_text(&self, line: u32) -> &str {
        self.source.get(line.wrapping_sub(1) as usize).map_or("", |s| s.trim())
    }
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.funcs.iter().position(|f| f.entry && f.name == name)
    }
}
