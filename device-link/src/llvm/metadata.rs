//! Debug information: nodes, their operands, and source locations.

use super::api::{Ref, ffi};
use super::{Context, Value, text};

/// A node of metadata: a handle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metadata<'m> {
    context: &'m Context,
    raw: Ref,
}

impl PartialEq for Metadata<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl Eq for Metadata<'_> {}
impl core::hash::Hash for Metadata<'_> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}

/// The kinds of nodes that this crate reads. The numbers are LLVM-C's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetadataKind {
    BasicType = 11,
    DerivedType = 12,
    CompositeType = 13,
    SubroutineType = 14,
    Subprogram = 17,
    Namespace = 20,
}

impl<'m> Metadata<'m> {
    pub(super) fn new(context: &'m Context, raw: Ref) -> Option<Self> {
        (!raw.is_null()).then_some(Self { context, raw })
    }

    pub(crate) fn is(self, kind: MetadataKind) -> bool {
        ffi!(self.context.api(), LLVMGetMetadataKind(self.raw)) == kind as u32
    }

    fn as_value(self) -> Ref {
        ffi!(self.context.api(), LLVMMetadataAsValue(self.context.raw(), self.raw))
    }

    /// The operands of a node, in the order in which LLVM keeps them.
    pub(crate) fn operands(self) -> Vec<Option<Operand<'m>>> {
        self.handles().into_iter().map(|raw| Operand::new(self.context, raw)).collect()
    }

    /// The operand with this number.
    fn operand(self, number: usize) -> Option<Operand<'m>> {
        self.handles().get(number).and_then(|raw| Operand::new(self.context, *raw))
    }

    fn handles(self) -> Vec<Ref> {
        let api = self.context.api();
        let value = self.as_value();
        if ffi!(api, LLVMIsAMDNode(value)).is_null() {
            return Vec::new();
        }
        let count = ffi!(api, LLVMGetMDNodeNumOperands(value)) as usize;
        let mut operands: Vec<Ref> = vec![core::ptr::null_mut(); count];
        ffi!(api, LLVMGetMDNodeOperands(value, operands.as_mut_ptr()));
        operands
    }

    /// The operand with this number, if it is a node.
    pub(crate) fn node(self, number: usize) -> Option<Metadata<'m>> {
        match self.operand(number)? {
            Operand::Node(node) => Some(node),
            _ => None,
        }
    }

    /// The operand with this number, if it is a text.
    pub(crate) fn text(self, number: usize) -> Option<&'m str> {
        match self.operand(number)? {
            Operand::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Of a node of debug information that is not a location: the scope around it.
    pub(crate) fn scope(self) -> Option<Metadata<'m>> {
        self.node(1)
    }

    /// Of a namespace, type, member or subprogram: its name.
    pub(crate) fn name(self) -> Option<&'m str> {
        self.text(2)
    }

    /// Of a subprogram: its symbol.
    pub(crate) fn linkage_name(self) -> Option<&'m str> {
        self.text(3)
    }

    /// Of a type: operand number `place` after those that all types have.
    fn type_operand(self, place: usize) -> Option<Metadata<'m>> {
        // File, scope, name; since LLVM 21 size and offset too.
        let shared = if self.context.llvm_major() >= 21 { 5 } else { 3 };
        self.node(shared + place)
    }

    /// Of a derived type (pointer, member, ..): the type that it is derived from. Of a composite type: of its elements.
    pub(crate) fn base_type(self) -> Option<Metadata<'m>> {
        self.type_operand(0)
    }

    /// Of a composite type: its members, variants or subranges.
    pub(crate) fn elements(self) -> Vec<Metadata<'m>> {
        let Some(list) = self.type_operand(1) else { return Vec::new() };
        let nodes = list.operands().into_iter().flatten();
        nodes
            .filter_map(|operand| if let Operand::Node(node) = operand { Some(node) } else { None })
            .collect()
    }

    /// Of a subprogram: the types of its parameters; `None` for one without description.
    pub(crate) fn parameter_types(self) -> Vec<Option<Metadata<'m>>> {
        // The first is the type of the result.
        let types =
            self.node(4).and_then(|kind| kind.type_operand(0)).map(Metadata::operands).unwrap_or_default();
        let nodes = types.into_iter().skip(1);
        nodes.map(|operand| if let Some(Operand::Node(node)) = operand { Some(node) } else { None }).collect()
    }

    /// DWARF's tag of a node of debug information.
    pub(crate) fn tag(self) -> u16 {
        ffi!(self.context.api(), LLVMGetDINodeTag(self.raw))
    }

    /// Of a type: whether it is only declared, and described nowhere.
    pub(crate) fn is_type_declaration(self) -> bool {
        // LLVMDIFlagFwdDecl
        ffi!(self.context.api(), LLVMDITypeGetFlags(self.raw)) & (1 << 2) != 0
    }

    /// Of a type or a member: its size. Unit: bits.
    pub(crate) fn size_in_bits(self) -> u64 {
        ffi!(self.context.api(), LLVMDITypeGetSizeInBits(self.raw))
    }

    /// Of a subprogram: the line where it begins.
    pub(crate) fn subprogram_line(self) -> u32 {
        ffi!(self.context.api(), LLVMDISubprogramGetLine(self.raw))
    }

    /// Of a scope: folder and name of its file.
    pub(crate) fn file(self) -> Option<(&'m str, &'m str)> {
        let api = self.context.api();
        let file = ffi!(api, LLVMDIScopeGetFile(self.raw));
        if file.is_null() {
            return None;
        }
        let (mut folder_length, mut name_length) = (0, 0);
        let folder = ffi!(api, LLVMDIFileGetDirectory(file, &mut folder_length));
        let name = ffi!(api, LLVMDIFileGetFilename(file, &mut name_length));
        // SAFETY: texts of metadata belong to the context and do not change.
        Some(unsafe { (text(folder, folder_length as usize), text(name, name_length as usize)) })
    }
}

/// An operand of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand<'m> {
    Text(&'m str),
    Node(Metadata<'m>),
    Value,
}

impl<'m> Operand<'m> {
    fn new(context: &'m Context, raw: Ref) -> Option<Self> {
        let value = Value::new(context, raw)?;
        let api = context.api();
        if !ffi!(api, LLVMIsAMDString(value.raw())).is_null() {
            let mut length = 0;
            let start = ffi!(api, LLVMGetMDString(value.raw(), &mut length));
            // SAFETY: texts of metadata belong to the context and do not change.
            return Some(Self::Text(unsafe { text(start, length as usize) }));
        }
        if !ffi!(api, LLVMIsAMDNode(value.raw())).is_null() {
            return Metadata::new(context, ffi!(api, LLVMValueAsMetadata(value.raw()))).map(Self::Node);
        }
        Some(Self::Value)
    }
}

/// A place in the source, with the calls that were inlined to get there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location<'m> {
    context: &'m Context,
    raw: Ref,
}

impl<'m> Location<'m> {
    pub(super) fn new(context: &'m Context, raw: Ref) -> Option<Self> {
        (!raw.is_null()).then_some(Self { context, raw })
    }

    pub(crate) fn line(self) -> u32 {
        ffi!(self.context.api(), LLVMDILocationGetLine(self.raw))
    }

    pub(crate) fn column(self) -> u32 {
        ffi!(self.context.api(), LLVMDILocationGetColumn(self.raw))
    }

    pub(crate) fn scope(self) -> Option<Metadata<'m>> {
        Metadata::new(self.context, ffi!(self.context.api(), LLVMDILocationGetScope(self.raw)))
    }

    /// The call that was inlined here.
    pub(crate) fn inlined_at(self) -> Option<Location<'m>> {
        Location::new(self.context, ffi!(self.context.api(), LLVMDILocationGetInlinedAt(self.raw)))
    }

    pub(super) fn raw(self) -> Ref {
        self.raw
    }
}
