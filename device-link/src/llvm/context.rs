//! An LLVM context: owner of modules, types and metadata.

use std::cell::RefCell;

use super::api::{Ref, ffi};
use super::{Api, Llvm, take_message};

/// A context with the errors that LLVM reported in it. All modules, values and types in it borrow it.
#[derive(Debug)]
pub(crate) struct Context {
    llvm: Llvm,
    raw: Ref,
    // Boxed: LLVM holds its address.
    collected: Box<Collected>,
}

#[derive(Debug)]
struct Collected {
    llvm: Llvm,
    errors: RefCell<Vec<String>>,
}

/// LLVM's own handler ends the process at an error; this one keeps the text.
extern "C" fn collect(diagnostic: Ref, collected: Ref) {
    // SAFETY: `Context::new` gave this address, of a box that lives as long as the context that reports.
    let collected = unsafe { &*collected.cast::<Collected>() };
    let api = collected.llvm.api();
    // Severity 0 is an error; warnings and remarks are about host code as often as not.
    if ffi!(api, LLVMGetDiagInfoSeverity(diagnostic)) == 0 {
        let message = ffi!(api, LLVMGetDiagInfoDescription(diagnostic));
        collected.errors.borrow_mut().push(take_message(api, message));
    }
}

impl Context {
    pub(crate) fn new(llvm: &Llvm) -> Self {
        let raw = ffi!(llvm.api(), LLVMContextCreate());
        let collected = Box::new(Collected { llvm: llvm.clone(), errors: RefCell::new(Vec::new()) });
        let address: *const Collected = &*collected;
        ffi!(llvm.api(), LLVMContextSetDiagnosticHandler(raw, collect, address.cast_mut().cast()));
        Self { llvm: llvm.clone(), raw, collected }
    }

    pub(crate) fn api(&self) -> &Api {
        self.llvm.api()
    }

    pub(super) fn llvm_major(&self) -> u32 {
        self.llvm.version().0
    }

    pub(super) fn raw(&self) -> Ref {
        self.raw
    }

    /// The errors reported since the last call.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        self.collected.errors.take()
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Modules borrow the context, so none is left.
        ffi!(self.llvm.api(), LLVMContextDispose(self.raw));
    }
}
