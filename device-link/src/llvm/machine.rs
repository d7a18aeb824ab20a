//! The NVPTX target: data layout, passes, PTX.

use super::api::{Ref, ffi};
use super::{Llvm, Module, c_string, take_message, text};
use crate::Error;

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// A target machine for one architecture and PTX version.
#[derive(Debug)]
pub(crate) struct Machine {
    llvm: Llvm,
    raw: Ref,
    layout: Ref,
    pass_options: Ref,
}

impl Machine {
    /// `processor` such as `sm_80`, `features` such as `+ptx70`.
    pub(crate) fn new(llvm: &Llvm, processor: &str, features: &str) -> Result<Self, Error> {
        let api = llvm.api();
        let (mut target, mut message) = (core::ptr::null_mut(), core::ptr::null_mut());
        let triple = c_string(TRIPLE);
        if ffi!(api, LLVMGetTargetFromTriple(triple.as_ptr(), &mut target, &mut message)) != 0 {
            return Err(Error::Llvm(take_message(api, message)));
        }
        let (processor, features) = (c_string(processor), c_string(features));
        // 3: all optimisations. 0, 0: the default relocation and code model.
        let raw = ffi!(
            api,
            LLVMCreateTargetMachine(target, triple.as_ptr(), processor.as_ptr(), features.as_ptr(), 3, 0, 0)
        );
        if raw.is_null() {
            return Err(Error::Llvm(format!("LLVM has no target {TRIPLE} {processor:?} {features:?}")));
        }
        let layout = ffi!(api, LLVMCreateTargetDataLayout(raw));
        let pass_options = ffi!(api, LLVMCreatePassBuilderOptions());
        Ok(Self { llvm: llvm.clone(), raw, layout, pass_options })
    }

    /// Marks `module` as one for this machine.
    pub(crate) fn claim(&self, module: &Module<'_>) {
        ffi!(self.llvm.api(), LLVMSetTarget(module.raw(), c_string(TRIPLE).as_ptr()));
        ffi!(self.llvm.api(), LLVMSetModuleDataLayout(module.raw(), self.layout));
    }

    /// Runs passes, in the notation of `opt -passes`.
    pub(crate) fn run_passes(&self, module: &mut Module<'_>, passes: &str) -> Result<(), Error> {
        let api = self.llvm.api();
        let passes = c_string(passes);
        let failure = ffi!(api, LLVMRunPasses(module.raw(), passes.as_ptr(), self.raw, self.pass_options));
        if failure.is_null() {
            return Ok(());
        }
        let message = ffi!(api, LLVMGetErrorMessage(failure));
        // SAFETY: LLVM's messages end with NUL and stay until they are disposed of.
        let owned = unsafe { core::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned();
        ffi!(api, LLVMDisposeErrorMessage(message));
        Err(Error::Llvm(format!("the passes {passes:?} failed: {owned}")))
    }

    /// The module as PTX.
    pub(crate) fn emit(&self, module: &mut Module<'_>) -> Result<String, Error> {
        let api = self.llvm.api();
        let (mut message, mut buffer) = (core::ptr::null_mut(), core::ptr::null_mut());
        // 0: assembly text.
        let failed = ffi!(
            api,
            LLVMTargetMachineEmitToMemoryBuffer(self.raw, module.raw(), 0, &mut message, &mut buffer)
        );
        let message = take_message(api, message);
        let errors = module.context().take_errors();
        if failed != 0 || !errors.is_empty() {
            return Err(Error::Llvm(format!("cannot make PTX: {message}{}", errors.join("; "))));
        }
        let (start, length) = (ffi!(api, LLVMGetBufferStart(buffer)), ffi!(api, LLVMGetBufferSize(buffer)));
        // SAFETY: the buffer has that many bytes, and lives until the next statement.
        let ptx = unsafe { text(start, length) }.to_owned();
        ffi!(api, LLVMDisposeMemoryBuffer(buffer));
        Ok(ptx)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        ffi!(self.llvm.api(), LLVMDisposePassBuilderOptions(self.pass_options));
        ffi!(self.llvm.api(), LLVMDisposeTargetData(self.layout));
        ffi!(self.llvm.api(), LLVMDisposeTargetMachine(self.raw));
    }
}
