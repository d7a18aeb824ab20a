//! A module: parsing, linking, printing.

use super::api::{Ref, ffi};
use super::{Context, Function, Global, Linkage, Value, c_string, take_message};
use crate::Error;

/// An LLVM module in a context.
#[derive(Debug)]
pub(crate) struct Module<'c> {
    context: &'c Context,
    raw: Ref,
}

impl<'c> Module<'c> {
    /// An empty module.
    pub(crate) fn new(context: &'c Context, name: &str) -> Self {
        let raw =
            ffi!(context.api(), LLVMModuleCreateWithNameInContext(c_string(name).as_ptr(), context.raw()));
        Self { context, raw }
    }

    /// Parses `bitcode`; `name` is for messages.
    pub(crate) fn parse(context: &'c Context, name: &str, bitcode: &[u8]) -> Result<Self, Error> {
        // Nothing of the module points into the buffer, so it need not be a copy; 0: no byte has to follow the last.
        let start = bitcode.as_ptr().cast();
        let name_of_buffer = c_string(name);
        let buffer = ffi!(
            context.api(),
            LLVMCreateMemoryBufferWithMemoryRange(start, bitcode.len(), name_of_buffer.as_ptr(), 0)
        );
        let mut raw = core::ptr::null_mut();
        let failed = ffi!(context.api(), LLVMParseBitcodeInContext2(context.raw(), buffer, &mut raw));
        ffi!(context.api(), LLVMDisposeMemoryBuffer(buffer));
        Self::parsed(context, name, failed != 0, raw)
    }

    /// Reads the symbols of `bitcode`; bodies are parsed when something links them.
    pub(crate) fn parse_lazily(context: &'c Context, name: &str, bitcode: &[u8]) -> Result<Self, Error> {
        // The module owns the buffer, also where parsing failed.
        let buffer = buffer(context, name, bitcode);
        let mut raw = core::ptr::null_mut();
        let failed = ffi!(context.api(), LLVMGetBitcodeModuleInContext2(context.raw(), buffer, &mut raw));
        Self::parsed(context, name, failed != 0, raw)
    }

    fn parsed(context: &'c Context, name: &str, failed: bool, raw: Ref) -> Result<Self, Error> {
        if failed {
            let reasons = context.take_errors().join("; ");
            return Err(Error::Llvm(format!("cannot read the bitcode of {name}: {reasons}")));
        }
        Ok(Self { context, raw })
    }

    /// Parses IR text.
    pub(crate) fn parse_text(context: &'c Context, name: &str, text: &str) -> Result<Self, Error> {
        // The parser takes the buffer.
        let buffer = buffer(context, name, text.as_bytes());
        let (mut raw, mut message) = (core::ptr::null_mut(), core::ptr::null_mut());
        let failed = ffi!(context.api(), LLVMParseIRInContext(context.raw(), buffer, &mut raw, &mut message));
        let message = take_message(context.api(), message);
        if failed != 0 {
            return Err(Error::Llvm(format!("cannot read {name}: {message}")));
        }
        Ok(Self { context, raw })
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    pub(super) fn raw(&self) -> Ref {
        self.raw
    }

    /// Moves the definitions of `source` that this module needs into this module. Local and once-only functions of the source
    /// come along only where something refers to them.
    pub(crate) fn link(&mut self, source: Self, name: &str) -> Result<(), Error> {
        let failed = ffi!(self.context.api(), LLVMLinkModules2(self.raw, source.raw));
        // LLVM disposed of it.
        core::mem::forget(source);
        let errors = self.context.take_errors();
        if failed != 0 || !errors.is_empty() {
            return Err(Error::Llvm(format!("cannot link {name}: {}", errors.join("; "))));
        }
        Ok(())
    }

    /// Drops the debug information, also that of bodies that are not parsed yet.
    pub(crate) fn strip_debug_info(&mut self) {
        ffi!(self.context.api(), LLVMStripModuleDebugInfo(self.raw));
    }

    /// Drops assembly outside functions.
    pub(crate) fn drop_assembly(&mut self) {
        ffi!(self.context.api(), LLVMSetModuleInlineAsm2(self.raw, c"".as_ptr(), 0));
    }

    /// Runs LLVM's verifier; the error is its findings.
    pub(crate) fn verify(&self) -> Result<(), String> {
        // 2: return the findings instead of printing them or ending the process.
        let mut message = core::ptr::null_mut();
        let broken = ffi!(self.context.api(), LLVMVerifyModule(self.raw, 2, &mut message));
        let message = take_message(self.context.api(), message);
        if broken == 0 { Ok(()) } else { Err(message) }
    }

    /// The module as IR text.
    pub(crate) fn text(&self) -> String {
        take_message(self.context.api(), ffi!(self.context.api(), LLVMPrintModuleToString(self.raw)))
    }

    pub(crate) fn function(&self, name: &str) -> Option<Function<'_>> {
        let raw = ffi!(self.context.api(), LLVMGetNamedFunction(self.raw, c_string(name).as_ptr()));
        Value::new(self.context, raw).and_then(Value::as_function)
    }

    /// All functions, declarations too. The list is complete before it is returned, so functions may be added or deleted.
    pub(crate) fn functions(&self) -> Vec<Function<'_>> {
        let api = self.context.api();
        let mut found = Vec::new();
        let mut next = ffi!(api, LLVMGetFirstFunction(self.raw));
        while let Some(value) = Value::new(self.context, next) {
            found.extend(value.as_function());
            next = ffi!(api, LLVMGetNextFunction(next));
        }
        found
    }

    /// All global variables.
    pub(crate) fn globals(&self) -> Vec<Global<'_>> {
        let api = self.context.api();
        let mut found = Vec::new();
        let mut next = ffi!(api, LLVMGetFirstGlobal(self.raw));
        while let Some(value) = Value::new(self.context, next) {
            found.extend(value.as_global());
            next = ffi!(api, LLVMGetNextGlobal(next));
        }
        found
    }

    /// All aliases.
    pub(crate) fn aliases(&self) -> Vec<Value<'_>> {
        let api = self.context.api();
        let mut found = Vec::new();
        let mut next = ffi!(api, LLVMGetFirstGlobalAlias(self.raw));
        while let Some(value) = Value::new(self.context, next) {
            found.push(value);
            next = ffi!(api, LLVMGetNextGlobalAlias(next));
        }
        found
    }

    /// A new constant of the module with this value.
    pub(crate) fn add_constant<'m>(&'m self, name: &str, value: Value<'m>, alignment: u32) -> Value<'m> {
        let api = self.context.api();
        let kind = ffi!(api, LLVMTypeOf(value.raw()));
        let raw = ffi!(api, LLVMAddGlobal(self.raw, kind, c_string(name).as_ptr()));
        ffi!(api, LLVMSetInitializer(raw, value.raw()));
        ffi!(api, LLVMSetGlobalConstant(raw, 1));
        ffi!(api, LLVMSetAlignment(raw, alignment));
        let global = Value::new(self.context, raw).expect("a new global");
        global.set_linkage(Linkage::Private);
        global
    }

    /// A new declaration, with the type of `like`.
    pub(crate) fn declare_like<'m>(&'m self, name: &str, like: Function<'_>) -> Function<'m> {
        let raw = ffi!(
            self.context.api(),
            LLVMAddFunction(self.raw, c_string(name).as_ptr(), like.function_type().raw())
        );
        Value::new(self.context, raw).and_then(Value::as_function).expect("a new function")
    }

    /// A new declaration of a variable, with the type of `like`.
    pub(crate) fn declare_global_like(&self, like: Global<'_>) {
        let api = self.context.api();
        let kind = ffi!(api, LLVMGlobalGetValueType(like.raw()));
        ffi!(api, LLVMAddGlobal(self.raw, kind, c_string(like.name()).as_ptr()));
    }

    /// A new declaration of a function that takes such arguments and returns nothing.
    pub(crate) fn declare<'m>(&'m self, name: &str, arguments: &[Value<'m>]) -> Function<'m> {
        self.declare_with(
            name,
            ffi!(self.context.api(), LLVMVoidTypeInContext(self.context.raw())),
            arguments,
        )
    }

    /// A new declaration of a function that takes such arguments and returns such a value.
    pub(crate) fn declare_returning<'m>(
        &'m self,
        name: &str,
        like: Value<'m>,
        arguments: &[Value<'m>],
    ) -> Function<'m> {
        self.declare_with(name, like.value_type().raw(), arguments)
    }

    fn declare_with<'m>(&'m self, name: &str, result: Ref, arguments: &[Value<'m>]) -> Function<'m> {
        let api = self.context.api();
        let mut kinds: Vec<Ref> = arguments.iter().map(|argument| argument.value_type().raw()).collect();
        let kind = ffi!(api, LLVMFunctionType(result, kinds.as_mut_ptr(), kinds.len() as u32, 0));
        let raw = ffi!(api, LLVMAddFunction(self.raw, c_string(name).as_ptr(), kind));
        Value::new(self.context, raw).and_then(Value::as_function).expect("a new function")
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        ffi!(self.context.api(), LLVMDisposeModule(self.raw));
    }
}

fn buffer(context: &Context, name: &str, bytes: &[u8]) -> Ref {
    let name = c_string(name);
    let start = bytes.as_ptr().cast();
    ffi!(context.api(), LLVMCreateMemoryBufferWithMemoryRangeCopy(start, bytes.len(), name.as_ptr()))
}
