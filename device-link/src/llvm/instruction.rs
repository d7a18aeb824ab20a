//! Instructions and calls.

use core::ops::Deref;

use super::api::ffi;
use super::{Function, Location, Type, Value};

/// An instruction of a function body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Instruction<'m>(Value<'m>);

impl<'m> Deref for Instruction<'m> {
    type Target = Value<'m>;
    fn deref(&self) -> &Value<'m> {
        &self.0
    }
}

/// The instructions that this crate looks for. The numbers are LLVM-C's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    FloatRemainder = 19,
    FloatToUnsigned = 33,
    FloatToSigned = 34,
    UnsignedToFloat = 35,
    SignedToFloat = 36,
}

const OPCODES: [Opcode; 5] = [
    Opcode::FloatRemainder,
    Opcode::FloatToUnsigned,
    Opcode::FloatToSigned,
    Opcode::UnsignedToFloat,
    Opcode::SignedToFloat,
];

/// LLVM-C's number for a fence.
const FENCE: i32 = 55;
/// LLVM-C's number for a load.
const LOAD: i32 = 27;
/// LLVM-C's number for the computation of an address.
const ELEMENT: i32 = 29;

impl<'m> Instruction<'m> {
    /// `value` is known to be an instruction.
    pub(super) fn new(value: Value<'m>) -> Self {
        Self(value)
    }

    /// Its opcode, if it is one of those listed.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        let number = ffi!(self.context().api(), LLVMGetInstructionOpcode(self.raw()));
        OPCODES.into_iter().find(|opcode| *opcode as i32 == number)
    }

    /// Whether it is a fence for the thread itself, `compiler_fence`.
    pub(crate) fn is_fence_of_thread(self) -> bool {
        let api = self.context().api();
        let is_fence = ffi!(api, LLVMGetInstructionOpcode(self.raw())) == FENCE;
        is_fence && ffi!(api, LLVMIsAtomicSingleThread(self.raw())) != 0
    }

    /// Whether it computes an address from another one.
    pub(crate) fn is_element(self) -> bool {
        ffi!(self.context().api(), LLVMGetInstructionOpcode(self.raw())) == ELEMENT
    }

    /// Whether it is a load that is neither volatile nor atomic.
    pub(crate) fn is_plain_load(self) -> bool {
        let api = self.context().api();
        ffi!(api, LLVMGetInstructionOpcode(self.raw())) == LOAD
            && ffi!(api, LLVMGetVolatile(self.raw())) == 0
            && ffi!(api, LLVMGetOrdering(self.raw())) == 0
    }

    /// Marks a load: what it reads is the same whenever it is read.
    ///
    /// # Safety
    /// Nothing writes that memory while the kernel runs.
    pub(crate) unsafe fn make_invariant(self) {
        const NAME: &str = "invariant.load";
        let (api, context) = (self.context().api(), self.context().raw());
        let kind = ffi!(api, LLVMGetMDKindIDInContext(context, NAME.as_ptr().cast(), NAME.len() as u32));
        let empty = ffi!(api, LLVMMDNodeInContext2(context, core::ptr::null_mut(), 0));
        let value = ffi!(api, LLVMMetadataAsValue(context, empty));
        ffi!(api, LLVMSetMetadata(self.raw(), kind, value));
    }

    /// The call, if it is one (an `invoke` is).
    pub(crate) fn as_call(self) -> Option<Call<'m>> {
        let api = self.context().api();
        let is_call = !ffi!(api, LLVMIsACallInst(self.raw())).is_null();
        (is_call || !ffi!(api, LLVMIsAInvokeInst(self.raw())).is_null()).then_some(Call(self))
    }

    /// The function that it is part of.
    pub(crate) fn function(self) -> Option<Function<'m>> {
        let api = self.context().api();
        let block = ffi!(api, LLVMGetInstructionParent(self.raw()));
        Value::new(self.context(), ffi!(api, LLVMGetBasicBlockParent(block))).and_then(Value::as_function)
    }

    /// Its place in the source.
    pub(crate) fn location(self) -> Option<Location<'m>> {
        Location::new(self.context(), ffi!(self.context().api(), LLVMInstructionGetDebugLoc(self.raw())))
    }

    /// # Safety
    /// Nothing may use its result, and no handle of it may be used again.
    pub(crate) unsafe fn erase(self) {
        ffi!(self.context().api(), LLVMInstructionEraseFromParent(self.raw()));
    }
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Call<'m>(Instruction<'m>);

impl<'m> Deref for Call<'m> {
    type Target = Instruction<'m>;
    fn deref(&self) -> &Instruction<'m> {
        &self.0
    }
}

impl<'m> Call<'m> {
    /// The callee: a function, assembly, or a pointer.
    pub(crate) fn callee(self) -> Option<Value<'m>> {
        Value::new(self.context(), ffi!(self.context().api(), LLVMGetCalledValue(self.raw())))
    }

    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        let api = self.context().api();
        let count = ffi!(api, LLVMGetNumArgOperands(self.raw()));
        (0..count)
            .filter_map(|place| Value::new(self.context(), ffi!(api, LLVMGetOperand(self.raw(), place))))
            .collect()
    }

    /// The type of function that it calls.
    pub(crate) fn called_type(self) -> Type<'m> {
        Type::new(**self, ffi!(self.context().api(), LLVMGetCalledFunctionType(self.raw())))
    }
}
