//! New instructions, constants and types.

use super::api::{Ref, ffi};
use super::{Call, Function, Instruction, Location, Type, Value, c_string};

/// Adds instructions at one place of a function.
#[derive(Debug)]
pub(crate) struct Builder<'m> {
    anchor: Value<'m>,
    raw: Ref,
}

impl<'m> Builder<'m> {
    /// Builds the body of `function`, which has none.
    pub(crate) fn body(function: Function<'m>) -> Self {
        let builder = Self::unplaced(*function);
        let (api, context) = (function.context().api(), function.context());
        let block =
            ffi!(api, LLVMAppendBasicBlockInContext(context.raw(), function.raw(), c"entry".as_ptr()));
        ffi!(api, LLVMPositionBuilderAtEnd(builder.raw, block));
        builder
    }

    /// Builds before `instruction`, with the same source line.
    pub(crate) fn before(instruction: Instruction<'m>) -> Self {
        let builder = Self::unplaced(*instruction);
        ffi!(instruction.context().api(), LLVMPositionBuilderBefore(builder.raw, instruction.raw()));
        builder.set_location(instruction.location());
        builder
    }

    fn unplaced(anchor: Value<'m>) -> Self {
        let raw = ffi!(anchor.context().api(), LLVMCreateBuilderInContext(anchor.context().raw()));
        Self { anchor, raw }
    }

    fn set_location(&self, location: Option<Location<'m>>) {
        let raw = location.map_or(core::ptr::null_mut(), Location::raw);
        ffi!(self.anchor.context().api(), LLVMSetCurrentDebugLocation2(self.raw, raw));
    }

    fn value(&self, raw: Ref) -> Value<'m> {
        Value::new(self.anchor.context(), raw).expect("LLVM builds a value")
    }

    /// The integer type of this width.
    pub(crate) fn integer_type(&self, bits: u32) -> Type<'m> {
        let raw = ffi!(self.anchor.context().api(), LLVMIntTypeInContext(self.anchor.context().raw(), bits));
        Type::new(self.anchor, raw)
    }

    pub(crate) fn pointer_type(&self) -> Type<'m> {
        let raw = ffi!(self.anchor.context().api(), LLVMPointerTypeInContext(self.anchor.context().raw(), 0));
        Type::new(self.anchor, raw)
    }

    pub(crate) fn integer(&self, bits: u32, value: u64) -> Value<'m> {
        self.value(ffi!(self.anchor.context().api(), LLVMConstInt(self.integer_type(bits).raw(), value, 0)))
    }

    /// The bytes of `text`, with no NUL after them.
    pub(crate) fn string(&self, text: &str) -> Value<'m> {
        let (api, context) = (self.anchor.context().api(), self.anchor.context());
        let length = u32::try_from(text.len()).expect("a message is shorter than 4 GB");
        self.value(ffi!(api, LLVMConstStringInContext(context.raw(), text.as_ptr().cast(), length, 1)))
    }

    /// A constant struct.
    pub(crate) fn structure(&self, fields: &[Value<'m>]) -> Value<'m> {
        let mut fields: Vec<Ref> = fields.iter().map(|field| field.raw()).collect();
        let (api, context) = (self.anchor.context().api(), self.anchor.context());
        self.value(ffi!(
            api,
            LLVMConstStructInContext(context.raw(), fields.as_mut_ptr(), fields.len() as u32, 0)
        ))
    }

    pub(crate) fn call(&self, function: Function<'m>, arguments: &[Value<'m>]) -> Call<'m> {
        self.call_as(function.function_type(), *function, arguments)
    }

    /// Calls `callee` as a function of type `kind`.
    pub(crate) fn call_as(&self, kind: Type<'m>, callee: Value<'m>, arguments: &[Value<'m>]) -> Call<'m> {
        let mut raw: Vec<Ref> = arguments.iter().map(|argument| argument.raw()).collect();
        let count = raw.len() as u32;
        let api = self.anchor.context().api();
        let call = self.value(ffi!(
            api,
            LLVMBuildCall2(self.raw, kind.raw(), callee.raw(), raw.as_mut_ptr(), count, c"".as_ptr())
        ));
        Instruction::new(call).as_call().expect("a new call")
    }

    pub(crate) fn unreachable(&self) {
        ffi!(self.anchor.context().api(), LLVMBuildUnreachable(self.raw));
    }

    pub(crate) fn pointer_to_integer(&self, pointer: Value<'m>) -> Value<'m> {
        let kind = self.integer_type(64).raw();
        self.value(ffi!(
            self.anchor.context().api(),
            LLVMBuildPtrToInt(self.raw, pointer.raw(), kind, c"".as_ptr())
        ))
    }

    pub(crate) fn integer_to_pointer(&self, integer: Value<'m>) -> Value<'m> {
        let kind = self.pointer_type().raw();
        self.value(ffi!(
            self.anchor.context().api(),
            LLVMBuildIntToPtr(self.raw, integer.raw(), kind, c"".as_ptr())
        ))
    }

    /// The lowest bit of an integer.
    pub(crate) fn lowest_bit(&self, integer: Value<'m>) -> Value<'m> {
        let kind = self.integer_type(1).raw();
        self.value(ffi!(
            self.anchor.context().api(),
            LLVMBuildTrunc(self.raw, integer.raw(), kind, c"".as_ptr())
        ))
    }

    pub(crate) fn select(&self, condition: Value<'m>, yes: Value<'m>, no: Value<'m>) -> Value<'m> {
        let api = self.anchor.context().api();
        self.value(ffi!(api, LLVMBuildSelect(self.raw, condition.raw(), yes.raw(), no.raw(), c"".as_ptr())))
    }

    /// A block of assembly without any instruction, which gets a pointer and may do anything to memory.
    pub(crate) fn empty_assembly(&self, kind: Type<'m>) -> Value<'m> {
        let api = self.anchor.context().api();
        let (text, constraints) = (c_string(""), c_string("l,~{memory}"));
        let (text, constraints) = (text.as_ptr().cast_mut(), constraints.as_ptr().cast_mut());
        // Both are copied. It has side effects, keeps the stack's alignment as it is, and is in AT&T's notation (0).
        self.value(ffi!(api, LLVMGetInlineAsm(kind.raw(), text, 0, constraints, 11, 1, 0, 0, 0)))
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        ffi!(self.anchor.context().api(), LLVMDisposeBuilder(self.raw));
    }
}
