//! Instructions, by name: which function lowers each. Those are in one file for each family.

use super::Lower;
use super::modifiers::Mods;
use crate::ir::{A, Op};
use crate::ptx::{Inst, Res};

impl<'m, 'a> Lower<'m, 'a> {
    pub(super) fn inst(&mut self, i: &Inst<'a>) -> Res<()> {
        let mut it = i.op.split('.');
        let name = it.next().unwrap_or("");
        let m = Mods { v: it.collect(), op: i.op, line: i.line };
        match name {
            "ld" | "ldu" => self.load(i, m),
            "st" => self.store(i, m),
            "mov" => self.mov(i, m),
            "add" | "sub" | "addc" | "subc" | "mul" | "mad" | "madc" | "fma" | "div" | "rem" | "min"
            | "max" | "abs" | "neg" | "sqrt" | "rsqrt" | "rcp" | "ex2" | "lg2" | "sin" | "cos" | "tanh"
            | "copysign" => self.arith(name, i, m),
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" => self.logic(name, i, m),
            "shf" => self.shf(i, m),
            "prmt" => self.prmt(i, m),
            "bfe" => self.bfe(i, m),
            "bfi" => self.bfi(i, m),
            "brev" | "clz" | "popc" => self.count_bits(name, i, m),
            "bfind" => self.bfind(i, m),
            "sad" => self.sad(i, m),
            "mul24" | "mad24" => self.mul24(name, i, m),
            "lop3" => self.lop3(i, m),
            "dp4a" | "dp2a" => self.dot(name, i, m),
            "szext" => self.szext(i, m),
            "bmsk" => self.bmsk(i, m),
            "fns" => self.fns(i, m),
            "cvt" => self.cvt(i, m),
            "cvta" => self.cvta(i, m),
            "isspacep" => self.isspacep(i, m),
            "setp" => self.setp(i, m),
            "set" => self.set(i, m),
            "selp" => self.selp(i, m),
            "slct" => self.slct(i, m),
            "testp" => self.testp(i, m),
            "bra" => self.bra(i, m),
            "brx" => self.brx(i),
            "call" => self.call(i),
            "ret" => self.done(if self.entry { Op::Exit } else { Op::Ret }),
            "exit" => self.done(Op::Exit),
            "trap" => self.done(Op::Trap),
            "brkpt" => self.done(Op::Brkpt),
            "bar" | "barrier" => self.bar(i, m),
            "atom" | "red" => self.atom(name == "red", i, m),
            "shfl" => self.shfl(i, m),
            "vote" => self.vote(i, m),
            "match" => self.match_sync(i, m),
            "redux" => self.redux(i, m),
            "elect" => self.elect(i),
            "activemask" => self.activemask(i),
            "membar" | "fence" => self.done(Op::Fence),
            "nanosleep" => self.done(Op::Yield),
            "cp" => self.cp(i, m),
            "mbarrier" => self.mbarrier(i, m),
            "prefetch" | "prefetchu" | "pmevent" | "griddepcontrol" | "setmaxnreg" | "applypriority"
            | "discard" => self.done(Op::Nop),
            "createpolicy" => self.createpolicy(i),
            _ => m.bad(),
        }
    }

    /// An instruction that has no operands, or none that matter.
    fn done(&mut self, op: Op) -> Res<()> {
        self.emit(op);
        Ok(())
    }

    /// `createpolicy`: caches are not emulated, so any value does.
    fn createpolicy(&mut self, i: &Inst<'a>) -> Res<()> {
        self.argn(i, 1, 5)?;
        let d = self.d(&i.args[0])?;
        let z = self.konst(0);
        self.alu(A::Mov, d, z, z, z, 0);
        Ok(())
    }
}
