//! The compact form that kernels are run from.
//!
//! A register is a *row*: one 64-bit slot for each of the 32 lanes of a warp.
//! Values are kept zero-extended to 64 bits. A predicate is one 32-bit mask,
//! with a bit for each lane. Rows of a function live in its frame.

pub(crate) mod operands;
mod operation;

pub(crate) use operation::{
    A, CT, Cmp, FK, FX_BF16, FX_FTZ, FX_NAN, FX_RELU, FX_RND, FX_SAT, FX_X2, FX_XORSIGN, RINT, RM, RN, RNA,
    RP, RZ,
};

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
/// The start of local memory, so that none of its variables has the address of a null pointer: LLVM compares pointers within
/// their space where it knows it, and there a null pointer is 0.
pub(crate) const LOCAL_BASE: u32 = 16;

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

/// The values of a load only go back to memory.
pub(crate) const MF_COPIES: u8 = 8;

/// A load of memory that nothing writes while the kernel runs (`.nc`).
pub(crate) const MF_CONSTANT: u8 = 16;

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
    /// The number of these rows in the callee's frame, from the first on.
    pub rows: u32,
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
