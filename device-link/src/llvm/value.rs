//! Values of a module: functions, globals, constants.

use core::ops::Deref;

use super::api::{Ref, ffi};
use super::{Context, Instruction, Metadata, text};

/// Any value of a module: a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'m> {
    context: &'m Context,
    raw: Ref,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Value<'_> {}
impl core::hash::Hash for Value<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

/// The visibility of a symbol, and the handling of a second definition. The numbers are LLVM-C's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    External = 0,
    OnceOnly = 3,
    WeakOnce = 6,
    Internal = 8,
    Private = 9,
}

impl<'m> Value<'m> {
    /// The handle of a value of a module that `'m` borrows; `None` for null.
    pub(super) fn new(context: &'m Context, raw: Ref) -> Option<Self> {
        (!raw.is_null()).then_some(Self { context, raw })
    }

    pub(super) fn raw(self) -> Ref {
        self.raw
    }

    pub(super) fn context(self) -> &'m Context {
        self.context
    }

    pub(crate) fn name(self) -> &'m str {
        let mut length = 0;
        let start = ffi!(self.context.api(), LLVMGetValueName2(self.raw, &mut length));
        // SAFETY: names stay until the value is renamed, and the renaming code does not keep the old name.
        unsafe { text(start, length) }
    }

    pub(crate) fn rename(self, name: &str) {
        ffi!(self.context.api(), LLVMSetValueName2(self.raw, name.as_ptr().cast(), name.len()));
    }

    pub(crate) fn as_function(self) -> Option<Function<'m>> {
        (!ffi!(self.context.api(), LLVMIsAFunction(self.raw)).is_null()).then_some(Function(self))
    }

    pub(crate) fn as_global(self) -> Option<Global<'m>> {
        (!ffi!(self.context.api(), LLVMIsAGlobalVariable(self.raw)).is_null()).then_some(Global(self))
    }

    pub(crate) fn as_instruction(self) -> Option<Instruction<'m>> {
        (!ffi!(self.context.api(), LLVMIsAInstruction(self.raw)).is_null()).then(|| Instruction::new(self))
    }

    pub(crate) fn is_constant(self) -> bool {
        !ffi!(self.context.api(), LLVMIsAConstant(self.raw)).is_null()
    }

    /// The number, if this is a constant integer of at most 64 bits.
    pub(crate) fn as_integer(self) -> Option<u64> {
        let api = self.context.api();
        if ffi!(api, LLVMIsAConstantInt(self.raw)).is_null() {
            return None;
        }
        let kind = ffi!(api, LLVMTypeOf(self.raw));
        (ffi!(api, LLVMGetIntTypeWidth(kind)) <= 64).then(|| ffi!(api, LLVMConstIntGetZExtValue(self.raw)))
    }

    /// The text of an assembly block, if this is one.
    pub(crate) fn as_assembly(self) -> Option<&'m str> {
        let api = self.context.api();
        if ffi!(api, LLVMIsAInlineAsm(self.raw)).is_null() {
            return None;
        }
        let mut length = 0;
        let start = ffi!(api, LLVMGetInlineAsmAsmString(self.raw, &mut length));
        // SAFETY: assembly blocks belong to the context and do not change.
        Some(unsafe { text(start, length) })
    }

    /// The operands; of metadata nodes none.
    pub(crate) fn operands(self) -> impl Iterator<Item = Value<'m>> {
        let api = self.context.api();
        let is_user = self.is_constant() || self.as_instruction().is_some();
        let count = if is_user { ffi!(api, LLVMGetNumOperands(self.raw)) } else { 0 };
        (0..count as u32)
            .filter_map(move |place| Value::new(self.context, ffi!(api, LLVMGetOperand(self.raw, place))))
    }

    /// The values that have this one as an operand.
    pub(crate) fn users(self) -> Vec<Value<'m>> {
        let api = self.context.api();
        let mut found = Vec::new();
        let mut usage = ffi!(api, LLVMGetFirstUse(self.raw));
        while !usage.is_null() {
            found.extend(Value::new(self.context, ffi!(api, LLVMGetUser(usage))));
            usage = ffi!(api, LLVMGetNextUse(usage));
        }
        found
    }

    pub(crate) fn replace_uses(self, with: Value<'m>) {
        ffi!(self.context.api(), LLVMReplaceAllUsesWith(self.raw, with.raw));
    }

    pub(crate) fn set_linkage(self, linkage: Linkage) {
        ffi!(self.context.api(), LLVMSetLinkage(self.raw, linkage as i32));
        ffi!(self.context.api(), LLVMSetVisibility(self.raw, 0));
    }

    pub(crate) fn is_internal(self) -> bool {
        let linkage = ffi!(self.context.api(), LLVMGetLinkage(self.raw));
        linkage == Linkage::Internal as i32 || linkage == Linkage::Private as i32
    }

    /// Leaves the group of definitions of which the host's linker keeps one. It is a function or a global variable.
    fn leave_group(self) {
        ffi!(self.context.api(), LLVMSetComdat(self.raw, core::ptr::null_mut()));
    }

    /// Whether it only names something defined elsewhere.
    pub(crate) fn is_declaration(self) -> bool {
        ffi!(self.context.api(), LLVMIsDeclaration(self.raw)) != 0
    }

    pub(crate) fn value_type(self) -> Type<'m> {
        Type { value: self, raw: ffi!(self.context.api(), LLVMTypeOf(self.raw)) }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Type<'m> {
    value: Value<'m>,
    raw: Ref,
}

impl<'m> Type<'m> {
    /// The type at `raw`, of or about `value`.
    pub(super) fn new(value: Value<'m>, raw: Ref) -> Self {
        Self { value, raw }
    }

    pub(super) fn raw(self) -> Ref {
        self.raw
    }

    fn kind(self) -> i32 {
        ffi!(self.value.context.api(), LLVMGetTypeKind(self.raw))
    }

    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == 12
    }

    pub(crate) fn is_float(self) -> bool {
        self.kind() == 2
    }

    pub(crate) fn is_double(self) -> bool {
        self.kind() == 3
    }

    /// The width of an integer.
    pub(crate) fn integer_bits(self) -> Option<u32> {
        (self.kind() == 8).then(|| ffi!(self.value.context.api(), LLVMGetIntTypeWidth(self.raw)))
    }
}

/// A function or its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Function<'m>(Value<'m>);

impl<'m> Deref for Function<'m> {
    type Target = Value<'m>;
    fn deref(&self) -> &Value<'m> {
        &self.0
    }
}

impl<'m> Function<'m> {
    /// Whether LLVM itself gives it its meaning.
    pub(crate) fn is_intrinsic(self) -> bool {
        self.name().starts_with("llvm.")
    }

    pub(crate) fn function_type(self) -> Type<'m> {
        Type { value: self.0, raw: ffi!(self.0.context.api(), LLVMGlobalGetValueType(self.0.raw)) }
    }

    pub(crate) fn is_variadic(self) -> bool {
        ffi!(self.0.context.api(), LLVMIsFunctionVarArg(self.function_type().raw)) != 0
    }

    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        let api = self.0.context.api();
        let count = ffi!(api, LLVMCountParams(self.0.raw));
        (0..count)
            .filter_map(|place| Value::new(self.0.context, ffi!(api, LLVMGetParam(self.0.raw, place))))
            .collect()
    }

    pub(crate) fn set_calling_convention(self, number: u32) {
        ffi!(self.0.context.api(), LLVMSetFunctionCallConv(self.0.raw, number));
    }

    pub(crate) fn has_personality(self) -> bool {
        ffi!(self.0.context.api(), LLVMHasPersonalityFn(self.0.raw)) != 0
    }

    pub(crate) fn drop_personality(self) {
        ffi!(self.0.context.api(), LLVMSetPersonalityFn(self.0.raw, core::ptr::null_mut()));
    }

    /// Leaves its section and its group, which are the host linker's.
    pub(crate) fn leave_linker(self) {
        self.0.leave_group();
        ffi!(self.0.context.api(), LLVMSetSection(self.0.raw, c"".as_ptr()));
    }

    /// Its entry in the debug information.
    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        Metadata::new(self.0.context, ffi!(self.0.context.api(), LLVMGetSubprogram(self.0.raw)))
    }

    /// All instructions. The list is complete before it is returned, so instructions may be added.
    pub(crate) fn instructions(self) -> Vec<Instruction<'m>> {
        let api = self.0.context.api();
        let mut found = Vec::new();
        let mut block = ffi!(api, LLVMGetFirstBasicBlock(self.0.raw));
        while !block.is_null() {
            let mut next = ffi!(api, LLVMGetFirstInstruction(block));
            while let Some(value) = Value::new(self.0.context, next) {
                found.push(Instruction::new(value));
                next = ffi!(api, LLVMGetNextInstruction(next));
            }
            block = ffi!(api, LLVMGetNextBasicBlock(block));
        }
        found
    }
}

/// A global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Global<'m>(Value<'m>);

impl<'m> Deref for Global<'m> {
    type Target = Value<'m>;
    fn deref(&self) -> &Value<'m> {
        &self.0
    }
}

impl<'m> Global<'m> {
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        Value::new(self.0.context, ffi!(self.0.context.api(), LLVMGetInitializer(self.0.raw)))
    }

    /// The bytes, if it is a constant that starts with a string: as such, or as the only field of a struct, which is how
    /// rustc writes them.
    pub(crate) fn bytes(self) -> Option<&'m [u8]> {
        let api = self.0.context.api();
        let is_string = |value: &Value<'m>| {
            let is_data = !ffi!(api, LLVMIsAConstantDataArray(value.raw)).is_null();
            is_data && ffi!(api, LLVMIsConstantString(value.raw)) != 0
        };
        let whole = self.initializer()?;
        let string = if is_string(&whole) { whole } else { whole.operands().next().filter(is_string)? };
        let mut length = 0;
        let start = ffi!(api, LLVMGetAsString(string.raw, &mut length));
        // SAFETY: the bytes belong to a constant of the context, which does not change.
        Some(unsafe { core::slice::from_raw_parts(start.cast::<u8>(), length) })
    }

    /// Whether its memory never changes.
    pub(crate) fn is_constant_memory(self) -> bool {
        ffi!(self.0.context.api(), LLVMIsGlobalConstant(self.0.raw)) != 0
    }

    pub(crate) fn is_thread_local(self) -> bool {
        ffi!(self.0.context.api(), LLVMIsThreadLocal(self.0.raw)) != 0
    }

    /// Leaves its section and its group, which are the host linker's.
    pub(crate) fn leave_linker(self) {
        self.0.leave_group();
        ffi!(self.0.context.api(), LLVMSetSection(self.0.raw, c"".as_ptr()));
    }

    /// # Safety
    /// Nothing may use it, and no handle of it may be used again.
    pub(crate) unsafe fn delete(self) {
        ffi!(self.0.context.api(), LLVMDeleteGlobal(self.0.raw));
    }
}
