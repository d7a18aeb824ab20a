//! PTX text: tokens and the syntax tree.
//!
//! The tree is close to the text. Names are resolved and types are checked in
//! `lower`, which turns a function body into the compact form that is run.

mod parser;
mod token;

pub(crate) use parser::parse;

use std::fmt;

/// An error in a PTX module, with the line it was found in.
#[derive(Debug, Clone)]
pub struct PtxError {
    /// Line of the text, from 1.
    pub line: u32,
    /// The error.
    pub msg: String,
    /// Whether the text is correct, but device memory is too small for its variables.
    pub out_of_memory: bool,
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptx line {}: {}", self.line, self.msg)
    }
}

pub(crate) type Res<T> = Result<T, PtxError>;

pub(crate) fn err<T>(line: u32, msg: impl Into<String>) -> Res<T> {
    Err(PtxError { line, msg: msg.into(), out_of_memory: false })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Const,
    Param,
}

/// Scalar types as PTX spells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ty {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    BF16,
    F16x2,
    BF16x2,
    F32,
    F64,
    U16x2,
    S16x2,
    F32x2,
    Pred,
}

impl Ty {
    pub(crate) fn parse(s: &str) -> Option<Ty> {
        Some(match s {
            "b8" => Ty::B8,
            "b16" => Ty::B16,
            "b32" => Ty::B32,
            "b64" => Ty::B64,
            "b128" => Ty::B128,
            "u8" => Ty::U8,
            "u16" => Ty::U16,
            "u32" => Ty::U32,
            "u64" => Ty::U64,
            "s8" => Ty::S8,
            "s16" => Ty::S16,
            "s32" => Ty::S32,
            "s64" => Ty::S64,
            "f16" => Ty::F16,
            "bf16" => Ty::BF16,
            "f16x2" => Ty::F16x2,
            "bf16x2" => Ty::BF16x2,
            "f32" => Ty::F32,
            "f64" => Ty::F64,
            "u16x2" => Ty::U16x2,
            "s16x2" => Ty::S16x2,
            "f32x2" => Ty::F32x2,
            "pred" => Ty::Pred,
            _ => return None,
        })
    }

    /// Size in bytes (a predicate counts as one).
    pub(crate) fn size(self) -> u32 {
        match self {
            Ty::B8 | Ty::U8 | Ty::S8 | Ty::Pred => 1,
            Ty::B16 | Ty::U16 | Ty::S16 | Ty::F16 | Ty::BF16 => 2,
            Ty::B32 | Ty::U32 | Ty::S32 | Ty::F32 => 4,
            Ty::F16x2 | Ty::BF16x2 | Ty::U16x2 | Ty::S16x2 => 4,
            Ty::B64 | Ty::U64 | Ty::S64 | Ty::F64 | Ty::F32x2 => 8,
            Ty::B128 => 16,
        }
    }

    pub(crate) fn signed(self) -> bool {
        matches!(self, Ty::S8 | Ty::S16 | Ty::S32 | Ty::S64)
    }

    pub(crate) fn float(self) -> bool {
        matches!(self, Ty::F16 | Ty::BF16 | Ty::F16x2 | Ty::BF16x2 | Ty::F32 | Ty::F64 | Ty::F32x2)
    }
}

/// One element of an initialiser.
#[derive(Debug, Clone)]
pub(crate) enum Init<'a> {
    Int(u64),
    F32(u32),
    F64(u64),
    /// Address of a symbol; `mask` picks a part of it (all ones: the whole).
    Sym {
        name: &'a str,
        add: i64,
        generic: bool,
        mask: u64,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Var<'a> {
    pub name: &'a str,
    pub space: Space,
    pub align: u32,
    pub ty: Ty,
    /// Size in bytes; 0 for arrays without a length.
    pub size: u64,
    pub init: Vec<Init<'a>>,
    pub is_extern: bool,
    pub line: u32,
}

#[derive(Debug, Clone)]
pub(crate) enum Arg<'a> {
    Id(&'a str),
    IdOff(&'a str, i64),
    Int(u64),
    F32(u32),
    F64(u64),
    Vec(Vec<Arg<'a>>),
    Addr(&'a str, i64),
    AddrAbs(u64),
    Not(&'a str),
    Pair(&'a str, &'a str),
    List(Vec<Arg<'a>>),
}

#[derive(Debug, Clone)]
pub(crate) struct Inst<'a> {
    pub line: u32,
    pub guard: Option<(bool, &'a str)>,
    pub op: &'a str,
    pub args: Vec<Arg<'a>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Stmt<'a> {
    Reg { ty: Ty, name: &'a str, count: Option<u32> },
    Var(Var<'a>),
    Label(&'a str),
    Inst(Inst<'a>),
    Block(Vec<Stmt<'a>>),
    Targets(&'a str, Vec<&'a str>),
    Proto(&'a str, Proto<'a>),
}

#[derive(Debug, Clone)]
pub(crate) struct Proto<'a> {
    pub rets: Vec<Var<'a>>,
    pub params: Vec<Var<'a>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Func<'a> {
    pub name: &'a str,
    pub entry: bool,
    pub rets: Vec<Var<'a>>,
    pub params: Vec<Var<'a>>,
    pub body: Option<Vec<Stmt<'a>>>,
    pub max_threads: u32,
    pub line: u32,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Ast<'a> {
    pub version: (u32, u32),
    pub target: &'a str,
    pub vars: Vec<Var<'a>>,
    pub funcs: Vec<Func<'a>>,
    /// Aliases: new name, aliased function.
    pub aliases: Vec<(&'a str, &'a str)>,
}
