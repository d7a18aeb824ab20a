//! From the syntax tree to the compact form: names, operands, control flow.

mod address;
mod barrier;
mod bits;
mod branch;
mod call;
mod collective;
mod compare;
mod convert;
mod float;
mod function;
mod instruction;
mod integer;
mod memory;
mod modifiers;
mod operand;
mod room;
mod special;
mod statement;

use function::function;
use room::{SHARED, alignment, param_rows};

use crate::ir::operands;
use crate::ir::{Builtin, CallSite, Code, Ins, P, Program, R, SHARED_BASE};
use crate::ptx::{Arg, Ast, Proto, Res, Space, Stmt, Ty, Var, err};

use std::collections::HashMap;
use std::sync::Arc;

/// Where a module-level symbol is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sym {
    /// Absolute address in global memory (global and constant variables).
    Addr(u64),
    /// Shared memory of the whole module (address).
    Shared(u32),
    DynShared,
    Func(u32),
    Builtin(Builtin),
}

/// Unit: bytes. Source: the limit of drivers before 12.1, and of all devices before sm_70.
const PARAM_LIMIT: u64 = 4096;

#[derive(Debug, Clone)]
enum Local<'a> {
    Reg { row: R, ty: Ty },
    Range { row: R, count: u32, ty: Ty },
    PRange { p: u32, count: u32 },
    Pred(u32),
    Label(u32),
    Param { row: R, size: u64 },
    KParam { off: u32 },
    OnStack(u32),
    Shared(u32),
    DynShared,
    Addr(u64),
    Targets(Vec<&'a str>),
    Proto(Proto<'a>),
}

pub(crate) struct ModuleSyms<'a> {
    pub syms: HashMap<&'a str, Sym>,
    /// Functions by index, for calls.
    pub funcs: Vec<FuncSig>,
    /// Function-level variables in global or constant space: address by (function, name).
    pub statics: HashMap<(usize, &'a str), u64>,
    /// The end of the shared variables that all functions have.
    pub shared_common: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct FuncSig {
    pub ret_rows: Vec<u32>,
    pub param_rows: Vec<u32>,
}

pub(crate) fn rows_of(size: u64) -> u32 {
    size.div_ceil(8).max(1) as u32
}

struct Lower<'m, 'a> {
    m: &'m ModuleSyms<'a>,
    fidx: usize,
    entry: bool,
    scopes: Vec<HashMap<&'a str, Local<'a>>>,
    ins: Vec<Ins>,
    guard: P,
    line: u32,
    rows: R,
    npred: u32,
    consts: Vec<u64>,
    cmap: HashMap<u64, R>,
    /// Position of each label in `ins`.
    labels: Vec<u32>,
    sites: Vec<CallSite>,
    local_size: u32,
    shared_top: u32,
    dyn_align: u32,
    lb_row: R,
    cc_row: R,
    sink: R,
    is_regrow: Vec<bool>,
}

impl<'m, 'a> Lower<'m, 'a> {
    fn err<T>(&self, m: impl Into<String>) -> Res<T> {
        err(self.line, m)
    }
}

/// Lowers all functions. `place` gives the address of each global variable.
pub(crate) fn module<'a>(
    ast: &Ast<'a>,
    src: &str,
    mut place: impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<(Program, HashMap<&'a str, Sym>)> {
    let mut dyn_align = 16;
    let mut syms = global_variables(ast, &mut place)?;
    let order = functions(ast);
    let mut statics = HashMap::new();
    let sigs = function_symbols(ast, &order, &mut syms, &mut statics, &mut place)?;
    let (common, private) = shared_variables(ast, &order, &mut syms, &mut dyn_align)?;
    // Shared variables of device functions are common too.
    let mut ms = ModuleSyms { syms, funcs: sigs, statics, shared_common: common };
    let mut funcs: Vec<Option<Code>> = order.iter().map(|_| None).collect();
    let mut devs: Vec<usize> = (0..order.len()).collect();
    devs.sort_by_key(|i| ast.funcs[order[*i]].entry);
    for idx in devs {
        let f = &ast.funcs[order[idx]];
        if f.body.is_none() {
            funcs[idx] = Some(Code { name: f.name.to_string(), ..Code::default() });
            continue;
        }
        let saved = ms.shared_common;
        for v in private.get(&idx).into_iter().flatten() {
            let at = SHARED.place(v, &mut ms.shared_common)?;
            ms.syms.insert(v.name, Sym::Shared(at));
        }
        let c = function(f, idx, &ms, &mut dyn_align)?;
        ms.shared_common = if f.entry { saved } else { SHARED_BASE + c.static_shared };
        funcs[idx] = Some(c);
    }
    let mut prog = Program {
        funcs: funcs.into_iter().map(|f| Arc::new(f.unwrap_or_default())).collect(),
        dyn_align,
        source: src.lines().map(String::from).collect(),
    };
    prog.source.shrink_to_fit();
    operands::check_calls(&prog)?;
    Ok((prog, ms.syms))
}

/// Places the variables of the module in global and constant memory.
fn global_variables<'a>(
    ast: &Ast<'a>,
    place: &mut impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<HashMap<&'a str, Sym>> {
    let mut syms: HashMap<&'a str, Sym> = HashMap::new();
    for v in ast.vars.iter().filter(|v| matches!(v.space, Space::Global | Space::Const)) {
        if syms.contains_key(v.name) {
            continue;
        }
        if v.is_extern {
            let what = format!("external variable '{}' is not defined in this module", v.name);
            return err(v.line, what);
        }
        syms.insert(v.name, Sym::Addr(place(v)?));
    }
    Ok(syms)
}

/// The functions by their place in the tree: a definition takes the place of its declarations.
fn functions(ast: &Ast) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (k, f) in ast.funcs.iter().enumerate() {
        match by_name.get(f.name) {
            Some(i) => {
                if f.body.is_some() {
                    order[*i] = k;
                }
            }
            None => {
                by_name.insert(f.name, order.len());
                order.push(k);
            }
        }
    }
    order
}

/// Resolves the name of each function and the rows of its parameters and results; also places the variables of functions.
fn function_symbols<'a>(
    ast: &Ast<'a>,
    order: &[usize],
    syms: &mut HashMap<&'a str, Sym>,
    statics: &mut HashMap<(usize, &'a str), u64>,
    place: &mut impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<Vec<FuncSig>> {
    let mut sigs = Vec::new();
    for (idx, k) in order.iter().enumerate() {
        let f = &ast.funcs[*k];
        // A kernel's parameters are not in rows.
        let rows = |v: &[Var<'a>]| if f.entry { Ok(vec![]) } else { v.iter().map(param_rows).collect() };
        sigs.push(FuncSig { ret_rows: rows(&f.rets)?, param_rows: rows(&f.params)? });
        let named = |name: &str| order.iter().position(|k| ast.funcs[*k].name == name);
        let s = if f.body.is_none() {
            match f.name {
                "vprintf" => Sym::Builtin(Builtin::Printf),
                "malloc" => Sym::Builtin(Builtin::Malloc),
                "free" => Sym::Builtin(Builtin::Free),
                "__assertfail" => Sym::Builtin(Builtin::AssertFail),
                _ => match ast.aliases.iter().find(|a| a.0 == f.name).and_then(|a| named(a.1)) {
                    Some(i) => Sym::Func(i as u32),
                    None => continue,
                },
            }
        } else {
            Sym::Func(idx as u32)
        };
        syms.insert(f.name, s);
        if let Some(b) = &f.body {
            static_vars(b, idx, statics, place)?;
        }
    }
    Ok(sigs)
}

/// Shared variables, by the function that alone names them.
type Private<'v, 'a> = HashMap<usize, Vec<&'v Var<'a>>>;

/// Places the shared variables of the module: the end of those that all functions have, and those of one kernel alone.
fn shared_variables<'v, 'a>(
    ast: &'v Ast<'a>,
    order: &[usize],
    syms: &mut HashMap<&'a str, Sym>,
    dyn_align: &mut u32,
) -> Res<(u32, Private<'v, 'a>)> {
    let used = shared_use(ast, order);
    let mut common = SHARED_BASE;
    let mut private = Private::new();
    for v in ast.vars.iter().filter(|v| v.space == Space::Shared) {
        if v.is_extern || v.size == 0 {
            *dyn_align = (*dyn_align).max(alignment(v)?);
            syms.insert(v.name, Sym::DynShared);
            continue;
        }
        if syms.contains_key(v.name) {
            continue;
        }
        match used.get(v.name) {
            Some(Some(k)) => private.entry(*k).or_default().push(v),
            None => {}
            Some(None) => {
                syms.insert(v.name, Sym::Shared(SHARED.place(v, &mut common)?));
            }
        }
    }
    Ok((common, private))
}

fn static_vars<'a>(
    b: &[Stmt<'a>],
    idx: usize,
    out: &mut HashMap<(usize, &'a str), u64>,
    place: &mut impl FnMut(&Var<'a>) -> Res<u64>,
) -> Res<()> {
    for s in b {
        match s {
            Stmt::Var(v) if matches!(v.space, Space::Global | Space::Const) => {
                out.insert((idx, v.name), place(v)?);
            }
            Stmt::Block(b) => static_vars(b, idx, out, place)?,
            _ => {}
        }
    }
    Ok(())
}

/// For each shared variable: the one kernel that names it, or `None` for more.
fn shared_use<'a>(ast: &Ast<'a>, order: &[usize]) -> HashMap<&'a str, Option<usize>> {
    fn names<'a>(a: &Arg<'a>, f: &mut impl FnMut(&'a str)) {
        match a {
            Arg::Id(n) | Arg::IdOff(n, _) | Arg::Addr(n, _) => f(n),
            Arg::Vec(v) | Arg::List(v) => v.iter().for_each(|x| names(x, f)),
            _ => {}
        }
    }
    fn walk<'a>(b: &[Stmt<'a>], f: &mut impl FnMut(&'a str)) {
        for s in b {
            match s {
                Stmt::Inst(i) => i.args.iter().for_each(|a| names(a, f)),
                Stmt::Block(b) => walk(b, f),
                _ => {}
            }
        }
    }
    let shared: std::collections::HashSet<&str> =
        ast.vars.iter().filter(|v| v.space == Space::Shared).map(|v| v.name).collect();
    let mut out: HashMap<&'a str, Option<usize>> = HashMap::new();
    for (idx, k) in order.iter().enumerate() {
        let fun = &ast.funcs[*k];
        if let Some(b) = &fun.body {
            walk(b, &mut |n| {
                if shared.contains(n) {
                    out.entry(n)
                        .and_modify(|u| {
                            if *u != Some(idx) {
                                *u = None;
                            }
                        })
                        .or_insert(if fun.entry { Some(idx) } else { None });
                }
            });
        }
    }
    out
}
