//! From tokens to the tree.

use super::token::{Tok, tokenize};
use super::{Arg, Ast, Func, Init, Inst, Proto, Res, Space, Stmt, Ty, Var, err};

pub(super) struct Parser<'a> {
    t: Vec<(Tok<'a>, u32)>,
    i: usize,
}

pub(crate) fn parse(src: &str) -> Res<Ast<'_>> {
    let mut p = Parser { t: tokenize(src)?, i: 0 };
    p.module()
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Tok<'a> {
        self.t[self.i].0
    }
    fn peek2(&self) -> Tok<'a> {
        self.t.get(self.i + 1).map_or(Tok::Eof, |x| x.0)
    }
    fn line(&self) -> u32 {
        self.t[self.i].1
    }
    fn next(&mut self) -> Tok<'a> {
        let t = self.t[self.i].0;
        if self.i + 1 < self.t.len() {
            self.i += 1;
        }
        t
    }
    fn is(&self, c: char) -> bool {
        self.peek() == Tok::P(c)
    }
    fn eat(&mut self, c: char) -> bool {
        if self.is(c) {
            self.next();
            true
        } else {
            false
        }
    }
    fn want(&mut self, c: char) -> Res<()> {
        if self.eat(c) {
            Ok(())
        } else {
            err(self.line(), format!("expected '{c}', found {:?}", self.peek()))
        }
    }
    fn id(&mut self) -> Res<&'a str> {
        let l = self.line();
        match self.next() {
            Tok::Id(s) => Ok(s),
            t => err(l, format!("expected a name, found {t:?}")),
        }
    }
    fn int(&mut self) -> Res<u64> {
        let l = self.line();
        let neg = self.eat('-');
        match self.next() {
            Tok::Int(v) => Ok(if neg { v.wrapping_neg() } else { v }),
            t => err(l, format!("expected a number, found {t:?}")),
        }
    }
    fn skip_line(&mut self) {
        let l = self.line();
        while self.line() == l && self.peek() != Tok::Eof {
            self.next();
        }
    }
    fn skip_to(&mut self, c: char) {
        while !self.eat(c) && self.peek() != Tok::Eof {
            self.next();
        }
    }
    fn skip_braces(&mut self) {
        let mut d = 0;
        loop {
            match self.next() {
                Tok::P('{') => d += 1,
                Tok::P('}') => {
                    d -= 1;
                    if d <= 0 {
                        return;
                    }
                }
                Tok::Eof => return,
                _ => {}
            }
        }
    }

    fn module(&mut self) -> Res<Ast<'a>> {
        let mut m = Ast::default();
        loop {
            let line = self.line();
            match self.peek() {
                Tok::Eof => return Ok(m),
                Tok::P(';') => {
                    self.next();
                }
                Tok::P('@') => self.skip_line(),
                Tok::Id(".version") => {
                    self.next();
                    match self.next() {
                        Tok::F64(v) => {
                            let s = format!("{:.1}", f64::from_bits(v));
                            let (a, b) = s.split_once('.').unwrap_or((&s, "0"));
                            m.version = (a.parse().unwrap_or(0), b.parse().unwrap_or(0));
                        }
                        t => return err(line, format!("bad version {t:?}")),
                    }
                }
                Tok::Id(".target") => {
                    self.next();
                    m.target = self.id()?;
                    while self.eat(',') {
                        self.id()?;
                    }
                }
                Tok::Id(".address_size") => {
                    self.next();
                    if self.int()? != 64 {
                        return err(line, "only 64-bit modules are supported");
                    }
                }
                Tok::Id(".file") => self.skip_line(),
                Tok::Id(".loc") => self.skip_line(),
                Tok::Id(".pragma") => self.skip_to(';'),
                Tok::Id(".section") => self.skip_braces(),
                Tok::Id(".alias") => {
                    self.next();
                    let a = self.id()?;
                    self.want(',')?;
                    let b = self.id()?;
                    self.want(';')?;
                    m.aliases.push((a, b));
                }
                Tok::Id(s) if s.starts_with('.') => self.toplevel(&mut m)?,
                t => return err(line, format!("unexpected {t:?} outside a function")),
            }
        }
    }

    fn toplevel(&mut self, m: &mut Ast<'a>) -> Res<()> {
        let mut is_extern = false;
        loop {
            let line = self.line();
            match self.peek() {
                Tok::Id(".extern") => {
                    is_extern = true;
                    self.next();
                }
                Tok::Id(".visible" | ".weak" | ".common" | ".internal") => {
                    self.next();
                }
                Tok::Id(".entry" | ".func") => {
                    let f = self.func()?;
                    m.funcs.push(f);
                    return Ok(());
                }
                Tok::Id(".global" | ".const" | ".shared" | ".local") => {
                    self.vars(is_extern, &mut m.vars)?;
                    return Ok(());
                }
                Tok::Id(".tex" | ".texref" | ".samplerref" | ".surfref") => {
                    return err(line, "textures and surfaces are not supported");
                }
                t => return err(line, format!("unexpected {t:?}")),
            }
        }
    }

    /// A variable declaration up to and with its ';'.
    fn vars(&mut self, is_extern: bool, out: &mut Vec<Var<'a>>) -> Res<()> {
        let first = self.var(is_extern)?;
        let (space, ty, align) = (first.space, first.ty, first.align);
        out.push(first);
        while self.eat(',') {
            let v = self.declarator(space, ty, align, 1, is_extern)?;
            out.push(v);
        }
        self.want(';')
    }

    /// One variable or parameter, from its state space on.
    fn var(&mut self, is_extern: bool) -> Res<Var<'a>> {
        let l = self.line();
        let space = match self.id()? {
            ".global" => Space::Global,
            ".const" => Space::Const,
            ".shared" => Space::Shared,
            ".local" => Space::Local,
            ".param" | ".reg" => Space::Param,
            s if s.starts_with(".shared") => Space::Shared,
            s => return err(l, format!("unexpected {s} in a declaration")),
        };
        let mut align = 0u32;
        let mut vec = 1u64;
        let ty = loop {
            let l = self.line();
            match self.id()? {
                ".align" => align = u32::try_from(self.int()?).unwrap_or(u32::MAX),
                ".ptr" | ".global" | ".shared" | ".local" | ".const" => {}
                ".attribute" => {
                    self.want('(')?;
                    self.skip_to(')');
                }
                ".managed" | ".unified" => {}
                ".v2" => vec = 2,
                ".v4" => vec = 4,
                s => match Ty::parse(s.trim_start_matches('.')) {
                    Some(t) => break t,
                    None => return err(l, format!("unsupported type {s}")),
                },
            }
        };
        // `.param .u64 .ptr .global .align 8 name`
        loop {
            match self.peek() {
                Tok::Id(".ptr" | ".global" | ".shared" | ".local" | ".const" | ".param") => {
                    self.next();
                }
                Tok::Id(".align") => {
                    self.next();
                    self.int()?;
                }
                _ => break,
            }
        }
        self.declarator(space, ty, align, vec, is_extern)
    }

    fn declarator(&mut self, space: Space, ty: Ty, align: u32, vec: u64, is_extern: bool) -> Res<Var<'a>> {
        let line = self.line();
        let name = match self.peek() {
            Tok::Id(_) => self.id()?,
            _ => "_",
        };
        let elem = ty.size() as u64 * vec;
        let mut size = elem;
        let mut first = true;
        let mut open = false;
        while self.eat('[') {
            if first {
                size = elem;
            }
            if self.eat(']') {
                open = true;
            } else {
                size = size.saturating_mul(self.int()?);
                self.want(']')?;
            }
            first = false;
        }
        let mut init = Vec::new();
        if self.eat('=') {
            self.init(&mut init)?;
            if open {
                size = elem * init.len() as u64;
                open = false;
            }
        }
        if open {
            size = 0;
        }
        let align = if align == 0 { elem as u32 } else { align };
        Ok(Var { name, space, align, ty, size, init, is_extern, line })
    }

    fn init(&mut self, out: &mut Vec<Init<'a>>) -> Res<()> {
        if self.eat('{') {
            while !self.eat('}') {
                self.init(out)?;
                if !self.eat(',') {
                    self.want('}')?;
                    break;
                }
            }
            return Ok(());
        }
        let line = self.line();
        let v = match self.next() {
            Tok::F32(v) => Init::F32(v),
            Tok::F64(v) => Init::F64(v),
            Tok::P('-') => match self.next() {
                Tok::Int(v) => Init::Int(v.wrapping_neg()),
                Tok::F32(v) => Init::F32(v ^ 0x8000_0000),
                Tok::F64(v) => Init::F64(v ^ (1 << 63)),
                t => return err(line, format!("bad initialiser {t:?}")),
            },
            Tok::Int(v) if self.is('(') => {
                // 0xFF00(symbol): one byte of an address
                self.next();
                let Init::Sym { name, add, generic, .. } = self.init_sym()? else { unreachable!() };
                self.want(')')?;
                Init::Sym { name, add, generic, mask: v }
            }
            Tok::Int(v) => Init::Int(v),
            Tok::Id(_) => {
                self.i -= 1;
                self.init_sym()?
            }
            t => return err(line, format!("bad initialiser {t:?}")),
        };
        out.push(v);
        Ok(())
    }

    fn init_sym(&mut self) -> Res<Init<'a>> {
        let mut name = self.id()?;
        let mut generic = false;
        if name == "generic" && self.eat('(') {
            generic = true;
            name = self.id()?;
            self.want(')')?;
        }
        let add = self.offset()?;
        Ok(Init::Sym { name, add, generic, mask: u64::MAX })
    }

    /// `+ n`, `- n`, `+ -n` or nothing.
    fn offset(&mut self) -> Res<i64> {
        let mut v = 0i64;
        loop {
            if self.eat('+') {
                v = v.wrapping_add(self.int()? as i64);
            } else if self.eat('-') {
                v = v.wrapping_sub(self.int()? as i64);
            } else {
                return Ok(v);
            }
        }
    }

    fn params(&mut self) -> Res<Vec<Var<'a>>> {
        let mut v = Vec::new();
        self.want('(')?;
        while !self.eat(')') {
            v.push(self.var(false)?);
            if !self.eat(',') {
                self.want(')')?;
                break;
            }
        }
        Ok(v)
    }

    fn func(&mut self) -> Res<Func<'a>> {
        let line = self.line();
        let entry = self.id()? == ".entry";
        while let Tok::Id(".attribute") = self.peek() {
            self.next();
            self.want('(')?;
            self.skip_to(')');
        }
        let rets = if self.is('(') { self.params()? } else { vec![] };
        let name = self.id()?;
        let params = if self.is('(') { self.params()? } else { vec![] };
        let mut max_threads = 0;
        loop {
            let l = self.line();
            match self.peek() {
                Tok::Id(".maxntid" | ".reqntid") => {
                    self.next();
                    let mut n = self.int()? as u32;
                    while self.eat(',') {
                        n = n.saturating_mul(self.int()? as u32);
                    }
                    max_threads = n;
                }
                Tok::Id(
                    ".minnctapersm"
                    | ".maxnctapersm"
                    | ".maxnreg"
                    | ".abi_preserve"
                    | ".abi_preserve_control"
                    | ".maxclusterrank",
                ) => {
                    self.next();
                    self.int()?;
                }
                Tok::Id(".reqnctapercluster") => {
                    self.next();
                    self.int()?;
                    while self.eat(',') {
                        self.int()?;
                    }
                }
                Tok::Id(".noreturn" | ".explicitcluster" | ".blocksareclusters") => {
                    self.next();
                }
                Tok::Id(".pragma") => self.skip_to(';'),
                Tok::P(';') => {
                    self.next();
                    return Ok(Func { name, entry, rets, params, body: None, max_threads, line });
                }
                Tok::P('{') => break,
                t => return err(l, format!("unexpected {t:?} in the head of function {name}")),
            }
        }
        self.next();
        let body = self.block()?;
        Ok(Func { name, entry, rets, params, body: Some(body), max_threads, line })
    }

    fn block(&mut self) -> Res<Vec<Stmt<'a>>> {
        let mut out = Vec::new();
        loop {
            let line = self.line();
            match self.peek() {
                Tok::P('}') => {
                    self.next();
                    return Ok(out);
                }
                Tok::P('{') => {
                    self.next();
                    out.push(Stmt::Block(self.block()?));
                }
                Tok::P(';') => {
                    self.next();
                }
                Tok::P('@') => {
                    self.next();
                    let neg = self.eat('!');
                    let g = self.id()?;
                    let i = self.inst(Some((neg, g)))?;
                    out.push(Stmt::Inst(i));
                }
                Tok::Id(".reg") => {
                    self.next();
                    let tl = self.line();
                    let t = self.id()?;
                    let Some(ty) = Ty::parse(t.trim_start_matches('.')) else {
                        return err(tl, format!("unsupported register type {t}"));
                    };
                    loop {
                        let name = self.id()?;
                        let count = if self.eat('<') {
                            let n = self.int()? as u32;
                            self.want('>')?;
                            Some(n)
                        } else {
                            None
                        };
                        out.push(Stmt::Reg { ty, name, count });
                        if !self.eat(',') {
                            break;
                        }
                    }
                    self.want(';')?;
                }
                Tok::Id(".param" | ".local" | ".shared" | ".global" | ".const") => {
                    let mut v = Vec::new();
                    self.vars(false, &mut v)?;
                    out.extend(v.into_iter().map(Stmt::Var));
                }
                Tok::Id(".extern" | ".visible") => {
                    self.next();
                    let mut v = Vec::new();
                    self.vars(true, &mut v)?;
                    out.extend(v.into_iter().map(Stmt::Var));
                }
                Tok::Id(".loc" | ".file") => self.skip_line(),
                Tok::Id(".pragma") => self.skip_to(';'),
                Tok::Id(s) if self.peek2() == Tok::P(':') => {
                    self.next();
                    self.next();
                    match self.peek() {
                        Tok::Id(".branchtargets" | ".calltargets") => {
                            self.next();
                            let mut v = vec![self.id()?];
                            while self.eat(',') {
                                v.push(self.id()?);
                            }
                            self.want(';')?;
                            out.push(Stmt::Targets(s, v));
                        }
                        Tok::Id(".callprototype") => {
                            self.next();
                            let rets = if self.is('(') { self.params()? } else { vec![] };
                            self.id()?;
                            let params = if self.is('(') { self.params()? } else { vec![] };
                            while !self.is(';') && self.peek() != Tok::Eof {
                                self.next();
                            }
                            self.want(';')?;
                            out.push(Stmt::Proto(s, Proto { rets, params }));
                        }
                        _ => out.push(Stmt::Label(s)),
                    }
                }
                Tok::Id(s) if s.starts_with('.') => {
                    return err(line, format!("unsupported directive {s} in a function"));
                }
                Tok::Id(_) => {
                    let i = self.inst(None)?;
                    out.push(Stmt::Inst(i));
                }
                t => return err(line, format!("unexpected {t:?} in a function")),
            }
        }
    }

    fn inst(&mut self, guard: Option<(bool, &'a str)>) -> Res<Inst<'a>> {
        let line = self.line();
        let op = self.id()?;
        let mut args = Vec::new();
        while !self.eat(';') {
            args.push(self.arg()?);
            if !self.eat(',') {
                self.want(';')?;
                break;
            }
        }
        Ok(Inst { line, guard, op, args })
    }

    fn arg(&mut self) -> Res<Arg<'a>> {
        let line = self.line();
        Ok(match self.next() {
            Tok::Id(s) => {
                if self.eat('|') {
                    return Ok(Arg::Pair(s, self.id()?));
                }
                if self.is('+') || self.is('-') {
                    return Ok(Arg::IdOff(s, self.offset()?));
                }
                if self.eat('[') {
                    let o = self.int()?;
                    self.want(']')?;
                    return Ok(Arg::IdOff(s, o as i64));
                }
                Arg::Id(s)
            }
            Tok::Int(v) => Arg::Int(v),
            Tok::F32(v) => Arg::F32(v),
            Tok::F64(v) => Arg::F64(v),
            Tok::P('-') => match self.next() {
                Tok::Int(v) => Arg::Int(v.wrapping_neg()),
                Tok::F32(v) => Arg::F32(v ^ 0x8000_0000),
                Tok::F64(v) => Arg::F64(v ^ (1 << 63)),
                t => return err(line, format!("unexpected '-' before {t:?}")),
            },
            Tok::P('~') => match self.next() {
                Tok::Int(v) => Arg::Int(!v),
                t => return err(line, format!("unexpected '~' before {t:?}")),
            },
            Tok::P('!') => Arg::Not(self.id()?),
            Tok::P('{') => {
                let mut v = Vec::new();
                while !self.eat('}') {
                    v.push(self.arg()?);
                    if !self.eat(',') {
                        self.want('}')?;
                        break;
                    }
                }
                Arg::Vec(v)
            }
            Tok::P('(') => {
                let mut v = Vec::new();
                while !self.eat(')') {
                    v.push(self.arg()?);
                    if !self.eat(',') {
                        self.want(')')?;
                        break;
                    }
                }
                Arg::List(v)
            }
            Tok::P('[') => {
                let a = match self.next() {
                    Tok::Id(s) => Arg::Addr(s, self.offset()?),
                    Tok::Int(v) => Arg::AddrAbs(v.wrapping_add(self.offset()? as u64)),
                    t => return err(line, format!("unexpected {t:?} in an address")),
                };
                if !self.eat(']') {
                    return err(
                        line,
                        "unsupported form of address (tensor or texture operands are not supported)",
                    );
                }
                a
            }
            t => return err(line, format!("unexpected operand {t:?}")),
        })
    }
}
