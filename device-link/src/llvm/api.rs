//! The functions of the LLVM-C interface that are used, as one table.

use core::ffi::{c_char, c_int, c_uint, c_void};

use libloading::Library;

use crate::Error;

/// Any object of LLVM: its headers make each kind a pointer to an opaque struct.
pub(crate) type Ref = *mut c_void;
/// LLVM's `LLVMBool`.
pub(crate) type Bool = c_int;
/// LLVM calls it with each of its diagnostics.
pub(crate) type DiagnosticHandler = extern "C" fn(diagnostic: Ref, collected: Ref);
/// LLVM calls it before it ends the process.
pub(crate) type FatalHandler = extern "C" fn(reason: *const c_char);

macro_rules! table {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Pointers to the functions of one libLLVM.
        #[allow(non_snake_case, reason = "the names of LLVM's headers")]
        pub(crate) struct Api {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Looks all functions up.
            ///
            /// # Safety
            /// `library` is libLLVM of major version 18 to 22, and is never closed.
            pub(crate) unsafe fn load(library: &Library) -> Result<Self, Error> {
                Ok(Self {
                    $(
                        // SAFETY: the signature is that of LLVM's header, the same in all these versions.
                        $name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .map_err(|error| Error::Llvm(format!("libLLVM lacks a function: {error}")))?,
                    )*
                })
            }
        }
    };
}

table! {
    // Set-up
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMGetVersion(*mut c_uint, *mut c_uint, *mut c_uint);
    LLVMInstallFatalErrorHandler(FatalHandler);
    LLVMContextCreate() -> Ref;
    LLVMContextDispose(Ref);
    LLVMContextSetDiagnosticHandler(Ref, DiagnosticHandler, Ref);
    LLVMGetDiagInfoDescription(Ref) -> *mut c_char;
    LLVMGetDiagInfoSeverity(Ref) -> c_int;
    LLVMDisposeMessage(*mut c_char);
    LLVMCreateMemoryBufferWithMemoryRange(*const c_char, usize, *const c_char, Bool) -> Ref;
    LLVMCreateMemoryBufferWithMemoryRangeCopy(*const c_char, usize, *const c_char) -> Ref;
    LLVMDisposeMemoryBuffer(Ref);
    LLVMGetBufferStart(Ref) -> *const c_char;
    LLVMGetBufferSize(Ref) -> usize;
    // Modules
    LLVMParseBitcodeInContext2(Ref, Ref, *mut Ref) -> Bool;
    LLVMGetBitcodeModuleInContext2(Ref, Ref, *mut Ref) -> Bool;
    LLVMParseIRInContext(Ref, Ref, *mut Ref, *mut *mut c_char) -> Bool;
    LLVMDisposeModule(Ref);
    LLVMLinkModules2(Ref, Ref) -> Bool;
    LLVMSetTarget(Ref, *const c_char);
    LLVMSetModuleDataLayout(Ref, Ref);
    LLVMStripModuleDebugInfo(Ref) -> Bool;
    LLVMPrintModuleToString(Ref) -> *mut c_char;
    LLVMVerifyModule(Ref, c_int, *mut *mut c_char) -> Bool;
    LLVMSetModuleInlineAsm2(Ref, *const c_char, usize);
    LLVMModuleCreateWithNameInContext(*const c_char, Ref) -> Ref;
    LLVMAddFunction(Ref, *const c_char, Ref) -> Ref;
    LLVMAddGlobal(Ref, Ref, *const c_char) -> Ref;
    LLVMGetNamedFunction(Ref, *const c_char) -> Ref;
    LLVMGetFirstFunction(Ref) -> Ref;
    LLVMGetNextFunction(Ref) -> Ref;
    LLVMGetFirstGlobal(Ref) -> Ref;
    LLVMGetNextGlobal(Ref) -> Ref;
    LLVMGetFirstGlobalAlias(Ref) -> Ref;
    LLVMGetNextGlobalAlias(Ref) -> Ref;
    // Globals and functions
    LLVMDeleteGlobal(Ref);
    LLVMGetInitializer(Ref) -> Ref;
    LLVMSetInitializer(Ref, Ref);
    LLVMIsGlobalConstant(Ref) -> Bool;
    LLVMSetGlobalConstant(Ref, Bool);
    LLVMSetAlignment(Ref, c_uint);
    LLVMIsThreadLocal(Ref) -> Bool;
    LLVMIsDeclaration(Ref) -> Bool;
    LLVMGetLinkage(Ref) -> c_int;
    LLVMSetLinkage(Ref, c_int);
    LLVMSetVisibility(Ref, c_int);
    LLVMSetSection(Ref, *const c_char);
    LLVMSetComdat(Ref, Ref);
    LLVMGlobalGetValueType(Ref) -> Ref;
    LLVMSetFunctionCallConv(Ref, c_uint);
    LLVMHasPersonalityFn(Ref) -> Bool;
    LLVMSetPersonalityFn(Ref, Ref);
    LLVMCountParams(Ref) -> c_uint;
    LLVMGetParam(Ref, c_uint) -> Ref;
    LLVMGetSubprogram(Ref) -> Ref;
    LLVMGetFirstBasicBlock(Ref) -> Ref;
    LLVMGetNextBasicBlock(Ref) -> Ref;
    // Values
    LLVMGetValueName2(Ref, *mut usize) -> *const c_char;
    LLVMSetValueName2(Ref, *const c_char, usize);
    LLVMTypeOf(Ref) -> Ref;
    LLVMIsAFunction(Ref) -> Ref;
    LLVMIsAGlobalVariable(Ref) -> Ref;
    LLVMIsAConstant(Ref) -> Ref;
    LLVMIsAConstantInt(Ref) -> Ref;
    LLVMIsACallInst(Ref) -> Ref;
    LLVMIsAInvokeInst(Ref) -> Ref;
    LLVMIsAInlineAsm(Ref) -> Ref;
    LLVMIsAInstruction(Ref) -> Ref;
    LLVMIsAMDString(Ref) -> Ref;
    LLVMIsAMDNode(Ref) -> Ref;
    LLVMConstIntGetZExtValue(Ref) -> u64;
    LLVMIsAConstantDataArray(Ref) -> Ref;
    LLVMGetInlineAsm(Ref, *mut c_char, usize, *mut c_char, usize, Bool, Bool, c_int, Bool) -> Ref;
    LLVMIsConstantString(Ref) -> Bool;
    LLVMGetAsString(Ref, *mut usize) -> *const c_char;
    LLVMGetNumOperands(Ref) -> c_int;
    LLVMGetOperand(Ref, c_uint) -> Ref;
    LLVMGetFirstUse(Ref) -> Ref;
    LLVMGetNextUse(Ref) -> Ref;
    LLVMGetUser(Ref) -> Ref;
    LLVMReplaceAllUsesWith(Ref, Ref);
    LLVMConstInt(Ref, u64, Bool) -> Ref;
    LLVMConstStringInContext(Ref, *const c_char, c_uint, Bool) -> Ref;
    LLVMConstStructInContext(Ref, *mut Ref, c_uint, Bool) -> Ref;
    // Instructions
    LLVMGetFirstInstruction(Ref) -> Ref;
    LLVMGetNextInstruction(Ref) -> Ref;
    LLVMGetInstructionParent(Ref) -> Ref;
    LLVMGetBasicBlockParent(Ref) -> Ref;
    LLVMGetInstructionOpcode(Ref) -> c_int;
    LLVMIsAtomicSingleThread(Ref) -> Bool;
    LLVMInstructionEraseFromParent(Ref);
    LLVMInstructionGetDebugLoc(Ref) -> Ref;
    LLVMGetVolatile(Ref) -> Bool;
    LLVMGetOrdering(Ref) -> c_int;
    LLVMSetMetadata(Ref, c_uint, Ref);
    LLVMGetCalledValue(Ref) -> Ref;
    LLVMGetCalledFunctionType(Ref) -> Ref;
    LLVMGetNumArgOperands(Ref) -> c_uint;
    LLVMGetInlineAsmAsmString(Ref, *mut usize) -> *const c_char;
    // Types
    LLVMGetTypeKind(Ref) -> c_int;
    LLVMIsFunctionVarArg(Ref) -> Bool;
    LLVMGetIntTypeWidth(Ref) -> c_uint;
    LLVMVoidTypeInContext(Ref) -> Ref;
    LLVMIntTypeInContext(Ref, c_uint) -> Ref;
    LLVMPointerTypeInContext(Ref, c_uint) -> Ref;
    LLVMArrayType2(Ref, u64) -> Ref;
    LLVMFunctionType(Ref, *mut Ref, c_uint, Bool) -> Ref;
    // Attributes
    LLVMGetEnumAttributeKindForName(*const c_char, usize) -> c_uint;
    LLVMCreateEnumAttribute(Ref, c_uint, u64) -> Ref;
    LLVMCreateTypeAttribute(Ref, c_uint, Ref) -> Ref;
    LLVMAddAttributeAtIndex(Ref, c_uint, Ref);
    LLVMGetAttributeCountAtIndex(Ref, c_uint) -> c_uint;
    LLVMGetAttributesAtIndex(Ref, c_uint, *mut Ref);
    LLVMGetEnumAttributeAtIndex(Ref, c_uint, c_uint) -> Ref;
    LLVMIsStringAttribute(Ref) -> Bool;
    LLVMGetStringAttributeKind(Ref, *mut c_uint) -> *const c_char;
    LLVMRemoveEnumAttributeAtIndex(Ref, c_uint, c_uint);
    LLVMRemoveStringAttributeAtIndex(Ref, c_uint, *const c_char, c_uint);
    LLVMRemoveCallSiteEnumAttribute(Ref, c_uint, c_uint);
    LLVMAddCallSiteAttribute(Ref, c_uint, Ref);
    // Building
    LLVMCreateBuilderInContext(Ref) -> Ref;
    LLVMDisposeBuilder(Ref);
    LLVMAppendBasicBlockInContext(Ref, Ref, *const c_char) -> Ref;
    LLVMPositionBuilderAtEnd(Ref, Ref);
    LLVMPositionBuilderBefore(Ref, Ref);
    LLVMSetCurrentDebugLocation2(Ref, Ref);
    LLVMBuildCall2(Ref, Ref, Ref, *mut Ref, c_uint, *const c_char) -> Ref;
    LLVMBuildUnreachable(Ref) -> Ref;
    LLVMBuildPtrToInt(Ref, Ref, Ref, *const c_char) -> Ref;
    LLVMBuildIntToPtr(Ref, Ref, Ref, *const c_char) -> Ref;
    LLVMBuildTrunc(Ref, Ref, Ref, *const c_char) -> Ref;
    LLVMBuildSelect(Ref, Ref, Ref, Ref, *const c_char) -> Ref;
    // Debug information
    LLVMGetMDKindIDInContext(Ref, *const c_char, c_uint) -> c_uint;
    LLVMMDNodeInContext2(Ref, *mut Ref, usize) -> Ref;
    LLVMGetMetadataKind(Ref) -> c_uint;
    LLVMMetadataAsValue(Ref, Ref) -> Ref;
    LLVMValueAsMetadata(Ref) -> Ref;
    LLVMGetMDString(Ref, *mut c_uint) -> *const c_char;
    LLVMGetMDNodeNumOperands(Ref) -> c_uint;
    LLVMGetMDNodeOperands(Ref, *mut Ref);
    LLVMGetDINodeTag(Ref) -> u16;
    LLVMDITypeGetFlags(Ref) -> c_int;
    LLVMDITypeGetSizeInBits(Ref) -> u64;
    LLVMDILocationGetLine(Ref) -> c_uint;
    LLVMDILocationGetColumn(Ref) -> c_uint;
    LLVMDILocationGetScope(Ref) -> Ref;
    LLVMDILocationGetInlinedAt(Ref) -> Ref;
    LLVMDIScopeGetFile(Ref) -> Ref;
    LLVMDIFileGetFilename(Ref, *mut c_uint) -> *const c_char;
    LLVMDIFileGetDirectory(Ref, *mut c_uint) -> *const c_char;
    LLVMDISubprogramGetLine(Ref) -> c_uint;
    // Target
    LLVMGetTargetFromTriple(*const c_char, *mut Ref, *mut *mut c_char) -> Bool;
    LLVMCreateTargetMachine(Ref, *const c_char, *const c_char, *const c_char, c_int, c_int, c_int) -> Ref;
    LLVMDisposeTargetMachine(Ref);
    LLVMCreateTargetDataLayout(Ref) -> Ref;
    LLVMDisposeTargetData(Ref);
    LLVMTargetMachineEmitToMemoryBuffer(Ref, Ref, c_int, *mut *mut c_char, *mut Ref) -> Bool;
    // Passes
    LLVMCreatePassBuilderOptions() -> Ref;
    LLVMDisposePassBuilderOptions(Ref);
    LLVMRunPasses(Ref, *const c_char, Ref, Ref) -> Ref;
    LLVMGetErrorMessage(Ref) -> *mut c_char;
    LLVMDisposeErrorMessage(*mut c_char);
}

impl core::fmt::Debug for Api {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Api(..)")
    }
}

/// Calls a function of the table.
macro_rules! ffi {
    ($api:expr, $name:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: objects passed were returned by this same library, have the kind that the function asks for (each
        // wrapper type implies a kind that was tested when it was made), and are alive: handles borrow their module
        // or context, and functions that end objects take these by value or mutably, or are `unsafe`. Other pointers
        // come from Rust references that outlive the call.
        unsafe { ($api.$name)($($argument),*) }
    };
}
pub(crate) use ffi;
